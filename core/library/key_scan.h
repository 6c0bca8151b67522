#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <functional>
#include <optional>
#include <string_view>

namespace blobscope::library {

/// Whether the text can be a type key: a letter or underscore, then letters, digits, underscore, dot, hyphen; at most
/// limits::kKeyLength characters. All keys of upstream and of the vendors seen have that form.
bool isKeyText(std::string_view text);

/// Calls `found(position, key)` for every offset at or after `from` at which a u64 length is followed by that many
/// characters of key text, in ascending order, until it returns false. Error: only Cancelled.
Result<Done> scanKeys(const Bytes& bytes, uint64_t from, Monitor& monitor,
                      const std::function<bool(uint64_t position, std::string_view key)>& found);

} // namespace blobscope::library
