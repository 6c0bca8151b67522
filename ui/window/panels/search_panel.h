#pragma once

#include "ui/models/search_model.h"
#include "ui/session/document.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QLineEdit;
class QToolButton;
class QTreeView;

namespace blobscope::ui {

class LinkButton;
class ThemeLabel;

/// Searches the whole file or one node for text, bytes or a regular expression. Hits are shown while the search runs,
/// grouped by the node that contains them.
class SearchPanel : public QWidget {
  Q_OBJECT
public:
  explicit SearchPanel(Document& document, QWidget* parent = nullptr);
  static QString tag() { return QStringLiteral("search"); }
  /// Gives the keyboard focus to the search field. `node` is the alternative to the whole file.
  void open(const Ref& node);
  void start();
  void cancel();
  /// Removes the hits of a file that is no longer open.
  void reset();
  const SearchModel& model() const { return *m_model; }
  QLineEdit& edit() { return *m_edit; }
  QString status() const;
  /// Returns the ranges of the hits in the file or member that contains `node`, in order.
  std::vector<Extent> hitsBeside(const Ref& node) const;

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

Q_SIGNALS:
  /// The user wants to see a hit, or the node of several; `hit` is null then.
  void activated(const Ref& place, const Extent* hit);
  /// The user requests the context menu of a hit or of a node with hits; `text` is the displayed text.
  void menuRequested(const Ref& place, const QString& text, const QPoint& at);
  void countChanged(int count);
  void ended();

private:
  search::Query query() const;
  void choose(const QModelIndex& index);
  /// Returns the bytes of a hit, or the node of a group; nullopt for no row.
  std::optional<Ref> placeOf(const QModelIndex& index) const;
  void showStatus(const QString& text, bool busy);

  Document& m_document;
  SearchModel* m_model;
  QLineEdit* m_edit;
  QComboBox *m_syntax, *m_scope;
  QToolButton* m_case;
  Ref m_node; ///< second entry of m_scope
  ThemeLabel* m_status;
  LinkButton* m_cancel;
  QTreeView* m_view;
  quint64 m_run = 0; ///< number of the search whose hits are wanted
};

} // namespace blobscope::ui
