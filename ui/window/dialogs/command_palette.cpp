#include "ui/window/dialogs/command_palette.h"

#include "ui/theme/delegates.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

/// Icon, name, and at the right what it is or which keys do it.
class EntryDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {200, metrics::rowHeight() + 4};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    painter->save();
    QStyleOptionViewItem row = option;
    row.state |= QStyle::State_Active; // the keyboard is in the edit
    paintRow(painter, row);
    QRect rect = option.rect.adjusted(8, 0, -8, 0);
    index.data(Qt::DecorationRole)
        .value<QIcon>()
        .paint(painter, QRect(rect.left(), rect.center().y() - metrics::kIcon / 2 + 1, metrics::kIcon, metrics::kIcon));
    rect.setLeft(rect.left() + metrics::kIcon + 8);
    const QFont small = textFont(TextRole::Secondary);
    const QString detail =
        QFontMetrics(small).elidedText(index.data(Qt::UserRole).toString(), Qt::ElideMiddle, rect.width() / 2);
    painter->setFont(small);
    painter->setPen(theme().color(Role::Secondary));
    painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, detail);
    rect.setRight(rect.right() - QFontMetrics(small).horizontalAdvance(detail) - 12);
    painter->setFont(option.font);
    painter->setPen(theme().color(Role::Text));
    painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle, rect.width()));
    painter->restore();
  }
};

} // namespace

CommandPalette::CommandPalette(QVector<Entry> entries, QWidget* parent)
    : QDialog(parent, Qt::Popup), m_entries(std::move(entries)), m_edit(new QLineEdit(this)),
      m_list(new QListWidget(this)) {
  setAccessibleName(tr("Find or go to"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  m_edit->setPlaceholderText(tr("Find or go to…"));
  m_edit->installEventFilter(this);
  layout->addWidget(m_edit);
  layout->addWidget(m_list);
  m_list->setItemDelegate(new EntryDelegate(m_list));
  m_list->setUniformItemSizes(true);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setFocusPolicy(Qt::NoFocus);
  m_edit->setAccessibleName(tr("Find or go to"));
  resize(560, 420);
  connect(m_edit, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(m_edit, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
  connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
  filter();
  m_edit->setFocus();
}

void CommandPalette::filter() {
  constexpr int kShown = 200;
  const QStringList words = m_edit->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  m_list->clear();
  m_shown.clear();
  for (int i = 0; i < m_entries.size() && m_shown.size() < kShown; ++i) {
    const Entry& entry = m_entries[i];
    const bool match = std::all_of(words.begin(), words.end(), [&](const QString& word) {
      return entry.text.contains(word, Qt::CaseInsensitive) || entry.detail.contains(word, Qt::CaseInsensitive);
    });
    if (!match) continue;
    m_shown.append(i);
    auto* const item = new QListWidgetItem(entry.icon, entry.text, m_list);
    item->setData(Qt::UserRole, entry.detail);
    item->setData(Qt::AccessibleTextRole,
                  entry.detail.isEmpty() ? entry.text : QStringLiteral("%1, %2").arg(entry.text, entry.detail));
  }
  m_list->setCurrentRow(0);
}

void CommandPalette::runCurrent() {
  const int row = m_list->currentRow();
  if (row < 0 || row >= m_shown.size()) return;
  const auto run = m_entries[m_shown[row]].run;
  accept();
  run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_edit && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down       ? 1
                     : key == Qt::Key_Up       ? -1
                     : key == Qt::Key_PageDown ? 10
                     : key == Qt::Key_PageUp   ? -10
                                               : 0;
    if (step != 0) {
      m_list->setCurrentRow(qBound(0, m_list->currentRow() + step, m_list->count() - 1));
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

} // namespace blobscope::ui
