#include "ui/pages/hex_page.h"

#include "core/base/entropy.h"
#include "core/base/text.h"
#include "core/edit/overwrite.h"
#include "ui/pages/byte_bar.h"
#include "ui/pages/fields_page.h"
#include "ui/pages/hex_marks.h"
#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/boxes.h"
#include "ui/widgets/charts/coverage_bar.h"
#include "ui/widgets/find/find_bar.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/tool_button.h"

#include <QApplication>
#include <QEvent>
#include <QHideEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPointer>
#include <QShortcut>
#include <QSplitter>
#include <QVBoxLayout>

#include <array>

namespace blobscope::ui {
namespace {

/// A legend of the field colours.
class FieldLegend : public QWidget {
public:
  explicit FieldLegend(QWidget* parent) : QWidget(parent) {
    setFixedHeight(28);
    setProperty("helpTopic", QStringLiteral("fields"));
  }

protected:
  void paintEvent(QPaintEvent*) override {
    constexpr std::array kRoles = {FieldRole::Length, FieldRole::Text,     FieldRole::TypeKey, FieldRole::Number,
                                   FieldRole::Offset, FieldRole::TypeCode, FieldRole::Padding, FieldRole::Payload};
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::Base));
    painter.fillRect(QRect(0, 0, width(), 1), theme().color(Role::Rule));
    const QFont font = textFont(TextRole::Chip);
    painter.setFont(font);
    int x = 12;
    for (const FieldRole role : kRoles) {
      QString name = fieldRoleName(role);
      name[0] = name[0].toUpper();
      const int width = QFontMetrics(font).horizontalAdvance(name);
      if (x + 18 + width > this->width()) break;
      const QColor color = theme().color(fieldRoleColor(role));
      QColor tint = color;
      tint.setAlphaF(static_cast<float>(theme().fieldTint(false)));
      const QRectF box(x, 9, 11, 11);
      painter.fillRect(box, tint);
      painter.fillRect(QRectF(box.left(), box.bottom() - 1.4, box.width(), 1.4), color);
      painter.fillRect(QRectF(box.left(), box.top(), 1.4, box.height()), color);
      painter.setPen(theme().color(Role::Secondary));
      painter.drawText(QRect(x + 16, 0, width + 2, height()), Qt::AlignVCenter, name);
      x += 16 + width + 16;
    }
  }
};

} // namespace

/// What is kept when the page is made again.
struct HexPage::Kept : PageState {
  uint64_t top = 0;
  Extent selected;
  TypedBytes typed;
  QByteArray splitter, side;
};

