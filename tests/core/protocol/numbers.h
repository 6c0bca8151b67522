#pragma once

#include "core/protocol/protocol.h"

#include <limits>

/// Numbers and element types for tests of inputs and outputs.
namespace blobscope::test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

constexpr protocol::DataType kFloat64 = {2, 64, 1}, kFloat32 = {2, 32, 1}, kFloat16 = {2, 16, 1},
                             kBFloat16 = {4, 16, 1}, kInt32 = {0, 32, 1}, kInt8 = {0, 8, 1}, kInt4 = {0, 4, 1},
                             kUint32 = {1, 32, 1}, kBool = {1, 1, 1}, kBoolByte = {6, 8, 1}, kE4m3fn = {10, 8, 1},
                             kE8m0 = {14, 8, 1}, kFloat6 = {15, 6, 1}, kFloat4 = {17, 4, 1}, kHandle = {3, 64, 1};

} // namespace blobscope::test
