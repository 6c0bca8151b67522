#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/hex_page.h"
#include "ui/pages/table_page.h"
#include "ui/pages/text_page.h"
#include "ui/theme/content_text.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/widgets/text/text_view.h"
#include "ui/window/dialogs/preferences_dialog.h"
#include "ui/window/preferences.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableView>
#include <QWheelEvent>

#include <algorithm>

#include <qtestspontaneevent.h>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

QPushButton& dialogButton(const PreferencesDialog& dialog, QDialogButtonBox::StandardButton which) {
  return *dialog.findChild<QDialogButtonBox*>()->button(which);
}

template <class T> T& field(const PreferencesDialog& dialog, const char* name) {
  return *dialog.findChild<T*>(QLatin1String(name));
}

/// Opens the dialog by its shortcut.
PreferencesDialog* openDialog(MainWindow& window) {
  QTest::keyClick(&window, Qt::Key_Comma, Qt::ControlModifier);
  return QTest::qWaitFor([&] { return window.findChild<PreferencesDialog*>() != nullptr; }, kWaitMs)
             ? window.findChild<PreferencesDialog*>()
             : nullptr;
}

/// Something else than the default in each field.
Preferences allChanged() {
  Preferences out;
  out.theme = ThemeChoice::Dark;
  out.codeFamily = QStringLiteral("Some Mono");
  out.points = 14;
  out.units = SizeUnits::Decimal;
  out.memory = QStringLiteral("3 GiB");
  out.cudaTools = QStringLiteral("/opt/cuda");
  out.tvmRuntime = QStringLiteral("/opt/tvm");
  out.language = QStringLiteral("de");
  out.reopenFiles = out.reuseInstance = true;
  return out;
}

void turnWheel(QWidget& widget, int steps) {
  const QPointF place(widget.rect().center());
  QWheelEvent event(place, widget.mapToGlobal(place), {}, {0, steps * QWheelEvent::DefaultDeltasPerStep}, Qt::NoButton,
                    Qt::ControlModifier, Qt::NoScrollPhase, false);
  QSpontaneKeyEvent::setSpontaneous(&event); // only such events go on to the parents
  qApp->notify(&widget, &event);
}

} // namespace

/// The preferences, their dialog, and the zoom of the pages.
class TestPreferences : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() {
    WindowApplication::reset();
    setContentText({});
  }
  void cleanup() { setContentText({}); }
  void preferencesAreStored();
  void storedNonsenseIsIgnored();
  void unitsApplyAtStart();
  void dialogAppliesAtOnce();
  void dialogCanBeCancelled();
  void defaultsCanBeRestored();
  void invalidMemoryIsRefused();
  void missingFolderIsMentioned();
  void memoryLimitAppliesToAllWindows();
  void zoomChangesAllPages_data();
  void zoomChangesAllPages();
  void wheelZooms();
  void zoomHasLimits();

private:
  WindowApplication m_application;
  Files m_files;
};

void TestPreferences::preferencesAreStored() {
  QVERIFY(Preferences::load() == Preferences());
  allChanged().store();
  QVERIFY(Preferences::load() == allChanged());
  QCOMPARE(Preferences::load().memoryBytes(), std::optional(uint64_t{3} << 30));
  // What is not stored follows later defaults.
  Preferences().store();
  QVERIFY(Preferences::load() == Preferences());
  QCOMPARE(QSettings().allKeys(), QStringList(QStringLiteral("theme")));
}

