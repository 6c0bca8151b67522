#pragma once

#include "core/view/plan_page.h"

#include <QString>
#include <QWidget>

#include <vector>

class QGridLayout;
class QSlider;
class QSpinBox;

namespace blobscope::ui {

class ThemeLabel;

/// A slider and a box for each size that a memory plan depends on. Sliders go in powers of two, boxes take any number.
class PlanSliders : public QWidget {
  Q_OBJECT
public:
  explicit PlanSliders(QWidget* parent = nullptr);
  /// Shows these sizes. Widgets of sizes with the same names stay.
  void setSymbols(const std::vector<view::PlanPage::Symbol>& symbols);
  QSlider* slider(const QString& name) const;
  QSpinBox* box(const QString& name) const;

Q_SIGNALS:
  void changed(const QString& name, qint64 value);

private:
  struct Row {
    QString name;
    QSlider* slider = nullptr;
    QSpinBox* box = nullptr;
    ThemeLabel* note = nullptr;
    qint64 most = 1;
  };
  void addRow(const view::PlanPage::Symbol& symbol, int at);
  void show(Row& row, const view::PlanPage::Symbol& symbol);

  std::vector<Row> m_rows;
  QGridLayout* m_grid = nullptr;
};

} // namespace blobscope::ui
