#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/syntax/code_structure.h"
#include "core/syntax/line_index.h"
#include "core/syntax/line_states.h"
#include "ui/theme/theme.h"
#include "ui/widgets/find/find_target.h"
#include "ui/widgets/row_view.h"
#include "ui/widgets/text/line_cells.h"
#include "ui/widgets/text/row_map.h"
#include "ui/widgets/text/text_metrics.h"

#include <QBasicTimer>
#include <QElapsedTimer>

#include <functional>
#include <map>
#include <memory>

namespace blobscope::ui {

class MarkScrollBar;

/// Shows text to read and copy, of any size: only the visible lines are processed. Line numbers, highlighting, current
/// line, selection, marks of hits. Lines and columns in the interface count from 1; offsets are bytes from the start of
/// the text.
///
/// Without an index, the lines are counted in slices of a few milliseconds between events; the first lines are shown at
/// once, and a jump to a line that is not known yet happens when it is.
class TextView : public RowView, public FindTarget {
  Q_OBJECT
public:
  explicit TextView(QWidget* parent = nullptr);
  ~TextView() override;

  /// `language` as for syntax::language(). `index` is the complete index of `text`, null to build it here.
  void setText(Bytes text, std::string_view language = {}, std::shared_ptr<const syntax::LineIndex> index = nullptr);
  const Bytes& text() const { return m_text; }
  /// Number of lines known so far.
  quint64 lineCount() const { return index().lineCount(); }
  bool isIndexed() const { return index().isComplete(); }

  quint64 currentLine() const { return m_line + 1; }
  quint64 currentColumn() const;
  /// The first visible line.
  quint64 topLine() const { return m_rows.placeOf(m_scroll.top()).line + 1; }
  /// Number of rows that fit completely; a line takes one row unless it is wrapped.
  quint64 visibleLines() const { return m_scroll.visible(); }
  /// Returns the line without its line end, as it is drawn.
  QString lineText(quint64 line) const;
  int lineHeight() const { return m_metrics.lineHeight; }

  void select(quint64 offset, quint64 size);
  void selectAll() override;
  /// Returns the selection as a string; U+FFFD for invalid UTF-8.
  QString selectedText() const;
  /// Moves the cursor to the start of the line.
  void goToLine(quint64 line);
  /// Moves the cursor to the character that contains the byte.
  void goToOffset(quint64 offset);
  /// Names for which `isLink` returns true are drawn as links, outside comments and literals; a click on one emits
  /// linkActivated().
  void setLinks(std::function<bool(std::string_view name)> isLink);
  bool hasLinks() const { return static_cast<bool>(m_isLink); }
  /// What is known about the code; null for nothing. Another text has no structure until this is called again.
  void setStructure(std::shared_ptr<const syntax::CodeStructure> structure);
  const syntax::CodeStructure* structure() const { return m_structure.get(); }
  /// Long lines continue in the next row instead of at the right.
  void setWrapping(bool wrapping);
  bool isWrapping() const { return m_rows.wraps(); }
  /// Whether lines below the line can be hidden, or are.
  bool canFold(quint64 line) const;
  bool isFolded(quint64 line) const;
  /// Hides or shows the lines below the line.
  void setFolded(quint64 line, bool folded);
  /// Folds or unfolds the innermost range that contains the cursor.
  void foldAtCursor(bool folded);
  void foldFunctions(bool folded);
  /// The number of lines that are hidden below a folded line.
  quint64 hiddenLines(quint64 line) const;
  /// Goes to what defines the name at the cursor: a label, a function, the target of a jump, or where a register of the
  /// function occurs first. Returns false if there is nothing to go to.
  bool goToDefinition();
  bool goBack();
  /// The name that is highlighted everywhere; empty for none. Parts of a register have the name of the register.
  const std::string& highlightedName() const { return m_name; }
  /// The function whose first line stays at the top because it is above the visible lines; null for none.
  const syntax::CodeFunction* stickyFunction() const;

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
  /// The number of lines is known; for short texts emitted before setText() returns.
  void indexed(quint64 lines);
  void linkActivated(const QString& name);
  void wrappingChanged(bool wrapping);

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

  /// Something drawn on top of bytes of a line.
  struct Decoration {
    enum class Kind { Frame, Wave } kind;
    Extent bytes; ///< from the start of the line
    Role role;
  };
  /// Returns what a derived view draws on the line.
  virtual std::vector<Decoration> decorationsOf(uint64_t line) const;
  /// Returns the name and role of the icon beside the line number; an empty name for none.
  virtual std::pair<QString, Role> iconOf(uint64_t line) const;
  /// Additional width of the line numbers, in pixels.
  virtual int iconWidth() const { return 0; }

