#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/charts/coverage_bar.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/page_bar.h"
#include "ui/widgets/progress_strip.h"

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

template <class T> T* named(const QWidget& inside, const QString& text) {
  for (T* const candidate : inside.findChildren<T*>())
    if (candidate->text() == text) return candidate;
  return nullptr;
}

} // namespace

/// The small widgets of the window: coverage bar, banner, page bar, progress strip, link button.
class TestSmallWidgets : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void coverageBarNamesItsParts();
  void clickOnTheCoverageBarJumps();
  void keyboardMovesThroughTheCoverageBar();
  void coverageBarShowsUnknownBytes();
  void coverageBarWithoutPartsIsSafe();
  void bannerActionsRun();
  void bannerActionCanShowAnotherBanner();
  void bannerHasTheColorOfItsKind();
  void bannerEndsWithItsState_data();
  void bannerEndsWithItsState();
  void widePageBarShowsAllPages();
  void narrowPageBarHasAMenu();
  void keyboardChangesThePage();
  void pageBarShortensLongNames();
  void longLabelsDoNotWidenTheWindow();
  void pageBarShowsToolsOfThePage();
  void progressAppearsAfterADelay();
  void progressShowsItsText();
  void progressCanBeCancelled();
  void linkReactsToKeyAndMouse();

private:
  Application m_application;
};

namespace {
/// 1,000 bytes: head 100, code 600, not explained 50, code 250.
std::vector<view::Span> someSpans() {
  return {{"head", {0, 100}, false},
          {"code", {100, 600}, false},
          {"not explained", {700, 50}, true},
          {"code", {750, 250}, false}};
}
} // namespace

