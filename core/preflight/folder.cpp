#include "core/preflight/folder.h"

#include "core/base/path_text.h"
#include "core/base/tasks.h"
#include "core/base/text.h"
#include "core/library/files.h"
#include "core/library/open.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace blobscope::preflight {
namespace {

namespace fs = std::filesystem;
using library::FileKind;

/// For which systems runtimes are built. Source: apache/tvm v0.18.0 – v0.27.0 CMakeLists.txt and cmake/modules:
/// Metal and Core ML are found only on Apple systems, CUDA, ROCm and Hexagon are not built there, and the loader of
/// WebGPU modules is in web/emcc.
enum class System : uint8_t { Other, Apple, Web };

bool isOn(System system, std::string_view flag) {
  constexpr std::array<std::string_view, 3> kApple = {"metal", "coreml", "bnns_json"};
  constexpr std::array<std::string_view, 10> kNotApple = {
      "cuda", "hip", "hsaco", "rocm", "hexagon", "cublas_json", "hipblas_json", "cudnn_json", "tensorrt", "nnapi"};
  const auto has = [&](const auto& list) { return std::ranges::find(list, flag) != list.end(); };
  if (flag == "webgpu") return system == System::Web;
  switch (system) {
  case System::Web: return !has(kApple) && !has(kNotApple) && flag != "opencl" && flag != "opengl";
  case System::Apple: return !has(kNotApple);
  case System::Other: break;
  }
  return !has(kApple);
}

/// A build that has what the modules and devices of a library need.
struct Build {
  std::vector<std::string> flags;
  std::string problem; ///< why no build has all; empty when one has
};

Build buildFor(const requirements::Requirements& needs) {
  std::set<std::string> flags;
  for (const requirements::LoadedModule& module : needs.modules)
    if (targets::isBuildFlag(module.key)) flags.insert(module.key);
  for (const std::string& device : needs.deviceApis)
    if (targets::isBuildFlag(device)) flags.insert(device);
  // A WebAssembly library contains its runtime.
  if (needs.format == "wasm") return {{flags.begin(), flags.end()}, {}};
  std::vector<System> systems = {System::Other, System::Apple, System::Web};
  if (needs.format == "elf" || needs.format == "pe" || needs.format == "coff") systems = {System::Other};
  if (needs.format == "macho" || needs.format == "universal") systems = {System::Apple};
  const auto missing = [&](System system) {
    return std::ranges::count_if(flags, [&](const std::string& flag) { return !isOn(system, flag); });
  };
  const System best = *std::ranges::min_element(systems, {}, missing);
  Build out;
  std::string why;
  for (const std::string& flag : flags) {
    if (isOn(best, flag)) {
      out.flags.push_back(flag);
      continue;
    }
    const bool apple = isOn(System::Apple, flag), other = isOn(System::Other, flag);
    why += (why.empty() ? "" : ", ") + flag + (why.empty() ? " has one only " : " only ") +
           (apple && !other   ? "in runtimes for Apple systems"
            : other && !apple ? "in runtimes for other systems than Apple's"
            : apple           ? "outside of the web runtime"
                              : "in the web runtime");
  }
  if (!why.empty()) out.problem = "no runtime that can load the file has loaders for all of its modules: " + why;
  return out;
}

/// Judges a file for each target; adds the releases that fit.
Result<Done> addOutcomes(const requirements::Requirements& needs, const FilesOptions& options,
                         const targets::FactsPtr& facts, FileOutcomes& out, Monitor& monitor) {
  BLOBSCOPE_TRY(releases, releaseTargets(needs, facts));
  const Build build = buildFor(needs);
  for (const std::string& flag : build.flags) out.flags += (out.flags.empty() ? "" : ", ") + flag;
  out.problem = build.problem;
  for (const Target& target : options.targets) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    out.outcomes.push_back(judge(needs, target));
  }
  for (std::size_t i = 0; i < releases.size(); ++i) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    std::vector<Outcome> outcomes;
    for (const Target& target : options.targetsOf(releases[i].runtime)) outcomes.push_back(judge(needs, target));
    if (out.ofTvm && out.problem.empty() && std::ranges::all_of(outcomes, &Outcome::fits)) {
      out.releases.push_back(i);
      out.doubtful = out.doubtful || std::ranges::any_of(outcomes, &Outcome::isDoubtful);
    }
    if (!options.hasRelease(i)) continue;
    std::ranges::move(outcomes, std::back_inserter(out.outcomes));
  }
  return Done{};
}

