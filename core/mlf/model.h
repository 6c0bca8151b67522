#pragma once

#include "core/base/budget.h"
#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/check/finding.h"
#include "core/library/archive_kind.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Model Library Format: the export format of TVM's microTVM from March 2021 to December 2024, versions 1 to 7. Source
/// of every fact in this folder: core/formats/model-library-format.md.
namespace blobscope::mlf {

using check::Findings;
using check::Place;
using check::Rule;

using library::ArchiveKind;

/// A header of the tar, as stored.
struct TarEntry {
  enum class Type { File, Folder, Link, Other };
  std::string stored; ///< path as stored, any bytes
  std::string path;   ///< normalised: without leading "./" and trailing "/"; empty for the root "."
  Type type = Type::File;
  std::string typeText; ///< what it is if it is something else: "fifo"
  std::string link;     ///< target of a link
  uint64_t mode = 0, uid = 0, gid = 0;
  std::string owner, group;
  std::optional<int64_t> changed; ///< seconds since 1970; nothing if it cannot be read
  uint64_t offset = 0;            ///< of the header in the uncompressed tar
  bool safe = true;               ///< false: nothing may be unpacked to that path
};

/// The archive as a container.
struct Container {
  /// A limit of rule MLF-011 that stopped reading.
  struct Exceeded {
    std::string what, limit;
  };
  /// Where reading had to stop (MLF-003).
  struct Damage {
    uint64_t offset;
    std::string why;
  };
  ArchiveKind kind = ArchiveKind::NotTar;
  std::string whyNotTar;         ///< set if `kind` is NotTar
  std::string codec;             ///< "gzip", "bzip2", "xz", "zstd"; empty for a plain tar
  std::vector<TarEntry> entries; ///< in stored order
  std::optional<Damage> damage;
  std::optional<std::string> end; ///< what is wrong with the end marker: "is missing"
  std::vector<Exceeded> exceeded;
  std::string inner; ///< path of the archive inside a microTVM project; everything here describes that archive
};

/// A regular file of the archive.
struct File {
  std::string path;   ///< normalised: without leading "./"
  std::string stored; ///< as in the archive
  Bytes bytes;        ///< its content; offsets count from its first byte
};

enum class Executor { None, Graph, Aot };

/// A module (model or operator archive) of the metadata. Versions 1 to 6 have one; in version 7 a full model has one
/// per name.
struct ModelModule {
  std::string name;
  std::string pointer;                   ///< of its object in metadata.json: "" or "/modules/NAME"
  const json::Value* metadata = nullptr; ///< the object, never null
  bool isOperator = false;               ///< style "operator"
  Executor executor = Executor::None;
  std::vector<std::string> targets; ///< as written, trailing spaces kept
  // Its files, null or empty if the archive has none. A file belongs to the longest module name that fits.
  const File* graph = nullptr;
  const File* parameters = nullptr;
  const File* header = nullptr;     ///< codegen/host/include/tvmgen_….h
  std::vector<const File*> sources; ///< codegen/host/src, by number
  std::vector<const File*> objects; ///< codegen/host/lib, by number

  /// Returns "memory" of the metadata; null if it is missing or has the wrong type for the version.
  const json::Value* memory() const { return metadata->find("memory"); }
  std::string memoryPointer() const { return pointer + "/memory"; }
};

/// An archive, read once. Files and modules refer to each other; the object is not copied.
struct Model {
  Container container;
  unsigned version = 0;    ///< 0 if the metadata does not state it
  std::vector<File> files; ///< ascending by path; without unsafe members, links and older copies
  std::unique_ptr<const json::LocatedDocument> metadata; ///< null if metadata.json is missing or not JSON
  std::string whyNoMetadata;                             ///< why metadata.json is not JSON
  std::vector<ModelModule> modules;                      ///< empty if the metadata cannot be used
  bool usesCRuntime = false; ///< built for the C runtime, so the rules "for the C runtime" apply

  const File* find(std::string_view path) const;
  /// Returns whether a file is in the folder `path` or below it. `path` has no "/" at the end.
  bool hasFolder(std::string_view path) const;
};

/// 4xx: the parameter file of a module.
struct Parameters; // parameters.h
/// 5xx: the graph of a module.
struct Graph; // graph.h

} // namespace blobscope::mlf
