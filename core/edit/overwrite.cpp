#include "core/edit/overwrite.h"

#include "core/base/text.h"
#include "core/edit/module_draft.h"
#include "core/edit/preview.h"
#include "core/library/node.h"
#include "core/library/resolve.h"

#include <algorithm>

namespace blobscope::edit {
namespace {

/// Returns the number of bytes at the start of a row that are a length or a count.
uint64_t headSize(const Field& field) {
  switch (field.type) {
  case FieldType::String:
  case FieldType::Sized:
  case FieldType::Words:
  case FieldType::Words64:
  case FieldType::List: return std::min<uint64_t>(8, field.size);
  case FieldType::Data: return field.size == field.number + 8 ? 8 : 0;
  default: return field.role == FieldRole::Length ? field.size : 0;
  }
}

bool overlap(Extent a, Extent b) { return a.offset < b.end() && b.offset < a.end(); }

/// Returns where the payload begins in the (member) file; nothing when it is not stored there in one piece.
std::optional<uint64_t> startOf(const library::Package& member, const library::Module& module) {
  return module.payload.empty() ? std::nullopt : library::placeIn(member, module.payload);
}

Error outside(const library::Package& member, const Ref& ref, uint64_t size) {
  const Extent wanted{*ref.at, size};
  const bool inBlob = std::ranges::any_of(member.blobs, [&](const auto& blob) {
    const auto start = library::placeIn(member, blob->bytes);
    return start && overlap(wanted, {*start, blob->bytes.size()});
  });
  if (*ref.at >= member.bytes.size() || member.bytes.size() - *ref.at < size)
    return cannotEdit(ref, "the file has only " + sizeText(member.bytes.size()));
  return cannotEdit(ref, inBlob ? "it is not inside the payload of one module; keys, lengths and the import tree are "
                                  "written by a repack, and other edits change them"
                                : "it is outside of the modules; a repack keeps host code, tables and headers as they "
                                  "are");
}

} // namespace

Result<PayloadBytes> findPayloadBytes(const library::Package& package, const Ref& ref, uint64_t size) {
  if (!ref.parts.empty() || (ref.kind != Ref::Kind::Module && ref.kind != Ref::Kind::File))
    return cannotEdit(ref, "name the module and an offset in the file, as in m1@0x1000, or only the offset");
  BLOBSCOPE_TRY(member, library::memberIn(package, ref));
  const Extent wanted{*ref.at, size};
  const auto within = [&](const library::Module& module) -> std::optional<Extent> {
    const auto start = startOf(*member, module);
    if (!start || !Extent{*start, module.payload.size()}.contains(wanted)) return std::nullopt;
    return Extent{wanted.offset - *start, size};
  };
  if (ref.kind == Ref::Kind::Module) {
    BLOBSCOPE_TRY(found, library::resolve(package, ref));
    const library::Module& module = *found.module;
    if (!startOf(*member, module))
      return cannotEdit(ref, module.payload.empty()
                                 ? "the module has no payload"
                                 : "the payload is not stored in one piece in the file; set or replace its fields");
    if (const auto bytes = within(module)) return PayloadBytes{found.ref.node(), *bytes};
    return cannotEdit(ref, "the payload of the module is at " + hexText(*startOf(*member, module)) + " + " +
                               groupedText(module.payload.size()));
  }
  for (const auto& blob : member->blobs)
    for (std::size_t i = 0; i < blob->modules.size(); ++i)
      if (const auto bytes = within(*blob->modules[i]))
        return PayloadBytes{blob->moduleRef(static_cast<uint32_t>(i)), *bytes};
  return outside(*member, ref, size);
}

void forEachLeaf(const FieldTree& tree, Extent bytes, const std::function<void(uint32_t, Extent)>& visit) {
  for (uint32_t row = 0; row < tree.rows.size();) {
    const Field& field = tree.rows[row];
    if (!overlap({field.offset, field.size}, bytes)) {
      row = field.after;
      continue;
    }
    const uint64_t head = std::min(headSize(field), field.size);
    if (field.after == row + 1) visit(row, {field.offset + head, field.size - head});
    ++row;
  }
}

std::optional<std::string> whyNotOverwritten(const FieldTree& tree, Extent bytes) {
  for (uint32_t row = 0; row < tree.rows.size();) {
    const Field& field = tree.rows[row];
    if (!overlap({field.offset, field.size}, bytes)) {
      row = field.after;
      continue;
    }
    if (const uint64_t head = headSize(field); head > 0 && overlap({field.offset, head}, bytes))
      return "the length or count of '" + tree.shownPath(row) +
             "' decides where the fields after it are; set or replace the field instead";
    ++row;
  }
  return std::nullopt;
}

Result<Replace> overwriteShown(const library::PackagePtr& opened, const library::PackagePtr& preview,
                               const Applied& applied, std::span<const Edit> edits, const Ref& module, uint64_t offset,
                               const Bytes& content) {
  // --- 1. The module in both states. ---
  BLOBSCOPE_TRY(shown, library::resolve(*preview, module));
  BLOBSCOPE_TRY(target, toOpenedTarget(preview, applied, edits, shown.ref.node()));
  if (!target.id.empty())
    return cannotEdit(module, "an edit added the module; undo it and change the file that it was read from");
  BLOBSCOPE_TRY(before, library::resolve(*opened, target.ref));
  const auto start = startOf(*before.package, *before.module);
  if (!start)
    return cannotEdit(module, "the payload is not stored in one piece in the file; set or replace its fields");

  // --- 2. The place as opened: the same field, which may have moved. ---
  uint64_t place = offset;
  if (shown.module->payload.data() != before.module->payload.data()) {
    const auto shownTree = library::treeOf(*shown.module), tree = library::treeOf(*before.module);
    const auto row = shownTree->rowAt(offset);
    const Error moved = cannotEdit(module, "an edit changed the size of the field there; undo it first, or replace the "
                                           "field");
    if (row) {
      const Ref field = shown.ref.node().part(PartKind::Field, shownTree->path(*row));
      BLOBSCOPE_TRY(original, toOpenedTarget(preview, applied, edits, field));
      const auto old = original.ref.parts.empty() ? std::nullopt : tree->find(original.ref.parts.front().name);
      if (!old || tree->rows[*old].size != shownTree->rows[*row].size) return moved;
      place = tree->rows[*old].offset + (offset - shownTree->rows[*row].offset);
    } else if (shown.module->payload.size() != before.module->payload.size()) {
      return moved;
    }
  }
  if (place > before.module->payload.size() || before.module->payload.size() - place < content.size())
    return cannotEdit(module, "the payload ends before");
  Replace out{{target.ref.node().withBytes(*start + place, content.size()), {}}, {{}, content}};
  out.was = before.module->payload.slice(place, content.size());
  return out;
}

namespace {

/// `move` changes an offset, given the start of the payload; false when that is not possible.
void moveOffsets(const library::Package& package, std::vector<Edit>& edits,
                 const std::function<bool(uint64_t& offset, uint64_t start)>& move) {
  std::erase_if(edits, [&](Edit& edit) {
    auto* const replace = std::get_if<Replace>(&edit);
    if (!replace || !isOverwrite(*replace)) return false;
    Ref& ref = replace->target.ref;
    if (ref.kind == Ref::Kind::File) {
      const auto found = findPayloadBytes(package, ref, ref.size.value_or(1));
      if (!found) return true;
      ref = found->module.withBytes(*ref.at, ref.size);
    }
    const auto found = library::resolve(package, ref);
    const auto start = found ? startOf(*found->package, *found->module) : std::nullopt;
    return !start || !move(*ref.at, *start);
  });
}

} // namespace

void toPayloadOffsets(const library::Package& package, std::vector<Edit>& edits) {
  moveOffsets(package, edits, [](uint64_t& offset, uint64_t start) {
    if (offset < start) return false;
    offset -= start;
    return true;
  });
}

void toFileOffsets(const library::Package& package, std::vector<Edit>& edits) {
  moveOffsets(package, edits, [](uint64_t& offset, uint64_t start) {
    if (offset > UINT64_MAX - start) return false;
    offset += start;
    return true;
  });
}

std::string shortHex(const Bytes& bytes) {
  constexpr uint64_t kShown = 8;
  std::string out;
  for (uint64_t i = 0; i < std::min(bytes.size(), kShown); ++i)
    out += (i == 0 ? "" : " ") + hexDigits(bytes.slice(i, 1).view());
  return bytes.size() > kShown ? out + " …" : out;
}

std::optional<Replace> joinOverwrites(const Replace& earlier, const Replace& later) {
  const bool fit = isOverwrite(earlier) && isOverwrite(later) && earlier.target.id == later.target.id &&
                   earlier.target.ref.node() == later.target.ref.node() && earlier.content.file.empty() &&
                   later.content.file.empty() && earlier.was && later.was &&
                   earlier.was->size() == earlier.content.bytes.size() &&
                   later.was->size() == later.content.bytes.size();
  if (!fit) return std::nullopt;
  const uint64_t first = *earlier.target.ref.at, second = *later.target.ref.at;
  const uint64_t firstEnd = first + earlier.was->size(), secondEnd = second + later.was->size();
  if (second > firstEnd || first > secondEnd) return std::nullopt;
  const uint64_t from = std::min(first, second), to = std::max(firstEnd, secondEnd);
  if (to - from > kOverwriteMerged) return std::nullopt;
  std::string content(to - from, '\0'), was(to - from, '\0');
  for (const Replace* const one : {&earlier, &later}) {
    const uint64_t at = *one->target.ref.at - from;
    content.replace(at, one->content.bytes.size(), one->content.bytes.view());
    was.replace(at, one->was->size(), one->was->view()); // of the file, so both say the same where they overlap
  }
  Replace out{{earlier.target.ref.node().withBytes(from, to - from), {}}, {{}, Bytes::copyOf(content)}};
  out.was = Bytes::copyOf(was);
  return out;
}

} // namespace blobscope::edit
