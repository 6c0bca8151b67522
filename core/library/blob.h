#pragma once

#include "core/base/budget.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/carrier.h"
#include "core/library/stream.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace blobscope::library {

/// Generation of a blob, found from its bytes and its carrier. Source: core/formats/blob.md 7.
enum class Era { A, B1, B2, C0, C1 };
/// "B1".
std::string_view eraName(Era era);
/// "TVM v0.7 – v0.20".
std::string_view eraReleases(Era era);

/// One module of a blob. Immutable.
struct Module {
  uint32_t index = 0;         ///< number among the module records, `_lib` counted
  Bytes key;                  ///< type key, any bytes
  Extent record;              ///< key and payload, from the blob's first byte
  Bytes payload;              ///< without key and without the ffi length word
  uint64_t payloadOffset = 0; ///< from the blob's first byte
  modules::BodyPtr body;      ///< never null
  Undecoded undecoded = Undecoded::No;
  bool guess = false;            ///< its end was chosen among several possible places
  std::vector<uint32_t> imports; ///< module numbers, as stored; only those that exist

  /// Whether it stands for the library itself.
  bool isLibrary() const { return key.view() == modules::kLibraryKey; }
};
using ModulePtr = std::shared_ptr<const Module>;

/// Names of the functions that a module's payload defines, in stored order: kernels, functions of a virtual machine,
/// host functions of modules that carry their code.
std::vector<std::string> functionNames(const modules::Body& body);
inline std::vector<std::string> functionNames(const Module& module) { return functionNames(*module.body); }

/// A blob, opened. Immutable; edits make new ones that share the untouched modules.
struct Blob {
  container::Carrier carrier;
  std::vector<std::string> memberPath; ///< of the package that holds it
  std::string refPrefix; ///< what tells its refs from those of the file's other blobs, empty for an only blob
  Era era = Era::B1;
  Bytes bytes;               ///< header and stream, as far as the file has them
  uint64_t declaredSize = 0; ///< `nbytes` of the header
  CutStream cut;
  std::vector<ModulePtr> modules;
  std::vector<Diagnostic> diagnostics; ///< at most limits::kDiagnostics
  uint64_t moreDiagnostics = 0;        ///< that were left out

  Ref ref() const { return placed(Ref::blob(refPrefix)); }
  Ref moduleRef(uint32_t index) const { return placed(Ref::moduleAt(refPrefix, index)); }
  /// A ref in the blob's file as one from the outermost file.
  Ref placed(Ref inner) const {
    inner.members = memberPath;
    return inner;
  }
  /// Whether record 0 is the root; in flat streams (era A) the library itself is, and every module is its import.
  bool hasRootModule() const { return !modules.empty() && cut.tree.has_value(); }
  /// Modules without an importer besides the root, in order: the library's own children in a flat stream.
  std::vector<uint32_t> roots() const;
  /// How many modules import each module.
  std::vector<uint32_t> importerCounts() const;
};

/// Opens the blob at a carrier. Damage is told in Blob::diagnostics; what can be decoded is there in any case.
/// Error: only Cancelled.
/// What has to be worked through is charged to `budget`; where that ends, the rest is undecoded (FILE-LIMIT).
Result<Blob> openBlob(const container::Carrier& carrier, std::string refPrefix, Budget& budget, Monitor& monitor,
                      std::vector<std::string> memberPath = {});
/// The same with a budget of its own.
Result<Blob> openBlob(const container::Carrier& carrier, std::string refPrefix, Monitor& monitor,
                      std::vector<std::string> memberPath = {});

/// A record to write.
struct RecordBytes {
  const Record* stored = nullptr; ///< as opened, null for a new module
  Bytes key;
  std::vector<Bytes> payload; ///< pieces; none for the tree
};
/// Writes what follows the blob's header: the count of classic streams, the tree where it belongs, `records` in order,
/// and the bytes that no record of `blob` owns. What a record is called and holds may differ from what is stored.
void encodeStream(const Blob& blob, std::optional<uint64_t> count, const std::optional<ImportTree>& tree,
                  const std::vector<RecordBytes>& records, Writer& writer);

/// Encodes header, records and tree from the decoded values, with bytes that no record owns as they were. For an
/// unedited blob the result is byte-identical to Blob::bytes.
void encodeBlob(const Blob& blob, Writer& writer);

/// The fields of the whole blob: header, count or vectors, each record, bytes that nothing explains.
FieldTree describeBlob(const Blob& blob);

} // namespace blobscope::library
