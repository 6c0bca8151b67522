#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace blobscope::protocol {

/// Longest text in one MetadataRead, and longest text of a function in all of them, in bytes.
constexpr std::size_t kMetadataPieceBytes = 8'000;
constexpr std::size_t kMetadataBytes = std::size_t{1} << 20;

/// A part of the text that a metadata or documentation getter returned; parts of one call follow each other.
struct MetadataRead {
  uint64_t call = 0;
  std::string text;  ///< at most kMetadataPieceBytes, UTF-8
  bool more = false; ///< another part follows
};

} // namespace blobscope::protocol
