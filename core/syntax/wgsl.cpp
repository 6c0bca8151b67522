#include "core/syntax/languages.h"

namespace blobscope::syntax {
namespace {

// Source: WebGPU Shading Language, W3C Candidate Recommendation Draft 2024, 3.7 keywords and 6 types.
constexpr auto kKeywords = std::to_array<std::string_view>(
    {"alias",    "break",    "case",   "const",  "const_assert", "continue", "continuing", "default", "diagnostic",
     "discard",  "else",     "enable", "false",  "fn",           "for",      "if",         "let",     "loop",
     "override", "requires", "return", "struct", "switch",       "true",     "var",        "while"});
static_assert(isSorted(kKeywords));

constexpr auto kTypes = std::to_array<std::string_view>(
    {"array",  "atomic", "bool",   "f16",    "f32", "i32",     "mat2x2",     "mat2x3", "mat2x4", "mat3x2", "mat3x3",
     "mat3x4", "mat4x2", "mat4x3", "mat4x4", "ptr", "sampler", "texture_2d", "u32",    "vec2",   "vec3",   "vec4"});
static_assert(isSorted(kTypes));

constexpr auto kPlaces =
    std::to_array<std::string_view>({"blockIdx", "function", "gridDim", "private", "read", "read_write", "storage",
                                     "threadIdx", "uniform", "workgroup", "write"});
static_assert(isSorted(kPlaces));

} // namespace

const Language kWgsl = {.name = "wgsl", .keywords = kKeywords, .types = kTypes, .registers = kPlaces, .comments = true};

} // namespace blobscope::syntax
