#pragma once

/// Compiled functions of the Relax VM in C, as TVM's compiler calls the runtime: -DABI=0 classic, 4 ffi. Registers: the
/// parameter, then the result, then others. Layout: core/formats/vm-executables.md 5.
namespace blobscope::test {

inline constexpr char kCompiledLibrary[] = R"c(
#include <stddef.h>
#include <stdint.h>

typedef union { int64_t i; double d; void* p; } V;
typedef struct { void* data; int32_t dt, di, nd; uint8_t code, bits; uint16_t lanes; int64_t* shape; } T;
typedef struct { int32_t t; uint32_t pad; V v; } Any;

#if ABI == 0
void* __tvm_module_ctx;
int (*__TVMBackendGetFuncFromEnv)(void*, const char*, void**);
int (*__TVMFuncCall)(void*, V*, int*, int, V*, int*);
void (*__TVMAPISetLastError)(const char*);
extern int TVMBackendAnyListSetPackedArg(void*, int, V*, int*, int);
extern int TVMBackendAnyListMoveFromPackedReturn(void*, int, V*, int*, int);
#define FUNCTION(name) int name(V* a, int* c, int n, V* r, int* rc, void* resource)
#define CALL(name) name(values, codes, count, &ignored, &ignoredCode, NULL)
#define VALUE(i) a[i]
#define KIND(i) c[i]
#define FRAME V values[9]; int codes[9]; V ignored; int ignoredCode; int count;
#define GET(list, index, at) TVMBackendAnyListSetPackedArg(list, index, values, codes, at)
#define SET(list, index, at) TVMBackendAnyListMoveFromPackedReturn(list, index, values, codes, at)
#define INTEGER(at, number) (values[at].i = number, codes[at] = 0)
#define POINTER(at, pointer) (values[at].p = pointer, codes[at] = 3)
#define NOTHING(at) (values[at].p = NULL, codes[at] = 4)
#define RETURNED(at) (codes[at] == 0 ? values[at].i : -1)
#define BUILTIN(name, n) \
  if (__TVMBackendGetFuncFromEnv(__tvm_module_ctx, name, &found)) return -1; \
  if (__TVMFuncCall(found, values, codes, n, &values[n], &codes[n])) return -1;
#define FAIL(text) (__TVMAPISetLastError(text), -1)
#else
void* __tvm_ffi__library_ctx;
int (*__TVMFFIEnvModLookupFromImports)(void*, const char*, void**);
int (*__TVMFFIFunctionCall)(void*, Any*, int32_t, Any*);
void (*__TVMFFIErrorSetRaisedFromCStr)(const char*, const char*);
extern int TVMBackendAnyListSetPackedArg(void*, int, Any*, int);
extern int TVMBackendAnyListMoveFromPackedReturn(void*, int, Any*, int);
#define FUNCTION(name) int __tvm_ffi_##name(void* self, const Any* a, int32_t n, Any* r)
#define CALL(name) __tvm_ffi_##name(NULL, values, count, &ignored)
#define VALUE(i) a[i].v
#define KIND(i) a[i].t
#define FRAME Any values[9]; Any ignored = {0}; int count;
#define GET(list, index, at) TVMBackendAnyListSetPackedArg(list, index, values, at)
#define SET(list, index, at) TVMBackendAnyListMoveFromPackedReturn(list, index, values, at)
#define INTEGER(at, number) (values[at] = (Any){1, 0, {number}})
#define POINTER(at, pointer) (values[at] = (Any){4, 0, {.p = pointer}})
#define NOTHING(at) (values[at] = (Any){0})
#define RETURNED(at) (values[at].t == 1 ? values[at].v.i : -1)
#define BUILTIN(name, n) \
  if (__TVMFFIEnvModLookupFromImports(__tvm_ffi__library_ctx, name, &found)) return -1; \
  values[n] = (Any){0}; \
  if (__TVMFFIFunctionCall(found, values, n, &values[n])) return -1;
#define FAIL(text) (__TVMFFIErrorSetRaisedFromCStr("ValueError", text), -1)
#endif
extern int TVMBackendAnyListResetItem(void*, int);
static void* found;
#define MACHINE VALUE(0).p
#define REGISTERS VALUE(1).p
#define CONSTANTS VALUE(2).p
#define FUNCTIONS VALUE(3).p

/* The second tensor becomes twice the first. */
FUNCTION(twice) {
  if (n != 2 || KIND(0) != 7 || KIND(1) != 7) return FAIL("two tensors are needed");
  T* from = VALUE(0).p;
  T* to = VALUE(1).p;
  for (int64_t i = 0; i < from->shape[0]; ++i) ((float*)to->data)[i] = 2 * ((float*)from->data)[i];
  return 0;
}

/* (twice the parameter, 7): calls built-in functions, a host function, and another compiled function. */
FUNCTION(__vmtir__main) {
  FRAME
  GET(REGISTERS, 0, 0); INTEGER(1, 1); GET(CONSTANTS, 2, 2); GET(CONSTANTS, 0, 3);
  BUILTIN("vm.builtin.check_tensor_info", 4)
  POINTER(0, MACHINE); GET(CONSTANTS, 1, 1); INTEGER(2, 0); GET(CONSTANTS, 2, 3); GET(CONSTANTS, 3, 4);
  BUILTIN("vm.builtin.alloc_storage", 5)
  SET(REGISTERS, 2, 5);
  GET(REGISTERS, 2, 0); INTEGER(1, 0); GET(CONSTANTS, 1, 2); GET(CONSTANTS, 2, 3);
  BUILTIN("vm.builtin.alloc_tensor", 4)
  SET(REGISTERS, 3, 4);
  TVMBackendAnyListResetItem(REGISTERS, 2);
  GET(REGISTERS, 0, 0); GET(REGISTERS, 3, 1); count = 2;
  if (CALL(twice)) return -1;
  POINTER(0, MACHINE); GET(FUNCTIONS, 1, 1); GET(REGISTERS, 3, 2);
  BUILTIN("vm.builtin.invoke_closure", 3)
  SET(REGISTERS, 3, 3);
  NOTHING(0); INTEGER(1, 0); INTEGER(2, 7);
  BUILTIN("vm.builtin.make_prim_value", 3)
  if (RETURNED(3) != 7) return FAIL("the number is not 7");
  SET(REGISTERS, 4, 3);
  GET(REGISTERS, 3, 0); GET(REGISTERS, 4, 1);
  BUILTIN("vm.builtin.make_tuple", 2)
  SET(REGISTERS, 1, 2);
  return 0;
}

/* The parameter. */
FUNCTION(__vmtir__same) {
  FRAME
  GET(REGISTERS, 0, 0);
  BUILTIN("vm.builtin.copy", 1)
  SET(REGISTERS, 1, 1);
  return 0;
}

FUNCTION(__vmtir__mismatch) {
  FRAME
  GET(REGISTERS, 0, 0); INTEGER(1, 3); GET(CONSTANTS, 2, 2); GET(CONSTANTS, 0, 3);
  BUILTIN("vm.builtin.check_tensor_info", 4)
  return 0;
}

FUNCTION(__vmtir__nested) {
  FRAME
  POINTER(0, MACHINE); GET(FUNCTIONS, 2, 1); GET(REGISTERS, 0, 2);
  BUILTIN("vm.builtin.invoke_closure", 3)
  return 0;
}

FUNCTION(__vmtir__endless) {
  FRAME
  POINTER(0, MACHINE); GET(FUNCTIONS, 4, 1); GET(REGISTERS, 0, 2);
  BUILTIN("vm.builtin.invoke_closure", 3)
  return 0;
}

FUNCTION(__vmtir__raising) { FRAME GET(CONSTANTS, 0, 0); count = 1; return CALL(twice); }
FUNCTION(__vmtir__outside) { FRAME return GET(REGISTERS, 99, 0); }
FUNCTION(__vmtir__foreign) { FRAME POINTER(0, &found); BUILTIN("vm.builtin.copy", 1) return 0; }
FUNCTION(__vmtir__unknown) { FRAME BUILTIN("own.packed", 0) return 0; }
)c";

} // namespace blobscope::test
