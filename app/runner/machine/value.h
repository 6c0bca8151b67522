#pragma once

#include "app/runner/backends/backend.h"
#include "app/runner/host_abi.h"
#include "app/runner/memory.h"
#include "core/base/result.h"
#include "core/protocol/protocol.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// Values in the registers of the interpreter.
namespace blobscope::runner::machine {

class Pool;

/// Memory for tensors; returned to its pool when nothing refers to it.
struct Storage {
  Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage();

  Pool* pool = nullptr;
  uint64_t bytes = 0;    ///< requested
  uint64_t capacity = 0; ///< there
  std::optional<HostMemory> host;
  std::optional<Buffer> buffer; ///< on the device
  bool onHost() const { return host.has_value(); }
  uint64_t address() const;
};
using StoragePtr = std::shared_ptr<Storage>;

struct Tensor {
  Tensor() = default;
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  StoragePtr storage;
  uint64_t offset = 0; ///< of the first byte in the storage
  uint64_t bytes = 0;
  protocol::DataType type;
  bool written = false; ///< something was written to it
  DlTensor head;        ///< what host code gets; setShape() sets its shape and rank

  std::span<const int64_t> shape() const {
    return {head.shape, static_cast<std::size_t>(head.rank)};
  } ///< outermost first
  void setShape(std::span<const int64_t> shape);
  bool onHost() const { return storage->onHost(); }
  /// Its bytes; only in the memory of the processor.
  std::span<std::byte> span() const { return storage->host->bytes().subspan(offset, bytes); }

private:
  /// Host code reads this number of extents whatever the rank is (core/formats/host-abi.md 2.5).
  static constexpr std::size_t kExtents = 16;
  std::array<int64_t, kExtents> m_extents; ///< with ones after the rank
  std::vector<int64_t> m_manyExtents;      ///< instead, for more
};
using TensorPtr = std::shared_ptr<Tensor>;

struct Tuple;
struct Closure;
struct Cache;
using ShapePtr = std::shared_ptr<const std::vector<int64_t>>;
using TextPtr = std::shared_ptr<const std::string>;
struct None {};
/// A callee of the program as a value.
struct CalleeValue {
  uint32_t callee = 0;
};
using Value = std::variant<None, int64_t, double, protocol::DataType, TensorPtr, StoragePtr, ShapePtr, TextPtr,
                           std::shared_ptr<Tuple>, std::shared_ptr<Closure>, std::shared_ptr<Cache>, CalleeValue>;

struct Tuple {
  int64_t tag = 0; ///< of an algebraic data type of Relay; 0 for tuples
  std::vector<Value> items;
  uint32_t nesting = 1; ///< tuples and closures inside each other, with this one
};
struct Closure {
  uint32_t function = 0;
  std::vector<Value> captured;
  uint32_t nesting = 1;
};
/// A list of rows that grows: vm.builtin.attention_kv_cache_….
struct Cache {
  TensorPtr data;
  int64_t filled = 0; ///< rows
};

/// A tuple or closure with these items. They are destroyed one inside the other, so RUN-PROGRAM when too many are
/// nested.
Result<Value> tupleOf(int64_t tag, std::span<const Value> items);
Result<Value> closureOf(const Closure& function, std::span<const Value> captured);

/// "Tensor([1, 3], float32)", "shape [1, 3]", "7": for messages.
std::string valueText(const Value& value);
std::string tensorText(const Tensor& tensor);
std::string shapeText(std::span<const int64_t> shape);

} // namespace blobscope::runner::machine
