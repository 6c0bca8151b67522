#include "ui/compare/pair_view.h"

#include "core/base/text.h"
#include "core/view/page_id.h"
#include "ui/compare/diff_look.h"
#include "ui/compare/elided_label.h"
#include "ui/models/diff_model.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/page_bar.h"
#include "ui/widgets/progress_strip.h"
#include "ui/widgets/tool_button.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

constexpr int kPairBar = 40, kControl = 28;
/// Minimum widths at which the bar shows the parts next to the name.
constexpr int kSizesWidth = 760, kChangeWidth = 560, kChipWidth = 460;

struct MaskWords {
  diff::Mask mask;
  const char* word;
  const char* sentence;
};
constexpr std::array<MaskWords, diff::kMaskCount> kMasks = {{
    {diff::Mask::Addresses, QT_TRANSLATE_NOOP("PairView", "addresses"),
     QT_TRANSLATE_NOOP("PairView", "Addresses and offsets, such as 0x1a40 or the offsets of instructions")},
    {diff::Mask::Serials, QT_TRANSLATE_NOOP("PairView", "serial numbers"),
     QT_TRANSLATE_NOOP("PairView", "Numbers at the end of names and register numbers, such as _123, add3 or %rd12")},
    {diff::Mask::Labels, QT_TRANSLATE_NOOP("PairView", "labels"),
     QT_TRANSLATE_NOOP("PairView", "Labels that a compiler generates, such as $L__BB0_3 or .L12")},
    {diff::Mask::Timestamps, QT_TRANSLATE_NOOP("PairView", "times"),
     QT_TRANSLATE_NOOP("PairView", "Dates and times of day")},
    {diff::Mask::Paths, QT_TRANSLATE_NOOP("PairView", "paths"), QT_TRANSLATE_NOOP("PairView", "Absolute file paths")},
    {diff::Mask::LineEnds, QT_TRANSLATE_NOOP("PairView", "line ends"),
     QT_TRANSLATE_NOOP("PairView", "Line feed, or carriage return and line feed")},
    {diff::Mask::Formatting, QT_TRANSLATE_NOOP("PairView", "formatting"),
     QT_TRANSLATE_NOOP("PairView", "Blanks, and the outer ones of double parentheses")},
}};

QString translated(const char* text) { return QApplication::translate("PairView", text); }

} // namespace

PairView::PairView(Comparison& comparison, QWidget* parent)
    : QWidget(parent), m_comparison(comparison), m_name(new ElidedLabel(TextRole::Body, Role::Text, true, this)),
      m_chip(new StatusChip(this)), m_sizes(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)),
      m_change(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)), m_masks(new QPushButton(this)),
      m_copy(new QPushButton(this)), m_maskMenu(new QMenu(this)), m_bar(new PageBar(this)), m_tools(new QWidget(this)),
      m_wrap(new QCheckBox(tr("Wrap"), m_tools)), m_fold(new QCheckBox(tr("Fold equal"), m_tools)),
      m_progress(new ProgressStrip(this)), m_stack(new QStackedWidget(this)), m_notice(new PlainLabel(this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);

  layout->addWidget(makeHead());
  fillTools();
  layout->addWidget(m_bar);
  layout->addWidget(m_progress);
  m_notice->setAlignment(Qt::AlignCenter);
  m_notice->setWordWrap(true);
  m_notice->setTextFormat(Qt::PlainText);
  m_notice->setMargin(24);
  m_stack->addWidget(m_notice);
  layout->addWidget(m_stack, 1);

  connectPages();
  connectJobs();
  fillMaskMenu();
  clear({});
}

QWidget* PairView::makeHead() {
  auto* const head = new QWidget(this);
  head->setFixedHeight(kPairBar);
  auto* const row = new QHBoxLayout(head);
  row->setContentsMargins(12, 0, 8, 0);
  row->setSpacing(8);
  row->addWidget(m_name, 0);
  row->addWidget(m_chip);
  row->addWidget(m_sizes);
  row->addStretch(1);
  row->addWidget(m_change);
  m_previous = toolButton(QStringLiteral("back"), tr("Previous change (Shift+F7)"), head, [this] {
    if (!goToNextChange(true)) Q_EMIT nextWanted(true);
  });
  m_next = toolButton(QStringLiteral("forward"), tr("Next change (F7)"), head, [this] {
    if (!goToNextChange(false)) Q_EMIT nextWanted(false);
  });
  row->addWidget(m_previous);
  row->addWidget(m_next);
  auto* const between = new Rule(Qt::Vertical, head);
  between->setFixedHeight(18);
  row->addWidget(between);
  m_copy->setFixedHeight(kControl);
  m_copy->hide();
  connect(m_copy, &QPushButton::clicked, this, &PairView::copyWanted);
  row->addWidget(m_copy);
  m_masks->setFixedHeight(kControl);
  m_masks->setMenu(m_maskMenu);
  m_masks->setToolTip(tr("Chooses which differences to ignore"));
  row->addWidget(m_masks);
  m_export = toolButton(QStringLiteral("export"), tr("Export the comparison as HTML or Markdown"), head,
                        [this] { Q_EMIT exportWanted(); });
  row->addWidget(m_export);
  return head;
}

