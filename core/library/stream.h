#pragma once

#include "core/base/budget.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/modules/codec.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// The payload stream of a blob: module records and the import tree, cut but not yet judged. Sources: apache/tvm
/// src/codegen/codegen.cc v0.2 – v0.6.1, src/target/codegen.cc and src/runtime/library_module.cc v0.7 – v0.21;
/// apache/tvm-ffi src/ffi/extra/library_module.cc v0.1.0 – v0.1.15.
namespace blobscope::library {

/// Whether records carry their length (ffi, v0.22 on) or decode themselves (classic).
enum class Stream { Classic, Ffi };
std::string_view streamName(Stream stream);

/// Compressed sparse rows: module i imports child[indptr[i] … indptr[i+1]).
struct ImportTree {
  std::vector<uint64_t> indptr;
  std::vector<uint64_t> child;
  /// Whether it is what a loader needs for `modules` modules: one entry more than modules, from 0, never decreasing,
  /// ending with the number of children, every child below `modules`.
  bool fits(uint64_t modules) const;
  /// Whether indptr never decreases and stays within `child`, so that no two modules share a child's place.
  bool hasAscendingRows() const;
};

/// The two vectors of a tree as they are stored, so that a search can pass over many without copying them.
struct StoredTree {
  Bytes indptr, child;
  /// Whether it has as many rows as `modules` modules need.
  bool hasRowsFor(uint64_t modules) const { return indptr.size() / 8 == modules + 1; }
  /// ImportTree::fits() of the values, without copying them.
  bool fits(uint64_t modules) const;
  /// Bytes that fits() looks at.
  uint64_t size() const { return indptr.size() + child.size(); }
  ImportTree values() const;
};
/// Reads the two vectors. Nothing when they reach behind the end or are larger than limits::kModules and kImportEdges
/// allow; the reader says which.
std::optional<StoredTree> readImportTree(Reader& reader);

/// Why a record is not decoded.
enum class Undecoded {
  No,          ///< it is decoded
  UnknownKind, ///< no codec for its key
  Damaged,     ///< there is a codec, and no layout fits
  Region       ///< bytes up to the end of the stream; may hold further records
};

/// One stored record. All offsets count from the blob's first byte, the length header.
struct Record {
  enum class Kind { Module, Tree };
  Kind kind = Kind::Module;
  Bytes key;
  uint64_t start = 0;        ///< of the key's length word
  uint64_t payloadStart = 0; ///< behind key and, in the ffi stream, behind the length word of the value
  uint64_t end = 0;
  modules::BodyPtr body; ///< null for the tree
  Undecoded undecoded = Undecoded::No;
  bool guess = false;                             ///< where it ends was chosen among several possible places
  std::optional<Error> whyDamaged = std::nullopt; ///< of the likeliest layout
};

/// A cut stream. Every byte behind the header belongs to the count word, the vectors, a record or `trailing`.
struct CutStream {
  Stream stream = Stream::Classic;
  WireContext context;           ///< that the records were decoded with
  std::optional<uint64_t> count; ///< classic: as stored, the tree record included
  std::vector<Record> records;   ///< in stored order
  std::optional<ImportTree> tree;
  bool hasLibRecord = false;
  /// A record behind a count of 0, which loaders never read (v0.14 – v0.21, root without imports).
  bool uncounted = false;
  uint64_t end = 0;      ///< first byte that no record owns; equals the size of the blob in a whole stream
  bool complete = false; ///< all announced records were met, everything was consumed, and the tree fits
  std::vector<Diagnostic> diagnostics;
};

/// Cuts the stream of `blob`, which begins with the 8-byte length header and holds at least that. `likely`: what the
/// carrier's name says about the generation; the other FunctionInfo form is tried too. Never fails on content:
/// what cannot be decoded stays as undecoded records or trailing bytes, with diagnostics. Error: only Cancelled.
/// Searches are charged to `budget`.
Result<CutStream> cutStream(const Bytes& blob, WireContext likely, Budget& budget, Monitor& monitor);
/// The same with a budget of its own.
Result<CutStream> cutStream(const Bytes& blob, WireContext likely, Monitor& monitor);

} // namespace blobscope::library
