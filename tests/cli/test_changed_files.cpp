#include "tests/cli/cli.h"
#include "tests/core/base/files.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>

namespace blobscope::test {
/// Other programs write to files while ours works with them.
class TestChangedFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    const std::string sample = readFile(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cpu.so");
    for (const char* const name : {"a.so", "b.so"}) {
      writeFile(in(*m_folder, name), sample);
      QVERIFY(touch(name));
    }
  }

  /// A verb that looks ends with a check: what it printed may be of two states of the file.
  void overwrittenWhilePrinted_data() {
    QTest::addColumn<QString>("command");
    QTest::addColumn<QByteArray>("code");
    const QString overwrite = QStringLiteral("printf changed | dd of=a.so conv=notrunc 2>/dev/null");
    QTest::newRow("no") << QStringLiteral("true") << QByteArray("0\n");
    QTest::newRow("yes") << overwrite << QByteArray("2\n");
    QTest::newRow("and the time set back") << overwrite + QStringLiteral("; touch -d @1000000000 a.so") << QByteArray("2\n");
    QTest::newRow("another file took the name") << QStringLiteral("echo new > b.so; mv b.so a.so") << QByteArray("0\n");
  }
  void overwrittenWhilePrinted() {
    QFETCH(QString, command);
    QFETCH(QByteArray, code);
    std::string text;
    for (int i = 0; i < 40'000; ++i) text += "string " + std::to_string(i) + std::string(1, '\0');
    writeFile(in(*m_folder, "a.so"), readFile(in(*m_folder, "a.so")) + text);
    QVERIFY(touch("a.so"));
    // The first byte shows that the file is open; all of it is more than a pipe holds, so the verb waits meanwhile.
    const Outcome outcome = runShell(m_folder->path(), QStringLiteral("{ \"$0\" strings a.so; echo $? > code; } | { dd bs=1 count=1 of=/dev/null 2>/dev/null; ") + command +
                                                           QStringLiteral("; cat > /dev/null; }"));
    QVERIFY2(outcome.exit == 0, outcome.text());
    QCOMPARE(QByteArray::fromStdString(readFile(in(*m_folder, "code"))), code);
    QCOMPARE(outcome.err.contains("file changed while open"), code == "2\n");
  }

 private:
  /// Gives it a time in the past, so that whatever is written later has another one.
  bool touch(const char* name) {
    const timespec past[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    return utimensat(AT_FDCWD, in(*m_folder, name).c_str(), past, 0) == 0;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

BLOBSCOPE_TEST(TestChangedFiles);

} // namespace blobscope::test

#include "test_changed_files.moc"
