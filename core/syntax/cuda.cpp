#include "core/syntax/languages.h"

namespace blobscope::syntax {
namespace {

// Source: CUDA C++ Programming Guide 13.0 (language extensions); C++ keywords as far as kernels use them.
constexpr auto kOwnKeywords = std::to_array<std::string_view>({"__align__",
                                                               "__builtin_align__",
                                                               "__cluster_dims__",
                                                               "__constant__",
                                                               "__device__",
                                                               "__forceinline__",
                                                               "__global__",
                                                               "__grid_constant__",
                                                               "__host__",
                                                               "__inline__",
                                                               "__launch_bounds__",
                                                               "__managed__",
                                                               "__noinline__",
                                                               "__restrict__",
                                                               "__shared__",
                                                               "alignas",
                                                               "alignof",
                                                               "and",
                                                               "asm",
                                                               "class",
                                                               "const_cast",
                                                               "constexpr",
                                                               "decltype",
                                                               "delete",
                                                               "explicit",
                                                               "false",
                                                               "friend",
                                                               "mutable",
                                                               "namespace",
                                                               "new",
                                                               "noexcept",
                                                               "not",
                                                               "nullptr",
                                                               "operator",
                                                               "or",
                                                               "private",
                                                               "protected",
                                                               "public",
                                                               "reinterpret_cast",
                                                               "static_assert",
                                                               "static_cast",
                                                               "template",
                                                               "this",
                                                               "true",
                                                               "typename",
                                                               "using",
                                                               "virtual",
                                                               "volatile"});
constexpr auto kKeywords = merged(kCKeywords, kOwnKeywords);
static_assert(isSorted(kKeywords));

constexpr auto kTypes =
    std::to_array<std::string_view>({"__half",        "__half2",       "__nv_bfloat16", "__nv_bfloat162",
                                     "__nv_fp4_e2m1", "__nv_fp8_e4m3", "__nv_fp8_e5m2", "__nv_fp8_e8m0",
                                     "auto",          "bool",          "char",          "char1",
                                     "char2",         "char3",         "char4",         "cudaTextureObject_t",
                                     "dim3",          "double",        "double1",       "double2",
                                     "double3",       "double4",       "float",         "float1",
                                     "float2",        "float3",        "float4",        "half",
                                     "half2",         "int",           "int1",          "int16_t",
                                     "int2",          "int3",          "int32_t",       "int4",
                                     "int64_t",       "int8_t",        "long",          "long1",
                                     "long2",         "long3",         "long4",         "longlong1",
                                     "longlong2",     "longlong3",     "longlong4",     "nv_bfloat16",
                                     "nv_bfloat162",  "short",         "short1",        "short2",
                                     "short3",        "short4",        "signed",        "size_t",
                                     "uchar",         "uchar1",        "uchar2",        "uchar3",
                                     "uchar4",        "uint",          "uint1",         "uint16_t",
                                     "uint2",         "uint3",         "uint32_t",      "uint4",
                                     "uint64_t",      "uint8_t",       "uintptr_t",     "ulong",
                                     "ulong1",        "ulong2",        "ulong3",        "ulong4",
                                     "ulonglong1",    "ulonglong2",    "ulonglong3",    "ulonglong4",
                                     "unsigned",      "ushort",        "ushort1",       "ushort2",
                                     "ushort3",       "ushort4",       "void",          "wchar_t"});
static_assert(isSorted(kTypes));

constexpr auto kPlaces = std::to_array<std::string_view>({"blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize"});
static_assert(isSorted(kPlaces));

} // namespace

const Language kCuda = {.name = "cuda",
                        .keywords = kKeywords,
                        .types = kTypes,
                        .registers = kPlaces,
                        .comments = true,
                        .preprocessor = true};

} // namespace blobscope::syntax
