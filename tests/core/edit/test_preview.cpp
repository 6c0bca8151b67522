#include "core/library/node_pages.h"
#include "core/write/repack.h"
#include "tests/core/edit/fixtures.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>

#include <fstream>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

const std::string kThreeKernels = code3("ptx", {{"add"}, {"mul"}, {"sub"}}, "// code\n", Info::Four);
std::string file() {
  return ffiLibrary(
      {{"_lib", ""},
       {"cuda", kThreeKernels},
       {"metal", metal3(kCodes, kAddMul)},
       {"const_loader", constants({"p0", "p1"}, {{kFloat32, {2}, floats({1, 2})}, {kInt8, {}, "\x07"}}, {}, {})}},
      {{1, 2}, {}, {3}, {}});
}

/// Everything in a package that does not depend on its place in a file.
std::string textOf(const library::Package& package) {
  std::string out;
  for (const auto& blob : package.blobs) {
    out += "blob " + blob->ref().toString() + " " + std::string(library::eraName(blob->era)) + " " +
           std::to_string(blob->bytes.size()) + "\n";
    for (const auto& module : blob->modules) {
      out += blob->moduleRef(module->index).toString() + " " + escaped(module->key.view()) + " " +
             std::string(module->body->layout());
      for (const uint32_t child : module->imports) out += " " + std::to_string(child);
      out += " " + hexDigits(module->payload.view()) + "\n";
    }
    for (const Diagnostic& one : blob->diagnostics)
      out += std::string(one.idText()) + " " + one.place.node().toString() + "\n";
  }
  for (const Diagnostic& one : package.diagnostics)
    out += "file " + std::string(one.idText()) + " " + one.place.node().toString() + "\n";
  for (const library::PackageMember& member : package.members)
    if (member.package) out += "member " + member.name + "\n" + textOf(*member.package);
  return out;
}

} // namespace

