#include "core/modules/vm_executable/relay.h"

#include "core/base/digest.h"
#include "core/base/text.h"

#include <array>
#include <cstring>
#include <span>

namespace blobscope::modules::relay {
namespace {

constexpr std::size_t kNoteLimit = 60;

int64_t wordAt(const Bytes& words, uint64_t index) {
  int64_t word = 0;
  std::memcpy(&word, words.data() + 8 * index, sizeof word);
  return word;
}

/// The meaning of a field of an instruction.
enum class Field {
  Register,
  Result,   ///< the register that is written
  Function, ///< number of a global
  Packed,   ///< number of a primitive
  Constant,
  Number,
  Device,
  Offset, ///< of a jump, in instructions from this one
  Code,
  Bits,
  Lanes,
  Count,     ///< number of the fields that follow at the end
  Registers, ///< registers, as many as Count says
  Extents    ///< numbers, as many as Count says
};

struct Shape {
  std::string_view name;
  std::vector<Field> fields; ///< a field that repeats is the last one
  int from = 0;              ///< first generation
};

/// Returns the fields of an opcode in one generation, in stored order; nothing for an opcode that the generation does
/// not have.
std::optional<Shape> shapeOf(int64_t opcode, int generation) {
  using enum Field;
  const bool later = generation >= 1;
  Shape shape;
  switch (opcode) {
  case 0: shape = {"Move", {Register, Result}}; break;
  case 1: shape = {"Ret", {Register}}; break;
  case 2: shape = {"Invoke", {Function, Count, Result, Registers}}; break;
  case 3: shape = {"InvokeClosure", {Register, Count, Result, Registers}}; break;
  case 4: shape = {"InvokePacked", {Packed, Count, Number, Registers}}; break;
  case 5:
    shape = {"AllocTensor", later ? std::vector{Register, Register, Code, Bits, Lanes, Count, Result, Extents}
                                  : std::vector{Register, Code, Bits, Lanes, Count, Result, Extents}};
    break;
  case 6:
    shape = {"AllocTensorReg", later ? std::vector{Register, Register, Register, Code, Bits, Lanes, Result}
                                     : std::vector{Register, Register, Code, Bits, Lanes, Result}};
    break;
  case 7: shape = {"AllocADT", {Number, Count, Result, Registers}}; break;
  case 8: shape = {"AllocClosure", {Function, Count, Result, Registers}}; break;
  case 9: shape = {"GetField", {Register, Number, Result}}; break;
  case 10: shape = {"If", {Register, Register, Offset, Offset}}; break;
  case 11:
    shape = {"LoadConst", generation >= 4 ? std::vector{Constant, Device, Result} : std::vector{Constant, Result}};
    break;
  case 12: shape = {"Goto", {Offset}}; break;
  case 13: shape = {"GetTag", {Register, Result}}; break;
  case 14: shape = {"LoadConsti", {Number, Result}}; break;
  case 15: shape = {"Fatal", {}}; break;
  case 16:
    if (generation >= 4)
      shape = {"AllocStorage", {Register, Number, Code, Bits, Lanes, Device, Count, Result, Extents}};
    else if (later)
      shape = {"AllocStorage", {Register, Number, Code, Bits, Lanes, Device, Result}};
    else
      shape = {"AllocStorage", {Register, Number, Code, Bits, Lanes, Result}};
    break;
  case 17: shape = {"ShapeOf", {Register, Result}, 1}; break;
  case 18: shape = {"ReshapeTensor", {Register, Register, Result}, 1}; break;
  case 19: shape = {"DeviceCopy", {Register, Device, Device, Result}, 1}; break;
  case 20: shape = {"KillRegister", {Register}, 3}; break;
  default: return std::nullopt;
  }
  if (generation < shape.from) return std::nullopt;
  return shape;
}

std::string numbered(std::string_view kind, int64_t number) {
  return std::string(kind) + "[" + std::to_string(number) + "]";
}

template <class T> std::string nameIn(const std::vector<T>& names, std::string_view kind, int64_t number) {
  if (number < 0 || static_cast<uint64_t>(number) >= names.size())
    return numbered(kind, number) + ", which does not exist";
  return escapedWithin(names[static_cast<std::size_t>(number)].view(), kNoteLimit * 2);
}

} // namespace

uint64_t instructionHash(const Bytes& words) {
  auto key = static_cast<uint64_t>(wordAt(words, 1));
  for (uint64_t i = 2; i < words.size() / 8; ++i)
    key ^= static_cast<uint64_t>(wordAt(words, i)) + 0x9e3779b9 + (key << 6) + (key >> 2);
  return key;
}

std::optional<InstructionFault> checkInstructions(const Executable& executable) {
  for (std::size_t f = 0; f < executable.functions.size(); ++f) {
    const Function& function = executable.functions[f];
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
      const Bytes& words = function.instructions[i];
      const uint64_t count = words.size() / 8;
      const auto fault = [&](uint64_t word, const char* expected) {
        return InstructionFault{f, i, word, word < count ? wordAt(words, word) : 0, expected};
      };
      if (count < 2) return fault(0, "a hash and an opcode");
      const auto shape = shapeOf(wordAt(words, 1), executable.generation);
      if (!shape) return fault(1, "an opcode of this generation");
      uint64_t fields = shape->fields.size();
      const bool repeats = fields > 0 && shape->fields.back() >= Field::Registers;
      if (repeats) --fields;
      if (count - 2 < fields) return fault(1, "an opcode with that many fields");
      uint64_t declared = 0;
      for (uint64_t k = 0; k < fields; ++k)
        if (shape->fields[k] == Field::Count) {
          const int64_t value = wordAt(words, 2 + k);
          if (value < 0) return fault(2 + k, "a number of fields");
          declared = static_cast<uint64_t>(value);
        }
      if (count - 2 - fields != declared) return fault(1, "as many fields as its count says");
      if (instructionHash(words) != static_cast<uint64_t>(wordAt(words, 0)))
        return fault(0, "the hash of the instruction");
    }
  }
  return std::nullopt;
}

