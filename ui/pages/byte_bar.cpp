#include "ui/pages/byte_bar.h"

#include "ui/widgets/labels.h"
#include "ui/widgets/tool_button.h"

#include <QHBoxLayout>

namespace blobscope::ui {
namespace {

constexpr int kByteBar = 36, kByteButton = 28;

} // namespace

ByteBar::ByteBar(QWidget* parent) : QWidget(parent) {
  setFixedHeight(kByteBar);
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 0, 8, 1);
  layout->setSpacing(4);
  m_label = new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this);
  m_label->setElided();
  layout->addWidget(m_label, 1);
  const auto add = [&](const QString& iconName, const QString& text) {
    QToolButton* const button = wordButton(iconName, text, this);
    button->setFixedHeight(kByteButton);
    layout->addWidget(button);
    return button;
  };
  m_apply = add(QStringLiteral("check"), tr("Apply"));
  m_apply->setToolTip(plainTip(tr("Adds the typed bytes to the unsaved changes of the file (Enter)")));
  m_revert = add(QStringLiteral("undo"), tr("Revert"));
  connect(m_apply, &QToolButton::clicked, this, &ByteBar::applyRequested);
  connect(m_revert, &QToolButton::clicked, this, &ByteBar::revertRequested);
  hide();
}

void ByteBar::setState(State state, const QString& text) {
  m_state = state;
  m_label->setText(text);
  m_apply->setVisible(state == State::Typed || state == State::Applying);
  m_apply->setEnabled(state == State::Typed);
  m_revert->setEnabled(state != State::Applying);
  m_revert->setToolTip(plainTip(state == State::Changed ? tr("Reverts the change that contains this byte")
                                                        : tr("Discards the typed bytes (Esc)")));
  setVisible(state != State::Hidden);
}

QString ByteBar::text() const { return m_label->text(); }

void ByteBar::paintEvent(QPaintEvent*) { paintBar(*this, Role::Window); }

} // namespace blobscope::ui
