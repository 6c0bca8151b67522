#include "core/preflight/preflight.h"
#include "core/targets/device.h"
#include "core/targets/facts.h"
#include "tests/core/base/files.h"
#include "tests/core/preflight/fake_runtime.h"
#include "tests/core/requirements/linked_library.h"
#include "tests/support/test_main.h"

#include <functional>

using namespace blobscope;
using namespace blobscope::preflight;
using namespace std::string_literals;
using blobscope::requirements::Executable;
using blobscope::requirements::LoadedModule;
using blobscope::requirements::NeededCall;
using blobscope::requirements::NeededFunction;
using blobscope::requirements::NeededKernel;
using blobscope::requirements::NeededSymbol;
using blobscope::requirements::Requirements;
using blobscope::requirements::Slot;
using blobscope::requirements::StartUpCall;
using blobscope::targets::ArgumentCount;
using blobscope::test::FakeRuntime;
using blobscope::test::in;
using blobscope::test::LinkedLibrary;
using blobscope::test::writeFile;

namespace {

/// A library that lacks nothing in runtime().
NeededCall call(std::string name, uint64_t arguments);

Requirements completeLibrary() {
  Requirements needs;
  needs.path = "model.so";
  needs.extension = "so";
  needs.ofTvm = true;
  needs.format = "elf";
  needs.binary = "elf";
  needs.system = "linux";
  needs.kind = "shared";
  needs.architecture = "x86_64";
  needs.carriers = {{"__tvm_ffi__library_bin", "", {}}};
  needs.modules = {{"relax.VMExecutable", "relax", "", Ref::moduleAt("", 0), true},
                   {"_lib", "lib", "", Ref::moduleAt("", 1), true},
                   {"cuda", "code3", "ptx", Ref::moduleAt("", 2), true}};
  Executable executable;
  executable.magic = 1;
  executable.version = "0.14";
  executable.pools = {"2025b"};
  needs.executables = {executable};
  NeededFunction function;
  function.name = "vm.builtin.reshape";
  needs.functions = {function};
  needs.calls = {call("vm.builtin.reshape", 2)};
  needs.deviceApis = {"cuda"};
  return needs;
}

NeededCall call(std::string name, uint64_t arguments) {
  NeededCall out;
  out.function = std::move(name);
  out.arguments = arguments;
  out.times = 3;
  out.caller = "main";
  out.callers = {"main"};
  out.instruction = 41;
  return out;
}

ArgumentCount exactly(uint64_t count) {
  ArgumentCount out;
  out.minimum = out.maximum = count;
  out.typed = true;
  return out;
}

FakeRuntime runtime() {
  FakeRuntime out;
  out.functions = {"load.relax.VMExecutable", "load.cuda", "vm.builtin.reshape", "device_api.cuda"};
  out.slots = {"__TVMFFIFunctionCall"};
  out.symbols = {"TVMFFIFunctionCall"};
  out.relaxFormat = targets::MachineFormat{{1, 2}, "0.14", "2025b"};
  out.counts["vm.builtin.reshape"] = {exactly(2)};
  return out;
}

/// A symbol of an unknown library that is bound at its first call.
NeededSymbol other(std::string name) { return {std::move(name), "", NeededSymbol::Provider::Other, false, false, {}}; }

targets::FactsPtr tables() {
  auto facts = targets::Facts::load();
  if (!facts) qFatal("%s", facts.error().message().c_str());
  return *facts;
}

Target targetOf(const FakeRuntime& offered) {
  Target out;
  out.runtime = std::make_shared<const FakeRuntime>(offered);
  return out;
}

/// A library libx.so with these functions, and versions whose first one is its own name.
targets::SharedLibrariesPtr librariesWith(const std::vector<std::string>& functions,
                                          const std::vector<std::string>& versions = {}) {
  const QTemporaryDir folder;
  LinkedLibrary file;
  file.defined = versions;
  for (const std::string& function : functions)
    file.symbols.push_back(
        {function, file.hidden("\xc3"), 1, 0x12, 1, static_cast<uint16_t>(versions.size() > 1 ? versions.size() : 1)});
  writeFile(in(folder, "libx.so"), file.build());
  NullMonitor monitor;
  auto out = targets::SharedLibraries::read({in(folder, "libx.so")}, monitor);
  if (!out) qFatal("%s", out.error().message().c_str());
  return *out;
}

using Change = std::function<void(Requirements&, FakeRuntime&)>;

} // namespace

