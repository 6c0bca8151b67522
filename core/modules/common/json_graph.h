#pragma once

#include "core/base/bytes.h"
#include "core/view/page.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace blobscope::modules {

/// Whose graph a JSON text is. Executor: graph_executor (apache/tvm src/runtime/graph_executor/graph_executor.h v0.8.0
/// – v0.19.0, GraphExecutor::Load). Runtime: JSON runtimes (src/runtime/contrib/json/json_node.h v0.7.0 – v0.23.0,
/// src/runtime/extra/contrib/json/json_node.h v0.26.0), whose attributes are nested strings until v0.23 and plain
/// values from v0.24 (f8dbbdaf5c).
enum class GraphForm { Executor, Runtime };

/// A node in words; what the text does not say is empty.
struct GraphNode {
  std::string name;
  std::string op;         ///< "null", "tvm_op"; "input", "const", "kernel"
  std::string function;   ///< Executor: the function that is called
  std::string inputs;     ///< names of nodes, ":1" behind those whose second output is meant
  std::string shape;      ///< one per output, "[1, 4]; [1]"
  std::string dtype;      ///< one per output
  std::string storage;    ///< Executor: storage ids, one per output
  std::string attributes; ///< Runtime: "strides=[1, 1], groups=1"
};

/// The nodes of a graph, put into words when they are asked for: a text may hold two million. Parts that have another
/// form than expected are left out.
class LazyGraph {
public:
  LazyGraph(const Bytes& text, GraphForm form);
  ~LazyGraph();
  LazyGraph(const LazyGraph&) = delete;
  LazyGraph& operator=(const LazyGraph&) = delete;

  /// Why there are no nodes: what is not JSON and where, or what is missing; else empty.
  const std::string& problem() const { return m_problem; }
  uint64_t size() const;
  GraphNode node(uint64_t index) const;
  /// Nodes whose op is "const".
  uint64_t countConstants() const;

private:
  struct Content;
  std::unique_ptr<const Content> m_content; ///< null when there is a problem
  std::string m_problem;
};

/// Adds the page "Graph nodes", made when it is looked at; a notice when the text cannot be read.
void addGraphNodesPage(view::PageList& list, const Bytes& text, GraphForm form);

} // namespace blobscope::modules
