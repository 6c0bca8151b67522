#include "core/requirements/start_up_machine.h"

#include "core/container/number_at.h"

#include <algorithm>

namespace blobscope::requirements::start_up {
namespace {

using container::Image;
using container::Symbol;
using syntax::Operation;

/// The flags of a comparison.
struct Flags {
  bool zero, sign, carry, overflow; ///< carry: a borrow
};
Flags flagsOf(const Compared& compared) {
  const unsigned last = 8 * compared.bytes - 1;
  const uint64_t left = masked(compared.left, compared.bytes), right = masked(compared.right, compared.bytes);
  const uint64_t result = masked(compared.bits ? left & right : left - right, compared.bytes);
  Flags out{result == 0, (result >> last & 1) != 0, false, false};
  if (!compared.bits) {
    out.carry = left < right;
    out.overflow = (((left ^ right) & (left ^ result)) >> last & 1) != 0;
  }
  return out;
}

std::optional<bool> conditionX86(const Compared& compared, unsigned condition) {
  if (!compared.known) return std::nullopt;
  const Flags flags = flagsOf(compared);
  bool out = false;
  switch (condition >> 1) {
  case 0: out = flags.overflow; break;
  case 1: out = flags.carry; break;
  case 2: out = flags.zero; break;
  case 3: out = flags.carry || flags.zero; break;
  case 4: out = flags.sign; break;
  case 6: out = flags.sign != flags.overflow; break;
  case 7: out = flags.zero || flags.sign != flags.overflow; break;
  default: return std::nullopt; // parity
  }
  return out != ((condition & 1) != 0);
}

std::optional<bool> conditionArm(const Compared& compared, unsigned condition) {
  if (condition >= 14) return true;
  if (!compared.known) return std::nullopt;
  const Flags flags = flagsOf(compared);
  const bool carry = !compared.bits && !flags.carry;
  bool out = false;
  switch (condition >> 1) {
  case 0: out = flags.zero; break;
  case 1: out = carry; break;
  case 2: out = flags.sign; break;
  case 3: out = flags.overflow; break;
  case 4: out = carry && !flags.zero; break;
  case 5: out = flags.sign == flags.overflow; break;
  default: out = !flags.zero && flags.sign == flags.overflow; break;
  }
  return out != ((condition & 1) != 0);
}

/// The instructions of one file.
class Instructions {
public:
  Instructions(const Image& image, const ElfFacts& facts) : m_image(image), m_facts(facts) {}

  bool isCode(uint64_t address) const {
    return std::any_of(m_image.segments.begin(), m_image.segments.end(), [&](const container::Segment& one) {
      return one.executable && Extent{one.address, one.memorySize}.contains(address);
    });
  }

  // --- Memory ---

  Location locationOf(const Value& base, int64_t offset) const {
    if (base.kind == Value::Kind::Stack) return {Location::Kind::Stack, plus(base.number, offset)};
    if (base.kind == Value::Kind::Number && base.bytes == 8)
      return {Location::Kind::Variable, plus(base.number, offset)};
    return {};
  }

  Value load(const Location& from, unsigned bytes, const State& state) const {
    if (from.kind == Location::Kind::Stack) return state.stack.load(from.at, bytes);
    if (from.kind != Location::Kind::Variable) return {};
    if (state.variables.touches(from.at, bytes)) return state.variables.load(from.at, bytes);
    return state.variables.isFull() ? Value() : stored(from.at, bytes);
  }
  void store(const Location& to, unsigned bytes, const Value& value, State& state) const {
    if (to.kind == Location::Kind::Stack) state.stack.store(to.at, bytes, value);
    if (to.kind == Location::Kind::Variable) state.variables.store(to.at, bytes, value);
  }

