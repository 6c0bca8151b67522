#include "core/targets/runtime.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/targets/release_runtime.h"
#include "core/targets/runtime_files.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <system_error>

namespace blobscope::targets {
namespace {

using State = Availability::State;

/// Type keys of modules and names of devices, and the build flag that each needs. Source: apache/tvm, CMakeLists.txt
/// and cmake/modules of v0.6.1 – v0.26.0.
constexpr std::array<std::pair<std::string_view, std::string_view>, 38> kFlagWords = {{
    {"cuda", "USE_CUDA"},
    {"gpu", "USE_CUDA"},
    {"opencl", "USE_OPENCL"},
    {"vulkan", "USE_VULKAN"},
    {"metal", "USE_METAL"},
    {"rocm", "USE_ROCM"},
    {"hip", "USE_ROCM"},
    {"hsaco", "USE_ROCM"},
    {"hexagon", "USE_HEXAGON"},
    {"webgpu", "WASM"},
    {"opengl", "USE_OPENGL"},
    {"aocl", "USE_AOCL"},
    {"sdaccel", "USE_SDACCEL"},
    {"dnnl_json", "USE_DNNL"},
    {"coreml", "USE_COREML"},
    {"tensorrt", "USE_TENSORRT_RUNTIME"},
    {"clml", "USE_CLML_GRAPH_EXECUTOR"},
    {"cublas_json", "USE_CUBLAS"},
    {"cudnn_json", "USE_CUDNN"},
    {"hipblas_json", "USE_HIPBLAS"},
    {"nnapi", "USE_NNAPI_RUNTIME"},
    {"example_npu_json", "USE_EXAMPLE_NPU_RUNTIME"},
    {"arm_compute_lib", "USE_ARM_COMPUTE_LIB_GRAPH_EXECUTOR"},
    {"bnns_json", "USE_BNNS"},
    {"msc_tensorrt", "USE_MSC"},
    {"torch", "USE_LIBTORCH"},
    {"VitisAIRuntime", "USE_VITIS_AI"},
    {"ethos-n", "USE_ETHOSN"},
    {"mrvl_sim", "USE_MRVL"},
    {"mrvl_hw", "USE_MRVL"},
    {"examplejson", "USE_EXAMPLE_EXT_RUNTIME"},
    {"cublas", "USE_CUBLAS"},
    {"cudnn", "USE_CUDNN"},
    {"cutlass", "USE_CUTLASS"},
    {"thrust", "USE_THRUST"},
    {"nccl", "USE_NCCL"},
    {"rccl", "USE_RCCL"},
    {"nvshmem", "USE_NVSHMEM"},
}};

std::string_view groupOf(std::string_view word) {
  if (word.starts_with("USE_")) return word;
  const auto found = std::ranges::find(kFlagWords, word, &std::pair<std::string_view, std::string_view>::first);
  return found == kFlagWords.end() ? std::string_view() : found->second;
}

/// "v0.6.1 – v0.27.0, tirx-0.1.0a4".
std::string releasesText(const Facts& facts) {
  const std::size_t newest = facts.newestRelease();
  std::string out = facts.releases().front().name + " to " + facts.releases()[newest].name;
  for (std::size_t i = newest + 1; i < facts.releases().size(); ++i) out += ", " + facts.releases()[i].name;
  return out;
}

} // namespace

bool isBuildFlag(std::string_view word) {
  if (!word.starts_with("USE_")) return !groupOf(word).empty();
  return word.size() > 4 && word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos;
}

std::string flagText(std::string_view group) {
  if (group == "WASM") return "the web runtime";
  if (group == "compiler") return "the compiler";
  if (group == "python") return "TVM's Python package";
  if (group == "tvm-ffi") return "libtvm_ffi";
  return std::string(group == "disco" ? "USE_DISCO" : group);
}

ReleaseRuntime::ReleaseRuntime(FactsPtr facts, std::optional<std::size_t> release, std::vector<std::string> flags,
                               std::set<uint32_t> groups)
    : m_facts(std::move(facts)), m_release(release), m_flags(std::move(flags)), m_groups(std::move(groups)) {
  if (m_release) m_name = m_facts->releases()[*m_release].name;
}

std::string ReleaseRuntime::title() const {
  constexpr std::string_view kTirx = "tirx-";
  if (!m_release || onDisk()) return m_name;
  if (m_name.starts_with(kTirx)) return "apache-tvm-tirx " + m_name.substr(kTirx.size());
  const std::string& label = m_facts->releases()[*m_release].label;
  return "TVM " + label.substr(label.starts_with('v') ? 1 : 0);
}

bool ReleaseRuntime::isPlain(uint32_t group) const {
  const std::string& name = tables().groups[group];
  if (name == "WASM") return false;
  if (!name.starts_with("USE_")) return true;
  const auto found = tables().defaults.find(name);
  return found != tables().defaults.end() && m_release && contains(found->second, *m_release);
}

std::string ReleaseRuntime::libraryOf(uint32_t group) const {
  const auto found = tables().libraries.find(tables().groups[group]);
  return found == tables().libraries.end() || !m_release ? std::string()
                                                         : std::string(textOf(found->second, *m_release));
}

bool ReleaseRuntime::isListedKind(std::string_view name) const {
  const auto begins = [&](std::string_view with) { return !with.empty() && name.starts_with(with); };
  return begins("device_api.") || begins("vm.builtin.") || (m_release && begins(textOf(tables().loaders, *m_release)));
}

Availability ReleaseRuntime::function(std::string_view name) const {
  const auto found = tables().functions.find(name);
  if (found == tables().functions.end()) return {isListedKind(name) ? State::Absent : State::Unknown};
  if (!m_release) return {};
  Availability out{State::Absent};
  for (const Registration& one : found->second) {
    if (!contains(one.releases, *m_release)) continue;
    if (isPlain(one.group) || m_groups.contains(one.group)) return {State::Present, {}, libraryOf(one.group)};
    if (out.state == State::Absent)
      out = {State::NeedsFlag, flagText(tables().groups[one.group]), libraryOf(one.group)};
  }
  return out;
}

std::string ReleaseRuntime::loaderName(std::string_view key) const {
  if (!m_release) return {};
  const std::string_view prefix = textOf(tables().loaders, *m_release);
  return prefix.empty() ? std::string() : std::string(prefix) + std::string(key);
}

std::vector<std::string> ReleaseRuntime::carriers() const {
  std::vector<std::string> out;
  for (const RangedText& carrier : tables().carriers)
    if (m_release && contains(carrier.releases, *m_release)) out.push_back(carrier.text);
  return out;
}

Availability ReleaseRuntime::slot(std::string_view name) const {
  const auto found = tables().slots.find(name);
  if (found == tables().slots.end() || !m_release) return {};
  return {contains(found->second, *m_release) ? State::Present : State::Absent};
}

Availability ReleaseRuntime::symbol(std::string_view name) const {
  const auto found = tables().symbols.find(name);
  if (!m_release) return {};
  if (found == tables().symbols.end()) {
    // A C++ function of libtvm_ffi that went.
    const auto gone = tables().ffiExports.find(name);
    const auto fit = std::ranges::find(m_facts->ffiFits(), *m_release, &FfiFit::release);
    if (gone == tables().ffiExports.end() || fit == m_facts->ffiFits().end()) return {};
    const auto& releases = m_facts->ffiReleases();
    const std::string& first = fit->first.empty() ? fit->declared : fit->first;
    const auto from = static_cast<std::size_t>(std::ranges::find(releases, first) - releases.begin());
    return {gone->second.contains(from) ? State::Unknown : State::Absent};
  }
  const ExportedSymbol& symbol = found->second;
  if (contains(symbol.releases, *m_release)) return {State::Present, {}, symbol.library};
  return {contains(symbol.maybe, *m_release) ? State::Unknown : State::Absent};
}

Availability ReleaseRuntime::library(std::string_view name) const {
  const std::string wanted = libraryName(name);
  if (!m_release || !wanted.starts_with("libtvm")) return {};
  if (wanted == "libtvm_runtime") return {State::Present};
  // Libraries of parts of the build: libtvm_ffi, libtvm_runtime_cuda.
  Availability out{State::Absent};
  for (uint32_t group = 0; group < tables().groups.size(); ++group) {
    if (libraryOf(group) != wanted) continue;
    if (isPlain(group) || m_groups.contains(group)) return {State::Present};
    out = {State::NeedsFlag, flagText(tables().groups[group]), wanted};
  }
  return out;
}

Availability ReleaseRuntime::webImport(std::string_view module, std::string_view name) const {
  // A bundle lists what it provides.
  if (onDisk())
    if (const Availability found = symbol(name); found.state != State::Unknown) return found;
  const auto names = tables().webImports.find(module);
  if (names == tables().webImports.end() || !m_release) return {};
  const auto found = names->second.find(name);
  if (found != names->second.end()) {
    if (contains(found->second.releases, *m_release)) return {State::Present, {}, found->second.library};
    if (contains(found->second.maybe, *m_release)) return {};
  }
  // The page can provide functions of its own, but none of TVM, and none in C++.
  const bool ofTvm = name.starts_with("TVM") || name.starts_with("_Z");
  return {module == "env" && ofTvm ? State::Absent : State::Unknown};
}

bool ReleaseRuntime::takesSystemPrefix() const {
  return !m_release || tables().systemPrefix.empty() || contains(tables().systemPrefix, *m_release);
}

std::vector<ArgumentCount> ReleaseRuntime::argumentCounts(std::string_view function) const {
  std::vector<ArgumentCount> out;
  const auto found = tables().arguments.find(function);
  if (found == tables().arguments.end() || !m_release) return out;
  for (const RangedCount& one : found->second.counts) {
    if (!contains(one.releases, *m_release)) continue;
    ArgumentCount& count = out.emplace_back(one.count);
    if (count.typed) count.signature = textOf(found->second.signatures, *m_release);
    if (count.by == ArgumentCount::By::Check) count.check = textOf(found->second.checks, *m_release);
  }
  return out;
}

std::optional<MachineFormat> ReleaseRuntime::machine(bool relay) const {
  if (!m_release) return std::nullopt;
  for (const Machine& one : tables().machines) {
    if (one.relay != relay || !contains(one.releases, *m_release)) continue;
    MachineFormat out = one.format;
    // An executable of Relay names its release.
    if (relay) out.version = m_facts->releases()[*m_release].version;
    return out;
  }
  return std::nullopt;
}

bool ReleaseRuntime::readsLayout(std::string_view key, std::string_view layout) const {
  const auto found = tables().layouts.find(key);
  if (found == tables().layouts.end() || !m_release) return true;
  const auto one = std::ranges::find(found->second, layout, &std::pair<std::string, Ranges>::first);
  return one == found->second.end() || contains(one->second, *m_release);
}

Availability ReleaseRuntime::launchTag(std::string_view tag) const {
  if (!m_release) return {};
  for (const auto& [name, releases] : tables().launchTags) {
    const bool matches =
        name.ends_with('*') ? tag.starts_with(std::string_view(name).substr(0, name.size() - 1)) : tag == name;
    if (matches && contains(releases, *m_release)) return {State::Present};
  }
  return {State::Absent};
}

std::optional<uint32_t> ReleaseRuntime::oldestDriver() const {
  return m_release ? m_facts->driverOf(textOf(tables().cudaVersions, *m_release)) : std::nullopt;
}

std::string ReleaseRuntime::messageText(Message message) const {
  return m_release ? std::string(textOf(tables().messages[static_cast<std::size_t>(message)], *m_release))
                   : std::string();
}

namespace {

constexpr std::string_view kFfi = "tvm-ffi-";

/// A release of apache-tvm-ffi without TVM: what tvm_ffi.load_module can load.
class FfiRuntime final : public ReleaseRuntime {
public:
  /// `words`: the release of TVM whose messages it prints.
  FfiRuntime(FactsPtr facts, std::string name, std::size_t version, std::size_t words)
      : ReleaseRuntime(std::move(facts), words, {}, {}), m_version(version) {
    m_name = std::move(name);
  }
  std::string title() const override { return "apache-tvm-ffi " + m_facts->ffiReleases()[m_version]; }
  std::optional<std::size_t> release() const override { return std::nullopt; }
  Availability function(std::string_view name) const override {
    const auto found = tables().ffiFunctions.find(name);
    if (found != tables().ffiFunctions.end())
      return {found->second.contains(m_version) ? State::Present : State::Absent, {}, "libtvm_ffi"};
    const Availability ofTvm = ReleaseRuntime::function(name);
    if (ofTvm.state == State::Unknown) return {};
    Availability out{State::Absent};
    if (ofTvm.state != State::Absent) out.why = "TVM has it, and tvm-ffi alone does not";
    return out;
  }
  Availability slot(std::string_view) const override { return {State::Absent}; } // TVM's runtime fills them
  Availability symbol(std::string_view name) const override {
    const auto found = tables().ffiExports.find(name);
    if (found != tables().ffiExports.end())
      return {found->second.contains(m_version) ? State::Present : State::Absent, {}, "libtvm_ffi"};
    return {name.starts_with("TVM") ? State::Absent : State::Unknown};
  }
  Availability library(std::string_view name) const override {
    const std::string wanted = libraryName(name);
    if (!wanted.starts_with("libtvm")) return {};
    return {wanted == "libtvm_ffi" ? State::Present : State::Absent};
  }
  std::vector<ArgumentCount> argumentCounts(std::string_view) const override { return {}; }
  std::optional<MachineFormat> relax() const override { return std::nullopt; }
  std::optional<MachineFormat> relay() const override { return std::nullopt; }
  Availability launchTag(std::string_view) const override { return {}; }
  std::optional<uint32_t> oldestDriver() const override { return std::nullopt; }
  bool linksObjects() const override { return false; }

private:
  std::size_t m_version;
};

/// Of "tvm-ffi-0.1.13", "tvm-ffi". Nothing for other names.
Result<RuntimePtr> ffiRuntime(const FactsPtr& facts, std::string_view name) {
  const std::vector<std::string>& releases = facts->ffiReleases();
  const std::string_view version = name.substr(std::min(name.size(), kFfi.size()));
  const auto found = version.empty() ? std::prev(releases.end()) : std::ranges::find(releases, version);
  if (releases.empty() || found == releases.end())
    return Error(DiagnosticId::PreRuntime,
                 {arg("name", name),
                  {"why", releases.empty() ? "the tables have no release of apache-tvm-ffi"
                                           : "the releases of apache-tvm-ffi are tvm-ffi-" + releases.front() +
                                                 " to tvm-ffi-" + releases.back()}});
  const auto number = [&](const std::string& text) { return std::ranges::find(releases, text) - releases.begin(); };
  std::size_t words = facts->newestRelease();
  for (const FfiFit& fit : facts->ffiFits()) // from the oldest
    if (fit.release <= facts->newestRelease() && number(fit.declared) <= found - releases.begin()) words = fit.release;
  return RuntimePtr(std::make_shared<const FfiRuntime>(facts, std::string(name),
                                                       static_cast<std::size_t>(found - releases.begin()), words));
}

bool isFfiName(std::string_view name) { return name.starts_with(kFfi) || name == "tvm-ffi"; }

} // namespace

Result<RuntimePtr> runtimeOfRelease(const FactsPtr& facts, std::string_view name) {
  if (isFfiName(name)) return ffiRuntime(facts, name);
  const auto fail = [&](const std::string& why) {
    return Error(DiagnosticId::PreRuntime, {arg("name", name), {"why", why}});
  };
  const std::size_t plus = name.find('+');
  const auto release = facts->findRelease(name.substr(0, plus));
  if (!release) return fail("the releases are " + releasesText(*facts));
  std::vector<std::string> flags;
  std::set<uint32_t> groups;
  std::string_view rest = plus == std::string_view::npos ? std::string_view() : name.substr(plus + 1);
  if (plus != std::string_view::npos && rest.empty()) return fail("the flags after '+' are missing");
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(",+");
    const std::string_view word = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    const std::vector<std::string>& known = facts->tables().groups;
    const auto group = std::ranges::find(known, groupOf(word));
    if (!isBuildFlag(word) || group == known.end())
      return fail("'" + escaped(word) +
                  "' is not a build flag; examples: cuda, opencl, vulkan, metal, rocm, USE_CUDNN");
    flags.emplace_back(word);
    groups.insert(static_cast<uint32_t>(group - known.begin()));
  }
  return RuntimePtr(std::make_shared<const ReleaseRuntime>(facts, release, std::move(flags), std::move(groups)));
}

Result<RuntimePtr> findRuntime(const FactsPtr& facts, const std::string& name, Monitor& monitor) {
  constexpr std::array<std::string_view, 9> kExtensions = {".so",  ".dll", ".dylib", ".apk", ".wasm",
                                                           ".zip", ".js",  ".mjs",   ".cjs"};
  const bool isPath = name.find_first_of("/\\") != std::string::npos ||
                      std::ranges::any_of(kExtensions, [&](std::string_view end) { return name.ends_with(end); });
  std::error_code failure;
  if (isPath || (!facts->findRelease(name.substr(0, name.find('+'))) && !isFfiName(name) &&
                 std::filesystem::exists(pathFrom(name), failure)))
    return readRuntime(facts, pathFrom(name), monitor);
  return runtimeOfRelease(facts, name);
}

} // namespace blobscope::targets
