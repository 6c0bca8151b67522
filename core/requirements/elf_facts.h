#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace blobscope::requirements {

/// A function that the loader calls.
struct LoaderEntry {
  enum class Kind : uint8_t {
    Resolver, ///< of an IFUNC, while the file is relocated
    Start,    ///< DT_PREINIT_ARRAY, DT_INIT, DT_INIT_ARRAY
    End       ///< DT_FINI_ARRAY, DT_FINI
  };
  Kind kind = Kind::Start;
  std::string slot; ///< "DT_INIT", "DT_INIT_ARRAY[0]", "IFUNC resolver"
  uint64_t address = 0;
  /// Of a resolver: the loader calls it before it has relocated the words through which code calls functions of other
  /// libraries.
  bool early = false;
  bool bad = false; ///< the address is not in executable code
};

/// What the dynamic part of an ELF file requests from the system's loader. Source: System V ABI, chapter 5; for
/// versions of symbols the Linux Standard Base, "Symbol Versioning".
struct ElfFacts {
  std::vector<std::string> needed, runPaths;
  bool inheritsRunPaths = false; ///< `runPaths` are of DT_RPATH, which also hold for the libraries that it needs
  bool bindsAtOnce = false;
  std::string newestGlibc; ///< "2.28"; empty when no version of glibc is needed
  std::string damage;      ///< why the loader refuses the file; empty when it does not
  std::string printed;     ///< what the loader of glibc says then, after the path
  bool crashes = false;    ///< the loader reads memory that the file does not have, so the process ends
  std::string cpu;         ///< the level of x86-64 that the file says it needs: "x86-64-v3"; empty when it says none
  bool android = false;    ///< it has a note of Android
  /// A version that a library must have.
  struct Version {
    std::string library, name; ///< "libm.so.6", "GLIBC_2.27"
    bool weak = false;         ///< only a warning when it is missing
  };
  std::vector<Version> versionNeeds;
  // Per dynamic symbol: the first entries of Image::symbols.
  std::vector<std::string> versions;         ///< "GLIBC_2.28"; empty when the symbol has none
  std::vector<std::string> versionLibraries; ///< the library that must have that version
  std::vector<bool> data;                    ///< a relocation that is not bound late refers to it
  std::vector<uint64_t> order;               ///< of `data`: the number of the first relocation
  std::vector<bool> used;                    ///< any relocation refers to it, or not all could be read
  /// A word that the loader fills with the address of a symbol.
  struct Place {
    uint32_t symbol = 0; ///< index in Image::symbols
    bool late = false;   ///< at the first call
  };
  std::unordered_map<uint64_t, Place> places; ///< by address
  std::vector<uint64_t> relative;             ///< words to which the loader adds the address of the file; ascending
  std::vector<LoaderEntry> entries;           ///< in the order of their calls
};

/// `image` is an ELF file. Damaged tables are read as far as possible. Error: only Cancelled.
Result<ElfFacts> readElfFacts(const container::Image& image, Monitor& monitor);

} // namespace blobscope::requirements
