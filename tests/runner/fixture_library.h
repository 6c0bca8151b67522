#pragma once

/// A library as exported by TVM, in C, for each host ABI: -DABI=0 classic, 1 to 5 ffi; -DDIRECT calls the functions of
/// the runtime by name instead of through runtime slots. Layouts: core/formats/host-abi.md 1.2, 1.3.
namespace blobscope::test {

inline constexpr char kHostLibrary[] = R"c(
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef union { int64_t i; double d; void* p; } V;
typedef struct { void* data; int32_t dt, di, nd; uint8_t code, bits; uint16_t lanes; )c"
                                       R"c(int64_t* shape; int64_t* strides; uint64_t off; } T;
typedef struct { void* sync; int32_t n; } Env;
typedef struct { int32_t t; uint32_t pad; V v; } Any;

#ifdef DIRECT
#define CELL(type, name, parameters) extern type name parameters;
#define USE(name) name
#else
#define CELL(type, name, parameters) type (*__##name) parameters;
#define USE(name) __##name
#endif
CELL(void*, TVMBackendAllocWorkspace, (int, int, uint64_t, int, int))
CELL(int, TVMBackendFreeWorkspace, (int, int, void*))
CELL(int, TVMBackendParallelLaunch, (int (*)(int, Env*, void*), void*, int))
CELL(int, TVMBackendParallelBarrier, (int, Env*))
#if ABI >= 5
CELL(int, TVMBackendSetDevice, (int32_t, int32_t))
#endif
#if ABI >= 4
CELL(int, TVMFFIEnvModLookupFromImports, (void*, const char*, void**))
CELL(int, TVMFFIHandleInitOnce, (void**, int (*)(void**)))
#else
CELL(int, TVMBackendGetFuncFromEnv, (void*, const char*, void**))
#endif

#if ABI == 0
void* __tvm_module_ctx;
#define CONTEXT __tvm_module_ctx
CELL(int, TVMFuncCall, (void*, V*, int*, int, V*, int*))
CELL(void, TVMAPISetLastError, (const char*))
#define FUNCTION(name) int name(V* a, int* c, int n, V* r, int* rc, void* resource)
#define VALUE(i) a[i]
#define IS_TENSOR(i) (c[i] == 7)
static int fail(const char* text) { USE(TVMAPISetLastError)(text); return -1; }
#else
#if ABI == 1
void* __tvm_ffi_library_ctx;
#define CONTEXT __tvm_ffi_library_ctx
#define FUNCTION(name) int name(void* self, const Any* a, int32_t n, Any* r)
#else
void* __tvm_ffi__library_ctx;
#define CONTEXT __tvm_ffi__library_ctx
#define FUNCTION(name) int __tvm_ffi_##name(void* self, const Any* a, int32_t n, Any* r)
#endif
CELL(int, TVMFFIFunctionCall, (void*, Any*, int32_t, Any*))
#define VALUE(i) a[i].v
#define IS_TENSOR(i) (a[i].t == 7 && a[i].pad == 0)
#if ABI >= 3
extern void TVMFFIErrorSetRaisedFromCStrParts(const char*, const char**, int32_t);
static int fail(const char* text) {
  const char* parts[] = {text, NULL, "!"};
  TVMFFIErrorSetRaisedFromCStrParts("ValueError", parts, 3);
  return -1;
}
#else
CELL(void, TVMFFIErrorSetRaisedFromCStr, (const char*, const char*))
static int fail(const char* text) { USE(TVMFFIErrorSetRaisedFromCStr)("ValueError", text); return -1; }
#endif
#endif

static int lookUp(const char* name, void** out) {
#if ABI >= 4
  return USE(TVMFFIEnvModLookupFromImports)(CONTEXT, name, out);
#else
  return USE(TVMBackendGetFuncFromEnv)(CONTEXT, name, out);
#endif
}

/* kinds: i integer, d double, p pointer, t tensor */
static int call(const char* name, const char* kinds, const V* values) {
  void* f = 0;
  if (lookUp(name, &f) != 0) return -1;
  int n = (int)strlen(kinds);
#if ABI == 0
  V a[20], result;
  int codes[20], resultCode;
  for (int k = 0; k < n; ++k) {
    a[k] = values[k];
    codes[k] = kinds[k] == 'i' ? 0 : kinds[k] == 'd' ? 2 : kinds[k] == 'p' ? 3 : 7;
  }
  return USE(TVMFuncCall)(f, a, codes, n, &result, &resultCode);
#else
  Any a[20], result;
  memset(&result, 0, sizeof result);
  for (int k = 0; k < n; ++k) {
    a[k].t = kinds[k] == 'i' ? 1 : kinds[k] == 'd' ? 3 : kinds[k] == 'p' ? 4 : 7;
    a[k].pad = 0;
    a[k].v = values[k];
  }
  return USE(TVMFFIFunctionCall)(f, a, n, &result);
#endif
}

/* scale(A: cuda [n], B: cuda [n], k: float32): one launch */
FUNCTION(scale) {
  if (n != 3) return fail("scale: num_args should be 3");
  if (!IS_TENSOR(0) || !IS_TENSOR(1)) return fail("scale: Expect arg[0] to be pointer");
  T *x = VALUE(0).p, *y = VALUE(1).p;
  if (x->nd != 1) return fail("scale.A.ndim is expected to equal 1");
  if (x->dt != 2) return fail("Argument scale.A.device_type has an unsatisfied constraint: 2 == x");
  if (y->shape[0] != x->shape[0]) return fail("Argument scale.B.shape[0] has an unsatisfied constraint");
#if ABI >= 5
  if (USE(TVMBackendSetDevice)(2, 0)) return -1;
#else
  V device[] = {{.i = 2}, {.i = 0}};
  if (call("__tvm_set_device", "ii", device)) return -1;
#endif
  V values[] = {{.p = (char*)y->data + 4}, {.p = x->data}, {.d = VALUE(2).d}, {.i = x->shape[0]},
                {.i = (x->shape[0] + 63) / 64}, {.i = 64}, {.i = 256}};
  return call("scale_kernel", "ppdiiii", values);
}

typedef struct { float* out; float* work; int64_t n; } Part;
static int task(int index, Env* env, void* data) {
  Part* part = data;
  for (int64_t k = index; k < part->n; k += env->n) part->work[k] = (float)k;
  if (USE(TVMBackendParallelBarrier)(index, env)) return -1;
  /* what another task has written */
  for (int64_t k = index; k < part->n; k += env->n) part->out[k] = part->work[part->n - 1 - k] * 2;
  return 0;
}
/* fill(C: cpu [n]): a workspace, four threads, a barrier */
FUNCTION(fill) {
  if (n != 1) return fail("fill: num_args should be 1");
  T* t = VALUE(0).p;
  Part part = {t->data, USE(TVMBackendAllocWorkspace)(1, 0, t->shape[0] * 4, 2, 32), t->shape[0]};
  if (!part.work) return fail("no workspace");
  if (USE(TVMBackendParallelLaunch)(task, &part, 4)) return -1;
  return USE(TVMBackendFreeWorkspace)(1, 0, part.work);
}
/* nested(C: cpu [n]): calls fill */
FUNCTION(nested) {
  V value[] = {VALUE(0)};
  return call("fill", "t", value);
}
/* add(A: cpu [n], B: cpu [n]): A plus one */
FUNCTION(add) {
  T *x = VALUE(0).p, *y = VALUE(1).p;
  for (int64_t k = 0; k < x->shape[0]; ++k) ((float*)y->data)[k] = ((float*)x->data)[k] + 1;
  return 0;
}
FUNCTION(beyond) {
  T* t = VALUE(0).p;
  for (int64_t k = -1; k <= t->shape[0] + 1; ++k) ((float*)t->data)[k] = 1;
  return 0;
}
FUNCTION(needs) {
  V none[1];
  return call("runtime.other", "", none);
}
FUNCTION(mismatch) {
  V values[] = {{.i = 1}};
  return call("scale_kernel", "i", values);
}
FUNCTION(silent) { return 3; }
FUNCTION(touches) {
  T* t = VALUE(0).p;
  return ((volatile char*)t->data)[8];
}
#if ABI == 4
static void* cell;
static int initialise(void** out) { return lookUp("scale_kernel", out); }
FUNCTION(once) {
  if (USE(TVMFFIHandleInitOnce)(&cell, initialise)) return -1;
  void* first = cell;
  return USE(TVMFFIHandleInitOnce)(&cell, initialise) || first != cell || !first ? fail("not once") : 0;
}
#endif
)c";

} // namespace blobscope::test
