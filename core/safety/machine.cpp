#include "core/safety/machine.h"

#include "core/container/number_at.h"

#include <algorithm>
#include <bit>

namespace blobscope::safety {
namespace {

/// The opcode of an instruction of x86-64 and what is around it. Source: Intel SDM volume 2, 2.1 and appendix A.
struct X86Opcode {
  unsigned map = 0;     ///< 1: one byte; 2: after 0f; 0: others, or none
  uint8_t code = 0;     ///< the opcode
  uint8_t rex = 0;      ///< the prefix REX; 0 without
  bool repeats = false; ///< the prefix f3
  uint8_t modrm = 0;    ///< the byte after the opcode; 0 without

  bool isWide() const { return (rex & 8) != 0; } ///< operands of 8 bytes
  bool hasRegisterOperand() const { return modrm >> 6 == 3; }
  int first() const { return (modrm >> 3 & 7) | (rex & 4) << 1; } ///< of ModRM.reg
  int second() const { return (modrm & 7) | (rex & 1) << 3; }     ///< of ModRM.rm
};

X86Opcode opcodeOf(std::string_view code) {
  constexpr std::string_view kPrefixes = "\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65";
  X86Opcode out;
  std::size_t at = 0;
  const auto byte = [&] { return at < code.size() ? static_cast<uint8_t>(code[at]) : uint8_t{0}; };
  for (; at < code.size() && kPrefixes.find(code[at]) != std::string_view::npos; ++at)
    out.repeats = out.repeats || byte() == 0xf3;
  if ((byte() & 0xf0) == 0x40) out.rex = static_cast<uint8_t>(code[at++]);
  bool isEscaped = false; // by REX2 instead of the byte 0f; Intel APX Architecture Specification, 3.1.2
  if (byte() == 0xd5 && at + 1 < code.size()) {
    out.rex = static_cast<uint8_t>(code[at + 1]) & 0x0f;
    isEscaped = (static_cast<uint8_t>(code[at + 1]) & 0x80) != 0;
    at += 2;
  }
  if (at >= code.size() || byte() == 0xc4 || byte() == 0xc5 || byte() == 0x62) return out; // VEX, EVEX
  out.map = isEscaped ? 2 : 1;
  if (!isEscaped && byte() == 0x0f) {
    ++at;
    out.map = byte() == 0x38 || byte() == 0x3a ? 0 : 2;
  }
  out.code = byte();
  ++at;
  out.modrm = byte();
  return out;
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, word) != list.end();
}

} // namespace

Decoded decodeX86(const syntax::Operation& operation, uint64_t address, std::string_view code) {
  using Flow = Decoded::Flow;
  Decoded out;
  out.at = address;
  out.written = operation.written;
  const X86Opcode opcode = opcodeOf(code);
  const unsigned extension = opcode.modrm >> 3 & 7;
  if (opcode.map == 2) {
    out.kernel = opcode.code == 0x05 || opcode.code == 0x34;                      // syscall, sysenter
    out.ends = opcode.code == 0x0b || opcode.code == 0xb9 || opcode.code == 0xff; // ud2, ud1, ud0
    if ((opcode.code & 0xf0) == 0x80) out.flow = Flow::Branch;
    const bool endbr = opcode.code == 0x1e && opcode.repeats && (opcode.modrm == 0xfa || opcode.modrm == 0xfb);
    out.isNothing = opcode.code == 0x1f || endbr;
    return out;
  }
  if (opcode.map != 1) return out;
  switch (opcode.code) {
  case 0xe8: out.flow = Flow::Call; break;
  case 0xe9:
  case 0xeb: out.flow = Flow::Jump; break;
  case 0xff: // call and jump through a register or memory
    if (extension < 2 || extension > 5) break;
    out.flow = extension < 4 ? Flow::Call : Flow::Jump;
    if (opcode.hasRegisterOperand()) out.through = opcode.second();
    break;
  case 0xc2:
  case 0xc3:
  case 0xca:
  case 0xcb:
  case 0xcf: out.ends = out.returns = true; break;
  case 0xcc:                         // int3
  case 0xf4: out.ends = true; break; // hlt
  case 0xcd:
    out.kernel = true;
    out.ends = opcode.modrm == 0x29; // __fastfail of Windows does not return
    break;
  case 0x90: out.isNothing = !opcode.repeats && (opcode.rex & 1) == 0; break;
  case 0x8d: out.computesAddress = opcode.isWide(); break;
  case 0x89:
    if (opcode.hasRegisterOperand() && opcode.isWide()) out.copyOf = opcode.first();
    break;
  case 0x8b:
    if (opcode.hasRegisterOperand() && opcode.isWide()) out.copyOf = opcode.second();
    out.loadsWord = !opcode.hasRegisterOperand() && opcode.isWide();
    break;
  default:
    if ((opcode.code & 0xf0) == 0x70 || (opcode.code & 0xfc) == 0xe0) out.flow = Flow::Branch;
  }
  return out;
}

