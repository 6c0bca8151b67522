#include "app/runner/machine/builtins.h"

#include "core/base/text.h"

#include <algorithm>
#include <functional>
#include <utility>

/// The functions vm.builtin.… of the Relax VM, written from their description. Source: core/formats/vm-executables.md
/// 4; apache/tvm src/runtime/relax_vm/builtin.cc v0.16 – v0.20, src/runtime/vm/builtin.cc v0.21 – v0.26. The machine
/// itself, which some of them get as their first argument, is None here.
namespace blobscope::runner::machine {
namespace {

constexpr protocol::DataType kInt64{0, 64, 1};

/// The text that TVM adds to the message of a failed check.
std::string contextAt(std::span<const Value> arguments, std::size_t index) {
  if (index >= arguments.size()) return {};
  const auto* const text = std::get_if<TextPtr>(&arguments[index]);
  return text && *text ? " (" + escapedWithin(**text, 400) + ")" : std::string();
}

/// machine, number of entries → heap: a tensor of int64
Result<Value> allocateHeap(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(size, integerAt(machine, arguments, 1));
  BLOBSCOPE_TRY(heap, machine.pool().tensor(kInt64, std::span(&size, 1), true));
  heap->written = true;
  return Value(std::move(heap));
}

/// The numbers of a heap; no tensor when there is none.
Result<std::span<int64_t>> heapAt(std::span<const Value> arguments, std::size_t index) {
  if (index < arguments.size() && std::holds_alternative<None>(arguments[index])) return std::span<int64_t>();
  BLOBSCOPE_TRY(heap, tensorAt(arguments, index));
  if (!heap->onHost() || heap->type != kInt64)
    return wrongCall("argument " + std::to_string(index) + " is not a shape heap");
  return std::span<int64_t>(reinterpret_cast<int64_t*>(heap->span().data()), heap->bytes / sizeof(int64_t));
}

/// Compares an extent, or stores it in the heap. Source: apache/tvm v0.16.0 – v0.27.0
/// include/tvm/runtime/vm/builtin.h (before v0.21 relax_vm/builtin.h), enum class MatchShapeCode.
Result<Done> matchOne(int64_t value, int64_t code, int64_t number, std::span<int64_t> heap,
                      const std::function<std::string()>& what, std::span<const Value> context) {
  enum : int64_t { kEqualsNumber, kStore, kNothing, kEqualsStored };
  if (code == kNothing) return Done{};
  if (code == kEqualsNumber) {
    if (value == number) return Done{};
    return wrongCall(what() + " is " + std::to_string(value) + ", and should be " + std::to_string(number) +
                     contextAt(context, 0));
  }
  if ((code != kStore && code != kEqualsStored) || number < 0 || static_cast<uint64_t>(number) >= heap.size())
    return wrongCall("code " + std::to_string(code) + " with entry " + std::to_string(number) +
                     " of the shape heap is unknown");
  int64_t& stored = heap[static_cast<std::size_t>(number)];
  if (code == kStore)
    stored = value;
  else if (stored != value)
    return wrongCall(what() + " is " + std::to_string(value) + ", and should be " + std::to_string(stored) +
                     contextAt(context, 0));
  return Done{};
}

/// value, heap, rank, (code, number) per extent, context
Result<Value> matchShape(Machine& machine, std::span<const Value> arguments) {
  std::span<const int64_t> shape;
  ShapePtr given;
  if (!arguments.empty() && std::holds_alternative<TensorPtr>(arguments[0])) {
    shape = std::get<TensorPtr>(arguments[0])->shape();
  } else {
    BLOBSCOPE_TRY(numbers, shapeAt(machine, arguments, 0));
    given = std::move(numbers);
    shape = *given;
  }
  BLOBSCOPE_TRY(heap, heapAt(arguments, 1));
  BLOBSCOPE_TRY(rank, integerAt(machine, arguments, 2));
  if (rank < 0 || arguments.size() < 3 + 2 * static_cast<std::size_t>(rank)) return wrongCall("arguments are missing");
  const std::span<const Value> context = arguments.subspan(3 + 2 * static_cast<std::size_t>(rank));
  if (shape.size() != static_cast<std::size_t>(rank))
    return wrongCall("it has " + std::to_string(shape.size()) + " axes, and should have " + std::to_string(rank) +
                     contextAt(context, 0));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    BLOBSCOPE_TRY(code, integerAt(machine, arguments, 3 + 2 * i));
    BLOBSCOPE_TRY(number, integerAt(machine, arguments, 4 + 2 * i));
    BLOBSCOPE_CHECK(matchOne(shape[i], code, number, heap, [i] { return "extent " + std::to_string(i); }, context));
  }
  return Value(None{});
}

/// value, heap, code, number, context
Result<Value> matchNumber(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(value, integerAt(machine, arguments, 0));
  BLOBSCOPE_TRY(heap, heapAt(arguments, 1));
  BLOBSCOPE_TRY(code, integerAt(machine, arguments, 2));
  BLOBSCOPE_TRY(number, integerAt(machine, arguments, 3));
  BLOBSCOPE_CHECK(matchOne(value, code, number, heap, [] { return std::string("the number"); }, arguments.subspan(4)));
  return Value(None{});
}

/// Of an extent of a new shape: the number itself, or an entry of the heap.
Result<int64_t> extentOf(int64_t code, int64_t number, std::span<const int64_t> heap) {
  enum : int64_t { kNumber, kStored };
  if (code == kNumber) return number;
  if (code == kStored && number >= 0 && static_cast<uint64_t>(number) < heap.size())
    return heap[static_cast<std::size_t>(number)];
  return wrongCall("code " + std::to_string(code) + " with entry " + std::to_string(number) +
                   " of the shape heap is unknown");
}

/// heap, rank, (code, number) per extent → shape
Result<Value> makeShape(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(heap, heapAt(arguments, 0));
  BLOBSCOPE_TRY(rank, integerAt(machine, arguments, 1));
  if (rank < 0 || arguments.size() < 2 + 2 * static_cast<std::size_t>(rank)) return wrongCall("arguments are missing");
  std::vector<int64_t> shape;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
    BLOBSCOPE_TRY(code, integerAt(machine, arguments, 2 + 2 * i));
    BLOBSCOPE_TRY(number, integerAt(machine, arguments, 3 + 2 * i));
    BLOBSCOPE_TRY(extent, extentOf(code, number, heap));
    shape.push_back(extent);
  }
  return Value(std::make_shared<const std::vector<int64_t>>(std::move(shape)));
}

