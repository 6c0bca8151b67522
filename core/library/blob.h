#pragma once

#include "core/base/budget.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/carrier.h"
#include "core/library/stream.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::library {

/// The generation of a blob, determined from its bytes and its carrier. Source: core/formats/blob.md 7.
enum class Era { A, B1, B2, C0, C1 };
/// "B1".
std::string_view eraName(Era era);
/// "TVM v0.7 – v0.20".
std::string_view eraReleases(Era era);

/// One module of a blob. Immutable.
struct Module {
  uint32_t index = 0;         ///< number among the module records, including `_lib`
  Bytes key;                  ///< type key, any bytes
  Extent record;              ///< key and payload, relative to the blob's first byte
  Bytes payload;              ///< without key and without the ffi length word
  uint64_t payloadOffset = 0; ///< relative to the blob's first byte
  modules::BodyPtr body;      ///< never null
  Undecoded undecoded = Undecoded::No;
  bool guess = false;            ///< its end is a guess: one of several possible offsets
  std::vector<uint32_t> imports; ///< module numbers as stored; only existing modules

  /// Whether it represents the library itself.
  bool isLibrary() const { return key.view() == modules::kLibraryKey; }
};
using ModulePtr = std::shared_ptr<const Module>;

/// Returns the names of the functions that a module's payload defines, in stored order: kernels, functions of a virtual
/// machine, host functions of modules that contain their code.
std::vector<std::string> functionNames(const modules::Body& body);
inline std::vector<std::string> functionNames(const Module& module) { return functionNames(*module.body); }

/// An opened blob. Immutable; edits create new blobs that share the unchanged modules.
struct Blob {
  container::Carrier carrier;
  std::vector<std::string> memberPath; ///< of the package that contains it
  std::string refPrefix; ///< distinguishes its refs from those of other blobs in the file; empty for the only blob
  Era era = Era::B1;
  Bytes bytes;               ///< header and stream, as far as the file contains them
  uint64_t declaredSize = 0; ///< `nbytes` of the header
  SplitStream cut;
  std::vector<ModulePtr> modules;
  std::vector<Diagnostic> diagnostics; ///< at most limits::kDiagnostics
  uint64_t moreDiagnostics = 0;        ///< number of omitted diagnostics

  Ref ref() const { return placed(Ref::blob(refPrefix)); }
  Ref moduleRef(uint32_t index) const { return placed(Ref::moduleAt(refPrefix, index)); }
  /// Converts a ref that is relative to the blob's file into a ref relative to the outermost file.
  Ref placed(Ref inner) const {
    inner.members = memberPath;
    return inner;
  }
  /// Whether record 0 is the root. In flat streams (era A) the library itself is the root and imports every module.
  bool hasRootModule() const { return !modules.empty() && cut.tree.has_value(); }
  /// The root and the modules without an importer, in order; in a flat stream these are the children of the library.
  std::vector<uint32_t> roots() const;
  /// For each module, the number of modules that import it.
  std::vector<uint32_t> importerCounts() const;
};

/// Opens the blob at a carrier. Blob::diagnostics reports damage; everything that can be decoded is available anyway.
/// Error: only Cancelled. The work is charged to `budget`; when that is used up, the rest stays undecoded (FILE-LIMIT).
Result<Blob> openBlob(const container::Carrier& carrier, std::string refPrefix, Budget& budget, Monitor& monitor,
                      std::vector<std::string> memberPath = {});
/// The same with a separate budget.
Result<Blob> openBlob(const container::Carrier& carrier, std::string refPrefix, Monitor& monitor,
                      std::vector<std::string> memberPath = {});

/// Returns why the length header of a blob of `size` bytes, which declares `declared` bytes after it, is wrong.
std::string lengthMismatch(uint64_t declared, uint64_t size);

/// A record to write.
struct RecordBytes {
  const Record* stored = nullptr; ///< as opened; null for a new module
  Bytes key;
  std::vector<Bytes> payload; ///< in pieces; empty for the tree
};
/// Writes what follows the blob's header: the count of classic streams, the tree at its place, `records` in order, and
/// the bytes that no record of `blob` owns. Key and payload of a record may differ from the stored ones.
void encodeStream(const Blob& blob, std::optional<uint64_t> count, const std::optional<ImportTree>& tree,
                  const std::vector<RecordBytes>& records, Writer& writer);

/// Encodes header, records and tree from the decoded values and keeps the bytes that no record owns. For an unedited
/// blob the result is byte-identical to Blob::bytes.
void encodeBlob(const Blob& blob, Writer& writer);

/// Returns the fields of the whole blob: header, count or vectors, each record, and bytes that nothing explains.
FieldTree describeBlob(const Blob& blob);

} // namespace blobscope::library
