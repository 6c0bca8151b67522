#include "core/fix/fixes.h"

#include "core/base/text.h"
#include "core/fix/combine.h"
#include "core/library/open.h"
#include "core/mlf/fixes/fix.h"
#include "core/write/repack.h"

#include <algorithm>

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

/// Of members with one path, the last one stays; its name counts the copies before it.
void keepLastCopies(const mlf::Archive& archive, EditsInRounds& edits) {
  std::unordered_map<std::string, std::size_t> copies;
  for (const mlf::TarEntry& entry : archive.model.container.entries) ++copies[entry.stored];
  for (const auto& [stored, count] : copies)
    if (count > 1) edits.keepOnly(stored, stored + "-" + std::to_string(count));
}

Error notAnArchive(const library::Package& package) {
  return Error(DiagnosticId::PlanArchive,
               {{"reason", "quick fixes are for Model Library Format archives; this is a file of the kind " +
                               std::string(package.kind())}});
}

} // namespace

bool Selection::includes(const check::Issue& issue) const {
  if (only) return isSameFinding(*only, issue);
  return rules.empty() || std::find(rules.begin(), rules.end(), issue.rule) != rules.end();
}

Result<library::PackagePtr> withEdits(const library::PackagePtr& package, std::span<const edit::Edit> edits,
                                      const edit::ApplyOptions& options, Monitor& monitor) {
  if (edits.empty()) return package;
  BLOBSCOPE_TRY(repack, write::planRepack(package, edits, options, {}, monitor));
  BLOBSCOPE_TRY(bytes, write::assemble(repack.plan, package->bytes, monitor));
  return library::open(bytes.owner(), package->path, monitor, {});
}

Result<FixPlan> planFixes(const library::PackagePtr& package, std::span<const edit::Edit> pending,
                          const Selection& selection, const edit::ApplyOptions& options, Monitor& monitor) {
  FixPlan plan;
  EditsInRounds edits(pending);
  BLOBSCOPE_TRY(current, withEdits(package, pending, options, monitor));
  for (unsigned round = 0;; ++round) {
    // --- 1. Check the archive as earlier rounds leave it. ---
    BLOBSCOPE_TRY(archive, mlf::readArchive(current, monitor));
    if (!archive) return notAnArchive(*package);
    if (round == 0) plan.before = archive->report;
    plan.after = archive->report;
    plan.result = current;
    if (round == kRounds) break;

    // --- 2. The fixes that go together; the others wait for the next round. ---
    const std::vector<check::Issue> issues = ownIssues(*archive);
    const mlf::FixContext context(archive->model, archive->facts, issues, monitor);
    Batch batch;
    std::vector<Mended> mended;
    for (std::size_t i = 0; i < issues.size(); ++i) {
      const check::Issue& whole = archive->report.issues[i];
      if (!selection.includes(whole) || whole.quickFix.empty()) continue;
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const auto fix = mlf::fixOf(context, issues[i]);
      if (fix && batch.add(*fix)) mended.push_back({whole, fix->sentence});
    }
    if (batch.isEmpty()) break;

    // --- 3. Apply all edits to the archive as opened. ---
    const std::size_t before = edits.all().size();
    std::vector<edit::Edit> added = batch.take(context);
    const bool copies = std::any_of(added.begin(), added.end(), [](const edit::Edit& one) {
      const auto* const archiveEdit = std::get_if<edit::SetArchive>(&one);
      return archiveEdit && archiveEdit->form == edit::SetArchive::Form::LastCopies;
    });
    edits.append(std::move(added));
    if (copies) keepLastCopies(*archive, edits);
    BLOBSCOPE_TRY(next, withEdits(package, edits.all(), options, monitor));
    if (next->bytes.view() == current->bytes.view() && edits.all().size() == before) break;
    plan.mended.insert(plan.mended.end(), mended.begin(), mended.end());
    current = next;
  }
  plan.edits = edits.added();
  return plan;
}

} // namespace blobscope::fix
