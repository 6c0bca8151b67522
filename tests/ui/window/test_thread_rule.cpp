#include "core/base/thread_rule.h"
#include "core/library/open.h"
#include "core/syntax/outline.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"

#include <QProcess>

using namespace blobscope;
using namespace blobscope::test;

namespace {
constexpr const char* kBreach = "BLOBSCOPE_TEST_BREACH";
} // namespace

/// Slow work of core in a window's thread ends the program. All other tests here check that the window never does it,
/// simply by running.
class TestThreadRule : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void slowWorkInTheWindowThreadAborts_data();
  void slowWorkInTheWindowThreadAborts();
  void slowWorkInOtherThreadsIsAllowed();

private:
  WindowApplication m_application;
};

void TestThreadRule::slowWorkInTheWindowThreadAborts_data() {
  QTest::addColumn<QString>("entry");
  QTest::newRow("open") << "library::open";
  QTest::newRow("outline") << "syntax::computeOutline";
}

void TestThreadRule::slowWorkInTheWindowThreadAborts() {
  QFETCH(QString, entry);
  if (qEnvironmentVariableIsSet(kBreach)) {
    const ui::MainWindow window;
    NullMonitor monitor;
    if (entry == QLatin1String("library::open"))
      (void)library::open(std::filesystem::path(sample("sample-cpu.so").toStdString()), monitor);
    else
      (void)syntax::computeOutline(Bytes::copyOf(".entry k()"), syntax::language("ptx"), monitor);
    return;
  }
  QProcess child;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QLatin1String(kBreach), QStringLiteral("1"));
  environment.remove(QStringLiteral("BLOBSCOPE_RESULTS"));
  environment.insert(QStringLiteral("QTEST_DISABLE_STACK_DUMP"), QStringLiteral("1"));
  child.setProcessEnvironment(environment);
  child.setProcessChannelMode(QProcess::MergedChannels);
  child.start(QCoreApplication::applicationFilePath(),
              {QStringLiteral("TestThreadRule"), QStringLiteral("-nocrashhandler"),
               QStringLiteral("slowWorkInTheWindowThreadAborts:") + QLatin1String(QTest::currentDataTag())});
  QVERIFY(child.waitForFinished(3 * kWaitMs));
  const QByteArray said = child.readAll();
  QVERIFY2(said.contains("blobscope: " + entry.toLatin1() + " was called on the window's thread"), said.constData());
  QCOMPARE(child.exitStatus(), QProcess::CrashExit);
}

void TestThreadRule::slowWorkInOtherThreadsIsAllowed() {
  const ui::MainWindow window;
  bool opened = false;
  const std::unique_ptr<QThread> thread(QThread::create([&] {
    NullMonitor monitor;
    opened = library::open(std::filesystem::path(sample("sample-cpu.so").toStdString()), monitor).hasValue();
  }));
  thread->start();
  QVERIFY(thread->wait(kWaitMs));
  QVERIFY(opened);
}

BLOBSCOPE_TEST(TestThreadRule);

#include "test_thread_rule.moc"
