#pragma once

#include "app/cli/command.h"
#include "core/describe/write_plan.h"
#include "core/write/repack.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace blobscope::cli {

/// What a verb reports in addition to the plan.
struct RepackExtra {
  std::vector<Diagnostic> consequences = {};
  std::vector<describe::MendedFinding> mended = {};
};

/// Common parts of the verbs that write a library with edits: their options, the writing, the report.
class RepackingCommand : public Command {
protected:
  void declareWriting(CLI::App& app);
  /// Plans, writes unless it is a dry run, and reports. `inputs`: files that were read, other than the library and the
  /// files of the edits.
  Result<Exit> repack(const library::PackagePtr& package, std::span<const edit::Edit> edits, edit::ApplyOptions options,
                      std::vector<std::filesystem::path> inputs, Session& session, RepackExtra extra = {});

private:
  std::string m_output, m_verify = "full", m_signature;
  bool m_dryRun = false, m_scrub = false, m_backup = false, m_force = false;
};

} // namespace blobscope::cli
