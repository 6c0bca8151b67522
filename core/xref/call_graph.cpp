#include "core/xref/call_graph.h"

#include "core/base/text.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::xref {
namespace {

using view::GraphPage;

constexpr std::size_t kTitleBytes = 48;

bool isInside(const Ref& ref, const std::vector<std::string>& members) {
  return ref.members.size() >= members.size() && std::equal(members.begin(), members.end(), ref.members.begin());
}

/// Nodes of the page for the functions of one list.
using Numbers = std::vector<std::optional<uint32_t>>;

class CallGraphMaker {
public:
  CallGraphMaker(const Functions& functions, const std::vector<std::string>& members)
      : m_all(functions), m_members(members) {
    m_page.unit = "functions";
    m_page.bytesOf = "code";
    m_page.sideways = true;
    m_page.named = true;
  }

  GraphPage make(bool withIsolated) {
    m_callers.assign(m_all.callers.size(), std::nullopt);
    m_hosts.assign(m_all.hosts.size(), std::nullopt);
    m_kernels.assign(m_all.kernels.size(), std::nullopt);
    for (std::size_t i = 0; i < m_all.callers.size(); ++i)
      if (withIsolated || !isIsolated(m_all.callers[i])) addCaller(i);
    for (std::size_t i = 0; i < m_all.hosts.size(); ++i)
      if (withIsolated || !isIsolated(m_all.hosts[i])) addHost(i);
    for (std::size_t i = 0; i < m_all.kernels.size(); ++i)
      if (withIsolated || !m_all.kernels[i].launchedBy.empty()) addKernel(i);
    addEdges();
    return std::move(m_page);
  }

private:
  static bool isIsolated(const Caller& caller) {
    return caller.calledBy.empty() && !caller.compiledAs &&
           std::ranges::none_of(caller.calls, [](const Caller::Call& call) { return call.host || call.caller; });
  }
  static bool isIsolated(const HostFunction& host) { return host.launches.empty() && host.calledBy.empty(); }

  std::optional<uint32_t> add(GraphPage::Node node, std::string_view name) {
    if (!isInside(*node.ref, m_members)) return std::nullopt;
    if (m_page.nodes.size() >= GraphPage::kNodes) {
      ++m_page.omitted;
      return std::nullopt;
    }
    node.name = escaped(name);
    node.title = escapedWithin(name, kTitleBytes);
    m_page.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(m_page.nodes.size() - 1);
  }
  void addCaller(std::size_t index) {
    const Caller& caller = m_all.callers[index];
    GraphPage::Node node;
    node.kind = GraphPage::Kind::Function;
    node.group = caller.kind == "graph" ? "Graphs" : "VM functions";
    node.ref = caller.ref;
    m_callers[index] = add(std::move(node), caller.name);
  }
  void addHost(std::size_t index) {
    const HostFunction& host = m_all.hosts[index];
    GraphPage::Node node;
    node.kind = GraphPage::Kind::Operator;
    node.group = "Host functions";
    node.device = "host";
    node.ref = host.ref;
    if (host.bytes && host.bytes->size) node.bytes = host.bytes->size;
    m_hosts[index] = add(std::move(node), host.signature.function);
  }
  void addKernel(std::size_t index) {
    const Kernel& kernel = m_all.kernels[index];
    GraphPage::Node node;
    node.kind = GraphPage::Kind::Kernel;
    node.group = "Kernels";
    node.device = escaped(kernel.moduleKey);
    if (!kernel.resources.starts_with("code bytes")) node.note = kernel.resources; // the size is shown anyway
    node.ref = kernel.ref;
    if (kernel.bytes && kernel.bytes->size) node.bytes = kernel.bytes->size;
    m_kernels[index] = add(std::move(node), kernel.name);
  }

  void connect(const std::optional<uint32_t>& from, const std::optional<uint32_t>& to, std::string label) {
    if (from && to && m_page.edges.size() < GraphPage::kEdges) m_page.edges.push_back({*from, *to, std::move(label)});
  }
  void addEdges() {
    for (std::size_t i = 0; i < m_all.callers.size(); ++i) {
      const Caller& caller = m_all.callers[i];
      for (const Caller::Call& call : caller.calls) {
        const std::string times = call.times > 1 ? groupedText(call.times) + " ×" : "";
        if (call.caller) connect(m_callers[i], m_callers[*call.caller], times);
        if (call.host) connect(m_callers[i], m_hosts[*call.host], times);
      }
      if (caller.compiledAs) connect(m_callers[i], m_hosts[*caller.compiledAs], "compiled as");
    }
    for (std::size_t i = 0; i < m_all.hosts.size(); ++i)
      for (const Link& link : m_all.hosts[i].launches)
        connect(m_hosts[i], m_kernels[link.index], link.basis == Basis::Name ? "by name" : "");
  }

  const Functions& m_all;
  const std::vector<std::string>& m_members;
  GraphPage m_page;
  Numbers m_callers, m_hosts, m_kernels;
};

} // namespace

GraphPage callGraph(const Functions& functions, const std::vector<std::string>& members) {
  GraphPage page = CallGraphMaker(functions, members).make(false);
  return page.nodes.empty() ? CallGraphMaker(functions, members).make(true) : page;
}

void linkGraph(GraphPage& page, const Functions& functions, const Ref& node) {
  std::unordered_map<std::string_view, uint32_t> hosts;
  // A library of several members may have a name more than once: that of the same member comes first.
  for (const bool same : {true, false})
    for (uint32_t i = 0; i < functions.hosts.size(); ++i)
      if ((functions.hosts[i].ref.members == node.members) == same)
        hosts.try_emplace(functions.hosts[i].signature.function, i);
  Ref module = node;
  module.parts.clear();
  for (GraphPage::Node& one : page.nodes) {
    if (one.part) one.ref = module.part(one.part->kind, one.part->name);
    const auto host = one.calls.empty() ? hosts.end() : hosts.find(one.calls);
    if (host == hosts.end()) continue;
    const HostFunction& function = functions.hosts[host->second];
    one.ref = function.ref;
    one.device = function.launches.empty() ? "host" : escaped(functions.kernels[function.launches[0].index].moduleKey);
  }
}

} // namespace blobscope::xref
