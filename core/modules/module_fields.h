#pragma once

#include "core/base/field_tree.h"
#include "core/modules/codec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The meaning of fields of decoded modules, for code that does not know module kinds and layouts. Damaged modules have
/// these fields too, as far as they could be read.
namespace blobscope::modules {

/// The rows of a field tree that contain the kernels and their code. Source: core/formats/module-kinds.md 3.1, 4.
struct KernelFields {
  std::optional<uint32_t> functions; ///< the list with an item per kernel: its name and its FunctionInfo
  std::optional<uint32_t> codes;     ///< the list with an item per kernel: its name and its separate code
  std::optional<uint32_t> image;     ///< the code or text that all kernels of the module share
};
KernelFields findKernelFields(const FieldTree& tree);
/// The content of KernelFields::image; nothing when there is none.
std::optional<Bytes> sharedImage(const FieldTree& tree);
/// The format that the module declares for its code: "ptx", "cl"; empty when it has none.
std::string declaredFormat(const FieldTree& tree);

/// The FunctionInfo of a kernel as text.
struct KernelInfo {
  std::string name;                      ///< the name stored in it; empty in most files
  std::vector<std::string> argTypes;     ///< "handle", "int32", in call order
  std::vector<std::string> launchTags;   ///< "blockIdx.x"
  std::vector<int32_t> extraTags;        ///< one per argument, or none
  std::vector<std::string> launchFields; ///< "grid.x", only in the second form
  bool second = false;                   ///< it has the second form, FunctionInfo::Form::Second
};
/// `row` as in Kernel::fieldRow.
KernelInfo kernelInfo(const FieldTree& tree, uint32_t row);

/// A field of a FunctionInfo, except the names.
struct InfoField {
  std::string_view label; ///< "arguments", "launch", or the field's name; valid as long as the tree
  uint32_t row = 0;
  bool zerosMeanNone = false; ///< a list of zeros means the same as an empty one
};
/// Returns the fields for the kernel that `row` lists; empty when there is no FunctionInfo.
std::vector<InfoField> infoFields(const FieldTree& tree, uint32_t row);

/// Returns bit 0 of the flag of the Vulkan shader of that kernel: scalar arguments are in a uniform buffer. Source:
/// core/formats/module-kinds.md 4.2; apache/tvm v0.8 src/runtime/vulkan/vulkan_shader.h, kFlagUseUBO.
bool usesUniformScalars(const FieldTree& tree, std::string_view kernel);

/// Returns the bytes of a constant without the tag before it, whose numbering changed twice; for a tensor, its
/// elements.
Bytes constantBytes(const FieldTree& tree, uint32_t row, bool tensor);
/// Whether a field belongs to the instructions of a virtual machine, or is a fixed number of a function that only has a
/// name in the executable. Listings of functions show these values.
bool isInListing(const Field& field);
/// Whether the field is the name under which a list contains a kernel.
bool isListedName(const Field& field);
/// Returns the field that an item of an empty list would be; nothing for unknown lists. Source:
/// core/formats/module-kinds.md 2.2 (FunctionInfo), core/formats/vm-executables.md 3.2 (param_names).
std::optional<Field> itemOfEmptyList(std::string_view list);

} // namespace blobscope::modules
