#include "core/base/field_tree.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/core/base/sample.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

FieldTree sampleTree() {
  Reader reader(bytes(sampleBytes()));
  return describeSample(readSample(reader), reader.bytes());
}

/// A tree of one row over `content`.
FieldTree oneRow(FieldType type, FieldRole role, uint64_t size, uint64_t number, std::string_view content) {
  FieldTreeBuilder builder;
  builder.leaf("it", type, role, size, number);
  return builder.take(bytes(content));
}

FieldTree textRow(std::string_view text) {
  return oneRow(FieldType::String, FieldRole::Text, 8 + text.size(), text.size(), ByteBuilder().str(text).take());
}

} // namespace

class TestFieldTree : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyPathFindsItsRow();
  void wrongPathFindsNothing_data();
  void wrongPathFindsNothing();
  void offsetFindsItsRow_data();
  void offsetFindsItsRow();
  void rowAtReturnsTheDeepestRow();
  void pathBelowIsRelativeToAnAncestor();
  void contentIsTheBytesOfTheField_data();
  void contentIsTheBytesOfTheField();
  void valuesAreShownByTypeAndRole_data();
  void valuesAreShownByTypeAndRole();
  void longTextsAreCutAtACharacter_data();
  void longTextsAreCutAtACharacter();
  void ownedBytesExcludeUnknownFields();
  void dataTypesAreNamedInBothNotations_data();
  void dataTypesAreNamedInBothNotations();
  void emptyTreeFindsNothing();
  void builderIsReusableAfterTake();
  void oneRowReplacesTheRowsAboveTheLimit();
};

void TestFieldTree::everyPathFindsItsRow() {
  const FieldTree tree = sampleTree();
  for (uint32_t row = 0; row < tree.rows.size(); ++row) {
    const std::string path = tree.path(row);
    const auto found = tree.find(path);
    QVERIFY2(found, path.c_str());
    QCOMPARE(tree.path(*found), path);
    QCOMPARE(*found, row);
  }
}

void TestFieldTree::wrongPathFindsNothing_data() {
  QTest::addColumn<std::string>("path");
  for (const char* const path : {"",
                                 "fm",
                                 "fmtt",
                                 "fmt.",
                                 ".fmt",
                                 "fmt.x",
                                 "fmt[0]",
                                 "[0]",
                                 "entries.key",
                                 "entries[2]",
                                 "entries[",
                                 "entries[]",
                                 "entries[0",
                                 "entries[x]",
                                 "entries[-1]",
                                 "entries[0x0]",
                                 "entries[0]x]",
                                 "entries[0][0]",
                                 "entries[0].",
                                 "entries[0]..key",
                                 "entries[0].key.x",
                                 "entries.[0]",
                                 "entries[4294967295]",
                                 "entries[4294967296]",
                                 "entries[18446744073709551616]",
                                 "entries[0].types[2]",
                                 "key",
                                 "shader.flag"})
    QTest::newRow(*path ? path : "nothing") << std::string(path);
}

void TestFieldTree::wrongPathFindsNothing() {
  QFETCH(std::string, path);
  const FieldTree tree = sampleTree();
  const auto found = tree.find(path);
  QVERIFY2(!found, found ? ("found " + tree.path(*found)).c_str() : "");
}

void TestFieldTree::offsetFindsItsRow_data() {
  QTest::addColumn<uint64_t>("offset");
  QTest::addColumn<std::string>("path");
  const auto row = [](const char* name, uint64_t offset, const char* path) {
    QTest::newRow(name) << offset << std::string(path);
  };
  row("first byte", 0, "fmt");
  row("last byte of the first", 10, "fmt");
  row("first byte of the second", 11, "mode");
  row("count of a list", 41, "entries");
  row("last byte of the count", 48, "entries");
  row("first byte of an item", 49, "entries[0].key");
  row("item of an inner list", 71, "entries[0].types[1]");
  row("single byte", 75, "entries[0].kind");
  row("length of a sized structure", 83, "entries[0].shader");
  row("in a sized structure", 84, "entries[0].shader.flag");
  row("after an empty list", 120, "entries[1].kind");
  row("last byte", 153, "data");
  row("after the end", 154, "");
  row("far after the end", UINT64_MAX, "");
}

