#include "ui/text/severity_text.h"
#include "ui/theme/theme.h"

#include "core/base/diagnostic.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/contents_model.h"
#include "ui/pages/kind_look.h"
#include "ui/theme/icons.h"

#include <QDirIterator>
#include <QFile>
#include <QPainter>
#include <QPixmapCache>
#include <QRegularExpression>
#include <QSet>
#include <QSvgRenderer>

#include <cmath>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using library::RowKind;

namespace {

/// The requirements of WCAG 2 for text and for lines, icons and the borders of controls.
constexpr double kText = 4.5, kShape = 3.0;

/// WCAG 2.2, relative luminance of sRGB colours.
double luminance(const QColor& color) {
  const auto linear = [](double part) {
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}
double contrast(const QColor& a, const QColor& b) {
  const double first = luminance(a), second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

/// Mixes `share` of a colour over another one.
QColor blended(const QColor& over, const QColor& under, double share) {
  const auto part = [&](double a, double b) { return static_cast<float>(a * share + b * (1 - share)); };
  return QColor::fromRgbF(part(over.redF(), under.redF()), part(over.greenF(), under.greenF()),
                          part(over.blueF(), under.blueF()));
}

using Roles = std::vector<Role>;
const Roles kSurfaces = {Role::Window, Role::Base, Role::Alternate, Role::Header, Role::Hover};
const Roles kSeverities = {Role::Error, Role::Warning, Role::Note, Role::Ok};
const Roles kSigns = {Role::Added, Role::Removed, Role::Changed, Role::Moved};
const Roles kLines = {Role::AddedLine, Role::RemovedLine, Role::ChangedLine, Role::MovedLine};
const Roles kWords = {Role::AddedWord, Role::RemovedWord, Role::ChangedWord, Role::MovedWord};
const Roles kKinds = {Role::KindContainer, Role::KindHost, Role::KindDevice,
                      Role::KindVm,        Role::KindData, Role::KindUnknown};
const Roles kCode = {Role::CodeKeyword, Role::CodeType,     Role::CodeNumber, Role::CodeString,
                     Role::CodeComment, Role::CodeRegister, Role::CodeLabel};
const Roles kFields = {Role::FieldLength, Role::FieldText,     Role::FieldTypeKey, Role::FieldNumber,
                       Role::FieldOffset, Role::FieldTypeCode, Role::FieldPadding, Role::FieldPayload};

QStringList iconFiles() {
  return QDir(QStringLiteral(":/icons")).entryList({QStringLiteral("*.svg")}, QDir::Files, QDir::Name);
}

bool hasIcon(const QString& name) {
  QSvgRenderer renderer(QStringLiteral(":/icons/%1.svg").arg(name));
  return renderer.isValid();
}

/// Says why a picture is not a shape in exactly one colour, empty when it is.
QString whyNotInColor(const QImage& image, const QColor& color) {
  int solid = 0, clear = 0;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const QColor pixel = image.pixelColor(x, y);
      if (pixel.alpha() == 0) {
        ++clear;
        continue;
      }
      // Smoothed edges are stored multiplied by their alpha, which rounds the colour of faint ones.
      const int tolerance = 1 + 255 / pixel.alpha();
      if (std::abs(pixel.red() - color.red()) > tolerance || std::abs(pixel.green() - color.green()) > tolerance ||
          std::abs(pixel.blue() - color.blue()) > tolerance)
        return QStringLiteral("%1 at %2, %3, not %4").arg(pixel.name(QColor::HexArgb)).arg(x).arg(y).arg(color.name());
      if (pixel.alpha() > 200) ++solid;
    }
  if (solid < 4) return QStringLiteral("nothing is drawn");
  if (clear < 4) return QStringLiteral("everything is drawn");
  return {};
}

QImage argb(const QPixmap& pixmap) { return pixmap.toImage().convertToFormat(QImage::Format_ARGB32); }

} // namespace

/// Colours that can be distinguished, and icons that exist.
class TestTheme : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void cleanup();
  void contrastEqualsKnownValues();
  void everyRoleHasAColor_data();
  void everyRoleHasAColor();
  void colorsHaveEnoughContrast_data();
  void colorsHaveEnoughContrast();
  void fieldTintsKeepTextReadable_data();
  void fieldTintsKeepTextReadable();
  void paletteHasTheSameContrasts_data();
  void paletteHasTheSameContrasts();
  void setThemeChangesTheApplication();
  void everyKindHasAnIcon();
  void namedIconsExist();
  void everyIconIsInTheProgram();
  void iconsHaveTheColorOfTheirRole_data();
  void iconsHaveTheColorOfTheirRole();
  void iconFollowsTheTheme();
  void disabledIconIsFaint();
  void unknownIconIsEmpty();
  void programIconHasEverySize();

private:
  Application m_application;
};

