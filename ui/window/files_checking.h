#pragma once

#include "ui/session/document.h"

#include <QObject>
#include <QStringList>

class QStackedWidget;
class QWidget;

namespace blobscope::ui {

class Actions;
class Banner;
class FilesView;
class NodeTabs;

/// The tabs that show whether the files of a folder load.
class FilesChecking : public QObject {
  Q_OBJECT
public:
  /// `window` is the parent of dialogs.
  FilesChecking(Document& document, NodeTabs& tabs, const Actions& actions, QWidget* window);
  /// Asks for the folder.
  void askForFolder();
  /// Opens a tab for a folder, or for files, and reads them. A folder that has a tab is read again.
  FilesView* check(const QStringList& paths);

Q_SIGNALS:
  /// A tab was added.
  void shown(FilesView* view);
  /// The user wants to open a file at this place; `ref` is the file for its page about loading.
  void fileRequested(const QString& path, const Ref& ref);
  void ruleRequested(const QString& id);
  void selectionText(const QString& text);

private:
  Document& m_document;
  NodeTabs& m_tabs;
  QWidget* m_window;
};

} // namespace blobscope::ui