void PairView::fillTools() {
  auto* const tools = new QHBoxLayout(m_tools);
  tools->setContentsMargins(0, 0, 4, 0);
  tools->setSpacing(16);
  tools->addWidget(m_wrap);
  tools->addWidget(m_fold);
  m_wrap->setChecked(true);
  m_fold->setChecked(true);
  m_wrap->setToolTip(tr("Wraps long lines instead of scrolling sideways"));
  m_fold->setToolTip(tr("Folds equal lines that are not near a change"));
  m_tools->hide();
}

void PairView::connectPages() {
  connect(m_wrap, &QCheckBox::toggled, this, [this](bool on) {
    for (PairPage* const widget : std::as_const(m_widgets))
      if (widget) widget->setWrapping(on);
  });
  connect(m_fold, &QCheckBox::toggled, this, [this](bool on) {
    for (PairPage* const widget : std::as_const(m_widgets))
      if (widget) widget->setFolding(on);
  });
  connect(m_bar, &PageBar::chosen, this, qOverload<int>(&PairView::showPage));
  connect(m_progress, &ProgressStrip::cancelled, &m_comparison, &Comparison::cancelPair);
  connect(&m_comparison, &Comparison::pairReady, this, &PairView::takePair);
  connect(&m_comparison, &Comparison::pairFailed, this, &PairView::showNotice);
  connect(&m_comparison, &Comparison::pairCancelled, this,
          [this] { showNotice(tr("Cancelled. Select the page again to compare it.")); });
  connect(&m_comparison, &Comparison::pageReady, this, [this](int index) {
    if (index == m_current) showWidget(index);
  });
  connect(&m_comparison, &Comparison::pageFailed, this, [this](int index, const QString& text) {
    if (index == m_current) showNotice(text);
  });
}

void PairView::connectJobs() {
  Jobs& jobs = m_comparison.jobs();
  const auto isOurs = [this](const QString& tag) {
    return tag == m_comparison.pairTag() || tag == m_comparison.pageTag();
  };
  connect(&jobs, &Jobs::started, this, [this, isOurs](const QString& tag) {
    if (isOurs(tag)) m_progress->begin(tr("Comparing the pages"));
  });
  connect(&jobs, &Jobs::progressed, this,
          [this, isOurs](const QString& tag, const QString& what, quint64 done, quint64 total) {
            if (isOurs(tag)) m_progress->showProgress(what, done, total);
          });
  connect(&jobs, &Jobs::finished, this, [this, isOurs](const QString& tag) {
    if (isOurs(tag) && !m_comparison.isPairing()) m_progress->end();
  });
}

PairView::~PairView() { m_comparison.jobs().disconnect(this); }

// ---------------------------------------------------------------------------------------------- the pair

void PairView::show(const std::optional<Ref>& a, const std::optional<Ref>& b, const QString& name, bool lastChange) {
  m_wantsLast = lastChange;
  m_name->setText(name);
  m_comparison.choose(a, b);
}

void PairView::showItem(const QString& name, diff::Status status, const QString& detail, std::optional<uint64_t> sizeA,
                        std::optional<uint64_t> sizeB) {
  m_status = status;
  m_name->setText(name);
  m_name->setToolTip(plainTip(detail.isEmpty() ? name : name + QLatin1Char('\n') + detail));
  const bool renamed = status == diff::Status::Changed && name.contains(QStringLiteral(" → "));
  m_chip->showStatus(renamed ? tr("renamed and changed") : statusWord(status), status, status == diff::Status::Same);
  const auto grouped = [](uint64_t number) { return toQt(groupedText(number)); };
  if (sizeA && sizeB && sizeA != sizeB)
    m_sizes->setText(tr("%1 → %2").arg(grouped(*sizeA), bytesText(*sizeB)));
  else if (sizeA || sizeB)
    m_sizes->setText(bytesText(sizeB ? *sizeB : *sizeA));
  else
    m_sizes->clear();
  arrangeHead();
  updateCopy();
}

