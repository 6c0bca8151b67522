#include "app/runner/machine/compiled.h"

#include "app/runner/channel.h"
#include "app/runner/machine/builtins.h"
#include "app/runner/machine/machine.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace blobscope::runner::machine {
namespace {

constexpr std::size_t kTextBytes = 64'000; ///< of a text in the machine code

/// A value as the library gets it.
struct Pack {
  FfiAny operator()(None) const { return {}; }
  FfiAny operator()(int64_t number) const { return {kFfiInt, 0, {.integer = number}}; }
  FfiAny operator()(double number) const { return {kFfiFloat, 0, {.real = number}}; }
  FfiAny operator()(protocol::DataType type) const {
    return {kFfiDataType, 0, {.integer = type.code | type.bits << 8 | int64_t{type.lanes} << 16}};
  }
  FfiAny operator()(const TensorPtr& tensor) const { return {kFfiTensor, 0, {.pointer = &tensor->head}}; }
  FfiAny operator()(const TextPtr& text) const {
    return {kFfiRawString, 0, {.pointer = const_cast<char*>(text->c_str())}};
  }
  FfiAny operator()(const ShapePtr& shape) const {
    return {kFfiPointer, 0, {.pointer = const_cast<std::vector<int64_t>*>(shape.get())}};
  }
  // Nothing reads it; code may compare it with null.
  FfiAny operator()(CalleeValue callee) const { return {kFfiPointer, 0, {.integer = int64_t{callee.callee} + 1}}; }
  template <class T> FfiAny operator()(const std::shared_ptr<T>& object) const {
    return {kFfiPointer, 0, {.pointer = object.get()}};
  }
};

FfiAny packedOf(const Value& value) { return std::visit(Pack(), value); }

bool sameBits(const FfiAny& a, const FfiAny& b) { return a.type == b.type && a.value.integer == b.value.integer; }

} // namespace

/// A running function.
struct Compiled::Frame {
  /// What the library keeps at an address: an argument or a returned value.
  struct Kept {
    FfiAny packed;
    Value value;
    bool isArgument = false;
  };

  Frame(Compiled& owner, std::vector<Value> values)
      : registers(std::move(values)), m_owner(owner), m_outer(std::exchange(owner.m_frame, this)) {}
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { m_owner.m_frame = m_outer; }

  /// The library calls host functions itself, which write to tensors among their arguments. Arguments that are replaced
  /// before a call of the machine were for such a function.
  static void passedToHost(const Kept& kept) {
    if (const auto* const tensor = std::get_if<TensorPtr>(&kept.value); tensor && kept.isArgument)
      (*tensor)->written = true;
  }

  std::vector<Value> registers;
  char constants = 0, functions = 0; ///< only their addresses matter
  std::unordered_map<const void*, Kept> kept;

private:
  Compiled& m_owner;
  Frame* m_outer;
};

Result<Value> Compiled::run(const protocol::ProgramFunction& function, void* code, std::vector<Value> arguments) {
  // The result is stored after the arguments.
  const std::size_t result = arguments.size();
  arguments.resize(std::max<std::size_t>(function.registers, result + 1));
  Frame frame(*this, std::move(arguments));
  PackedArguments packed;
  packed.pointer(this);
  packed.pointer(&frame.registers);
  packed.pointer(&frame.constants);
  packed.pointer(&frame.functions);
  if (auto called = m_machine.callLibrary(code, packed, function.name); !called) {
    Error error = called.takeError();
    if (error.id() != DiagnosticId::RunProgram || !error.trail().empty()) return error;
    return std::move(error).within("machine code of '" + escapedWithin(function.name, 100) + "'");
  }
  for (const auto& [place, kept] : frame.kept) Frame::passedToHost(kept);
  return std::move(frame.registers[result]);
}

const void* Compiled::findBuiltin(std::string_view name) const {
  // The other functions of the interpreter have names of Blobscope.
  return name.starts_with("vm.builtin.") ? machine::findBuiltin(name) : nullptr;
}

TensorPtr Compiled::tensorOf(const DlTensor* head) const {
  if (!m_frame) return nullptr;
  for (const auto& [place, kept] : m_frame->kept)
    if (const auto* const tensor = std::get_if<TensorPtr>(&kept.value); tensor && &(*tensor)->head == head)
      return *tensor;
  return nullptr;
}