  /// What the loader puts there.
  Value stored(uint64_t at, unsigned bytes) const {
    if (const auto place = m_facts.places.find(at); place != m_facts.places.end()) {
      const Symbol& symbol = m_image.symbols[place->second.symbol];
      if (bytes != 8) return {};
      // An undefined weak symbol may be 0.
      if (symbol.defined) return isCode(symbol.value) ? Value::of(symbol.value) : Value();
      return symbol.binding == container::Binding::Weak
                 ? Value()
                 : Value{Value::Kind::Symbol, 8, place->second.late, place->second.symbol};
    }
    const auto word = std::lower_bound(m_facts.relative.begin(), m_facts.relative.end(), at >= 7 ? at - 7 : 0);
    if (word != m_facts.relative.end() && *word < at + bytes) return {};
    for (const container::Segment& one : m_image.segments) {
      if (!Extent{one.address, one.memorySize}.contains(Extent{at, bytes})) continue;
      const uint64_t offset = at - one.address;
      if (offset >= one.file.size) return Value::of(0);
      if (!Extent{0, one.file.size}.contains(Extent{offset, bytes})) return {};
      const Bytes content = m_image.file.slice(one.file.offset + offset, bytes);
      return content.size() == bytes ? Value::of(container::numberAt(content.view(), 0, bytes, false)) : Value();
    }
    return {};
  }

  void setRegister(State& state, unsigned number, unsigned bytes, Value value) const {
    if (value.kind == Value::Kind::Number) {
      value.number = masked(value.number, bytes);
      value.bytes = static_cast<uint8_t>(bytes >= 4 ? 8 : bytes); // 32 bits clear the upper half
    } else if (bytes != 8) {
      value = {};
    }
    state.registers[number] = value;
  }
  static Value part(const Value& value, unsigned bytes) {
    if (value.kind != Value::Kind::Number) return bytes == 8 ? value : Value();
    return value.bytes >= bytes ? Value::of(masked(value.number, bytes)) : Value();
  }
  static Compared compare(const Value& left, const Value& right, unsigned bytes, bool bits) {
    if (left.kind != Value::Kind::Number || right.kind != Value::Kind::Number) return {};
    return {true, bits, bytes, left.number, right.number};
  }

  // --- x86-64 ---

  /// The parts of an instruction.
  struct X86 {
    unsigned rex = 0, bytes = 4, opcode = 0, mod = 3, field = 0, rm = 0; ///< opcode: 0x1nn after 0f
    bool hasOperand = false, odd = false;                                ///< odd: a segment, or a form that is not read
    Location memory;
  };

  X86 readX86(const Operation& one, std::string_view code, const State& state) const {
    X86 out;
    std::size_t at = 0;
    const auto byte = [&](std::size_t i) { return i < one.size ? static_cast<uint8_t>(code[i]) : uint8_t{0}; };
    bool half = false;
    for (;; ++at) {
      const uint8_t prefix = byte(at);
      if (prefix == 0x66) half = true;
      if (prefix == 0x64 || prefix == 0x65 || prefix == 0x67) out.odd = true;
      const bool isPrefix = prefix == 0x66 || prefix == 0xf2 || prefix == 0xf3 || prefix == 0xf0 || prefix == 0x2e ||
                            prefix == 0x36 || prefix == 0x3e || prefix == 0x26 || prefix == 0x64 || prefix == 0x65 ||
                            prefix == 0x67;
      if (!isPrefix || at + 1 >= one.size) break;
    }
    if ((byte(at) & 0xf0) == 0x40) out.rex = byte(at++);
    out.bytes = out.rex & 8 ? 8 : half ? 2 : 4;
    out.opcode = byte(at++);
    if (out.opcode == 0x0f) out.opcode = 0x100U | byte(at++);
    const unsigned op = out.opcode;
    if (op == 0x138 || op == 0x13a) { // the opcode has another byte
      out.odd = true;
      return out;
    }
    const bool hasModrm = (op < 0x40 && (op & 7) < 4) || op == 0x63 || op == 0x69 || op == 0x6b ||
                          (op >= 0x80 && op <= 0x8f) || op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 ||
                          (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf) || op == 0xf6 || op == 0xf7 ||
                          op == 0xfe || op == 0xff ||
                          (op >= 0x100 && !(op >= 0x180 && op <= 0x18f) && op != 0x105 && op != 0x10b && op != 0x1a2 &&
                           op != 0x177 && !(op >= 0x1c8 && op <= 0x1cf));
    if (!hasModrm) {
      // VEX, EVEX, string instructions, moves to fixed addresses.
      out.odd =
          out.odd || op == 0xc4 || op == 0xc5 || op == 0x62 || (op >= 0xa0 && op <= 0xa7) || (op >= 0xaa && op <= 0xaf);
      return out;
    }
    const uint8_t modrm = byte(at++);
    out.hasOperand = true;
    out.mod = modrm >> 6;
    out.field = (modrm >> 3 & 7) | (out.rex & 4) << 1;
    out.rm = (modrm & 7) | (out.rex & 1) << 3;
    if (out.mod == 3) return out;
    if (out.mod == 0 && (modrm & 7) == 5) {
      if (one.memory && !out.odd) out.memory = {Location::Kind::Variable, *one.memory};
      return out;
    }
    unsigned base = out.rm;
    bool indexed = false;
    if ((modrm & 7) == 4) {
      const uint8_t sib = byte(at++);
      base = (sib & 7) | (out.rex & 1) << 3;
      indexed = ((sib >> 3 & 7) | (out.rex & 2) << 2) != 4 || (out.mod == 0 && (sib & 7) == 5);
    }
    int64_t offset = 0;
    if (out.mod == 1) offset = static_cast<int8_t>(byte(at));
    if (out.mod == 2) offset = container::numberAt<int32_t>(code.substr(0, one.size), at);
    if (!indexed && !out.odd) out.memory = locationOf(state.registers[base], offset);
    return out;
  }

