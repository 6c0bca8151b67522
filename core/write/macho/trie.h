#pragma once

#include "core/base/extent.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::write::macho {

/// An export trie that can be written again with other addresses: order of the nodes, bytes between them and the length
/// of every number stay, unless a number needs more bytes. Untouched it is written byte for byte. Source of the format:
/// container/export_trie.h; why so: core/formats/containers.md 6.3 (3).
class Trie {
public:
  /// `bytes` must live as long as the trie. REP-TRIE for anything but a tree of nodes that share no byte; Cancelled.
  static Result<Trie> read(std::string_view bytes, Monitor& monitor);

  /// A name and what it stands for.
  struct Export {
    std::size_t node = 0;
    std::string name;   ///< with the underscore
    bool plain = false; ///< a definition in this file, no re-export, resolver, thread-local or absolute value
  };
  /// All names at `address`, which counts from the Mach-O header; at most `limit` and one more. Without names
  /// of more than 4,096 bytes.
  std::vector<Export> exportsAt(uint64_t address, std::size_t limit) const;
  void setAddress(const Export& place, uint64_t address);
  /// Without the zeros behind the last node, which fill the table up to a multiple of 8. REP-TRIE when it would
  /// become too large.
  Result<std::string> build() const;
  uint64_t tail() const { return m_tail; }

private:
  static constexpr std::size_t kNone = SIZE_MAX;
  struct Edge {
    std::string_view label; ///< without the NUL
    uint64_t offset = 0;
    std::size_t child = kNone;
    unsigned width = 1; ///< bytes of its offset
  };
  struct Node {
    uint64_t offset = 0, size = 0;  ///< as read
    std::size_t parentEdge = kNone; ///< that leads here
    std::size_t parent = kNone;
    unsigned sizeWidth = 1;
    std::string_view terminal; ///< what the name stands for, empty for none
    std::string changed;       ///< instead of it
    std::size_t firstEdge = 0, edges = 0;
    uint64_t gap = 0; ///< bytes behind it
    std::string_view content() const { return changed.empty() ? terminal : std::string_view(changed); }
  };

  Result<Done> readNodes(Monitor& monitor);

  std::string_view m_bytes;
  std::vector<Node> m_nodes; ///< by ascending offset
  std::vector<Edge> m_edges;
  uint64_t m_tail = 0;
};

} // namespace blobscope::write::macho
