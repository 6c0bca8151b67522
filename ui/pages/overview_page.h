#pragma once

#include "ui/pages/page_widget.h"
#include "ui/session/document.h"

#include <QScrollArea>

namespace blobscope::ui {

class Banner;

/// The first page of a file: what it is, its state, facts, what is in it and how big, what to know.
class OverviewPage : public PageWidget {
  Q_OBJECT
public:
  /// `executed`: code of the file was run since it was opened, so that the page does not say that nothing was.
  OverviewPage(Document::StatePtr state, bool executed, QWidget* parent);
  void showExecuted();

Q_SIGNALS:
  void activated(const Ref& ref, const QString& page);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeHead();
  QWidget* makeBanner();
  void updateState();
  /// What is known of the file's state, in words.
  QString stateDetail() const;
  /// The page as text.
  QString report() const;
  QWidget* makeFacts();
  QWidget* makeParts();
  QWidget* makeFindings();
  QWidget* makeNext();

  Document::StatePtr m_state;
  bool m_executed;
  Banner* m_banner = nullptr;
  QWidget* m_columns = nullptr; ///< findings and next steps: side by side, one below the other when narrow
};

} // namespace blobscope::ui
