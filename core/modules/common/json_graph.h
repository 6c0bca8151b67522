#pragma once

#include "core/base/bytes.h"
#include "core/view/page.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace blobscope::modules {

/// The program that a graph in JSON is made for. Executor: graph_executor (apache/tvm
/// src/runtime/graph_executor/graph_executor.h v0.8.0 – v0.19.0, GraphExecutor::Load). Runtime: JSON runtimes
/// (src/runtime/contrib/json/json_node.h v0.7.0 – v0.23.0, src/runtime/extra/contrib/json/json_node.h v0.26.0), whose
/// attributes are nested strings until v0.23 and plain values from v0.24 (f8dbbdaf5c).
enum class GraphForm { Executor, Runtime };

/// A node as text; members that the graph does not state are empty.
struct GraphNode {
  std::string name;
  std::string op;         ///< "null", "tvm_op"; "input", "const", "kernel"
  std::string function;   ///< Executor: the called function
  std::string inputs;     ///< names of nodes, followed by ":1" where the second output is used
  std::string shape;      ///< one per output, "[1, 4]; [1]"
  std::string dtype;      ///< one per output
  std::string storage;    ///< Executor: storage ids, one per output
  std::string attributes; ///< Runtime: "strides=[1, 1], groups=1"
};

/// The nodes of a graph, converted to text on request, since a graph may contain two million. Parts with an unexpected
/// form are omitted.
class LazyGraph {
public:
  LazyGraph(const Bytes& text, GraphForm form);
  ~LazyGraph();
  LazyGraph(const LazyGraph&) = delete;
  LazyGraph& operator=(const LazyGraph&) = delete;

  /// Why there are no nodes: where the text is not JSON, or what is missing; else empty.
  const std::string& problem() const { return m_problem; }
  uint64_t size() const;
  GraphNode node(uint64_t index) const;
  /// Returns the nodes whose outputs the node reads, at most 65,536; those that do not exist are omitted.
  std::vector<uint64_t> inputsOf(uint64_t index) const;
  /// Returns the nodes whose outputs the graph returns.
  std::vector<uint64_t> heads() const;
  /// Returns the number of nodes whose op is "const".
  uint64_t countConstants() const;

private:
  struct Content;
  std::unique_ptr<const Content> m_content; ///< null when there is a problem
  std::string m_problem;
};

/// Adds the page "Graph": nodes and what they read. `parameters`: names of inputs whose values are stored; without
/// them, inputs named `p0`, `p1` … count as parameters, as the compiler names them.
void addGraphPage(view::PageList& list, const Bytes& text, GraphForm form, std::vector<std::string> parameters = {});
/// Adds the page "Graph nodes", which is created when it is shown; a notice when the text cannot be read.
void addGraphNodesPage(view::PageList& list, const Bytes& text, GraphForm form);

} // namespace blobscope::modules
