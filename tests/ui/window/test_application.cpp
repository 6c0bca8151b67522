#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/widgets/banner.h"
#include "ui/window/application.h"

#include <QSignalSpy>

#include <new>
#include <stdexcept>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Runs out of memory when it gets an event, or is drawn, while enabled.
class Greedy : public QWidget {
public:
  bool fails = true;
  int handled = 0, drawn = 0;

protected:
  bool event(QEvent* event) override {
    if (event->type() != QEvent::User) return QWidget::event(event);
    if (fails) throw std::length_error("vector::reserve");
    ++handled;
    return true;
  }
  void paintEvent(QPaintEvent*) override {
    if (fails) throw std::bad_alloc();
    ++drawn;
  }
};

} // namespace

/// Memory is exhausted in the window's thread.
class TestApplicationMemory : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void initTestCase() {
    QStandardPaths::setTestModeEnabled(true);
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    m_application = std::make_unique<ui::Application>(m_count, m_arguments);
    QApplication::setStyle(new ui::Style);
    ui::setTheme(ui::Theme::light());
  }
  void cleanupTestCase() {
    QCoreApplication::processEvents();
    m_application.reset();
  }

  /// Each failing event ends alone, and one message covers all of them.
  void exhaustedMemoryEndsOnlyItsEvent() {
    Greedy greedy;
    QSignalSpy told(m_application.get(), &ui::Application::memoryRanOut);
    for (int i = 0; i < 5; ++i) {
      QEvent event(QEvent::User);
      QVERIFY(!QCoreApplication::sendEvent(&greedy, &event));
    }
    QCOMPARE(told.size(), 0); // from the event loop
    QCoreApplication::processEvents();
    QCOMPARE(told.size(), 1);
    greedy.fails = false;
    QEvent event(QEvent::User);
    QVERIFY(QCoreApplication::sendEvent(&greedy, &event));
    QCOMPARE(greedy.handled, 1);
  }
  void exhaustedMemoryEndsOnlyItsDrawing() {
    Greedy greedy;
    greedy.resize(50, 50);
    greedy.show();
    QVERIFY(QTest::qWaitForWindowExposed(&greedy, kWaitMs));
    QVERIFY(!greedy.grab().isNull());
    QCOMPARE(greedy.drawn, 0);
    greedy.fails = false;
    greedy.update();
    QTRY_VERIFY_WITH_TIMEOUT(greedy.drawn > 0, kWaitMs);
  }
  void exhaustedMemoryShowsABanner() {
    MainWindow window;
    const Files files;
    QVERIFY(open(window, files.write(QStringLiteral("a.so"), someLibrary())));
    const Document::StatePtr before = window.document().state();
    QVERIFY(window.banner().isHidden());
    // As from a visible page; the quiet time after an earlier message may still run.
    QTRY_VERIFY_WITH_TIMEOUT((QMetaObject::invokeMethod(
                                  &window, [] { throw std::bad_alloc(); }, Qt::QueuedConnection),
                              QCoreApplication::processEvents(), !window.banner().isHidden()),
                             kWaitMs);
    QCOMPARE(window.banner().kind(), Banner::Kind::Error);
    QVERIFY2(window.banner().text().startsWith(QStringLiteral("Blobscope ran out of memory.")),
             qPrintable(window.banner().text()));
    QVERIFY(window.document().state() == before);
    QVERIFY(go(window, "m1"));
  }

private:
  QTemporaryDir m_settings;
  int m_count = 1;
  char m_name[5] = "test";
  char* m_arguments[2] = {m_name, nullptr};
  std::unique_ptr<ui::Application> m_application;
};

BLOBSCOPE_TEST(TestApplicationMemory);
#include "test_application.moc"
