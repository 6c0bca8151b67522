#pragma once

#include "core/base/text.h"
#include "core/view/page.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Code that the pages of all payload formats share.
namespace blobscope::payloads {

/// Damage found while reading, one sentence each: where and why. The first hundred are kept, so that damaged bytes
/// cannot make the list long.
class DamageList {
public:
  void add(std::string sentence) {
    if (m_sentences.size() < kKept)
      m_sentences.push_back(std::move(sentence));
    else
      ++m_leftOut;
  }
  /// The sentences; the last one says how many were omitted.
  std::vector<std::string> take() {
    if (m_leftOut > 0) m_sentences.push_back(groupedText(m_leftOut) + " further findings are left out");
    return std::move(m_sentences);
  }

private:
  static constexpr std::size_t kKept = 100;
  std::vector<std::string> m_sentences;
  uint64_t m_leftOut = 0;
};

/// A table whose cells are made on request.
class LazyTable final : public view::TableSource {
public:
  using Cell = std::function<std::string(uint64_t row, std::size_t column)>;
  using Target = std::function<std::optional<Ref>(uint64_t row, const Ref& node)>;
  /// `cell` owns the data that it reads; any thread may call it. `target` may be null.
  LazyTable(std::vector<view::Column> columns, uint64_t rows, Cell cell, Target target = nullptr)
      : m_columns(std::move(columns)), m_rows(rows), m_cell(std::move(cell)), m_target(std::move(target)) {}
  std::vector<view::Column> columns() const override { return m_columns; }
  uint64_t rowCount() const override { return m_rows; }
  std::string cell(uint64_t row, std::size_t column) const override { return m_cell(row, column); }
  std::optional<Ref> target(uint64_t row, const Ref& node) const override {
    return m_target ? m_target(row, node) : std::nullopt;
  }

private:
  std::vector<view::Column> m_columns;
  uint64_t m_rows;
  Cell m_cell;
  Target m_target;
};

inline view::Page lazyPage(std::string name, std::vector<view::Column> columns, uint64_t rows, LazyTable::Cell cell,
                           LazyTable::Target target = nullptr) {
  return {std::move(name),
          view::TablePage{std::make_shared<LazyTable>(std::move(columns), rows, std::move(cell), std::move(target))}};
}

/// Adds "Damage" when there is any: one line per sentence.
inline void addDamagePage(const std::vector<std::string>& damage, view::PageList& list) {
  if (damage.empty()) return;
  std::string text;
  for (const std::string& sentence : damage) text += (text.empty() ? "" : "\n") + sentence;
  list.push_back({"Damage", view::NoticePage{std::move(text)}});
}

} // namespace blobscope::payloads
