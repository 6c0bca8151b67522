#pragma once

#include "core/base/result.h"
#include "core/check/report.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace blobscope::check {

/// The findings of an earlier output of `check --json` or `safety --json`, which a later one omits.
class Baseline {
public:
  /// Reads such an output of the command `verb`. Usage when the file is not one; the errors of ByteSource::openFile.
  static Result<Baseline> read(const std::filesystem::path& path, std::string_view verb = "check");
  /// Whether the baseline has an issue with the same rule, place and message.
  bool contains(const Issue& issue) const;

private:
  std::set<std::string> m_keys;
};

} // namespace blobscope::check
