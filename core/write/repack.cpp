#include "core/write/repack.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/edit/calls.h"
#include "core/library/open.h"
#include "core/write/members.h"

#include <algorithm>
#include <list>
#include <variant>

namespace blobscope::write {
namespace {

/// A blob to replace, by its index.
struct BlobJob {
  std::size_t blob;
  NewBlob newBlob;
};
/// A change of one file, and the names of the members around it.
struct Job {
  std::vector<std::string> members;
  std::variant<BlobJob, const edit::EditedParams*, const edit::EditedArchive*> change;
};

/// Returns the changes of an archive that are planned together: all of a tar, each replaced member of another archive.
/// `single` owns the changes that are made here.
std::vector<const edit::EditedArchive*> oneByOne(const edit::EditedArchive& archive,
                                                 std::list<edit::EditedArchive>& single) {
  const auto isReplaced = [](const edit::EditedMember& member) { return member.content.has_value(); };
  if (archive.package->image.format == container::Format::Tar ||
      std::count_if(archive.members.begin(), archive.members.end(), isReplaced) < 2)
    return {&archive};
  std::vector<const edit::EditedArchive*> out;
  for (std::size_t i = 0; i < archive.members.size(); ++i) {
    if (!archive.members[i].content) continue;
    edit::EditedArchive& one = single.emplace_back(archive);
    for (std::size_t other = 0; other < one.members.size(); ++other)
      if (other != i && one.members[other].origin) one.members[other].content.reset();
    out.push_back(&one);
  }
  return out;
}

class Planner {
public:
  Planner(const PlanOptions& options, Monitor& monitor) : m_options(options), m_monitor(monitor) {}

