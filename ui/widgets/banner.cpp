#include "ui/widgets/banner.h"

#include "ui/text/plain_text.h"

#include <QAccessible>
#include <QHBoxLayout>

namespace blobscope::ui {
namespace {

struct Look {
  const char* icon;
  Role color, background;
};

Look lookOf(Banner::Kind kind) {
  switch (kind) {
  case Banner::Kind::Ok: return {"ok", Role::Ok, Role::OkBackground};
  case Banner::Kind::Warning: return {"warning", Role::Warning, Role::WarningBackground};
  case Banner::Kind::Error: return {"error", Role::Error, Role::ErrorBackground};
  case Banner::Kind::Note: break;
  }
  return {"note", Role::Note, Role::NoteBackground};
}

} // namespace

Banner::Banner(QWidget* parent)
    : Panel(Role::NoteBackground, Role::Note, parent),
      m_icon(new IconLabel(QStringLiteral("note"), Role::Note, metrics::kIcon, this)),
      m_bold(new ThemeLabel({}, TextRole::Body, Role::Text, this)),
      m_plain(new ThemeLabel({}, TextRole::Body, Role::Text, this)), m_actions(new QWidget(this)) {
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(15, 9, 12, 9);
  layout->setSpacing(8);
  layout->addWidget(m_icon, 0, Qt::AlignTop);
  QFont bold = m_bold->font();
  bold.setWeight(QFont::DemiBold);
  m_bold->setFont(bold);
  layout->addWidget(m_bold, 0, Qt::AlignTop);
  m_plain->setWordWrap(true);
  layout->addWidget(m_plain, 1);
  layout->addWidget(m_actions, 0, Qt::AlignTop);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
}

void Banner::showMessage(Kind kind, const QString& bold, const QString& plain, const QVector<Action>& actions,
                         Lasts lasts) {
  m_kind = kind;
  m_lasts = lasts;
  const Look look = lookOf(kind);
  setRoles(look.background, look.color);
  m_icon->setIcon(QLatin1String(look.icon), look.color);
  m_bold->setText(bold);
  m_plain->setText(plain);
  setAccessibleName(plainLine(text()));
  // The action that is running may belong to these widgets, so they are deleted later.
  m_actions->hide();
  m_actions->deleteLater();
  m_actions = new QWidget(this);
  auto* const row = new QHBoxLayout(m_actions);
  row->setContentsMargins(8, 0, 0, 0);
  row->setSpacing(16);
  for (const Action& action : actions) {
    auto* const button = new LinkButton(action.text, m_actions);
    connect(button, &QAbstractButton::clicked, this, [this, action] {
      if (!action.stays) hide();
      action.run();
    });
    row->addWidget(button);
  }
  static_cast<QHBoxLayout*>(layout())->addWidget(m_actions, 0, Qt::AlignTop);
  show();
  QAccessibleEvent event(this, QAccessible::Alert);
  QAccessible::updateAccessibility(&event);
}

void Banner::showNote(const QString& text) {
  text.isEmpty() ? endMoved() : showMessage(Kind::Note, text, {}, {{tr("Close"), [] {}}}, Lasts::UntilMoved);
}

void Banner::endEdited() {
  if (m_lasts != Lasts::UntilAnswered) hide();
}

void Banner::endMoved() {
  if (m_lasts == Lasts::UntilMoved) hide();
}

} // namespace blobscope::ui