void TestSmallWidgets::coverageBarNamesItsParts() {
  CoverageBar bar;
  bar.setSpans(someSpans(), 1'000);
  QCOMPARE(bar.spans().size(), std::size_t{4});
  QCOMPARE(bar.accessibleName(),
           QStringLiteral("Coverage: head 100 bytes, code 600 bytes, not explained 50 bytes, code 250 bytes"));
  // A screen reader does not get hundreds of parts.
  std::vector<view::Span> many;
  for (uint64_t i = 0; i < 500; ++i) many.push_back({"part" + std::to_string(i), {i, 1}, false});
  bar.setSpans(many, 500);
  QVERIFY(bar.accessibleName().size() < 400);
}

void TestSmallWidgets::clickOnTheCoverageBarJumps() {
  CoverageBar bar;
  bar.setSpans(someSpans(), 1'000);
  bar.resize(1'024, bar.sizeHint().height()); // 12 pixels at each side
  const QSignalSpy jumped(&bar, &CoverageBar::jumped);
  const auto click = [&](int x) {
    QTest::mouseClick(&bar, Qt::LeftButton, {}, {x, 17});
    return jumped.last()[0].toULongLong();
  };
  QCOMPARE(click(12), 0ULL);
  QCOMPARE(click(12 + 500), 500ULL);
  QCOMPARE(click(12 + 720), 720ULL);
  QCOMPARE(click(0), 0ULL);
  QCOMPARE(click(1'023), 999ULL); // never beyond the end
  QCOMPARE(jumped.size(), 5);
  QTest::mouseClick(&bar, Qt::LeftButton, {}, {500, bar.height() - 4}); // the legend
  QTest::mouseClick(&bar, Qt::RightButton, {}, {500, 17});
  QCOMPARE(jumped.size(), 5);
}

void TestSmallWidgets::keyboardMovesThroughTheCoverageBar() {
  CoverageBar bar;
  bar.setSpans(someSpans(), 1'000);
  bar.resize(400, bar.sizeHint().height());
  connect(&bar, &CoverageBar::jumped, &bar, [&](quint64 offset) { bar.setVisibleBytes({offset, 16}); });
  const QSignalSpy jumped(&bar, &CoverageBar::jumped);
  const auto press = [&](Qt::Key key) {
    QTest::keyClick(&bar, key);
    return jumped.last()[0].toULongLong();
  };
  bar.setVisibleBytes({0, 16});
  QCOMPARE(press(Qt::Key_Right), 100ULL);
  QCOMPARE(press(Qt::Key_Right), 700ULL);
  QCOMPARE(press(Qt::Key_Right), 750ULL);
  QCOMPARE(press(Qt::Key_Right), 750ULL);
  bar.setVisibleBytes({720, 16});
  QCOMPARE(press(Qt::Key_Left), 100ULL);
  QCOMPARE(press(Qt::Key_Left), 0ULL);
  QCOMPARE(press(Qt::Key_Left), 0ULL);
}

void TestSmallWidgets::coverageBarShowsUnknownBytes() {
  CoverageBar bar;
  bar.setSpans(someSpans(), 1'000);
  bar.resize(600, bar.sizeHint().height());
  const QImage image = drawn(bar, 1);
  // Unknown bytes are recognised by their colour, in the bar and in the legend.
  QVERIFY(countPixels(image, theme().color(Role::ErrorBackground), 8) > 20);
  bar.setSpans({{"code", {0, 1'000}, false}}, 1'000);
  QCOMPARE(countPixels(drawn(bar, 1), theme().color(Role::Error)), 0);
  // One byte of two thousand million is still visible.
  bar.setSpans({{"code", {0, 1'999'999'999}, false}, {"not explained", {1'999'999'999, 1}, true}}, 2'000'000'000);
  const QImage whole = drawn(bar, 1.5);
  QVERIFY(countPixels(whole, theme().color(Role::ErrorBackground), 8) > 20);
  bar.setFocus();
  drawn(bar, 1);
}

void TestSmallWidgets::coverageBarWithoutPartsIsSafe() {
  CoverageBar bar;
  bar.resize(10, 10);
  drawn(bar, 1);
  const QSignalSpy jumped(&bar, &CoverageBar::jumped);
  QTest::keyClick(&bar, Qt::Key_Right);
  QCOMPARE(jumped.size(), 0);
  bar.setSpans({}, 0);
  bar.resize(500, 60);
  drawn(bar, 1);
  QTest::mouseClick(&bar, Qt::LeftButton, {}, {50, 17});
  QVERIFY(jumped.isEmpty() || jumped.last()[0].toULongLong() == 0);
}

void TestSmallWidgets::bannerActionsRun() {
  QWidget window;
  Banner banner(&window);
  window.show();
  int stayed = 0, ended = 0;
  banner.showMessage(Banner::Kind::Warning, QStringLiteral("Bold."), QStringLiteral("Plain."),
                     {{QStringLiteral("Stays"), [&] { ++stayed; }, true}, {QStringLiteral("Ends"), [&] { ++ended; }}});
  QVERIFY(banner.isVisible());
  QCOMPARE(banner.text(), QStringLiteral("Bold. Plain."));
  QCOMPARE(banner.accessibleName(), banner.text());
  named<LinkButton>(banner, QStringLiteral("Stays"))->click();
  QCOMPARE(stayed, 1);
  QVERIFY(banner.isVisible());
  QTest::keyClick(named<LinkButton>(banner, QStringLiteral("Ends")), Qt::Key_Return);
  QCOMPARE(ended, 1);
  QVERIFY(!banner.isVisible());
}

/// An action may show the next banner: its own button is deleted only after the action.
void TestSmallWidgets::bannerActionCanShowAnotherBanner() {
  QWidget window;
  Banner banner(&window);
  window.show();
  banner.showMessage(Banner::Kind::Note, QStringLiteral("First."), {},
                     {{QStringLiteral("Next"), [&] {
                         banner.showMessage(Banner::Kind::Ok, QStringLiteral("Second."), {},
                                            {{QStringLiteral("Close"), [] {}}});
                       }}});
  QTest::mouseClick(named<LinkButton>(banner, QStringLiteral("Next")), Qt::LeftButton);
  QVERIFY(banner.isVisible());
  QCOMPARE(banner.kind(), Banner::Kind::Ok);
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  QVERIFY(!named<LinkButton>(banner, QStringLiteral("Next")));
  named<LinkButton>(banner, QStringLiteral("Close"))->click();
  QVERIFY(!banner.isVisible());
}

void TestSmallWidgets::bannerEndsWithItsState_data() {
  QTest::addColumn<Banner::Lasts>("lasts");
  QTest::addColumn<bool>("afterMove");
  QTest::addColumn<bool>("afterEdit");
  QTest::newRow("until answered") << Banner::Lasts::UntilAnswered << true << true;
  QTest::newRow("until edited") << Banner::Lasts::UntilEdited << true << false;
  QTest::newRow("until moved") << Banner::Lasts::UntilMoved << false << false;
}

/// A banner about an outdated state is hidden without an answer.
void TestSmallWidgets::bannerEndsWithItsState() {
  QFETCH(const Banner::Lasts, lasts);
  QWidget window;
  Banner banner(&window);
  window.show();
  banner.showMessage(Banner::Kind::Note, QStringLiteral("State."), {}, {}, lasts);
  banner.endMoved();
  QTEST(banner.isVisible(), "afterMove");
  banner.showMessage(Banner::Kind::Note, QStringLiteral("State."), {}, {}, lasts);
  banner.endEdited();
  QTEST(banner.isVisible(), "afterEdit");
  banner.showNote(QStringLiteral("Message."));
  QVERIFY(banner.isVisible());
  banner.showNote({});
  QVERIFY(!banner.isVisible());
}

void TestSmallWidgets::bannerHasTheColorOfItsKind() {
  QWidget window;
  Banner banner(&window);
  window.show();
  for (const auto& [kind, role] : {std::pair{Banner::Kind::Ok, Role::OkBackground},
                                   {Banner::Kind::Note, Role::NoteBackground},
                                   {Banner::Kind::Warning, Role::WarningBackground},
                                   {Banner::Kind::Error, Role::ErrorBackground}}) {
    banner.showMessage(kind, QStringLiteral("A sentence."), QStringLiteral("A very long one. ").repeated(40));
    banner.resize(400, banner.heightForWidth(400));
    const QImage image = drawn(banner, 1);
    QVERIFY(countPixels(image, theme().color(role)) > image.width() * image.height() / 4);
  }
}

void TestSmallWidgets::widePageBarShowsAllPages() {
  PageBar bar;
  bar.resize(900, bar.sizeHint().height());
  bar.show();
  QCOMPARE(bar.current(), -1);
  bar.setPages({QStringLiteral("Overview"), QStringLiteral("Fields"), QStringLiteral("Hex")});
  bar.setCurrent(1);
  QCOMPARE(bar.current(), 1);
  const QSignalSpy chosen(&bar, &PageBar::chosen);
  named<QToolButton>(bar, QStringLiteral("Hex"))->click();
  QCOMPARE(chosen.size(), 1);
  QCOMPARE(chosen.last()[0].toInt(), 2);
  QVERIFY(!named<QToolButton>(bar, QStringLiteral("»"))->isVisible());
  bar.setCurrent(7); // there is none
  bar.setCurrent(-1);
  bar.setPages({});
  QCOMPARE(bar.current(), -1);
  drawn(bar, 1);
}

void TestSmallWidgets::narrowPageBarHasAMenu() {
  PageBar bar;
  bar.show();
  const QStringList names = {QStringLiteral("Overview"), QStringLiteral("Functions"), QStringLiteral("Source"),
                             QStringLiteral("Fields"), QStringLiteral("Hex")};
  bar.setPages(names);
  auto* const more = named<QToolButton>(bar, QStringLiteral("»"));
  for (int current = 0; current < names.size(); ++current) {
    bar.setCurrent(current);
    for (int width = 900; width >= 60; width -= 7) {
      bar.resize(width, bar.height());
      QStringList shown, listed;
      for (const QString& name : names) {
        auto* const button = named<QToolButton>(bar, name);
        if (button->isVisible()) shown << name;
        // Nothing overlaps another part or is outside.
        if (button->isVisible() && more->isVisible()) QVERIFY(button->geometry().right() < more->geometry().left());
      }
      for (const QAction* action : more->menu()->actions()) listed << action->text();
      QCOMPARE(QStringList(shown + listed).size(), names.size());
      QCOMPARE(more->isVisible(), !listed.isEmpty());
      const QString where = QStringLiteral("page %1 at %2").arg(names[current]).arg(width);
      if (width > 200) QVERIFY2(shown.contains(names[current]), qPrintable(where));
      for (const QAction* action : more->menu()->actions())
        QCOMPARE(action->isChecked(), action->text() == names[current]);
    }
  }
  bar.resize(200, bar.height());
  const QSignalSpy chosen(&bar, &PageBar::chosen);
  QVERIFY(more->isVisible());
  const QAction* const last = more->menu()->actions().last();
  const int number = static_cast<int>(names.indexOf(last->text()));
  more->menu()->actions().last()->trigger();
  QCOMPARE(chosen.last()[0].toInt(), number);
  bar.resize(900, bar.height());
  QVERIFY(!more->isVisible());
}

void TestSmallWidgets::pageBarShortensLongNames() {
  PageBar bar;
  const QString name = QStringLiteral("&<b>") + QString(100'000, QLatin1Char('k'));
  bar.setPages({QStringLiteral("Overview"), name});
  bar.resize(900, bar.sizeHint().height());
  const auto buttons = bar.findChildren<QToolButton*>();
  int found = 0;
  for (const QToolButton* const button : buttons) {
    if (!button->text().startsWith(QLatin1String("&&<b>"))) continue;
    ++found;
    QVERIFY(button->width() < 300 && button->isVisibleTo(&bar));
    QVERIFY(button->shortcut().isEmpty());
    QVERIFY(button->toolTip().size() < 4'000 && !button->toolTip().contains(QLatin1String("<b>")));
  }
  QCOMPARE(found, 1);
}

void TestSmallWidgets::longLabelsDoNotWidenTheWindow() {
  const QString name = QString(100'000, QLatin1Char('k')) + QStringLiteral("<img src=x>");
  PlainLabel label(QStringLiteral("<b>a</b>"));
  QCOMPARE(label.textFormat(), Qt::PlainText);
  QVERIFY(label.minimumSizeHint().width() < 100);
  label.setText(name);
  QVERIFY(label.text().size() < 4'100);
  QVERIFY(label.minimumSizeHint().width() <= 600);
  label.setWordWrap(true);
  QVERIFY(label.minimumSizeHint().width() <= 600);
  const LinkButton link(QStringLiteral("save &as\n") + name);
  QVERIFY(link.shortcut().isEmpty());
  QVERIFY(link.text().startsWith(QLatin1String("save &as\\nkkk")) && link.text().size() < 1'100);
  QVERIFY(link.minimumSizeHint().width() < 100);
}

void TestSmallWidgets::keyboardChangesThePage() {
  PageBar bar;
  bar.resize(900, bar.sizeHint().height());
  bar.setPages({QStringLiteral("One"), QStringLiteral("Two"), QStringLiteral("Three")});
  bar.setCurrent(0);
  connect(&bar, &PageBar::chosen, &bar, &PageBar::setCurrent);
  auto* const first = named<QToolButton>(bar, QStringLiteral("One"));
  QVERIFY(focus(*first));
  QTest::keyClick(first, Qt::Key_Left); // nothing there
  QCOMPARE(bar.current(), 0);
  QTest::keyClick(first, Qt::Key_Right);
  QCOMPARE(bar.current(), 1);
  QVERIFY(named<QToolButton>(bar, QStringLiteral("Two"))->hasFocus());
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Right);
  QCOMPARE(bar.current(), 2);
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Left);
  QCOMPARE(bar.current(), 1);
}

void TestSmallWidgets::pageBarShowsToolsOfThePage() {
  PageBar bar;
  bar.resize(600, bar.sizeHint().height());
  bar.show();
  bar.setPages({QStringLiteral("One"), QStringLiteral("Two")});
  QWidget owner;
  auto* const tools = new QWidget(&owner);
  auto* const filter = new QLineEdit(tools);
  filter->setMinimumWidth(90);
  auto* const row = new QHBoxLayout(tools);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(filter);
  auto* const others = new QWidget(&owner);
  bar.setTools(tools);
  QVERIFY(tools->isVisible());
  for (int width = 600; width > 100; width -= 13) {
    bar.resize(width, bar.height());
    QVERIFY(tools->geometry().right() < width);
    for (const auto* button : bar.findChildren<QToolButton*>())
      if (button->isVisible() && width > 200)
        QVERIFY2(!button->geometry().intersects(tools->geometry()), qPrintable(QString::number(width)));
  }
  bar.setTools(others);
  QVERIFY(!tools->isVisible());
  delete others; // like a page that is closed
  bar.resize(500, bar.height());
  bar.setTools(nullptr);
  drawn(bar, 1);
}

/// Nothing flickers for short work. The time from `begin` to `end` is below the 150 ms only if the machine is fast
/// enough.
void TestSmallWidgets::progressAppearsAfterADelay() {
  QWidget window;
  ProgressStrip strip(&window);
  window.show();
  QElapsedTimer clock;
  clock.start();
  strip.begin(QStringLiteral("Opening a.so"));
  QVERIFY(strip.isBusy());
  while (clock.elapsed() < 100) {
    QCoreApplication::processEvents();
    const bool visible = strip.isVisible();
    if (clock.elapsed() < 140) QVERIFY(!visible);
  }
  // Begun later, so its delay ends after that of the first one.
  ProgressStrip later(&window);
  later.begin(QStringLiteral("Opening c.so"));
  strip.end();
  QVERIFY(!strip.isBusy());
  QTRY_VERIFY_WITH_TIMEOUT(later.isVisible(), kWaitMs);
  QVERIFY(!strip.isVisible());
  later.end();
  strip.begin(QStringLiteral("Opening b.so"));
  QTRY_VERIFY_WITH_TIMEOUT(strip.isVisible(), kWaitMs);
  strip.end();
  QVERIFY(!strip.isVisible());
}

void TestSmallWidgets::progressShowsItsText() {
  QWidget window;
  ProgressStrip strip(&window);
  strip.resize(600, strip.height());
  window.show();
  strip.showProgress(QStringLiteral("too late"), 1, 2); // nothing runs
  QVERIFY(strip.accessibleName().isEmpty());
  strip.begin(QStringLiteral("Opening a.so"));
  QCOMPARE(strip.accessibleName(), QStringLiteral("Opening a.so"));
  QTRY_VERIFY_WITH_TIMEOUT(strip.isVisible(), kWaitMs);
  // For the bar; the text of Cancel is checked below.
  const auto accent = [&] {
    const QImage image = drawn(strip, 1);
    int count = 0;
    for (int x = 0; x < image.width(); ++x) count += QColor(image.pixel(x, 1)) == theme().color(Role::Accent);
    return count;
  };
  QCOMPARE(accent(), 0);
  strip.showProgress(QStringLiteral("reading symbols"), 250'000, 500'000);
  QCOMPARE(strip.accessibleName(), QStringLiteral("Reading symbols, 250,000 of 500,000"));
  QCOMPARE(accent(), strip.width() / 2);
  strip.showProgress(QStringLiteral("reading"), 9, 3); // more than all
  QCOMPARE(accent(), strip.width());
  strip.showProgress(QStringLiteral("looking"), 17, 0);
  QCOMPARE(strip.accessibleName(), QStringLiteral("Looking"));
  strip.showProgress({}, 0, 0);
  strip.end();
}

void TestSmallWidgets::progressCanBeCancelled() {
  QWidget window;
  ProgressStrip strip(&window);
  window.show();
  const QSignalSpy cancelled(&strip, &ProgressStrip::cancelled);
  strip.begin(QStringLiteral("Working"));
  QTRY_VERIFY_WITH_TIMEOUT(strip.isVisible(), kWaitMs);
  named<LinkButton>(strip, QStringLiteral("Cancel"))->click();
  QCOMPARE(cancelled.size(), 1);
}

void TestSmallWidgets::linkReactsToKeyAndMouse() {
  LinkButton link(QStringLiteral("0x5653"));
  link.setCode(true);
  QVERIFY(focus(link));
  QCOMPARE(link.accessibleName(), QStringLiteral("0x5653"));
  const QSignalSpy clicked(&link, &QAbstractButton::clicked);
  QTest::keyClick(&link, Qt::Key_Return);
  QTest::keyClick(&link, Qt::Key_Enter);
  QTest::keyClick(&link, Qt::Key_Space);
  QTest::mouseClick(&link, Qt::LeftButton);
  QCOMPARE(clicked.size(), 4);
  QTest::keyClick(&link, Qt::Key_A);
  QCOMPARE(clicked.size(), 4);
  link.resize(30, link.height()); // elided, not cut
  drawn(link, 1);
  QVERIFY(link.sizeHint().width() > 30);
}

BLOBSCOPE_TEST(TestSmallWidgets);

#include "test_parts.moc"
