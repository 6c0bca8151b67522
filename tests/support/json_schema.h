#pragma once

#include "core/base/json.h"

#include <string>

namespace blobscope::test {

/// Says why `value` does not follow the JSON Schema, empty when it does. Knows the keywords that our schemas use: type,
/// const, enum, oneOf, properties, required, additionalProperties, items, minimum, pattern, $ref, $defs; any other
/// keyword except annotations is an error, so that no rule is skipped silently.
std::string whyInvalid(const json::Value& value, const json::Value& schema);

} // namespace blobscope::test
