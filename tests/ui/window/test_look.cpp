#include "core/view/page_id.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/page_widget.h"
#include "ui/window/dialogs/command_palette.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/problems_panel.h"
#include "ui/window/panels/search_panel.h"
#include "ui/window/panels/side_edge.h"
#include "ui/window/start_page.h"
#include "ui/window/theme_choice.h"
#include "ui/window/window_place.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QScreen>
#include <QScrollArea>
#include <QSet>
#include <QStatusBar>
#include <QTimer>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Its class and those of its parents, outermost last.
QString described(const QWidget* widget) {
  QStringList path;
  for (; widget && path.size() < 4; widget = widget->parentWidget())
    path << QString::fromLatin1(widget->metaObject()->className()).section(QStringLiteral("::"), -1);
  return path.join(QStringLiteral(" in "));
}

/// Parts of Qt's widgets that a screen reader reads with their parent, and that the keyboard never reaches.
bool isPartOfAnother(const QWidget* widget) {
  const QByteArray name = widget->metaObject()->className();
  return name == "QLineEditIconButton" || name == "QHeaderView" || name == "QTableCornerButton";
}

bool isVisibleTo(const QWidget& window, const QWidget* widget) {
  return widget->isVisible() && widget->window() == &window;
}

} // namespace

/// How the window looks and reads: themes, sizes, and names for screen readers.
class TestWindowAppearance : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void themesChangeEveryColour();
  void themeIsKept();
  void switchedWindowLooksLikeANewOne();
  void themeFollowsTheSystem();
  void popupsHaveAVisibleEdge_data();
  void popupsHaveAVisibleEdge();
  void standardIconsAreOurs();
  void windowIsPlacedOnAScreen_data();
  void windowIsPlacedOnAScreen();
  void storedPlaceIsMovedOntoTheScreen_data();
  void storedPlaceIsMovedOntoTheScreen();
  void secondWindowIsOnTheScreen();
  void statusBarIsInTheWindow_data();
  void statusBarIsInTheWindow();
  void narrowWindowHidesDocks();
  void narrowWindowStartsWithoutDocks();
  void widePagesCloseDetails();
  void smallestWindowShowsEverything();
  void docksAreRestored();
  void largeFontIsUsable();
  void everyControlHasAName_data();
  void everyControlHasAName();

private:
  WindowApplication m_application;
};

void TestWindowAppearance::themesChangeEveryColour() {
  MainWindow window;
  QVERIFY(showActive(window, {1200, 800}));
  QVERIFY(drawn(window, 1) != drawn(window, 1.5));
  QVERIFY(open(window, sample("sample-damaged.so")));
  part<BottomPanel>(window).openPanel(&part<ProblemsPanel>(window));
  QVERIFY(go(window, "m2"));
  for (const QString& page : currentView(window)->pageNames()) {
    currentView(window)->showPage(page);
    for (int i = 0; i < 2; ++i) {
      const bool dark = theme().isDark();
      const QImage before = drawn(window, 1);
      action(window, ActionId::SwitchTheme)->trigger();
      QCOMPARE(theme().isDark(), !dark);
      QCoreApplication::processEvents();
      for (const qreal ratio : {1.0, 1.5}) {
        const QImage image = drawn(window, ratio);
        QCOMPARE(image.size(), (QSizeF(window.size()) * ratio).toSize());
        // Nothing is left undrawn, and light areas become dark.
        QCOMPARE(countPixels(image, Qt::magenta), 0);
        if (ratio != 1) continue;
        int same = 0;
        for (int y = 0; y < image.height(); y += 8)
          for (int x = 0; x < image.width(); x += 8) same += image.pixel(x, y) == before.pixel(x, y);
        const int all = (image.height() / 8) * (image.width() / 8);
        QVERIFY2(same < all / 20,
                 qPrintable(QStringLiteral("%1: %2 of %3 points keep their colour").arg(page).arg(same).arg(all)));
      }
    }
  }
}

void TestWindowAppearance::themeIsKept() {
  MainWindow window;
  action(window, ActionId::SwitchTheme)->trigger();
  QCOMPARE(QSettings().value(QStringLiteral("theme")).toString(), QStringLiteral("dark"));
  action(window, ActionId::SwitchTheme)->trigger();
  QCOMPARE(QSettings().value(QStringLiteral("theme")).toString(), QStringLiteral("light"));
}

