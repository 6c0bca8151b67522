#include "core/safety/machine.h"

#include "core/container/number_at.h"

#include <algorithm>

namespace blobscope::safety {
namespace {

constexpr std::array<std::string_view, 16> kRegisters = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                                         "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
constexpr std::array<std::string_view, 8> kShort = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};

/// The number of a register of x86-64 of any width; -1 for other operands.
int registerNumber(std::string_view name) {
  if (name.size() >= 2 && name[0] == 'r' && name[1] >= '0' && name[1] <= '9' && name.size() > 2 &&
      (name.back() == 'd' || name.back() == 'w' || name.back() == 'b'))
    name.remove_suffix(1);
  for (std::size_t i = 0; i < kRegisters.size(); ++i)
    if (kRegisters[i] == name) return static_cast<int>(i);
  if (name.size() == 3 && name[0] == 'e') name.remove_prefix(1);
  for (std::size_t i = 0; i < kShort.size(); ++i)
    if (kShort[i] == name || (name.size() == 2 && name[0] == kShort[i][0] && name[1] == 'l' && i < 4))
      return static_cast<int>(i);
  if (name == "sil") return 6;
  if (name == "dil") return 7;
  return -1;
}

/// The next word, without the blanks around it.
std::string_view takeWord(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, word) != list.end();
}

} // namespace

Decoded decodeX86(const syntax::Instruction& instruction, std::string_view code) {
  using Flow = Decoded::Flow;
  Decoded out;
  out.at = instruction.address;
  std::string_view text = instruction.text;
  std::string_view mnemonic = takeWord(text);
  while (isOneOf(mnemonic, {"rep", "repz", "repe", "repne", "bnd", "notrack", "lock", "data16", "cs"}) && !text.empty())
    mnemonic = takeWord(text);
  const std::string_view first = text.substr(0, text.find(','));
  if (mnemonic == "call") {
    out.flow = Flow::Call;
    out.through = instruction.target || instruction.memory ? -1 : registerNumber(first);
  } else if (mnemonic == "jmp") {
    out.flow = Flow::Jump;
    out.through = instruction.target || instruction.memory ? -1 : registerNumber(first);
  } else if (mnemonic.starts_with('j') || mnemonic.starts_with("loop")) {
    out.flow = Flow::Branch;
  } else if (mnemonic.starts_with("ret") || mnemonic.starts_with("iret") ||
             isOneOf(mnemonic, {"ud2", "hlt", "int3", "ud1", "ud0"})) {
    out.ends = true;
  } else if (isOneOf(mnemonic, {"syscall", "sysenter"})) {
    out.kernel = true;
  } else if (mnemonic == "int") {
    out.kernel = code.size() == 2 && static_cast<uint8_t>(code[0]) == 0xcd;
    out.ends = out.kernel && static_cast<uint8_t>(code[1]) == 0x29; // __fastfail of Windows does not return
  } else if (mnemonic.starts_with("endbr") || mnemonic.starts_with("nop")) {
    out.isNothing = true;
  } else if (!isOneOf(mnemonic,
                      {"cmp", "test", "push", "comiss", "comisd", "ucomiss", "ucomisd", "bt", "prefetcht0"})) {
    out.writes = registerNumber(first);
    out.computesAddress = mnemonic == "lea";
    if (mnemonic == "mov") {
      const std::string_view second = text.substr(std::min(text.find(", ") + 2, text.size()));
      out.copyOf = registerNumber(second);
      out.loadsWord = second.starts_with("qword ptr");
    }
  }
  return out;
}

Decoded decodeArm(const syntax::Instruction& instruction, std::string_view code) {
  using Flow = Decoded::Flow;
  Decoded out;
  out.at = instruction.address;
  const auto word = container::numberAt<uint32_t>(code, 0);
  out.word = word;
  if ((word & 0xfc000000) == 0x94000000) {
    out.flow = Flow::Call;
  } else if ((word & 0xfc000000) == 0x14000000) {
    out.flow = Flow::Jump;
  } else if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000 ||
             (word & 0x7e000000) == 0x36000000) { // B.cond, CBZ, TBZ
    out.flow = Flow::Branch;
  } else if ((word & 0xfffffc1f) == 0xd61f0000 || (word & 0xfffff800) == 0xd61f0800) { // BR, BRAA
    out.flow = Flow::Jump;
    out.through = static_cast<int>(word >> 5 & 31);
  } else if ((word & 0xfffffc1f) == 0xd63f0000 || (word & 0xfffff800) == 0xd63f0800) { // BLR
    out.flow = Flow::Call;
    out.through = static_cast<int>(word >> 5 & 31);
  } else if ((word & 0xfffffc1f) == 0xd65f0000 || (word & 0xfffffbff) == 0xd65f0bff) { // RET
    out.ends = true;
  } else if ((word & 0xffe0001f) == 0xd4000001) { // SVC
    out.kernel = true;
  } else if ((word & 0xffe0001f) == 0xd4200000 || (word & 0xffff0000) == 0) { // BRK, UDF
    out.ends = true;
  } else if ((word & 0xfffff01f) == 0xd503201f) { // HINT: NOP, BTI, PACIASP
    out.isNothing = true;
  } else if ((word >> 26 & 7) != 4 || (word >> 22 & 1) || (word >> 27 & 1) == 0) {
    out.writes = static_cast<int>(word & 31);
    if ((word & 0xffe0ffe0) == 0xaa0003e0) out.copyOf = static_cast<int>(word >> 16 & 31); // MOV
  }
  return out;
}

