#pragma once

#include "core/base/budget.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/modules/codec.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// The payload stream of a blob: module records and the import tree, split but not yet checked. Sources: apache/tvm
/// src/codegen/codegen.cc v0.2 – v0.6.1, src/target/codegen.cc and src/runtime/library_module.cc v0.7 – v0.21;
/// apache/tvm-ffi src/ffi/extra/library_module.cc v0.1.0 – v0.1.15.
namespace blobscope::library {

/// Whether records store their length (ffi, v0.22 on) or end where decoding ends (classic).
enum class Stream { Classic, Ffi };
std::string_view streamName(Stream stream);

/// Compressed sparse rows: module i imports child[indptr[i] … indptr[i+1]).
struct ImportTree {
  std::vector<uint64_t> indptr;
  std::vector<uint64_t> child;
  /// Whether a loader accepts the tree for `modules` modules: indptr has one entry more than modules, begins with 0,
  /// never decreases and ends with the number of children, and every child is below `modules`.
  bool fits(uint64_t modules) const;
  /// Whether indptr never decreases and stays within `child`, so that no two modules share an entry of `child`.
  bool hasAscendingRows() const;
};

/// The two vectors of a tree as stored, so that a search can check many trees without copying them.
struct StoredTree {
  Bytes indptr, child;
  /// Whether indptr has the number of entries for `modules` modules.
  bool hasRowsFor(uint64_t modules) const { return indptr.size() / 8 == modules + 1; }
  /// The same as ImportTree::fits(), without copying the values.
  bool fits(uint64_t modules) const;
  /// The number of bytes that fits() reads.
  uint64_t size() const { return indptr.size() + child.size(); }
  ImportTree values() const;
};
/// Reads the two vectors. Returns nothing when they extend past the end or exceed limits::kModules and kImportEdges;
/// the reader has the error.
std::optional<StoredTree> readImportTree(Reader& reader);

/// Why a record is not decoded.
enum class Undecoded {
  No,          ///< it is decoded
  UnknownKind, ///< no codec for its key
  Damaged,     ///< there is a codec, and no layout fits
  Region       ///< bytes up to the end of the stream; may contain further records
};

/// One stored record. All offsets are relative to the blob's first byte, where the length header begins.
struct Record {
  enum class Kind { Module, Tree };
  Kind kind = Kind::Module;
  Bytes key;
  uint64_t start = 0;        ///< offset of the key's length word
  uint64_t payloadStart = 0; ///< after the key and, in the ffi stream, after the length word of the value
  uint64_t end = 0;
  modules::BodyPtr body; ///< null for the tree
  Undecoded undecoded = Undecoded::No;
  bool guess = false;                             ///< its end is a guess: one of several possible offsets
  std::optional<Error> whyDamaged = std::nullopt; ///< error of the most likely layout
};

/// A split stream. Every byte after the header belongs to the count word, the vectors, a record, or the bytes from
/// `end` on.
struct SplitStream {
  Stream stream = Stream::Classic;
  WireContext context;           ///< with which the records were decoded
  std::optional<uint64_t> count; ///< classic: as stored, including the tree record
  std::vector<Record> records;   ///< in stored order
  std::optional<ImportTree> tree;
  bool hasLibRecord = false;
  /// A record follows a count of 0; loaders never read it (v0.14 – v0.21, root without imports).
  bool uncounted = false;
  uint64_t end = 0;      ///< first byte that no record owns; equals the size of the blob in a whole stream
  bool complete = false; ///< all declared records were found, all bytes were consumed, and the tree fits
  std::vector<Diagnostic> diagnostics;
};

/// Splits the stream of `blob`, which has at least the 8-byte length header. `likely`: what the carrier's name says
/// about the generation; the other FunctionInfo form is tried too. Never fails because of content: bytes that cannot be
/// decoded become undecoded records or trailing bytes, with diagnostics. Error: only Cancelled. Searches are charged to
/// `budget`.
Result<SplitStream> splitStream(const Bytes& blob, WireContext likely, Budget& budget, Monitor& monitor);
/// The same with a separate budget.
Result<SplitStream> splitStream(const Bytes& blob, WireContext likely, Monitor& monitor);

} // namespace blobscope::library
