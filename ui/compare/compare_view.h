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

/// What a tab shows of two compared files: which they are, a sentence and counts, the merged tree at the left, the
/// chosen pair at the right. Compares in the background as soon as it is made.
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
  /// What a tab is called: "a.so ↔ b.so", or what differs in the names.
  QString title() const;
  bool isRunning() const { return m_comparison.isRunning(); }
  QString sentence() const;

  void swap();
  void setFilter(const DiffFilter& filter);
  /// Another state of one of the files, as after an edit; selection and expansion stay.
  void setPackage(Side side, library::PackagePtr package, const QString& title);
  /// The side that is the opened document, so that changes can be copied to it; nothing for none. Swapping moves it.
  void setDocumentSide(std::optional<Side> side);
  std::optional<Side> documentSide() const { return m_documentSide; }
  /// Shows a node of the tree.
  bool showNode(const std::optional<Ref>& a, const std::optional<Ref>& b);
  /// To the next change of the page, else of the tree. False when there is none.
  bool goToNextChange(bool backwards);
  /// Writes what differs as HTML, or as Markdown to a path that ends with ".md"; reportWritten() or message() follows.
  void exportReport(const QString& path);

Q_SIGNALS:
  /// The files are compared, or were not to the end.
  void finished();
  /// The user wants to see a node in a tab of its own.
  void nodeChosen(Side side, const Ref& ref);
  /// What the side that is not the document has is wanted in the document. The node in A and in B, nothing where it is
  /// missing.
  void copyRequested(const std::optional<Ref>& a, const std::optional<Ref>& b);
  /// The user asks for a report; exportReport() writes it.
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
  CutRow* m_chips = nullptr; ///< null before the files are compared
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
  bool m_lastWanted = false; ///< of the pair that is chosen next, the last change
};

} // namespace blobscope::ui
