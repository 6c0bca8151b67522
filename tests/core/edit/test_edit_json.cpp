#include "core/edit/edit_json.h"

#include "core/base/digest.h"
#include "core/edit/value.h"
#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

std::string document(const std::string& edits) {
  return R"({"schema": "blobscope.edits/1", "file": {"sha256": "ab"}, "edits": [)" + edits + "]}";
}

/// JSON with quotes that need no escapes here.
std::string quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

/// An edit as text, so that lists can be compared.
std::string textOf(const edit::Edit& edit) {
  using namespace edit;
  struct Words {
    static std::string content(const Content& one) {
      return one.file.empty() ? "hex " + hexDigits(one.bytes.view()) : "file " + escaped(one.file);
    }
    static std::string names(const std::vector<std::string>& list) {
      std::string out;
      for (const std::string& name : list) out += " " + name;
      return out;
    }
    std::string operator()(const Replace& one) {
      return "replace " + one.target.toString() + " " + content(one.content);
    }
    std::string operator()(const AddModule& one) {
      return "add " + one.id + " " + escaped(one.key) + " " + content(one.content) + " to" + names(one.parents) +
             (one.position ? " at " + std::to_string(*one.position) : "");
    }
    std::string operator()(const AddFunction& one) {
      return "add " + one.target.toString() + " " + (one.content ? content(*one.content) : "-") + " " +
             jsonText(one.info);
    }
    std::string operator()(const Remove& one) { return "remove " + one.target.toString(); }
    std::string operator()(const Rename& one) { return "rename " + one.target.toString() + " " + escaped(one.name); }
    std::string operator()(const Relink& one) { return "relink " + one.target.toString() + names(one.imports); }
    std::string operator()(const SetValue& one) {
      std::string out = "set " + one.target.toString() + " [";
      for (const uint64_t index : one.index) out += std::to_string(index) + ",";
      return out + "] " + one.value;
    }
    std::string operator()(const AddMember& one) {
      return "add " + one.target.toString() + " " + content(one.content) +
             (one.after ? " after " + escaped(*one.after) : "");
    }
    std::string operator()(const SetJson& one) {
      return (one.value ? "set " : "remove ") + one.target.toString() + " at " + one.pointer +
             (one.value ? " " + jsonText(*one.value) : "");
    }
    std::string operator()(const SetArchive& one) {
      return "archive " + one.target.toString() + " " + std::string(formName(one.form));
    }
    std::string operator()(const SetField& one) { return "set " + one.target.toString() + " " + jsonText(one.value); }
  };
  return std::visit(Words{}, edit);
}

} // namespace

