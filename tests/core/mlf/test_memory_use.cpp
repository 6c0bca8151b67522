#include "core/mlf/memory_use.h"

#include "core/mlf/reader.h"
#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// Reads an archive and calls `text` with its model and its first module.
template <class Text> std::string ofModel(const std::string& tar, Text text) {
  NullMonitor monitor;
  mlf::Findings findings;
  const auto model = mlf::readModel(bytes(tar), findings, monitor);
  if (!model) return model.error().message();
  return model->modules.empty() ? "no module" : text(*model, model->modules.front());
}

std::string mainText(const std::string& tar) {
  return ofModel(tar, [](const mlf::Model& model, const mlf::ModelModule& module) {
    std::string out;
    for (const mlf::DeviceMemory& one : mlf::mainMemory(model, module))
      out += (out.empty() ? "" : "; ") + std::to_string(one.device) + ": " + std::to_string(one.workspace) + " " +
             std::to_string(one.io) + " " + std::to_string(one.constants);
    return out;
  });
}
std::string functionsText(const std::string& tar) {
  return ofModel(tar, [](const mlf::Model& model, const mlf::ModelModule& module) {
    std::string out;
    for (const mlf::FunctionMemory& one : mlf::functionMemory(model, module))
      out += (out.empty() ? "" : "; ") + std::string(one.name) + " on " + std::to_string(one.device) + ": " +
             std::to_string(one.bytes);
    return out;
  });
}

/// "TITLE [BUDGET]: BAR (NOTE) PART=BYTES PART=BYTES, BAR …; NOTE" per line.
std::string barsText(const std::string& tar) {
  NullMonitor monitor;
  const auto package = openBytes(tar);
  if (!package) return package.error().message();
  const auto archive = mlf::readArchive(*package, monitor);
  if (!archive) return archive.error().message();
  if (!*archive) return "no archive";
  std::string out;
  for (const view::BarsPage::Group& group : mlf::memoryBars(**archive, **package).groups) {
    out += group.title + (group.budget.empty() ? "" : " [" + group.budget + "]") + ":";
    for (const view::BarsPage::Bar& bar : group.bars) {
      out += (&bar == &group.bars.front() ? " " : ", ") + bar.name + (bar.note.empty() ? "" : " (" + bar.note + ")");
      for (const view::BarsPage::Part& part : bar.parts) out += " " + part.name + "=" + std::to_string(part.bytes);
    }
    out += (group.note.empty() ? "" : "; " + group.note) + "\n";
  }
  return out;
}

const std::string kRamNote = "; The workspace of main includes the largest workspace of its operator functions.\n";
const std::string kRomNote = "; The size of C sources as code is not known before they are compiled.\n";

} // namespace

