#pragma once

#include "core/base/extent.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::write::macho {

/// An export trie that can be rewritten with other addresses. The order of the nodes, the bytes between them and the
/// length of every number stay, unless a number needs more bytes. An unchanged trie is written byte for byte. Source of
/// the format: container/export_trie.h; reasons: core/formats/containers.md 6.3 (3).
class Trie {
public:
  /// `bytes` must outlive the trie. Errors: REP-TRIE unless the bytes are a tree of nodes that share no byte,
  /// Cancelled.
  static Result<Trie> read(std::string_view bytes, Monitor& monitor);

  /// An exported name.
  struct Export {
    std::size_t node = 0;
    std::string name;   ///< with the underscore
    bool plain = false; ///< a definition in this file, not a re-export, resolver, thread-local or absolute value
  };
  /// Returns all names at `address`, which is relative to the Mach-O header; at most `limit` + 1. Omits names of more
  /// than 4,096 bytes.
  std::vector<Export> exportsAt(uint64_t address, std::size_t limit) const;
  void setAddress(const Export& place, uint64_t address);
  /// Returns the bytes of the trie without the zeros after the last node, which pad the table to a multiple of 8.
  /// REP-TRIE when it becomes too large.
  Result<std::string> build() const;
  uint64_t tail() const { return m_tail; }

private:
  static constexpr std::size_t kNone = SIZE_MAX;
  struct Edge {
    std::string_view label; ///< without the NUL
    uint64_t offset = 0;
    std::size_t child = kNone;
    unsigned width = 1; ///< size of its offset in bytes
  };
  struct Node {
    uint64_t offset = 0, size = 0;  ///< as read
    std::size_t parentEdge = kNone; ///< the edge to this node
    std::size_t parent = kNone;
    unsigned sizeWidth = 1;
    std::string_view terminal; ///< export information of the name; empty for none
    std::string changed;       ///< replaces `terminal`; empty when unchanged
    std::size_t firstEdge = 0, edges = 0;
    uint64_t gap = 0; ///< number of bytes after it
    std::string_view content() const { return changed.empty() ? terminal : std::string_view(changed); }
  };

  Result<Done> readNodes(Monitor& monitor);

  std::string_view m_bytes;
  std::vector<Node> m_nodes; ///< by ascending offset
  std::vector<Edge> m_edges;
  uint64_t m_tail = 0;
};

} // namespace blobscope::write::macho
