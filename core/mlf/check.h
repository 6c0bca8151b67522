#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/check/report.h"
#include "core/library/package.h"
#include "core/view/details.h"

#include <filesystem>
#include <optional>

namespace blobscope::mlf {

/// Checks an opened file: Model Library Format archives by their rules, everything else by the diagnostics of opening
/// it and by encoding each blob again. Error: Cancelled.
Result<check::Report> check(const library::PackagePtr& package, Monitor& monitor);

/// Returns the diagnostics of opening: the findings of a file that was not checked.
check::Report foundWhileOpening(const library::Package& package);

/// Returns the rows of the Details panel for a finding: rule, severity, place, sentence, what to do.
view::Details issueDetails(const check::Issue& issue);

/// Checks any bytes by the rules for archives. Error: Cancelled.
Result<check::Report> checkArchive(const Bytes& file, Monitor& monitor);

/// Opens and checks the file at `path`, or all files of a folder; Report::format is then "folder". `with`: files and
/// folders with which it is linked into one program; what keeps them from it is reported too, but not what is wrong
/// with them alone. More files can be checked than opened: archives compressed with bzip2 or xz, and files that are
/// named .tar but are not tar archives. Errors: those of library::open. `memoryBytes`: as in library::OpenOptions.
Result<check::Report> checkFile(const std::filesystem::path& path, Monitor& monitor,
                                std::optional<uint64_t> memoryBytes = {},
                                const std::vector<std::filesystem::path>& with = {});

} // namespace blobscope::mlf
