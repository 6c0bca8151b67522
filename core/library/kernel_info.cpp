#include "core/library/kernel_info.h"

namespace blobscope::library {
namespace {

/// The row of that name directly below `parent`, or at the outermost level; nothing when there is none.
std::optional<uint32_t> childRow(const FieldTree& tree, std::optional<uint32_t> parent, std::string_view name) {
  const uint32_t end = parent ? tree.rows[*parent].after : static_cast<uint32_t>(tree.rows.size());
  for (uint32_t row = parent ? *parent + 1 : 0; row < end; row = tree.rows[row].after)
    if (tree.rows[row].name == name) return row;
  return std::nullopt;
}

template <class F> void forEachItem(const FieldTree& tree, uint32_t list, F&& visit) {
  for (uint32_t item = list + 1; item < tree.rows[list].after; item = tree.rows[item].after) visit(item);
}

} // namespace

KernelInfo kernelInfo(const FieldTree& tree, uint32_t row) {
  KernelInfo out;
  for (uint32_t at = row; at < tree.rows[row].after; ++at) {
    const std::string_view name = tree.rows[at].name;
    if (name == "name" && tree.rows[at].type == FieldType::String) out.name = tree.content(at).view();
    if (name == "arg_types") forEachItem(tree, at, [&](uint32_t item) { out.argTypes.push_back(tree.value(item)); });
    if (name == "launch_param_tags")
      forEachItem(tree, at, [&](uint32_t item) { out.launchTags.emplace_back(tree.content(item).view()); });
    if (name == "launch_fields")
      forEachItem(tree, at, [&](uint32_t item) { out.launchFields.emplace_back(tree.content(item).view()); });
    if (name == "arg_extra_tags")
      forEachItem(tree, at,
                  [&](uint32_t item) { out.extraTags.push_back(static_cast<int32_t>(tree.rows[item].number)); });
  }
  return out;
}

DeviceImage deviceImage(const FieldTree& tree) {
  DeviceImage out;
  if (const auto format = childRow(tree, std::nullopt, "fmt")) out.format = tree.content(*format).view();
  if (const auto data = childRow(tree, std::nullopt, "data")) out.shared = tree.content(*data);
  return out;
}

bool usesUniformScalars(const FieldTree& tree, std::string_view kernel) {
  const auto map = childRow(tree, std::nullopt, "smap");
  if (!map) return false;
  bool uniform = false;
  forEachItem(tree, *map, [&](uint32_t entry) {
    const auto key = childRow(tree, entry, "key"), shader = childRow(tree, entry, "shader");
    if (!key || !shader || tree.content(*key).view() != kernel) return;
    if (const auto flag = childRow(tree, *shader, "flag")) uniform = tree.rows[*flag].number & 1;
  });
  return uniform;
}

} // namespace blobscope::library
