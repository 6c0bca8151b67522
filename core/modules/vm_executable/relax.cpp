#include "core/modules/vm_executable/relax.h"

#include "core/base/digest.h"
#include "core/base/text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <unordered_map>

namespace blobscope::modules::relax {
namespace {

using view::Listing;
using Mark = view::ListingMark::Kind;

/// Texts and shapes up to this size in bytes are shown whole, without a digest.
constexpr uint64_t kShortContent = 64;
/// The longest name in an instruction: the same name may be in many. Longer names are shown whole where they belong.
constexpr std::size_t kShownName = 1'000;

int64_t wordAt(const Bytes& words, uint64_t index) {
  int64_t word = 0;
  std::memcpy(&word, words.data() + 8 * index, sizeof word);
  return word;
}

std::string numberText(double value) {
  std::array<char, 40> digits;
  const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return std::string(digits.data(), end);
}

std::string registerText(int64_t number) {
  if (number == kVoidRegister) return "%void";
  if (number == kVmRegister) return "%vm";
  return "%" + std::to_string(number);
}

std::string functionName(const Executable& executable, int64_t number) {
  if (number < 0 || static_cast<uint64_t>(number) >= executable.functions.size())
    return "f[" + std::to_string(number) + "], which does not exist";
  return escapedWithin(executable.functions[static_cast<std::size_t>(number)].name.view(), kShownName);
}

void addRegister(Listing& out, Mark kind, int64_t number) {
  if (number == kVoidRegister || number == kVmRegister)
    out += registerText(number);
  else
    out.add(kind, number, registerText(number));
}

/// "call  %3 = @f(%0, c[1])  // c[1] = 7"
void addCall(Listing& out, const Executable& executable, const Instruction& instruction) {
  std::string notes;
  out += "call  ";
  if (instruction.result != kVoidRegister) {
    addRegister(out, Mark::Definition, instruction.result);
    out += " = ";
  }
  out += functionName(executable, instruction.function) + "(";
  for (uint64_t a = 0; a < instruction.arguments.size() / 8; ++a) {
    if (a > 0) out += ", ";
    const Argument argument = argumentOf(wordAt(instruction.arguments, a));
    switch (argument.kind) {
    case Argument::Kind::Register: addRegister(out, Mark::Use, argument.value); break;
    case Argument::Kind::Immediate: out += std::to_string(argument.value); break;
    case Argument::Kind::Function: out += "@" + functionName(executable, argument.value); break;
    case Argument::Kind::Unknown:
      out += "unknown argument " + hexText(static_cast<uint64_t>(wordAt(instruction.arguments, a)));
      break;
    case Argument::Kind::Constant: {
      const std::string name = "c[" + std::to_string(argument.value) + "]";
      out.add(Mark::Constant, argument.value, name);
      notes += (notes.empty() ? "  // " : ", ") + name;
      if (argument.value < 0 || static_cast<uint64_t>(argument.value) >= executable.constants.size())
        notes += " does not exist";
      else
        notes += " = " + executable.constants[static_cast<std::size_t>(argument.value)].valueText(60);
      break;
    }
    }
  }
  out += ")";
  if (!notes.empty()) out.add(Mark::Note, 0, notes);
}

} // namespace

ConstantKind constantKind(Pool pool, int32_t tag) {
  if (pool == Pool::Classic) {
    constexpr std::array kKinds = {ConstantKind::Tensor, ConstantKind::DataType, ConstantKind::Shape,
                                   ConstantKind::String, ConstantKind::Integer,  ConstantKind::Float};
    return tag >= 0 && static_cast<std::size_t>(tag) < kKinds.size() ? kKinds[static_cast<std::size_t>(tag)]
                                                                     : ConstantKind::Unknown;
  }
  const int32_t tensor = pool == Pool::Ffi2025a ? 72 : 70, shape = pool == Pool::Ffi2025a ? 71 : 69;
  if (tag == tensor) return ConstantKind::Tensor;
  if (tag == shape) return ConstantKind::Shape;
  switch (tag) {
  case 1: return ConstantKind::Integer;
  case 3: return ConstantKind::Float;
  case 5: return ConstantKind::DataType;
  case 65: return ConstantKind::String;
  default: return ConstantKind::Unknown;
  }
}

std::string_view Constant::kindText() const {
  switch (kind) {
  case ConstantKind::Tensor: return "tensor";
  case ConstantKind::DataType: return "dtype";
  case ConstantKind::Shape: return "shape";
  case ConstantKind::String: return "string";
  case ConstantKind::Integer: return "integer";
  case ConstantKind::Float: return "float";
  case ConstantKind::Unknown: break;
  }
  return "unknown";
}

std::string Constant::valueText(std::size_t limit) const {
  switch (kind) {
  case ConstantKind::Tensor: return tensor->typeText() + tensor->shapeText();
  case ConstantKind::DataType: return dataTypeName(dtype, dlpack);
  case ConstantKind::Shape: {
    std::string out = "[";
    for (uint64_t i = 0; i < content.size() / 8 && out.size() < limit; ++i)
      out += (i > 0 ? ", " : "") + std::to_string(wordAt(content, i));
    return out + "]";
  }
  case ConstantKind::String: return "\"" + escapedWithin(content.view(), limit) + "\"";
  case ConstantKind::Integer: return std::to_string(integer);
  case ConstantKind::Float: return numberText(number);
  case ConstantKind::Unknown: break;
  }
  return {};
}

std::string_view Function::kindText() const { return kind == kVm ? "VM" : kind == kVmTir ? "VM-TIR" : "packed"; }

Argument argumentOf(int64_t word) {
  constexpr unsigned kValueBits = 56;
  const auto kind = static_cast<uint64_t>(word) >> kValueBits;
  // Sign-extended from 56 bits.
  const auto value = static_cast<int64_t>(static_cast<uint64_t>(word) << (64 - kValueBits)) >> (64 - kValueBits);
  return {kind <= 3 ? static_cast<Argument::Kind>(kind) : Argument::Kind::Unknown, value};
}

std::optional<InstructionFault> checkInstructions(const Executable& executable) {
  const uint64_t count = executable.instructionCount(), words = executable.words.size() / 8;
  uint64_t next = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const int64_t start = wordAt(executable.offsets, i);
    if (start < 0 || static_cast<uint64_t>(start) != next)
      return InstructionFault{true, i, start, "the end of the instruction before it"};
    if (next >= words) return InstructionFault{true, i, start, "an index into the instruction words"};
    const int64_t op = wordAt(executable.words, next);
    uint64_t size = 0;
    switch (op) {
    case 1: {
      if (words - next < 4) return InstructionFault{false, next, op, "an instruction that ends in the words"};
      const int64_t arguments = wordAt(executable.words, next + 3);
      if (arguments < 0 || static_cast<uint64_t>(arguments) > words - next - 4)
        return InstructionFault{false, next + 3, arguments, "a number of arguments that fit into the words"};
      size = 4 + static_cast<uint64_t>(arguments);
      break;
    }
    case 2:
    case 3: size = 2; break;
    case 4: size = 3; break;
    default: return InstructionFault{false, next, op, "an opcode from 1 to 4"};
    }
    if (size > words - next) return InstructionFault{false, next, op, "an instruction that ends in the words"};
    next += size;
  }
  if (next != words)
    return InstructionFault{false, next, wordAt(executable.words, next), "an instruction with an offset"};
  return std::nullopt;
}