class TestMemoryUse : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void devicesHaveNames_data() {
    QTest::addColumn<quint64>("device");
    QTest::addColumn<std::string>("name");
    const auto row = [](quint64 device, const char* name) { QTest::newRow(name) << device << std::string(name); };
    row(0, "device type 0");
    row(1, "CPU");
    row(2, "CUDA");
    row(3, "CUDA host");
    row(4, "OpenCL");
    row(5, "AOCL");
    row(6, "device type 6");
    row(7, "Vulkan");
    row(8, "Metal");
    row(9, "VPI");
    row(10, "ROCm");
    row(11, "ROCm host");
    row(12, "extension device");
    row(13, "CUDA managed");
    row(14, "oneAPI");
    row(15, "WebGPU");
    row(16, "Hexagon");
    row(17, "device type 17");
    row(UINT64_MAX, "device type 18446744073709551615");
  }
  void devicesHaveNames() {
    QFETCH(quint64, device);
    QFETCH(std::string, name);
    QCOMPARE(mlf::deviceName(device), name);
  }

  void memoryOfMainIsRead_data() {
    QTest::addColumn<std::string>("tar");
    QTest::addColumn<std::string>("memory"); // "DEVICE: WORKSPACE IO CONSTANTS; …"
    const auto row = [](const char* name, const Mlf& archive, const char* memory) {
      QTest::newRow(name) << archive.tar() << std::string(memory);
    };
    const auto main = [&](const char* name, const char* list, const char* memory) {
      row(name, cleanMlf(7, MlfStyle::Aot).set("main", list), memory);
    };
    row("version 1 has none", cleanMlf(1, MlfStyle::Graph), "");
    row("version 2", cleanMlf(2, MlfStyle::Graph), "1: 64 32 16");
    row("version 7", cleanMlf(7, MlfStyle::Aot), "1: 64 32 0");
    row("an operator has none", cleanMlf(7, MlfStyle::Operator), "");
    row("functions of a version that has none",
        cleanMlf(1, MlfStyle::Aot).set("memory", R"({"functions": {"main": [{"device": 1}]}})"), "");
    main("two devices keep their order", R"([{"device": 2, "io_size_bytes": 1}, {"device": 1, "io_size_bytes": 2}])",
         "2: 0 1 0; 1: 0 2 0");
    main("a device twice", R"([{"device": 1}, {"device": 1}])", "1: 0 0 0; 1: 0 0 0");
    main("the largest number", R"([{"device": 1, "workspace_size_bytes": 18446744073709551615}])",
         "1: 18446744073709551615 0 0");
    main("numbers that are too large, negative, fractions or texts",
         R"([{"device": 1.5, "workspace_size_bytes": 18446744073709551616, "io_size_bytes": -1, )"
         R"("constants_size_bytes": "9"}])",
         "0: 0 0 0");
    main("entries that are no objects", R"([1, null, "x", []])", "0: 0 0 0; 0: 0 0 0; 0: 0 0 0; 0: 0 0 0");
    main("an empty list", "[]", "");
    main("an object", R"({"device": 1})", "");
    main("a number", "1", "");
    row("no main", cleanMlf(7, MlfStyle::Aot).drop("main"), "");
    row("functions that are a list", cleanMlf(7, MlfStyle::Aot).set("functions", "[1]"), "");
    row("no memory", cleanMlf(7, MlfStyle::Aot).drop("memory"), "");
    row("a memory that is a list", cleanMlf(7, MlfStyle::Aot).set("memory", "[]"), "");
  }
  void memoryOfMainIsRead() {
    QFETCH(std::string, tar);
    QFETCH(std::string, memory);
    QCOMPARE(mainText(tar), memory);
  }

  void memoryOfFunctionsIsRead_data() {
    QTest::addColumn<std::string>("tar");
    QTest::addColumn<std::string>("memory"); // "NAME on DEVICE: BYTES; …"
    const auto row = [](const char* name, const Mlf& archive, const char* memory) {
      QTest::newRow(name) << archive.tar() << std::string(memory);
    };
    const auto functions = [&](const char* name, const char* list, const char* memory) {
      row(name, cleanMlf(7, MlfStyle::Aot).set("operator_functions", list), memory);
    };
    const auto buffers = [&](const char* name, const char* memory, const char* result) {
      row(name, cleanMlf(7, MlfStyle::Operator).set("memory", memory), result);
    };
    row("version 1 has none", cleanMlf(1, MlfStyle::Graph), "");
    row("version 2", cleanMlf(2, MlfStyle::Graph), "fused_add on 1: 32");
    functions("an empty list", "[]", "");
    functions("an object", R"({"function_name": "f"})", "");
    functions("without a workspace", R"([{"function_name": "f"}])", "f on 1: 0");
    functions("with an empty workspace", R"([{"function_name": "f", "workspace": []}])", "f on 1: 0");
    functions("with a workspace that is a number", R"([{"function_name": "f", "workspace": 3}])", "f on 1: 0");
    functions("on two devices",
              R"([{"function_name": "f", "workspace": [{"device": 1, "workspace_size_bytes": 2}, )"
              R"({"device": 2, "workspace_size_bytes": 3}]}])",
              "f on 1: 2; f on 2: 3");
    functions("with a workspace of wrong types",
              R"([{"function_name": "f", "workspace": [{"device": "1", "workspace_size_bytes": -2}, 5]}])",
              "f on 0: 0; f on 0: 0");
    functions("without a name",
              R"([{"workspace": [{"device": 1}]}, {"function_name": 1}, "f", {"function_name": "g"}])", "g on 1: 0");
    row("an operator: the sum of its buffers", cleanMlf(4, MlfStyle::Operator), "add_op on 1: 32");
    buffers("an operator without functions", "{}", "");
    buffers("an operator with a list", "[1]", "");
    buffers("two operator functions", R"({"b": [], "a": [{"size_bytes": 1}, {"size_bytes": 2}]})",
            "b on 1: 0; a on 1: 3");
    buffers("buffers that are no list", R"({"f": {"size_bytes": 1}})", "f on 1: 0");
    buffers("buffers of wrong types", R"({"f": [{"size_bytes": "1"}, {"size_bytes": -1}, {}, 7, {"size_bytes": 4}]})",
            "f on 1: 4");
    buffers("the sum is exactly the largest number",
            R"({"f": [{"size_bytes": 18446744073709551614}, {"size_bytes": 1}]})", "f on 1: 18446744073709551615");
    buffers("the sum is too large",
            R"({"f": [{"size_bytes": 18446744073709551614}, {"size_bytes": 2}, {"size_bytes": 9}]})",
            "f on 1: 18446744073709551615");
  }
  void memoryOfFunctionsIsRead() {
    QFETCH(std::string, tar);
    QFETCH(std::string, memory);
    QCOMPARE(functionsText(tar), memory);
  }

  void barsShowTheMemory_data() {
    QTest::addColumn<std::string>("tar");
    QTest::addColumn<std::string>("bars");
    const auto row = [](const char* name, const Mlf& archive, const std::string& bars) {
      QTest::newRow(name) << archive.tar() << bars;
    };
    const std::string ram = "RAM [RAM]: main on CPU workspace=64 inputs and outputs=32";
    const std::string rom = "ROM [ROM]: main on CPU constants=16";
    const std::string functions = "Workspace of operator functions: ";
    row("a graph", cleanMlf(2, MlfStyle::Graph),
        ram + kRamNote + rom + kRomNote + functions + "fused_add workspace=32\n");
    row("version 1 has no bars", cleanMlf(1, MlfStyle::Graph), "");
    row("no main", cleanMlf(2, MlfStyle::Graph).set("main", "[]"), "");
    row("no functions", cleanMlf(2, MlfStyle::Graph).set("operator_functions", "[]"), ram + kRamNote + rom + kRomNote);
    row("two devices",
        cleanMlf(2, MlfStyle::Graph).set("main", R"([{"device": 2}, {"device": 99}])").drop("operator_functions"),
        "RAM [RAM]: main on CUDA workspace=0 inputs and outputs=0, main on device type 99 workspace=0 inputs and "
        "outputs=0" +
            kRamNote + "ROM [ROM]: main on CUDA constants=0, main on device type 99 constants=0" + kRomNote);
    const auto list = [&](const char* entries) {
      return cleanMlf(2, MlfStyle::Graph).set("operator_functions", entries);
    };
    row("the largest function is first; equal ones keep their order",
        list(R"([{"function_name": "a", "workspace": [{"device": 1, "workspace_size_bytes": 1}]}, )"
             R"({"function_name": "b", "workspace": [{"device": 2, "workspace_size_bytes": 3}]}, )"
             R"({"function_name": "c", "workspace": [{"device": 1, "workspace_size_bytes": 1}]}])"),
        ram + kRamNote + rom + kRomNote + functions + "b (CUDA) workspace=3, a workspace=1, c workspace=1\n");
    row("one function needs nothing", list(R"([{"function_name": "a"}])"),
        ram + kRamNote + rom + kRomNote + "Workspace of operator functions:; 1 function needs nothing.\n");
    row("two functions need nothing", list(R"([{"function_name": "a"}, {"function_name": "b"}])"),
        ram + kRamNote + rom + kRomNote + "Workspace of operator functions:; 2 functions need nothing.\n");
    row("names are escaped",
        list(R"([{"function_name": "a\nb", "workspace": [{"device": 1, "workspace_size_bytes": 1}]}])"),
        ram + kRamNote + rom + kRomNote + functions + "a\\nb workspace=1\n");
    row("an operator", cleanMlf(7, MlfStyle::Operator), "Buffers of functions [RAM]: add_op workspace=32\n");
    row("two models have their names", cleanMlfOfTwo("net", "b"), [] {
      std::string out;
      for (const char* const name : {"net", "b"}) {
        const std::string of = std::string(" of ") + name;
        out += "RAM" + of + " [RAM]: main on CPU workspace=64 inputs and outputs=32" + kRamNote;
        out += "ROM" + of + " [ROM]: main on CPU constants=" + (of == " of net" ? "16" : "0") + kRomNote;
        out += "Workspace of operator functions" + of + ": tvmgen_" + name + "_fused_add workspace=32\n";
      }
      return out;
    }());
  }
  void barsShowTheMemory() {
    QFETCH(std::string, tar);
    QFETCH(std::string, bars);
    QCOMPARE(barsText(tar), bars);
    QCOMPARE(barsText(tar), bars); // the same each time
  }

  void objectsAreCountedForTheFirstDevice_data() {
    QTest::addColumn<bool>("sources");
    QTest::addColumn<std::string>("note");
    QTest::newRow("objects only") << false << std::string();
    QTest::newRow("objects and sources")
        << true
        << std::string("; C sources are not counted: their size as code is not known before they are compiled.");
  }
  void objectsAreCountedForTheFirstDevice() {
    QFETCH(bool, sources);
    QFETCH(std::string, note);
    ElfBuilder elf;
    elf.type = 1;
    elf.dynamic = false;
    elf.staticSymbols = true;
    elf.function("f").data("d", std::string(40, 'x'));
    const std::string object = elf.build();
    const auto opened = openBytes(object);
    QVERIFY(opened);
    uint64_t code = 0, data = 0;
    for (const container::Section& section : (*opened)->image.sections)
      if (section.allocated) (section.writable ? data : code) += section.size;
    QVERIFY(code >= 40);
    Mlf archive = cleanMlf(2, MlfStyle::Graph);
    archive.set("main", R"([{"device": 1}, {"device": 2}])").set("operator_functions", "[]");
    archive.add("./codegen/host/lib/lib0.o", object).add("./codegen/host/lib/lib1.o", object);
    if (!sources) archive.remove("./codegen/host/src/lib0.c").remove("./codegen/host/src/lib1.c");
    const std::string stored = " data of objects=" + std::to_string(2 * data);
    QCOMPARE(barsText(archive.tar()), "RAM [RAM]: main on CPU workspace=0 inputs and outputs=0" +
                                          (data > 0 ? stored : "") + ", main on CUDA workspace=0 inputs and outputs=0" +
                                          kRamNote + "ROM [ROM]: main on CPU constants=0 code of objects=" +
                                          std::to_string(2 * code) + ", main on CUDA constants=0" + note + "\n");
  }

  void onlyTheLargestFunctionsAreListed_data() {
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("bars");
    QTest::addColumn<std::string>("note");
    QTest::newRow("as many as are listed") << 500 << 500 << std::string();
    QTest::newRow("one more") << 501 << 500 << std::string("1 function needs less or nothing.");
    QTest::newRow("many more") << 2500 << 500 << std::string("2,000 functions need less or nothing.");
  }
  void onlyTheLargestFunctionsAreListed() {
    QFETCH(int, count);
    QFETCH(int, bars);
    QFETCH(std::string, note);
    std::string list;
    for (int i = 1; i <= count; ++i)
      list += (i == 1 ? "" : ", ") +
              expanded(R"({"function_name": "f${i}", "workspace": [{"device": 1, "workspace_size_bytes": ${i}}]})",
                       {{"i", std::to_string(i)}});
    NullMonitor monitor;
    const auto package = openBytes(cleanMlf(2, MlfStyle::Graph).set("operator_functions", "[" + list + "]").tar());
    QVERIFY(package);
    const auto archive = mlf::readArchive(*package, monitor);
    QVERIFY(archive && *archive);
    const view::BarsPage page = mlf::memoryBars(**archive, **package);
    QCOMPARE(page.groups.size(), std::size_t{3});
    const view::BarsPage::Group& group = page.groups.back();
    QCOMPARE(group.bars.size(), static_cast<std::size_t>(bars));
    QCOMPARE(group.bars.front().name, "f" + std::to_string(count));
    QCOMPARE(group.bars.back().name, "f" + std::to_string(count - bars + 1));
    QCOMPARE(group.note, note);
  }
};

BLOBSCOPE_TEST(TestMemoryUse);

#include "test_memory_use.moc"
