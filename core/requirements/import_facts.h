#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace blobscope::requirements {

/// What PE, Mach-O and WebAssembly files request from the system's loader.
struct ImportFacts {
  std::vector<std::string> libraries; ///< in stored order, once each
  std::vector<std::string> runPaths;
  bool bindsAtOnce = false; ///< all imports are found when the file is loaded
  std::string damage;       ///< why the loader refuses the file; empty when it does not
  /// Name of a symbol as stored → number of its library in `libraries`, where the file says it.
  std::unordered_map<std::string, std::size_t> libraryOf;
  /// Of WebAssembly: name of an import → its number among all imports.
  std::unordered_map<std::string, uint64_t> importNumbers;
  /// Of WebAssembly: features that the code uses, as its section "target_features" says: "simd128". Source:
  /// WebAssembly/tool-conventions, Linking.md, "Target Features Section".
  std::vector<std::string> features;
  /// Of Mach-O: address of a word that the loader fills with the address of a symbol → name of the symbol as stored.
  std::unordered_map<uint64_t, std::string> places;
};

/// `image` is a PE, Mach-O or WebAssembly file. Damaged tables are read as far as possible. Error: only Cancelled.
Result<ImportFacts> readImportFacts(const container::Image& image, Monitor& monitor);

} // namespace blobscope::requirements