void TestFieldTree::offsetFindsItsRow() {
  QFETCH(uint64_t, offset);
  QFETCH(std::string, path);
  const FieldTree tree = sampleTree();
  const auto row = tree.rowAt(offset);
  QCOMPARE(row ? tree.path(*row) : ""s, path);
}

void TestFieldTree::rowAtReturnsTheDeepestRow() {
  const FieldTree tree = sampleTree();
  for (uint64_t offset = 0; offset < kSampleSize; ++offset) {
    std::optional<uint32_t> deepest;
    for (uint32_t row = 0; row < tree.rows.size(); ++row) {
      const Field& field = tree.rows[row];
      if (offset < field.offset || offset >= field.offset + field.size) continue;
      if (!deepest || field.depth > tree.rows[*deepest].depth) deepest = row;
    }
    QVERIFY(deepest);
    const auto found = tree.rowAt(offset);
    QVERIFY2(found && *found == *deepest, std::to_string(offset).c_str());
  }
}

void TestFieldTree::pathBelowIsRelativeToAnAncestor() {
  const FieldTree tree = sampleTree();
  const auto entries = tree.find("entries");
  const auto item = tree.find("entries[1]");
  const auto key = tree.find("entries[1].key");
  QVERIFY(entries && item && key);
  QCOMPARE(tree.pathBelow("", *entries), "entries"s);
  QCOMPARE(tree.pathBelow("entries", *item), "entries[1]"s);
  QCOMPARE(tree.pathBelow("entries[1]", *key), "entries[1].key"s);
}

void TestFieldTree::contentIsTheBytesOfTheField_data() {
  QTest::addColumn<std::string>("path");
  QTest::addColumn<uint64_t>("offset");
  QTest::addColumn<uint64_t>("size");
  const auto row = [](const char* name, const char* path, uint64_t offset, uint64_t size) {
    QTest::newRow(name) << std::string(path) << offset << size;
  };
  row("string without its length", "fmt", 8, 3);
  row("empty string", "entries[1].key", 112, 0);
  row("number", "mode", 11, 2);
  row("list with its count", "entries", 41, 100);
  row("item", "entries[0]", 49, 55);
  row("data type", "entries[0].types[1]", 71, 4);
  row("sized without its length", "entries[0].shader", 84, 20);
  row("words without their count", "entries[0].shader.words", 96, 8);
  row("no words", "entries[1].shader.words", 141, 0);
  row("data without its length", "data", 149, 5);
}

void TestFieldTree::contentIsTheBytesOfTheField() {
  QFETCH(std::string, path);
  QFETCH(uint64_t, offset);
  QFETCH(uint64_t, size);
  FieldTree tree = sampleTree();
  constexpr uint64_t kPlace = 0x1000;
  tree.bytes = Bytes(tree.bytes.owner(), tree.bytes.span(), kPlace);
  const auto row = tree.find(path);
  QVERIFY(row);
  const Bytes content = tree.content(*row);
  QCOMPARE(std::string(content.view()), sampleBytes().substr(offset, size));
  QCOMPARE(content.size(), size);
  QCOMPARE(content.offset(), std::optional(kPlace + offset));
}

