#pragma once

#include "core/view/page.h"

#include <QWidget>

#include <vector>

namespace blobscope::ui {

/// What happens with one target of a strip: its label, a sentence, and the words of the runtime. Its height is that of
/// the longest text of all targets, so that nothing moves when the pointer moves.
class TargetLine : public QWidget {
  Q_OBJECT
public:
  using Cell = view::ChecklistPage::Cell;

  explicit TargetLine(QWidget* parent = nullptr);
  void setCells(std::vector<Cell> cells);
  /// `label`: "0.6 – 0.21"; `cell`: -1 for none.
  void setCurrent(const QString& label, int cell);
  QString text() const;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override { return {400, heightForWidth(400)}; }
  QSize minimumSizeHint() const override { return {100, heightForWidth(10'000)}; }

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  struct Lines {
    QStringList words, message;
  };
  Lines linesOf(const QString& label, const Cell& cell, int width) const;

  std::vector<Cell> m_cells;
  QString m_label;
  int m_cell = -1;
};

} // namespace blobscope::ui
