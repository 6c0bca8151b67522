#include "core/describe/preflight.h"

#include "core/base/text.h"
#include "core/describe/devices_here.h"
#include "core/targets/facts_folder.h"
#include "core/view/page_id.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace blobscope::describe {
namespace {

using preflight::Missing;
using preflight::Outcome;
using preflight::Step;
using preflight::StepResult;
using preflight::Verdict;
using view::ChecklistPage;
using State = ChecklistPage::State;

const Missing* firstOf(const Outcome& outcome, Step step) {
  const auto found =
      std::ranges::find_if(outcome.missing, [&](const Missing& item) { return item.certain && item.step == step; });
  return found == outcome.missing.end() ? nullptr : &*found;
}

std::string stepText(Step step) {
  return "step " + std::to_string(static_cast<unsigned>(step)) + ", " + std::string(preflight::stepTitle(step));
}

State stateOf(const StepResult& step, const Outcome& outcome, Step which) {
  switch (step.state) {
  case StepResult::State::Met: return State::Good;
  case StepResult::State::Unknown: return State::Unknown;
  case StepResult::State::NotNeeded: return State::NotNeeded;
  case StepResult::State::Missing: break;
  }
  const Missing* const first = firstOf(outcome, which);
  if (first && first->crashes) return State::Crashes;
  if (which == Step::Carrier) return State::Empty;
  return which > Step::Machine ? State::Later : State::Fails;
}

ChecklistPage::Item itemOf(const MissingGroup& group) {
  const Missing& missing = *group.first;
  ChecklistPage::Item item;
  item.state = !missing.certain               ? State::Unknown
               : missing.crashes              ? State::Crashes
               : missing.step > Step::Machine ? State::Later
                                              : State::Fails;
  item.message = missing.printed.empty() ? group.sentence : missing.printed;
  item.verbatim = !missing.printed.empty();
  if (item.verbatim) item.note = group.sentence;
  if (!missing.fix.empty()) item.links.push_back({missing.fix, std::nullopt, {}});
  if (missing.ref) item.links.push_back({missing.ref->shown(), missing.ref, {}});
  return item;
}

std::vector<ChecklistPage::Step> stepsOf(const Outcome& outcome) {
  std::vector<ChecklistPage::Step> steps;
  const std::vector<MissingGroup> groups = groupsOf(outcome);
  for (std::size_t i = 0; i < preflight::kSteps; ++i) {
    const auto which = static_cast<Step>(i + 1);
    const StepResult& result = outcome.steps[i];
    ChecklistPage::Step& step = steps.emplace_back();
    step.number = static_cast<unsigned>(i + 1);
    step.title = preflight::stepTitle(which);
    step.summary = result.summary.empty() ? "not needed" : result.summary;
    step.state = stateOf(result, outcome, which);
    for (const MissingGroup& group : groups)
      if (group.first->step == which) step.items.push_back(itemOf(group));
  }
  return steps;
}

/// "sm_90 · NVIDIA H100".
std::string gpuText(const targets::GpuArchitecture& gpu) {
  return gpu.name + (gpu.example.empty() ? "" : " · " + gpu.example);
}

/// "≥ 520", "361 – 580".
std::string driversText(const preflight::GpuRow& row) {
  if (!row.driver) return "–";
  const std::string oldest = std::to_string(*row.driver);
  return row.gpu->lastDriver > 0 ? oldest + " – " + std::to_string(row.gpu->lastDriver) : "≥ " + oldest;
}

/// The GPUs of the tables, and the drivers.
void addDevices(ChecklistPage& page, const requirements::Requirements& needs, const targets::FactsPtr& facts) {
  const std::vector<preflight::GpuRow> rows = preflight::gpuRows(needs.code, facts);
  page.devices.push_back({"", "no device"});
  page.devices.push_back({std::string(kThisMachine), "this machine"});
  if (rows.empty()) return;
  ChecklistPage::Table table;
  table.title = "GPUs";
  table.columns = {"GPU", "family", "runs", "drivers"};
  using Runs = preflight::GpuRow::Runs;
  for (const preflight::GpuRow& row : rows) {
    page.devices.push_back({row.gpu->name, gpuText(*row.gpu)});
    std::string runs = row.runs == Runs::Natively ? "yes" : row.runs == Runs::Compiled ? "yes, from PTX" : "no";
    if (row.partly && row.runs != Runs::No) runs += ", not all images";
    const State state = row.runs == Runs::No ? State::Fails : State::Good;
    const std::string family = row.gpu->title.empty() ? "–" : row.gpu->title;
    table.rows.push_back({{row.gpu->name, family, runs, driversText(row)}, state, row.gpu->name});
  }
  table.note = "From PTX: the driver compiles the code at the first call, which can take some seconds.";
  page.tables.push_back(std::move(table));
  page.drivers.push_back({"", "newest driver"});
  std::set<uint32_t> seen;
  for (auto cuda = facts->cudaReleases().rbegin(); cuda != facts->cudaReleases().rend(); ++cuda)
    if (seen.insert(cuda->driver).second)
      page.drivers.push_back({std::to_string(cuda->driver), "Driver " + std::to_string(cuda->driver)});
}

/// The GPU of the first image, or the device for which the library has code.
std::string defaultDevice(const requirements::Requirements& needs, const targets::FactsPtr& facts) {
  using Runs = preflight::GpuRow::Runs;
  const std::vector<preflight::GpuRow> rows = preflight::gpuRows(needs.code, facts);
  for (const Runs wanted : {Runs::Natively, Runs::Compiled})
    for (const preflight::GpuRow& row : rows)
      if (row.runs == wanted) return row.gpu->name;
  return {};
}

void countItems(ChecklistPage& page, const Outcome& outcome) {
  for (const StepResult& step : outcome.steps) page.met += step.met;
  for (const Missing& missing : outcome.missing) ++(missing.certain ? page.missing : page.unknown);
}

} // namespace

