#include "core/describe/byte_pages.h"

#include "core/base/entropy.h"
#include "core/base/text.h"
#include "core/search/search.h"
#include "core/view/page_id.h"

#include <algorithm>
#include <cstdio>

namespace blobscope::describe {
namespace {

constexpr uint32_t kBlocks = 256;
constexpr uint64_t kReadBytes = uint64_t{512} << 20; ///< of larger data, the entropy is sampled
constexpr uint64_t kShortest = 6;                    ///< as `strings --min`
constexpr std::size_t kMostStrings = 500'000;

/// Bytes of a node, as its Hex page shows them.
struct Shown {
  Bytes bytes;
  std::vector<view::Span> spans;

  std::string place(uint64_t offset) const { return hexText(bytes.offset().value_or(0) + offset); }
  /// The name of the part that contains the byte.
  std::string partAt(uint64_t offset) const {
    const auto after =
        std::ranges::upper_bound(spans, offset, {}, [](const view::Span& span) { return span.extent.offset; });
    return after == spans.begin() || !std::prev(after)->extent.contains(offset) ? std::string("–")
                                                                                : escaped(std::prev(after)->name);
  }
  std::optional<Ref> target(Extent extent, const Ref& page) const {
    if (!bytes.offset()) return std::nullopt;
    return page.node().withBytes(*bytes.offset() + extent.offset, extent.size);
  }
};

class EntropyTable final : public view::TableSource {
public:
  EntropyTable(Shown shown, EntropyBlocks blocks) : m_shown(std::move(shown)), m_blocks(std::move(blocks)) {}
  std::vector<view::Column> columns() const override {
    return {{"offset", true}, {"bytes", true}, {"bits per byte", true, true}, {"part"}};
  }
  uint64_t rowCount() const override { return m_blocks.bits.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const Extent extent = extentOf(row);
    switch (column) {
    case 0: return m_shown.place(extent.offset);
    case 1: return std::to_string(extent.size);
    case 2: return bitsText(m_blocks.bits[row]);
    default: return m_shown.partAt(extent.offset);
    }
  }
  std::optional<Ref> target(uint64_t row, const Ref& node) const override {
    return m_shown.target(extentOf(row), node);
  }

private:
  static std::string bitsText(float bits) {
    char text[16];
    std::snprintf(text, sizeof text, "%.2f", static_cast<double>(bits));
    return text;
  }
  Extent extentOf(uint64_t row) const {
    const uint64_t from = row * m_blocks.blockSize;
    return {from, std::min(m_blocks.blockSize, m_shown.bytes.size() - from)};
  }

  Shown m_shown;
  EntropyBlocks m_blocks;
};

class StringTable final : public view::TableSource {
public:
  StringTable(Shown shown, std::vector<Extent> strings, bool isCut)
      : m_shown(std::move(shown)), m_strings(std::move(strings)), m_isCut(isCut) {}
  std::vector<view::Column> columns() const override {
    return {{"offset", true}, {"characters", true}, {"text"}, {"part"}};
  }
  uint64_t rowCount() const override { return m_strings.size() + (m_isCut ? 1 : 0); }
  std::string cell(uint64_t row, std::size_t column) const override {
    if (row == m_strings.size())
      return column == 2 ? "more strings follow; the command 'strings' lists all of them" : std::string("–");
    const Extent extent = m_strings[row];
    switch (column) {
    case 0: return m_shown.place(extent.offset);
    case 1: return std::to_string(extent.size);
    case 2: return escapedWithin(m_shown.bytes.slice(extent.offset, extent.size).view(), 400);
    default: return m_shown.partAt(extent.offset);
    }
  }
  std::optional<Ref> target(uint64_t row, const Ref& node) const override {
    return row < m_strings.size() ? m_shown.target(m_strings[row], node) : std::nullopt;
  }

private:
  Shown m_shown;
  std::vector<Extent> m_strings;
  bool m_isCut;
};

Result<view::Page> entropyPage(const Shown& shown, Monitor& monitor) {
  BLOBSCOPE_TRY(blocks, computeEntropy(shown.bytes, kBlocks, kReadBytes, monitor));
  return view::Page{view::page_id::kEntropy, view::TablePage{std::make_shared<EntropyTable>(shown, std::move(blocks))}};
}

Result<view::Page> stringsPage(const Shown& shown, Monitor& monitor) {
  std::vector<Extent> strings;
  bool isCut = false;
  BLOBSCOPE_CHECK(search::stringsOf(shown.bytes, kShortest, monitor, [&](Extent extent) {
    isCut = strings.size() == kMostStrings;
    if (!isCut) strings.push_back(extent);
    return !isCut;
  }));
  if (strings.empty())
    return view::Page{view::page_id::kStrings,
                      view::NoticePage{"There is no text of six or more printable characters in these bytes."}};
  return view::Page{view::page_id::kStrings,
                    view::TablePage{std::make_shared<StringTable>(shown, std::move(strings), isCut)}};
}

} // namespace

void addBytePages(view::PageList& pages) {
  const auto found = std::ranges::find(pages, std::string_view(view::page_id::kHex), &view::Page::name);
  const auto* const hex = found == pages.end() ? nullptr : std::get_if<view::HexPage>(&found->content);
  if (!hex || hex->bytes.empty()) return;
  const Shown shown{hex->bytes, hex->spans};
  const view::DeferredPage strings{"table", [shown](Monitor& monitor) { return stringsPage(shown, monitor); }};
  const view::DeferredPage entropy{"table", [shown](Monitor& monitor) { return entropyPage(shown, monitor); }};
  const auto after = pages.insert(found + 1, {view::page_id::kStrings, strings});
  pages.insert(after + 1, {view::page_id::kEntropy, entropy});
}

} // namespace blobscope::describe