  /// Shows `text`, which differs from the current text only after `from`, without moving the view. `index` is its
  /// complete index. Clears the marks of hits; the caller sets the cursor.
  void changeText(Bytes text, std::shared_ptr<const syntax::LineIndex> index, uint64_t from);
  uint64_t moved(Motion motion);
  void setCursor(uint64_t offset, bool extend, bool keepColumn = false);
  void revealCursor();
  Extent wordAt(uint64_t offset) const;
  /// The bytes of a line, counted from 0, without its line end.
  std::string_view lineBytes(uint64_t line) const;
  QRect lineRect(uint64_t line) const;
  /// Returns the rectangle of the cursor in the viewport.
  QRect caretRect() const;
  /// Returns the offset at a point of the viewport.
  uint64_t offsetAt(QPointF point) const;
  void updateRange();
  /// Scrolls to a line, counted from 0.
  void scrollToLine(uint64_t line) { m_scroll.setTop(m_rows.rowOf(line)); }
  const syntax::LineIndex& index() const { return *m_index; }
  const TextMetrics& textMetrics() const { return m_metrics; }
  int gutter() const { return m_gutter; }
  /// The line of the cursor, counted from 0.
  uint64_t cursorLine() const { return m_line; }
  /// Adds the commands for the text to the context menu.
  virtual void fillMenu(QMenu& menu);

private:
  friend class TextPainter;
  friend class TextViewAccessible;

  /// Whether the bytes are in lines that are known and do not grow any more.
  bool isKnown(Extent bytes) const;
  /// If not, remembers to go there when they are.
  bool waitsFor(Extent bytes);
  void continueWork();
  void startWork();
  void updateMarks();
  void forgetTokens();
  const std::vector<syntax::Token>& tokensOf(uint64_t line, syntax::LineState& state);

  /// Returns the links of a line, relative to its first byte, in order; `tokens` are the tokens of the line.
  std::vector<Extent> linksOf(std::string_view line, const std::vector<syntax::Token>& tokens) const;
  /// Returns the link at a point of the viewport, empty for none.
  std::string_view linkAt(QPointF point);
  void activateLink(std::string_view name);
  void emitChanges();

  /// The line at a point of the viewport, counted from 0, and the column in it; the nearest ones outside the text.
  std::pair<uint64_t, double> placeAt(QPointF point) const;
  /// The column at which row `part` of a line begins.
  uint64_t partStart(uint64_t part) const { return m_rows.wraps() ? part * m_columns : 0; }
  uint64_t cursorRow() const;
  uint64_t verticalMotion(Motion motion, uint64_t column);
  void measureRows();
  void keepPlace(RowPlace top);
  void updateFolds();
  void showLine(uint64_t line);
  /// The innermost range to fold that contains the line; null for none.
  const syntax::CodeFold* foldAround(uint64_t line) const;
  const syntax::CodeFold* foldAt(uint64_t line) const;
  void updateName();
  /// The bytes of the line that are the highlighted name.
  std::vector<Extent> namesOf(std::string_view line, const std::vector<syntax::Token>& tokens) const;
  std::optional<uint64_t> definitionOf(std::string_view name, uint64_t line) const;
  Qt::CursorShape pointerAt(QPointF point, Qt::KeyboardModifiers modifiers);
  /// Handle keys and clicks that are about code. Return whether it was one of them.
  bool handleCodeKey(const QKeyEvent& event);
  bool handleCodeClick(const QMouseEvent& event);
  void fillCodeMenu(QMenu& menu);
  /// The line up to which the states of the lexer are needed.
  uint64_t lastStateLine() const;

  Bytes m_text;
  const syntax::Language* m_language;
  std::shared_ptr<const syntax::LineIndex> m_index;
  std::shared_ptr<syntax::LineIndex> m_growing; ///< the same index while it is built here
  std::unique_ptr<syntax::LineStates> m_states;
  struct LineTokens {
    syntax::LineState before, after;
    std::vector<syntax::Token> tokens;
  };
  std::map<uint64_t, LineTokens> m_tokens; ///< of recently shown lines
  bool m_guessed = false;                  ///< m_tokens start with a lexer state that is not known yet

  MarkScrollBar* m_bar;
  QBasicTimer m_work;                   ///< counting lines, computing lexer states
  std::optional<uint64_t> m_wantedLine; ///< to go to when it is known
  std::optional<Extent> m_wanted;       ///< the same for bytes; selected unless the size is 0

  uint64_t m_line = 0;                       ///< of the cursor
  std::optional<uint64_t> m_preferredColumn; ///< column that moving up and down keeps
  std::optional<std::pair<quint64, quint64>> m_reported;
  Extent m_reportedSelection;
  QElapsedTimer m_doubleClicked;

  std::function<bool(std::string_view name)> m_isLink; ///< may be empty
  std::string m_pressedLink;                           ///< the link where the button was pressed
  std::shared_ptr<const FindHits> m_hits;
  std::optional<std::size_t> m_currentHit;

  std::shared_ptr<const syntax::CodeStructure> m_structure;
  RowMap m_rows;
  uint64_t m_rowLines = 1;        ///< that m_rows knows
  uint64_t m_columns = 1;         ///< that fit beside each other
  std::vector<uint64_t> m_folded; ///< first lines of ranges whose other lines are hidden, ascending
  std::string m_name;             ///< that is highlighted
  std::vector<uint64_t> m_back;   ///< offsets to return to
  int m_lanes = 0;                ///< columns of arrows
  bool m_hasFolds = false;        ///< there is room for the signs of folds

  TextMetrics m_metrics;
  int m_numbers = 52;    ///< width of the line numbers
  int m_gutter = 52;     ///< width of everything beside the text
  uint64_t m_widest = 0; ///< columns of the widest line seen
};

} // namespace blobscope::ui
