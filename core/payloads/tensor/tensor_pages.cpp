#include "core/payloads/tensor/tensor_pages.h"

#include "core/base/text.h"
#include "core/payloads/tensor/tensor_summary.h"
#include "core/payloads/tensor/value_text.h"
#include "core/view/details.h"

#include <algorithm>
#include <array>
#include <charconv>

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

/// The elements of a tensor for a grid. An element with several lanes has the number of its first lane.
class TensorGrid final : public view::GridSource {
public:
  explicit TensorGrid(const Tensor& tensor) : m_values(tensor) {}
  uint64_t stored() const override { return m_values.stored(); }
  std::string text(uint64_t index) const override { return m_values.text(index); }
  void numbers(uint64_t first, uint64_t step, std::span<double> out) const override {
    for (double& number : out) {
      number = m_values.number(first);
      first = step > UINT64_MAX - first ? UINT64_MAX : first + step;
    }
  }

private:
  TensorValues m_values;
};

std::string nineDigits(double value) {
  std::array<char, 64> digits;
  const auto [end, failure] =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 9);
  return std::string(digits.data(), end);
}

view::PlotPage::Plot histogramOf(const TensorSummary& summary) {
  const TensorStatistics& statistics = summary.statistics;
  view::PlotPage::Plot plot;
  plot.title = "Histogram";
  plot.x.title = "value";
  plot.y.title = "values";
  if (statistics.finite() == 0) return plot;
  const bool one = statistics.minimum == statistics.maximum;
  const std::size_t bins = one ? 1 : TensorStatistics::kBins;
  plot.note = countText(bins, "bin") + (summary.isSampled() ? ", of a sample" : ", all finite values");
  const auto edge = [&](double bin) {
    const double part = bin / static_cast<double>(bins);
    return statistics.minimum * (1 - part) + statistics.maximum * part;
  };
  view::PlotPage::Series series{"values", view::PlotPage::Draw::Bars, {}};
  for (std::size_t i = 0; i < bins; ++i) {
    const auto at = static_cast<double>(i);
    const std::string label = one ? nineDigits(edge(0)) : nineDigits(edge(at)) + " to " + nineDigits(edge(at + 1));
    series.points.push_back(
        {edge(at + 0.5), static_cast<double>(statistics.histogram[i]), label, statistics.histogram[i], {}});
  }
  plot.series.push_back(std::move(series));
  plot.x.from = statistics.minimum;
  plot.x.to = statistics.maximum;
  if (!one) {
    plot.lines.push_back({true, summary.low, "1 %"});
    plot.lines.push_back({true, summary.high, "99 %"});
  }
  return plot;
}

view::GridSummary gridSummary(const TensorSummary& summary) {
  const TensorStatistics& statistics = summary.statistics;
  view::GridSummary out;
  auto& facts = out.facts;
  facts.push_back({"values", groupedText(summary.count)});
  if (summary.isSampled())
    facts.push_back({"read", groupedText(statistics.count) + " values, in blocks at equal distances"});
  if (statistics.finite() > 0) {
    const std::string about = summary.estimated ? "about " : "";
    facts.push_back({"smallest", statistics.minimumText});
    facts.push_back({"largest", statistics.maximumText});
    facts.push_back({"mean", nineDigits(statistics.mean)});
    facts.push_back({"median", about + nineDigits(summary.median)});
    facts.push_back({"standard deviation", nineDigits(statistics.deviation)});
    facts.push_back({"1st percentile", about + nineDigits(summary.low)});
    facts.push_back({"99th percentile", about + nineDigits(summary.high)});
    facts.push_back({"norm", nineDigits(summary.norm)});
  }
  facts.push_back({"zeros", groupedText(statistics.zeros)});
  if (summary.different) facts.push_back({"different values", groupedText(*summary.different)});
  facts.push_back({"NaN", groupedText(statistics.nans)});
  facts.push_back({"infinite", groupedText(statistics.infinities)});
  if (summary.subnormals) facts.push_back({"subnormal", groupedText(*summary.subnormals)});
  out.histogram = histogramOf(summary);
  out.low = summary.low;
  out.high = summary.high;
  out.read = statistics.count;
  out.count = summary.count;
  return out;
}

