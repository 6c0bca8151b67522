#include "core/syntax/languages.h"

namespace blobscope::syntax {
namespace {

// Source: The OpenCL C Specification 3.0, 6.1.9 (keywords), 6.3 (types), 6.15.1 (work-item functions).
constexpr auto kOwnKeywords = std::to_array<std::string_view>(
    {"__attribute__", "__constant", "__generic",  "__global", "__kernel",   "__local",    "__private", "__read_only",
     "__read_write",  "__write_only", "constant", "generic",  "global",     "kernel",     "local",     "private",
     "read_only",     "read_write", "uniform",    "volatile", "write_only"});
constexpr auto kKeywords = merged(kCKeywords, kOwnKeywords);
static_assert(isSorted(kKeywords));

constexpr auto kTypes = std::to_array<std::string_view>(
    {"atomic_double", "atomic_flag", "atomic_float", "atomic_int", "atomic_intptr_t", "atomic_long",
     "atomic_ptrdiff_t", "atomic_size_t", "atomic_uint", "atomic_uintptr_t", "atomic_ulong", "bool", "char", "char16",
     "char2", "char3", "char4", "char8", "clk_event_t", "double", "double16", "double2", "double3", "double4",
     "double8", "event_t", "float", "float16", "float2", "float3", "float4", "float8", "half", "half16", "half2",
     "half3", "half4", "half8", "image1d_array_t", "image1d_buffer_t", "image1d_t", "image2d_array_depth_t",
     "image2d_array_t", "image2d_depth_t", "image2d_t", "image3d_t", "int", "int16", "int2", "int3", "int4", "int8",
     "intptr_t", "long", "long16", "long2", "long3", "long4", "long8", "ndrange_t", "pipe", "ptrdiff_t", "queue_t",
     "reserve_id_t", "sampler_t", "short", "short16", "short2", "short3", "short4", "short8", "signed", "size_t",
     "uchar", "uchar16", "uchar2", "uchar3", "uchar4", "uchar8", "uint", "uint16", "uint2", "uint3", "uint4", "uint8",
     "uintptr_t", "ulong", "ulong16", "ulong2", "ulong3", "ulong4", "ulong8", "unsigned", "ushort", "ushort16",
     "ushort2", "ushort3", "ushort4", "ushort8", "void"});
static_assert(isSorted(kTypes));

constexpr auto kPlaces = std::to_array<std::string_view>(
    {"get_enqueued_local_size", "get_global_id", "get_global_linear_id", "get_global_offset", "get_global_size",
     "get_group_id", "get_local_id", "get_local_linear_id", "get_local_size", "get_num_groups",
     "get_num_sub_groups", "get_sub_group_id", "get_sub_group_local_id", "get_sub_group_size", "get_work_dim"});
static_assert(isSorted(kPlaces));

} // namespace

const Language kOpencl = {.name = "opencl",
                          .keywords = kKeywords,
                          .types = kTypes,
                          .registers = kPlaces,
                          .comments = true,
                          .preprocessor = true};

} // namespace blobscope::syntax
