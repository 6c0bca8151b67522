#include "core/base/memory.h"

#include "tests/support/test_main.h"

#include <sys/resource.h>
#include <vector>

using namespace blobscope;

class TestExhaustedMemory : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void resultsAndErrorsArePassedOn() {
    const auto fine = withinMemory([]() -> Result<int> { return 7; });
    QVERIFY(fine);
    QCOMPARE(*fine, 7);
    const auto refused = withinMemory([]() -> Result<int> { return Error(DiagnosticId::Cancelled, {}); });
    QVERIFY(!refused);
    QCOMPARE(refused.error().id(), DiagnosticId::Cancelled);
  }
  void exhaustedMemoryBecomesAnError_data() {
    QTest::addColumn<bool>("length");
    QTest::newRow("std::bad_alloc") << false;
    QTest::newRow("std::length_error of a vector") << true;
  }
  void exhaustedMemoryBecomesAnError() {
    QFETCH(bool, length);
    const auto work = [&]() -> Result<std::size_t> {
      if (!length) throw std::bad_alloc();
      volatile std::size_t size = SIZE_MAX;
      return std::vector<int>(size).size();
    };
    const auto file = withinMemory(work);
    QVERIFY(!file);
    QCOMPARE(file.error().id(), DiagnosticId::FileLimit);
    QCOMPARE(file.error().code(), ErrorCode::Limit);
  }
  /// Other exceptions are our own mistakes and are not hidden.
  void otherExceptionsAreNotCaught() {
    QVERIFY_EXCEPTION_THROWN((void)withinMemory([]() -> Result<int> { throw std::runtime_error("x"); }),
                             std::runtime_error);
  }

  void messageNamesTheLimitOfTheProcess() {
    rlimit old = {};
    QCOMPARE(getrlimit(RLIMIT_AS, &old), 0);
    if (old.rlim_cur != RLIM_INFINITY) QSKIP("this process has a limit of its own");
    QCOMPARE(memoryError().message(), std::string("too much memory is needed, more than the limit of this system"));
    rlimit limited = old;
    limited.rlim_cur = uint64_t{1} << 45; // more than any test here needs, also with a sanitizer
    QCOMPARE(setrlimit(RLIMIT_AS, &limited), 0);
    const std::string message = memoryError().message();
    QCOMPARE(setrlimit(RLIMIT_AS, &old), 0);
    QCOMPARE(message, std::string("too much memory is needed, more than the limit of 32.0 TiB "
                                  "(35,184,372,088,832 bytes) for this process"));
  }
};

BLOBSCOPE_TEST(TestExhaustedMemory);
#include "test_memory.moc"
