#pragma once

#include "ui/pages/page_factory.h"
#include "ui/session/document.h"

#include <QScrollArea>

namespace blobscope::ui {

/// The first page of a file: what it is, its state, facts, what is in it and how big, what to know.
class OverviewPage : public PageWidget {
  Q_OBJECT
public:
  OverviewPage(Document::StatePtr state, QWidget* parent);

Q_SIGNALS:
  void activated(const Ref& ref, const QString& page);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeHead();
  QWidget* makeBanner();
  /// The page as text.
  QString report() const;
  QWidget* makeFacts();
  QWidget* makeParts();
  QWidget* makeFindings();
  QWidget* makeNext();

  Document::StatePtr m_state;
  QWidget* m_columns = nullptr; ///< findings and next steps: side by side, one below the other when narrow
};

} // namespace blobscope::ui
