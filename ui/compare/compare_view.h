#pragma once

#include "ui/models/diff_model.h"
#include "ui/session/comparison.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QLineEdit;
class QMenu;
class QPushButton;
class QSplitter;
class QTreeView;

namespace blobscope::ui {

class Banner;
class CutRow;
class ElidedLabel;
class PairView;
class ProgressStrip;
class ThemeLabel;

/// The tab of two compared files: their names, a sentence and counts, the merged tree at the left, the selected pair at
/// the right. The comparison starts in the background when the view is created.
class CompareView : public QWidget {
  Q_OBJECT
public:
  /// A is the old file, B the new one. `jobs` outlives the view.
  CompareView(Jobs& jobs, library::PackagePtr a, QString titleA, library::PackagePtr b, QString titleB,
              QWidget* parent = nullptr);
  ~CompareView() override;

  Comparison& comparison() { return m_comparison; }
  DiffModel& model() { return *m_model; }
  QTreeView& tree() { return *m_tree; }
  PairView& pair() { return *m_pair; }
  QLineEdit& filter() { return *m_filter; }
  /// Returns the title of the tab: "a.so ↔ b.so", or only the parts of the names that differ.
  QString title() const;
  bool isRunning() const { return m_comparison.isRunning(); }
  QString sentence() const;

  void swap();
  void setFilter(const DiffFilter& filter);
  /// Replaces one of the files by another state of it, for example after an edit; selection and expansion stay.
  void setPackage(Side side, library::PackagePtr package, const QString& title);
  /// Sets the side that is the opened document, so that changes can be copied to it; nullopt for none. Swapping moves
  /// it.
  void setDocumentSide(std::optional<Side> side);
  std::optional<Side> documentSide() const { return m_documentSide; }
  /// Selects a node of the tree.
  bool showNode(const std::optional<Ref>& a, const std::optional<Ref>& b);
  /// Goes to the next change of the page, or else of the tree. Returns false when there is none.
  bool goToNextChange(bool backwards);
  /// Writes the differences as HTML, or as Markdown to a path that ends with ".md"; reportWritten() or message()
  /// follows.
  void exportReport(const QString& path);

Q_SIGNALS:
  /// The comparison is complete, or was cancelled.
  void finished();
  /// The user wants to open a node in a separate tab.
  void nodeChosen(Side side, const Ref& ref);
  /// The user wants to copy the other side's content of this node to the document. The refs are those in A and in B;
  /// nullopt where the node is missing.
  void copyRequested(const std::optional<Ref>& a, const std::optional<Ref>& b);
  /// The user requests a report; exportReport() writes it.
  void exportRequested();
  void reportWritten(const QString& path);
  void message(const QString& text);
  void selectionText(const QString& text);
  void titleChanged(const QString& title);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  void connectComparison(Jobs& jobs);
  QWidget* makeHead();
  QWidget* makeSummary();
  QWidget* makeTree();
  void updateHead();
  void updateSummary();
  void showCompared();
  void showRow(const QModelIndex& index, bool lastChange = false);
  void applyFilter();
  void fillShowMenu();
  void expandRows();
  void openMenu(const QPoint& place);
  bool goToNextRow(bool backwards);

  Comparison m_comparison;
  DiffModel* m_model;
  std::optional<Side> m_documentSide;
  ElidedLabel *m_titles[2], *m_facts[2];
  QWidget* m_summary;
  ThemeLabel* m_sentence;
  CutRow* m_chips = nullptr; ///< null until the files are compared
  ProgressStrip* m_progress;
  Banner* m_banner;
  QWidget* m_bannerBox;
  QSplitter* m_splitter;
  QLineEdit* m_filter;
  QPushButton* m_show;
  QMenu* m_showMenu;
  QTreeView* m_tree;
  PairView* m_pair;
  QTimer m_filterDelay;
  bool m_lastWanted = false; ///< select the last change of the next pair
};

} // namespace blobscope::ui
