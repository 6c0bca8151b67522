#include "core/modules/common/json_graph.h"
#include "core/modules/common/operator_name.h"

#include "core/base/extent.h"
#include "core/base/text.h"
#include "core/view/page_id.h"

#include <algorithm>
#include <set>

namespace blobscope::modules {
namespace {

using view::GraphPage;

constexpr uint64_t kGraphPageStep = 4096; // nodes between two checks of the monitor

/// Bytes of one tensor: "[1, 4]" and "float32". Nothing for several tensors, and for types whose size is not in the
/// name.
std::optional<uint64_t> tensorBytes(std::string_view shape, std::string_view type) {
  if (shape.size() < 2 || shape.front() != '[' || shape.back() != ']' || shape.find(']') + 1 != shape.size())
    return std::nullopt;
  const std::size_t digits = type.find_first_of("0123456789");
  std::optional<uint64_t> bits = type == "bool"                     ? std::optional<uint64_t>(8)
                                 : digits == std::string_view::npos ? std::nullopt
                                                                    : parseNumber(type.substr(digits));
  if (!bits) return std::nullopt;
  std::optional<uint64_t> count = 1;
  for (std::string_view rest = shape.substr(1, shape.size() - 2); !rest.empty() && count;) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const auto extent = parseNumber(trimmed(rest.substr(0, end)));
    count = extent ? checkedMultiply(*count, *extent) : std::nullopt;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return count ? checkedMultiply(*count, (*bits + 7) / 8) : std::nullopt;
}

/// Whether the compiler made the name for a parameter: "p0", "p12".
bool isParameterName(std::string_view name) {
  return name.size() > 1 && name[0] == 'p' &&
         std::ranges::all_of(name.substr(1), [](char c) { return c >= '0' && c <= '9'; });
}

GraphPage::Node nodeOf(const GraphNode& stored, const std::set<std::string>& parameters) {
  GraphPage::Node out;
  out.name = stored.function.empty() ? stored.name : stored.function;
  out.calls = stored.function;
  const std::size_t first = stored.shape.find(';');
  out.note = shapeTitle(trimmed(std::string_view(stored.shape).substr(0, first)));
  if (first != std::string::npos) out.note += " …";
  out.bytes = tensorBytes(stored.shape, stored.dtype);
  const bool isConstant = stored.op == "const";
  if (isConstant || stored.op == "null" || stored.op == "input") {
    const bool parameter = isConstant || (parameters.empty() ? stored.op == "null" && isParameterName(stored.name)
                                                             : parameters.contains(stored.name));
    out.kind = parameter ? GraphPage::Kind::Constant : GraphPage::Kind::Input;
    out.title = stored.name;
    out.group = parameter ? "Parameters" : "Input, output";
    if (!parameters.empty() && parameter) out.part = Ref::Part{PartKind::Param, stored.name};
    return out;
  }
  const OperatorName name = operatorName(out.name);
  out.title = name.title;
  out.group = name.group;
  return out;
}

Result<view::Page> makeGraphPage(const Bytes& text, GraphForm form, const std::vector<std::string>& parameters,
                                 Monitor& monitor) {
  const LazyGraph graph(text, form);
  if (!graph.problem().empty())
    return view::Page{view::page_id::kGraph, view::NoticePage{"The graph cannot be drawn: " + graph.problem()}};
  const std::set<std::string> names(parameters.begin(), parameters.end());
  GraphPage page;
  page.unit = "nodes";
  page.bytesOf = "output";
  const uint64_t shown = std::min<uint64_t>(graph.size(), GraphPage::kNodes);
  page.omitted = graph.size() - shown;
  for (uint64_t i = 0; i < shown; ++i) {
    if (i % kGraphPageStep == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("reading nodes", i, shown);
    }
    page.nodes.push_back(nodeOf(graph.node(i), names));
    for (const uint64_t from : graph.inputsOf(i))
      if (from < shown && page.edges.size() < GraphPage::kEdges)
        page.edges.push_back({static_cast<uint32_t>(from), static_cast<uint32_t>(i), {}});
  }
  // What the graph returns ends at a node of its own, so that it can be seen.
  std::size_t number = 0;
  for (const uint64_t head : graph.heads()) {
    if (head >= shown || page.edges.size() >= GraphPage::kEdges || page.nodes.size() > GraphPage::kNodes) continue;
    GraphPage::Node output;
    output.title = output.name = "output " + std::to_string(number++);
    output.note = page.nodes[head].note;
    output.bytes = page.nodes[head].bytes;
    output.group = "Input, output";
    output.kind = GraphPage::Kind::Input;
    page.edges.push_back({static_cast<uint32_t>(head), static_cast<uint32_t>(page.nodes.size()), {}});
    page.nodes.push_back(std::move(output));
  }
  return view::Page{view::page_id::kGraph, std::move(page)};
}

} // namespace

void addGraphPage(view::PageList& list, const Bytes& text, GraphForm form, std::vector<std::string> parameters) {
  list.push_back({view::page_id::kGraph,
                  view::DeferredPage{"graph", [text, form, parameters = std::move(parameters)](Monitor& monitor) {
                                       return makeGraphPage(text, form, parameters, monitor);
                                     }}});
}

} // namespace blobscope::modules
