#pragma once

#include "core/base/monitor.h"
#include "core/base/ref.h"
#include "core/library/package.h"
#include "core/sizes/free_ranges.h"
#include "core/view/treemap_page.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What takes how many bytes of a file, as a tree. Each function below gets bytes without an owner and returns nodes
/// that own exactly these bytes.
namespace blobscope::sizes {

using Kind = view::TreemapPage::Kind;

struct Node {
  std::string name; ///< escaped
  std::string note; ///< escaped
  Kind kind = Kind::Container;
  uint64_t bytes = 0; ///< the sum of those of the children, if there are any
  std::optional<Ref> ref;
  std::vector<Node> children;
  uint64_t merged = 0; ///< as TreemapPage::Item::merged
  std::string file;    ///< as TreemapPage::Item::file

  static Node leaf(std::string name, Kind kind, uint64_t bytes, std::optional<Ref> ref = std::nullopt,
                   std::string note = {}) {
    return {std::move(name), std::move(note), kind, bytes, std::move(ref), {}, 0, {}};
  }
};

/// Work on a tree, which can be stopped, and its limit.
class Work {
public:
  /// `mostChildren`: that a node keeps; the smallest ones become one.
  explicit Work(Monitor& monitor, std::size_t mostChildren = 5'000)
      : m_monitor(monitor), m_mostChildren(mostChildren) {}
  std::size_t mostChildren() const { return m_mostChildren; }
  Monitor& monitor() { return m_monitor; }
  /// Whether to return as soon as possible; asks the monitor at every 1,024th call.
  bool stops() {
    if (m_calls++ % 1024 == 0 && m_monitor.stopRequested()) m_stopped = true;
    return m_stopped;
  }
  bool wasStopped() { return m_stopped || m_monitor.stopRequested(); }
  /// Whether there is room for the nodes below another one; if not, it stays whole.
  bool takeNodes(std::size_t count) {
    if (count > m_left) return false;
    m_left -= count;
    return true;
  }

private:
  static constexpr std::size_t kNodes = 400'000; ///< before small ones are merged
  Monitor& m_monitor;
  std::size_t m_mostChildren;
  std::size_t m_left = kNodes;
  uint64_t m_calls = 0;
  bool m_stopped = false;
};

/// Adds children without those of 0 bytes, largest first; the smallest of more than Work::mostChildren() become one.
void addChildren(Node& parent, std::vector<Node> children, const Work& work);
/// Returns files in the folders that their paths name. `ref`: of the folders.
std::vector<Node> nodesInFolders(std::vector<std::pair<std::string, Node>> files, const std::optional<Ref>& ref,
                                 const Work& work);

/// A part of the code of a module: kernels, sections, and what is left. `language`: of source code.
struct CodeOwner {
  Ref module;
  std::vector<std::string_view> kernels; ///< sorted names that refs can use
  std::string_view language;
  bool hasImages = false; ///< refs can name the images of a fat binary
};
std::vector<Node> codeNodes(const Bytes& code, FreeRanges own, const CodeOwner& owner, Work& work);

Node moduleNode(const library::Blob& blob, const library::Module& module, FreeRanges own, Work& work);
/// `own`: counted from the first byte of the blob.
Node blobNode(const library::Blob& blob, FreeRanges own, Work& work);
/// A file or member with the name of its path.
Node fileNode(const library::Package& package, FreeRanges own, Work& work);
/// The outermost file, unpacked when it is compressed as a whole.
Node wholeFileNode(const library::Package& package, Work& work);

} // namespace blobscope::sizes
