#include "ui/widgets/wrapped_text.h"

#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/widgets/tool_button.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPainter>
#include <QTextLayout>
#include <QToolButton>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kCodeStart = 12, kCodeTop = 5, kCopyButton = 24, kCodeEnd = kCopyButton + 12;
constexpr int kMostLines = 12;

int codeLineHeight() { return std::max(metrics::kTextLine, QFontMetrics(textFont(TextRole::Code)).height() + 2); }

} // namespace

QStringList wrappedLines(const QString& text, const QFont& font, int width, int limit) {
  QStringList lines;
  for (const QString& stored : text.split(QLatin1Char('\n'))) {
    QTextLayout layout(stored, font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
      if (lines.size() == limit) { // no room for the rest
        lines.last() += QStringLiteral(" …");
        return lines;
      }
      line.setLineWidth(std::max(width, 1));
      lines << stored.mid(line.textStart(), line.textLength());
    }
    layout.endLayout();
    if (stored.isEmpty() && lines.size() < limit) lines << QString();
  }
  return lines;
}

CodeBox::CodeBox(const QString& text, QString whole, Role background, Role bar, QWidget* parent)
    : QWidget(parent), m_text(plainLines(text)), m_background(background), m_bar(bar),
      m_copy(toolButton(QStringLiteral("copy"), tr("Copy this text"), this,
                        [whole = std::move(whole)] { QGuiApplication::clipboard()->setText(whole); })) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setAccessibleName(plainLines(m_text));
}

QStringList CodeBox::linesAt(int width) const {
  return wrappedLines(m_text, textFont(TextRole::Code), width - kCodeStart - kCodeEnd, kMostLines);
}

int CodeBox::heightForWidth(int width) const {
  return std::max(static_cast<int>(linesAt(width).size()) * codeLineHeight() + 2 * kCodeTop, kCopyButton + 4);
}

void CodeBox::resizeEvent(QResizeEvent*) {
  m_copy->setGeometry(placed(*this, QRect(width() - kCopyButton - 4, 2, kCopyButton, kCopyButton)));
}

void CodeBox::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().color(m_background));
  painter.fillRect(placed(*this, QRect(0, 0, 2, height())), theme().color(m_bar));
  painter.setFont(textFont(TextRole::Code));
  painter.setPen(theme().color(Role::Text));
  int y = kCodeTop;
  for (const QString& line : linesAt(width())) {
    const QRect place = placed(*this, QRect(kCodeStart, y, width() - kCodeStart - kCodeEnd, codeLineHeight()));
    painter.drawText(place, nameFlags(painter, Qt::AlignLeft | Qt::AlignVCenter), line);
    y += codeLineHeight();
  }
}

} // namespace blobscope::ui
