#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Small files that make a careless reader use excessive time or memory: it copies data once per reference, reads the
/// same bytes once per header that covers them, or unpacks more than is used.
namespace blobscope::test {

/// Bytes, and the amount to read in them once all compression is undone.
struct HostileFile {
  std::string bytes;
  uint64_t unpacked = 0; ///< of all stages that a reader has to unpack, in total; at least the size of `bytes`
};

struct HostileFixture {
  const char* name; ///< a file name; some verbs depend on its extension
  /// Every count in the file is `scale` times that at scale 1. A file grows linearly with it; the resources of a
  /// careless reader grow quadratically.
  HostileFile (*make)(uint64_t scale);
};

/// All of them.
const std::vector<HostileFixture>& hostileFixtures();
/// The fixture with that name; ends the program when there is none.
const HostileFixture& hostileFixture(const std::string& name);

/// A library with one small module, for comparison with a hostile file.
std::string harmlessBlob();

// --- the parts, for tests with other counts ---

/// An import tree whose `indptr` alternates, so that every second module seems to import all edges.
std::string descendingTree(uint64_t modules, uint64_t edges);
/// zstd around a tar whose members are zstd frames of `bytes` equal bytes each.
std::string nestedMembers(uint64_t bytes, uint64_t members);
/// zstd in zstd around a gzip stream of empty blocks: no output, `bytes` of work.
std::string stackedFilters(uint64_t bytes);
/// A WebAssembly module with a blob and two data segments at a distance of `distance` bytes.
std::string farSegments(uint64_t distance);
/// A fat binary with `images` compressed PTX texts that unpack to `bytes` each.
std::string ptxBombs(uint64_t images, uint64_t bytes);
/// One frame of zstd.
std::string zstdOf(const std::string& content);

} // namespace blobscope::test
