#pragma once

#include "core/check/report.h"
#include "ui/session/document.h"
#include "ui/window/actions.h"

#include <QObject>
#include <QPointer>

#include <optional>

class QWidget;

namespace blobscope::ui {

class FixDialog;

/// Mends findings: opens the dialog with the preview for the finding that is shown, or for all of them.
class Fixing : public QObject {
  Q_OBJECT
public:
  /// `window` is the parent of the dialog.
  Fixing(Document& document, const Actions& actions, QWidget* window);

  /// Sets the finding to which the action applies first; nothing for none.
  void setFinding(const std::optional<check::Issue>& issue);
  /// Opens the dialog. Without a finding, or with one that has no quick fix, it mends all findings.
  void askFor(const std::optional<check::Issue>& issue);
  /// The open dialog, or null.
  FixDialog* dialog() const;

private:
  void updateAction();

  Document& m_document;
  const Actions& m_actions;
  QWidget* m_window;
  std::optional<check::Issue> m_issue;
  QPointer<FixDialog> m_dialog;
};

} // namespace blobscope::ui
