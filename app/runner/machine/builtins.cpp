#include "app/runner/machine/builtins.h"

#include "core/base/text.h"

#include <cstring>
#include <utility>

/// The functions that graphs and the Relay VM use; core/program names them.
namespace blobscope::runner::machine {
namespace {

Result<std::shared_ptr<Tuple>> tupleAt(std::span<const Value> arguments) {
  const auto* const tuple = arguments.empty() ? nullptr : std::get_if<std::shared_ptr<Tuple>>(&arguments[0]);
  if (!tuple) return wrongCall("argument 0 is not a tuple");
  return *tuple;
}

constexpr protocol::DataType kInt64{0, 64, 1};

Result<Value> move(Machine&, std::span<const Value> arguments) {
  if (arguments.size() != 1) return wrongCall("it takes one argument");
  return arguments[0];
}

/// bytes, device → storage
Result<Value> makeStorage(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(bytes, integerAt(machine, arguments, 0));
  BLOBSCOPE_TRY(device, integerAt(machine, arguments, 1));
  if (bytes < 0) return wrongCall("a storage of " + std::to_string(bytes) + " bytes");
  BLOBSCOPE_TRY(storage, machine.pool().allocate(static_cast<uint64_t>(bytes), device != 0));
  return Value(std::move(storage));
}

/// tensor → its extents as a tensor of int64 in the memory of the processor
Result<Value> shapeOf(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(tensor, tensorAt(arguments, 0));
  const auto rank = static_cast<int64_t>(tensor->shape().size());
  BLOBSCOPE_TRY(out, machine.pool().tensor(kInt64, std::span(&rank, 1), true));
  BLOBSCOPE_CHECK(machine.pool().write(*out, std::as_bytes(tensor->shape())));
  out->written = true;
  return Value(std::move(out));
}

/// tensor, device → the tensor there
Result<Value> copy(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(tensor, tensorAt(arguments, 0));
  BLOBSCOPE_TRY(device, integerAt(machine, arguments, 1));
  BLOBSCOPE_TRY(out, machine.pool().copiedTo(tensor, device != 0));
  return Value(std::move(out));
}

/// tag, items … → tuple
Result<Value> makeTuple(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(tag, integerAt(machine, arguments, 0));
  return tupleOf(tag, arguments.subspan(1));
}

Result<Value> tag(Machine&, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(tuple, tupleAt(arguments));
  return Value(tuple->tag);
}

/// function, captured … → closure
Result<Value> makeClosure(Machine&, std::span<const Value> arguments) {
  const auto* const function = arguments.empty() ? nullptr : std::get_if<std::shared_ptr<Closure>>(&arguments[0]);
  if (!function) return wrongCall("argument 0 is not a function of the program");
  return closureOf(**function, arguments.subspan(1));
}

/// closure, arguments … → its result
Result<Value> callClosure(Machine& machine, std::span<const Value> arguments) {
  if (!arguments.empty()) {
    if (const auto* const closure = std::get_if<std::shared_ptr<Closure>>(&arguments[0]))
      return machine.callClosure(**closure, arguments.subspan(1));
    if (const auto* const callee = std::get_if<CalleeValue>(&arguments[0]))
      return machine.call(callee->callee, arguments.subspan(1));
  }
  return wrongCall("argument 0 is not a closure");
}

/// Two numbers, or tensors of one number each → 1 or 0
Result<Value> equal(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(a, integerAt(machine, arguments, 0));
  BLOBSCOPE_TRY(b, integerAt(machine, arguments, 1));
  return Value(int64_t{a == b});
}

Result<Value> fatal(Machine&, std::span<const Value>) {
  return wrongCall("the model stops here: no case of a match applies");
}

constexpr Builtin kBuiltins[] = {
    {"move", move},
    {"storage.make", makeStorage},
    {"tensor.make", tensorInStorage},
    {"tensor.reshape", reshapedTensor},
    {"tensor.shape", shapeOf},
    {"tensor.copy", copy},
    {"tuple.make", makeTuple},
    {"tuple.get", itemOfTuple},
    {"tuple.tag", tag},
    {"closure.make", makeClosure},
    {"closure.call", callClosure},
    {"equal", equal},
    {"fatal", fatal},
};

} // namespace

Result<Value> tensorInStorage(Machine& machine, std::span<const Value> arguments) {
  const auto* const storage = arguments.empty() ? nullptr : std::get_if<StoragePtr>(&arguments[0]);
  if (!storage) return wrongCall("argument 0 is not a storage");
  BLOBSCOPE_TRY(offset, integerAt(machine, arguments, 1));
  BLOBSCOPE_TRY(shape, shapeAt(machine, arguments, 2));
  BLOBSCOPE_TRY(type, typeAt(arguments, 3));
  if (offset < 0) return wrongCall("the offset is negative");
  BLOBSCOPE_TRY(tensor, machine.pool().tensor(*storage, static_cast<uint64_t>(offset), type, *shape));
  return Value(std::move(tensor));
}

Result<Value> reshapedTensor(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(tensor, tensorAt(arguments, 0));
  BLOBSCOPE_TRY(shape, shapeAt(machine, arguments, 1));
  return reshaped(machine, *tensor, *shape);
}

Result<Value> itemOfTuple(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(tuple, tupleAt(arguments));
  BLOBSCOPE_TRY(index, integerAt(machine, arguments, 1));
  if (index < 0 || static_cast<uint64_t>(index) >= tuple->items.size())
    return wrongCall("a tuple of " + std::to_string(tuple->items.size()) + " has no item " + std::to_string(index));
  return tuple->items[static_cast<std::size_t>(index)];
}

Error wrongCall(std::string reason) { return {DiagnosticId::RunProgram, {{"reason", std::move(reason)}}}; }

std::span<const Builtin> commonBuiltins() { return kBuiltins; }

const Builtin* findBuiltin(std::string_view name) {
  for (const std::span<const Builtin> table : {commonBuiltins(), relaxBuiltins()})
    for (const Builtin& builtin : table)
      if (builtin.name == name) return &builtin;
  return nullptr;
}

Result<TensorPtr> tensorAt(std::span<const Value> arguments, std::size_t index) {
  if (index < arguments.size())
    if (const auto* const tensor = std::get_if<TensorPtr>(&arguments[index])) return *tensor;
  return wrongCall("argument " + std::to_string(index) + " is not a tensor" +
                   (index < arguments.size() ? ", but " + valueText(arguments[index]) : std::string()));
}

Result<int64_t> integerAt(Machine& machine, std::span<const Value> arguments, std::size_t index) {
  if (index >= arguments.size()) return wrongCall("argument " + std::to_string(index) + " is missing");
  return integerOf(arguments[index], machine.pool());
}

Result<std::vector<int64_t>> integersOf(const Tensor& tensor, const Pool& pool) {
  const protocol::DataType type = tensor.type;
  const bool isTruth = (type.code == 6 && type.bits == 8) || (type.code == 1 && type.bits == 1);
  const unsigned bytes = isTruth ? 1 : type.bits / 8;
  if ((type.code > 1 && !isTruth) || type.lanes != 1 || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
    return wrongCall("integers are needed, not " + tensorText(tensor));
  constexpr uint64_t kMost = uint64_t{1} << 20;
  if (tensor.bytes > kMost)
    return wrongCall("a tensor of " + sizeText(tensor.bytes) + " is too large for a list of numbers");
  std::vector<std::byte> content(tensor.bytes);
  BLOBSCOPE_CHECK(pool.read(tensor, content));
  std::vector<int64_t> out(tensor.bytes / bytes);
  for (std::size_t i = 0; i < out.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, content.data() + i * bytes, bytes);
    const unsigned unused = 64 - bytes * 8;
    out[i] = type.code == 0 ? static_cast<int64_t>(bits << unused) >> unused : static_cast<int64_t>(bits);
  }
  return out;
}

Result<ShapePtr> shapeAt(Machine& machine, std::span<const Value> arguments, std::size_t index) {
  if (index < arguments.size()) {
    if (const auto* const shape = std::get_if<ShapePtr>(&arguments[index])) return *shape;
    if (const auto* const tensor = std::get_if<TensorPtr>(&arguments[index]);
        tensor && (*tensor)->shape().size() <= 1) {
      BLOBSCOPE_TRY(numbers, integersOf(**tensor, machine.pool()));
      return std::make_shared<const std::vector<int64_t>>(std::move(numbers));
    }
  }
  return wrongCall("argument " + std::to_string(index) + " is not a shape" +
                   (index < arguments.size() ? ", but " + valueText(arguments[index]) : std::string()));
}

Result<protocol::DataType> typeAt(std::span<const Value> arguments, std::size_t index) {
  if (index < arguments.size())
    if (const auto* const type = std::get_if<protocol::DataType>(&arguments[index])) return *type;
  return wrongCall("argument " + std::to_string(index) + " is not a data type");
}

Result<Value> reshaped(Machine& machine, const Tensor& tensor, std::span<const int64_t> shape) {
  const auto bytes = protocol::dataBytes(tensor.type, shape);
  if (!bytes || *bytes != tensor.bytes)
    return wrongCall(tensorText(tensor) + " has another number of elements than the new shape");
  BLOBSCOPE_TRY(out, machine.pool().tensor(tensor.storage, tensor.offset, tensor.type, shape));
  out->written = tensor.written;
  return Value(std::move(out));
}

} // namespace blobscope::runner::machine
