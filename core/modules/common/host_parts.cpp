#include "core/modules/common/host_parts.h"

#include "core/base/text.h"
#include "core/payloads/tensor/tensor_pages.h"

#include <algorithm>

namespace blobscope::modules {
namespace {

/// A table of names; a row refers to a part when `kind` is given.
class NameTable final : public view::TableSource {
public:
  NameTable(std::optional<PartKind> kind, std::vector<Bytes> names) : m_kind(kind), m_names(std::move(names)) {}
  std::vector<view::Column> columns() const override { return {{"name"}}; }
  uint64_t rowCount() const override { return m_names.size(); }
  std::string cell(uint64_t row, std::size_t) const override { return escaped(m_names[row].view()); }
  std::optional<Ref> target(uint64_t row, const Ref& node) const override {
    return m_kind ? std::optional(node.part(*m_kind, m_names[row].view())) : std::nullopt;
  }

private:
  std::optional<PartKind> m_kind;
  std::vector<Bytes> m_names;
};

} // namespace

std::vector<payloads::NamedTensor> namedTensors(const std::vector<Bytes>& names,
                                                const std::vector<payloads::Tensor>& tensors) {
  std::vector<payloads::NamedTensor> out;
  const std::size_t count = std::min(names.size(), tensors.size());
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) out.push_back({names[i], tensors[i]});
  return out;
}

PartGroup tensorParts(const Body& body, const std::vector<Bytes>& names, const std::vector<payloads::Tensor>& tensors,
                      std::string_view title) {
  const FieldTree tree = describeBody(body, {});
  const auto list = tree.find("tensors");
  uint32_t row = list ? *list + 1 : 0;
  PartGroup group{PartKind::Param, title, title, {}};
  for (std::size_t i = 0; i < names.size() && i < tensors.size(); ++i) {
    const bool known = list && row < tree.rows[*list].after;
    group.parts.push_back({std::string(names[i].view()), tensors[i].typeText() + " " + tensors[i].shapeText(),
                           tensors[i].data.size(), known ? std::optional(row) : std::nullopt});
    if (known) row = tree.rows[row].after;
  }
  return group;
}

PartContent tensorContent(const payloads::Tensor& tensor) {
  PartContent content;
  content.bytes = tensor.data;
  content.tensor = std::make_shared<const payloads::Tensor>(tensor);
  payloads::addTensorPages(tensor, content.pages);
  return content;
}

PartGroup functionParts(const Body& body, const std::vector<Bytes>& names, std::string_view listPath,
                        std::string_view page) {
  const FieldTree tree = describeBody(body, {});
  const auto list = tree.find(listPath);
  const bool isList = list && tree.rows[*list].type == FieldType::List;
  uint32_t row = list ? *list + isList : 0;
  PartGroup group{PartKind::Function, "Functions", page, {}};
  for (const Bytes& name : names) {
    const bool known = list && row < tree.rows[*list].after;
    group.parts.push_back({std::string(name.view()), {}, std::nullopt, known ? std::optional(row) : std::nullopt});
    if (known) row = tree.rows[row].after;
  }
  return group;
}

void addNamesPage(view::PageList& list, std::string name, std::optional<PartKind> partKind,
                  const std::vector<Bytes>& names) {
  list.push_back({std::move(name), view::TablePage{std::make_shared<NameTable>(partKind, names)}});
}

void addTextPage(view::PageList& list, std::string name, const Bytes& text, std::string_view language) {
  if (!text.empty()) list.push_back({std::move(name), view::TextPage{text, std::string(language)}});
}

} // namespace blobscope::modules
