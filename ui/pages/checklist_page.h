#pragma once

#include "ui/pages/page_widget.h"

#include <optional>
#include <string>

class QBoxLayout;
class QCheckBox;
class QComboBox;

namespace blobscope::ui {

class AnswerBanner;
class ChecklistSteps;
class ChecklistTables;
class StateLegend;
class TargetLine;
class TargetStrip;
class ThemeLabel;

/// Whether a file works with a target: the answer, the targets to choose from, a strip of all releases, the steps, and
/// tables about devices. Another choice is answered in the background; until then the page stays as it is.
class ChecklistPage : public PageWidget {
  Q_OBJECT
public:
  ChecklistPage(const view::Page& page, const PageContext& context, QWidget* parent);
  ~ChecklistPage() override;
  const view::ChecklistPage& page() const { return m_page; }
  /// Makes the page for another choice, unless it is the one that is shown or being made.
  void choose(const view::ChecklistPage::Choice& choice);
  /// The beginning of the tags of this work.
  static QString tagPrefix() { return QStringLiteral("checklist/"); }

Q_SIGNALS:
  /// The page for another choice is shown, or why there is none.
  void answered();

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeContent();
  QWidget* makePickers(QWidget* parent);
  QWidget* makeStripHead(QWidget* parent);
  QWidget* makeStepsHead(QWidget* parent);
  void setPage(view::ChecklistPage page);
  void showChoice();
  void showCounts();
  void showError(const QString& text);
  void chooseTarget(const std::string& target);
  void chooseDevice(const std::string& device);
  void askForRuntime();
  void follow(const view::ChecklistPage::Link& link);
  void showCurrent(int cell);
  void copyReport() const;
  void arrange();

  Jobs& m_jobs;
  QString m_tag;
  std::string m_name; ///< of the page
  view::ChecklistPage m_page;
  std::optional<view::ChecklistPage::Choice> m_pending; ///< the choice that is being answered
  AnswerBanner* m_banner = nullptr;
  QComboBox *m_target = nullptr, *m_device = nullptr, *m_driver = nullptr, *m_system = nullptr;
  QWidget *m_stripHead = nullptr, *m_stepsHead = nullptr, *m_main = nullptr, *m_counts = nullptr;
  ThemeLabel *m_error = nullptr, *m_stripTitle = nullptr, *m_stripNote = nullptr, *m_stepsTitle = nullptr;
  TargetStrip* m_strip = nullptr;
  TargetLine* m_line = nullptr;
  StateLegend* m_legend = nullptr;
  ChecklistSteps* m_steps = nullptr;
  ChecklistTables* m_tables = nullptr;
  QBoxLayout* m_columns = nullptr;
};

} // namespace blobscope::ui
