#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/syntax/lexer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace blobscope::syntax {

/// What an instruction of a GPU does.
enum class InstructionClass : uint8_t {
  FloatingPoint,
  Integer, ///< also bits and comparisons of integers
  Special, ///< reciprocals, roots, sines
  Matrix,  ///< of tensor cores
  Conversion,
  Move,   ///< also selections and reads of special registers
  Global, ///< memory, also with generic addresses
  Shared,
  Local,    ///< memory of a thread: spilled registers and arrays
  Constant, ///< constants and parameters
  Texture,
  Control,  ///< jumps, calls, exits
  Exchange, ///< barriers, fences, shuffles, votes
  Other
};
constexpr std::size_t kInstructionClasses = 14;
/// "floating point", "global memory"; for tables.
std::string_view instructionClassName(InstructionClass kind);

/// How many instructions of each class a text has.
struct InstructionMix {
  std::array<uint64_t, kInstructionClasses> counts{};
  uint64_t total() const;
  friend bool operator==(const InstructionMix&, const InstructionMix&) = default;
};

/// The class of an instruction of PTX ("ld.global.f32") or SASS ("LDG.E"), without its operands. Sources: PTX ISA 9.0,
/// 9.7; CUDA Binary Utilities 13.0, Instruction Set Reference.
InstructionClass classOfPtx(std::string_view opcode);
InstructionClass classOfSass(std::string_view opcode);

/// Counts the instructions of a text in PTX or SASS (as nvdisasm prints it). Instructions that do nothing (NOP) are not
/// counted: they fill up the last line of code. All counts are 0 for other languages. Time is linear. Error: only
/// Cancelled.
Result<InstructionMix> computeInstructionMix(std::string_view text, std::string_view language, Monitor& monitor);

/// The opcode of a line of PTX or SASS, with its suffixes; empty for a line without an instruction. `line` comes
/// without its end.
std::string_view opcodeOf(std::string_view line, std::string_view language);

} // namespace blobscope::syntax
