#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/check/report.h"
#include "core/library/package.h"
#include "core/view/details.h"

#include <filesystem>
#include <optional>

namespace blobscope::mlf {

/// Checks an opened file: Model Library Format archives by their rules, everything else by what opening found and by
/// encoding each blob again. Cancelled.
Result<check::Report> check(const library::PackagePtr& package, Monitor& monitor);

/// What opening found: the findings of a file that was not checked.
check::Report foundWhileOpening(const library::Package& package);

/// What the Details panel says of a finding: rule, severity, place, sentence, what to do.
view::Details issueDetails(const check::Issue& issue);

/// Checks bytes by the rules for archives, whatever they are. Cancelled.
Result<check::Report> checkArchive(const Bytes& file, Monitor& monitor);

/// Opens and checks the file at `path`. More can be checked than opened: archives compressed with bzip2 or xz, and
/// files called .tar that are none. The errors of library::open. `memoryBytes`: as library::OpenOptions has it.
Result<check::Report> checkFile(const std::filesystem::path& path, Monitor& monitor,
                                std::optional<uint64_t> memoryBytes = {});

} // namespace blobscope::mlf