  /// Returns a plan for `package` with all jobs, whose members are relative to it.
  Result<Plan> plan(const library::PackagePtr& package, std::vector<Job> jobs) {
    // --- 1. The jobs that one plan can do: one blob, or all jobs in one member. ---
    if (jobs.empty()) return identityPlan(*package);
    std::vector<Job> now, later;
    for (Job& job : jobs) {
      const bool together = now.empty() || (!now.front().members.empty() && !job.members.empty() &&
                                            now.front().members.front() == job.members.front());
      (together ? now : later).push_back(std::move(job));
    }
    auto first = now.front().members.empty() ? planOne(*package, now.front()) : inMember(package, std::move(now));
    if (!first || later.empty()) return first;

    // --- 2. The rest is planned for the resulting file. ---
    BLOBSCOPE_TRY(bytes, assemble(*first, package->bytes, m_monitor));
    BLOBSCOPE_TRY(next,
                  library::open(bytes.owner(), package->path, m_monitor, {{}, package->budget->memoryLimit(), {}}));
    BLOBSCOPE_TRY(second, plan(next, std::move(later)));
    for (Part& part : second.parts)
      if (part.from == Part::From::Input)
        part = {Part::From::Literal, {}, bytes.slice(part.input.offset, part.input.size), 0};
    second.before = std::move(first->before);
    const auto prepend = [](auto& to, auto& from) {
      to.insert(to.begin(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    prepend(second.strategies, first->strategies);
    prepend(second.changes, first->changes);
    std::stable_sort(second.changes.begin(), second.changes.end(),
                     [](const Change& a, const Change& b) { return a.offset < b.offset; });
    prepend(second.steps, first->steps);
    prepend(second.consequences, first->consequences);
    return second;
  }

private:
  Result<Plan> planOne(const library::Package& package, const Job& job) {
    if (const auto* const blob = std::get_if<BlobJob>(&job.change))
      return planBlob({package, *package.blobs[blob->blob], blob->newBlob, m_options, m_monitor});
    if (const auto* const params = std::get_if<const edit::EditedParams*>(&job.change))
      return planValues(package, (*params)->runs);
    return planMembers(package, *std::get<const edit::EditedArchive*>(job.change), m_monitor);
  }
  Result<Plan> inMember(const library::PackagePtr& package, std::vector<Job> jobs) {
    const std::string name = jobs.front().members.front();
    for (Job& job : jobs) job.members.erase(job.members.begin());
    for (const library::PackageMember& member : package->members) {
      if (member.name != name || !member.package) continue;
      BLOBSCOPE_TRY(inner, plan(member.package, std::move(jobs)));
      if (inner.isIdentity()) return identityPlan(*package);
      return planMember(*package, member, std::move(inner), m_monitor);
    }
    return Error(DiagnosticId::RefNotFound, {arg("ref", name), {"reason", "no member has that name"}});
  }

  const PlanOptions& m_options;
  Monitor& m_monitor;
};

} // namespace

Result<Plan> planApplied(const library::PackagePtr& package, const edit::Applied& applied, const PlanOptions& options,
                         Monitor& monitor) {
  std::vector<Job> jobs;
  for (const edit::EditedBlob& blob : applied.blobs)
    jobs.push_back({blob.package->memberPath, BlobJob{blob.index, {blob.pieces, blob.size}}});
  for (const edit::EditedParams& params : applied.params) jobs.push_back({params.package->memberPath, &params});
  std::list<edit::EditedArchive> single;
  // Inner archives first: the changes of members are known by the names that the members have as opened.
  for (auto archive = applied.archives.rbegin(); archive != applied.archives.rend(); ++archive)
    for (const edit::EditedArchive* one : oneByOne(*archive, single))
      jobs.push_back({archive->package->memberPath, one});
  return Planner(options, monitor).plan(package, std::move(jobs));
}

Result<Repack> planRepack(const library::PackagePtr& package, std::span<const edit::Edit> edits,
                          const edit::ApplyOptions& applyOptions, const PlanOptions& planOptions, Monitor& monitor) {
  longWork("write::planRepack");
  Repack out;
  out.package = package;
  out.files = edit::filesOf(edits, applyOptions.folder);
  BLOBSCOPE_TRY(applied, edit::apply(package, edits, applyOptions, monitor));
  out.applied = std::move(applied);
  BLOBSCOPE_TRY(plan, planApplied(package, out.applied, planOptions, monitor));
  out.plan = std::move(plan);
  std::vector<Diagnostic> first;
  BLOBSCOPE_TRY(broken, edit::findBrokenCalls(package, out.applied, monitor));
  for (const library::Unresolved& one : broken) first.push_back({DiagnosticId::EditCall, one.caller, one.arguments()});
  out.breakingRenames = edit::findBreakingRenames(edits, broken);
  first.insert(first.end(), out.applied.warnings.begin(), out.applied.warnings.end());
  out.plan.consequences.insert(out.plan.consequences.begin(), first.begin(), first.end());
  // A plan must be based on the bytes as opened.
  BLOBSCOPE_CHECK(library::checkUnchanged(*package));
  return out;
}

bool Repack::needsConsent() const {
  return std::any_of(plan.consequences.begin(), plan.consequences.end(),
                     [](const Diagnostic& one) { return one.id == DiagnosticId::EditCall; });
}

Result<Done> writeRepack(const Repack& repack, const std::filesystem::path& target, const WriteOptions& options,
                         Monitor& monitor) {
  longWork("write::writeRepack");
  const Bytes& input = repack.package->bytes;
  BLOBSCOPE_CHECK(library::checkUnchanged(*repack.package));
  Inputs inputs{options.inputs, pathFrom(repack.package->path)};
  inputs.files.insert(inputs.files.end(), repack.files.begin(), repack.files.end());
  BLOBSCOPE_TRY(output, OutputFile::create(target, inputs));

  /// Reports progress for the whole file instead of one part of it.
  class WholeFile final : public Monitor {
  public:
    WholeFile(Monitor& monitor, uint64_t total) : m_monitor(monitor), m_total(total) {}
    bool stopRequested() const override { return m_monitor.stopRequested(); }
    void progress(std::string_view what, uint64_t done, uint64_t) override {
      m_monitor.progress(what, before + done, m_total);
    }
    uint64_t before = 0;

  private:
    Monitor& m_monitor;
    uint64_t m_total;
  } whole(monitor, repack.plan.size());
  for (const Part& part : repack.plan.parts) {
    const Bytes bytes = part.from == Part::From::Input ? input.slice(part.input.offset, part.input.size) : part.bytes;
    BLOBSCOPE_CHECK(part.from == Part::From::Zeros ? output.writeZeros(part.zeros) : output.write(bytes, whole));
    whole.before += part.size();
  }
  BLOBSCOPE_CHECK(output.sync());
  BLOBSCOPE_CHECK(library::checkUnchanged(*repack.package));
  if (auto verified = verifyRepack(repack, output.temporary(), options.verify, monitor); !verified) {
    if (verified.error().id() != DiagnosticId::RepackVerify) return verified.takeError();
    BLOBSCOPE_CHECK(library::checkUnchanged(*repack.package)); // it was compared with bytes that others wrote
    Diagnostic shown = verified.error().diagnostic();
    for (Argument& argument : shown.arguments)
      if (argument.name == "path") argument = {"path", shownPath(pathText(output.keep()))};
    return Error(shown.id, std::move(shown.arguments), std::move(shown.place));
  }
  if (!output.replacesInput() || !input.owner()->isFile()) {
    if (options.backup) BLOBSCOPE_CHECK(output.backUp());
    return output.commit();
  }
  // A file that others wrote or put there since the target was opened is not overwritten, even when the bytes that were
  // opened are still the same.
  BLOBSCOPE_TRY(written, output.commitOver(input.owner()->identity(), options.backup));
  if (written == OutputFile::Outcome::Written) return Done{};
  BLOBSCOPE_CHECK(library::checkUnchanged(*repack.package));
  const bool locked = written == OutputFile::Outcome::TargetLocked;
  return Error(DiagnosticId::RepackChanged,
               {{"path", shownPath(pathText(target))},
                {"why", locked ? "is locked by another program" : "changed after it was opened"},
                {"kept", shownPath(pathText(output.keep()))}});
}

} // namespace blobscope::write
