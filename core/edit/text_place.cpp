#include "core/edit/text_place.h"

#include "core/edit/archive/archive_draft.h"
#include "core/edit/rules.h"
#include "core/library/node.h"
#include "core/library/resolve.h"

#include <functional>

namespace blobscope::edit {
namespace {

/// Returns the place of `text` in the bytes of `target`; nothing when they do not contain it.
std::optional<TextPlace> placeWithin(const Ref& target, const Bytes& whole, const Bytes& text) {
  const std::less_equal<const std::byte*> notAfter;
  if (text.size() > whole.size() || !notAfter(whole.data(), text.data()) ||
      !notAfter(text.data() + text.size(), whole.data() + whole.size()))
    return std::nullopt;
  const auto offset = static_cast<uint64_t>(text.data() - whole.data());
  return TextPlace{target, whole.slice(0, offset), whole.slice(offset + text.size())};
}

} // namespace

Result<std::optional<TextPlace>> findTextPlace(const library::Package& package, const Ref& node, const Bytes& text,
                                               Monitor& monitor) {
  if (text.empty() || canEdit(package, node, Operation::EditText)) return std::optional<TextPlace>();
  if (asMember(node)) {
    BLOBSCOPE_TRY(member, library::findNode(package, node, monitor));
    return member.bytes ? placeWithin(node, *member.bytes, text) : std::nullopt;
  }
  if (node.partKind() == PartKind::Kernel) {
    BLOBSCOPE_TRY(kernel, library::findNode(package, node, monitor));
    if (kernel.bytes)
      if (auto place = placeWithin(node, *kernel.bytes, text)) return place;
  }
  BLOBSCOPE_TRY(found, library::resolve(package, node));
  const auto tree = found.module ? library::treeOf(*found.module) : nullptr;
  Ref module = node;
  module.parts.clear();
  for (uint32_t row = 0; tree && row < tree->rows.size(); ++row) {
    const FieldType type = tree->rows[row].type;
    if (type != FieldType::String && type != FieldType::Data) continue;
    if (auto place = placeWithin(module.part(PartKind::Field, tree->path(row)), tree->content(row), text)) return place;
  }
  return std::optional<TextPlace>();
}

Result<std::optional<Bytes>> readTextPlace(const library::Package& package, const TextPlace& place, Monitor& monitor) {
  BLOBSCOPE_TRY(node, library::findNode(package, place.target, monitor));
  const uint64_t around = place.before.size() + place.after.size();
  if (!node.bytes || node.bytes->size() < around) return std::optional<Bytes>();
  const Bytes text = node.bytes->slice(place.before.size(), node.bytes->size() - around);
  const bool same = node.bytes->slice(0, place.before.size()) == place.before &&
                    node.bytes->slice(place.before.size() + text.size()) == place.after;
  return same ? std::optional(text) : std::nullopt;
}

} // namespace blobscope::edit
