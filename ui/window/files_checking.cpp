#include "ui/window/files_checking.h"

#include "ui/text/plain_text.h"
#include "ui/window/actions.h"
#include "ui/window/files_view.h"
#include "ui/window/node_tabs.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QTableView>

namespace blobscope::ui {

FilesChecking::FilesChecking(Document& document, NodeTabs& tabs, const Actions& actions, QWidget* window)
    : QObject(window), m_document(document), m_tabs(tabs), m_window(window) {
  connect(actions[ActionId::CheckFolder], &QAction::triggered, this, &FilesChecking::askForFolder);
}

void FilesChecking::askForFolder() {
  const QString folder =
      QFileDialog::getExistingDirectory(m_window, tr("Check the libraries in a folder"),
                                        m_document.path().isEmpty() ? QString() : QFileInfo(m_document.path()).path());
  if (!folder.isEmpty()) check({folder});
}

FilesView* FilesChecking::check(const QStringList& paths) {
  for (QWidget* const page : m_tabs.pages())
    if (auto* const view = qobject_cast<FilesView*>(page); view && view->paths() == paths) {
      m_tabs.showExisting(view);
      view->start(TargetChoice::stored());
      return view;
    }
  auto* const view = new FilesView(m_document.jobs(), paths);
  connect(view, &FilesView::fileRequested, this, &FilesChecking::fileRequested);
  connect(view, &FilesView::ruleRequested, this, &FilesChecking::ruleRequested);
  connect(view, &FilesView::selectionText, this, [this, view](const QString& text) {
    if (m_tabs.otherPage() == view) Q_EMIT selectionText(text);
  });
  m_tabs.showPage(view, view->title(), QStringLiteral("kind-archive"));
  m_tabs.keepWithoutFile(view);
  Q_EMIT shown(view);
  view->start(TargetChoice::stored());
  view->table().setFocus();
  return view;
}

} // namespace blobscope::ui
