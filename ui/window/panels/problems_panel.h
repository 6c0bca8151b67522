#pragma once

#include "ui/models/problems_model.h"

#include <QWidget>

#include <array>

class QLineEdit;
class QTableView;
class QToolButton;

namespace blobscope::ui {

class ThemeLabel;

/// All findings, worst first, with filters by severity and by text. Selecting a finding shows its details, activating
/// it goes to its place.
class ProblemsPanel : public QWidget {
  Q_OBJECT
public:
  explicit ProblemsPanel(QWidget* parent = nullptr);
  void setReport(const std::shared_ptr<const check::Report>& report);
  const std::shared_ptr<const check::Report>& report() const { return m_model->report(); }
  const ProblemsModel& model() const { return *m_model; }
  QTableView& view() { return *m_view; }
  /// Goes to the next finding or, with `backwards`, to the previous one.
  void step(bool backwards);

Q_SIGNALS:
  void selected(const check::Issue& issue);
  void activated(const check::Issue& issue);
  /// The user wants to mend the current finding, or all of them.
  void fixRequested();
  /// The user requests the context menu of a finding; `text` is the text under the mouse.
  void menuRequested(const check::Issue& issue, const QString& text, const QPoint& place);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void applyFilter();
  void copy();

  ProblemsModel* m_model;
  QTableView* m_view;
  std::array<QToolButton*, 3> m_toggles = {};
  QLineEdit* m_filter;
  QToolButton* m_fix;
  ThemeLabel *m_summary, *m_empty;
};

} // namespace blobscope::ui
