#pragma once

#include "ui/theme/theme.h"

#include <QList>
#include <QPointF>
#include <QRawFont>

#include <array>
#include <map>

class QPainter;

namespace blobscope::ui {

/// The Latin-1 glyphs of a font, looked up once.
class GlyphTable {
public:
  void setFont(const QFont& font);
  const QRawFont& font() const { return m_font; }
  quint32 glyph(uint8_t character) const { return m_glyphs[character]; }

private:
  QRawFont m_font;
  std::array<quint32, 256> m_glyphs = {};
};

/// The characters of a row, each at its own position, drawn colour by colour. Drawing a text per character or word
/// would take four fifths of the painting time, and words would drift from their columns where advances are rounded.
class GlyphBatch {
public:
  explicit GlyphBatch(const GlyphTable& table) : m_table(table) {}
  void add(Role role, uint8_t character, double x) {
    Glyphs& glyphs = m_glyphs[role];
    glyphs.indexes.push_back(m_table.glyph(character));
    glyphs.places.push_back({x, 0});
  }
  /// Draws what was added and clears the batch.
  void draw(QPainter& painter, double baseline);

private:
  struct Glyphs {
    QList<quint32> indexes;
    QList<QPointF> places;
  };
  const GlyphTable& m_table;
  std::map<Role, Glyphs> m_glyphs;
};

} // namespace blobscope::ui
