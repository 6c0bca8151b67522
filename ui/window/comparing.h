#pragma once

#include "ui/session/document.h"

#include <QObject>
#include <QString>
#include <QStringList>

class QWidget;

namespace blobscope::ui {

class Actions;
class Banner;
class CompareView;
class NodeTabs;
class PairPage;

/// Comparisons of the window: of the opened file with another one, with itself before its changes, or with what is on
/// disk now. Each is a tab; changes copied to the document become edits.
class Comparing : public QObject {
  Q_OBJECT
public:
  /// `window` is the parent of dialogs.
  Comparing(Document& document, Banner& banner, NodeTabs& tabs, const Actions& actions, QWidget* window);

  /// Asks for the file to compare with.
  void askForFile();
  /// Opens `path` in the background and compares: it is the new file, the document the old one.
  void compareWith(const QString& path);
  /// The document with its changes against the file as it was opened.
  void compareWithOpened();
  /// What is open against the same file as it is on disk now.
  void compareWithDisk();
  /// Opens `old` in the window, then compares it with `other`.
  void compareFiles(const QString& old, const QString& other);
  /// The document has another state; comparisons that show it follow.
  void follow();
  /// In the page that the comparison in front shows; nothing without one.
  void openFind();
  void findNext(bool backwards);
  static QString tag() { return QStringLiteral("open to compare"); }

Q_SIGNALS:
  /// A tab shows this comparison.
  void shown(CompareView* view);
  /// A node of the document is to be shown in its tab.
  void nodeChosen(const Ref& ref);
  void selectionText(const QString& text);

private:
  /// Says that the file changed on disk, and whether what is shown is still what was opened; offers what can be done.
  void showChanged();
  /// Of the comparison in front; null when there is none.
  PairPage* shownPage() const;
  void open(const QString& path, const QString& title);
  CompareView* show(library::PackagePtr a, const QString& titleA, library::PackagePtr b, const QString& titleB);
  void copy(CompareView& view, const std::optional<Ref>& a, const std::optional<Ref>& b);
  void askForReport(CompareView* view);

  Document& m_document;
  Banner& m_banner;
  NodeTabs& m_tabs;
  QWidget* m_window;
  QString m_next; ///< to be compared with the document that is being opened
};

} // namespace blobscope::ui
