#include "core/syntax/languages.h"

namespace blobscope::syntax {
namespace {

// "Infinity" and "NaN" are not JSON, but Python writes them, and TVM's graphs are written by Python.
constexpr auto kLiterals = std::to_array<std::string_view>({"Infinity", "NaN", "false", "null", "true"});
static_assert(isSorted(kLiterals));

} // namespace

const Language kJson = {.name = "json", .types = kLiterals, .keys = true};

} // namespace blobscope::syntax
