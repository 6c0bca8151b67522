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

/// References to the blob that do not use its symbol.
struct References {
  uint64_t count = 0;
  uint64_t firstAddress = 0;
  std::string firstKind; ///< "relocation", "instruction 'lea rax, [rip + 0x20]'", "possibly the instruction '…'"
  bool codeRead = false; ///< whether the instructions of this processor can be checked

  void add(uint64_t address, std::string kind);
  /// Returns REP-REF when there are references; with `force`, adds REP-FORCED to `consequences` instead. Adds
  /// REP-REF-NONE when everything was checked and there are none. `blob`: the blob that will move.
  Result<Done> checkNone(const Ref& blob, bool force, std::vector<Diagnostic>& consequences) const;
};

enum class Processor { X86_64, I386, Aarch64 };

/// Machine code as stored in the file, and its address in memory.
struct CodePart {
  std::string_view bytes;
  uint64_t address = 0;
};

/// Adds to `found` the instructions that compute an address in `blob`, a range of memory. `bases`: further addresses to
/// which code may be relative (the global offset table); 0 for none. For x86 only references to the blob's first byte
/// are searched. Source of the method: core/formats/containers.md 2.1.
/// On x86, bytes that look like such an address are a guess, with a false alarm rate of slightly more than size/2³². If
/// this program has a disassembler, the guess is in a function of `starts` (ascending, functionStarts()), and all
/// instructions of that function up to the guess decode, then the instructions decide: a RIP-relative displacement
/// counts when its instruction addresses a byte of the blob, a distance from a base when it is part of one instruction.
/// Otherwise the guess remains. AArch64 needs no guesses, because all its instructions have the same size. Error: only
/// Cancelled.
Result<Done> findInCode(Processor processor, std::span<const CodePart> parts, Extent blob,
                        std::span<const uint64_t> bases, std::span<const uint64_t> starts, References& found,
                        Monitor& monitor);

} // namespace blobscope::write
