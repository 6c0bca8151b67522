#include "core/container/macho/export_trie.h"

#include "core/base/text.h"
#include "core/container/leb128.h"
#include "core/container/macho/constants.h"

#include <algorithm>

namespace blobscope::container {
namespace {

bool readNumber(std::string_view bytes, uint64_t& at, uint64_t& value) {
  return readUleb(bytes, at, value) == LebEnd::Whole;
}

} // namespace

std::optional<TrieNode> trieNodeAt(std::string_view trie, uint64_t offset) {
  uint64_t at = offset, size = 0;
  if (!readNumber(trie, at, size) || size >= trie.size() - at) return std::nullopt;
  const uint64_t end = at + size;
  return TrieNode{{at, size}, end + 1, static_cast<unsigned char>(trie[end])};
}

TrieEdge trieEdgeAt(std::string_view trie, uint64_t offset, uint64_t most) {
  TrieEdge edge;
  const std::size_t length = trie.substr(offset, most).find('\0');
  if (length == std::string_view::npos) {
    edge.end = TrieEdge::End::NoName;
    return edge;
  }
  edge.label = trie.substr(offset, length);
  edge.childPlace.offset = offset + length + 1;
  uint64_t at = edge.childPlace.offset;
  if (readNumber(trie, at, edge.child))
    edge.childPlace.size = at - edge.childPlace.offset;
  else
    edge.end = TrieEdge::End::NoNumber;
  return edge;
}

std::optional<TrieExport> readTrieExport(std::string_view terminal) {
  TrieExport found;
  uint64_t at = 0;
  if (!readNumber(terminal, at, found.flags)) return std::nullopt;
  const uint64_t from = at;
  if (!readNumber(terminal, at, found.address)) return std::nullopt;
  found.addressPlace = {from, at - from};
  return found;
}

Result<Done> ExportTrie::walk(const std::function<bool(const Entry&)>& visit) {
  if (m_bytes.empty()) return Done{};
  m_entered.assign(m_bytes.size(), false);
  if (!enter(0, visit)) return Done{};
  for (uint64_t step = 0; !m_frames.empty(); ++step) {
    if (step % 4096 == 0) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      m_monitor.progress("reading exports", m_read, m_bytes.size());
    }
    Frame& frame = m_frames.back();
    if (frame.children == 0) {
      m_frames.pop_back();
      continue;
    }
    --frame.children;

    const uint64_t start = frame.at;
    m_name.resize(frame.nameLength);
    const uint64_t room = std::min<uint64_t>(m_bytes.size() - start, kNameLength - frame.nameLength + 1);
    const TrieEdge edge = trieEdgeAt(m_bytes, start, room);
    if (edge.end != TrieEdge::End::Whole) {
      if (edge.end == TrieEdge::End::NoNumber)
        report("the number at " + hexText(edge.childPlace.offset) + " does not end or is too large");
      else
        report(room == m_bytes.size() - start
                   ? "a name at " + hexText(start) + " does not end"
                   : "a name at " + hexText(start) + " is longer than " + std::to_string(kNameLength) + " bytes");
      m_frames.pop_back(); // the offset of the next child is unknown
      continue;
    }
    m_name += edge.label;
    frame.at = edge.childPlace.end();
    m_read += frame.at - start;
    if (m_read > m_bytes.size()) {
      report("its nodes overlap");
      break;
    }
    if (!enter(edge.child, visit)) break; // makes `frame` invalid
  }
  return Done{};
}

/// Reads the node at `offset`, whose name is m_name, and puts its children on the stack. Returns false when the walk is
/// over.
bool ExportTrie::enter(uint64_t offset, const std::function<bool(const Entry&)>& visit) {
  const uint64_t size = m_bytes.size();
  if (offset >= size) {
    report("the node at " + hexText(offset) + " is outside its " + std::to_string(size) + " bytes");
    return true;
  }
  if (m_entered[offset]) {
    report("the node at " + hexText(offset) + " is reached twice");
    return true;
  }
  m_entered[offset] = true;
  const auto node = trieNodeAt(m_bytes, offset);
  if (!node) {
    report("the node at " + hexText(offset) + " does not end inside its " + std::to_string(size) + " bytes");
    return true;
  }
  m_read += node->children - offset;
  if (m_read > size) {
    report("its nodes overlap");
    return false;
  }
  if (const Extent terminal = node->terminal; terminal.size > 0) {
    const auto found = readTrieExport(m_bytes.substr(terminal.offset, terminal.size));
    if (!found)
      report("the node at " + hexText(offset) + " contains " + std::to_string(terminal.size) +
             " bytes that are truncated");
    else if (!visit({m_name, found->flags, found->flags & macho::EXPORT_SYMBOL_FLAGS_REEXPORT ? 0 : found->address}))
      return false;
  }
  m_frames.push_back({node->children, node->count, m_name.size()});
  return true;
}

void ExportTrie::report(std::string problem) {
  if (m_problems++ == 0) m_problem = std::move(problem);
}

std::string ExportTrie::problem() const {
  if (m_problems < 2) return m_problem;
  return m_problem + "; further problems: " + std::to_string(m_problems - 1);
}

} // namespace blobscope::container
