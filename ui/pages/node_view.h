#pragma once

#include "core/base/ref.h"
#include "core/view/page.h"
#include "ui/pages/page_factory.h"
#include "ui/session/document.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QWidget>

namespace blobscope::ui {

/// What a tab shows: the pages of one node with a page bar above. Pages are described in the background and made into
/// widgets when they are first looked at.
class NodeView : public QWidget {
  Q_OBJECT
public:
  NodeView(Document& document, Ref ref, QWidget* parent = nullptr);
  ~NodeView() override;

  const Ref& ref() const { return m_ref; }
  QString currentPage() const;
  QStringList pageNames() const;
  /// Shows the page of that name once the pages are there; an unknown name shows the first one.
  void showPage(const QString& name);
  /// Shows the bytes at a place of the file.
  void goToOffset(uint64_t offset, std::optional<uint64_t> size);
  /// The page that is shown, null while the pages are being described.
  PageWidget* current() const;
  /// Takes the pages of the document's present state.
  void refresh();

Q_SIGNALS:
  void pageChanged();
  void selectionText(const QString& text);
  void message(const QString& text);
  void activated(const Ref& ref, const QString& page);

private:
  void setPages(view::PageList pages);
  void select(int index);

  Document& m_document;
  Ref m_ref;
  QString m_tag;
  view::PageList m_pages;
  QVector<PageWidget*> m_widgets;
  QString m_wanted;
  std::optional<std::pair<uint64_t, std::optional<uint64_t>>> m_wantedOffset;
  QButtonGroup* m_buttons;
  QHBoxLayout* m_bar;
  QStackedWidget* m_stack;
  QLabel* m_notice;
};

} // namespace blobscope::ui
