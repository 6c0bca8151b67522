#include "core/edit/describe.h"

#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

/// One sentence and two values for each edit.
class TestEditDescription : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void everyEditIsDescribed_data() {
    QTest::addColumn<std::string>("edit");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const char* edit, const char* expected) {
      QTest::newRow(name) << std::string(edit) << std::string(expected);
    };
    row("replaced module", "{'op': 'replace', 'ref': 'm1', 'hex': '0001'}",
        "Module 1 'cuda' replaced | 226 bytes | 2 bytes | cuda | m1");
    row("replaced kernel", "{'op': 'replace', 'ref': 'm2/kernel:add', 'hex': '0001'}",
        "Kernel 'add' replaced | 20 bytes | 2 bytes | metal | m2/kernel:add");
    row("replaced tensor", "{'op': 'replace', 'ref': 'm3/param:p0', 'hex': '0001'}",
        "Tensor 'p0' replaced | float32 [2] | 2 bytes | const_loader | m3/param:p0");
    row("replaced field", "{'op': 'replace', 'ref': 'm1/field:data', 'hex': ''}",
        "Field 'data' replaced | 7 bytes | 0 bytes | cuda | m1/field:data");
    row("replaced by a missing file", "{'op': 'replace', 'ref': 'm1', 'file': '/nowhere/new.bin'}",
        "Module 1 'cuda' replaced | 226 bytes | new.bin | cuda | m1");
    row("replaced blob", "{'op': 'replace', 'ref': 'blob', 'hex': '00'}",
        "Blob replaced | 792 bytes | 1 byte |  | blob");
    row("replaced nothing", "{'op': 'replace', 'ref': 'm9/kernel:x', 'hex': '00'}",
        "Kernel 'x' replaced |  | 1 byte |  | m9/kernel:x");
    row("added module", "{'op': 'add', 'id': 'new1', 'key': 'cuda', 'hex': '00', 'parents': ['m0', 'm2']}",
        "Module 'cuda' added to m0, m2 |  | 1 byte | cuda | new1");
    row("added kernel", "{'op': 'add', 'ref': 'm1/kernel:neu'}", "Kernel 'neu' added |  |  | cuda | m1/kernel:neu");
    row("added kernel with code", "{'op': 'add', 'ref': 'm2/kernel:neu', 'hex': '0102'}",
        "Kernel 'neu' added |  | 2 bytes | metal | m2/kernel:neu");
    row("removed module", "{'op': 'remove', 'ref': 'm1'}", "Module 1 'cuda' removed | 226 bytes |  | cuda | m1");
    row("removed kernel", "{'op': 'remove', 'ref': 'm2/kernel:add'}",
        "Kernel 'add' removed | 20 bytes |  | metal | m2/kernel:add");
    row("removed image", "{'op': 'remove', 'ref': 'm1/entry:0'}", "Image '0' removed |  |  | cuda | m1/entry:0");
    row("renamed module", "{'op': 'rename', 'ref': 'm1', 'name': 'opencl'}",
        "Module 1 'cuda' renamed | cuda | opencl | cuda | m1");
    row("renamed kernel", "{'op': 'rename', 'ref': 'm1/kernel:a%2Fb', 'name': {'hex': 'ff'}}",
        "Kernel 'a/b' renamed | a/b | \\xff | cuda | m1/kernel:a%2Fb");
    row("relinked", "{'op': 'relink', 'ref': 'm0', 'imports': ['m2', 'new1']}",
        "Imports of module 0 '_lib' changed | m1, m2 | m2, new1 | _lib | m0");
    row("relinked to nothing", "{'op': 'relink', 'ref': 'm1', 'imports': []}",
        "Imports of module 1 'cuda' changed | none | none | cuda | m1");
    row("set", "{'op': 'set', 'ref': 'm1/field:fmt', 'value': 'cubin'}",
        "Field 'fmt' set | \"ptx\" | \"cubin\" | cuda | m1/field:fmt");
    row("set type", "{'op': 'set', 'ref': 'm1/field:fmap[0].info.arg_types[1]', 'value': 'int8'}",
        "Field 'fmap[0].info.arg_types[1]' set | int32 | \"int8\" | cuda | m1/field:fmap[0].info.arg_types[1]");
    row("set value", "{'op': 'set', 'ref': 'm3/param:p0', 'index': [1], 'value': '0.10'}",
        "Value [1] of tensor 'p0' set | 2 | 0.1 | const_loader | m3/param:p0");
    row("set value of nothing", "{'op': 'set', 'ref': 'm3/param:p9', 'index': [1], 'value': '1'}",
        "Value [1] of tensor 'p9' set |  | 1 | const_loader | m3/param:p9");
    row("set nothing", "{'op': 'set', 'ref': 'm1/field:nothing', 'value': [1, 2]}",
        "Field 'nothing' set |  | [ 1, 2 ] | cuda | m1/field:nothing");
  }
  void everyEditIsDescribed() {
    QFETCH(std::string, edit);
    QFETCH(std::string, expected);
    NullMonitor monitor;
    const auto package = opened(library());
    const auto words = edit::describe(package, editsOf(edit).front(), {}, monitor);
    QVERIFY(words);
    QCOMPARE(words->what + " | " + words->before + " | " + words->after + " | " + words->subject + " | " +
                 words->target,
             expected);
  }

  /// Edits of an added module, which is not in the file.
  void editsOfAnAddedModuleAreDescribed() {
    NullMonitor monitor;
    const auto package = opened(library());
    const auto edits = editsOf(
        "{'op': 'add', 'id': 'new1', 'key': 'cuda', 'hex': '00', 'parents': ['m0']}, {'op': 'remove', 'ref': 'new1'}, "
        "{'op': 'set', 'ref': 'new1/field:fmt', 'value': 1}, {'op': 'rename', 'ref': 'new1', 'name': 'x'}");
    const auto said = [&](std::size_t i) { return edit::describe(package, edits[i], {}, monitor)->what; };
    QCOMPARE(said(1), "Added module 'new1' removed"s);
    QCOMPARE(said(2), "Field 'fmt' set"s);
    QCOMPARE(said(3), "Added module 'new1' renamed"s);
    QCOMPARE(edit::describe(package, edits[0], {}, monitor)->place.toString(), "m0"s);
    QCOMPARE(edit::describe(package, edits[2], {}, monitor)->target, "new1/field:fmt"s);
  }

  void longTextsAreCut() {
    NullMonitor monitor;
    const auto package = opened(library());
    const std::string text(5'000, 'x');
    const auto words = edit::describe(
        package, editsOf("{'op': 'set', 'ref': 'm1/field:data', 'value': '" + text + "'}").front(), {}, monitor);
    QVERIFY(words->after.size() < 200);
  }

  void describingCanBeCancelled() {
    StopAfter stop(0);
    const auto words = edit::describe(opened(library()), editsOf("{'op': 'remove', 'ref': 'm1'}").front(), {}, stop);
    QVERIFY(!words && words.error().code() == ErrorCode::Cancelled);
  }

private:
  static std::string library() {
    return ffiLibrary({{"_lib", ""},
                       {"cuda", code3("ptx", kAddMul, "// code", Info::Four)},
                       {"metal", metal3({{"add", "kernel void add() {}"}, {"mul", "kernel void mul() {}"}}, kAddMul)},
                       {"const_loader", constants({"p0"}, {{kFloat32, {2}, floats({1, 2})}}, {}, {})}},
                      {{1, 2}, {}, {3}, {}});
  }
};

BLOBSCOPE_TEST(TestEditDescription);
#include "test_describe.moc"
