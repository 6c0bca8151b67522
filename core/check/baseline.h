#pragma once

#include "core/base/result.h"
#include "core/check/report.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::check {

/// The findings of an earlier output of `check --json` or `safety --json`, which a later one omits.
class Baseline {
public:
  /// Reads such an output of the command `verb`. Usage when the file is not one; the errors of ByteSource::openFile.
  static Result<Baseline> read(const std::filesystem::path& path, std::string_view verb = "check");
  /// Splits `issues` into those of the baseline and the others: the returned flag of an issue says that the baseline
  /// has it. The same issue is one with the same rule, place and message, however often it occurs; or, of issues with a
  /// fingerprint, one with the same rule and fingerprint, as often as the baseline has it.
  std::vector<bool> known(const std::vector<Issue>& issues) const;
  /// Removes the issues that the baseline has, and returns their number.
  uint64_t remove(std::vector<Issue>& issues) const;

private:
  std::map<std::string, uint64_t> m_counts;
};

} // namespace blobscope::check
