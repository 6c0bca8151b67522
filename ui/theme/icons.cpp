#include "ui/theme/icons.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#ifdef BLOBSCOPE_SVG
#include <QSvgRenderer>
#endif

namespace blobscope::ui {
namespace {

/// The icons have one colour and transparency: the alpha channel is the shape, the theme provides the colour.
QPixmap tinted(const QString& name, const QColor& color, QSize pixels, qreal ratio) {
  const QString key =
      QStringLiteral("%1/%2/%3x%4/%5").arg(name, color.name()).arg(pixels.width()).arg(pixels.height()).arg(ratio);
  QPixmap pixmap;
  if (QPixmapCache::find(key, &pixmap)) return pixmap;
  pixmap = QPixmap(pixels);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  drawIcon(painter, name, QRectF(QPointF(), QSizeF(pixels)));
  painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
  painter.fillRect(pixmap.rect(), color);
  painter.end();
  pixmap.setDevicePixelRatio(ratio);
  QPixmapCache::insert(key, pixmap);
  return pixmap;
}

class ThemeIconEngine final : public QIconEngine {
public:
  ThemeIconEngine(QString name, Role role) : m_name(std::move(name)), m_role(role) {}
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const qreal ratio = painter->device()->devicePixelRatioF();
    painter->drawPixmap(rect, tinted(m_name, colorOf(mode), (QSizeF(rect.size()) * ratio).toSize(), ratio));
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override {
    return tinted(m_name, colorOf(mode), size, 1);
  }
  QIconEngine* clone() const override { return new ThemeIconEngine(*this); }

private:
  QColor colorOf(QIcon::Mode mode) const { return theme().color(mode == QIcon::Disabled ? Role::Faint : m_role); }
  QString m_name;
  Role m_role;
};

} // namespace

void drawIcon(QPainter& painter, const QString& name, const QRectF& rect) {
#ifdef BLOBSCOPE_SVG
  QSvgRenderer(QStringLiteral(":/icons/%1.svg").arg(name)).render(&painter, rect);
#else
  const QImage whole(QStringLiteral(":/icons/%1.png").arg(name));
  // The painter shrinks by interpolating between four neighbours, which loses thin lines; scaled() averages all pixels.
  const QSizeF pixels = painter.deviceTransform().mapRect(rect).size();
  painter.drawImage(rect, whole.scaled(pixels.toSize(), Qt::KeepAspectRatio, Qt::SmoothTransformation));
#endif
}

QIcon programIcon() {
  QIcon out;
  for (const int size : {16, 24, 32, 48, 64, 128, 256}) {
    QPixmap pixmap(size, size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    drawIcon(painter, size == 16 ? QStringLiteral("blobscope-16") : QStringLiteral("blobscope"), pixmap.rect());
    painter.end();
    out.addPixmap(pixmap);
  }
  return out;
}

QIcon icon(const QString& name, Role role) { return QIcon(new ThemeIconEngine(name, role)); }

QPixmap iconPixmap(const QString& name, Role role, int size, qreal devicePixelRatio) {
  const int pixels = qRound(size * devicePixelRatio);
  return tinted(name, theme().color(role), QSize(pixels, pixels), devicePixelRatio);
}

} // namespace blobscope::ui
