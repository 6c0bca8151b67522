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

/// The comparisons of the window: of the opened file with another file, with its original before the changes, or with
/// the current file on disk. Each has a tab; changes copied to the document become edits.
class Comparing : public QObject {
  Q_OBJECT
public:
  /// `window` is the parent of dialogs.
  Comparing(Document& document, Banner& banner, NodeTabs& tabs, const Actions& actions, QWidget* window);

  /// Asks for the file to compare with.
  void askForFile();
  /// Opens `path` in the background and compares: `path` is the new file, the document is the old one.
  void compareWith(const QString& path);
  /// Compares the document and its changes with the file as opened.
  void compareWithOpened();
  /// Compares the document with the file that is now on disk.
  void compareWithDisk();
  /// Opens comparisons of the last session with these files, one after another, behind the current tab; that with
  /// `front`, if it is one of them, in front.
  void reopen(const QStringList& paths, const QString& front);
  /// Returns the other files of the comparisons with the document, in the order of their tabs.
  QStringList otherFiles() const;
  /// Returns the other file of the comparison in front; empty when there is none.
  QString otherFileInFront() const;
  /// Opens `old` in the window, then compares it with `other`.
  void compareFiles(const QString& old, const QString& other);
  /// Shows a node of the document in its comparison with `other`; an empty path is the file as opened. Returns false if
  /// there is no such comparison, or the node does not differ. With `opens`, the comparison is opened and shows the
  /// node when it is complete.
  bool showCode(const Ref& ref, const QString& other, bool opens);
  /// The document has a new state; comparisons that show it are updated.
  void follow();
  /// Opens the find bar of the comparison in front, if there is one.
  void openFind();
  void findNext(bool backwards);
  static QString tag() { return QStringLiteral("open to compare"); }

Q_SIGNALS:
  /// A tab shows this comparison.
  void shown(CompareView* view);
  /// A node of the document must be shown in its tab.
  void nodeChosen(const Ref& ref);
  void selectionText(const QString& text);

private:
  /// Shows a banner that the file changed on disk, and whether the window still shows the opened bytes; offers what to
  /// do.
  void showChanged();
  /// Returns the page of the comparison in front; null when there is none.
  PairPage* shownPage() const;
  /// `isOld`: the file is the old one, the document the new one.
  void open(const QString& path, const QString& title, bool inFront = true, bool isOld = false);
  void openNext();
  CompareView* show(library::PackagePtr a, const QString& titleA, library::PackagePtr b, const QString& titleB,
                    bool inFront = true);
  /// Returns the other file of a comparison with the document; empty for its own file.
  QString otherFileOf(CompareView& view) const;
  /// Returns false if both files are the same there.
  static bool showRef(CompareView& view, const Ref& ref);
  void copy(CompareView& view, const std::optional<Ref>& a, const std::optional<Ref>& b);
  void askForReport(CompareView* view);

  Document& m_document;
  Banner& m_banner;
  NodeTabs& m_tabs;
  QWidget* m_window;
  QString m_next;         ///< to compare with the document that is being opened
  QStringList m_reopened; ///< those of reopen() that are not open yet
  QString m_reopenedFront;
};

} // namespace blobscope::ui