std::string constantText(const Constant& constant) {
  if (constant.late == 1) return "bound later: " + escapedWithin(constant.name.view(), kNoteLimit);
  return constant.tensor.typeText() + constant.tensor.shapeText();
}

namespace {

using view::Listing;
using Mark = view::ListingMark::Kind;

/// Writes an instruction as a line: its fields and the text around them.
class InstructionWriter {
public:
  InstructionWriter(const Executable& executable, const Shape& shape, const Bytes& words, std::size_t number)
      : m_executable(executable), m_shape(shape), m_words(words), m_number(number) {}

  /// "$3 = AllocTensor $2, float32, 2, 3".
  void write(Listing& out) {
    const uint64_t count = m_words.size() / 8;
    for (uint64_t k = 0; k + 2 < count; ++k) addField(k, wordAt(m_words, k + 2));
    if (m_result) {
      out.add(Mark::Definition, *m_result, "$" + std::to_string(*m_result));
      out += " = ";
    }
    out += m_shape.name;
    out += m_fields.text.empty() ? "" : " ";
    out.append(m_fields);
    if (!m_note.empty()) out.add(Mark::Note, 0, m_note);
    out += "\n";
  }

private:
  void comma() {
    if (!m_fields.text.empty()) m_fields += ", ";
  }
  void add(const std::string& text) {
    comma();
    m_fields += text;
  }
  void addMarked(Mark kind, int64_t number, const std::string& text) {
    comma();
    m_fields.add(kind, number, text);
  }

