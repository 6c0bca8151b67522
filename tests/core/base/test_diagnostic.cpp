#include "core/base/diagnostic.h"

#include "core/base/result.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <set>

using namespace blobscope;
using namespace std::string_literals;

class TestDiagnostic : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyTextFollowsTheHouseRules_data();
  void everyTextFollowsTheHouseRules();
  void diagnosticIdsAreUnique();
  void tableFollowsTheEnum();
  void severitiesHaveNames();
  void placeholdersAreReplacedByArguments_data();
  void placeholdersAreReplacedByArguments();
  void unprintableArgumentsAreEscaped_data();
  void unprintableArgumentsAreEscaped();
  void messageBeginsWithTheTrail();
  void errorKeepsItsPartsWhenPassedOn();
};

void TestDiagnostic::everyTextFollowsTheHouseRules_data() {
  QTest::addColumn<int>("index");
  int index = 0;
  for (const DiagnosticRow& row : diagnosticRows()) QTest::newRow(std::string(row.id).c_str()) << index++;
}

/// The house rules for every text.
void TestDiagnostic::everyTextFollowsTheHouseRules() {
  QFETCH(int, index);
  const DiagnosticRow& row = diagnosticRows()[static_cast<std::size_t>(index)];
  const auto isUpper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };

  QVERIFY(!row.id.empty() && isUpper(row.id[0]));
  for (const char c : row.id) QVERIFY(isUpper(c) || (c >= '0' && c <= '9') || c == '-');

  const std::string_view text = row.text;
  QVERIFY(text.size() > 2);
  QVERIFY(!text.ends_with('.') && !text.ends_with(' ') && !text.ends_with(':'));
  // Lower case, a placeholder, a quoted name, or a word in capitals (JSON).
  QVERIFY(isLower(text[0]) || text[0] == '{' || text[0] == '\'' || (isUpper(text[0]) && isUpper(text[1])));
  QVERIFY2(text.find("  ") == std::string_view::npos, "two spaces where the literal was broken");

  // Placeholders: {name}, one word of letters, never nested; {name:form} with a known form.
  bool inside = false;
  std::size_t letters = 0;
  int quotes = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{') {
      QVERIFY(!inside);
      inside = true;
      letters = 0;
    } else if (c == ':' && inside) {
      const std::string_view form = text.substr(i, text.find('}', i) - i);
      const bool plural = form.size() > 2 && form.ends_with('s') && std::ranges::all_of(form.substr(1), isLower);
      QVERIFY(plural || form == ":are" || form == ":part");
      i += form.size() - 1;
    } else if (c == '}') {
      QVERIFY(inside && letters > 0);
      inside = false;
    } else if (inside) {
      QVERIFY(isLower(c));
      ++letters;
    } else {
      QVERIFY(static_cast<unsigned char>(c) >= 0x20);
      if (c == '\'') ++quotes;
    }
  }
  QVERIFY(!inside);
  // An apostrophe inside a word would count as a quote; "blob's" is the one exception.
  const bool genitive = text.find("'s ") != std::string_view::npos;
  QCOMPARE((quotes - (genitive ? 1 : 0)) % 2, 0);
}

void TestDiagnostic::diagnosticIdsAreUnique() {
  std::set<std::string_view> ids;
  for (const DiagnosticRow& row : diagnosticRows()) QVERIFY2(ids.insert(row.id).second, std::string(row.id).c_str());
}

void TestDiagnostic::tableFollowsTheEnum() {
  QCOMPARE(std::string(row(DiagnosticId::FileNotFound).id), "FILE-NOT-FOUND"s);
  QCOMPARE(std::string(row(DiagnosticId::FieldLength).id), "BLOB-FIELD-LENGTH"s);
  QCOMPARE(std::string(row(DiagnosticId::Internal).id), "INTERNAL"s);
  QVERIFY(&row(DiagnosticId::FileNotFound) == &diagnosticRows().front());
  QVERIFY(&row(DiagnosticId::EditGpuRuns) == &diagnosticRows().back());
  QVERIFY(row(DiagnosticId::Cancelled).code == ErrorCode::Cancelled);
  QVERIFY(row(DiagnosticId::FileHostOnly).severity == Severity::Note);
}

void TestDiagnostic::severitiesHaveNames() {
  QCOMPARE(std::string(severityName(Severity::Error)), "error"s);
  QCOMPARE(std::string(severityName(Severity::Warning)), "warning"s);
  QCOMPARE(std::string(severityName(Severity::Note)), "note"s);
}

void TestDiagnostic::placeholdersAreReplacedByArguments_data() {
  QTest::addColumn<int>("which");
  QTest::addColumn<std::string>("message");
  QTest::newRow("all given") << 0 << "fmap[3].key length 218,288 at 0x2b30c1 exceeds the 120 bytes left"s;
  QTest::newRow("order of the arguments does not matter")
      << 1 << "fmap[3].key length 218,288 at 0x2b30c1 exceeds the 120 bytes left"s;
  QTest::newRow("one missing stays visible")
      << 2 << "fmap[3].key length {wanted} at 0x2b30c1 exceeds the 120 bytes left"s;
  QTest::newRow("none given") << 3 << "{field} length {wanted} at {at} exceeds the {left} bytes left"s;
  QTest::newRow("one that is not asked for") << 4 << "cancelled"s;
  QTest::newRow("value that looks like a placeholder") << 5 << "'{path}' is a {what}, not a file"s;
  QTest::newRow("placeholder at the start and the end") << 6 << "'/x' cannot be read: no"s;
  QTest::newRow("plural") << 7 << "n at 0x4 needs 1,024 bytes, but only 0 are left"s;
  QTest::newRow("singular") << 8 << "n at 0x4 needs 1 byte, but only 1 is left"s;
  QTest::newRow("part") << 9 << "cannot edit 'm1': no"s;
  QTest::newRow("the file itself") << 10 << "cannot edit the file: no"s;
}

