#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/window/instance.h"

#include <QLocalServer>
#include <QLocalSocket>
#include <QSignalSpy>
#include <QThread>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// Sends as another start of the program does; the instance of this thread must be able to answer meanwhile.
bool sendFromElsewhere(const QString& name, const OpenRequest& request) {
  std::atomic<bool> accepted = false;
  const std::unique_ptr<QThread> thread(QThread::create([&] { accepted = Instance::send(name, request); }));
  thread->start();
  return QTest::qWaitFor([&] { return thread->isFinished(); }, kWaitMs) && accepted;
}

} // namespace

/// One program for several starts.
class TestInstance : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void messagesAreReadBack();
  void foreignMessagesAreRefused_data();
  void foreignMessagesAreRefused();
  void requestArrives();
  void withoutAServerNothingIsSent();
  void secondServerIsRefused();
  void deadSocketIsReplaced();
  void silentAndLargeClientsAreDropped();
  void socketIsPrivate();

private:
  QString name() { return m_files.path(QStringLiteral("socket")); }
  WindowApplication m_application;
  Files m_files;
};

void TestInstance::messagesAreReadBack() {
  for (const OpenRequest& request :
       {OpenRequest{}, OpenRequest{{QStringLiteral("/tmp/a b\u00e4\n.so")}, QStringLiteral("m1/kernel:\u00e4")},
        OpenRequest{{QStringLiteral("/a"), QStringLiteral("/b")}, {}}}) {
    const auto read = OpenRequest::fromMessage(request.toMessage());
    QVERIFY(read && *read == request);
    QCOMPARE(request.toMessage().count('\n'), 1); // a message is a line
  }
}

void TestInstance::foreignMessagesAreRefused_data() {
  QTest::addColumn<QByteArray>("message");
  QTest::newRow("empty") << QByteArray();
  QTest::newRow("line feed") << QByteArray("\n");
  QTest::newRow("text") << QByteArray("GET / HTTP/1.1\r\n");
  QTest::newRow("not ended") << OpenRequest{{QStringLiteral("/a")}, {}}.toMessage().chopped(1);
  QTest::newRow("two lines") << OpenRequest{}.toMessage() + OpenRequest{}.toMessage();
  QTest::newRow("array") << QByteArray("[]\n");
  QTest::newRow("other version") << QByteArray(R"({"blobscope":2,"files":[],"at":""})") + '\n';
  QTest::newRow("relative path") << QByteArray(R"({"blobscope":1,"files":["a.so"],"at":""})") + '\n';
  QTest::newRow("not a path") << QByteArray(R"({"blobscope":1,"files":[1],"at":""})") + '\n';
  QTest::newRow("NUL in a path") << QByteArray(R"({"blobscope":1,"files":["/a\u0000"],"at":""})") + '\n';
  QTest::newRow("three files") << QByteArray(R"({"blobscope":1,"files":["/a","/b","/c"],"at":""})") + '\n';
  QTest::newRow("invalid reference") << QByteArray(R"({"blobscope":1,"files":["/a"],"at":"///"})") + '\n';
  QTest::newRow("more members") << QByteArray(R"({"blobscope":1,"files":[],"at":"","run":"x"})") + '\n';
  QTest::newRow("long path") << QByteArray(R"({"blobscope":1,"files":["/)") + QByteArray(20'000, 'x') +
                                    QByteArray(R"("],"at":""})") + '\n';
  QTest::newRow("large") << QByteArray(R"({"blobscope":1,"files":[],"at":""})") + QByteArray(100'000, ' ') + '\n';
}

void TestInstance::foreignMessagesAreRefused() {
  QFETCH(QByteArray, message);
  QVERIFY(!OpenRequest::fromMessage(message));
}

void TestInstance::requestArrives() {
  Instance instance(name());
  QVERIFY(instance.listen());
  QSignalSpy requested(&instance, &Instance::requested);
  for (int i = 0; i < 3; ++i) {
    const OpenRequest request{{QStringLiteral("/some/file%1.so").arg(i)}, QStringLiteral("m1")};
    QVERIFY(sendFromElsewhere(name(), request));
    QTRY_COMPARE_WITH_TIMEOUT(requested.size(), i + 1, kWaitMs);
    QVERIFY(requested.last().first().value<OpenRequest>() == request);
  }
}

void TestInstance::withoutAServerNothingIsSent() {
  QVERIFY(!Instance::send({}, {}));
  QVERIFY(!Instance::send(name() + QStringLiteral("-none"), {}));
  QVERIFY(!Instance(QString()).listen());
}

void TestInstance::secondServerIsRefused() {
  Instance first(name()), second(name());
  QVERIFY(first.listen() && first.isListening());
  QVERIFY(!second.listen() && !second.isListening());
  QSignalSpy requested(&first, &Instance::requested);
  QVERIFY(sendFromElsewhere(name(), {{QStringLiteral("/a")}, {}}));
  QTRY_COMPARE_WITH_TIMEOUT(requested.size(), 1, kWaitMs);
}

/// A program that ended without removing its socket does not keep later ones from listening.
void TestInstance::deadSocketIsReplaced() {
#ifdef Q_OS_WIN
  QSKIP("pipes end with their program");
#else
  const QString from = m_files.path(QStringLiteral("dead"));
  {
    QLocalServer server;
    QVERIFY(server.listen(from));
    QVERIFY(QFile::rename(server.fullServerName(), name())); // the server removes only its own name
  }
  QVERIFY(QFile::exists(name()));
  QVERIFY(!Instance::send(name(), {}));
  Instance instance(name());
  QVERIFY(instance.listen());
  QVERIFY(sendFromElsewhere(name(), {}));
#endif
}

void TestInstance::silentAndLargeClientsAreDropped() {
  Instance instance(name());
  QVERIFY(instance.listen());
  QSignalSpy requested(&instance, &Instance::requested);
  QLocalSocket silent, large, wrong;
  for (QLocalSocket* const socket : {&silent, &large, &wrong}) {
    socket->connectToServer(name());
    QVERIFY(socket->waitForConnected(kWaitMs));
  }
  large.write(QByteArray(1'000'000, 'x')); // never a line
  wrong.write("{}\n");
  for (QLocalSocket* const socket : {&large, &wrong, &silent})
    QTRY_COMPARE_WITH_TIMEOUT(socket->state(), QLocalSocket::UnconnectedState, kWaitMs);
  QVERIFY(requested.isEmpty());
  QVERIFY(sendFromElsewhere(name(), {}));
  QCOMPARE(requested.size(), 1);
}

void TestInstance::socketIsPrivate() {
  const QString usual = Instance::defaultName();
  QVERIFY(!usual.isEmpty());
  QCOMPARE(Instance::defaultName(), usual);
#ifndef Q_OS_WIN
  Instance instance(name());
  QVERIFY(instance.listen());
  constexpr auto kOthers = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
  QVERIFY(!(QFile::permissions(name()) & kOthers));
#endif
}

BLOBSCOPE_TEST(TestInstance);

#include "test_instance.moc"
