#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace blobscope::requirements {

/// A place to which machine code refers.
struct CodeReference {
  enum class Kind : uint8_t {
    Call,     ///< direct call
    Jump,     ///< direct jump without a condition
    Address,  ///< computes the address
    Name,     ///< computes the address in the register of the second argument
    Read,     ///< reads or calls through the word at the address
    Constant, ///< loads a constant of 64 bits, which may be a distance from a base (the large code model of x86-64)
    Indirect  ///< calls or jumps to the value of a register or a word; no target
  };
  Kind kind = Kind::Call;
  uint64_t at = 0; ///< address of the instruction
  uint64_t target = 0;
};

/// Whether scanCode() knows the instructions of an architecture (container::Image::arch).
bool canScan(std::string_view arch);

/// Calls `visit` for the references of the code, in order. Compares the bytes of the few instructions that matter
/// instead of decoding all of them, so on x86-64 it may also report bytes inside other instructions: a target counts
/// only when something that is searched is exactly there. `windows`: the calling convention. Sources: Intel SDM 2A,
/// 2.2.1.6 and chapter 3 (CALL, JMP, LEA, MOV; B8 + r with 64 bits); Arm ARM DDI 0487, C6.2 (ADR, ADRP, ADD, LDR, B,
/// BL, BR, BLR). Error: only Cancelled.
Result<Done> scanCode(std::string_view arch, bool windows, const Bytes& code, uint64_t address,
                      const std::function<void(const CodeReference&)>& visit, Monitor& monitor);

} // namespace blobscope::requirements
