#pragma once

#include "core/base/result.h"
#include "core/write/repack.h"

#include <QStringList>
#include <QWidget>

#include <string>
#include <vector>

class QCheckBox;
class QHBoxLayout;
class QPushButton;
class QTableView;

namespace blobscope::ui {

class Panel;
class PlanBar;
class StepsModel;
class ThemeLabel;

/// Returns a message of core as a sentence.
QString sentenceOf(const std::string& message);
/// Returns the first line of a section: its title and a text at the right, which may be null.
QHBoxLayout* headingLine(ThemeLabel* title, ThemeLabel* word);

/// Shows what will be written, to scale and step by step, and the consequences; or why nothing can be written.
class RepackPlan : public QWidget {
  Q_OBJECT
public:
  explicit RepackPlan(QWidget* parent);
  void showPlan(const write::Repack& repack);
  void showRefusal(const Error& error);
  /// "Repack anyway": visible from the first refusal that force overrides.
  QCheckBox& force() { return *m_force; }
  /// "Repack even though calls in this file will fail": visible while the plan breaks calls; must be checked before
  /// writing.
  QCheckBox& consent() { return *m_consent; }

Q_SIGNALS:
  /// The user wants to exclude the renames that break calls.
  void keepNamesRequested();

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  QWidget* makeSteps();
  QWidget* makeRefusal();
  QWidget* makeConsequences();
  QWidget* makeConsent();
  void showConsent(const write::Repack& repack);
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
  QWidget* m_consentRow;
  QCheckBox* m_consent;
  QPushButton* m_keepNames;
  QStringList m_broken; ///< the calls that the consent is about
};

} // namespace blobscope::ui