void TestTheme::cleanup() { setTheme(Theme::light()); }

/// The contrast function itself, with examples of the standard.
void TestTheme::contrastEqualsKnownValues() {
  const QColor black(0, 0, 0), white(255, 255, 255), grey(0x77, 0x77, 0x77), red(255, 0, 0);
  QCOMPARE(contrast(black, white), 21.0);
  QCOMPARE(contrast(white, white), 1.0);
  QVERIFY(std::abs(contrast(grey, white) - 4.48) < 0.005);
  QVERIFY(std::abs(contrast(white, red) - 4.00) < 0.005);
  QCOMPARE(blended(black, white, 0.25).red(), 191);
}

void TestTheme::everyRoleHasAColor_data() {
  QTest::addColumn<bool>("dark");
  QTest::newRow("light") << false;
  QTest::newRow("dark") << true;
}

void TestTheme::everyRoleHasAColor() {
  QFETCH(bool, dark);
  const Theme look = dark ? Theme::dark() : Theme::light();
  QCOMPARE(look.isDark(), dark);
  for (int role = 0; role < static_cast<int>(Role::Count); ++role) {
    const QColor color = look.color(static_cast<Role>(role));
    QVERIFY2(color.isValid() && color.alpha() == 255, qPrintable(QString::number(role)));
  }
  QVERIFY((luminance(look.color(Role::Base)) < 0.5) == dark);
}

void TestTheme::colorsHaveEnoughContrast_data() {
  QTest::addColumn<bool>("dark");
  QTest::addColumn<QVector<int>>("colors");
  QTest::addColumn<QVector<int>>("surfaces");
  QTest::addColumn<double>("least");
  const auto row = [](const char* name, const Roles& colors, const Roles& surfaces, double least) {
    const auto numbers = [](const Roles& roles) {
      QVector<int> out;
      for (const Role role : roles) out << static_cast<int>(role);
      return out;
    };
    for (const bool dark : {false, true})
      QTest::addRow("%s, %s", name, dark ? "dark" : "light") << dark << numbers(colors) << numbers(surfaces) << least;
  };
  Roles behindControls = kSurfaces;
  behindControls.push_back(Role::Raised);
  row("text", {Role::Text}, behindControls, kText);
  row("secondary", {Role::Secondary}, behindControls, kText);
  row("faint", {Role::Faint}, kSurfaces, kText);
  row("accent", {Role::Accent}, kSurfaces, kText);
  row("severities", kSeverities, kSurfaces, kText);
  row("diff signs", kSigns, kSurfaces, kText);
  row("on the selection", {Role::Text, Role::Secondary, Role::Accent}, {Role::Selection}, kText);
  row("on the selection without focus", {Role::Text, Role::Secondary, Role::Accent}, {Role::InactiveSelection}, kText);
  row("text on own backgrounds", {Role::Text},
      {Role::ErrorBackground, Role::WarningBackground, Role::NoteBackground, Role::OkBackground}, kText);
  row("error on its own", {Role::Error}, {Role::ErrorBackground}, kText);
  row("warning on its own", {Role::Warning}, {Role::WarningBackground}, kText);
  row("note on its own", {Role::Note}, {Role::NoteBackground}, kText);
  row("ok on its own", {Role::Ok}, {Role::OkBackground}, kText);
  for (std::size_t i = 0; i < kSigns.size(); ++i) {
    constexpr std::array kNames = {"added on its own", "removed on its own", "changed on its own", "moved on its own"};
    row(kNames[i], {kSigns[i]}, {kLines[i]}, kText);
  }
  row("code", kCode, {Role::Base, Role::Hover}, kText);
  row("code on diff lines", kCode, kLines, kText);
  row("text on diff lines", {Role::Text}, kLines, kText);
  row("text on word marks", {Role::Text}, kWords, kText);
  row("text on finds", {Role::Text}, {Role::Found, Role::FoundCurrent}, kText);
  row("text on accent", {Role::OnAccent}, {Role::Accent}, kText);
  row("control border", {Role::ControlBorder}, kSurfaces, kShape);
  row("focus ring", {Role::Accent}, behindControls, kShape);
  row("field lines", kFields, {Role::Base}, kShape);
  row("kind icons", kKinds, kSurfaces, kShape);
  row("icons on the selection", kKinds, {Role::Selection, Role::InactiveSelection}, kShape);
  row("severities on the selection", kSeverities, {Role::Selection, Role::InactiveSelection}, kShape);
}

