#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/hex/hex_view.h"

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

// What was changed and marked in a HexView, and what is typed into it.
namespace blobscope::ui {
namespace {

/// The most bytes that are pasted at once; more are better replaced with a file.
constexpr std::size_t kMostPasted = 4'096;

/// Returns the value of a hexadecimal digit, nothing for other characters.
std::optional<unsigned> digitOf(QChar c) {
  const char16_t unit = c.unicode();
  if (unit >= '0' && unit <= '9') return unit - '0';
  if (unit >= 'a' && unit <= 'f') return unit - 'a' + 10;
  if (unit >= 'A' && unit <= 'F') return unit - 'A' + 10;
  return std::nullopt;
}

/// Returns the bytes of pairs of digits with blanks, commas, "0x" or "\x" between them; nothing for other text.
std::optional<std::string> pastedBytes(QString text) {
  text.remove(QLatin1String("0x"), Qt::CaseInsensitive);
  text.remove(QLatin1String("\\x"), Qt::CaseInsensitive);
  std::string digits;
  for (const QChar c : text) {
    if (c.isSpace() || c == QLatin1Char(',')) continue;
    if (!digitOf(c)) return std::nullopt;
    digits += static_cast<char>(c.unicode());
  }
  return digits.empty() ? std::nullopt : parseHexDigits(digits);
}

} // namespace

void HexView::setOpened(Bytes opened) {
  m_opened = opened.size() == m_bytes.size() ? std::move(opened) : Bytes();
  if (!m_opened.empty() && !m_bytes.offset()) {
    m_base = m_opened.offset().value_or(0);
    m_lead = m_base % kColumns;
  }
  remeasure();
}

void HexView::setWhyNot(WhyNot whyNot) {
  m_whyNot = std::move(whyNot);
  remeasure();
}

void HexView::setMarks(std::vector<Mark> marks) {
  m_marks = std::move(marks);
  viewport()->update();
}

void HexView::setTyped(TypedBytes typed) {
  m_typed = std::move(typed);
  m_halfTyped.reset();
  viewport()->update();
  Q_EMIT typedChanged();
}

uint8_t HexView::byteAt(quint64 offset) const {
  if (const auto typed = m_typed.at(offset)) return *typed;
  return offset < m_bytes.size() ? static_cast<uint8_t>(m_bytes.view()[offset]) : uint8_t{0};
}

std::optional<uint8_t> HexView::openedByte(quint64 offset) const {
  if (offset >= m_bytes.size()) return std::nullopt;
  const Bytes& before = m_opened.empty() ? m_bytes : m_opened;
  const auto opened = static_cast<uint8_t>(before.view()[offset]);
  return opened == byteAt(offset) ? std::nullopt : std::optional(opened);
}

std::vector<TypedBytes::Run> HexView::typedRuns() const {
  return m_typed.runs([this](uint64_t offset) { return static_cast<uint8_t>(m_bytes.view()[offset]); });
}

void HexView::undoTyped(bool redo) {
  const auto changed = m_typed.undo(redo);
  if (!changed) return;
  goTo(*changed);
  viewport()->update();
  Q_EMIT typedChanged();
}

bool HexView::mayOverwrite(uint64_t offset) {
  const QString why = m_whyNot(offset);
  if (!why.isEmpty()) Q_EMIT refused(why);
  return why.isEmpty();
}

void HexView::typeDigit(unsigned digit) {
  // With several bytes selected, typing begins at the first one.
  const uint64_t at = m_halfTyped.value_or(selection().offset);
  if (!mayOverwrite(at)) return;
  const uint8_t old = byteAt(at);
  const bool isLower = m_halfTyped == at;
  m_typed.put(at, static_cast<uint8_t>(isLower ? (old & 0xf0U) | digit : (old & 0x0fU) | digit << 4), isLower);
  setSelection(at, at);
  if (isLower) {
    if (at + 1 < m_bytes.size()) setSelection(at + 1, at + 1);
  } else {
    m_halfTyped = at;
  }
  reveal(m_cursor);
  viewport()->update();
  Q_EMIT refused({});
  Q_EMIT typedChanged();
}

void HexView::typeCharacter(QChar character) {
  const uint64_t at = selection().offset;
  if (!mayOverwrite(at)) return;
  if (character.unicode() >= 0x7f) {
    Q_EMIT refused(tr("Only ASCII characters can be typed; other bytes as hexadecimal digits."));
    return;
  }
  m_halfTyped.reset();
  m_typed.put(at, static_cast<uint8_t>(character.unicode()));
  const uint64_t next = std::min(at + 1, m_bytes.size() - 1);
  setSelection(next, next);
  reveal(m_cursor);
  viewport()->update();
  Q_EMIT refused({});
  Q_EMIT typedChanged();
}

void HexView::paste() {
  if (m_bytes.empty() || !m_whyNot) return;
  const auto bytes = pastedBytes(QApplication::clipboard()->text());
  if (!bytes) {
    Q_EMIT refused(tr("The clipboard does not contain pairs of hexadecimal digits."));
    return;
  }
  const uint64_t from = selection().offset;
  if (bytes->size() > kMostPasted || bytes->size() > m_bytes.size() - from) {
    Q_EMIT refused(tr("The clipboard has %1. At most %2 can be pasted here.")
                       .arg(toQt(sizeText(bytes->size())),
                            toQt(sizeText(std::min<uint64_t>(kMostPasted, m_bytes.size() - from)))));
    return;
  }
  for (std::size_t i = 0; i < bytes->size(); ++i)
    if (!mayOverwrite(from + i)) return;
  for (std::size_t i = 0; i < bytes->size(); ++i) m_typed.put(from + i, static_cast<uint8_t>((*bytes)[i]));
  select(from, bytes->size());
  viewport()->update();
  Q_EMIT typedChanged();
}

bool HexView::handleTyping(const QKeyEvent& event) {
  if (m_bytes.empty() || !m_whyNot) return false;
  if (event.matches(QKeySequence::Paste)) {
    paste();
    return true;
  }
  const bool enter = event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
  if (!m_typed.empty() && (enter || event.key() == Qt::Key_Escape)) {
    m_halfTyped.reset();
    Q_EMIT typingEnded(enter);
    return true;
  }
  if (!m_typed.empty() && event.key() == Qt::Key_Backspace) {
    undoTyped(false);
    return true;
  }
  const bool plain = !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
  if (m_typesText && plain && event.text().size() == 1 && event.text().front().isPrint()) {
    typeCharacter(event.text().front());
    return true;
  }
  const auto digit = plain && event.text().size() == 1 ? digitOf(event.text().front()) : std::nullopt;
  if (!digit) return false;
  typeDigit(*digit);
  return true;
}

} // namespace blobscope::ui
