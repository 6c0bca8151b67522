#pragma once

#include "ui/session/compile_text.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QToolButton;

namespace blobscope::ui {

class ThemeLabel;

/// The compiler, the architecture and the flags for the text of a page, and the button that compiles it. Says which
/// compiler is missing if there is none.
class CompileBar : public QWidget {
  Q_OBJECT
public:
  explicit CompileBar(QWidget* parent = nullptr);
  void setPlace(const CompilePlace& place);
  CompileChoice choice() const;
  bool canCompile() const;
  void setRunning(bool running);
  QComboBox& compilers() const { return *m_compiler; }
  QComboBox& architectures() const { return *m_architecture; }
  QLineEdit& flags() const { return *m_flags; }
  QToolButton& button() const { return *m_compile; }

Q_SIGNALS:
  void compileRequested();
  /// The old and the new code are to be run on the same inputs.
  void runRequested();

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  /// Proposes the flags that the library records for the chosen compiler.
  void proposeFlags();

  compile::FlagsByCompiler m_recorded;
  QComboBox *m_compiler, *m_architecture;
  QLineEdit* m_flags;
  QToolButton *m_compile, *m_run;
  ThemeLabel *m_missing, *m_architectureLabel, *m_flagsLabel;
};

} // namespace blobscope::ui
