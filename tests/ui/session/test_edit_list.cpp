#include "tests/support/test_main.h"
#include "ui/session/edit_list.h"

using namespace blobscope;
using namespace blobscope::ui;
using edit::Edit;
using edit::Target;

namespace {

Target at(const char* text) { return {*Ref::parse(text), {}}; }
Edit set(const char* ref, const char* value) { return edit::SetField{at(ref), {std::string(value)}}; }
Edit renamed(const char* ref, const char* name) { return edit::Rename{at(ref), name}; }
Edit replaced(const char* ref, const char* bytes) { return edit::Replace{at(ref), {{}, Bytes::copyOf(bytes)}}; }
Edit removed(const char* ref) { return edit::Remove{at(ref)}; }
Edit relinked(const char* ref, std::vector<std::string> imports) { return edit::Relink{at(ref), std::move(imports)}; }

/// "set m1/field:fmt, remove m2".
QString words(const std::vector<Edit>& list) {
  constexpr std::array kNames = {"replace", "add",      "addFunction", "remove",  "rename",    "relink",
                                 "set",     "setValue", "addMember",   "setJson", "setArchive"};
  QStringList out;
  for (const Edit& edit : list)
    out << QStringLiteral("%1 %2").arg(QLatin1String(kNames[edit.index()]),
                                       QString::fromStdString(editlist::targetOf(edit).toString()));
  return out.join(QLatin1String(", "));
}

std::vector<Edit> made(std::initializer_list<Edit> edits) {
  std::vector<Edit> list;
  for (const Edit& edit : edits) list = editlist::with(std::move(list), edit);
  return list;
}

} // namespace

/// The list of edits after one more is added.
class TestEditList : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void repeatedEditsAreMerged();
  void editOfAListReplacesEditsOfItsItems();
  void renamingBackRemovesTheEdit();
  void removingAnAddedModuleRemovesItsEdits();
  void newIdsAreUnused();
  void overwrittenBytesAreJoined();
  void editsOfMembersAreMerged();
};

void TestEditList::repeatedEditsAreMerged() {
  const auto list = made({set("m1/field:fmt", "ptx"), renamed("m1/kernel:add", "sum"), set("m1/field:fmt", "cubin"),
                          renamed("m1/kernel:add", "total")});
  QCOMPARE(words(list), QStringLiteral("set m1/field:fmt, rename m1/kernel:add"));
  QCOMPARE(*std::get<edit::SetField>(list[0]).value.string(), std::string("cubin"));
  QCOMPARE(std::get<edit::Rename>(list[1]).name, std::string("total"));
  // Text and value of a field are the same bytes.
  QCOMPARE(words(made({set("m1/field:data", "a"), replaced("m1/field:data", "b")})),
           QStringLiteral("replace m1/field:data"));
  const auto value = [](const char* ref, uint64_t index, const char* text) -> Edit {
    return edit::SetValue{at(ref), {index}, text};
  };
  const auto values = made({value("m1/const:0", 1, "5"), value("m1/const:0", 2, "6"), value("m1/const:0", 1, "7")});
  QCOMPARE(words(values), QStringLiteral("setValue m1/const:0, setValue m1/const:0"));
  QCOMPARE(std::get<edit::SetValue>(values[0]).value, std::string("7"));
  // A new content replaces the values that were set before.
  QCOMPARE(words(made({value("m1/const:0", 1, "5"), value("m1/const:1", 1, "5"), replaced("m1/const:0", "b"),
                       value("m1/const:0", 2, "6")})),
           QStringLiteral("setValue m1/const:1, replace m1/const:0, setValue m1/const:0"));
  // In another module it is another field.
  QCOMPARE(words(made({set("m1/field:fmt", "ptx"), set("m2/field:fmt", "cl")})),
           QStringLiteral("set m1/field:fmt, set m2/field:fmt"));
  // Imports may name a module that was added since.
  const auto linked =
      made({relinked("m0", {"m2"}), edit::AddModule{"new1", "cuda", {}, {"m0"}, {}}, relinked("m0", {"new1", "m2"})});
  QCOMPARE(words(linked), QStringLiteral("add new1, relink m0"));
  QCOMPARE(std::get<edit::Relink>(linked[1]).imports.size(), std::size_t{2});
  QCOMPARE(words(made({renamed("m1/kernel:add", "sum"), removed("m1/kernel:add")})),
           QStringLiteral("remove m1/kernel:add"));
  QCOMPARE(words(made({renamed("m1", "metal"), removed("m1")})), QStringLiteral("remove m1"));
}

void TestEditList::editOfAListReplacesEditsOfItsItems() {
  const edit::SetField whole{at("m1/field:fmap[0].info.arg_types"),
                             {json::Value::Array{{std::string("int32")}, {std::string("handle")}}}};
  // The edit of the whole list replaces those of its items.
  QCOMPARE(words(made({set("m1/field:fmap[0].info.arg_types[0]", "int8"), whole})),
           QStringLiteral("set m1/field:fmap[0].info.arg_types"));
  // The edit of an item is merged into that of its list.
  const auto list = made({whole, set("m1/field:fmap[0].info.arg_types[1]", "float32")});
  QCOMPARE(words(list), QStringLiteral("set m1/field:fmap[0].info.arg_types"));
  QCOMPARE(*std::get<edit::SetField>(list[0]).value.array()->at(1).string(), std::string("float32"));
  QCOMPARE(made({whole, set("m1/field:fmap[0].info.arg_types[7]", "int8")}).size(), std::size_t{2});
  // A name with the same beginning is another field.
  QCOMPARE(made({set("m1/field:fmap[0].info.arg_types_2", "x"), whole}).size(), std::size_t{2});
}

