#pragma once

#include "core/library/package.h"
#include "core/mlf/archive.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::mlf {

/// The memory that the models of an archive take on a board, as far as the archive tells: metadata, parameter and graph
/// files, sections of objects. Stack, heap, application, runtime and compiled C sources are never part of it, so each
/// amount is the least that is needed.
struct BoardUse {
  struct Part {
    std::string name;   ///< "workspace"
    std::string source; ///< "metadata.json", "objects"
    uint64_t bytes = 0;
  };
  std::vector<Part> ram, flash;        ///< without parts of 0 bytes
  bool ramKnown = false;               ///< the metadata states the memory of every model
  bool flashKnown = false;             ///< likewise for constants, and every object could be read
  std::vector<std::string> processors; ///< for which the objects are made: "x86_64"; each once
  std::size_t sources = 0;             ///< C sources, whose code is not counted
  std::size_t models = 0;              ///< their memory is added up
  bool constantsInObjects = false;     ///< so that they are counted with the objects only
  uint64_t alignment = 0;              ///< to which each workspace is rounded up, in bytes
  std::string alignmentSource;         ///< "target", "TVM's default", "chosen"

  /// Sums of the parts; they saturate.
  uint64_t ramBytes() const;
  uint64_t flashBytes() const;
};

/// Alignments of workspaces that can be chosen: powers of two up to this one.
inline constexpr uint64_t kMostAlignment = 4096;
bool isAlignment(uint64_t bytes);

/// `alignment`: instead of the one that the target states, or of TVM's default.
BoardUse boardUse(const Archive& archive, const library::Package& package, std::optional<uint64_t> alignment = {});

enum class Fit : uint8_t { Fits, TooLarge, Unknown };
/// Whether the bytes are within a limit. Too large is certain even if not everything is known.
Fit fitOf(uint64_t bytes, bool known, std::optional<uint64_t> limit);

} // namespace blobscope::mlf
