#include "core/mlf/tar.h"

#include "core/base/text.h"
#include "core/container/archive/archive.h"
#include "core/container/archive/pax.h"
#include "core/container/archive/tar_number.h"

#include <algorithm>
#include <map>

namespace blobscope::mlf {
namespace {

constexpr uint64_t kBlock = 512;

uint64_t rounded(uint64_t size) { return size > UINT64_MAX - kBlock ? size : (size + kBlock - 1) / kBlock * kBlock; }
bool isZero(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

std::string_view codecOf(std::string_view head) {
  if (head.starts_with("\x1f\x8b")) return "gzip";
  if (head.starts_with("BZh")) return "bzip2";
  if (head.starts_with(std::string_view("\xfd"
                                        "7zXZ\0",
                                        6)))
    return "xz";
  if (head.starts_with("\x28\xb5\x2f\xfd")) return "zstd";
  return {};
}

/// Returns a number of a header; nothing if it does not end as POSIX requires.
std::optional<uint64_t> numberIn(std::string_view field) {
  const auto number = container::readTarNumber(field);
  return number && number->ended ? std::optional(number->value) : std::nullopt;
}

/// Returns a text field up to its NUL.
std::string textIn(std::string_view field) { return std::string(field.substr(0, field.find('\0'))); }

/// Checks the sum of all bytes, with blanks in place of the sum itself. Old programs treated the bytes as signed.
bool checksumFits(std::string_view header) {
  const auto stored = numberIn(header.substr(148, 8));
  if (!stored) return false;
  int64_t plain = 0, sign = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const char c = i >= 148 && i < 156 ? ' ' : header[i];
    plain += static_cast<unsigned char>(c);
    sign += static_cast<signed char>(c);
  }
  return static_cast<int64_t>(*stored) == plain || static_cast<int64_t>(*stored) == sign;
}

using Records = std::map<std::string, std::string, std::less<>>;

/// Reads records of a pax header: "22 size=1234567\n". Returns false if they are damaged.
bool addRecords(std::string_view text, Records& records) {
  while (container::hasPaxRecord(text)) {
    const auto next = container::readPaxRecord(text);
    if (!next || !next->content.ends_with('\n')) return false;
    std::string_view record = next->content;
    record.remove_suffix(1);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) return false;
    records[std::string(record.substr(0, equals))] = record.substr(equals + 1);
    text.remove_prefix(next->whole.size());
  }
  return true;
}

/// Returns the seconds before a fraction.
std::optional<int64_t> secondsIn(std::string_view text) {
  const bool before = text.starts_with('-');
  const auto number = parseNumber(text.substr(before ? 1 : 0, text.find('.') - (before ? 1 : 0)));
  if (!number || *number > INT64_MAX) return std::nullopt;
  return before ? -static_cast<int64_t>(*number) : static_cast<int64_t>(*number);
}

bool isSafe(std::string_view stored) {
  if (stored.empty() || stored.front() == '/') return false;
  if (stored.size() > 1 && stored[1] == ':' && ((stored[0] | 0x20) >= 'a' && (stored[0] | 0x20) <= 'z')) return false;
  if (stored.find('\\') != std::string_view::npos || stored.find('\0') != std::string_view::npos) return false;
  return ("/" + std::string(stored) + "/").find("/../") == std::string::npos;
}

class TarReader {
public:
  TarReader(Bytes bytes, Tar& tar, Monitor& monitor)
      : m_bytes(std::move(bytes)), m_text(m_bytes.view()), m_tar(tar), m_monitor(monitor) {}

