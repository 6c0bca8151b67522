#include "tests/support/test_main.h"

#include <QCoreApplication>
#include <QTextStream>

namespace blobscope::test {

std::vector<TestClass>& testClasses() {
  static std::vector<TestClass> classes;
  return classes;
}

} // namespace blobscope::test

/// `program [CLASS [QtTest arguments…]]`
int main(int argc, char** argv) {
  // A stack dump by a debugger takes minutes, and some tests let a child crash.
  qputenv("QTEST_DISABLE_STACK_DUMP", "1");
  // A limit against hanging: a busy machine needs minutes for what usually takes seconds.
  if (qEnvironmentVariableIsEmpty("QTEST_FUNCTION_TIMEOUT")) qputenv("QTEST_FUNCTION_TIMEOUT", "900000");
  const QString only = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QString();
  const QString results = qEnvironmentVariable("BLOBSCOPE_RESULTS");
  const QString program = QString::fromLocal8Bit(argv[0]).section(QLatin1Char('/'), -1);
  int failed = 0;
  bool found = false;
  for (const auto& testClass : blobscope::test::testClasses()) {
    const QString name = QString::fromLatin1(testClass.name);
    if (!only.isEmpty() && only != name) continue;
    found = true;
    // The handler of QtTest for crashes would call itself without end when a class before has installed it too.
    QStringList arguments = {program, QStringLiteral("-nocrashhandler")};
    for (int i = 2; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
    if (!results.isEmpty())
      arguments << QStringLiteral("-o")
                << results + QLatin1Char('/') + program + QLatin1Char('.') + name + QStringLiteral(".xml,junitxml");
    arguments << QStringLiteral("-o") << QStringLiteral("-,txt");
    const auto object = testClass.make();
    failed += QTest::qExec(object.get(), arguments);
  }
  if (!found) {
    QTextStream(stderr) << "no test class '" << only << "' in " << program << '\n';
    return 1;
  }
  return failed > 0 ? 1 : 0;
}