void TestFieldTree::valuesAreShownByTypeAndRole_data() {
  QTest::addColumn<int>("type");
  QTest::addColumn<int>("role");
  QTest::addColumn<uint64_t>("size");
  QTest::addColumn<uint64_t>("number");
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("value");
  const auto row = [](const char* name, FieldType type, FieldRole role, uint64_t size, uint64_t number,
                      std::string content, const char* value) {
    QTest::newRow(name) << static_cast<int>(type) << static_cast<int>(role) << size << number << std::move(content)
                        << std::string(value);
  };
  const auto bitsOf = [](double number) {
    uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
  };
  using T = FieldType;
  using R = FieldRole;
  row("u8", T::U8, R::Number, 1, 200, "", "200");
  row("u16 offset", T::U16, R::Offset, 2, 0x1234, "", "0x1234");
  row("u32 code", T::U32, R::TypeCode, 4, 6, "", "0x6");
  row("u64, largest", T::U64, R::Number, 8, UINT64_MAX, "", "18446744073709551615");
  row("i32, smallest", T::I32, R::Number, 4, 0x80000000, "", "-2147483648");
  row("i64, smallest", T::I64, R::Number, 8, 1ull << 63, "", "-9223372036854775808");
  row("f64", T::F64, R::Number, 8, bitsOf(0.1), "", "0.1");
  row("f64, longest", T::F64, R::Number, 8, bitsOf(-2.2250738585072014e-308), "", "-2.2250738585072014e-308");
  row("f64, no number", T::F64, R::Number, 8, 0x7ff8000000000000, "", "nan");
  row("f64, infinite", T::F64, R::Number, 8, bitsOf(-HUGE_VAL), "", "-inf");
  row("string", T::String, R::Text, 8 + 6, 6, ByteBuilder().str("vulkan").take(), "\"vulkan\"");
  row("string of one line", T::String, R::Text, 8 + 4, 4, ByteBuilder().str("a\nb\x9f").take(), "\"a\\nb\\x9f\"");
  row("empty string", T::String, R::Text, 8, 0, ByteBuilder().str("").take(), "\"\"");
  row("data with a length", T::Data, R::Payload, 8 + 5, 5, ByteBuilder().str("12345").take(), "5 bytes");
  row("data alone", T::Data, R::Payload, 5, 5, "12345", "5 bytes");
  row("no data", T::Data, R::Payload, 8, 0, ByteBuilder().str("").take(), "0 bytes");
  row("unknown", T::Unknown, R::Unknown, 1, 0, "x", "1 byte");
  row("words", T::Words, R::Payload, 8 + 8, 2, std::string(16, 'x'), "2 words");
  row("one item", T::List, R::Length, 8, 1, "", "1 item");
  row("items", T::List, R::Length, 8, 40, "", "40 items");
  row("group", T::Group, R::Structure, 0, 0, "", "");
  row("data type of TVM", T::DataType, R::TypeCode, 4, 0x00010806, "", "float8_e4m3");
  row("data type of DLPack", T::DataType, R::TypeCode, 4, 0x00010806 | 1ull << 32, "", "bool");
}

void TestFieldTree::valuesAreShownByTypeAndRole() {
  QFETCH(int, type);
  QFETCH(int, role);
  QFETCH(uint64_t, size);
  QFETCH(uint64_t, number);
  QFETCH(std::string, bytes);
  QFETCH(std::string, value);
  const FieldTree tree = oneRow(static_cast<FieldType>(type), static_cast<FieldRole>(role), size, number, bytes);
  QCOMPARE(tree.value(0), value);
}

void TestFieldTree::longTextsAreCutAtACharacter_data() {
  QTest::addColumn<std::string>("text");
  const auto repeated = [](std::string_view what, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += what;
    return out;
  };
  QTest::newRow("ASCII") << std::string(500, 'a');
  QTest::newRow("two-byte characters") << repeated("\xc3\xa9", 250);
  QTest::newRow("three-byte characters") << "x" + repeated("\xe2\x82\xac", 250);
  QTest::newRow("four-byte characters") << repeated("\xf0\x9f\x98\x80", 250);
  QTest::newRow("line feeds") << std::string(500, '\n');
  QTest::newRow("mixed, hardly too long") << std::string(100, 'a') + repeated("\xe2\x82\xac", 7);
}

/// A text that does not fit is cut at a character, marked once, and stays within the limit.
void TestFieldTree::longTextsAreCutAtACharacter() {
  QFETCH(std::string, text);
  const FieldTree tree = textRow(text);
  for (std::size_t limit = 8; limit < 130; ++limit) {
    const std::string value = tree.value(0, limit);
    const std::string report =
        "limit " + std::to_string(limit) + ": " + std::to_string(value.size()) + " bytes: " + value;
    if (escaped(text).size() + 2 <= limit) {
      QCOMPARE(value, '"' + escaped(text) + '"');
      continue;
    }
    QVERIFY2(value.starts_with('"') && value.ends_with("…\""), report.c_str());
    QVERIFY2(isUtf8(value), report.c_str());
    QVERIFY2(value.find("…") == value.rfind("…"), report.c_str());
    QVERIFY2(value.find("\\x") == std::string::npos, report.c_str());
    QVERIFY2(value.size() <= limit, report.c_str());
  }
}

