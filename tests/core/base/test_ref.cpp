#include "core/base/ref.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace std::string_literals;

Q_DECLARE_METATYPE(blobscope::Ref)

class TestRef : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyFormRoundTrips_data();
  void everyFormRoundTrips();
  void otherSpellingsAreNormalised_data();
  void otherSpellingsAreNormalised();
  void invalidTextIsRefused_data();
  void invalidTextIsRefused();
  void anyByteInANameRoundTrips_data();
  void anyByteInANameRoundTrips();
  void prefixMayEqualAKeyword_data();
  void prefixMayEqualAKeyword();
  void everyPartKindHasAWord();
  void differentRefsAreNotEqual();
  void shownTextShortensLongNames();
};

namespace {

Ref inMember(std::vector<std::string> members, Ref ref) {
  ref.members = std::move(members);
  return ref;
}

Ref imports(std::string_view prefix) {
  Ref ref = Ref::blob(prefix);
  ref.kind = Ref::Kind::Imports;
  return ref;
}

} // namespace

void TestRef::everyFormRoundTrips_data() {
  QTest::addColumn<Ref>("ref");
  QTest::addColumn<std::string>("text");
  const auto row = [](const char* name, Ref ref, std::string text) {
    QTest::newRow(name) << std::move(ref) << std::move(text);
  };
  const Ref module = Ref::moduleAt("", 1);
  row("the file", Ref::file(), "");
  row("byte of the file", Ref::bytesAt(4096), "@0x1000");
  row("bytes of the file", Ref::bytesAt(4096, 64), "@0x1000+64");
  row("no bytes at a place", Ref::bytesAt(0, 0), "@0x0+0");
  row("largest numbers", Ref::bytesAt(UINT64_MAX, UINT64_MAX), "@0xffffffffffffffff+18446744073709551615");
  row("blob", Ref::blob(""), "blob");
  row("blob of a system library", Ref::blob("mylib_"), "mylib_:blob");
  row("import tree", imports(""), "imports");
  row("import tree of a system library", imports("mylib_"), "mylib_:imports");
  row("root module", Ref::moduleAt("", 0), "m0");
  row("module", module, "m1");
  row("module with the largest number", Ref::moduleAt("", UINT32_MAX), "m4294967295");
  row("module of a system library", Ref::moduleAt("mylib_", 12), "mylib_:m12");
  row("kernel", module.part(PartKind::Kernel, "fused_relu_kernel"), "m1/kernel:fused_relu_kernel");
  row("function", module.part(PartKind::Function, "main"), "m1/function:main");
  row("entry", module.part(PartKind::Entry, "3"), "m1/entry:3");
  row("constant", module.part(PartKind::Const, "0"), "m1/const:0");
  row("parameter", module.part(PartKind::Param, "p0"), "m1/param:p0");
  row("section of a payload", module.part(PartKind::Section, ".text"), "m1/section:.text");
  row("field", module.part(PartKind::Field, "fmap[3].info.arg_types"), "m1/field:fmap[3].info.arg_types");
  row("several parts", module.part(PartKind::Entry, "0").part(PartKind::Section, ".text").part(PartKind::Field, "head"),
      "m1/entry:0/section:.text/field:head");
  row("part of a system library's module", Ref::moduleAt("mylib_", 2).part(PartKind::Kernel, "k"),
      "mylib_:m2/kernel:k");
  row("part without a name", module.part(PartKind::Kernel, ""), "m1/kernel:");
  row("host function", Ref::named(Ref::Kind::Host, "main"), "host:main");
  row("symbol", Ref::named(Ref::Kind::Symbol, "__tvm_dev_mblob"), "symbol:__tvm_dev_mblob");
  Ref image;
  image.kind = Ref::Kind::Image;
  image.module = 12;
  row("image", image, "image:12");
  row("entry of an image", image.part(PartKind::Entry, "0").part(PartKind::Kernel, "k"), "image:12/entry:0/kernel:k");
  row("bytes of a member's image", inMember({"a.o"}, image.withBytes(16, 8)), "a.o!image:12@0x10+8");
  row("section", Ref::named(Ref::Kind::Section, ".rodata"), "section:.rodata");
  row("member", Ref::named(Ref::Kind::Member, "codegen/host/src/default_lib0.c"),
      "member:codegen/host/src/default_lib0.c");
  row("symbol without a name", Ref::named(Ref::Kind::Symbol, ""), "symbol:");
  row("bytes of a module", module.withBytes(0x2b30c1, 120), "m1@0x2b30c1+120");
  row("byte of a part", module.part(PartKind::Kernel, "k").withBytes(7), "m1/kernel:k@0x7");
  row("bytes of a symbol", Ref::named(Ref::Kind::Symbol, "s").withBytes(1, 2), "symbol:s@0x1+2");
  row("a member as a file", inMember({"lib/a.o"}, Ref::file()), "lib/a.o!");
  row("slice of a universal file", inMember({"aarch64"}, Ref::blob("")), "aarch64!blob");
  row("member of a member", inMember({"x86_64", "lib/a.o"}, module.part(PartKind::Kernel, "k")),
      "x86_64!lib/a.o!m1/kernel:k");
  row("bytes in a member", inMember({"a.o"}, Ref::bytesAt(16, 4)), "a.o!@0x10+4");
  row("everything",
      inMember({"a", "b"},
               Ref::moduleAt("p", 3).part(PartKind::Entry, "1").part(PartKind::Field, "x[0]").withBytes(1, 2)),
      "a!b!p:m3/entry:1/field:x[0]@0x1+2");

  const std::string reserved = "!@+:=/%";
  const std::string encoded = "%21%40%2B%3A%3D%2F%25";
  row("reserved characters in a kernel", module.part(PartKind::Kernel, reserved), "m1/kernel:" + encoded);
  row("reserved characters in a prefix", Ref::blob(reserved), encoded + ":blob");
  row("reserved characters in a symbol", Ref::named(Ref::Kind::Symbol, reserved), "symbol:" + encoded);
  row("reserved characters in a host function", Ref::named(Ref::Kind::Host, reserved), "host:" + encoded);
  row("reserved characters in a section", Ref::named(Ref::Kind::Section, reserved), "section:" + encoded);
  row("the slash stays in a member path", Ref::named(Ref::Kind::Member, reserved), "member:%21%40%2B%3A%3D/%25");
  row("the slash stays in a member", inMember({reserved}, Ref::blob("")), "%21%40%2B%3A%3D/%25!blob");
  row("space, delete, NUL, not UTF-8", module.part(PartKind::Kernel, " \x7f\0\xff"s), "m1/kernel:%20%7F%00%FF");
  row("neighbours of the plain range", module.part(PartKind::Kernel, "\x20\x21\x22\x7d\x7e\x7f"),
      "m1/kernel:%20%21\"}~%7F");
  row("UTF-8", Ref::named(Ref::Kind::Symbol, "\xc3\xa9"), "symbol:%C3%A9");
  row("what looks encoded", Ref::named(Ref::Kind::Symbol, "%41"), "symbol:%2541");
}

