#pragma once

#include "app/runner/backends/backend.h"
#include "app/runner/host_abi.h"
#include "core/protocol/protocol.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// From the packed values of a call to a launch: core/formats/host-abi.md 3.3. Pure; nothing here touches a device.
namespace blobscope::runner {

/// A value as host code hands it over, of either calling convention.
struct PackedValue {
  enum class Kind : uint8_t { Integer, Boolean, Float, Pointer, Null, Other };
  Kind kind = Kind::Other;
  uint64_t bits = 0; ///< int64, double or pointer
  int code = 0;      ///< as it was given, for messages
};

PackedValue packedOf(const TvmValue& value, int code);
PackedValue packedOf(const FfiAny& value);

struct DecodedLaunch {
  Launch launch;
  std::vector<std::string> zeroExtents; ///< "blockIdx.y": given as 0 and taken as 1
  std::vector<std::string> unknownTags; ///< took a value that nothing is done with
};

/// RUN-ARGUMENT when a parameter cannot be passed, RUN-LAUNCH when the number of values is not what the table says,
/// an extent is no whole number, or does not fit.
Result<DecodedLaunch> decodeLaunch(const protocol::JobKernel& kernel, std::span<const PackedValue> values);

/// One kernel parameter from a packed value. RUN-ARGUMENT with `index` and the kernel's name.
Result<uint64_t> kernelArgument(const protocol::JobKernel& kernel, std::size_t index, const PackedValue& value);

/// What a back end must know of each parameter.
std::vector<KernelParameter> parametersOf(const protocol::JobKernel& kernel);

/// "float16", "handle", "int32x4"; numbers for codes without a name.
std::string typeText(protocol::DataType type);

} // namespace blobscope::runner
