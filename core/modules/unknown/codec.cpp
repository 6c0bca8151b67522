#include "core/modules/unknown/unknown.h"

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

} // namespace

BodyPtr makeUnknownBody(Bytes bytes) { return std::make_shared<UnknownBody>(std::move(bytes)); }

} // namespace blobscope::modules
