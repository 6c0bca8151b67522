/* As much of tvm-ffi and of the Relax virtual machine as a whole-model run asks for, in one library. Made for the tests from
   core/formats/host-abi.md 5.3. FAMILY: 0 classic, 1 ffi1, 2 ffi2 or later. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if FAMILY == 0
int TVMFuncCall(void) { return 0; }
int TVMModLoadFromFile(void) { return 0; }
#elif FAMILY == 1
int TVMFFIFunctionCall(void) { return 0; }
int TVMFFIObjectFree(void) { return 0; }
#else

typedef struct {
  int32_t type;
  uint32_t pad;
  union {
    int64_t i;
    double d;
    void *p;
    char text[8];
  } v;
} Any;
typedef struct {
  const char *data;
  size_t size;
} Bytes;
typedef struct {
  void *data;
  int32_t device, id, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t offset;
} Tensor;
typedef struct Managed {
  uint32_t major, minor;
  void *context;
  void (*deleter)(struct Managed *);
  uint64_t flags;
  Tensor tensor;
} Managed;
typedef struct {
  int64_t count;
  int32_t type;
  uint32_t pad;
  void *deleter;
  union {
    Tensor tensor;
    Bytes texts[3];
    struct {
      int32_t size;
      Any items[4];
    } tuple;
    const char *name;
  } body;
  Managed *from;
} Object;

enum { kText = 65, kError = 67, kFunction = 68, kShape = 69, kTensor = 70, kArray = 71, kModule = 73 };

static int alive; /* objects that were made and not released */
static Object *raised;

static Object *make(int32_t type) {
  Object *object = calloc(1, sizeof(Object));
  object->count = 1;
  object->type = type;
  ++alive;
  return object;
}
static Any of(Object *object) {
  Any any = {object->type, 0, {0}};
  any.v.p = object;
  return any;
}
static Any whole(int64_t value) {
  Any any = {1, 0, {value}};
  return any;
}
static int fail(const char *kind, const char *message) {
  raised = make(kError);
  raised->body.texts[0] = (Bytes){kind, strlen(kind)};
  raised->body.texts[1] = (Bytes){message, strlen(message)};
  return -1;
}
static Object *function(const char *name) {
  Object *object = make(kFunction);
  object->body.name = strdup(name);
  return object;
}

int TVMFFIObjectDecRef(void *handle) {
  Object *object = handle;
  if (--object->count > 0) return 0;
  if (object->type == kArray)
    for (int32_t i = 0; i < object->body.tuple.size; ++i)
      if (object->body.tuple.items[i].type >= 64) TVMFFIObjectDecRef(object->body.tuple.items[i].v.p);
  if (object->from) object->from->deleter(object->from);
  --alive;
  free(object);
  return 0;
}
void TVMFFIErrorMoveFromRaised(void **out) {
  *out = raised;
  raised = NULL;
}
void TVMFFIGetVersion(uint32_t *out) {
  out[0] = 9;
  out[1] = 8;
  out[2] = 7;
}
int TVMFFIFunctionGetGlobal(const Bytes *name, void **out) {
  char text[100] = {0};
  memcpy(text, name->data, name->size < 99 ? name->size : 99);
  *out = strncmp(text, "ffi.", 4) == 0 ? function(text) : NULL;
  return 0;
}
#ifndef WITHOUT_DLPACK
int TVMFFITensorFromDLPackVersioned(Managed *from, int32_t alignment, int32_t contiguous, void **out) {
  if ((uintptr_t)from->tensor.data % (uintptr_t)alignment != 0 || !contiguous) return fail("ValueError", "not aligned");
  Object *object = make(kTensor);
  object->body.tensor = from->tensor;
  object->from = from;
  *out = object;
  return 0;
}
#endif

static Object *floats(int32_t rank, const int64_t *shape) {
  Object *object = make(kTensor);
  int64_t count = 1;
  int64_t *numbers = calloc(16, sizeof(int64_t));
  for (int32_t i = rank; i-- > 0;) {
    numbers[i] = shape[i];
    numbers[8 + i] = count;
    count *= shape[i];
  }
  object->body.tensor = (Tensor){calloc((size_t)count + 1, 4), 1, 0, rank, 2, 32, 1, numbers, numbers + 8, 0};
  return object;
}
static const Tensor *tensorOf(const Any *any) {
  return any->type == kTensor ? &((Object *)any->v.p)->body.tensor : any->v.p;
}
/* Every element doubled. */
static Object *twice(const Any *any) {
  const Tensor *from = tensorOf(any);
  Object *object = floats(from->rank, from->shape);
  int64_t count = 1;
  for (int32_t i = 0; i < from->rank; ++i) count *= from->shape[i];
  for (int64_t i = 0; i < count; ++i) ((float *)object->body.tensor.data)[i] = 2 * ((const float *)from->data)[i];
  return object;
}
static int is(const char *name, const char *other) { return strcmp(name, other) == 0; }