void TestRef::everyFormRoundTrips() {
  QFETCH(Ref, ref);
  QFETCH(std::string, text);
  QCOMPARE(ref.toString(), text);
  const auto parsed = Ref::parse(text);
  QVERIFY2(parsed, text.c_str());
  QVERIFY2(*parsed == ref, ("read as " + parsed->toString()).c_str());
}

void TestRef::otherSpellingsAreNormalised_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("canonical");
  const auto row = [](const char* name, std::string text, std::string canonical) {
    QTest::newRow(name) << std::move(text) << std::move(canonical);
  };
  row("decimal offset", "@4096", "@0x1000");
  row("upper-case hex", "@0XFF+0X10", "@0xff+16");
  row("lower-case encoding", "symbol:%2f%c3", "symbol:%2F%C3");
  row("encoded without need", "m1/kernel:%61%62", "m1/kernel:ab");
  row("slash in a symbol as it is", "symbol:a/b", "symbol:a%2Fb");
  row("colon in a section as it is", "section:a:b", "section:a%3Ab");
}

void TestRef::otherSpellingsAreNormalised() {
  QFETCH(std::string, text);
  QFETCH(std::string, canonical);
  const auto parsed = Ref::parse(text);
  QVERIFY(parsed);
  QCOMPARE(parsed->toString(), canonical);
  const auto again = Ref::parse(canonical);
  QVERIFY(again);
  QVERIFY(*again == *parsed);
}