class TestEditJson : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void editListsRoundTrip_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("expected");
    /// Both texts with single quotes.
    const auto row = [](const char* name, const std::string& text, const std::string& expected) {
      QTest::newRow(name) << quoted(text) << quoted(expected);
    };
    row("replace by a file", "{'op': 'replace', 'ref': 'm1', 'file': 'a/b c.bin'}", "replace m1 file a/b c.bin");
    row("replace by bytes", "{'op': 'replace', 'ref': 'm1/kernel:add', 'hex': '00FFa0'}",
        "replace m1/kernel:add hex 00ffa0");
    row("replace by nothing", "{'op': 'replace', 'ref': 'm1', 'hex': ''}", "replace m1 hex ");
    row("replace a blob", "{'op': 'replace', 'ref': 'left_:blob', 'hex': '00'}", "replace left_:blob hex 00");
    row("replace in a member", "{'op': 'replace', 'ref': 'a.tar!lib.o!m1/const:0', 'hex': '00'}",
        "replace a.tar!lib.o!m1/const:0 hex 00");
    row("file of another encoding", "{'op': 'replace', 'ref': 'm1', 'file': {'hex': '61ff'}}",
        "replace m1 file a\\xff");
    row("add a module",
        "{'op': 'add', 'id': 'new1', 'key': 'cuda', 'file': 'x', 'parents': ['m0', 'm2'], 'position': 1}",
        "add new1 cuda file x to m0 m2 at 1");
    row("add a module at the end", "{'op': 'add', 'id': 'new1', 'key': 'cuda', 'hex': '01', 'parents': ['blob']}",
        "add new1 cuda hex 01 to blob");
    row("add a module without bytes", "{'op': 'add', 'id': 'new1', 'key': '_lib', 'parents': ['m0']}",
        "add new1 _lib hex  to m0");
    row("add a module of a strange kind", "{'op': 'add', 'id': 'new1', 'key': {'hex': '61ff'}, 'parents': []}",
        "add new1 a\\xff hex  to");
    row("add a kernel", "{'op': 'add', 'ref': 'm1/kernel:NEW', 'file': 'k.cl', 'info': {'arg_types': ['handle']}}",
        "add m1/kernel:NEW file k.cl { 'arg_types': [ 'handle' ] }");
    row("add a kernel without code", "{'op': 'add', 'ref': 'm1/kernel:NEW', 'info': {}}", "add m1/kernel:NEW - {}");
    row("add an image", "{'op': 'add', 'ref': 'm1/entry:9', 'hex': '00'}", "add m1/entry:9 hex 00 null");
    row("remove", "{'op': 'remove', 'ref': 'm1/kernel:a%2Fb'}", "remove m1/kernel:a%2Fb");
    row("rename", "{'op': 'rename', 'ref': 'm1', 'name': 'opencl'}", "rename m1 opencl");
    row("rename to bytes", "{'op': 'rename', 'ref': 'm1/kernel:a', 'name': {'hex': 'ff00'}}",
        "rename m1/kernel:a \\xff\\x00");
    row("rename to nothing", "{'op': 'rename', 'ref': 'm1/kernel:a', 'name': ''}", "rename m1/kernel:a ");
    row("relink", "{'op': 'relink', 'ref': 'm0', 'imports': ['m2', 'm1']}", "relink m0 m2 m1");
    row("relink to nothing", "{'op': 'relink', 'ref': 'm0', 'imports': []}", "relink m0");
    row("set a number", "{'op': 'set', 'ref': 'm1/field:a[1].b', 'value': -7}", "set m1/field:a[1].b -7");
    row("set a text", "{'op': 'set', 'ref': 'm1/field:fmt', 'value': 'ptx'}", "set m1/field:fmt 'ptx'");
    row("set a list", "{'op': 'set', 'ref': 'm1/field:fmt', 'value': [1, 'two', {'hex': '03'}]}",
        "set m1/field:fmt [ 1, 'two', { 'hex': '03' } ]");
    row("set to null", "{'op': 'set', 'ref': 'm1/field:fmt', 'value': null}", "set m1/field:fmt null");
    row("set a value", "{'op': 'set', 'ref': 'm1/const:2', 'index': [5, 0], 'value': '0.0125'}",
        "set m1/const:2 [5,0,] 0.0125");
    row("set a value to a number", "{'op': 'set', 'ref': 'm1/param:p', 'index': [], 'value': -0.5}",
        "set m1/param:p [] -0.5");
    row("set a value to a bool", "{'op': 'set', 'ref': 'm1/param:p', 'index': [1], 'value': true}",
        "set m1/param:p [1,] true");
    row("edits of an added module",
        R"({'op': 'add', 'id': 'new1', 'key': 'cuda', 'hex': '', 'parents': ['m0']},
           {'op': 'relink', 'ref': 'new1', 'imports': ['m2']},
           {'op': 'set', 'ref': 'new1/field:fmt', 'value': 'x'},
           {'op': 'add', 'id': 'new2', 'key': 'cuda', 'parents': ['new1']})",
        "add new1 cuda hex  to m0; relink new1 m2; set new1/field:fmt 'x'; add new2 cuda hex  to new1");
    row("replace a member", "{'op': 'replace', 'ref': 'member:src/a.c', 'hex': '00'}", "replace member:src/a.c hex 00");
    row("add a member", "{'op': 'add', 'ref': 'member:src/a.c', 'file': 'x.c'}", "add member:src/a.c file x.c");
    row("add an empty member after another one",
        "{'op': 'add', 'ref': 'model.tar!member:a', 'hex': '', 'after': 'src/b.c'}",
        "add model.tar!member:a hex  after src/b.c");
    row("add a member after bytes", "{'op': 'add', 'ref': 'member:a', 'hex': '', 'after': {'hex': 'ff'}}",
        "add member:a hex  after \\xff");
    row("remove a member", "{'op': 'remove', 'ref': 'member:src/a.c'}", "remove member:src/a.c");
    row("rename a member", "{'op': 'rename', 'ref': 'member:a', 'name': 'b/c'}", "rename member:a b/c");
    row("set a value of JSON", "{'op': 'set', 'ref': 'member:metadata.json', 'pointer': '/a/0', 'value': {'b': null}}",
        "set member:metadata.json at /a/0 { 'b': null }");
    row("set a value of JSON to null", "{'op': 'set', 'ref': 'member:m', 'pointer': '', 'value': null}",
        "set member:m at  null");
    row("remove a value of JSON", "{'op': 'remove', 'ref': 'member:m', 'pointer': '/a'}", "remove member:m at /a");
    for (const std::string form : {"uncompressed", "end-marker", "last-copies", "canonical"})
      row(("form " + form).c_str(), "{'op': 'archive', 'ref': '', 'form': '" + form + "'}", "archive  " + form);
    row("form of an inner archive", "{'op': 'archive', 'ref': 'model.tar!', 'form': 'canonical'}",
        "archive model.tar! canonical");
    row("unknown members are left out", "{'op': 'remove', 'ref': 'm1', 'note': 'why'}", "remove m1");
    row("none", "", "");
  }
  void editListsRoundTrip() {
    QFETCH(std::string, text);
    QFETCH(std::string, expected);
    const auto words = [](const edit::EditList& list) {
      std::string out;
      for (const edit::Edit& one : list.edits) out += (out.empty() ? "" : "; ") + textOf(one);
      return out;
    };
    const auto list = edit::readEdits(bytes(document(text)));
    QVERIFY2(list, list ? "" : list.error().message().c_str());
    QCOMPARE(words(*list), expected);
    QCOMPARE(list->sha256, "ab"s);
    const std::string written = edit::writeEdits(list->sha256, list->edits);
    const auto again = edit::readEdits(bytes(written));
    QVERIFY2(again, written.c_str());
    QCOMPARE(words(*again), expected);
    QCOMPARE(again->sha256, "ab"s);
    QCOMPARE(edit::writeEdits("ab", again->edits), written);
    QVERIFY(written.starts_with("{\n"
                                R"(  "schema": "blobscope.edits/1",)"
                                "\n") &&
            written.ends_with("}\n"));
  }

  void malformedListsAreRefused_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("expected");
    /// The text with single quotes.
    const auto whole = [](const char* name, const std::string& text, const std::string& reason) {
      QTest::newRow(name) << quoted(text) << reason;
    };
    const auto row = [&](const char* name, const std::string& edit, const std::string& reason) {
      whole(name, document(edit), "invalid edit list: edit 1: " + reason);
    };
    const auto missing = [](const std::string& member) { return "\"" + member + "\" is missing or of the wrong type"; };

    // --- the document ---
    const std::string schema = R"(invalid edit list: its "schema" is not "blobscope.edits/1")",
                      list = R"(invalid edit list: "edits" is not a list)";
    whole("no schema", "{'edits': []}", schema);
    whole("another schema", "{'schema': 'blobscope.tree/1', 'edits': []}", schema);
    whole("a later version", "{'schema': 'blobscope.edits/2', 'edits': []}", schema);
    whole("a list", "[]", schema);
    whole("no edits", "{'schema': 'blobscope.edits/1'}", list);
    whole("edits are no list", "{'schema': 'blobscope.edits/1', 'edits': {}}", list);

    // --- op ---
    row("not an object", "7", missing("op"));
    row("no op", "{'ref': 'm1'}", missing("op"));
    row("op is a number", "{'op': 1}", missing("op"));
    row("unknown op", R"({'op': 'repl\u0007ace'})",
        R"(the op 'repl\x07ace' is not one of replace, add, remove, rename, relink, set, archive)");

    // --- members of an edit ---
    for (const std::string op : {"replace", "remove", "rename", "relink", "set"})
      row((op + " without ref").c_str(), "{'op': '" + op + "'}", missing("ref"));
    row("ref is a number", "{'op': 'remove', 'ref': 1}", missing("ref"));
    row("replace without content", "{'op': 'replace', 'ref': 'm1'}", missing("file"));
    row("replace by a file without a name", "{'op': 'replace', 'ref': 'm1', 'file': ''}", missing("file"));
    row("hex of odd length", "{'op': 'replace', 'ref': 'm1', 'hex': '0'}",
        R"("hex" must contain only pairs of hexadecimal digits)");
    row("hex of other digits", "{'op': 'replace', 'ref': 'm1', 'hex': '0g'}",
        R"("hex" must contain only pairs of hexadecimal digits)");
    row("rename without name", "{'op': 'rename', 'ref': 'm1'}", missing("name"));
    row("rename to a number", "{'op': 'rename', 'ref': 'm1', 'name': 1}", missing("name"));
    row("relink without imports", "{'op': 'relink', 'ref': 'm1'}", missing("imports"));
    row("relink to numbers", "{'op': 'relink', 'ref': 'm1', 'imports': [1]}", missing("imports"));
    row("set without value", "{'op': 'set', 'ref': 'm1/field:a'}", missing("value"));
    row("add without id", "{'op': 'add', 'key': 'cuda', 'parents': []}", missing("id"));
    row("add without key", "{'op': 'add', 'id': 'new1', 'parents': []}", missing("key"));
    row("add without parents", "{'op': 'add', 'id': 'new1', 'key': 'cuda'}", missing("parents"));
    row("add at a negative place", "{'op': 'add', 'id': 'new1', 'key': 'cuda', 'parents': [], 'position': -1}",
        missing("position"));

    row("add a member without content", "{'op': 'add', 'ref': 'member:a'}", missing("file"));
    row("add a member after a number", "{'op': 'add', 'ref': 'member:a', 'hex': '', 'after': 1}", missing("after"));
    row("pointer is a number", "{'op': 'set', 'ref': 'member:a', 'pointer': 1, 'value': 2}", missing("pointer"));
    row("remove at a number", "{'op': 'remove', 'ref': 'member:a', 'pointer': 1}", missing("pointer"));
    row("archive without form", "{'op': 'archive', 'ref': ''}", missing("form"));
    row("archive of an unknown form", "{'op': 'archive', 'ref': '', 'form': 'zip'}",
        "the form 'zip' is not one of uncompressed, end-marker, last-copies, modes, owners, canonical");

    // --- other reasons ---
    whole("no JSON", "{", "invalid JSON: ");
    whole("bad ref", document("{'op': 'remove', 'ref': 'm1//'}"), "edit 1: invalid reference 'm1//'");
    whole("the second edit", document("{'op': 'remove', 'ref': 'm1'}, {'op': 'remove'}"),
          "invalid edit list: edit 2: " + missing("ref"));
    whole("an id before its module is added", document("{'op': 'remove', 'ref': 'new1'}"),
          "edit 1: invalid reference 'new1'");
  }
  void malformedListsAreRefused() {
    QFETCH(std::string, text);
    QFETCH(std::string, expected);
    const auto list = edit::readEdits(bytes(text));
    QVERIFY(!list);
    const std::string message = list.error().message();
    if (message.find("edit list") == std::string::npos) // texts of other layers, tested there
      QCOMPARE(message.substr(0, 10), expected.substr(0, 10));
    else
      QCOMPARE(message, expected);
  }

  /// Truncated at each byte, and each byte changed: an error or a list, never a crash.
  void damagedTextIsSafeUnderSanitizers() {
    const std::string text =
        document(quoted("{'op': 'add', 'id': 'new1', 'key': 'cuda', 'hex': '00', 'parents': ['m0'], 'position': 1}, "
                        "{'op': 'set', 'ref': 'new1/field:a', 'value': [1]}"));
    for (std::size_t i = 0; i < text.size(); ++i) {
      (void)edit::readEdits(bytes(text.substr(0, i))).hasValue();
      std::string changed = text;
      changed[i] = changed[i] == '"' ? '1' : '"';
      (void)edit::readEdits(bytes(changed)).hasValue();
    }
  }

  void editListChecksTheDigestOfItsFile() {
    NullMonitor monitor;
    const auto package = openBytes(elfWith("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}}, {{}})));
    QVERIFY(package);
    edit::EditList list;
    QVERIFY(edit::checkFile(list, **package, monitor));
    list.sha256 = *computeSha256((*package)->bytes, monitor);
    QVERIFY(edit::checkFile(list, **package, monitor));
    const std::string found = list.sha256;
    list.sha256[0] = list.sha256[0] == '0' ? '1' : '0';
    const auto refused = edit::checkFile(list, **package, monitor);
    QVERIFY(!refused && refused.error().id() == DiagnosticId::EditFile);
    QCOMPARE(refused.error().message(),
             "the edits were made for another file: its SHA-256 is " + list.sha256 + ", but this file has " + found);
    StopAfter stop(0);
    QVERIFY(edit::checkFile(list, **package, stop).error().code() == ErrorCode::Cancelled);
  }
};

BLOBSCOPE_TEST(TestEditJson);
#include "test_edit_json.moc"
