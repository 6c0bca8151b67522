#pragma once

#include "core/base/extent.h"
#include "core/base/monitor.h"
#include "core/base/ref.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::write {

/// What points at the blob without asking for its symbol.
struct References {
  uint64_t count = 0;
  uint64_t firstAddress = 0;
  std::string firstKind; ///< "relocation", "instruction 'lea rax, [rip + 0x20]'", "what may be the instruction '…'"
  bool codeRead = false; ///< whether instructions of this processor are understood

  void add(uint64_t address, std::string kind);
  /// REP-REF when anything was found, unless `force`: then REP-FORCED goes to `consequences`. When all was looked at
  /// and nothing found, REP-REF-NONE. `blob`: the one that is to move.
  Result<Done> judge(const Ref& blob, bool force, std::vector<Diagnostic>& consequences) const;
};

enum class Processor { X86_64, I386, Aarch64 };

/// Machine code as it lies in the file, and its address in memory.
struct CodePart {
  std::string_view bytes;
  uint64_t address = 0;
};

/// Adds to `found` the instructions that compute an address in `blob`, a range of memory. `bases`: addresses that code
/// may count from in addition to its own, 0 for none (the global offset table). For x86 only the blob's first byte is
/// looked for. Source of the method: core/formats/containers.md 2.1.
/// Bytes of x86 that look like such an address are a guess, right but for size/2³² and a little. Where this program has
/// a disassembler and the guess is in a function of `starts` (ascending, functionStarts()) all of whose instructions up
/// to there decode, these decide: RIP-relative bytes count when their instruction addresses a byte of the blob, a
/// distance from a base when it is a part of one instruction. Elsewhere the guess remains. AArch64, whose instructions
/// have one size, needs no guess. Cancelled.
Result<Done> findInCode(Processor processor, std::span<const CodePart> parts, Extent blob,
                        std::span<const uint64_t> bases, std::span<const uint64_t> starts, References& found,
                        Monitor& monitor);

} // namespace blobscope::write