void TestRef::invalidTextIsRefused_data() {
  QTest::addColumn<std::string>("text");
  const auto row = [](const char* name, std::string text) { QTest::newRow(name) << std::move(text); };
  row("a word", "module");
  row("m alone", "m");
  row("no module number", "mx");
  row("negative module number", "m-1");
  row("module number with a sign", "m+1");
  row("module number in hex", "m0x1");
  row("letters after the module number", "m1x");
  row("module number of 33 bits", "m4294967296");
  row("upper-case M", "M1");
  row("part without a kind", "m1/kernel");
  row("part of an unknown kind", "m1/shader:x");
  row("empty part", "m1/");
  row("empty part between", "m1//kernel:x");
  row("empty part at the end", "m1/kernel:x/");
  row("part of a blob", "blob/kernel:x");
  row("slash after a blob", "blob/");
  row("part of the import tree", "imports/field:x");
  row("unknown kind of name", "segment:x");
  row("image without a number", "image:");
  row("image with a name", "image:x");
  row("number of an image of 33 bits", "image:4294967296");
  row("kind in upper case", "SYMBOL:x");
  row("prefix without a node", "mylib_:");
  row("prefix of a named kind", "mylib_:symbol:x");
  row("two prefixes", "a:b:m1");
  row("at without an offset", "@");
  row("at without an offset after a node", "m1@");
  row("offset that is not a number", "m1@x");
  row("0x alone", "@0x");
  row("negative offset", "@-1");
  row("offset of 65 bits", "@18446744073709551616");
  row("plus without a size", "@1+");
  row("size that is not a number", "@1+x");
  row("size of 65 bits", "@1+0x10000000000000000");
  row("two sizes", "@1+2+3");
  row("two offsets", "@1@2");
  row("member without a name", "!m1");
  row("second member without a name", "a!!m1");
  row("percent at the end", "symbol:a%");
  row("percent with one digit", "symbol:a%4");
  row("percent without digits", "symbol:%zz");
  row("percent with a sign", "symbol:%+1");
  row("second digit wrong", "symbol:%4g");
  row("percent in a prefix", "%zz:blob");
  row("percent in a part", "m1/kernel:%4");
  row("percent in a member", "%!m1");
  row("space around", " m1");
  row("trailing NUL", "m1\0"s);
}

void TestRef::invalidTextIsRefused() {
  QFETCH(std::string, text);
  const auto parsed = Ref::parse(text);
  QVERIFY2(!parsed, parsed ? ("read as " + parsed->toString()).c_str() : "");
}

void TestRef::anyByteInANameRoundTrips_data() {
  QTest::addColumn<int>("where");
  QTest::newRow("kernel") << 0;
  QTest::newRow("prefix") << 1;
  QTest::newRow("symbol") << 2;
  QTest::newRow("host") << 3;
  QTest::newRow("section") << 4;
  QTest::newRow("member path") << 5;
  QTest::newRow("member") << 6;
}

void TestRef::anyByteInANameRoundTrips() {
  QFETCH(int, where);
  for (int byte = 0; byte < 256; ++byte) {
    const std::string name = "a"s + static_cast<char>(byte) + "b";
    Ref ref = Ref::moduleAt("", 7).part(PartKind::Field, "x");
    switch (where) {
    case 0: ref = ref.part(PartKind::Kernel, name); break;
    case 1: ref.prefix = name; break;
    case 2: ref = Ref::named(Ref::Kind::Symbol, name); break;
    case 3: ref = Ref::named(Ref::Kind::Host, name); break;
    case 4: ref = Ref::named(Ref::Kind::Section, name); break;
    case 5: ref = Ref::named(Ref::Kind::Member, name); break;
    default: ref.members = {name, name}; break;
    }
    const std::string text = ref.toString();
    for (const char c : text)
      QVERIFY2(static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f, text.c_str());
    const auto parsed = Ref::parse(text);
    QVERIFY2(parsed && *parsed == ref, text.c_str());
  }
}

