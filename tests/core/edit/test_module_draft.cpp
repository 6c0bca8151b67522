#include "core/edit/module_draft.h"

#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using edit::ModuleDraft;

namespace {

const std::string kText = "// text";
std::string cudaCode(const std::vector<Function>& functions = kAddMul, const std::string& data = kText) {
  return code3("ptx", functions, data, Info::Four);
}

/// A draft of module 1 of a library that `_lib` imports.
class CodeDraft {
public:
  explicit CodeDraft(const std::string& key = "cuda", const std::string& payload = cudaCode())
      : package(opened(oneModule(key, payload))), module(*package->blobs[0]->modules[1]),
        draft("m1", module.key, module.payload, module.body, package->blobs[0]->cut.context) {}

  static Ref::Part kernel(const std::string& name) { return {PartKind::Kernel, name}; }
  static Ref::Part field(const std::string& path) { return {PartKind::Field, path}; }
  Ref ref(const Ref::Part& part) const { return Ref::moduleAt("", 1).part(part.kind, part.name); }

  /// Empty, or the id of the error.
  std::string set(const std::string& path, const json::Value& value) {
    return idOf(draft.setField(path, ref(field(path)), value));
  }
  std::string replace(const Ref::Part& part, const std::string& content) {
    NullMonitor monitor;
    return idOf(draft.replacePart(part, ref(part), bytes(content), monitor));
  }
  std::string remove(const Ref::Part& part) { return idOf(draft.removePart(part, ref(part))); }
  std::string rename(const Ref::Part& part, const std::string& name) {
    return idOf(draft.renamePart(part, ref(part), name));
  }
  std::string add(const Ref::Part& part, const std::optional<std::string>& content = {}) {
    return idOf(draft.addPart(part, ref(part), content ? std::optional(bytes(*content)) : std::nullopt, {}));
  }
  /// The payload, "opaque: " in front when it does not decode; or the id of the error.
  std::string finished() {
    const auto outcome = draft.finish();
    if (!outcome) return std::string(outcome.error().diagnostic().idText());
    return (outcome->whyUndecoded ? "undecoded: " : "") + std::string(outcome->payload.view());
  }

  library::PackagePtr package;
  const library::Module& module;
  ModuleDraft draft;

private:
  static std::string idOf(const Result<Done>& done) {
    return done ? std::string() : std::string(done.error().diagnostic().idText());
  }
};

json::Value text(const std::string& value) { return *json::parse(bytes('"' + value + '"')); }
json::Value number(uint64_t value) { return *json::parse(bytes(std::to_string(value))); }

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

} // namespace