Instruction instructionAt(const Executable& executable, uint64_t number) {
  const auto at = static_cast<uint64_t>(wordAt(executable.offsets, number));
  const auto word = [&](uint64_t i) { return wordAt(executable.words, at + i); };
  Instruction out;
  out.op = static_cast<Instruction::Op>(word(0));
  switch (out.op) {
  case Instruction::Op::Call:
    out.result = word(1);
    out.function = word(2);
    out.arguments = executable.words.slice(8 * (at + 4), 8 * static_cast<uint64_t>(word(3)));
    break;
  case Instruction::Op::Ret: out.result = word(1); break;
  case Instruction::Op::Goto: out.offset = word(1); break;
  case Instruction::Op::If:
    out.result = word(1);
    out.offset = word(2);
    break;
  }
  return out;
}

std::string Signature::text() const {
  std::string out = "(";
  for (const std::string& parameter : parameters) out += (out.size() > 1 ? ", " : "") + parameter;
  out += ")";
  return result.empty() ? out : out + " -> " + result;
}

std::vector<Signature> signaturesOf(const Executable& executable, std::size_t limit) {
  std::vector<Signature> out(executable.functions.size());
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < executable.functions.size(); ++i)
    if (executable.functions[i].kind != Function::kPacked) numbers.emplace(executable.functions[i].name.view(), i);
  const auto cut = [](std::string_view& text, std::string_view before, std::string_view& value) {
    const std::size_t end = text.find(before);
    if (end == std::string_view::npos) return false;
    value = text.substr(0, end);
    text.remove_prefix(end + before.size());
    return true;
  };
  for (const Constant& constant : executable.constants) {
    if (constant.kind != ConstantKind::String) continue;
    std::string_view text = constant.content.view(), function, place, name;
    constexpr std::string_view kStart = "ErrorContext(fn=", kReturn = "return, annotation=";
    if (!text.starts_with(kStart)) continue;
    text.remove_prefix(kStart.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (!text.ends_with(')') || !cut(text, ", loc=", function)) continue;
    text.remove_suffix(1);
    const auto number = numbers.find(function);
    if (number == numbers.end()) continue;
    Signature& signature = out[number->second];
    if (text.starts_with(kReturn)) {
      signature.result = escaped(text.substr(kReturn.size()), limit);
      continue;
    }
    uint32_t index = 0;
    if (!cut(text, "], param=", place) || !place.starts_with("param[") || !cut(text, ", annotation=", name)) continue;
    place.remove_prefix(6);
    const auto [end, failure] = std::from_chars(place.data(), place.data() + place.size(), index);
    // The executable decides how many parameters there are; a text cannot add more.
    if (failure != std::errc{} || index >= executable.functions[number->second].parameters.size()) continue;
    if (signature.parameters.size() <= index) signature.parameters.resize(index + 1);
    signature.parameters[index] = escaped(name) + ": " + escaped(text, limit);
  }
  // Parameters without a text, such as model weights that are not checked, keep their names.
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Function& function = executable.functions[i];
    if (function.kind == Function::kPacked) continue;
    out[i].parameters.resize(function.parameters.size());
    for (std::size_t p = 0; p < function.parameters.size(); ++p)
      if (out[i].parameters[p].empty()) out[i].parameters[p] = escaped(function.parameters[p].view());
  }
  return out;
}

