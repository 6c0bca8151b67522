#include "ui/pages/text_page.h"

#include "core/base/text.h"
#include "core/library/function_refs.h"
#include "ui/pages/cell_delegate.h"
#include "ui/pages/compile_bar.h"
#include "ui/pages/compile_strip.h"
#include "ui/pages/edit_bar.h"
#include "ui/pages/run_result.h"
#include "ui/pages/text_compiling.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/widgets/boxes.h"
#include "ui/widgets/find/find_bar.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/text/mark_list.h"
#include "ui/widgets/tool_button.h"

#include <QApplication>
#include <QPainter>
#include <QPointer>
#include <QSettings>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace blobscope::ui {
namespace {

/// Paints icon, name, and the line number at the right.
class OutlineDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {120, metrics::rowHeight()}; }
  static QString iconOf(const QModelIndex& index) {
    if (!index.data(Qt::UserRole + 2).toBool()) return QStringLiteral("kind-symbol");
    return index.data(Qt::UserRole).toBool() ? QStringLiteral("kind-kernel") : QStringLiteral("kind-function");
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    painter->save();
    paintRow(painter, option);
    QRect rect = option.rect.adjusted(12, 0, -8, 0);
    paintRowIcon(painter, option, rect,
                 iconPixmap(iconOf(index), index.data(Qt::UserRole).toBool() ? Role::KindDevice : Role::KindHost,
                            metrics::kIcon, painter->device()->devicePixelRatioF()));
    rect.setLeft(rect.left() + metrics::kIcon + 6);
    const QFont small = textFont(TextRole::Secondary);
    const QString line = index.data(Qt::UserRole + 1).toString();
    painter->setFont(small);
    painter->setPen(theme().color(Role::Secondary));
    painter->drawText(placed(option, rect), Qt::AlignRight | Qt::AlignVCenter, line);
    rect.setRight(rect.right() - QFontMetrics(small).horizontalAdvance(line) - 8);
    painter->setFont(option.font);
    painter->setPen(theme().color(Role::Text));
    painter->drawText(placed(option, rect), nameFlags(*painter, Qt::AlignLeft | Qt::AlignVCenter),
                      option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle, rect.width()));
    painter->restore();
  }
};

/// Time without typing after which the outline is read again.
constexpr int kTypingPauseMs = 300;
constexpr char kWrapLines[] = "wrapLines"; // a setting
/// Labels of a function in the outline.
constexpr std::size_t kOutlineRows = 10'000;

QString languageName(std::string_view language) {
  if (language == "ptx") return QStringLiteral("PTX");
  if (language == "sass") return QStringLiteral("SASS");
  if (language == "opencl") return QStringLiteral("OpenCL C");
  if (language == "cuda") return QStringLiteral("CUDA C++");
  if (language == "c") return QStringLiteral("C");
  if (language == "relay") return QStringLiteral("Relay");
  if (language == "json") return QStringLiteral("JSON");
  return QObject::tr("Text");
}

} // namespace