void PairView::clear(const QString& sentence) {
  m_comparison.cancelPair();
  for (PairPage* const widget : std::as_const(m_widgets)) delete widget;
  m_widgets.clear();
  m_current = -1;
  m_bar->setTools(nullptr);
  m_bar->setPages({});
  m_name->setText({});
  m_sizes->clear();
  arrangeHead();
  m_notice->setText(sentence);
  m_stack->setCurrentWidget(m_notice);
  updateChange();
}

void PairView::takePair() {
  const NodePair& pair = m_comparison.pair();
  const QWidget* const focus = QApplication::focusWidget();
  const bool hadFocus = focus && m_stack->isAncestorOf(focus);
  m_bar->setTools(nullptr);
  for (PairPage* const widget : std::as_const(m_widgets)) delete widget;
  m_widgets.fill(nullptr, static_cast<qsizetype>(pair.pages.size()));
  m_current = -1;
  QStringList names;
  for (const NodePair::Page& page : pair.pages) names << coreText(page.name);
  m_bar->setPages(names);
  int wanted = pair.first;
  // Prefers the page that the user selected before, unless it is known to be equal in this pair.
  for (std::size_t i = 0; i < pair.pages.size(); ++i)
    if (toQt(pair.pages[i].name) == m_wantedPage && !(pair.pages[i].compared && pair.pages[i].compared->diff.same))
      wanted = static_cast<int>(i);
  updateCopy();
  if (pair.pages.empty()) showNotice(tr("This node has no pages to compare."));
  select(wanted);
  if (hadFocus && page()) page()->setFocus();
}

void PairView::select(int index) {
  if (index < 0 || index >= m_widgets.size()) return;
  m_current = index;
  m_bar->setCurrent(index);
  if (m_widgets[index]) {
    showWidget(index);
    return;
  }
  m_bar->setTools(nullptr);
  m_notice->clear();
  m_stack->setCurrentWidget(m_notice);
  m_comparison.comparePage(index);
}

void PairView::showWidget(int index) {
  PairPage*& widget = m_widgets[index];
  const bool made = !widget;
  if (made) {
    const NodePair& pair = m_comparison.pair();
    widget = createPairPage(m_comparison, pair, pair.pages[static_cast<std::size_t>(index)], m_stack);
    widget->setWrapping(m_wrap->isChecked());
    widget->setFolding(m_fold->isChecked());
    m_stack->addWidget(widget);
    connect(widget, &PairPage::changeMoved, this, &PairView::updateChange);
    connect(widget, &PairPage::message, this, &PairView::message);
    connect(widget, &PairPage::selectionText, this, &PairView::selectionText);
  }
  m_stack->setCurrentWidget(widget);
  if (made) widget->goToEnd(std::exchange(m_wantsLast, false));
  m_wrap->setVisible(widget->canWrap());
  m_fold->setVisible(widget->canFold());
  m_bar->setTools(widget->canWrap() || widget->canFold() ? m_tools : nullptr);
  updateChange();
  Q_EMIT pageShown();
}

void PairView::showNotice(const QString& text) {
  m_notice->setText(text);
  m_stack->setCurrentWidget(m_notice);
  updateChange();
  Q_EMIT pageShown();
}

PairPage* PairView::page() const { return qobject_cast<PairPage*>(m_stack->currentWidget()); }

QStringList PairView::pageNames() const {
  QStringList names;
  for (const NodePair::Page& page : m_comparison.pair().pages) names << toQt(page.name);
  return names;
}

QString PairView::currentPage() const {
  const std::vector<NodePair::Page>& pages = m_comparison.pair().pages;
  return m_current >= 0 && static_cast<std::size_t>(m_current) < pages.size()
             ? toQt(pages[static_cast<std::size_t>(m_current)].name)
             : m_wantedPage;
}

void PairView::showPage(const QString& name) { showPage(static_cast<int>(pageNames().indexOf(name))); }

void PairView::showPage(int index) {
  select(index);
  if (index >= 0 && index == m_current) m_wantedPage = currentPage();
}

void PairView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrangeHead();
}

