#pragma once

#include "app/runner/backends/backend.h"
#include "app/runner/host_abi.h"
#include "core/protocol/protocol.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Decodes the packed values of a call into a launch: core/formats/host-abi.md 3.3. Pure; nothing here uses a device.
namespace blobscope::runner {

/// A value as host code passes it, in either calling convention.
struct PackedValue {
  enum class Kind : uint8_t { Integer, Boolean, Float, Pointer, Null, Other };
  Kind kind = Kind::Other;
  uint64_t bits = 0; ///< int64, double or pointer
  int code = 0;      ///< the original type code, for messages
};

PackedValue packedOf(const TvmValue& value, int code);
PackedValue packedOf(const FfiAny& value);

struct DecodedLaunch {
  Launch launch;
  std::vector<std::string> zeroExtents; ///< "blockIdx.y": passed as 0 and treated as 1
  std::vector<std::string> unknownTags; ///< tags whose value is ignored
};

/// Errors: RUN-ARGUMENT if a parameter cannot be passed; RUN-LAUNCH if the number of values differs from the table, or
/// an extent is not an integer or is out of range.
Result<DecodedLaunch> decodeLaunch(const protocol::JobKernel& kernel, std::span<const PackedValue> values);

/// Returns one kernel parameter from a packed value. Error: RUN-ARGUMENT with `index` and the kernel's name.
Result<uint64_t> kernelArgument(const protocol::JobKernel& kernel, std::size_t index, const PackedValue& value);

/// Returns the parameters in the form that a back end needs.
std::vector<KernelParameter> parametersOf(const protocol::JobKernel& kernel);

/// Returns "float16", "handle", "int32x4"; numbers for codes without a name.
std::string typeText(protocol::DataType type);

} // namespace blobscope::runner
