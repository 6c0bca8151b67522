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
class NodesView;
class NodeTabs;
class RunPanel;

/// Test runs of the opened file: asks what to run and for consent, runs it in the background, and shows the results in
/// the Run panel. Code of a file is executed only after the user agreed to exactly this content; the same is true of
/// the library that it is compared with. The consent is remembered until the program ends and never stored. If the
/// content of a file has changed since the consent, it is not run, and the user is asked again.
class Running : public QObject {
  Q_OBJECT
public:
  /// Adds its panel to `bottom` and shows nodes of models in `tabs`; `selection` returns the selected node, which the
  /// dialog offers first; `window` is the parent of dialogs.
  Running(Document& document, Banner& banner, BottomPanel& bottom, NodeTabs& tabs, const Actions& actions,
          std::function<Ref()> selection, QWidget* window);

  TestRun& runs() { return *m_runs; }
  RunPanel& panel() { return *m_panel; }
  /// Returns the open dialog; null when there is none.
  RunDialog* dialog() const;
  DevicesDialog* devices() const;
  /// Whether the file has host functions or kernels that could be run.
  static bool canRun(const Document& document);
  /// Opens the dialog with these answers; nothing runs before the user accepts it.
  void ask(const RunRequest& before);
  void ask();
  /// Opens the dialog for the whole model; its earlier answers are kept.
  void askModel();
  /// Opens the dialog for a comparison of the current state with the file as opened. `kernel`: the one to be run.
  void askOldAndNew(const std::string& kernel);
  /// Shows the result of a comparison that askOldAndNew() began on the page in front; returns whether that can.
  void setShownOnPage(std::function<bool(const RunEntryPtr&)> show) { m_showOnPage = std::move(show); }
  /// Repeats the displayed run with the current files; asks if the user has not agreed to one of them.
  void runAgain();
  void showDevices();
  /// Reads the signatures of functions by running their code; asks first, once for each content.
  void readSignatures();
  void saveReport(const QString& path);
  /// Shows the nodes of a whole model in a tab; returns null if the entry has none.
  NodesView* showNodes(const RunEntryPtr& entry);

Q_SIGNALS:
  /// The code of a function must be shown, together with that of the other library where both are open: `other` is its
  /// path, empty for the file as opened. With `open`, the comparison is opened.
  void codeChosen(const Ref& ref, const QString& other, bool open);
  void selectionText(const QString& text);
  /// A function or kernel of the document must be shown.
  void nodeChosen(const Ref& ref);

private:
  /// Returns the keys of all code that the user agreed to.
  static QStringList consents();
  static void remember(const std::vector<ExecutedCode>& codes);
  /// Runs `request` if the user has agreed to all its code, else asks.
  void runOrAsk(const RunSubjectPtr& subject, const RunRequest& request);
  /// If the last run was refused because the content of a file has changed: says so and asks again.
  void askForChanged();
  void open(const RunSubjectPtr& subject, const RunRequest& before);
  void run(const RunSubjectPtr& subject, const RunRequest& request);
  void readNow(const RunSubjectPtr& subject);
  void takeSignatures(const Result<std::vector<run::FunctionMetadata>>& functions);
  /// Calls `next` with what the state can run as soon as all requested changes are made, unless the state changes then.
  void describe(std::function<void(const RunSubjectPtr&)> next);
  void describeNow(const std::function<void(const RunSubjectPtr&)>& next);
  /// Checks the devices of the open dialog.
  void checkDevices();
  void askForReport();
  /// Why the selection cannot be run; empty when it can.
  QString whyNot() const;
  void updateState();
  void updateBadge();
  void showOnPage();

  Document& m_document;
  Banner& m_banner;
  BottomPanel& m_bottom;
  NodeTabs& m_tabs;
  const Actions& m_actions;
  std::function<Ref()> m_selection;
  QWidget* m_window;
  TestRun* m_runs;
  RunPanel* m_panel;
  std::function<bool(const RunEntryPtr&)> m_showOnPage;
  bool m_fromPage = false;   ///< the next result of a comparison belongs on the page
  bool m_panelIsOwn = false; ///< the Run panel was opened for that run only
  QPointer<RunDialog> m_dialog;
  QPointer<DevicesDialog> m_devices;
  QPointer<ConsentDialog> m_consent;
};

} // namespace blobscope::ui
