#include "core/compile/log.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace blobscope::compile {
namespace {

constexpr std::size_t kMessages = 1'000, kTextBytes = 4'096;

/// Takes a number from the front; zero when there is none.
uint64_t takeNumber(std::string_view& text) {
  uint64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc()) return 0;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return out;
}

/// Takes "error", "fatal error", "warning #177-D" … and the colon after it.
std::optional<Severity> takeSeverity(std::string_view& text) {
  constexpr std::array<std::pair<std::string_view, Severity>, 8> kWords = {{{"catastrophic error", Severity::Error},
                                                                            {"fatal error", Severity::Error},
                                                                            {"fatal", Severity::Error},
                                                                            {"error", Severity::Error},
                                                                            {"warning", Severity::Warning},
                                                                            {"remark", Severity::Note},
                                                                            {"note", Severity::Note},
                                                                            {"info", Severity::Note}}};
  const std::string_view rest = trimmed(text);
  for (const auto& [word, severity] : kWords) {
    if (!rest.starts_with(word)) continue;
    const std::string_view after = rest.substr(word.size());
    const std::size_t colon = after.find(':');
    // Only a number of the message may be between them.
    if (colon == std::string_view::npos || (trimmed(after.substr(0, colon)).find(' ') != std::string_view::npos))
      return std::nullopt;
    text = trimmed(after.substr(colon + 1));
    return severity;
  }
  return std::nullopt;
}

/// "ptxas FILE, line 57; error   : TEXT", "ptxas fatal   : TEXT".
std::optional<Message> ofPtxas(std::string_view line) {
  constexpr std::string_view kName = "ptxas", kLine = ", line ";
  if (!line.starts_with(kName)) return std::nullopt;
  std::string_view rest = line.substr(kName.size());
  Message out;
  if (const std::size_t at = rest.find(kLine); at != std::string_view::npos) {
    std::string_view after = rest.substr(at + kLine.size());
    out.line = takeNumber(after);
    if (out.line == 0 || !after.starts_with(';')) return std::nullopt;
    rest = after.substr(1);
  }
  const auto severity = takeSeverity(rest);
  // Its notes are the resources of each kernel, which the image contains.
  if (!severity || *severity == Severity::Note) return std::nullopt;
  out.severity = *severity;
  out.text = rest;
  return out;
}

/// Takes "12):", what follows '(' in "FILE(12):", or "3:5:", "3:5 " or "3:", what follows ':' in "FILE:3:5:".
bool takePlace(char before, std::string_view& rest, Message& out) {
  const std::string_view end = before == '(' ? "):" : ":";
  out.line = takeNumber(rest);
  if (out.line == 0 || !rest.starts_with(end)) return false;
  rest.remove_prefix(end.size());
  if (before == '(') return true;
  out.column = takeNumber(rest);
  if (out.column == 0) return true;
  if (!rest.starts_with(':') && !rest.starts_with(' ')) return false;
  rest.remove_prefix(1);
  return true;
}

/// The message at the first place of the line, after the character `before`, from which `take` can take the rest.
template <class Take> std::optional<Message> atPlace(std::string_view line, char before, Take take) {
  for (std::size_t at = line.find(before); at != std::string_view::npos; at = line.find(before, at + 1)) {
    std::string_view rest = line.substr(at + 1);
    Message out;
    if (takePlace(before, rest, out) && take(rest, out)) return out;
  }
  return std::nullopt;
}

/// "error: TEXT", after a place.
bool takeMessage(std::string_view rest, Message& out) {
  const auto severity = takeSeverity(rest);
  if (!severity) return false;
  out.severity = *severity;
  out.text = rest;
  return true;
}

/// "FILE(12): error: TEXT".
std::optional<Message> ofNvcc(std::string_view line) { return atPlace(line, '(', takeMessage); }

/// "FILE:3:5: error: TEXT"; the column may be missing. Tint writes no colon after the column.
std::optional<Message> ofClang(std::string_view line) { return atPlace(line, ':', takeMessage); }

/// "error: FILE:3:5: TEXT", as PoCL writes it.
std::optional<Message> ofPocl(std::string_view line) {
  const auto severity = takeSeverity(line);
  if (!severity) return std::nullopt;
  return atPlace(line, ':', [&](std::string_view rest, Message& out) {
    if (out.column == 0 || !rest.starts_with(' ')) return false;
    out.severity = *severity;
    out.text = rest.substr(1);
    return true;
  });
}

/// "┌─ FILE:3:5", the line that naga writes below a message.
std::optional<Message> placeOfNaga(std::string_view line) {
  constexpr std::string_view kCorner = "\u250c\u2500 ";
  line = trimmed(line);
  if (!line.starts_with(kCorner)) return std::nullopt;
  const std::size_t column = line.rfind(':');
  const std::size_t row = column == std::string_view::npos || column == 0 ? column : line.rfind(':', column - 1);
  if (row == std::string_view::npos || row == 0) return std::nullopt;
  std::string_view first = line.substr(row + 1), second = line.substr(column + 1);
  Message out;
  out.line = takeNumber(first);
  out.column = takeNumber(second);
  return out.line > 0 && second.empty() ? std::optional(out) : std::nullopt;
}

/// Whether the line is a caret below the line of source that nvcc repeats, indented by `kIndent`.
std::optional<uint64_t> caretColumn(std::string_view line) {
  constexpr std::size_t kIndent = 2;
  const std::size_t caret = line.find('^');
  if (caret == std::string_view::npos || caret < kIndent || line.find_first_not_of(" \t^~\r") != std::string_view::npos)
    return std::nullopt;
  return caret - kIndent + 1;
}

} // namespace

std::vector<Message> parseLog(std::string_view log) {
  std::vector<Message> out;
  bool waitsForCaret = false;
  std::optional<Message> withoutPlace; ///< of naga, whose next line has the place
  while (!log.empty() && out.size() < kMessages) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (auto place = placeOfNaga(line); place && withoutPlace) {
      place->severity = withoutPlace->severity;
      place->text = escapedWithin(withoutPlace->text, kTextBytes);
      out.push_back(std::move(*place));
      withoutPlace.reset();
      continue;
    }
    withoutPlace.reset();
    std::optional<Message> message = ofPtxas(line);
    if (!message) message = ofPocl(line);
    if (!message) message = ofClang(line);
    const bool fromNvcc = !message;
    if (!message) message = ofNvcc(line);
    // ptxas ends with "Ptx assembly aborted due to errors".
    if (message && message->line == 0 && !out.empty()) continue;
    if (message) {
      message->text = escapedWithin(message->text, kTextBytes);
      out.push_back(std::move(*message));
      waitsForCaret = fromNvcc;
    } else if (const auto column = caretColumn(line); column && waitsForCaret) {
      out.back().column = *column;
      waitsForCaret = false;
    } else if (Message bare; takeMessage(line, bare)) {
      withoutPlace = std::move(bare);
    }
  }
  return out;
}

} // namespace blobscope::compile
