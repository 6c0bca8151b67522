#include "core/modules/engines/engines.h"

#include "core/base/text.h"
#include "core/modules/common/host_parts.h"
#include "core/payloads/sniff.h"

namespace blobscope::modules {
namespace {

/// Layout "coreml". Source: apache/tvm src/runtime/contrib/coreml/coreml_runtime.mm, SaveToBinary.
struct Coreml {
  Bytes symbol;
  Bytes model; ///< a serialised file wrapper of the `.mlmodelc` folder
};
/// Layout "torch". Source: apache/tvm src/runtime/contrib/libtorch/libtorch_runtime.cc v0.9.0, SaveToBinary.
struct Torch {
  Bytes symbol;
  Bytes module; ///< a TorchScript archive (zip)
};
/// Layout "vitis". Source: apache/tvm src/runtime/contrib/vitis_ai/vitis_ai_runtime.cc v0.8.0, SaveToBinary.
struct Vitis {
  Bytes model;
  Bytes exportPath; ///< on the machine that built the module
  Bytes symbol;
  std::vector<Bytes> constNames;
};
/// Layouts "mrvl_sim1" (v0.16) and "mrvl_sim2" (v0.17 – v0.23). Source: apache/tvm
/// src/runtime/contrib/mrvl/mrvl_runtime.cc, mrvl_sw_runtime_lib.cc v0.16.0 – v0.23.0, SaveToBinary.
struct MrvlSim1 {
  Bytes symbol;
  Bytes nodesJson;
};
struct MrvlSim2 {
  MrvlSim1 nodes;
  Bytes binary;
};
/// Layout "mrvl_hw", v0.19 – v0.23. Source: apache/tvm src/runtime/contrib/mrvl/mrvl_hw_runtime.cc v0.19.0 – v0.23.0.
struct MrvlHw {
  MrvlSim2 code;
  int32_t inputs = 0, outputs = 0, batch = 0;
};
/// Layout "examplejson", v0.6. Source: apache/tvm src/runtime/contrib/example_ext_runtime/example_ext_runtime.cc
/// v0.6.1, SaveToBinary.
struct ExampleJson {
  Bytes graph;
};
/// Layouts "ethosn1" (v0.7 – v0.9) and "ethosn2" (v0.10 – v0.18). Counts are raw `size_t`: a 32-bit exporter would
/// write four bytes; no such file was seen. Source: apache/tvm src/runtime/contrib/ethosn/ethosn_runtime.cc v0.7.0 –
/// v0.18.0, SaveToBinary.
struct EthosnNetwork {
  Bytes name; ///< the function
  Bytes network;
  std::vector<uint32_t> inputs, inputSizes, outputs,
      outputSizes; ///< sizes: bytes, one per input or output, only ethosn2
};
struct Ethosn1 {
  static constexpr bool kSizes = false;
  std::vector<EthosnNetwork> networks;
};
struct Ethosn2 {
  static constexpr bool kSizes = true;
  std::vector<EthosnNetwork> networks;
};

template <class A> void wire(A& ar, wire_ref<A, Coreml> v) {
  ar.string("symbol", v.symbol);
  ar.data("model", v.model);
}
template <class A> void wire(A& ar, wire_ref<A, Torch> v) {
  ar.string("symbol", v.symbol);
  ar.data("module", v.module);
}
template <class A> void wire(A& ar, wire_ref<A, Vitis> v) {
  ar.data("model", v.model);
  ar.string("export_path", v.exportPath);
  ar.string("symbol", v.symbol);
  wireNames(ar, "const_names", v.constNames);
}
template <class A> void wire(A& ar, wire_ref<A, MrvlSim1> v) {
  ar.string("symbol", v.symbol);
  ar.data("nodes_json", v.nodesJson);
}
template <class A> void wire(A& ar, wire_ref<A, MrvlSim2> v) {
  wire(ar, v.nodes);
  ar.data("bin", v.binary);
}
template <class A> void wire(A& ar, wire_ref<A, MrvlHw> v) {
  wire(ar, v.code);
  ar.number("num_inputs", v.inputs);
  ar.number("num_outputs", v.outputs);
  ar.number("batch_size", v.batch);
}
template <class A> void wire(A& ar, wire_ref<A, ExampleJson> v) { ar.data("graph", v.graph); }

template <class A> void wireNetworks(A& ar, wire_ref<A, std::vector<EthosnNetwork>> networks, bool sizes) {
  const auto numbers = [sizes](A& a, const char* name, const char* sizesName, auto& values, auto& valueSizes) {
    const auto number = [](A& inner, auto& value) { inner.number("", value); };
    a.list(name, values, sizes ? 8 : 4, number);
    if (sizes) a.items(sizesName, valueSizes, values.size(), 4, number);
  };
  ar.list("networks", networks, 32, [&](A& a, auto& network) {
    a.group("", [&](A& inner) {
      inner.string("name", network.name);
      inner.data("network", network.network);
      numbers(inner, "inputs", "input_sizes", network.inputs, network.inputSizes);
      numbers(inner, "outputs", "output_sizes", network.outputs, network.outputSizes);
    });
  });
}
template <class A> void wire(A& ar, wire_ref<A, Ethosn1> v) { wireNetworks(ar, v.networks, false); }
template <class A> void wire(A& ar, wire_ref<A, Ethosn2> v) { wireNetworks(ar, v.networks, true); }

using Rows = std::vector<std::vector<std::string>>;

/// A module with one function.
template <class T> class EngineBody : public WireBody<T> {
public:
  std::vector<PartGroup> parts() const final { return {functionParts(*this, {symbol()}, "symbol", "Engine")}; }
  Result<PartContent> part(PartKind, std::size_t, Monitor&) const final {
    PartContent content;
    content.whyNoBytes = "another program creates it from the model when the module is loaded";
    return content;
  }
  void pages(view::PageList& list) const final {
    Rows rows = {{"function", escaped(symbol().view())}};
    addFacts(rows);
    list.push_back(view::factsPage("Engine", std::move(rows)));
    addPages(list);
  }

protected:
  virtual const Bytes& symbol() const = 0;
  virtual void addFacts(Rows& rows) const = 0;
  virtual void addPages(view::PageList&) const {}
  static std::string what(const Bytes& bytes) {
    const std::string_view name = bytes.view().starts_with("PK\x03\x04") ? "zip" : payloads::sniff(bytes);
    return sizeText(bytes.size()) + (name.empty() ? "" : ", " + std::string(name));
  }
};

class CoremlBody final : public EngineBody<Coreml> {
public:
  std::string_view layout() const override { return "coreml"; }

protected:
  const Bytes& symbol() const override { return value.symbol; }
  void addFacts(Rows& rows) const override { rows.push_back({"packed .mlmodelc folder", what(value.model)}); }
};

class TorchBody final : public EngineBody<Torch> {
public:
  std::string_view layout() const override { return "torch"; }

protected:
  const Bytes& symbol() const override { return value.symbol; }
  void addFacts(Rows& rows) const override { rows.push_back({"TorchScript archive", what(value.module)}); }
};

class VitisBody final : public EngineBody<Vitis> {
public:
  std::string_view layout() const override { return "vitis"; }

protected:
  const Bytes& symbol() const override { return value.symbol; }
  void addFacts(Rows& rows) const override {
    rows.push_back({"model", what(value.model)});
    rows.push_back({"export path", escaped(value.exportPath.view()) + " on the machine that built it"});
    rows.push_back({"constants", groupedText(value.constNames.size())});
  }
  void addPages(view::PageList& list) const override {
    if (!value.constNames.empty()) addNamesPage(list, "Constants", {}, value.constNames);
  }
};

void addNodes(view::PageList& list, const Bytes& text) { addTextPage(list, "Nodes JSON", text, "json"); }

class MrvlSim1Body final : public EngineBody<MrvlSim1> {
public:
  std::string_view layout() const override { return "mrvl_sim1"; }

protected:
  const Bytes& symbol() const override { return value.symbol; }
  void addFacts(Rows& rows) const override { rows.push_back({"nodes", what(value.nodesJson)}); }
  void addPages(view::PageList& list) const override { addNodes(list, value.nodesJson); }
};

class MrvlSim2Body final : public EngineBody<MrvlSim2> {
public:
  std::string_view layout() const override { return "mrvl_sim2"; }

protected:
  const Bytes& symbol() const override { return value.nodes.symbol; }
  void addFacts(Rows& rows) const override {
    rows.push_back({"nodes", what(value.nodes.nodesJson)});
    rows.push_back({"binary", what(value.binary)});
  }
  void addPages(view::PageList& list) const override { addNodes(list, value.nodes.nodesJson); }
};

class MrvlHwBody final : public EngineBody<MrvlHw> {
public:
  std::string_view layout() const override { return "mrvl_hw"; }

protected:
  const Bytes& symbol() const override { return value.code.nodes.symbol; }
  void addFacts(Rows& rows) const override {
    rows.push_back({"nodes", what(value.code.nodes.nodesJson)});
    rows.push_back({"binary", what(value.code.binary)});
    rows.push_back({"inputs", std::to_string(value.inputs)});
    rows.push_back({"outputs", std::to_string(value.outputs)});
    rows.push_back({"batch size", std::to_string(value.batch)});
  }
  void addPages(view::PageList& list) const override { addNodes(list, value.code.nodes.nodesJson); }
};

class ExampleJsonBody final : public WireBody<ExampleJson> {
public:
  std::string_view layout() const override { return "examplejson"; }
  void pages(view::PageList& list) const override { addTextPage(list, "Graph", value.graph, "json"); }
};

std::string joinedNumbers(const std::vector<uint32_t>& numbers) {
  constexpr std::size_t kShown = 64;
  std::string out;
  for (std::size_t i = 0; i < numbers.size() && i < kShown; ++i)
    out += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return out + (numbers.size() > kShown ? ", …" : "");
}

template <class T> class EthosnBody final : public WireBody<T> {
public:
  std::string_view layout() const override { return T::kSizes ? "ethosn2" : "ethosn1"; }
  std::vector<PartGroup> parts() const override {
    std::vector<Bytes> names;
    for (const EthosnNetwork& network : this->value.networks) names.push_back(network.name);
    return {functionParts(*this, names, "networks", "Networks")};
  }
  Result<PartContent> part(PartKind kind, std::size_t index, Monitor&) const override {
    PartContent content;
    if (kind == PartKind::Function && index < this->value.networks.size())
      content.bytes = this->value.networks[index].network;
    return content;
  }
  void pages(view::PageList& list) const override {
    std::vector<view::Column> columns = {{"name"}, {"inputs"}, {"outputs"}, {"bytes", true, true}};
    if (T::kSizes) columns.insert(columns.begin() + 3, {{"input bytes"}, {"output bytes"}});
    Rows rows;
    for (const EthosnNetwork& network : this->value.networks) {
      std::vector<std::string> row = {escaped(network.name.view()), joinedNumbers(network.inputs),
                                      joinedNumbers(network.outputs)};
      if (T::kSizes) row.insert(row.end(), {joinedNumbers(network.inputSizes), joinedNumbers(network.outputSizes)});
      row.push_back(std::to_string(network.network.size()));
      rows.push_back(std::move(row));
    }
    list.push_back(view::tablePage("Networks", std::move(columns), std::move(rows)));
  }
};

constexpr std::string_view kCoremlKeys[] = {"coreml"}, kTorchKeys[] = {"torch"}, kVitisKeys[] = {"VitisAIRuntime"},
                           kMrvlSimKeys[] = {"mrvl_sim"}, kMrvlHwKeys[] = {"mrvl_hw"},
                           kExampleJsonKeys[] = {"examplejson"}, kEthosnKeys[] = {"ethos-n"};
constexpr Layout kCoremlLayouts[] = {wireLayout<CoremlBody>("coreml")};
constexpr Layout kTorchLayouts[] = {wireLayout<TorchBody>("torch")};
constexpr Layout kVitisLayouts[] = {wireLayout<VitisBody>("vitis")};
constexpr Layout kMrvlSimLayouts[] = {wireLayout<MrvlSim2Body>("mrvl_sim2"), wireLayout<MrvlSim1Body>("mrvl_sim1")};
constexpr Layout kMrvlHwLayouts[] = {wireLayout<MrvlHwBody>("mrvl_hw")};
constexpr Layout kExampleJsonLayouts[] = {wireLayout<ExampleJsonBody>("examplejson")};
constexpr Layout kEthosnLayouts[] = {wireLayout<EthosnBody<Ethosn2>>("ethosn2"),
                                     wireLayout<EthosnBody<Ethosn1>>("ethosn1")};

} // namespace

const ModuleCodec kCoremlCodec = {kCoremlKeys, kCoremlLayouts};
const ModuleCodec kTorchCodec = {kTorchKeys, kTorchLayouts};
const ModuleCodec kVitisCodec = {kVitisKeys, kVitisLayouts};
const ModuleCodec kMrvlSimCodec = {kMrvlSimKeys, kMrvlSimLayouts};
const ModuleCodec kMrvlHwCodec = {kMrvlHwKeys, kMrvlHwLayouts};
const ModuleCodec kExampleJsonCodec = {kExampleJsonKeys, kExampleJsonLayouts};
const ModuleCodec kEthosnCodec = {kEthosnKeys, kEthosnLayouts};

} // namespace blobscope::modules
