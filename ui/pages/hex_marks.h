#pragma once

#include "core/base/extent.h"
#include "ui/pages/page_widget.h"
#include "ui/session/byte_notes.h"

#include <QTreeWidget>

#include <vector>

namespace blobscope::ui {

/// The bookmarks, notes and unsaved changes of the bytes of a Hex page, in three groups. Enter or a click goes to the
/// bytes, F2 changes a bookmark or note, Del removes it or reverts the change. Offsets are those of the file.
class HexMarks : public QTreeWidget {
  Q_OBJECT
public:
  explicit HexMarks(QWidget* parent = nullptr);
  /// Shows these; hides itself when there are none.
  void setRows(std::vector<ByteNote> notes, std::vector<ByteChange> changes);
  int rowCount() const { return static_cast<int>(m_notes.size() + m_changes.size()); }

Q_SIGNALS:
  void chosen(quint64 offset, quint64 size);
  void editRequested(const ByteNote& note);
  void removeRequested(const ByteNote& note);
  void revertRequested(quint64 offset);

protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  QTreeWidgetItem* addGroup(const QString& title, std::size_t count);
  void addRow(QTreeWidgetItem* group, int row, const QString& text, const QString& tip, uint64_t offset);
  /// Returns the number of the row, notes before changes; -1 for a group.
  static int numberOf(const QTreeWidgetItem* item);
  void choose(const QTreeWidgetItem* item);
  void openMenu(const QPoint& place);
  void editRow(int number);
  void remove(int number);

  std::vector<ByteNote> m_notes;
  std::vector<ByteChange> m_changes;
};

} // namespace blobscope::ui
