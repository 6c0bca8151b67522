#include "core/base/text.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"

#include <QScopeGuard>

#include <algorithm>

using namespace blobscope;
using namespace std::string_literals;

class TestText : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void numbersAreWrittenInHex_data();
  void numbersAreWrittenInHex();
  void bytesAreWrittenInHex_data();
  void bytesAreWrittenInHex();
  void hexDigitsAreParsed_data();
  void hexDigitsAreParsed();
  void everyByteRoundTripsThroughHex();
  void sizesWithUnitsAreParsed_data();
  void sizesWithUnitsAreParsed();
  void numbersAreParsed_data();
  void numbersAreParsed();
  void sizesAreShownWithAUnit_data();
  void sizesAreShownWithAUnit();
  void unitsOfSizesCanBeChosen_data();
  void unitsOfSizesCanBeChosen();
  void digitsAreGrouped_data();
  void digitsAreGrouped();
  void unprintableBytesAreEscaped_data();
  void unprintableBytesAreEscaped();
  void everyHiddenCodePointIsEscaped();
  void longNamesAreCut();
  void plainTextKeepsLineFeeds();
  void everyPairOfBytesIsEscapedToUtf8();
  void validUtf8IsRecognised_data();
  void validUtf8IsRecognised();
  void shortenedTextFitsTheLimit_data();
  void shortenedTextFitsTheLimit();
  void escapedTextFitsTheLimit_data();
  void escapedTextFitsTheLimit();
  void patternIsFound_data();
  void patternIsFound();
  void emptyTextAndEmptyPatternAreHandled();
  void cppNamesAreDemangled_data();
  void cppNamesAreDemangled();
  void hugeCppNamesStayMangled();
  void caseIsIgnored();
  void nearestWordIsProposed_data();
  void nearestWordIsProposed();
};

void TestText::caseIsIgnored() {
  QVERIFY(equalsIgnoringCase("Overview", "oVERVIEW") && equalsIgnoringCase("", ""));
  QVERIFY(!equalsIgnoringCase("Overview", "Overvie") && !equalsIgnoringCase("Hex", "Her"));
}

void TestText::nearestWordIsProposed_data() {
  QTest::addColumn<QString>("unknown");
  QTest::addColumn<QString>("proposed");
  QTest::newRow("two letters swapped") << "shwo" << "show";
  QTest::newRow("letter missing") << "verfy" << "verify";
  QTest::newRow("other case") << "VERIFY" << "verify";
  QTest::newRow("nearest of several") << "dif" << "diff";
  QTest::newRow("short word, two letters differ") << "shx" << "";
  QTest::newRow("nothing is like it") << "transmogrify" << "";
  QTest::newRow("empty") << "" << "";
  QTest::newRow("long") << QString(65, 'v') << "";
}

void TestText::nearestWordIsProposed() {
  QFETCH(QString, unknown);
  QFETCH(QString, proposed);
  const std::vector<std::string> words = {"show", "verify", "diff", "tree", std::string(65, 'v')};
  QCOMPARE(QString::fromStdString(proposalText(unknown.toStdString(), words)),
           proposed.isEmpty() ? QString() : "; did you mean '" + proposed + "'?");
}

void TestText::numbersAreWrittenInHex_data() {
  QTest::addColumn<uint64_t>("value");
  QTest::addColumn<std::string>("text");
  QTest::newRow("zero") << uint64_t{0} << "0x0"s;
  QTest::newRow("one digit") << uint64_t{10} << "0xa"s;
  QTest::newRow("no leading zeros") << uint64_t{0x2b30c1} << "0x2b30c1"s;
  QTest::newRow("2^63") << uint64_t{1ull << 63} << "0x8000000000000000"s;
  QTest::newRow("largest") << uint64_t{UINT64_MAX} << "0xffffffffffffffff"s;
}

void TestText::numbersAreWrittenInHex() {
  QFETCH(uint64_t, value);
  QFETCH(std::string, text);
  QCOMPARE(hexText(value), text);
}

