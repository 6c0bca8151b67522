#pragma once

#include "core/graph/stacks.h"
#include "core/view/pictures.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace blobscope::graph {

struct PictureOptions {
  bool foldRepeats = true;     ///< draws each stack as one box
  bool showValues = false;     ///< draws parameters and constants, which are many
  std::set<uint32_t> unfolded; ///< stacks that are drawn as their nodes nevertheless
};

/// The boxes and edges that are drawn of a page.
struct Picture {
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Box {
    uint32_t node = 0;      ///< of the page; of a stack its last node, whose shape leaves the stack
    uint32_t stack = kNone; ///< number of the stack that it represents
    std::string title, note;
    std::optional<uint64_t> bytes;                            ///< of a stack, the sum
    uint32_t blocks = 1;                                      ///< of a stack
    view::GraphPage::Mark mark = view::GraphPage::Mark::None; ///< of a stack with several marks, Changed
  };
  struct Edge {
    uint32_t from = 0, to = 0; ///< boxes
    std::string label;
    uint32_t count = 1;                                       ///< edges of the page that it represents
    view::GraphPage::Mark mark = view::GraphPage::Mark::None; ///< of several marks, Changed
  };
  std::vector<Box> boxes; ///< in the order of the nodes
  std::vector<Edge> edges;
  std::vector<uint32_t> boxOf; ///< of each node of the page; kNone for hidden ones
  uint64_t hiddenValues = 0, foldedNodes = 0, stacks = 0;
};

/// Constants and parameters are left out unless options show them; inputs are drawn. Edges between two boxes are
/// joined.
Picture pictureOf(const view::GraphPage& page, const std::vector<Stack>& stacks, const PictureOptions& options);

} // namespace blobscope::graph