TextPage::TextPage(const view::TextPage& page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_jobs(context.jobs),
      m_tag(QStringLiteral("outline/%1").arg(reinterpret_cast<quintptr>(this))), m_language(page.language),
      m_isDraft(page.isDraft), m_view(new EditView), m_tools(new QWidget(this)),
      m_facts(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, m_tools)), m_outline(new QListWidget),
      m_find(new FindBar(m_view)), m_editBar(new EditBar), m_marks(new MarkList(m_view)), m_result(new RunResult),
      m_stack(new QStackedWidget), m_makeDiff(context.makeTextDiff) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const splitter = new QSplitter(Qt::Horizontal, this);
  splitter->setChildrenCollapsible(false);
  makeOutline();
  splitter->addWidget(m_outlineBox);
  splitter->addWidget(m_view);
  splitter->setStretchFactor(0, 0);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({216, 700});
  m_content = splitter;
  m_stack->addWidget(splitter);
  m_editBar->hide();
  layout->addWidget(m_editBar);
  m_compiling = new TextCompiling(context, *m_view, m_isDraft, this);
  connect(m_compiling, &TextCompiling::storeRequested, this, [this](const std::vector<edit::Edit>& edits) {
    beginApplying(); // the code takes the place of what was typed
    Q_EMIT codeCompiled(edits);
  });
  connect(&m_compiling->bar(), &CompileBar::runRequested, this, [this] {
    applyTyping();
    Q_EMIT oldAndNewRequested(m_compiling->kernel());
  });
  layout->addWidget(&m_compiling->bar());
  layout->addWidget(m_stack, 1);
  layout->addWidget(m_marks);
  layout->addWidget(m_find);
  layout->addWidget(&m_compiling->strip());
  layout->addWidget(m_result);
  connect(m_result, &RunResult::closed, this, [this] { m_view->setFocus(); });
  connect(m_result, &RunResult::revertRequested, this, [this] {
    if (m_place) Q_EMIT revertRequested(m_place->target);
  });
  m_find->hide();
  setFocusProxy(m_view);

  fillTools();

  connect(m_view, &TextView::cursorMoved, this, [this](quint64 line, quint64 column) {
    Q_EMIT selectionText(tr("Line %1, column %2").arg(toQt(groupedText(line)), toQt(groupedText(column))));
  });
  connect(m_view, &TextView::refused, this, &PageWidget::message);
  connect(m_view, &TextView::indexed, this, &TextPage::updateFacts);
  connect(m_find, &FindBar::limited, this, &PageWidget::message);
  connect(m_outline, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row < 0 || static_cast<std::size_t>(row) >= m_entries.size()) return;
    const Entry& entry = m_entries[static_cast<std::size_t>(row)];
    if (entry.function) m_compiling->setKernel(entry.name);
    m_view->goToLine(entry.line + 1);
  });
  m_typingPause.setSingleShot(true);
  m_typingPause.setInterval(kTypingPauseMs);
  connect(&m_typingPause, &QTimer::timeout, this, [this] { readStructure(false); });
  connect(m_view, &EditView::edited, this, [this] { readStructure(true); });
  connect(m_view, &EditView::editingBegan, this, [this] { readStructure(true); });
  connect(m_view, &TextView::cursorMoved, this, &TextPage::followCursor);
  if (context.package && (page.language == "vm" || page.language == "asm")) linkNames(context);
  m_view->setOriginal(page.text, page.language);
  updateFacts();
  connectEditing();
  findPlace(context);
  readStructure(false);
}

void TextPage::readStructure(bool delayed) {
  if (delayed) {
    m_typingPause.start();
    return;
  }
  using Structure = std::shared_ptr<const syntax::CodeStructure>;
  m_jobs.start<Structure>(
      m_tag,
      [text = m_view->text(), language = m_language](Monitor& monitor) {
        return syntax::computeStructure(text, syntax::language(language), monitor);
      },
      [guard = QPointer<TextPage>(this), text = m_view->text()](Result<Structure> structure) {
        // Another text has a job of its own.
        if (guard && structure && guard->m_view->text().view().data() == text.view().data())
          guard->showStructure(*structure);
      });
}

void TextPage::linkNames(const PageContext& context) {
  using library::FunctionRefs;
  m_jobs.start<FunctionRefs>(
      m_tag + QLatin1String("/names"),
      [package = context.package](Monitor& monitor) { return library::functionRefs(package, monitor); },
      [guard = QPointer<TextPage>(this), node = context.node](Result<FunctionRefs> refs) {
        if (!guard || !refs) return;
        const auto find = [functions = std::make_shared<const FunctionRefs>(std::move(*refs)),
                           node](std::string_view name) -> const Ref* {
          const auto found = functions->find(std::string(name));
          return found == functions->end() || found->second == node ? nullptr : &found->second;
        };
        guard->m_view->setLinks([find](std::string_view name) { return find(name) != nullptr; });
        connect(guard->m_view, &TextView::linkActivated, guard, [page = guard.data(), find](const QString& name) {
          if (const Ref* const ref = find(fromQt(name))) Q_EMIT page->nodeChosen(*ref, true);
        });
      });
}