void TestFieldTree::ownedBytesExcludeUnknownFields() {
  QCOMPARE(sampleTree().ownedBytes(), kSampleSize);

  FieldTreeBuilder builder;
  builder.leaf("a", FieldType::U32, FieldRole::Number, 4, 0);
  builder.leaf("b", FieldType::Unknown, FieldRole::Unknown, 10, 0);
  builder.open("c", FieldType::List, FieldRole::Length, 8, 1);
  builder.nextIndex(0);
  builder.leaf("", FieldType::Unknown, FieldRole::Unknown, 3, 0);
  builder.nextIndex(1);
  builder.leaf("", FieldType::U8, FieldRole::Number, 1, 0);
  builder.close();
  builder.open("d", FieldType::Group, FieldRole::Structure, 0, 0);
  builder.close();
  builder.open("e", FieldType::Sized, FieldRole::Length, 8, 0);
  builder.close();
  QCOMPARE(builder.position(), uint64_t{34});
  const FieldTree tree = builder.take(bytes(std::string(34, 'x')));
  QCOMPARE(tree.ownedBytes(), uint64_t{4 + 8 + 1 + 8});
  QCOMPARE(tree.path(3), "c[0]"s);
  QCOMPARE(tree.path(4), "c[1]"s);
  QCOMPARE(tree.shownPath(4), "c[1]"s);
  // Names that come from the bytes are complete in a path and shortened for display.
  FieldTree named = tree;
  const std::string name = "a\n" + std::string(20'000'000, 'k');
  named.rows[2].name = name;
  QCOMPARE(named.path(3), name + "[0]");
  QCOMPARE(named.shownPath(3), "a\\n" + std::string(kShownBytes - 3, 'k') + "… (19,999,603 more bytes)[0]");
}

void TestFieldTree::dataTypesAreNamedInBothNotations_data() {
  QTest::addColumn<uint32_t>("raw");
  QTest::addColumn<std::string>("tvm");
  QTest::addColumn<std::string>("dlpack");
  const auto row = [](const char* name, uint32_t code, uint32_t bits, uint32_t lanes, const char* tvm,
                      const char* dlpack) {
    QTest::newRow(name) << (code | bits << 8 | lanes << 16) << std::string(tvm) << std::string(dlpack);
  };
  row("int", 0, 32, 1, "int32", "int32");
  row("int of 4 lanes", 0, 8, 4, "int8x4", "int8x4");
  row("uint", 1, 64, 1, "uint64", "uint64");
  row("bool of one bit", 1, 1, 1, "bool", "bool");
  row("bool of one bit, 8 lanes", 1, 1, 8, "boolx8", "boolx8");
  row("float", 2, 16, 1, "float16", "float16");
  row("float of many lanes", 2, 16, 256, "float16x256", "float16x256");
  row("handle", 3, 64, 1, "handle", "handle");
  row("void", 3, 0, 0, "void", "void");
  row("bfloat", 4, 16, 1, "bfloat16", "bfloat16");
  row("complex", 5, 128, 1, "complex128", "complex128");
  row("6", 6, 8, 1, "float8_e4m3", "bool");
  row("7", 7, 8, 1, "float8_e5m2", "float8_e3m4");
  row("8", 8, 4, 1, "float4_e2m1", "float8_e4m3");
  row("9", 9, 8, 1, "custom9_8", "float8_e4m3b11fnuz");
  row("10", 10, 8, 1, "custom10_8", "float8_e4m3fn");
  row("11", 11, 8, 1, "custom11_8", "float8_e4m3fnuz");
  row("12", 12, 8, 1, "custom12_8", "float8_e5m2");
  row("13", 13, 8, 1, "custom13_8", "float8_e5m2fnuz");
  row("14", 14, 8, 1, "custom14_8", "float8_e8m0fnu");
  row("15", 15, 6, 1, "custom15_6", "float6_e2m3fn");
  row("16", 16, 6, 1, "custom16_6", "float6_e3m2fn");
  row("17", 17, 4, 2, "custom17_4x2", "float4_e2m1fnx2");
  row("18, the first without a name", 18, 8, 1, "custom18_8", "custom18_8");
  row("registered by name", 129, 16, 1, "custom129_16", "custom129_16");
  row("largest of all", 255, 255, 65535, "custom255_255x65535", "custom255_255x65535");
}

