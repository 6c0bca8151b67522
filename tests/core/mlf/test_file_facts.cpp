#include "core/mlf/file_facts.h"

#include "core/mlf/reader.h"
#include "core/mlf/rules/checks.h"
#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

struct Read {
  mlf::Model model;
  mlf::FileFacts facts;
};
/// The model is on the heap, since the facts refer to it.
std::unique_ptr<Read> readWithFacts(const std::string& tar) {
  NullMonitor monitor;
  mlf::Findings findings;
  auto model = mlf::readModel(bytes(tar), findings, monitor);
  if (!model) qFatal("the archive cannot be read");
  auto out = std::make_unique<Read>();
  out->model = std::move(*model);
  out->facts = mlf::readFileFacts(out->model, monitor);
  return out;
}
std::unique_ptr<Read> readWithFacts(const Mlf& archive) { return readWithFacts(archive.tar()); }

std::string joined(std::vector<std::string> words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : "; ") + word;
  return out;
}

/// "PATH: source fits MODULE", by path.
std::string codeText(const mlf::FileFacts& facts) {
  std::vector<std::string> out;
  for (const mlf::CodeFile& code : facts.code)
    out.push_back(code.file->path + ":" + (code.source ? " source" : "") + (code.object ? " object" : "") +
                  (code.fits ? " fits" : "") + (code.owner ? " " + code.owner->name : ""));
  return joined(out);
}
std::string definedText(const mlf::FileFacts& facts) {
  std::vector<std::string> out(facts.defined.begin(), facts.defined.end());
  std::sort(out.begin(), out.end());
  return joined(out);
}

std::string tensorsText(const std::vector<mlf::ListedTensor>& tensors) {
  std::vector<std::string> out;
  for (const mlf::ListedTensor& tensor : tensors)
    out.push_back(std::string(tensor.name) + " at " + tensor.pointer +
                  (tensor.sound ? " " + std::to_string(tensor.size) + " " + std::string(tensor.dtype) : ""));
  return joined(out);
}

const char* const kMemory = "/modules/default/memory";

/// The memory of a graph of version 7 whose "memory" has this value.
mlf::ModuleMemory memoryOf(const char* memory, std::unique_ptr<Read>& keep) {
  keep = readWithFacts(cleanMlf(7, MlfStyle::Graph).set("memory", memory));
  if (keep->facts.modules.size() != 1) qFatal("the archive has no module");
  return keep->facts.modules.front().memory;
}

} // namespace

