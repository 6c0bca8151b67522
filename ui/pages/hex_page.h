#pragma once

#include "core/view/page.h"
#include "ui/pages/page_widget.h"
#include "ui/session/byte_notes.h"

#include <QLineEdit>

class QSplitter;

namespace blobscope::ui {

class ByteBar;
class CoverageBar;
class FieldsPage;
class FindBar;
class HexMarks;
class HexView;

/// Bytes with the tree of their fields next to them; the selection is the same on both sides. Bytes of a module can be
/// overwritten: what was typed becomes one change of the document when the user requests it, when the keyboard focus
/// leaves the page, or when the page is hidden. Bookmarks, notes and changes are listed beside the bytes.
class HexPage : public PageWidget {
  Q_OBJECT
public:
  HexPage(const view::HexPage& page, const PageContext& context, QWidget* parent);
  ~HexPage() override;
  bool goToOffset(uint64_t offset, std::optional<uint64_t> size) override;
  void markHits(const std::vector<Extent>& hits) override;
  bool showPart(const Ref::Part& part) override;
  QWidget* tools() override { return m_tools; }
  void openFind() override;
  void findNext(bool backwards) override;
  void openGoTo() override;
  bool isTyping() const override;
  bool isRefused() const override { return m_refused; }
  void applyTyping() override;
  bool canUndoTyping(bool redo) const override;
  void undoTyping(bool redo) override;
  void changeRefused() override;
  void startEditing() override;
  std::unique_ptr<PageState> saveState() const override;
  void restoreState(const PageState& state) override;

  HexView& view() { return *m_view; }
  ByteBar& byteBar() { return *m_byteBar; }
  HexMarks& marks() { return *m_marks; }
  CoverageBar& coverage() { return *m_coverage; }
  /// Sets or removes a bookmark at the cursor; `digit`: its key, 0 for the next one that is not used.
  void toggleBookmark(int digit);
  void goToBookmark(int digit);
  /// Asks for the text of a note about the selected bytes.
  void askForNote();
  static QString tagPrefix() { return QStringLiteral("entropy/"); }

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

private:
  struct Kept;
  void fillTools();
  void makeFields(const view::HexPage& page, const PageContext& context);
  void connectEditing(const PageContext& context);
  void goToText(const QString& text);
  void reportSelection(quint64 offset, quint64 size);
  /// Returns details of bytes as they are shown.
  view::Details detailsOf(quint64 offset, quint64 size) const;
  QString whyNot(quint64 offset) const;
  void updateByteBar();
  void revert();
  void computeEntropyOnce();

  /// Returns the bookmarks and notes within the bytes.
  std::vector<ByteNote> notesHere() const;
  void updateMarks();
  /// Returns a note about bytes of the view; nothing when they are not in the file.
  std::optional<ByteNote> noteFor(Extent bytes);
  void putNote(const ByteNote& note);
  void askForText(const ByteNote& note);
  QString nameAt(quint64 offset) const;

  Jobs& m_jobs;
  const QString m_tag; ///< of the job for the entropy
  const Ref m_node;
  ByteNotes* const m_notes; ///< null where they are not shown
  std::vector<ByteChange> m_changes;
  bool m_hasEntropy = false; ///< it was computed or is being computed
  bool m_applying = false;   ///< the document has not answered yet
  bool m_refused = false;
  HexView* m_view;
  std::optional<uint64_t> m_blobOffset;
  std::shared_ptr<const FieldTree> m_tree; ///< null when the bytes have no decoded fields
  std::vector<view::Span> m_spans;         ///< of a file: the nodes that own its bytes
  std::optional<Extent> m_damage;          ///< the field that does not fit
  QSplitter *m_splitter, *m_side;          ///< bytes and what is beside them: the fields above the marks
  HexMarks* m_marks;
  ByteBar* m_byteBar;
  QWidget* m_tools;
  QLineEdit* m_goTo;
  CoverageBar* m_coverage;
  FieldsPage* m_fields = nullptr; ///< null when the bytes have no decoded fields
  FindBar* m_find;
};

} // namespace blobscope::ui
