#pragma once

#include "core/base/json.h"
#include "core/describe/text_output.h"
#include "core/write/repack.h"

#include <optional>
#include <string>
#include <vector>

namespace blobscope::describe {

/// The strategy of a plan in words: "in place", "append, program headers stay in place"; those of several blobs with
/// "; then " between them, each once.
std::string strategyText(const write::Plan& plan);

/// A step of a plan as people read it; offset and size are empty where there is none.
struct StepText {
  std::string what, offset, size, why;
};
/// The steps of a plan, then the one that every plan ends with: the result is read back before it gets its name. None
/// for a plan without steps.
std::vector<StepText> stepsOf(const write::Plan& plan);

/// What was written, or would be.
struct WrittenFile {
  std::optional<std::string> path; ///< nothing for a dry run
  std::string sha256Before;
  std::optional<std::string> sha256After; ///< nothing when it is not known
};
/// Members of an open object: what cli.md says of `repack`.
void writePlan(json::Writer& writer, const write::Repack& repack, const WrittenFile& written);
/// The plan as lines of text. `path`: the file that was written, nothing for a dry run.
void writeText(const write::Repack& repack, const std::optional<std::string>& path, const TextOutput& out);

} // namespace blobscope::describe
