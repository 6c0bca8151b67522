#include "core/payloads/tensor/tensor_table.h"

#include "core/base/text.h"

namespace blobscope::payloads {

TensorTable::TensorTable(std::vector<NamedTensor> tensors, PartKind kind, std::string extra,
                         std::vector<std::string> extraCells)
    : m_tensors(std::move(tensors)), m_kind(kind), m_extra(std::move(extra)), m_extraCells(std::move(extraCells)) {}

std::vector<view::Column> TensorTable::columns() const {
  std::vector<view::Column> columns = {{"name"}, {"shape"}, {"type"}, {"bytes", true, true}};
  if (!m_extra.empty()) columns.push_back({m_extra});
  return columns;
}

std::string TensorTable::cell(uint64_t row, std::size_t column) const {
  const NamedTensor& named = m_tensors[row];
  switch (column) {
  case 0: return escaped(named.name.view());
  case 1: return named.tensor.shapeText();
  case 2: return named.tensor.typeText();
  case 3: return std::to_string(named.tensor.data.size());
  default: return m_extraCells[row];
  }
}

std::optional<Ref> TensorTable::target(uint64_t row, const Ref& node) const {
  if (node.kind != Ref::Kind::File) return node.part(m_kind, m_tensors[row].name.view());
  Ref ref = Ref::named(Ref::Kind::Param, m_tensors[row].name.view()); // of a params file
  ref.members = node.members;
  return ref;
}

} // namespace blobscope::payloads
