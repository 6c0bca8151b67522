#include "core/edit/value.h"

#include "core/base/wire.h"
#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <set>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

/// One field of each type.
struct Sample {
  uint8_t u8 = 1;
  uint16_t u16 = 2;
  uint32_t u32 = 3, type = 0x00012002, wide = 0x00040810, older = 0x00010806;
  uint64_t u64 = 4;
  int32_t i32 = -5;
  int64_t i64 = -6;
  double f64 = 1.5;
  Bytes text = Bytes::copyOf("text"), data = Bytes::copyOf("data"), words = Bytes::copyOf("\1\0\0\0"s),
        words64 = Bytes::copyOf("\1\0\0\0\0\0\0\0"s);
  std::vector<Bytes> names = {Bytes::copyOf("a"), Bytes::copyOf("b")}, noNames, unknown, groups = {Bytes::copyOf("g")};
  std::vector<uint32_t> types = {0x00014003}, noTypes;
  std::vector<int32_t> numbers = {1}, noNumbers;
};

template <class A> void wire(A& ar, wire_ref<A, Sample> v) {
  ar.number("u8", v.u8);
  ar.number("u16", v.u16);
  ar.number("u32", v.u32);
  ar.number("u64", v.u64);
  ar.number("i32", v.i32);
  ar.number("i64", v.i64);
  ar.number("f64", v.f64);
  ar.dataType("type", v.type, true);
  ar.dataType("older", v.older, false);
  ar.string("text", v.text);
  ar.data("data", v.data);
  ar.words("words", v.words);
  ar.words64("words64", v.words64);
  const auto texts = [&](const char* name, auto& list) {
    ar.list(name, list, 8, [](A& a, auto& one) { a.string("", one); });
  };
  const auto types = [&](const char* name, auto& list) {
    ar.list(name, list, 4, [](A& a, auto& one) { a.dataType("", one, true); });
  };
  const auto numbers = [&](const char* name, auto& list) {
    ar.list(name, list, 4, [](A& a, auto& one) { a.number("", one); });
  };
  texts("names", v.names);
  texts("launch_param_tags", v.noNames);
  texts("something", v.unknown);
  types("types", v.types);
  types("arg_types", v.noTypes);
  numbers("numbers", v.numbers);
  numbers("arg_extra_tags", v.noNumbers);
  ar.list("groups", v.groups, 8, [](A& a, auto& one) { a.group("", [&](A& inner) { inner.string("key", one); }); });
  ar.sized("sized", [](A&) {});
}

const FieldTree& tree() {
  static const FieldTree made = [] {
    const Sample value;
    Writer writer;
    WriteArchive write(writer);
    wire(write, value);
    FieldTreeBuilder builder;
    DescribeArchive describe(builder);
    wire(describe, value);
    return builder.take(joined(writer.takePieces()));
  }();
  return made;
}

/// Hex digits of the bytes that the field gets, or the message.
std::string taken(std::string_view path, std::string_view value) {
  const auto row = tree().find(path);
  const auto parsed = json::parse(bytes(value));
  if (!row || !parsed) return "the test is wrong";
  const auto made = edit::fieldBytes(tree(), *row, *parsed, path);
  return made ? hexDigits(made->view()) : made.error().message();
}

} // namespace