void TestRef::prefixMayEqualAKeyword_data() {
  QTest::addColumn<std::string>("prefix");
  for (const char* const word :
       {"host", "symbol", "section", "member", "image", "blob", "imports", "m1", "kernel", "field"})
    QTest::newRow(word) << std::string(word);
}

/// The prefix of a system library is free text, so it may equal a keyword of the notation.
void TestRef::prefixMayEqualAKeyword() {
  QFETCH(std::string, prefix);
  for (const Ref& ref : {Ref::blob(prefix), Ref::moduleAt(prefix, 1),
                         Ref::moduleAt(prefix, 1).part(PartKind::Kernel, "k"), imports(prefix)}) {
    const std::string text = ref.toString();
    const auto parsed = Ref::parse(text);
    QVERIFY2(parsed && *parsed == ref, text.c_str());
  }
}

/// Each kind of part has a word for refs, which parse() accepts, and one for display.
void TestRef::everyPartKindHasAWord() {
  for (int number = 0; number <= static_cast<int>(PartKind::Field); ++number) {
    const auto kind = static_cast<PartKind>(number);
    const auto parsed = Ref::parse("m1/" + std::string(partWord(kind)) + ":0");
    QVERIFY(parsed && *parsed == Ref::moduleAt({}, 1).part(kind, "0") && parsed->partKind() == kind);
  }
  QVERIFY(partText(PartKind::Kernel) == "kernel" && partText(PartKind::Const) == "constant");
  QVERIFY(partText(PartKind::Param) == "tensor" && partText(PartKind::Entry) == "image");
  QVERIFY(!Ref::moduleAt({}, 1).partKind());
}

void TestRef::differentRefsAreNotEqual() {
  const Ref ref = Ref::moduleAt("p", 1).part(PartKind::Kernel, "k").withBytes(1, 2);
  QVERIFY(!(ref == Ref::moduleAt("q", 1).part(PartKind::Kernel, "k").withBytes(1, 2)));
  QVERIFY(!(ref == Ref::moduleAt("p", 2).part(PartKind::Kernel, "k").withBytes(1, 2)));
  QVERIFY(!(ref == Ref::moduleAt("p", 1).part(PartKind::Function, "k").withBytes(1, 2)));
  QVERIFY(!(ref == Ref::moduleAt("p", 1).part(PartKind::Kernel, "k2").withBytes(1, 2)));
  QVERIFY(!(ref == Ref::moduleAt("p", 1).part(PartKind::Kernel, "k").withBytes(2, 2)));
  QVERIFY(!(ref == Ref::moduleAt("p", 1).part(PartKind::Kernel, "k").withBytes(1)));
  QVERIFY(!(ref == inMember({"a"}, ref)));
}

void TestRef::shownTextShortensLongNames() {
  const Ref module = Ref::moduleAt("", 1);
  for (const Ref& ref : {Ref::file(), module, module.part(PartKind::Kernel, "a b/c"),
                         Ref::named(Ref::Kind::Member, "d/e").withBytes(16, 4), inMember({"lib.so"}, module)})
    QCOMPARE(ref.shown(), ref.toString());
  const std::string name(20'000'000, 'k');
  const std::string shown = module.part(PartKind::Kernel, name).withBytes(16).shown();
  QCOMPARE(shown, "m1/kernel:" + std::string(kShownBytes, 'k') + "… (19,999,600 more bytes)@0x10");
  QCOMPARE(Ref::named(Ref::Kind::Symbol, std::string(20'000'000, '\n')).shown().substr(0, 10),
           std::string("symbol:%0A"));
  QVERIFY(inMember({name, name, name, name, name}, module.part(PartKind::Function, name)).shown().size() < 1'100);
}

BLOBSCOPE_TEST(TestRef);
#include "test_ref.moc"
