#pragma once

#include "core/payloads/tensor/tensor.h"
#include "core/view/page.h"

#include <string>
#include <vector>

namespace blobscope::payloads {

struct NamedTensor {
  Bytes name;
  Tensor tensor;
};

/// A table of tensors: name, shape, type, bytes; each row is made on request. A row refers to the part `kind:NAME` of
/// the node to which the table's page belongs.
class TensorTable final : public view::TableSource {
public:
  /// `kind`: a literal. `extra`: title of an additional column, whose cells are `extraCells`, one per tensor; no column
  /// when empty.
  TensorTable(std::vector<NamedTensor> tensors, PartKind kind, std::string extra = {},
              std::vector<std::string> extraCells = {});

  std::vector<view::Column> columns() const override;
  uint64_t rowCount() const override { return m_tensors.size(); }
  std::string cell(uint64_t row, std::size_t column) const override;
  std::optional<Ref> target(uint64_t row, const Ref& node) const override;

private:
  std::vector<NamedTensor> m_tensors;
  PartKind m_kind;
  std::string m_extra;
  std::vector<std::string> m_extraCells;
};

} // namespace blobscope::payloads