std::optional<uint64_t> Registers::argument(unsigned index, bool windows) const {
  const int number = m_arm ? static_cast<int>(index) : index == 0 ? (windows ? 1 : 7) : (windows ? 2 : 6);
  const Value& value = at(number);
  return value.kind == Value::Kind::Address ? std::optional(value.address) : std::nullopt;
}

Value Registers::computeArm(const Decoded& decoded, const AddressSpace& space) const {
  const uint32_t word = decoded.word;
  const auto extended = [](uint64_t value, unsigned bits) {
    return static_cast<uint64_t>(static_cast<int64_t>(value << (64 - bits)) >> (64 - bits));
  };
  if (decoded.copyOf >= 0) return at(decoded.copyOf);
  if ((word & 0x1f000000) == 0x10000000) { // ADR, ADRP
    const uint64_t offset = extended((word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3), 21);
    if (word >> 31 == 0) return Value::address_(decoded.at + offset);
    return {Value::Kind::Page, (decoded.at & ~uint64_t{0xfff}) + offset * 4096, {}};
  }
  const Value& base = at(static_cast<int>(word >> 5 & 31));
  if (base.kind != Value::Kind::Page && base.kind != Value::Kind::Address) return {};
  if ((word & 0xff800000) == 0x91000000) // ADD (immediate)
    return Value::address_(base.address + ((word >> 10 & 0xfff) << (word & 0x400000 ? 12 : 0)));
  if ((word & 0xffc00000) == 0xf9400000) { // LDR (immediate), 64 bits
    const uint64_t place = base.address + uint64_t{word >> 10 & 0xfff} * 8;
    if (const AddressSpace::Target* const target = space.wordAt(place))
      return target->import.empty() ? Value::address_(target->address) : Value::import_(target->import);
  }
  return {};
}

void Registers::step(const Decoded& decoded, const Value& value) {
  if (decoded.flow == Decoded::Flow::Call) {
    // What a called function may change.
    if (m_arm)
      for (std::size_t i = 0; i < 19; ++i) m_values[i] = {};
    else
      for (const int number : {0, 1, 2, 6, 7, 8, 9, 10, 11}) m_values[static_cast<std::size_t>(number)] = {};
  }
  if (decoded.writes >= 0) m_values[static_cast<std::size_t>(decoded.writes)] = value;
}

std::string maskedCode(const syntax::Instruction& instruction, const Decoded& decoded, std::string_view code,
                       const Value& value, const Registers& registers, bool arm, const AddressSpace& space) {
  if (decoded.isNothing) return {};
  std::string bytes(code);
  std::string refers;
  const auto refer = [&](uint64_t address) {
    const AddressSpace::Target* const word = space.wordAt(address);
    refers = word && !word->import.empty() ? word->import : space.isCode(address) ? "code" : "data";
  };
  if (arm) {
    const uint32_t word = decoded.word;
    uint32_t kept = word;
    if ((word & 0x7c000000) == 0x14000000) kept = word & 0xfc000000; // B, BL
    if ((word & 0x1f000000) == 0x10000000) kept = word & 0x9f00001f; // ADR, ADRP
    const Value& base = registers.at(static_cast<int>(word >> 5 & 31));
    const bool offset =
        base.kind == Value::Kind::Page && ((word & 0xff800000) == 0x91000000 || (word & 0x3b000000) == 0x39000000);
    if (offset) {
      kept = word & ~uint32_t{0x3ffc00};
      refers = value.kind == Value::Kind::Import ? value.import : "data";
    }
    for (unsigned i = 0; i < 4 && i < bytes.size(); ++i) bytes[i] = static_cast<char>(kept >> (8 * i));
    return bytes + refers;
  }
  // The distance counts from the end of the instruction, and an immediate may follow it.
  const std::optional<uint64_t> place = instruction.memory ? instruction.memory : instruction.target;
  if (!place || code.size() < 5) return bytes;
  const uint64_t end = instruction.address + instruction.size;
  for (std::size_t i = code.size() - 4; i > 0; --i)
    if (end + static_cast<uint64_t>(int64_t{container::numberAt<int32_t>(code, i)}) == *place) {
      bytes.replace(i, 4, 4, '\0');
      if (instruction.memory) refer(*place);
      break;
    }
  return bytes + refers;
}

bool doesNotReturn(std::string_view name) {
  return isOneOf(name, {"abort", "exit", "_exit", "_Exit", "quick_exit", "__stack_chk_fail", "_Unwind_Resume",
                        "__cxa_throw", "__cxa_rethrow", "__cxa_bad_cast", "__assert_fail", "_ZSt9terminatev",
                        "ExitProcess", "terminate", "_invoke_watson"}) ||
         name.starts_with("_ZSt20__throw_") || name.starts_with("_ZSt24__throw_");
}

} // namespace blobscope::safety
