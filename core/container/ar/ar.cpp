#include "core/container/ar/ar.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/container/ar/file.h"
#include "core/container/coff/coff.h"

namespace blobscope::container {
namespace {

class ArReader {
public:
  ArReader(const Bytes& file, const BudgetPtr& budget, Monitor& monitor)
      : m_file(file), m_text(file.view()), m_budget(budget), m_monitor(monitor) {}

  Result<Image> read() {
    m_image.file = m_file;
    m_image.format = Format::Ar;
    m_image.kind = Kind::Archive;
    m_image.charge = std::make_shared<Charge>(m_budget);
    const bool thin = m_text.starts_with(ar::kThinMagic);
    for (uint64_t at = ar::kMagic.size(); at < m_text.size();) {
      if (m_image.members.size() % 4'096 == 0) {
        if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        m_monitor.progress("reading the archive", at, m_text.size());
      }
      if (m_image.members.size() >= limits::kMembers) {
        note(DiagnosticId::FileLimit, at,
             {arg("what", "members"), arg("count", m_image.members.size() + 1), arg("limit", limits::kMembers)});
        break;
      }
      const auto next = member(at, thin);
      if (!next) break;
      at = *next + (*next & 1); // members begin at even offsets
    }
    return std::move(m_image);
  }

private:
  void note(Diagnostic diagnostic) {
    if (m_image.diagnostics.size() <= limits::kDiagnostics) m_image.diagnostics.push_back(std::move(diagnostic));
  }
  void note(DiagnosticId id, uint64_t at, std::vector<Argument> arguments) {
    note({id, Ref::bytesAt(at), std::move(arguments)});
  }
  std::optional<uint64_t> bad(uint64_t at, const std::string& reason) {
    note(DiagnosticId::FileTable, at, {arg("table", "archive from " + hexText(at) + " on"), arg("reason", reason)});
    return std::nullopt;
  }

  /// Reads the member whose header is at `at`; returns the offset of the next one.
  std::optional<uint64_t> member(uint64_t at, bool thin) {
    const auto header = ar::readHeader(m_text, at);
    if (!header)
      return bad(at,
                 "a member header takes 60 bytes, but the archive ends after " + countText(m_text.size() - at, "byte"));
    if (!header->isMarked) return bad(at, "no member header begins there");
    if (!header->size) return bad(at, "the size of the member is not a number");
    const std::string_view name = header->name;
    const bool isTable = ar::isSymbolTable(name) || name == "//" || name == "/<ECSYMBOLS>/";
    uint64_t begin = header->contentAt();
    const bool inside = !thin || isTable;
    uint64_t size = inside ? *header->size : 0;
    if (size > m_text.size() - begin) {
      note(DiagnosticId::FilePart, at,
           {{"what", "member '" + escapedWithin(name, 200) + "'"},
            hexArg("at", begin),
            arg("size", size),
            arg("file", m_text.size())});
      size = m_text.size() - begin;
    }
    const uint64_t end = begin + size;
    if (name == "//") m_names = m_text.substr(begin, size);
    if (isTable) return end;

    std::string_view path;
    if (name.starts_with("#1/")) { // BSD: the name is before the bytes, padded with NUL
      const auto longName = ar::readLongName(m_text, *header, size);
      if (!longName) return bad(at, "the name of the member is longer than the member");
      path = longName->text;
      begin += longName->size;
      size -= longName->size;
      if (path.starts_with("__.SYMDEF")) return end;
    } else if (name.size() > 1 && name[0] == '/' && name[1] >= '0' && name[1] <= '9') { // GNU, COFF: in the table "//"
      path = nameInTable(at, name);
    } else {
      path = name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
    }
    return add(at, path, inside ? std::optional(Extent{begin, size}) : std::nullopt) ? std::optional(end)
                                                                                     : std::nullopt;
  }

  /// The long name that "/18" stands for; the text itself when the table does not contain it, which is reported. `at`:
  /// offset of the header.
  std::string_view nameInTable(uint64_t at, std::string_view name) {
    const uint64_t place = ar::parseDecimal(name.substr(1)).value_or(UINT64_MAX);
    if (place >= m_names.size()) {
      note(DiagnosticId::FileTable, at,
           {arg("table", "name of a member"), arg("reason", "its offset is outside the table of long names")});
      return name;
    }
    // Thousands of members may share one name of megabytes, so no more of it is read than a name may have.
    std::string_view head = m_names.substr(place).substr(0, limits::kMemberName + 2);
    head = head.substr(0, head.find_first_of(std::string_view("\n\0", 2)));
    if (head.ends_with('/')) head.remove_suffix(1);
    return head;
  }

  /// `content`: the place of its bytes, nothing in a thin archive. Returns false, and reports it, when the budget is
  /// used up.
  bool add(uint64_t at, std::string_view path, std::optional<Extent> content) {
    Member made;
    made.path = path.substr(0, limits::kMemberName);
    const uint64_t cost = sizeof(Member) + made.path.size();
    if (!m_image.charge->add(cost)) {
      note(m_budget->memoryExceeded("of members", cost, Ref::bytesAt(at)));
      return false;
    }
    if (made.path.size() < path.size()) {
      made.type = Member::Type::Other;
      made.note = kLongName;
      note(longMemberName(path));
    } else if (content) {
      made.bytes = Bytes(m_file.owner(), m_file.slice(content->offset, content->size).span(), 0);
      made.note = importText(made.bytes.view()); // all members of an import library have the library's name
    } else {
      made.type = Member::Type::Link;
      made.note = "a thin archive only names its files";
    }
    m_image.members.push_back(std::move(made));
    return true;
  }

  const Bytes& m_file;
  std::string_view m_text;
  const BudgetPtr& m_budget;
  Monitor& m_monitor;
  std::string_view m_names;
  Image m_image;
};

} // namespace

bool looksLikeAr(std::string_view head) { return head.starts_with(ar::kMagic) || head.starts_with(ar::kThinMagic); }

Result<Image> readAr(const Bytes& file, const BudgetPtr& budget, Monitor& monitor) {
  return ArReader(file, budget, monitor).read();
}

} // namespace blobscope::container
