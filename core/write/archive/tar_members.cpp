#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/container/archive/tar_number.h"
#include "core/library/archive_kind.h"
#include "core/write/archive/tar_layout.h"
#include "core/write/members.h"
#include "core/write/plan_parts.h"

#include <algorithm>
#include <map>

namespace blobscope::write {
namespace {

using tar::kBlock;

constexpr std::size_t kShownPath = 200;
constexpr std::size_t kListedSteps = 200; ///< at most this many members have a step of their own

constexpr uint64_t kModeField = 100, kUidField = 108, kGidField = 116, kTimeField = 136, kChecksumField = 148,
                   kTypeField = 156, kLinkField = 157, kMagicField = 257, kOwnerField = 265, kGroupField = 297,
                   kPrefixField = 345, kPrefixBytes = 155;
const std::string kGnuMagic = "ustar  ";
const std::string_view kPosixMagic("ustar\0", 6);

std::string shownName(const std::string& path) { return "'" + escapedWithin(path, kShownPath) + "'"; }
std::string paddingFor(uint64_t size) { return std::string(tar::rounded(size) - size, '\0'); }
void setField(std::string& header, uint64_t at, uint64_t size, std::string_view text) {
  std::string field(text.substr(0, size));
  field.resize(size, '\0');
  header.replace(at, size, field);
}

/// A header without name, size and checksum, as Python's tarfile writes it.
std::string plainHeader(char type) {
  std::string header(kBlock, '\0');
  setField(header, kModeField, 8, type == '5' ? "0000755" : "0000644");
  setField(header, kUidField, 8, "0000000");
  setField(header, kGidField, 8, "0000000");
  setField(header, kTimeField, 12, "00000000000");
  header.replace(kChecksumField, 8, std::string("000000\0 ", 8)); // its form; withChecksum() sets the number
  header[kTypeField] = type;
  header.replace(kMagicField, 8, std::string("ustar\0", 6) + "00");
  return header;
}
/// Returns an extended header with its content and padding.
std::string extended(char type, std::string_view name, std::string_view content) {
  std::string header = plainHeader(type);
  setField(header, kModeField, 8, "0000000");
  setField(header, 0, tar::kNameBytes, name);
  if (type == 'L') header.replace(kMagicField, 8, kGnuMagic + std::string(1, '\0'));
  return tar::withSize(std::move(header), content.size()) + std::string(content) + paddingFor(content.size());
}

bool isAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
bool isGnu(std::string_view header) { return header.substr(kMagicField, 7) == kGnuMagic; }
/// Whether a path needs an extended header: it is too long for the field, or not ASCII, as in Python's tarfile.
bool needsHeader(std::string_view path, std::string_view header) {
  return path.size() > tar::kNameBytes || (!isGnu(header) && !isAscii(path) && isUtf8(path));
}
/// Returns the header with another path, without checksum.
std::string named(std::string header, std::string_view path) {
  setField(header, 0, tar::kNameBytes, path);
  if (std::string_view(header).substr(kMagicField, 6) == kPosixMagic) setField(header, kPrefixField, kPrefixBytes, {});
  return header;
}
/// Returns the header in front of a member's own one that stores its path; empty when there is none.
std::string pathHeader(const std::string& path, std::string_view header) {
  if (!needsHeader(path, header)) return {};
  if (isGnu(header)) return extended('L', "././@LongLink", path + std::string(1, '\0'));
  return extended('x', "././@PaxHeader", tar::paxText({{"path", path}}));
}

/// Plans the members of one tar.
class TarPlanner {
public:
  TarPlanner(const Bytes& archive, const tar::Layout& layout, const edit::EditedArchive& edited, Monitor& monitor)
      : m_text(archive.view()), m_layout(layout), m_edited(edited), m_monitor(monitor) {}

