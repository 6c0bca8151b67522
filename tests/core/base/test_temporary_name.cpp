#include "core/base/temporary_name.h"

#include "tests/support/test_main.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace blobscope;

class TestTemporaryName : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void nameRoundTrips() {
    for (const TemporaryName name :
         {TemporaryName{1, 0, 0}, TemporaryName{4194304, 18446744073709551615ULL, 18446744073709551615ULL},
          TemporaryName::make()}) {
      const std::string text = name.text();
      QVERIFY2(text.starts_with(".blobscope-"), text.c_str());
      QVERIFY(text.size() < 100);
      const auto read = TemporaryName::parse(text);
      QVERIFY2(read, text.c_str());
      QCOMPARE(read->process, name.process);
      QCOMPARE(read->started, name.started);
      QCOMPARE(read->random, name.random);
    }
  }
  void twoNamesDiffer() { QVERIFY(TemporaryName::make().text() != TemporaryName::make().text()); }
  /// A name with one letter changed, added or removed is not ours.
  void changedNameIsNotRecognised() {
    const std::string text = TemporaryName{1234, 567890, 0xfedcba9876543210}.text();
    QVERIFY(TemporaryName::parse(text));
    for (std::size_t i = 0; i < text.size(); ++i) {
      for (const char letter : {'0', '1', 'a', 'A', '-', ' '}) {
        std::string other = text;
        if (other[i] == letter) continue;
        other[i] = letter;
        QVERIFY2(!TemporaryName::parse(other), other.c_str());
      }
      QVERIFY(!TemporaryName::parse(text.substr(0, i)));
      QVERIFY(!TemporaryName::parse(text.substr(0, i) + "0" + text.substr(i)));
    }
    QVERIFY(!TemporaryName::parse(text + "0"));
    QVERIFY(!TemporaryName::parse({}));
  }
  void nameIsInUseWhileItsProcessRuns() {
    const pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    QVERIFY(child > 0);
    TemporaryName name = TemporaryName::make();
    QVERIFY(name.isInUse());
    const uint64_t own = name.started;
    name.process = static_cast<uint64_t>(child);
    name.started = 0; // not known: the number counts
    const bool runs = name.isInUse();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    QVERIFY(runs);
    QVERIFY(!name.isInUse());
    name = TemporaryName::make();
    if (own == 0) QSKIP("the system does not say when a process started");
    name.started = own + 1; // the number is reused
    QVERIFY(!name.isInUse());
    // Numbers that no process has are not ours.
    name.process = 0;
    QVERIFY(name.isInUse());
    name.process = UINT64_MAX;
    QVERIFY(name.isInUse());
  }
};

BLOBSCOPE_TEST(TestTemporaryName);
#include "test_temporary_name.moc"
