#pragma once

#include "core/base/ref.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Pages that are looked at rather than read.
namespace blobscope::view {

/// Nodes and the values or calls between them.
struct GraphPage {
  /// What a node is, for its colour and its icon.
  enum class Kind : uint8_t { Operator, Input, Constant, Function, Kernel, Module };
  /// The word in --json: "operator", "input".
  static std::string_view kindName(Kind kind);
  /// How a node or an edge of two merged graphs differs (diff::mergeGraphs).
  enum class Mark : uint8_t { None, Added, Removed, Changed };
  /// The mark as a word: "added"; empty for None.
  static std::string_view markName(Mark mark);
  struct Node {
    std::string title; ///< a few words: "conv, leaky relu"
    std::string name;  ///< the full name: "tvmgen_default_fused_nn_conv2d"
    std::string note;  ///< what comes out of it: "1×16×20×30"; empty when it is not known
    std::string group; ///< what it does, for the colours: "Convolution"
    std::string device = {};
    Kind kind = Kind::Operator;
    std::optional<uint64_t> bytes = {}; ///< of its outputs, or of its code; nothing when it is not known
    std::optional<Ref> ref = {};        ///< the part that it opens
    /// Until the page is linked (xref::linkGraph): the function that it calls, as the code names it, and the part of
    /// the page's node that it is.
    std::string calls = {};
    std::optional<Ref::Part> part = {};
    Mark mark = Mark::None;
  };
  struct Edge {
    uint32_t from = 0, to = 0; ///< indexes in `nodes`
    std::string label = {};    ///< "launches", "2 ×"; may be empty
    Mark mark = Mark::None;
  };

  std::string unit;        ///< what the nodes are, plural: "operators", "functions"
  std::string bytesOf;     ///< what Node::bytes counts: "output", "code"
  std::vector<Node> nodes; ///< in stored order, which is that of their execution where there is one
  std::vector<Edge> edges;
  uint64_t omitted = 0;  ///< nodes after the limit
  bool named = false;    ///< names identify the nodes; else their order does
  bool sideways = false; ///< drawn from left to right: names are long and the graph is wide

  /// The number of nodes that a page shows.
  static constexpr std::size_t kNodes = 100'000, kEdges = 1'000'000;
  /// Whether the node is an input, a parameter or a constant, which pictures hide at first.
  static bool isValue(Kind kind) { return kind == Kind::Input || kind == Kind::Constant; }
};

} // namespace blobscope::view