void TextPage::makeOutline() {
  m_outline->setItemDelegate(new OutlineDelegate(m_outline));
  m_outline->setAccessibleName(tr("Outline"));
  m_outline->setUniformItemSizes(true);
  m_outline->setMouseTracking(true);
  m_outline->setMinimumWidth(120);
  m_outlineBox = new QWidget;
  auto* const outlineLayout = new QVBoxLayout(m_outlineBox);
  outlineLayout->setContentsMargins(0, 0, 0, 0);
  outlineLayout->setSpacing(0);
  auto* const outlineTitle = new ThemeLabel(tr("Outline"), TextRole::Secondary, Role::Text, m_outlineBox);
  QFont bold = outlineTitle->font();
  bold.setWeight(QFont::DemiBold);
  outlineTitle->setFont(bold);
  outlineTitle->setContentsMargins(12, 0, 12, 0);
  outlineTitle->setFixedHeight(metrics::kDockTitle);
  m_outlineBox->setAutoFillBackground(true);
  m_outlineBox->setBackgroundRole(QPalette::AlternateBase);
  outlineLayout->addWidget(outlineTitle);
  outlineLayout->addWidget(m_outline);
  m_outlineBox->hide();
}

void TextPage::fillTools() {
  auto* const tools = new QHBoxLayout(m_tools);
  tools->setContentsMargins(0, 0, 0, 0);
  tools->setSpacing(4);
  m_facts->setMinimumWidth(10);
  tools->addWidget(m_facts);
  tools->addWidget(toolButton(QStringLiteral("copy"), tr("Copy the selected text, or all of it"), m_tools, [this] {
    if (m_view->selection().size == 0) m_view->selectAll();
    m_view->copy();
  }));
  m_wrap = toolButton(QStringLiteral("wrap"), tr("Wrap long lines (Alt+Z)"), m_tools,
                      [this] { m_view->setWrapping(!m_view->isWrapping()); });
  m_wrap->setCheckable(true);
  // The next page wraps too, also after another start.
  m_view->setWrapping(QSettings().value(kWrapLines).toBool());
  m_wrap->setChecked(m_view->isWrapping());
  connect(m_view, &TextView::wrappingChanged, m_wrap, [this](bool wrapping) {
    m_wrap->setChecked(wrapping);
    QSettings().setValue(kWrapLines, wrapping);
  });
  tools->addWidget(m_wrap);
  tools->addWidget(
      toolButton(QStringLiteral("find"), tr("Find in this text (Ctrl+F)"), m_tools, [this] { openFind(); }));
  m_tools->hide();
}

TextPage::~TextPage() {
  qApp->disconnect(this); // the focus moves when the children are deleted
  m_jobs.cancel(m_tag + QLatin1String("/place"));
  m_jobs.cancel(m_tag);
  m_jobs.cancel(m_tag + QLatin1String("/names"));
}