  void addField(uint64_t k, int64_t value) {
    const Field field = k < m_shape.fields.size() ? m_shape.fields[k] : m_shape.fields.back();
    switch (field) {
    case Field::Register:
      // When there is a shape, the size operand is not set: the compiler writes stray memory there
      // (core/formats/vm-executables.md 2.4).
      if (k == 0 && m_shape.name == "AllocStorage" && m_shape.fields.back() == Field::Extents &&
          m_words.size() / 8 > m_shape.fields.size() + 1)
        add("unset");
      else
        addMarked(Mark::Use, value, "$" + std::to_string(value));
      break;
    case Field::Registers: addMarked(Mark::Use, value, "$" + std::to_string(value)); break;
    case Field::Result: m_result = value; break;
    case Field::Function: add("@" + nameIn(m_executable.globals, "global", value)); break;
    case Field::Packed: add(nameIn(m_executable.primitives, "primitive", value)); break;
    case Field::Constant:
      addMarked(Mark::Constant, value, numbered("const", value));
      if (value >= 0 && static_cast<uint64_t>(value) < m_executable.constants.size())
        m_note = "  // " + constantText(m_executable.constants[static_cast<std::size_t>(value)]);
      else
        m_note = "  // does not exist";
      break;
    case Field::Number:
    case Field::Extents: add(std::to_string(value)); break;
    case Field::Device: add(numbered("device", value)); break;
    case Field::Offset:
      addMarked(Mark::Target, value, std::to_string(static_cast<int64_t>(m_number + static_cast<uint64_t>(value))));
      break;
    case Field::Code: m_type = static_cast<uint32_t>(value) & 0xff; break;
    case Field::Bits: m_type |= (static_cast<uint32_t>(value) & 0xff) << 8; break;
    case Field::Lanes: add(dataTypeName(m_type | static_cast<uint32_t>(value) << 16, false)); break;
    case Field::Count: break;
    }
  }

  const Executable& m_executable;
  const Shape& m_shape;
  const Bytes& m_words;
  std::size_t m_number;
  Listing m_fields;
  std::optional<int64_t> m_result;
  std::string m_note;
  uint32_t m_type = 0;
};

} // namespace

view::Listing listing(const Executable& executable, const Function& function) {
  Listing out;
  out.add(Mark::Function, 0, {});
  out += "@" + escaped(function.name().view()) + "(";
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (i > 0) out += ", ";
    out.add(Mark::Definition, static_cast<int64_t>(i), "$" + std::to_string(i));
    out += " " + escaped(function.parameters[i].view());
  }
  out += "), " + std::to_string(function.headNumber(1)) + " registers:\n";
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    const Bytes& words = function.instructions[i];
    const auto shape = shapeOf(wordAt(words, 1), executable.generation);
    if (!shape) continue; // checkInstructions() has checked this
    const std::string place = std::to_string(i);
    out.add(Mark::Place, static_cast<int64_t>(i),
            std::string(place.size() < 6 ? 6 - place.size() : 0, ' ') + place + "  ");
    InstructionWriter(executable, *shape, words, i).write(out);
  }
  return out;
}

Result<view::ConstantIdentity> constantIdentity(const Executable& executable, int64_t number, Monitor& monitor) {
  if (number < 0 || static_cast<uint64_t>(number) >= executable.constants.size())
    return view::ConstantIdentity{std::to_string(number) + " does not exist", {}, false};
  const auto index = static_cast<std::size_t>(number);
  const Constant& constant = executable.constants[index];
  std::string device;
  // The device that contains the constant. Source: apache/tvm src/runtime/vm/executable.cc, const_device_indexes.
  if (index < executable.constantDevices.size() / 8)
    device = " on device " + std::to_string(wordAt(executable.constantDevices, index));
  if (constant.late == 1)
    return view::ConstantIdentity{"bound later: " + escaped(constant.name.view()) + device, {}, true};
  BLOBSCOPE_TRY(digest, computeSha256(constant.tensor.data, monitor));
  return view::ConstantIdentity{constantText(constant) + device, std::move(digest), true};
}

} // namespace blobscope::modules::relay
