#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/syntax/line_index.h"
#include "core/syntax/line_states.h"
#include "ui/widgets/find/find_target.h"
#include "ui/widgets/row_view.h"
#include "ui/widgets/text/line_cells.h"
#include "ui/widgets/text/text_metrics.h"

#include <QBasicTimer>
#include <QElapsedTimer>

#include <functional>
#include <map>
#include <memory>

namespace blobscope::ui {

class MarkScrollBar;

/// Shows text to read and copy from, of any size: only the visible lines are looked at. Line numbers, highlighting,
/// current line, selection, marks of finds. Lines and columns of the interface count from 1, offsets are bytes from the
/// start of the text.
///
/// Without an index the lines are counted in slices of a few milliseconds between events; the first lines show at
/// once, and a jump to a line that is not known yet happens when it is.
class TextView : public RowView, public FindTarget {
  Q_OBJECT
public:
  explicit TextView(QWidget* parent = nullptr);
  ~TextView() override;

  /// `language` as for syntax::language(). `index` is the complete index of `text`, null to have it made here.
  void setText(Bytes text, std::string_view language = {}, std::shared_ptr<const syntax::LineIndex> index = nullptr);
  const Bytes& text() const { return m_text; }
  /// Lines known so far.
  quint64 lineCount() const { return index().lineCount(); }
  bool isIndexed() const { return index().isComplete(); }

  quint64 currentLine() const { return m_line + 1; }
  quint64 currentColumn() const;
  /// First visible line.
  quint64 topLine() const { return m_scroll.top() + 1; }
  /// Lines that fit as a whole.
  quint64 visibleLines() const { return m_scroll.visible(); }
  /// The line without its end, as it is drawn.
  QString lineText(quint64 line) const;
  int lineHeight() const { return m_metrics.lineHeight; }

  void select(quint64 offset, quint64 size);
  void selectAll() override;
  /// The selection as a string; U+FFFD for what is not UTF-8.
  QString selectedText() const;
  /// Puts the cursor at the start of the line.
  void goToLine(quint64 line);
  /// Puts the cursor at the character that holds the byte.
  void goToOffset(quint64 offset);
  /// Names for which `isLink` holds are drawn as links, outside of comments and literals; a click on one emits
  /// linkActivated().
  void setLinks(std::function<bool(std::string_view name)> isLink);
  bool hasLinks() const { return static_cast<bool>(m_isLink); }
  bool copy() override;
  QAccessibleInterface* makeAccessible() override;

  Bytes findBytes() const override { return m_text; }
  bool findsLines() const override { return true; }
  uint64_t findOrigin() const override { return selection().offset; }
  void showHits(std::shared_ptr<const FindHits> hits, std::optional<std::size_t> current) override;
  void goToHit(const FindHit& hit) override;

Q_SIGNALS:
  void cursorMoved(quint64 line, quint64 column);
  void selectionChanged(quint64 offset, quint64 size);
  /// The number of lines is known; for short texts already when setText() returns.
  void indexed(quint64 lines);
  void linkActivated(const QString& name);

protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void timerEvent(QTimerEvent* event) override;
  void dragged(QPoint point) override;
  void remeasure() override;

private:
  friend class TextPainter;
  friend class TextViewAccessible;

  const syntax::LineIndex& index() const { return *m_index; }
  std::string_view lineBytes(uint64_t line) const;
  /// Whether the bytes lie in lines that are known and do not grow any more.
  bool isKnown(Extent bytes) const;
  /// When they are not: remembers to go there once they are.
  bool waitsFor(Extent bytes);
  void updateRange();
  void workOn();
  void startWork();
  void updateMarks();
  void forgetTokens();
  const std::vector<syntax::Token>& tokensOf(uint64_t line, syntax::LineState& state);

  uint64_t moved(Motion motion);
  void setCursor(uint64_t offset, bool extend, bool keepColumn = false);
  void revealCursor();
  /// The offset under a point of the viewport.
  uint64_t offsetAt(QPointF point) const;
  Extent wordAt(uint64_t offset) const;
  /// The links of a line, from the line's first byte, in order; `tokens` are the line's.
  std::vector<Extent> linksOf(std::string_view line, const std::vector<syntax::Token>& tokens) const;
  /// The link under a point of the viewport, empty for none.
  std::string_view linkAt(QPointF point);
  QRect lineRect(uint64_t line) const;
  void emitChanges();

  Bytes m_text;
  const syntax::Language* m_language;
  std::shared_ptr<const syntax::LineIndex> m_index;
  std::shared_ptr<syntax::LineIndex> m_growing; ///< the same while it is made here
  std::unique_ptr<syntax::LineStates> m_states;
  struct LineTokens {
    syntax::LineState before, after;
    std::vector<syntax::Token> tokens;
  };
  std::map<uint64_t, LineTokens> m_tokens; ///< of lines seen last
  bool m_guessed = false;                  ///< m_tokens begin with a state that is not known yet

  MarkScrollBar* m_bar;
  QBasicTimer m_work;                   ///< counting lines, finding states
  std::optional<uint64_t> m_wantedLine; ///< to go to once it is known
  std::optional<Extent> m_wanted;       ///< the same for bytes; to be selected unless the size is 0

  uint64_t m_line = 0;                  ///< of the cursor
  std::optional<uint64_t> m_wishColumn; ///< that moving up and down keeps
  std::optional<std::pair<quint64, quint64>> m_reported;
  Extent m_reportedSelection;
  QElapsedTimer m_doubleClicked;

  std::function<bool(std::string_view name)> m_isLink; ///< may be empty
  std::string m_pressedLink;                           ///< that the button went down on
  std::shared_ptr<const FindHits> m_hits;
  std::optional<std::size_t> m_currentHit;

  TextMetrics m_metrics;
  int m_gutter = 52;
  uint64_t m_widest = 0; ///< columns of the widest line seen
};

} // namespace blobscope::ui
