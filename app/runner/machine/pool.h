#pragma once

#include "app/runner/machine/value.h"
#include "core/base/result.h"

#include <map>
#include <span>
#include <vector>

namespace blobscope::runner::machine {

/// Allocates storages and keeps what is no longer used for later requests of the same size, as TVM's allocators do.
class Pool {
public:
  Pool(const protocol::JobLimits& limits, Backend* backend) : m_limits(limits), m_backend(backend) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Memory of the processor or, if there is a device and `onHost` is false, of the device. New memory is zeroed.
  /// Errors: RUN-MEMORY, those of the back end.
  Result<StoragePtr> allocate(uint64_t bytes, bool onHost);
  /// A tensor at an offset in a storage. Errors: RUN-PROGRAM when it does not fit, RUN-MEMORY for a shape that is too
  /// large.
  Result<TensorPtr> tensor(StoragePtr storage, uint64_t offset, protocol::DataType type,
                           std::span<const int64_t> shape) const;
  /// A tensor with a storage of its own.
  Result<TensorPtr> tensor(protocol::DataType type, std::span<const int64_t> shape, bool onHost);
  /// Writes to and reads from a tensor, wherever it is; the size is that of the tensor.
  Result<Done> write(const Tensor& tensor, std::span<const std::byte> bytes) const;
  Result<Done> read(const Tensor& tensor, std::span<std::byte> bytes) const;
  /// Bytes of a tensor, from its offset `from`.
  Result<Done> writeAt(const Tensor& tensor, uint64_t from, std::span<const std::byte> bytes) const;
  /// A copy in the memory of the processor or of the device; the tensor itself when it is there already.
  Result<TensorPtr> copiedTo(const TensorPtr& tensor, bool onHost);

  Backend* backend() const { return m_backend; }
  /// DLPack's device type of tensors that are not in the memory of the processor.
  int deviceType() const { return m_backend ? m_backend->deviceType() : 1; }

private:
  friend struct Storage;
  void takeBack(Storage& storage);
  struct Kept {
    std::optional<HostMemory> host;
    std::optional<Buffer> buffer;
  };

  const protocol::JobLimits& m_limits;
  Backend* m_backend;
  uint64_t m_total = 0;                                          ///< of all memory, kept or in use
  std::map<std::pair<bool, uint64_t>, std::vector<Kept>> m_kept; ///< by place and capacity
};

} // namespace blobscope::runner::machine
