#include "core/modules/graph_executor/graph_executor.h"

#include "core/base/text.h"
#include "core/modules/common/host_parts.h"
#include "core/modules/common/json_graph.h"
#include "core/modules/executor_factory.h"
#include "core/payloads/sniff.h"

namespace blobscope::modules {
namespace {

/// Parameters after their names. Unlike in a params file, the count is before the names.
struct Parameters {
  uint64_t count = 0; ///< 0 when they were removed before export
  std::vector<Bytes> names;
  std::vector<payloads::Tensor> tensors;
  Bytes moduleName; ///< "default" in most files
};
/// Layout "aot_factory", v0.9 – v0.19. Source: apache/tvm src/runtime/aot_executor/aot_executor_factory.cc v0.9.0 –
/// v0.19.0, SaveToBinary. One real file seen.
struct AotFactory {
  Parameters parameters;
};
/// Layout "graph_factory", v0.7 – v0.19. Source: apache/tvm src/runtime/graph/graph_runtime_factory.cc v0.7.0,
/// src/runtime/graph_executor/graph_executor_factory.cc v0.8.0 – v0.19.0, SaveToBinary. Two real files seen.
struct GraphFactory {
  Bytes graphJson;
  Parameters parameters;
};

template <class A> void wire(A& ar, wire_ref<A, Parameters> v) {
  [[maybe_unused]] uint64_t at = 0;
  if constexpr (A::kReads) at = ar.reader().position();
  ar.number("count", v.count, FieldRole::Length);
  wireNames(ar, "names", v.names);
  if constexpr (A::kReads)
    if (ar.ok() && v.count != v.names.size()) ar.reader().failValue("count", at, v.count, "the number of names");
  wireTensors(ar, v.tensors, v.count);
  ar.string("module_name", v.moduleName);
}
template <class A> void wire(A& ar, wire_ref<A, AotFactory> v) { wire(ar, v.parameters); }
template <class A> void wire(A& ar, wire_ref<A, GraphFactory> v) {
  ar.data("graph_json", v.graphJson);
  wire(ar, v.parameters);
}

template <class T> class FactoryBody : public WireBody<T> {
public:
  std::vector<PartGroup> parts() const final {
    return {tensorParts(*this, parameters().names, parameters().tensors, "Parameters")};
  }
  Result<PartContent> part(PartKind kind, std::size_t index, Monitor&) const final {
    if (kind != PartKind::Param || index >= parameters().tensors.size()) return PartContent{};
    return tensorContent(parameters().tensors[index]);
  }

protected:
  const Parameters& parameters() const { return this->value.parameters; }
  void addFactoryPage(view::PageList& list) const {
    uint64_t bytes = 0;
    for (const payloads::Tensor& tensor : parameters().tensors) bytes += tensor.data.size();
    std::vector<std::vector<std::string>> rows = {{"module name", escaped(parameters().moduleName.view())},
                                                  {"parameters", groupedText(parameters().tensors.size())}};
    rows.push_back(
        parameters().tensors.empty()
            ? std::vector<std::string>{"values",
                                       "none stored here: they are in host code, or an application loads them"}
            : std::vector<std::string>{"values", sizeText(bytes)});
    list.push_back(view::factsPage("Factory", std::move(rows)));
  }
  void addParametersPage(view::PageList& list) const {
    list.push_back({"Parameters", view::TablePage{std::make_shared<payloads::TensorTable>(
                                      namedTensors(parameters().names, parameters().tensors), PartKind::Param)}});
  }
};

class AotFactoryBody final : public FactoryBody<AotFactory> {
public:
  std::string_view layout() const override { return "aot_factory"; }
  void pages(view::PageList& list) const override {
    addFactoryPage(list);
    addParametersPage(list);
  }
};

class GraphFactoryBody final : public FactoryBody<GraphFactory> {
public:
  std::string_view layout() const override { return "graph_factory"; }
  std::vector<std::string> content() const override {
    const std::string_view name = payloads::sniff(value.graphJson);
    return name.empty() ? std::vector<std::string>() : std::vector<std::string>{std::string(name)};
  }
  void pages(view::PageList& list) const override {
    addFactoryPage(list);
    std::vector<std::string> names;
    for (const Bytes& name : parameters().names) names.push_back(escaped(name.view()));
    addGraphPage(list, value.graphJson, GraphForm::Executor, std::move(names));
    addGraphNodesPage(list, value.graphJson, GraphForm::Executor);
    addParametersPage(list);
    addTextPage(list, "Graph JSON", value.graphJson, "json");
  }
};

constexpr std::string_view kGraphKeys[] = {"GraphRuntimeFactory", "GraphExecutorFactory"};
constexpr std::string_view kAotKeys[] = {"AotExecutorFactory"};
constexpr Layout kGraphLayouts[] = {wireLayout<GraphFactoryBody>("graph_factory")};
constexpr Layout kAotLayouts[] = {wireLayout<AotFactoryBody>("aot_factory")};

} // namespace

const ModuleCodec kGraphFactoryCodec = {kGraphKeys, kGraphLayouts};
const ModuleCodec kAotFactoryCodec = {kAotKeys, kAotLayouts};

std::optional<Bytes> graphJsonOf(const Body& body) {
  const auto* const graph = dynamic_cast<const GraphFactoryBody*>(&body);
  return graph ? std::optional(graph->value.graphJson) : std::nullopt;
}

std::optional<ExecutorFactory> executorFactoryOf(const Body& body) {
  ExecutorFactory out;
  const Parameters* parameters = nullptr;
  if (const auto* const graph = dynamic_cast<const GraphFactoryBody*>(&body)) {
    out.graphJson = graph->value.graphJson;
    parameters = &graph->value.parameters;
  } else if (const auto* const aot = dynamic_cast<const AotFactoryBody*>(&body)) {
    parameters = &aot->value.parameters;
  } else {
    return std::nullopt;
  }
  out.parameters = namedTensors(parameters->names, parameters->tensors);
  out.moduleName = parameters->moduleName;
  return out;
}

} // namespace blobscope::modules