Result<Listing> listing(const Executable& executable, const Function& function, Monitor& monitor) {
  Listing out;
  out.add(Mark::Function, 0, {});
  out += "@" + escaped(function.name.view());
  if (function.kind == Function::kPacked) {
    out += " packed function, found by its name\n";
    return out;
  }
  if (function.kind == Function::kVmTir)
    out += " host function '__vmtir__" + escaped(function.name.view()) + "', " +
           std::to_string(function.argumentCount) + " arguments\n";
  if (function.kind == Function::kVmTir && function.start >= function.end) return out;
  if (function.kind == Function::kVm) {
    out += "(";
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      if (i > 0) out += ", ";
      addRegister(out, Mark::Definition, static_cast<int64_t>(i));
      out += " " + escaped(function.parameters[i].view());
    }
    out += "), " + std::to_string(function.registers) + " registers:\n";
  }
  const auto count = static_cast<int64_t>(executable.instructionCount());
  if (function.start < 0 || function.end > count || function.start > function.end) {
    out += "  instructions " + std::to_string(function.start) + " to " + std::to_string(function.end) +
           " do not exist: there are " + std::to_string(count) + "\n";
    return out;
  }
  for (int64_t i = function.start; i < function.end; ++i) {
    if ((i - function.start) % 1'024 == 1'023 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const Instruction instruction = instructionAt(executable, static_cast<uint64_t>(i));
    const std::string place = std::to_string(i - function.start);
    out.add(Mark::Place, i - function.start, std::string(place.size() < 6 ? 6 - place.size() : 0, ' ') + place + "  ");
    const auto addTarget = [&] {
      out.add(Mark::Target, instruction.offset,
              std::to_string(static_cast<int64_t>(static_cast<uint64_t>(i - function.start) +
                                                  static_cast<uint64_t>(instruction.offset))));
    };
    switch (instruction.op) {
    case Instruction::Op::Ret:
      out += "ret   ";
      addRegister(out, Mark::Use, instruction.result);
      break;
    case Instruction::Op::Goto:
      out += "goto  ";
      addTarget();
      break;
    case Instruction::Op::If:
      out += "if    ";
      addRegister(out, Mark::Use, instruction.result);
      out += " else goto ";
      addTarget();
      break;
    case Instruction::Op::Call: addCall(out, executable, instruction); break;
    }
    out += "\n";
  }
  return out;
}

