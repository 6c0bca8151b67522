#include "core/modules/common/device_pages.h"

#include "core/base/text.h"
#include "core/modules/module_fields.h"

namespace blobscope::modules {
namespace {

class FunctionTable final : public view::TableSource {
public:
  FunctionTable(std::vector<NamedFunction> functions, std::vector<uint64_t> codeSizes)
      : m_functions(std::move(functions)), m_codeSizes(std::move(codeSizes)) {}

  std::vector<view::Column> columns() const override {
    std::vector<view::Column> columns = {{"name"}, {"arguments"}, {"launch parameters"}};
    if (!m_codeSizes.empty()) columns.push_back({"code bytes", true, true});
    return columns;
  }
  uint64_t rowCount() const override { return m_functions.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const NamedFunction& function = m_functions[row];
    if (column == 0) return escaped(function.key.view());
    if (column == 1) return function.info.argumentText();
    if (column == 2) return function.info.launchText();
    return std::to_string(m_codeSizes[row]);
  }
  std::optional<Ref> target(uint64_t row, const Ref& node) const override {
    return node.part(PartKind::Kernel, m_functions[row].key.view());
  }

private:
  std::vector<NamedFunction> m_functions;
  std::vector<uint64_t> m_codeSizes;
};

} // namespace

std::vector<Kernel> kernelsOf(const std::vector<NamedFunction>& functions, const Body& body,
                              const std::function<std::optional<Bytes>(const Bytes& name)>& code) {
  const FieldTree tree = describeBody(body, {});
  uint32_t row = findKernelFields(tree).functions.value_or(0) + 1;
  std::vector<Kernel> kernels;
  kernels.reserve(functions.size());
  for (const NamedFunction& function : functions) {
    kernels.push_back({function.key, code(function.key), row});
    row = row < tree.rows.size() ? tree.rows[row].after : row;
  }
  return kernels;
}

KernelTable functionTable(const std::vector<NamedFunction>& functions, std::vector<uint64_t> codeSizes) {
  return {std::make_shared<FunctionTable>(functions, std::move(codeSizes))};
}

void addFunctionsPage(view::PageList& list, const Body& body) {
  list.push_back({"Functions", view::TablePage{body.kernelTable()->source}});
}

} // namespace blobscope::modules