void TestPreferences::storedNonsenseIsIgnored() {
  QSettings settings;
  settings.setValue(QStringLiteral("theme"), QStringLiteral("purple"));
  settings.setValue(QStringLiteral("memory"), QStringLiteral("much"));
  settings.setValue(QStringLiteral("units"), QStringLiteral("furlongs"));
  settings.setValue(QStringLiteral("pages/points"), 4'000);
  settings.setValue(QStringLiteral("pages/family"), QString(1'000'000, QLatin1Char('x')));
  settings.setValue(QStringLiteral("tools/cuda"), QStringLiteral("/a") + QChar(QChar::Null));
  settings.setValue(QStringLiteral("pages/zoom"), QStringLiteral("-7"));
  QVERIFY(Preferences::load() == Preferences());
  applyPreferencesAtStart(Preferences::load());
  QCOMPARE(contentText().zoom, ContentText::kMinimumZoom);
}

/// Units apply at the start of the program, so that no text that is already shown has others.
void TestPreferences::unitsApplyAtStart() {
  const auto usual = qScopeGuard([] { setSizeUnits(SizeUnits::Binary); });
  MainWindow window;
  QVERIFY(showActive(window));
  PreferencesDialog* const dialog = openDialog(window);
  QVERIFY(dialog);
  field<QComboBox>(*dialog, "units").setCurrentIndex(1);
  dialogButton(*dialog, QDialogButtonBox::Ok).click();
  QCOMPARE(QString::fromStdString(sizeText(2'000)), QStringLiteral("2.0 KiB (2,000 bytes)"));
  applyPreferencesAtStart(Preferences::load());
  QCOMPARE(QString::fromStdString(sizeText(2'000)), QStringLiteral("2.0 kB (2,000 bytes)"));
}

void TestPreferences::dialogAppliesAtOnce() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(!theme().isDark());
  PreferencesDialog* const dialog = openDialog(window);
  QVERIFY(dialog);
  QPushButton& apply = dialogButton(*dialog, QDialogButtonBox::Apply);
  QVERIFY(!apply.isEnabled());
  auto& box = field<QComboBox>(*dialog, "theme");
  QTRY_VERIFY_WITH_TIMEOUT(box.hasFocus(), kWaitMs);
  QTest::keyClick(&box, Qt::Key_End); // dark
  QVERIFY(apply.isEnabled() && !theme().isDark());
  field<QSpinBox>(*dialog, "points").setValue(20);
  apply.click();
  QVERIFY(theme().isDark() && !apply.isEnabled());
  QCOMPARE(contentText().points, 20.0);
  QVERIFY(!action(window, ActionId::FollowSystem)->isChecked());
  QVERIFY(Preferences::load().theme == ThemeChoice::Dark);
  field<QCheckBox>(*dialog, "reopen").click();
  QTest::keyClick(dialog, Qt::Key_Return);
  QTRY_VERIFY(!window.findChild<PreferencesDialog*>());
  QVERIFY(Preferences::load().reopenFiles);
}

void TestPreferences::dialogCanBeCancelled() {
  MainWindow window;
  QVERIFY(showActive(window));
  PreferencesDialog* const dialog = openDialog(window);
  QVERIFY(dialog);
  dialog->show(allChanged());
  QTest::keyClick(dialog, Qt::Key_Escape);
  QTRY_VERIFY(!window.findChild<PreferencesDialog*>());
  QVERIFY(Preferences::load() == Preferences());
  QVERIFY(!theme().isDark());
}

void TestPreferences::defaultsCanBeRestored() {
  Preferences before = allChanged();
  before.codeFamily.clear(); // only installed families are listed
  before.language.clear();
  before.store();
  MainWindow window;
  PreferencesDialog dialog(&window);
  QVERIFY(dialog.shown() == before);
  dialogButton(dialog, QDialogButtonBox::RestoreDefaults).click();
  QVERIFY(dialog.shown() == Preferences());
  QVERIFY(Preferences::load() == before); // not yet stored
  dialog.accept();
  QVERIFY(Preferences::load() == Preferences());
}

void TestPreferences::invalidMemoryIsRefused() {
  MainWindow window;
  PreferencesDialog dialog(&window);
  auto& memory = field<QLineEdit>(dialog, "memory");
  QPushButton& ok = dialogButton(dialog, QDialogButtonBox::Ok);
  for (const char* const text : {"much", "4 GiB GiB", "-1", "GiB", "0", "63 KiB"}) {
    memory.setText(QLatin1String(text));
    QVERIFY2(!ok.isEnabled() && !dialogButton(dialog, QDialogButtonBox::Apply).isEnabled(), text);
  }
  dialog.accept();
  QVERIFY(Preferences::load().memory.isEmpty());
  for (const char* const text : {"", " 4 GiB ", "512m"}) {
    memory.setText(QLatin1String(text));
    QVERIFY2(ok.isEnabled(), text);
  }
}

void TestPreferences::missingFolderIsMentioned() {
  MainWindow window;
  PreferencesDialog dialog(&window);
  const QString place = m_files.path(QStringLiteral("<b>&tools"));
  field<QLineEdit>(dialog, "cuda").setText(place);
  const auto said = [&] {
    for (const QLabel* const label : dialog.findChildren<QLabel*>())
      if (label->text().contains(QStringLiteral("does not exist")) && !label->isHidden()) return label->text();
    return QString();
  };
  QVERIFY2(said().contains(QStringLiteral("<b>&tools")), qPrintable(said()));
  QVERIFY(dialogButton(dialog, QDialogButtonBox::Ok).isEnabled()); // a disk may not be there now
  QVERIFY(QDir().mkpath(place));
  field<QLineEdit>(dialog, "cuda").setText(place + QLatin1Char('/'));
  QCOMPARE(said(), QString());
}

void TestPreferences::memoryLimitAppliesToAllWindows() {
  MainWindow window, other;
  for (MainWindow* const one : {&window, &other}) one->show();
  QVERIFY(!window.document().memoryLimit());
  Preferences now;
  now.memory = QStringLiteral("3 GiB");
  now.store();
  applyPreferences(Preferences(), now);
  for (MainWindow* const one : {&window, &other})
    QCOMPARE(one->document().memoryLimit(), std::optional(uint64_t{3} << 30));
  const MainWindow later;
  QCOMPARE(const_cast<MainWindow&>(later).document().memoryLimit(), std::optional(uint64_t{3} << 30));
  // A limit of the command line stays when something else changes.
  window.document().setMemoryLimit(1);
  Preferences dark = now;
  dark.theme = ThemeChoice::Dark;
  applyPreferences(now, dark);
  QCOMPARE(window.document().memoryLimit(), std::optional(uint64_t{1}));
}

void TestPreferences::zoomChangesAllPages_data() {
  QTest::addColumn<QString>("page");
  for (const char* const page : {"Source", "Hex", "Functions", "Fields"})
    QTest::newRow(page) << QString::fromLatin1(page);
}

/// The keys make the text of the page in front larger and smaller, and nothing else.
void TestPreferences::zoomChangesAllPages() {
  QFETCH(QString, page);
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2", page));
  // The largest one: beside a text are its outline and its messages.
  const auto areas = currentView(window)->current()->findChildren<QAbstractScrollArea*>();
  QVERIFY(!areas.isEmpty());
  auto* const area = *std::ranges::max_element(
      areas, {}, [](const QAbstractScrollArea* one) { return one->isVisible() ? one->width() * one->height() : 0; });
  const auto rowHeight = [&]() -> int {
    if (auto* const text = qobject_cast<TextView*>(area)) return text->lineHeight();
    if (auto* const hex = qobject_cast<HexView*>(area))
      return static_cast<int>(hex->viewport()->height() * 16 / std::max<uint64_t>(1, hex->visibleBytes().size));
    if (auto* const view = qobject_cast<QAbstractItemView*>(area))
      return view->visualRect(view->model()->index(0, 0)).height();
    return 0;
  };
  QTRY_VERIFY_WITH_TIMEOUT(rowHeight() > 0, kWaitMs);
  const int before = rowHeight(), tree = contentsTree(window).visualRect(contentsTree(window).currentIndex()).height();
  const QFont body = QApplication::font();
  for (int i = 0; i < 5; ++i) QTest::keyClick(&window, Qt::Key_Plus, Qt::ControlModifier);
  QCOMPARE(contentText().zoom, 200);
  QTRY_VERIFY2(rowHeight() > before * 5 / 4, qPrintable(QString::number(rowHeight())));
  QCOMPARE(QApplication::font(), body);
  QCOMPARE(contentsTree(window).visualRect(contentsTree(window).currentIndex()).height(), tree);
  // Another window shows the same, also after the next start.
  QCOMPARE(QSettings().value(QStringLiteral("pages/zoom")).toInt(), 200);
  QTest::keyClick(&window, Qt::Key_Minus, Qt::ControlModifier);
  QCOMPARE(contentText().zoom, 175);
  QTest::keyClick(&window, Qt::Key_0, Qt::ControlModifier);
  QCOMPARE(contentText().zoom, 100);
  QVERIFY(!QSettings().contains(QStringLiteral("pages/zoom")));
  QTRY_COMPARE(rowHeight(), before);
}

void TestPreferences::wheelZooms() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  int expected = 100;
  for (const char* const page : {"Source", "Hex", "Functions", "Fields"}) {
    QVERIFY(go(window, "m2", QLatin1String(page)));
    auto* const area = currentView(window)->current()->findChild<QAbstractScrollArea*>();
    QVERIFY(area);
    const int top = area->verticalScrollBar()->value();
    turnWheel(*area->viewport(), 1);
    expected = nextZoom(expected, true);
    QCOMPARE(contentText().zoom, expected);
    QCOMPARE(area->verticalScrollBar()->value(), top);
  }
  turnWheel(*currentView(window), -4);
  QCOMPARE(contentText().zoom, 100);
}

void TestPreferences::zoomHasLimits() {
  for (int i = 0; i < 50; ++i) chooseZoom(nextZoom(contentText().zoom, true));
  QCOMPARE(contentText().zoom, ContentText::kMaximumZoom);
  for (int i = 0; i < 50; ++i) chooseZoom(nextZoom(contentText().zoom, false));
  QCOMPARE(contentText().zoom, ContentText::kMinimumZoom);
  QCOMPARE(nextZoom(101, false), 100);
  QCOMPARE(nextZoom(101, true), 110);
}

BLOBSCOPE_TEST(TestPreferences);

#include "test_preferences.moc"
