#include "core/container/macho/export_trie.h"

#include "core/base/text.h"
#include "core/container/leb128.h"
#include "core/container/macho/constants.h"

#include <algorithm>

namespace blobscope::container {

Result<Done> ExportTrie::walk(const std::function<bool(const Entry&)>& see) {
  if (m_bytes.empty()) return Done{};
  m_entered.assign(m_bytes.size(), false);
  if (!enter(0, see)) return Done{};
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

    // --- 1. The piece of the name. ---
    const uint64_t start = frame.at;
    m_name.resize(frame.nameLength);
    const uint64_t room = std::min<uint64_t>(m_bytes.size() - start, kNameLength - frame.nameLength + 1);
    const std::size_t length = m_bytes.substr(start, room).find('\0');
    if (length == std::string_view::npos) {
      tell(room == m_bytes.size() - start
               ? "a name at " + hexText(start) + " does not end"
               : "a name at " + hexText(start) + " is longer than " + std::to_string(kNameLength) + " bytes");
      m_frames.pop_back(); // where the next child begins is not known
      continue;
    }
    // --- 2. Where it goes on. ---
    uint64_t at = start + length + 1, child = 0;
    if (!readNumber(at, m_bytes.size(), child)) {
      tell("the number at " + hexText(start + length + 1) + " does not end or is too large");
      m_frames.pop_back();
      continue;
    }
    m_name += m_bytes.substr(start, length);
    m_read += at - start;
    frame.at = at;
    if (m_read > m_bytes.size()) {
      tell("its nodes overlap");
      break;
    }
    if (!enter(child, see)) break; // makes `frame` invalid
  }
  return Done{};
}

/// Reads the node at `offset`, whose name is m_name, and puts its children on the stack. False when the walk is over.
bool ExportTrie::enter(uint64_t offset, const std::function<bool(const Entry&)>& see) {
  const uint64_t size = m_bytes.size();
  if (offset >= size) {
    tell("the node at " + hexText(offset) + " lies outside its " + std::to_string(size) + " bytes");
    return true;
  }
  if (m_entered[offset]) {
    tell("the node at " + hexText(offset) + " is reached twice");
    return true;
  }
  m_entered[offset] = true;
  uint64_t at = offset, terminal = 0;
  if (!readNumber(at, size, terminal) || terminal >= size - at) {
    tell("the node at " + hexText(offset) + " does not end inside its " + std::to_string(size) + " bytes");
    return true;
  }
  const uint64_t children = at + terminal;
  m_read += children + 1 - offset;
  if (m_read > size) {
    tell("its nodes overlap");
    return false;
  }
  if (terminal > 0) {
    Entry entry;
    bool good = true;
    readTerminal(at, children, entry, good);
    if (!good)
      tell("the node at " + hexText(offset) + " holds " + std::to_string(terminal) + " bytes that are cut off");
    else if (!see(entry))
      return false;
  }
  m_frames.push_back({children + 1, static_cast<unsigned char>(m_bytes[children]), m_name.size()});
  return true;
}

/// What a name stands for: flags, then an address, or the library that has it (and its name there).
void ExportTrie::readTerminal(uint64_t at, uint64_t end, Entry& entry, bool& good) {
  entry.name = m_name;
  uint64_t number = 0;
  good = readNumber(at, end, entry.flags) && readNumber(at, end, number);
  if (!(entry.flags & macho::EXPORT_SYMBOL_FLAGS_REEXPORT)) entry.address = number;
}

bool ExportTrie::readNumber(uint64_t& at, uint64_t end, uint64_t& value) const {
  return readUleb(m_bytes.substr(0, end), at, value) == LebEnd::Whole;
}

void ExportTrie::tell(std::string problem) {
  if (m_problems++ == 0) m_problem = std::move(problem);
}

std::string ExportTrie::problem() const {
  if (m_problems < 2) return m_problem;
  return m_problem + ", and " + std::to_string(m_problems - 1) + " more of its kind";
}

} // namespace blobscope::container
