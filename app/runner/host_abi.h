#pragma once

#include <cstddef>
#include <cstdint>

/// The two calling conventions of host functions. Source: core/formats/host-abi.md 1.2, 1.3; apache/tvm v0.18
/// include/tvm/runtime/c_runtime_api.h; apache/tvm-ffi 0.1 include/tvm/ffi/c_api.h; dmlc/dlpack
/// include/dlpack/dlpack.h.
namespace blobscope::runner {

struct DlTensor {
  void* data = nullptr;
  int32_t deviceType = 1;
  int32_t deviceId = 0;
  int32_t rank = 0;
  uint8_t typeCode = 0;
  uint8_t typeBits = 0;
  uint16_t typeLanes = 1;
  int64_t* shape = nullptr;
  int64_t* strides = nullptr; ///< null: compact
  uint64_t byteOffset = 0;
};
static_assert(sizeof(DlTensor) == 48 && offsetof(DlTensor, shape) == 24);

union TvmValue {
  int64_t integer;
  double real;
  void* pointer;
};

struct FfiAny {
  int32_t type = 0;
  uint32_t zeroPad = 0;
  TvmValue value = {0};
};
static_assert(sizeof(TvmValue) == 8 && sizeof(FfiAny) == 16);

/// Type codes of arguments in classic calls.
enum ClassicCode : int {
  kClassicInt = 0,
  kClassicUInt = 1,
  kClassicFloat = 2,
  kClassicHandle = 3,
  kClassicNull = 4,
  kClassicType = 5,
  kClassicTensor = 7,
  kClassicText = 11,
  kClassicArray = 13,
};

/// Type indices of FfiAny.
enum FfiType : int32_t {
  kFfiNone = 0,
  kFfiInt = 1,
  kFfiBool = 2,
  kFfiFloat = 3,
  kFfiPointer = 4,
  kFfiDataType = 5, ///< code, bits and lanes in the low 4 bytes of the value
  kFfiTensor = 7,
  kFfiRawString = 8,
  kFfiSmallString = 11, ///< its length is in zeroPad; up to seven bytes are in the value
  kFfiString = 65,
  kFfiFunction = 68,
};

using ClassicFunction = int (*)(TvmValue* values, int* codes, int count, TvmValue* result, int* resultCode,
                                void* resource);
using FfiFunction = int (*)(void* self, const FfiAny* arguments, int32_t count, FfiAny* result);

} // namespace blobscope::runner
