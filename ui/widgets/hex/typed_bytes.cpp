#include "ui/widgets/hex/typed_bytes.h"

namespace blobscope::ui {

std::optional<uint8_t> TypedBytes::at(uint64_t offset) const {
  const auto found = m_bytes.find(offset);
  return found == m_bytes.end() ? std::nullopt : std::optional(found->second);
}

void TypedBytes::set(uint64_t offset, std::optional<uint8_t> value) {
  if (value)
    m_bytes[offset] = *value;
  else
    m_bytes.erase(offset);
}

void TypedBytes::put(uint64_t offset, uint8_t value, bool joins) {
  m_steps.resize(m_done);
  if (joins && !m_steps.empty() && m_steps.back().offset == offset)
    m_steps.back().after = value;
  else
    m_steps.push_back({offset, at(offset), value});
  m_done = m_steps.size();
  set(offset, value);
}

std::optional<uint64_t> TypedBytes::undo(bool redo) {
  if (!canUndo(redo)) return std::nullopt;
  const Step& step = m_steps[redo ? m_done++ : --m_done];
  set(step.offset, redo ? std::optional(step.after) : step.before);
  return step.offset;
}

void TypedBytes::clear() {
  m_bytes.clear();
  m_steps.clear();
  m_done = 0;
}

std::vector<TypedBytes::Run> TypedBytes::runs(const std::function<uint8_t(uint64_t)>& original) const {
  std::vector<Run> out;
  for (const auto& [offset, value] : m_bytes) {
    if (value == original(offset)) continue;
    if (out.empty() || out.back().offset + out.back().bytes.size() != offset) out.push_back({offset, {}});
    out.back().bytes += static_cast<char>(value);
  }
  return out;
}

} // namespace blobscope::ui
