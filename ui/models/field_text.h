#pragma once

#include "core/base/field_tree.h"
#include "core/base/json.h"

#include <QString>

#include <optional>

/// Values of fields as one line of text that the user edits.
namespace blobscope::ui::fieldtext {

/// Returns the value as text: numbers, types, short texts, and lists of these separated by commas. Returns nullopt for
/// what does not fit in one line: data, structures, texts of several lines, items that contain commas.
std::optional<QString> editText(const FieldTree& tree, uint32_t row);

/// Converts typed text to the value of an edit. A list may also be a JSON array.
json::Value valueOf(const FieldTree& tree, uint32_t row, const QString& text);

/// Returns a plain value of JSON as text: a text without quotes, a number, true or null. Returns nullopt for objects,
/// lists, and texts that do not fit in one line.
std::optional<QString> jsonText(const FieldTree& tree, uint32_t row);

/// Converts typed text to a value of the type that the row has: a text stays a text, a number a number. Returns nullopt
/// for text that is no value of that type; null may become any value.
std::optional<json::Value> jsonValueOf(const FieldTree& tree, uint32_t row, const QString& text);

} // namespace blobscope::ui::fieldtext
