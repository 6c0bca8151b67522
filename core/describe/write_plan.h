#pragma once

#include "core/base/json.h"
#include "core/check/report.h"
#include "core/describe/image_change.h"
#include "core/describe/text_output.h"
#include "core/write/repack.h"

#include <optional>
#include <string>
#include <vector>

namespace blobscope::describe {

/// Returns the strategy of a plan in words: "in place", "append, in a new section"; the different
/// strategies of several blobs are joined by "; then ".
std::string strategyText(const write::Plan& plan);

/// A step of a plan as text; offset and size are empty where there is none.
struct StepText {
  std::string what, offset, size, why;
};
/// Returns the steps of a plan, followed by the step that ends every plan: the result is read back before it is
/// renamed. Empty for a plan without steps.
std::vector<StepText> stepsOf(const write::Plan& plan);

/// Returns the findings of the rules for the file that a plan writes; nothing when there are no rules for it. Opens the
/// result from memory. Errors: those of opening it, Cancelled.
Result<std::optional<check::Report>> checkResult(const write::Repack& repack, Monitor& monitor);

/// A finding that a quick fix mended.
struct MendedFinding {
  std::string rule, message;
  std::string fix; ///< what was done
};

/// What was written, or would be written.
struct WrittenFile {
  std::optional<std::string> path; ///< nothing for a dry run
  std::string sha256Before;
  std::optional<std::string> sha256After;     ///< nothing if it is not known
  std::optional<ImageChange> images = {};     ///< as imageChangeOf() returns it
  std::optional<check::Report> findings = {}; ///< as checkResult() returns it
  std::vector<MendedFinding> mended = {};
};
/// Writes the members of an open object, as cli.md specifies for `repack`.
void writePlan(json::Writer& writer, const write::Repack& repack, const WrittenFile& written);
/// Writes the plan as lines of text.
void writeText(const write::Repack& repack, const WrittenFile& written, const TextOutput& out);

} // namespace blobscope::describe
