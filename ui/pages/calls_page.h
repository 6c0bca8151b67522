#pragma once

#include "core/view/calls_page.h"
#include "core/view/page_id.h"
#include "ui/pages/page_widget.h"

class QLineEdit;
class QSortFilterProxyModel;
class QStackedWidget;
class QTreeView;

namespace blobscope::ui {

class CallsModel;
class FlameView;
class Segments;
class TablePage;
class ThemeLabel;

/// What a model calls: the tree with counts, and the same as a flame view. The measure that is shared out can be
/// chosen.
class CallsPage : public PageWidget {
  Q_OBJECT
public:
  CallsPage(view::CallsPagePtr page, const PageContext& context, QWidget* parent);
  ~CallsPage() override;
  CallsModel& model() { return *m_model; }
  QTreeView& tree() { return *m_tree; }
  FlameView& flame() { return *m_flame; }
  QLineEdit& filter() { return *m_filter; }
  Segments& measures() { return *m_measures; }
  /// Shows the tree, or all rows as a table.
  void showTable(bool table);
  QWidget* tools() override { return m_tools; }
  void openFind() override;
  bool hasPicture() const override { return true; }
  view::Page picture() const override { return {std::string(view::page_id::kCalls), m_page}; }

private:
  void fillTools();
  QWidget* makeTree();
  QWidget* makeFlame();
  void connectViews();
  void chooseMeasure(int index);
  void setFilterText(const QString& text);
  void select(uint32_t row, bool inTree);
  void showRow(uint32_t row);
  void copyRows() const;

  PageContext m_context;
  view::CallsPagePtr m_page;
  CallsModel* m_model;
  QSortFilterProxyModel* m_sorted = nullptr;
  QWidget* m_tools;
  QLineEdit* m_filter = nullptr;
  Segments* m_measures = nullptr;
  QStackedWidget* m_stack = nullptr;
  QTreeView* m_tree = nullptr;
  FlameView* m_flame = nullptr;
  ThemeLabel* m_flameNote = nullptr;
  TablePage* m_table = nullptr; ///< made when it is first shown
  bool m_selecting = false;
};

} // namespace blobscope::ui
