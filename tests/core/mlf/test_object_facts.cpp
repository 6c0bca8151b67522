#include "core/mlf/object_facts.h"
#include "tests/support/builders.h"
#include "tests/support/coff_builder.h"
#include "tests/support/macho_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QStringList>
#include <QTest>

using namespace blobscope;
using namespace blobscope::test;
using mlf::ObjectFacts;

namespace {

ObjectFacts factsOf(std::string_view file) {
  NullMonitor monitor;
  return mlf::readObjectFacts(bytes(file), monitor);
}

/// "f" and "g (weak)" for functions.
QStringList functions(const ObjectFacts& facts) {
  QStringList out;
  for (const ObjectFacts::Function& function : facts.functions)
    out += QString::fromStdString(function.name) + (function.weak ? " (weak)" : "");
  return out;
}

ElfBuilder elfObject(uint16_t machine = 62) {
  ElfBuilder elf;
  elf.type = 1;
  elf.machine = machine;
  return elf;
}

} // namespace

class TestObjectFacts : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void elfSymbolsAreRead();
  void machineOfTheObjectIsRead_data();
  void machineOfTheObjectIsRead();
  void coffSymbolsAreRead();
  void machoSymbolsAreRead();
  void otherFilesAreNamed_data();
  void otherFilesAreNamed();
  void linkedParametersAreFound();
  void damagedObjectsAreSafe();
};

void TestObjectFacts::elfSymbolsAreRead() {
  ElfBuilder elf = elfObject();
  elf.function("tvmgen_default_fused_add").data("__tvm_main__", "name").undefined("TVMFuncCall");
  elf.symbol("__truncsfhf2", 0, 4, 0x22, 1).symbol("local", 0, 4, 0x02, 1);
  const ObjectFacts facts = factsOf(elf.build());
  QCOMPARE(facts.kind, ObjectFacts::Kind::Object);
  QCOMPARE(facts.text(), std::string("ELF for x86_64, 64 bit, little endian"));
  QVERIFY(facts.complete);
  QCOMPARE(functions(facts), QStringList({"tvmgen_default_fused_add", "__truncsfhf2 (weak)"}));
  QVERIFY(facts.defines("__tvm_main__") && facts.defines("__truncsfhf2") && !facts.defines("TVMFuncCall") &&
          !facts.defines("local"));
}

void TestObjectFacts::machineOfTheObjectIsRead_data() {
  QTest::addColumn<int>("machine");
  QTest::addColumn<bool>("is64");
  QTest::addColumn<bool>("big");
  QTest::addColumn<QString>("text");
  QTest::newRow("arm") << 40 << false << false << "ELF for arm, 32 bit, little endian";
  QTest::newRow("aarch64") << 183 << true << false << "ELF for aarch64, 64 bit, little endian";
  QTest::newRow("riscv32") << 243 << false << false << "ELF for riscv32, 32 bit, little endian";
  QTest::newRow("mips") << 8 << false << true << "ELF for mips, 32 bit, big endian";
  QTest::newRow("unknown") << 250 << true << false << "ELF for an unknown machine, 64 bit, little endian";
}

void TestObjectFacts::machineOfTheObjectIsRead() {
  QFETCH(int, machine);
  QFETCH(bool, is64);
  QFETCH(bool, big);
  QFETCH(QString, text);
  ElfBuilder elf = elfObject(static_cast<uint16_t>(machine));
  elf.is64 = is64;
  elf.bigEndian = big;
  elf.function("f");
  QCOMPARE(QString::fromStdString(factsOf(elf.build()).text()), text);
}

