#include "ui/pages/node_view.h"

#include "core/describe/node.h"
#include "core/library/open.h"
#include "core/library/resolve.h"
#include "core/view/page_id.h"
#include "ui/models/contents_model.h"
#include "ui/pages/kind_look.h"
#include "ui/pages/overview_page.h"
#include "ui/pages/page_factory.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/page_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QGuiApplication>
#include <QPointer>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

/// Returns the text that replaces a page that could not be made.
QString noticeOf(const Error& error) {
  if (error.id() != DiagnosticId::FileChanged) return toQt(error.message());
  return QObject::tr(
      "This page is not shown because the file was overwritten in place after it was opened.\nReload the "
      "file to see its current content.");
}

/// Languages of kernel code.
bool isCode(std::string_view language) {
  constexpr std::array<std::string_view, 6> kCode = {"ptx", "cuda", "opencl", "metal", "wgsl", "c"};
  return std::find(kCode.begin(), kCode.end(), language) != kCode.end();
}

} // namespace

NodeView::NodeView(Document& document, Ref ref, QWidget* parent)
    : QWidget(parent), m_document(document), m_ref(std::move(ref)),
      m_tag(QStringLiteral("pages/%1").arg(reinterpret_cast<quintptr>(this))),
      m_laterTag(m_tag + QLatin1String("/later")), m_editTag(m_tag + QLatin1String("/edit")), m_bar(new PageBar(this)),
      m_bannerBox(new QWidget(this)), m_stack(new QStackedWidget(this)), m_notice(new PlainLabel(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_bar);
  auto* const bannerLayout = new QVBoxLayout(m_bannerBox);
  bannerLayout->setContentsMargins(12, 10, 12, 4);
  m_banner = new Banner(m_bannerBox);
  bannerLayout->addWidget(m_banner);
  m_bannerBox->hide();
  layout->addWidget(m_bannerBox);
  m_notice->setAlignment(Qt::AlignCenter);
  m_notice->setWordWrap(true);
  m_notice->setTextFormat(Qt::PlainText);
  m_stack->addWidget(m_notice);
  layout->addWidget(m_stack, 1);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  connect(m_bar, &PageBar::chosen, this, &NodeView::choosePage);
  connect(&document, &Document::signaturesRead, this, [this] { refresh(); });
  connect(&document, &Document::editFailed, this, [this] {
    for (PageWidget* const page : std::as_const(m_widgets))
      if (page) page->changeRefused();
  });
  connect(&document.jobs(), &Jobs::finished, this, [this](const QString& tag) {
    if (tag != m_laterTag || m_making < 0) return;
    if (m_making == m_current) m_notice->setText(tr("Cancelled. Select the page again to load it."));
    m_making = -1;
  });
  refresh();
}

NodeView::~NodeView() {
  // Pages cancel their jobs when they are deleted, which is after the members of this class.
  m_document.jobs().disconnect(this);
  m_document.jobs().cancel(m_tag);
  m_document.jobs().cancel(m_laterTag);
  m_document.jobs().cancel(m_editTag);
}

void NodeView::refresh() {
  if (!m_wantedPart && current()) m_selectedPart = current()->selectedPart();
  m_selectsQuietly = false;
  describe();
}

void NodeView::refresh(Ref ref, const std::function<std::optional<Ref>(const Ref&)>& follow) {
  if (const auto part = !m_wantedPart && current() ? current()->selectedPart() : std::nullopt)
    if (const auto now = follow(m_ref.part(part->kind, part->name)); now && !now->parts.empty())
      m_selectedPart = now->parts.back();
  m_selectsQuietly = true;
  m_ref = std::move(ref);
  describe();
}

void NodeView::describe() {
  const library::PackagePtr package = m_document.state() ? m_document.state()->package : nullptr;
  if (!package) return;
  if (m_wantedPage.isEmpty()) m_wantedPage = currentPage();
  m_document.jobs().start<view::PageList>(
      m_tag,
      [package, read = m_document.readSignatures(), ref = m_ref](Monitor& monitor) -> Result<view::PageList> {
        BLOBSCOPE_TRY(pages, describe::pagesOf(package, ref, monitor, read));
        BLOBSCOPE_CHECK(library::checkUnchanged(*package));
        return pages;
      },
      [guard = QPointer<NodeView>(this)](Result<view::PageList> pages) {
        if (!guard) return;
        if (pages) {
          guard->m_notice->clear();
          guard->setPages(std::move(*pages));
          return;
        }
        // The node no longer exists, for example after a reload, or its bytes may have changed.
        guard->setPages({});
        guard->m_notice->setText(noticeOf(pages.error()));
        guard->m_stack->setCurrentWidget(guard->m_notice);
      });
}