void TestText::bytesAreWrittenInHex_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("text");
  QTest::newRow("nothing") << ""s << ""s;
  QTest::newRow("two digits each") << "\x00\x0f\x7f"s << "000f7f"s;
  QTest::newRow("high bytes, lower case") << "\x80\xde\xff"s << "80deff"s;
}

void TestText::bytesAreWrittenInHex() {
  QFETCH(std::string, bytes);
  QFETCH(std::string, text);
  QCOMPARE(hexDigits(bytes), text);
}

void TestText::hexDigitsAreParsed_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::optional<std::string>>("bytes");
  const auto row = [](const char* name, std::string text, std::optional<std::string> bytes) {
    QTest::newRow(name) << std::move(text) << std::move(bytes);
  };
  row("nothing", "", "");
  row("a NUL", "00", "\0"s);
  row("both cases", "DEADbeef", "\xde\xad\xbe\xef");
  row("space, tab, line feed", " de ad\tbe\nef ", "\xde\xad\xbe\xef");
  row("line feed of Windows", "de ad\r\nbe ef\r\n", "\xde\xad\xbe\xef");
  row("space inside a pair", "d e", "\xde");
  row("white space alone", " \n", "");
  row("odd number of digits", "abc", std::nullopt);
  row("one digit", "a", std::nullopt);
  row("0x in front", "0x12", std::nullopt);
  row("letter after f", "0g", std::nullopt);
  row("letter before a", "0@", std::nullopt);
  row("after 9", "0:", std::nullopt);
  row("before 0", "0/", std::nullopt);
  row("sign", "-1", std::nullopt);
  row("NUL between", "12\0"s + "34", std::nullopt);
  row("not ASCII", "\xc3\xa9", std::nullopt);
}

void TestText::hexDigitsAreParsed() {
  QFETCH(std::string, text);
  QFETCH(std::optional<std::string>, bytes);
  QCOMPARE(parseHexDigits(text), bytes);
}

void TestText::everyByteRoundTripsThroughHex() {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  QCOMPARE(hexDigits(all).size(), std::size_t{512});
  QCOMPARE(parseHexDigits(hexDigits(all)), std::optional(all));
}

void TestText::sizesWithUnitsAreParsed_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<qint64>("bytes");
  const auto row = [](const char* text, qint64 bytes) { QTest::newRow(text) << QString::fromLatin1(text) << bytes; };
  row("4096", 4096);
  row("256 KiB", 262144);
  row("64k", 65536);
  row("64 kB", 64000);
  row("1.5 MB", 1500000);
  row("1,5 MiB", 1572864);
  row("2G", 2147483648);
  row("12 bytes", 12);
  row("", -1);
  row("much", -1);
  row("-5", -1);
  row("12 KiX", -1);
  row("1.", -1);
  row("4 G B", -1);
  row(" 4GiB ", 4294967296);
  row("99999999999999999999999 G", -1);
}

void TestText::sizesWithUnitsAreParsed() {
  QFETCH(QString, text);
  QFETCH(qint64, bytes);
  const auto found = parseSize(text.toStdString());
  QCOMPARE(found ? static_cast<qint64>(*found) : -1, bytes);
}

void TestText::numbersAreParsed_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::optional<uint64_t>>("value");
  const auto row = [](const char* name, std::string text, std::optional<uint64_t> value) {
    QTest::newRow(name) << std::move(text) << value;
  };
  row("zero", "0", 0);
  row("decimal", "4096", 4096);
  row("leading zeros are decimal", "010", 10);
  row("hex", "0x1000", 4096);
  row("hex, all upper case", "0XFF", 255);
  row("hex, mixed case", "0xfF", 255);
  row("largest decimal", "18446744073709551615", UINT64_MAX);
  row("largest hex", "0xffffffffffffffff", UINT64_MAX);
  row("one above, decimal", "18446744073709551616", std::nullopt);
  row("one digit more, hex", "0x10000000000000000", std::nullopt);
  row("nothing", "", std::nullopt);
  row("0x alone", "0x", std::nullopt);
  row("0x twice", "0x0x1", std::nullopt);
  row("hex digits without 0x", "1f", std::nullopt);
  row("no digit", "0xg", std::nullopt);
  row("minus", "-1", std::nullopt);
  row("minus, hex", "0x-1", std::nullopt);
  row("plus", "+1", std::nullopt);
  row("leading space", " 1", std::nullopt);
  row("trailing space", "1 ", std::nullopt);
  row("groups", "1,000", std::nullopt);
  row("fraction", "1.5", std::nullopt);
  row("trailing NUL", "1\0"s, std::nullopt);
}