State stateOf(const Outcome& outcome) {
  switch (outcome.verdict) {
  case Verdict::Fails: return State::Fails;
  case Verdict::LoadsWithoutModules: return State::Empty;
  case Verdict::Unknown: return State::Unknown;
  case Verdict::Loads: break;
  }
  if (outcome.crashes()) return State::Crashes;
  if (outcome.step) return State::Later;
  return outcome.isDoubtful() ? State::Unknown : State::Good;
}

namespace {

/// "step 8, Calls".
std::string affectedText(const Missing* missing, std::string_view otherwise) {
  return missing && !missing->affected.empty() ? escaped(missing->affected.front()) : std::string(otherwise);
}

/// The sentence of what keeps the verdict from being certain.
std::string deciderText(const Outcome& outcome) {
  const Missing* const doubt = outcome.doubt();
  for (const MissingGroup& group : groupsOf(outcome))
    if (doubt ? group.first == doubt : !group.first->certain) return group.sentence;
  return "whether it works is not known";
}

} // namespace

std::string verdictText(const Outcome& outcome, std::string_view where) {
  const std::string in(where);
  const Missing* const first = outcome.first();
  switch (stateOf(outcome)) {
  case State::Fails:
    if (first && first->crashes && first->step == *outcome.step)
      return "Ends the process that loads it" + in + ": " + stepText(*outcome.step);
    return "Does not load" + in + ": it fails at " + stepText(*outcome.step);
  case State::Empty: return "Opens" + in + ", but finds none of its modules";
  case State::Crashes:
    return "Loads" + in + ", but the first call of " + affectedText(first, "a function") + " ends the process";
  case State::Later:
    return "Loads" + in + ", but " + affectedText(first, "it") + " fails later, at " + stepText(*outcome.step);
  case State::Unknown:
    if (outcome.verdict != Verdict::Unknown) return "Loads" + in + ", but not everything is certain";
    if (outcome.missing.empty()) return "Not judged: the file was not made by TVM";
    return "Not certain" + in + ": " + deciderText(outcome);
  default: break;
  }
  return "Loads" + in;
}

std::string outcomeText(const Outcome& outcome) { return verdictText(outcome, " in " + escaped(outcome.title())); }

std::vector<MissingGroup> groupsOf(const Outcome& outcome) {
  constexpr std::size_t kNames = 3;
  std::vector<MissingGroup> out;
  std::map<std::string, std::size_t> known; // what is equal in all sentences of a group -> number of the group
  std::vector<std::string> names;           // by group: the further ones
  for (const Missing& missing : outcome.missing) {
    const std::string name = escaped(demangled(missing.name));
    std::string key = std::to_string(static_cast<int>(missing.rule)) + (missing.certain ? "c" : "u") +
                      (missing.crashes ? "c" : "r") + missing.fix + "\n" + missing.sentence;
    if (const std::size_t at = name.empty() ? std::string::npos : key.rfind(name); at != std::string::npos)
      key.replace(at, name.size(), "\x01");
    const auto [place, isNew] = known.try_emplace(std::move(key), out.size());
    if (isNew) {
      out.push_back({&missing, 1, missing.sentence});
      names.emplace_back();
      continue;
    }
    MissingGroup& group = out[place->second];
    if (group.count <= kNames) names[place->second] += (group.count == 1 ? "'" : ", '") + name + "'";
    ++group.count;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].count == 1) continue;
    out[i].sentence += "; the same for " + names[i];
    if (out[i].count > kNames + 1) out[i].sentence += " and " + groupedText(out[i].count - kNames - 1) + " more";
  }
  return out;
}

