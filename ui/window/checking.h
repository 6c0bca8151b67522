#pragma once

#include "ui/session/document.h"

#include <QObject>
#include <QString>

class QWidget;

namespace blobscope::ui {

class Actions;
class Banner;
class ProblemsPanel;

/// Checks the opened file in the background as `blobscope-cli check` does, shows the findings in the Problems panel,
/// and saves them for other programs.
class Checking : public QObject {
  Q_OBJECT
public:
  /// `window` is the parent of dialogs.
  Checking(Document& document, Banner& banner, ProblemsPanel& problems, const Actions& actions, QWidget* window);

  void check();
  /// Asks for the compiler, compiles the C code of a Model Library Format archive, and adds what the compiler reports
  /// to the findings.
  void askForCompiler();
  /// `command`: the compiler and its flags, separated by blanks; empty: "cc".
  void checkCode(const QString& command);
  /// Writes the findings of the Problems panel as SARIF 2.1.0.
  void saveFindings(const QString& path);
  /// Whether the Problems panel shows what check() found in the current state of the file.
  bool isShown() const { return m_shown && m_shown == m_document.state(); }
  static QString tag() { return QStringLiteral("check"); }

Q_SIGNALS:
  /// The Problems panel contains the findings.
  void checked();

private:
  void askForFile();

  Document& m_document;
  Banner& m_banner;
  ProblemsPanel& m_problems;
  QWidget* m_window;
  Document::StatePtr m_shown; ///< that the findings in the Problems panel are about
};

} // namespace blobscope::ui
