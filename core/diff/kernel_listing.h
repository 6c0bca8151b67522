#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace blobscope::diff {

/// Listings of the machine code of kernels. Each cubin is disassembled once, by the program that
/// syntax::sassDisassembler() knows; the work is limited for all cubins together.
class KernelListings {
public:
  /// Returns the SASS of one kernel as nvdisasm prints it; nothing if it cannot be had. Error: Cancelled.
  Result<std::optional<Bytes>> sassOf(const Bytes& cubin, const std::string& kernel, Monitor& monitor);
  /// Returns why some machine code has no listing, as a sentence without a full stop, and forgets it; empty if all has.
  std::string takeNote();

private:
  using Kernels = std::map<std::string, Bytes, std::less<>>;
  /// Returns the listings of all kernels in the cubin. Error: Cancelled.
  Result<std::shared_ptr<const Kernels>> kernelsOf(const Bytes& cubin, Monitor& monitor);

  std::map<std::pair<const void*, uint64_t>, std::shared_ptr<const Kernels>> m_cubins; ///< by address and size
  uint64_t m_bytes = 0, m_calls = 0;
  bool m_missing = false; ///< there is no disassembler
  std::string m_note;
};

} // namespace blobscope::diff