void NodeView::makeLater(int index) {
  const view::Page& page = m_pages[static_cast<std::size_t>(index)];
  // Most pages are ready before anyone could read the text.
  constexpr int kNoticeMs = 200;
  m_notice->clear();
  QTimer::singleShot(kNoticeMs, this, [this, index, name = coreText(page.name)] {
    if (m_making == index && m_current == index) m_notice->setText(tr("Loading the page “%1”…").arg(name));
  });
  m_stack->setCurrentWidget(m_notice);
  m_bar->setTools(nullptr);
  if (m_making == index) return;
  m_document.jobs().start<view::Page>(
      m_laterTag,
      [page, package = m_document.state()->package](Monitor& monitor) -> Result<view::Page> {
        BLOBSCOPE_TRY(made, view::resolvePage(page, monitor));
        BLOBSCOPE_CHECK(library::checkUnchanged(*package));
        return made;
      },
      [guard = QPointer<NodeView>(this), index](Result<view::Page> made) {
        // Called after the job has finished; a newer list of pages has cancelled it.
        if (!guard || static_cast<std::size_t>(index) >= guard->m_pages.size()) return;
        const bool shown = guard->m_current == index;
        if (made)
          guard->m_pages[static_cast<std::size_t>(index)] = std::move(*made);
        else if (shown)
          guard->m_notice->setText(noticeOf(made.error()));
        if (made && shown) guard->select(index);
        if (made && shown && std::exchange(guard->m_takesFocus, false)) guard->current()->setFocus();
      });
  m_making = index;
}

void NodeView::setPages(view::PageList pages) {
  m_document.jobs().cancel(m_laterTag);
  m_making = -1;
  m_bar->setTools(nullptr);
  const QWidget* const focus = QApplication::focusWidget();
  const bool hadFocus = focus && m_stack->isAncestorOf(focus);
  m_states = savedStates();
  for (PageWidget* widget : std::as_const(m_widgets)) delete widget;
  // The Problems panel at the bottom lists the findings of all nodes.
  if (m_ref == Ref::file())
    std::erase_if(pages, [](const view::Page& page) { return page.name == view::page_id::kProblems; });
  m_pages = std::move(pages);
  m_current = -1;
  m_widgets.fill(nullptr, static_cast<qsizetype>(m_pages.size()));
  QStringList names;
  for (const view::Page& page : m_pages) names << coreText(page.name);
  m_bar->setPages(names);
  showDamage();
  int wanted = 0;
  for (std::size_t i = 0; i < m_pages.size(); ++i)
    if (toQt(m_pages[i].name) == m_wantedPage) wanted = static_cast<int>(i);
  m_wantedPage.clear();
  select(wanted);
  // What was typed on another page stays visible as a change.
  for (std::size_t i = 0; i < m_pages.size(); ++i)
    if (const auto state = m_states.find(m_pages[i].name);
        state != m_states.end() && state->second->isTyping && !m_widgets[static_cast<qsizetype>(i)])
      m_widgets[static_cast<qsizetype>(i)] = makePage(m_pages[i]);
  std::erase_if(m_states, [this](const auto& state) {
    const auto page = std::ranges::find(m_pages, state.first, &view::Page::name);
    return page == m_pages.end() || !std::holds_alternative<view::DeferredPage>(page->content);
  });
  if (m_wantedPart) showPart(*std::exchange(m_wantedPart, std::nullopt));
  if (const auto part = std::exchange(m_selectedPart, std::nullopt); part && current()) {
    const bool blocked = m_selectsQuietly && current()->blockSignals(true);
    current()->showPart(*part);
    if (m_selectsQuietly) current()->blockSignals(blocked);
  }
  if (m_wantedOffset) {
    const auto [offset, size] = *std::exchange(m_wantedOffset, std::nullopt);
    goToOffset(offset, size);
  }
  if (m_wantedHit) showHit(*std::exchange(m_wantedHit, std::nullopt), std::move(m_hits));
  if (current() && (std::exchange(m_takesFocus, false) || hadFocus)) current()->setFocus();
  if (m_wantedEdit) editText(*std::exchange(m_wantedEdit, std::nullopt));
}

NodeView::States NodeView::savedStates() {
  States out = std::exchange(m_states, {}); // of pages that were not made meanwhile
  for (std::size_t i = 0; i < m_pages.size() && i < static_cast<std::size_t>(m_widgets.size()); ++i)
    if (const PageWidget* const page = m_widgets[static_cast<qsizetype>(i)])
      if (auto state = page->saveState()) out.insert_or_assign(m_pages[i].name, std::move(state));
  return out;
}

