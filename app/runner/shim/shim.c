/* The functions that TVM libraries import from their runtime, for all host ABIs: core/formats/host-abi.md 1.3, 1.4.
 * A separate object, so that a runner that opens a real runtime does not define them. */

#include "app/runner/shim/half.h"
#include "app/runner/shim/shim_table.h"

#include <stddef.h>
#include <string.h>

/* The runner sets it before it loads the library. */
static const BlobscopeShimTable* shim;

EXPORTED void blobscopeShimUse(const BlobscopeShimTable* table) { shim = table; }

/* --- both --- */
EXPORTED int TVMBackendGetFuncFromEnv(void* context, const char* name, void** out) { return shim->lookUp(context, name, out); }
EXPORTED void* TVMBackendAllocWorkspace(int deviceType, int deviceId, uint64_t bytes, int code, int bits) {
  return shim->allocateWorkspace(deviceType, deviceId, bytes, code, bits);
}
EXPORTED int TVMBackendFreeWorkspace(int deviceType, int deviceId, void* pointer) {
  return shim->freeWorkspace(deviceType, deviceId, pointer);
}
EXPORTED int TVMBackendParallelLaunch(int (*task)(int, void*, void*), void* data, int count) {
  return shim->parallelLaunch(task, data, count);
}
EXPORTED int TVMBackendParallelBarrier(int task, void* environment) { return shim->parallelBarrier(task, environment); }
EXPORTED int TVMBackendRegisterSystemLibSymbol(const char* name, void* address) { return shim->registerSymbol(name, address); }
/* Lists of a virtual machine. FFI code passes four arguments: the offset in place of the codes. */
EXPORTED int TVMBackendAnyListSetPackedArg(void* list, int index, void* values, void* codes, int offset) {
  return shim->getListItem(list, index, values, codes, offset);
}
EXPORTED int TVMBackendAnyListMoveFromPackedReturn(void* list, int index, void* values, void* codes, int offset) {
  return shim->setListItem(list, index, values, codes, offset);
}
EXPORTED int TVMBackendAnyListResetItem(void* list, int index) { return shim->resetListItem(list, index); }

/* --- classic --- */
EXPORTED int TVMFuncCall(void* function, void* values, int* codes, int count, void* result, int* resultCode) {
  return shim->callClassic(function, values, codes, count, result, resultCode);
}
EXPORTED void TVMAPISetLastError(const char* message) { shim->raise(NULL, message); }
/* Runs an initialiser once, which sets the cell. Source: apache/tvm v0.18 src/runtime/library_module.cc. */
EXPORTED int TVMBackendRunOnce(void** cell, int (*function)(void*), void* data, int bytes) {
  (void)bytes;
  if (*cell) return 0;
  *cell = (void*)1;
  return function(data);
}

/* --- FFI --- */
EXPORTED int TVMFFIFunctionCall(void* function, void* arguments, int32_t count, void* result) {
  return shim->callFfi(function, arguments, count, result);
}
EXPORTED int TVMFFIEnvModLookupFromImports(void* context, const char* name, void** out) {
  return shim->lookUp(context, name, out);
}
EXPORTED int TVMFFIHandleInitOnce(void** cell, int (*init)(void** result)) { return shim->once(cell, init); }
/* Since apache-tvm-tirx 0.1.0a4, in place of the packed function __tvm_set_device. */
EXPORTED int TVMBackendSetDevice(int32_t type, int32_t index) { return shim->setDevice(type, index); }
EXPORTED void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) { shim->raise(kind, message); }
EXPORTED void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** parts, int32_t count) {
  shim->raiseParts(kind, parts, count);
}
EXPORTED int TVMFFIEnvModRegisterSystemLibSymbol(const char* name, void* address) { return shim->registerSymbol(name, address); }
/* Function handles live as long as the process, and they are our only objects. */
EXPORTED int TVMFFIObjectDecRef(void* object) { return (void)object, 0; }
EXPORTED int TVMFFIObjectIncRef(void* object) { return (void)object, 0; }
EXPORTED int TVMFFIObjectFree(void* object) { return (void)object, 0; }

/* --- half floats --- */

float blobscopeHalfToFloat(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 31u, fraction = half & 1023u, bits;
  if (exponent == 31) {
    bits = sign | 0x7f800000u | fraction << 13;
  } else if (exponent == 0) {
    /* Subnormal: fraction times two to the minus 24, exact in float. */
    const float value = (float)fraction * 0x1p-24f;
    memcpy(&bits, &value, sizeof bits);
    bits |= sign;
  } else {
    bits = sign | (exponent + 112) << 23 | fraction << 13;
  }
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

/* Rounds once, to nearest, ties to even, so that a double is not rounded twice. */
uint16_t blobscopeDoubleToHalf(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const uint16_t sign = (uint16_t)(bits >> 48 & 0x8000u);
  const int exponent = (int)(bits >> 52 & 2047u) - 1023;
  const uint64_t fraction = bits & 0xfffffffffffffu;
  if (exponent == 1024) return sign | 0x7c00u | (fraction ? 0x200u | (uint16_t)(fraction >> 42) : 0);
  if (exponent < -25) return sign;
  if (exponent > 15) return sign | 0x7c00u;
  const uint64_t whole = fraction | 0x10000000000000u;
  /* Normal numbers lose 42 bits; subnormal ones lose one more for each power of two. */
  const int drop = exponent >= -14 ? 42 : 42 + (-14 - exponent);
  uint64_t kept = whole >> drop;
  const uint64_t rest = whole & (((uint64_t)1 << drop) - 1), tie = (uint64_t)1 << (drop - 1);
  if (rest > tie || (rest == tie && (kept & 1))) ++kept;
  if (exponent >= -14) kept += (uint64_t)(exponent + 14) << 10; /* the leading one counts as one exponent step */
  return sign | (uint16_t)kept;
}
uint16_t blobscopeFloatToHalf(float value) { return blobscopeDoubleToHalf(value); }
