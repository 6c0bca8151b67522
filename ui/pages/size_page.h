#pragma once

#include "core/view/page_id.h"
#include "core/view/treemap_page.h"
#include "ui/pages/page_widget.h"

#include <array>

class QHBoxLayout;
class QLineEdit;
class QSplitter;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace blobscope::ui {

class CellDelegate;
class Segments;
class TableModel;
class ThemeLabel;
class TreemapView;

/// What takes how many bytes: a treemap with the biggest items of its level in a table, or the table alone. A filter
/// and the kinds of the legend choose the items that stand out.
class SizePage : public PageWidget {
  Q_OBJECT
public:
  SizePage(view::TreemapPagePtr page, const PageContext& context, QWidget* parent);
  ~SizePage() override;
  QWidget* tools() override { return m_tools; }
  bool hasPicture() const override { return true; }
  view::Page picture() const override { return {view::page_id::kSize, m_page}; }
  void openFind() override;
  std::unique_ptr<PageState> saveState() const override;
  void restoreState(const PageState& state) override;

  TreemapView& map() { return *m_map; }
  QTableView& table() { return *m_table; }
  QLineEdit& filter() { return *m_filter; }
  Segments& modes() { return *m_modes; }
  /// The button of a kind in the legend; null for a kind that no item has.
  QToolButton* kindButton(view::TreemapPage::Kind kind) const { return m_kinds[static_cast<std::size_t>(kind)]; }
  QString summary() const;
  /// The names of the path, from the file to the level.
  QStringList path() const;
  bool showsTable() const;
  /// Shows the table alone, or the picture beside it.
  void setShowsTable(bool shows);
  /// Writes the picture of all items as SVG, the picture as it is shown as PNG, or the rows that are shown as CSV, by
  /// the end of the name; message() follows.
  void exportTo(const QString& path);

Q_SIGNALS:
  /// On a page about a folder, the user wants to open a file, at a part of it. `path`: below the folder.
  void fileChosen(const QString& path, const Ref& ref);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void fillTools();
  QWidget* makePathBar();
  QWidget* makePicture();
  QWidget* makeTable();
  void connectParts();
  void showLevel();
  void showPath(uint32_t pointed);
  void applyFilter();
  void fitParts();
  void select(uint32_t item, bool inTable);
  void open(uint32_t item);
  void selectRow(uint32_t item);
  std::optional<uint32_t> itemAt(const QModelIndex& index) const;
  void copyRows();
  void askForExport();

  PageContext m_context;
  view::TreemapPagePtr m_page;
  const QString m_tag;
  std::vector<uint32_t> m_leaves; ///< by row of the table
  QWidget* m_tools;
  Segments* m_modes = nullptr;
  QLineEdit* m_filter = nullptr;
  QHBoxLayout* m_pathRow = nullptr;
  ThemeLabel* m_pointed = nullptr;
  QSplitter* m_parts = nullptr;
  QWidget* m_picture = nullptr;
  TreemapView* m_map = nullptr;
  std::array<QToolButton*, view::TreemapPage::kKinds> m_kinds{};
  TableModel* m_model = nullptr;
  QTableView* m_table = nullptr;
  ThemeLabel* m_summary = nullptr;
  bool m_wantsTable = false;
  bool m_selecting = false;
};

} // namespace blobscope::ui