class TestJudge : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void completeLibraryLoads() {
    const Outcome outcome = judge(completeLibrary(), runtime(), nullptr);
    QCOMPARE(verdictName(outcome.verdict), std::string_view("loads"));
    QVERIFY(outcome.complete() && !outcome.crashes() && !outcome.step && outcome.missing.empty());
    QCOMPARE(outcome.message, ""s);
    QVERIFY(outcome.at(Step::Slots).state == StepResult::State::NotNeeded);
    QVERIFY(outcome.at(Step::Machine).state == StepResult::State::Met);
    QCOMPARE(outcome.at(Step::Machine).summary, "1 of 1 name found"s);
  }

  /// One cause per step: the verdict, the step, the rule, what the runtime prints.
  void eachCauseFailsAtItsStep_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("verdict");
    QTest::addColumn<int>("step");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* verdict, int step, const char* rule, const char* message,
                        Change change) {
      QTest::newRow(name) << std::move(change) << QString(verdict) << step << QString(rule) << QString(message);
    };
    row("damaged file", "fails", 1, "PRE-FILE", "cannot read file data",
        [](auto& needs, auto&) { needs.damage = "it ends early"; });
    row("other processor", "fails", 1, "PRE-ARCH",
        "model.so: cannot open shared object file: No such file or directory",
        [](auto&, auto& offered) { offered.built = {"aarch64"}; });
    row("data symbol", "fails", 2, "PRE-SYMBOL", "model.so: undefined symbol: TVMGone", [](auto& needs, auto&) {
      needs.symbols = {{"TVMGone", "", NeededSymbol::Provider::TvmRuntime, false, true, {}}};
    });
    row("bound at once", "fails", 2, "PRE-SYMBOL", "model.so: undefined symbol: TVMGone", [](auto& needs, auto&) {
      needs.bindsAtOnce = true;
      needs.symbols = {{"TVMGone", "", NeededSymbol::Provider::TvmFfi, false, false, {}}};
    });
    row("bound at first call", "loads", 2, "PRE-SYMBOL", "", [](auto& needs, auto&) {
      needs.symbols = {{"TVMGone", "", NeededSymbol::Provider::TvmRuntime, false, false, {}}};
    });
    row("slot", "loads", 3, "PRE-SLOT", "",
        [](auto& needs, auto&) { needs.slots = {{"__TVMGone", {}, {"add", "mul"}, true}}; });
    row("carrier", "loads-without-modules", 4, "PRE-CARRIER", "",
        [](auto&, auto& offered) { offered.carrierNames = {"__tvm_dev_mblob"}; });
    row("loader", "fails", 5, "PRE-LOADER", "no loader for {cuda}",
        [](auto&, auto& offered) { offered.functions.erase("load.cuda"); });
    row("loader of a flag", "fails", 5, "PRE-LOADER", "no loader for {cuda}",
        [](auto&, auto& offered) { offered.flagged["load.cuda"] = "USE_CUDA"; });
    row("layout", "fails", 6, "PRE-LAYOUT", "", [](auto&, auto& offered) { offered.badLayouts = {"code3"}; });
    row("magic", "fails", 6, "PRE-VM", "bad magic", [](auto& needs, auto&) { needs.executables[0].magic = 9; });
    row("version", "fails", 6, "PRE-VM", "bad version",
        [](auto& needs, auto&) { needs.executables[0].version = "0.8"; });
    row("constants", "fails", 6, "PRE-VM", "bad constant",
        [](auto& needs, auto&) { needs.executables[0].pools = {"classic"}; });
    row("packed function", "fails", 7, "PRE-FUNCTION", "cannot find vm.builtin.reshape",
        [](auto&, auto& offered) { offered.functions.erase("vm.builtin.reshape"); });
    row("compiled function", "fails", 7, "PRE-FUNCTION", "",
        [](auto& needs, auto&) { needs.functions[0].place = NeededFunction::Place::RelaxCompiled; });
    row("arguments", "loads", 8, "PRE-ARGS", "",
        [](auto& needs, auto&) { needs.calls = {call("vm.builtin.reshape", 3)}; });
    row("host function", "loads", 8, "PRE-FUNCTION", "", [](auto& needs, auto&) {
      NeededFunction host;
      host.place = NeededFunction::Place::Host;
      host.name = "gone";
      needs.functions.push_back(host);
    });
    row("functions without their prefix", "loads", 8, "PRE-FUNCTION", "", [](auto& needs, auto&) {
      needs.hostAbi = "classic";
      needs.carriers.clear();
      needs.definedFunctions = {"add"};
      needs.slots = {{"__TVMGone", {}, {"add"}, true}}; // which nothing reaches
    });
    row("device", "loads", 8, "PRE-DEVICE-API", "",
        [](auto&, auto& offered) { offered.functions.erase("device_api.cuda"); });
    row("launch tag", "loads", 9, "PRE-LAUNCH-TAG", "", [](auto& needs, auto& offered) {
      NeededKernel kernel;
      kernel.launchTags = {"new.tag"};
      needs.kernels = {kernel};
      offered.badTags = {"new.tag"};
    });
  }
  void eachCauseFailsAtItsStep() {
    QFETCH(Change, change);
    QFETCH(int, step);
    QFETCH(QString, verdict);
    QFETCH(QString, rule);
    QFETCH(QString, message);
    Requirements needs = completeLibrary();
    FakeRuntime offered = runtime();
    change(needs, offered);
    const Outcome outcome = judge(needs, offered, nullptr);
    QCOMPARE(QString::fromUtf8(verdictName(outcome.verdict)), verdict);
    QVERIFY(outcome.step);
    QCOMPARE(static_cast<int>(*outcome.step), step);
    QCOMPARE(outcome.missing.size(), std::size_t{1});
    QCOMPARE(QString::fromUtf8(check::row(outcome.missing[0].rule).id), rule);
    QCOMPARE(QString::fromStdString(outcome.message), message);
    QVERIFY(!outcome.complete());
    QVERIFY(outcome.at(static_cast<Step>(step)).state == StepResult::State::Missing);
  }

  /// What TVM 0.27 did with such files: its linker and loaders are chosen by the name alone.
  void endOfTheNameChoosesTheLoader_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("extension");
    QTest::addColumn<QString>("verdict");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("fix");
    const auto row = [](const char* name, const char* format, const char* kind, const char* extension,
                        const char* verdict, const char* message, const char* fix) {
      QTest::newRow(name) << QString(format) << QString(kind) << QString(extension) << QString(verdict)
                          << QString(message) << QString(fix);
    };
    row("library", "elf", "shared", "dylib", "loads", "", "");
    row("object", "elf", "object", "o", "loads", "", "");
    row("tar", "tar", "archive", "tar", "loads", "", "");
    row("module of a browser", "wasm", "executable", "bin", "loads", "", "");
    row("library with a version", "elf", "shared", "1", "fails", "no loader of .1 files", "rename it to end in .so");
    row("library without an extension", "elf", "shared", "", "fails", "no format", "rename it to end in .so");
    row("archive of objects", "ar", "archive", "a", "fails", "no loader of .a files", "link it to a shared library");
    row("object as a library", "elf", "object", "so", "fails", "only ET_DYN and ET_EXEC can be loaded",
        "rename it to end in .o");
    row("tar as a library", "tar", "archive", "so", "fails", "invalid ELF header", "rename it to end in .tar");
    row("library as an object", "elf", "shared", "o", "loads-without-modules", "", "rename it to end in .so");
    row("archive as an object", "ar", "archive", "o", "loads-without-modules", "", "link it to a shared library");
    row("library as a tar", "elf", "shared", "tar", "fails", "", "rename it to end in .so");
    row("tar as an object", "tar", "archive", "o", "fails", "", "rename it to end in .tar");
  }
  void endOfTheNameChoosesTheLoader() {
    QFETCH(QString, format);
    QFETCH(QString, kind);
    QFETCH(QString, extension);
    QFETCH(QString, verdict);
    QFETCH(QString, message);
    QFETCH(QString, fix);
    Requirements needs = completeLibrary();
    needs.format = format.toStdString();
    needs.kind = kind.toStdString();
    needs.extension = extension.toStdString();
    const Outcome outcome = judge(needs, runtime(), nullptr);
    QCOMPARE(QString::fromUtf8(verdictName(outcome.verdict)), verdict);
    QCOMPARE(outcome.missing.empty(), fix.isEmpty());
    if (fix.isEmpty()) return;
    QCOMPARE(QString::fromUtf8(check::row(outcome.missing[0].rule).id), QString("PRE-EXTENSION"));
    QVERIFY2(QString::fromStdString(outcome.message).contains(message), outcome.message.c_str());
    QCOMPARE(QString::fromStdString(outcome.missing[0].fix), fix);
  }

  void crashesNameTheFunction() {
    Requirements needs = completeLibrary();
    needs.slots = {{"__TVMGone", {}, {"add", "mul"}, true}};
    Outcome outcome = judge(needs, runtime(), nullptr);
    QVERIFY(outcome.crashes());
    QVERIFY(outcome.missing[0].affected == (std::vector<std::string>{"add", "mul"}));
    QVERIFY(outcome.missing[0].sentence.find("'add'") != std::string::npos);
    // A slot that nothing calls through may stay empty.
    needs.slots[0].callers.clear();
    QVERIFY(judge(needs, runtime(), nullptr).missing.empty());
    // Code that cannot be read does not tell.
    needs.slots[0].callersKnown = false;
    outcome = judge(needs, runtime(), nullptr);
    QVERIFY(outcome.complete() && outcome.missing.size() == 1 && !outcome.missing[0].certain);
    QVERIFY(outcome.at(Step::Slots).state == StepResult::State::Unknown);
  }

  /// Steps 5 to 7 do not happen when the modules are not found.
  void withoutItsCarrierNothingElseStopsLoading() {
    Requirements needs = completeLibrary();
    FakeRuntime offered = runtime();
    offered.carrierNames = {"other"};
    offered.functions.clear();
    const Outcome outcome = judge(needs, offered, nullptr);
    QVERIFY(outcome.verdict == Verdict::LoadsWithoutModules);
    QVERIFY(*outcome.step == Step::Carrier);
    QVERIFY(outcome.missing.size() > 2);
  }

  void namesThatNoTableKnowsAreNotCertain() {
    Requirements needs = completeLibrary();
    FakeRuntime offered = runtime();
    NeededFunction function;
    function.name = "flashinfer.plan";
    needs.functions.push_back(function);
    offered.unknown = {"flashinfer.plan"};
    const Outcome outcome = judge(needs, offered, nullptr);
    QVERIFY(outcome.verdict == Verdict::Unknown && outcome.complete() && outcome.doubt() == &outcome.missing[0]);
    QVERIFY(outcome.missing.size() == 1 && !outcome.missing[0].certain);
    QVERIFY(outcome.at(Step::Machine).state == StepResult::State::Unknown);
    QCOMPARE(outcome.at(Step::Machine).summary, "1 of 2 names found"s);
  }

  void argumentCounts_data() {
    QTest::addColumn<quint64>("passed");
    QTest::addColumn<QString>("how");
    QTest::addColumn<bool>("accepted");
    QTest::newRow("fewer") << quint64{1} << "exact" << false;
    QTest::newRow("equal") << quint64{2} << "exact" << true;
    QTest::newRow("more") << quint64{3} << "exact" << false;
    QTest::newRow("no upper bound") << quint64{99} << "open" << true;
    QTest::newRow("below an open range") << quint64{1} << "open" << false;
    QTest::newRow("second record") << quint64{23} << "two" << true;
    QTest::newRow("between two records") << quint64{10} << "two" << false;
    QTest::newRow("depends, enough") << quint64{8} << "depends" << true;
    QTest::newRow("depends, too few") << quint64{7} << "depends" << false;
  }
  void argumentCounts() {
    QFETCH(quint64, passed);
    QFETCH(QString, how);
    QFETCH(bool, accepted);
    Requirements needs = completeLibrary();
    FakeRuntime offered = runtime();
    needs.calls = {call("vm.builtin.reshape", passed)};
    std::vector<ArgumentCount>& counts = offered.counts["vm.builtin.reshape"];
    if (how == QStringLiteral("open")) counts[0].maximum.reset();
    if (how == QStringLiteral("two")) counts.push_back(exactly(23));
    if (how == QStringLiteral("depends")) {
      counts[0].minimum = 4;
      counts[0].maximum.reset();
      counts[0].depends = ArgumentCount::Depends{2, 4, 2}; // 4 + 2 × the value of argument 2
      needs.calls[0].immediates = {std::nullopt, std::nullopt, 2};
    }
    const Outcome outcome = judge(needs, offered, nullptr);
    QCOMPARE(outcome.missing.empty(), accepted);
    QVERIFY(outcome.verdict == Verdict::Loads);
    if (accepted) return;
    const Missing& missing = outcome.missing[0];
    QCOMPARE(missing.kind, std::string_view("arguments"));
    QVERIFY(missing.sentence.find("'main' fails at instruction 41") != std::string::npos);
    QCOMPARE(missing.printed, "vm.builtin.reshape expects " +
                                  (how == QStringLiteral("two")     ? "2 or 23"s
                                   : how == QStringLiteral("exact") ? "2"s
                                   : how == QStringLiteral("open")  ? "at least 2"s
                                                                    : "at least 4"s) +
                                  ", got " + std::to_string(passed));
  }

  void conditionOfACheckHasTheNumber() {
    Requirements needs = completeLibrary();
    FakeRuntime offered = runtime();
    needs.calls = {call("vm.builtin.reshape", 7)};
    ArgumentCount& count = offered.counts["vm.builtin.reshape"][0];
    count.typed = false;
    count.by = ArgumentCount::By::Check;
    count.check = "args.size() == 2 ({passed} vs. 2) : ";
    QCOMPARE(judge(needs, offered, nullptr).missing.at(0).printed, "Check failed: args.size() == 2 (7 vs. 2) : "s);
  }

  /// A damaged file can state any number of dimensions.
  void hugeNumberOfDimensionsIsRefused() {
    Requirements needs = completeLibrary();
    FakeRuntime offered = runtime();
    needs.calls = {call("vm.builtin.reshape", 8)};
    offered.counts["vm.builtin.reshape"][0].maximum.reset();
    offered.counts["vm.builtin.reshape"][0].depends = ArgumentCount::Depends{0, 4, 2};
    needs.calls[0].immediates = {INT64_MAX};
    QCOMPARE(judge(needs, offered, nullptr).missing.size(), std::size_t{1});
    needs.calls[0].immediates = {-1};
    QCOMPARE(judge(needs, offered, nullptr).missing.size(), std::size_t{0});
  }

  /// Names from a file cannot act on a terminal, and are not taken for placeholders.
  void namesAreEscaped() {
    Requirements needs = completeLibrary();
    needs.modules.push_back({"{runtime}\x1b[31m", "opaque", "", {}, true});
    const Outcome outcome = judge(needs, runtime(), nullptr);
    QCOMPARE(outcome.missing.size(), std::size_t{1});
    QCOMPARE(outcome.missing[0].name, "{runtime}\x1b[31m"s);
    QCOMPARE(outcome.missing[0].sentence, "v1.0.0 has no loader for modules of kind '{runtime}\\x1b[31m'"s);
    QCOMPARE(outcome.missing[0].printed, "no loader for {{runtime}\\x1b[31m}"s);
  }

  /// A damaged file may need a million functions; the step is still missing them.
  void findingsOfARuleAreLimited() {
    Requirements needs = completeLibrary();
    NeededFunction function;
    function.name = "gone";
    needs.functions.assign(5'000, function);
    const Outcome outcome = judge(needs, runtime(), nullptr);
    QCOMPARE(outcome.missing.size(), std::size_t{1'000});
    QVERIFY(outcome.verdict == Verdict::Fails && *outcome.step == Step::Machine);
    QCOMPARE(outcome.at(Step::Machine).summary, "0 of 5,000 names found"s);
    // Also of those whose sentence is longer than that of the rule.
    needs = completeLibrary();
    needs.slots.assign(5'000, Slot{"__TVMGone", {}, {"add"}, true});
    QCOMPARE(judge(needs, runtime(), nullptr).missing.size(), std::size_t{1'000});
  }

  void libtvmFfiThatDoesNotFitIsAWarning() {
    FakeRuntime offered = runtime();
    offered.ffi = FakeRuntime::WrongFfi{"0.1.15.post2", "0.1.12"};
    const Outcome outcome = judge(completeLibrary(), offered, nullptr);
    QVERIFY(outcome.complete() && outcome.missing.size() == 1);
    QCOMPARE(outcome.missing[0].sentence, "v1.0.0 needs libtvm_ffi 0.1.12, found 0.1.15.post2"s);
  }

  void runtimeThatCannotBeLoadedLoadsNothing() {
    FakeRuntime offered = runtime();
    offered.brokenLibrary = FakeRuntime::Broken{"libtvm_runtime.so", "'_ZN1xE' is not exported",
                                                "libtvm_runtime.so: undefined symbol: _ZN1xE", "install another one"};
    const Outcome outcome = judge(completeLibrary(), offered, nullptr);
    QVERIFY(outcome.verdict == Verdict::Fails && outcome.step == Step::File);
    QCOMPARE(outcome.message, "libtvm_runtime.so: undefined symbol: _ZN1xE"s);
    QCOMPARE(outcome.missing[0].sentence, "v1.0.0 cannot be loaded itself: '_ZN1xE' is not exported"s);
    QCOMPARE(outcome.missing[0].fix, "install another one"s);
  }

  void systemLibraries_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("sentence"); // empty: the carrier is found
    QTest::addColumn<QString>("fix");
    const auto row = [](const char* name, const char* sentence, const char* fix, Change change) {
      QTest::newRow(name) << std::move(change) << QString(sentence) << QString(fix);
    };
    const auto library = [](auto& needs, bool blob, bool registers) {
      needs.kind = "shared";
      needs.systemLibraries = {{"my_", {}, blob, registers}};
      needs.carriers.clear();
      if (blob) needs.carriers = {{"__tvm_ffi__library_bin", "my_", {}}};
    };
    row("blob",
        "v1.0.0 opens the library without its modules: they are those of the system library 'my_', which "
        "registers itself when the file is loaded",
        "load the file, then call system_lib(\"my_\"); or export the library again without system_lib_prefix",
        [=](auto& needs, auto&) { library(needs, true, true); });
    row("only code",
        "v1.0.0 opens the bare library, without modules and context: it is the system library 'my_', "
        "which registers itself when the file is loaded",
        "load the file, then call system_lib(\"my_\"); or export the library again without system_lib_prefix",
        [=](auto& needs, auto&) { library(needs, false, true); });
    row("objects that nothing registers",
        "v1.0.0 does not find the system library 'my_': the file has no code that registers it",
        "export the library again", [=](auto& needs, auto&) {
          library(needs, true, false);
          needs.kind = "archive";
          needs.format = needs.extension = "tar";
        });
    row("objects and a release without prefixes",
        "v1.0.0 does not find the system library 'my_': it knows no system libraries with a prefix",
        "use v0.13 or later, or export the library again without system_lib_prefix", [=](auto& needs, auto& offered) {
          library(needs, false, true);
          needs.kind = "object";
          needs.extension = "o";
          offered.systemPrefix = false;
        });
    row("objects that register themselves", "", "", [=](auto& needs, auto&) {
      library(needs, true, true);
      needs.kind = "archive";
      needs.format = needs.extension = "tar";
    });
    row("not registered",
        "v1.0.0 opens the library without its modules: they are those of the system library 'my_', "
        "and the file has no code that registers it",
        "export the library again", [=](auto& needs, auto&) { library(needs, true, false); });
    row("release without prefixes",
        "v1.0.0 opens the library without its modules: they are those of the system "
        "library 'my_', and v1.0.0 knows no system libraries with a prefix",
        "use v0.13 or later, or export the library again without system_lib_prefix", [=](auto& needs, auto& offered) {
          library(needs, true, true);
          offered.systemPrefix = false;
        });
    row("another carrier without prefix", "", "", [=](auto& needs, auto&) {
      library(needs, true, true);
      needs.carriers.push_back({"__tvm_ffi__library_bin", "", {}});
    });
    row("context without prefix", "", "", [=](auto& needs, auto&) {
      library(needs, false, true);
      needs.systemLibraries.push_back({"", {}, false, true});
    });
    row("a name without registration", "", "", [=](auto& needs, auto&) { library(needs, false, false); });
    row("WebAssembly", "", "", [=](auto& needs, auto&) {
      library(needs, true, false);
      needs.format = "wasm";
    });
  }
  /// load_module finds no carrier with a prefix, and says nothing about it.
  void systemLibraries() {
    QFETCH(Change, change);
    QFETCH(QString, sentence);
    QFETCH(QString, fix);
    Requirements needs = completeLibrary();
    FakeRuntime offered = runtime();
    change(needs, offered);
    const Outcome outcome = judge(needs, offered, nullptr);
    if (sentence.isEmpty()) {
      QVERIFY(outcome.verdict == Verdict::Loads && outcome.complete());
      if (needs.kind == "archive")
        QCOMPARE(outcome.at(Step::Carrier).summary, "registers itself as system library 'my_' when the program "
                                                    "starts; call system_lib(\"my_\")"s);
      return;
    }
    QVERIFY(outcome.verdict == Verdict::LoadsWithoutModules && outcome.step == Step::Carrier);
    QCOMPARE(outcome.missing.size(), std::size_t{1});
    QCOMPARE(outcome.missing[0].sentence, sentence.toStdString());
    QCOMPARE(outcome.missing[0].fix, fix.toStdString());
  }

  void importsOfWebAssembly() {
    Requirements needs = completeLibrary();
    needs.format = "wasm";
    needs.libraries = {"env", "wasi", "own"};
    const auto import = [](const char* name, const char* module, uint64_t number) {
      NeededSymbol symbol;
      symbol.name = name;
      symbol.importModule = module;
      symbol.importNumber = number;
      symbol.data = true;
      return symbol;
    };
    needs.symbols = {import("TVMGiven", "env", 0), import("_ZN3tvm7runtime4lostEv", "env", 1),
                     import("TVMLost", "env", 3), import("fd_write", "wasi", 4), import("of_page", "env", 5)};
    FakeRuntime offered = runtime();
    offered.webImports = {"env.TVMGiven", "wasi.fd_write"};
    offered.symbols = {"TVMLost"}; // exported by libtvm_runtime, which no page has
    const Outcome outcome = judge(needs, offered, nullptr);
    QVERIFY(outcome.verdict == Verdict::Fails && outcome.step == Step::Symbols);
    QCOMPARE(outcome.message, "LinkError: WebAssembly.instantiate(): Import #1 \"env\" \"_ZN3tvm7runtime4lostEv\": "
                              "function import requires a callable"s);
    QCOMPARE(outcome.missing.size(), std::size_t{3});
    QCOMPARE(outcome.missing[0].sentence, "the JavaScript of v1.0.0 does not provide 'tvm::runtime::lost()', "
                                          "'TVMLost', which the module imports"s);
    QVERIFY(outcome.missing[0].certain && !outcome.missing[1].certain && !outcome.missing[2].certain);
    QCOMPARE(outcome.missing[1].sentence, "whether the page provides 'of_page' of the import module 'env' is not "
                                          "known; they are not functions of v1.0.0"s);
    QCOMPARE(outcome.missing[2].name, "own"s); // a memory or a table
    QCOMPARE(outcome.at(Step::Symbols).met, uint64_t{2});
  }

  void featuresOfWebAssemblyAreStated() {
    Requirements needs = completeLibrary();
    needs.format = "wasm";
    needs.formatTitle = "WebAssembly";
    needs.wasmFeatures = {"bulk-memory", "simd128", "sign-ext", "atomics"};
    QCOMPARE(judge(needs, runtime(), nullptr).at(Step::File).summary, "WebAssembly, x86_64, uses simd128, atomics"s);
  }

  void needsOfShadersAreStated() {
    Requirements needs = completeLibrary();
    requirements::DeviceCode code;
    code.moduleKey = "webgpu";
    code.kind = requirements::DeviceCode::Kind::Wgsl;
    NeededKernel kernel;
    kernel.moduleKey = "webgpu";
    kernel.storageBuffers = 8;
    needs.code = {code};
    needs.kernels = {kernel};
    const std::string buffers =
        "; TVM's web runtime asks for buffers of 256 MiB and bindings of 128 MiB, and for 1 GiB "
        "of both where the adapter has them";
    QCOMPARE(judge(needs, runtime(), nullptr).at(Step::Kernels).summary,
             "1 kernel; the default limits of WebGPU are enough"s + buffers);
    needs.code[0].capabilities = {"f16"};
    kernel.storageBuffers = 9;
    kernel.threads = 512;
    needs.kernels.push_back(kernel);
    QCOMPARE(judge(needs, runtime(), nullptr).at(Step::Kernels).summary,
             "2 kernels; WebGPU must offer shader-f16, 9 storage buffers per shader stage (default limit 8) and 512 "
             "invocations per workgroup (default limit 256)"s +
                 buffers);
    // A stated device has the feature under the name of WebGPU or of WGSL.
    const auto facts = targets::Facts::load();
    QVERIFY(facts);
    for (const auto& [name, missing] : {std::pair{"webgpu", 1}, {"webgpu,shader-f16", 0}, {"webgpu,f16", 0}}) {
      const auto device = targets::parseDevice(*facts, name);
      QVERIFY(device);
      const Outcome outcome = judge(needs, runtime(), &*device);
      QCOMPARE(outcome.missing.size(), static_cast<std::size_t>(missing));
      if (missing) QCOMPARE(outcome.missing[0].name, "shader-f16"s);
    }
  }

  /// Whether it loads depends on the machine, which is said.
  void loaderInALibraryThatNeedsAnother() {
    FakeRuntime offered = runtime();
    offered.functions.erase("load.cuda");
    offered.needing["load.cuda"] = "libcuda.so.1";
    const Outcome outcome = judge(completeLibrary(), offered, nullptr);
    QCOMPARE(outcome.missing.size(), std::size_t{1});
    QVERIFY(!outcome.missing[0].certain && outcome.missing[0].step == Step::Loaders);
    QCOMPARE(outcome.missing[0].sentence,
             "modules of kind 'cuda' are loaded by libside, which can only be loaded where libcuda.so.1 is installed; "
             "it was found neither with the runtime nor on this machine"s);
    QCOMPARE(outcome.missing[0].fix, "install libcuda.so.1 where the library is loaded"s);
    // The library of the runtime is needed where the file is loaded.
    auto here = std::make_shared<targets::System>(), other = std::make_shared<targets::System>();
    here->here = true;
    const auto on = [&](const targets::SystemPtr& system) {
      Target target;
      target.runtime = targets::RuntimePtr(targets::RuntimePtr(), &offered);
      target.system = system;
      const Outcome found = judge(completeLibrary(), target);
      const auto item = std::ranges::find(found.missing, Step::Loaders, &Missing::step);
      return item == found.missing.end() ? "has it"s : item->certain ? "certain"s : "not certain"s;
    };
    QCOMPARE(on(here), "certain"s);
    QCOMPARE(on(other), "not certain"s);
    offered.foundHere = true;
    QCOMPARE(on(here), "has it"s);
    QCOMPARE(on(other), "not certain"s);
    QVERIFY(judge(completeLibrary(), offered, nullptr).missing.empty());
  }

  void onlySomeRuntimesLinkObjects() {
    Requirements needs = completeLibrary();
    needs.kind = "object";
    needs.extension = "o";
    needs.path = "model.o";
    FakeRuntime offered = runtime();
    offered.links = false;
    const Outcome outcome = judge(needs, offered, nullptr);
    QVERIFY(outcome.verdict == Verdict::Fails && outcome.step == Step::File);
    QCOMPARE(outcome.missing[0].sentence, "v1.0.0 only opens shared libraries, and the name ends with .o"s);
  }

  void webAssemblyContainsItsRuntime() {
    Requirements needs = completeLibrary();
    FakeRuntime offered = runtime();
    offered.flagged["load.cuda"] = "WASM";
    QVERIFY(!judge(needs, offered, nullptr).complete());
    needs.format = "wasm";
    QVERIFY(judge(needs, offered, nullptr).complete());
  }

  /// What the loader of Linux did with such files: see tests/real/test_preflight.py.
  void startUpCodeThatCallsWhatNothingProvides_data() {
    using When = StartUpCall::When;
    QTest::addColumn<When>("when");
    QTest::addColumn<bool>("certain");
    QTest::addColumn<QString>("verdict");
    QTest::addColumn<bool>("crashes");
    QTest::addColumn<QString>("message");
    QTest::newRow("constructor") << When::Starting << true << "fails" << true
                                 << "symbol lookup error: model.so: undefined symbol: gone";
    QTest::newRow("constructor, perhaps") << When::Starting << false << "unknown" << false << "";
    QTest::newRow("resolver") << When::Relocating << true << "fails" << false << "model.so: undefined symbol: gone";
    QTest::newRow("destructor") << When::Ending << true << "loads" << false << "";
  }
  void startUpCodeThatCallsWhatNothingProvides() {
    using When = StartUpCall::When;
    QFETCH(When, when);
    QFETCH(bool, certain);
    QFETCH(QString, verdict);
    QFETCH(bool, crashes);
    QFETCH(QString, message);
    FakeRuntime offered = runtime();
    offered.tables = tables();
    Requirements needs = completeLibrary();
    needs.symbols = {other("gone")};
    needs.startUp = {{"gone", "ctor", when, certain, false}};
    const Outcome outcome = judge(needs, offered, nullptr);
    QCOMPARE(QString::fromUtf8(verdictName(outcome.verdict)), verdict);
    QCOMPARE(QString::fromStdString(outcome.message), message);
    QCOMPARE(outcome.missing.size(), std::size_t{1});
    QCOMPARE(outcome.crashes(), crashes);
    QVERIFY2(outcome.missing[0].sentence.find("'ctor', which runs when the library is ") != std::string::npos,
             outcome.missing[0].sentence.c_str());
    // A library that the process also has provides it.
    Target target = targetOf(offered);
    target.libraries = librariesWith({"gone"});
    QVERIFY(judge(needs, target).missing.empty());
  }

  void symbolsThatNothingProvides() {
    FakeRuntime offered = runtime();
    Requirements needs = completeLibrary();
    needs.symbols = {other("gone")};
    // At its first call: a note. Without tables nothing is certain.
    QVERIFY(judge(needs, offered, nullptr).verdict == Verdict::Loads);
    needs.symbols[0].data = true;
    QVERIFY(judge(needs, offered, nullptr).verdict == Verdict::Unknown);
    offered.tables = tables();
    const Outcome outcome = judge(needs, offered, nullptr);
    QVERIFY(outcome.verdict == Verdict::Fails && outcome.step == Step::Symbols);
    QCOMPARE(outcome.message, "model.so: undefined symbol: gone"s);
    // The library of which nothing is known may define it.
    needs.libraries = {"libunknown.so"};
    const Outcome doubtful = judge(needs, offered, nullptr);
    QVERIFY(doubtful.verdict == Verdict::Unknown && doubtful.missing.size() == 1);
    QCOMPARE(doubtful.missing[0].sentence,
             "whether the system has 'libunknown.so' is not known; 1 symbol must come from it: gone"s);
    needs.libraries.clear();
    for (const char* const name : {"PyLong_FromLong", "_PyErr_Occurred"}) {
      needs.symbols[0].name = name;
      QVERIFY(judge(needs, offered, nullptr).verdict == Verdict::Unknown);
    }
    // The C library, names that nothing refers to, weak ones.
    needs.symbols[0].name = "qsort";
    QVERIFY(judge(needs, offered, nullptr).missing.empty());
    needs.symbols[0].name = "gone";
    needs.symbols[0].used = false;
    QVERIFY(judge(needs, offered, nullptr).missing.empty());
    needs.symbols[0].used = needs.symbols[0].weak = true;
    QVERIFY(judge(needs, offered, nullptr).missing.empty());
    // A linker adds names of libgcc to objects only.
    needs.symbols[0].weak = false;
    needs.symbols[0].name = "__aeabi_fadd";
    QVERIFY(!judge(needs, offered, nullptr).missing.empty());
    needs.kind = "object";
    needs.extension = "o";
    QVERIFY(judge(needs, offered, nullptr).missing.empty());
  }

  /// Until v0.24 the runtime is linked with CUDA; later a library of local scope is.
  void functionsOfCuda() {
    const targets::FactsPtr facts = tables();
    Requirements needs = completeLibrary();
    needs.symbols = {other("__cudaRegisterFatBinary")};
    needs.symbols[0].provider = NeededSymbol::Provider::Cuda;
    needs.startUp = {{"__cudaRegisterFatBinary", "__sti____cudaRegisterAll", StartUpCall::When::Starting, true, false}};
    const auto lacksIt = [&](const targets::Runtime& offered) {
      return std::ranges::any_of(judge(needs, offered, nullptr).missing, [](const Missing& one) {
        return one.rule == check::Rule::PreSymbol && one.certain && one.crashes && !one.later;
      });
    };
    const auto lacks = [&](const char* name) {
      const auto offered = targets::runtimeOfRelease(facts, name);
      if (!offered) qFatal("%s", name);
      return lacksIt(**offered);
    };
    // One on disk says what it is linked with: packages come with stubs instead.
    FakeRuntime onDisk = runtime();
    onDisk.tables = facts;
    QVERIFY(!lacksIt(onDisk));
    onDisk.unlinked = "libcud";
    QVERIFY(lacksIt(onDisk));
    QVERIFY(lacks("v0.18.0"));
    QVERIFY(!lacks("v0.18.0+cuda"));
    QVERIFY(lacks("v0.27.0+cuda"));
  }

  void neededLibraries() {
    FakeRuntime offered = runtime();
    offered.tables = tables();
    offered.libraries = {"libtvm_ffi.so"};
    Requirements needs = completeLibrary();
    needs.libraries = {"libc.so.6", "libtvm_ffi.so", "libstdc++.so.6"};
    QVERIFY(judge(needs, offered, nullptr).missing.empty());
    offered.libraries.clear();
    offered.absentLibraries = {"libtvm_ffi.so"};
    needs.symbols = {{"TVMFFIGone", "", NeededSymbol::Provider::TvmFfi, false, true, {}}};
    const Outcome absent = judge(needs, offered, nullptr);
    QVERIFY(absent.verdict == Verdict::Fails && absent.step == Step::File && absent.missing.size() == 1);
    QCOMPARE(absent.message, "libtvm_ffi.so: cannot open shared object file: No such file or directory"s);
    needs.symbols.clear();
    needs.libraries = {"libq.so.7"};
    const Outcome unknown = judge(needs, offered, nullptr);
    QVERIFY(unknown.verdict == Verdict::Unknown && !unknown.step && unknown.message.empty());
    QCOMPARE(unknown.missing.at(0).fix, "run ldconfig -p | grep libq.so.7 there, or pass the library with --with"s);
    // On this machine, the loader tells.
    Target target = targetOf(offered);
    targets::System here;
    here.name = "this";
    here.os = "linux";
    here.cpu = "x86_64";
    here.here = true;
    target.system = std::make_shared<const targets::System>(here);
    target.libraries = librariesWith({});
    needs.libraries = {"libnothing_has_this.so.7"};
    QVERIFY(judge(needs, target).verdict == Verdict::Fails);
  }

  void versionsOfKnownLibraries() {
    FakeRuntime offered = runtime();
    offered.tables = tables();
    Requirements needs = completeLibrary();
    needs.libraries = {"libx.so"};
    needs.versions = {{"libx.so", "X_2", "f"}};
    Target target = targetOf(offered);
    target.libraries = librariesWith({"f"}, {"libx.so", "X_1"});
    const Outcome outcome = judge(needs, target);
    QVERIFY(outcome.verdict == Verdict::Fails && outcome.missing.size() == 1);
    QVERIFY(outcome.missing[0].rule == check::Rule::PreVersion);
    QVERIFY(outcome.message.ends_with("libx.so: version `X_2' not found (required by model.so)"));
    target.libraries = librariesWith({"f"}, {"libx.so", "X_1", "X_2"});
    QVERIFY(judge(needs, target).missing.empty());
    target.libraries = librariesWith({"f"}); // without any version
    QVERIFY(judge(needs, target).missing.empty());
  }

  void systemsAreCompared_data() {
    QTest::addColumn<QString>("system");
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("sentence");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* system, const char* change, const char* rule, const char* sentence,
                        const char* message) {
      QTest::addRow("%s, %s", system, change)
          << QString(system) << QString(change) << QString(rule) << QString(sentence) << QString(message);
    };
    row("debian12", "", "", "", "");
    row("x86_64-linux-gnu2.28", "", "", "", "");
    row("ubuntu22.04-aarch64", "", "PRE-ARCH", "the file is for x86_64, and the system is aarch64",
        "model.so: cannot open shared object file: No such file or directory");
    row("debian12-x86_64", "32 bits", "PRE-ARCH", "the file is for i386, and the system is x86_64",
        "model.so: wrong ELF class: ELFCLASS32");
    row("windows", "", "PRE-OS", "the file is for Linux, and the system is Windows", "");
    row("debian12", "Windows", "PRE-OS", "the file is for Windows, and the system is Linux",
        "model.so: invalid ELF header");
    row("macos", "Windows", "PRE-OS", "the file is for Windows, and the system is macOS", "");
    row("debian10", "glibc", "PRE-GLIBC", "the file needs glibc 2.34 (for pthread_create), and Debian 10 has 2.28",
        "libc.so.6: version `GLIBC_2.29' not found (required by model.so)");
    row("debian12", "glibc", "", "", "");
    row("debian10", "libstdc++", "PRE-LIBSTDCXX",
        "the file needs the libstdc++ of GCC 11 (for _ZSt1f), and Debian 10 has that of GCC 8",
        "libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by model.so)");
    row("alpine3.20", "musl", "PRE-SYMBOL", "musl does not have '__memcpy_chk'",
        "Error relocating model.so: __memcpy_chk: symbol not found");
    row("android29", "libraries", "PRE-LIBRARY", "the file needs 'libc.so.6', which Android, API 29 does not have",
        "libc.so.6: cannot open shared object file: No such file or directory");
  }
  void systemsAreCompared() {
    QFETCH(QString, system);
    QFETCH(QString, change);
    QFETCH(QString, rule);
    QFETCH(QString, sentence);
    QFETCH(QString, message);
    FakeRuntime offered = runtime();
    offered.tables = tables();
    Requirements needs = completeLibrary();
    needs.bits = 64;
    if (change == QStringLiteral("32 bits")) {
      needs.architecture = "i386";
      needs.bits = 32;
    }
    if (change == QStringLiteral("Windows")) {
      needs.format = needs.binary = "pe";
      needs.system = "windows";
    }
    if (change == QStringLiteral("glibc"))
      needs.versions = {{"libc.so.6", "GLIBC_2.2.5", "memcpy"},
                        {"libc.so.6", "GLIBC_2.29", "exp"},
                        {"libc.so.6", "GLIBC_2.34", "pthread_create"},
                        {"libc.so.6", "GLIBC_PRIVATE", ""}};
    if (change == QStringLiteral("libstdc++"))
      needs.versions = {{"libstdc++.so.6", "GLIBCXX_3.4.29", "_ZSt1f"}, {"libstdc++.so.6", "CXXABI_1.3.13", "_ZSt1g"}};
    if (change == QStringLiteral("musl")) {
      needs.symbols = {{"__memcpy_chk", "GLIBC_2.3.4", NeededSymbol::Provider::CLibrary, false, true, {}}};
      needs.newestGlibc = "2.3.4";
    }
    if (change == QStringLiteral("libraries")) needs.libraries = {"libc.so.6"};
    Target target = targetOf(offered);
    const auto found = targets::parseSystem(offered.tables, system.toStdString());
    QVERIFY(found);
    target.system = *found;
    const Outcome outcome = judge(needs, target);
    QCOMPARE(*outcome.system, system.toStdString());
    QCOMPARE(outcome.verdict == Verdict::Loads, rule.isEmpty());
    if (rule.isEmpty()) return;
    QVERIFY(outcome.verdict == Verdict::Fails);
    const Missing* const first = outcome.first();
    QVERIFY(first);
    QCOMPARE(QString::fromUtf8(check::row(first->rule).id), rule);
    QCOMPARE(QString::fromStdString(first->sentence), sentence);
    QCOMPARE(QString::fromStdString(outcome.message), message);
    QVERIFY(outcome.target().ends_with(" on " + system.toStdString()));
  }

  void processorsAreCompared() {
    Target target = targetOf(runtime());
    targets::System here;
    here.name = "this";
    here.os = "linux";
    here.cpu = "x86_64";
    here.cpuLevel = 2;
    here.here = true;
    target.system = std::make_shared<const targets::System>(here);
    Requirements needs = completeLibrary();
    needs.cpu = "x86-64-v2";
    QVERIFY(judge(needs, target).missing.empty());
    needs.cpu = "x86-64-v3";
    const Outcome outcome = judge(needs, target);
    QVERIFY(outcome.verdict == Verdict::Fails && outcome.missing.at(0).rule == check::Rule::PreCpu);
    QCOMPARE(outcome.missing[0].sentence,
             "the file needs a processor of the level x86-64-v3, and this machine has x86-64-v2"s);
    QCOMPARE(outcome.message, "model.so: CPU ISA level is lower than required"s);
    QCOMPARE(outcome.target(), "v1.0.0 on this machine"s);
  }

  void functionsThatTheLoaderCallsOutsideOfCode() {
    Requirements needs = completeLibrary();
    needs.badEnd = "DT_FINI is 0x10, which is not in executable code";
    Outcome outcome = judge(needs, runtime(), nullptr);
    QVERIFY(outcome.verdict == Verdict::Loads && !outcome.complete() && outcome.crashes());
    needs.badStart = "DT_INIT is 0x10, which is not in executable code";
    outcome = judge(needs, runtime(), nullptr);
    QVERIFY(outcome.verdict == Verdict::Fails && outcome.step == Step::File && outcome.crashes());
    QCOMPARE(outcome.missing[0].sentence,
             "DT_INIT is 0x10, which is not in executable code: the process crashes when the library is loaded"s);
  }

  void sourcesDoNotCompile() {
    Requirements needs = completeLibrary();
    needs.format = "tar";
    needs.kind = "archive";
    needs.extension = "tar";
    needs.sources = {{"lib0.c", "tvm/runtime/base.h", 3}};
    const Outcome outcome = judge(needs, runtime(), nullptr);
    QVERIFY(outcome.verdict == Verdict::Fails && outcome.step == Step::File);
    QCOMPARE(outcome.message,
             "Compilation error: lib0.c:3: fatal error: tvm/runtime/base.h: No such file or directory"s);
    needs.sources.clear();
    QVERIFY(judge(needs, runtime(), nullptr).missing.empty());
  }

  void deviceModuleThatWasNotPacked() {
    FakeRuntime offered = runtime();
    offered.unknown = {"add_kernel", "add_kernel_1", "my.function"};
    Requirements needs = completeLibrary();
    const auto ask = [&](const char* name) {
      NeededFunction function;
      function.place = NeededFunction::Place::Host;
      function.name = name;
      needs.functions.push_back(function);
    };
    for (const char* const name : {"add_kernel", "add_kernel_1", "my.function"}) ask(name);
    // With a module for a device, others may be imported in addition.
    QCOMPARE(judge(needs, offered, nullptr).missing.size(), std::size_t{3});
    needs.modules = {{"_lib", "lib", "", Ref::moduleAt("", 0), true}};
    const Outcome outcome = judge(needs, offered, nullptr);
    QCOMPARE(outcome.missing.size(), std::size_t{2});
    QCOMPARE(outcome.missing[0].sentence,
             "the device module was not packed: 2 kernels that the host code asks for are not in the file"s);
    QVERIFY(outcome.missing[0].affected == (std::vector<std::string>{"add_kernel", "add_kernel_1"}));
    QVERIFY(outcome.verdict == Verdict::Loads && outcome.step == Step::Calls);
  }

  /// The driver takes the image of a fat binary that fits, so one is enough; each module needs one.
  void oneImageOfAModuleIsEnough() {
    const auto facts = targets::Facts::load();
    QVERIFY(facts);
    auto device = targets::parseDevice(*facts, "sm_90");
    QVERIFY(device);
    Requirements needs = completeLibrary();
    const auto image = [](uint32_t module, uint32_t number, const char* target) {
      requirements::DeviceCode code;
      code.moduleKey = "cuda";
      code.kind = requirements::DeviceCode::Kind::Cubin;
      code.target = target;
      code.ref = Ref::moduleAt("", module);
      code.ref.parts.push_back({PartKind::Entry, std::to_string(number)});
      return code;
    };
    needs.code = {image(2, 0, "sm_80"), image(2, 1, "sm_90")};
    QVERIFY(judge(needs, runtime(), &*device).complete());
    needs.code.push_back(image(3, 0, "sm_80"));
    const Outcome outcome = judge(needs, runtime(), &*device);
    QCOMPARE(outcome.missing.size(), std::size_t{1});
    QCOMPARE(std::string(check::row(outcome.missing[0].rule).id), "PRE-IMAGE"s);
    QCOMPARE(outcome.missing[0].sentence, "no image for sm_90: the library has sm_80"s);
    QVERIFY(*outcome.step == Step::Kernels && outcome.verdict == Verdict::Loads);
  }

  /// The runtime calls functions that old drivers lack, even if they could run the image.
  void driverOfTheRuntime() {
    const auto facts = targets::Facts::load();
    QVERIFY(facts);
    Requirements needs = completeLibrary();
    requirements::DeviceCode code;
    code.moduleKey = "cuda";
    code.kind = requirements::DeviceCode::Kind::Cubin;
    code.target = "sm_80";
    needs.code = {code};
    FakeRuntime offered = runtime();
    offered.driver = 520;
    const auto missingWith = [&](const char* name) {
      const auto device = targets::parseDevice(*facts, name);
      return device ? judge(needs, offered, &*device).missing : std::vector<Missing>(2);
    };
    QCOMPARE(missingWith("sm_80,driver=520").size(), std::size_t{0});
    QCOMPARE(missingWith("sm_80").size(), std::size_t{0});
    const std::vector<Missing> old = missingWith("sm_80,driver=515");
    QCOMPARE(old.size(), std::size_t{1});
    QCOMPARE(old[0].sentence, "driver 515 is too old for v1.0.0; driver 520 or later is needed"s);
    QVERIFY(old[0].rule == check::Rule::PreDriver && old[0].step == Step::Kernels);
    needs.code.clear();
    QCOMPARE(missingWith("sm_80,driver=515").size(), std::size_t{0});
    code.target = "sm_61";
    needs.code = {code};
    QCOMPARE(missingWith("sm_61,driver=580").size(), std::size_t{0});
    const std::vector<Missing> dropped = missingWith("sm_61,driver=590");
    QCOMPARE(dropped.size(), std::size_t{1});
    QCOMPARE(dropped[0].sentence, "driver 590 does not support sm_61 any more; the last one that does is driver 580"s);
    QCOMPARE(dropped[0].fix, "install driver 580, or use a newer GPU"s);
  }

  void limitsOfTheDevice_data() {
    QTest::addColumn<int>("change"); // what is one more than the limit
    QTest::addColumn<QString>("sentence");
    QTest::newRow("at the limits") << -1 << QString();
    QTest::newRow("shared memory") << 0 << "kernel 'add' needs 32,769 bytes of shared memory; WebGPU has 32,768";
    QTest::newRow("threads") << 1 << "kernel 'add' needs 1,025 threads per block; WebGPU has 1,024";
    QTest::newRow("buffers") << 2 << "kernel 'add' needs 11 storage buffers; WebGPU has 10";
  }
  void limitsOfTheDevice() {
    QFETCH(int, change);
    QFETCH(QString, sentence);
    const auto facts = targets::Facts::load();
    QVERIFY(facts);
    auto device = targets::parseDevice(*facts, "webgpu");
    QVERIFY(device);
    device->threads = 1'024;
    Requirements needs = completeLibrary();
    requirements::DeviceCode code;
    code.moduleKey = "webgpu";
    code.kind = requirements::DeviceCode::Kind::Wgsl;
    needs.code = {code};
    NeededKernel kernel;
    kernel.name = "add";
    kernel.moduleKey = "webgpu";
    kernel.sharedBytes = 32'768;
    kernel.threads = 1'024;
    kernel.storageBuffers = 10;
    for (auto* const value : {&kernel.sharedBytes, &kernel.threads, &kernel.storageBuffers})
      if (change-- == 0) ++**value;
    needs.kernels = {kernel};
    const Outcome outcome = judge(needs, runtime(), &*device);
    QCOMPARE(outcome.missing.size(), sentence.isEmpty() ? std::size_t{0} : std::size_t{1});
    if (!sentence.isEmpty()) QCOMPARE(outcome.missing[0].sentence, sentence.toStdString());
  }

  void otherFilesHaveNoVerdict() {
    Requirements needs;
    needs.format = "elf";
    QVERIFY(judge(needs, runtime(), nullptr).verdict == Verdict::Unknown);
  }

  void issuesHaveRuleAndFix() {
    FakeRuntime offered = runtime();
    offered.flagged["load.cuda"] = "USE_CUDA";
    const Outcome outcome = judge(completeLibrary(), offered, nullptr);
    const check::Issue issue = issueOf(outcome.missing.at(0));
    QCOMPARE(issue.rule, "PRE-LOADER"s);
    QVERIFY(issue.severity == Severity::Error);
    QCOMPARE(issue.message, "v1.0.0 has no loader for modules of kind 'cuda': no loader for {cuda}"s);
    QCOMPARE(issue.fix, "use a build with USE_CUDA"s);
    QVERIFY(issue.ref == Ref::moduleAt("", 2));
  }
};

BLOBSCOPE_TEST(TestJudge);
#include "test_judge.moc"
