#include "ui/pages/table_head.h"

#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/segments.h"

#include <QComboBox>
#include <QCompleter>
#include <QHBoxLayout>
#include <QLineEdit>

namespace blobscope::ui {
namespace {

/// Widths from which the note, and the words "Group by", are shown.
constexpr int kNoteFrom = 780, kWordsFrom = 560;

} // namespace

TableHead::TableHead(QLineEdit* filter, QWidget* parent)
    : QWidget(parent), m_row(new QHBoxLayout(this)),
      m_groupTitle(new ThemeLabel(tr("Group by"), TextRole::Secondary, Role::Secondary, this)),
      m_groups(new Segments(tr("Group by"), this)),
      m_choiceTitle(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)), m_choice(new QComboBox(this)) {
  m_row->setContentsMargins(12, 6, 12, 6);
  m_row->setSpacing(8);
  filter->setParent(this);
  m_row->addWidget(filter);
  m_row->addWidget(m_groupTitle);
  m_row->addWidget(m_groups);
  m_row->addStretch();
  auto* const note = new Panel(Role::NoteBackground, std::nullopt, this);
  auto* const chip = new QHBoxLayout(note);
  chip->setContentsMargins(7, 2, 7, 2);
  chip->setSpacing(5);
  chip->addWidget(new IconLabel(QStringLiteral("note"), Role::Note, 14, note));
  m_noteText = new ThemeLabel({}, TextRole::Chip, Role::Note, note);
  chip->addWidget(m_noteText);
  m_note = note;
  m_row->addWidget(m_note);
  m_row->addWidget(m_choiceTitle);
  m_choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_choice->setMaximumWidth(220);
  m_row->addWidget(m_choice);
  connect(m_groups, &Segments::chosen, this, &TableHead::groupingChosen);
  connect(m_choice, &QComboBox::activated, this,
          [this](int at) { Q_EMIT choiceMade(m_choice->itemData(at).toString()); });
}

int TableHead::grouping() const {
  const int current = m_groups->current();
  return current < m_groupings ? current : -1;
}

void TableHead::setExtras(const view::TableExtras& extras) {
  if (m_groupings != static_cast<int>(extras.groupings.size())) {
    m_groupings = static_cast<int>(extras.groupings.size());
    QStringList choices;
    for (const view::TableExtras::Grouping& grouping : extras.groupings) choices << coreText(grouping.title);
    choices << tr("nothing");
    m_groups->setChoices(choices);
    m_groups->setCurrent(extras.grouping ? static_cast<int>(*extras.grouping) : m_groupings);
  }
  m_noteText->setText(toQt(extras.note));
  m_hasNote = !extras.note.empty();
  m_choiceTitle->setText(coreText(extras.choiceTitle));
  m_choice->setAccessibleName(plainLine(coreText(extras.choiceTitle)));
  m_choice->clear();
  for (const view::TableExtras::Option& option : extras.options)
    m_choice->addItem(isCoreWord(option.text) ? coreText(option.text) : toQt(option.text), toQt(option.value));
  m_choice->setCurrentIndex(m_choice->findData(toQt(extras.choice)));
  if (!extras.choiceHint.empty()) setFree(coreText(extras.choiceHint));
  for (QWidget* const part : {static_cast<QWidget*>(m_choice), static_cast<QWidget*>(m_choiceTitle)})
    part->setVisible(!extras.options.empty());
  arrange();
}

/// Lets the user type something else than the options.
void TableHead::setFree(const QString& hint) {
  m_choice->setToolTip(plainTip(hint));
  if (m_choice->isEditable()) return;
  m_choice->setEditable(true);
  m_choice->setInsertPolicy(QComboBox::NoInsert);
  m_choice->lineEdit()->setAccessibleName(plainLine(m_choice->accessibleName()));
  m_choice->completer()->setCaseSensitivity(Qt::CaseInsensitive);
  m_choice->completer()->setFilterMode(Qt::MatchContains);
  m_choice->completer()->setCompletionMode(QCompleter::PopupCompletion);
  connect(m_choice->lineEdit(), &QLineEdit::editingFinished, this, &TableHead::takeTyped);
}

/// Chooses the typed text if it is another one than before.
void TableHead::takeTyped() {
  const QString text = m_choice->currentText().trimmed();
  if (text == m_choice->itemText(m_choice->currentIndex())) return;
  const int at = m_choice->findText(text, Qt::MatchFixedString);
  Q_EMIT choiceMade(at >= 0 ? m_choice->itemData(at).toString() : text);
}

void TableHead::arrange() {
  m_note->setVisible(m_hasNote && width() >= kNoteFrom);
  m_groupTitle->setVisible(m_groupings > 0 && width() >= kWordsFrom);
  m_groups->setVisible(m_groupings > 0);
}

void TableHead::paintEvent(QPaintEvent*) { paintBar(*this, Role::Base); }

void TableHead::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

} // namespace blobscope::ui