HexPage::HexPage(const view::HexPage& page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_jobs(context.jobs), m_tag(tagPrefix() + QString::number(reinterpret_cast<quintptr>(this))),
      m_node(context.node.node()), m_notes(context.notes), m_changes(context.byteChanges), m_view(new HexView),
      m_blobOffset(context.blobOffset), m_splitter(new QSplitter(Qt::Horizontal, this)),
      m_side(new QSplitter(Qt::Vertical)), m_marks(new HexMarks), m_byteBar(new ByteBar(this)),
      m_tools(new QWidget(this)), m_goTo(new QLineEdit(m_tools)), m_coverage(new CoverageBar(this)),
      m_find(new FindBar(m_view)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  std::vector<Role> roles;
  std::vector<HexView::Owner> owners;
  for (const view::Span& span : page.spans)
    if (const auto role = spanRole(span)) {
      roles.push_back(*role);
      owners.push_back({span.extent, *role});
    }
  if (!owners.empty()) m_spans = page.spans;
  m_coverage->setSpans(page.spans, page.bytes.size(), roles);
  m_coverage->expectEntropy();
  m_coverage->setVisible(!page.bytes.empty());
  layout->addWidget(m_byteBar);
  layout->addWidget(m_coverage);
  auto* const rule = new Rule(Qt::Horizontal, this);
  rule->setVisible(!page.bytes.empty());
  layout->addWidget(rule);
  m_splitter->addWidget(m_view);
  m_splitter->setChildrenCollapsible(false);
  m_view->setBytes(page.bytes);
  m_view->setOwners(std::move(owners));
  m_view->setDamage(page.damage);
  m_damage = page.damage;
  makeFields(page, context);
  layout->addWidget(m_splitter, 1);
  if (m_tree) layout->addWidget(new FieldLegend(this));
  layout->addWidget(m_find);
  m_find->hide();
  setFocusProxy(m_view);

  fillTools();
  connectEditing(context);

  connect(m_goTo, &QLineEdit::returnPressed, this, [this] { goToText(m_goTo->text()); });
  connect(m_view, &HexView::selectionChanged, this, &HexPage::reportSelection);
  connect(m_view, &HexView::visibleBytesChanged, m_coverage,
          [this](quint64 offset, quint64 size) { m_coverage->setVisibleBytes({offset, size}); });
  connect(m_coverage, &CoverageBar::jumped, this, [this](quint64 offset) { m_view->goTo(offset); });
  connect(m_view, &HexView::refused, this, &PageWidget::message);
  connect(m_find, &FindBar::limited, this, &PageWidget::message);
  m_coverage->setVisibleBytes(m_view->visibleBytes());
}

HexPage::~HexPage() { m_jobs.cancel(m_tag); }

void HexPage::makeFields(const view::HexPage& page, const PageContext& context) {
  m_splitter->addWidget(m_side);
  m_side->setChildrenCollapsible(false);
  if (page.fields && !page.fields->rows.empty()) {
    m_tree = page.fields;
    m_view->setFields(page.fields);
    m_fields = new FieldsPage({page.fields}, context, m_side);
    m_side->addWidget(m_fields);
    m_fields->view().setColumnHidden(2, true);
    m_fields->view().setColumnHidden(3, true);
    m_fields->view().setColumnWidth(0, 140);
    m_fields->setMinimumWidth(160);
    connect(m_view, &HexView::fieldActivated, m_fields, &FieldsPage::select);
    connect(m_fields, &FieldsPage::rowChosen, this, [this](quint32 row) {
      if (m_view->selectedField() != row) m_view->selectField(row);
    });
    connect(m_fields, &FieldsPage::detailsChanged, this, &PageWidget::detailsChanged);
  }
  m_side->addWidget(m_marks);
  m_marks->setMinimumWidth(160);
  m_splitter->setStretchFactor(0, 1);
  m_splitter->setStretchFactor(1, 0);
  m_view->setMinimumWidth(320);
  m_splitter->setSizes({600, 220});
  m_side->setSizes({400, 160});
}

void HexPage::connectEditing(const PageContext& context) {
  m_view->setWhyNot([this](quint64 offset) { return whyNot(offset); });
  m_view->setOpened(context.openedBytes);
  connect(m_view, &HexView::typedChanged, this, [this] {
    m_refused = false;
    reportSelection(m_view->selection().offset, m_view->selection().size);
    Q_EMIT typingChanged();
  });
  connect(m_view, &HexView::typingEnded, this, [this](bool apply) { apply ? applyTyping() : revert(); });
  connect(m_byteBar, &ByteBar::applyRequested, this, &HexPage::applyTyping);
  connect(m_byteBar, &ByteBar::revertRequested, this, &HexPage::revert);
  connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, const QWidget* now) {
    // Not while another program has the focus, or a menu is open.
    const bool leaves = now && now != this && !isAncestorOf(now) && !m_tools->isAncestorOf(now);
    if (leaves && isVisible() && !m_refused && !QApplication::activePopupWidget()) applyTyping();
  });
  const auto goTo = [this](quint64 offset, quint64 size) {
    const uint64_t first = m_view->fileOffset(0);
    if (offset < first) return;
    m_view->select(offset - first, size);
    m_view->setFocus();
  };
  connect(m_marks, &HexMarks::chosen, this, goTo);
  connect(m_marks, &HexMarks::revertRequested, this,
          [this](quint64 offset) { Q_EMIT revertRequested(m_node.withBytes(offset)); });
  if (m_notes) {
    connect(m_notes, &ByteNotes::changed, this, &HexPage::updateMarks);
    connect(m_marks, &HexMarks::editRequested, this, &HexPage::askForText);
    connect(m_marks, &HexMarks::removeRequested, m_notes, &ByteNotes::remove);
    for (int digit = 1; digit <= 9; ++digit) {
      const auto key = [digit](Qt::KeyboardModifiers modifiers) {
        return QKeySequence(static_cast<int>(modifiers) | (Qt::Key_0 + digit));
      };
      auto* const set = new QShortcut(key(Qt::ControlModifier | Qt::ShiftModifier), this);
      set->setContext(Qt::WidgetWithChildrenShortcut);
      connect(set, &QShortcut::activated, this, [this, digit] { toggleBookmark(digit); });
      auto* const go = new QShortcut(key(Qt::AltModifier), this);
      go->setContext(Qt::WidgetWithChildrenShortcut);
      connect(go, &QShortcut::activated, this, [this, digit] { goToBookmark(digit); });
    }
  }
  updateMarks();
}