/// After a switch, in both directions, the window looks like one made with the new colours.
void TestWindowAppearance::switchedWindowLooksLikeANewOne() {
  struct Shown {
    const char* ref;
    QString page;
    QImage light, dark;
  };
  std::vector<Shown> places = {{"", QStringLiteral("Overview"), {}, {}},    {"", QStringLiteral("Symbols"), {}, {}},
                               {"m2", QStringLiteral("Functions"), {}, {}}, {"m2", QStringLiteral("Source"), {}, {}},
                               {"m2", QStringLiteral("Fields"), {}, {}},    {"m2", QStringLiteral("Hex"), {}, {}},
                               {"m0", QStringLiteral("Overview"), {}, {}}};
  const auto settled = [](MainWindow& window, const Shown& place) {
    if (!go(window, place.ref, place.page) || !QTest::qWaitFor([&] { return pageOf<PageWidget>(window); }, kWaitMs))
      return QImage();
    return settledPicture(window, window.document().jobs(), kWaitMs);
  };
  const auto firstDifference = [](const QImage& a, const QImage& b) {
    for (int y = 0; y < a.height(); ++y)
      for (int x = 0; x < a.width(); ++x)
        if (a.pixel(x, y) != b.pixel(x, y)) return QStringLiteral("at %1, %2").arg(x).arg(y);
    return QString();
  };
  {
    MainWindow window;
    QVERIFY(showActive(window, {1300, 800}));
    QVERIFY(open(window, sample("sample-damaged.so")));
    for (Shown& place : places) {
      place.light = settled(window, place);
      QVERIFY(!place.light.isNull());
      chooseTheme(ThemeChoice::Dark);
      QCoreApplication::processEvents(); // Qt sends palettes by events, before the next painting
      place.dark = drawn(window, 1);
      chooseTheme(ThemeChoice::Light);
      QCoreApplication::processEvents();
      const QString wrong = firstDifference(place.light, drawn(window, 1));
      QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("%1 light %2").arg(place.page, wrong)));
    }
  }
  chooseTheme(ThemeChoice::Dark);
  MainWindow window;
  QVERIFY(showActive(window, {1300, 800}));
  QVERIFY(open(window, sample("sample-damaged.so")));
  for (const Shown& place : places) {
    const QString wrong = firstDifference(settled(window, place), place.dark);
    QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("%1 dark %2").arg(place.page, wrong)));
  }
}

void TestWindowAppearance::themeFollowsTheSystem() {
  MainWindow window;
  QCOMPARE(themeChoice(), ThemeChoice::System); // unless another theme was chosen
  QVERIFY(action(window, ActionId::FollowSystem)->isChecked());
  // The system's colours are light here; a theme that was set without a choice ends with the next message of the
  // system.
  setTheme(Theme::dark());
  QEvent changed(QEvent::ThemeChange);
  QCoreApplication::sendEvent(&window, &changed);
  QVERIFY(!theme().isDark());
  action(window, ActionId::SwitchTheme)->trigger();
  QVERIFY(theme().isDark());
  QVERIFY(!action(window, ActionId::FollowSystem)->isChecked());
  QCoreApplication::sendEvent(&window, &changed);
  QVERIFY(theme().isDark()); // the choice of the user stays
  action(window, ActionId::FollowSystem)->trigger();
  QVERIFY(!theme().isDark());
  QCOMPARE(themeChoice(), ThemeChoice::System);
  action(window, ActionId::FollowSystem)->trigger();
  QCOMPARE(themeChoice(), ThemeChoice::Light);
}

void TestWindowAppearance::popupsHaveAVisibleEdge_data() {
  QTest::addColumn<bool>("dark");
  QTest::newRow("light") << false;
  QTest::newRow("dark") << true;
}

