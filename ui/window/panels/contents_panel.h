#pragma once

#include "ui/models/contents_model.h"

#include <QTreeView>
#include <QWidget>

#include <functional>
#include <optional>

class QLineEdit;
class QSortFilterProxyModel;

namespace blobscope::ui {

class TreeDelegate;

/// The contents tree with its filter.
class ContentsPanel : public QWidget {
  Q_OBJECT
public:
  explicit ContentsPanel(QWidget* parent = nullptr);

  /// What a ref of the rows before is called in the rows now; nothing for what is gone.
  using Follow = std::function<std::optional<Ref>(const Ref&)>;
  /// Shows other rows. With `follow` a later state of the same file, whose rows stay unfolded and chosen as they are;
  /// else the modules are unfolded and the long lists are not.
  void setRows(std::vector<library::ContentsRow> rows, const Follow& follow = {});
  /// The first row of the node, null when it has none. Valid until setRows().
  const library::ContentsRow* find(const Ref& ref) const;
  /// Makes the node's row current: that of the page when it has one of its own; of a part the row of its module when it
  /// has none.
  void select(const Ref& ref, const QString& page);
  QTreeView& tree() { return *m_tree; }
  QLineEdit& filter() { return *m_filter; }

Q_SIGNALS:
  /// A row was clicked; `keep` when it was double-clicked or activated with the keyboard.
  void chosen(const Ref& ref, const QString& page, bool keep);
  /// The user went to a row with the keyboard, without opening it.
  void selected(const Ref& ref);
  /// As ContentsModel::moduleDropped().
  void moduleDropped(const Ref& module, const Ref& onto, const Ref& from);
  /// A context menu of a row is asked for.
  void menuRequested(const Ref& ref, const QPoint& place);

protected:
  void changeEvent(QEvent* event) override;

private:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void connectTree();
  void unfoldModules();

  ContentsModel* m_model;
  QSortFilterProxyModel* m_filtered;
  TreeDelegate* m_delegate;
  QTreeView* m_tree;
  QLineEdit* m_filter;
  bool m_quiet = false; ///< what becomes current is not the user's doing
};

} // namespace blobscope::ui
