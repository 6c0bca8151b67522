#pragma once

#include "core/preflight/preflight.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::preflight {

/// Compares step by step; the parts are in one source each.
class Judge {
public:
  /// Both must outlive it.
  Judge(const requirements::Requirements& needs, const Target& target)
      : m_needs(needs), m_target(target), m_runtime(*target.runtime),
        m_device(target.device ? &*target.device : nullptr), m_system(target.system.get()),
        m_findsFunctions(computeFindsFunctions()) {}
  Outcome run();
  /// At most this many items of a rule are kept; a damaged file may need a million functions.
  static constexpr std::size_t kPerRule = 1'000;

private:
  using Availability = targets::Availability;

  // loading.cpp
  void checkFile();
  void checkExtension();
  bool linksObjects() const;
  /// Whether the format, the operating system and the processor fit.
  bool fitsMachine();
  bool checkSources();
  void findLibraries();
  std::string missingLibraryText(const std::string& name) const;
  void checkVersions();
  void checkLibraries();
  void checkStart();
  void refuse(Missing& item, const std::string& reason) const;
  /// Who has a symbol: in the process, or the file itself once it is linked.
  enum class Has : uint8_t { Yes, No, Unknown };
  Has findSymbol(const requirements::NeededSymbol& symbol) const;
  void checkSymbols();
  void addSymbol(const requirements::NeededSymbol& symbol, Has found);
  void addUnknownStart();
  void checkSlots();
  void checkImports();
  void checkCarrier();
  void addSystemLibrary(const requirements::CarrierSymbol* carrier, const library::SystemLibrary* library);
  void checkLoaders();
  void checkPayload();
  void checkExecutable(const requirements::Executable& executable);
  // functions.cpp
  void checkMachine();
  void checkCalls();
  void checkFunctions(Step step);
  void checkName(const requirements::NeededFunction& function, Step step);
  void checkPrefix();
  void checkPacked();
  void checkArguments();
  void checkDeviceApis();
  // kernels.cpp
  void checkKernels();
  void checkLaunchTags();
  void checkCuda();
  void checkGfx();
  /// Images outside blobs: which functions have code for the device.
  void checkHostImages();
  /// The driver that the libraries of CUDA need, and with `ofRuntime` the one that the runtime needs.
  void checkDriver(bool ofRuntime);
  /// "sm_90", "gfx942".
  std::string gpuName() const;
  void checkLimits();
  void checkFeatures();
  std::string webGpuText() const;

  /// Whether the symbols of the library's host functions begin with "__tvm_ffi_", as those of TVM v0.22 and later do.
  bool hasPrefix() const { return m_needs.hostAbi != "classic" && m_needs.hostAbi != "ffi1"; }
  /// Whether the runtime looks for such symbols as the library has. Code that it does not find never runs.
  bool computeFindsFunctions() const;
  /// Whether the runtime has something that a build with the library's own runtime has, such as the web runtime that a
  /// WebAssembly library contains.
  bool has(const Availability& found) const;
  /// Whether the library is to be loaded on the machine on which this program runs.
  bool isHere() const { return m_system && m_system->here; }
  /// Of NeedsLibrary: "libtvm_runtime_cuda, which can only be loaded where libcuda.so.1 is installed; …".
  static std::string needsText(const Availability& found);
  /// Adds what is missing. `values` fill the texts of the rule; {runtime} is always there.
  Missing& add(check::Rule rule, std::string_view kind, std::string name, Step step, std::vector<Argument> values = {});
  /// The words of the runtime, filled.
  std::string printed(targets::Message message, std::vector<Argument> values) const;
  StepResult& at(Step step) { return m_outcome.steps[static_cast<std::size_t>(step) - 1]; }
  void met(Step step, uint64_t count = 1) { at(step).met += count; }
  /// Determines the states of the steps, the verdict and what is reached.
  void decide();
  /// Does that, and omits what is above kPerRule.
  void finish();

  const requirements::Requirements& m_needs;
  const Target& m_target;
  const targets::Runtime& m_runtime;
  const targets::Device* m_device;
  const targets::System* m_system;                    ///< null: not stated
  std::vector<targets::SharedLibraryPtr> m_libraries; ///< that the file needs, as far as their files are known
  std::vector<std::string> m_unknownLibraries;        ///< that it needs, and of which nothing is known
  std::set<std::string, std::less<>> m_refused;       ///< libraries that do not have the versions that the file needs
  std::vector<std::string> m_foundHere;  ///< that were found on this machine, although no system was stated
  std::vector<std::string> m_mayBeThere; ///< symbols that the unknown libraries may define
  std::map<std::string_view, const requirements::StartUpCall*> m_startUp; ///< by symbol; certain calls first
  bool m_stops = false; ///< step 1 fails, so that the next two are not compared
  bool m_findsFunctions;
  std::map<std::pair<check::Rule, Step>, std::size_t> m_overflow; ///< the item above kPerRule, in m_outcome.missing
  Missing m_removed;                                              ///< one more of these, which nobody needs
  std::vector<std::string> m_hidden; ///< functions of a step that may be in the library, see hiddenFunctions
  std::set<std::string, std::less<>> m_notPacked; ///< kernels that are a finding of their own
  Outcome m_outcome;
  std::map<check::Rule, std::size_t> m_counts; ///< calls of add()
};

/// Replaces "{name}" by its value, also inside further braces.
std::string fill(std::string_view text, const std::vector<Argument>& values);
/// "x86_64, aarch64".
std::string listText(const std::vector<std::string>& words);
/// "use a build with USE_CUDA (libtvm_runtime_cuda)".
std::string buildText(const targets::Availability& found);
/// Whether the code is for that kind of device.
bool isForKind(const requirements::DeviceCode& code, targets::Device::Kind kind);
/// "sm_90 · NVIDIA H100", for sentences.
std::string deviceText(const targets::Device& device);

} // namespace blobscope::preflight