  static Value immediate(const Operation& one, std::string_view code, unsigned bytes) {
    if (bytes > one.size) return {};
    const std::string_view text = code.substr(one.size - bytes, bytes);
    if (bytes == 1) return Value::of(static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(text[0]))));
    if (bytes == 2) return Value::of(static_cast<uint64_t>(int64_t{container::numberAt<int16_t>(text, 0)}));
    if (bytes == 8) return Value::of(container::numberAt<uint64_t>(text, 0));
    return Value::of(static_cast<uint64_t>(int64_t{container::numberAt<int32_t>(text, 0)}));
  }

  /// A register of one byte; 4 to 7 without REX are the second bytes of the first four.
  static bool isSecondByte(const X86& read, unsigned number, unsigned bytes) {
    return bytes == 1 && read.rex == 0 && number >= 4 && number < 8;
  }
  Value readRegister(const X86& read, unsigned number, unsigned bytes, const State& state) const {
    return isSecondByte(read, number, bytes) ? Value() : part(state.registers[number], bytes);
  }
  void writeRegister(const X86& read, unsigned number, unsigned bytes, const Value& value, State& state) const {
    if (isSecondByte(read, number, bytes))
      state.registers[number - 4] = {};
    else
      setRegister(state, number, bytes, value);
  }
  Value operand(const X86& read, unsigned bytes, const State& state) const {
    return read.mod == 3 ? readRegister(read, read.rm, bytes, state) : load(read.memory, bytes, state);
  }
  void setOperand(const X86& read, unsigned bytes, const Value& value, State& state) const {
    read.mod == 3 ? writeRegister(read, read.rm, bytes, value, state) : store(read.memory, bytes, value, state);
  }

  /// An instruction whose result is not computed.
  void forget(const Operation& one, const X86& read, State& state) const {
    constexpr unsigned kWidest = 64;
    for (unsigned i = 0; i < 16; ++i)
      if (one.written >> i & 1) state.registers[i] = {};
    if (read.odd) state.stack.clear();
    if (read.hasOperand && read.mod != 3) store(read.memory, kWidest, {}, state);
    if (read.odd && one.memory) store({Location::Kind::Variable, *one.memory}, kWidest, {}, state);
    state.compared = {};
  }

  void push(State& state, const Value& value) const {
    Value& pointer = state.registers[4];
    if (pointer.kind != Value::Kind::Stack) return;
    pointer.number -= 8;
    state.stack.store(pointer.number, 8, value);
  }
  Value pop(State& state) const {
    Value& pointer = state.registers[4];
    if (pointer.kind != Value::Kind::Stack) return {};
    const Value value = state.stack.load(pointer.number, 8);
    pointer.number += 8;
    return value;
  }