bool NodeView::isTyping() const {
  return std::any_of(m_widgets.begin(), m_widgets.end(),
                     [](const PageWidget* page) { return page && page->isTyping(); });
}

bool NodeView::isRefused() const {
  return std::any_of(m_widgets.begin(), m_widgets.end(),
                     [](const PageWidget* page) { return page && page->isRefused(); });
}

bool NodeView::showRun(const RunEntryPtr& entry) {
  PageWidget* const page = m_current >= 0 && m_current < m_widgets.size() ? m_widgets[m_current] : nullptr;
  return page && page->showRun(entry);
}

void NodeView::applyTyping() {
  for (PageWidget* const page : std::as_const(m_widgets))
    if (page) page->applyTyping();
}

void NodeView::editText(const std::optional<Ref::Part>& part) {
  if (m_pages.empty()) {
    m_wantedEdit = part;
    return;
  }
  // The current page first, then the others in order.
  std::vector<std::pair<int, Bytes>> texts;
  for (int i = 0; i < static_cast<int>(m_pages.size()); ++i)
    if (const auto* const text = std::get_if<view::TextPage>(&m_pages[static_cast<std::size_t>(i)].content))
      texts.insert(i == m_current ? texts.begin() : texts.end(), {i, text->text});
  std::optional<Ref> field;
  if (part && part->kind == PartKind::Field) field = m_ref.part(part->kind, part->name);
  m_document.jobs().start<int>(
      m_editTag,
      [package = m_document.state()->package, node = m_ref, texts, field](Monitor& monitor) -> Result<int> {
        for (const auto& [index, text] : texts) {
          BLOBSCOPE_TRY(place, edit::findTextPlace(*package, node, text, monitor));
          if (place && (!field || place->target == *field)) return index;
        }
        return -1;
      },
      [guard = QPointer<NodeView>(this), part](Result<int> index) {
        if (guard && index) guard->editTextOn(*index, part);
      });
}

void NodeView::editTextOn(int index, const std::optional<Ref::Part>& part) {
  if (index < 0) {
    if (part && part->kind == PartKind::Field && current() && current()->editSelection()) return;
    Q_EMIT message(
        tr("This cannot be edited as text. Save its bytes, edit them in another program, and use Replace with "
           "file."));
    return;
  }
  if (static_cast<std::size_t>(index) >= m_pages.size()) return;
  if (!(part && part->kind == PartKind::Kernel && showPartOn(static_cast<std::size_t>(index), *part))) select(index);
  if (current()) current()->startEditing();
}

void NodeView::setEditing(PageContext& context) const {
  context.makeTextDiff = m_makeTextDiff;
  context.notes = &m_document.notes();
  const auto& edits = m_document.state()->edits;
  for (std::size_t i = 0; i < edits.size(); ++i)
    if (const auto* const set = std::get_if<edit::SetValue>(&edits[i]); set && context.changed[i] == m_ref)
      context.changedValues.push_back({set->index, m_document.state()->changes[i].before});
  if (m_document.state()->edits.empty()) return;
  if (m_ref.kind == Ref::Kind::Module && m_ref.parts.empty()) setByteChanges(context);
  context.readOpened = [state = m_document.state()](edit::TextPlace place,
                                                    Monitor& monitor) -> Result<std::optional<Bytes>> {
    BLOBSCOPE_TRY(target, Document::Naming(*state).target(place.target));
    if (!target.id.empty()) return std::optional<Bytes>(); // an added module
    place.target = target.ref;
    return edit::readTextPlace(*state->opened, place, monitor);
  };
}

void NodeView::setByteChanges(PageContext& context) const {
  const Document::State& state = *m_document.state();
  const auto target = Document::Naming(state).target(m_ref);
  if (!target || !target->id.empty()) return; // an added module
  const auto opened = library::resolve(*state.opened, target->ref);
  const auto shown = library::resolve(*state.package, m_ref);
  if (!opened || !shown) return;
  const Bytes& before = opened->module->payload;
  if (before.size() == shown->module->payload.size() && before.data() != shown->module->payload.data())
    context.openedBytes = before;
  for (const edit::Description& change : state.changes)
    if (change.place.at && change.place.node() == opened->ref.node())
      context.byteChanges.push_back({{*change.place.at, change.place.size.value_or(1)},
                                     tr("%1 → %2").arg(toQt(change.before), toQt(change.after))});
}

