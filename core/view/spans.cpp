#include "core/view/page.h"

namespace blobscope::view {
namespace {

/// Neighbours below this share of the whole are drawn as one.
constexpr uint64_t kSmallShare = 256;

class Tiles {
public:
  explicit Tiles(uint64_t size) : m_size(size) {}

  /// Adds `[from, to)`; bytes between the previous span and `from` are unknown.
  void add(std::string name, uint64_t from, uint64_t to, bool unknown) {
    if (to <= from) return;
    if (from > m_end) push("not explained", m_end, from, true);
    push(std::move(name), std::max(from, m_end), to, unknown);
  }
  std::vector<Span> take() {
    if (m_end < m_size) push("not explained", m_end, m_size, true);
    return std::move(m_spans);
  }

private:
  void push(std::string name, uint64_t from, uint64_t to, bool unknown) {
    if (to <= from) return;
    m_end = to;
    Span* const last = m_spans.empty() ? nullptr : &m_spans.back();
    const bool small = last && (to - from) < m_size / kSmallShare && last->extent.size < m_size / kSmallShare;
    if (last && last->unknown == unknown && (small || last->name == name)) {
      if (last->name != name) last->name = "other fields";
      last->extent.size = to - last->extent.offset;
      return;
    }
    m_spans.push_back({std::move(name), {from, to - from}, unknown});
  }

  uint64_t m_size;
  uint64_t m_end = 0;
  std::vector<Span> m_spans;
};

} // namespace

std::vector<Span> spansOf(const FieldTree& tree) {
  Tiles tiles(tree.bytes.size());
  for (uint32_t row = 0; row < tree.rows.size(); row = tree.rows[row].after) {
    const Field& field = tree.rows[row];
    std::string name(field.name);
    if (field.index != Field::kNoIndex) name = "[" + std::to_string(field.index) + "]";
    tiles.add(std::move(name), field.offset, std::min(field.offset + field.size, tree.bytes.size()),
              field.role == FieldRole::Unknown);
  }
  return tiles.take();
}

} // namespace blobscope::view
