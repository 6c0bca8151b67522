#include "core/container/wasm/wasm.h"
#include "core/container/wasm/wasm_module.h"
#include "tests/core/write/plan_check.h"
#include "tests/core/write/wasm_files.h"
#include "tests/support/test_main.h"
#include "tests/support/wasm_builder.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::test::wasm_files;
using namespace std::string_literals;

namespace wasm = blobscope::test::wasm;

namespace {

constexpr std::size_t kWasmBlobSize = 900; ///< of the old blob

/// A blob with runs of zeros.
std::string holed(std::size_t size, char letter) {
  std::string text;
  while (text.size() < size) text += std::string(40, letter) + std::string(text.size() % 3 == 0 ? 30 : 6, '\0');
  return blobWith(text.substr(0, size));
}

/// Memory from address 0 on, as it is when the module starts.
std::string memoryOf(const std::string& file) {
  NullMonitor monitor;
  std::vector<Diagnostic> diagnostics;
  const auto parts = container::rebuildMemory(bytes(file), Budget::forFile(file.size()), monitor, diagnostics);
  if (!parts || parts->size() != 1 || !diagnostics.empty()) qFatal("memory");
  return std::string(parts->front().base, '\0') + std::string(parts->front().bytes.view());
}

container::wasm::Module moduleOf(const std::string& file) {
  NullMonitor monitor;
  auto module = container::wasm::readModule(bytes(file), monitor);
  if (!module || !module->diagnostics.empty() || module->dataCut) qFatal("module");
  return std::move(*module);
}

} // namespace

class TestPlanWasm : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void largerBlobIsMovedToNewMemory_data();
  void largerBlobIsMovedToNewMemory();
  void oldBlobCanBeScrubbed();
  void unsupportedModulesAreRefused_data();
  void unsupportedModulesAreRefused();
  void blobsAboveTheMemoryLimitAreRefused();
  void segmentOfAnObjectIsResized();
  void segmentIsAddedToAnObject();
  void unusualObjectsAreRefused();
  void planningCanBeCancelled();
  void damagedFilesGiveAValidPlanOrARefusal_data();
  void damagedFilesGiveAValidPlanOrARefusal();
};

void TestPlanWasm::largerBlobIsMovedToNewMemory_data() {
  QTest::addColumn<std::string>("name");
  for (const char* const name :
       {"short numbers", "padded numbers", "exported", "exported only", "by a global", "by a global that is exported",
        "counted", "the word's zeros are cut", "no allocator", "exports its heap", "memory cannot grow", "packed",
        "debug information, padded numbers", "memory of one number more"})
    QTest::newRow(name) << std::string(name);
}

