#pragma once

#include "core/view/page.h"

#include <string>

namespace blobscope::test {

/// A page as text: one line per row with cells separated by bars, for tables preceded by the titles; notices unchanged.
/// A list: each page under its name.
inline std::string pageText(const view::Page& page) {
  if (const auto* notice = std::get_if<view::NoticePage>(&page.content)) return notice->text + "\n";
  const auto* table = std::get_if<view::TablePage>(&page.content);
  if (!table) return std::string(view::pageKind(page)) + "\n";
  std::string out;
  const auto columns = table->source->columns();
  const auto line = [&](const auto& cell) {
    for (std::size_t i = 0; i < columns.size(); ++i) out += (i > 0 ? "|" : "") + cell(i);
    out += '\n';
  };
  if (!table->facts) line([&](std::size_t i) { return columns[i].title; });
  for (uint64_t row = 0; row < table->source->rowCount(); ++row)
    line([&](std::size_t i) { return table->source->cell(row, i); });
  return out;
}

inline std::string pagesText(const view::PageList& list) {
  std::string out;
  for (const view::Page& page : list) out += "[" + page.name + "]\n" + pageText(page);
  return out;
}

} // namespace blobscope::test
