#pragma once

#include "ui/models/contents_model.h"

#include <QTreeView>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>

class QLineEdit;
class QMimeData;
class QSortFilterProxyModel;

namespace blobscope::ui {

class TreeDelegate;

/// The contents tree with its filter.
class ContentsPanel : public QWidget {
  Q_OBJECT
public:
  explicit ContentsPanel(QWidget* parent = nullptr);

  /// Maps a ref of the rows before to the current rows; returns nullopt for what was removed.
  using Follow = std::function<std::optional<Ref>(const Ref&)>;
  /// Shows other rows. With `follow`, they are a later state of the same file, and expansion and selection stay;
  /// without it, modules are expanded and long lists are not.
  void setRows(std::vector<library::ContentsRow> rows, const Follow& follow = {});
  /// Marks the parts that have unsaved changes.
  void setChanged(const std::vector<Ref>& places);
  /// Returns the first row of the node, null when it has none. Valid until setRows().
  const library::ContentsRow* find(const Ref& ref) const;
  /// Makes the node's row current: the row of the page if it has one; for a part without a row, that of its module.
  void select(const Ref& ref, const QString& page);
  /// Whether the current row lists parts of the node, for example "Kernels" below a module, and is not its own row.
  bool listsPartsOf(const Ref& ref) const;
  QTreeView& tree() { return *m_tree; }
  QLineEdit& filter() { return *m_filter; }
  /// Makes the data of a drag out of the window for a part with this size; null if it cannot be dragged now.
  using MakeDrag = std::function<std::unique_ptr<QMimeData>(const Ref& part, uint64_t size)>;
  void setDragSource(MakeDrag make) { m_makeDrag = std::move(make); }
  /// Returns the data of a drag of the current row: the file of a part, and for a module its reference. Null if the row
  /// cannot be dragged.
  std::unique_ptr<QMimeData> makeDragData() const;

Q_SIGNALS:
  // In these signals, `page` is empty for a node and names the page of a row that lists parts of the node.
  /// A row was clicked; `keep`: it was double-clicked or activated with the keyboard.
  void chosen(const Ref& ref, const QString& page, bool keep);
  /// The user moved to a row with the keyboard, without opening it, or presses Del or F2 while it is current.
  void selected(const Ref& ref, const QString& page);
  /// Forwards ContentsModel::moduleDropped().
  void moduleDropped(const Ref& module, const Ref& onto, const Ref& from);
  /// A drag of a row has ended.
  void dragged(const QMimeData& data);
  /// The user requests the context menu of a row.
  void menuRequested(const Ref& ref, const QString& page, const QString& name, const QPoint& place);

protected:
  void changeEvent(QEvent* event) override;

private:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void selectCurrent();
  void connectTree();
  void unfoldModules();

  ContentsModel* m_model;
  QSortFilterProxyModel* m_filtered;
  TreeDelegate* m_delegate;
  QTreeView* m_tree;
  QLineEdit* m_filter;
  MakeDrag m_makeDrag;
  bool m_quiet = false; ///< the current row is not changed by the user
};

} // namespace blobscope::ui