void TestDiagnostic::placeholdersAreReplacedByArguments() {
  QFETCH(int, which);
  QFETCH(std::string, message);
  const Diagnostic diagnostics[] = {
      {DiagnosticId::FieldLength,
       {},
       {arg("field", "fmap[3].key"), arg("wanted", uint64_t{218288}), hexArg("at", 0x2b30c1),
        arg("left", uint64_t{120})}},
      {DiagnosticId::FieldLength,
       {},
       {arg("left", uint64_t{120}), hexArg("at", 0x2b30c1), arg("wanted", uint64_t{218288}),
        arg("field", "fmap[3].key")}},
      {DiagnosticId::FieldLength,
       {},
       {arg("field", "fmap[3].key"), hexArg("at", 0x2b30c1), arg("left", uint64_t{120})}},
      {DiagnosticId::FieldLength, {}, {}},
      {DiagnosticId::Cancelled, {}, {arg("what", "nothing")}},
      {DiagnosticId::FileNotRegular, {}, {arg("path", "{path}"), arg("what", "{what}")}},
      {DiagnosticId::FileNotReadable, {}, {arg("path", "/x"), arg("reason", "no")}},
      {DiagnosticId::FieldTruncated,
       {},
       {arg("field", "n"), hexArg("at", 4), arg("wanted", uint64_t{1024}), arg("left", uint64_t{0})}},
      {DiagnosticId::FieldTruncated,
       {},
       {arg("field", "n"), hexArg("at", 4), arg("wanted", uint64_t{1}), arg("left", uint64_t{1})}},
      {DiagnosticId::EditTarget, {}, {arg("ref", Ref::moduleAt("", 1).toString()), arg("reason", "no")}},
      {DiagnosticId::EditTarget, {}, {arg("ref", Ref::file().toString()), arg("reason", "no")}},
  };
  QCOMPARE(diagnostics[which].message(), message);
}

void TestDiagnostic::unprintableArgumentsAreEscaped_data() {
  QTest::addColumn<std::string>("value");
  QTest::addColumn<std::string>("shown");
  QTest::newRow("plain") << "a b"s << "a b"s;
  QTest::newRow("line feed") << "a\nb"s << "a\\nb"s;
  QTest::newRow("terminal") << "\x1b]0;x\x07"s << "\\x1b]0;x\\x07"s;
  QTest::newRow("not UTF-8") << "\xff"s << "\\xff"s;
}

void TestDiagnostic::unprintableArgumentsAreEscaped() {
  QFETCH(std::string, value);
  QFETCH(std::string, shown);
  const Diagnostic diagnostic{DiagnosticId::FileNotFound, {}, {arg("path", value)}};
  QCOMPARE(diagnostic.message(), "'" + shown + "' does not exist");
  QCOMPARE(arg("n", UINT64_MAX).value, "18,446,744,073,709,551,615"s);
  QCOMPARE(arg("module", uint64_t{12345}).value, "12345"s); // it names the module m12345
  QCOMPARE(hexArg("n", UINT64_MAX).value, "0xffffffffffffffff"s);
}

void TestDiagnostic::messageBeginsWithTheTrail() {
  const Error plain(DiagnosticId::Cancelled, {});
  QCOMPARE(plain.message(), "cancelled"s);
  const Error error = Error(DiagnosticId::Cancelled, {}).within("fmap[3]").within("module 3 'cuda'");
  QCOMPARE(error.message(), "module 3 'cuda': fmap[3]: cancelled"s);
  QCOMPARE(error.trail().size(), std::size_t{2});
  QCOMPARE(error.diagnostic().message(), "cancelled"s);
}

void TestDiagnostic::errorKeepsItsPartsWhenPassedOn() {
  const auto fails = []() -> Result<int> {
    return Error(DiagnosticId::FieldValue, {arg("field", "x")}, Ref::bytesAt(7));
  };
  const auto passesOn = [&]() -> Result<std::string> {
    BLOBSCOPE_TRY(number, fails());
    return std::to_string(number);
  };
  const auto checks = [&](bool bad) -> Result<Done> {
    BLOBSCOPE_CHECK(bad ? Result<Done>(Error(DiagnosticId::Cancelled, {})) : Result<Done>(Done{}));
    return Done{};
  };
  const auto result = passesOn();
  QVERIFY(!result && !result.hasValue());
  QVERIFY(result.error().id() == DiagnosticId::FieldValue);
  QVERIFY(result.error().code() == ErrorCode::Format);
  QVERIFY(result.error().place() == Ref::bytesAt(7));
  QVERIFY(checks(false));
  QVERIFY(!checks(true));
  Result<std::string> good("text"s);
  QVERIFY(good);
  QCOMPARE(*good, "text"s);
  QCOMPARE(good->size(), std::size_t{4});
}

BLOBSCOPE_TEST(TestDiagnostic);
#include "test_diagnostic.moc"