void TestTheme::colorsHaveEnoughContrast() {
  QFETCH(bool, dark);
  QFETCH(QVector<int>, colors);
  QFETCH(QVector<int>, surfaces);
  QFETCH(double, least);
  const Theme look = dark ? Theme::dark() : Theme::light();
  double worst = 21;
  QString where;
  for (const int color : colors)
    for (const int surface : surfaces) {
      const QColor over = look.color(static_cast<Role>(color)), under = look.color(static_cast<Role>(surface));
      if (const double found = contrast(over, under); found < worst) {
        worst = found;
        where = QStringLiteral("%1 on %2 has %3 of %4").arg(over.name(), under.name()).arg(found).arg(least);
      }
    }
  QVERIFY2(worst >= least, qPrintable(where));
}

/// Bytes of a field: text on the tint, and a line in the colour of the field below it.
void TestTheme::fieldTintsKeepTextReadable_data() { everyRoleHasAColor_data(); }

void TestTheme::fieldTintsKeepTextReadable() {
  QFETCH(bool, dark);
  const Theme look = dark ? Theme::dark() : Theme::light();
  QVERIFY(look.fieldTint(true) > look.fieldTint(false));
  for (const Role field : kFields)
    for (const bool selected : {false, true}) {
      const QColor color = look.color(field);
      const QColor tint = blended(color, look.color(Role::Base), look.fieldTint(selected));
      const double text = contrast(look.color(Role::Text), tint);
      QVERIFY2(text >= kText,
               qPrintable(QStringLiteral("text on %1 of %2: %3").arg(tint.name(), color.name()).arg(text)));
    }
}

void TestTheme::paletteHasTheSameContrasts_data() { everyRoleHasAColor_data(); }

