#pragma once

#include "core/base/bytes.h"
#include "core/base/located_json.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/mlf/rule.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::mlf {

/// A regular file of the archive.
struct File {
  std::string path;   ///< normalised: without leading "./"
  std::string stored; ///< as in the archive
  Bytes bytes;        ///< its content; counts from its own first byte
};

enum class Executor { None, Graph, Aot };

/// One module (model or operator archive) of the metadata. Versions 1 to 6 have one; in 7 a full model has one per name.
struct ModelModule {
  std::string name;
  std::string pointer;                      ///< of its object in metadata.json: "" or "/modules/NAME"
  const json::Located* metadata = nullptr;  ///< the object, never null
  bool isOperator = false;                  ///< style "operator"
  Executor executor = Executor::None;
  std::vector<std::string> targets;         ///< as written, trailing spaces kept
  // Its files, null or empty where the archive has none. Files belong to the longest module name that fits.
  const File* graph = nullptr;
  const File* parameters = nullptr;
  const File* header = nullptr;             ///< codegen/host/include/tvmgen_….h
  std::vector<const File*> sources;         ///< codegen/host/src, by number
  std::vector<const File*> objects;         ///< codegen/host/lib, by number

  /// "memory" of the metadata, null when it is missing or of the wrong type for the version.
  const json::Located* memory() const { return metadata->find("memory"); }
  std::string memoryPointer() const { return pointer + "/memory"; }
};

/// An archive, read once. Files and modules point into each other; the object is not copied.
struct Model {
  unsigned version = 0;                       ///< 0 when the metadata does not tell it
  std::vector<File> files;                    ///< ascending by path
  std::optional<json::LocatedDocument> metadata; ///< nothing when metadata.json is missing or no JSON
  std::vector<ModelModule> modules;           ///< empty when the metadata cannot be used
  bool usesCRuntime = false;                  ///< built for the C runtime: decides about rules "for the C runtime"

  const File* find(std::string_view path) const;
};

// --- what is checked, one topic per file; each adds to `findings` and never stops at the first one ---

/// 4xx: the parameter file of a module.
struct Parameters; // parameters.h
/// 5xx: the graph of a module.
struct Graph;      // graph.h

} // namespace blobscope::mlf