/// heap, code, number → number
Result<Value> makeNumber(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(heap, heapAt(arguments, 0));
  BLOBSCOPE_TRY(code, integerAt(machine, arguments, 1));
  BLOBSCOPE_TRY(number, integerAt(machine, arguments, 2));
  BLOBSCOPE_TRY(value, extentOf(code, number, heap));
  return Value(value);
}

/// value, rank or -1, type or none, context
Result<Value> checkTensor(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(tensor, tensorAt(arguments, 0));
  BLOBSCOPE_TRY(rank, integerAt(machine, arguments, 1));
  const auto context = [&] { return contextAt(arguments, arguments.size() - 1); };
  if (rank != -1 && static_cast<int64_t>(tensor->shape().size()) != rank)
    return wrongCall(valueText(tensor) + " should have " + std::to_string(rank) + " axes" + context());
  const auto* const type = arguments.size() > 3 ? std::get_if<protocol::DataType>(&arguments[2]) : nullptr;
  // bool is an 8-bit type in some releases and a 1-bit integer in others.
  const auto isTruth = [](protocol::DataType one) { return one.code == 6 || (one.code == 1 && one.bits == 1); };
  if (type && type->bits > 0 && *type != tensor->type && !(isTruth(*type) && isTruth(tensor->type)))
    return wrongCall(valueText(tensor) + " should be of type " + typeText(*type) + context());
  return Value(None{});
}

