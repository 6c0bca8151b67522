#pragma once

#include "core/base/monitor.h"
#include "core/mlf/c_source.h"
#include "core/mlf/graph.h"
#include "core/mlf/model.h"
#include "core/mlf/object_facts.h"
#include "core/mlf/parameters.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

/// Facts from the files of an archive, read once for the rules 6xx. Source: core/formats/model-library-format.md 6, 7,
/// 15.
namespace blobscope::mlf {

/// A file in codegen/TARGET/src or lib. Only files with a fitting extension are checked; all of them may define
/// functions.
struct CodeFile {
  const File* file = nullptr;
  const ModelModule* owner = nullptr; ///< null if it belongs to no module, or could belong to several
  bool fits = false;                  ///< .c, .cc, .cpp in src, .o in lib
  std::optional<CSource> source;      ///< of src
  std::optional<ObjectFacts> object;  ///< of lib
};

/// A tensor that "main" lists as input or output.
struct ListedTensor {
  std::string_view name;
  std::string pointer;
  bool sound = false; ///< size and dtype are present
  uint64_t size = 0;
  std::string_view dtype;
};

/// An entry of "sids".
struct ListedStorage {
  std::string pointer;
  uint64_t id = 0, size = 0;
  const json::Value* binding = nullptr;
};

/// The memory part of a full model's metadata. Malformed parts are omitted; other rules report them.
struct ModuleMemory {
  std::optional<uint64_t> workspace; ///< of main[0]
  std::vector<uint64_t> devices;     ///< of main; empty if one of them cannot be read
  bool listsInputs = false, listsOutputs = false;
  std::vector<ListedTensor> inputs, outputs; ///< of all devices
  std::optional<std::vector<std::pair<std::string_view, std::string>>>
      functions;                                      ///< names and pointers; nothing if it is not a list
  std::optional<std::vector<ListedStorage>> storages; ///< nothing if one of them cannot be read
};

struct ModuleFacts {
  const ModelModule* module = nullptr;
  std::vector<std::string> names; ///< the module's symbolNames()
  ModuleMemory memory;
  // Only the first of several modules has what they share: names may occur twice.
  std::optional<Graph> graph;
  Findings graphFindings; ///< what readGraph() found, of any version
  std::optional<Parameters> parameters;
  std::optional<CSource> header;
  std::vector<const CodeFile*> code; ///< its own files

  /// Returns whether the functions are C and the model's name is not valid in C identifiers (MLF-119); then the names
  /// of C definitions do not identify them.
  bool breaksC() const;
};

struct FileFacts {
  const Model* model = nullptr;
  std::vector<CodeFile> code;
  std::vector<ModuleFacts> modules;
  std::unordered_set<std::string_view> defined; ///< functions and data, defined by any file
  bool complete = true;                         ///< false: some file may contain definitions that were not read

  /// Returns whether no file defines the function, if that can be decided.
  bool isMissing(std::string_view function) const { return complete && !defined.contains(function); }
};

/// Returns the names that the function which runs a whole AOT model may have in this version of the format. `names`: of
/// the model, as symbolNames() returns them.
std::vector<std::string> aotMainNames(unsigned version, const std::vector<std::string>& names);
/// Returns the JSON pointer of the list of storages of a module.
std::string storagesPointer(const ModelModule& module, unsigned version);

/// Reads each file once. Rules that need a graph or parameters take them from here.
FileFacts readFileFacts(const Model& model, Monitor& monitor);

/// Returns `name` with "_" in place of characters that C identifiers cannot contain;
/// core/formats/model-library-format.md 7.4.
std::string sanitized(std::string_view name);
std::string upperCase(std::string_view text);
/// Returns the spellings of a model's name in symbols that exporters use: unchanged, sanitised, and both in lower case.
std::vector<std::string> symbolNames(std::string_view model);

// Rules, by topic.
void checkFunctions(const FileFacts& facts, Findings& findings, Monitor& monitor); ///< MLF-601 – 604, 621, 623, 627
void checkHeaders(const FileFacts& facts, Findings& findings, Monitor& monitor);   ///< MLF-605 – 609, 622, 626
void checkObjects(const FileFacts& facts, Findings& findings, Monitor& monitor);   ///< MLF-618 – 620, 624
void checkGraphAndMemory(const FileFacts& facts, Findings& findings, Monitor& monitor); ///< MLF-610 – 617, 625, 628

} // namespace blobscope::mlf
