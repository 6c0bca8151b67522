#include "core/host/text_runs.h"

#include <algorithm>
#include <array>
#include <vector>

namespace blobscope::host {
namespace {

using container::Image;
using container::Section;

constexpr uint64_t kStep = 1 << 20;

constexpr std::array<bool, 256> printableTable() {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x20; c < 0x7f; ++c) table[c] = true;
  table['\t'] = table['\n'] = true;
  return table;
}
constexpr std::array<bool, 256> kPrintable = printableTable();
bool isPrintable(char c) { return kPrintable[static_cast<unsigned char>(c)]; }

using Visit = std::function<void(std::string_view, bool)>;

Result<Done> scan(std::string_view bytes, std::size_t least, const Visit& visit, Monitor& monitor) {
  std::size_t nextStop = 0;
  for (std::size_t i = 0; i < bytes.size();) {
    if (i >= nextStop) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("reading texts", i, bytes.size());
      nextStop = i + kStep;
    }
    if (!isPrintable(bytes[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < bytes.size() && isPrintable(bytes[end])) ++end;
    if (end - i >= least && end - i <= kTextRun)
      visit(bytes.substr(i, end - i), end == bytes.size() || bytes[end] == '\0');
    i = end;
  }
  return Done{};
}

/// Scans the strings of C source. Text outside strings is skipped word by word, so a quote in a comment costs one
/// string at most.
Result<Done> scanSource(std::string_view text, std::size_t least, const Visit& visit, Monitor& monitor) {
  std::size_t nextStop = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i >= nextStop) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      nextStop = i + kStep;
    }
    if (text[i] == '\'' && i + 2 < text.size() && text[i + 2] == '\'') i += 2; // '"'
    if (text[i] != '"') continue;
    const std::size_t from = ++i;
    while (i < text.size() && text[i] != '"' && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
    i = std::min(i, text.size());
    if (i - from >= least && i - from <= kTextRun) visit(text.substr(from, i - from), true);
  }
  return Done{};
}

} // namespace

Result<Done> forEachText(const Image& image, TextPlaces places, std::size_t least, const Visit& visit,
                         Monitor& monitor) {
  if (image.format == container::Format::CSource)
    return places == TextPlaces::All ? scanSource(image.file.view(), least, visit, monitor) : Result<Done>(Done{});
  if (places == TextPlaces::All) return scan(image.file.view(), least, visit, monitor);
  std::vector<const Section*> sections;
  for (const Section& section : image.sections) {
    if (!section.allocated || section.executable || section.file.size == 0) continue;
    if (section.writable == (places == TextPlaces::Writable)) sections.push_back(&section);
  }
  std::stable_sort(sections.begin(), sections.end(),
                   [](const Section* a, const Section* b) { return a->file.offset < b->file.offset; });
  // Sections of damaged files overlap; every byte is read once.
  uint64_t end = 0;
  for (const Section* section : sections) {
    const uint64_t from = std::max(section->file.offset, end);
    const uint64_t to = std::min(section->file.end(), image.file.size());
    if (to <= from) continue;
    BLOBSCOPE_CHECK(scan(image.file.view().substr(from, to - from), least, visit, monitor));
    end = to;
  }
  return Done{};
}

} // namespace blobscope::host
