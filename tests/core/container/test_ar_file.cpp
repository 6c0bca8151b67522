#include "core/container/ar/file.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"

using namespace blobscope;
namespace ar = blobscope::container::ar;

namespace {

std::string padded(std::string text, std::size_t size) {
  text.resize(size, ' ');
  return text;
}

/// A member header: name, date, owner, group, mode, size, end.
std::string header(const std::string& name, const std::string& size, const std::string& end = "`\n") {
  return padded(name, 16) + padded("0", 12) + padded("0", 6) + padded("0", 6) + padded("644", 8) + padded(size, 10) +
         end;
}

} // namespace

class TestArFile : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void decimalNumbers_data() {
    QTest::addColumn<std::string>("field");
    QTest::addColumn<std::string>("number"); // empty: none
    const auto row = [](const char* name, const std::string& field, const char* number) {
      QTest::newRow(name) << field << std::string(number);
    };
    row("zero", "0", "0");
    row("padded", "1234      ", "1234");
    row("leading zeros", "0012", "12");
    row("only blanks", "     ", "");
    row("nothing", "", "");
    row("a blank inside", "1 2", "");
    row("blank before", " 12", "");
    row("a sign", "-1", "");
    row("a letter", "12x", "");
    row("largest that is read", "18446744073709551609", "18446744073709551609");
    row("too large", "18446744073709551616", "");
    row("far too large", "99999999999999999999999", "");
  }
  void decimalNumbers() {
    QFETCH(std::string, field);
    QFETCH(std::string, number);
    const auto found = ar::parseDecimal(field);
    QCOMPARE(found ? std::to_string(*found) : std::string(), number);
  }

  void headersAreRead_data() {
    QTest::addColumn<std::string>("archive");
    QTest::addColumn<qulonglong>("at");
    QTest::addColumn<std::string>("text"); // empty: no header
    const auto row = [](const char* name, const std::string& archive, qulonglong at, const char* text) {
      QTest::newRow(name) << archive << at << std::string(text);
    };
    const std::string usual = header("lib0.o/", "12");
    row("usual", usual, 0, "'lib0.o/' 12 marked");
    row("later in the file", "!<arch>\n" + usual, 8, "'lib0.o/' 12 marked");
    row("a name with blanks inside", header("a b/", "0"), 0, "'a b/' 0 marked");
    row("no name", header("", "1"), 0, "'' 1 marked");
    row("size is not a number", header("a/", "12x"), 0, "'a/' ? marked");
    row("no end mark", header("a/", "12", "xx"), 0, "'a/' 12");
    row("one byte too few", usual.substr(0, 59), 0, "");
    row("at the end", usual, 60, "");
    row("beyond the end", usual, 1'000, "");
    row("an offset that wraps", usual, UINT64_MAX, "");
  }
  void headersAreRead() {
    QFETCH(std::string, archive);
    QFETCH(qulonglong, at);
    QFETCH(std::string, text);
    const auto found = ar::readHeader(archive, at);
    QCOMPARE(found ? "'" + std::string(found->name) + "' " + (found->size ? std::to_string(*found->size) : "?") +
                         (found->isMarked ? " marked" : "")
                   : std::string(),
             text);
    if (found) QCOMPARE(found->contentAt(), uint64_t{at} + 60);
  }

  void longNamesFollowTheHeader_data() {
    QTest::addColumn<std::string>("archive");
    QTest::addColumn<qulonglong>("size"); // of the member
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, const std::string& archive, qulonglong size, const char* text) {
      QTest::newRow(name) << archive << size << std::string(text);
    };
    row("none", header("a/", "3") + "abc", 3, "0 ''");
    row("whole", header("#1/4", "7") + "nameabc", 7, "4 'name'");
    row("padded", header("#1/8", "11") + std::string("name\0\0\0\0abc", 11), 11, "8 'name'");
    row("the whole member", header("#1/4", "4") + "name", 4, "4 'name'");
    row("longer than the member", header("#1/5", "4") + "name", 4, "damaged");
    row("not a number", header("#1/x", "4") + "name", 4, "damaged");
    row("too large", header("#1/9999999999999", "4") + "name", 4, "damaged");
  }
  void longNamesFollowTheHeader() {
    QFETCH(std::string, archive);
    QFETCH(qulonglong, size);
    QFETCH(std::string, text);
    const auto found = ar::readHeader(archive, 0);
    QVERIFY(found);
    const auto name = ar::readLongName(archive, *found, size);
    QCOMPARE(name ? std::to_string(name->size) + " '" + std::string(name->text) + "'" : std::string("damaged"), text);
  }

  void symbolTablesHaveFixedNames() {
    for (const char* const name : {"/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED", "__.SYMDEF_64"})
      QVERIFY2(ar::isSymbolTable(name), name);
    for (const char* const name : {"", "//", "/1", "a/", "_.SYMDEF"}) QVERIFY2(!ar::isSymbolTable(name), name);
  }
};

BLOBSCOPE_TEST(TestArFile);

#include "test_ar_file.moc"
