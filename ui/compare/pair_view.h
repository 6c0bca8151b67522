#pragma once

#include "core/diff/tree.h"
#include "ui/compare/pair_page.h"
#include "ui/session/comparison.h"

#include <QVector>
#include <QWidget>

#include <optional>

class QCheckBox;
class QMenu;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace blobscope::ui {

class ElidedLabel;
class PageBar;
class PlainLabel;
class ProgressStrip;
class StatusChip;
class ThemeLabel;

/// The selected pair of nodes: its status, its pages side by side, navigation between changes, and what is ignored.
class PairView : public QWidget {
  Q_OBJECT
public:
  PairView(Comparison& comparison, QWidget* parent = nullptr);
  ~PairView() override;

  /// Shows the pair and its first change, or its last one with `lastChange`. `name`: the displayed name.
  void show(const std::optional<Ref>& a, const std::optional<Ref>& b, const QString& name, bool lastChange = false);
  /// Shows the properties of the pair from the tree; called again for the same pair after the tree was rebuilt.
  void showItem(const QString& name, diff::Status status, const QString& detail, std::optional<uint64_t> sizeA,
                std::optional<uint64_t> sizeB);
  /// Shows that nothing is selected.
  void clear(const QString& sentence);

  /// Null while it is being created.
  PairPage* page() const;
  QStringList pageNames() const;
  QString currentPage() const;
  void showPage(const QString& name);
  /// Shows the n-th page, counted from 0.
  void showPage(int index);
  /// Returns false when there is no further change.
  bool goToNextChange(bool backwards);
  /// Sets the side whose file can be edited; nullopt for none.
  void setDocumentSide(std::optional<Side> side);
  bool isWrapping() const;
  bool isFolding() const;

Q_SIGNALS:
  /// A page was shown.
  void pageShown();
  /// There is no further change in this pair.
  void nextWanted(bool backwards);
  void copyWanted();
  void exportWanted();
  void openWanted(Side side);
  void message(const QString& text);
  void selectionText(const QString& text);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeHead();
  void fillTools();
  void connectPages();
  void connectJobs();
  void arrangeHead();
  void takePair();
  void select(int index);
  void showWidget(int index);
  void showNotice(const QString& text);
  void updateChange();
  void fillMaskMenu();
  void applyMasks();
  void updateCopy();

  Comparison& m_comparison;
  ElidedLabel* m_name;
  StatusChip* m_chip;
  ThemeLabel *m_sizes, *m_change;
  QToolButton *m_previous, *m_next, *m_export;
  QPushButton *m_masks, *m_copy;
  QMenu* m_maskMenu;
  QAction* m_rawNumbers;
  PageBar* m_bar;
  QWidget* m_tools;
  QCheckBox *m_wrap, *m_fold;
  ProgressStrip* m_progress;
  QStackedWidget* m_stack;
  PlainLabel* m_notice;
  QVector<PairPage*> m_widgets;
  int m_current = -1;
  QString m_wantedPage;
  bool m_wantsLast = false;
  diff::Status m_status = diff::Status::Same;
  std::optional<Side> m_documentSide;
};

} // namespace blobscope::ui
