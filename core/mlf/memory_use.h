#pragma once

#include "core/library/package.h"
#include "core/mlf/archive.h"
#include "core/view/page.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The memory that a model needs on its device, according to its metadata. Source: core/formats/model-library-format.md
/// 6.2, 6.4.
namespace blobscope::mlf {

/// "main" on one device; missing and malformed numbers are 0.
struct DeviceMemory {
  uint64_t device = 0; ///< DLPack device type
  uint64_t workspace = 0, io = 0, constants = 0;
  bool statesRam = false, statesConstants = false; ///< the numbers are in the metadata
};
std::vector<DeviceMemory> mainMemory(const Model& model, const ModelModule& module);

/// The workspace of an operator function; in an operator archive, the sum of its buffers.
struct FunctionMemory {
  std::string_view name;
  uint64_t device = 0;
  uint64_t bytes = 0;
};
std::vector<FunctionMemory> functionMemory(const Model& model, const ModelModule& module);

/// Bytes of the loaded sections of an object file.
struct ObjectMemory {
  uint64_t code = 0;     ///< code and constants
  uint64_t data = 0;     ///< variables with first values, such as .data
  uint64_t zeroed = 0;   ///< variables without, such as .bss
  std::string processor; ///< "x86_64"; empty when it is not known
};
/// Returns nothing if the file could not be read as an object.
std::optional<ObjectMemory> objectMemory(const library::Package& package, const File& file);

/// Returns "CPU", "CUDA", "device type 99".
std::string deviceName(uint64_t device);

/// Returns bars per device and function. `package`: the opened archive, for the sizes of its objects.
view::BarsPage memoryBars(const Archive& archive, const library::Package& package);

} // namespace blobscope::mlf
