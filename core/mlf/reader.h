#pragma once

#include "core/base/budget.h"
#include "core/base/monitor.h"
#include "core/mlf/model.h"

namespace blobscope::mlf {

/// Reads an archive as far as it can be read: container, files, metadata, modules and which files are theirs. A
/// generated microTVM project is read as the archive inside it, `model.tar`. What is wrong is for the checks to tell,
/// with one exception: from here on `findings` know the version. Cancelled.
Result<Model> readModel(const Bytes& file, Findings& findings, const BudgetPtr& budget, Monitor& monitor);
/// The same with a budget of its own.
Result<Model> readModel(const Bytes& file, Findings& findings, Monitor& monitor);

/// A generated file's name in its parts: "default_lib0.c" is {"default", 0, "c"}, "lib0.c" has an empty model name.
struct GeneratedName {
  std::string_view model;
  uint64_t number = 0;
  std::string_view extension;
};
/// Nothing when `name` has another shape. `model` ends at the last "_lib".
std::optional<GeneratedName> parseGeneratedName(std::string_view name);

/// Where each line begins, the first one at 0.
std::vector<uint64_t> lineStarts(std::string_view text);

/// Name of the file without its folders.
std::string_view baseName(std::string_view path);
/// Whether `path` lies directly in `folder`, given without "/" at the end.
bool isInside(std::string_view path, std::string_view folder);

/// Where `version` keeps the files of a model called `name`. Source: core/formats/model-library-format.md 5.
std::string graphPath(unsigned version, std::string_view name);
std::string listingPath(unsigned version, std::string_view name);
std::string parametersPath(std::string_view name);

} // namespace blobscope::mlf
