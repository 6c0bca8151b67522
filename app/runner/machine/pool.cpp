#include "app/runner/machine/pool.h"

#include "core/base/text.h"
#include "core/protocol/element_code.h"

#include <algorithm>
#include <cstring>

namespace blobscope::runner::machine {
namespace {

/// So that requests of similar sizes share memory.
constexpr uint64_t kStep = 256;

Error tooLarge(const std::string& size, const protocol::JobLimits& limits) {
  return Error(DiagnosticId::RunMemory, {{"size", size}, {"limit", sizeText(limits.memoryBytes)}});
}

/// A type without values, or whose size only the processor knows, is a mistake of the model: the lanes of scalable
/// vectors are negative numbers of 16 bits. Source: apache/tvm v0.15 include/tvm/runtime/data_type.h,
/// DataType::is_scalable_vector.
Result<Done> checkType(protocol::DataType type) {
  constexpr uint16_t kMostLanes = INT16_MAX;
  if (type.bits > 0 && type.lanes > 0 && type.lanes <= kMostLanes) return Done{};
  const std::string name = "a tensor has the type '" + protocol::typeText(type) + "', which has ";
  return Error(DiagnosticId::RunProgram,
               {{"reason", name + (type.lanes > kMostLanes ? "no fixed size" : "no values")}});
}

} // namespace

Storage::~Storage() {
  if (pool) pool->takeBack(*this);
}

void Tensor::setShape(std::span<const int64_t> shape) {
  int64_t* extents = m_extents.data();
  if (shape.size() > kExtents) {
    m_manyExtents.assign(shape.begin(), shape.end());
    extents = m_manyExtents.data();
  } else {
    std::fill(std::ranges::copy(shape, extents).out, extents + kExtents, 1);
  }
  head.shape = extents;
  head.rank = static_cast<int32_t>(shape.size());
}

uint64_t Storage::address() const {
  return host ? reinterpret_cast<uint64_t>(host->bytes().data()) : buffer ? buffer->data : 0;
}

Result<StoragePtr> Pool::allocate(uint64_t bytes, bool onHost) {
  const bool host = onHost || !m_backend;
  uint64_t capacity = 0;
  if (__builtin_add_overflow(std::max<uint64_t>(bytes, 1), kStep - 1, &capacity))
    return tooLarge("more than can be addressed", m_limits);
  capacity = capacity / kStep * kStep;
  auto out = std::make_shared<Storage>();
  out->bytes = bytes;
  out->capacity = capacity;
  if (auto kept = m_kept.find({host, capacity}); kept != m_kept.end() && !kept->second.empty()) {
    out->host = std::move(kept->second.back().host);
    out->buffer = std::move(kept->second.back().buffer);
    kept->second.pop_back();
    out->pool = this;
    return out;
  }
  uint64_t total = 0;
  if (__builtin_add_overflow(m_total, capacity, &total) ||
      (m_limits.memoryBytes != 0 && total > m_limits.memoryBytes)) {
    // What is kept for other sizes is in the way.
    for (auto& [place, list] : m_kept)
      for (Kept& one : list) {
        if (one.buffer) (void)m_backend->release(*one.buffer);
        m_total -= place.second;
      }
    m_kept.clear();
    if (__builtin_add_overflow(m_total, capacity, &total) ||
        (m_limits.memoryBytes != 0 && total > m_limits.memoryBytes))
      return tooLarge(sizeText(total), m_limits);
  }
  if (host) {
    out->host = HostMemory::allocate(capacity);
    if (!out->host) return tooLarge(sizeText(total), m_limits);
  } else {
    BLOBSCOPE_TRY(buffer, m_backend->allocate(capacity, "a tensor of the model"));
    out->buffer = std::move(buffer);
    const std::vector<std::byte> zeros(capacity);
    BLOBSCOPE_CHECK(m_backend->write(*out->buffer, zeros));
  }
  m_total = total;
  out->pool = this;
  return out;
}

void Pool::takeBack(Storage& storage) {
  m_kept[{storage.host.has_value(), storage.capacity}].push_back({std::move(storage.host), std::move(storage.buffer)});
}

Result<TensorPtr> Pool::tensor(StoragePtr storage, uint64_t offset, protocol::DataType type,
                               std::span<const int64_t> shape) const {
  BLOBSCOPE_CHECK(checkType(type));
  const auto bytes = protocol::dataBytes(type, shape);
  if (!bytes) return tooLarge("more than can be addressed", m_limits);
  uint64_t end = 0;
  if (__builtin_add_overflow(offset, *bytes, &end) || end > storage->capacity)
    return Error(DiagnosticId::RunProgram,
                 {{"reason", "a tensor of " + sizeText(*bytes) + " at offset " + std::to_string(offset) +
                                 " does not fit in a storage of " + sizeText(storage->bytes)}});
  auto out = std::make_shared<Tensor>();
  out->offset = offset;
  out->bytes = *bytes;
  out->type = type;
  out->setShape(shape);
  DlTensor& head = out->head;
  head.data = reinterpret_cast<void*>(storage->address() + offset);
  head.deviceType = storage->onHost() ? 1 : deviceType();
  head.typeCode = type.code;
  head.typeBits = type.bits;
  head.typeLanes = type.lanes;
  out->storage = std::move(storage);
  return out;
}

Result<TensorPtr> Pool::tensor(protocol::DataType type, std::span<const int64_t> shape, bool onHost) {
  BLOBSCOPE_CHECK(checkType(type));
  const auto bytes = protocol::dataBytes(type, shape);
  if (!bytes) return tooLarge("more than can be addressed", m_limits);
  BLOBSCOPE_TRY(storage, allocate(*bytes, onHost));
  return tensor(std::move(storage), 0, type, shape);
}

Result<Done> Pool::writeAt(const Tensor& tensor, uint64_t from, std::span<const std::byte> bytes) const {
  if (bytes.empty()) return Done{};
  if (from > tensor.bytes || bytes.size() > tensor.bytes - from)
    return Error(DiagnosticId::RunProgram, {{"reason", "bytes are written outside of a tensor"}});
  if (tensor.onHost()) {
    std::memcpy(tensor.span().data() + from, bytes.data(), bytes.size());
    return Done{};
  }
  const Buffer& part = *tensor.storage->buffer;
  if (tensor.offset + from == 0) return m_backend->write(part, bytes);
  // Back ends write from the start of a buffer.
  std::vector<std::byte> whole(part.bytes);
  BLOBSCOPE_CHECK(m_backend->read(part, whole));
  std::memcpy(whole.data() + tensor.offset + from, bytes.data(), bytes.size());
  return m_backend->write(part, whole);
}

Result<Done> Pool::write(const Tensor& tensor, std::span<const std::byte> bytes) const {
  return writeAt(tensor, 0, bytes);
}

Result<Done> Pool::read(const Tensor& tensor, std::span<std::byte> bytes) const {
  if (bytes.empty()) return Done{};
  if (tensor.onHost()) {
    std::memcpy(bytes.data(), tensor.span().data(), bytes.size());
    return Done{};
  }
  const Buffer& buffer = *tensor.storage->buffer;
  BLOBSCOPE_CHECK(m_backend->synchronise());
  if (tensor.offset == 0) return m_backend->read(buffer, bytes);
  std::vector<std::byte> whole(buffer.bytes);
  BLOBSCOPE_CHECK(m_backend->read(buffer, whole));
  std::memcpy(bytes.data(), whole.data() + tensor.offset, bytes.size());
  return Done{};
}

Result<TensorPtr> Pool::copiedTo(const TensorPtr& tensor, bool onHost) {
  if (tensor->onHost() == (onHost || !m_backend)) return tensor;
  BLOBSCOPE_TRY(out, this->tensor(tensor->type, tensor->shape(), onHost));
  std::vector<std::byte> bytes(tensor->bytes);
  BLOBSCOPE_CHECK(read(*tensor, bytes));
  BLOBSCOPE_CHECK(write(*out, bytes));
  out->written = true;
  return out;
}

} // namespace blobscope::runner::machine