void NodeView::takeFocus() {
  m_takesFocus = !current();
  if (current()) current()->setFocus();
}

PageWidget* NodeView::makePage(const view::Page& page) {
  PageWidget* widget = nullptr;
  // The only page that is more than its rows: the first page that a new user sees.
  if (m_ref == Ref::file() && page.name == view::page_id::kOverview) {
    auto* const overview = new OverviewPage(m_document.state(), m_document.wasExecuted(), m_stack);
    connect(overview, &OverviewPage::activated, this, &NodeView::activated);
    connect(&m_document, &Document::executed, overview, &OverviewPage::showExecuted);
    const auto showLoadCheck = [this, overview] { overview->showLoadCheck(m_document.loadCheck()); };
    connect(&m_document.loadCheck(), &LoadCheck::ready, overview, showLoadCheck);
    connect(&m_document.loadCheck(), &LoadCheck::hereReady, overview, showLoadCheck);
    showLoadCheck();
    setProperty("helpTopic", QStringLiteral("container"));
    widget = overview;
  } else {
    PageContext context{m_document.jobs(), m_ref};
    context.changed = m_document.changedPlaces();
    context.title = toQt(m_ref.shown());
    context.package = m_document.state()->package;
    for (const library::ContentsRow& row : m_document.state()->contents)
      if (row.ref == m_ref && row.page.empty()) {
        context.title = contentsName(row);
        context.kind = row.kind;
        context.moduleKey = toQt(row.moduleKey);
        context.topic = kindTopic(row.kind, context.moduleKey);
        break;
      }
    for (const auto& blob : m_document.state()->package->blobs)
      if (m_ref.kind == Ref::Kind::Module && blob->refPrefix == m_ref.prefix) context.blobOffset = blob->bytes.offset();
    setProperty("helpTopic", context.topic);
    setEditing(context);
    widget = createPage(page, context, m_stack);
  }
  connect(widget, &PageWidget::selectionText, this, &NodeView::selectionText);
  connect(widget, &PageWidget::message, this, &NodeView::message);
  connect(widget, &PageWidget::detailsChanged, this, &NodeView::detailsChanged);
  connect(widget, &PageWidget::nodeChosen, this, &NodeView::nodeChosen);
  connect(widget, &PageWidget::partChosen, this, &NodeView::partChosen);
  connect(widget, &PageWidget::menuRequested, this, &NodeView::menuRequested);
  connect(widget, &PageWidget::fieldEdited, this, &NodeView::fieldEdited);
  connect(widget, &PageWidget::textEdited, this, &NodeView::textEdited);
  connect(widget, &PageWidget::bytesOverwritten, this, &NodeView::bytesOverwritten);
  connect(widget, &PageWidget::valuesEdited, this, &NodeView::valuesEdited);
  connect(widget, &PageWidget::oldAndNewRequested, this, &NodeView::oldAndNewRequested);
  connect(widget, &PageWidget::revertRequested, this, &NodeView::revertRequested);
  connect(widget, &PageWidget::codeCompiled, this, &NodeView::codeCompiled);
  connect(widget, &PageWidget::typingChanged, this, &NodeView::typingChanged);
  if (const auto state = m_states.find(page.name); state != m_states.end()) {
    widget->restoreState(*state->second);
    m_states.erase(state);
  }
  if (!m_hits.empty()) widget->markHits(m_hits);
  m_stack->addWidget(widget);
  return widget;
}

void NodeView::select(int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= m_pages.size()) return;
  PageWidget*& widget = m_widgets[index];
  m_current = index;
  if (std::holds_alternative<view::DeferredPage>(m_pages[static_cast<std::size_t>(index)].content)) {
    makeLater(index);
  } else {
    if (!widget) widget = makePage(m_pages[static_cast<std::size_t>(index)]);
    m_stack->setCurrentWidget(widget);
    m_bar->setTools(widget->tools());
  }
  m_bar->setCurrent(index);
  Q_EMIT selectionText({});
  Q_EMIT pageChanged();
}

void NodeView::choosePage(int index) {
  const int before = m_current;
  const PageWidget* const left = current();
  const bool ownDetails = left && left->hasOwnDetails();
  select(index);
  if (m_current == before) return;
  Q_EMIT pageChosen();
  if (ownDetails) Q_EMIT ownDetailsLeft();
}

PageWidget* NodeView::current() const { return qobject_cast<PageWidget*>(m_stack->currentWidget()); }

