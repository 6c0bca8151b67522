#pragma once

#include "core/base/budget.h"
#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/payloads/payload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Offload bundles: the device code that clang and hipcc write for several targets, one after the other, plain or
/// compressed. Source of all facts: core/formats/cuda-binaries.md 10; llvm/llvm-project llvmorg-19.1.7
/// clang/docs/ClangOffloadBundler.rst, clang/lib/Driver/OffloadBundler.cpp (headers 1 and 2), and main for header 3.
namespace blobscope::payloads {

extern const PayloadFormat kBundle;

/// The code for one target.
struct BundleEntry {
  std::string id; ///< as stored: "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"
  Extent extent;  ///< from the first byte of the unpacked bundle

  /// Whether it is the place of the host code, which is nearly always empty.
  bool isHost() const { return id.starts_with("host-"); }
  /// "gfx90a:sramecc+:xnack-"; empty for the host and when the id names none.
  std::string target() const;
};

struct Bundle {
  /// Limits of entries, of bytes of an id, and of the table; real bundles have some 30 entries of 60 bytes.
  static constexpr uint64_t kEntries = 4'096, kIdBytes = 1'024, kTableBytes = uint64_t{1} << 20;
  /// The largest bundle that is unpacked, and how many times its stored size that may be.
  static constexpr uint64_t kUnpackedLimit = uint64_t{1} << 30, kRatioLimit = 1'000;

  enum class Compression : uint8_t { None, Zlib, Zstandard, Unknown };

  Compression compression = Compression::None;
  uint16_t version = 0;             ///< of the header of a compressed bundle: 1 to 3; 0 for a plain one
  uint64_t headerSize = 0;          ///< of the header of a compressed bundle
  uint64_t storedSize = 0;          ///< with all headers, cut to the bytes that are there
  uint64_t unpackedSize = 0;        ///< as the header says; of a plain bundle its size
  std::vector<BundleEntry> entries; ///< in stored order; none when the table cannot be read
  std::vector<std::string> damage;  ///< one sentence each; empty when the table could be read
};

/// The bundle at the start of `bytes`, which may be longer. Unpacks only the table of a bundle that is compressed with
/// Zstandard, and all of one that is compressed with zlib. Damage is part of the result, also when `monitor` stopped.
Bundle readBundle(const Bytes& bytes, Monitor& monitor);

/// The number of bytes of the bundle at the start of `bytes`; nothing when there is none, or when it cannot be complete
/// and valid: unknown version, sizes beyond the bytes, entries that overlap. Does not unpack anything.
std::optional<uint64_t> bundleSize(const Bytes& bytes);

/// The bundle without compression, which entries refer to; a plain one is not copied. BLOB-PAYLOAD when the compressed
/// bytes are damaged or have another size than declared, FILE-LIMIT when `budget` is exceeded, Cancelled.
Result<Bytes> unpackBundle(const Bytes& bytes, const BudgetPtr& budget, Monitor& monitor);

} // namespace blobscope::payloads