void TestText::numbersAreParsed() {
  QFETCH(std::string, text);
  QFETCH(std::optional<uint64_t>, value);
  QCOMPARE(parseNumber(text), value);
}

void TestText::sizesAreShownWithAUnit_data() {
  QTest::addColumn<uint64_t>("bytes");
  QTest::addColumn<std::string>("text");
  QTest::newRow("none") << uint64_t{0} << "0 bytes"s;
  QTest::newRow("one") << uint64_t{1} << "1 byte"s;
  QTest::newRow("some") << uint64_t{712} << "712 bytes"s;
  QTest::newRow("last without a unit") << uint64_t{1023} << "1,023 bytes"s;
  QTest::newRow("1 KiB") << uint64_t{1024} << "1.0 KiB (1,024 bytes)"s;
  QTest::newRow("rounded up") << uint64_t{1536 + 512 - 1} << "2.0 KiB (2,047 bytes)"s;
  QTest::newRow("100 KiB") << uint64_t{102'400} << "100 KiB (102,400 bytes)"s;
  QTest::newRow("one below 1 MiB") << uint64_t{(1 << 20) - 1} << "1.0 MiB (1,048,575 bytes)"s;
  QTest::newRow("1 MiB") << uint64_t{1 << 20} << "1.0 MiB (1,048,576 bytes)"s;
  QTest::newRow("some MiB") << uint64_t{2'270'303} << "2.2 MiB (2,270,303 bytes)"s;
  QTest::newRow("GiB") << uint64_t{3'221'225'472} << "3.0 GiB (3,221,225,472 bytes)"s;
  QTest::newRow("TiB") << uint64_t{1ull << 40} << "1.0 TiB (1,099,511,627,776 bytes)"s;
  QTest::newRow("PiB") << uint64_t{1ull << 50} << "1.0 PiB (1,125,899,906,842,624 bytes)"s;
  QTest::newRow("largest") << uint64_t{UINT64_MAX} << "16.0 EiB (18,446,744,073,709,551,615 bytes)"s;
}

void TestText::sizesAreShownWithAUnit() {
  QFETCH(uint64_t, bytes);
  QFETCH(std::string, text);
  QCOMPARE(sizeText(bytes), text);
}

void TestText::unitsOfSizesCanBeChosen_data() {
  QTest::addColumn<SizeUnits>("units");
  QTest::addColumn<uint64_t>("bytes");
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("inLists");
  using enum SizeUnits;
  const auto row = [](const char* name, SizeUnits units, uint64_t bytes, const char* text, const char* inLists) {
    QTest::newRow(name) << units << bytes << std::string(text) << std::string(inLists);
  };
  row("binary, no unit", Binary, 1023, "1,023 bytes", "1,023 B");
  row("binary", Binary, 2'270'303, "2.2 MiB (2,270,303 bytes)", "2.17 MiB");
  row("binary, tens", Binary, 73'421, "71.7 KiB (73,421 bytes)", "71.7 KiB");
  row("binary, rounded up to 10", Binary, 10'237, "10.0 KiB (10,237 bytes)", "10.0 KiB");
  row("binary, rounded up to a unit", Binary, (1 << 20) - 1, "1.0 MiB (1,048,575 bytes)", "1.00 MiB");
  row("decimal, no unit", Decimal, 999, "999 bytes", "999 B");
  row("decimal", Decimal, 2'270'303, "2.3 MB (2,270,303 bytes)", "2.27 MB");
  row("decimal, rounded up to a unit", Decimal, 999'999, "1.0 MB (999,999 bytes)", "1.00 MB");
  row("decimal, largest", Decimal, UINT64_MAX, "18.4 EB (18,446,744,073,709,551,615 bytes)", "18.4 EB");
  row("bytes", Bytes, 2'270'303, "2,270,303 bytes", "2,270,303 B");
  row("one byte", Bytes, 1, "1 byte", "1 B");
}

void TestText::unitsOfSizesCanBeChosen() {
  QFETCH(SizeUnits, units);
  QFETCH(uint64_t, bytes);
  setSizeUnits(units);
  const auto usual = qScopeGuard([] { setSizeUnits(SizeUnits::Binary); });
  QTEST(sizeText(bytes), "text");
  QTEST(shortSizeText(bytes), "inLists");
}

void TestText::digitsAreGrouped_data() {
  QTest::addColumn<uint64_t>("value");
  QTest::addColumn<std::string>("text");
  QTest::newRow("zero") << uint64_t{0} << "0"s;
  QTest::newRow("three digits") << uint64_t{999} << "999"s;
  QTest::newRow("four digits") << uint64_t{1000} << "1,000"s;
  QTest::newRow("five digits") << uint64_t{12'800} << "12,800"s;
  QTest::newRow("six digits") << uint64_t{999'999} << "999,999"s;
  QTest::newRow("seven digits") << uint64_t{1'000'000} << "1,000,000"s;
  QTest::newRow("largest") << uint64_t{UINT64_MAX} << "18,446,744,073,709,551,615"s;
}

void TestText::digitsAreGrouped() {
  QFETCH(uint64_t, value);
  QFETCH(std::string, text);
  QCOMPARE(groupedText(value), text);
}

void TestText::unprintableBytesAreEscaped_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<std::string>("text");
  const auto row = [](const char* name, std::string bytes, std::string text) {
    QTest::newRow(name) << std::move(bytes) << std::move(text);
  };
  row("nothing", "", "");
  row("plain", "tvmgen_default_fused_relu", "tvmgen_default_fused_relu");
  row("first and last printable", " ~", " ~");
  row("quotes stay", "a'b\"c", "a'b\"c");
  row("backslash", "a\\n", "a\\\\n");
  row("line feed, tab, return", "\n\t\r", "\\n\\t\\r");
  row("NUL", "a\0b"s, "a\\x00b");
  row("escape sequence of a terminal", "\x1b[31m", "\\x1b[31m");
  row("bell and backspace", "\a\b", "\\x07\\x08");
  row("delete", "\x7f", "\\x7f");
  row("two bytes", "\xc3\xa9", "\xc3\xa9");
  row("three bytes", "\xe2\x82\xac", "\xe2\x82\xac");
  row("four bytes", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
  row("not UTF-8",
      "a\x9f"
      "b\xff",
      "a\\x9fb\\xff");
  row("cut character", "a\xe2\x82", "a\\xe2\\x82");
  row("cut character, then text", "\xe2\x82z", "\\xe2\\x82z");
  row("overlong NUL", "\xc0\x80", "\\xc0\\x80");
  row("surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80");
  row("first C1 control U+0080", "\xc2\x80", "\\u0080");
  row("C1 control U+009B, as good as ESC [",
      "\xc2\x9b"
      "31m",
      "\\u009b31m");
  row("last C1 control U+009F", "\xc2\x9f", "\\u009f");
  row("U+00A0 after them", "\xc2\xa0", "\xc2\xa0");
  row("U+2027 before the separators", "\xe2\x80\xa7", "\xe2\x80\xa7");
  row("line separator U+2028",
      "a\xe2\x80\xa8"
      "b",
      "a\\u2028b");
  row("paragraph separator U+2029",
      "a\xe2\x80\xa9"
      "b",
      "a\\u2029b");
  row("bidi U+202A", "\xe2\x80\xaa", "\\u202a");
  row("bidi override U+202E", "exe.\xe2\x80\xaegpj", "exe.\\u202egpj");
  row("U+202F after them", "\xe2\x80\xaf", "\xe2\x80\xaf");
  row("bidi isolate U+2066", "\xe2\x81\xa6", "\\u2066");
  row("bidi isolate U+2069", "\xe2\x81\xa9", "\\u2069");
  row("U+2070 after them", "\xe2\x81\xb0", "\xe2\x81\xb0");
  row("soft hyphen U+00AD",
      "a\xc2\xad"
      "b",
      "a\\u00adb");
  row("U+00AE after it", "\xc2\xae", "\xc2\xae");
  row("combining grapheme joiner U+034F", "\xcd\x8f", "\\u034f");
  row("accents stay", "e\xcc\x81", "e\xcc\x81");
  row("Arabic letter mark U+061C", "\xd8\x9c", "\\u061c");
  row("letters from right to left stay", "\xd7\x90\xd8\xa7", "\xd7\x90\xd8\xa7");
  row("Hangul filler U+115F", "\xe1\x85\x9f", "\\u115f");
  row("Mongolian vowel separator U+180E", "\xe1\xa0\x8e", "\\u180e");
  row("U+200A before the marks", "\xe2\x80\x8a", "\xe2\x80\x8a");
  row("zero-width space U+200B",
      "a\xe2\x80\x8b"
      "b",
      "a\\u200bb");
  row("zero-width joiner U+200D", "\xe2\x80\x8d", "\\u200d");
  row("left-to-right mark U+200E", "\xe2\x80\x8e", "\\u200e");
  row("right-to-left mark U+200F", "\xe2\x80\x8f", "\\u200f");
  row("U+2010 after them", "\xe2\x80\x90", "\xe2\x80\x90");
  row("word joiner U+2060", "\xe2\x81\xa0", "\\u2060");
  row("Hangul filler U+3164", "\xe3\x85\xa4", "\\u3164");
  row("noncharacter U+FDD0", "\xef\xb7\x90", "\\ufdd0");
  row("variation selector U+FE0F", "\xe2\x9c\x94\xef\xb8\x8f", "\xe2\x9c\x94\\ufe0f");
  row("byte order mark U+FEFF", "\xef\xbb\xbf", "\\ufeff");
  row("replacement character U+FFFD stays", "\xef\xbf\xbd", "\xef\xbf\xbd");
  row("noncharacter U+FFFF", "\xef\xbf\xbf", "\\uffff");
  row("musical control U+1D173", "\xf0\x9d\x85\xb3", "\\U0001d173");
  row("musical symbol U+1D11E", "\xf0\x9d\x84\x9e", "\xf0\x9d\x84\x9e");
  row("noncharacter U+1FFFE", "\xf0\x9f\xbf\xbe", "\\U0001fffe");
  row("tag U+E0041", "\xf3\xa0\x81\x81", "\\U000e0041");
  row("markup stays", "<img src=x>&amp;", "<img src=x>&amp;");
}

void TestText::unprintableBytesAreEscaped() {
  QFETCH(std::string, bytes);
  QFETCH(std::string, text);
  QCOMPARE(escaped(bytes), text);
  QCOMPARE(escapedWhole(bytes), text);
  // Escaping again changes only the backslashes.
  QCOMPARE(plainText(text, 1'000), text);
}

void TestText::everyHiddenCodePointIsEscaped() {
  // Every code point: a character that is not shown as it is becomes ASCII, and belongs to one of the known blocks.
  std::size_t changed = 0;
  for (char32_t c = 0x80; c <= 0x10ffff; ++c) {
    if ((c >= 0xd800 && c <= 0xdfff) || c == 0xfeff) continue; // fromUcs4() drops the byte order mark
    const QString text = QString::fromUcs4(&c, 1);
    const std::string bytes = text.toStdString(), shown = escaped(bytes);
    const QChar::Category category = QChar::category(c);
    if (shown != bytes) {
      ++changed;
      QVERIFY2(std::all_of(shown.begin(), shown.end(), [](char one) { return one >= ' ' && one <= '~'; }),
               shown.c_str());
      continue;
    }
    const bool hidden = category == QChar::Other_Control || category == QChar::Other_Format ||
                        category == QChar::Separator_Line || category == QChar::Separator_Paragraph ||
                        QChar::isNonCharacter(c);
    QVERIFY2(!hidden, qPrintable(QString::number(c, 16)));
  }
  QVERIFY2(changed < 5'000, "letters of living languages stay as they are");
}

void TestText::longNamesAreCut() {
  const std::string name(20'000'000, 'k');
  const std::string text = escaped(name);
  QCOMPARE(text, std::string(kShownBytes, 'k') + "… (19,999,600 more bytes)");
  QVERIFY(text.capacity() < 3 * kShownBytes);
  QCOMPARE(escaped(std::string(kShownBytes, 'a')), std::string(kShownBytes, 'a'));
  QCOMPARE(escaped(std::string(kShownBytes + 1, 'a')), std::string(kShownBytes, 'a') + "… (1 more byte)");
  QCOMPARE(escaped("abcdef", 4), std::string("abcd… (2 more bytes)"));
  // The length of an escape counts, and no escape is cut.
  QCOMPARE(escaped("ab\xff"
                   "c",
                   5),
           std::string("ab… (2 more bytes)"));
  QCOMPARE(escaped("ab\xe2\x82\xac"
                   "c",
                   4),
           std::string("ab… (4 more bytes)"));
  QCOMPARE(escaped(std::string(1'000, '\1')).substr(0, 8), std::string("\\x01\\x01"));
  QVERIFY(escaped(std::string(1'000'000, '\1')).size() < kShownBytes + 40);
  QCOMPARE(escapedWhole(std::string(1'000, '\1')).size(), std::size_t{4'000});
}

void TestText::plainTextKeepsLineFeeds() {
  QCOMPARE(plainText("a\n\tb\\x01", 100), std::string("a\n\tb\\x01"));
  QCOMPARE(plainText("a\r\x1b\xe2\x80\xae\xff", 100), std::string("a\\r\\x1b\\u202e\\xff"));
  QCOMPARE(plainText(std::string(5'000, 'a'), 10), std::string(10, 'a') + "… (4,990 more bytes)");
  QVERIFY(plainText(std::string(20'000'000, 'a'), 400).capacity() < 1'000);
}

void TestText::everyPairOfBytesIsEscapedToUtf8() {
  // All pairs of bytes, which include every pair of lead and tail.
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      const std::string pair = {static_cast<char>(first), static_cast<char>(second)};
      const std::string text = escaped(pair);
      const std::string place = hexDigits(pair) + " gives " + hexDigits(text);
      QVERIFY2(isUtf8(text), place.c_str());
      for (const char c : text) QVERIFY2(static_cast<unsigned char>(c) >= 0x20 && c != '\x7f', place.c_str());
      QVERIFY2(!(text.size() == 2 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0), place.c_str());
    }
}

void TestText::validUtf8IsRecognised_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<bool>("good");
  const auto row = [](const char* name, std::string bytes, bool good) {
    QTest::newRow(name) << std::move(bytes) << good;
  };
  row("nothing", "", true);
  row("ASCII", "abc", true);
  row("control characters", "\0\x1f\x7f"s, true);
  row("U+0080", "\xc2\x80", true);
  row("U+07FF", "\xdf\xbf", true);
  row("U+0800", "\xe0\xa0\x80", true);
  row("U+D7FF", "\xed\x9f\xbf", true);
  row("U+E000", "\xee\x80\x80", true);
  row("U+FFFF", "\xef\xbf\xbf", true);
  row("U+10000", "\xf0\x90\x80\x80", true);
  row("U+10FFFF", "\xf4\x8f\xbf\xbf", true);
  row("all lengths in a row", "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z", true);
  row("lone tail", "\x80", false);
  row("last lone tail", "\xbf", false);
  row("overlong, two bytes, C0", "\xc0\x80", false);
  row("overlong, two bytes, C1", "\xc1\xbf", false);
  row("overlong, three bytes", "\xe0\x9f\xbf", false);
  row("overlong, four bytes", "\xf0\x8f\xbf\xbf", false);
  row("first surrogate", "\xed\xa0\x80", false);
  row("last surrogate", "\xed\xbf\xbf", false);
  row("U+110000", "\xf4\x90\x80\x80", false);
  row("F5", "\xf5\x80\x80\x80", false);
  row("FE", "\xfe", false);
  row("FF", "\xff", false);
  row("cut after one of two", "a\xc3", false);
  row("cut after one of three", "\xe2", false);
  row("cut after two of three", "\xe2\x82", false);
  row("cut after three of four", "\xf0\x9f\x98", false);
  row("lead instead of the second", "\xe2\xe2\x82\xac", false);
  row("ASCII instead of the third", "\xe2\x82z", false);
  row("lead instead of the fourth", "\xf0\x9f\x98\xc3", false);
  row("bad byte after good text", "abc\x80", false);
}

void TestText::validUtf8IsRecognised() {
  QFETCH(std::string, bytes);
  QFETCH(bool, good);
  QCOMPARE(isUtf8(bytes), good);
  QCOMPARE(isUtf8("x" + bytes + "x"), good);
}

void TestText::shortenedTextFitsTheLimit_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<int>("limit");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, std::string text, int limit, std::string expected) {
    QTest::newRow(name) << std::move(text) << limit << std::move(expected);
  };
  row("nothing", "", 0, "");
  row("shorter than the limit", "abc", 4, "abc");
  row("as long as the limit", "abcd", 4, "abcd");
  row("one longer", "abcde", 4, "abcd…");
  row("limit of zero", "a", 0, "…");
  row("between characters",
      "a\xe2\x82\xac"
      "b",
      4, "a\xe2\x82\xac…");
  row("inside a character, before its last byte",
      "a\xe2\x82\xac"
      "b",
      3, "a…");
  row("inside a character, after its first byte",
      "a\xe2\x82\xac"
      "b",
      2, "a…");
  row("inside the first character", "\xf0\x9f\x98\x80", 3, "…");
}

void TestText::shortenedTextFitsTheLimit() {
  QFETCH(std::string, text);
  QFETCH(int, limit);
  QFETCH(std::string, expected);
  QCOMPARE(shortened(text, static_cast<std::size_t>(limit)), expected);
}

void TestText::escapedTextFitsTheLimit_data() {
  QTest::addColumn<std::string>("bytes");
  QTest::addColumn<int>("limit");
  QTest::addColumn<std::string>("text");
  const auto row = [](const char* name, std::string bytes, int limit, std::string text) {
    QTest::newRow(name) << std::move(bytes) << limit << std::move(text);
  };
  row("nothing", "", 0, "");
  row("as long as the limit", "abcd", 4, "abcd");
  row("one longer", "abcde", 4, "a…");
  row("escapes count as they are written", "a\nb", 4, "a\\nb");
  row("escapes that no longer fit", "a\nbc", 4, "a…");
  row("never inside an escape", "abc\xff\xff", 10, "abc\\xff…");
  row("never inside a character",
      "abc\xe2\x82\xac"
      "defg",
      8, "abc…");
  row("room for the mark alone", "abcd", 3, "…");
}

void TestText::escapedTextFitsTheLimit() {
  QFETCH(std::string, bytes);
  QFETCH(int, limit);
  QFETCH(std::string, text);
  QCOMPARE(escapedWithin(bytes, static_cast<std::size_t>(limit)), text);
}

void TestText::patternIsFound_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<std::string>("pattern");
  QTest::addColumn<uint64_t>("from");
  QTest::addColumn<std::optional<uint64_t>>("place");
  const auto row = [](const char* name, std::string text, std::string pattern, uint64_t from,
                      std::optional<uint64_t> place) {
    QTest::newRow(name) << std::move(text) << std::move(pattern) << from << place;
  };
  row("at the start", "abcabc", "abc", 0, 0);
  row("after the start", "abcabc", "abc", 1, 3);
  row("at the end", "xxabc", "abc", 0, 2);
  row("the whole text", "abc", "abc", 0, 0);
  row("not there", "abcabd", "abx", 0, std::nullopt);
  row("only before", "abcxxx", "abc", 1, std::nullopt);
  row("cut at the end", "xxab", "abc", 0, std::nullopt);
  row("longer than the text", "ab", "abc", 0, std::nullopt);
  row("from the end", "abc", "c", 3, std::nullopt);
  row("from beyond the end", "abc", "c", 4, std::nullopt);
  row("from far beyond the end", "abc", "c", UINT64_MAX, std::nullopt);
  row("across NUL", "a\0b\0c"s, "b\0c"s, 0, 2);
  row("NUL", "ab\0"s, "\0"s, 0, 2);
  row("not UTF-8", "a\xff\xfe", "\xfe", 0, 2);
  row("repeats itself", "aaab", "aab", 0, 1);
  row("nothing is everywhere", "abc", "", 2, 2);
}

void TestText::patternIsFound() {
  QFETCH(std::string, text);
  QFETCH(std::string, pattern);
  QFETCH(uint64_t, from);
  QFETCH(std::optional<uint64_t>, place);
  const std::size_t found = findBytes(text, pattern, from);
  QCOMPARE(found == std::string_view::npos ? std::optional<uint64_t>() : std::optional<uint64_t>(found), place);
}

/// Bytes without data: the view of an empty Bytes.
void TestText::emptyTextAndEmptyPatternAreHandled() {
  QCOMPARE(findBytes(std::string_view(), "a", 0), std::string_view::npos);
  QCOMPARE(findBytes(std::string_view(), "a", 1), std::string_view::npos);
  QCOMPARE(findBytes("abc", std::string_view(), 1), std::size_t{1});
}

void TestText::cppNamesAreDemangled_data() {
  QTest::addColumn<std::string>("name");
  QTest::addColumn<std::string>("shown");
  const auto row = [](const char* what, const std::string& name, const std::string& shown) {
    QTest::newRow(what) << name << shown;
  };
  row("function", "_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE",
      "tvm::ffi::json::Stringify(tvm::ffi::Any const&, tvm::ffi::Optional<int, void>)");
  row("Mach-O", "__ZN3tvm3ffi3Any5resetEv", "tvm::ffi::Any::reset()");
  row("virtual table", "_ZTVN3tvm3ffi6ObjectE", "vtable for tvm::ffi::Object");
  row("C", "TVMFFIFunctionCall", "TVMFFIFunctionCall");
  row("a function of TVM", "__tvm_ffi_main", "__tvm_ffi_main");
  row("not mangled", "_Zebra", "_Zebra");
  row("cut", "_ZN3tvm3ff", "_ZN3tvm3ff");
  row("NUL", "_ZN1aE\0b"s, "_ZN1aE\0b"s);
  row("only the prefix", "_Z", "_Z");
  row("empty", "", "");
  row("long", "_Z1025" + std::string(1'025, 'a'), "_Z1025" + std::string(1'025, 'a'));
}

void TestText::cppNamesAreDemangled() {
  QFETCH(std::string, name);
  QFETCH(std::string, shown);
  QCOMPARE(demangled(name), shown);
}

/// Each argument is a pair of the type before it, so the full name has 2^n parts.
void TestText::hugeCppNamesStayMangled() {
  std::string name = "_Z1f1a";
  for (int i = 0; i < 30; ++i) {
    const std::string before = i == 0 ? "S_" : "S" + std::string(1, static_cast<char>('0' + (i - 1) % 10)) + "_";
    name += "1bI" + before + before + "E";
  }
  QCOMPARE(demangled(name), name);
}

BLOBSCOPE_TEST(TestText);
#include "test_text.moc"
