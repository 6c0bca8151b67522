#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/check/report.h"
#include "core/library/package.h"
#include "core/preflight/folder.h"
#include "core/preflight/preflight.h"
#include "core/requirements/requirements.h"
#include "core/targets/facts.h"
#include "core/view/page.h"

#include <memory>
#include <optional>
#include <string>

/// Whether a library loads, in words: pages, sentences, findings.
namespace blobscope::describe {

using RequirementsPtr = std::shared_ptr<const requirements::Requirements>;

/// The state of a cell or a step.
view::ChecklistPage::State stateOf(const preflight::Outcome& outcome);
/// The verdict as a sentence without a full stop: "Opens in TVM 0.27, but finds none of its modules". `where`: " in TVM
/// 0.27", or empty where the target is beside the sentence.
std::string verdictText(const preflight::Outcome& outcome, std::string_view where);
/// The same with the target: its title, flags and device.
std::string outcomeText(const preflight::Outcome& outcome);

/// Findings that differ only in a name, such as the functions of one library that is not there, in one sentence.
struct MissingGroup {
  const preflight::Missing* first = nullptr; ///< whose words, fix and place count for all
  std::size_t count = 1;
  std::string sentence; ///< of the first; with the other names when there are any
};
/// By step, in the order of Outcome::missing.
std::vector<MissingGroup> groupsOf(const preflight::Outcome& outcome);

/// The answer for a target, with the strip of all releases. Errors: PRE-RUNTIME, PRE-DEVICE, those of readRuntime().
Result<view::ChecklistPage> checklistOf(const RequirementsPtr& needs, const targets::FactsPtr& facts,
                                        view::ChecklistPage::Choice choice, Monitor& monitor);

/// The page "Will it load?" of an opened file, made when it is shown: for the newest release, and for the GPU of its
/// first image.
view::Page preflightPage(const library::PackagePtr& package);
/// Whether a file has that page: a library or an archive of objects in which something comes from TVM.
bool hasPreflight(const library::Package& package);

/// The table "Requirements" of an opened file: what it needs, one row each, in the order of the steps.
view::Page requirementsPage(const library::PackagePtr& package);

/// The answer for an opened file in a few words.
struct PreflightSummary {
  std::string fitting;   ///< "0.22 – 0.27": releases on which nothing is missing; empty when there are none
  bool doubtful = false; ///< for some of these, whether something is missing is not known
  std::string newest;    ///< "Loads in TVM 0.27"
  view::ChecklistPage::State state = view::ChecklistPage::State::Unknown; ///< on the newest release
  /// What is missing on the newest release, as findings of Severity::Note, since another release may have it. Without
  /// its carrier nothing else is listed.
  std::vector<check::Issue> issues;
  std::optional<std::size_t> newestFitting; ///< release of TVM itself, a number in Facts::releases()
  /// From which the rest was made.
  RequirementsPtr needs;
  targets::FactsPtr facts;
};
/// Error: PRE-FACTS, Cancelled. For files that hasPreflight().
Result<PreflightSummary> summarizePreflight(const library::PackagePtr& package, Monitor& monitor);
/// The answer for a device of this machine, with the newest release on which nothing else is missing: "NVIDIA H100:
/// loads in TVM 0.27 with cuda". Empty for code that no driver of this machine could run, such as that for the
/// processor or for Metal, and when the runner is not there. Asks the drivers. Error: Cancelled.
Result<std::string> summarizeHere(const PreflightSummary& summary, Monitor& monitor);

} // namespace blobscope::describe
