#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/syntax/lexer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace blobscope::syntax {

/// A kernel or function in a text. Lines are counted from 0.
struct CodeFunction {
  std::string name;
  uint64_t line = 0;     ///< of its declaration
  uint64_t lastLine = 0; ///< of its end
  bool kernel = false;
  bool defined = true; ///< false for a declaration without a body
  friend bool operator==(const CodeFunction&, const CodeFunction&) = default;
};

/// A place that jumps lead to.
struct CodeLabel {
  std::string name;
  uint64_t line = 0;
  friend bool operator==(const CodeLabel&, const CodeLabel&) = default;
};

/// A jump from one line to another line of the same function.
struct CodeJump {
  /// Number of columns in which arrows can be drawn side by side.
  static constexpr uint8_t kLanes = 6;
  uint64_t from = 0, to = 0;
  uint8_t lane = kLanes; ///< arrows of a lane do not meet; 0 is next to the code; kLanes: there was no room
  friend bool operator==(const CodeJump&, const CodeJump&) = default;
};

/// Lines that can be hidden below their first line.
struct CodeFold {
  uint64_t first = 0, last = 0; ///< first < last
  friend bool operator==(const CodeFold&, const CodeFold&) = default;
};

/// The functions, labels, jumps and foldable ranges of a text, all in the order of the text.
struct CodeStructure {
  std::vector<CodeFunction> functions;
  std::vector<CodeLabel> labels;
  std::vector<CodeJump> jumps; ///< by `from`
  std::vector<CodeFold> folds; ///< by `first`, the outer one of two first; they nest
  bool complete = true;        ///< false when the text has more than the limit of something

  /// The function that contains the line; null for none.
  const CodeFunction* functionAt(uint64_t line) const;
  /// The function with the name, preferably one with a body; null for none.
  const CodeFunction* findFunction(std::string_view name) const;
  /// The line that defines what `name` means on `line`: a label of the same function, a function of the text, an
  /// address of a disassembly ("0x1a40"), or the number of an instruction to which the line jumps.
  std::optional<uint64_t> findDefinition(std::string_view name, uint64_t line) const;
  /// The jumps whose lines from `from` to `to` are touched by `first` to `last`, at most `limit`.
  std::vector<CodeJump> jumpsBetween(uint64_t first, uint64_t last, std::size_t limit) const;

  /// For the functions above, filled by computeStructure().
  std::vector<uint32_t> labelsByName;
  std::vector<std::pair<uint64_t, uint64_t>> addresses; ///< of a disassembly: address and line, ascending
};

/// Reads the structure of a text in PTX, C and its dialects, WGSL, JSON, Relay, SPIR-V, SASS, the disassembly of host
/// code, or a listing of a virtual machine; empty for other languages. Time is linear in the text. At most
/// limits::kTreeRows functions and a million of everything else. Error: only Cancelled.
Result<std::shared_ptr<const CodeStructure>> computeStructure(const Bytes& text, const Language& language,
                                                              Monitor& monitor);

/// The name at a byte of a line: an identifier, register, label, or dotted name where the language has them; empty when
/// there is none. Numbers are names only where they can be addresses or targets of jumps.
Extent nameAt(const Language& language, std::string_view line, uint64_t offset);

/// The name under which parts of a register are the same one in the language: "rax" for "eax", "x3" for "w3"; the
/// name itself for everything else.
std::string_view wholeRegister(const Language& language, std::string_view name);

} // namespace blobscope::syntax