/// What a file is that is not judged.
std::string whatOf(const library::Package& package) {
  switch (package.file) {
  case FileKind::Runtime: return package.producer ? "a " + package.producer->sentence() : "a runtime";
  case FileKind::PythonExtension: return "a Python extension: Python loads it, not a runtime of TVM";
  case FileKind::Source: return "source text that defines no function for a runtime";
  default: break;
  }
  return "nothing in it is for a runtime of TVM";
}

Result<FileOutcomes> checkFile(const library::ListedFile& found, const FilesOptions& options,
                               const targets::FactsPtr& facts, Monitor& monitor) {
  FileOutcomes out;
  out.path = found.shown;
  out.inFolder = found.inFolder;
  auto package = library::open(found.path, monitor);
  if (!package) {
    if (package.error().code() == ErrorCode::Cancelled) return package.takeError();
    out.error = package.error().message();
    const DiagnosticId id = package.error().id();
    const bool missing = id == DiagnosticId::FileLeftover || id == DiagnosticId::FileEmpty;
    if (found.inFolder && !(missing && library::hasLibraryName(found.shown)))
      out.kind = library::hasSourceName(found.shown) ? FileKind::Source : FileKind::Other;
    return out;
  }
  out.size = (*package)->bytes.size();
  out.kind = (*package)->file;
  if (out.kind != FileKind::Library && out.kind != FileKind::Other) {
    out.what = whatOf(**package);
    return out;
  }
  BLOBSCOPE_TRY(needs, requirements::requirementsOf(*package, monitor));
  if (out.kind == FileKind::Other && (!needs.code.empty() || !found.inFolder)) out.kind = FileKind::Library;
  if (out.kind == FileKind::Other) {
    out.what = whatOf(**package);
    return out;
  }
  out.ofTvm = needs.ofTvm;
  out.era = needs.era;
  for (const requirements::LoadedModule& module : needs.modules)
    if (out.moduleKey.empty() && targets::isBuildFlag(module.key)) out.moduleKey = module.key;
  BLOBSCOPE_CHECK(addOutcomes(needs, options, facts, out, monitor));
  if (options.alsoCheck && out.ofTvm) {
    BLOBSCOPE_TRY(also, options.alsoCheck(*package, monitor));
    out.checked = std::move(also.sentence);
    for (Outcome& outcome : out.outcomes) addMissing(outcome, also.missing);
  }
  return out;
}

Result<Done> addReleaseTitles(const targets::FactsPtr& facts, const FilesOptions& options,
                              std::vector<std::string>& titles) {
  for (std::size_t i = 0; i < facts->releases().size(); ++i) {
    if (!options.hasRelease(i)) continue;
    BLOBSCOPE_TRY(runtime, targets::runtimeOfRelease(facts, facts->releases()[i].name));
    for (const Target& target : options.targetsOf(runtime)) titles.push_back(target.title());
  }
  return Done{};
}

} // namespace

Targets FilesOptions::targetsOf(const targets::RuntimePtr& runtime) const {
  Targets out;
  const auto add = [&](const targets::SystemPtr& system) {
    if (devices.empty()) out.push_back({runtime, std::nullopt, system, libraries, here});
    for (const targets::Device& device : devices) out.push_back({runtime, device, system, libraries, here});
  };
  if (systems.empty()) add(nullptr);
  for (const targets::SystemPtr& system : systems) add(system);
  return out;
}

bool FilesOptions::hasRelease(std::size_t release) const {
  return allReleases || std::ranges::binary_search(releases, release);
}

uint64_t FilesReport::libraries() const {
  return static_cast<uint64_t>(std::ranges::count_if(files, &FileOutcomes::ofTvm));
}

uint64_t FilesReport::notJudged(FileKind kind) const {
  const auto same = [&](const FileOutcomes& file) { return file.kind == kind; };
  const auto listed = static_cast<uint64_t>(std::ranges::count_if(files, same));
  return listed + (kind == FileKind::Other ? others : kind == FileKind::Source ? sources : 0);
}