class TestFileFacts : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void namesAreSanitized_data() {
    QTest::addColumn<std::string>("name");
    QTest::addColumn<std::string>("result");
    const auto row = [](const char* title, std::string_view name, const char* result) {
      QTest::newRow(title) << std::string(name) << std::string(result);
    };
    row("nothing", "", "");
    row("letters, digits and _", "aZ_09", "aZ_09");
    row("a digit first", "1a", "1a");
    row("the neighbours of letters and digits", "@[`{/:", "______");
    row("a path", "a/b-c.d e", "a_b_c_d_e");
    row("each byte of UTF-8", "\xc3\xa4", "__");
    row("a zero byte", std::string_view("a\0b", 3), "a_b");
  }
  void namesAreSanitized() {
    QFETCH(std::string, name);
    QFETCH(std::string, result);
    QCOMPARE(mlf::sanitized(name), result);
    QCOMPARE(mlf::sanitized(result), result);
  }

  void onlyAsciiLettersGetUpperCase() {
    QCOMPARE(mlf::upperCase(""), std::string());
    QCOMPARE(mlf::upperCase("azAZ09_-"), std::string("AZAZ09_-"));
    QCOMPARE(mlf::upperCase("`{\xc3\xa4"), std::string("`{\xc3\xa4"));
  }

  void symbolsSpellAModelInUpToFourWays_data() {
    QTest::addColumn<std::string>("model");
    QTest::addColumn<std::string>("names");
    const auto row = [](const char* title, const char* model, const char* names) {
      QTest::newRow(title) << std::string(model) << std::string(names);
    };
    row("nothing", "", "");
    row("lower case", "net", "net");
    row("upper case", "Net", "Net; net");
    row("a dash", "my-net", "my-net; my_net");
    row("a dash and upper case", "My-Net", "My-Net; My_Net; my-net; my_net");
  }
  void symbolsSpellAModelInUpToFourWays() {
    QFETCH(std::string, model);
    QFETCH(std::string, names);
    QCOMPARE(joined(mlf::symbolNames(model)), names);
  }

  void codeFilesAreFound_data() {
    QTest::addColumn<std::string>("path");
    QTest::addColumn<std::string>("code"); // after the path; "none": it is no code file
    const auto row = [](const char* title, const char* path, const char* code) {
      QTest::newRow(title) << std::string(path) << std::string(code);
    };
    row("C", "codegen/host/src/x.c", " source fits default");
    row("C++", "codegen/host/src/x.cc", " source fits default");
    row("C++ with a long ending", "codegen/host/src/x.cpp", " source fits default");
    row("C with the name of the module", "codegen/host/src/default_lib9.c", " source fits default");
    row("an object", "codegen/host/lib/x.o", " object fits default");
    row("an object with the name of the module", "codegen/host/lib/default_lib9.o", " object fits default");
    row("another device", "codegen/cuda/src/x.c", " source fits");
    row("a device of several folders", "codegen/a/b/src/x.c", " source fits");
    row("an unknown ending in src", "codegen/host/src/x.cu", " source");
    row("no ending in src", "codegen/host/src/x", " source");
    row("an unknown ending in lib", "codegen/host/lib/x.so", " object");
    row("C in lib", "codegen/host/lib/x.c", " source fits default");
    row("an object in src", "codegen/host/src/x.o", " object fits default");
    row("only an ending", "codegen/host/src/.c", " source fits default");
    row("a header", "codegen/host/include/x.c", "none");
    row("a folder in src", "codegen/host/src/a/x.c", "none");
    row("a folder whose name only ends like src", "codegen/host/asrc/x.c", "none");
    row("without a device", "codegen/src/x.c", "none");
    row("directly in codegen", "codegen/x.c", "none");
    row("another folder", "runtime/host/src/x.c", "none");
    row("codegen below a folder", "a/codegen/host/src/x.c", "none");
  }
  void codeFilesAreFound() {
    QFETCH(std::string, path);
    QFETCH(std::string, code);
    Mlf archive = cleanMlf(7, MlfStyle::Graph);
    archive.remove("./codegen/host/src/default_lib0.c").remove("./codegen/host/src/default_lib1.c");
    archive.add("./" + path);
    QCOMPARE(codeText(readWithFacts(archive)->facts), code == "none" ? std::string() : path + ":" + code);
  }

  void definitionsOfAllFilesCount() {
    ElfBuilder elf;
    elf.type = 1;
    elf.function("from_object").data("table", "1234").undefined("elsewhere");
    const auto one = readWithFacts(cleanMlf(7, MlfStyle::Graph)
                                       .add("./codegen/host/lib/x.o", elf.build())
                                       .add("./codegen/cuda/src/a", "int in_text(void) { return 0; }\n"));
    QCOMPARE(definedText(one->facts),
             std::string("TVMSystemLibEntryPoint; from_object; in_text; table; tvmgen_default_fused_add"));
    QVERIFY(one->facts.complete);
    QVERIFY(!one->facts.isMissing("table"));
    QVERIFY(one->facts.isMissing("elsewhere"));
    QVERIFY(one->facts.isMissing(""));
    QCOMPARE(one->facts.model, &one->model);
  }

  void filesThatCannotBeReadMayDefineAnything_data() {
    QTest::addColumn<std::string>("tar");
    QTest::addColumn<bool>("complete");
    const auto row = [](const char* name, const Mlf& archive, bool complete) {
      QTest::newRow(name) << archive.tar() << complete;
    };
    const Mlf graph = cleanMlf(7, MlfStyle::Graph);
    ElfBuilder object, library;
    object.type = 1;
    object.function("f");
    library.function("f");
    const std::string built = object.build();
    row("sources only", graph, true);
    row("an object", Mlf(graph).add("./codegen/host/lib/x.o", built), true);
    row("an object without headers", Mlf(graph).add("./codegen/host/lib/x.o", built.substr(0, 100)), false);
    row("an empty object", Mlf(graph).add("./codegen/host/lib/x.o", ""), false);
    row("a text as object", Mlf(graph).add("./codegen/host/lib/x.o", "text"), false);
    row("a shared library", Mlf(graph).add("./codegen/host/lib/x.so", library.build()), false);
    row("an empty source", Mlf(graph).add("./codegen/host/src/x.c", ""), true);
    row("no code", cleanMlf(7, MlfStyle::Operator).remove("./codegen/host/src/lib0.c"), false);
  }
  void filesThatCannotBeReadMayDefineAnything() {
    QFETCH(std::string, tar);
    QFETCH(bool, complete);
    const auto one = readWithFacts(tar);
    QCOMPARE(one->facts.complete, complete);
    QCOMPARE(one->facts.isMissing("unheard_of"), complete);
  }

  void modulesHaveTheirOwnCode() {
    const auto two = readWithFacts(cleanMlfOfTwo("net", "net_lib0"));
    QCOMPARE(two->facts.modules.size(), std::size_t{2});
    const auto paths = [&](std::size_t module) {
      std::vector<std::string> out;
      for (const mlf::CodeFile* const code : two->facts.modules[module].code) out.push_back(code->file->path);
      return joined(out);
    };
    QCOMPARE(paths(0), std::string("codegen/host/src/net_lib0.c; codegen/host/src/net_lib1.c"));
    QCOMPARE(paths(1), std::string("codegen/host/src/net_lib0_lib0.c; codegen/host/src/net_lib0_lib1.c"));
    QVERIFY(two->facts.modules[0].graph && !two->facts.modules[0].header);
    QVERIFY(!two->facts.modules[1].graph && two->facts.modules[1].header);
    QVERIFY(two->facts.modules[0].parameters && two->facts.modules[1].parameters);
    QCOMPARE(two->facts.modules[1].module, &two->model.modules[1]);
    QCOMPARE(joined(two->facts.modules[1].names), std::string("net_lib0"));
  }

  void namesThatAreInvalidInCBreakIt_data() {
    QTest::addColumn<std::string>("name");
    QTest::addColumn<bool>("breaks");
    const auto row = [](const char* name, bool breaks) { QTest::newRow(name) << std::string(name) << breaks; };
    row("net", false);
    row("Net_1", false);
    row("my-net", true);
    row("my net", true);
    row("net.v2", true);
    row("my/net", false);
    row("my-net/a", false);
    row("my\\net", false);
  }
  void namesThatAreInvalidInCBreakIt() {
    QFETCH(std::string, name);
    QFETCH(bool, breaks);
    mlf::ModelModule module;
    module.name = name;
    mlf::CodeFile source, object;
    source.source.emplace();
    object.object.emplace();
    mlf::ModuleFacts facts;
    facts.module = &module;
    QVERIFY(!facts.breaksC());
    facts.code = {&object};
    QVERIFY(!facts.breaksC());
    facts.code = {&object, &source};
    QCOMPARE(facts.breaksC(), breaks);
  }

  void mainIsRead_data() {
    QTest::addColumn<std::string>("main");
    QTest::addColumn<std::string>("result");
    const auto row = [](const char* name, const char* main, const char* result) {
      QTest::newRow(name) << std::string(main) << std::string(result);
    };
    const char* const nothing = "workspace none, devices ";
    row("an empty list", "[]", nothing);
    row("an object", "{}", nothing);
    row("a null", "null", nothing);
    row("one device", R"([{"device": 1, "workspace_size_bytes": 64}])", "workspace 64, devices 1");
    row("the workspace of the first device counts",
        R"([{"device": 2, "workspace_size_bytes": 1}, {"device": 1, "workspace_size_bytes": 2}])",
        "workspace 1, devices 2; 1");
    row("only the second device has a workspace", R"([{"device": 1}, {"device": 2, "workspace_size_bytes": 2}])",
        "workspace none, devices 1; 2");
    row("the largest numbers", R"([{"device": 18446744073709551615, "workspace_size_bytes": 18446744073709551615}])",
        "workspace 18446744073709551615, devices 18446744073709551615");
    row("a number that is too large", R"([{"device": 1, "workspace_size_bytes": 18446744073709551616}])",
        "workspace none, devices 1");
    row("a negative number", R"([{"device": 1, "workspace_size_bytes": -1}])", "workspace none, devices 1");
    row("a fraction", R"([{"device": 1, "workspace_size_bytes": 64.0}])", "workspace none, devices 1");
    row("a text", R"([{"device": 1, "workspace_size_bytes": "64"}])", "workspace none, devices 1");
    row("a device that is no number: no device is known", R"([{"device": 1}, {"device": "cpu"}])", nothing);
    row("an entry that is no object: no device is known", R"([{"device": 1}, 2])", nothing);
  }
  void mainIsRead() {
    QFETCH(std::string, main);
    QFETCH(std::string, result);
    std::unique_ptr<Read> keep;
    const mlf::ModuleMemory memory = memoryOf((R"({"functions": {"main": )" + main + "}}").c_str(), keep);
    std::vector<std::string> devices;
    for (const uint64_t device : memory.devices) devices.push_back(std::to_string(device));
    QCOMPARE("workspace " + (memory.workspace ? std::to_string(*memory.workspace) : "none") + ", devices " +
                 joined(devices),
             result);
    QVERIFY(!memory.listsInputs && !memory.listsOutputs && !memory.functions && !memory.storages);
  }

  void tensorsOfMainAreListed_data() {
    QTest::addColumn<std::string>("main");
    QTest::addColumn<std::string>("inputs"); // "none": not listed
    QTest::addColumn<std::string>("outputs");
    const auto row = [](const char* name, const char* main, const std::string& inputs, const std::string& outputs) {
      QTest::newRow(name) << std::string(main) << inputs << outputs;
    };
    const std::string at = std::string(kMemory) + "/functions/main/";
    row("neither", "[{}]", "none", "none");
    row("empty objects", R"([{"inputs": {}, "outputs": {}}])", "", "");
    row("no objects", R"([{"inputs": [], "outputs": "x"}])", "none", "none");
    row("an input", R"([{"inputs": {"x": {"size": 16, "dtype": "float32"}}}])", "x at " + at + "0/inputs/x 16 float32",
        "none");
    row("an output", R"([{"outputs": {"y": {"size": 0, "dtype": ""}}}])", "none", "y at " + at + "0/outputs/y 0 ");
    row("a name with slash and tilde", R"([{"inputs": {"a/b~": {"size": 1, "dtype": "int8"}}}])",
        "a/b~ at " + at + "0/inputs/a~1b~0 1 int8", "none");
    row("an empty name", R"([{"inputs": {"": {"size": 1, "dtype": "int8"}}}])", " at " + at + "0/inputs/ 1 int8",
        "none");
    row("no size", R"([{"inputs": {"x": {"dtype": "float32"}}}])", "x at " + at + "0/inputs/x", "none");
    row("no type", R"([{"inputs": {"x": {"size": 16}}}])", "x at " + at + "0/inputs/x", "none");
    row("a size that is a text", R"([{"inputs": {"x": {"size": "16", "dtype": "float32"}}}])",
        "x at " + at + "0/inputs/x", "none");
    row("a negative size", R"([{"inputs": {"x": {"size": -16, "dtype": "float32"}}}])", "x at " + at + "0/inputs/x",
        "none");
    row("a type that is a number", R"([{"inputs": {"x": {"size": 16, "dtype": 32}}}])", "x at " + at + "0/inputs/x",
        "none");
    row("a tensor that is a number", R"([{"inputs": {"x": 16}}])", "x at " + at + "0/inputs/x", "none");
    row("of all devices",
        R"([{"inputs": {"x": {"size": 1, "dtype": "a"}}}, 3, {"inputs": {"y": {"size": 2, "dtype": "b"}}}])",
        "x at " + at + "0/inputs/x 1 a; y at " + at + "2/inputs/y 2 b", "none");
  }
  void tensorsOfMainAreListed() {
    QFETCH(std::string, main);
    QFETCH(std::string, inputs);
    QFETCH(std::string, outputs);
    std::unique_ptr<Read> keep;
    const mlf::ModuleMemory memory = memoryOf((R"({"functions": {"main": )" + main + "}}").c_str(), keep);
    QCOMPARE(memory.listsInputs ? tensorsText(memory.inputs) : "none", inputs);
    QCOMPARE(memory.listsOutputs ? tensorsText(memory.outputs) : "none", outputs);
  }

  void functionsAreListed_data() {
    QTest::addColumn<std::string>("list");
    QTest::addColumn<std::string>("functions"); // "none": no list
    const auto row = [](const char* name, const char* list, const char* functions) {
      QTest::newRow(name) << std::string(list) << std::string(functions);
    };
    row("empty", "[]", "");
    row("an object", "{}", "none");
    row("a text", R"("f")", "none");
    row("functions keep their number",
        R"([{"function_name": "f"}, {}, 1, {"function_name": 2}, {"function_name": "g"}])", "f at 0; g at 4");
    row("a name twice", R"([{"function_name": "f"}, {"function_name": "f"}])", "f at 0; f at 1");
  }
  void functionsAreListed() {
    QFETCH(std::string, list);
    QFETCH(std::string, functions);
    std::unique_ptr<Read> keep;
    const mlf::ModuleMemory memory = memoryOf((R"({"functions": {"operator_functions": )" + list + "}}").c_str(), keep);
    const std::string at = std::string(kMemory) + "/functions/operator_functions/";
    std::vector<std::string> out;
    if (memory.functions)
      for (const auto& [name, pointer] : *memory.functions) {
        QVERIFY(pointer.starts_with(at));
        out.push_back(std::string(name) + " at " + pointer.substr(at.size()));
      }
    QCOMPARE(memory.functions ? joined(out) : "none", functions);
  }

  void storagesAreAllReadOrNone_data() {
    QTest::addColumn<unsigned>("version");
    QTest::addColumn<std::string>("sids");
    QTest::addColumn<std::string>("storages"); // "none": not known
    for (const unsigned version : {1U, 2U, 7U}) {
      const auto row = [&](const char* name, const char* sids, const char* storages) {
        QTest::addRow("version %u, %s", version, name) << version << std::string(sids) << std::string(storages);
      };
      row("empty", "[]", "");
      row("an object", R"({"storage_id": 0, "size_bytes": 16})", "none");
      row("a storage", R"([{"storage_id": 5, "size_bytes": 16}])", "0: 5 has 16");
      row("with an input", R"([{"storage_id": 5, "size_bytes": 0, "input_binding": "x"}])", "0: 5 has 0 for x");
      row("the largest numbers", R"([{"storage_id": 18446744073709551615, "size_bytes": 18446744073709551615}])",
          "0: 18446744073709551615 has 18446744073709551615");
      row("descending", R"([{"storage_id": 1, "size_bytes": 1}, {"storage_id": 0, "size_bytes": 2}])",
          "0: 1 has 1; 1: 0 has 2");
      row("an id twice", R"([{"storage_id": 1, "size_bytes": 1}, {"storage_id": 1, "size_bytes": 1}])", "none");
      row("no id", R"([{"storage_id": 1, "size_bytes": 1}, {"size_bytes": 1}])", "none");
      row("no size", R"([{"storage_id": 1}])", "none");
      row("a negative id", R"([{"storage_id": -1, "size_bytes": 1}])", "none");
      row("a size that is a text", R"([{"storage_id": 1, "size_bytes": "1"}])", "none");
      row("an input that is a number", R"([{"storage_id": 1, "size_bytes": 1, "input_binding": 0}])", "none");
      row("a number", "[1]", "none");
    }
  }
  void storagesAreAllReadOrNone() {
    QFETCH(unsigned, version);
    QFETCH(std::string, sids);
    QFETCH(std::string, storages);
    const auto one = readWithFacts(
        cleanMlf(version, MlfStyle::Graph).set("memory", version == 1 ? sids : R"({"sids": )" + sids + "}"));
    QCOMPARE(one->facts.modules.size(), std::size_t{1});
    const std::string at = version == 1 ? "/memory/" : version == 2 ? "/memory/sids/" : std::string(kMemory) + "/sids/";
    const mlf::ModuleMemory& memory = one->facts.modules.front().memory;
    std::vector<std::string> out;
    if (memory.storages)
      for (const mlf::ListedStorage& storage : *memory.storages) {
        QVERIFY(storage.pointer.starts_with(at));
        out.push_back(storage.pointer.substr(at.size()) + ": " + std::to_string(storage.id) + " has " +
                      std::to_string(storage.size) + (storage.binding ? " for " + storage.binding->text() : ""));
      }
    QCOMPARE(memory.storages ? joined(out) : "none", storages);
  }

  void damagedMemoryIsEmpty_data() {
    QTest::addColumn<std::string>("memory");
    for (const char* const memory : {"null", "[]", "1", R"("text")", "{}", R"({"functions": null})",
                                     R"({"functions": []})", R"({"functions": {"main": 1, "operator_functions": 1}})"})
      QTest::newRow(memory) << std::string(memory);
  }
  void damagedMemoryIsEmpty() {
    QFETCH(std::string, memory);
    std::unique_ptr<Read> keep;
    const mlf::ModuleMemory found = memoryOf(memory.c_str(), keep);
    QVERIFY(!found.workspace && found.devices.empty() && !found.listsInputs && !found.listsOutputs);
    QVERIFY(found.inputs.empty() && found.outputs.empty() && !found.functions && !found.storages);
  }

  void operatorsHaveNoMemoryOfModels() {
    const auto one = readWithFacts(
        cleanMlf(7, MlfStyle::Operator).set("memory", R"({"sids": [], "functions": {"operator_functions": []}})"));
    QCOMPARE(one->facts.modules.size(), std::size_t{1});
    QVERIFY(!one->facts.modules.front().memory.storages && !one->facts.modules.front().memory.functions);
  }

  void truncatedArchivesAreSafe() {
    const std::string tar = cleanMlfOfTwo().tar();
    for (std::size_t size = 0; size < tar.size(); size += 511) {
      const auto one = readWithFacts(tar.substr(0, size));
      for (const mlf::ModuleFacts& module : one->facts.modules) QVERIFY(module.module);
      QCOMPARE(definedText(readWithFacts(tar.substr(0, size))->facts), definedText(one->facts));
    }
  }

  /// Rules take graphs and parameters from the facts, with the same findings as if they read the files.
  void rulesUseWhatWasRead() {
    for (const MlfVariant& variant : mlfVariants()) {
      Mlf mlf = cleanMlf(variant.version, variant.style);
      if (variant.style == MlfStyle::Graph) mlf.set("constants_size_bytes", "20");
      NullMonitor monitor;
      mlf::Findings read, own, taken;
      const auto model = mlf::readModel(bytes(mlf.tar()), read, monitor);
      QVERIFY(model);
      const mlf::FileFacts facts = mlf::readFileFacts(*model, monitor);
      mlf::checkMemory(*model, own, monitor);
      mlf::checkGraphs(*model, own, monitor);
      mlf::checkMemory(*model, facts, taken, monitor);
      mlf::checkGraphs(*model, facts, taken, monitor);
      QCOMPARE(taken.all().size(), own.all().size());
      for (std::size_t i = 0; i < own.all().size(); ++i) QCOMPARE(taken.all()[i].message(), own.all()[i].message());
    }
  }

  /// Modules with one name have the same files, which are read for the first of them.
  void filesOfSeveralModulesAreReadOnce() {
    Mlf mlf = cleanMlf(7, MlfStyle::Graph, "net");
    std::string& metadata = mlf.metadata();
    const json::LocatedDocument parsed = *json::parseLocated(bytes(metadata));
    const json::Value& one = *parsed.root.find("modules")->find("net");
    const std::string text = metadata.substr(one.extent.offset, one.extent.size);
    metadata.replace(one.extent.offset, one.extent.size, text + ", \"other\": " + text);
    const auto read = readWithFacts(mlf);
    QCOMPARE(read->facts.modules.size(), std::size_t{2});
    const mlf::ModuleFacts &first = read->facts.modules[0], &second = read->facts.modules[1];
    QVERIFY(first.module->graph && first.module->graph == second.module->graph);
    QVERIFY(first.graph && first.parameters && !second.graph && !second.parameters);
  }

  void stopEndsTheReading() {
    NullMonitor monitor;
    mlf::Findings findings;
    const auto model = mlf::readModel(bytes(cleanMlfOfTwo().tar()), findings, monitor);
    QVERIFY(model);
    StopAfter stop(0);
    const mlf::FileFacts facts = mlf::readFileFacts(*model, stop);
    QVERIFY(facts.code.empty() && facts.modules.empty());
    QVERIFY(!facts.isMissing("f"));
  }
};

BLOBSCOPE_TEST(TestFileFacts);

#include "test_file_facts.moc"