/// The linker keeps one of the functions in COMDAT sections; core/formats/model-library-format.md 15.
void TestObjectFacts::coffSymbolsAreRead() {
  for (const bool big : {false, true}) {
    CoffBuilder coff;
    coff.big = big;
    coff.sections = {{".text", 0x60000020, "code"}, {".text", 0x60001020, "more"}, {".rdata", 0x40000040, "data"}};
    coff.symbols = {
        {"f", 0, 1, 0x20}, {"helper", 0, 2, 0x20}, {"local", 0, 1, 0x20, 3}, {"table", 0, 3}, {"outside", 0, 0, 0x20}};
    const ObjectFacts facts = factsOf(coff.build());
    QCOMPARE(facts.text(), std::string("COFF for x86_64, 64 bit, little endian"));
    QCOMPARE(functions(facts), QStringList({"f", "helper (weak)"}));
    QCOMPARE(facts.data, std::vector<std::string>{"table"});
  }
}

void TestObjectFacts::machoSymbolsAreRead() {
  MachOBuilder macho;
  macho.fileType = 1;
  macho.function("_f").data("_table", "data").undefined("_outside");
  macho.add("_weak", MachOBuilder::Text, "code", MachOBuilder::kGlobal, 0x80)
      .add("_local", MachOBuilder::Text, "code", MachOBuilder::kLocal);
  const ObjectFacts facts = factsOf(macho.build());
  QCOMPARE(facts.text(), std::string("Mach-O for aarch64, 64 bit, little endian"));
  QStringList found = functions(facts);
  found.sort();
  QCOMPARE(found, QStringList({"f", "weak (weak)"}));
  QVERIFY(facts.defines("table") && !facts.defines("local") && !facts.defines("outside"));
}

void TestObjectFacts::otherFilesAreNamed_data() {
  QTest::addColumn<QByteArray>("file");
  QTest::addColumn<QString>("why");
  const auto row = [](const char* title, const std::string& file, const char* why) {
    QTest::newRow(title) << QByteArray::fromStdString(file) << why;
  };
  row("empty", "", "empty");
  row("bitcode", std::string("BC\xc0\xde\x35\x14\x00\x00", 8), "LLVM bitcode");
  row("wrapped bitcode", std::string("\xde\xc0\x17\x0b\x00\x00\x00\x00", 8), "LLVM bitcode");
  row("text", "int f();\n", "text");
  row("empty archive", "!<arch>\n", "an archive");
  ElfBuilder elf;
  elf.function("f");
  row("shared library", elf.build(), "a shared library");
  elf.type = 2;
  row("executable", elf.build(), "an executable");
  row("unknown", std::string("\x01\x02\x03\x00\xff", 5), "");
  row("wasm", std::string("\0asm\1\0\0\0", 8), "");
}

void TestObjectFacts::otherFilesAreNamed() {
  QFETCH(QByteArray, file);
  QFETCH(QString, why);
  const ObjectFacts facts = factsOf(std::string_view(file.data(), static_cast<std::size_t>(file.size())));
  QCOMPARE(facts.kind, why.isEmpty() ? ObjectFacts::Kind::Unknown : ObjectFacts::Kind::Other);
  QCOMPARE(QString::fromStdString(facts.why), why);
}

void TestObjectFacts::linkedParametersAreFound() {
  ElfBuilder elf = elfObject();
  elf.function("_lookup_linked_param").symbol("__tvm_param__p0", 0, 4, 0x01, 1);
  QCOMPARE(factsOf(elf.build()).linkedParameters, std::vector<std::string>{"p0"});
}

void TestObjectFacts::damagedObjectsAreSafe() {
  ElfBuilder elf = elfObject();
  elf.function("f").data("d", "data");
  CoffBuilder coff;
  coff.sections = {{".text", 0x60001020, "code"}};
  coff.symbols = {{"a_long_name", 0, 1, 0x20}};
  MachOBuilder macho;
  macho.fileType = 1;
  macho.function("_f");
  for (const std::string& good : {elf.build(), coff.build(), macho.build()})
    for (std::size_t size = 0; size < good.size(); ++size) {
      const ObjectFacts facts = factsOf(good.substr(0, size));
      QVERIFY(facts.functions.size() <= 1);
      std::string bad = good;
      for (const char value : {'\0', '\x7f', '\xff'}) {
        bad[size] = value;
        factsOf(bad);
      }
    }
}

BLOBSCOPE_TEST(TestObjectFacts);
#include "test_object_facts.moc"