void PairView::arrangeHead() {
  // The least important part is hidden first; the name stays.
  m_sizes->setVisible(width() >= kSizesWidth && !m_sizes->text().isEmpty());
  m_change->setVisible(width() >= kChangeWidth && !m_change->text().isEmpty());
  m_chip->setVisible(width() >= kChipWidth && !m_name->text().isEmpty());
}

// ---------------------------------------------------------------------------------------------- changes, masks

bool PairView::goToNextChange(bool backwards) { return page() && page()->goToNextChange(backwards); }

void PairView::updateChange() {
  const int count = page() ? page()->changeCount() : 0, current = page() ? page()->currentChange() : -1;
  const auto grouped = [](int number) { return toQt(groupedText(static_cast<uint64_t>(number))); };
  m_change->setText(!page()       ? QString()
                    : count == 0  ? QString()
                    : current < 0 ? tr("%n change(s)", nullptr, count)
                                  : tr("Change %1 of %2").arg(grouped(current + 1), grouped(count)));
  arrangeHead();
}

bool PairView::isWrapping() const { return m_wrap->isChecked(); }
bool PairView::isFolding() const { return m_fold->isChecked(); }

void PairView::fillMaskMenu() {
  const auto add = [this](const QString& word, const QString& sentence, const QString& id, bool on) {
    QAction* const action = m_maskMenu->addAction(plainAction(word.left(1).toUpper() + word.mid(1)));
    action->setCheckable(true);
    action->setChecked(on);
    action->setData(id);
    action->setToolTip(plainTip(sentence));
    connect(action, &QAction::toggled, this, &PairView::applyMasks);
  };
  const diff::CompareOptions& options = m_comparison.options();
  add(tr("names"), tr("Different names of nodes that are otherwise equal"), QStringLiteral("names"), !options.names);
  add(tr("order"), tr("A different order of nodes"), QStringLiteral("order"), !options.order);
  m_maskMenu->addSeparator();
  for (const MaskWords& mask : kMasks)
    add(translated(mask.word), translated(mask.sentence), QString::number(static_cast<int>(mask.mask)),
        options.masks.has(mask.mask));
  m_maskMenu->addSeparator();
  m_rawNumbers = m_maskMenu->addAction(tr("Compare numbers of constants and registers"));
  m_rawNumbers->setCheckable(true);
  m_rawNumbers->setChecked(options.rawNumbers);
  m_rawNumbers->setToolTip(
      plainTip(tr("In VM bytecode, c[12] and c[13] count as different even if their values are equal")));
  connect(m_rawNumbers, &QAction::toggled, this, &PairView::applyMasks);
  m_maskMenu->setToolTipsVisible(true);
  applyMasks();
}

void PairView::applyMasks() {
  diff::CompareOptions options = m_comparison.options();
  QStringList words;
  for (const QAction* const action : m_maskMenu->actions()) {
    if (action->isSeparator() || action == m_rawNumbers) continue;
    const QString id = action->data().toString();
    const bool on = action->isChecked();
    if (on) words << action->text().toLower();
    if (id == QLatin1String("names"))
      options.names = !on;
    else if (id == QLatin1String("order"))
      options.order = !on;
    else {
      const auto mask = static_cast<diff::Mask>(id.toInt());
      options.masks = on ? options.masks.with(mask) : options.masks.without(mask);
    }
  }
  options.rawNumbers = m_rawNumbers->isChecked();
  m_masks->setText(words.isEmpty() ? tr("Ignore: nothing")
                   : words.size() == 1
                       ? tr("Ignore: %1").arg(words.first())
                       : tr("Ignore: %n kind(s)", nullptr, pluralCount(static_cast<std::uint64_t>(words.size()))));
  m_masks->setAccessibleName(
      plainLine(tr("Ignore: %1").arg(words.isEmpty() ? tr("nothing") : words.join(QStringLiteral(", ")))));
  m_comparison.setOptions(options);
}

void PairView::setDocumentSide(std::optional<Side> side) {
  m_documentSide = side;
  updateCopy();
}

void PairView::updateCopy() {
  const NodePair& pair = m_comparison.pair();
  const bool possible = m_documentSide && isCopied(pair.a, pair.b, m_status);
  m_copy->setVisible(possible);
  if (!possible) return;
  m_copy->setText(copyText(pair.a, pair.b, *m_documentSide));
  m_copy->setToolTip(plainTip(*m_documentSide == Side::B ? tr("Changes B to match A here; you can undo this")
                                                         : tr("Changes A to match B here; you can undo this")));
}

} // namespace blobscope::ui
