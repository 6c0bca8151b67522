#pragma once

#include "core/base/budget.h"
#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/base/growing_buffer.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/view/page.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Containers of device images as nvcc packs them. Source of all facts: core/formats/cuda-binaries.md 2, measured on
/// output of CUDA 11.8, 12.2 and 13.0 and on six real TVM libraries.
namespace blobscope::payloads {

/// One image of a container.
struct FatbinEntry {
  static constexpr uint16_t kPtx = 1, kCubin = 2, kLtoIr = 8;
  static constexpr uint64_t kLz4 = 0x2000, kZstandard = 0x8000, kArchSpecific = 0x100000, kFamily = 0x200000,
                            kBinaryOptions = 0x1000000;
  /// Longest image that is unpacked, and how many times its stored size that may be
  /// (core/formats/cuda-binaries.md 2.1).
  static constexpr uint64_t kUnpackedLimit = uint64_t{1} << 30, kRatioLimit = 1000;

  enum class Compression { None, Lz4, Zstandard, Unknown };

  uint16_t kind = 0;         ///< as stored; other numbers than the above occur
  Extent header;             ///< with identifier and options, from the first byte that readFatbin() was given
  uint16_t versionMajor = 0; ///< for PTX its ISA, for a cubin 1.7 (tools up to 12) or 1.8 (13)
  uint16_t versionMinor = 0;
  uint32_t sm = 0;               ///< 89
  uint64_t flags = 0;            ///< as stored
  Bytes payload;                 ///< as stored, with its padding
  uint64_t compressedSize = 0;   ///< bytes of the payload that are compressed; 0: not compressed
  uint64_t uncompressedSize = 0; ///< bytes; 0: not compressed
  Bytes identifier;              ///< name of the source file in builds with -G or -lineinfo, else empty
  Bytes options;                 ///< of the tools, text unless kBinaryOptions is set; may be empty

  Compression compression() const;
  /// Size of the image once unpacked, including the padding of images that are not compressed.
  uint64_t unpackedSize() const { return compressedSize == 0 ? payload.size() : uncompressedSize; }
  /// "sm_90a".
  std::string architecture() const;
  /// "cubin", "ptx", "lto-ir", "kind 5".
  std::string kindName() const;
  /// "cubin sm_90a".
  std::string word() const { return kindName() + ' ' + architecture(); }
};

/// One container; several may follow each other.
struct FatbinContainer {
  Extent extent; ///< with its header, cut to the bytes that are there
  std::vector<FatbinEntry> entries;
};

struct Fatbin {
  /// How a container begins, and the bytes of its header.
  static constexpr uint32_t kMagic = 0xBA55ED50;
  static constexpr uint16_t kContainerHeader = 16;
  /// Entries of all containers; further entries are not read.
  static constexpr uint64_t kEntries = 65'536;

  std::vector<FatbinContainer> containers;
  Bytes trailing;                  ///< after the last container, or from the place where reading stopped
  std::vector<std::string> damage; ///< one sentence each: where and why; empty when everything could be read

  /// All entries in stored order: the index is N in `entry:N`.
  std::vector<FatbinEntry> entries() const;
};

/// The containers at the start of `bytes`. For damaged bytes, the entries before the damage are returned; when the end
/// of a damaged container is known, the next one is read as well.
Fatbin readFatbin(const Bytes& bytes);

/// The image itself: for entries that are not compressed the stored bytes, for compressed ones a copy. PTX loses its
/// zero padding. LTO-IR has an unknown compression and is returned as stored. BLOB-PAYLOAD when the compressed bytes
/// are damaged or do not give exactly `uncompressedSize` bytes, FILE-LIMIT when `budget` is exceeded. An LZ4 block is
/// unpacked in one step, and `monitor` is checked before it; Zstandard checks every MiB.
Result<Bytes> unpackEntry(const FatbinEntry& entry, const BudgetPtr& budget, Monitor& monitor);
/// The same with a new budget for this image.
Result<Bytes> unpackEntry(const FatbinEntry& entry, Monitor& monitor);

/// Fills `out` with the first bytes of a Zstandard frame of `contentSize` bytes, whose window may be as large as its
/// content. `whole`: the frame must end there. Returns why that is not possible, or an empty text. Error: only
/// Cancelled.
Result<std::string> unpackZstandard(const Bytes& packed, uint64_t contentSize, bool whole, GrowingBuffer& out,
                                    Monitor& monitor);
/// The stored size of the Zstandard frame at the start of the bytes; nothing when it is damaged or cut off. Unpacks
/// nothing.
std::optional<uint64_t> zstandardFrameSize(const Bytes& packed);

/// An entry with that image, not compressed: kind, version and architecture are the image's own. The image is padded
/// with zeros to a multiple of 8 bytes, PTX with at least one. `header`: of the entry that it replaces, whose
/// identifier and options are kept; empty for a new one. FILE-HEADER with the reason for an image that is neither PTX
/// nor a cubin of a known architecture. Source: core/formats/cuda-binaries.md 2.2.
Result<Bytes> packEntry(const Bytes& image, const Bytes& header);

/// A fat binary of one container with these images, in this order. FILE-HEADER as packEntry().
Result<Bytes> packFatbin(const std::vector<Bytes>& images);

/// "fatbin" and one word per distinct image: {"fatbin", "cubin sm_89", "ptx sm_80"}.
std::vector<std::string> fatbinWords(const Bytes& bytes);

/// "Images": a row per entry, which refers to part `entry:N`; "Damage" when there is any.
void addFatbinPages(const Bytes& bytes, view::PageList& list);

} // namespace blobscope::payloads
