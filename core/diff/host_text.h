#pragma once

#include "core/diff/lines.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace blobscope::diff {

/// Says of a line of a host function's page "Disassembly" (library::hostCodePage) what it does, wherever the function
/// and what it refers to lie: "1000  e8 0b 00 00 00  call 0x1010  ; <callee>" is "call ? <callee>". Without a name what
/// it leads to is somewhere; what lies in the function itself is "<own>". A line of another form stays as it is.
///
/// Numbers that say a place: of calls and jumps the last one, "[rip + 0x10]", `adr`, `adrp`, and what `add` and
/// loads and stores add to a register that `adrp` has set before ("#0x18"). The second half of RISC-V's `auipc` is not
/// known, so code for it that moved differs there.
class HostNormaliser {
public:
  /// `page`: the text whose lines will come, in order; its first line says the function's name.
  explicit HostNormaliser(std::string_view page);

  void operator()(std::string_view line, std::string& out);

private:
  /// Where the lower half of a place begins whose page is in a register, npos when there is none.
  std::size_t lowHalfOf(std::string_view text) const;
  /// Follows which registers hold a page.
  void notePages(std::string_view text);

  std::string m_own;
  uint32_t m_pages = 0; ///< a bit per register of AArch64 that `adrp` has set
};

/// Compares two such pages line by line by what the lines do. Error: only Cancelled.
Result<LineDiff> compareHostText(const Bytes& a, const Bytes& b, Monitor& monitor, uint64_t cost = kSequenceCost);

/// Whether the text has the form of such a page: its first line ends with ":" and the second is an instruction.
bool isHostText(std::string_view page);

} // namespace blobscope::diff