void TestPlanWasm::largerBlobIsMovedToNewMemory() {
  QFETCH(std::string, name);
  Linked linked;
  if (name.find("padded") != std::string::npos) linked.padded = true;
  if (name.starts_with("exported")) linked.exported = true;
  if (name == "exported only") linked.inCode = false;
  if (name.starts_with("by a global"))
    linked.byGlobal = true, linked.inCode = false, linked.exported = name.ends_with("exported");
  if (name == "counted") linked.counted = true;
  if (name == "the word's zeros are cut") linked.cut = true, linked.stack = 16'700'000, linked.pages = 256;
  if (name == "no allocator" || name == "exports its heap") linked.words = 0;
  if (name == "exports its heap") linked.heapBase = linked.heapEnd = linked.exported = true;
  if (name == "memory cannot grow") linked.pages = 40, linked.most = 40;
  if (name == "packed") linked.packed = true;
  if (name.starts_with("debug")) linked.behind = {wasm::custom(".debug_info", "counts from the beginning of the code")};
  if (name == "memory of one number more") linked.pages = 127;
  const bool atEnd = linked.words == 0;
  const std::string old = name == "packed" ? holed(kWasmBlobSize, 'a') : blobOf(kWasmBlobSize),
                    file = linked.build(old), large = holed(5'001, 'l');
  const std::string memory = memoryOf(file);
  const uint64_t heap = (linked.stack + 15) / 16 * 16, address = atEnd ? linked.pages * 65536 : heap;

  std::string done, first;
  for (const std::string& replacement : {large, blobOf(90'000, 'h'), holed(100'000, 'z'), blobOf(300, 's'), large}) {
    const auto made = replaceBlob(done.empty() ? file : done, {}, replacement);
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    QCOMPARE(QString::fromStdString(problemsOf(*made, {}, replacement)), QString());
    QCOMPARE(write::strategyName(made->plan), done.empty() ? "append-memory"s : "resize"s);
    QCOMPARE(made->has(DiagnosticId::PlanDead), done.empty());
    QCOMPARE(made->has(DiagnosticId::PlanUnreferenced), done.empty() && !linked.inCode);
    QCOMPARE(made->after->blobs.size(), std::size_t{1});
    QCOMPARE(made->after->blobs.front()->carrier.address, address);
    // Memory: unchanged except for the word, and the blob at its end.
    std::string expected = memory;
    if (!atEnd) expected.replace(kWord, 4, word((address + replacement.size() + 15) / 16 * 16));
    expected.resize(address);
    QVERIFY(memoryOf(made->output) == expected + replacement);
    const auto module = moduleOf(made->output);
    const uint64_t pages = linked.pages + (linked.most > 0 ? 0 : (replacement.size() + 65535) / 65536);
    QCOMPARE(*module.memoryBytes, pages * 65536);
    QVERIFY(*module.memoryBytes >= address + replacement.size());
    // Code: the operand, and sizes around it.
    QCOMPARE(module.bodies.size(), std::size_t{3});
    const std::size_t width = linked.padded ? 5 : 0;
    const std::string pair = wasm::i32(kName, width) + wasm::i32(static_cast<uint32_t>(address), width) + wasm::call(0);
    const std::string code = made->output.substr(module.bodies[1].offset, module.bodies[1].size);
    QCOMPARE(code.find(pair) != std::string::npos, linked.inCode);
    QCOMPARE(made->output[module.bodies[2].end() - 1], '\x0b');
    if (linked.exported || linked.byGlobal) QCOMPARE(*module.constantOf(2), address);
    QCOMPARE(*module.constantOf(5), uint64_t{kBlob});
    QCOMPARE(*module.constantOf(1), uint64_t{7});
    if (linked.counted) {
      const auto* const count = module.find(container::wasm::DataCount);
      QCOMPARE(made->output.substr(count->content.offset, count->content.size), wasm::leb(module.data.size()));
    }
    // Runs of nine zeros and more are omitted.
    QVERIFY(made->output.find(std::string(30, '\0'), module.data[module.data.size() - 1].bytes.offset) ==
            std::string::npos);
    done = made->output;
    if (first.empty()) first = done;
  }
  QVERIFY(done == first);
  // Also blobs of other sizes in between, which must not matter.
  for (const std::string& replacement : {blobOf(large.size(), 'q'), holed(5'001, 'q'), large}) {
    const auto made = replaceBlob(done, {}, replacement);
    QVERIFY(made && write::strategyName(made->plan) == "resize");
    done = made->output;
  }
  QVERIFY(done == first);
  const auto small =
      replaceBlob(file, {}, name == "packed" ? holed(kWasmBlobSize - 200, 's') : blobOf(kWasmBlobSize - 100));
  QVERIFY(small);
  QVERIFY(write::strategyName(small->plan) == "in-place" || name == "packed");
}

void TestPlanWasm::oldBlobCanBeScrubbed() {
  for (const bool packed : {false, true}) {
    Linked linked;
    linked.packed = packed;
    const std::string old = holed(kWasmBlobSize, 'a'), replacement = blobOf(9'000, 'z');
    write::PlanOptions options;
    options.scrub = true;
    const auto made = replaceBlob(linked.build(old), {}, replacement, options);
    QVERIFY(made);
    QVERIFY(made->has(DiagnosticId::PlanScrubbed) && !made->has(DiagnosticId::PlanDead));
    QCOMPARE(QString::fromStdString(problemsOf(*made, {}, replacement)), QString());
    const std::string memory = memoryOf(made->output);
    QVERIFY(memory.substr(kBlob, old.size()) == std::string(old.size(), '\0'));
    QVERIFY(memory.find("behind..") != std::string::npos && memory.substr(100'000) == replacement);
  }
}

void TestPlanWasm::unsupportedModulesAreRefused_data() {
  QTest::addColumn<std::string>("id");
  QTest::addColumn<std::string>("file");
  QTest::addColumn<bool>("forceable");
  const auto row = [](const char* name, const char* id, const Linked& linked, bool forceable = false) {
    QTest::newRow(name) << std::string(id) << linked.build(blobOf(kWasmBlobSize)) << forceable;
  };
  row("the stack is below", "REP-STACKFIRST", {.stack = 1'024});
  row("the stack pointer does not move", "REP-STACKFIRST", {.stackMutable = false});
  row("the stack is outside of memory", "REP-STACKFIRST", {.stack = 400'000});
  row("two words", "REP-HEAP", {.words = 2});
  row("the heap's start is in the code", "REP-HEAP", {.words = 0, .heapInCode = true});
  row("the heap's start is known, not its end", "REP-HEAP", {.words = 0, .heapBase = true});
  row("registered twice", "REP-MULTI", {.twice = true});
  row("the address is elsewhere in the code", "REP-MULTI", {.other = true});
  row("nothing names the blob", "REP-MULTI", {.inCode = false});
  row("code has the address of what is exported", "REP-REF", {.inCode = false, .exported = true, .other = true}, true);
  row("data has the address", "REP-REF", {.named = true}, true);
  row("passive segment", "REP-SHAPE", {.more = {wasm::passive("later")}});
  row("segment after memory", "REP-SHAPE", {.more = {wasm::dataAt(65'536 * 3, "far")}});
  row("segments on top of others", "REP-SHAPE", {.more = {wasm::dataAt(kBase + 40, "over")}});
  row("memory may not grow", "REP-SHAPE", {.most = 3});
  row("debug information", "REP-SHAPE", {.behind = {wasm::custom(".debug_line", "counts")}});
  row("source map", "REP-SHAPE", {.behind = {wasm::custom("sourceMappingURL", wasm::str("map"))}});
}

/// More memory than is rebuilt on reading; refused before that many bytes are allocated.
void TestPlanWasm::blobsAboveTheMemoryLimitAreRefused() {
  NullMonitor monitor;
  const auto package = openBytes(Linked().build(blobOf(kWasmBlobSize)));
  QVERIFY(package);
  for (const uint64_t size : {uint64_t{1} << 30, uint64_t{1} << 32, uint64_t{1} << 62}) {
    const auto plan = write::planBlob({**package, *(*package)->blobs.front(), {{bytes("other")}, size}, {}, monitor});
    QVERIFY(!plan);
    QCOMPARE(std::string(plan.error().diagnostic().idText()), size >> 32 ? "REP-4G"s : "REP-SHAPE"s);
  }
}

void TestPlanWasm::unsupportedModulesAreRefused() {
  QFETCH(std::string, id);
  QFETCH(std::string, file);
  QFETCH(bool, forceable);
  const std::string replacement = blobOf(90'000, 'z');
  QCOMPARE(idOf(replaceBlob(file, {}, replacement)), id);
  write::PlanOptions force;
  force.force = true;
  const auto forced = replaceBlob(file, {}, replacement, force);
  QCOMPARE(idOf(forced), forceable ? "none"s : id);
  if (!forceable) return;
  QVERIFY(forced->has(DiagnosticId::PlanForced));
  QCOMPARE(QString::fromStdString(problemsOf(*forced, {}, replacement)), QString());
}

void TestPlanWasm::segmentOfAnObjectIsResized() {
  for (const bool counted : {false, true}) {
    Object object;
    object.counted = counted;
    std::string done = object.build(blobOf(kWasmBlobSize));
    for (const std::size_t size : {5'000, 90'000, 300, 500, 5'000}) {
      const std::string replacement = blobOf(size, static_cast<char>('b' + size % 7));
      const auto made = replaceBlob(done, {}, replacement);
      QVERIFY2(made, made ? "" : made.error().message().c_str());
      QCOMPARE(QString::fromStdString(problemsOf(*made, {}, replacement)), QString());
      QCOMPARE(write::strategyName(made->plan), "resize"s);
      // The output that the compiler would have made.
      QVERIFY(made->output == object.build(replacement));
      done = made->output;
    }
  }
  // The range that an edit left free is used again.
  const std::string file = Object().build(blobOf(kWasmBlobSize) + std::string(40, '\0'));
  std::string zeros = file;
  const std::string size = wasm::leb(kWasmBlobSize + 40);
  zeros.replace(zeros.find(kCarrier + "\1\4"s + size) + std::strlen(kCarrier) + 2, 2, wasm::leb(kWasmBlobSize));
  const auto made = replaceBlob(zeros, {}, blobOf(5'000));
  QVERIFY(made && made->output == Object().build(blobOf(5'000)));
}

void TestPlanWasm::segmentIsAddedToAnObject() {
  for (const bool info : {true, false}) {
    Object object;
    object.afterBlob = "5678";
    object.info = info;
    const std::string file = object.build(blobOf(kWasmBlobSize)), large = blobOf(5'000, 'l');
    std::string done, first;
    for (const std::string& replacement : {large, blobOf(90'000, 'h'), blobOf(300, 's'), large}) {
      const auto made = replaceBlob(done.empty() ? file : done, {}, replacement);
      QVERIFY2(made, made ? "" : made.error().message().c_str());
      QCOMPARE(QString::fromStdString(problemsOf(*made, {}, replacement)), QString());
      QCOMPARE(write::strategyName(made->plan), done.empty() ? "append-segment"s : "resize"s);
      QCOMPARE(made->has(DiagnosticId::PlanDead), done.empty());
      const auto& image = made->after->image;
      for (const container::Symbol& symbol : image.symbols) {
        const auto found = image.findBytesOf(symbol);
        const std::string_view content = found ? found->view().substr(0, 8) : std::string_view();
        if (symbol.name == "behind") QCOMPARE(content, std::string_view("5678"));
        if (symbol.name == "front") QCOMPARE(content.substr(0, 4), std::string_view("1234"));
        if (symbol.name == "third") QCOMPARE(content, std::string_view("third se"));
        if (symbol.name == kCarrier) QCOMPARE(symbol.size, uint64_t{replacement.size()});
      }
      const auto module = moduleOf(made->output);
      QCOMPARE(module.data.size(), std::size_t{4});
      if (info) QVERIFY(made->output.find(".rodata.__tvm_blob") != std::string::npos);
      done = made->output;
      if (first.empty()) first = done;
    }
    QVERIFY(done == first);
    write::PlanOptions options;
    options.scrub = true;
    const auto scrubbed = replaceBlob(file, {}, large, options);
    QVERIFY(scrubbed && scrubbed->has(DiagnosticId::PlanScrubbed) &&
            scrubbed->output.find(blobOf(kWasmBlobSize)) == std::string::npos);
    // A blob that fits stays in place.
    const auto small = replaceBlob(file, {}, blobOf(kWasmBlobSize - 100));
    QVERIFY(small && write::strategyName(small->plan) == "in-place" && small->output.size() == file.size());
  }
}

void TestPlanWasm::unusualObjectsAreRefused() {
  Object object;
  object.inner = 40;
  QCOMPARE(idOf(replaceBlob(object.build(blobOf(kWasmBlobSize)), {}, blobOf(5'000))), "REP-REL"s);
  std::string file = Object().build(blobOf(kWasmBlobSize));
  const std::size_t relocation = file.find("reloc.DATA") + 12;
  file[relocation] = 99;
  QCOMPARE(idOf(replaceBlob(file, {}, blobOf(5'000))), "REP-SHAPE"s);
}

void TestPlanWasm::planningCanBeCancelled() {
  Object added;
  added.afterBlob = "5678";
  for (const std::string& file : {Linked().build(blobOf(kWasmBlobSize)),
                                  Linked{.exported = true, .packed = true}.build(holed(kWasmBlobSize, 'a')),
                                  Object().build(blobOf(kWasmBlobSize)), added.build(blobOf(kWasmBlobSize))}) {
    int looks = 0;
    for (;; ++looks) {
      StopAfter stop(looks);
      const auto made = replaceBlob(file, {}, blobOf(5'000), {}, &stop);
      if (made) break;
      QVERIFY(made.error().code() == ErrorCode::Cancelled);
      QVERIFY(looks < 1'000);
    }
    QVERIFY(looks > 0);
  }
}

void TestPlanWasm::damagedFilesGiveAValidPlanOrARefusal_data() {
  QTest::addColumn<std::string>("file");
  const std::string blob = blobOf(240);
  QTest::newRow("linked") << Linked{.exported = true, .counted = true}.build(blob);
  QTest::newRow("packed") << Linked{.padded = true, .packed = true}.build(holed(200, 'a'));
  const auto grown = replaceBlob(Linked().build(blob), {}, holed(700, 'g'));
  QTest::newRow("edited before") << grown->output;
  const auto atEnd = replaceBlob(Linked{.exported = true, .words = 0}.build(blob), {}, holed(700, 'g'));
  QTest::newRow("edited before, at the end of memory") << atEnd->output;
  QTest::newRow("object") << Object().build(blob);
  Object added;
  added.afterBlob = "5678";
  QTest::newRow("object followed by other data") << added.build(blob);
}

/// Whichever byte is wrong: a valid plan, or a refusal.
void TestPlanWasm::damagedFilesGiveAValidPlanOrARefusal() {
  QFETCH(std::string, file);
  // Not the text of the blob.
  const DamagedPlans made = planDamaged(file, 8, {"\0\x01\x7f\xff", 4},
                                        [&](std::size_t place) { return file[place] == 'a' || file[place] == 'g'; });
  QVERIFY(made.sound);
  QVERIFY(made.plans > 100);
}

BLOBSCOPE_TEST(TestPlanWasm);
#include "test_plan_wasm.moc"
