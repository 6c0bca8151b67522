/* A driver of CUDA for tests: the memory of the host is that of the device, kernels are functions `stub_NAME` of the shared
   object that STUB_KERNELS names. Every call that tests ask about becomes a line of the file STUB_LOG. STUB_FAULT names
   what goes wrong: no-device, stub, no-image, bad-ptx, out-of-memory, illegal-address, hang, launch. STUB_SM is the sm number,
   STUB_PARAMETERS the size of each parameter ("8,8,4"). Built by the test; -DSTUB_OLD leaves out what old drivers lack,
   -DSTUB_WITHOUT_LAUNCH a function that no driver lacks. Declarations are our own, after core/formats/host-abi.md 4.1. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef int Status;
typedef void (*StubKernel)(const unsigned dims[6], unsigned shared, void **params);

static Status pending; /* what the next synchronisation says */
static void *kernels;

static int fault(const char *name) {
  const char *const wanted = getenv("STUB_FAULT");
  return wanted && strcmp(wanted, name) == 0;
}

static void note(const char *format, ...) {
  const char *const path = getenv("STUB_LOG");
  FILE *const file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fputc('\n', file);
  fclose(file);
}

static int smNumber(void) {
  const char *const text = getenv("STUB_SM");
  return text ? atoi(text) : 89;
}

Status cuInit(unsigned flags) {
  (void)flags;
  pending = 0;
  kernels = NULL;
  if (fault("stub")) return 34;
  return fault("no-device") ? 100 : 0;
}
Status cuDriverGetVersion(int *version) { return *version = 12020, 0; }
Status cuDeviceGetCount(int *count) { return *count = 1, 0; }
Status cuDeviceGet(int *device, int index) { return *device = index, index == 0 ? 0 : 101; }
Status cuDeviceGetName(char *name, int size, int device) {
  (void)device;
  snprintf(name, (size_t)size, "Stub");
  return 0;
}
Status cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  switch (attribute) {
  case 1: *value = 1024; break;
  case 2: case 3: *value = 1024; break;
  case 4: *value = 64; break;
  case 5: *value = 2147483647; break;
  case 6: case 7: *value = 65535; break;
  case 8: *value = 49152; break;
  case 97: *value = 101376; break;
  case 75: *value = smNumber() / 10; break;
  case 76: *value = smNumber() % 10; break;
  case 95: *value = 1; break;
  case 120: *value = smNumber() >= 90; break;
  default: *value = 0;
  }
  return 0;
}
Status cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = (size_t)1 << 30, 0; }
Status cuDevicePrimaryCtxRetain(void **context, int device) { return (void)device, *context = (void *)1, 0; }
Status cuDevicePrimaryCtxRelease_v2(int device) { return (void)device, note("release context"), 0; }
Status cuCtxSetCurrent(void *context) { return (void)context, 0; }
Status cuCtxSynchronize(void) { return pending; }

Status cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 3) snprintf((char *)values[i], 64, "stub: read the image\n");
    if (options[i] == 5 && fault("bad-ptx")) snprintf((char *)values[i], 64, "line 7; error : unknown opcode\nptxas fatal\n");
  }
  if (fault("no-image")) return 209;
  if (fault("bad-ptx")) return 218;
  note("load %.4s", (const char *)image);
  *module = (void *)image;
  const char *const path = getenv("STUB_KERNELS");
  if (!kernels && path) kernels = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return 0;
}
Status cuModuleUnload(void *module) { return (void)module, note("unload"), 0; }
Status cuModuleGetFunction(void **function, void *module, const char *name) {
  (void)module;
  char symbol[256];
  snprintf(symbol, sizeof symbol, "stub_%s", name);
  *function = kernels ? dlsym(kernels, symbol) : NULL;
  return *function ? 0 : 500;
}
Status cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module, const char *name) {
  (void)module;
  static uint32_t barrier = 77;
  if (!getenv("STUB_BARRIER") || strcmp(name, "__tvm_global_barrier_state") != 0) return 500;
  *address = (uint64_t)(uintptr_t)&barrier;
  *bytes = 4;
  return 0;
}
Status cuFuncGetAttribute(int *value, int attribute, void *function) {
  (void)function;
  static const int values[] = {256, 1024, 0, 0, 32, 70, 89, 0, 49152};
  *value = attribute >= 0 && attribute < 9 ? values[attribute] : 0;
  return 0;
}
Status cuFuncSetAttribute(void *function, int attribute, int value) {
  (void)function;
  note("attribute %d = %d", attribute, value);
  return 0;
}

