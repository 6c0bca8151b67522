#include "core/payloads/tensor/tensor_pages.h"

#include "core/base/text.h"
#include "core/payloads/tensor/tensor_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>

namespace blobscope::payloads {
namespace {

constexpr uint64_t kColumns = 64;

class ValueTable final : public view::TableSource {
public:
  explicit ValueTable(const Tensor& tensor) : m_values(tensor) {
    if (tensor.elementCount())
      for (const int64_t extent : tensor.shape) m_shape.push_back(static_cast<uint64_t>(extent));
    else
      m_shape = {m_values.stored()};
    m_last = m_shape.empty() ? 1 : m_shape.back();
    m_shown = std::clamp<uint64_t>(m_last, 1, kColumns);
    m_blocks = m_last / kColumns + (m_last % kColumns != 0);
    // Complete lines of the last axis, then the stored blocks of the last, incomplete line.
    const uint64_t stored = m_values.stored(), rest = m_last > 0 ? stored % m_last : 0;
    m_rows = m_last > 0 ? stored / m_last * m_blocks + rest / kColumns + (rest % kColumns != 0) : 0;
  }

  std::vector<view::Column> columns() const override {
    std::vector<view::Column> columns = {{"index"}};
    const bool number = m_values.type().isNumber() && m_values.type().lanes == 1;
    for (uint64_t i = 0; i < m_shown; ++i) {
      std::string title = m_shape.empty() ? "value" : (m_blocks > 1 ? "+" : "") + std::to_string(i);
      columns.push_back({std::move(title), number});
    }
    return columns;
  }
  uint64_t rowCount() const override { return m_rows; }
  std::string cell(uint64_t row, std::size_t column) const override {
    const uint64_t line = row / m_blocks, first = row % m_blocks * kColumns;
    if (column == 0) return label(line, first);
    const uint64_t at = first + column - 1;
    return at < m_last ? m_values.text(line * m_last + at) : std::string();
  }

private:
  /// "[3, 0, :]", "[3, 0, 64:128]" for a part of the last axis, "[]" for a scalar.
  std::string label(uint64_t line, uint64_t first) const {
    if (m_shape.empty()) return "[]";
    std::string out =
        m_blocks > 1 ? std::to_string(first) + ":" + std::to_string(std::min(first + kColumns, m_last)) + "]" : ":]";
    for (std::size_t axis = m_shape.size() - 1; axis-- > 0;) {
      out.insert(0, std::to_string(line % m_shape[axis]) + ", ");
      line /= m_shape[axis];
    }
    return "[" + out;
  }

