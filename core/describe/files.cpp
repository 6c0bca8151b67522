#include "core/describe/files.h"

#include "core/base/text.h"
#include "core/describe/preflight.h"

#include <algorithm>
#include <string>
#include <utility>

namespace blobscope::describe {
namespace {

using preflight::FileOutcomes;
using preflight::Missing;
using preflight::Outcome;

constexpr std::size_t kMostMissing = 8, kMostAffected = 10;

Severity severityOf(const Outcome& outcome) {
  using State = view::ChecklistPage::State;
  switch (stateOf(outcome)) {
  case State::Fails:
  case State::Crashes: return Severity::Error;
  case State::Later:
  case State::Empty: return Severity::Warning;
  default: return Severity::Note;
  }
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostAffected); ++i)
    out += (i > 0 ? ", " : "") + escaped(names[i]);
  if (names.size() > kMostAffected) out += " and " + groupedText(names.size() - kMostAffected) + " more";
  return out;
}

void addMissing(const Missing& missing, view::Details& details) {
  view::DetailGroup& group = details.emplace_back();
  group.title = missing.certain ? "What is missing" : "What is not known";
  const auto row = [&](std::string label, std::string value, bool code = false) {
    if (!value.empty()) group.rows.push_back({std::move(label), std::move(value), code, std::nullopt, std::nullopt});
  };
  row("Name", escaped(missing.name));
  row("Step",
      std::to_string(static_cast<unsigned>(missing.step)) + ", " + std::string(preflight::stepTitle(missing.step)));
  row("Rule", std::string(check::row(missing.rule).id), true);
  row("Meaning", missing.sentence);
  row("Affected", joined(missing.affected));
  if (missing.ref) group.rows.push_back({"Place", missing.ref->shown(), true, missing.ref, std::nullopt});
  row("What to do", missing.fix);
  if (missing.printed.empty()) return;
  view::DetailGroup& printed = details.emplace_back();
  printed.title = "Message";
  printed.printed = missing.printed;
}

} // namespace

view::Details cellDetails(const FileOutcomes& file, std::size_t target) {
  view::Details details;
  view::DetailGroup cell{"Selected cell", {}, {}, {}};
  cell.rows.push_back({"Library", escaped(file.path), false, Ref::file(), std::nullopt});
  if (!file.error.empty()) {
    cell.rows.push_back({"State", file.error, false, std::nullopt, Severity::Error});
  } else if (!file.ofTvm) {
    const std::string what = file.what.empty() ? "not a library of TVM" : "not judged: " + file.what;
    cell.rows.push_back({"State", what, false, std::nullopt, Severity::Note});
  }
  const bool judged = file.ofTvm && target < file.outcomes.size();
  if (judged) {
    const Outcome& outcome = file.outcomes[target];
    cell.rows.push_back({"Target", escaped(outcome.target()), false, std::nullopt, std::nullopt});
    cell.rows.push_back({"State", outcomeText(outcome), false, std::nullopt, severityOf(outcome)});
  }
  details.push_back(std::move(cell));
  if (!judged) return details;
  const Outcome& outcome = file.outcomes[target];
  for (std::size_t i = 0; i < std::min(outcome.missing.size(), kMostMissing); ++i)
    addMissing(outcome.missing[i], details);
  if (outcome.missing.size() > kMostMissing) details.back().note = "There are more; the page of the library lists all.";
  return details;
}

} // namespace blobscope::describe
