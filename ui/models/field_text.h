#pragma once

#include "core/base/field_tree.h"
#include "core/base/json.h"

#include <QString>

#include <optional>

/// Values of fields as a line of text that a user edits.
namespace blobscope::ui::fieldtext {

/// The value as text: numbers, types, short texts, and lists of these with commas between the items. Nothing for what
/// no line can hold: data, structures, texts of several lines, items that contain commas.
std::optional<QString> editText(const FieldTree& tree, uint32_t row);

/// What was typed, as an edit takes it. A list may also be a JSON array.
json::Value valueOf(const FieldTree& tree, uint32_t row, const QString& text);

} // namespace blobscope::ui::fieldtext