uint64_t listedInstructions(const Executable& executable, const Function& function) {
  const bool listed = function.kind != Function::kPacked && function.start >= 0 && function.start <= function.end &&
                      static_cast<uint64_t>(function.end) <= executable.instructionCount();
  return listed ? static_cast<uint64_t>(function.end - function.start) : 0;
}

ScopeNames::ScopeNames(const Executable& executable) {
  for (const Scope& scope : executable.scopes) m_names.emplace_back(scope.constant, escaped(scope.name.view()));
  std::stable_sort(m_names.begin(), m_names.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

std::string_view ScopeNames::of(int64_t constant) const {
  const auto at = std::lower_bound(m_names.begin(), m_names.end(), constant,
                                   [](const auto& name, int64_t number) { return name.first < number; });
  return at != m_names.end() && at->first == constant ? std::string_view(at->second) : std::string_view();
}

Result<view::ConstantIdentity> constantIdentity(const Executable& executable, const ScopeNames& scopes, int64_t number,
                                                Monitor& monitor) {
  if (number < 0 || static_cast<uint64_t>(number) >= executable.constants.size())
    return view::ConstantIdentity{std::to_string(number) + " does not exist", {}, false};
  const Constant& constant = executable.constants[static_cast<std::size_t>(number)];
  view::ConstantIdentity out{std::string(constant.kindText()) + " " + constant.valueText(8 * kShortContent),
                             {},
                             constant.kind == ConstantKind::Tensor};
  const auto addDigest = [&](const Bytes& bytes) -> Result<Done> {
    BLOBSCOPE_TRY(digest, computeSha256(bytes, monitor));
    out.digest = std::move(digest);
    return Done{};
  };
  switch (constant.kind) {
  case ConstantKind::Tensor: BLOBSCOPE_CHECK(addDigest(constant.tensor->data)); break;
  case ConstantKind::String:
  case ConstantKind::Shape:
    // A value that is shown whole needs no digest.
    if (constant.content.size() > kShortContent) BLOBSCOPE_CHECK(addDigest(constant.content));
    break;
  case ConstantKind::Float:
    out.text += " " + hexText(std::bit_cast<uint64_t>(constant.number));
    break; // 0 and -0, NaNs
  default: break;
  }
  if (const std::string_view scope = scopes.of(number); !scope.empty()) out.text += " in " + std::string(scope);
  return out;
}

} // namespace blobscope::modules::relax
