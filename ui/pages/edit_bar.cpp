#include "ui/pages/edit_bar.h"

#include "ui/widgets/labels.h"
#include "ui/widgets/tool_button.h"

#include <QHBoxLayout>

namespace blobscope::ui {
namespace {

constexpr int kEditBar = 40, kBarButton = 28;

} // namespace

EditBar::EditBar(QWidget* parent) : QWidget(parent) {
  setFixedHeight(kEditBar);
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 0, 8, 1);
  layout->setSpacing(4);
  m_label = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this);
  m_label->setElided();
  layout->addWidget(m_label, 1);
  const auto add = [&](const QString& iconName, const QString& text, const QString& tip, const QKeySequence& key) {
    QToolButton* const button = wordButton(iconName, text, this);
    button->setFixedHeight(kBarButton);
    button->setShortcut(key);
    button->setToolTip(
        plainTip(key.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, key.toString(QKeySequence::NativeText))));
    layout->addWidget(button);
    return button;
  };
  m_apply = add(QStringLiteral("check"), tr("Apply"), tr("Adds the edited text to the unsaved changes of the file"),
                QKeySequence(Qt::CTRL | Qt::Key_Return));
  m_revert = add(QStringLiteral("undo"), tr("Revert"), tr("Discards what was typed since the last Apply"), {});
  m_diff = add(QStringLiteral("compare"), tr("Diff"), tr("Shows the text beside that of the file as opened"),
               QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_D));
  m_diff->setCheckable(true);
  connect(m_apply, &QToolButton::clicked, this, &EditBar::applyRequested);
  connect(m_revert, &QToolButton::clicked, this, &EditBar::revertRequested);
  connect(m_diff, &QToolButton::toggled, this, &EditBar::differencesToggled);
}

void EditBar::setState(State state, bool different) {
  m_label->setText(state == State::Typed      ? tr("Edited, not applied yet")
                   : state == State::Applying ? tr("Applying the change…")
                   : different                ? tr("Changed, not saved to the file yet")
                                              : tr("No changes"));
  m_apply->setEnabled(state == State::Typed);
  m_revert->setEnabled(state == State::Typed);
  m_diff->setEnabled(different || m_diff->isChecked());
}

bool EditBar::showsDifferences() const { return m_diff->isChecked(); }

void EditBar::setShowsDifferences(bool shows) { m_diff->setChecked(shows); }

void EditBar::paintEvent(QPaintEvent*) { paintBar(*this, Role::Window); }

} // namespace blobscope::ui