Result<ChecklistPage> checklistOf(const RequirementsPtr& needs, const targets::FactsPtr& facts,
                                  ChecklistPage::Choice choice, Monitor& monitor) {
  ChecklistPage page;
  BLOBSCOPE_TRY(releases, preflight::releaseTargets(*needs, facts));
  if (const auto known = facts->findRelease(choice.target)) choice.target = facts->releases()[*known].name;
  if (choice.target.empty()) choice.target = facts->releases()[facts->newestRelease()].name;
  preflight::Target target;
  target.here = machineHere();
  BLOBSCOPE_TRY(libraries, targets::SharedLibraries::read({}, monitor));
  target.libraries = std::move(libraries);
  std::optional<targets::Device>& device = target.device;
  if (choice.device == kThisMachine) {
    target.system = systemHere();
    // The machine is compared also when it has no device.
    auto here = devicesHere(facts, monitor);
    if (!here && here.error().id() != DiagnosticId::PreDevice) return here.takeError();
    if (here) {
      const auto fitting = std::ranges::find_if(
          *here, [&](const targets::Device& one) { return preflight::hasCodeFor(*needs, one.kind); });
      device = fitting != here->end() ? *fitting : here->front();
    }
  } else if (!choice.device.empty()) {
    const std::string text = choice.device + (choice.driver.empty() ? "" : ",driver=" + choice.driver);
    BLOBSCOPE_TRY(parsed, targets::parseDevice(facts, text));
    device = std::move(parsed);
  }
  if (choice.system == kThisMachine) {
    target.system = systemHere();
  } else if (!choice.system.empty()) {
    BLOBSCOPE_TRY(system, targets::parseSystem(facts, choice.system));
    target.system = std::move(system);
  }
  std::optional<Outcome> chosen;
  std::vector<std::string> evidence; ///< how a runtime on disk was recognised
  std::vector<std::size_t> good, doubtful;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    target.runtime = releases[i].runtime;
    Outcome outcome = preflight::judge(*needs, target);
    const targets::Release& release = facts->releases()[i];
    ChecklistPage::Cell cell{release.label,
                             release.name,
                             stateOf(outcome),
                             outcome.step ? static_cast<unsigned>(*outcome.step) : 0,
                             verdictText(outcome, "") + ".",
                             outcome.message};
    if (cell.message.empty())
      if (const Missing* const first = outcome.first()) cell.message = first->message();
    if (outcome.fits()) (outcome.isDoubtful() ? doubtful : good).push_back(i);
    page.cells.push_back(std::move(cell));
    page.targets.push_back({release.name, "Release " + release.name});
    if (release.name == choice.target) chosen = std::move(outcome);
  }
  if (!chosen) {
    BLOBSCOPE_TRY(runtime, targets::findRuntime(facts, choice.target, monitor));
    target.runtime = runtime;
    chosen = preflight::judge(*needs, target);
    evidence = runtime->evidence();
    page.targets.push_back({choice.target, escaped(choice.target)});
  }
  page.choice = choice;
  page.state = stateOf(*chosen);
  page.sentence = outcomeText(*chosen) + ".";
  const auto damaged = std::ranges::find(needs->modules, true, &requirements::LoadedModule::damaged);
  if (damaged != needs->modules.end())
    page.sentence = "Module '" + escaped(damaged->key) + "' is damaged. " + page.sentence;
  const bool isRegistered = std::ranges::any_of(needs->systemLibraries, &library::SystemLibrary::hasBlob);
  if (good.empty() && doubtful.empty())
    page.detail = isRegistered
                      ? "load_module finds its modules in no release: a program that contains it asks for them "
                        "by their prefix."
                      : "No release loads and runs all of it.";
  if (!good.empty()) page.detail = "Loads and runs in TVM " + facts->rangesText(good) + ".";
  if (!doubtful.empty())
    page.detail += (good.empty() ? "" : " ") + std::string("Not certain in TVM ") + facts->rangesText(doubtful) + ".";
  for (const std::string& sentence : evidence) page.detail += " " + sentence + ".";
  page.stripTitle = "All releases";
  page.stripNote = std::to_string(releases.size()) + " checked, by reading only";
  page.stepsTitle = "What the library needs";
  page.steps = stepsOf(*chosen);
  countItems(page, *chosen);
  addDevices(page, *needs, facts);
  page.systems = {{"", "any that fits"}, {std::string(kThisMachine), "this machine"}};
  for (const targets::SystemRow& row : facts->systems()) page.systems.push_back({row.name, row.title});
  page.choose = [needs, facts](const ChecklistPage::Choice& wanted, Monitor& watch) {
    return checklistOf(needs, facts, wanted, watch);
  };
  return page;
}

