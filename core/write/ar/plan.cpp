#include "core/base/text.h"
#include "core/container/ar/file.h"
#include "core/container/number_at.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write {
namespace {

using container::numberAt;
namespace ar = container::ar;

constexpr uint64_t kMostBytes = 9'999'999'999; ///< ten decimal digits
constexpr uint64_t kDarwinAlignment = 8;

/// A table with the offset of the defining member per symbol.
struct SymbolMap {
  uint64_t at = 0; ///< offset of the first entry in the archive
  uint64_t count = 0;
  uint64_t stride = 4; ///< size of an entry in bytes; the entry ends with the member offset
  unsigned size = 4;   ///< size of a member offset in bytes
  bool bigEndian = true;
};

/// Returns the table of member offsets in the symbol table with the content `text`, which is at `at` in the archive.
/// `name`: the name of the member. `number`: the number of members "/" before it. Nothing when it has another form.
/// Source: System V ABI (ar.h), 4.4BSD ranlib.h, Apple mach-o/ranlib.h (ranlib_64), Microsoft "PE Format", first and
/// second linker member.
std::optional<SymbolMap> tableOf(std::string_view name, std::string_view text, uint64_t at, unsigned number) {
  const auto fits = [&](const SymbolMap& table) {
    return text.size() >= table.size && table.count <= (text.size() - table.size) / table.stride;
  };
  SymbolMap table;
  if (name == "/" && number == 0) {
    table = {at + 4, numberAt(text, 0, 4, true), 4, 4, true};
  } else if (name == "/") {
    table = {at + 4, numberAt(text, 0, 4, false), 4, 4, false};
  } else if (name == "/SYM64/") {
    table = {at + 8, numberAt(text, 0, 8, true), 8, 8, true};
  } else {
    // Pairs of string offset and member offset, after their size in bytes, in the byte order of the objects.
    const unsigned size = name.starts_with("__.SYMDEF_64") ? 8 : 4;
    for (const bool bigEndian : {false, true}) {
      table = {at + size, numberAt(text, 0, size, bigEndian) / (2 * size), 2 * size, size, bigEndian};
      if (fits(table)) break;
    }
  }
  if (table.count == 0) return table;
  return fits(table) ? std::optional(table) : std::nullopt;
}

/// Returns the number of bytes at the end of a member of a Darwin archive that are padding, although they count as
/// content: line ends. A text keeps its own line ends.
uint64_t paddingIn(std::string_view content) {
  const bool text = content.substr(0, 512).find('\0') == std::string_view::npos;
  const std::size_t last = content.find_last_not_of('\n');
  const uint64_t ends = last == std::string_view::npos ? 0 : content.size() - 1 - last, own = text ? 1 : 0;
  return std::min(ends - std::min(ends, own), kDarwinAlignment - 1);
}

/// Removes the last `size` bytes of a plan's output when they are the last bytes of its input, whose size is
/// `inputSize`.
void cutPadding(Plan& plan, uint64_t size, uint64_t inputSize) {
  if (plan.parts.empty() || plan.parts.back().from != Part::From::Input) return;
  const Extent last = plan.parts.back().input;
  if (last.end() != inputSize || last.size < size) return;
  cutOutput(plan, plan.size() - size);
  const uint64_t end = plan.size();
  while (!plan.changes.empty() && plan.changes.back().offset >= end) plan.changes.pop_back();
  if (!plan.changes.empty())
    plan.changes.back().size = std::min(plan.changes.back().size, end - plan.changes.back().offset);
}

/// A symbol table in the archive.
struct SymbolTable {
  std::string name;
  Extent content;
  unsigned number; ///< number of members "/" before it
};

/// The header of a member, and the symbol tables before it, which depend on its size.
struct MemberHeader {
  uint64_t at = 0, end = 0; ///< start of the header, end of the content
  uint64_t nameSize = 0;    ///< size of a name that precedes the content
  bool aligned = true;      ///< whether the sizes of all members are multiples of 8 bytes
  std::vector<SymbolTable> tables;
};

/// `place`: the place of the member's content without a name.
Result<MemberHeader> findHeader(std::string_view text, const container::Member& member, Extent place) {
  MemberHeader out;
  unsigned slashes = 0;
  for (uint64_t at = ar::kMagic.size(); at < text.size();) {
    const bool isAfter = at > place.offset;
    const auto header = ar::readHeader(text, at);
    if (!header) {
      if (isAfter) break;
      return archiveError("its headers are damaged");
    }
    const uint64_t begin = header->contentAt();
    if (!header->size || *header->size > text.size() - begin) {
      if (isAfter) break; // the rest is copied unchanged
      return archiveError("the member at " + hexText(at) + " is truncated");
    }
    const uint64_t size = *header->size;
    const auto longName = ar::readLongName(text, *header, size);
    if (!longName && isAfter) break;
    if (!longName) return archiveError("the member at " + hexText(at) + " is damaged");
    const std::string_view name = header->name.starts_with("#1/") ? longName->text : header->name;
    if (begin + longName->size == place.offset) {
      out.at = at;
      out.nameSize = longName->size;
      out.end = begin + size;
    }
    const bool isTable = ar::isSymbolTable(name);
    if (isTable && !isAfter)
      out.tables.push_back(
          {std::string(name), {begin + longName->size, size - longName->size}, name == "/" ? slashes++ : 0});
    out.aligned = out.aligned && (isTable || size % kDarwinAlignment == 0);
    at = begin + size + ((begin + size) & 1);
  }
  if (out.at == 0 || place.end() != out.end)
    return archiveError("the header of member '" + escaped(member.path) + "' is not found");
  return out;
}

/// Returns the offset of the entries of a symbol table, and the entries after the members after `headerAt` moved by
/// `shift` (modulo 2⁶⁴); empty when there are none.
Result<std::pair<uint64_t, std::string>> movedTable(std::string_view text, const SymbolTable& found, uint64_t headerAt,
                                                    uint64_t shift) {
  const std::string_view content = text.substr(found.content.offset, found.content.size);
  const auto table = tableOf(found.name, content, found.content.offset, found.number);
  if (!table) return archiveError("its symbol table at " + hexText(found.content.offset) + " has an unknown format");
  if (table->count == 0) return std::pair<uint64_t, std::string>();
  std::string newEntries(text.substr(table->at, table->count * table->stride));
  for (uint64_t i = 0; i < table->count; ++i) {
    const uint64_t at = (i + 1) * table->stride - table->size;
    const uint64_t value = numberAt(newEntries, at, table->size, table->bigEndian);
    if (value <= headerAt) continue;
    const uint64_t moved = value + shift;
    if (table->size == 4 && moved > UINT32_MAX) return sizeError(moved, UINT32_MAX);
    newEntries.replace(at, table->size, numberText(moved, table->size, table->bigEndian));
  }
  return std::pair(table->at, std::move(newEntries));
}

} // namespace

