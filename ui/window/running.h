#pragma once

#include "ui/session/document.h"
#include "ui/session/test_run.h"
#include "ui/window/dialogs/run_consent.h"
#include "ui/window/dialogs/run_dialog.h"

#include <QObject>
#include <QPointer>
#include <QString>

#include <functional>

class QWidget;

namespace blobscope::ui {

class Actions;
class Banner;
class BottomPanel;
class DevicesDialog;
class RunPanel;

/// Test runs of the opened file: asks what to run and for consent, runs it in the background, shows what came of it in
/// a tab below. Nothing of a file is executed before the user agreed to it for exactly this content, and the same holds
/// for the library that it is compared with; that is remembered until the program ends and never stored. When a file is
/// no longer what was agreed to, it does not run, and the user is asked again.
class Running : public QObject {
  Q_OBJECT
public:
  /// Adds its panel to `bottom`; `selection` tells what is chosen, which is asked for first; `window` is the parent of
  /// dialogs.
  Running(Document& document, Banner& banner, BottomPanel& bottom, const Actions& actions,
          std::function<Ref()> selection, QWidget* window);

  TestRun& runs() { return *m_runs; }
  RunPanel& panel() { return *m_panel; }
  /// The open dialog; null when there is none.
  RunDialog* dialog() const;
  DevicesDialog* devices() const;
  /// Whether the file has host functions or kernels that could be run.
  static bool canRun(const Document& document);
  /// Asks, beginning with these answers; nothing runs before they are accepted.
  void ask(const RunRequest& before);
  void ask();
  /// The shown run once more, of the files as they are now; asks when one of them was not agreed to.
  void runAgain();
  void showDevices();
  /// Reads the signatures of functions by running their code; asks before, once for a content.
  void readSignatures();
  void saveReport(const QString& path);

Q_SIGNALS:
  /// A function or kernel of the document is to be shown.
  void nodeChosen(const Ref& ref);

private:
  /// Keys of all code that was agreed to.
  static QStringList consents();
  static void remember(const std::vector<ExecutedCode>& codes);
  /// Runs `request` when all its code was agreed to, else asks.
  void runOrAsk(const RunSubjectPtr& subject, const RunRequest& request);
  /// When the last run was refused because a file is no longer what was agreed to: says so and asks again.
  void askForChanged();
  void open(const RunSubjectPtr& subject, const RunRequest& before);
  void run(const RunSubjectPtr& subject, const RunRequest& request);
  void readNow(const RunSubjectPtr& subject);
  void takeSignatures(const Result<std::vector<run::FunctionMetadata>>& functions);
  /// Calls `next` with what can be run of the present state, unless that changes meanwhile.
  void describe(std::function<void(const RunSubjectPtr&)> next);
  void askForReport();
  void updateState();
  void updateBadge();

  Document& m_document;
  Banner& m_banner;
  BottomPanel& m_bottom;
  const Actions& m_actions;
  std::function<Ref()> m_selection;
  QWidget* m_window;
  TestRun* m_runs;
  RunPanel* m_panel;
  QPointer<RunDialog> m_dialog;
  QPointer<DevicesDialog> m_devices;
  QPointer<ConsentDialog> m_consent;
};

} // namespace blobscope::ui
