#pragma once

#include "ui/session/test_run.h"
#include "ui/widgets/labels.h"

#include <string>

class QTableWidget;

namespace blobscope::ui {

class Banner;
class TimeHistogram;

/// What a run of the file as opened and with its changes on the same inputs gave: one sentence, the outputs, and the
/// times of both. Keep and Esc close it.
class RunResult : public Panel {
  Q_OBJECT
public:
  explicit RunResult(QWidget* parent = nullptr);
  /// `kernel`: whose times are shown if they were measured on the device; else those of the whole call.
  void showRun(const RunEntryPtr& entry, const std::string& kernel);
  const Banner& banner() const { return *m_banner; }
  const QTableWidget& outputs() const { return *m_outputs; }
  const TimeHistogram& times() const { return *m_times; }

Q_SIGNALS:
  /// The change is to be undone.
  void revertRequested();
  /// The user has seen the result; the keyboard focus goes back to the text.
  void closed();

protected:
  void keyPressEvent(QKeyEvent* event) override;

private:
  void close();
  void showOutputs(const run::RunComparison& comparison, const run::FunctionResult& result);

  Banner* m_banner;
  QTableWidget* m_outputs;
  TimeHistogram* m_times;
  ThemeLabel *m_title, *m_foot;
};

} // namespace blobscope::ui