void TestEditList::renamingBackRemovesTheEdit() {
  QVERIFY(made({renamed("m1/kernel:add", "sum"), renamed("m1/kernel:add", "add")}).empty());
  QVERIFY(made({renamed("m1/kernel:add", "add")}).empty());
  QCOMPARE(words(made({renamed("m1", "metal"), renamed("m1", "cuda")})), QStringLiteral("rename m1"));
}

void TestEditList::removingAnAddedModuleRemovesItsEdits() {
  const Edit add = edit::AddModule{"new1", "cuda", {}, {"m0"}, {}};
  const Target added{Ref::moduleAt({}, 0), "new1"};
  const auto list = made({relinked("m0", {"new1", "m1"}), add, edit::Rename{added, "metal"}, edit::Remove{added}});
  QCOMPARE(words(list), QStringLiteral("relink m0"));
  QCOMPARE(std::get<edit::Relink>(list[0]).imports, std::vector<std::string>{"m1"});
  // Another module is imported by it.
  QCOMPARE(made({add, edit::AddModule{"new2", "opencl", {}, {"new1"}, {}}, edit::Remove{added}}).size(),
           std::size_t{3});
}

void TestEditList::newIdsAreUnused() {
  QCOMPARE(editlist::newId({}), std::string("new1"));
  const std::vector<Edit> list = {edit::AddModule{"new1", "cuda", {}, {"m0"}, {}},
                                  edit::AddModule{"new3", "cuda", {}, {"m0"}, {}}};
  QCOMPARE(editlist::newId(list), std::string("new2"));
}

void TestEditList::overwrittenBytesAreJoined() {
  const auto bytesAt = [](const char* ref, const char* now, const char* was) -> Edit {
    edit::Replace out{at(ref), {{}, Bytes::copyOf(now)}};
    out.was = Bytes::copyOf(was);
    return out;
  };
  const Edit first = bytesAt("m1@16+2", "ab", "AB"), next = bytesAt("m1@18+1", "c", "C");
  QCOMPARE(words(made({first, next})), QStringLiteral("replace m1@0x10+3"));
  QCOMPARE(words(made({first, bytesAt("m2@18+1", "c", "C")})), QStringLiteral("replace m1@0x10+2, replace m2@0x12+1"));
  QCOMPARE(words(made({first, bytesAt("m1@32+1", "c", "C"), next})),
           QStringLiteral("replace m1@0x20+1, replace m1@0x10+3"));
  // An edit in between decides about what came before it.
  QCOMPARE(words(made({first, set("m1/field:data", "x"), next})),
           QStringLiteral("replace m1@0x10+2, set m1/field:data, replace m1@0x12+1"));
  QCOMPARE(words(made({first, set("m2/field:data", "x"), next})),
           QStringLiteral("set m2/field:data, replace m1@0x10+3"));
  // The old bytes again.
  QCOMPARE(words(made({first, bytesAt("m1@16+2", "AB", "AB")})), QString());
  QCOMPARE(words(made({first, bytesAt("m1@17+1", "B", "B")})), QStringLiteral("replace m1@0x10+2"));
}

void TestEditList::editsOfMembersAreMerged() {
  const auto added = [](const char* ref, const char* bytes) -> Edit {
    return edit::AddMember{at(ref), {{}, Bytes::copyOf(bytes)}, {}};
  };
  const auto json = [](const char* ref, const char* pointer, uint64_t value) -> Edit {
    return edit::SetJson{at(ref), pointer, json::Value{value}};
  };
  // The new content replaces what was set in the old one, whatever the member is called.
  QCOMPARE(words(made({json("member:./m.json", "/a", 1), replaced("member:m.json", "{}")})),
           QStringLiteral("replace member:m.json"));
  QCOMPARE(words(made({replaced("member:m.json", "{}"), json("member:m.json", "/a", 1)})),
           QStringLiteral("replace member:m.json, setJson member:m.json"));
  QCOMPARE(words(made({{edit::SetValue{at("p!param:w"), {0}, "1"}}, replaced("member:p", "x")})),
           QStringLiteral("replace member:p"));
  // One value that is set again; between others, the order matters.
  const auto twice = made({json("member:m", "/a", 1), json("member:m", "/a", 2)});
  QCOMPARE(twice.size(), std::size_t{1});
  QCOMPARE(std::get<edit::SetJson>(twice[0]).value->number(), uint64_t{2});
  QCOMPARE(made({json("member:m", "/a", 1), json("member:m", "/b", 1), json("member:m", "/a", 2)}).size(),
           std::size_t{3});
  // An added file is what its latest edits make of it.
  const auto file = made({added("member:a", "1"), replaced("member:./a", "2"), renamed("member:a", "b")});
  QCOMPARE(words(file), QStringLiteral("addMember member:b"));
  QCOMPARE(std::string(std::get<edit::AddMember>(file[0]).content.bytes.view()), std::string("2"));
  QCOMPARE(words(made({added("member:a", "1"), removed("member:a")})), QString());
  QCOMPARE(words(made({renamed("member:a", "b"), replaced("member:a", "2"), removed("member:a")})),
           QStringLiteral("remove member:a"));
  QCOMPARE(words(made({renamed("member:./a", "b"), renamed("member:./a", "a")})), QString());
  const Edit sorted = edit::SetArchive{at(""), edit::SetArchive::Form::Canonical};
  QCOMPARE(words(made({sorted, sorted})), QStringLiteral("setArchive "));
}

BLOBSCOPE_TEST(TestEditList);

#include "test_edit_list.moc"
