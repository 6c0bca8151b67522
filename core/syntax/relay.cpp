#include "core/syntax/languages.h"

namespace blobscope::syntax {
namespace {

// Source: apache/tvm v0.12.0 src/relay/parser/tokenizer.h, KEYWORD_TABLE, and the
// type names of src/relay/parser/parser.cc.
constexpr auto kKeywords = std::to_array<std::string_view>(
    {"def", "else", "extern", "fn", "free_var", "if", "let", "match", "meta", "ref", "ref_read", "ref_write", "type"});
static_assert(isSorted(kKeywords));

constexpr auto kTypes = std::to_array<std::string_view>({"False", "Tensor", "True", "bfloat16", "bool", "float16",
                                                         "float32", "float64", "int16", "int32", "int4", "int64",
                                                         "int8", "uint1", "uint16", "uint32", "uint64", "uint8"});
static_assert(isSorted(kTypes));

} // namespace

const Language kRelay = {.name = "relay", .keywords = kKeywords, .types = kTypes, .comments = true, .variables = true};

} // namespace blobscope::syntax
