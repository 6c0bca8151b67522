#pragma once

/* The functions to which the shim's exports forward. C, like the shim. Signatures: core/formats/host-abi.md 1.3. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BlobscopeShimTable {
  int (*callClassic)(void* function, void* values, int* codes, int count, void* result, int* resultCode);
  int (*callFfi)(void* function, void* arguments, int32_t count, void* result);
  int (*lookUp)(void* context, const char* name, void** out);
  int (*once)(void** cell, int (*init)(void** result));
  void (*raise)(const char* kind, const char* message);
  void (*raiseParts)(const char* kind, const char** parts, int32_t count);
  int (*setDevice)(int deviceType, int deviceId);
  int (*registerSymbol)(const char* name, void* address);
  void* (*allocateWorkspace)(int deviceType, int deviceId, uint64_t bytes, int code, int bits);
  int (*freeWorkspace)(int deviceType, int deviceId, void* pointer);
  int (*parallelLaunch)(int (*task)(int, void*, void*), void* data, int count);
  int (*parallelBarrier)(int task, void* environment);
  /* Classic: `codes` has the type codes. FFI: there are only four parameters, and `codes` is the offset. */
  int (*getListItem)(void* list, int index, void* values, void* codes, int offset);
  int (*setListItem)(void* list, int index, void* values, void* codes, int offset);
  int (*resetListItem)(void* list, int index);
} BlobscopeShimTable;

/* The name of the function that receives the table. The shim keeps the pointer. */
#define BLOBSCOPE_SHIM_USE "blobscopeShimUse"
typedef void (*BlobscopeShimUse)(const BlobscopeShimTable* table);

#ifdef __cplusplus
}
#endif
