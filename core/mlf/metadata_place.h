#pragma once

#include "core/base/json.h"
#include "core/mlf/model.h"

#include <initializer_list>
#include <string>
#include <string_view>

/// Where in metadata.json something is, for the rules about it.
namespace blobscope::mlf {

/// The place of a JSON pointer.
Place metadataPlace(std::string_view pointer);
/// The pointer for people: "modules.net.memory.functions.main[0]"; "the root" for an empty one.
std::string whereText(std::string_view pointer);
/// The last step of a pointer, as the name it stands for.
std::string lastStep(std::string_view pointer);
/// MLF-109 for each member of `object` that is not among `known`.
void checkKnownKeys(const json::Value& object, std::string_view pointer, std::initializer_list<std::string_view> known,
                    Findings& findings);
/// "1234", "-5", "'text'", "an object": a value of a message.
std::string valueText(const json::Value& value);

} // namespace blobscope::mlf
