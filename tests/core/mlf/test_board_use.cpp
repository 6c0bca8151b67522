#include "core/mlf/board_use.h"

#include "core/mlf/pages/fit_page.h"
#include "core/view/memory_fit.h"
#include "core/view/table_extras.h"
#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/elf_yaml.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

struct OpenedArchive {
  library::PackagePtr package;
  mlf::ArchivePtr archive;
};
OpenedArchive openedArchive(const std::string& tar) {
  NullMonitor monitor;
  OpenedArchive out;
  const auto package = openBytes(tar);
  if (!package) qFatal("%s", package.error().message().c_str());
  out.package = *package;
  const auto archive = mlf::readArchive(out.package, monitor);
  if (!archive || !*archive) qFatal("no archive");
  out.archive = *archive;
  return out;
}

/// "PART=BYTES PART=BYTES | PART=BYTES": RAM and flash; "?" after those that are not known.
std::string useText(const Mlf& mlf, std::optional<uint64_t> alignment = {}) {
  const OpenedArchive opened = openedArchive(mlf.tar());
  const mlf::BoardUse use = mlf::boardUse(*opened.archive, *opened.package, alignment);
  std::string out;
  for (const auto* const parts : {&use.ram, &use.flash}) {
    if (parts == &use.flash) out += out.empty() ? "| " : " | ";
    for (const mlf::BoardUse::Part& part : *parts)
      out += (&part == &parts->front() ? "" : " ") + part.name + "=" + std::to_string(part.bytes);
    if (!(parts == &use.ram ? use.ramKnown : use.flashKnown)) out += "?";
  }
  return out;
}

/// An object for Cortex-M with 100 bytes of code, 24 of constants, 12 of data and 200 of zeroed data.
std::string objectWithData(const std::string& machine = "EM_ARM") {
  return elfOfYaml(R"(
--- !ELF
FileHeader: { Class: ELFCLASS32, Data: ELFDATA2LSB, Type: ET_REL, Machine: )" +
                   machine + R"( }
Sections:
  - { Name: .text, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC, SHF_EXECINSTR ], Size: 100 }
  - { Name: .rodata, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC ], Size: 24 }
  - { Name: .data, Type: SHT_PROGBITS, Flags: [ SHF_ALLOC, SHF_WRITE ], Size: 12 }
  - { Name: .bss, Type: SHT_NOBITS, Flags: [ SHF_ALLOC, SHF_WRITE ], Size: 200 }
  - { Name: .comment, Type: SHT_PROGBITS, Size: 1000 }
...
)");
}

Mlf withObject(MlfStyle style) {
  Mlf mlf = cleanMlf(7, style);
  return mlf.add("./codegen/host/lib/default_lib0.o", objectWithData());
}

view::TablePage fitTable(const Mlf& mlf, const std::string& choice) {
  NullMonitor monitor;
  const OpenedArchive opened = openedArchive(mlf.tar());
  const auto page = view::resolvePage(mlf::fitPage(opened.archive, opened.package), monitor);
  if (!page) qFatal("%s", page.error().message().c_str());
  const auto& table = std::get<view::TablePage>(page->content);
  if (choice.empty()) return table;
  auto chosen = table.extras->choose(choice, monitor);
  if (!chosen) qFatal("%s", chosen.error().message().c_str());
  return *chosen;
}

std::string fitSentence(const Mlf& mlf, const std::string& choice) {
  return fitTable(mlf, choice).extras->fit->sentence;
}

} // namespace

