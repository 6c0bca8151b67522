#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/targets/name_finder.h"
#include "core/targets/runtime_files.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::targets {

/// One library of a runtime, read without executing it.
struct RuntimeLibrary {
  std::string name; ///< "libtvm_runtime"
  std::string file; ///< "libtvm_runtime.so"
  std::filesystem::path path;
  std::string architecture;
  Bytes bytes; ///< keeps the names alive
  /// What it has in its data: names of functions, texts of checks. Compilers have so much that it is read when it is
  /// asked for, by any thread; a stop is not possible then.
  const FoundNames& names() const;
  bool isCompiler = false;

  std::vector<std::string_view> exports;   ///< sorted, as stored
  std::vector<std::string_view> undefined; ///< without weak ones, as stored, in stored order
  std::vector<std::string> needed;         ///< DT_NEEDED
  std::vector<std::string> runPaths;       ///< of DT_RUNPATH, or else of DT_RPATH
  std::string soName;                      ///< DT_SONAME; empty when it has none
  bool bindsAtOnce = false;                ///< DF_BIND_NOW

  /// Whether the system can load it.
  enum class State : uint8_t {
    Loads,
    NeedsLibrary,   ///< where `missing` is installed, which was not found
    UndefinedSymbol ///< not at all: `missing` is defined by none of the libraries that are loaded with it
  };
  State state = State::Loads;
  std::string missing;
  std::string missingIn;   ///< the library that needs it: this one, or one that this one needs
  bool missingHere = true; ///< of NeedsLibrary: the loader of this machine does not find it either

  bool has(std::string_view symbol) const;
  bool exportsTvm() const;
  /// A 64-bit constant in its code or data whose upper seven bytes are those of `family`: the lowest bytes that occur.
  std::vector<uint64_t> findConstants(uint64_t family) const;

private:
  friend class RuntimeLibraryReader;
  struct Later {
    std::once_flag once;
    FoundNames names;
    const NameFinder* finder = nullptr;
  };
  std::vector<Extent> m_texts, m_code;
  FoundNames m_names;
  std::shared_ptr<Later> m_later; ///< of a compiler
};

/// Reads one file; nothing when it is not a library. `finder` must live as long as the result. `compiler`: its names
/// are only read when they are asked for. Error: Cancelled.
Result<std::optional<RuntimeLibrary>> readRuntimeLibrary(const RuntimeFile& file, const NameFinder& finder,
                                                         bool compiler, Monitor& monitor);

/// Determines which of the libraries of a runtime the system can load, as its loader does: each library that they need
/// must be found, and what they need of TVM and of the CUDA driver must be exported by one of those that are loaded
/// with them. Sets state, missing, missingIn and missingHere. `others`: libraries in the same place that are not of
/// TVM. Returns the libraries that were found in their run paths, which are then in the process, too. Source: glibc
/// elf/dl-load.c, _dl_map_object; elf/dl-lookup.c. Error: Cancelled.
Result<std::vector<RuntimeLibrary>> loadLibraries(std::vector<RuntimeLibrary>& libraries,
                                                  std::vector<RuntimeLibrary> others, const RuntimeFiles& files,
                                                  const NameFinder& finder, Monitor& monitor);

} // namespace blobscope::targets
