#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/problems_panel.h"
#include "ui/window/panels/search_panel.h"
#include "ui/window/start_page.h"

#include <QAbstractItemView>
#include <QAccessible>
#include <QDockWidget>
#include <QLabel>
#include <QScrollArea>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Its class and those of what it stands in, outermost last.
QString described(const QWidget* widget) {
  QStringList path;
  for (; widget && path.size() < 4; widget = widget->parentWidget())
    path << QString::fromLatin1(widget->metaObject()->className()).section(QStringLiteral("::"), -1);
  return path.join(QStringLiteral(" in "));
}

/// Parts of Qt's own that a screen reader takes with the widget around them, and the keyboard never reaches.
bool isPartOfAnother(const QWidget* widget) {
  const QByteArray name = widget->metaObject()->className();
  return name == "QLineEditIconButton" || name == "QHeaderView" || name == "QTableCornerButton";
}

bool isVisibleTo(const QWidget& window, const QWidget* widget) {
  return widget->isVisible() && widget->window() == &window;
}

} // namespace

/// How the window looks and reads: themes, sizes, names for those who do not see it.
class TestLook : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void themes();
  void themeIsKept();
  void narrow();
  void narrowFromTheStart();
  void smallest();
  void docksAreKept();
  void largeFont();
  void names_data();
  void names();

private:
  WindowApplication m_application;
};

void TestLook::themes() {
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
        // Nothing is left undrawn, and what was light is dark.
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

void TestLook::themeIsKept() {
  MainWindow window;
  action(window, ActionId::SwitchTheme)->trigger();
  QCOMPARE(QSettings().value(QStringLiteral("theme")).toString(), QStringLiteral("dark"));
  action(window, ActionId::SwitchTheme)->trigger();
  QCOMPARE(QSettings().value(QStringLiteral("theme")).toString(), QStringLiteral("light"));
}

void TestLook::narrow() {
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
  // Opened by hand they stay, and the page keeps room.
  QVERIFY(resized(900));
  action(window, ActionId::ShowContents)->trigger();
  QVERIFY(contentsTree(window).isVisible());
  QVERIFY2(currentView(window)->width() > 300, qPrintable(QString::number(currentView(window)->width())));
  QVERIFY(resized(640));
  QCOMPARE(window.width(), 640);
}

void TestLook::narrowFromTheStart() {
  MainWindow window;
  QVERIFY(showActive(window, {900, 600}));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(!contentsTree(window).isVisible() && !detailsOf(window).isVisible());
  window.resize(1400, 800);
  QTRY_VERIFY_WITH_TIMEOUT(contentsTree(window).isVisible() && detailsOf(window).isVisible(), kWaitMs);
}

void TestLook::smallest() {
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

void TestLook::docksAreKept() {
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
    // What a narrow window hides is not the user's wish.
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

void TestLook::largeFont() {
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

void TestLook::names_data() {
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

/// Everything that can be used has a name that a screen reader can say, on every page with all panels open.
void TestLook::names() {
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
      QTest::qWait(10);
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

BLOBSCOPE_TEST(TestLook);

#include "test_look.moc"
