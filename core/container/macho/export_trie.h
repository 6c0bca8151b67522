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
  Extent terminal;       ///< what its name stands for, empty for none; the bytes before it are the number of its bytes
  uint64_t children = 0; ///< where the first of them begins
  unsigned count = 0;    ///< of the children
};
/// The node at `offset`, which is less than the size. Nothing when it does not end in front of its children.
std::optional<TrieNode> trieNodeAt(std::string_view trie, uint64_t offset);

/// What leads from a node to one of its children, as stored.
struct TrieEdge {
  enum class End : uint8_t { Whole, NoName, NoNumber };
  End end = End::Whole;   ///< NoName: the piece of the name does not end in time; NoNumber: the offset is damaged
  std::string_view label; ///< piece of the name, without the NUL
  uint64_t child = 0;     ///< offset of its node
  Extent childPlace;      ///< of that number; its size only when it is whole
};
/// The edge at `offset`, which is at most the size. `most`: bytes that the piece of the name may have, with its NUL.
TrieEdge trieEdgeAt(std::string_view trie, uint64_t offset, uint64_t most = UINT64_MAX);

/// What a name stands for.
struct TrieExport {
  uint64_t flags = 0;   ///< EXPORT_SYMBOL_FLAGS_…
  uint64_t address = 0; ///< counted from the Mach-O header; of a re-export the number of the library
  Extent addressPlace;  ///< in the terminal
};
/// Nothing when the terminal is cut off.
std::optional<TrieExport> readTrieExport(std::string_view terminal);

/// The names that a linked Mach-O file exports, in the prefix tree that its loader reads. Nodes: uleb128 size of what
/// the name stands for, that, number of children (one byte), for each a NUL-terminated piece of the name and the
/// uleb128 offset of its node. Source: llvm-project 19.1 llvm/lib/Object/MachOObjectFile.cpp, ExportEntry::pushNode;
/// flags: EXPORT_SYMBOL_FLAGS_*.
///
/// A sound tree is one: no two nodes share a byte. That bounds the walk, whatever the bytes say: it ends when more
/// bytes were read than there are, and enters each node once.
class ExportTrie {
public:
  /// Longest name; what is longer is left out and told.
  static constexpr uint64_t kNameLength = 65'536;

  struct Entry {
    std::string_view name; ///< valid during the call
    uint64_t flags = 0;    ///< EXPORT_SYMBOL_FLAGS_…
    uint64_t address = 0;  ///< counted from the Mach-O header; 0 of a re-export
  };

  ExportTrie(std::string_view bytes, Monitor& monitor) : m_bytes(bytes), m_monitor(monitor) {}

  /// Calls `see` for each name until it returns false. Damage is skipped and counted. Cancelled.
  Result<Done> walk(const std::function<bool(const Entry&)>& visit);
  /// What was skipped, in words; empty when all was read.
  std::string problem() const;

private:
  struct Frame {
    uint64_t at;       ///< of the next child
    unsigned children; ///< left
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
