#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Where a library may be loaded: releases of TVM's runtime and runtimes on disk, and devices with their drivers. Facts
/// are tables in resources/facts, which name their sources. Nothing is executed.
namespace blobscope::targets {

class Facts;
using FactsPtr = std::shared_ptr<const Facts>;

/// The lowest release of apache-tvm-ffi that a library can be loaded with.
struct FfiNeed {
  std::string release;  ///< "0.1.5"
  std::string function; ///< that it has first, of those that the library imports: "TVMFFIHandleInitOnce"
};

/// Whether a runtime has something.
struct Availability {
  enum class State : uint8_t {
    Present,   ///< the runtime has it
    Absent,    ///< the runtime does not have it, however it is built
    NeedsFlag, ///< the runtime was built without it; a build with `flag` has it
    /// It is in `library`, which the system can only load where another library is installed: `needs`, which was not
    /// found with the runtime.
    NeedsLibrary,
    Unknown ///< the tables and the file do not tell
  };
  State state = State::Unknown;
  std::string flag = {};    ///< "USE_CUDA"
  std::string library = {}; ///< the library that contains it, when that is a library of its own: "libtvm_runtime_cuda"
  std::string needs = {};   ///< of NeedsLibrary: "libcuda.so.1"
  bool missingHere = true;  ///< of NeedsLibrary: the loader of this machine does not find it either
  std::string why = {};     ///< of Absent, a sentence: its library is there, and cannot be loaded; may be empty

