#include "core/modules/unknown/unknown.h"

#include "core/modules/module_fields.h"
#include "core/payloads/sniff.h"

namespace blobscope::modules {
namespace {

class UnknownBody final : public Body {
public:
  explicit UnknownBody(Bytes bytes) : m_bytes(std::move(bytes)) {}
  std::string_view layout() const override { return "opaque"; }
  bool decoded() const override { return false; }
  void encode(Writer& writer) const override { writer.raw(m_bytes); }
  void describe(FieldTreeBuilder& builder) const override {
    if (!m_bytes.empty()) builder.leaf("bytes", FieldType::Unknown, FieldRole::Unknown, m_bytes.size(), m_bytes.size());
  }
  std::vector<std::string> content() const override {
    const std::string_view name = payloads::sniff(m_bytes);
    if (name.empty()) return {};
    return {std::string(name)};
  }
  void pages(view::PageList&) const override {}

private:
  Bytes m_bytes;
};

class DamagedBody final : public Body {
public:
  explicit DamagedBody(FieldTree tree) : m_tree(std::move(tree)) {}
  std::string_view layout() const override { return "opaque"; }
  bool decoded() const override { return false; }
  void encode(Writer& writer) const override { writer.raw(m_tree.bytes); }
  void describe(FieldTreeBuilder& builder) const override {
    add(builder, 0, static_cast<uint32_t>(m_tree.rows.size()));
  }
  std::vector<Kernel> kernels() const override {
    std::vector<Kernel> kernels;
    const auto list = functions();
    if (!list) return kernels;
    for (uint32_t row = *list + 1; row < m_tree.rows[*list].after; row = m_tree.rows[row].after) {
      if (m_tree.rows[row].type == FieldType::Group && m_tree.rows[row].number != 0) continue; // cut in the middle
      const uint32_t key = row + 1;
      if (key >= m_tree.rows[row].after || m_tree.rows[key].type != FieldType::String) continue;
      kernels.push_back({m_tree.content(key), std::nullopt, row});
    }
    return kernels;
  }
  std::optional<uint64_t> declaredKernels() const override {
    const auto list = functions();
    return list ? std::optional(m_tree.rows[*list].number) : std::nullopt;
  }
  void pages(view::PageList&) const override {}

private:
  std::optional<uint32_t> functions() const { return findKernelFields(m_tree).functions; }
  void add(FieldTreeBuilder& builder, uint32_t from, uint32_t to) const {
    for (uint32_t row = from; row < to; row = m_tree.rows[row].after) {
      const Field& field = m_tree.rows[row];
      if (field.index != Field::kNoIndex) builder.nextIndex(field.index);
      const bool parent = field.type == FieldType::List || field.type == FieldType::Items ||
                          field.type == FieldType::Group || field.type == FieldType::Sized;
      if (!parent) {
        builder.leaf(field.name, field.type, field.role, field.size, field.number);
        continue;
      }
      builder.open(field.name, field.type, field.role,
                   field.type == FieldType::Group || field.type == FieldType::Items ? 0 : 8, field.number);
      add(builder, row + 1, field.after);
      builder.close();
    }
  }

  FieldTree m_tree;
};

} // namespace

BodyPtr makeDamagedBody(FieldTree tree) { return std::make_shared<DamagedBody>(std::move(tree)); }

BodyPtr makeUnknownBody(Bytes bytes) { return std::make_shared<UnknownBody>(std::move(bytes)); }

} // namespace blobscope::modules
