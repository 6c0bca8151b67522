#pragma once

#include "core/base/budget.h"
#include "core/base/monitor.h"
#include "core/mlf/model.h"

namespace blobscope::mlf {

/// Reads as much of an archive as possible: container, files, metadata, modules and their files. A generated microTVM
/// project is read as the archive inside it, `model.tar`. Problems are left to the checks to report; but reading sets
/// the version in `findings`. Error: Cancelled.
Result<Model> readModel(const Bytes& file, Findings& findings, const BudgetPtr& budget, Monitor& monitor);
/// The same with a separate budget.
Result<Model> readModel(const Bytes& file, Findings& findings, Monitor& monitor);

/// The parts of a generated file's name: "default_lib0.c" is {"default", 0, "c"}, "lib0.c" has an empty model name.
struct GeneratedName {
  std::string_view model;
  uint64_t number = 0;
  std::string_view extension;
};
/// Returns nothing if `name` has another form. `model` ends at the last "_lib".
std::optional<GeneratedName> parseGeneratedName(std::string_view name);

/// Returns the offset of each line; the first is 0.
std::vector<uint64_t> lineStarts(std::string_view text);

/// Returns the name of the file without its folders.
std::string_view baseName(std::string_view path);
/// Returns whether `path` is directly in `folder`, which has no "/" at the end.
bool isInside(std::string_view path, std::string_view folder);

/// The paths at which `version` stores the files of a model named `name`. Source: core/formats/model-library-format.md
/// 5.
std::string graphPath(unsigned version, std::string_view name);
std::string listingPath(unsigned version, std::string_view name);
std::string parametersPath(std::string_view name);

} // namespace blobscope::mlf