class TestModuleDraft : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void withoutEditsNothingChanges() {
    CodeDraft draft;
    QVERIFY(!draft.draft.edited());
    QCOMPARE(draft.draft.name(), std::string("m1"));
    QCOMPARE(draft.draft.key().view(), std::string_view("cuda"));
    const auto outcome = draft.draft.finish();
    QVERIFY(outcome);
    QVERIFY(!outcome->changed && !outcome->whyUndecoded);
    // Nothing is decoded again.
    QCOMPARE(outcome->body.get(), draft.module.body.get());
    QCOMPARE(static_cast<const void*>(outcome->payload.data()), static_cast<const void*>(draft.module.payload.data()));
  }

  void renamingBackIsNotAnEdit() {
    CodeDraft draft;
    draft.draft.rename(bytes("vulkan"));
    QVERIFY(draft.draft.edited());
    QCOMPARE(draft.draft.key().view(), std::string_view("vulkan"));
    QCOMPARE(draft.finished(), "undecoded: " + cudaCode());
    draft.draft.rename(bytes("cuda"));
    QVERIFY(!draft.draft.edited());
    QCOMPARE(draft.finished(), cudaCode());
  }

  void unknownKindsHaveNoBody() {
    CodeDraft draft;
    draft.draft.rename(bytes("vendor.npu"));
    const auto outcome = draft.draft.finish();
    QVERIFY(outcome);
    QVERIFY(!outcome->body && !outcome->whyUndecoded && !outcome->changed);
  }

  void replacedPayloadIsDecoded_data() {
    QTest::addColumn<std::string>("payload");
    QTest::addColumn<bool>("decodes");
    QTest::newRow("another of the kind") << cudaCode({{"sub"}}) << true;
    QTest::newRow("of another generation") << code3("ptx", kAddMul, kText, Info::Three) << true;
    QTest::newRow("the same") << cudaCode() << true;
    QTest::newRow("empty") << std::string() << false;
    QTest::newRow("nonsense") << std::string("nonsense") << false;
    QTest::newRow("one byte short") << cudaCode().substr(0, cudaCode().size() - 1) << false;
  }
  void replacedPayloadIsDecoded() {
    QFETCH(std::string, payload);
    QFETCH(bool, decodes);
    CodeDraft draft;
    draft.draft.replacePayload(bytes(payload));
    QVERIFY(draft.draft.edited());
    const auto outcome = draft.draft.finish();
    QVERIFY(outcome && outcome->changed);
    QCOMPARE(std::string(outcome->payload.view()), payload);
    QCOMPARE(outcome->body != nullptr, decodes);
    QCOMPARE(outcome->whyUndecoded.has_value(), !decodes);
  }

  /// A payload as a whole cut off at any byte never looks whole.
  void truncatedPayloadIsNotDecoded() {
    const std::string whole = cudaCode();
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CodeDraft draft;
      draft.draft.replacePayload(bytes(whole.substr(0, size)));
      QCOMPARE(draft.finished(), "undecoded: " + whole.substr(0, size));
    }
  }

  void wholePayloadAndAFieldConflict() {
    CodeDraft draft;
    QCOMPARE(draft.set("fmt", text("cubin")), std::string());
    draft.draft.replacePayload(bytes(cudaCode()));
    QCOMPARE(draft.finished(), std::string("REP-CONFLICT"));
  }

  void fieldsAreSet_data() {
    QTest::addColumn<std::string>("path");
    QTest::addColumn<std::string>("id");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const char* path, const char* id, const std::string& expected) {
      QTest::newRow(name) << std::string(path) << std::string(id) << expected;
    };
    row("a text", "fmt", "", code3("7", kAddMul, kText, Info::Four));
    row("data", "data", "", cudaCode(kAddMul, "7"));
    row("a key of a list", "fmap[1].key", "", cudaCode({{"add"}, {"7"}}));
    row("behind the last item", "fmap[2].key", "REF-NOT-FOUND", cudaCode());
    row("a field that does not exist", "colour", "REF-NOT-FOUND", cudaCode());
    row("nothing", "", "REF-NOT-FOUND", cudaCode());
    row("an index into a text", "fmt[0]", "REF-NOT-FOUND", cudaCode());
    row("a bracket that is not closed", "fmap[0", "REF-NOT-FOUND", cudaCode());
    row("a text where a list is", "fmap[0].info.arg_types", "REP-VALUE", cudaCode());
  }
  void fieldsAreSet() {
    QFETCH(std::string, path);
    QFETCH(std::string, id);
    QFETCH(std::string, expected);
    CodeDraft draft;
    QCOMPARE(draft.set(path, text("7")), id);
    QCOMPARE(draft.draft.edited(), id.empty());
    QCOMPARE(draft.finished(), expected);
  }

  void wordsOfAnArrayAreSet_data() {
    QTest::addColumn<uint64_t>("index");
    QTest::addColumn<uint64_t>("value");
    QTest::addColumn<std::string>("id");
    const auto row = [](const char* name, uint64_t index, uint64_t value, const char* id) {
      QTest::newRow(name) << index << value << std::string(id);
    };
    row("the first one", 0, 9, "");
    row("too large a value", 0, uint64_t{1} << 32, "REP-VALUE");
    row("behind the last one", 5, 9, "REF-NOT-FOUND");
    row("an index that wraps", UINT64_MAX, 9, "REF-NOT-FOUND");
  }
  void wordsOfAnArrayAreSet() {
    QFETCH(uint64_t, index);
    QFETCH(uint64_t, value);
    QFETCH(std::string, id);
    // A shader record is a list of words: flag, count, five of them.
    CodeDraft draft("vulkan", vulkan({{"k"}}, Info::Four, false));
    std::string path;
    for (const Field& row : draft.draft.tree().rows)
      if (row.type == FieldType::Words && row.number == 5)
        path = draft.draft.tree().path(static_cast<uint32_t>(&row - draft.draft.tree().rows.data()));
    QVERIFY(!path.empty());
    QCOMPARE(draft.set(path + "[" + std::to_string(index) + "]", number(value)), id);
  }

  void missingPartsAreRefused_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<std::string>("name");
    QTest::addColumn<std::string>("id");
    const auto row = [](const char* title, PartKind kind, const char* name, const char* id) {
      QTest::newRow(title) << static_cast<int>(kind) << std::string(name) << std::string(id);
    };
    row("no such kernel", PartKind::Kernel, "sub", "REF-NOT-FOUND");
    row("an empty name", PartKind::Kernel, "", "REF-NOT-FOUND");
    row("no such field", PartKind::Field, "colour", "REF-NOT-FOUND");
    row("no such constant", PartKind::Const, "0", "REF-NOT-FOUND");
    row("no such tensor", PartKind::Param, "p0", "REF-NOT-FOUND");
    row("code that kernels share", PartKind::Kernel, "add", "REP-TARGET");
    row("a list", PartKind::Field, "fmap", "REP-TARGET");
    row("an image that is not a number", PartKind::Entry, "x", "REP-TARGET");
    row("an image of no fat binary", PartKind::Entry, "0", "REP-TARGET");
  }
  void missingPartsAreRefused() {
    QFETCH(int, kind);
    QFETCH(std::string, name);
    QFETCH(std::string, id);
    CodeDraft draft;
    QCOMPARE(draft.replace({static_cast<PartKind>(kind), name}, "new"), id);
    QVERIFY(!draft.draft.edited());
    QCOMPARE(draft.finished(), cudaCode());
  }

  void rowsOfAKernelAreFound() {
    const CodeDraft draft;
    const auto rows = draft.draft.rowsOf(CodeDraft::kernel("mul"));
    QCOMPARE(rows.size(), std::size_t{1});
    QCOMPARE(draft.draft.tree().path(rows[0]), std::string("fmap[1]"));
    QVERIFY(draft.draft.rowsOf(CodeDraft::kernel("sub")).empty());
    QVERIFY(draft.draft.rowsOf(CodeDraft::field("fmt")).empty());
    const CodeDraft metal("metal", metal3({{"add", "a"}, {"mul", "m"}}, kAddMul));
    QCOMPARE(metal.draft.rowsOf(CodeDraft::kernel("add")).size(), std::size_t{2}); // its facts and its code
  }

  void kernelsAreRemovedRenamedAndAdded() {
    CodeDraft draft;
    QCOMPARE(draft.remove(CodeDraft::kernel("add")), std::string());
    QCOMPARE(draft.rename(CodeDraft::kernel("mul"), "times"), std::string());
    QCOMPARE(draft.add(CodeDraft::kernel("sub")), std::string());
    QCOMPARE(draft.finished(), cudaCode({{"times"}, {"sub", {}, {}}}));
    // Names are those of the module as opened.
    QCOMPARE(draft.remove(CodeDraft::kernel("times")), std::string("REF-NOT-FOUND"));
    QCOMPARE(draft.add(CodeDraft::kernel("mul")), std::string("REP-TARGET"));
    QCOMPARE(draft.remove(CodeDraft::field("fmt")), std::string("REP-TARGET"));
    QCOMPARE(draft.rename(CodeDraft::field("fmt"), "x"), std::string("REP-TARGET"));
  }

  /// "unknown" is different from "none": code that cannot be read may define every kernel.
  void kernelsThatTheCodeDefinesAreFound_data() {
    QTest::addColumn<std::string>("key");
    QTest::addColumn<std::string>("payload");
    QTest::addColumn<std::string>("names");
    const auto row = [](const char* title, const char* key, std::string payload, const char* names) {
      QTest::newRow(title) << std::string(key) << std::move(payload) << std::string(names);
    };
    row("each has its code", "metal", metal3({{"add", "a"}, {"mul", "m"}}, kAddMul), "add mul");
    row("one has none", "metal", metal3({{"add", "a"}}, kAddMul), "add");
    row("none has any", "metal", metal3({}, kAddMul), "unknown");
    row("no kernels", "metal", metal3({}, {}), "unknown");
    const auto cuda = [](const char* format, const std::string& code) {
      return code3(format, kAddMul, code, Info::Four);
    };
    row("PTX", "cuda", cuda("ptx", ptxText({{"add"}})), "add");
    row("PTX without these kernels", "cuda", cuda("ptx", ptxText({{"sub"}})), "");
    row("PTX with a NUL at its end", "cuda", cuda("ptx", ptxText({{"mul"}}) + std::string(1, '\0')), "mul");
    row("PTX after a byte order mark", "cuda", cuda("ptx", "\xef\xbb\xbf" + ptxText({{"mul"}})), "mul");
    row("PTX after a long comment", "cuda", cuda("ptx", "/*" + std::string(5'000, '-') + "*/\n" + ptxText({{"mul"}})),
        "mul");
    row("bytes that are called PTX", "cuda", cuda("ptx", "\x01\x02"), "unknown");
    row("CUDA C++", "cuda", cuda("cuda", "__global__ void add() {}"), "add");
    row("CUDA C++ without these kernels", "cuda", cuda("cuda", "__global__ void sub() {}"), "");
    row("CUDA C++, kernels declared by a macro", "cuda", cuda("cuda", "#define K __global__\nK void add() {}"),
        "unknown");
    row("CUDA C++, a comment before the parenthesis", "cuda", cuda("cuda", "__global__ void add /* ( */ // (\n() {}"),
        "add");
    row("CUDA C++, separated digits", "cuda", cuda("cuda", "int i = 1'000; __global__ void add() {} int j = 0x1'0;"),
        "add");
    row("CUDA C++, a longer name in UTF-8", "cuda", cuda("cuda", "__global__ void add\xc3\xa9() {}"), "");
    row("an unreadable image", "cuda", cuda("fatbin", "\x50\xed\x55\xba"), "unknown");
  }
  void kernelsThatTheCodeDefinesAreFound() {
    QFETCH(std::string, key);
    QFETCH(std::string, payload);
    QFETCH(std::string, names);
    const CodeDraft draft(key.c_str(), payload);
    QVERIFY(draft.module.body->decoded());
    NullMonitor monitor;
    const auto found = draft.module.body->kernelsInCode(monitor);
    QCOMPARE(found ? joined(std::vector<std::string>(found->begin(), found->end())) : "unknown", names);
  }

  void repeatedKernelsAreFound_data() {
    QTest::addColumn<std::vector<std::string>>("kernels");
    QTest::addColumn<std::string>("names");
    const auto row = [](const char* name, std::vector<std::string> kernels, const char* names) {
      QTest::newRow(name) << std::move(kernels) << std::string(names);
    };
    row("none", {}, "");
    row("different names", {"a", "b"}, "");
    row("one twice", {"a", "b", "a"}, "a");
    row("each once, sorted", {"b", "a", "b", "a", "b"}, "a b");
  }
  void repeatedKernelsAreFound() {
    QFETCH(std::vector<std::string>, kernels);
    QFETCH(std::string, names);
    std::vector<Function> functions;
    for (const std::string& name : kernels) functions.push_back({name});
    const CodeDraft draft("cuda", cudaCode(functions));
    QCOMPARE(joined(ModuleDraft::repeatedKernels(*draft.module.body)), names);
  }

  /// Only values that releases of TVM read are taken without force; what does not fit at all is setField()'s to say.
  void valuesThatNoReleaseReadsAreRefused() {
    const CodeDraft draft;
    const std::string path = "fmap[0].info.launch_param_tags[0]";
    const Ref ref = draft.ref(CodeDraft::field(path));
    QVERIFY(!draft.draft.unreadField(path, ref, text("blockIdx.y")));
    const auto odd = draft.draft.unreadField(path, ref, text("blockIdx.w"));
    QVERIFY(odd);
    QCOMPARE(odd->diagnostic().idText(), std::string_view("REP-ENUM"));
    QVERIFY(!draft.draft.unreadField(path, ref, number(7)));
    QVERIFY(!draft.draft.unreadField("colour", ref, text("red")));
    const auto info = [&](const char* json) { return draft.draft.unreadInfo(ref, *json::parse(bytes(json))); };
    QVERIFY(!info(R"({"launch_param_tags": ["blockIdx.x"]})"));
    QVERIFY(info(R"({"launch_param_tags": ["blockIdx.x", "blockIdx.w"]})"));
    QVERIFY(!info("7"));
  }
};

BLOBSCOPE_TEST(TestModuleDraft);
#include "test_module_draft.moc"
