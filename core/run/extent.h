#pragma once

#include "core/base/result.h"
#include "core/host/signature.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::run {

/// Values of symbolic dimensions by name.
using Variables = std::map<std::string, int64_t, std::less<>>;

/// Returns the value of an expression of variables as TVMScript writes it: "(n + 7) // 8 * m", "T.shift_right(n + 31,
/// 5)", "T.max(n, 1)", with or without types ("T.int64(8)"). Error: USAGE with the reason for a text that is not such
/// an expression, a variable without a value, a division by zero, and a value above 64 bits. Source:
/// core/formats/host-abi.md 2.4; TVMScript's operators on integers, apache/tvm v0.20
/// python/tvm/script/ir_builder/tir/ir.py.
Result<int64_t> evaluate(std::string_view expression, const Variables& variables);

/// Returns a value for each variable of the signature: those of `given`; for the others distinct primes from 7 on, so
/// that a mismatch is easy to trace. A variable that is only in a shape parameter is the length of what a model has
/// seen so far: with caches that are empty at first, that is the first variable of the tensors, or 1 if they have none.
Variables chooseVariables(const host::Signature& signature, const Variables& given);

} // namespace blobscope::run