void HexPage::fillTools() {
  auto* const tools = new QHBoxLayout(m_tools);
  tools->setContentsMargins(0, 0, 0, 0);
  tools->setSpacing(4);
  m_goTo->setPlaceholderText(tr("Go to offset"));
  m_goTo->setAccessibleName(tr("Go to offset, decimal or 0x…"));
  m_goTo->setToolTip(tr("An offset in the file, decimal or 0x… (Ctrl+G)"));
  m_goTo->setMinimumWidth(80);
  m_goTo->setMaximumWidth(130);
  m_goTo->installEventFilter(this);
  tools->addWidget(m_goTo);
  if (m_notes) {
    tools->addWidget(toolButton(QStringLiteral("bookmark"),
                                tr("Set or remove a bookmark at the cursor (Ctrl+Shift+1 to 9; Alt+1 to 9 goes there)"),
                                m_tools, [this] { toggleBookmark(0); }));
    tools->addWidget(toolButton(QStringLiteral("note-paper"), tr("Write a note about the selected bytes"), m_tools,
                                [this] { askForNote(); }));
  }
  tools->addWidget(
      toolButton(QStringLiteral("find"), tr("Find in these bytes (Ctrl+F)"), m_tools, [this] { openFind(); }));
  tools->addWidget(
      toolButton(QStringLiteral("copy"), tr("Copy the selected bytes as hex"), m_tools, [this] { m_view->copy(); }));
  m_tools->hide();
}

void HexPage::reportSelection(quint64 offset, quint64 size) {
  updateByteBar();
  const std::string place =
      m_view->openedPlace() ? hexText(m_view->fileOffset(offset)) : view::offsetText(m_view->bytes(), offset);
  Q_EMIT selectionText(tr("%1 selected at %2").arg(toQt(sizeText(size)), toQt(place)));
  const auto field = m_view->selectedField();
  Q_EMIT detailsChanged(field && m_tree && m_view->typed().empty() ? view::fieldDetails(*m_tree, *field, m_blobOffset)
                                                                   : detailsOf(offset, size));
}

view::Details HexPage::detailsOf(quint64 offset, quint64 size) const {
  // Typed bytes are only in the view: details of the bytes around the cursor are made of a copy.
  constexpr uint64_t kAround = 512;
  const Bytes& all = m_view->bytes();
  const uint64_t from = offset > kAround ? offset - kAround : 0;
  Bytes shown = all;
  uint64_t first = 0;
  if (!m_view->typed().empty() || m_view->openedPlace()) {
    std::string copy;
    for (uint64_t at = from; at < std::min<uint64_t>(all.size(), offset + 2 * kAround); ++at)
      copy += static_cast<char>(m_view->byteAt(at));
    const Bytes made = Bytes::copyOf(copy);
    const bool known = all.offset() || m_view->openedPlace();
    shown = Bytes(made.owner(), made.span(), known ? std::optional(m_view->fileOffset(from)) : std::nullopt);
    first = from;
  }
  view::Details details = view::bytesDetails(shown, offset - first, size, m_spans);
  if (details.empty()) return details;
  const auto add = [&](std::string label, std::string value, bool code) {
    details.front().rows.push_back({std::move(label), std::move(value), code, {}, {}});
  };
  if (const auto field = m_view->fieldAt(offset); field && m_tree) add("Field", m_tree->shownPath(*field), false);
  const auto digits = [](uint8_t byte) { return hexDigits(std::string(1, static_cast<char>(byte))); };
  if (const auto opened = m_view->openedByte(offset))
    add("Now, before", digits(m_view->byteAt(offset)) + ", " + digits(*opened), true);
  return details;
}