Result<Plan> planArMember(const Bytes& archive, const container::Member& member, Plan inner) {
  const std::string_view text = archive.view();
  if (text.starts_with(ar::kThinMagic)) return Error(DiagnosticId::PlanThin, {arg("member", member.path)});
  const auto place = placeIn(archive, member.bytes);
  if (!place) return archiveError("member '" + escaped(member.path) + "' is not stored in it unchanged");

  BLOBSCOPE_TRY(header, findHeader(text, member, *place));

  // --- 1. The new size. Darwin's tools count the padding to 8 bytes as content, for every member. ---
  const bool darwin = header.nameSize > 0 && header.aligned;
  if (darwin && inner.size() != place->size) cutPadding(inner, paddingIn(member.bytes.view()), place->size);
  const uint64_t newContent = inner.size();
  const uint64_t inside =
      darwin ? (kDarwinAlignment - (header.nameSize + newContent) % kDarwinAlignment) % kDarwinAlignment : 0;
  const uint64_t stored = header.nameSize + newContent + inside, newEnd = header.at + ar::kHeaderSize + stored;
  if (stored > kMostBytes) return sizeError(stored, kMostBytes);
  const uint64_t oldNext = std::min<uint64_t>(header.end + (header.end & 1), text.size()),
                 newNext = newEnd + (newEnd & 1);

  // --- 2. The plan. ---
  MemberBuilder builder(archive, place, std::move(inner));
  if (newNext != oldNext)
    for (const SymbolTable& found : header.tables) {
      BLOBSCOPE_TRY(newEntries, movedTable(text, found, header.at, newNext - oldNext));
      if (!newEntries.second.empty())
        builder.replace(newEntries.first, newEntries.second, "symbol table of the archive");
    }
  std::string size = std::to_string(stored);
  size.resize(ar::kSizeDigits, ' ');
  builder.replace(header.at + ar::kSizeField, size, "size of the member");
  builder.member();
  builder.literal(std::string(inside, '\n'), "padding");
  const char filler = header.end < oldNext ? text[header.end] : '\n';
  if (oldNext - header.end == newNext - newEnd) {
    builder.upTo(oldNext);
  } else {
    builder.skip(oldNext - header.end);
    builder.literal(std::string(newNext - newEnd, filler), "padding");
  }
  return builder.take();
}

} // namespace blobscope::write
