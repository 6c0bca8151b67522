#pragma once

#include "core/base/result.h"
#include "core/edit/tensor_draft.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::edit {

/// New bytes of a file, at a place in it.
struct BytesRun {
  uint64_t offset = 0; ///< from the first byte of the file
  Bytes bytes;
};

/// Collects new values of the tensors of a parameter file. The size of the file stays.
class ParamsDraft {
public:
  explicit ParamsDraft(Bytes file) : m_file(std::move(file)) {}

  // The refs name a tensor: Ref::Kind::Param. Errors: REF-NOT-FOUND, those of TensorDraft and of reading the file.
  Result<Done> replace(const Ref& ref, Bytes content);
  Result<Done> setValue(const Ref& ref, std::span<const uint64_t> index, std::string_view value);

  /// Returns the changes, in the order of the file.
  Result<std::vector<BytesRun>> finish() const;

private:
  struct EditedTensor {
    uint64_t offset; ///< of its data in the file
    TensorDraft values;
  };
  Result<TensorDraft*> find(const Ref& ref);

  Bytes m_file;
  std::map<std::string, EditedTensor> m_tensors; ///< by name
};

/// Returns the bytes with the changes, which are in order and inside of them.
Bytes withRuns(const Bytes& file, std::span<const BytesRun> runs);

} // namespace blobscope::edit