void TestFieldTree::dataTypesAreNamedInBothNotations() {
  QFETCH(uint32_t, raw);
  QFETCH(std::string, tvm);
  QFETCH(std::string, dlpack);
  QCOMPARE(dataTypeName(raw, false), tvm);
  QCOMPARE(dataTypeName(raw, true), dlpack);
}

void TestFieldTree::emptyTreeFindsNothing() {
  const FieldTree tree;
  QVERIFY(!tree.rowAt(0));
  QVERIFY(!tree.find("a"));
  QCOMPARE(tree.ownedBytes(), uint64_t{0});
}

/// After take() the builder continues at its position, with a new list.
void TestFieldTree::builderIsReusableAfterTake() {
  FieldTreeBuilder builder;
  builder.leaf("a", FieldType::U8, FieldRole::Number, 1, 0);
  QCOMPARE(builder.take(bytes("1")).rows.size(), std::size_t{1});
  builder.leaf("b", FieldType::U8, FieldRole::Number, 1, 0);
  const FieldTree second = builder.take(bytes("12"));
  QCOMPARE(second.rows.size(), std::size_t{1});
  QCOMPARE(second.path(0), "b"s);
}

/// Above the limit one row replaces the rest; the rows still cover all bytes, and every byte still has an owner.
void TestFieldTree::oneRowReplacesTheRowsAboveTheLimit() {
  constexpr uint64_t kItems = limits::kFieldRows + 1000;
  FieldTreeBuilder builder;
  builder.leaf("head", FieldType::U32, FieldRole::Number, 4, 0);
  builder.open("group", FieldType::Group, FieldRole::Structure, 0, 0);
  builder.open("items", FieldType::List, FieldRole::Length, 8, kItems);
  for (uint32_t i = 0; i < kItems; ++i) {
    builder.nextIndex(i);
    builder.leaf("", FieldType::U16, FieldRole::Number, 2, 0);
  }
  builder.close();
  builder.leaf("inside", FieldType::U32, FieldRole::Number, 4, 0);
  builder.close();
  builder.open("more", FieldType::List, FieldRole::Length, 8, 1);
  builder.leaf("behind", FieldType::U64, FieldRole::Number, 8, 0);
  builder.close();
  const uint64_t size = builder.position();
  QCOMPARE(size, 4 + 8 + 2 * kItems + 4 + 8 + 8);

  const FieldTree tree = builder.take({});
  QCOMPARE(tree.rows.size(), std::size_t{limits::kFieldRows + 1});
  const auto last = static_cast<uint32_t>(tree.rows.size() - 1);
  QCOMPARE(tree.rows[last].offset + tree.rows[last].size, size);
  QCOMPARE(tree.rows[last].offset, tree.rows[last - 1].offset + tree.rows[last - 1].size);
  for (const uint32_t row : {1u, 2u, last}) {
    QCOMPARE(tree.rows[row].after, last + 1);
    QCOMPARE(tree.rows[row].offset + tree.rows[row].size, size);
  }
  QCOMPARE(tree.ownedBytes(), size);
  QCOMPARE(tree.rowAt(size - 1), std::optional(last));
  QCOMPARE(tree.rowAt(3), std::optional<uint32_t>(0));

  // The next tree of the same builder has rows again.
  builder.leaf("next", FieldType::U8, FieldRole::Number, 1, 0);
  QCOMPARE(builder.take({}).rows.size(), std::size_t{1});
}

BLOBSCOPE_TEST(TestFieldTree);
#include "test_field_tree.moc"
