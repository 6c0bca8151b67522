#include "ui/pages/node_view.h"

#include "core/library/node.h"
#include "ui/pages/overview_page.h"
#include "ui/session/strings.h"
#include "ui/theme/theme.h"

#include <QPointer>
#include <QToolButton>
#include <QVBoxLayout>

namespace blobscope::ui {

NodeView::NodeView(Document& document, Ref ref, QWidget* parent)
    : QWidget(parent), m_document(document), m_ref(std::move(ref)),
      m_tag(QStringLiteral("pages/%1").arg(reinterpret_cast<quintptr>(this))), m_buttons(new QButtonGroup(this)),
      m_stack(new QStackedWidget(this)), m_notice(new QLabel(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const bar = new QWidget(this);
  bar->setFixedHeight(metrics::kPageBar);
  m_bar = new QHBoxLayout(bar);
  m_bar->setContentsMargins(12, 5, 12, 5);
  m_bar->setSpacing(metrics::kGap);
  layout->addWidget(bar);
  auto* const rule = new QFrame(this);
  rule->setFrameShape(QFrame::HLine);
  rule->setFrameShadow(QFrame::Plain);
  rule->setFixedHeight(1);
  rule->setForegroundRole(QPalette::Mid);
  layout->addWidget(rule);
  m_notice->setAlignment(Qt::AlignCenter);
  m_stack->addWidget(m_notice);
  layout->addWidget(m_stack, 1);
  m_buttons->setExclusive(true);
  connect(m_buttons, &QButtonGroup::idClicked, this, &NodeView::select);
  refresh();
}

NodeView::~NodeView() { m_document.jobs().cancel(m_tag); }

void NodeView::refresh() {
  const library::PackagePtr package = m_document.state() ? m_document.state()->package : nullptr;
  if (!package) return;
  if (m_wanted.isEmpty()) m_wanted = currentPage();
  m_document.jobs().start<view::PageList>(
      m_tag, [package, ref = m_ref](Monitor&) { return library::pagesOf(package, ref); },
      [guard = QPointer<NodeView>(this)](Result<view::PageList> pages) {
        if (!guard) return;
        if (!pages) {
          guard->m_notice->setText(toQt(pages.error().message()));
          guard->m_stack->setCurrentWidget(guard->m_notice);
          return;
        }
        guard->setPages(std::move(*pages));
      });
}

void NodeView::setPages(view::PageList pages) {
  for (PageWidget* widget : std::as_const(m_widgets)) delete widget;
  for (QAbstractButton* button : m_buttons->buttons()) delete button;
  while (QLayoutItem* item = m_bar->takeAt(0)) delete item;
  m_pages = std::move(pages);
  m_widgets.fill(nullptr, static_cast<qsizetype>(m_pages.size()));
  for (std::size_t i = 0; i < m_pages.size(); ++i) {
    auto* const button = new QToolButton(this);
    button->setText(toQt(m_pages[i].name));
    button->setCheckable(true);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    m_buttons->addButton(button, static_cast<int>(i));
    m_bar->addWidget(button);
  }
  m_bar->addStretch();
  int wanted = 0;
  for (std::size_t i = 0; i < m_pages.size(); ++i)
    if (toQt(m_pages[i].name) == m_wanted) wanted = static_cast<int>(i);
  m_wanted.clear();
  select(wanted);
  if (m_wantedOffset) {
    const auto [offset, size] = *m_wantedOffset;
    m_wantedOffset.reset();
    goToOffset(offset, size);
  }
}

void NodeView::select(int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= m_pages.size()) return;
  PageWidget*& widget = m_widgets[index];
  if (!widget) {
    const view::Page& page = m_pages[static_cast<std::size_t>(index)];
    // The one page that is more than its rows: what a newcomer sees first.
    if (m_ref == Ref::file() && page.name == "Overview") {
      auto* const overview = new OverviewPage(m_document.state(), m_stack);
      connect(overview, &OverviewPage::activated, this, &NodeView::activated);
      widget = overview;
    } else {
      widget = createPage(page, m_document.jobs(), m_stack);
    }
    connect(widget, &PageWidget::selectionText, this, &NodeView::selectionText);
    connect(widget, &PageWidget::message, this, &NodeView::message);
    m_stack->addWidget(widget);
  }
  m_stack->setCurrentWidget(widget);
  if (QAbstractButton* const button = m_buttons->button(index)) button->setChecked(true);
  Q_EMIT selectionText({});
  Q_EMIT pageChanged();
}

PageWidget* NodeView::current() const { return qobject_cast<PageWidget*>(m_stack->currentWidget()); }

QString NodeView::currentPage() const {
  const int index = m_buttons->checkedId();
  return index < 0 ? QString() : toQt(m_pages[static_cast<std::size_t>(index)].name);
}

QStringList NodeView::pageNames() const {
  QStringList names;
  for (const view::Page& page : m_pages) names << toQt(page.name);
  return names;
}

void NodeView::showPage(const QString& name) {
  if (name.isEmpty()) return;
  m_wanted = name;
  for (std::size_t i = 0; i < m_pages.size(); ++i)
    if (toQt(m_pages[i].name) == name) {
      m_wanted.clear();
      select(static_cast<int>(i));
    }
}

void NodeView::goToOffset(uint64_t offset, std::optional<uint64_t> size) {
  if (m_pages.empty()) {
    m_wantedOffset = {offset, size};
    return;
  }
  showPage(QStringLiteral("Hex"));
  if (PageWidget* const page = current()) page->goToOffset(offset, size);
}

} // namespace blobscope::ui
