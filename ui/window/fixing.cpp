#include "ui/window/fixing.h"

#include "ui/text/plain_text.h"
#include "ui/window/dialogs/fix_dialog.h"

#include <algorithm>

namespace blobscope::ui {

Fixing::Fixing(Document& document, const Actions& actions, QWidget* window)
    : QObject(window), m_document(document), m_actions(actions), m_window(window) {
  connect(m_actions[ActionId::FixFindings], &QAction::triggered, this,
          [this] { m_document.afterEdits([this] { askFor(m_issue); }); });
  connect(&m_document, &Document::opened, this, [this] { setFinding({}); });
  connect(&m_document, &Document::edited, this, [this] { setFinding({}); });
  updateAction();
}

void Fixing::setFinding(const std::optional<check::Issue>& issue) {
  m_issue = issue;
  updateAction();
}

FixDialog* Fixing::dialog() const { return m_dialog; }

void Fixing::updateAction() {
  const Document::StatePtr& state = m_document.state();
  const bool any = state && std::ranges::any_of(state->report->issues,
                                                [](const check::Issue& one) { return !one.quickFix.empty(); });
  QAction* const action = m_actions[ActionId::FixFindings];
  action->setEnabled(any);
  action->setToolTip(plainTip(any ? action->statusTip() : tr("No finding has a quick fix.")));
}

void Fixing::askFor(const std::optional<check::Issue>& issue) {
  if (!m_document.state() || m_dialog) return;
  m_dialog = new FixDialog(m_document, issue && !issue->quickFix.empty() ? issue : std::nullopt, m_window);
  m_dialog->setAttribute(Qt::WA_DeleteOnClose);
  m_dialog->open();
}

} // namespace blobscope::ui
