#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/base/field_tree.h"
#include "ui/theme/theme.h"
#include "ui/widgets/find/find_target.h"
#include "ui/widgets/glyph_batch.h"
#include "ui/widgets/hex/field_segments.h"
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
    CArray      ///< a C definition
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
    double byteX(int column) const { return bytes + column * step + (column >= 8 ? kGroupGap : 0); }
    double textX(int column) const { return text + column * cell; }
  };
  static constexpr double kGroupGap = 7;
  static constexpr int kColumns = 16, kHeader = 26, kTop = 30, kLeft = 12;

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

  Bytes m_bytes;
  uint64_t m_base = 0; ///< file offset of the first byte
  uint64_t m_lead = 0; ///< columns of the first row before the first byte
  std::shared_ptr<const FieldTree> m_fields;
  std::vector<Owner> m_owners;
  std::shared_ptr<const FieldSegments> m_segments;
  QFutureWatcher<std::shared_ptr<const FieldSegments>> m_building;
  std::optional<Extent> m_damage;

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