Result<Value> Compiled::valueOf(const PlacedValue& placed) const {
  const FfiAny& packed = placed.value;
  if (const auto found = m_frame->kept.find(placed.place);
      found != m_frame->kept.end() && sameBits(found->second.packed, packed))
    return found->second.value;
  switch (packed.type) {
  case kFfiNone: return Value(None{});
  case kFfiInt:
  case kFfiBool: return Value(packed.value.integer);
  case kFfiFloat: return Value(packed.value.real);
  case kFfiDataType: {
    const auto bits = static_cast<uint64_t>(packed.value.integer);
    return Value(protocol::DataType{static_cast<uint8_t>(bits), static_cast<uint8_t>(bits >> 8),
                                    static_cast<uint16_t>(bits >> 16)});
  }
  case kFfiRawString: {
    const auto* const text = static_cast<const char*>(packed.value.pointer);
    return Value(std::make_shared<const std::string>(text, text ? strnlen(text, kTextBytes) : 0));
  }
  case kFfiPointer:
    // The machine itself is None for built-in functions.
    if (!packed.value.pointer || packed.value.pointer == this) return Value(None{});
    break;
  default: break;
  }
  return wrongCall("the machine code passes a value of type " + std::to_string(packed.type) +
                   " that it did not get from the virtual machine");
}

Result<FfiAny> Compiled::call(const void* function, std::span<const PlacedValue> arguments, const void* result) {
  const Builtin& builtin = *static_cast<const Builtin*>(function);
  if (cancelled()) return Error(DiagnosticId::Cancelled, {});
  if (!m_frame) return wrongCall("'" + std::string(builtin.name) + "' is called outside of a compiled function");
  Frame& frame = *m_frame;

  // --- 1. The arguments; the others that the library keeps were for host functions that it called itself. ---
  std::vector<Value> values;
  values.reserve(arguments.size());
  for (const PlacedValue& placed : arguments) {
    BLOBSCOPE_TRY(value, valueOf(placed));
    values.push_back(std::move(value));
  }
  for (const PlacedValue& placed : arguments) frame.kept.erase(placed.place);
  for (const auto& [place, kept] : frame.kept) Frame::passedToHost(kept);
  frame.kept.clear();

  // --- 2. The call, which may run other compiled functions. ---
  BLOBSCOPE_TRY(value, m_machine.callBuiltin(builtin, std::move(values)));
  const FfiAny packed = packedOf(value);
  if (result) frame.kept[result] = {packed, std::move(value), false};
  return packed;
}

Result<FfiAny> Compiled::get(const void* list, int32_t index, const void* place) {
  const auto entry = [&]() -> Result<Value> {
    if (m_frame && index >= 0) {
      const auto at = static_cast<std::size_t>(index);
      const protocol::Program& program = m_machine.program();
      if (list == &m_frame->constants && at < m_machine.constants().size()) return m_machine.constants()[at];
      if (list == &m_frame->functions && at < program.callees.size()) {
        const protocol::ProgramCallee& callee = program.callees[at];
        if (callee.kind == protocol::ProgramCallee::Kind::Function)
          return Value(std::make_shared<Closure>(Closure{callee.function, {}, 1}));
        return Value(CalleeValue{static_cast<uint32_t>(at)});
      }
    }
    BLOBSCOPE_TRY(one, registerAt(list, index));
    return *one;
  };
  BLOBSCOPE_TRY(value, entry());
  const FfiAny packed = packedOf(value);
  Frame::Kept& kept = m_frame->kept[place];
  Frame::passedToHost(kept);
  kept = {packed, std::move(value), true};
  return packed;
}

Result<Value*> Compiled::registerAt(const void* list, int32_t index) const {
  if (!m_frame) return wrongCall("a register is used outside of a compiled function");
  if (list != &m_frame->registers || index < 0 || static_cast<std::size_t>(index) >= m_frame->registers.size())
    return wrongCall("the machine code uses entry " + std::to_string(index) + " of a list, which does not exist");
  return &m_frame->registers[static_cast<std::size_t>(index)];
}

Result<Done> Compiled::set(const void* list, int32_t index, const PlacedValue& placed) {
  BLOBSCOPE_TRY(entry, registerAt(list, index));
  BLOBSCOPE_TRY(value, valueOf(placed));
  m_frame->kept.erase(placed.place);
  *entry = std::move(value);
  return Done{};
}

Result<Done> Compiled::reset(const void* list, int32_t index) {
  BLOBSCOPE_TRY(entry, registerAt(list, index));
  *entry = None{};
  return Done{};
}

} // namespace blobscope::runner::machine