/// Menus and the palette have an edge that differs from their surroundings and their content.
void TestWindowAppearance::popupsHaveAVisibleEdge() {
  QFETCH(bool, dark);
  chooseTheme(dark ? ThemeChoice::Dark : ThemeChoice::Light);
  MainWindow window;
  QVERIFY(showActive(window));
  const auto check = [](QWidget& popup) {
    const QImage image = drawn(popup, 1);
    const QColor edge = theme().color(Role::ControlBorder);
    for (const QPoint& point :
         {QPoint(0, 20), QPoint(20, 0), QPoint(image.width() - 1, 20), QPoint(20, image.height() - 1)})
      if (image.pixelColor(point) != edge) return false;
    return image.pixelColor(1, image.height() - 2) == theme().color(Role::Raised);
  };
  QMenu menu;
  menu.addAction(QStringLiteral("an action"));
  menu.popup({});
  QVERIFY(check(menu));
  menu.close();
  action(window, ActionId::Palette)->trigger();
  auto* const palette = window.findChild<CommandPalette*>();
  QVERIFY(palette);
  QVERIFY(check(*palette));
}

/// The toolkit's own icons have other colours and another style.
void TestWindowAppearance::standardIconsAreOurs() {
  MainWindow window;
  const QStyle& style = *QApplication::style();
  for (const auto which :
       {QStyle::SP_LineEditClearButton, QStyle::SP_MessageBoxWarning, QStyle::SP_MessageBoxCritical,
        QStyle::SP_MessageBoxInformation, QStyle::SP_MessageBoxQuestion, QStyle::SP_ToolBarHorizontalExtensionButton}) {
    const QImage image = style.standardIcon(which).pixmap(16).toImage();
    QVERIFY(!image.isNull());
    // One colour, of the theme.
    QSet<QRgb> colors;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x)
        if (qAlpha(image.pixel(x, y)) == 255) colors.insert(image.pixel(x, y));
    QVERIFY2(colors.size() <= 1, qPrintable(QStringLiteral("icon %1 has %2 colours").arg(which).arg(colors.size())));
  }
  QVERIFY(!style.styleHint(QStyle::SH_DialogButtonBox_ButtonsHaveIcons));
}

void TestWindowAppearance::windowIsPlacedOnAScreen_data() {
  QTest::addColumn<QRect>("wanted");
  QTest::addColumn<QVector<QRect>>("screens");
  QTest::addColumn<QRect>("placed");
  const QRect laptop(0, 0, 1366, 728), small(0, 24, 1024, 676), right(1366, 0, 1920, 1080);
  const auto row = [](const char* name, const QRect& wanted, const QVector<QRect>& screens, const QRect& placed) {
    QTest::newRow(name) << wanted << screens << placed;
  };
  row("fits", {100, 50, 800, 600}, {laptop}, {100, 50, 800, 600});
  row("larger than the screen", {0, 0, 1444, 936}, {laptop}, laptop);
  row("below a bar at the top", {0, 0, 1444, 936}, {small}, small);
  row("beyond the right", {1000, 300, 800, 600}, {laptop}, {566, 128, 800, 600});
  row("beyond the left", {-500, -300, 800, 600}, {laptop}, {0, 0, 800, 600});
  row("on a removed screen", {3000, 500, 1200, 700}, {laptop}, {166, 28, 1200, 700});
  row("mostly on the second", {1300, 100, 1200, 900}, {laptop, right}, {1366, 100, 1200, 900});
  row("no screen", {5, 6, 70, 80}, {}, {5, 6, 70, 80});
}

void TestWindowAppearance::windowIsPlacedOnAScreen() {
  QFETCH(QRect, wanted);
  QFETCH(QVector<QRect>, screens);
  QFETCH(QRect, placed);
  QCOMPARE(placeInside(wanted, screens), placed);
}

void TestWindowAppearance::storedPlaceIsMovedOntoTheScreen_data() {
  QTest::addColumn<QRect>("stored");
  QTest::newRow("far away") << QRect(5000, 4000, 700, 500);
  QTest::newRow("left of everything") << QRect(-3000, -10, 700, 500);
  QTest::newRow("too large") << QRect(0, 0, 4000, 3000);
  QTest::newRow("fits") << QRect(10, 40, 700, 500);
}

void TestWindowAppearance::storedPlaceIsMovedOntoTheScreen() {
  QFETCH(QRect, stored);
  {
    QMainWindow other;
    other.setGeometry(stored);
    QSettings().setValue(QStringLiteral("geometry"), other.saveGeometry());
  }
  MainWindow window;
  window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&window));
  const QRect available = window.screen()->availableGeometry();
  QTRY_VERIFY_WITH_TIMEOUT(available.contains(window.frameGeometry()), kWaitMs);
  // Again when the size of the frame is known.
  QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<QTimer*>(QStringLiteral("frame")), kWaitMs);
  QVERIFY(available.contains(window.frameGeometry()));
  if (available.contains(stored)) QCOMPARE(window.size(), stored.size());
}

