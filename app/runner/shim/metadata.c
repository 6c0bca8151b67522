/* The functions that libraries built with tvm-ffi import from libtvm_ffi to register classes and to make strings.
 * Source: apache/tvm-ffi v0.1.0 to v0.1.15 include/tvm/ffi/c_api.h. Loaded after the shim, only to read metadata. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

typedef struct {
  const char* data;
  size_t size;
} ByteArray;

typedef struct {
  uint64_t counts; /* so high that no code of the library reduces them to 0 */
  int32_t type;
  uint32_t pad;
  void (*deleter)(void* self, int flags);
} ObjectHeader;

typedef struct {
  ObjectHeader header;
  ByteArray text;
} StringObject;

/* TVMFFIErrorCell begins with these three. */
typedef struct {
  ObjectHeader header;
  ByteArray kind, message, backtrace;
  void* more[4];
} ErrorObject;

typedef struct {
  int32_t type;
  uint32_t pad;
  void* object;
} Any;

enum { kString = 65, kBytes = 66, kError = 67, kFirstOwnType = 128, kTypes = 4096, kTypeInfoBytes = 512 };
static const uint64_t kCounts = ((uint64_t)1 << 32) | 0x7fffffff;

/* Defined by the shim. */
extern void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);

/* Returns a copy that lives as long as the process, with a NUL after it. */
static ByteArray copyOf(const ByteArray* in) {
  ByteArray out = {"", 0};
  if (!in || !in->data) return out;
  char* const copy = malloc(in->size + 1);
  if (!copy) return out;
  memcpy(copy, in->data, in->size);
  copy[in->size] = 0;
  out.data = copy;
  out.size = in->size;
  return out;
}

static int makeText(const ByteArray* in, Any* out, int32_t type) {
  StringObject* const made = calloc(1, sizeof *made);
  if (!made || !out) return -1;
  made->header.counts = kCounts;
  made->header.type = type;
  made->text = copyOf(in);
  out->type = type;
  out->pad = 0;
  out->object = made;
  return 0;
}

EXPORTED int TVMFFIStringFromByteArray(const ByteArray* in, Any* out) { return makeText(in, out, kString); }
EXPORTED int TVMFFIBytesFromByteArray(const ByteArray* in, Any* out) { return makeText(in, out, kBytes); }

EXPORTED int TVMFFIErrorCreate(const ByteArray* kind, const ByteArray* message, const ByteArray* backtrace, void** out) {
  ErrorObject* const made = calloc(1, sizeof *made);
  if (!made || !out) return -1;
  made->header.counts = kCounts;
  made->header.type = kError;
  made->kind = copyOf(kind);
  made->message = copyOf(message);
  made->backtrace = copyOf(backtrace);
  *out = made;
  return 0;
}
EXPORTED void TVMFFIErrorSetRaised(void* error) {
  const ErrorObject* const raised = error;
  if (raised) TVMFFIErrorSetRaisedFromCStr(copyOf(&raised->kind).data, copyOf(&raised->message).data);
}
EXPORTED void TVMFFIErrorMoveFromRaised(void** out) {
  if (out) *out = NULL;
}
EXPORTED const ByteArray* TVMFFIBacktrace(const char* file, int line, const char* function, int cross) {
  static const ByteArray none = {"", 0};
  (void)file, (void)line, (void)function, (void)cross;
  return &none;
}

/* All zero except the list of ancestors, which has space for those that inlined casts read. The list comes after
 * type_index, type_depth and type_key. */
EXPORTED const void* TVMFFIGetTypeInfo(int32_t type) {
  static uint64_t ancestorInfo[kTypeInfoBytes / 8];
  static void* ancestors[256];
  static uint64_t info[kTypeInfoBytes / 8];
  (void)type;
  if (!ancestors[0]) {
    for (size_t i = 0; i < sizeof ancestors / sizeof *ancestors; ++i) ancestors[i] = ancestorInfo;
    /* i32 type_index, i32 type_depth, ByteArray type_key, const TVMFFITypeInfo** type_ancestors */
    memcpy((char*)info + 24, &(void*){ancestors}, sizeof(void*));
    memcpy((char*)ancestorInfo + 24, &(void*){ancestors}, sizeof(void*));
  }
  return info;
}
EXPORTED int32_t TVMFFITypeGetOrAllocIndex(const ByteArray* key, int32_t fixed, int32_t depth, int32_t slots,
                                           int32_t overflow, int32_t parent) {
  static int32_t next = kFirstOwnType;
  (void)key, (void)depth, (void)overflow, (void)parent;
  if (fixed >= 0) return fixed;
  const int32_t given = next;
  next += slots > 0 && slots < kTypes ? slots : 1;
  return given;
}
EXPORTED int TVMFFITypeRegisterField(int32_t type, const void* info) { return (void)type, (void)info, 0; }
EXPORTED int TVMFFITypeRegisterMethod(int32_t type, const void* info) { return (void)type, (void)info, 0; }
EXPORTED int TVMFFITypeRegisterMetadata(int32_t type, const void* info) { return (void)type, (void)info, 0; }
EXPORTED int TVMFFITypeRegisterAttr(int32_t type, const void* name, const void* value) {
  return (void)type, (void)name, (void)value, 0;
}
EXPORTED int TVMFFIFunctionSetGlobal(const void* name, void* function, int replace) {
  return (void)name, (void)function, (void)replace, 0;
}
EXPORTED int TVMFFIFunctionSetGlobalFromMethodInfo(const void* info, int replace) { return (void)info, (void)replace, 0; }
EXPORTED int TVMFFIFunctionGetGlobal(const void* name, void** out) {
  (void)name;
  if (out) *out = NULL; /* no function with that name */
  return 0;
}
EXPORTED const void* TVMFFIGetTypeAttrColumn(const void* name) { return (void)name, NULL; }
EXPORTED int TVMFFIFunctionCreate(void* self, void* call, void* deleter, void** out) {
  ErrorObject* const made = calloc(1, sizeof *made);
  (void)self, (void)call, (void)deleter;
  if (!made || !out) return -1;
  made->header.counts = kCounts;
  made->header.type = 68;
  *out = made;
  return 0;
}
