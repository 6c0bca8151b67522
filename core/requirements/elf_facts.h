#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace blobscope::requirements {

/// What the dynamic part of an ELF file requests from the system's loader. Source: System V ABI, chapter 5; for
/// versions of symbols the Linux Standard Base, "Symbol Versioning".
struct ElfFacts {
  std::vector<std::string> needed, runPaths;
  bool bindsAtOnce = false;
  std::string newestGlibc; ///< "2.28"; empty when no version of glibc is needed
  std::string damage;      ///< why the loader refuses the file; empty when it does not
  // Per dynamic symbol: the first entries of Image::symbols.
  std::vector<std::string> versions; ///< "GLIBC_2.28"; empty when the symbol has none
  std::vector<bool> data;            ///< a relocation other than that of a function that is bound late refers to it
  /// Address of a word that the loader fills with the address of a symbol → index in Image::symbols.
  std::unordered_map<uint64_t, uint32_t> places;
};

/// `image` is an ELF file. Damaged tables are read as far as possible. Error: only Cancelled.
Result<ElfFacts> readElfFacts(const container::Image& image, Monitor& monitor);

} // namespace blobscope::requirements