void TestWindowAppearance::secondWindowIsOnTheScreen() {
  MainWindow window;
  window.show();
  QVERIFY(QTest::qWaitForWindowExposed(&window));
  const QRect available = window.screen()->availableGeometry();
  QVERIFY(available.contains(window.frameGeometry()));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  action(window, ActionId::ShowBottom)->trigger();
  part<BottomPanel>(window).openPanel(&part<ProblemsPanel>(window));
  window.navigate(*Ref::parse("m1")); // no untouched sample any more
  contentsTree(window).setFocus();
  QTest::keyClick(&contentsTree(window), Qt::Key_Down);
  window.openFile(sample("sample-cpu.so"));
  MainWindow* second = nullptr;
  QTRY_VERIFY_WITH_TIMEOUT(
      [&] {
        for (QWidget* widget : QApplication::topLevelWidgets())
          if (auto* const other = qobject_cast<MainWindow*>(widget); other && other != &window) second = other;
        return second != nullptr;
      }(),
      kWaitMs);
  QTRY_VERIFY_WITH_TIMEOUT(available.contains(second->frameGeometry()), kWaitMs);
  second->close();
}

void TestWindowAppearance::statusBarIsInTheWindow_data() {
  QTest::addColumn<QSize>("size");
  for (const QSize& size : {QSize(1366, 736), QSize(1024, 668), QSize(640, 420)})
    QTest::addRow("%d x %d", size.width(), size.height()) << size;
}

/// With everything open at the same time.
void TestWindowAppearance::statusBarIsInTheWindow() {
  QFETCH(QSize, size);
  MainWindow window;
  QVERIFY(showActive(window, size));
  QVERIFY(open(window, sample("sample-damaged.so")));
  action(window, ActionId::Check)->trigger();
  QTRY_VERIFY_WITH_TIMEOUT(window.banner().isVisible(), kWaitMs);
  part<BottomPanel>(window).openPanel(&part<ProblemsPanel>(window));
  for (const char* ref : {"", "m2", "m0"}) {
    QVERIFY(go(window, ref));
    for (int page = 0; page < currentView(window)->pageNames().size(); ++page) {
      currentView(window)->choosePage(page);
      action(window, ActionId::FindHere)->trigger();
      QCoreApplication::processEvents();
      QCOMPARE(window.size(), size);
      const QStatusBar& bar = *window.statusBar();
      QVERIFY2(window.rect().contains(bar.geometry()) && bar.height() == metrics::kStatusBar,
               qPrintable(currentView(window)->currentPage()));
      QVERIFY(!bar.geometry().intersects(part<BottomPanel>(window).parentWidget()->geometry()));
    }
  }
}

void TestWindowAppearance::narrowWindowHidesDocks() {
  MainWindow window;
  QVERIFY(showActive(window, {1400, 800}));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  const auto shown = [&] {
    return QStringLiteral("%1%2").arg(contentsTree(window).isVisible() ? QStringLiteral("contents ") : QString(),
                                      detailsOf(window).isVisible() ? QStringLiteral("details") : QString());
  };
  const auto resized = [&](int width) {
    window.resize(width, 800);
    return QTest::qWaitFor([&] { return window.width() == width; }, kWaitMs);
  };
  QCOMPARE(shown(), QStringLiteral("contents details"));
  QVERIFY(resized(1179));
  QCOMPARE(shown(), QStringLiteral("contents "));
  QVERIFY(resized(959));
  QCOMPARE(shown(), QString());
  QVERIFY(resized(960));
  QCOMPARE(shown(), QStringLiteral("contents "));
  QVERIFY(resized(1180));
  QCOMPARE(shown(), QStringLiteral("contents details"));
  // Docks opened by hand stay, and the page keeps its room.
  QVERIFY(resized(900));
  action(window, ActionId::ShowContents)->trigger();
  QVERIFY(contentsTree(window).isVisible());
  QVERIFY2(currentView(window)->width() > 300, qPrintable(QString::number(currentView(window)->width())));
  QVERIFY(resized(640));
  QCOMPARE(window.width(), 640);
}

