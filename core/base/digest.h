#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace blobscope {

/// SHA-256 in lower-case hex, for people and scripts. Error: only Cancelled.
Result<std::string> computeSha256(std::span<const Bytes> pieces, Monitor& monitor); ///< one after the other
inline Result<std::string> computeSha256(const Bytes& bytes, Monitor& monitor) {
  return computeSha256(std::span(&bytes, 1), monitor);
}

/// CRC-32 of gzip, zip and COFF (polynomial 0x04c11db7, reflected; ISO 3309, RFC 1952 section 8). `crc` is the checksum
/// of the bytes before `bytes`, 0 at the beginning.
uint32_t crc32(uint32_t crc, std::string_view bytes);

} // namespace blobscope