class TestBoardUse : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void memoryIsCounted_data() {
    QTest::addColumn<std::string>("counted");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const Mlf& mlf, const std::string& expected) {
      QTest::newRow(name) << useText(mlf) << expected;
    };
    const std::string ram = "workspace=64 inputs and outputs=32";
    const auto graphBytes = [](const Mlf& mlf) {
      Mlf copy = mlf;
      const std::string path = "./executor-config/graph/default.graph";
      return copy.find(path) ? std::to_string(copy.at(path).size()) : std::string("no graph");
    };
    const Mlf graph = cleanMlf(7, MlfStyle::Graph);
    Mlf stored = graph;
    const std::string file = std::to_string(stored.at("./parameters/default.params").size());
    row("graph: its parameters are in both memories", graph,
        ram + " parameters=16 | graph=" + graphBytes(graph) + " parameters=" + file);
    row("AOT: constants are in flash", cleanMlf(7, MlfStyle::Aot).set("constants_size_bytes", "48"),
        ram + " | constants=48");
    row("workspace is rounded up", cleanMlf(7, MlfStyle::Aot).set("workspace_size_bytes", "65"),
        "workspace=65 alignment of workspaces=15 inputs and outputs=32 | ");
    row("alignment of the target",
        cleanMlf(7, MlfStyle::Aot)
            .set("workspace_size_bytes", "65")
            .set("target", R"(["c -keys=cpu -workspace-byte-alignment=4"])"),
        "workspace=65 alignment of workspaces=3 inputs and outputs=32 | ");
    row("alignment that is none",
        cleanMlf(7, MlfStyle::Aot)
            .set("workspace_size_bytes", "65")
            .set("target", R"(["c -keys=cpu -workspace-byte-alignment=12"])"),
        "workspace=65 alignment of workspaces=15 inputs and outputs=32 | ");
    row("largest number", cleanMlf(7, MlfStyle::Aot).set("workspace_size_bytes", "18446744073709551615"),
        "workspace=18446744073709551615 inputs and outputs=32 | ");
    row("devices are added up",
        cleanMlf(7, MlfStyle::Aot)
            .set("main",
                 R"([{"device": 1, "workspace_size_bytes": 16, "io_size_bytes": 1, "constants_size_bytes": 2},)"
                 R"({"device": 2, "workspace_size_bytes": 32, "io_size_bytes": 3, "constants_size_bytes": 4}])"),
        "workspace=48 inputs and outputs=4 | constants=6");
    row("objects", withObject(MlfStyle::Aot),
        ram + " data of objects=212 | code and constants of objects=124 first values of data=12");
    row("constants in the objects", withObject(MlfStyle::Aot).set("constants_size_bytes", "24"),
        ram + " data of objects=212 | code and constants of objects=124 first values of data=12");
    row("constants that the objects cannot have", withObject(MlfStyle::Aot).set("constants_size_bytes", "125"),
        ram + " data of objects=212 | constants=125 code and constants of objects=124 first values of data=12");
    row("a file that is no object", cleanMlf(7, MlfStyle::Aot).add("./codegen/host/lib/default_lib0.o", "no object"),
        ram + "? | ?");
    row("missing workspace", cleanMlf(7, MlfStyle::Aot).set("main", R"([{"device": 1, "io_size_bytes": 1}])"),
        "inputs and outputs=1? | ?");
    row("version 1 states nothing", cleanMlf(1, MlfStyle::Aot), "? | ?");
    row("operator: its buffers", cleanMlf(7, MlfStyle::Operator), "buffers of the largest operator=32 | ");
    Mlf two = cleanMlfOfTwo("net", "b");
    row("two models", two,
        "workspace=128 inputs and outputs=64 parameters=16 | graph=" +
            std::to_string(two.at("./executor-config/graph/net.graph").size()) +
            " parameters=" + std::to_string(two.at("./parameters/net.params").size()));
  }
  void memoryIsCounted() {
    QFETCH(std::string, counted);
    QFETCH(std::string, expected);
    QCOMPARE(counted, expected);
  }

  void alignmentIsChosen() {
    const Mlf mlf = cleanMlf(7, MlfStyle::Aot).set("workspace_size_bytes", "65");
    QCOMPARE(useText(mlf, 1), std::string("workspace=65 inputs and outputs=32 | "));
    QCOMPARE(useText(mlf, 128), std::string("workspace=65 alignment of workspaces=63 inputs and outputs=32 | "));
    QVERIFY(mlf::isAlignment(1) && mlf::isAlignment(4096));
    QVERIFY(!mlf::isAlignment(0) && !mlf::isAlignment(12) && !mlf::isAlignment(8192));
  }

  void limitsDecide() {
    using mlf::Fit;
    QCOMPARE(mlf::fitOf(10, true, 10), Fit::Fits);
    QCOMPARE(mlf::fitOf(11, true, 10), Fit::TooLarge);
    QCOMPARE(mlf::fitOf(11, false, 10), Fit::TooLarge); // more cannot make it fit
    QCOMPARE(mlf::fitOf(10, false, 10), Fit::Unknown);
    QCOMPARE(mlf::fitOf(10, true, std::nullopt), Fit::Unknown);
    QCOMPARE(mlf::fitOf(UINT64_MAX, true, UINT64_MAX), Fit::Fits);
  }

  void answersAreSentences_data() {
    QTest::addColumn<std::string>("sentence");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const Mlf& mlf, const char* choice, const char* expected) {
      QTest::newRow(name) << fitSentence(mlf, choice) << std::string(expected);
    };
    const Mlf small = cleanMlf(7, MlfStyle::Aot).set("constants_size_bytes", "48");
    Mlf object = withObject(MlfStyle::Aot);
    for (const char* const file : {"./codegen/host/src/default_lib0.c", "./codegen/host/src/default_lib1.c"})
      object.remove(file);
    row("all boards", small, "",
        "Without the code of its C sources, the archive fits 35 of 35 boards: it needs at least 96 bytes of RAM and "
        "48 bytes of flash.");
    row("objects only", object, "Raspberry Pi Pico",
        "The archive fits Raspberry Pi Pico: it needs at least 308 bytes of RAM and 136 bytes of flash.");
    row("other processor", object, "ESP32-C3-DevKitM-1",
        "The archive does not fit ESP32-C3-DevKitM-1: other processor, it needs at least 308 bytes of RAM and 136 "
        "bytes of "
        "flash.");
    row("boards with that processor", object, "",
        "The archive fits 31 of 35 boards: it needs at least 308 bytes of RAM and 136 bytes of flash.");
    Mlf foreign = object;
    foreign.remove("./codegen/host/lib/default_lib0.o")
        .add("./codegen/host/lib/default_lib0.o", objectWithData("EM_386"));
    row("no board has the processor", foreign, "",
        "The archive fits none of 35 boards: its objects are made for i386. It needs at least 308 bytes of RAM and 136 "
        "bytes of flash.");
    row("RAM is too small", small, "95, 48",
        "The archive does not fit the chosen sizes: RAM too small, it needs at least 96 bytes of RAM and 48 bytes of "
        "flash.");
    row("flash is too small", small, "96 , 47",
        "The archive does not fit the chosen sizes: flash too small, it needs at least 96 bytes of RAM and 48 bytes of "
        "flash.");
    row("both are too small", small, "1,1",
        "The archive does not fit the chosen sizes: RAM and flash too small, it needs at least 96 bytes of RAM and 48 "
        "bytes of flash.");
    row("exactly", small, "96,48",
        "Without the code of its C sources, the archive fits the chosen sizes: it needs at least 96 bytes of RAM and "
        "48 bytes of flash.");
    row("only RAM is given", small, "1k",
        "Whether the archive fits the chosen sizes is not known: it needs at least 96 bytes of RAM and 48 bytes of "
        "flash, and no size of the flash was given.");
    row("alignment alone", small, "align 128",
        "Without the code of its C sources, the archive fits 35 of 35 boards: it needs at least 160 bytes of RAM and "
        "48 bytes of flash.");
    row("board with alignment", small, "arduino uno r3, align 128",
        "Without the code of its C sources, the archive fits Arduino Uno R3: it needs at least 160 bytes of RAM and 48 "
        "bytes of flash.");
    row("nothing is known", cleanMlf(1, MlfStyle::Aot), "Arduino Due",
        "Whether the archive fits Arduino Due is not known: it needs at least 0 bytes of RAM and 0 bytes of flash, and "
        "some sizes are missing.");
    row("no model fits any board", cleanMlf(7, MlfStyle::Aot).set("workspace_size_bytes", "18446744073709551615"), "",
        "The archive fits 0 of 35 boards: it needs at least 16.0 EiB (18,446,744,073,709,551,615 bytes) of RAM and "
        "0 bytes of flash.");
  }
  void answersAreSentences() {
    QFETCH(std::string, sentence);
    QFETCH(std::string, expected);
    QCOMPARE(sentence, expected);
  }

  void boardsAreRows() {
    const view::TablePage page = fitTable(cleanMlf(7, MlfStyle::Aot).set("workspace_size_bytes", "40000"), "64k,1");
    const view::TableSource& table = *page.source;
    QCOMPARE(table.rowCount(), uint64_t{36}); // the chosen sizes are the first row
    QCOMPARE(table.cell(0, 0), std::string("chosen sizes"));
    QCOMPARE(table.cell(0, 1), std::string("fits"));
    QCOMPARE(table.cell(0, 3), std::string("1"));
    uint64_t uno = 1;
    while (uno < table.rowCount() && table.cell(uno, 0) != "Arduino Uno R3") ++uno;
    QVERIFY(uno < table.rowCount());
    // 40,000 bytes and 32 for inputs and outputs, of 2 KiB.
    QCOMPARE(table.cell(uno, 1) + ' ' + table.cell(uno, 2), std::string("RAM too small -37,984"));
    QCOMPARE(table.cell(uno, 3), std::string("32,768"));
    QVERIFY(table.isGood(0, 1) == std::optional(true) && table.isGood(uno, 1) == std::optional(false));
    QVERIFY(!table.isGood(uno, 0) && !table.isGood(uno, 2));
    // A lack is less than any rest, and a large lack is less than a small one.
    const view::TablePage larger = fitTable(cleanMlf(7, MlfStyle::Aot).set("workspace_size_bytes", "50000"), {});
    QVERIFY(table.number(uno, 2) < table.number(0, 2));
    QVERIFY(larger.source->number(uno - 1, 2) < table.number(uno, 2));
    QCOMPARE(page.extras->summary, std::string("34 of 36 boards fit"));
    QCOMPARE(page.extras->choice, std::string("64k,1"));
    QCOMPARE(page.extras->fit->groups[0].limit, std::optional(uint64_t{65536}));
    QCOMPARE(page.extras->fit->groups[1].limit, std::optional(uint64_t{1}));
  }

  void choicesAreRefused_data() {
    QTest::addColumn<std::string>("choice");
    QTest::addColumn<std::string>("known");
    QTest::newRow("near name") << std::string("nucleo l4r5") << std::string("possible choices: NUCLEO-L4R5ZI, ");
    QTest::newRow("no near name") << std::string("~~") << std::string("Adafruit PyBadge, Arduino Due, ");
    QTest::newRow("size that is none") << std::string("1 KiB, much") << std::string("sizes such as 256 KiB, 1 MiB");
    QTest::newRow("alignment") << std::string("1k, 2k, align 12") << std::string("a power of two up to 4096");
    QTest::newRow("alignment without number") << std::string("align x") << std::string("a power of two up to 4096");
  }
  void choicesAreRefused() {
    QFETCH(std::string, choice);
    QFETCH(std::string, known);
    NullMonitor monitor;
    const auto chosen = fitTable(cleanMlf(7, MlfStyle::Aot), {}).extras->choose(choice, monitor);
    QVERIFY(!chosen);
    QVERIFY2(chosen.error().message().find(known) != std::string::npos, chosen.error().message().c_str());
    QVERIFY2(chosen.error().message().find("'Will it fit?'") != std::string::npos, chosen.error().message().c_str());
  }
};

BLOBSCOPE_TEST(TestBoardUse);

#include "test_board_use.moc"
