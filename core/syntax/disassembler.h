#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Machine code as text. The decoder is a large library or another program, so main() passes it in.
namespace blobscope::syntax {

struct Instruction {
  uint64_t address;
  uint32_t size;                  ///< bytes, at least 1; Hexagon: of the whole packet
  std::string text;               ///< "call 0x1130", one line; ".byte 0x06" for bytes that are not an instruction
  std::optional<uint64_t> target; ///< target of a branch or call, when the instruction itself contains it
  std::optional<uint64_t> memory; ///< address that it loads, stores or computes relative to itself
  bool known = true;              ///< false for ".byte"
};

/// What one instruction does, without its text.
struct Operation {
  uint32_t size = 0;                      ///< bytes; 0 when they do not begin with an instruction
  std::optional<uint64_t> target, memory; ///< as in Instruction
  /// Of x86-64 and AArch64: a bit for each general register that it changes, by its number in the encoding.
  uint32_t written = 0;
};

/// An address computed from the address of the code: `lea reg, [rip + x]` of x86-64, `adr` and `adrp` with `add` of
/// AArch64.
struct AddressLoad {
  uint64_t at;      ///< the instruction that completes it
  uint64_t address; ///< the computed address
  friend bool operator==(const AddressLoad&, const AddressLoad&) = default;
};

struct DisassemblyOptions {
  uint64_t maxInstructions = 200'000; ///< instructions after these are omitted
};

/// Decodes the code of one architecture. One thread at a time.
class Disassembler {
public:
  virtual ~Disassembler() = default;
  /// The instructions from the first byte on, which is at `address`. They tile the bytes up to the last one: bytes that
  /// are not an instruction become `.byte`, and decoding continues after them. The bytes may be any. Cancelled.
  virtual Result<std::vector<Instruction>> disassemble(const Bytes& code, uint64_t address,
                                                       const DisassemblyOptions& options, Monitor& monitor) = 0;
  /// The instruction with which the bytes begin; much faster than its text. The bytes may be any.
  virtual Operation decode(std::string_view code, uint64_t address) = 0;
  /// Addresses that the code computes, in the order of the code; none on architectures not named at AddressLoad.
  /// Cancelled.
  virtual Result<std::vector<AddressLoad>> addressLoads(const Bytes& code, uint64_t address,
                                                        const DisassemblyOptions& options, Monitor& monitor) = 0;
};

/// Makes a disassembler; null when it does not support the architecture. `arch` as in container::Image, or "thumb".
using DisassemblerFactory = std::unique_ptr<Disassembler> (*)(std::string_view arch, unsigned bits);

/// Sets the factory of disassemblers; a program's main() calls it before it starts a thread.
void setDisassemblerFactory(DisassemblerFactory factory);
bool hasDisassemblerFactory();
/// Null when this program has no factory, or the factory does not support the architecture.
std::unique_ptr<Disassembler> makeDisassembler(std::string_view arch, unsigned bits);

/// Lists the machine instructions of a cubin (an ELF file for the device): of one kernel, or of all when
/// `kernelOrEmpty` is empty. The first line is a comment that says which program made the listing. The error says why
/// there is none; Cancelled.
using SassDisassembler = Result<std::string> (*)(const Bytes& cubin, const std::string& kernelOrEmpty,
                                                 Monitor& monitor);

/// Sets the function that lists SASS; a program's main() calls it before it starts a thread.
void setSassDisassembler(SassDisassembler disassembler);
/// Null when this program has none.
SassDisassembler sassDisassembler();

/// The first address computed by the code for which `isReadOnly` is true: in a getter of documentation, the address of
/// the text. Source: core/formats/blob.md 11.2. Nothing when there is none or the work is cancelled.
std::optional<uint64_t> firstReadOnlyLoad(Disassembler& disassembler, const Bytes& code, uint64_t address,
                                          const std::function<bool(uint64_t)>& isReadOnly, Monitor& monitor);

} // namespace blobscope::syntax