  Flow stepX86(const Operation& one, std::string_view code, uint64_t at, State& state) const {
    using Kind = Flow::Kind;
    (void)at;
    const X86 read = readX86(one, code, state);
    const unsigned op = read.opcode, wide = op & 1 ? read.bytes : 1;
    const Value target = one.target ? Value::of(*one.target) : Value();
    if (op == 0xe8) return {Kind::Call, target, {}};
    if (op == 0xe9 || op == 0xeb) return {Kind::Jump, target, {}};
    if ((op >= 0x70 && op <= 0x7f) || (op >= 0x180 && op <= 0x18f))
      return {Kind::Branch, target, conditionX86(state.compared, op & 15)};
    if (op >= 0xe0 && op <= 0xe3) return {Kind::Branch, target, {}};
    if (op == 0xc3 || op == 0xc2) return {Kind::Return, {}, {}};
    if (op == 0x10b || op == 0xcc || op == 0xf4) return {Kind::Trap, {}, {}};
    if (op == 0xff && ((read.field & 7) == 2 || (read.field & 7) == 4))
      return {(read.field & 7) == 2 ? Kind::Call : Kind::Jump, operand(read, 8, state), {}};
    if (read.odd) {
      forget(one, read, state);
      return {};
    }
    const unsigned field = read.field & 7; // of instructions that it selects
    switch (op) {
    case 0x88:
    case 0x89: setOperand(read, wide, readRegister(read, read.field, wide, state), state); return {};
    case 0x8a:
    case 0x8b: writeRegister(read, read.field, wide, operand(read, wide, state), state); return {};
    case 0xc6:
    case 0xc7: setOperand(read, wide, part(immediate(one, code, std::min(wide, 4U)), wide), state); return {};
    case 0x8d:
      setRegister(state, read.field, read.bytes,
                  read.memory.kind == Location::Kind::Variable ? Value::of(read.memory.at)
                  : read.memory.kind == Location::Kind::Stack  ? Value{Value::Kind::Stack, 8, false, read.memory.at}
                                                               : Value());
      return {};
    case 0x1b6: setRegister(state, read.field, std::max(read.bytes, 4U), operand(read, 1, state)); return {};
    case 0x1b7: setRegister(state, read.field, std::max(read.bytes, 4U), operand(read, 2, state)); return {};
    case 0x38:
    case 0x39:
    case 0x3a:
    case 0x3b: {
      const Value first = operand(read, wide, state), second = readRegister(read, read.field, wide, state);
      state.compared = op < 0x3a ? compare(first, second, wide, false) : compare(second, first, wide, false);
      return {};
    }
    case 0x3c:
    case 0x3d:
      state.compared = compare(part(state.registers[0], wide), immediate(one, code, std::min(wide, 4U)), wide, false);
      return {};
    case 0x80:
    case 0x81:
    case 0x83: {
      const Value value = immediate(one, code, op == 0x81 ? std::min(read.bytes, 4U) : 1);
      if (field == 7) {
        state.compared =
            compare(operand(read, op == 0x80 ? 1 : read.bytes, state), value, op == 0x80 ? 1 : read.bytes, false);
        return {};
      }
      if (read.mod == 3 && op != 0x80 && (field == 0 || field == 5)) {
        Value result = part(state.registers[read.rm], read.bytes);
        result.number = field == 0 ? result.number + value.number : result.number - value.number;
        const Value sum = result.kind == Value::Kind::Number || result.kind == Value::Kind::Stack ? result : Value();
        setRegister(state, read.rm, read.bytes, sum);
        state.compared = {};
        return {};
      }
      break;
    }
    case 0x84:
    case 0x85:
      state.compared = compare(operand(read, wide, state), readRegister(read, read.field, wide, state), wide, true);
      return {};
    case 0xa8:
    case 0xa9:
      state.compared = compare(part(state.registers[0], wide), immediate(one, code, std::min(wide, 4U)), wide, true);
      return {};
    case 0xf6:
    case 0xf7:
      if (field > 1) break;
      state.compared = compare(operand(read, wide, state), immediate(one, code, std::min(wide, 4U)), wide, true);
      return {};
    case 0x31:
    case 0x33:
      if (read.mod != 3 || read.field != read.rm) break;
      setRegister(state, read.rm, read.bytes, Value::of(0));
      state.compared = {true, false, read.bytes, 0, 0};
      return {};
    case 0x63: {
      const Value value = operand(read, 4, state);
      setRegister(state, read.field, read.bytes,
                  value.kind == Value::Kind::Number
                      ? Value::of(static_cast<uint64_t>(int64_t{static_cast<int32_t>(value.number)}))
                      : Value());
      return {};
    }
    case 0xc9: // leave
      state.registers[4] = state.registers[5];
      state.registers[5] = pop(state);
      return {};
    case 0x90:
    case 0x11f: return {};
    case 0x11e: // endbr64, nop
      return {};
    default: break;
    }
    if (op >= 0x50 && op <= 0x57) {
      push(state, state.registers[(op & 7) | (read.rex & 1) << 3]);
      return {};
    }
    if (op >= 0x58 && op <= 0x5f) {
      const Value value = pop(state);
      state.registers[(op & 7) | (read.rex & 1) << 3] = value;
      return {};
    }
    if (op >= 0xb8 && op <= 0xbf) {
      setRegister(state, (op & 7) | (read.rex & 1) << 3, read.bytes, immediate(one, code, read.bytes));
      return {};
    }
    if (op >= 0x190 && op <= 0x19f) {
      const auto holds = conditionX86(state.compared, op & 15);
      setOperand(read, 1, holds ? Value::of(*holds ? 1 : 0) : Value(), state);
      return {};
    }
    forget(one, read, state);
    return {};
  }

