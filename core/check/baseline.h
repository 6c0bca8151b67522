#pragma once

#include "core/base/result.h"
#include "core/check/report.h"

#include <filesystem>
#include <set>
#include <string>

namespace blobscope::check {

/// The findings of an earlier output of `check --json`, which a later check leaves out.
class Baseline {
public:
  /// Usage when the file is not such an output; the errors of ByteSource::openFile.
  static Result<Baseline> read(const std::filesystem::path& path);
  /// Whether it has an issue with the same rule, place and message.
  bool contains(const Issue& issue) const;

private:
  std::set<std::string> m_keys;
};

} // namespace blobscope::check
