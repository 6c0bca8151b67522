#include "core/compile/c_headers.h"

#include <array>

namespace blobscope::compile {
namespace {

// The layouts and names are those of DLPack and of TVM's C runtime; the declarations are our own.
constexpr std::string_view kDlPackText = R"(#ifndef BLOBSCOPE_DLPACK
#define BLOBSCOPE_DLPACK
#include <stddef.h>
#include <stdint.h>
typedef enum {
  kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLOpenCL = 4, kDLVulkan = 7, kDLMetal = 8, kDLVPI = 9, kDLROCM = 10,
  kDLROCMHost = 11, kDLExtDev = 12, kDLCUDAManaged = 13, kDLOneAPI = 14, kDLWebGPU = 15, kDLHexagon = 16
} DLDeviceType;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;
typedef DLDevice DLContext;
typedef enum {
  kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLOpaqueHandle = 3, kDLBfloat = 4, kDLComplex = 5, kDLBool = 6
} DLDataTypeCode;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;
#endif
)";

constexpr std::string_view kRuntimeText = R"(#ifndef BLOBSCOPE_C_RUNTIME_API
#define BLOBSCOPE_C_RUNTIME_API
#include <dlpack/dlpack.h>
#ifdef __cplusplus
#define BLOBSCOPE_C extern "C"
#else
#define BLOBSCOPE_C extern
#endif
#ifndef TVM_DLL
#define TVM_DLL
#endif
#ifndef TVM_WEAK
#define TVM_WEAK __attribute__((weak))
#endif
typedef int64_t tvm_index_t;
typedef DLTensor TVMArray;
typedef TVMArray* TVMArrayHandle;
typedef void *TVMModuleHandle, *TVMFunctionHandle, *TVMRetValueHandle, *TVMStreamHandle, *TVMObjectHandle;
typedef enum {
  kTVMArgInt = kDLInt, kTVMArgFloat = kDLFloat, kTVMOpaqueHandle = 3, kTVMNullptr = 4, kTVMDataType = 5,
  kDLDevice = 6, kTVMDLTensorHandle = 7, kTVMObjectHandle = 8, kTVMModuleHandle = 9, kTVMPackedFuncHandle = 10,
  kTVMStr = 11, kTVMBytes = 12, kTVMNDArrayHandle = 13, kTVMObjectRValueRefArg = 14, kTVMArgBool = 15
} TVMArgTypeCode;
typedef union {
  int64_t v_int64;
  double v_float64;
  void* v_handle;
  const char* v_str;
  DLDataType v_type;
  DLDevice v_device;
} TVMValue;
typedef struct { const char* data; size_t size; } TVMByteArray;
typedef int (*TVMBackendPackedCFunc)(TVMValue* args, int* type_codes, int num_args, TVMValue* out_ret_value,
                                     int* out_ret_tcode, void* resource_handle);
typedef int (*TVMPackedCFunc)(TVMValue* args, int* type_codes, int num_args, TVMRetValueHandle ret,
                              void* resource_handle);
BLOBSCOPE_C void TVMAPISetLastError(const char* message);
BLOBSCOPE_C const char* TVMGetLastError(void);
BLOBSCOPE_C int TVMFuncCall(TVMFunctionHandle function, TVMValue* args, int* type_codes, int count, TVMValue* result,
                            int* result_code);
BLOBSCOPE_C int TVMFuncGetGlobal(const char* name, TVMFunctionHandle* out);
BLOBSCOPE_C int TVMModGetFunction(TVMModuleHandle module, const char* name, int imports, TVMFunctionHandle* out);
BLOBSCOPE_C int TVMDeviceAllocDataSpace(DLDevice device, size_t bytes, size_t alignment, DLDataType hint, void** out);
BLOBSCOPE_C int TVMDeviceFreeDataSpace(DLDevice device, void* data);
#endif
)";

constexpr std::string_view kBackendText = R"(#ifndef BLOBSCOPE_C_BACKEND_API
#define BLOBSCOPE_C_BACKEND_API
#include <tvm/runtime/c_runtime_api.h>
typedef struct { void* sync_handle; int32_t num_task; } TVMParallelGroupEnv;
typedef int (*FTVMParallelLambda)(int task, TVMParallelGroupEnv* group, void* data);
BLOBSCOPE_C void* TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t bytes, int type_code, int bits);
BLOBSCOPE_C int TVMBackendFreeWorkspace(int device_type, int device_id, void* data);
BLOBSCOPE_C int TVMBackendParallelLaunch(FTVMParallelLambda task, void* data, int tasks);
BLOBSCOPE_C int TVMBackendParallelBarrier(int task, TVMParallelGroupEnv* group);
BLOBSCOPE_C int TVMBackendRunOnce(void** handle, int (*function)(void*), void* data, int bytes);
BLOBSCOPE_C int TVMBackendGetFuncFromEnv(void* module, const char* name, TVMFunctionHandle* out);
BLOBSCOPE_C int TVMBackendRegisterSystemLibSymbol(const char* name, void* address);
#endif
)";

constexpr std::string_view kModuleText = R"(#ifndef BLOBSCOPE_CRT_MODULE
#define BLOBSCOPE_CRT_MODULE
#include <tvm/runtime/c_backend_api.h>
typedef struct { const char* names; const TVMBackendPackedCFunc* funcs; } TVMFuncRegistry;
typedef struct { const TVMFuncRegistry* registry; } TVMModule;
#endif
)";

constexpr std::string_view kErrorsText = R"(#ifndef BLOBSCOPE_CRT_ERROR_CODES
#define BLOBSCOPE_CRT_ERROR_CODES
typedef enum { kTvmErrorNoError = 0 } tvm_crt_error_t;
#endif
)";

constexpr std::string_view kMetadataText = R"(#ifndef BLOBSCOPE_METADATA_TYPES
#define BLOBSCOPE_METADATA_TYPES
#include <tvm/runtime/c_runtime_api.h>
struct TVMTensorInfo { const char* name; const int64_t* shape; int64_t num_shape; DLDataType dtype; };
struct TVMConstantInfo { const char* name_hint; int64_t byte_offset; int64_t data_len; const void* data_bytes; };
struct TVMMetadata {
  int64_t version;
  const struct TVMTensorInfo* inputs;
  int64_t num_inputs;
  const struct TVMTensorInfo* outputs;
  int64_t num_outputs;
  const struct TVMTensorInfo* workspace_pools;
  int64_t num_workspace_pools;
  const struct TVMConstantInfo* constant_pools;
  int64_t num_constant_pools;
  const char* mod_name;
};
#endif
)";

constexpr std::array<CHeader, 6> kHeaders = {{{"dlpack/dlpack.h", kDlPackText},
                                              {"tvm/runtime/c_runtime_api.h", kRuntimeText},
                                              {"tvm/runtime/c_backend_api.h", kBackendText},
                                              {"tvm/runtime/crt/module.h", kModuleText},
                                              {"tvm/runtime/crt/error_codes.h", kErrorsText},
                                              {"tvm/runtime/metadata_types.h", kMetadataText}}};

} // namespace

std::span<const CHeader> cHeaders() { return kHeaders; }

} // namespace blobscope::compile
