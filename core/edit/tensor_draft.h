#pragma once

#include "core/base/bytes.h"
#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/payloads/tensor/tensor.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace blobscope::edit {

/// Collects new values of one tensor. Its shape and type stay, and so does its size.
class TensorDraft {
public:
  explicit TensorDraft(std::shared_ptr<const payloads::Tensor> tensor) : m_tensor(std::move(tensor)) {}

  /// Replaces all values by raw bytes or a .npy file, whose shape and type must fit: REP-TENSOR. `ref` names the tensor
  /// in messages.
  Result<Done> replace(const Ref& ref, Bytes content);
  /// Sets one value. REP-TARGET for an index outside the shape, REP-VALUE for a value that the type does not have.
  Result<Done> setValue(const Ref& ref, std::span<const uint64_t> index, std::string_view value);

  /// Calls `visit` for each run of new bytes, ascending; `offset` counts from the first byte of the tensor. The first
  /// error ends it.
  Result<Done> forEachRun(const std::function<Result<Done>(uint64_t offset, Bytes bytes)>& visit) const;

private:
  std::shared_ptr<const payloads::Tensor> m_tensor;
  std::optional<Bytes> m_replaced;
  std::map<uint64_t, std::byte> m_changed; ///< by the offset in the data, after m_replaced
};

} // namespace blobscope::edit