void TestWindowAppearance::narrowWindowStartsWithoutDocks() {
  MainWindow window;
  QVERIFY(showActive(window, {900, 600}));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(!contentsTree(window).isVisible() && !detailsOf(window).isVisible());
  window.resize(1400, 800);
  QTRY_VERIFY_WITH_TIMEOUT(contentsTree(window).isVisible() && detailsOf(window).isVisible(), kWaitMs);
}

void TestWindowAppearance::widePagesCloseDetails() {
  {
    MainWindow window;
    QVERIFY(showActive(window, {1400, 800}));
    QVERIFY(open(window, sample("sample-cuda-a.so")));
    const auto& edge = part<SideEdge>(window);
    const auto choose = [&](const char* name) {
      currentView(window)->choosePage(
          static_cast<int>(currentView(window)->pageNames().indexOf(QString::fromLatin1(name))));
      return currentView(window)->currentPage() == QString::fromLatin1(name);
    };
    QVERIFY(detailsOf(window).isVisible() && !edge.isVisible());
    QVERIFY(choose(view::page_id::kKernels));
    QVERIFY(!detailsOf(window).isVisible() && edge.isVisible());
    QVERIFY2(edge.width() <= 30 && edge.mapTo(&window, QPoint(edge.width(), 0)).x() >= 1395,
             qPrintable(QStringLiteral("%1 at %2").arg(edge.width()).arg(edge.mapTo(&window, QPoint()).x())));
    QVERIFY(choose(view::page_id::kOverview));
    QVERIFY(detailsOf(window).isVisible() && !edge.isVisible());
    // What was closed for a page is not what the user closed.
    QVERIFY(choose(view::page_id::kKernels));
    QVERIFY(!detailsOf(window).isVisible());
    window.close();
  }
  MainWindow window;
  QVERIFY(showActive(window, {1400, 800}));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(detailsOf(window).isVisible());
  currentView(window)->showPage(QString::fromLatin1(view::page_id::kKernels));
  QVERIFY(!detailsOf(window).isVisible());
  QTest::mouseClick(&part<SideEdge>(window), Qt::LeftButton);
  QVERIFY(detailsOf(window).isVisible() && !part<SideEdge>(window).isVisible());
  currentView(window)->showPage(QString::fromLatin1(view::page_id::kOverview));
  currentView(window)->showPage(QString::fromLatin1(view::page_id::kKernels));
  QVERIFY(detailsOf(window).isVisible()); // the user opened it on such a page
}

void TestWindowAppearance::smallestWindowShowsEverything() {
  MainWindow window;
  QVERIFY(showActive(window, {640, 420}));
  QCOMPARE(window.size(), QSize(640, 420));
  QVERIFY(part<StartPage>(window).width() <= 640);
  drawn(window, 1.5);
  QVERIFY(open(window, sample("sample-damaged.so")));
  QCOMPARE(window.size(), QSize(640, 420));
  for (const char* ref : {"", "m2", "m0", "host:softmax", "blob"}) {
    QVERIFY(go(window, ref));
    for (int page = 0; page < currentView(window)->pageNames().size(); ++page) {
      currentView(window)->choosePage(page);
      QCoreApplication::processEvents();
      drawn(window, 1);
      QCOMPARE(window.size(), QSize(640, 420));
      // A page that takes long is made in the background.
      QTRY_VERIFY_WITH_TIMEOUT(currentView(window)->current(), kWaitMs);
      QVERIFY2(currentView(window)->current()->height() > 60, qPrintable(currentView(window)->currentPage()));
    }
  }
  QTest::keyClick(&window, Qt::Key_F8);
  QVERIFY(part<BottomPanel>(window).isOpen());
  QCoreApplication::processEvents();
  QCOMPARE(window.size(), QSize(640, 420));
}

