#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::ui {

/// Bytes that the user typed over others and that are not a change of the document yet, with undo. Offsets count from
/// the first displayed byte.
class TypedBytes {
public:
  bool empty() const { return m_bytes.empty(); }
  std::size_t count() const { return m_bytes.size(); }
  std::optional<uint8_t> at(uint64_t offset) const;
  /// Sets a byte, as one step that can be undone; `joins`: as a part of the last step, if that set the same byte.
  void put(uint64_t offset, uint8_t value, bool joins = false);
  bool canUndo(bool redo) const { return redo ? m_done < m_steps.size() : m_done > 0; }
  /// Returns the byte that changed; nothing when there is nothing to undo.
  std::optional<uint64_t> undo(bool redo);
  void clear();

  struct Run {
    uint64_t offset;
    std::string bytes;
  };
  /// Returns the bytes that differ from those of `original`, in order, neighbours together.
  std::vector<Run> runs(const std::function<uint8_t(uint64_t)>& original) const;

private:
  struct Step {
    uint64_t offset;
    std::optional<uint8_t> before;
    uint8_t after;
  };
  void set(uint64_t offset, std::optional<uint8_t> value);

  std::map<uint64_t, uint8_t> m_bytes;
  std::vector<Step> m_steps;
  std::size_t m_done = 0; ///< steps that are not undone
};

} // namespace blobscope::ui
