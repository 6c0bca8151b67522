#pragma once

#include "app/runner/machine/machine.h"

#include <span>
#include <string_view>

namespace blobscope::runner::machine {

/// A function of the interpreter. The errors are RUN-PROGRAM with the reason; the machine adds the place.
struct Builtin {
  std::string_view name;
  Result<Value> (*run)(Machine& machine, std::span<const Value> arguments);
};

/// Null for an unknown name.
const Builtin* findBuiltin(std::string_view name);

/// The tables: those that graphs and the Relay VM use, and the vm.builtin.… of the Relax VM.
std::span<const Builtin> commonBuiltins();
std::span<const Builtin> relaxBuiltins();

// --- functions in both tables
/// storage, offset, shape, type → tensor
Result<Value> tensorInStorage(Machine& machine, std::span<const Value> arguments);
/// tensor, shape → tensor
Result<Value> reshapedTensor(Machine& machine, std::span<const Value> arguments);
/// tuple, index → item
Result<Value> itemOfTuple(Machine& machine, std::span<const Value> arguments);

// --- for the functions of these tables
Error wrongCall(std::string reason);
/// The argument as a tensor, a storage, a shape. Error: RUN-PROGRAM.
Result<TensorPtr> tensorAt(std::span<const Value> arguments, std::size_t index);
Result<int64_t> integerAt(Machine& machine, std::span<const Value> arguments, std::size_t index);
/// A shape value, or the numbers of a tensor of one axis.
Result<ShapePtr> shapeAt(Machine& machine, std::span<const Value> arguments, std::size_t index);
Result<protocol::DataType> typeAt(std::span<const Value> arguments, std::size_t index);
/// The same memory with another shape of the same number of bytes.
Result<Value> reshaped(Machine& machine, const Tensor& tensor, std::span<const int64_t> shape);
/// The numbers of a tensor of integers, in any memory.
Result<std::vector<int64_t>> integersOf(const Tensor& tensor, const Pool& pool);

} // namespace blobscope::runner::machine
