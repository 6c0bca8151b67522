#include "ui/widgets/glyph_batch.h"

#include <QGlyphRun>
#include <QPainter>

#include <algorithm>

namespace blobscope::ui {

void GlyphTable::setFont(const QFont& font) {
  m_font = QRawFont::fromFont(font);
  QString characters;
  for (int c = 0; c < 256; ++c) characters += QLatin1Char(c < 0x20 ? ' ' : static_cast<char>(c));
  const QList<quint32> glyphs = m_font.glyphIndexesForString(characters);
  m_glyphs = {};
  std::copy_n(glyphs.begin(), std::min<qsizetype>(glyphs.size(), 256), m_glyphs.begin());
}

void GlyphBatch::draw(QPainter& painter, double baseline) {
  for (auto& [role, glyphs] : m_glyphs) {
    if (glyphs.indexes.isEmpty()) continue;
    QGlyphRun run;
    run.setRawFont(m_table.font());
    run.setGlyphIndexes(glyphs.indexes);
    run.setPositions(glyphs.places);
    painter.setPen(theme().color(role));
    painter.drawGlyphRun(QPointF(0, baseline), run);
    glyphs = {};
  }
}

} // namespace blobscope::ui