bool hasPreflight(const library::Package& package) {
  if (!package.blobs.empty() || package.host.abi) return true;
  return std::ranges::any_of(package.members,
                             [](const auto& member) { return member.package && hasPreflight(*member.package); });
}

view::Page preflightPage(const library::PackagePtr& package) {
  return {std::string(view::page_id::kPreflight),
          view::DeferredPage{"checklist", [package](Monitor& monitor) -> Result<view::Page> {
                               BLOBSCOPE_TRY(facts, targets::Facts::load(targets::userFactsFolder()));
                               BLOBSCOPE_TRY(read, requirements::requirementsOf(package, monitor));
                               const auto needs = std::make_shared<const requirements::Requirements>(std::move(read));
                               ChecklistPage::Choice choice;
                               choice.device = defaultDevice(*needs, facts);
                               BLOBSCOPE_TRY(page, checklistOf(needs, facts, std::move(choice), monitor));
                               return view::Page{std::string(view::page_id::kPreflight), std::move(page)};
                             }}};
}

namespace {

/// Collects the rows of the page "Requirements".
class RequirementRows {
public:
  explicit RequirementRows(const requirements::Requirements& needs) : m_needs(needs) {
    addFile();
    addModules();
    addFunctions();
    addKernels();
  }
  view::Page page() {
    return view::tablePage(view::page_id::kRequirements, {{"step"}, {"requirement"}, {"name"}, {"detail"}},
                           std::move(m_rows), std::move(m_targets));
  }

private:
  void add(Step step, std::string what, std::string_view name, std::string detail, const Ref& ref = {}) {
    m_rows.push_back({std::to_string(static_cast<unsigned>(step)) + " " + std::string(preflight::stepTitle(step)),
                      std::move(what), escaped(name), std::move(detail)});
    m_targets.push_back(ref);
  }
  void addFile() {
    add(Step::File, "format", m_needs.format, escaped(m_needs.architecture));
    if (!m_needs.newestGlibc.empty()) add(Step::File, "glibc", m_needs.newestGlibc, "or later");
    for (const std::string& library : m_needs.libraries) add(Step::File, "library", library, "");
    for (const std::string& path : m_needs.runPaths) add(Step::File, "run path", path, "");
    for (const requirements::NeededSymbol& symbol : m_needs.symbols)
      add(Step::Symbols, "symbol", symbol.name,
          symbol.weak   ? "optional"
          : symbol.data ? "when the file is loaded"
                        : "at its first call",
          symbol.ref);
    for (const requirements::Slot& slot : m_needs.slots)
      add(Step::Slots, "slot", slot.name,
          !slot.callersKnown ? "" : countText(slot.callers.size(), "function") + " call through it", slot.ref);
    for (const requirements::CarrierSymbol& carrier : m_needs.carriers)
      add(Step::Carrier, "carrier", carrier.prefix + carrier.name, "", carrier.ref);
  }
  void addModules() {
    for (const requirements::LoadedModule& module : m_needs.modules)
      if (module.key != "_lib" && module.key != "_import_tree")
        add(Step::Loaders, "loader", module.key, module.layout, module.ref);
    for (const requirements::Executable& executable : m_needs.executables)
      add(Step::Payload, "executable", executable.relay ? "Relay" : "Relax",
          (executable.version.empty() ? "" : "version " + escaped(executable.version)) +
              (executable.pools.size() == 1 ? ", constants in the format " + executable.pools.front() : ""),
          executable.ref);
  }
  void addFunctions() {
    for (const requirements::NeededFunction& function : m_needs.functions) {
      if (function.definedHere) continue;
      const bool host = function.place == requirements::NeededFunction::Place::Host;
      add(host ? Step::Calls : Step::Machine, "function", function.name,
          function.caller.empty() ? "" : "for " + escaped(function.caller), function.ref);
    }
    for (const requirements::NeededCall& call : m_needs.calls)
      add(Step::Calls, "call", call.function, "with " + countText(call.arguments, "argument"), call.ref);
    for (const std::string& device : m_needs.deviceApis) add(Step::Calls, "device", device, "");
  }
  void addKernels() {
    std::set<std::string> tags;
    for (const requirements::NeededKernel& kernel : m_needs.kernels)
      for (const std::string& tag : kernel.launchTags)
        if (tags.insert(tag).second) add(Step::Kernels, "launch parameter", tag, "", kernel.ref);
    for (const requirements::DeviceCode& code : m_needs.code)
      if (!code.target.empty()) add(Step::Kernels, "device", code.target, escaped(code.toolkit), code.ref);
  }

