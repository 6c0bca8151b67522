#pragma once

#include "core/diff/lines.h"
#include "ui/session/comparison.h"

#include <memory>
#include <string_view>

namespace blobscope::test {

/// Two texts, compared as on a page.
inline ui::TextPairPtr textPair(std::string_view a, std::string_view b, std::string_view language = {},
                                diff::Masks masks = {}) {
  NullMonitor monitor;
  diff::LineOptions options;
  options.masks = masks;
  const view::TextPage pageA{Bytes::copyOf(a), std::string(language)}, pageB{Bytes::copyOf(b), std::string(language)};
  const auto lines = diff::compareLines(pageA.text, pageB.text, options, monitor);
  return *ui::makeTextPair(pageA, pageB, *lines, masks, monitor);
}

/// Two pages, compared.
inline ui::ComparedPagePtr comparedPage(const view::Page& a, const view::Page& b) {
  NullMonitor monitor;
  auto out = std::make_shared<ui::ComparedPage>();
  out->diff = *diff::comparePages(a, b, {}, monitor);
  return out;
}

/// "line 1\n" … the requested number of lines, one of them changed to "other N".
inline std::string manyLines(int count, int changed = -1) {
  std::string out;
  for (int line = 1; line <= count; ++line) out += (line == changed ? "other " : "line ") + std::to_string(line) + "\n";
  return out;
}

} // namespace blobscope::test
