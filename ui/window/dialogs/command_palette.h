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
/// first: PaletteMatch, then the order given; names of files come after everything but an exact match.
class CommandPalette : public QDialog {
  Q_OBJECT
public:
  struct Entry {
    QString text;
    QString kind;   ///< what it is: "kernel", "action"
    QString detail; ///< the module it is in, or the keys of an action
    QIcon icon;
    std::function<void()> run; ///< null for an entry that only says why one cannot go there
    QString reference = {};    ///< found when it is typed
    bool isFile = false;       ///< the opened file or a member of it
  };
  /// The entry for a place that is typed as an offset or a reference; nothing when the text is neither.
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
  ThemeLabel* m_status; ///< what is left out, or that nothing fits
};

} // namespace blobscope::ui