static Status start(void *function, const unsigned dims[6], unsigned shared, void **params) {
  if (fault("launch")) return 701;
  if (fault("illegal-address")) return pending = 700, 0;
  if (fault("hang")) {
    note("hangs");
    for (;;) pause();
  }
  StubKernel kernel;
  memcpy(&kernel, &function, sizeof kernel);
  kernel(dims, shared, params);
  return 0;
}
#ifndef STUB_WITHOUT_LAUNCH
Status cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                      unsigned shared, void *stream, void **params, void **extra) {
  (void)stream, (void)extra;
  note("launch %u %u %u, %u %u %u, %u", gx, gy, gz, bx, by, bz, shared);
  return start(function, (const unsigned[]){gx, gy, gz, bx, by, bz}, shared, params);
}
#endif
#ifndef STUB_OLD
struct Attribute {
  uint32_t id, padding;
  union {
    uint32_t extents[3];
    int32_t flag;
    char bytes[64];
  } value;
};
struct Config {
  uint32_t dims[6], shared;
  void *stream;
  struct Attribute *attributes;
  uint32_t count;
};
Status cuLaunchKernelEx(const struct Config *config, void *function, void **params, void **extra) {
  (void)extra;
  for (uint32_t i = 0; i < config->count; ++i) {
    const struct Attribute *const a = &config->attributes[i];
    if (a->id == 4) note("cluster %u %u %u", a->value.extents[0], a->value.extents[1], a->value.extents[2]);
    else note("flag %u = %d", a->id, a->value.flag);
  }
  note("launch with attributes");
  return start(function, config->dims, config->shared, params);
}
/* The sizes that STUB_PARAMETERS tells; without it a driver that does not know. */
Status cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *size) {
  (void)function;
  const char *text = getenv("STUB_PARAMETERS");
  if (!text) return 801;
  for (size_t i = 0; text; ++i, text = strchr(text, ','), text = text ? text + 1 : NULL)
    if (i == index) return *offset = 8 * i, *size = (size_t)atoi(text), 0;
  return 1;
}
#endif
Status cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                 unsigned shared, void *stream, void **params) {
  (void)stream;
  note("cooperative launch");
  return start(function, (const unsigned[]){gx, gy, gz, bx, by, bz}, shared, params);
}

Status cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (fault("out-of-memory")) return 2;
  void *const memory = malloc(bytes);
  *address = (uint64_t)(uintptr_t)memory;
  return memory ? 0 : 2;
}
Status cuMemFree_v2(uint64_t address) {
  free((void *)(uintptr_t)address);
  note("free");
  return 0;
}
Status cuMemGetInfo_v2(size_t *available, size_t *total) { return *available = 1 << 20, *total = (size_t)1 << 30, 0; }
Status cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) { return memcpy((void *)(uintptr_t)to, from, bytes), 0; }
Status cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { return memcpy(to, (const void *)(uintptr_t)from, bytes), 0; }
Status cuMemsetD8_v2(uint64_t to, unsigned char value, size_t count) { return memset((void *)(uintptr_t)to, value, count), 0; }
Status cuMemsetD32_v2(uint64_t to, unsigned value, size_t count) {
  note("fill %zu words with %u", count, value);
  for (size_t i = 0; i < count; ++i) ((uint32_t *)(uintptr_t)to)[i] = value;
  return 0;
}
Status cuStreamCreate(void **stream, unsigned flags) { return (void)flags, *stream = (void *)1, 0; }
Status cuStreamSynchronize(void *stream) { return (void)stream, pending; }
Status cuStreamDestroy_v2(void *stream) { return (void)stream, 0; }

/* An event is the nanosecond at which it was recorded. */
Status cuEventCreate(void **event, unsigned flags) { return (void)flags, *event = calloc(1, sizeof(int64_t)), 0; }
Status cuEventRecord(void *event, void *stream) {
  (void)stream;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *(int64_t *)event = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  return 0;
}
Status cuEventSynchronize(void *event) { return (void)event, pending; }
Status cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  return *milliseconds = (float)(*(int64_t *)end - *(int64_t *)begin) / 1e6f, pending;
}
Status cuEventDestroy_v2(void *event) { return free(event), 0; }

Status cuGetErrorName(Status status, const char **name) {
  switch (status) {
  case 2: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
  case 100: *name = "CUDA_ERROR_NO_DEVICE"; break;
  case 209: *name = "CUDA_ERROR_NO_BINARY_FOR_GPU"; break;
  case 218: *name = "CUDA_ERROR_INVALID_PTX"; break;
  case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
  case 701: *name = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"; break;
  default: *name = "CUDA_ERROR_OF_THE_STUB";
  }
  return 0;
}
Status cuGetErrorString(Status status, const char **text) { return (void)status, *text = "says the stub", 0; }
