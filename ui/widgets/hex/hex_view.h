#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/base/field_tree.h"
#include "ui/theme/theme.h"
#include "ui/widgets/find/find_target.h"
#include "ui/widgets/glyph_batch.h"
#include "ui/widgets/hex/field_segments.h"
#include "ui/widgets/hex/typed_bytes.h"
#include "ui/widgets/row_view.h"

#include <QFutureWatcher>

#include <memory>
#include <optional>

namespace blobscope::ui {

/// Returns the colour of fields with this role.
Role fieldRoleColor(FieldRole role);
/// Returns the name of the role, "type code", for legends and screen readers.
QString fieldRoleName(FieldRole role);

/// Shows bytes of any size: offset, sixteen bytes in two groups, characters. Only visible rows are processed. Fields
/// are tinted by role; a click selects the field, a drag selects bytes. Rows begin at multiples of 16 of the file
/// offset.
///
/// Offsets in the interface count from the first displayed byte; fileOffset() converts them to file offsets.
class HexView : public RowView, public FindTarget {
  Q_OBJECT
public:
  explicit HexView(QWidget* parent = nullptr);
  ~HexView() override;

  void setBytes(Bytes bytes);
  const Bytes& bytes() const { return m_bytes; }
  /// Sets the fields of the bytes, null for none. If `segments` is null, the view builds it from the tree: in another
  /// thread when there are many rows, so that the tints appear a moment later.
  void setFields(std::shared_ptr<const FieldTree> fields, std::shared_ptr<const FieldSegments> segments = nullptr);
  /// A part of the bytes with a colour, for bytes without fields.
  struct Owner {
    Extent bytes;
    Role role;
  };
  /// Tints the parts; they are in order and do not overlap.
  void setOwners(std::vector<Owner> owners);
  /// Bytes that are damaged, painted in the colour of errors.
  void setDamage(std::optional<Extent> damage);
  /// Sets the same bytes in the file as it was opened, as many; empty for none. Bytes that differ from them are marked,
  /// and their offsets are those of the file.
  void setOpened(Bytes opened);
  /// A place with a flag beside its row, or with a note.
  struct Mark {
    Extent bytes;
    int digit = 0; ///< of a bookmark with a key, 1 to 9
    bool isNote = false;
    QString text;
  };
  /// Shows the marks beside the rows; they are in the order of their offsets.
  void setMarks(std::vector<Mark> marks);

  // --- overwriting bytes: digits change the byte at the cursor ---

  /// Returns why a byte cannot be overwritten, as a sentence; empty when it can.
  using WhyNot = std::function<QString(quint64 offset)>;
  /// Also makes room for marks beside the rows.
  void setWhyNot(WhyNot whyNot);
  const TypedBytes& typed() const { return m_typed; }
  /// Replaces what was typed; for a view that is made again.
  void setTyped(TypedBytes typed);
  /// Undoes or redoes the last typed byte and shows it.
  void undoTyped(bool redo);
  /// Returns what was typed as runs of bytes that differ from those of the document.
  std::vector<TypedBytes::Run> typedRuns() const;
  /// Returns the byte as it is shown.
  uint8_t byteAt(quint64 offset) const;
  /// Whether fileOffset() is known from setOpened(), because the bytes themselves are not in the file.
  bool openedPlace() const { return !m_opened.empty() && m_opened.offset() && !m_bytes.offset(); }
  /// The first visible row.
  quint64 topRow() const { return m_scroll.top(); }
  void setTopRow(quint64 row) { m_scroll.setTop(row); }
  /// Returns what the byte was when the file was opened, if it differs from what is shown.
  std::optional<uint8_t> openedByte(quint64 offset) const;

  uint64_t fileOffset(uint64_t offset) const { return m_base + offset; }
  /// Returns the deepest field that owns the byte.
  std::optional<uint32_t> fieldAt(uint64_t offset) const;
  /// Returns the selected bytes, with the cursor at one end; the size is 0 only when there are no bytes.
  Extent selection() const override;
  /// Returns the field whose bytes are selected as a whole.
  std::optional<uint32_t> selectedField() const { return m_field; }
  quint64 cursor() const { return m_cursor; }
  /// Returns the visible bytes.
  Extent visibleBytes() const;
  /// Returns a description of the byte: "0x203476, 03, field fmap[0].info.arg_types[0], type code".
  QString describe(quint64 offset) const;

  /// Moves the cursor to the byte and shows it; to the last byte if the offset is past the end.
  void goTo(quint64 offset);
  void select(quint64 offset, quint64 size);
  /// Selects the bytes of a field and shows its first byte; emits fieldActivated() only with `activate`.
  void selectField(uint32_t row, bool activate = false);
  void selectAll() override;

