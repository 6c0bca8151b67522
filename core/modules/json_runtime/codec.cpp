#include "core/modules/json_runtime/json_runtime.h"

#include "core/base/text.h"
#include "core/modules/common/host_parts.h"
#include "core/modules/common/json_graph.h"
#include "core/payloads/sniff.h"

namespace blobscope::modules {
namespace {

/// Layout "json", v0.7 on. Source: apache/tvm src/runtime/contrib/json/json_runtime.h v0.7.0 – v0.24.0,
/// src/runtime/extra/contrib/json/json_runtime.h v0.26.0, JSONRuntimeBase::SaveToBinary. One real file seen, with two
/// such modules.
struct JsonRuntime {
  Bytes symbol; ///< name of the function that runs the graph
  Bytes graphJson;
  std::vector<Bytes> constNames; ///< one per node "const", in the order of the nodes; a `const_loader` contains them
};

template <class A> void wire(A& ar, wire_ref<A, JsonRuntime> v) {
  ar.string("symbol", v.symbol);
  ar.data("graph_json", v.graphJson);
  wireNames(ar, "const_names", v.constNames);
}

class JsonRuntimeBody final : public WireBody<JsonRuntime> {
public:
  std::string_view layout() const override { return "json"; }
  std::vector<std::string> content() const override {
    const std::string_view name = payloads::sniff(value.graphJson);
    return name.empty() ? std::vector<std::string>() : std::vector<std::string>{std::string(name)};
  }
  std::vector<PartGroup> parts() const override { return {functionParts(*this, {value.symbol}, "symbol", "Subgraph")}; }
  Result<PartContent> part(PartKind, std::size_t, Monitor&) const override {
    PartContent content;
    content.whyNoBytes = "a JSON runtime creates it from the graph when the module is loaded";
    return content;
  }
  void pages(view::PageList& list) const override {
    const JsonRuntime stored = value;
    list.push_back({"Subgraph", view::DeferredPage{"table", [stored](Monitor&) -> Result<view::Page> {
                                                     return subgraphPage(stored);
                                                   }}});
    addGraphPage(list, value.graphJson, GraphForm::Runtime);
    addGraphNodesPage(list, value.graphJson, GraphForm::Runtime);
    addNamesPage(list, "Weights", {}, value.constNames);
    addTextPage(list, "Graph JSON", value.graphJson, "json");
  }

private:
  static view::Page subgraphPage(const JsonRuntime& stored) {
    std::vector<std::vector<std::string>> rows = {{"function", escaped(stored.symbol.view())}};
    const LazyGraph graph(stored.graphJson, GraphForm::Runtime);
    if (graph.problem().empty()) {
      const uint64_t constants = graph.countConstants();
      rows.push_back({"nodes", groupedText(graph.size())});
      rows.push_back({"constants", groupedText(constants) + (constants == stored.constNames.size()
                                                                 ? ""
                                                                 : ", but " + groupedText(stored.constNames.size()) +
                                                                       " names: the function cannot be looked up")});
    } else {
      rows.push_back({"graph", graph.problem()});
      rows.push_back({"names of constants", groupedText(stored.constNames.size())});
    }
    return view::factsPage("Subgraph", std::move(rows));
  }
};

constexpr std::string_view kJsonRuntimeKeys[] = {
    "json", "dnnl_json",       "tensorrt",  "msc_tensorrt", "cublas_json", "cudnn_json",      "hipblas_json",
    "clml", "arm_compute_lib", "bnns_json", "nnapi",        "verilator",   "example_npu_json"};
constexpr Layout kJsonRuntimeLayouts[] = {wireLayout<JsonRuntimeBody>("json")};

} // namespace

const ModuleCodec kJsonRuntimeCodec = {kJsonRuntimeKeys, kJsonRuntimeLayouts};

} // namespace blobscope::modules