/// The view before writing, and the mapping from it back to the file.
class TestEditPreview : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void previewEqualsTheWrittenFile_data() {
    QTest::addColumn<std::string>("library");
    QTest::addColumn<std::string>("edits");
    const std::string add =
        "{'op': 'add', 'id': 'new1', 'key': 'cuda', 'hex': '" + hexDigits(kThreeKernels) + "', 'parents': ['m2']}";
    QTest::newRow("nothing") << file() << std::string();
    QTest::newRow("smaller") << file() << "{'op': 'remove', 'ref': 'm1'}"s;
    QTest::newRow("many edits")
        << file()
        << "{'op': 'rename', 'ref': 'm1/kernel:add', 'name': 'x'}, {'op': 'remove', 'ref': 'm2/kernel:mul'}, " + add;
    QTest::newRow("payload that fits nothing") << file() << "{'op': 'replace', 'ref': 'm1', 'hex': '00'}"s;
    QTest::newRow("unknown kind") << file() << "{'op': 'rename', 'ref': 'm1', 'name': 'vendor'}"s;
    QTest::newRow("whole blob") << file()
                                << "{'op': 'replace', 'ref': 'blob', 'hex': '" +
                                       hexDigits(ffiBlob({{"_lib", ""}}, {{}})) + "'}";
    QTest::newRow("flat stream") << classicLibrary({{"cuda", code3("ptx", kAddMul, "// x", Info::Three)}}, std::nullopt)
                                 << "{'op': 'remove', 'ref': 'm0/kernel:add'}"s;
    const std::string two =
        ElfBuilder()
            .data("left___tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"cuda", kThreeKernels}}, {{1}, {}}))
            .data("right___tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"cuda", kThreeKernels}}, {{1}, {}}))
            .build();
    QTest::newRow("two blobs")
        << two << "{'op': 'remove', 'ref': 'right_:m1/kernel:add'}, {'op': 'remove', 'ref': 'left_:m1/kernel:mul'}"s;
    QTest::newRow("one of two blobs") << two << "{'op': 'remove', 'ref': 'left_:m1'}"s;
    const std::string object =
        ElfBuilder()
            .data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"cuda", kThreeKernels}}, {{1}, {}}))
            .build();
    QTest::newRow("in a tar") << tarOf({{"a.so", object}, {"text", "hello"}, {"b.so", object}})
                              << "{'op': 'remove', 'ref': 'b.so!m1'}"s;
  }
  void previewEqualsTheWrittenFile() {
    QFETCH(std::string, library);
    QFETCH(std::string, edits);
    const auto edited = applyTo(opened(library), edits, true);
    QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
    QCOMPARE(problemsOf(*edited), std::string());
    NullMonitor monitor;
    edit::ApplyOptions force;
    force.force = true;
    const auto planned = write::planRepack(edited->before, edited->edits, force, {}, monitor);
    QVERIFY2(planned, planned ? "" : planned.error().message().c_str());
    const auto written = write::assemble(planned->plan, edited->before->bytes, monitor);
    QVERIFY(written);
    QCOMPARE(textOf(*edited->after), textOf(*opened(std::string(written->view()))));
    if (edits.empty()) QVERIFY(edited->after == edited->before);
  }

  /// The preview keeps what it needs alive, also parts of the opened file.
  void previewOutlivesTheOpenedFile() {
    std::weak_ptr<const library::Package> before;
    library::PackagePtr after;
    std::string expected;
    {
      const std::string object =
          ElfBuilder()
              .data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"cuda", kThreeKernels}}, {{1}, {}}))
              .function("run")
              .build();
      auto edited = applyTo(opened(tarOf({{"a.so", object}, {"b.so", object}})),
                            "{'op': 'rename', 'ref': 'b.so!m1/kernel:add', 'name': 'x'}");
      QVERIFY(edited);
      after = edited->after;
      before = edited->before;
      expected = textOf(*after);
    }
    QVERIFY(before.expired());
    QCOMPARE(textOf(*after), expected);
    for (const library::PackageMember& member : after->members) {
      QVERIFY(member.stored && member.stored->path == member.name);
      QVERIFY(member.stored->bytes == member.package->bytes);
      for (const auto& blob : member.package->blobs)
        for (const auto& module : blob->modules) QVERIFY(library::nodePages(after, blob->moduleRef(module->index)));
    }
  }

  void previewCanBeCancelled() {
    const auto edited = applyTo(opened(file()), "{'op': 'remove', 'ref': 'm1/kernel:add'}");
    QVERIFY(edited);
    StopAfter stop(0);
    const auto made = edit::preview(edited->before, edited->applied, stop);
    QVERIFY(made || made.error().code() == ErrorCode::Cancelled);
  }

  // --- mapping back ---

  void editedRefsMapBackToTheOpenedFile_data() {
    QTest::addColumn<std::string>("edits");
    QTest::addColumn<std::string>("shown");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& edits, const char* shown, const char* expected) {
      QTest::newRow(name) << edits << std::string(shown) << std::string(expected);
    };
    const std::string add =
        "{'op': 'add', 'id': 'new1', 'key': 'cuda', 'hex': '" + hexDigits(kThreeKernels) + "', 'parents': ['m2']}";
    const std::string set = "{'op': 'set', 'ref': 'm1/field:fmt', 'value': 'cubin'}", added = "added";
    row("nothing in the way", set, "m1/kernel:add", "m1/kernel:add");
    row("the file", set, "", "");
    row("the blob", set, "blob", "blob");
    row("a symbol", set, "symbol:x", "symbol:x");
    row("a module after a removed one", "{'op': 'remove', 'ref': 'm1'}", "m1", "m2");
    row("the last module after a removed one", "{'op': 'remove', 'ref': 'm1'}", "m2/param:p1", "m3/param:p1");
    row("a module that does not exist", "{'op': 'remove', 'ref': 'm1'}", "m3", "added");
    row("an added module", add, "m4", "new1");
    row("a part of an added module", add, "m4/kernel:mul", "new1/kernel:mul");
    row("a field of an added module", add, "m4/field:fmt", "new1/field:fmt");
    row("an added module after a removed one", "{'op': 'remove', 'ref': 'm1'}," + add, "m3", "new1");
    row("a module before the added one", add, "m3", "m3");
    const std::string rename = "{'op': 'rename', 'ref': 'm1/kernel:add', 'name': 'x'}";
    row("a renamed kernel", rename, "m1/kernel:x", "m1/kernel:add");
    row("its field", rename, "m1/field:fmap[0].key", "m1/field:fmap[0].key");
    row("a kernel beside the renamed one", rename, "m1/kernel:mul", "m1/kernel:mul");
    row("a kernel with that name in another module",
        "{'op': 'rename', 'ref': 'm1/kernel:sub', 'name': 'x'}, {'op': 'rename', 'ref': 'm2/kernel:add', 'name': 'x'}",
        "m2/kernel:x", "m2/kernel:add");
    const std::string swap = "{'op': 'rename', 'ref': 'm1/kernel:add', 'name': 'mul'}, {'op': 'rename', 'ref': "
                             "'m1/kernel:mul', 'name': 'add'}";
    row("kernels with swapped names", swap, "m1/kernel:mul", "m1/kernel:add");
    row("a field of kernels with swapped names", swap, "m1/field:fmap[1].key", "m1/field:fmap[1].key");
    row("a renamed module", "{'op': 'rename', 'ref': 'm1', 'name': 'opencl'}", "m1/kernel:add", "m1/kernel:add");
    const std::string remove = "{'op': 'remove', 'ref': 'm1/kernel:add'}";
    row("a field after a removed kernel", remove, "m1/field:fmap[0].key", "m1/field:fmap[1].key");
    row("a deep field after a removed kernel", remove, "m1/field:fmap[1].info.arg_types[1]",
        "m1/field:fmap[2].info.arg_types[1]");
    row("a field after a kernel that is removed twice", remove + "," + remove, "m1/field:fmap[0].key",
        "m1/field:fmap[1].key");
    row("a field after all of it", remove, "m1/field:data", "m1/field:data");
    row("a field after two removed kernels", remove + ", {'op': 'remove', 'ref': 'm1/kernel:mul'}",
        "m1/field:fmap[0].info.name", "m1/field:fmap[2].info.name");
    row("code after removed code", "{'op': 'remove', 'ref': 'm2/kernel:add'}", "m2/field:smap[0].code",
        "m2/field:smap[1].code");
    const std::string kernel = "{'op': 'add', 'ref': 'm1/kernel:neu'}";
    row("an added kernel", kernel, "m1/kernel:neu", "added");
    row("a field of an added kernel", kernel, "m1/field:fmap[3].key", "added");
    row("a kernel beside the added one", kernel, "m1/kernel:sub", "m1/kernel:sub");
    row("a field of an added kernel after a removed one", kernel + "," + remove, "m1/field:fmap[2].key", "added");
    row("a text that became the one beside it",
        "{'op': 'set', 'ref': 'm1/field:fmap[0].info.launch_param_tags[0]', 'value': 'threadIdx.x'}",
        "m1/field:fmap[0].info.launch_param_tags[0]", "m1/field:fmap[0].info.launch_param_tags[0]");
    row("an item of a list that was set",
        "{'op': 'set', 'ref': 'm1/field:fmap[0].info.arg_types', 'value': ['int8', 'int8', 'int8']}",
        "m1/field:fmap[0].info.arg_types[2]", "added");
    row("a replaced payload",
        "{'op': 'replace', 'ref': 'm1', 'hex': '" + hexDigits(code3("ptx", kAddMul, "", Info::Four)) + "'}",
        "m1/field:fmap[1].key", "m1/field:fmap[1].key");
  }
  void editedRefsMapBackToTheOpenedFile() {
    QFETCH(std::string, edits);
    QFETCH(std::string, shown);
    QFETCH(std::string, expected);
    const auto edited = applyTo(opened(file()), edits);
    QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
    const auto target = edit::toOpenedTarget(edited->after, edited->applied, edited->edits, *Ref::parse(shown));
    if (expected == "added") {
      QVERIFY2(!target, target ? target->toString().c_str() : "");
      QCOMPARE(target.error().id(), DiagnosticId::EditTarget);
      return;
    }
    QVERIFY2(target, target ? "" : target.error().message().c_str());
    QCOMPARE(target->toString(), expected);
    // The mapped ref can be found in the opened file.
    if (target->id.empty() && !shown.empty() && !shown.starts_with("symbol"))
      QVERIFY(library::findNode(*edited->before, target->ref));
  }

  void imagesMapBackToTheOpenedFile_data() {
    QTest::addColumn<std::string>("edits");
    QTest::addColumn<std::string>("expected");
    const auto remove = [](const char* number) { return "{'op': 'remove', 'ref': 'm1/entry:"s + number + "'}"; };
    QTest::newRow("first removed") << remove("0") << "1 2 -"s;
    QTest::newRow("second removed") << remove("1") << "0 2 -"s;
    QTest::newRow("two removed") << remove("2") + "," + remove("0") << "1 - -"s;
    QTest::newRow("removed and added") << remove("0") + ", {'op': 'add', 'ref': 'm1/entry:3', 'hex': '" +
                                              hexDigits(ptxText(kAddMul)) + "'}"
                                       << "1 2 -"s;
  }
  void imagesMapBackToTheOpenedFile() {
    QFETCH(std::string, edits);
    QFETCH(std::string, expected);
    const cuda::Image image = {.kind = 1, .sm = 80, .payload = ptxText(kAddMul), .major = 8, .minor = 0};
    const auto edited = applyTo(
        opened(oneModule("cuda", code3("cubin", kAddMul, cuda::fatbin({image, image, image}), Info::Four))), edits);
    QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
    std::string found;
    for (const char* const number : {"0", "1", "2"}) {
      const auto target = edit::toOpenedTarget(edited->after, edited->applied, edited->edits,
                                               Ref::moduleAt({}, 1).part(PartKind::Entry, number));
      found += (found.empty() ? "" : " ") + (target ? target->ref.parts.front().name : "-"s);
    }
    QCOMPARE(found, expected);
  }

  void refsInMembersMapBack() {
    const std::string object =
        ElfBuilder()
            .data(
                "own___tvm_ffi__library_bin",
                ffiBlob({{"_lib", ""}, {"cuda", kThreeKernels}, {"metal", metal3(kCodes, kAddMul)}}, {{1, 2}, {}, {}}))
            .build();
    const auto edited =
        applyTo(opened(tarOf({{"a.so", object}, {"b.so", object}})),
                "{'op': 'remove', 'ref': 'b.so!m1'}, {'op': 'rename', 'ref': 'b.so!own_:m2/kernel:add', 'name': 'x'}");
    QVERIFY2(edited, edited ? "" : edited.error().message().c_str());
    const auto back = [&](const char* shown) {
      const auto target = edit::toOpenedTarget(edited->after, edited->applied, edited->edits, *Ref::parse(shown));
      return target ? target->toString() : target.error().message();
    };
    QCOMPARE(back("b.so!m1/kernel:x"), "b.so!m2/kernel:add"s);
    QCOMPARE(back("a.so!m1/kernel:add"), "a.so!m1/kernel:add"s);
  }
};

BLOBSCOPE_TEST(TestEditPreview);
#include "test_preview.moc"
