#pragma once

#include "ui/pages/page_widget.h"

#include <QVector>

#include <optional>

class QHBoxLayout;
class QLineEdit;

namespace blobscope::ui {

class BarChart;
class ThemeLabel;

/// Memory as bars in groups, with a budget field for each group that has one. Budgets are kept for other files.
class BarsPage : public PageWidget {
  Q_OBJECT
public:
  BarsPage(const view::BarsPage& page, const PageContext& context, QWidget* parent);

private:
  QWidget* makeContent(const view::BarsPage& page);
  void addBudget(const QString& name, BarChart* chart, QHBoxLayout* head, QWidget* content);
  void setBudget(QLineEdit* field, BarChart* chart, ThemeLabel* verdict);
};

} // namespace blobscope::ui
