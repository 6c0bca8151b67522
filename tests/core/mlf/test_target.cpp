#include "core/mlf/target.h"

#include "core/mlf/machines.h"
#include "core/mlf/metadata_place.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"

using namespace blobscope;

class TestTarget : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void targetsAreSplit_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("split"); // "kind; name: value; …", then the reason after "!"
    const auto row = [](const char* name, const char* text, const char* split) {
      QTest::newRow(name) << std::string(text) << std::string(split);
    };
    row("only a kind", "llvm", "llvm");
    row("attributes", "llvm -mcpu=cortex-m4 -keys=arm_cpu,cpu", "llvm; mcpu: cortex-m4; keys: arm_cpu,cpu");
    row("many blanks", "  llvm   -mcpu=a  ", "llvm; mcpu: a");
    row("two dashes", "llvm --system-lib=1", "llvm; system-lib: 1");
    row("value as a word of its own", "llvm -mcpu cortex-a7", "llvm; mcpu: cortex-a7");
    row("no value", "c --link-params -mcpu=a", "c; link-params: 1; mcpu: a");
    row("no value at the end", "c --link-params", "c; link-params: 1");
    row("equals sign in a value", "c -a=b=c", "c; a: b=c");
    row("quotes", "c -a=\"x y\" -b='\"'", "c; a: x y; b: \"");
    row("backslash", "c -a=x\\ y", "c; a: x y");
    row("nothing", "", "! it does not begin with a kind");
    row("no kind", "-mcpu=a", "! it does not begin with a kind");
    row("open quote", "c -a=\"x", "! a quote is not closed");
    row("two kinds", "c llvm", "c! 'llvm' is not an attribute");
    row("no name", "c -=1", "c! '-=1' has no name");
    row("only dashes", "c --", "c! '--' has no name");
    row("empty value", "c -a=1 -b=", "c; a: 1! '-b=' has no value");
  }
  void targetsAreSplit() {
    QFETCH(std::string, text);
    QFETCH(std::string, split);
    const mlf::Target target = mlf::parseTarget(text);
    std::string found = target.kind;
    for (const mlf::Target::Attribute& one : target.attributes) found += "; " + one.name + ": " + one.value;
    QCOMPARE(found + (target.why.empty() ? "" : "! " + target.why), split);
  }

  void firstAttributeIsFound() {
    const mlf::Target target = mlf::parseTarget("c -a=1 -a=2");
    QVERIFY(target.find("a"));
    QCOMPARE(*target.find("a"), std::string("1"));
    QVERIFY(!target.find("b"));
  }

  void kindsHaveDevices() {
    QCOMPARE(mlf::deviceOfKind("llvm"), 1U);
    QCOMPARE(mlf::deviceOfKind("cuda"), 2U);
    QCOMPARE(mlf::deviceOfKind("webgpu"), 15U);
    QCOMPARE(mlf::deviceOfKind("unheard-of"), 0U);
    QVERIFY(mlf::isDeviceType(1) && mlf::isDeviceType(18));
    QVERIFY(!mlf::isDeviceType(0) && !mlf::isDeviceType(19));
  }

  void targetsNameMachines_data() {
    QTest::addColumn<std::string>("target");
    QTest::addColumn<std::string>("machines");
    const auto row = [](const char* target, const char* machines) {
      QTest::newRow(target) << std::string(target) << std::string(machines);
    };
    row("llvm", "");
    row("llvm -mtriple=x86_64-linux-gnu", "x86_64");
    row("llvm -mtriple=arm64-apple-darwin", "aarch64");
    row("llvm -mtriple=armv7l-linux-gnueabihf -mcpu=skylake", "arm");
    row("llvm -mtriple=armebv7-none", "armeb");
    row("llvm -mtriple=mipsel-linux", "mipsel");
    row("llvm -mtriple=mips64el-linux", "mips64el mipsel");
    row("llvm -mtriple=unheard-of", "");
    row("c -mcpu=cortex-m4", "arm");
    row("c -mcpu=cortex-a7", "arm");
    row("c -mcpu=cortex-a72", "aarch64 arm");
    row("c -mcpu=cortex-x1", "aarch64");
    row("c -mcpu=skylake-avx512", "x86_64 i386");
    row("c -mcpu=sifive-e31", "riscv32");
    row("c -mcpu=unheard-of -march=rv64gc", "riscv64");
    row("c -march=armv7e-m", "arm");
    row("c -march=armv8-a", "aarch64 arm");
    row("c -march=armv8-m.main", "arm");
    row("c -march=unheard-of", "");
  }
  void targetsNameMachines() {
    QFETCH(std::string, target);
    QFETCH(std::string, machines);
    std::string found;
    for (const std::string& one : mlf::machinesOf(mlf::parseTarget(target))) found += (found.empty() ? "" : " ") + one;
    QCOMPARE(found, machines);
  }

  void pointersAreShownAsPaths_data() {
    QTest::addColumn<std::string>("pointer");
    QTest::addColumn<std::string>("path");
    QTest::addColumn<std::string>("last");
    const auto row = [](const char* pointer, const char* path, const char* last) {
      QTest::newRow(pointer) << std::string(pointer) << std::string(path) << std::string(last);
    };
    row("", "the root", "");
    row("/modules/net/memory", "modules.net.memory", "memory");
    row("/main/0/size", "main[0].size", "size");
    row("/0", "[0]", "0");
    row("/a~1b/c~0d", "a/b.c~d", "c~d");
    row("/12x", "12x", "12x");
  }
  void pointersAreShownAsPaths() {
    QFETCH(std::string, pointer);
    QFETCH(std::string, path);
    QFETCH(std::string, last);
    QCOMPARE(mlf::whereText(pointer), path);
    QCOMPARE(mlf::lastStep(pointer), last);
    QCOMPARE(mlf::metadataPlace(pointer).text(), "metadata.json" + (pointer.empty() ? "" : " " + pointer));
  }
};

BLOBSCOPE_TEST(TestTarget);

#include "test_target.moc"
