#include "core/modules/const_loader/const_loader.h"

#include "core/base/text.h"
#include "core/modules/common/host_parts.h"

#include <unordered_map>

namespace blobscope::modules {
namespace {

/// Names of the constants that a function needs.
struct Needs {
  std::vector<Bytes> names;
};
/// Layout "consts", v0.7 on. Source: apache/tvm src/runtime/metadata_module.cc v0.7.0,
/// src/runtime/const_loader_module.cc v0.9.0 – v0.26.0, SaveToBinary. Three real files seen, two of them without a
/// constant.
struct Constants {
  std::vector<Bytes> names;
  uint64_t count = 0; ///< equals the number of names
  std::vector<payloads::Tensor> tensors;
  std::vector<Bytes> symbols;
  uint64_t symbolCount = 0; ///< equals the number of symbols
  std::vector<Needs> needs; ///< one per symbol
};

template <class A> void wire(A& ar, wire_ref<A, Constants> v) {
  wireNames(ar, "names", v.names);
  wireCount(ar, "count", v.count, v.names.size(), "the number of names");
  wireTensors(ar, v.tensors, v.count);
  wireNames(ar, "symbols", v.symbols);
  wireCount(ar, "symbol_count", v.symbolCount, v.symbols.size(), "the number of symbols");
  ar.items("needs", v.needs, v.symbolCount, 8, [](A& a, auto& needs) { wireNames(a, "", needs.names); });
}

/// Bytes of one cell; two long lists may name each other a million times.
constexpr std::size_t kCellBytes = 1000;

/// Adds a name to a list as text; names that do not fit into a cell are replaced by "…".
void appendName(std::string& out, std::string_view name) {
  if (out.size() >= kCellBytes) {
    if (!out.ends_with("…")) out += ", …";
    return;
  }
  out += (out.empty() ? "" : ", ") + escapedWithin(name, kCellBytes);
}

std::string joinedNames(const std::vector<Bytes>& names) {
  std::string out;
  for (const Bytes& name : names) appendName(out, name.view());
  return out;
}

class ConstantsBody final : public WireBody<Constants> {
public:
  std::string_view layout() const override { return "consts"; }
  std::vector<PartGroup> parts() const override {
    return {tensorParts(*this, value.names, value.tensors, "Constants")};
  }
  Result<PartContent> part(PartKind kind, std::size_t index, Monitor&) const override {
    if (kind != PartKind::Param || index >= value.tensors.size()) return PartContent{};
    return tensorContent(value.tensors[index]);
  }
  void pages(view::PageList& list) const override {
    std::unordered_map<std::string_view, std::string> usedBy;
    std::vector<std::vector<std::string>> symbols;
    for (std::size_t i = 0; i < value.symbols.size(); ++i) {
      symbols.push_back({escaped(value.symbols[i].view()), joinedNames(value.needs[i].names)});
      for (const Bytes& name : value.needs[i].names) appendName(usedBy[name.view()], value.symbols[i].view());
    }
    std::vector<std::string> users;
    for (const Bytes& name : value.names) users.push_back(usedBy[name.view()]);
    list.push_back(
        {"Constants", view::TablePage{std::make_shared<payloads::TensorTable>(
                          namedTensors(value.names, value.tensors), PartKind::Param, "used by", std::move(users))}});
    list.push_back(view::tablePage("Symbols", {{"symbol"}, {"needs"}}, std::move(symbols)));
  }
};

constexpr std::string_view kConstLoaderKeys[] = {"const_loader", "metadata"};
constexpr Layout kConstLoaderLayouts[] = {wireLayout<ConstantsBody>("consts")};

} // namespace

const ModuleCodec kConstLoaderCodec = {kConstLoaderKeys, kConstLoaderLayouts};

} // namespace blobscope::modules
