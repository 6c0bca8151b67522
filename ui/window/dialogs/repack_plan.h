#pragma once

#include "core/base/result.h"
#include "core/write/plan.h"

#include <QWidget>

#include <string>
#include <vector>

class QCheckBox;
class QHBoxLayout;
class QTableView;

namespace blobscope::ui {

class Panel;
class PlanBar;
class StepsModel;
class ThemeLabel;

/// A message of core as a sentence.
QString sentenceOf(const std::string& message);
/// The first line of a section: its title, and a word at the right, which may be null.
QHBoxLayout* headingLine(ThemeLabel* title, ThemeLabel* word);

/// What will be written, to scale and step by step, and what follows from it; or why nothing can be written.
class RepackPlan : public QWidget {
  Q_OBJECT
public:
  explicit RepackPlan(QWidget* parent);
  void showPlan(const write::Plan& plan);
  void showRefusal(const Error& error);
  /// "Repack anyway": to be seen from the first refusal on that force overrides.
  QCheckBox& force() { return *m_force; }

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  QWidget* makeSteps();
  QWidget* makeRefusal();
  QWidget* makeConsequences();
  void arrangeSteps();
  void showConsequences(const std::vector<Diagnostic>& consequences);

  ThemeLabel* m_strategy;
  QWidget* m_planned; ///< bars and table
  PlanBar* m_bar;
  StepsModel* m_steps;
  QTableView* m_table;
  Panel* m_refusal;
  ThemeLabel *m_refusalText, *m_refusalId;
  QWidget* m_forceRow;
  QCheckBox* m_force;
  QWidget *m_consequences, *m_consequenceRows;
};

} // namespace blobscope::ui
