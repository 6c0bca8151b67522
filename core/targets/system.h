#pragma once

#include "core/base/result.h"
#include "core/targets/facts.h"

#include <compare>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::targets {

/// A machine and its operating system, as far as they decide whether a library loads.
struct System {
  enum class CLibrary : uint8_t { Unknown, Glibc, Musl, Bionic, Apple, Msvc };
  std::string name;  ///< as the user writes it: "debian12", "x86_64-linux-gnu2.28", "this"
  std::string title; ///< "Debian 12, x86_64"
  std::string os;    ///< "linux", "android", "windows", "macos", "ios"; empty when it is not known
  std::string cpu;   ///< as in container::Image::arch; empty: any
  CLibrary library = CLibrary::Unknown;
  std::string version;         ///< of the C library: "2.36"; of Android the level of its API; empty when not known
  std::string glibcxx, cxxabi; ///< the newest versions of symbols of its libstdc++; empty when not known
  unsigned cpuLevel = 0;       ///< 3: x86-64-v3; 0 when not known
  bool here = false;           ///< the machine on which this program runs: its libraries can be looked up
};
using SystemPtr = std::shared_ptr<const System>;

/// Reads a name of the tables ("debian12", "manylinux_2_28"), also with a processor ("debian12-aarch64",
/// "manylinux_2_28_x86_64"), a triple ("x86_64-linux-gnu2.28", "aarch64-linux-android29", "x86_64-linux-musl"),
/// "android29", "windows", "macos". Error: PRE-SYSTEM with what exists.
Result<SystemPtr> parseSystem(const FactsPtr& facts, std::string_view text);

/// The system below `root`, which is "/" for that of this machine, from its files: the C library, libstdc++, the flags
/// of the processor. What they do not tell stays empty. `os` and `cpu` as in System.
System readSystem(const std::filesystem::path& root, std::string os, std::string cpu);

/// The name that containers have for a processor: "x86_64" of "amd64", "aarch64" of "arm64"; empty for other words.
std::string processorName(std::string_view word);

/// Compares versions number by number: "2.9" is before "2.28". Parts that are not numbers count as 0.
std::strong_ordering compareVersions(std::string_view a, std::string_view b);

/// "glibc 2.36", "musl 1.2.5"; empty when it is not known.
std::string cLibraryText(const System& system);

} // namespace blobscope::targets
