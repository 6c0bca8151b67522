#include "ui/compare/pair_accessible.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"

#include <algorithm>

namespace blobscope::ui {
namespace {

/// Bytes of one line that are read aloud.
constexpr std::size_t kLineBytes = 4'096;

} // namespace

TextPairView& TextPairAccessible::view() const { return *static_cast<TextPairView*>(object()); }

QString TextPairAccessible::text(QAccessible::Text kind) const {
  if (kind == QAccessible::Value) return view().describeRow(view().currentRow());
  if (kind == QAccessible::Description) {
    const int change = view().currentChange();
    if (view().changeCount() == 0) return TextPairView::tr("no changes");
    return change < 0 ? TextPairView::tr("%n change(s)", nullptr, view().changeCount())
                      : TextPairView::tr("change %1 of %2")
                            .arg(toQt(groupedText(static_cast<uint64_t>(change) + 1)),
                                 toQt(groupedText(static_cast<uint64_t>(view().changeCount()))));
  }
  return QAccessibleWidget::text(kind);
}

TextPairAccessible::Shown TextPairAccessible::shown() const {
  const TextPairView& view = this->view();
  Shown out;
  const auto add = [&](uint64_t row, const QString& text) {
    if (!out.starts.empty()) out.text += QLatin1Char('\n');
    out.rows.push_back(row);
    out.starts.push_back(static_cast<int>(out.text.size()));
    out.text += text;
  };
  const uint64_t rows = view.lines().rowCount();
  if (rows == 0) return out;
  const uint64_t last = view.rowAt(view.viewport()->height());
  for (uint64_t number = view.topRow(); number < rows && number <= last; ++number) {
    const PairLines::Row row = view.lines().row(number);
    const auto line = [&](Side side, uint64_t at) { return wholeToQt(view.lineBytes(side, at).substr(0, kLineBytes)); };
    if (row.folds > 0) {
      add(number, view.describeRow(number));
      continue;
    }
    if (row.kind == diff::HunkKind::Equal) {
      add(number, line(Side::B, row.b));
      continue;
    }
    if (row.a != PairLines::kNone) add(number, QStringLiteral("- ") + line(Side::A, row.a));
    if (row.b != PairLines::kNone) add(number, QStringLiteral("+ ") + line(Side::B, row.b));
  }
  return out;
}

std::size_t TextPairAccessible::Shown::line(int offset) const {
  const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  return after == starts.begin() ? 0 : static_cast<std::size_t>(after - starts.begin()) - 1;
}

void TextPairAccessible::selection(int, int* startOffset, int* endOffset) const { *startOffset = *endOffset = 0; }

void TextPairAccessible::setSelection(int, int startOffset, int) { setCursorPosition(startOffset); }

int TextPairAccessible::cursorPosition() const {
  const Shown text = shown();
  const auto at = std::find(text.rows.begin(), text.rows.end(), view().currentRow());
  return at == text.rows.end() ? 0 : text.starts[static_cast<std::size_t>(at - text.rows.begin())];
}

void TextPairAccessible::setCursorPosition(int position) {
  const Shown text = shown();
  if (!text.rows.empty()) view().goToRow(text.rows[text.line(position)]);
}

QRect TextPairAccessible::characterRect(int offset) const {
  const Shown text = shown();
  if (text.rows.empty()) return {};
  const QRect row = view().rowRect(text.rows[text.line(offset)]);
  return {view().viewport()->mapToGlobal(row.topLeft()), row.size()};
}

int TextPairAccessible::offsetAtPoint(const QPoint& point) const {
  const Shown text = shown();
  const uint64_t row = view().rowAt(view().viewport()->mapFromGlobal(point).y());
  const auto at = std::find(text.rows.begin(), text.rows.end(), row);
  return at == text.rows.end() ? 0 : text.starts[static_cast<std::size_t>(at - text.rows.begin())];
}

void TextPairAccessible::scrollToSubstring(int startIndex, int) { setCursorPosition(startIndex); }

} // namespace blobscope::ui