/// value, rank or -1, context
Result<Value> checkShape(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(shape, shapeAt(machine, arguments, 0));
  BLOBSCOPE_TRY(rank, integerAt(machine, arguments, 1));
  if (rank != -1 && static_cast<int64_t>(shape->size()) != rank)
    return wrongCall(shapeText(*shape) + " should have " + std::to_string(rank) + " extents" + contextAt(arguments, 2));
  return Value(None{});
}

/// value, type, context
Result<Value> checkNumber(Machine&, std::span<const Value> arguments) {
  if (!arguments.empty() &&
      (std::holds_alternative<int64_t>(arguments[0]) || std::holds_alternative<double>(arguments[0])))
    return Value(None{});
  return wrongCall("a number is needed" + contextAt(arguments, 2));
}

/// value, size, context
Result<Value> checkTuple(Machine& machine, std::span<const Value> arguments) {
  const auto* const tuple = arguments.empty() ? nullptr : std::get_if<std::shared_ptr<Tuple>>(&arguments[0]);
  BLOBSCOPE_TRY(size, integerAt(machine, arguments, 1));
  if (!tuple || static_cast<int64_t>((*tuple)->items.size()) != size)
    return wrongCall("a tuple of " + std::to_string(size) + " is needed" + contextAt(arguments, 2));
  return Value(None{});
}

Result<Value> checkFunction(Machine&, std::span<const Value> arguments) {
  if (!arguments.empty() && (std::holds_alternative<std::shared_ptr<Closure>>(arguments[0]) ||
                             std::holds_alternative<CalleeValue>(arguments[0])))
    return Value(None{});
  return wrongCall("a function is needed" + contextAt(arguments, 1));
}

/// machine, shape, device, type, scope → storage. Device 0 is the device of the model, others are the processor.
Result<Value> allocateStorage(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(shape, shapeAt(machine, arguments, 1));
  BLOBSCOPE_TRY(device, integerAt(machine, arguments, 2));
  BLOBSCOPE_TRY(type, typeAt(arguments, 3));
  if (arguments.size() > 4)
    if (const auto* const scope = std::get_if<TextPtr>(&arguments[4]);
        scope && *scope && !(*scope)->empty() && **scope != "global")
      return wrongCall("memory of the scope '" + escapedWithin(**scope, 60) + "' is not supported");
  const auto bytes = protocol::dataBytes(type, *shape);
  if (!bytes) return wrongCall("its size is too large");
  BLOBSCOPE_TRY(storage, machine.pool().allocate(*bytes, device != 0));
  return Value(std::move(storage));
}

Result<Value> nothing(Machine&, std::span<const Value>) { return Value(None{}); }

Result<Value> same(Machine&, std::span<const Value> arguments) {
  if (arguments.empty()) return wrongCall("it takes an argument");
  return arguments[0];
}

Result<Value> shapeOf(Machine&, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(tensor, tensorAt(arguments, 0));
  return Value(std::make_shared<const std::vector<int64_t>>(tensor->shape().begin(), tensor->shape().end()));
}

Result<Value> tensorToShape(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(shape, shapeAt(machine, arguments, 0));
  return Value(std::move(shape));
}

Result<Value> makeTuple(Machine&, std::span<const Value> arguments) { return tupleOf(0, arguments); }

/// Takes an item out of a tuple, so that its memory can be used again.
Result<Value> resetItem(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_CHECK(itemOfTuple(machine, arguments)); // it exists
  BLOBSCOPE_TRY(index, integerAt(machine, arguments, 1));
  std::get<std::shared_ptr<Tuple>>(arguments[0])->items[static_cast<std::size_t>(index)] = None{};
  return Value(None{});
}

/// tensor, device type, device number → the tensor there
Result<Value> toDevice(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(tensor, tensorAt(arguments, 0));
  BLOBSCOPE_TRY(type, integerAt(machine, arguments, 1));
  BLOBSCOPE_TRY(out,
                machine.pool().copiedTo(tensor, isHostMemory(static_cast<int>(std::clamp<int64_t>(type, 0, 1000)))));
  return Value(std::move(out));
}