std::string FilesReport::notJudgedText() const {
  std::string out;
  for (const FileKind kind : {FileKind::Runtime, FileKind::PythonExtension, FileKind::Source, FileKind::Other})
    if (const uint64_t count = notJudged(kind); count > 0)
      out += (out.empty() ? "not judged: " : ", ") + library::fileKindCount(kind, count);
  return out;
}

std::vector<std::size_t> FilesReport::common() const {
  std::vector<std::size_t> out;
  const uint64_t all = libraries();
  for (std::size_t i = 0; i < fitting.size(); ++i)
    if (all > 0 && fitting[i] == all) out.push_back(i);
  return out;
}

std::string commonText(const FilesReport& report, const targets::Facts& facts) {
  const uint64_t all = report.libraries();
  if (all == 0) return "No library of TVM was found.";
  if (const std::vector<std::size_t> common = report.common(); !common.empty())
    return "Versions that fit all: " + facts.rangesText(common) + ".";
  const auto best = std::ranges::max_element(report.fitting);
  if (best == report.fitting.end() || *best == 0) return "No version fits any of them.";
  // The newest of the best, of TVM itself if possible.
  std::size_t release = static_cast<std::size_t>(best - report.fitting.begin());
  for (std::size_t i = 0; i <= facts.newestRelease(); ++i)
    if (report.fitting[i] == *best) release = i;
  return "No version fits all; " + facts.releases()[release].label + " fits " + groupedText(*best) + " of " +
         groupedText(all) + ".";
}

Result<Targets> releaseTargets(const requirements::Requirements& needs, const targets::FactsPtr& facts) {
  Targets out;
  std::string flags;
  for (const std::string& flag : buildFor(needs).flags) flags += (flags.empty() ? "+" : ",") + flag;
  for (const targets::Release& release : facts->releases()) {
    BLOBSCOPE_TRY(runtime, targets::runtimeOfRelease(facts, release.name + flags));
    out.push_back({runtime, std::nullopt, {}, {}, {}});
  }
  return out;
}

Result<FilesReport> checkFiles(const std::vector<fs::path>& paths, const FilesOptions& options,
                               const targets::FactsPtr& facts, Monitor& monitor) {
  FilesReport report;
  for (const fs::path& path : paths)
    if (std::error_code failure; !fs::exists(path, failure))
      return Error(DiagnosticId::FileNotFound, {arg("path", pathText(path))});
  if (!paths.empty()) report.title = pathText(paths.front());
  for (const Target& target : options.targets) report.targets.push_back(target.title());
  BLOBSCOPE_CHECK(addReleaseTitles(facts, options, report.targets));
  report.fitting.resize(facts->releases().size());
  BLOBSCOPE_TRY(found, library::listFiles(paths, monitor));
  // Files differ much in size; the largest come first, so that none is left at the end.
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) {
    std::error_code failure;
    const uintmax_t size = fs::file_size(found[i].path, failure);
    return failure ? uintmax_t{0} : size;
  });
  std::vector<std::optional<FileOutcomes>> outcomes(found.size());
  std::atomic<std::size_t> done = 0;
  std::vector<Task> tasks;
  for (const std::size_t i : order)
    tasks.emplace_back([&, i](Monitor& watch) -> Result<Done> {
      watch.progress("reading " + escaped(found[i].shown, 60), done++, found.size());
      BLOBSCOPE_TRY(file, checkFile(found[i], options, facts, watch));
      outcomes[i] = std::move(file);
      return Done{};
    });
  BLOBSCOPE_CHECK(runTasks(tasks, monitor));
  for (std::size_t i = 0; i < found.size(); ++i) {
    FileOutcomes& file = *outcomes[i];
    if (!file.error.empty() && file.kind != FileKind::Library) {
      ++(file.kind == FileKind::Source ? report.sources : report.others);
      continue;
    }
    for (const std::size_t release : file.releases) ++report.fitting[release];
    report.files.push_back(std::move(file));
  }
  return report;
}

} // namespace blobscope::preflight