/// The bytes of an element as digits, and where they are.
std::pair<std::string, std::string> storedElement(const TensorValues& values, uint64_t index) {
  const uint64_t bits = uint64_t{values.type().bits} * values.type().lanes;
  const uint64_t size = values.isPacked() ? (bits + 7) / 8 : values.type().laneBytes() * values.type().lanes;
  if (index >= values.stored() || size > 16) return {};
  const uint64_t offset = values.firstBit(index * values.type().lanes) / 8;
  return {spacedHex(values.bytes().slice(offset, size).view()), view::offsetText(values.bytes(), offset)};
}

/// Compares the number of stored bytes with the number that shape and type require.
std::string fitText(const Tensor& tensor, const TensorValues& values) {
  const auto wanted = writtenBytes(tensor);
  const uint64_t size = tensor.data.size();
  if (values.layout() == Layout::None)
    return "no values are shown: TVM does not make a tensor of this type from an array, and reads back other values "
           "than "
           "are stored";
  if (!wanted) return "the shape has no number of elements; the values are shown as one axis";
  uint64_t full = 0;
  if (__builtin_mul_overflow(*wanted, values.type().lanes, &full)) full = UINT64_MAX;
  if (values.isPacked() && values.stored() == values.count()) {
    const uint64_t used = values.usedBytes();
    const std::string packed = "elements of " + std::to_string(values.type().bits * values.type().lanes) + " bits";
    if (size == used) return "as many as packed " + packed + " need";
    return sizeText(used) + " have packed " + packed + "; the others are no data";
  }
  if (size == full) return "as many as shape and type need";
  if (size == *wanted) return "those of one lane: writers omit the other lanes, so the last elements are missing";
  const std::string need = "shape and type need " + sizeText(full);
  return size < full ? need + "; the last elements are missing" : need + "; the last bytes belong to no element";
}

} // namespace

std::shared_ptr<const view::TableSource> tensorValueTable(const Tensor& tensor) {
  return std::make_shared<ValueTable>(tensor);
}

std::shared_ptr<const view::GridSource> tensorGrid(const Tensor& tensor) {
  return std::make_shared<TensorGrid>(tensor);
}

std::vector<uint64_t> gridShape(const Tensor& tensor) {
  if (tensor.elementCount()) return {tensor.shape.begin(), tensor.shape.end()};
  return {TensorValues(tensor).stored()};
}

view::GridPage tensorPage(const Tensor& tensor) {
  const TensorValues values(tensor);
  const auto count = tensor.elementCount();
  view::GridPage page;
  page.facts = {{"type", tensor.typeText()},
                {"shape", tensor.shapeText()},
                {"elements", count ? groupedText(*count) : "none: an extent is negative or their product too large"},
                {"bytes", sizeText(tensor.data.size())},
                {"stored bytes", fitText(tensor, values)}};
  if (tensor.deviceType != 1 || tensor.deviceId != 0)
    page.facts.push_back({"device", std::to_string(tensor.deviceType) + ", " + std::to_string(tensor.deviceId) +
                                        "; writers store 1, 0"});
  if (tensor.reserved != 0) page.facts.push_back({"reserved", hexText(tensor.reserved)});
  page.type = tensor.typeText();
  page.shape = gridShape(tensor);
  page.values = tensorGrid(tensor);
  page.table = tensorValueTable(tensor);
  if (values.type().isNumber() && values.stored() > 0)
    page.summarize = [tensor](bool exact, Monitor& monitor) -> Result<view::GridSummary> {
      BLOBSCOPE_TRY(summary, summarizeTensor(tensor, exact, monitor));
      return gridSummary(summary);
    };
  if (values.type().isNumber() && values.type().lanes == 1)
    page.nearest = [tensor](std::string_view text) -> Result<std::string> {
      BLOBSCOPE_TRY(encoded, encodeValue(tensor, text, "the value"));
      return encoded.text;
    };
  page.stored = [values](uint64_t index) { return storedElement(values, index); };
  return page;
}

void addTensorPages(const Tensor& tensor, view::PageList& list) { list.push_back({"Values", tensorPage(tensor)}); }

} // namespace blobscope::payloads