void TextPage::showStructure(const std::shared_ptr<const syntax::CodeStructure>& structure) {
  m_view->setStructure(structure);
  std::vector<Entry> entries;
  std::vector<bool> kernels;
  const auto add = [&](const std::string& name, uint64_t line, bool function, bool kernel) {
    entries.push_back({name, line, function});
    kernels.push_back(kernel);
  };
  for (const syntax::CodeFunction& one : structure->functions) add(one.name, one.line, true, one.kernel);
  // A single function is known from the page: its labels are the outline.
  if (structure->functions.size() <= 1)
    for (const syntax::CodeLabel& label : structure->labels) {
      if (entries.size() >= kOutlineRows) break;
      add(label.name, label.line, false, false);
    }
  if (entries != m_entries) {
    const QSignalBlocker quiet(m_outline);
    m_outline->clear();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      auto* const item = new QListWidgetItem(nameToQt(entries[i].name), m_outline);
      item->setData(Qt::UserRole, bool(kernels[i]));
      item->setData(Qt::UserRole + 1, toQt(groupedText(entries[i].line + 1)));
      item->setData(Qt::UserRole + 2, entries[i].function);
      item->setData(Qt::AccessibleTextRole,
                    tr("%1, line %2").arg(item->text(), toQt(groupedText(entries[i].line + 1))));
      item->setToolTip(plainTip(item->text()));
    }
    m_entries = std::move(entries);
  }
  // Listings of one function without labels need no outline.
  const bool isListing = m_language == "vm" || m_language == "asm";
  m_outlineBox->setVisible(!m_entries.empty() && !(isListing && m_entries.size() == 1));
  followCursor();
  if (m_wanted) showPart({PartKind::Kernel, *std::exchange(m_wanted, std::nullopt)});
  Q_EMIT outlined();
}

void TextPage::followCursor() {
  const uint64_t line = m_view->currentLine() - 1;
  const auto after = std::upper_bound(m_entries.begin(), m_entries.end(), line,
                                      [](uint64_t value, const Entry& entry) { return value < entry.line; });
  const QSignalBlocker quiet(m_outline);
  m_outline->setCurrentRow(static_cast<int>(after - m_entries.begin()) - 1);
}

void TextPage::updateFacts() {
  const QString bytes = bytesText(m_view->text().size());
  m_facts->setText(m_view->isIndexed() ? tr("%1 · %n line(s) · %2", nullptr, pluralCount(m_view->storedLineCount()))
                                             .arg(languageName(m_language), bytes)
                                       : tr("%1 · %2").arg(languageName(m_language), bytes));
}

bool TextPage::showPart(const Ref::Part& part) {
  if (part.kind != PartKind::Kernel) return false;
  for (std::size_t i = 0; i < m_entries.size(); ++i)
    if (m_entries[i].function && m_entries[i].name == part.name) {
      const QSignalBlocker quiet(m_outline);
      m_outline->setCurrentRow(static_cast<int>(i));
      m_compiling->setKernel(part.name);
      m_view->goToLine(m_entries[i].line + 1);
      return true;
    }
  if (m_jobs.isRunning(m_tag)) m_wanted = part.name;
  return m_wanted.has_value();
}

bool TextPage::goToOffset(uint64_t offset, std::optional<uint64_t> size) {
  const Bytes& stored = m_view->original();
  const uint64_t base = stored.offset().value_or(0);
  if (offset < base || offset - base >= stored.size()) return false;
  size ? m_view->select(offset - base, *size) : m_view->goToOffset(offset - base);
  view::DetailGroup group{fromQt(tr("Text")), {}, {}, {}};
  if (m_view->isIndexed())
    group.rows.push_back({fromQt(tr("Line")), groupedText(m_view->currentLine()), false, {}, {}});
  group.rows.push_back({fromQt(tr("Offset")), hexText(offset), true, {}, {}});
  Q_EMIT detailsChanged({std::move(group)});
  return true;
}

void TextPage::markHits(const std::vector<Extent>& hits) {
  const Bytes& stored = m_view->original();
  if (m_view->isChanged()) return; // the places are those of the stored text
  m_view->showHits(hitsWithin({stored.offset().value_or(0), stored.size()}, hits), std::nullopt);
}

// --- editing

struct TextPage::Kept : PageState {
  EditView::State view;
  std::optional<Bytes> sent;
  bool applying = false, differences = false, editable = false, wrapping = false;
  CompileReportPtr compiled;
  std::string kernel;
};

