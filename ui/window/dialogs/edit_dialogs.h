#pragma once

#include <QDialog>
#include <QStringList>
#include <QVector>

class QComboBox;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

/// What edits ask for. The dialogs know words only; Editing makes edits of the answers.
namespace blobscope::ui {

/// A text to edit in the fixed font.
class TextDialog : public QDialog {
  Q_OBJECT
public:
  /// `name` says whose text it is.
  TextDialog(const QString& name, const QString& text, QWidget* parent);
  QString text() const;
  QPlainTextEdit& edit() { return *m_edit; }

protected:
  void keyPressEvent(QKeyEvent* event) override;

private:
  QPlainTextEdit* m_edit;
};

/// Which modules a module imports, and in which order.
class ImportsDialog : public QDialog {
  Q_OBJECT
public:
  struct Row {
    QString name; ///< "cuda, m2"
    QString icon;
    int role = 0; ///< of the icon
    int number = 0;
    bool imported = false;
  };
  /// `rows`: what could be imported, those that are first and in their order.
  ImportsDialog(const QString& name, const QVector<Row>& rows, QWidget* parent);
  /// Numbers of what is imported, in order.
  QVector<int> imports() const;
  QListWidget& list() { return *m_list; }

private:
  void move(int by);
  void updateState();

  QListWidget* m_list;
  QPushButton *m_up, *m_down;
};

/// Type key, file and parent of a new module.
class AddModuleDialog : public QDialog {
  Q_OBJECT
public:
  /// `parents` in words; `parent` is the one that is chosen at first.
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
