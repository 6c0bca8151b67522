#include "ui/theme/content_text.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QFontInfo>
#include <QFontMetrics>
#include <QHeaderView>
#include <QPointer>
#include <QTableView>
#include <QWheelEvent>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

constexpr std::array kZooms = {50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300};

ContentText& current() {
  static ContentText value;
  return value;
}

QFont scaled(QFont font, double factor) {
  if (factor == 1) return font;
  if (font.pixelSize() > 0)
    font.setPixelSize(std::max(1, qRound(font.pixelSize() * factor)));
  else
    font.setPointSizeF(std::max(1.0, font.pointSizeF() * factor));
  return font;
}

/// Of the text of the pages to that of the system font.
double contentScale() {
  const ContentText& text = contentText();
  const double size = text.points > 0 ? text.points / QFontInfo(QApplication::font()).pointSizeF() : 1;
  return size * text.zoom / 100;
}

/// Gives the font of the pages to a view.
class ContentFollower : public QObject {
public:
  explicit ContentFollower(QAbstractItemView& view) : QObject(&view), m_view(view), m_viewport(view.viewport()) {
    view.installEventFilter(this);
    m_viewport->installEventFilter(this);
    update();
  }

protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == &m_view && event->type() == contentTextEvent()) update();
    if (watched == m_viewport && event->type() == QEvent::Wheel &&
        static_cast<QWheelEvent*>(event)->modifiers().testFlag(Qt::ControlModifier)) {
      event->ignore();
      return true;
    }
    return false;
  }

private:
  void update() {
    const QFont font = contentFont(TextRole::Body);
    // First the rows: pages set the height of single rows when the font changes.
    if (auto* const table = qobject_cast<QTableView*>(&m_view))
      table->verticalHeader()->setDefaultSectionSize(rowHeightFor(font));
    m_view.setFont(font);
  }

  QAbstractItemView& m_view;
  QWidget* const m_viewport; ///< compared only: its last events come while the view is destroyed
};

} // namespace

const ContentText& contentText() { return current(); }

void setContentText(const ContentText& next) {
  ContentText limited = next;
  if (limited.points != 0)
    limited.points = std::clamp(limited.points, ContentText::kMinimumPoints, ContentText::kMaximumPoints);
  limited.zoom = std::clamp(limited.zoom, ContentText::kMinimumZoom, ContentText::kMaximumZoom);
  if (limited == current()) return;
  current() = limited;
  QVector<QPointer<QWidget>> widgets;
  for (QWidget* const widget : QApplication::allWidgets()) widgets.append(widget);
  for (const QPointer<QWidget>& widget : widgets) {
    if (!widget) continue;
    QEvent changed(contentTextEvent());
    QCoreApplication::sendEvent(widget, &changed);
  }
}

int nextZoom(int zoom, bool larger) {
  if (larger) {
    const auto* const next = std::upper_bound(kZooms.begin(), kZooms.end(), zoom);
    return next == kZooms.end() ? kZooms.back() : *next;
  }
  const auto* const at = std::lower_bound(kZooms.begin(), kZooms.end(), zoom);
  return at == kZooms.begin() ? kZooms.front() : *(at - 1);
}

QFont contentFont(TextRole role) { return scaled(textFont(role), contentScale()); }

QFont codeFontBeside(const QFont& text) {
  if (text == QApplication::font()) return textFont(TextRole::Code);
  const double size = QFontInfo(text).pointSizeF() / QFontInfo(QApplication::font()).pointSizeF();
  return scaled(textFont(TextRole::Code), size);
}

int rowHeightFor(const QFont& font) { return std::max(24, QFontMetrics(font).height() + 6); }

QEvent::Type contentTextEvent() {
  static const auto kType = static_cast<QEvent::Type>(QEvent::registerEventType());
  return kType;
}

void followContentText(QAbstractItemView& view) { new ContentFollower(view); }

} // namespace blobscope::ui