/// function, tensors …, shape: its extents are passed as integers, which host calls do.
Result<Value> callDynamic(Machine& machine, std::span<const Value> arguments) {
  const auto* const callee = arguments.empty() ? nullptr : std::get_if<CalleeValue>(&arguments[0]);
  if (!callee) return wrongCall("argument 0 is not a function of the library");
  return machine.call(callee->callee, arguments.subspan(1));
}

Result<Value> call(Machine& machine, const Value& function, std::span<const Value> arguments) {
  if (const auto* const closure = std::get_if<std::shared_ptr<Closure>>(&function))
    return machine.callClosure(**closure, arguments);
  if (const auto* const callee = std::get_if<CalleeValue>(&function)) return machine.call(callee->callee, arguments);
  return wrongCall("a function is needed, not " + valueText(function));
}

/// machine, closure, arguments …
Result<Value> invokeClosure(Machine& machine, std::span<const Value> arguments) {
  if (arguments.size() < 2) return wrongCall("arguments are missing");
  return call(machine, arguments[1], arguments.subspan(2));
}

/// machine, function, captured …
Result<Value> makeClosure(Machine&, std::span<const Value> arguments) {
  const auto* const function = arguments.size() < 2 ? nullptr : std::get_if<std::shared_ptr<Closure>>(&arguments[1]);
  if (!function) return wrongCall("a function of the virtual machine is needed");
  return closureOf(**function, arguments.subspan(2));
}

Result<Value> readCondition(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(value, integerAt(machine, arguments, 0));
  return Value(int64_t{value != 0});
}

// --- lists of rows that grow, for attention

Result<std::shared_ptr<Cache>> cacheAt(std::span<const Value> arguments) {
  const auto* const cache = arguments.empty() ? nullptr : std::get_if<std::shared_ptr<Cache>>(&arguments[0]);
  if (!cache) return wrongCall("argument 0 is not a cache");
  return *cache;
}

uint64_t rowBytes(const Tensor& tensor) {
  return tensor.shape().empty() || tensor.shape()[0] == 0 ? 0 : tensor.bytes / static_cast<uint64_t>(tensor.shape()[0]);
}

/// Copies whole rows to the row `at` of the cache.
Result<Done> store(Machine& machine, Cache& cache, const Tensor& rows, int64_t at) {
  std::vector<std::byte> bytes(rows.bytes);
  BLOBSCOPE_CHECK(machine.pool().read(rows, bytes));
  return machine.pool().writeAt(*cache.data, static_cast<uint64_t>(at) * rowBytes(*cache.data), bytes);
}

bool sameRows(const Tensor& a, const Tensor& b) {
  return a.type == b.type && !a.shape().empty() && a.shape().size() == b.shape().size() &&
         std::ranges::equal(a.shape().subspan(1), b.shape().subspan(1));
}

/// rows, shape, number of rows to fill → cache
Result<Value> makeCache(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(initial, tensorAt(arguments, 0));
  BLOBSCOPE_TRY(shape, shapeAt(machine, arguments, 1));
  BLOBSCOPE_TRY(filled, integerAt(machine, arguments, 2));
  auto cache = std::make_shared<Cache>();
  BLOBSCOPE_TRY(data, machine.pool().tensor(initial->type, *shape, initial->onHost()));
  cache->data = std::move(data);
  cache->data->written = true;
  if (filled < 0 || cache->data->shape().empty() || filled > cache->data->shape()[0]) return wrongCall("too many rows");
  if (filled > 0) {
    if (!sameRows(*initial, *cache->data)) return wrongCall("the rows have another shape");
    BLOBSCOPE_CHECK(store(machine, *cache, *initial, 0));
  }
  cache->filled = filled;
  return Value(std::move(cache));
}

