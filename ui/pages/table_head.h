#pragma once

#include "core/view/table_extras.h"

#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QLineEdit;

namespace blobscope::ui {

class Segments;
class ThemeLabel;

/// The bar above a table with view::TableExtras: the filter, how the rows are grouped, what limits the numbers, and the
/// choice that they depend on.
class TableHead : public QWidget {
  Q_OBJECT
public:
  /// Takes the filter of the table.
  TableHead(QLineEdit* filter, QWidget* parent);
  void setExtras(const view::TableExtras& extras);
  /// Index in TableExtras::groupings; -1: no groups.
  int grouping() const;

Q_SIGNALS:
  void groupingChosen();
  void choiceMade(const QString& value);

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  void arrange();
  void setFree(const QString& hint);
  void takeTyped();

  QHBoxLayout* m_row;
  ThemeLabel* m_groupTitle;
  Segments* m_groups;
  QWidget* m_note;
  ThemeLabel* m_noteText;
  ThemeLabel* m_choiceTitle;
  QComboBox* m_choice;
  int m_groupings = 0;
  bool m_hasNote = false;
};

} // namespace blobscope::ui