  Result<Plan> plan() {
    if (m_edited.canonical)
      for (const tar::Item& item : m_layout.items)
        if (item.sharedHeaders.size > 0)
          return archiveError("the header at " + hexText(item.sharedHeaders.offset) +
                              " describes all members after it, so they cannot be sorted");
    std::size_t next = 0; // of the items whose shared headers are not copied yet
    for (const edit::EditedMember& member : m_edited.members) {
      if (++m_count % 1'024 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      m_monitor.progress("planning the members", m_count, m_edited.members.size());
      if (!member.origin) {
        add(member);
        continue;
      }
      for (; next <= *member.origin; ++next) copy(m_layout.items[next].sharedHeaders);
      keep(member, m_layout.items[*member.origin]);
    }
    for (; next < m_layout.items.size(); ++next) copy(m_layout.items[next].sharedHeaders);
    for (const std::size_t index : m_edited.removed)
      step("Remove member " + shownName(m_edited.package->members[index].name), std::nullopt,
           m_layout.items[index].whole.size, "with its headers");
    end();
    return finish();
  }

private:
  void step(std::string what, std::optional<uint64_t> offset, std::optional<uint64_t> size, std::string why) {
    if (m_steps.size() < kListedSteps)
      m_steps.push_back({std::move(what), offset, size, std::move(why)});
    else
      ++m_leftOut;
  }
  /// Copies bytes of the archive, which may be at another place in the output.
  void copy(Extent extent) {
    if (extent.size == 0) return;
    if (extent.offset != m_builder.position()) {
      if (!m_moved.empty() && m_moved.back().end() == m_builder.position())
        m_moved.back().size += extent.size;
      else
        m_moved.push_back({m_builder.position(), extent.size});
    }
    m_builder.input(extent);
    addRange(m_after, PlanRange::Kind::Other, extent.size);
  }
  void write(const std::string& text, const std::string& why) {
    m_builder.literal(Bytes::copyOf(text), why);
    addRange(m_after, PlanRange::Kind::Member, text.size());
  }

  void add(const edit::EditedMember& member) {
    const tar::Item* model = nullptr;
    for (const tar::Item& item : m_layout.items)
      if (item.type == '0' || item.type == '\0') {
        model = &item;
        if (library::normalisedPath(item.path) == "metadata.json") break;
      }
    std::string header = model ? std::string(m_text.substr(model->header, kBlock)) : plainHeader('0');
    header[kTypeField] = '0';
    setField(header, kLinkField, 100, {});
    if (m_edited.canonical) header = canonical(std::move(header), '0');
    const uint64_t at = m_builder.position(), size = member.content->size();
    const std::string before = pathHeader(member.path, header);
    write(before + tar::withSize(named(std::move(header), member.path), size), "headers of an added member");
    content(*member.content, "added member");
    step("Add member " + shownName(member.path), at, m_builder.position() - at,
         std::string(model ? "its header copies mode, owner and time of " + shownName(model->path)
                           : "with mode 0644, owner root and time 0") +
             (before.empty() ? "" : "; an extended header stores its path"));
  }
  void content(const Bytes& bytes, const std::string& why) {
    m_builder.literal(bytes, why);
    addRange(m_after, PlanRange::Kind::Member, bytes.size());
    const std::string padding = paddingFor(bytes.size());
    if (!padding.empty()) write(padding, "padding");
  }

  /// Adds a member of the archive, byte for byte where edits do not change it.
  void keep(const edit::EditedMember& member, const tar::Item& item) {
    if (!member.renamed && !member.content && !rewritesHeader(item)) {
      ++m_copied;
      return copy(item.whole);
    }
    const std::string headers = headersOf(member, item);
    const Extent old{item.whole.offset, item.content.offset - item.whole.offset};
    const uint64_t at = m_builder.position();
    const bool sameHeaders = headers == m_text.substr(old.offset, old.size);
    if (sameHeaders)
      copy(old);
    else
      write(headers, "headers of a member");
    if (member.content)
      content(*member.content, "content of a member");
    else
      copy({item.content.offset, item.whole.end() - item.content.offset});
    describe(member, item, at, sameHeaders);
  }
  void describe(const edit::EditedMember& member, const tar::Item& item, uint64_t at, bool sameHeaders) {
    const std::string name = shownName(m_edited.package->members[*member.origin].name);
    const uint64_t size = m_builder.position() - at;
    if (member.renamed)
      step("Rename member " + name, at, size,
           "to " + shownName(member.path) +
               (needsHeader(member.path, m_text.substr(item.header, kBlock)) ? ", in an extended header" : ""));
    if (member.content)
      step("Replace member " + name, at, size,
           sameHeaders ? "it has the size of the old one" : "its header gets the new size");
    if (member.renamed || member.content) return;
    if (sameHeaders)
      ++m_copied;
    else
      ++m_rewritten;
  }

  /// Whether the archive's edits may change the headers of a member.
  bool rewritesHeader(const tar::Item& item) const {
    return m_edited.canonical || m_edited.owners || (m_edited.modes && hasUnusualMode(item));
  }
  /// Whether a mode has set-user-ID, set-group-ID or sticky bits, or is that of a file that its owner cannot read.
  bool hasUnusualMode(const tar::Item& item) const {
    const auto mode = container::readTarNumber(m_text.substr(item.header + kModeField, 8));
    const bool isFile = item.type == '0' || item.type == '\0';
    return mode && ((mode->value & 07000) != 0 || (isFile && (mode->value & 0400) == 0));
  }

  /// Returns all headers of a member after its edits.
  std::string headersOf(const edit::EditedMember& member, const tar::Item& item) const {
    std::string header(m_text.substr(item.header, kBlock));
    bool needsPath = member.renamed && needsHeader(member.path, header);
    std::string before;
    for (const tar::Describing& one : item.describing) {
      const std::string_view text = m_text.substr(one.content.offset, one.content.size);
      const std::string head(m_text.substr(one.header, kBlock));
      if (one.type == 'L' && member.renamed) continue;
      if (one.type != 'x' && one.type != 'X') {
        before += head + std::string(text) + paddingFor(text.size());
        continue;
      }
      std::vector<tar::PaxRecord> records;
      const std::optional<std::vector<tar::PaxRecord>> stored = tar::readPax(text);
      for (const tar::PaxRecord& record : stored ? *stored : records) {
        const bool path = record.key == "path", sized = record.key == "size";
        if (path && member.renamed) continue;
        if (m_edited.owners &&
            (record.key == "uid" || record.key == "gid" || record.key == "uname" || record.key == "gname"))
          continue;
        if (m_edited.canonical && !path && !sized && record.key != "linkpath" && !record.key.starts_with("GNU.sparse."))
          continue;
        records.push_back(record);
        if (sized && member.content) records.back() = {"size", std::to_string(member.content->size())};
      }
      if (needsPath && !isGnu(header)) {
        records.push_back({"path", member.path});
        needsPath = false;
      }
      if (records.empty()) continue;
      const std::string newText = tar::paxText(records);
      before += tar::withSize(m_edited.canonical ? canonical(head, one.type) : head, newText.size()) + newText +
                paddingFor(newText.size());
    }
    if (needsPath) before = pathHeader(member.path, header) + before;
    // Blocks between the header and the content belong to a sparse file.
    const std::string map(m_text.substr(item.header + kBlock, item.content.offset - item.header - kBlock));
    if (member.renamed) header = named(std::move(header), member.path);
    if (m_edited.canonical) header = canonical(std::move(header), item.type);
    if (m_edited.owners) setOwner(header, "root");
    if (m_edited.modes && hasUnusualMode(item))
      setField(header, kModeField, 8, item.type == '5' ? "0000755" : "0000644");
    return before +
           (member.content ? tar::withSize(std::move(header), member.content->size())
                           : tar::withChecksum(std::move(header))) +
           map;
  }
  /// Returns the header with the owner, time and mode that TVM's exporter writes, without checksum.
  static std::string canonical(std::string header, char type) {
    if (type == '5') setField(header, kModeField, 8, "0000755");
    if (type == '0' || type == '\0') setField(header, kModeField, 8, "0000644");
    setField(header, kTimeField, 12, "00000000000");
    setOwner(header, type == 'x' || type == 'X' ? "" : "root");
    return header;
  }
  static void setOwner(std::string& header, std::string_view name) {
    setField(header, kUidField, 8, "0000000");
    setField(header, kGidField, 8, "0000000");
    setField(header, kOwnerField, 32, name);
    setField(header, kGroupField, 32, name);
  }

  /// Adds the end of the archive: as it is, or filled up as tar and Python do.
  void end() {
    const Extent old = m_layout.end;
    const std::string_view text = m_text.substr(old.offset, old.size);
    const bool zeros = text.find_first_not_of('\0') == std::string_view::npos;
    const bool filled = zeros && old.size >= 2 * kBlock && m_text.size() % tar::kRecord == 0;
    const uint64_t at = m_builder.position();
    const uint64_t size = at + 2 * kBlock;
    const uint64_t wanted = (size + tar::kRecord - 1) / tar::kRecord * tar::kRecord - at;
    const bool same = !m_edited.endMarker && (!filled || at == old.offset);
    if (same || (zeros && old.size == wanted)) return copy(old);
    if (m_edited.endMarker)
      step("Write the end marker", at, wanted, "two blocks of zeros, filled up to a multiple of 10 KiB");
    m_builder.zeros(wanted, "end of the archive");
    addRange(m_after, PlanRange::Kind::Other, wanted);
  }

  Plan finish() {
    if (m_rewritten > 0)
      step("Rewrite the headers of " + countText(m_rewritten, "member"), std::nullopt, std::nullopt,
           m_edited.canonical ? "owner 0, time 0, and mode 0755 or 0644, as TVM writes them"
           : m_edited.owners  ? "owner root with the number 0"
                              : "mode 0755 or 0644");
    const bool sorted =
        std::is_sorted(m_edited.members.begin(), m_edited.members.end(),
                       [](const auto& a, const auto& b) { return a.origin && b.origin && *a.origin < *b.origin; });
    if (m_edited.canonical && !sorted)
      step("Sort the members", std::nullopt, std::nullopt, "by name within each folder, as TVM writes them");
    if (m_leftOut > 0)
      m_steps.push_back({"Further steps", std::nullopt, std::nullopt, countText(m_leftOut, "step") + " not listed"});
    if (m_copied > 0)
      m_builder.step("Copy " + countText(m_copied, "member"), std::nullopt, std::nullopt,
                     "with headers and in order, byte for byte");
    for (Step& one : m_steps) m_builder.step(std::move(one.what), one.offset, one.size, std::move(one.why));
    Plan plan = m_builder.take({Strategy::Members});
    addMoved(plan, std::move(m_moved));
    plan.after = std::move(m_after);
    plan.before = before();
    return plan;
  }
  /// Returns the ranges of the archive as opened: the members that change, and the rest.
  std::vector<PlanRange> before() const {
    std::vector<bool> changed(m_layout.items.size(), false);
    for (const std::size_t index : m_edited.removed) changed[index] = true;
    for (const edit::EditedMember& member : m_edited.members)
      if (member.origin)
        changed[*member.origin] = member.renamed || member.content || rewritesHeader(m_layout.items[*member.origin]);
    std::vector<PlanRange> out;
    uint64_t done = 0;
    for (std::size_t i = 0; i < changed.size(); ++i) {
      const Extent whole = m_layout.items[i].whole;
      addRange(out, PlanRange::Kind::Other, whole.offset - done);
      addRange(out, changed[i] ? PlanRange::Kind::Member : PlanRange::Kind::Other, whole.size);
      done = whole.end();
    }
    addRange(out, PlanRange::Kind::Other, m_text.size() - done);
    return out;
  }

  std::string_view m_text;
  const tar::Layout& m_layout;
  const edit::EditedArchive& m_edited;
  Monitor& m_monitor;
  PlanBuilder m_builder;
  std::vector<Step> m_steps;
  std::vector<Extent> m_moved;
  std::vector<PlanRange> m_after;
  uint64_t m_count = 0, m_copied = 0, m_rewritten = 0, m_leftOut = 0;
};

/// Refuses an archive of which the two readers do not list the same members, and one that keeps a damaged member.
Result<Done> checkMembers(const container::Image& image, const tar::Layout& layout, const edit::EditedArchive& edited) {
  const auto plain = [](std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    return path.substr(0, limits::kMemberName);
  };
  if (image.members.size() != layout.items.size())
    return archiveError("it has " + countText(layout.items.size(), "header") + " of members, but " +
                        std::to_string(image.members.size()) + " could be read; it is damaged");
  for (std::size_t i = 0; i < layout.items.size(); ++i)
    if (plain(image.members[i].path) != plain(layout.items[i].path))
      return archiveError("the path of member " + shownName(layout.items[i].path) + " is stored in an unusual way");
  for (const edit::EditedMember& member : edited.members) {
    const container::Member* const stored = member.origin && !member.content ? &image.members[*member.origin] : nullptr;
    if (stored && stored->type == container::Member::Type::File && !stored->note.empty())
      return archiveError("member " + shownName(stored->path) + " is damaged: " + stored->note);
  }
  return Done{};
}

} // namespace

Result<Plan> planTarMembers(const Bytes& archive, const container::Image& image, const edit::EditedArchive& edited,
                            Monitor& monitor) {
  BLOBSCOPE_TRY(layout, tar::readLayout(archive.view(), monitor));
  BLOBSCOPE_CHECK(checkMembers(image, layout, edited));
  return TarPlanner(archive, layout, edited, monitor).plan();
}

} // namespace blobscope::write