void TextPage::findPlace(const PageContext& context) {
  if (m_isDraft) m_view->setEditable(true);
  if (m_isDraft || !context.package) return;
  using Place = std::pair<std::optional<edit::TextPlace>, std::optional<Bytes>>;
  m_jobs.start<Place>(
      m_tag + QLatin1String("/place"),
      [package = context.package, node = context.node, text = m_view->original(),
       readOpened = context.readOpened](Monitor& monitor) -> Result<Place> {
        BLOBSCOPE_TRY(place, edit::findTextPlace(*package, node, text, monitor));
        std::optional<Bytes> opened = text;
        if (place && readOpened) {
          auto read = readOpened(*place, monitor);
          opened = read ? *read : std::nullopt; // a part that did not exist
        }
        return Place{std::move(place), std::move(opened)};
      },
      [guard = QPointer<TextPage>(this)](Result<Place> found) {
        if (guard) found ? guard->takePlace(found->first, found->second) : guard->takePlace({}, {});
      });
}

void TextPage::takePlace(const std::optional<edit::TextPlace>& place, const std::optional<Bytes>& opened) {
  m_place = place;
  m_opened = opened;
  m_view->setEditable(place.has_value());
  m_editBar->setVisible(place.has_value());
  if (const auto restored = std::exchange(m_restored, nullptr); restored && place) m_view->restore(*restored);
  if (!m_view->isChanged()) {
    m_applying = false;
    m_sent.reset();
  }
  updateEditBar();
  if (m_editBar->showsDifferences()) showDifferences(true); // of a page that is continued
  if (std::exchange(m_wantsEditing, false)) startEditing();
  if (std::exchange(m_wantsApplying, false)) applyTyping();
  Q_EMIT typingChanged();
  Q_EMIT placed();
}

void TextPage::connectEditing() {
  const auto changed = [this] {
    if (m_sent != m_view->text()) m_applying = false;
    m_find->refresh();
    updateFacts();
    updateEditBar();
    Q_EMIT typingChanged();
  };
  connect(m_view, &EditView::edited, this, changed);
  connect(m_view, &EditView::editingBegan, this, [this] { updateEditBar(); });
  const auto apply = [this] {
    m_sent.reset(); // also a text that was refused before
    applyTyping();
  };
  connect(m_view, &EditView::applied, this, apply);
  connect(m_editBar, &EditBar::applyRequested, this, apply);
  connect(m_editBar, &EditBar::revertRequested, this, &TextPage::revertTyping);
  connect(m_editBar, &EditBar::differencesToggled, this, &TextPage::showDifferences);
  connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, const QWidget* now) {
    // Not while another program has the focus, or a menu is open.
    if (now && isVisible() && now != this && !isAncestorOf(now) && !QApplication::activePopupWidget()) applyTyping();
  });
}

bool TextPage::isTyping() const {
  if (m_isDraft) return false; // nothing of the file changes
  return m_view->isChanged() ||
         (m_restored && m_restored->text != m_restored->original && m_restored->text != m_view->original());
}

bool TextPage::isRefused() const {
  if (m_isDraft) return m_view->isChanged() && m_sent != m_view->text();
  return isTyping() && !m_applying && !isPlacing();
}

bool TextPage::isPlacing() const { return !m_place && m_jobs.isRunning(m_tag + QLatin1String("/place")); }

void TextPage::applyTyping() {
  m_wantsApplying = isPlacing();
  if (!m_place || !m_view->isChanged() || m_sent == m_view->text()) return;
  beginApplying();
  std::string bytes(m_place->before.view());
  bytes += m_sent->view();
  bytes += m_place->after.view();
  Q_EMIT textEdited(m_place->target, Bytes::copyOf(bytes));
}

void TextPage::beginApplying() {
  m_sent = m_view->text();
  m_applying = true;
  updateEditBar();
}

void TextPage::changeRefused() {
  m_applying = false;
  if (m_isDraft) m_sent.reset();
  updateEditBar();
}

void TextPage::revertTyping() {
  m_view->replaceText(m_view->original().view());
  m_view->setFocus();
}

bool TextPage::canUndoTyping(bool redo) const { return redo ? m_view->canRedo() : m_view->canUndo(); }

