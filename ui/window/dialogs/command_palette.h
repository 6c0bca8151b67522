#pragma once

#include <QDialog>
#include <QIcon>
#include <QLineEdit>
#include <QListWidget>
#include <QVector>

#include <functional>

namespace blobscope::ui {

/// Finds actions and nodes by words of their names (Ctrl+K).
class CommandPalette : public QDialog {
  Q_OBJECT
public:
  struct Entry {
    QString text, detail;
    QIcon icon;
    std::function<void()> run;
  };
  CommandPalette(QVector<Entry> entries, QWidget* parent);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void filter();
  void runCurrent();

  QVector<Entry> m_entries;
  QVector<int> m_shown;
  QLineEdit* m_edit;
  QListWidget* m_list;
};

} // namespace blobscope::ui
