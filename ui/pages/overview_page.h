#pragma once

#include "ui/pages/page_widget.h"
#include "ui/session/document.h"

#include <QScrollArea>

namespace blobscope::ui {

class Banner;
class ThemeLabel;

/// The first page of a file: a summary, its state, facts, its parts and their sizes, and findings.
class OverviewPage : public PageWidget {
  Q_OBJECT
public:
  /// `executed`: code of the file was run since it was opened, so the page must not say that nothing was executed.
  OverviewPage(Document::StatePtr state, bool executed, QWidget* parent);
  void showExecuted();
  /// Adds on which releases the file loads; null: not known yet.
  void showLoadCheck(const LoadCheck& check);

Q_SIGNALS:
  void activated(const Ref& ref, const QString& page);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeHead();
  QWidget* makeBanner();
  void updateState();
  /// Returns the details of the file's state in words.
  QString stateDetail() const;
  /// Returns the page as text.
  QString report() const;
  QWidget* makeFacts();
  QWidget* makeParts();
  QWidget* makeFindings();
  QWidget* makeNext();

  Document::StatePtr m_state;
  bool m_executed;
  bool m_loadsNowhere = false; ///< something is missing on every known release
  Banner* m_banner = nullptr;
  ThemeLabel* m_loads = nullptr; ///< null for files that are not loaded
  QWidget* m_columns = nullptr;  ///< findings and next steps: side by side, or one below the other in a narrow window
};

} // namespace blobscope::ui
