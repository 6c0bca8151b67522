#pragma once

#include "core/base/json.h"
#include "core/mlf/model.h"

#include <initializer_list>
#include <string>
#include <string_view>

/// Places in metadata.json, for the rules about it.
namespace blobscope::mlf {

/// Returns the place of a JSON pointer.
Place metadataPlace(std::string_view pointer);
/// Returns the pointer as shown to users: "modules.net.memory.functions.main[0]"; "the root" for an empty one.
std::string whereText(std::string_view pointer);
/// Returns the last step of a pointer, without escapes.
std::string lastStep(std::string_view pointer);
/// Reports MLF-109 for each member of `object` that is not in `known`.
void checkKnownKeys(const json::Value& object, std::string_view pointer, std::initializer_list<std::string_view> known,
                    Findings& findings);
/// Returns a value for a message: "1234", "-5", "'text'", "an object".
std::string valueText(const json::Value& value);

} // namespace blobscope::mlf
