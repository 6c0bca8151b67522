#pragma once

#include "ui/theme/theme.h"

#include <QList>
#include <QPointF>
#include <QRawFont>

#include <array>
#include <map>

class QPainter;

namespace blobscope::ui {

/// A font's glyphs for Latin-1, looked up once.
class GlyphTable {
public:
  void setFont(const QFont& font);
  const QRawFont& font() const { return m_font; }
  quint32 glyph(uint8_t character) const { return m_glyphs[character]; }

private:
  QRawFont m_font;
  std::array<quint32, 256> m_glyphs = {};
};

/// Characters of a row, each at a place of its own, drawn colour by colour. A text per character or word would be four
/// fifths of the time of painting, and words drift from their columns where advances are rounded.
class GlyphBatch {
public:
  explicit GlyphBatch(const GlyphTable& table) : m_table(table) {}
  void add(Role role, uint8_t character, double x) {
    Glyphs& glyphs = m_glyphs[role];
    glyphs.indexes.push_back(m_table.glyph(character));
    glyphs.places.push_back({x, 0});
  }
  /// Draws what was added, and begins anew.
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