  TensorValues m_values;
  std::vector<uint64_t> m_shape;
  uint64_t m_last, m_shown, m_blocks, m_rows;
};

/// Computed once for both pages that show it. A second caller in the meantime computes its own, so that each can be
/// cancelled.
class SharedStatistics {
public:
  explicit SharedStatistics(Tensor tensor) : m_tensor(std::move(tensor)) {}
  Result<TensorStatistics> get(Monitor& monitor) {
    {
      const std::lock_guard lock(m_mutex);
      if (m_made) return *m_made;
    }
    BLOBSCOPE_TRY(made, computeStatistics(m_tensor, monitor));
    const std::lock_guard lock(m_mutex);
    m_made = made;
    return made;
  }

private:
  Tensor m_tensor;
  std::mutex m_mutex;
  std::optional<TensorStatistics> m_made;
};

std::string numberText(double value) {
  std::array<char, 64> digits;
  const auto [end, failure] =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 9);
  return std::string(digits.data(), end);
}

view::Page statisticsPage(const TensorStatistics& statistics) {
  std::vector<std::vector<std::string>> rows = {{"values", groupedText(statistics.count)}};
  if (statistics.finite() > 0) {
    rows.push_back({"smallest", statistics.minimumText});
    rows.push_back({"largest", statistics.maximumText});
    rows.push_back({"mean", numberText(statistics.mean)});
    rows.push_back({"standard deviation", numberText(statistics.deviation)});
  }
  rows.push_back({"zeros", groupedText(statistics.zeros)});
  rows.push_back({"NaN", groupedText(statistics.nans)});
  rows.push_back({"infinite", groupedText(statistics.infinities)});
  return view::factsPage("Statistics", std::move(rows));
}

view::Page histogramPage(const TensorStatistics& statistics) {
  if (statistics.finite() == 0) return {"Histogram", view::NoticePage{"There are no finite values."}};
  std::vector<std::vector<std::string>> rows;
  const bool one = statistics.minimum == statistics.maximum;
  const std::size_t bins = one ? 1 : TensorStatistics::kBins;
  for (std::size_t i = 0; i < bins; ++i) {
    const auto edge = [&](std::size_t n) {
      const double part = static_cast<double>(n) / static_cast<double>(bins);
      return numberText(statistics.minimum * (1 - part) + statistics.maximum * part);
    };
    rows.push_back({edge(i), edge(i + 1), std::to_string(statistics.histogram[i])});
  }
  return view::tablePage("Histogram", {{"from", true}, {"to", true}, {"values", true, true}}, std::move(rows));
}

/// Compares the number of stored bytes with the number that shape and type require.
std::string fitText(const Tensor& tensor, const TensorValues& values) {
  const auto wanted = writtenBytes(tensor);
  const uint64_t size = tensor.data.size();
  if (!wanted) return "the shape has no number of elements; the values are shown as one axis";
  uint64_t full = 0;
  if (__builtin_mul_overflow(*wanted, values.type().lanes, &full)) full = UINT64_MAX;
  if (size == full) return "as many as shape and type need";
  if (values.isPacked())
    return "as many as packed elements of " + std::to_string(values.type().bits * values.type().lanes) + " bits need";
  if (size == *wanted) return "those of one lane: writers omit the other lanes, so the last elements are missing";
  const std::string need = "shape and type need " + sizeText(full);
  return size < full ? need + "; the last elements are missing" : need + "; the last bytes belong to no element";
}

} // namespace

std::shared_ptr<const view::TableSource> tensorValueTable(const Tensor& tensor) {
  return std::make_shared<ValueTable>(tensor);
}

void addTensorPages(const Tensor& tensor, view::PageList& list) {
  const TensorValues values(tensor);
  const auto count = tensor.elementCount();
  std::vector<std::vector<std::string>> facts = {
      {"type", tensor.typeText()},
      {"shape", tensor.shapeText()},
      {"elements", count ? groupedText(*count) : "none: an extent is negative or their product too large"},
      {"bytes", sizeText(tensor.data.size())},
      {"stored bytes", fitText(tensor, values)}};
  if (tensor.deviceType != 1 || tensor.deviceId != 0)
    facts.push_back({"device", std::to_string(tensor.deviceType) + ", " + std::to_string(tensor.deviceId) +
                                   "; writers store 1, 0"});
  if (tensor.reserved != 0) facts.push_back({"reserved", hexText(tensor.reserved)});
  list.push_back(view::factsPage("Tensor", std::move(facts)));
  list.push_back({"Values", view::TablePage{tensorValueTable(tensor)}});
  if (!values.type().isNumber() || values.stored() == 0) return;
  const auto shared = std::make_shared<SharedStatistics>(tensor);
  const auto later = [&](std::string name, view::Page (*page)(const TensorStatistics&)) {
    list.push_back(
        {std::move(name), view::DeferredPage{"table", [shared, page](Monitor& monitor) -> Result<view::Page> {
                                               BLOBSCOPE_TRY(statistics, shared->get(monitor));
                                               return page(statistics);
                                             }}});
  };
  later("Statistics", statisticsPage);
  later("Histogram", histogramPage);
}

} // namespace blobscope::payloads
