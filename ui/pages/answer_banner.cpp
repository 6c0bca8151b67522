#include "ui/pages/answer_banner.h"

#include "ui/text/plain_text.h"
#include "ui/widgets/charts/state_cell.h"

#include <QAccessible>
#include <QBoxLayout>

namespace blobscope::ui {
namespace {

using State = view::ChecklistPage::State;

constexpr int kWordGap = 12;

Role backgroundOf(State state) {
  switch (state) {
  case State::Good: return Role::OkBackground;
  case State::Empty:
  case State::Later: return Role::WarningBackground;
  case State::Fails:
  case State::Crashes: return Role::ErrorBackground;
  case State::Unknown:
  case State::NotNeeded: break;
  }
  return Role::NoteBackground;
}

Role colorOf(State state) {
  switch (backgroundOf(state)) {
  case Role::OkBackground: return Role::Ok;
  case Role::WarningBackground: return Role::Warning;
  case Role::ErrorBackground: return Role::Error;
  default: return Role::Note;
  }
}

QString answerIcon(State state) {
  return state == State::Empty       ? QStringLiteral("warning")
         : state == State::NotNeeded ? QStringLiteral("note")
                                     : StateCell::iconName(state);
}

} // namespace

AnswerBanner::AnswerBanner(QWidget* parent)
    : Panel(Role::NoteBackground, Role::Note, parent),
      m_icon(new IconLabel(QStringLiteral("note"), Role::Note, metrics::kIcon, this)),
      m_sentence(new ThemeLabel({}, TextRole::Body, Role::Text, this)),
      m_detail(new ThemeLabel({}, TextRole::Body, Role::Text, this)), m_words(new QBoxLayout(QBoxLayout::TopToBottom)),
      m_copy(new LinkButton(tr("Copy report"), this)) {
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(15, 9, 12, 9);
  layout->setSpacing(8);
  layout->addWidget(m_icon, 0, Qt::AlignTop);
  QFont bold = m_sentence->font();
  bold.setWeight(QFont::DemiBold);
  m_sentence->setFont(bold);
  for (ThemeLabel* const label : {m_sentence, m_detail}) {
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    label->setMinimumWidth(40);
    m_words->addWidget(label);
  }
  layout->addLayout(m_words, 1);
  layout->addWidget(m_copy, 0, Qt::AlignTop);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
}

void AnswerBanner::showAnswer(State state, const QString& sentence, const QString& detail) {
  setRoles(backgroundOf(state), colorOf(state));
  m_icon->setIcon(answerIcon(state), colorOf(state));
  m_sentence->setText(sentence);
  m_detail->setText(detail);
  m_detail->setVisible(!detail.isEmpty());
  setAccessibleName(plainLine(text()));
  arrange();
  QAccessibleEvent event(this, QAccessible::Alert);
  QAccessible::updateAccessibility(&event);
}

LinkButton* AnswerBanner::addButton(const QString& text) {
  m_more = new LinkButton(text, this);
  static_cast<QBoxLayout*>(layout())->addWidget(m_more, 0, Qt::AlignTop);
  return m_more;
}

QString AnswerBanner::text() const {
  return m_detail->text().isEmpty() ? m_sentence->text() : m_sentence->text() + QLatin1Char(' ') + m_detail->text();
}

void AnswerBanner::arrange() {
  const int sentence = m_sentence->fontMetrics().horizontalAdvance(m_sentence->text()) + 2;
  const int detail = m_detail->fontMetrics().horizontalAdvance(m_detail->text()) + 2;
  const int more = m_more ? m_more->sizeHint().width() + 8 : 0;
  const int room = width() - 15 - 12 - metrics::kIcon - m_copy->sizeHint().width() - more - 2 * 8;
  const bool oneLine = sentence + kWordGap + detail <= room && !m_detail->text().isEmpty();
  m_words->setDirection(oneLine ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  m_words->setSpacing(oneLine ? kWordGap : 2);
  m_words->setStretch(0, 0);
  m_words->setStretch(1, oneLine ? 1 : 0);
  m_sentence->setMinimumWidth(oneLine ? sentence : 40);
  m_sentence->setMaximumWidth(oneLine ? sentence : QWIDGETSIZE_MAX);
}

void AnswerBanner::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  arrange();
}

} // namespace blobscope::ui
