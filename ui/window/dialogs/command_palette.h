#pragma once

#include "ui/widgets/labels.h"

#include <QDialog>
#include <QIcon>
#include <QLineEdit>
#include <QListWidget>
#include <QVector>

#include <functional>
#include <optional>
#include <vector>

namespace blobscope::ui {

/// Finds actions and nodes by words of their names, and places by offset or reference (Ctrl+K). The best match is
/// first: ordered by PaletteMatch, then in the given order; file names come after everything but an exact match, and
/// what is not possible now is last.
class CommandPalette : public QDialog {
  Q_OBJECT
public:
  struct Entry {
    QString text;
    QString kind;   ///< kind of the entry: "kernel", "action"
    QString detail; ///< module of the node, or shortcut of the action
    QIcon icon;
    std::function<void()> run; ///< null for an entry that is not possible now; `detail` says why
    QString reference = {};    ///< matches when it is entered
    bool isFile = false;       ///< the opened file or a member of it
  };
  /// Returns the entry for text entered as an offset or a reference; nullopt when it is neither.
  using PlaceOf = std::function<std::optional<Entry>(const QString& typed)>;
  CommandPalette(QVector<Entry> entries, PlaceOf placeOf, QWidget* parent);

protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void filter();
  void runCurrent();
  void addRow(const Entry& entry);

  QVector<Entry> m_entries;
  PlaceOf m_placeOf;
  std::vector<std::function<void()>> m_shown; ///< what each row of the list does
  QLineEdit* m_edit;
  QListWidget* m_list;
  ThemeLabel* m_status; ///< says that rows are omitted, or that nothing matches
};

} // namespace blobscope::ui
