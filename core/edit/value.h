#pragma once

#include "core/base/field_tree.h"
#include "core/base/json.h"
#include "core/base/result.h"

#include <optional>
#include <string_view>

namespace blobscope::edit {

/// Returns the stored form of a type name ("float16x4", "handle", "bool"); nothing when no type has that name.
/// `dlpack`: in the numbering of DLPack.
std::optional<uint32_t> parseDataType(std::string_view name, bool dlpack);

/// Returns the bytes of a field with that value: for numbers and types all bytes, for texts and data the bytes after
/// the length, for a list its count and items. Numbers are JSON numbers or texts ("0x10"); bytes that are not text are
/// {"hex": "…"}. REP-VALUE with the reason; `ref` names the field.
Result<Bytes> fieldBytes(const FieldTree& tree, uint32_t row, const json::Value& value, std::string_view ref);

/// Returns REP-ENUM when no release of TVM accepts `bytes`, the result of fieldBytes() for that row; nothing when one
/// does, or when the field already has that value. `kind`: type key of the module.
std::optional<Error> findUnread(const FieldTree& tree, uint32_t row, std::string_view kind, const Bytes& bytes,
                                const Ref& ref);
/// The same for a text or number that becomes an item of the list `list` of a new FunctionInfo.
std::optional<Error> findUnreadItem(std::string_view list, std::string_view kind, const json::Value& item,
                                    const Ref& ref);

/// Returns the bytes of a number of `size` bytes in an array of words.
Result<Bytes> wordBytes(unsigned size, const json::Value& value, std::string_view ref);

/// Returns a value as JSON text on one line.
std::string jsonText(const json::Value& value);

} // namespace blobscope::edit
