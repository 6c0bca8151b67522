#include "core/syntax/languages.h"

namespace blobscope::syntax {
namespace {

// Source: ISO C11 6.4.1, 7.20 (stdint.h).
constexpr auto kOwnKeywords = std::to_array<std::string_view>({"register", "volatile"});
constexpr auto kKeywords = merged(kCKeywords, kOwnKeywords);
static_assert(isSorted(kKeywords));

constexpr auto kTypes = std::to_array<std::string_view>(
    {"DLTensor", "TVMFFIAny", "TVMValue", "_Bool",    "bool",    "char",     "double", "float",
     "int",      "int16_t",   "int32_t",  "int64_t",  "int8_t",  "long",     "short",  "signed",
     "size_t",   "uint16_t",  "uint32_t", "uint64_t", "uint8_t", "unsigned", "void"});
static_assert(isSorted(kTypes));

} // namespace

const Language kC = {.name = "c", .keywords = kKeywords, .types = kTypes, .comments = true, .preprocessor = true};

} // namespace blobscope::syntax