// --- overwriting

QString HexPage::whyNot(quint64 offset) const {
  const bool isModule = m_node.kind == Ref::Kind::Module && m_node.parts.empty();
  if (!isModule) {
    const auto span = std::ranges::find_if(m_spans, [&](const view::Span& one) { return one.extent.contains(offset); });
    if (span != m_spans.end() && span->owner == view::Span::Owner::Module)
      return tr("Bytes of the module %1 are overwritten on its own Hex page.").arg(nameToQt(span->name));
    if (span != m_spans.end())
      return tr("Only bytes of modules can be overwritten. A repack keeps the other parts of the file as they are.");
    return tr("Bytes are overwritten on the Hex page of their module.");
  }
  if (m_tree && edit::whyNotOverwritten(*m_tree, {offset, 1}))
    return tr("This byte is part of a length or a count, which decides where the fields after it are. Set or replace "
              "the field instead.");
  return m_applying ? tr("The change is being applied.") : QString();
}

bool HexPage::isTyping() const { return !m_view->typedRuns().empty(); }

void HexPage::applyTyping() {
  if (m_applying || m_view->typed().empty()) return;
  std::vector<std::pair<uint64_t, Bytes>> runs;
  for (const TypedBytes::Run& run : m_view->typedRuns()) runs.emplace_back(run.offset, Bytes::copyOf(run.bytes));
  if (runs.empty()) {
    m_view->setTyped({});
    return;
  }
  m_applying = true;
  m_refused = false;
  updateByteBar();
  Q_EMIT bytesOverwritten(m_node, runs);
}

void HexPage::changeRefused() {
  m_refused = m_refused || m_applying;
  m_applying = false;
  updateByteBar();
}

bool HexPage::canUndoTyping(bool redo) const { return !m_applying && m_view->typed().canUndo(redo); }

void HexPage::undoTyping(bool redo) { m_view->undoTyped(redo); }

void HexPage::startEditing() { m_view->setFocus(); }

void HexPage::revert() {
  if (m_byteBar->state() == ByteBar::State::Changed)
    Q_EMIT revertRequested(m_node.withBytes(m_view->fileOffset(m_view->selection().offset)));
  else
    m_view->setTyped({});
  m_view->setFocus();
}

void HexPage::updateByteBar() {
  if (!m_view->typed().empty()) {
    const auto count = static_cast<int>(m_view->typed().count());
    m_byteBar->setState(m_applying ? ByteBar::State::Applying : ByteBar::State::Typed,
                        m_applying  ? tr("Applying the change…")
                        : m_refused ? tr("The change was refused. Type other bytes, or press Esc to discard them.")
                                    : tr("%n byte(s) typed, not applied yet", nullptr, count));
    return;
  }
  const uint64_t offset = m_view->selection().offset;
  const auto opened = m_view->openedByte(offset);
  if (!opened) {
    m_byteBar->setState(ByteBar::State::Hidden);
    return;
  }
  const std::string one(1, static_cast<char>(*opened));
  const QString was = toQt(hexDigits(one));
  const QString place = toQt(hexText(m_view->fileOffset(offset)));
  m_byteBar->setState(ByteBar::State::Changed, *opened >= 0x20 && *opened < 0x7f
                                                   ? tr("%1 was %2 “%3”, not saved yet").arg(place, was, toQt(one))
                                                   : tr("%1 was %2, not saved yet").arg(place, was));
}

std::unique_ptr<PageState> HexPage::saveState() const {
  auto kept = std::make_unique<Kept>();
  kept->top = m_view->topRow();
  kept->selected = m_view->selection();
  if (!m_applying) kept->typed = m_view->typed();
  kept->isTyping = !m_applying && isTyping();
  kept->splitter = m_splitter->saveState();
  kept->side = m_side->saveState();
  return kept;
}