static int model(const char *name, const Any *arguments, int32_t count, Any *result) {
  if (is(name, "fails")) return fail("RuntimeError", "\nCheck failed: it is so\nStack trace:\n  frame");
  if (is(name, "number")) return *result = whole(arguments[0].v.i + arguments[2].v.i + (arguments[1].v.d == 0.5)), 0;
  if (is(name, "nothing")) return 0;
  if (is(name, "alive")) return *result = whole(alive), 0;
  if (is(name, "crash")) return *(volatile int *)16;
  if (is(name, "small")) return result->type = 11, result->pad = 3, memcpy(result->v.text, "abc", 4), 0;
  if (count < 1) return fail("TypeError", "too few arguments");
  Object *object = twice(arguments);
  *result = of(object);
  Tensor *tensor = &object->body.tensor;
  if (is(name, "turned")) { /* the same memory, axes exchanged */
    const int64_t rows = tensor->shape[0];
    tensor->shape[0] = tensor->shape[1], tensor->shape[1] = rows;
    tensor->strides[1] = tensor->strides[0], tensor->strides[0] = 1;
  }
  if (is(name, "ranks")) tensor->rank = 1000;
  if (is(name, "negative")) tensor->shape[0] = -1;
  if (is(name, "large")) tensor->shape[0] = INT64_C(1) << 40;
  if (is(name, "away")) tensor->device = 2;
  if (is(name, "tuple")) {
    Object *inner = make(kArray), *outer = make(kArray);
    inner->body.tuple.size = 2;
    inner->body.tuple.items[0] = whole(7);
    inner->body.tuple.items[1] = of(object);
    outer->body.tuple.size = 2;
    outer->body.tuple.items[0] = of(twice(arguments));
    outer->body.tuple.items[1] = of(inner);
    *result = of(outer);
  }
  if (is(name, "endless")) { /* a tuple that holds itself */
    Object *outer = make(kArray);
    outer->body.tuple.size = 2;
    outer->body.tuple.items[0] = outer->body.tuple.items[1] = of(outer);
    outer->count = 1000000000;
    *result = of(outer);
  }
  return 0;
}

static const char *const kFunctions[] = {"twice", "fails", "number", "nothing", "alive", "crash", "small", "turned",
                                         "ranks", "negative", "large", "away", "tuple", "endless"};

int TVMFFIFunctionCall(void *handle, const Any *arguments, int32_t count, Any *result) {
  const char *name = ((Object *)handle)->body.name;
  if (is(name, "ffi.ModuleLoadFromFile")) {
    if (!dlopen(arguments[0].v.p, RTLD_LAZY)) return fail("InternalError", "Failed to load dynamic shared library\nmore");
#ifdef WITHOUT_LOADER
    return fail("RuntimeError", "Library binary was created using {cuda} but a loader of that name is not registered.");
#endif
    return *result = of(make(kModule)), 0;
  }
  if (is(name, "ffi.ModuleGetKind")) return result->type = 11, result->pad = 7, memcpy(result->v.text, "library", 7), 0;
  if (is(name, "ffi.ArraySize")) return *result = whole(((Object *)arguments[0].v.p)->body.tuple.size), 0;
  if (is(name, "ffi.ArrayGetItem")) {
    *result = ((Object *)arguments[0].v.p)->body.tuple.items[arguments[1].v.i];
    if (result->type >= 64) ++((Object *)result->v.p)->count;
    return 0;
  }
  if (is(name, "ffi.ModuleGetFunction")) {
    const char *wanted = arguments[1].v.p;
#ifdef WITHOUT_MACHINE
    if (is(wanted, "vm_load_executable")) return 0;
#endif
    int known = strncmp(wanted, "vm_", 3) == 0 || strncmp(wanted, "get_function_", 13) == 0;
    for (size_t i = 0; i < sizeof kFunctions / sizeof *kFunctions; ++i) known |= is(wanted, kFunctions[i]);
    if (known) *result = of(function(wanted));
    return 0;
  }
  if (is(name, "vm_load_executable")) return *result = of(make(kModule)), 0;
  if (is(name, "vm_initialization")) {
#ifdef WITHOUT_PACKED
    return fail("InternalError", "Error: Cannot find ffi::Function own.packed in either Relax VM kernel library, or in");
#endif
    if (count != 3 || arguments[0].v.i != 1 || arguments[1].v.i != 0 || arguments[2].v.i != 2) return fail("TypeError", "devices");
    return 0;
  }
  if (is(name, "get_function_arity")) {
    const char *of = arguments[0].v.p;
    const int none = is(of, "fails") || is(of, "nothing") || is(of, "alive") || is(of, "crash") || is(of, "small");
    *result = whole(is(of, "number") ? 3 : none ? 0 : 1);
    return 0;
  }
  if (is(name, "get_function_param_name")) return result->type = 11, result->pad = 1, result->v.text[0] = 'x', 0;
  return model(name, arguments, count, result);
}
#endif
