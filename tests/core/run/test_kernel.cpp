#include "core/run/kernel.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

class TestKernel : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void extentsAreParsed_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("extents");
    const auto row = [](const char* name, const std::string& text, const char* extents) {
      QTest::newRow(name) << text << std::string(extents);
    };
    row("one", "4", "4 1 1");
    row("two", "4,2", "4 2 1");
    row("three", "4,2,3", "4 2 3");
    row("zeros, which the plan refuses", "0,0,0", "0 0 0");
    row("the largest of 64 bits", "18446744073709551615", "18446744073709551615 1 1");
    row("more than 64 bits", "18446744073709551616", "none");
    row("four", "1,2,3,4", "none");
    row("nothing", "", "none");
    row("only a comma", ",", "none");
    row("a comma at the end", "4,", "none");
    row("a comma at the end of three", "4,2,3,", "none");
    row("a comma at the beginning", ",4", "none");
    row("an empty one in the middle", "4,,3", "none");
    row("negative", "-1", "none");
    row("with a sign", "+1", "none");
    row("a blank", "4, 2", "none");
    row("a word", "four", "none");
    row("a fraction", "1.5", "none");
    row("a NUL after the number", std::string("4\0", 2), "none");
    row("digits without end", "1," + std::string(20'000, '1'), "none");
    row("only commas", std::string(10'000, ','), "none");
  }
  void extentsAreParsed() {
    QFETCH(std::string, text);
    QFETCH(std::string, extents);
    const auto found = run::parseExtents(text);
    QCOMPARE(found ? std::to_string((*found)[0]) + " " + std::to_string((*found)[1]) + " " + std::to_string((*found)[2])
                   : std::string("none"),
             extents);
  }
};

BLOBSCOPE_TEST(TestKernel);
#include "test_kernel.moc"