void TestWindowAppearance::docksAreRestored() {
  {
    MainWindow window;
    QVERIFY(showActive(window, {1300, 700}));
    QVERIFY(open(window, sample("sample-cuda-a.so")));
    action(window, ActionId::ShowDetails)->trigger();
    QVERIFY(!detailsOf(window).isVisible());
    window.close();
  }
  {
    MainWindow window;
    QVERIFY(showActive(window, {1300, 700}));
    QVERIFY(open(window, sample("sample-cuda-a.so")));
    QVERIFY(contentsTree(window).isVisible());
    QVERIFY(!detailsOf(window).isVisible());
    // A dock hidden by a narrow window is not a choice of the user.
    action(window, ActionId::ShowDetails)->trigger();
    window.resize(700, 600);
    QTRY_VERIFY_WITH_TIMEOUT(!detailsOf(window).isVisible(), kWaitMs);
    window.close();
  }
  MainWindow window;
  window.show();
  QCOMPARE(window.size(), QSize(700, 600));
  window.resize(1300, 700);
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(contentsTree(window).isVisible());
  QVERIFY(!detailsOf(window).isVisible());
}

void TestWindowAppearance::largeFontIsUsable() {
  const QFont before = QApplication::font();
  {
    MainWindow window;
    QVERIFY(showActive(window, {1200, 800}));
    QVERIFY(open(window, sample("sample-cuda-a.so")));
    QFont large = before;
    large.setPixelSize(26);
    QApplication::setFont(large);
    for (const char* ref : {"", "m2"}) {
      QVERIFY(go(window, ref));
      for (int page = 0; page < currentView(window)->pageNames().size(); ++page) {
        currentView(window)->choosePage(page);
        QCoreApplication::processEvents();
        drawn(window, 1);
      }
    }
  }
  QApplication::setFont(before);
}

void TestWindowAppearance::everyControlHasAName_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<QString>("ref");
  QTest::newRow("start page") << "" << "";
  QTest::newRow("file") << sample("sample-damaged.so") << "";
  QTest::newRow("module") << sample("sample-cuda-a.so") << "m2";
  QTest::newRow("damaged module") << sample("sample-damaged.so") << "m2";
  QTest::newRow("kernel") << sample("sample-cuda-a.so") << "m2/kernel:mean_kernel";
  QTest::newRow("unknown module") << sample("sample-cuda-a.so") << "m0";
  QTest::newRow("blob") << sample("sample-cuda-a.so") << "blob";
  QTest::newRow("host function") << sample("sample-cuda-a.so") << "host:softmax";
  QTest::newRow("section") << sample("sample-cuda-a.so") << "section:.text";
}

/// Every control has a name for screen readers, on every page with all panels open.
void TestWindowAppearance::everyControlHasAName() {
  QFETCH(QString, file);
  QFETCH(QString, ref);
  MainWindow window;
  QVERIFY(showActive(window));
  QStringList nameless;
  const auto check = [&] {
    for (QWidget* widget : window.findChildren<QWidget*>()) {
      const bool used = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QLineEdit*>(widget) ||
                        qobject_cast<QAbstractItemView*>(widget) || (widget->focusPolicy() & Qt::TabFocus);
      if (!used || !isVisibleTo(window, widget) || widget->focusProxy() || isPartOfAnother(widget)) continue;
      QAccessibleInterface* const interface = QAccessible::queryAccessibleInterface(widget);
      const QString where = described(widget);
      if (!interface || interface->text(QAccessible::Name).trimmed().isEmpty())
        if (!nameless.contains(where)) nameless << where;
    }
  };
  if (file.isEmpty()) {
    check();
  } else {
    QVERIFY(open(window, file));
    part<BottomPanel>(window).openPanel(&part<SearchPanel>(window));
    QVERIFY(go(window, qPrintable(ref)));
    QTRY_VERIFY_WITH_TIMEOUT(!detailsOf(window).details().empty(), kWaitMs);
    for (int page = 0; page < currentView(window)->pageNames().size(); ++page) {
      currentView(window)->choosePage(page);
      QVERIFY(QTest::qWaitFor([&] { return currentView(window)->current() != nullptr; }, kWaitMs));
      action(window, ActionId::FindHere)->trigger();
      check();
    }
    part<BottomPanel>(window).openPanel(&part<ProblemsPanel>(window));
    check();
    action(window, ActionId::Palette)->trigger();
    for (auto* const edit : QApplication::activePopupWidget()->findChildren<QLineEdit*>())
      QVERIFY(!edit->accessibleName().isEmpty());
    QApplication::activePopupWidget()->close();
  }
  QVERIFY2(nameless.isEmpty(), qPrintable(QStringLiteral("without a name:\n") + nameless.join(QLatin1Char('\n'))));
}

BLOBSCOPE_TEST(TestWindowAppearance);

#include "test_look.moc"
