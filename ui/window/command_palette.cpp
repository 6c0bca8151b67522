#include "ui/window/command_palette.h"

#include <QKeyEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {

CommandPalette::CommandPalette(QVector<Entry> entries, QWidget* parent)
    : QDialog(parent, Qt::Popup), m_entries(std::move(entries)), m_edit(new QLineEdit(this)), m_list(new QListWidget(this)) {
  setAccessibleName(tr("Find or go to"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  m_edit->setPlaceholderText(tr("Find or go to…"));
  m_edit->installEventFilter(this);
  layout->addWidget(m_edit);
  layout->addWidget(m_list);
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
    m_list->addItem(entry.detail.isEmpty() ? entry.text : tr("%1   –   %2").arg(entry.text, entry.detail));
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
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : key == Qt::Key_PageDown ? 10 : key == Qt::Key_PageUp ? -10 : 0;
    if (step != 0) {
      m_list->setCurrentRow(qBound(0, m_list->currentRow() + step, m_list->count() - 1));
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

} // namespace blobscope::ui
