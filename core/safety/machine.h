#pragma once

#include "core/safety/address_space.h"
#include "core/syntax/disassembler.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What single instructions of x86-64 and AArch64 do, as far as calls and their arguments depend on it. Sources: Intel
/// SDM volume 2; Arm ARM DDI 0487, C6.2.
namespace blobscope::safety {

/// A register's content.
struct Value {
  enum class Kind : uint8_t {
    Unknown,
    Address,
    Import,
    Page,      ///< what adrp computes
    OlderPage, ///< the same, before a call of code that may have changed it
  };
  Kind kind = Kind::Unknown;
  uint64_t address = 0;    ///< of Address; of Page that of adrp
  uint64_t from = 0;       ///< the instruction that made it; a jump to a place after that one may bring another value
  std::string_view import; ///< belongs to the AddressSpace

  static Value of(const AddressSpace::Target& target) {
    return target.import.empty() ? address_(target.address) : Value{Kind::Import, 0, 0, target.import};
  }
  static Value address_(uint64_t address) { return {Kind::Address, address, 0, {}}; }
};

struct Decoded {
  enum class Flow : uint8_t { None, Call, Jump, Branch };
  Flow flow = Flow::None;
  bool ends = false;            ///< a return or a trap
  bool returns = false;         ///< a return
  bool kernel = false;          ///< calls the kernel
  bool isNothing = false;       ///< endbr64, nop
  bool computesAddress = false; ///< lea
  bool loadsWord = false;       ///< mov of 8 bytes from memory
  uint32_t written = 0;         ///< a bit for each register that it changes, by its number
  int copyOf = -1;              ///< number of the register that it copies
  int through = -1;             ///< number of the register that a call or jump goes to
  uint32_t word = 0;            ///< of AArch64
  uint64_t at = 0;
};

/// `code` are the bytes of the instruction, which is at `address`.
Decoded decodeX86(const syntax::Operation& operation, uint64_t address, std::string_view code);
Decoded decodeArm(const syntax::Operation& operation, uint64_t address, std::string_view code);

/// The registers, where their content is known. Without knowledge of the path, a block starts with nothing.
class Registers {
public:
  explicit Registers(bool arm) : m_arm(arm) {}
  const Value& at(int number) const { return m_values[static_cast<std::size_t>(number)]; }
  /// The constant address that is passed as argument `index`, 0 or 1; null when there is none.
  const Value* argument(unsigned index, bool windows) const;
  /// The value that an instruction of AArch64 computes.
  Value computeArm(const Decoded& decoded, const AddressSpace& space) const;
  /// Applies an instruction, which computes `value`.
  void step(const Decoded& decoded, Value value);
  /// Applies the return of a called function. `keeps`: it follows the calling convention; code in the file may not.
  void afterCall(bool keeps);

private:
  bool m_arm;
  std::array<Value, 32> m_values;
};

/// Appends the bytes of an instruction without the addresses that a linker fills in, and what these refer to.
void addMaskedCode(std::string& out, const syntax::Operation& operation, const Decoded& decoded, std::string_view code,
                   const Value& value, const Registers& registers, bool arm, const AddressSpace& space);

/// Whether an imported function never returns.
bool doesNotReturn(std::string_view name);

} // namespace blobscope::safety
