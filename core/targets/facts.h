#pragma once

#include "core/base/result.h"
#include "core/targets/runtime.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::targets {

struct Tables;

/// A release of TVM.
struct Release {
  std::string name;    ///< as tagged: "v0.27.0", "tirx-0.1.0a4"
  std::string label;   ///< short: "0.27", "tirx 0.1.0a4"
  std::string version; ///< the version string that it writes into Relay executables: "0.17.0"
};

/// The first and the last release of a range, numbers in Facts::releases().
struct Range {
  std::size_t first = 0, last = 0;
  bool contains(std::size_t release) const { return release >= first && release <= last; }
};

/// A processor family of GPUs in the tables, such as sm_90.
struct GpuArchitecture {
  std::string name;            ///< "sm_90"
  std::string title;           ///< "Hopper"; empty when it is not known
  std::string example;         ///< "NVIDIA H100"; empty when none is known
  std::string alias;           ///< a former name: "sm_101" of sm_110
  uint32_t sm = 0;             ///< 90
  bool tegra = false;          ///< for embedded systems: runs no cubins of other parts, nor they its own
  std::string family;          ///< of targets with the suffix f: "sm_100f"
  uint64_t sharedPerBlock = 0; ///< largest dynamic shared memory of one block, in bytes; 0 when it is not known
  uint32_t maxThreads = 1024;  ///< of a block
  uint32_t maxRegisters = 255; ///< of a thread
  uint32_t minDriver = 0;      ///< first Linux driver branch of the tables that supports it
  uint32_t lastDriver = 0;     ///< last one that does; 0 while newer ones do
};

/// A version of CUDA.
struct CudaRelease {
  std::string version; ///< "12.8"
  uint32_t ptx = 0;    ///< the newest PTX version that it accepts: 87 for 8.7
  uint32_t driver = 0; ///< the driver branch for Linux that came with it
};

/// A development board for microcontrollers.
struct Board {
  std::string name;            ///< "NUCLEO-L4R5ZI"
  std::string chip;            ///< "STM32L4R5ZI"
  std::string processor;       ///< "arm", as in container::Image::arch
  uint64_t ram = 0, flash = 0; ///< for programs, in bytes
  std::string source;          ///< where the numbers come from: files with versions, and a note
};

/// An operating system in the tables.
struct SystemRow {
  std::string name, alias;     ///< "debian12"; "manylinux2014" of manylinux_2_17
  std::string title;           ///< "Debian 12"
  std::string os;              ///< "linux", "windows", "macos", "ios"
  std::string library;         ///< its C library: "glibc", "musl", "msvc", "apple"
  std::string version;         ///< of the C library: "2.36"; empty when it does not matter
  std::string glibcxx, cxxabi; ///< the newest versions of symbols of its libstdc++: "3.4.30", "1.3.13"; or empty
};

/// What the libstdc++ of a version of GCC has at least.
struct GccRow {
  std::string version, glibcxx, cxxabi; ///< "12", "3.4.30", "1.3.13"
};

/// The versions of libtvm_ffi with which a release of TVM works.
struct FfiFit {
  std::size_t release = 0; ///< number in Facts::releases()
  std::string declared;    ///< "0.1.12": what its package asks for at least
  std::string first, last; ///< with these everything fits; empty when it is not known
};

/// The tables of resources/facts, checked. Immutable.
class Facts {
public:
  /// The tables that are built in, with those of `folder` in place of them: files with the same names and a later
  /// date. An empty path: only the built-in tables. Error: PRE-FACTS names file and place.
  static Result<FactsPtr> load(const std::filesystem::path& folder = {});

  const std::vector<Release>& releases() const { return m_releases; }
  /// By any of its names: "v0.27", "0.27", "v0.27.0", "0.27.0.post1", "tirx".
  std::optional<std::size_t> findRelease(std::string_view name) const;
  /// Number of the newest release of TVM itself, not of tirx.
  std::size_t newestRelease() const;
  /// "v0.23 – v0.25", "v0.18, v0.20, tirx 0.1.0a4": releases by their labels, those of TVM joined to ranges.
  /// `releases`: numbers, ascending.
  std::string rangesText(const std::vector<std::size_t>& releases) const;
  const std::vector<GpuArchitecture>& gpus() const { return m_gpus; }
  const GpuArchitecture* findGpu(std::string_view name) const;
  /// Oldest first.
  const std::vector<CudaRelease>& cudaReleases() const { return m_cuda; }
  /// The driver branch for Linux that came with a version of CUDA, such as "11.8"; nothing for unknown versions.
  std::optional<uint32_t> driverOf(std::string_view cudaVersion) const;
  /// The oldest PTX version that allows a target: 86 for "sm_100". Nothing for unknown targets.
  std::optional<uint32_t> oldestPtx(std::string_view target) const;
  /// Releases of libtvm_ffi, oldest first.
  const std::vector<std::string>& ffiReleases() const { return m_ffiReleases; }
  const std::vector<FfiFit>& ffiFits() const { return m_ffiFits; }
  /// The first release of apache-tvm-ffi that exports all of the symbols which it ever exported; nothing when none of
  /// them is one of its C functions.
  std::optional<FfiNeed> neededFfi(const std::vector<std::string_view>& symbols) const;
  /// By name.
  const std::vector<Board>& boards() const { return m_boards; }
  /// Case and everything but letters and digits are ignored: "nucleo l4r5zi".
  const Board* findBoard(std::string_view name) const;
  /// Names of the boards whose name has most in common with `name`; empty when none has three characters of it.
  std::vector<std::string> boardsLike(std::string_view name) const;
  const std::vector<SystemRow>& systems() const { return m_systems; }
  /// By name or alias.
  const SystemRow* findSystem(std::string_view name) const;
  /// Oldest first.
  const std::vector<GccRow>& gccReleases() const { return m_gcc; }
  /// Whether the C library of GNU with its parts, libgcc_s, or libstdc++ exports a name that is not mangled.
  bool isSystemName(std::string_view name) const;
  /// Whether the C library musl exports a name.
  bool isMuslName(std::string_view name) const;
  /// Who provides a name that is undefined in an object when the object is linked: "libgcc or compiler-rt"; empty when
  /// nothing does.
  std::string_view linkedBy(std::string_view name) const;
  /// What runtime.cpp and disk_runtime.cpp look up.
  const Tables& tables() const { return *m_tables; }

private:
  friend class FactsLoader;
  /// Whether the name has a letter or digit, and no board has it.
  bool isNewBoard(std::string_view name) const;
  std::vector<Release> m_releases;
  std::vector<GpuArchitecture> m_gpus;
  std::vector<CudaRelease> m_cuda;
  std::map<std::string, uint32_t, std::less<>> m_oldestPtx;
  std::vector<std::string> m_ffiReleases;
  std::vector<FfiFit> m_ffiFits;
  std::vector<Board> m_boards;
  std::vector<SystemRow> m_systems;
  std::vector<GccRow> m_gcc;
  std::vector<std::string> m_systemNames, m_muslNames; ///< sorted
  struct LinkedNames {
    std::string pattern, by; ///< "*" stands for any characters, "?" for one
  };
  std::vector<LinkedNames> m_linkedPatterns;
  std::map<std::string, std::string, std::less<>> m_linked; ///< names without such signs
  std::shared_ptr<const Tables> m_tables;
};

} // namespace blobscope::targets
