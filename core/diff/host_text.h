#pragma once

#include "core/diff/lines.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace blobscope::diff {

/// Rewrites a line of a host function's page "Disassembly" (library::hostCodePage) so that it does not depend on
/// addresses: "1000  e8 0b 00 00 00  call 0x1010  ; <callee>" becomes "call ? <callee>". A target without a name
/// becomes an unknown place; a target inside the function becomes "<own>". A line of another form is unchanged.
///
/// These numbers count as addresses: the last one of calls and jumps, "[rip + 0x10]", `adr`, `adrp`, and what `add`,
/// loads and stores add to a register that `adrp` has set before ("#0x18"). The second half of RISC-V's `auipc` is not
/// recognized, so moved code that uses it differs there.
class HostNormaliser {
public:
  /// `page`: the text whose lines follow, in order; its first line contains the function's name.
  explicit HostNormaliser(std::string_view page);

  void operator()(std::string_view line, std::string& out);

private:
  /// Returns where the lower half of an address begins whose page is in a register; npos if there is none.
  std::size_t lowHalfOf(std::string_view text) const;
  /// Tracks which registers contain a page address.
  void notePages(std::string_view text);

  std::string m_own;
  uint32_t m_pages = 0; ///< one bit per AArch64 register that `adrp` has set
};

/// Compares two such pages by what their lines do. Error: only Cancelled.
Result<LineDiff> compareHostText(const Bytes& a, const Bytes& b, Monitor& monitor, uint64_t cost = kSequenceCost);

/// Returns whether the text has the form of such a page: its first line ends with ":" and the second is an instruction.
bool isHostText(std::string_view page);

} // namespace blobscope::diff