void HexPage::restoreState(const PageState& state) {
  const auto* const kept = dynamic_cast<const Kept*>(&state);
  if (!kept) return;
  m_splitter->restoreState(kept->splitter);
  m_side->restoreState(kept->side);
  const bool blocked = blockSignals(true); // the selection is not a new one
  m_view->select(kept->selected.offset, kept->selected.size);
  m_view->setTopRow(kept->top);
  if (!kept->typed.empty()) m_view->setTyped(kept->typed);
  blockSignals(blocked);
}

void HexPage::showEvent(QShowEvent* event) {
  PageWidget::showEvent(event);
  computeEntropyOnce();
}

void HexPage::hideEvent(QHideEvent* event) {
  PageWidget::hideEvent(event);
  if (!event->spontaneous() && !m_refused) applyTyping();
}

void HexPage::computeEntropyOnce() {
  if (std::exchange(m_hasEntropy, true) || m_view->bytes().empty()) return;
  // At most as many blocks as a wide window has pixels; of large files, 64 MiB are read.
  constexpr uint32_t kBlocks = 1'024;
  constexpr uint64_t kReadBytes = uint64_t{64} << 20;
  m_jobs.start<EntropyBlocks>(
      m_tag,
      [bytes = m_view->bytes()](Monitor& monitor) { return computeEntropy(bytes, kBlocks, kReadBytes, monitor); },
      [page = QPointer<HexPage>(this)](Result<EntropyBlocks> blocks) {
        if (page && blocks) page->m_coverage->setEntropy(std::move(*blocks));
      });
}

// --- bookmarks and notes

std::vector<ByteNote> HexPage::notesHere() const {
  std::vector<ByteNote> here;
  const bool hasPlace = m_view->bytes().offset() || m_view->openedPlace();
  if (!m_notes || !hasPlace) return here;
  const Extent shown{m_view->fileOffset(0), m_view->bytes().size()};
  for (const ByteNote& note : m_notes->of(m_node.members))
    if (shown.contains(note.bytes.offset)) here.push_back(note);
  return here;
}

void HexPage::updateMarks() {
  const std::vector<ByteNote> here = notesHere();
  std::vector<HexView::Mark> marks;
  for (const ByteNote& note : here)
    marks.push_back(
        {{note.bytes.offset - m_view->fileOffset(0), note.bytes.size}, note.digit, note.isNote, plainLine(note.text)});
  m_view->setMarks(std::move(marks));
  m_marks->setRows(here, m_changes);
  m_side->setVisible(m_fields || m_marks->rowCount() > 0);
}

std::optional<ByteNote> HexPage::noteFor(Extent bytes) {
  if (!m_notes || bytes.size == 0) return std::nullopt;
  if (!m_view->bytes().offset() && !m_view->openedPlace()) {
    Q_EMIT message(tr("These bytes are unpacked or edited. Only bytes of the file can have bookmarks and notes."));
    return std::nullopt;
  }
  ByteNote note;
  note.members = m_node.members;
  note.bytes = {m_view->fileOffset(bytes.offset), bytes.size};
  return note;
}

void HexPage::putNote(const ByteNote& note) {
  if (!m_notes->put(note))
    Q_EMIT message(tr("A file can have at most %1 bookmarks and notes. Remove some first.")
                       .arg(toQt(groupedText(ByteNotes::kMost))));
}

QString HexPage::nameAt(quint64 offset) const {
  if (const auto field = m_view->fieldAt(offset); field && m_tree) return toQt(m_tree->shownPath(*field));
  for (const view::Span& span : m_spans)
    if (span.extent.contains(offset)) return nameToQt(span.name);
  return tr("bookmark");
}

void HexPage::toggleBookmark(int digit) {
  const uint64_t at = m_view->selection().offset;
  auto note = noteFor({at, m_view->bytes().empty() ? uint64_t{0} : uint64_t{1}});
  if (!note) return;
  std::vector<bool> used(10, false);
  for (const ByteNote& other : m_notes->all()) {
    used[static_cast<std::size_t>(other.digit)] = true;
    if (!other.isWhere(*note) || (digit > 0 && other.digit != digit)) continue;
    m_notes->remove(ByteNote(other)); // a copy: the list changes
    return;
  }
  for (int free = 1; free <= 9 && digit == 0; ++free)
    if (!used[static_cast<std::size_t>(free)]) digit = free;
  note->digit = digit;
  note->text = nameAt(at);
  putNote(*note);
}