  Result<Done> read() {
    Container& container = m_tar.container;
    if (m_text.size() < kBlock) {
      container.whyNotTar =
          m_text.empty() ? "it is empty" : "it has " + std::to_string(m_text.size()) + " bytes, but a header needs 512";
      return Done{};
    }
    if (!isZero(m_text.substr(0, kBlock)) && !checksumFits(m_text.substr(0, kBlock))) {
      container.whyNotTar = "the checksum of the first header is wrong";
      return Done{};
    }
    container.kind = ArchiveKind::Unknown;
    for (uint64_t count = 0;; ++count) {
      if (count % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (!step()) break;
    }
    return Done{};
  }

private:
  bool damage(uint64_t offset, std::string why) {
    if (!m_tar.container.damage) m_tar.container.damage = Container::Damage{offset, std::move(why)};
    return false;
  }

  /// Returns false at the end, and where reading has to stop.
  bool step() {
    const std::string_view rest = m_text.substr(m_at);
    if (rest.size() < kBlock) {
      if (!isZero(rest)) return damage(m_at, "a header is truncated");
      m_tar.container.end = "is missing";
      return false;
    }
    const std::string_view header = rest.substr(0, kBlock);
    if (isZero(header)) return readEnd(rest);
    if (!checksumFits(header)) return damage(m_at, "the checksum of a header is wrong");

    // --- 1. Size and type. ---
    const char type = header[156];
    const bool describes = type == 'x' || type == 'g' || type == 'X' || type == 'L' || type == 'K';
    std::optional<uint64_t> size = numberIn(header.substr(124, 12));
    if (!describes)
      if (const std::string* const text = record("size")) size = parseNumber(*text);
    if (!size) return damage(m_at, "the size in a header is not a number");
    if (type >= '1' && type <= '6') size = 0; // links, devices and folders, whatever size they state
    if (*size > rest.size() - kBlock)
      return damage(m_at, "the data of " + what(header, describes) + " runs past the end");
    const uint64_t contentAt = m_at + kBlock;
    const std::string_view content = m_text.substr(contentAt, *size);

    // --- 2. Headers that only describe the next header. ---
    if (type == 'x' || type == 'X') {
      if (!addRecords(content, m_next)) return damage(m_at, "an extended header is damaged");
    } else if (type == 'g') {
      if (!addRecords(content, m_all)) return damage(m_at, "an extended header is damaged");
    } else if (type == 'L') {
      m_next["path"] = textIn(content);
    } else if (type == 'K') {
      m_next["linkpath"] = textIn(content);
    } else if (!member(header, type, {contentAt, *size})) {
      return false;
    }
    const uint64_t padded = rounded(*size);
    if (padded > m_text.size() - contentAt)
      return damage(m_at, "the padding after " + what(header, describes) + " is truncated");
    m_at = contentAt + padded;
    return true;
  }

  bool readEnd(std::string_view rest) {
    if (rest.size() < 2 * kBlock || !isZero(rest.substr(kBlock, kBlock))) {
      m_tar.container.end = rest.size() < 2 * kBlock
                                ? "has one zero block, two are needed"
                                : "has one zero block and is followed by data at " + hexText(m_at + kBlock);
      return false;
    }
    const std::size_t more = m_text.find_first_not_of('\0', m_at);
    if (more != std::string_view::npos) m_tar.container.end = "is followed by data at " + hexText(more);
    return false;
  }

  const std::string* record(std::string_view name) const {
    if (const auto found = m_next.find(name); found != m_next.end()) return &found->second;
    if (const auto found = m_all.find(name); found != m_all.end()) return &found->second;
    return nullptr;
  }

  std::string pathOf(std::string_view header) const {
    if (const std::string* const text = record("path")) return *text;
    std::string path = textIn(header.substr(0, 100));
    const bool posix = header.substr(257, 6) == std::string_view("ustar\0", 6);
    const std::string prefix = posix ? textIn(header.substr(345, 155)) : std::string();
    return prefix.empty() ? path : prefix + "/" + path;
  }
  std::string what(std::string_view header, bool describes) const {
    return describes ? "an extended header" : "member '" + escapedWithin(pathOf(header), 200) + "'";
  }

  static void setOther(TarEntry& entry, std::string_view words) {
    entry.type = TarEntry::Type::Other;
    entry.typeText = words;
  }
  /// Interprets the type of a header.
  static void setType(TarEntry& entry, char type) {
    using Type = TarEntry::Type;
    switch (type) {
    case '1':
    case '2': entry.type = Type::Link; break;
    case '5': entry.type = Type::Folder; break;
    case '3': setOther(entry, "character device"); break;
    case '4': setOther(entry, "block device"); break;
    case '6': setOther(entry, "fifo"); break;
    case '0':
    case '7':
    case '\0':
      // Before ustar, a folder was a file whose name ends in a slash.
      entry.type = type == '\0' && entry.stored.ends_with('/') ? Type::Folder : Type::File;
      break;
    default: setOther(entry, std::string(1, type)); break;
    }
  }

  /// Returns false if a limit ends reading.
  bool member(std::string_view header, char type, Extent content) {
    TarEntry entry;
    entry.stored = pathOf(header);
    entry.path = library::normalisedPath(entry.stored);
    entry.safe = isSafe(entry.stored);
    entry.offset = m_at;
    entry.mode = numberIn(header.substr(100, 8)).value_or(0) & 07777;
    entry.uid = number("uid", header.substr(108, 8));
    entry.gid = number("gid", header.substr(116, 8));
    entry.owner = text("uname", header.substr(265, 32));
    entry.group = text("gname", header.substr(297, 32));
    entry.link = text("linkpath", header.substr(157, 100));
    if (const std::string* const changed = record("mtime"))
      entry.changed = secondsIn(*changed);
    else if (const auto seconds = numberIn(header.substr(136, 12)); seconds && *seconds <= INT64_MAX)
      entry.changed = static_cast<int64_t>(*seconds);
    Container& container = m_tar.container;
    // An extended header for all members can repeat a long text for each of them; other texts are part of the archive.
    m_names += entry.stored.size() + entry.owner.size() + entry.group.size() + entry.link.size();
    if (const uint64_t limit = std::max<uint64_t>(m_text.size(), kTarRatioFree); m_names > limit) {
      container.exceeded.push_back({"the length of all names", sizeText(limit)});
      return false;
    }
    const bool sparse = type == 'S' || std::any_of(m_next.begin(), m_next.end(), [](const auto& one) {
                          return one.first.starts_with("GNU.sparse.");
                        });
    m_next.clear();

    setType(entry, type);
    if (sparse) setOther(entry, "sparse file");

    if (container.entries.size() >= kTarMembers) {
      container.exceeded.push_back({"the number of members", groupedText(kTarMembers)});
      return false;
    }
    const bool file = entry.type == TarEntry::Type::File && entry.safe && !entry.path.empty();
    if (entry.type == TarEntry::Type::File && content.size > kTarMemberBytes) {
      container.exceeded.push_back({"member '" + escapedWithin(entry.stored, 200) + "'", sizeText(kTarMemberBytes)});
    } else if (file) {
      m_total += content.size;
      if (m_total > kTarBytes) {
        container.exceeded.push_back({"the size of all members", sizeText(kTarBytes)});
        return false;
      }
      const Bytes bytes = m_bytes.slice(content.offset, content.size);
      m_tar.files.push_back({entry.path, entry.stored, Bytes(bytes.owner(), bytes.span(), 0)});
    }
    container.entries.push_back(std::move(entry));
    return true;
  }
  uint64_t number(std::string_view name, std::string_view field) const {
    if (const std::string* const text = record(name)) return parseNumber(*text).value_or(0);
    return numberIn(field).value_or(0);
  }
  std::string text(std::string_view name, std::string_view field) const {
    if (const std::string* const found = record(name)) return *found;
    return textIn(field);
  }

  Bytes m_bytes;
  std::string_view m_text;
  Tar& m_tar;
  Monitor& m_monitor;
  uint64_t m_at = 0, m_total = 0;
  uint64_t m_names = 0; ///< bytes of paths, links, owners and groups
  Records m_next, m_all;
};

} // namespace

Result<Tar> readTar(const Bytes& file, const BudgetPtr& budget, Monitor& monitor) {
  Tar tar;
  Container& container = tar.container;
  Bytes bytes = file;
  std::string damage;
  container.codec = codecOf(file.view());
  if (!container.codec.empty()) {
    const uint64_t limit = std::min(
        kTarBytes, std::max(kTarRatioFree, file.size() > kTarBytes / kTarRatio ? kTarBytes : file.size() * kTarRatio));
    auto unpacked = container::unpackAvailable(file, limit, budget, monitor);
    if (!unpacked && unpacked.error().code() == ErrorCode::Cancelled) return unpacked.takeError();
    if (!unpacked && unpacked.error().id() == DiagnosticId::FileLimit) {
      container.kind = ArchiveKind::Unknown;
      container.exceeded.push_back({"the unpacked size", sizeText(std::min(limit, budget->memoryLimit()))});
      return tar;
    }
    if (!unpacked) {
      container.kind = ArchiveKind::Unknown;
      container.damage = Container::Damage{0, "nothing of the " + container.codec +
                                                  " stream can be unpacked: it is truncated or damaged"};
      return tar;
    }
    bytes = std::move(unpacked->bytes);
    damage = std::move(unpacked->damage);
  }
  BLOBSCOPE_CHECK(TarReader(bytes, tar, monitor).read());
  if (!damage.empty() && container.kind != ArchiveKind::NotTar) {
    container.end.reset();
    container.damage = Container::Damage{bytes.size(), "the " + container.codec + " stream is damaged: " + damage};
  }

  // Extraction leaves the last copy of a path.
  auto& files = tar.files;
  std::stable_sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.path < b.path; });
  std::vector<File> last;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (i + 1 == files.size() || files[i + 1].path != files[i].path) last.push_back(std::move(files[i]));
  files = std::move(last);
  if (container.kind != ArchiveKind::NotTar) {
    std::vector<std::string> paths;
    for (const File& one : files) paths.push_back(one.path);
    container.kind = library::recogniseArchive(paths);
  }
  return tar;
}

} // namespace blobscope::mlf