  // --- AArch64 ---

  static int64_t extended(uint64_t value, unsigned bits) {
    return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
  }

  /// The immediate of logical instructions. Source: Arm ARM DDI 0487, DecodeBitMasks.
  static std::optional<uint64_t> bitMask(uint32_t word) {
    const unsigned n = word >> 22 & 1, rotate = word >> 16 & 63, ones = word >> 10 & 63;
    unsigned length = 6;
    const unsigned pattern = n << 6 | (~ones & 63);
    while (length > 0 && !(pattern >> length & 1)) --length;
    if (length == 0) return std::nullopt;
    const unsigned size = 1U << length, levels = size - 1, set = ones & levels, by = rotate & levels;
    if (set == levels) return std::nullopt;
    const uint64_t all = size == 64 ? UINT64_MAX : (uint64_t{1} << size) - 1;
    uint64_t element = (uint64_t{1} << (set + 1)) - 1;
    if (by > 0) element = (element >> by | element << (size - by)) & all;
    uint64_t out = 0;
    for (unsigned at = 0; at < 64; at += size) out |= element << at;
    return out;
  }

  Flow stepArm(const Operation& one, std::string_view code, uint64_t at, State& state) const {
    using Kind = Flow::Kind;
    const uint32_t word = container::numberAt<uint32_t>(code, 0);
    const unsigned to = word & 31, from = word >> 5 & 31, second = word >> 16 & 31;
    const unsigned bytes = word >> 31 ? 8 : 4;
    const Value target = one.target ? Value::of(*one.target) : Value();
    // Register 31 is 0 in most instructions, and the stack pointer in the others.
    const auto get = [&](unsigned number, unsigned width) {
      return number == 31 ? Value::of(0) : part(state.registers[number], width);
    };
    const auto set = [&](unsigned number, unsigned width, const Value& value) {
      if (number != 31) setRegister(state, number, width, value);
    };
    if ((word & 0xfc000000) == 0x14000000) return {Kind::Jump, target, {}};
    if ((word & 0xfc000000) == 0x94000000) return {Kind::Call, target, {}};
    if ((word & 0xff000010) == 0x54000000) return {Kind::Branch, target, conditionArm(state.compared, word & 15)};
    if ((word & 0x7e000000) == 0x34000000) { // cbz, cbnz
      const Value value = get(to, bytes);
      if (value.kind != Value::Kind::Number) return {Kind::Branch, target, {}};
      return {Kind::Branch, target, (value.number == 0) != ((word >> 24 & 1) != 0)};
    }
    if ((word & 0x7e000000) == 0x36000000) { // tbz, tbnz
      const unsigned bit = (word >> 31 << 5) | (word >> 19 & 31);
      const Value value = get(to, bit < 32 ? 4 : 8);
      if (value.kind != Value::Kind::Number) return {Kind::Branch, target, {}};
      return {Kind::Branch, target, (value.number >> bit & 1) == (word >> 24 & 1)};
    }
    if ((word & 0xfffffc1f) == 0xd61f0000) return {Kind::Jump, state.registers[from], {}};
    if ((word & 0xfffffc1f) == 0xd63f0000) return {Kind::Call, state.registers[from], {}};
    if ((word & 0xfffff81f) == 0xd65f0000 || (word & 0xfffffbff) == 0xd65f0bff) return {Kind::Return, {}, {}};
    if ((word & 0xffe0001f) == 0xd4200000 || (word & 0xffff0000) == 0) return {Kind::Trap, {}, {}}; // brk, udf
    if ((word & 0xfffff01f) == 0xd503201f) return {};                                               // nop and hints
    if ((word & 0x1f000000) == 0x10000000) {                                                        // adr, adrp
      const int64_t offset = extended((word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3), 21);
      set(to, 8, Value::of(word >> 31 ? plus(at & ~uint64_t{0xfff}, offset * 4096) : plus(at, offset)));
      return {};
    }
    if ((word & 0x1f800000) == 0x11000000) { // add, sub, cmp with a number
      const uint64_t number = uint64_t{word >> 10 & 0xfff} << (word >> 22 & 1 ? 12 : 0);
      const bool subtracts = word >> 30 & 1, sets = word >> 29 & 1;
      Value value = part(state.registers[from], bytes);
      state.compared = sets && subtracts ? compare(value, Value::of(number), bytes, false) : Compared();
      if (!sets && state.compared.known) state.compared = {};
      value.number = subtracts ? value.number - number : value.number + number;
      if (value.kind == Value::Kind::Symbol) value = {};
      if (!sets || to != 31) setRegister(state, to, bytes, value);
      return {};
    }
    if ((word & 0x7fe0ffe0) == 0x2a0003e0) { // mov
      set(to, bytes, get(second, bytes));
      return {};
    }
    if ((word & 0x7fe0fc1f) == 0x6b00001f || (word & 0x7fe0fc1f) == 0x6a00001f) { // cmp, tst
      state.compared = compare(get(from, bytes), get(second, bytes), bytes, !(word >> 24 & 1));
      return {};
    }
    if ((word & 0x1f800000) == 0x12000000) { // and, orr, eor, ands with a number
      const auto mask = bitMask(word);
      const unsigned operation = word >> 29 & 3;
      Value value = get(from, bytes);
      const bool known = mask && value.kind == Value::Kind::Number;
      state.compared = operation == 3 && known ? Compared{true, true, bytes, value.number, *mask} : Compared();
      if (known)
        value = Value::of(operation == 1   ? value.number | *mask
                          : operation == 2 ? value.number ^ *mask
                                           : value.number & *mask);
      if (to != 31) setRegister(state, to, bytes, known ? value : Value());
      return {};
    }
    if ((word & 0x7f800000) == 0x52800000 || (word & 0x7f800000) == 0x12800000 || (word & 0x7f800000) == 0x72800000) {
      const unsigned shift = (word >> 21 & 3) * 16, operation = word >> 29 & 3; // movn, movz, movk
      const uint64_t number = uint64_t{word >> 5 & 0xffff} << shift;
      const Value before = get(to, 8);
      if (operation == 3 && before.kind == Value::Kind::Number)
        set(to, bytes, Value::of((before.number & ~(uint64_t{0xffff} << shift)) | number));
      else
        set(to, bytes, operation == 3 ? Value() : Value::of(operation == 0 ? ~number : number));
      return {};
    }
    if ((word & 0x7fe00c00) == 0x1a800400) { // csinc, cset
      const auto holds = conditionArm(state.compared, word >> 12 & 15);
      Value value = holds ? get(*holds ? from : second, bytes) : Value();
      if (holds && !*holds && value.kind == Value::Kind::Number) ++value.number;
      set(to, bytes, value);
      return {};
    }
    if ((word & 0x3ffffc00) == 0x08dffc00) { // ldar
      const unsigned width = 1U << (word >> 30);
      set(to, std::max(width, 4U), load(locationOf(state.registers[from], 0), width, state));
      return {};
    }
    if ((word & 0x3a000000) == 0x38000000) return moveArm(one, word, state);
    if ((word & 0x3a000000) == 0x28000000) { // ldp, stp
      const bool loads = word >> 22 & 1, vector = word >> 26 & 1;
      const unsigned width = vector       ? 4U << (word >> 30)
                             : word >> 31 ? 8
                                          : 4,
                     mode = word >> 23 & 3, other = word >> 10 & 31;
      const int64_t offset = extended(word >> 15 & 127, 7) * static_cast<int64_t>(width);
      const Value base = state.registers[from];
      const Location place = locationOf(base, mode == 1 ? 0 : offset);
      Location next = place;
      next.at += width;
      if (mode == 1 || mode == 3) setRegister(state, from, 8, moved(base, offset));
      if (vector) {
        if (!loads) {
          store(place, width, {}, state);
          store(next, width, {}, state);
        }
        return {};
      }
      if (loads) {
        set(to, width, load(place, width, state));
        set(other, width, load(next, width, state));
      } else {
        store(place, width, get(to, width), state);
        store(next, width, get(other, width), state);
      }
      return {};
    }
    for (unsigned i = 0; i < 31; ++i)
      if (one.written >> i & 1) state.registers[i] = {};
    state.compared = {};
    return {};
  }

