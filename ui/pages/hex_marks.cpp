#include "ui/pages/hex_marks.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/item_menu.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>

namespace blobscope::ui {
namespace {

constexpr int kNumberRole = Qt::UserRole;

} // namespace

HexMarks::HexMarks(QWidget* parent) : QTreeWidget(parent) {
  setColumnCount(2);
  setHeaderHidden(true);
  setRootIsDecorated(false);
  setIndentation(8);
  setUniformRowHeights(true);
  setItemsExpandable(false);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTextElideMode(Qt::ElideRight);
  setAccessibleName(tr("Bookmarks, notes and changes"));
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(0, QHeaderView::Stretch);
  header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  connect(this, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem* item) { choose(item); });
  onItemMenu(*this, [this](const QModelIndex& index, QPoint place) {
    setCurrentIndex(index);
    openMenu(place);
  });
  hide();
}

QTreeWidgetItem* HexMarks::addGroup(const QString& title, std::size_t count) {
  auto* const group = new QTreeWidgetItem(this, {title, QString::number(count)});
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  group->setFont(0, bold);
  group->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
  group->setFlags(Qt::ItemIsEnabled);
  group->setData(0, kNumberRole, -1);
  group->setSizeHint(0, {0, metrics::rowHeight()});
  group->setExpanded(true);
  return group;
}

void HexMarks::addRow(QTreeWidgetItem* group, int row, const QString& text, const QString& tip, uint64_t offset) {
  const QString place = toQt(hexText(offset));
  auto* const item = new QTreeWidgetItem(group, {text, place});
  item->setFont(1, textFont(TextRole::Code));
  item->setData(0, kNumberRole, row);
  item->setSizeHint(0, {0, metrics::rowHeight()});
  item->setData(0, Qt::ToolTipRole, plainTip(tip));
  item->setData(0, Qt::AccessibleTextRole, plainLine(tr("%1, %2").arg(tip, place)));
}

void HexMarks::setRows(std::vector<ByteNote> notes, std::vector<ByteChange> changes) {
  const int current = currentItem() ? numberOf(currentItem()) : -1;
  m_notes = std::move(notes);
  m_changes = std::move(changes);
  clear();
  for (const bool isNote : {false, true}) {
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(m_notes, [&](const ByteNote& note) { return note.isNote == isNote; }));
    if (count == 0) continue;
    QTreeWidgetItem* const group = addGroup(isNote ? tr("Notes") : tr("Bookmarks"), count);
    for (std::size_t i = 0; i < m_notes.size(); ++i) {
      const ByteNote& note = m_notes[i];
      if (note.isNote != isNote) continue;
      const QString line = plainLine(note.text.section(QLatin1Char('\n'), 0, 0));
      const QString name = note.digit > 0 ? tr("%1  %2").arg(note.digit).arg(line) : line;
      addRow(group, static_cast<int>(i), name,
             isNote ? tr("%1\n%2, kept for this content of the file").arg(note.text, note.date) : note.text,
             note.bytes.offset);
    }
  }
  if (!m_changes.empty()) {
    QTreeWidgetItem* const group = addGroup(tr("Unsaved changes"), m_changes.size());
    for (std::size_t i = 0; i < m_changes.size(); ++i)
      addRow(group, static_cast<int>(m_notes.size() + i), m_changes[i].text, m_changes[i].text,
             m_changes[i].bytes.offset);
  }
  for (QTreeWidgetItemIterator it(this); *it; ++it)
    if (current >= 0 && numberOf(*it) == current) setCurrentItem(*it);
  setVisible(rowCount() > 0);
}

int HexMarks::numberOf(const QTreeWidgetItem* item) { return item->data(0, kNumberRole).toInt(); }

void HexMarks::choose(const QTreeWidgetItem* item) {
  const int number = item ? numberOf(item) : -1;
  if (number < 0 || number >= rowCount()) return;
  const auto at = static_cast<std::size_t>(number);
  const Extent bytes = at < m_notes.size() ? m_notes[at].bytes : m_changes[at - m_notes.size()].bytes;
  Q_EMIT chosen(bytes.offset, bytes.size);
}

void HexMarks::editRow(int number) {
  if (number >= 0 && static_cast<std::size_t>(number) < m_notes.size())
    Q_EMIT editRequested(m_notes[static_cast<std::size_t>(number)]);
}

void HexMarks::remove(int number) {
  if (number < 0 || number >= rowCount()) return;
  const auto at = static_cast<std::size_t>(number);
  if (at < m_notes.size())
    Q_EMIT removeRequested(m_notes[at]);
  else
    Q_EMIT revertRequested(m_changes[at - m_notes.size()].bytes.offset);
}

void HexMarks::openMenu(const QPoint& place) {
  const int number = currentItem() ? numberOf(currentItem()) : -1;
  if (number < 0 || number >= rowCount()) return;
  auto* const menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Go to the bytes"), this, [this] { choose(currentItem()); });
  const bool isNote = static_cast<std::size_t>(number) < m_notes.size();
  if (isNote) menu->addAction(tr("Edit…"), this, [this, number] { editRow(number); });
  menu->addAction(isNote ? tr("Remove") : tr("Revert"), this, [this, number] { remove(number); });
  menu->popup(place);
}

bool HexMarks::event(QEvent* event) {
  // These keys are also shortcuts of the window.
  if (event->type() == QEvent::ShortcutOverride)
    if (const int key = static_cast<QKeyEvent*>(event)->key(); key == Qt::Key_F2 || key == Qt::Key_Delete)
      event->accept();
  return QTreeWidget::event(event);
}

void HexMarks::keyPressEvent(QKeyEvent* event) {
  const int number = currentItem() ? numberOf(currentItem()) : -1;
  switch (event->key()) {
  case Qt::Key_Return:
  case Qt::Key_Enter: choose(currentItem()); return;
  case Qt::Key_F2: editRow(number); return;
  case Qt::Key_Delete: remove(number); return;
  default: QTreeWidget::keyPressEvent(event);
  }
}

} // namespace blobscope::ui