  bool present() const { return state == State::Present; }
};

/// Numbers of arguments that a function of the runtime accepts; a function may have more than one such record.
struct ArgumentCount {
  std::optional<uint64_t> minimum, maximum; ///< no maximum: any larger number
  bool certain = true;                      ///< false: they are those of the nearest release
  bool typed = false;                       ///< the runtime compares the number before it calls the function
  enum class By : uint8_t { Signature, Check, Read } by = By::Signature;
  bool python = false; ///< registered by TVM's Python package
  /// The function takes at least `base + times * value` arguments, where `value` is that of the argument with the
  /// number `argument`.
  struct Depends {
    uint64_t argument, base, times;
  };
  std::optional<Depends> depends;
  std::string signature; ///< of a typed function: "(0: vm.Storage, 1: int64_t) -> Tensor"; empty when it is not known
  /// The words after "Check failed: ", with {passed} for the number: "args.size() == 0 ({passed} vs. 0) : ". Empty when
  /// they are not known.
  std::string check;
};

/// What the machine of a runtime accepts.
struct MachineFormat {
  std::vector<uint64_t> magics;
  std::string version; ///< "0.14"
  std::string pool;    ///< of Relax: "classic", "2025a" or "2025b"; empty for Relay
};

/// The words of a runtime for a failure; texts of the table "messages" of resources/facts/runtimes.json.
enum class Message : uint8_t {
  FileNotReadable,    ///< {path} {reason}
  NoFileLoader,       ///< {extension}
  NoFileFormat,       ///< {path}
  NoLoader,           ///< {key}
  NoFunction,         ///< {name}: a function of a module
  NoPackedFunction,   ///< {name}: the Relax VM is made
  NoCompiledFunction, ///< {name}: the Relax VM is made
  NoRelayPrimitive,   ///< {name}
  NoGraphFunction,    ///< {name}
  NoHostFunction,     ///< {name}: host code calls it
  VmMagic,
  VmVersion,
  VmConstant,      ///< {type}
  UndefinedSymbol, ///< {path} {name}
  WrongCount,      ///< {name} {signature} {expected} {passed}: a typed function
  FailedCheck,     ///< {condition}: ArgumentCount::check
  TooFewRead,      ///< {index} {passed}
  NoDeviceApi,     ///< {device}
  CudaNeedsCompiler,
  UnknownLaunchTag, ///< {tag}
  OpenClDelimiter,
  OpenClFormat,  ///< {format}
  PushConstants, ///< {used} {available}
};
constexpr std::size_t kMessages = static_cast<std::size_t>(Message::PushConstants) + 1;

/// A runtime: a release as the tables describe it, with the parts of a plain build and further ones, or one that was
/// read from disk. A plain build has the flags that are on without being set, the compiler and the Python package.
/// Immutable; any number of threads may use it.
class Runtime {
public:
  virtual ~Runtime() = default;
  /// "v0.27.0", "tirx-0.1.0a4", or the path.
  virtual const std::string& name() const = 0;
  /// As people call it: "TVM 0.27", "apache-tvm-tirx 0.1.0a4", or the path.
  virtual std::string title() const { return name(); }
  /// The parts of the build besides those of a plain one, as they were requested: "cuda".
  virtual std::vector<std::string> flags() const { return {}; }
  /// The tables; null for a runtime that was made without them.
  virtual FactsPtr facts() const { return nullptr; }
  /// Number of the release in Facts::releases(); of a runtime on disk, the release that its names fit best; nothing
  /// when none fits.
  virtual std::optional<std::size_t> release() const = 0;
  /// Whether it was read from disk.
  virtual bool onDisk() const { return false; }
  /// How a runtime on disk was recognised, one sentence each: "libtvm_runtime.so exports the symbols of v0.26 – v0.27".
  virtual std::vector<std::string> evidence() const { return {}; }
  /// A function of the global registry.
  virtual Availability function(std::string_view name) const = 0;
  /// Name of the function that loads modules with that key: "ffi.Module.load_from_bytes.cuda".
  virtual std::string loaderName(std::string_view key) const = 0;
  /// The symbols that it looks for in a library, without prefix: "__tvm_ffi__library_bin".
  virtual std::vector<std::string> carriers() const = 0;
  /// Whether it fills the slot with that name after loading.
  virtual Availability slot(std::string_view name) const = 0;
  /// Whether its libraries export the symbol: C names, and C++ names as they are stored. Unknown for names that are
  /// not those of TVM, which other libraries may define.
  virtual Availability symbol(std::string_view name) const = 0;
  /// Whether the JavaScript of the web runtime provides a function that a WebAssembly module imports: "env",
  /// "TVMFFIWasmSafeCall". Unknown for names that do not come from TVM, which the page or the host may provide, and
  /// where the bundle decides.
  virtual Availability webImport(std::string_view module, std::string_view name) const {
    (void)module;
    return symbol(name);
  }
  /// Whether its function for system libraries takes a prefix.
  virtual bool takesSystemPrefix() const { return true; }
  /// Whether a shared library of that name, as in DT_NEEDED, comes with the runtime: "libtvm_ffi.so". Unknown for
  /// libraries that are not TVM's, unless they lie beside it.
  virtual Availability library(std::string_view name) const {
    (void)name;
    return {};
  }
  /// Whether the library of the runtime itself needs a shared library whose name begins so: "libamdhip64". True where
  /// that is not known.
  virtual bool needsLibrary(std::string_view beginning) const {
    (void)beginning;
    return true;
  }
  /// Empty when the numbers are not known.
  virtual std::vector<ArgumentCount> argumentCounts(std::string_view function) const = 0;
  /// Nothing when it has no such machine.
  virtual std::optional<MachineFormat> relax() const = 0;
  virtual std::optional<MachineFormat> relay() const = 0;
  /// Whether its loader for modules of that kind reads the layout, by its name in Body::layout(). True for kinds that
  /// have only one.
  virtual bool readsLayout(std::string_view key, std::string_view layout) const {
    (void)key, (void)layout;
    return true;
  }
  /// Whether kernels may have the launch tag: "threadIdx.x", "tirx.use_dyn_shared_memory".
  virtual Availability launchTag(std::string_view tag) const = 0;
  /// Why the libtvm_ffi that was found with a runtime on disk does not fit it; nothing when it fits, or is not known.
  struct WrongFfi {
    std::string found;    ///< "0.1.15.post2"
    std::string expected; ///< "0.1.12", "0.1.13.post2 to 0.1.15.post2"
  };
  virtual std::optional<WrongFfi> wrongFfi() const { return std::nullopt; }
  /// Why the system cannot load the runtime itself, so that it loads nothing; nothing when it can, or is not known.
  struct Broken {
    std::string library; ///< that cannot be loaded: "libtvm_runtime.so"
    std::string why;     ///< for a sentence: "libtvm_runtime.so needs …, which libtvm_ffi.so does not export"
    std::string printed; ///< the words of the system's loader
    std::string fix;     ///< what to do; may be empty
    /// A library that was not found with the runtime: where it is installed, the runtime can be loaded. Empty: nowhere.
    std::string needs = {};
    bool missingHere = true; ///< the loader of this machine does not find it either
  };
  virtual std::optional<Broken> broken() const { return std::nullopt; }
  /// The first Linux driver branch that its code for CUDA works with, whatever it runs; nothing when it is not known.
  virtual std::optional<uint32_t> oldestDriver() const { return std::nullopt; }
  /// Whether its way to load files also takes objects and archives of them, which it links: TVM's Python package does.
  virtual bool linksObjects() const { return true; }
  /// Functions of libtvm_ffi: the first release of apache-tvm-ffi with all of them. Nothing when none is one, or when
  /// it is not known.
  virtual std::optional<FfiNeed> neededFfi(const std::vector<std::string_view>& symbols) const {
    (void)symbols;
    return std::nullopt;
  }
  /// Installed packages that exclude each other, one sentence each.
  virtual std::vector<std::string> packageConflicts() const { return {}; }
  /// The processors for which it is built: "x86_64"; empty when it is not known.
  virtual std::vector<std::string> architectures() const { return {}; }
  /// The words of the runtime with placeholders; empty when it does not print anything in this case.
  virtual std::string messageText(Message message) const = 0;
};
using RuntimePtr = std::shared_ptr<const Runtime>;

/// The runtime of a release: "v0.27", "v0.27.0", "0.27.0.post1", "tirx-0.1.0a4", each with flags after "+":
/// "v0.27+cuda,opencl"; or one of apache-tvm-ffi without TVM: "tvm-ffi-0.1.13". Error: PRE-RUNTIME with the names that
/// exist.
Result<RuntimePtr> runtimeOfRelease(const FactsPtr& facts, std::string_view name);
/// Whether runtimeOfRelease() takes the word as a flag: "cuda", "opencl", "USE_CUDA".
bool isBuildFlag(std::string_view word);
/// A runtime on disk, read without executing it: a library of TVM, a folder with such libraries, a Python environment,
/// an .apk, a .wasm, or a JavaScript file with TVM's web runtime. Errors: those of ByteSource::openFile; PRE-RUNTIME
/// when it contains no runtime; Cancelled.
Result<RuntimePtr> readRuntime(const FactsPtr& facts, const std::filesystem::path& path, Monitor& monitor);
/// Either of them: `name` is a path when it contains a slash, ends in a file name extension of libraries, or exists.
Result<RuntimePtr> findRuntime(const FactsPtr& facts, const std::string& name, Monitor& monitor);

} // namespace blobscope::targets
