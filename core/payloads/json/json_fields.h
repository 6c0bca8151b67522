#pragma once

#include "core/base/field_tree.h"
#include "core/base/result.h"
#include "core/view/page.h"

namespace blobscope::payloads {

/// A JSON text as fields: objects are groups, lists are items, every other value is its text. Names are the keys as
/// written, without the quotes. The errors of json::parseLocated().
Result<FieldTree> describeJson(const Bytes& text);

/// Returns the JSON pointer (RFC 6901) of a row of such a tree: "/nodes/3/op". Empty for the only row of a text that is
/// neither an object nor an array.
std::string jsonPointer(const FieldTree& tree, uint32_t row);

/// The page of that tree, made when it is first shown; for text that is not JSON the page says why.
view::Page jsonFieldsPage(const std::string& name, const Bytes& text);

} // namespace blobscope::payloads
