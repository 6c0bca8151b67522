#pragma once

#include "ui/pages/page_widget.h"
#include "ui/session/compile_text.h"

#include <QObject>

namespace blobscope::ui {

class CompileBar;
class CompileStrip;
class EditView;

/// Compiles the text of a page: the bar above it, the strip below it, and marks in the text for what the compiler says.
/// Both are hidden until a place for compiled code is found.
class TextCompiling : public QObject {
  Q_OBJECT
public:
  /// Everything belongs to `page`. `draft`: the text is not stored in the file.
  TextCompiling(const PageContext& context, EditView& view, bool draft, QWidget* page);
  ~TextCompiling() override;
  CompileBar& bar() const { return *m_bar; }
  CompileStrip& strip() const { return *m_strip; }
  /// Whether the text can be compiled; known shortly after the page was made.
  bool isAvailable() const { return m_place != nullptr; }
  /// The kernel whose numbers are shown.
  void setKernel(const std::string& name) { m_kernel = name; }
  const std::string& kernel() const { return m_kernel; }
  /// What the last text that was compiled gave; null: nothing was compiled.
  const CompileReportPtr& report() const { return m_report; }
  /// Shows that of a page before.
  void restore(const CompileReportPtr& report, const std::string& kernel);
  /// Compiles the text as it is now; compiled() follows unless the user cancels.
  void compile();
  static QString tagPrefix() { return QStringLiteral("compile/"); }

Q_SIGNALS:
  void placed();
  /// The result, or why there is none, is shown.
  void compiled();
  /// The user wants to store the compiled code in place of the text, by these edits of the shown tree.
  void storeRequested(const std::vector<edit::Edit>& edits);

private:
  void findPlace(bool draft);
  void take(const CompilePlace& place);
  void show(const Result<CompileReportPtr>& report, const Bytes& text);
  void updateStoring();
  void store();

  Jobs& m_jobs;
  library::PackagePtr m_package;
  Ref m_node;
  EditView& m_view;
  QString m_tag;
  CompileBar* m_bar;
  CompileStrip* m_strip;
  std::string m_kernel;
  CompileReportPtr m_report;
  Bytes m_compiledText; ///< of m_report
  std::shared_ptr<const CompilePlace> m_place;
};

} // namespace blobscope::ui