class TestFieldEncoding : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void valuesAreEncodedByTheField_data() {
    QTest::addColumn<std::string>("path");
    QTest::addColumn<std::string>("value");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* path, const char* value, const std::string& expected) {
      QTest::addRow("%s takes %s", path, value) << std::string(path) << std::string(value) << expected;
    };
    const auto refused = [&](const char* path, const char* value, const std::string& shown, const std::string& reason) {
      row(path, value, "cannot set '" + std::string(path) + "' to " + shown + ": " + reason);
    };
    row("u8", "0", "00");
    row("u8", "255", "ff");
    row("u8", "\"0x1f\"", "1f");
    refused("u8", "256", "256", "the field has 8 bits without a sign");
    refused("u8", "-1", "-1", "the field has 8 bits without a sign");
    row("u8", "\"-0\"", "00");
    row("u16", "65535", "ffff");
    refused("u16", "65536", "65536", "the field has 16 bits without a sign");
    row("u32", "4294967295", "ffffffff");
    refused("u32", "4294967296", "4294967296", "the field has 32 bits without a sign");
    row("u64", "18446744073709551615", "ffffffffffffffff");
    row("u64", "\"0xffffffffffffffff\"", "ffffffffffffffff");
    refused("u64", "-1", "-1", "the field has 64 bits without a sign");
    refused("u64", "\"18446744073709551616\"", "\"18446744073709551616\"", "a whole number is needed");
    row("i32", "2147483647", "ffffff7f");
    row("i32", "-2147483648", "00000080");
    row("i32", "\"-0x80000000\"", "00000080");
    row("i32", "-1", "ffffffff");
    refused("i32", "2147483648", "2147483648", "the field has 32 bits");
    refused("i32", "-2147483649", "-2147483649", "the field has 32 bits");
    row("i64", "9223372036854775807", "ffffffffffffff7f");
    row("i64", "-9223372036854775808", "0000000000000080");
    refused("i64", "9223372036854775808", "9223372036854775808", "the field has 64 bits");
    refused("i64", "\"-9223372036854775809\"", "\"-9223372036854775809\"", "the field has 64 bits");
    for (const char* const value : {"1.5", "true", "null", "\"\"", "\"one\"", "\"--1\"", "[1]"})
      refused("i64", value, value == "[1]"s ? "[ 1 ]"s : std::string(value), "a whole number is needed");
    row("f64", "1.5", "000000000000f83f");
    row("f64", "-2", "00000000000000c0");
    row("f64", "\"0x10\"", "0000000000003040");
    refused("f64", "\"much\"", "\"much\"", "a number is needed");
    row("type", "\"float16x4\"", "02100400");
    row("type", "\"bool\"", "01010100");
    row("type", "\"void\"", "03000000");
    row("type", "\"float8_e4m3fn\"", "0a080100");
    row("type", "131074", "02000200");
    row("type", "\"0x00012002\"", "02200100");
    refused("type", "\"flaot32\"", "\"flaot32\"", "a type like \"float16x4\" is needed");
    refused("type", "[]", "[]", "a type like \"float16x4\" is needed");
    refused("type", "4294967296", "4294967296", "the field has 32 bits without a sign");
    row("older", "\"float8_e4m3\"", "06080100"); // TVM's own numbering
    row("text", "\"new text\"", hexDigits("new text"));
    row("text", "\"\"", "");
    row("text", "{\"hex\": \"00ff\"}", "00ff");
    refused("text", "7", "7", "a text or {\"hex\": \"…\"} is needed");
    refused("text", "{\"hex\": \"0\"}", "{ \"hex\": \"0\" }", "a text or {\"hex\": \"…\"} is needed");
    row("data", "{\"hex\": \"0102\"}", "0102");
    row("data", "\"grün\"", hexDigits("grün"));
    row("words", "[1, \"0xff\", -1]", "01000000ff000000ffffffff");
    row("words", "[]", "");
    row("words", "{\"hex\": \"01020304\"}", "01020304");
    refused("words", "[4294967296]", "4294967296", "the field has 32 bits without a sign");
    row("words64", "[-1, 2]", "ffffffffffffffff0200000000000000");
    row("names", "[\"x\"]",
        "0100000000000000"
        "0100000000000000"
        "78");
    row("names", "[]", "0000000000000000");
    refused("names", "\"x\"", "\"x\"", "a list is needed");
    refused("names", "[7]", "7", "a text or {\"hex\": \"…\"} is needed");
    row("launch_param_tags", "[\"x\"]",
        "0100000000000000"
        "0100000000000000"
        "78");
    row("types", "[\"int8\", \"handle\"]",
        "0200000000000000"
        "00080100"
        "03400100");
    row("arg_types", "[\"bool\"]",
        "0100000000000000"
        "01010100");
    row("numbers", "[-1]",
        "0100000000000000"
        "ffffffff");
    row("arg_extra_tags", "[1, 0]",
        "0200000000000000"
        "01000000"
        "00000000");
    refused("something", "[\"x\"]", "[ \"x\" ]", "the list is empty and the form of its items is unknown");
    refused("groups", "[]", "[]", "its items consist of fields; set these");
    refused("groups[0]", "1", "1", "it consists of fields; set these");
    refused("sized", "1", "1", "it consists of fields; set these");
  }
  void valuesAreEncodedByTheField() {
    QFETCH(std::string, path);
    QFETCH(std::string, value);
    QFETCH(std::string, expected);
    QCOMPARE(taken(path, value), expected);
  }

  void longValuesAreCutInMessages() {
    const std::string message = taken("u8", "\"" + std::string(5'000, 'x') + "\"");
    QVERIFY2(message.size() < 300 && message.find("a whole number is needed") != std::string::npos, message.c_str());
  }

  /// Every name with a single stored form gives that form, in both numberings.
  void dataTypeNamesRoundTrip_data() {
    QTest::addColumn<bool>("dlpack");
    QTest::newRow("TVM's own numbering") << false;
    QTest::newRow("DLPack's numbering") << true;
  }
  void dataTypeNamesRoundTrip() {
    QFETCH(bool, dlpack);
    std::size_t unique = 0;
    for (const uint32_t lanes : {0u, 1u, 4u, 65535u}) {
      std::map<std::string, std::vector<uint32_t>> forms;
      for (uint32_t code = 0; code < 256; ++code)
        for (uint32_t bits = 0; bits < 256; ++bits)
          forms[dataTypeName(code | bits << 8 | lanes << 16, dlpack)].push_back(code | bits << 8 | lanes << 16);
      for (const auto& [name, raw] : forms) {
        // All codes would need a quarter of a million searches; the usual widths of each are enough.
        const uint32_t bits = raw.front() >> 8 & 0xff;
        if (bits > 2 && bits != 16 && bits != 64 && bits != 255) continue;
        const auto parsed = edit::parseDataType(name, dlpack);
        QVERIFY2(parsed, name.c_str());
        QCOMPARE(dataTypeName(*parsed, dlpack), name);
        if (raw.size() > 1 || name == "void") continue; // "void" is stored with no lanes and with one
        QCOMPARE(*parsed, raw.front());
        ++unique;
      }
    }
    QVERIFY(unique > 100);
  }

  void otherNamesAreNotDataTypes_data() {
    QTest::addColumn<std::string>("name");
    for (const char* const name :
         {"", "x", "x4", "float", "int", "Float32", "float32x", "float32x65536", "float32x-1", "float32x4x4", "int256",
          "float 32", "handle64", "boolean", "custom", "custom_8", "custom300_8", "voidx2", "float32\n"})
      QTest::addRow("'%s'", name) << std::string(name);
  }
  void otherNamesAreNotDataTypes() {
    QFETCH(std::string, name);
    for (const bool dlpack : {false, true}) QVERIFY(!edit::parseDataType(name, dlpack));
  }

  /// A name with several stored forms keeps the form in the file.
  void storedFormOfADataTypeIsKept() {
    FieldTreeBuilder builder;
    DescribeArchive describe(builder);
    std::string stored;
    std::vector<uint32_t> forms = {0x00010806, 0x00010101, 0x00010406, 3, 0x00010003};
    for (uint32_t& raw : forms) {
      describe.dataType("", raw, true);
      stored += ByteBuilder().u32(raw).take();
    }
    const FieldTree types = builder.take(bytes(stored));
    for (uint32_t row = 0; row < types.rows.size(); ++row) {
      json::Value name;
      name.data = types.value(row);
      const auto made = edit::fieldBytes(types, row, name, "type");
      QVERIFY2(made, types.value(row).c_str());
      QCOMPARE(hexDigits(made->view()), hexDigits(types.content(row).view()));
    }
  }

  void wordsAreEncodedAndChecked() {
    json::Value value;
    value.data = int64_t{-1};
    QCOMPARE(hexDigits(edit::wordBytes(4, value, "w")->view()), std::string("ffffffff"));
    value.data = uint64_t{0xffffffff};
    QCOMPARE(hexDigits(edit::wordBytes(4, value, "w")->view()), std::string("ffffffff"));
    value.data = int64_t{-2147483649};
    QVERIFY(!edit::wordBytes(4, value, "w"));
    value.data = UINT64_MAX;
    QCOMPARE(hexDigits(edit::wordBytes(8, value, "w")->view()), std::string("ffffffffffffffff"));
  }
};

BLOBSCOPE_TEST(TestFieldEncoding);
#include "test_value.moc"
