#pragma once

#include "ui/models/search_model.h"
#include "ui/session/document.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QTableView;

namespace blobscope::ui {

class LinkButton;
class ThemeLabel;

/// Finds text, bytes or a regular expression in the whole file; hits come in while it searches.
class SearchPanel : public QWidget {
  Q_OBJECT
public:
  explicit SearchPanel(Document& document, QWidget* parent = nullptr);
  static QString tag() { return QStringLiteral("search"); }
  /// Gives the keyboard to the edit.
  void open();
  void start();
  void cancel();
  /// Forgets hits of a file that is gone.
  void reset();
  const SearchModel& model() const { return *m_model; }
  QLineEdit& edit() { return *m_edit; }
  QString status() const;

Q_SIGNALS:
  void activated(const Ref& place);
  void countChanged(int count);
  void ended();

private:
  void tell(const QString& text, bool busy);

  Document& m_document;
  SearchModel* m_model;
  QLineEdit* m_edit;
  QComboBox* m_syntax;
  ThemeLabel* m_status;
  LinkButton* m_cancel;
  QTableView* m_view;
  quint64 m_run = 0; ///< number of the search whose hits are wanted
};

} // namespace blobscope::ui