void HexPage::goToBookmark(int digit) {
  for (const ByteNote& note : notesHere()) {
    if (note.digit != digit) continue;
    m_view->select(note.bytes.offset - m_view->fileOffset(0), note.bytes.size);
    m_view->setFocus();
    return;
  }
  if (m_notes)
    for (const ByteNote& note : m_notes->all())
      if (note.digit == digit) {
        Q_EMIT nodeChosen(note.place(), true);
        return;
      }
  Q_EMIT message(tr("There is no bookmark %1. Ctrl+Shift+%1 sets it.").arg(digit));
}

void HexPage::askForNote() {
  auto note = noteFor(m_view->selection());
  if (!note) return;
  note->isNote = true;
  for (const ByteNote& other : m_notes->all())
    if (other.isWhere(*note)) note = other;
  askForText(*note);
}

void HexPage::askForText(const ByteNote& note) {
  const QString place = toQt(hexText(note.bytes.offset));
  QInputDialog* const dialog =
      makeTextInput(note.isNote ? tr("Note") : tr("Bookmark"),
                    note.isNote ? tr("Note about the %1 at %2. It is kept for this content of the file, not in it.")
                                      .arg(toQt(sizeText(note.bytes.size)), place)
                                : tr("Name of the bookmark at %1").arg(place),
                    note.text, this);
  dialog->setOption(QInputDialog::UsePlainTextEditForTextInput, note.isNote);
  dialog->setOkButtonText(note.isNote ? tr("Keep note") : tr("Rename"));
  dialog->resize(460, note.isNote ? 240 : dialog->sizeHint().height());
  connect(dialog, &QInputDialog::textValueSelected, this, [this, note](const QString& text) {
    ByteNote changed = note;
    changed.text = text.trimmed();
    changed.date.clear();
    if (!changed.text.isEmpty())
      putNote(changed);
    else if (note.isNote)
      m_notes->remove(note);
  });
  dialog->open();
}

// --- going to places

bool HexPage::goToOffset(uint64_t offset, std::optional<uint64_t> size) {
  const uint64_t base = m_view->fileOffset(0);
  if (offset < base || offset - base >= m_view->bytes().size()) return false;
  // An offset without a size selects the small field that begins there; with the size of a field, it selects that
  // field.
  constexpr uint64_t kSmall = 4096;
  if (m_tree)
    if (const auto row = m_tree->rowAt(offset - base);
        row && m_tree->rows[*row].offset == offset - base && m_tree->rows[*row].size <= kSmall &&
        m_tree->rows[*row].size == size.value_or(m_tree->rows[*row].size)) {
      m_view->selectField(*row, true);
      return true;
    }
  if (!size && m_damage && m_damage->offset == offset - base) size = m_damage->size;
  m_view->select(offset - base, size.value_or(1));
  return true;
}

bool HexPage::showPart(const Ref::Part& part) {
  if (part.kind != PartKind::Field || !m_tree) return false;
  const auto row = m_tree->find(part.name);
  if (row) m_view->selectField(*row, true);
  return row.has_value();
}

void HexPage::markHits(const std::vector<Extent>& hits) {
  m_view->showHits(hitsWithin({m_view->fileOffset(0), m_view->bytes().size()}, hits), std::nullopt);
}

void HexPage::openFind() { m_find->open(); }

void HexPage::findNext(bool backwards) { m_find->continueSearch(backwards); }

void HexPage::openGoTo() {
  m_goTo->setFocus(Qt::ShortcutFocusReason);
  m_goTo->selectAll();
}

void HexPage::goToText(const QString& text) {
  const auto offset = parseNumber(fromQt(text.trimmed()));
  if (offset && goToOffset(*offset, std::nullopt)) {
    m_view->setFocus();
    Q_EMIT message({});
    return;
  }
  Q_EMIT message(
      tr("Invalid offset %1. Enter an offset from %2 to %3.")
          .arg(text, toQt(hexText(m_view->fileOffset(0))), toQt(hexText(m_view->fileOffset(m_view->bytes().size())))));
}

bool HexPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_goTo && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    m_view->setFocus();
    return true;
  }
  return PageWidget::eventFilter(watched, event);
}

} // namespace blobscope::ui
