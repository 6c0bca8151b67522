#include "core/write/archive/tar_layout.h"

#include "core/base/text.h"
#include "core/base/writer.h"
#include "core/container/archive/pax.h"
#include "core/container/archive/tar_number.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write::tar {
namespace {

constexpr uint64_t kSizeField = 124, kSizeBytes = 12, kChecksumField = 148, kChecksumBytes = 8, kTypeField = 156;
constexpr uint64_t kOctal = uint64_t{1} << 33; ///< eleven octal digits can only store smaller numbers
constexpr uint64_t kPaxBytes = 16 << 20;       ///< limit for one extended header; real ones have some hundred bytes
constexpr uint64_t kSparseMore = 482, kSparseMoreInBlock = 504; ///< GNU: whether another block with a map follows

bool isOctal(char c) { return c >= '0' && c <= '7'; }
std::string upToNul(std::string_view field) { return std::string(field.substr(0, field.find('\0'))); }

/// Reads members one after the other.
class LayoutReader {
public:
  LayoutReader(std::string_view text, Monitor& monitor) : m_text(text), m_monitor(monitor) {}

  Result<Layout> read(uint64_t wanted) {
    for (uint64_t count = 0; m_at < m_text.size() && m_text.size() - m_at >= kBlock; ++count) {
      if (m_layout.items.size() >= wanted) break;
      if (count % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const std::string_view header = m_text.substr(m_at, kBlock);
      if (header.find_first_not_of('\0') == std::string_view::npos) break;
      BLOBSCOPE_CHECK(step(header));
    }
    if (!m_item.describing.empty())
      return archiveError("the header at " + hexText(m_item.whole.offset) + " describes no member");
    m_layout.end = {m_item.sharedHeaders.size > 0 ? m_item.sharedHeaders.offset : m_at, 0};
    m_layout.end.size = m_text.size() - m_layout.end.offset;
    return std::move(m_layout);
  }

private:
  Result<Done> step(std::string_view header) {
    const auto number = container::readTarNumber(header.substr(kSizeField, kSizeBytes));
    const uint64_t stored = number ? number->value : UINT64_MAX;
    const char type = header[kTypeField];
    const bool shared = type == 'g' || type == 'V';
    const bool describes = type == 'x' || type == 'X' || type == 'L' || type == 'K' || shared;
    const bool empty = type >= '1' && type <= '6'; // links, devices and folders, whatever size they declare
    const uint64_t bytes = empty ? 0 : describes ? stored : m_size.value_or(stored);
    uint64_t from = m_at + kBlock;
    // The map of a sparse file of GNU tar may need more blocks.
    if (type == 'S' && header[kSparseMore])
      for (bool more = true; more && m_text.size() - from >= kBlock; from += kBlock)
        more = m_text[from + kSparseMoreInBlock] != '\0';
    if (from > m_text.size() || bytes > m_text.size() - from)
      return archiveError("the member at " + hexText(m_at) + " is truncated");
    const Extent content{from, bytes};
    const uint64_t next = std::min<uint64_t>(from + rounded(bytes), m_text.size());
    if (shared) {
      if (!m_item.describing.empty())
        return archiveError("the header at " + hexText(m_at) + " is between those of a member");
      if (m_item.sharedHeaders.size == 0) m_item.sharedHeaders.offset = m_at;
      m_item.sharedHeaders.size = next - m_item.sharedHeaders.offset;
    } else if (describes) {
      if (bytes > kPaxBytes) return archiveError("the extended header at " + hexText(m_at) + " is too large");
      BLOBSCOPE_CHECK(describe(type, content));
    } else {
      finish(header, type, content, next);
    }
    m_at = next;
    return Done{};
  }

  Result<Done> describe(char type, Extent content) {
    const std::string_view text = m_text.substr(content.offset, content.size);
    if (type == 'x' || type == 'X') {
      const auto records = readPax(text);
      if (!records) return archiveError("the extended header at " + hexText(m_at) + " is damaged");
      for (const PaxRecord& record : *records) {
        if (record.key == "path") m_path = record.value;
        if (record.key != "size") continue;
        m_size = parseNumber(record.value);
        if (!m_size) return archiveError("the extended header at " + hexText(m_at) + " is damaged");
      }
    } else if (type == 'L') {
      m_path = upToNul(text);
    }
    if (m_item.describing.empty()) m_item.whole.offset = m_at;
    m_item.describing.push_back({type, m_at, content});
    return Done{};
  }

  void finish(std::string_view header, char type, Extent content, uint64_t next) {
    if (m_item.describing.empty()) m_item.whole.offset = m_at;
    m_item.whole.size = next - m_item.whole.offset;
    m_item.header = m_at;
    m_item.content = content;
    m_item.type = type;
    const bool posix = header.substr(257, 6) == std::string_view("ustar\0", 6);
    const std::string prefix = posix ? upToNul(header.substr(345, 155)) : std::string();
    const std::string name = upToNul(header.substr(0, kNameBytes));
    m_item.path = m_path ? *m_path : prefix.empty() ? name : prefix + "/" + name;
    m_layout.items.push_back(std::move(m_item));
    m_item = {};
    m_path.reset();
    m_size.reset();
  }

  std::string_view m_text;
  Monitor& m_monitor;
  Layout m_layout;
  uint64_t m_at = 0;
  Item m_item; ///< the headers of the next member
  std::optional<std::string> m_path;
  std::optional<uint64_t> m_size;
};

} // namespace

Result<Layout> readLayout(std::string_view text, Monitor& monitor, uint64_t count) {
  return LayoutReader(text, monitor).read(count);
}

uint64_t rounded(uint64_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

std::string octal(uint64_t value, std::size_t digits) {
  std::string out(digits, '0');
  for (auto at = out.rbegin(); at != out.rend(); ++at, value >>= 3) *at = static_cast<char>('0' + (value & 7));
  return out;
}

std::string withSize(std::string header, uint64_t size) {
  // The terminator of the digits stays.
  const std::string_view old = std::string_view(header).substr(kSizeField, kSizeBytes);
  std::string field;
  if (size >= kOctal || old.front() & 0x80) {
    field = std::string(1, '\x80') + std::string(3, '\0') + numberText(size, 8, true);
  } else if (isOctal(old.back())) {
    field = octal(size, kSizeBytes);
  } else {
    field = octal(size, kSizeBytes - 1) + old.back();
  }
  return withChecksum(header.replace(kSizeField, kSizeBytes, field));
}

std::string withChecksum(std::string header) {
  // The sum of all bytes, with the checksum field counted as blanks.
  const std::string oldSum = header.substr(kChecksumField, kChecksumBytes);
  header.replace(kChecksumField, kChecksumBytes, std::string(kChecksumBytes, ' '));
  uint64_t sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  const std::size_t digits = isOctal(oldSum[6]) ? 7 : 6;
  header.replace(kChecksumField, kChecksumBytes, octal(sum, digits) + oldSum.substr(digits));
  return header;
}

std::optional<std::vector<PaxRecord>> readPax(std::string_view text) {
  std::vector<PaxRecord> records;
  while (container::hasPaxRecord(text)) {
    const auto next = container::readPaxRecord(text);
    if (!next) return std::nullopt;
    std::string_view content = next->content;
    if (content.ends_with('\n')) content.remove_suffix(1);
    const std::size_t equals = std::min(content.find('='), content.size());
    const std::string_view value = content.substr(std::min(equals + 1, content.size()));
    records.push_back({std::string(content.substr(0, equals)), std::string(value), std::string(next->whole)});
    text.remove_prefix(next->whole.size());
  }
  return records;
}

std::string paxText(const std::vector<PaxRecord>& records) {
  std::string out;
  for (const auto& [key, value, stored] : records) {
    if (!stored.empty()) {
      out += stored;
      continue;
    }
    const std::string rest = " " + key + "=" + value + "\n";
    std::size_t length = rest.size() + 1;
    while (std::to_string(length).size() + rest.size() != length) length = std::to_string(length).size() + rest.size();
    out += std::to_string(length) + rest;
  }
  return out;
}

} // namespace blobscope::write::tar
