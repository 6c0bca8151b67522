#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/safety/address_space.h"
#include "core/syntax/disassembler.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::safety {

/// A call or jump out of a function, or the address of a function that it computes.
struct CodeCall {
  enum class Kind : uint8_t { Function, Import, Indirect, Address };
  Kind kind = Kind::Function;
  uint64_t at = 0;
  uint64_t target = 0; ///< of Function and Address
  std::string import;
  std::optional<uint64_t> first, second; ///< the first two arguments, where they are constant addresses
};

/// One function as far as its code could be followed.
struct FunctionCode {
  uint64_t start = 0, end = 0; ///< addresses; `end` is that of the last instruction that belongs to it
  uint64_t instructions = 0;
  uint64_t skipped = 0;        ///< steps over bytes that are no instruction
  std::vector<CodeCall> calls; ///< in the order of their addresses
  std::vector<uint64_t> systemCalls;
  std::string digest;     ///< SHA-256 of the code without what a linker fills in, 32 digits
  std::string incomplete; ///< why not all of it was followed; else empty
  bool returns = false;   ///< false when all its paths end in a trap, or in a function that does not return
};

/// Disassembles functions by following their branches from the first instruction on.
class CodeReader {
public:
  /// Instructions of one function, and of all functions of a file together.
  static constexpr uint64_t kFunctionInstructions = 20'000, kAllInstructions = 400'000;

  explicit CodeReader(const AddressSpace& space);
  /// Whether this program disassembles the architecture, and this reader understands its instructions.
  bool canRead() const { return m_disassembler != nullptr; }
  /// Null when there is no code at the address, or after kAllInstructions. Valid as long as the reader. Error: only
  /// Cancelled.
  Result<const FunctionCode*> read(uint64_t address, Monitor& monitor);
  /// The import to which a stub at the address jumps; empty when there is no stub.
  const std::string& stubAt(uint64_t address);
  /// The texts of the instructions that begin at these addresses when the code is read from the nearest function before
  /// each on; without those where none begins. Error: only Cancelled.
  Result<std::map<uint64_t, std::string>> instructionsAt(std::vector<uint64_t> addresses, Monitor& monitor);

private:
  std::string readStub(uint64_t address);
  friend class FunctionReader;
  /// Whether the function at the address ends in a trap on all paths.
  bool neverReturns(uint64_t address, Monitor& monitor);

  const AddressSpace& m_space;
  std::unique_ptr<syntax::Disassembler> m_disassembler;
  std::map<uint64_t, std::unique_ptr<FunctionCode>> m_functions;
  std::map<uint64_t, std::string> m_stubs;
  uint64_t m_instructions = 0;
  unsigned m_nested = 0; ///< functions that are being read, one for the other
};

} // namespace blobscope::safety
