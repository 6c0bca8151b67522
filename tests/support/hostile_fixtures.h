#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Small files that make a careless reader spend time or memory out of proportion: it copies a thing once per reference
/// to it, reads the same bytes once per header that covers them, or unpacks more than anybody looks at.
namespace blobscope::test {

/// Bytes, and how much there is to read in them once all compression is undone.
struct HostileFile {
  std::string bytes;
  uint64_t unpacked = 0; ///< of the stages that a reader has to unpack, all added up; at least the size of `bytes`
};

struct HostileFixture {
  const char* name; ///< a file name; some verbs look at its ending
  /// Every count in the file is `scale` times as large as at scale 1. A file grows linearly with it; what a careless
  /// reader spends grows with its square.
  HostileFile (*make)(uint64_t scale);
};

/// All of them.
const std::vector<HostileFixture>& hostileFixtures();
/// The one of that name; the program ends when there is none.
const HostileFixture& hostileFixture(const std::string& name);

/// A library with one small module, to compare a hostile file with.
std::string harmlessBlob();

// --- the pieces, for tests with counts of their own ---

/// An import tree whose `indptr` goes up and down, so that every second module seems to import all edges.
std::string descendingTree(uint64_t modules, uint64_t edges);
/// zstd around a tar whose members are zstd frames of `bytes` equal bytes each.
std::string nestedMembers(uint64_t bytes, uint64_t members);
/// zstd in zstd around a gzip stream of empty blocks: nothing comes out, `bytes` are worked through.
std::string stackedFilters(uint64_t bytes);
/// A WebAssembly module with a blob and two data segments that lie `distance` bytes apart.
std::string farSegments(uint64_t distance);
/// A fat binary with `images` compressed PTX texts that unpack to `bytes` each.
std::string ptxBombs(uint64_t images, uint64_t bytes);
/// One frame of zstd.
std::string zstdOf(const std::string& content);

} // namespace blobscope::test
