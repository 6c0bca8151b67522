#include "ui/widgets/charts/target_line.h"

#include "ui/text/plain_text.h"
#include "ui/text/state_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/theme.h"
#include "ui/widgets/wrapped_text.h"

#include <QPainter>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kLineSide = 12, kLineTop = 6;
constexpr int kWordLines = 2, kMessageLines = 4;

QFont lineLabelFont() {
  QFont font = textFont(TextRole::Secondary);
  font.setWeight(QFont::DemiBold);
  return font;
}
int wordHeight() { return std::max(18, QFontMetrics(lineLabelFont()).height() + 2); }
int codeHeight() { return std::max(17, QFontMetrics(textFont(TextRole::Code)).height() + 2); }
/// The label before the sentence; empty when the sentence begins with the same name.
QString labelBefore(const QString& label, const QString& sentence) {
  return sentence.startsWith(label) || sentence.startsWith(QLatin1Char('v') + label) ? QString() : label;
}
int lineLabelWidth(const QString& label) {
  return label.isEmpty() ? 0 : QFontMetrics(lineLabelFont()).horizontalAdvance(label) + 8;
}

QString cellSentence(const view::ChecklistPage::Cell& cell) {
  return cell.sentence.empty() ? stateText(cell.state, cell.step) : toQt(cell.sentence);
}

} // namespace

TargetLine::TargetLine(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void TargetLine::setCells(std::vector<Cell> cells) {
  m_cells = std::move(cells);
  m_cell = -1;
  updateGeometry();
  update();
}

void TargetLine::setCurrent(const QString& label, int cell) {
  m_label = label;
  m_cell = cell < static_cast<int>(m_cells.size()) ? cell : -1;
  setAccessibleName(plainLines(text()));
  update();
}

QString TargetLine::text() const {
  if (m_cell < 0) return {};
  const Cell& cell = m_cells[static_cast<std::size_t>(m_cell)];
  const QString label = labelBefore(m_label, cellSentence(cell));
  QString text = label.isEmpty() ? cellSentence(cell) : tr("%1: %2").arg(label, cellSentence(cell));
  if (!cell.message.empty()) text += QLatin1Char('\n') + linesToQt(cell.message);
  return text;
}

TargetLine::Lines TargetLine::linesOf(const QString& label, const Cell& cell, int width) const {
  const int room = std::max(width - 2 * kLineSide, 50);
  Lines lines;
  lines.words = wrappedLines(cellSentence(cell), textFont(TextRole::Secondary),
                             std::max(room - lineLabelWidth(labelBefore(label, cellSentence(cell))), 50), kWordLines);
  if (!cell.message.empty())
    lines.message = wrappedLines(linesToQt(cell.message), textFont(TextRole::Code), room, kMessageLines);
  return lines;
}

int TargetLine::heightForWidth(int width) const {
  int most = 0;
  for (const Cell& cell : m_cells) {
    // A box of several targets has a longer label.
    const Lines lines = linesOf(toQt(cell.label + " – " + cell.label), cell, width);
    most = std::max(most, static_cast<int>(lines.words.size()) * wordHeight() +
                              static_cast<int>(lines.message.size()) * codeHeight());
  }
  return most == 0 ? 0 : most + 2 * kLineTop;
}

void TargetLine::paintEvent(QPaintEvent*) {
  if (m_cell < 0) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().color(Role::Alternate));
  painter.drawRoundedRect(QRectF(rect()), 4, 4);
  const Lines lines = linesOf(m_label, m_cells[static_cast<std::size_t>(m_cell)], width());
  const QString label = labelBefore(m_label, cellSentence(m_cells[static_cast<std::size_t>(m_cell)]));
  const int start = kLineSide + lineLabelWidth(label), room = width() - 2 * kLineSide;
  painter.setFont(lineLabelFont());
  painter.setPen(theme().color(Role::Text));
  painter.drawText(placed(*this, QRect(kLineSide, kLineTop, lineLabelWidth(label), wordHeight())),
                   nameFlags(painter, Qt::AlignLeft | Qt::AlignVCenter), label);
  painter.setFont(textFont(TextRole::Secondary));
  painter.setPen(theme().color(Role::Secondary));
  int y = kLineTop;
  const auto paint = [&](const QStringList& words, int x, int height) {
    for (const QString& line : words) {
      const QRect place = placed(*this, QRect(x, y, kLineSide + room - x, height));
      painter.drawText(place, nameFlags(painter, Qt::AlignLeft | Qt::AlignVCenter), line);
      y += height;
    }
  };
  paint(lines.words, start, wordHeight());
  painter.setFont(textFont(TextRole::Code));
  painter.setPen(theme().color(Role::Text));
  paint(lines.message, kLineSide, codeHeight());
}

} // namespace blobscope::ui