Decoded decodeArm(const syntax::Operation& operation, uint64_t address, std::string_view code) {
  using Flow = Decoded::Flow;
  Decoded out;
  out.at = address;
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
    out.ends = out.returns = true;
  } else if ((word & 0xffe0001f) == 0xd4000001) { // SVC
    out.kernel = true;
  } else if ((word & 0xffe0001f) == 0xd4200000 || (word & 0xffff0000) == 0) { // BRK, UDF
    out.ends = true;
  } else if ((word & 0xfffff01f) == 0xd503201f) { // HINT: NOP, BTI, PACIASP
    out.isNothing = true;
  } else {
    out.written = operation.written;
    if ((word & 0xffe0ffe0) == 0xaa0003e0) out.copyOf = static_cast<int>(word >> 16 & 31); // MOV
  }
  return out;
}

const Value* Registers::argument(unsigned index, bool windows) const {
  const int number = m_arm ? static_cast<int>(index) : index == 0 ? (windows ? 1 : 7) : (windows ? 2 : 6);
  const Value& value = at(number);
  return value.kind == Value::Kind::Address ? &value : nullptr;
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
    return {Value::Kind::Page, (decoded.at & ~uint64_t{0xfff}) + offset * 4096, 0, {}};
  }
  const Value& base = at(static_cast<int>(word >> 5 & 31));
  if (base.kind != Value::Kind::Page && base.kind != Value::Kind::Address) return {};
  if ((word & 0xff800000) == 0x91000000) // ADD (immediate)
    return Value::address_(base.address + ((word >> 10 & 0xfff) << (word & 0x400000 ? 12 : 0)));
  if ((word & 0xffc00000) == 0xf9400000) { // LDR (immediate), 64 bits
    const uint64_t place = base.address + uint64_t{word >> 10 & 0xfff} * 8;
    if (const AddressSpace::Target* const target = space.wordAt(place)) return Value::of(*target);
  }
  return {};
}

void Registers::afterCall(bool keeps) {
  if (!keeps)
    for (Value& value : m_values)
      value.kind = value.kind == Value::Kind::Page || value.kind == Value::Kind::OlderPage ? Value::Kind::OlderPage
                                                                                           : Value::Kind::Unknown;
  if (m_arm)
    for (std::size_t i = 0; i < 19; ++i) m_values[i] = {};
  else
    for (const int number : {0, 1, 2, 6, 7, 8, 9, 10, 11}) m_values[static_cast<std::size_t>(number)] = {};
}

void Registers::step(const Decoded& decoded, Value value) {
  // A copy is as old as what it copies.
  if (value.from == 0) value.from = decoded.at;
  const bool isOne = (decoded.written & (decoded.written - 1)) == 0;
  for (uint32_t left = decoded.written; left != 0; left &= left - 1)
    m_values[static_cast<std::size_t>(std::countr_zero(left))] = isOne ? value : Value{};
}

void addMaskedCode(std::string& out, const syntax::Operation& operation, const Decoded& decoded, std::string_view code,
                   const Value& value, const Registers& registers, bool arm, const AddressSpace& space) {
  if (decoded.isNothing) return;
  const std::size_t begin = out.size();
  out += code;
  if (arm) {
    const uint32_t word = decoded.word;
    uint32_t kept = word;
    if ((word & 0x7c000000) == 0x14000000) kept = word & 0xfc000000; // B, BL
    if ((word & 0x1f000000) == 0x10000000) kept = word & 0x9f00001f; // ADR, ADRP
    const Value& base = registers.at(static_cast<int>(word >> 5 & 31));
    const bool isPage = base.kind == Value::Kind::Page || base.kind == Value::Kind::OlderPage;
    const bool offset = isPage && ((word & 0xff800000) == 0x91000000 || (word & 0x3b000000) == 0x39000000);
    if (offset) kept = word & ~uint32_t{0x3ffc00};
    for (unsigned i = 0; i < 4 && i < code.size(); ++i) out[begin + i] = static_cast<char>(kept >> (8 * i));
    if (offset) out += value.kind == Value::Kind::Import ? value.import : "data";
    return;
  }
  // The distance counts from the end of the instruction, and an immediate may follow it.
  const std::optional<uint64_t> place = operation.memory ? operation.memory : operation.target;
  if (!place || code.size() < 5) return;
  const uint64_t end = decoded.at + operation.size;
  for (std::size_t i = code.size() - 4; i > 0; --i)
    if (end + static_cast<uint64_t>(int64_t{container::numberAt<int32_t>(code, i)}) == *place) {
      out.replace(begin + i, 4, 4, '\0');
      if (!operation.memory) return;
      const AddressSpace::Target* const target = space.wordAt(*place);
      out += target && !target->import.empty() ? std::string_view(target->import)
             : space.isCode(*place)            ? "code"
                                               : "data";
      return;
    }
}

bool doesNotReturn(std::string_view name) {
  return isOneOf(name, {"abort", "exit", "_exit", "_Exit", "quick_exit", "__stack_chk_fail", "_Unwind_Resume",
                        "__cxa_throw", "__cxa_rethrow", "__cxa_bad_cast", "__assert_fail", "_ZSt9terminatev",
                        "ExitProcess", "terminate", "_invoke_watson"}) ||
         name.starts_with("_ZSt20__throw_") || name.starts_with("_ZSt24__throw_");
}

} // namespace blobscope::safety