void TextPage::undoTyping(bool redo) {
  m_editBar->setShowsDifferences(false);
  redo ? m_view->redo() : m_view->undo();
}

void TextPage::startEditing() {
  m_wantsEditing = isPlacing();
  m_editBar->setShowsDifferences(false);
  m_view->setFocus();
  m_view->beginEditing();
}

std::unique_ptr<PageState> TextPage::saveState() const {
  auto kept = std::make_unique<Kept>();
  kept->view = m_restored ? *m_restored : m_view->state();
  kept->sent = m_sent;
  kept->applying = m_applying;
  kept->differences = m_editBar->showsDifferences();
  kept->editable = m_view->isEditable();
  kept->compiled = m_compiling->report();
  kept->kernel = m_compiling->kernel();
  kept->wrapping = m_view->isWrapping();
  kept->isTyping = isTyping();
  return kept;
}

void TextPage::restoreState(const PageState& state) {
  const auto* const kept = dynamic_cast<const Kept*>(&state);
  if (!kept) return;
  m_applying = kept->applying;
  m_view->setWrapping(kept->wrapping);
  if (m_applying || m_isDraft) m_sent = kept->sent;
  if (kept->editable) {
    // It most probably still is, and the user goes on typing.
    m_view->setEditable(true);
    m_editBar->setVisible(!m_isDraft);
  } else {
    m_restored = std::make_unique<EditView::State>(kept->view); // with the text when it is known
  }
  m_view->restore(kept->view);
  m_compiling->restore(kept->compiled, kept->kernel);
  m_editBar->setShowsDifferences(kept->differences);
}

void TextPage::showDifferences(bool show) {
  delete std::exchange(m_diff, nullptr);
  if (show && m_opened && m_makeDiff) {
    m_diff =
        m_makeDiff(m_jobs, view::TextPage{*m_opened, m_language}, view::TextPage{m_view->text(), m_language}, m_stack);
    m_stack->addWidget(m_diff);
    m_stack->setCurrentWidget(m_diff);
    m_find->closeBar();
    setFocusProxy(m_diff);
    if (isAncestorOf(QApplication::focusWidget())) m_diff->setFocus();
  } else {
    m_stack->setCurrentWidget(m_content);
    setFocusProxy(m_view);
    if (isVisible()) m_view->setFocus();
  }
  updateEditBar();
}

void TextPage::updateEditBar() {
  const bool typed = m_view->isChanged();
  m_editBar->setState(typed ? m_applying ? EditBar::State::Applying : EditBar::State::Typed : EditBar::State::Unchanged,
                      m_makeDiff && m_opened && *m_opened != m_view->text());
}

bool TextPage::showRun(const RunEntryPtr& entry) {
  if (!m_compiling->isAvailable()) return false;
  m_result->showRun(entry, m_compiling->kernel());
  m_result->setFocus(); // Esc closes it
  return true;
}

void TextPage::resizeEvent(QResizeEvent* event) {
  PageWidget::resizeEvent(event);
  m_result->setMaximumHeight(height() * 3 / 5);
}

void TextPage::hideEvent(QHideEvent* event) {
  PageWidget::hideEvent(event);
  if (!event->spontaneous()) applyTyping();
}

// --- finding

void TextPage::openFind() {
  m_editBar->setShowsDifferences(false);
  m_find->open();
}

void TextPage::openReplace() {
  m_editBar->setShowsDifferences(false);
  m_find->openReplace();
}

void TextPage::findNext(bool backwards) { m_find->continueSearch(backwards); }

void TextPage::openGoTo() {
  const int last = static_cast<int>(qMin<quint64>(m_view->lineCount(), std::numeric_limits<int>::max()));
  if (const auto line =
          askForNumber(tr("Go to line"), tr("Line, 1 to %1").arg(toQt(groupedText(static_cast<uint64_t>(last)))),
                       static_cast<int>(m_view->currentLine()), 1, last, this))
    m_view->goToLine(static_cast<quint64>(*line));
}

} // namespace blobscope::ui
