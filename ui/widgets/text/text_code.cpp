#include "ui/text/plain_text.h"
#include "ui/widgets/text/text_view.h"

#include <QAction>
#include <QKeyEvent>
#include <QMenu>

#include <algorithm>
#include <cmath>

// What a TextView does with the structure of code: folds, definitions, highlighted names; and wrapping.
namespace blobscope::ui {
namespace {

/// Space above the first line.
constexpr int kTopMargin = 4;
/// Longest text of a function that is searched for the first use of a register, and places to return to.
constexpr uint64_t kSearchedBytes = 4u << 20;
constexpr std::size_t kPlaces = 100;
/// Names in longer lines are not highlighted.
constexpr std::size_t kNamedLine = 65'536;

bool isNameToken(syntax::TokenKind kind) {
  using enum syntax::TokenKind;
  return kind != Keyword && kind != Type && kind != Comment && kind != String;
}

const syntax::Token* tokenAt(const std::vector<syntax::Token>& tokens, uint64_t offset) {
  for (const syntax::Token& token : tokens)
    if (offset >= token.begin && offset - token.begin < token.size) return &token;
  return nullptr;
}

} // namespace

void TextView::setStructure(std::shared_ptr<const syntax::CodeStructure> structure) {
  m_structure = std::move(structure);
  m_folded.clear();
  viewport()->setMouseTracking(m_structure || m_isLink);
  m_hasFolds = m_structure && !m_structure->folds.empty();
  m_lanes = 0;
  if (m_structure)
    for (const syntax::CodeJump& jump : m_structure->jumps)
      if (jump.lane < syntax::CodeJump::kLanes) m_lanes = std::max(m_lanes, jump.lane + 1);
  updateFolds();
  updateName();
}

// ---------------------------------------------------------------------------------------------- rows

uint64_t TextView::lastStateLine() const {
  return m_rows.hasHidden() ? m_rows.placeOf(m_scroll.top() + m_scroll.visible()).line : topLine() - 1;
}

uint64_t TextView::cursorRow() const {
  const uint64_t row = m_rows.rowOf(m_line);
  return m_rows.wraps() ? row + std::min<uint64_t>((currentColumn() - 1) / m_columns, m_rows.rowsOf(m_line) - 1) : row;
}

void TextView::measureRows() {
  m_rows.setMeasure([this](uint64_t line) -> uint64_t {
    const std::string_view bytes = lineBytes(line);
    if (bytes.size() <= m_columns && bytes.find('\t') == std::string_view::npos) return 1;
    return std::max<uint64_t>((columnCount(bytes) + m_columns - 1) / m_columns, 1);
  });
  startWork();
}

void TextView::keepPlace(RowPlace top) {
  m_scroll.setRange(m_rows.rowCount(), m_scroll.visible());
  const uint64_t line = m_rows.shownLine(std::min(top.line, index().lineCount() - 1));
  m_scroll.setTop(m_rows.rowOf(line) + (line == top.line ? std::min(top.part, m_rows.rowsOf(line) - 1) : 0));
}

void TextView::setWrapping(bool wrapping) {
  if (wrapping == isWrapping()) return;
  const RowPlace top = m_rows.placeOf(m_scroll.top());
  if (wrapping)
    measureRows();
  else
    m_rows.setMeasure(nullptr);
  horizontalScrollBar()->setValue(0);
  keepPlace({top.line, 0});
  updateRange();
  viewport()->update();
  Q_EMIT wrappingChanged(wrapping);
}

// ---------------------------------------------------------------------------------------------- folds

const syntax::CodeFold* TextView::foldAt(uint64_t line) const {
  if (!m_structure) return nullptr;
  const auto& folds = m_structure->folds;
  const auto found = std::lower_bound(folds.begin(), folds.end(), line,
                                      [](const syntax::CodeFold& fold, uint64_t value) { return fold.first < value; });
  return found != folds.end() && found->first == line ? &*found : nullptr;
}

const syntax::CodeFold* TextView::foldAround(uint64_t line) const {
  if (!m_structure) return nullptr;
  const auto& folds = m_structure->folds;
  auto at = std::upper_bound(folds.begin(), folds.end(), line,
                             [](uint64_t value, const syntax::CodeFold& fold) { return value < fold.first; });
  // They nest, so the last one that begins before the line and ends after it is the innermost one.
  while (at != folds.begin())
    if ((--at)->last >= line) return &*at;
  return nullptr;
}

bool TextView::canFold(quint64 line) const { return line > 0 && foldAt(line - 1); }

bool TextView::isFolded(quint64 line) const {
  return line > 0 && std::binary_search(m_folded.begin(), m_folded.end(), line - 1);
}

quint64 TextView::hiddenLines(quint64 line) const {
  const syntax::CodeFold* const fold = isFolded(line) ? foldAt(line - 1) : nullptr;
  return fold ? fold->last - fold->first : 0;
}

void TextView::setFolded(quint64 line, bool folded) {
  if (!canFold(line) || folded == isFolded(line)) return;
  const auto place = std::lower_bound(m_folded.begin(), m_folded.end(), line - 1);
  if (folded)
    m_folded.insert(place, line - 1);
  else
    m_folded.erase(place);
  updateFolds();
}

void TextView::foldAtCursor(bool folded) {
  if (!folded && isFolded(currentLine())) {
    setFolded(currentLine(), false);
    return;
  }
  const syntax::CodeFold* fold = foldAround(m_line);
  // A folded range of which the cursor is on the first line: the one around it.
  while (folded && fold && isFolded(fold->first + 1)) fold = fold->first > 0 ? foldAround(fold->first - 1) : nullptr;
  if (fold) setFolded(fold->first + 1, folded);
}

void TextView::foldFunctions(bool folded) {
  m_folded.clear();
  if (folded && m_structure)
    for (const syntax::CodeFunction& function : m_structure->functions)
      if (foldAt(function.line)) m_folded.push_back(function.line);
  m_folded.erase(std::unique(m_folded.begin(), m_folded.end()), m_folded.end());
  updateFolds();
}

void TextView::updateFolds() {
  const RowPlace top = m_rows.placeOf(m_scroll.top());
  std::vector<RowMap::Hidden> hidden;
  for (const uint64_t first : m_folded) {
    const syntax::CodeFold* const fold = foldAt(first);
    const uint64_t last = fold ? std::min(fold->last, index().lineCount() - 1) : 0;
    if (last <= first || (!hidden.empty() && first <= hidden.back().last)) continue; // inside another one
    if (!hidden.empty() && hidden.back().last == first) continue;
    hidden.push_back({first + 1, last});
  }
  m_rows.setHidden(std::move(hidden));
  if (m_rows.isHidden(m_line)) setCursor(index().lineStart(m_rows.shownLine(m_line)), false);
  updateRange();
  keepPlace(top);
  startWork();
  viewport()->update();
}

void TextView::showLine(uint64_t line) {
  if (!m_rows.isHidden(line)) return;
  std::erase_if(m_folded, [&](uint64_t first) {
    const syntax::CodeFold* const fold = foldAt(first);
    return fold && first < line && line <= fold->last;
  });
  const uint64_t cursor = m_cursor, anchor = m_anchor;
  updateFolds();
  m_anchor = anchor;
  setCursor(cursor, true, true);
}

// ---------------------------------------------------------------------------------------------- names

const syntax::CodeFunction* TextView::stickyFunction() const {
  if (!m_structure || m_scroll.visible() < 4) return nullptr;
  const uint64_t line = topLine() - 1;
  const syntax::CodeFunction* const function = m_structure->functionAt(line);
  return function && function->line < line && function->line < index().lineCount() ? function : nullptr;
}

void TextView::updateName() {
  std::string name;
  if (m_structure && selection().size == 0) {
    const std::string_view line = lineBytes(m_line);
    const uint64_t at = m_cursor - std::min(m_cursor, index().lineStart(m_line));
    Extent found = line.size() <= kNamedLine ? syntax::nameAt(*m_language, line, at) : Extent{};
    if (found.size == 0 && at > 0 && line.size() <= kNamedLine) found = syntax::nameAt(*m_language, line, at - 1);
    const auto known = m_tokens.find(m_line);
    std::vector<syntax::Token> own;
    if (known == m_tokens.end() && found.size > 0)
      syntax::lexLine(*m_language, line, m_states->before(index(), m_line), own);
    const syntax::Token* const token =
        found.size > 0 ? tokenAt(known == m_tokens.end() ? own : known->second.tokens, found.offset) : nullptr;
    if (found.size > 0 && (!token || isNameToken(token->kind)))
      name = syntax::wholeRegister(*m_language, line.substr(found.offset, found.size));
  }
  if (name == m_name) return;
  m_name = std::move(name);
  viewport()->update();
}

std::vector<Extent> TextView::namesOf(std::string_view line, const std::vector<syntax::Token>& tokens) const {
  std::vector<Extent> out;
  if (m_name.empty() || line.size() > kNamedLine) return out;
  for (uint64_t at = 0; at < line.size();) {
    const Extent found = syntax::nameAt(*m_language, line, at);
    if (found.size == 0) {
      ++at;
      continue;
    }
    at = std::max(found.end(), at + 1);
    if (syntax::wholeRegister(*m_language, line.substr(found.offset, found.size)) != m_name) continue;
    const syntax::Token* const token = tokenAt(tokens, found.offset);
    if (!token || isNameToken(token->kind)) out.push_back(found);
  }
  return out;
}

std::optional<uint64_t> TextView::definitionOf(std::string_view name, uint64_t line) const {
  if (!m_structure || name.empty()) return std::nullopt;
  if (const auto found = m_structure->findDefinition(name, line)) return found;
  const syntax::CodeFunction* const function = m_structure->functionAt(line);
  if (!function) return std::nullopt;
  const std::string_view whole = syntax::wholeRegister(*m_language, name);
  uint64_t searched = 0;
  for (uint64_t at = function->line; at < line && searched < kSearchedBytes; ++at) {
    const std::string_view bytes = lineBytes(at);
    searched += bytes.size();
    if (bytes.size() > kNamedLine) continue;
    for (uint64_t i = 0; i < bytes.size();) {
      const Extent found = syntax::nameAt(*m_language, bytes, i);
      if (found.size > 0 && syntax::wholeRegister(*m_language, bytes.substr(found.offset, found.size)) == whole)
        return at;
      i = std::max(found.end(), i + 1);
    }
  }
  return std::nullopt;
}

bool TextView::goToDefinition() {
  const std::string_view line = lineBytes(m_line);
  const uint64_t at = m_cursor - std::min(m_cursor, index().lineStart(m_line));
  Extent name = syntax::nameAt(*m_language, line, at);
  if (name.size == 0 && at > 0) name = syntax::nameAt(*m_language, line, at - 1);
  const std::string word(line.substr(name.offset, name.size));
  const auto found = definitionOf(word, m_line);
  if (found && *found != m_line && *found < index().lineCount()) {
    if (m_back.size() == kPlaces) m_back.erase(m_back.begin());
    m_back.push_back(m_cursor);
    const std::string_view target = lineBytes(*found);
    const std::size_t column = target.find(word);
    goToOffset(index().lineStart(*found) + (column == std::string_view::npos ? 0 : column));
    return true;
  }
  if (!m_isLink || word.empty() || !m_isLink(word)) return false;
  activateLink(word);
  return true;
}

bool TextView::goBack() {
  if (m_back.empty()) return false;
  const uint64_t offset = m_back.back();
  m_back.pop_back();
  goToOffset(offset);
  return true;
}

// ---------------------------------------------------------------------------------------------- events

bool TextView::handleCodeKey(const QKeyEvent& event) {
  const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
  const bool shift = modifiers == Qt::ShiftModifier;
  if (event.key() == Qt::Key_F12 && (modifiers == Qt::NoModifier || shift)) return shift ? goBack() : goToDefinition();
  if (event.key() == Qt::Key_Z && modifiers == Qt::AltModifier) {
    setWrapping(!isWrapping());
    return true;
  }
  // "+" needs Shift on some keyboards.
  if (!m_structure || (modifiers & ~Qt::ShiftModifier) != Qt::AltModifier) return false;
  if (event.key() == Qt::Key_Minus)
    foldAtCursor(true);
  else if (event.key() == Qt::Key_Plus || event.key() == Qt::Key_Equal)
    foldAtCursor(false);
  else
    return false;
  return true;
}

Qt::CursorShape TextView::pointerAt(QPointF point, Qt::KeyboardModifiers modifiers) {
  if (m_structure && point.x() < m_gutter) return Qt::ArrowCursor;
  if (!linkAt(point).empty()) return Qt::PointingHandCursor;
  if (!m_structure || modifiers != Qt::ControlModifier) return Qt::IBeamCursor;
  const auto [line, column] = placeAt(point);
  const std::string_view bytes = lineBytes(line);
  if (column < 0 || bytes.size() > kNamedLine) return Qt::IBeamCursor;
  const Extent name = syntax::nameAt(*m_language, bytes, offsetOf(bytes, std::floor(column)));
  return name.size > 0 ? Qt::PointingHandCursor : Qt::IBeamCursor;
}

bool TextView::handleCodeClick(const QMouseEvent& event) {
  if (!m_structure) return false;
  const QPointF point = event.position();
  if (const syntax::CodeFunction* const function = stickyFunction();
      function && point.y() < kTopMargin + m_metrics.lineHeight) {
    goToLine(function->line + 1);
    return true;
  }
  if (point.x() >= m_numbers - 4 && point.x() < m_gutter) {
    const uint64_t line = placeAt(point).first;
    if (!foldAt(line)) return false;
    setFolded(line + 1, !isFolded(line + 1));
    return true;
  }
  if (event.modifiers() != Qt::ControlModifier || point.x() < m_gutter) return false;
  setCursor(offsetAt(point), false);
  goToDefinition();
  return true;
}

void TextView::fillCodeMenu(QMenu& menu) {
  const auto add = [&](const QString& text, const QString& keys, auto slot) {
    QAction* const action = menu.addAction(text, this, slot);
    action->setShortcut(QKeySequence(keys));
    action->setShortcutVisibleInContextMenu(true);
    return action;
  };
  menu.addSeparator();
  if (m_structure) {
    add(tr("Go to definition"), QStringLiteral("F12"), [this] { goToDefinition(); })->setEnabled(!m_name.empty());
    add(tr("Go back"), QStringLiteral("Shift+F12"), [this] { goBack(); })->setEnabled(!m_back.empty());
  }
  if (m_hasFolds) {
    menu.addSeparator();
    add(tr("Fold"), QStringLiteral("Alt+-"), [this] { foldAtCursor(true); })->setEnabled(foldAround(m_line));
    add(tr("Unfold"), QStringLiteral("Alt++"), [this] { foldAtCursor(false); })->setEnabled(isFolded(currentLine()));
    menu.addAction(tr("Fold all functions"), this, [this] { foldFunctions(true); })
        ->setEnabled(m_structure && !m_structure->functions.empty());
    menu.addAction(tr("Unfold all"), this, [this] { foldFunctions(false); })->setEnabled(!m_folded.empty());
    menu.addSeparator();
  }
  QAction* const wrap = add(tr("Wrap long lines"), QStringLiteral("Alt+Z"), [this] { setWrapping(!isWrapping()); });
  wrap->setCheckable(true);
  wrap->setChecked(isWrapping());
}

} // namespace blobscope::ui