/// The palette of Qt's own widgets has the same contrasts.
void TestTheme::paletteHasTheSameContrasts() {
  QFETCH(bool, dark);
  const Theme look = dark ? Theme::dark() : Theme::light();
  const QPalette palette = look.palette();
  for (const auto group : {QPalette::Active, QPalette::Inactive}) {
    const auto ratio = [&](QPalette::ColorRole text, QPalette::ColorRole surface) {
      return contrast(palette.color(group, text), palette.color(group, surface));
    };
    QVERIFY(ratio(QPalette::WindowText, QPalette::Window) >= kText);
    QVERIFY(ratio(QPalette::Text, QPalette::Base) >= kText);
    QVERIFY(ratio(QPalette::Text, QPalette::AlternateBase) >= kText);
    QVERIFY(ratio(QPalette::ButtonText, QPalette::Button) >= kText);
    QVERIFY(ratio(QPalette::ToolTipText, QPalette::ToolTipBase) >= kText);
    QVERIFY(ratio(QPalette::PlaceholderText, QPalette::Base) >= kText);
    QVERIFY(ratio(QPalette::HighlightedText, QPalette::Highlight) >= kText);
    QVERIFY(ratio(QPalette::Link, QPalette::Base) >= kText);
    QVERIFY(ratio(QPalette::LinkVisited, QPalette::Base) >= kText);
    QVERIFY(ratio(QPalette::BrightText, QPalette::Base) >= kText);
  }
  QCOMPARE(palette.color(QPalette::Base), look.color(Role::Base));
  QCOMPARE(palette.color(QPalette::Disabled, QPalette::Text), look.color(Role::Faint));
}

void TestTheme::setThemeChangesTheApplication() {
  setTheme(Theme::dark());
  QVERIFY(theme().isDark());
  QCOMPARE(QApplication::palette().color(QPalette::Base), Theme::dark().color(Role::Base));
  setTheme(Theme::light());
  QVERIFY(!theme().isDark());
  QCOMPARE(QApplication::palette().color(QPalette::Base), Theme::light().color(Role::Base));
}

void TestTheme::everyKindHasAnIcon() {
  for (int kind = 0; kind <= static_cast<int>(RowKind::More); ++kind)
    for (const char* const key : {"", "cuda", "relax.Executable", "Vendor.Kind"}) {
      const KindLook look = kindLook(static_cast<RowKind>(kind), QString::fromLatin1(key));
      QVERIFY2(hasIcon(look.icon), qPrintable(look.icon));
    }
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note})
    QVERIFY2(hasIcon(severityIcon(severity)), qPrintable(severityIcon(severity)));
  QVERIFY(kindLook(RowKind::Module, QStringLiteral("cuda")).icon !=
          kindLook(RowKind::Module, QStringLiteral("x")).icon);
}

/// Icon names are plain text in the sources; a wrong one would draw nothing and give no error.
void TestTheme::namedIconsExist() {
  static const QRegularExpression kNamed(
      QStringLiteral(R"re("(kind-[a-z-]+)"|(?:[iI]con|iconPixmap|IconLabel|FileRow|step)\((?:QStringLiteral\(|QLati)re"
                     R"re(n1String\()?"([a-z0-9-]+)")re"));
  QSet<QString> names;
  QDirIterator sources(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/ui"), {QStringLiteral("*.cpp"), QStringLiteral("*.h")},
                       QDir::Files, QDirIterator::Subdirectories);
  while (sources.hasNext()) {
    QFile file(sources.next());
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll());
    for (auto found = kNamed.globalMatch(text); found.hasNext();) {
      const auto match = found.next();
      const QString name = match.captured(1) + match.captured(2);
      names << name;
      QVERIFY2(hasIcon(name), qPrintable(QStringLiteral("%1: '%2'").arg(file.fileName(), name)));
    }
  }
  QVERIFY2(names.size() > 15, qPrintable(QStringList(names.values()).join(QLatin1Char(' '))));
}

