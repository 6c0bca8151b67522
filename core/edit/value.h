#pragma once

#include "core/base/field_tree.h"
#include "core/base/json.h"
#include "core/base/result.h"

#include <optional>
#include <string_view>

namespace blobscope::edit {

/// The stored form of a type's name ("float16x4", "handle", "bool") in that numbering; nothing when no type is called
/// so.
std::optional<uint32_t> parseDataType(std::string_view name, bool dlpack);

/// The bytes that a field of the tree holds when it has that value: of numbers and types all of them, of texts and data
/// those behind the length, of a list its count and items. Numbers are JSON numbers, or texts ("0x10"); bytes that are
/// no text are {"hex": "…"}. REP-VALUE with the reason, `ref` names the field.
Result<Bytes> fieldBytes(const FieldTree& tree, uint32_t row, const json::Value& value, std::string_view ref);

/// REP-ENUM when `bytes`, made by fieldBytes() for that row, say what no release of TVM reads there; nothing when they
/// do not, or when the field says the same already. `kind`: type key of the module.
std::optional<Error> findUnread(const FieldTree& tree, uint32_t row, std::string_view kind, const Bytes& bytes,
                                const Ref& ref);
/// The same for one text or number that becomes an item of the list `list` of a new FunctionInfo.
std::optional<Error> findUnreadItem(std::string_view list, std::string_view kind, const json::Value& item,
                                    const Ref& ref);

/// The bytes of a number of `size` bytes in an array of words.
Result<Bytes> wordBytes(unsigned size, const json::Value& value, std::string_view ref);

/// JSON text of a value, one line.
std::string jsonText(const json::Value& value);

} // namespace blobscope::edit
