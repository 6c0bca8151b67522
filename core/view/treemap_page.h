#pragma once

#include "core/base/json.h"
#include "core/base/ref.h"
#include "core/view/page.h"
#include "core/view/render.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::view {

/// What takes how many bytes, as a tree in which every byte belongs to exactly one item without items below it. All
/// texts are escaped.
struct TreemapPage {
  /// What the bytes are for, which chooses the colour.
  enum class Kind : uint8_t {
    Container, ///< files, archives, members and blobs
    Vm,        ///< bytecode and graphs
    Kernel,    ///< device code
    HostCode,
    Constants, ///< tensors and other data
    Tables,    ///< headers, symbols, debug information
    Unnamed    ///< bytes that nothing in the file names
  };
  /// The word in --json: "vm", "host-code".
  static std::string_view kindName(Kind kind);
  /// The words of the legend: "VM, graph".
  static std::string_view kindTitle(Kind kind);
  static constexpr std::size_t kKinds = 7;

  struct Item {
    std::string name;
    std::string note = {}; ///< a few words; may be empty
    Kind kind = Kind::Container;
    uint64_t bytes = 0;            ///< the sum of those of the items below it, if there are any
    uint32_t parent = 0;           ///< 0 for the root
    uint32_t first = 0, count = 0; ///< the items below it, largest first
    uint64_t merged = 0;           ///< number of things in an item that stands for several; 0 for one thing
    std::optional<Ref> ref = {};   ///< the node that it is
    std::string file = {};         ///< of a file in a folder: its path below the folder, as stored
  };
  std::vector<Item> items;        ///< the root, then level by level
  std::string sentence;           ///< what takes most
  std::vector<std::string> notes; ///< sentences

  uint64_t total() const { return items.empty() ? 0 : items.front().bytes; }
  bool isLeaf(uint32_t item) const { return items[item].count == 0; }
  /// The path of the file that contains the item, on a page about a folder; empty on other pages.
  const std::string& fileOf(uint32_t item) const;
  /// The names of the items above, without the root: "Blob › cuda"; empty directly below the root.
  std::string pathAbove(uint32_t item) const;
  /// The leaves at or below an item, largest first.
  std::vector<uint32_t> leavesBelow(uint32_t item) const;
  /// "10.8 %" of all bytes, with one digit after the point.
  std::string shareText(uint32_t item, uint32_t of = 0) const;
  /// "softmax_kernel, 152,632 bytes, 10.8 %".
  std::string itemText(uint32_t item) const;
};

/// All leaves with their paths and shares, largest first.
TablePage treemapTable(const TreemapPagePtr& page);

/// Indented rows with bytes and shares. Error: only Cancelled.
Result<Done> renderTreemap(const TreemapPage& page, const TextSink& sink, Monitor& monitor);
/// The members "total", "sentence", "notes" and "items", those in the order of a walk. Error: only Cancelled.
Result<Done> renderTreemap(const TreemapPage& page, json::Writer& writer, Monitor& monitor);

} // namespace blobscope::view
