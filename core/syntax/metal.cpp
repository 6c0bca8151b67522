#include "core/syntax/languages.h"

namespace blobscope::syntax {
namespace {

// Source: Metal Shading Language Specification 3.2 (address spaces, function qualifiers, vector types); C++ keywords as
// far as kernels use them.
constexpr auto kOwnKeywords =
    std::to_array<std::string_view>({"class",       "constant", "constexpr", "device",      "false",
                                     "fragment",    "kernel",   "namespace", "private",     "public",
                                     "static_cast", "template", "thread",    "threadgroup", "threadgroup_imageblock",
                                     "true",        "typename", "using",     "vertex",      "volatile"});
constexpr auto kKeywords = merged(kCKeywords, kOwnKeywords);
static_assert(isSorted(kKeywords));

constexpr auto kTypes = std::to_array<std::string_view>({"atomic_float",
                                                         "atomic_int",
                                                         "atomic_uint",
                                                         "auto",
                                                         "bfloat",
                                                         "bool",
                                                         "bool2",
                                                         "bool3",
                                                         "bool4",
                                                         "char",
                                                         "char2",
                                                         "char3",
                                                         "char4",
                                                         "double",
                                                         "float",
                                                         "float2",
                                                         "float3",
                                                         "float4",
                                                         "half",
                                                         "half2",
                                                         "half3",
                                                         "half4",
                                                         "int",
                                                         "int2",
                                                         "int3",
                                                         "int4",
                                                         "long",
                                                         "long2",
                                                         "long3",
                                                         "long4",
                                                         "sampler",
                                                         "short",
                                                         "short2",
                                                         "short3",
                                                         "short4",
                                                         "signed",
                                                         "simdgroup_float8x8",
                                                         "simdgroup_half8x8",
                                                         "size_t",
                                                         "texture1d",
                                                         "texture2d",
                                                         "texture3d",
                                                         "uchar",
                                                         "uchar2",
                                                         "uchar3",
                                                         "uchar4",
                                                         "uint",
                                                         "uint2",
                                                         "uint3",
                                                         "uint4",
                                                         "ulong",
                                                         "ulong2",
                                                         "ulong3",
                                                         "ulong4",
                                                         "unsigned",
                                                         "ushort",
                                                         "ushort2",
                                                         "ushort3",
                                                         "ushort4",
                                                         "void"});
static_assert(isSorted(kTypes));

constexpr auto kPlaces = std::to_array<std::string_view>({"blockIdx", "threadIdx"});

} // namespace

const Language kMetal = {.name = "metal",
                         .keywords = kKeywords,
                         .types = kTypes,
                         .registers = kPlaces,
                         .comments = true,
                         .preprocessor = true};

} // namespace blobscope::syntax