  const requirements::Requirements& m_needs;
  std::vector<std::vector<std::string>> m_rows;
  std::vector<Ref> m_targets;
};

} // namespace

view::Page requirementsPage(const library::PackagePtr& package) {
  return {view::page_id::kRequirements,
          view::DeferredPage{"table", [package](Monitor& monitor) -> Result<view::Page> {
                               BLOBSCOPE_TRY(needs, requirements::requirementsOf(package, monitor));
                               return RequirementRows(needs).page();
                             }}};
}

Result<PreflightSummary> summarizePreflight(const library::PackagePtr& package, Monitor& monitor) {
  PreflightSummary out;
  BLOBSCOPE_TRY(facts, targets::Facts::load(targets::userFactsFolder()));
  BLOBSCOPE_TRY(needs, requirements::requirementsOf(package, monitor));
  BLOBSCOPE_TRY(releases, preflight::releaseTargets(needs, facts));
  std::vector<std::size_t> fitting;
  preflight::Target target;
  target.here = machineHere();
  BLOBSCOPE_TRY(libraries, targets::SharedLibraries::read({}, monitor));
  target.libraries = std::move(libraries);
  for (std::size_t i = 0; i < releases.size(); ++i) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    target.runtime = releases[i].runtime;
    const Outcome outcome = preflight::judge(needs, target);
    if (outcome.fits()) {
      fitting.push_back(i);
      out.doubtful = out.doubtful || outcome.isDoubtful();
      if (i <= facts->newestRelease()) out.newestFitting = i;
    }
    if (i != facts->newestRelease()) continue;
    out.newest = outcomeText(outcome);
    out.state = stateOf(outcome);
    for (const MissingGroup& group : groupsOf(outcome)) {
      const Missing& missing = *group.first;
      if (!missing.certain || (out.state == State::Empty && missing.step != Step::Carrier)) continue;
      check::Issue& issue = out.issues.emplace_back(preflight::issueOf(missing));
      issue.message = group.sentence + (missing.printed.empty() ? "" : ": " + missing.printed);
      issue.severity = Severity::Note;
    }
  }
  out.fitting = facts->rangesText(fitting);
  out.needs = std::make_shared<const requirements::Requirements>(std::move(needs));
  out.facts = std::move(facts);
  return out;
}

Result<std::string> summarizeHere(const PreflightSummary& summary, Monitor& monitor) {
  using Kind = targets::Device::Kind;
  const requirements::Requirements& needs = *summary.needs;
  std::vector<std::string> backends;
  for (const auto& [kind, backend] :
       {std::pair{Kind::Cuda, "cuda"}, std::pair{Kind::Vulkan, "vulkan"}, std::pair{Kind::OpenCl, "opencl"}})
    if (preflight::hasCodeFor(needs, kind)) backends.emplace_back(backend);
  if (backends.empty()) return std::string();
  const auto here = devicesHere(summary.facts, monitor, backends);
  if (!here && here.error().code() == ErrorCode::Cancelled) return here.error();
  if (!here && here.error().id() != DiagnosticId::PreDevice) return std::string(); // the runner is missing
  if (!here) return std::string("no device for its code was found");
  BLOBSCOPE_TRY(releases, preflight::releaseTargets(needs, summary.facts));
  const std::size_t release = summary.newestFitting.value_or(summary.facts->newestRelease());
  preflight::Target target;
  target.runtime = releases[release].runtime;
  target.system = systemHere();
  BLOBSCOPE_TRY(libraries, targets::SharedLibraries::read({}, monitor));
  target.libraries = std::move(libraries);
  std::optional<Outcome> best; // of several devices, one that runs everything
  std::string title;
  for (const targets::Device& device : *here) {
    if (!preflight::hasCodeFor(needs, device.kind) || (best && best->complete())) continue;
    target.device = device;
    best = preflight::judge(needs, target);
    title = escaped(device.title);
  }
  if (!best) return std::string("no device for its code was found");
  best->device.reset();
  best->system.reset();
  return title + ": " + outcomeText(*best);
}

} // namespace blobscope::describe
