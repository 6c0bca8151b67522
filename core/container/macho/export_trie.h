#pragma once

#include "core/base/extent.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::container {

/// A node of an export trie as stored.
struct TrieNode {
  Extent terminal;       ///< description of its name's export, empty for none; the bytes before it are its size
  uint64_t children = 0; ///< offset of the first of them
  unsigned count = 0;    ///< of the children
};
/// The node at `offset`, which is less than the size. Nothing when it ends inside the bytes before its children.
std::optional<TrieNode> trieNodeAt(std::string_view trie, uint64_t offset);

/// The edge from a node to one of its children, as stored.
struct TrieEdge {
  enum class End : uint8_t { Whole, NoName, NoNumber };
  End end = End::Whole;   ///< NoName: the piece of the name does not end within the limit; NoNumber: bad offset
  std::string_view label; ///< piece of the name, without the NUL
  uint64_t child = 0;     ///< offset of its node
  Extent childPlace;      ///< of that number; its size only when the number is complete
};
/// The edge at `offset`, which is at most the size. `most`: the maximum number of bytes in the piece of the name, with
/// its NUL.
TrieEdge trieEdgeAt(std::string_view trie, uint64_t offset, uint64_t most = UINT64_MAX);

/// The export of a name.
struct TrieExport {
  uint64_t flags = 0;   ///< EXPORT_SYMBOL_FLAGS_…
  uint64_t address = 0; ///< counted from the Mach-O header; for a re-export the number of the library
  Extent addressPlace;  ///< in the terminal
};
/// Nothing when the terminal is cut off.
std::optional<TrieExport> readTrieExport(std::string_view terminal);

/// The names that a linked Mach-O file exports, in the prefix tree that its loader reads. A node is the uleb128 size of
/// the export's description, the description, the number of children (one byte), and for each child a NUL-terminated
/// piece of the name and the uleb128 offset of its node. Source: llvm-project 19.1 llvm/lib/Object/MachOObjectFile.cpp,
/// ExportEntry::pushNode; flags: EXPORT_SYMBOL_FLAGS_*.
///
/// In a valid file this is a tree: no two nodes share a byte. That limits the walk in a damaged file too: it ends when
/// it has read more bytes than there are, and it enters each node once.
class ExportTrie {
public:
  /// Longest name; longer names are skipped and reported.
  static constexpr uint64_t kNameLength = 65'536;

  struct Entry {
    std::string_view name; ///< valid during the call
    uint64_t flags = 0;    ///< EXPORT_SYMBOL_FLAGS_…
    uint64_t address = 0;  ///< counted from the Mach-O header; 0 for a re-export
  };

  ExportTrie(std::string_view bytes, Monitor& monitor) : m_bytes(bytes), m_monitor(monitor) {}

  /// Calls `visit` for each name until it returns false. Damage is skipped and counted. Cancelled.
  Result<Done> walk(const std::function<bool(const Entry&)>& visit);
  /// Describes what was skipped; empty when everything was read.
  std::string problem() const;

private:
  struct Frame {
    uint64_t at;       ///< of the next child
    unsigned children; ///< that remain
    uint64_t nameLength;
  };
  bool enter(uint64_t offset, const std::function<bool(const Entry&)>& visit);
  void report(std::string problem);

  std::string_view m_bytes;
  Monitor& m_monitor;
  std::string m_name;
  std::vector<Frame> m_frames;
  std::vector<bool> m_entered;
  uint64_t m_read = 0;
  std::string m_problem; ///< the first one
  uint64_t m_problems = 0;
};

} // namespace blobscope::container