void TestTheme::everyIconIsInTheProgram() {
  const QStringList onDisk = QDir(QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/icons"))
                                 .entryList({QStringLiteral("*.svg")}, QDir::Files, QDir::Name);
  QVERIFY(!onDisk.isEmpty());
  QCOMPARE(iconFiles(), onDisk);
  for (const QString& file : onDisk) QVERIFY2(hasIcon(file.chopped(4)), qPrintable(file));
}

void TestTheme::iconsHaveTheColorOfTheirRole_data() {
  QTest::addColumn<bool>("dark");
  QTest::addColumn<double>("ratio");
  for (const bool dark : {false, true})
    for (const double ratio : {1.0, 1.5}) QTest::addRow("%s at %g", dark ? "dark" : "light", ratio) << dark << ratio;
}

void TestTheme::iconsHaveTheColorOfTheirRole() {
  QFETCH(bool, dark);
  QFETCH(double, ratio);
  setTheme(dark ? Theme::dark() : Theme::light());
  for (const QString& file : iconFiles()) {
    const QString name = file.chopped(4);
    if (name.startsWith(QLatin1String("blobscope"))) continue; // the icon of the program has its own colours
    for (const Role role : {Role::Secondary, Role::KindDevice, Role::Error}) {
      const QColor color = theme().color(role);
      const QPixmap pixmap = iconPixmap(name, role, 16, ratio);
      QCOMPARE(pixmap.size(), QSize(16, 16) * ratio);
      QCOMPARE(pixmap.devicePixelRatio(), ratio);
      QString why = whyNotInColor(argb(pixmap), color);
      QVERIFY2(why.isEmpty(), qPrintable(name + QStringLiteral(": ") + why));

      // The same through QIcon, as buttons and actions draw it.
      QImage image(QSize(16, 16) * ratio, QImage::Format_ARGB32_Premultiplied);
      image.setDevicePixelRatio(ratio);
      image.fill(Qt::transparent);
      QPainter painter(&image);
      icon(name, role).paint(&painter, QRect(0, 0, 16, 16));
      painter.end();
      why = whyNotInColor(image.convertToFormat(QImage::Format_ARGB32), color);
      QVERIFY2(why.isEmpty(), qPrintable(name + QStringLiteral(" as QIcon: ") + why));
      QCOMPARE(argb(icon(name, role).pixmap(QSize(16, 16), ratio)).size(), QSize(16, 16) * ratio);
    }
  }
}

void TestTheme::iconFollowsTheTheme() {
  const QIcon made = icon(QStringLiteral("find"), Role::Secondary);
  for (const Theme& look : {Theme::light(), Theme::dark(), Theme::light()}) {
    setTheme(look);
    QCOMPARE(whyNotInColor(argb(made.pixmap(QSize(16, 16), 1.0)), look.color(Role::Secondary)), QString());
  }
}

void TestTheme::disabledIconIsFaint() {
  const QIcon made = icon(QStringLiteral("error"), Role::Error);
  const auto drawnAs = [&](QIcon::Mode mode) { return argb(made.pixmap(QSize(16, 16), 1.0, mode)); };
  QCOMPARE(whyNotInColor(drawnAs(QIcon::Disabled), theme().color(Role::Faint)), QString());
  QCOMPARE(whyNotInColor(drawnAs(QIcon::Normal), theme().color(Role::Error)), QString());
}

void TestTheme::unknownIconIsEmpty() {
  for (int i = 0; i < 2; ++i)
    QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("annot open file '.*no-such-icon")));
  const QImage image = argb(iconPixmap(QStringLiteral("no-such-icon"), Role::Error, 16, 1));
  QCOMPARE(whyNotInColor(image, theme().color(Role::Error)), QStringLiteral("nothing is drawn"));
  QVERIFY(!hasIcon(QStringLiteral("no-such-icon")));
}

/// Docks, title bars and task lists need different sizes; the smallest is a drawing of its own.
void TestTheme::programIconHasEverySize() {
  const QIcon icon = programIcon();
  for (const int size : {16, 32, 48, 256}) {
    QVERIFY(icon.availableSizes().contains(QSize(size, size)));
    const QImage image = icon.pixmap(size).toImage();
    QCOMPARE(image.pixelColor(size / 2, 2 * size / 16).alpha(), 255);
    QCOMPARE(image.pixelColor(0, 0).alpha(), 0); // rounded corners
  }
}

BLOBSCOPE_TEST(TestTheme);
#include "test_theme.moc"
