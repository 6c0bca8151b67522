#include "core/targets/name_finder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

namespace blobscope::targets {
namespace {

constexpr std::size_t kLongestName = 200, kEnd = 4;

uint32_t endOf(std::string_view name) {
  uint32_t out = 0;
  std::memcpy(&out, name.data() + name.size() - kEnd, kEnd);
  return out;
}

bool isGraphic(char c) { return c > 0x20 && c < 0x7f; }

/// Bytes between two checks of the monitor.
constexpr std::size_t kChunk = std::size_t{1} << 20;
/// Texts whose hashes are kept; a runtime has some ten thousand.
constexpr std::size_t kTexts = 1'000'000;

bool looksLikeName(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:") ==
         std::string_view::npos;
}

/// Texts of checks that are kept; a runtime has some thousand.
constexpr std::size_t kChecks = 200'000, kLongestCheck = 1'000;

/// Without a parenthesis around it, of which the end may be stored elsewhere, and without what follows it.
std::string_view plainCondition(std::string_view text) {
  if (const std::size_t values = text.find(" ({"); values != std::string_view::npos) text = text.substr(0, values);
  if (text.starts_with('(')) text.remove_prefix(1);
  if (const std::size_t end = text.find(") is false"); end != std::string_view::npos) text = text.substr(0, end);
  while (!text.empty() && (text.back() == ' ' || text.back() == ':')) text.remove_suffix(1);
  return text;
}

/// What follows `before` up to a quotation mark; empty when the text has no such part.
std::string_view quotedAfter(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  const std::size_t end = text.find('"');
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

/// The texts of failed checks: "Check failed: (version == "0.14"", or without parenthesis in TVM up to v0.7 and of
/// comparisons. Source: dmlc/dmlc-core include/dmlc/logging.h; apache/tvm v0.8.0 – v0.26.0
/// include/tvm/runtime/logging.h; apache/tvm-ffi include/tvm/ffi/error.h.
Result<Done> findChecks(std::string_view text, FoundNames& found, Monitor& monitor) {
  constexpr std::string_view kBefore = "Check failed: ";
  std::size_t next = kChunk;
  for (std::size_t at = text.find(kBefore); at != std::string_view::npos; at = text.find(kBefore, at)) {
    if (at >= next) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      next = at + kChunk;
    }
    at += kBefore.size();
    std::string_view check = text.substr(at, kLongestCheck);
    check = check.substr(0, check.find('\0'));
    if (found.checks.size() < kChecks) found.checks.push_back(std::hash<std::string_view>()(plainCondition(check)));
    if (const std::string_view version = quotedAfter(check, "version == \"");
        !version.empty() && found.versions.size() < 8)
      found.versions.emplace_back(version);
    constexpr std::string_view kHeader = "header == ";
    for (std::size_t header = check.find(kHeader); header != std::string_view::npos;
         header = check.find(kHeader, header)) {
      header += kHeader.size();
      const std::string_view name = check.substr(header, 64);
      if (found.magics.size() < 16)
        found.magics.emplace(
            name.substr(0, name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")));
    }
  }
  // Comparisons have their condition in a text of its own: "args.size() == 2".
  constexpr std::string_view kArguments = "args.size() ";
  for (std::size_t at = text.find(kArguments); at != std::string_view::npos; at = text.find(kArguments, at + 1)) {
    if (at > 0 && text[at - 1] != '\0') continue;
    const std::string_view check = text.substr(at, kLongestCheck);
    if (found.checks.size() < kChecks)
      found.checks.push_back(std::hash<std::string_view>()(plainCondition(check.substr(0, check.find('\0')))));
  }
  return monitor.stopRequested() ? Result<Done>(Error(DiagnosticId::Cancelled, {})) : Done{};
}

} // namespace

/// The parts of a library in which its texts are, without overlaps.
std::vector<Extent> textsOf(const container::Image& image) {
  std::vector<Extent> out;
  const uint64_t size = image.file.size();
  const auto add = [&](Extent file) {
    if (file.size > 0 && file.offset <= size && file.size <= size - file.offset) out.push_back(file);
  };
  if (image.format != container::Format::Wasm) {
    constexpr std::array<std::string_view, 5> kOther = {".dynstr", ".dynsym", ".rela", ".eh_frame", ".gnu"};
    for (const container::Section& section : image.sections)
      if (section.allocated && !section.executable &&
          std::ranges::none_of(kOther, [&](std::string_view begin) { return section.name.starts_with(begin); }))
        add(section.file);
    if (out.empty())
      for (const container::Segment& segment : image.segments)
        if (!segment.executable) add(segment.file);
  }
  if (out.empty()) return {{0, size}};
  std::ranges::sort(out, {}, &Extent::offset);
  std::vector<Extent> joined;
  for (const Extent& part : out)
    if (joined.empty() || part.offset > joined.back().offset + joined.back().size)
      joined.push_back(part);
    else
      joined.back().size = std::max(joined.back().size, part.offset + part.size - joined.back().offset);
  return joined;
}

bool FoundNames::containsText(std::string_view text) const {
  return std::ranges::binary_search(texts, std::hash<std::string_view>()(text));
}

bool FoundNames::containsCheck(std::string_view condition) const {
  return std::ranges::binary_search(checks, std::hash<std::string_view>()(plainCondition(condition)));
}

void NameFinder::add(std::string_view name) {
  if (name.size() >= kEnd && name.size() <= kLongestName) m_byEnd[endOf(name)].push_back(name);
}

Result<FoundNames> NameFinder::find(const container::Image& image, Monitor& monitor) const {
  return find(image.file.view(), textsOf(image), monitor);
}

Result<FoundNames> NameFinder::find(std::string_view file, const std::vector<Extent>& parts, Monitor& monitor) const {
  FoundNames found;
  for (const Extent& part : parts) {
    BLOBSCOPE_CHECK(findIn(file.substr(part.offset, part.size), found, monitor));
    BLOBSCOPE_CHECK(findChecks(file.substr(part.offset, part.size), found, monitor));
  }
  std::ranges::sort(found.texts);
  std::ranges::sort(found.checks);
  return found;
}

Result<Done> NameFinder::findIn(std::string_view text, FoundNames& found, Monitor& monitor) const {
  std::size_t next = kChunk;
  for (std::size_t at = text.find('\0'); at != std::string_view::npos; at = text.find('\0', at + 1)) {
    if (at >= next) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      next = at + kChunk;
    }
    if (at < kEnd || !isGraphic(text[at - 1])) continue;
    const std::string_view before = text.substr(0, at);
    if (const auto list = m_byEnd.find(endOf(before)); list != m_byEnd.end())
      for (const std::string_view name : list->second) {
        if (!before.ends_with(name)) continue;
        // In front of the name: nothing, another text, or the rest of a longer name. A sentence ends otherwise.
        const char front = name.size() < before.size() ? before[before.size() - name.size() - 1] : '\0';
        if (front != ' ') found.known.emplace(name);
      }
    std::size_t begin = at;
    while (begin > 0 && at - begin < kLongestName && isGraphic(text[begin - 1])) --begin;
    if (begin > 0 && text[begin - 1] == ' ') continue;
    const std::string_view whole = text.substr(begin, at - begin);
    for (const std::string& prefix : m_prefixes)
      if (whole.size() > prefix.size() && whole.starts_with(prefix)) found.known.emplace(whole);
    if (found.texts.size() < kTexts && looksLikeName(whole))
      found.texts.push_back(std::hash<std::string_view>()(whole));
  }
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  return Done{};
}

} // namespace blobscope::targets
