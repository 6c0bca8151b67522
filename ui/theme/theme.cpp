#include "ui/theme/theme.h"

#include "ui/theme/content_text.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QPointer>
#include <QStyleHints>
#include <QWidget>

#include <algorithm>

namespace blobscope::ui {
namespace {

using Colors = std::array<const char*, static_cast<std::size_t>(Role::Count)>;

// In the order of Role.
constexpr Colors kLight = {"#F1F3F5", "#FFFFFF", "#F7F8FA", "#FFFFFF", "#E8EBEE", "#D3D8DE", "#7F8892",            //
                           "#1A1F25", "#525C67", "#616B76", "#0A64A4", "#FFFFFF", "#CBE2F4", "#E1E6EB", "#EAF0F5", //
                           "#B3261E", "#FCE9E7", "#8A5300", "#FDF1DC", "#0A64A4", "#E6F1F9", "#1B7340", "#E4F3EA", //
                           "#1A6F3C", "#DDF3E4", "#A6E0B8", "#A82A22", "#FBE4E2", "#F4B5AF",                       //
                           "#7A5200", "#FFF3D6", "#F7D88B", "#6B42A6", "#EFE7FA", "#D3BEF2",                       //
                           "#FFE08A", "#FFB84D",                                                                   //
                           "#56606B", "#1D5FA8", "#13795B", "#6B42A6", "#8F5A00", "#616B76",                       //
                           "#7A2A9C", "#1D5FA8", "#8A4B00", "#1B7340", "#586471", "#0B6B78", "#A82A22",            //
                           "#0044CC", "#AD6E4E", "#004C00", "#733F8C", "#2B98AD", "#6B1B36", "#5B6470", "#8C8C0E"};
constexpr Colors kDark = {"#1D2125", "#16191C", "#1B1F23", "#252A2F", "#272C32", "#343B42", "#7C8690",            //
                          "#E3E7EB", "#A2ACB6", "#8D98A3", "#62B5EE", "#0B1B28", "#1A3D5A", "#2E353C", "#262C32", //
                          "#FF8A80", "#3B2022", "#F2B84B", "#382C17", "#7FC1F2", "#1A2E3E", "#6CCB8F", "#1B3325", //
                          "#6CCB8F", "#182E20", "#2B5F3D", "#FF8F86", "#382022", "#743A38",                       //
                          "#E9B949", "#332A16", "#665119", "#BFA0F0", "#2A2339", "#51427A",                       //
                          "#5C4A12", "#7D5606",                                                                   //
                          "#A2ACB6", "#7FB4EE", "#5CC8A4", "#BFA0F0", "#E0AE5A", "#8D98A3",                       //
                          "#CFA0EC", "#82B8F0", "#E5AC62", "#7FCB98", "#8D98A3", "#68C7D2", "#FF958C",            //
                          "#198CFF", "#E6AC39", "#0D800D", "#A64B97", "#19D9FF", "#E63973", "#A2ACB6", "#E6E600"};

Theme& current() {
  static Theme value = Theme::light();
  return value;
}

QString codeFamily() {
  // Ligatures would change `->` and `0x`; these families have none, or spell their plain variant.
  constexpr std::array kPreferred = {"Cascadia Mono", "JetBrains Mono NL", "SF Mono",
                                     "Consolas",      "Noto Sans Mono",    "DejaVu Sans Mono"};
  const QStringList families = QFontDatabase::families();
  if (const QString& chosen = contentText().family; families.contains(chosen)) return chosen;
  for (const char* family : kPreferred)
    if (families.contains(QLatin1String(family))) return QLatin1String(family);
  return QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
}

} // namespace

Theme::Theme(bool dark, const Colors& colors) : m_dark(dark) {
  std::transform(colors.begin(), colors.end(), m_colors.begin(),
                 [](const char* name) { return QColor(QLatin1String(name)); });
}

Theme Theme::light() { return Theme(false, kLight); }
Theme Theme::dark() { return Theme(true, kDark); }

QPalette Theme::palette() const {
  QPalette palette;
  const auto set = [&](QPalette::ColorRole to, Role from) { palette.setColor(to, color(from)); };
  set(QPalette::Window, Role::Window);
  set(QPalette::Base, Role::Base);
  set(QPalette::AlternateBase, Role::Alternate);
  set(QPalette::Button, Role::Raised);
  set(QPalette::ToolTipBase, Role::Raised);
  set(QPalette::Light, Role::Raised);
  set(QPalette::Midlight, Role::Header);
  set(QPalette::Mid, Role::Rule);
  set(QPalette::Dark, Role::ControlBorder);
  set(QPalette::Shadow, Role::ControlBorder);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText})
    set(role, Role::Text);
  set(QPalette::PlaceholderText, Role::Faint);
  set(QPalette::Link, Role::Accent);
  set(QPalette::LinkVisited, Role::Moved);
  set(QPalette::BrightText, Role::Error);
  set(QPalette::Highlight, Role::Selection);
  set(QPalette::HighlightedText, Role::Text);
  palette.setColor(QPalette::Inactive, QPalette::Highlight, color(Role::InactiveSelection));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, color(Role::Faint));
  return palette;
}

const Theme& theme() { return current(); }

void setTheme(const Theme& next) {
  current() = next;
  QApplication::setPalette(next.palette());
  // Qt posts the change; it is sent now, so that no repaint mixes both palettes.
  QCoreApplication::sendPostedEvents(qApp, QEvent::ApplicationPaletteChange);
  // A widget with its own palette gets no palette change from its parent, so all widgets are notified, not only
  // windows. Source: Qt 6.4, QApplicationPrivate::handlePaletteChanged(), which notifies windows only.
  QVector<QPointer<QWidget>> widgets;
  for (QWidget* widget : QApplication::allWidgets()) widgets.append(widget);
  for (const QPointer<QWidget>& widget : widgets) {
    if (!widget) continue;
    QEvent changed(QEvent::ApplicationPaletteChange);
    if (!widget->isWindow()) QCoreApplication::sendEvent(widget, &changed);
    widget->update();
  }
}

bool systemIsDark() {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
  if (const Qt::ColorScheme scheme = QGuiApplication::styleHints()->colorScheme(); scheme != Qt::ColorScheme::Unknown)
    return scheme == Qt::ColorScheme::Dark;
#endif
  // Without an application palette, Qt returns that of the system.
  const QPalette ours = QApplication::palette();
  QApplication::setPalette(QPalette());
  const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
  QApplication::setPalette(ours);
  return dark;
}

QFont textFont(TextRole role) {
  QFont font = QApplication::font();
  const auto scale = [&](double factor) {
    if (font.pixelSize() > 0)
      font.setPixelSize(qRound(font.pixelSize() * factor));
    else
      font.setPointSizeF(font.pointSizeF() * factor);
  };
  switch (role) {
  case TextRole::FileName:
    scale(1.4);
    font.setWeight(QFont::DemiBold);
    break;
  case TextRole::Heading:
    scale(1.08);
    font.setWeight(QFont::DemiBold);
    break;
  case TextRole::Body: break;
  case TextRole::Secondary: scale(0.92); break;
  case TextRole::Chip:
    scale(0.85);
    font.setWeight(QFont::Medium);
    break;
  case TextRole::Code:
    scale(0.92);
    font.setFamilies({codeFamily()});
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    break;
  }
  return font;
}

int metrics::rowHeight() { return std::max(24, QFontMetrics(QApplication::font()).height() + 6); }

} // namespace blobscope::ui