/// cache, rows → cache
Result<Value> appendRows(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(cache, cacheAt(arguments));
  BLOBSCOPE_TRY(rows, tensorAt(arguments, 1));
  if (!sameRows(*rows, *cache->data)) return wrongCall("the rows have another shape");
  int64_t needed = 0;
  if (__builtin_add_overflow(cache->filled, rows->shape()[0], &needed)) return wrongCall("too many rows");
  if (needed > cache->data->shape()[0]) {
    std::vector<int64_t> shape(cache->data->shape().begin(), cache->data->shape().end());
    while (shape[0] < needed)
      if (__builtin_mul_overflow(std::max<int64_t>(shape[0], 1), int64_t{2}, &shape[0]))
        return wrongCall("too many rows");
    BLOBSCOPE_TRY(larger, machine.pool().tensor(cache->data->type, shape, cache->data->onHost()));
    std::vector<std::byte> bytes(cache->data->bytes);
    BLOBSCOPE_CHECK(machine.pool().read(*cache->data, bytes));
    BLOBSCOPE_CHECK(machine.pool().write(*larger, bytes));
    larger->written = true;
    cache->data = std::move(larger);
  }
  BLOBSCOPE_CHECK(store(machine, *cache, *rows, cache->filled));
  cache->filled = needed;
  return Value(std::move(cache));
}

/// cache, rows that replace the first ones → cache
Result<Value> updateRows(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(cache, cacheAt(arguments));
  BLOBSCOPE_TRY(rows, tensorAt(arguments, 1));
  if (!sameRows(*rows, *cache->data) || rows->shape()[0] > cache->data->shape()[0])
    return wrongCall("the rows have another shape");
  BLOBSCOPE_CHECK(store(machine, *cache, *rows, 0));
  cache->filled = rows->shape()[0];
  return Value(std::move(cache));
}

/// cache, shape → a tensor with the memory of its first rows
Result<Value> viewRows(Machine& machine, std::span<const Value> arguments) {
  BLOBSCOPE_TRY(cache, cacheAt(arguments));
  BLOBSCOPE_TRY(shape, shapeAt(machine, arguments, 1));
  if (shape->empty() || shape->front() != cache->filled)
    return wrongCall("the cache has " + std::to_string(cache->filled) + " rows, and the view is " + shapeText(*shape));
  BLOBSCOPE_TRY(tensor, machine.pool().tensor(cache->data->storage, 0, cache->data->type, *shape));
  tensor->written = true;
  return Value(std::move(tensor));
}

constexpr Builtin kBuiltins[] = {
    {"vm.builtin.alloc_shape_heap", allocateHeap},
    {"vm.builtin.match_shape", matchShape},
    {"vm.builtin.match_prim_value", matchNumber},
    {"vm.builtin.make_shape", makeShape},
    {"vm.builtin.make_prim_value", makeNumber},
    {"vm.builtin.check_tensor_info", checkTensor},
    {"vm.builtin.check_shape_info", checkShape},
    {"vm.builtin.check_prim_value_info", checkNumber},
    {"vm.builtin.check_tuple_info", checkTuple},
    {"vm.builtin.check_func_info", checkFunction},
    {"vm.builtin.alloc_storage", allocateStorage},
    {"vm.builtin.alloc_tensor", tensorInStorage},
    {"vm.builtin.null_value", nothing},
    {"vm.builtin.copy", same},
    {"vm.builtin.ensure_zero_offset", same},
    {"vm.builtin.reshape", reshapedTensor},
    {"vm.builtin.shape_of", shapeOf},
    {"vm.builtin.tensor_to_shape", tensorToShape},
    {"vm.builtin.make_tuple", makeTuple},
    {"vm.builtin.tuple_getitem", itemOfTuple},
    {"vm.builtin.tuple_reset_item", resetItem},
    {"vm.builtin.to_device", toDevice},
    {"vm.builtin.call_tir_dyn", callDynamic},
    {"vm.builtin.invoke_closure", invokeClosure},
    {"vm.builtin.make_closure", makeClosure},
    {"vm.builtin.invoke_debug_func", nothing},
    {"vm.builtin.read_if_cond", readCondition},
    {"vm.builtin.attention_kv_cache_create", makeCache},
    {"vm.builtin.attention_kv_cache_append", appendRows},
    {"vm.builtin.attention_kv_cache_update", updateRows},
    {"vm.builtin.attention_kv_cache_view", viewRows},
};

} // namespace

std::span<const Builtin> relaxBuiltins() { return kBuiltins; }

} // namespace blobscope::runner::machine