bool NodeView::isWide() const {
  if (m_current < 0) return false;
  const view::Page& page = m_pages[static_cast<std::size_t>(m_current)];
  constexpr std::array<std::string_view, 6> kWide = {"graph", "treemap", "plot", "plan", "calls", "grid"};
  return std::ranges::find(kWide, view::pageKind(page)) != kWide.end() || page.name == view::page_id::kKernels;
}

QString NodeView::currentPage() const {
  return m_current < 0 ? m_wantedPage : toQt(m_pages[static_cast<std::size_t>(m_current)].name);
}

QStringList NodeView::pageNames() const {
  QStringList names;
  for (const view::Page& page : m_pages) names << toQt(page.name);
  return names;
}

void NodeView::showPage(const QString& name) {
  if (name.isEmpty()) return;
  if (m_pages.empty()) m_wantedPage = name;
  for (std::size_t i = 0; i < m_pages.size(); ++i)
    if (toQt(m_pages[i].name) == name) select(static_cast<int>(i));
}

void NodeView::showPart(const Ref::Part& part) {
  if (m_pages.empty()) {
    m_wantedPart = part;
    return;
  }
  // A kernel is shown in its code if that is a text.
  if (part.kind == PartKind::Kernel)
    for (std::size_t i = 0; i < m_pages.size(); ++i)
      if (const auto* const text = std::get_if<view::TextPage>(&m_pages[i].content);
          text && isCode(text->language) && showPartOn(i, part))
        return;
  if (PageWidget* const page = current(); page && page->showPart(part)) return;
  for (std::size_t i = 0; i < m_pages.size(); ++i) {
    // Hex shows every field, but a Fields page is preferred.
    if (m_pages[i].name == view::page_id::kHex || std::holds_alternative<view::DeferredPage>(m_pages[i].content))
      continue;
    if (showPartOn(i, part)) return;
  }
}

bool NodeView::showPartOn(std::size_t index, const Ref::Part& part) {
  PageWidget*& widget = m_widgets[static_cast<qsizetype>(index)];
  if (!widget) widget = makePage(m_pages[index]);
  if (!widget->showPart(part)) return false;
  select(static_cast<int>(index));
  return true;
}

void NodeView::goToOffset(uint64_t offset, std::optional<uint64_t> size) {
  if (m_pages.empty()) {
    m_wantedOffset = {offset, size};
    return;
  }
  // A text member is shown as text.
  if (m_ref.kind == Ref::Kind::Member || (m_ref.kind == Ref::Kind::File && !m_ref.members.empty()))
    for (std::size_t i = 0; i < m_pages.size(); ++i) {
      if (!std::holds_alternative<view::TextPage>(m_pages[i].content)) continue;
      select(static_cast<int>(i));
      if (current() && current()->goToOffset(offset, size)) return;
    }
  showPage(QLatin1String(view::page_id::kHex));
  if (PageWidget* const page = current()) page->goToOffset(offset, size);
}

void NodeView::showHit(const Extent& hit, std::vector<Extent> hits) {
  m_hits = std::move(hits);
  if (m_pages.empty()) {
    m_wantedHit = hit;
    return;
  }
  for (std::size_t i = 0; i < m_pages.size(); ++i) {
    const auto* const text = std::get_if<view::TextPage>(&m_pages[i].content);
    if (!text || !text->text.offset() || !Extent{*text->text.offset(), text->text.size()}.contains(hit)) continue;
    select(static_cast<int>(i));
    if (current()) current()->goToOffset(hit.offset, hit.size);
    break;
  }
  for (PageWidget* const page : std::as_const(m_widgets))
    if (page) page->markHits(m_hits);
}

void NodeView::showDamage() {
  m_bannerBox->hide();
  if (m_ref.kind != Ref::Kind::Module || !m_ref.parts.empty()) return;
  for (const Diagnostic& diagnostic : m_document.state()->package->diagnostics) {
    if (diagnostic.severity() != Severity::Error || diagnostic.place.node() != m_ref) continue;
    QVector<Banner::Action> actions;
    if (diagnostic.place.at)
      actions.append({tr("Show in Hex"), [this, place = diagnostic.place] { Q_EMIT activated(place, {}); }, true});
    actions.append({tr("Copy report"),
                    [text = toQt(std::string(diagnostic.idText()) + ": " + diagnostic.message())] {
                      QGuiApplication::clipboard()->setText(text);
                    },
                    true});
    m_banner->showMessage(Banner::Kind::Error, tr("This module is damaged."), toQt(diagnostic.message()), actions);
    m_bannerBox->show();
    return;
  }
}

} // namespace blobscope::ui
