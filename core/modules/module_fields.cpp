#include "core/modules/module_fields.h"

#include <algorithm>

namespace blobscope::modules {
namespace {

/// Returns the row with that name directly below `parent`, or at the outermost level; nothing when there is none.
std::optional<uint32_t> childRow(const FieldTree& tree, std::optional<uint32_t> parent, std::string_view name) {
  const uint32_t end = parent ? tree.rows[*parent].after : static_cast<uint32_t>(tree.rows.size());
  for (uint32_t row = parent ? *parent + 1 : 0; row < end; row = tree.rows[row].after)
    if (tree.rows[row].name == name) return row;
  return std::nullopt;
}

template <class F> void forEachChild(const FieldTree& tree, uint32_t parent, F&& visit) {
  for (uint32_t row = parent + 1; row < tree.rows[parent].after; row = tree.rows[row].after) visit(row);
}

bool isName(const FieldTree& tree, uint32_t row) {
  const Field& field = tree.rows[row];
  return field.type == FieldType::String && (field.name == "key" || field.name == "name");
}

/// Returns the rows of the item `entry`, with the names below it.
NamedRows rowsOf(const FieldTree& tree, uint32_t entry, std::string_view name) {
  NamedRows out;
  out.items.push_back(entry);
  for (uint32_t row = entry; row < tree.rows[entry].after; ++row)
    if (isName(tree, row) && tree.content(row).view() == name) out.names.push_back(row);
  if (tree.rows[entry].index == Field::kNoIndex) out.whyNotRemovable = "the module defines only this function";
  return out;
}

} // namespace

KernelFields findKernelFields(const FieldTree& tree) {
  return {tree.find("fmap"), tree.find("smap"), tree.find("data")};
}

std::optional<Bytes> sharedImage(const FieldTree& tree) {
  const auto row = findKernelFields(tree).image;
  return row ? std::optional(tree.content(*row)) : std::nullopt;
}

std::string declaredFormat(const FieldTree& tree) {
  const auto format = childRow(tree, std::nullopt, "fmt");
  return format ? std::string(tree.content(*format).view()) : std::string();
}

KernelInfo kernelInfo(const FieldTree& tree, uint32_t row) {
  KernelInfo out;
  for (uint32_t at = row; at < tree.rows[row].after; ++at) {
    const std::string_view name = tree.rows[at].name;
    if (name == "name" && tree.rows[at].type == FieldType::String) out.name = tree.content(at).view();
    if (name == "arg_types") forEachChild(tree, at, [&](uint32_t item) { out.argTypes.push_back(tree.value(item)); });
    if (name == "launch_param_tags")
      forEachChild(tree, at, [&](uint32_t item) { out.launchTags.emplace_back(tree.content(item).view()); });
    if (name == "marker") out.second = true;
    if (name == "launch_fields")
      forEachChild(tree, at, [&](uint32_t item) { out.launchFields.emplace_back(tree.content(item).view()); });
    if (name == "arg_extra_tags")
      forEachChild(tree, at,
                   [&](uint32_t item) { out.extraTags.push_back(static_cast<int32_t>(tree.rows[item].number)); });
  }
  return out;
}

std::vector<InfoField> infoFields(const FieldTree& tree, uint32_t row) {
  std::vector<InfoField> out;
  if (row == 0 || row >= tree.rows.size()) return out;
  forEachChild(tree, row, [&](uint32_t child) {
    if (tree.rows[child].name != "info") return;
    forEachChild(tree, child, [&](uint32_t part) {
      const std::string_view name = tree.rows[part].name;
      if (name == "name" || name == "marker") return;
      const std::string_view label = name == "arg_types" ? "arguments" : name == "launch_param_tags" ? "launch" : name;
      out.push_back({label, part, name == "arg_extra_tags"});
    });
  });
  return out;
}

bool usesUniformScalars(const FieldTree& tree, std::string_view kernel) {
  const auto map = findKernelFields(tree).codes;
  if (!map) return false;
  bool uniform = false;
  forEachChild(tree, *map, [&](uint32_t entry) {
    const auto key = childRow(tree, entry, "key"), shader = childRow(tree, entry, "shader");
    if (!key || !shader || tree.content(*key).view() != kernel) return;
    if (const auto flag = childRow(tree, shader, "flag")) uniform = tree.rows[*flag].number & 1;
  });
  return uniform;
}

Bytes constantBytes(const FieldTree& tree, uint32_t row, bool tensor) {
  const Field& field = tree.rows[row];
  uint64_t skipped = 0;
  uint32_t data = 0;
  if (row + 1 < field.after && tree.rows[row + 1].name == "tag") skipped = tree.rows[row + 1].size;
  if (tensor)
    for (uint32_t at = row; at < field.after && at < tree.rows.size(); ++at)
      if (tree.rows[at].name == "data") data = at;
  if (data > 0) return tree.content(data);
  return tree.bytes.slice(field.offset + skipped, field.size - std::min(skipped, field.size));
}

bool isInListing(const Field& field) {
  const std::string_view name = field.name;
  return name == "kind" || name == "start" || name == "end" || name == "num_args" || name == "registers" ||
         name.starts_with("instruction_");
}

bool isListedName(const Field& field) { return field.name == "key"; }

std::optional<Field> itemOfEmptyList(std::string_view list) {
  Field field;
  if (list == "arg_types")
    field.type = FieldType::DataType;
  else if (list == "arg_extra_tags")
    field.type = FieldType::I32;
  else if (list == "launch_param_tags" || list == "launch_fields" || list == "param_names" || list == "func_names")
    field.type = FieldType::String;
  else
    return std::nullopt;
  return field;
}

std::optional<std::set<std::string, std::less<>>> Body::kernelsInCode(Monitor& monitor) const {
  (void)monitor;
  std::set<std::string, std::less<>> names;
  for (const Kernel& kernel : kernels())
    if (kernel.code) names.emplace(kernel.name.view());
  // Where no kernel has code, the code is in a form that is not split by kernel.
  return names.empty() ? std::nullopt : std::optional(std::move(names));
}

std::optional<NamedRows> Body::entryFor(const FieldTree& tree, const Ref::Part& part) const {
  // Kernels and functions share one namespace: a ref of either kind names both.
  for (const Kernel& kernel : kernels()) {
    if (kernel.name.view() != part.name || kernel.fieldRow >= tree.rows.size()) continue;
    NamedRows out = rowsOf(tree, kernel.fieldRow, part.name);
    if (const auto codes = findKernelFields(tree).codes) // its separate code is listed under the same name
      forEachChild(tree, *codes, [&](uint32_t entry) {
        const uint32_t key = entry + 1;
        if (key >= tree.rows[entry].after || !isName(tree, key) || tree.content(key).view() != part.name) return;
        out.items.push_back(entry);
        out.names.push_back(key);
      });
    return out;
  }
  for (const PartGroup& group : parts()) {
    if (group.kind != PartKind::Function) continue;
    for (const Part& one : group.parts) {
      if (one.name != part.name || !one.fieldRow || *one.fieldRow >= tree.rows.size()) continue;
      NamedRows out = rowsOf(tree, *one.fieldRow, part.name);
      const bool isNameAlone = tree.rows[*one.fieldRow].type == FieldType::String;
      if (isNameAlone) out.names = {*one.fieldRow};
      if (!isNameAlone && out.whyNotRemovable.empty())
        out.whyNotRemovable = "the bytecode calls functions by their numbers";
      return out;
    }
  }
  return std::nullopt;
}

} // namespace blobscope::modules
