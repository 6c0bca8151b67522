#include "core/fix/fixes.h"

#include "core/edit/archive/member_names.h"
#include "core/fix/combine.h"
#include "core/library/open.h"
#include "core/mlf/fixes/fix.h"
#include "core/write/repack.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace blobscope::fix {
namespace {

/// Returns the findings without the path of an archive around the one that was checked.
std::vector<check::Issue> ownIssues(const mlf::Archive& archive) {
  std::vector<check::Issue> issues = archive.report.issues;
  const std::string& inner = archive.model.container.inner;
  for (check::Issue& issue : issues) {
    if (inner.empty() || !issue.place.member.starts_with(inner)) continue;
    issue.place.member.erase(0, std::min(inner.size() + 1, issue.place.member.size()));
  }
  return issues;
}

bool isSameFinding(const check::Issue& a, const check::Issue& b) {
  return a.rule == b.rule && a.message == b.message && a.place.text() == b.place.text();
}

/// JSON that rounds after the first ones may read; the metadata and graph of the largest real archive seen have 200 KB.
constexpr uint64_t kReadBytes = uint64_t{24} << 20;
/// Rounds for archives of any size.
constexpr unsigned kRoundsOfAny = 4;

uint64_t jsonBytesOf(const mlf::Model& model) {
  uint64_t sum = 0;
  for (const mlf::File& file : model.files)
    if (file.path.ends_with(".json") || file.path.ends_with(".graph")) sum += file.bytes.size();
  return sum;
}

} // namespace

Error notAnArchive(const library::Package& package) {
  return Error(
      DiagnosticId::PlanArchive,
      {{"reason", "quick fixes and versions are for Model Library Format archives; this is a file of the kind " +
                      std::string(package.kind())}});
}

bool Selection::includes(const check::Issue& issue) const {
  if (only) return isSameFinding(*only, issue);
  return rules.empty() || std::find(rules.begin(), rules.end(), issue.rule) != rules.end();
}

Result<EditedPackage> withEdits(const library::PackagePtr& package, std::span<const edit::Edit> edits,
                                const edit::ApplyOptions& options, Monitor& monitor) {
  if (edits.empty()) return EditedPackage{package, {}};
  BLOBSCOPE_TRY(repack, write::planRepack(package, edits, options, {}, monitor));
  BLOBSCOPE_TRY(bytes, write::assemble(repack.plan, package->bytes, monitor));
  BLOBSCOPE_TRY(edited, library::open(bytes.owner(), package->path, monitor, {}));
  return EditedPackage{std::move(edited), std::move(repack.applied)};
}

void appendAsOpened(std::vector<edit::Edit>& list, std::vector<edit::Edit> added, const edit::Applied& applied) {
  std::unordered_map<std::string, Ref> opened; // most edits are of the same few members
  for (edit::Edit& one : added) {
    std::visit(
        [&](auto& value) {
          if constexpr (requires { value.target; }) {
            const auto [at, isNew] = opened.try_emplace(value.target.ref.toString());
            if (isNew) at->second = edit::toOpenedNames(applied, value.target.ref);
            value.target.ref = at->second;
          }
        },
        one);
    list.push_back(std::move(one));
  }
}

Result<FixPlan> planFixes(const library::PackagePtr& package, std::span<const edit::Edit> pending,
                          const Selection& selection, const edit::ApplyOptions& options, Monitor& monitor) {
  FixPlan plan;
  std::vector<edit::Edit> edits(pending.begin(), pending.end());
  uint64_t read = 0;
  BLOBSCOPE_TRY(current, withEdits(package, edits, options, monitor));
  for (unsigned round = 0;; ++round) {
    // --- 1. Check the archive as earlier rounds leave it. ---
    BLOBSCOPE_TRY(archive, mlf::readArchive(current.package, monitor));
    if (!archive) return notAnArchive(*package);
    if (round == 0) plan.before = archive->report;
    plan.after = archive->report;
    plan.result = current.package;
    read += jsonBytesOf(archive->model);
    if (round == kRounds || (round >= kRoundsOfAny && read > kReadBytes)) break;

    // --- 2. The fixes that go together; the others wait for the next round. ---
    const std::vector<check::Issue> issues = ownIssues(*archive);
    const mlf::FixContext context(archive->model, archive->facts, issues, monitor);
    Batch batch;
    std::vector<Mended> mended;
    std::map<std::pair<std::string_view, std::string>, std::string> ofPlaces; // rule and place → what mends them
    for (std::size_t i = 0; i < issues.size(); ++i) {
      const check::Issue& whole = archive->report.issues[i];
      if (!selection.includes(whole) || whole.quickFix.empty()) continue;
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const bool isOfPlace = mlf::isFixOfPlace(issues[i].rule);
      const std::pair<std::string_view, std::string> place(issues[i].rule, issues[i].place.text());
      if (const auto known = ofPlaces.find(place); isOfPlace && known != ofPlaces.end()) {
        if (!known->second.empty()) mended.push_back({whole, known->second});
        continue;
      }
      const auto fix = mlf::fixOf(context, issues[i]);
      const bool taken = fix && batch.add(*fix);
      if (isOfPlace) ofPlaces.try_emplace(place, taken ? fix->sentence : std::string());
      if (taken) mended.push_back({whole, fix->sentence});
    }
    if (batch.isEmpty()) break;

    // --- 3. Apply all edits to the archive as opened. ---
    appendAsOpened(edits, batch.take(context), current.applied);
    BLOBSCOPE_TRY(next, withEdits(package, edits, options, monitor));
    const bool changed = next.package->bytes.view() != current.package->bytes.view();
    if (!changed) break;
    plan.mended.insert(plan.mended.end(), mended.begin(), mended.end());
    plan.edits.assign(edits.begin() + static_cast<std::ptrdiff_t>(pending.size()), edits.end());
    current = std::move(next);
  }
  return plan;
}

} // namespace blobscope::fix