  enum class CopyForm {
    Hex,        ///< "03 40 01 00", sixteen bytes a line
    Characters, ///< as UTF-8, U+FFFD for invalid bytes
    CArray,     ///< a C definition
    Python      ///< a Python definition of bytes
  };
  /// Copies the selection to the clipboard. Returns false when it is empty or refused.
  bool copy(CopyForm form);
  bool copy() override { return copy(CopyForm::Hex); }
  QString textOf(Extent bytes, CopyForm form) const;
  QAccessibleInterface* makeAccessible() override;

  Bytes findBytes() const override { return m_bytes; }
  bool findsLines() const override { return false; }
  uint64_t findOrigin() const override { return selection().offset; }
  void showHits(std::shared_ptr<const FindHits> hits, std::optional<std::size_t> current) override;
  void goToHit(const FindHit& hit) override { select(hit.offset, hit.size); }

Q_SIGNALS:
  void selectionChanged(quint64 offset, quint64 size);
  /// A field was selected with the mouse or keyboard: a row of the tree.
  void fieldActivated(quint32 row);
  void visibleBytesChanged(quint64 offset, quint64 size);
  /// typed() has changed.
  void typedChanged();
  /// The user wants what was typed to be applied, or discarded.
  void typingEnded(bool apply);

protected:
  bool viewportEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void dragged(QPoint point) override;
  void remeasure() override;

private:
  friend class HexPainter;
  friend class HexViewAccessible;
  friend class HexCellAccessible;

  /// Positions in device-independent pixels from the left of the content.
  struct Geometry {
    double cell = 7, step = 20;    ///< width of a character; distance between bytes
    double bytes = 82, text = 420; ///< left edges of the columns
    double width = 540;
    int row = 21, baseline = 15;
    int digits = 8; ///< digits of the offset
    int left = kLeft;
    double byteX(int column) const { return bytes + column * step + (column >= 8 ? kGroupGap : 0); }
    double textX(int column) const { return text + column * cell; }
  };
  static constexpr double kGroupGap = 7;
  static constexpr int kColumns = 16, kHeader = 26, kTop = 30, kLeft = 12;
  static constexpr int kMarkWidth = 18; ///< room for marks beside the rows

  void measure();
  void updateRange();
  uint64_t rowOf(uint64_t offset) const { return (m_lead + offset) / kColumns; }
  int columnOf(uint64_t offset) const { return static_cast<int>((m_lead + offset) % kColumns); }
  uint64_t rowCount() const { return m_bytes.empty() ? 0 : (m_lead + m_bytes.size() + kColumns - 1) / kColumns; }
  /// Returns the byte at a point of the viewport; with `nearest`, the closest byte for any point.
  std::optional<uint64_t> offsetAt(QPointF point, bool nearest) const;
  QRectF byteRect(uint64_t offset) const;
  void setSelection(uint64_t anchor, uint64_t cursor, std::optional<uint32_t> field = std::nullopt);
  void selectBytes(Extent wanted, std::optional<uint32_t> field);
  /// Returns the new position of the cursor; nullopt for motions by words.
  std::optional<uint64_t> moved(Motion motion) const;
  void moveField(int by);
  void activateAt(uint64_t offset);
  void reveal(uint64_t offset);
  void emitChanges();
  /// Handles digits or characters, and the keys that end the typing. Returns whether it was one of them.
  bool handleTyping(const QKeyEvent& event);
  /// Overwrites bytes from the cursor on with the hexadecimal digits of the clipboard.
  void paste();
  bool mayOverwrite(uint64_t offset);
  void typeDigit(unsigned digit);
  void typeCharacter(QChar character);

  Bytes m_bytes;
  uint64_t m_base = 0; ///< file offset of the first byte
  uint64_t m_lead = 0; ///< columns of the first row before the first byte
  std::shared_ptr<const FieldTree> m_fields;
  std::vector<Owner> m_owners;
  std::shared_ptr<const FieldSegments> m_segments;
  QFutureWatcher<std::shared_ptr<const FieldSegments>> m_building;
  std::optional<Extent> m_damage;
  Bytes m_opened;
  std::vector<Mark> m_marks;
  WhyNot m_whyNot;
  TypedBytes m_typed;
  std::optional<uint64_t> m_halfTyped; ///< the byte of which only the upper digit was typed
  bool m_typesText = false;            ///< keys are characters, not digits: the last click was on the characters

  std::optional<uint32_t> m_field;
  std::optional<uint64_t> m_pressed; ///< the byte where the mouse button was pressed, while it may become a drag
  std::optional<uint32_t> m_hover;   ///< the field under the mouse
  bool m_dragged = false;
  std::optional<Extent> m_reported, m_reportedVisible;

  std::shared_ptr<const FindHits> m_hits;
  std::optional<std::size_t> m_currentHit;

  QFont m_font, m_headFont, m_headCodeFont;
  GlyphTable m_glyphs; ///< of m_font
  Geometry m_geometry;
};

} // namespace blobscope::ui