  static Value moved(Value base, int64_t offset) {
    if (base.kind != Value::Kind::Stack && base.kind != Value::Kind::Number) return {};
    base.number = plus(base.number, offset);
    return base;
  }

  /// Loads and stores of one register.
  Flow moveArm(const Operation& one, uint32_t word, State& state) const {
    const unsigned to = word & 31, from = word >> 5 & 31, kind = word >> 22 & 3;
    const bool vector = word >> 26 & 1, scaled = word >> 24 & 1;
    const unsigned width = vector && kind >= 2 ? 16 : 1U << (word >> 30);
    const Value base = state.registers[from];
    Location place;
    if (scaled) {
      place = locationOf(base, static_cast<int64_t>(uint64_t{word >> 10 & 0xfff} * width));
    } else if (!(word >> 21 & 1)) { // ldur, and those that change the base
      const int64_t offset = extended(word >> 12 & 511, 9);
      const unsigned mode = word >> 10 & 3; // 1: changes it afterwards, 3: before
      place = locationOf(base, mode == 1 ? 0 : offset);
      if (mode & 1) setRegister(state, from, 8, moved(base, offset));
    }
    const bool loads = vector ? kind & 1 : kind != 0;
    if (!loads) {
      store(place, width, vector ? Value() : to == 31 ? Value::of(0) : part(state.registers[to], width), state);
      return {};
    }
    if (vector || to == 31) return {};
    if (kind == 1)
      setRegister(state, to, std::max(width, 4U), load(place, width, state));
    else
      state.registers[to] = {}; // with sign
    (void)one;
    return {};
  }

private:
  const Image& m_image;
  const ElfFacts& m_facts;
};

} // namespace

bool Machine::isCode(uint64_t address) const { return Instructions(m_image, m_facts).isCode(address); }

Value Machine::load(const Location& from, unsigned bytes, const State& state) const {
  return Instructions(m_image, m_facts).load(from, bytes, state);
}

Flow Machine::step(const Operation& one, std::string_view code, uint64_t at, State& state) const {
  const Instructions instructions(m_image, m_facts);
  return m_arm ? instructions.stepArm(one, code, at, state) : instructions.stepX86(one, code, at, state);
}

} // namespace blobscope::requirements::start_up
