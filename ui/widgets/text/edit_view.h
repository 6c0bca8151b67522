#pragma once

#include "core/base/diagnostic.h"
#include "ui/widgets/text/edit_history.h"
#include "ui/widgets/text/text_view.h"

#include <QVector>

namespace blobscope::ui {

/// A message about a place in a text.
struct TextMark {
  quint64 line = 0;   ///< from 1
  quint64 column = 0; ///< a byte of the line, from 1; 0 if only the line is known
  Severity severity = Severity::Error;
  QString text;   ///< one line
  QString source; ///< who says it, such as "ptxas"; may be empty
};

/// A TextView whose text can be edited if setEditable() allows it. Bytes that are not UTF-8 stay as they are, and typed
/// lines end like those of the text. Each change makes another immutable text; isChanged() compares it with the one
/// that setOriginal() passed.
///
/// The first change, F2 or beginEditing() starts the editing: from then on Tab indents, and a line end at the end of
/// the text begins an empty line. Before that, and after Escape, Tab moves the keyboard focus.
class EditView : public TextView {
  Q_OBJECT
public:
  explicit EditView(QWidget* parent = nullptr);
  ~EditView() override;

  /// Shows another text, which is not changed, not editable and has no marks.
  void setOriginal(Bytes text, std::string_view language);
  /// The text that setOriginal() passed.
  const Bytes& original() const { return m_original; }
  void setEditable(bool editable);
  bool isEditable() const { return m_editable; }
  void beginEditing();
  bool isEditing() const { return m_editing; }
  bool isChanged() const { return m_changed; }
  /// Returns the number of lines as a view that is not edited counts them.
  quint64 storedLineCount() const;

  /// Replaces the selection and moves the cursor after the inserted bytes.
  void insert(std::string_view bytes);
  /// Replaces the whole text in one undo step, as far as it differs; keeps the place.
  void replaceText(std::string_view text);
  void cut();
  void paste();
  bool canUndo() const { return m_history.canUndo(); }
  bool canRedo() const { return m_history.canRedo(); }
  void undo();
  void redo();

  /// What can be restored in another view of the same text.
  struct State {
    Bytes original, text;
    EditHistory history;
    uint64_t cursor = 0, anchor = 0, top = 0;
    bool editing = false;
    QVector<TextMark> marks;
  };
  State state() const;
  /// Continues the editing in `state`, with the text of setOriginal() as the original. If the text is unchanged then,
  /// only the place is restored.
  void restore(const State& state);

  /// Marks lines with an icon and underlines the words at the columns. Changing a line removes its marks.
  void setMarks(QVector<TextMark> marks);
  const QVector<TextMark>& marks() const { return m_marks; }
  /// Goes to the next mark and returns its index; -1 if there is none.
  int goToNextMark(bool backwards);
  void goToMark(int index);
  /// The index of the mark that was shown last; -1 after the cursor was moved.
  int currentMark() const { return m_currentMark; }

  bool canReplace() const override { return m_editable; }
  void replaceHits(const FindHits& hits, const std::vector<std::string>& texts) override;

  QVariant inputMethodQuery(Qt::InputMethodQuery query) const override;

Q_SIGNALS:
  /// The text has changed.
  void edited();
  /// beginEditing() was called, or the text changed for the first time.
  void editingBegan();
  /// The user pressed Ctrl+Return.
  void applied();
  void marksChanged();

protected:
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void inputMethodEvent(QInputMethodEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  std::vector<Decoration> decorationsOf(uint64_t line) const override;
  std::pair<QString, Role> iconOf(uint64_t line) const override;
  int iconWidth() const override;
  void fillMenu(QMenu& menu) override;

private:
  using Kind = EditHistory::Kind;
  /// The kinds of keys that change the text, or undo a change.
  enum class EditKey { None, Undo, Redo, Cut, Paste, Apply, Begin, NextMark, PreviousMark, Delete, Type };
  EditKey editKey(const QKeyEvent& event) const;
  void navigateKey(QKeyEvent& event);
  void typeKey(const QKeyEvent& event);
  void deleteKey(const QKeyEvent& event);
  void insertLine();
  /// Indents the selected lines, or inserts an indentation at the cursor.
  void indent(bool backwards);

  void change(Kind kind, Extent replaced, std::string_view inserted);
  /// Replaces bytes without history.
  void splice(Extent replaced, std::string_view inserted);
  void moveMarks(Extent replaced, std::string_view inserted);
  void place(uint64_t cursor, uint64_t anchor);
  /// Returns the line end to insert: that of the text.
  std::string_view lineEnd() const;
  /// Returns the blanks of one level of indentation, as in the lines around.
  std::string_view indentation() const;
  /// Finds the bracket at the cursor and its counterpart.
  void updateBrackets();

  Bytes m_original;
  bool m_editable = false, m_editing = false, m_changed = false;
  bool m_tabMoves = false; ///< Escape was pressed: Tab moves the focus until the next change
  EditHistory m_history;
  QVector<TextMark> m_marks; ///< by line and column
  int m_currentMark = -1;
  std::vector<uint64_t> m_brackets; ///< offsets of both, ascending
  QString m_composed;               ///< text that an input method has not committed
};

} // namespace blobscope::ui
