#pragma once

#include <QDialog>
#include <QStringList>
#include <QVector>

class QComboBox;
class QLineEdit;
class QListWidget;
class QPushButton;

/// The dialogs of the Edit menu. They handle texts only; Editing turns the answers into edits.
namespace blobscope::ui {

/// Selects which modules a module imports, and in which order.
class ImportsDialog : public QDialog {
  Q_OBJECT
public:
  struct Row {
    QString name; ///< "cuda, m2"
    QString icon;
    int role = 0; ///< role of the icon
    int number = 0;
    bool imported = false;
  };
  /// `rows`: modules that can be imported; the current imports are first and in order.
  ImportsDialog(const QString& name, const QVector<Row>& rows, QWidget* parent);
  /// Returns the numbers of the imported modules, in order.
  QVector<int> imports() const;
  QListWidget& list() { return *m_list; }

private:
  void move(int by);
  void updateState();

  QListWidget* m_list;
  QPushButton *m_up, *m_down;
};

/// Asks for type key, file and parent of a new module.
class AddModuleDialog : public QDialog {
  Q_OBJECT
public:
  /// `parents` are displayed texts; `parent` is the one that is selected at first.
  AddModuleDialog(const QStringList& keys, const QStringList& parents, int parent, QWidget* parentWidget);
  QString key() const;
  QString file() const;
  int parentIndex() const;

private:
  void updateState();

  QComboBox *m_key, *m_parent;
  QLineEdit* m_file;
  QPushButton* m_add;
};

} // namespace blobscope::ui
