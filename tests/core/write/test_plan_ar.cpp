#include "core/write/plan_parts.h"
#include "tests/core/base/compare.h"
#include "tests/core/write/archive_files.h"
#include "tests/core/write/llvm_archive.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::test::archive_files;
using namespace std::string_literals;
using write::Plan;

namespace {

/// A plan of a member whose new content is known.
Plan plain(const std::string& content) {
  write::PlanBuilder builder;
  builder.literal(bytes(content), "all");
  return builder.take({write::Strategy::Resize});
}

/// `place`: of the member's content in the archive.
Result<Plan> planOf(const Bytes& archive, Extent place, Plan inner) {
  container::Member member;
  member.path = "the member";
  member.bytes = archive.slice(place.offset, place.size);
  return write::planArMember(archive, member, std::move(inner));
}

/// The new archive, or the message of the error.
std::string outputOf(const std::string& archive, Extent place, Plan inner) {
  const Bytes input = bytes(archive);
  const auto plan = planOf(input, place, std::move(inner));
  if (!plan) return plan.error().message();
  NullMonitor monitor;
  const auto output = write::assemble(*plan, input, monitor);
  return output && output->size() == plan->size() ? std::string(output->view()) : "failed"s;
}
std::string outputOf(const std::string& archive, const std::string& old, const std::string& content) {
  return outputOf(archive, Extent{archive.find(old), old.size()}, plain(content));
}

std::string table(const std::vector<uint64_t>& places, bool bigEndian = true) {
  std::string out = bigEndian ? big(places.size()) : little(places.size());
  for (const uint64_t place : places) out += bigEndian ? big(place) : little(place);
  return out;
}

constexpr const char* kMagic = "!<arch>\n";
/// Where the header of the member after a symbol table of `size` bytes begins.
uint64_t afterTable(std::size_t size) { return 8 + 60 + size + size % 2; }

} // namespace

class TestPlanAr : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void llvmReadsTheResult_data() {
    QTest::addColumn<std::string>("variant");
    QTest::addColumn<std::size_t>("size");
    for (const std::string variant : {"gnu", "coff", "sym64", "darwin"}) // LLVM does not know the tables of 4.4BSD
      for (const std::size_t size : {0u, 1u, 99u, 100u, 101u, 104u, 5'000u, 5'001u})
        QTest::addRow("%s, %zu bytes", variant.c_str(), size) << variant << size;
  }
  /// LLVM finds each symbol in its member and each member with its size, as before.
  void llvmReadsTheResult() {
    QFETCH(std::string, variant);
    QFETCH(std::size_t, size);
    const std::string old(100, 'o'), file = arOf(variant, old);
    const auto rounded = [&](std::size_t content) {
      return std::to_string(variant == "darwin" ? (28 + content + 7) / 8 * 8 - 28 : content);
    };
    const auto expected = [&](std::size_t content) {
      return "first.o " + rounded(77) + ", devc_with_a_long_name.c " + rounded(content) + ", last.o " + rounded(101) +
             "; a in first.o, b in devc_with_a_long_name.c, c in last.o, d in devc_with_a_long_name.c";
    };
    QCOMPARE(archiveByLlvm(file), expected(100));
    const std::string output = outputOf(file, old, std::string(size, 'n'));
    QCOMPARE(archiveByLlvm(output), expected(size));
    QVERIFY(output == arOf(variant, std::string(size, 'n')));
  }

  void membersArePaddedToTwoBytes_data() {
    QTest::addColumn<std::string>("before");
    QTest::addColumn<std::string>("content");
    QTest::addColumn<std::string>("after");
    const auto row = [](const char* name, const std::string& before, const std::string& content,
                        const std::string& after) {
      QTest::newRow(name) << kMagic + before << content << kMagic + after;
    };
    const std::string next = arMember("b/", "next");
    row("even to even", arMember("a/", "OLD!") + next, "newer!", arMember("a/", "newer!") + next);
    row("even to odd", arMember("a/", "OLD!") + next, "new", arMember("a/", "new") + next);
    row("odd to even", arMember("a/", "OLD!?") + next, "newest", arMember("a/", "newest") + next);
    row("odd to odd", arMember("a/", "OLD!?") + next, "new", arMember("a/", "new") + next);
    row("to nothing", arMember("a/", "OLD!") + next, "", arMember("a/", "") + next);
    const auto with = [](std::string member, char padding) {
      member.back() = padding;
      return member;
    };
    row("another filler stays", with(arMember("a/", "OLD!?"), '\0') + next, "new",
        with(arMember("a/", "new"), '\0') + next);
    row("another filler goes", with(arMember("a/", "OLD!?"), '\0') + next, "newest", arMember("a/", "newest") + next);
    const auto unpadded = [](std::string member) { return member.substr(0, member.size() - 1); };
    row("no filler at the end of the file", unpadded(arMember("a/", "OLD!?")), "newest", arMember("a/", "newest"));
    row("no filler at the end of the file, odd", unpadded(arMember("a/", "OLD!?")), "new", arMember("a/", "new"));
    row("the member is the last one", next + arMember("a/", "OLD!"), "new", next + arMember("a/", "new"));
    row("bytes that are no member follow", arMember("a/", "OLD!") + "junk", "newest",
        arMember("a/", "newest") + "junk");
    row("a damaged member follows", arMember("a/", "OLD!") + arMember("b/", "next", "oops") + next, "newest",
        arMember("a/", "newest") + arMember("b/", "next", "oops") + next);
    row("a truncated member follows", arMember("a/", "OLD!") + arMember("b/", "next", "5"), "newest",
        arMember("a/", "newest") + arMember("b/", "next", "5"));
    row("a member with a damaged name follows", arMember("a/", "OLD!") + arMember("#1/9", "next"), "newest",
        arMember("a/", "newest") + arMember("#1/9", "next"));
    row("the size field is filled", arMember("a/", "OLD!", "0000000004"), "newest", arMember("a/", "newest"));
    row("the name is before the content", arMember("#1/3", "a\0\0OLD!"s) + next, "newest",
        arMember("#1/3", "a\0\0newest"s) + next);
  }
  void membersArePaddedToTwoBytes() {
    QFETCH(std::string, before);
    QFETCH(std::string, content);
    QFETCH(std::string, after);
    QCOMPARE(outputOf(before, before.find("OLD!?") == std::string::npos ? "OLD!" : "OLD!?", content), after);
  }

  void placesOfLaterMembersMove_data() {
    QTest::addColumn<std::string>("tables"); // before the members
    QTest::addColumn<std::string>("moved");
    const auto row = [](const char* name, const std::string& tables, const std::string& moved) {
      QTest::newRow(name) << tables << moved;
    };
    const std::size_t five = table({1, 2, 3, 4, 5}).size();
    const uint64_t at = afterTable(five);
    row("only after the header", arMember("/", table({0, at - 1, at, at + 1, at + 64})),
        arMember("/", table({0, at - 1, at, at + 3, at + 66})));
    row("64 bits", arMember("/SYM64/", big(2, 8) + big(8 + 60 + 24, 8) + big(uint64_t{1} << 40, 8)),
        arMember("/SYM64/", big(2, 8) + big(8 + 60 + 24, 8) + big((uint64_t{1} << 40) + 2, 8)));
    row("pairs, little-endian",
        arMember("__.SYMDEF", little(16) + little(900) + little(900) + little(0) + little(84) + little(0)),
        arMember("__.SYMDEF", little(16) + little(900) + little(902) + little(0) + little(84) + little(0)));
    row("pairs, big-endian", arMember("__.SYMDEF", big(16) + big(900) + big(900) + big(0) + big(84) + big(0)),
        arMember("__.SYMDEF", big(16) + big(900) + big(902) + big(0) + big(84) + big(0)));
    row("pairs of 64 bits", arMember("__.SYMDEF_64", little(16, 8) + little(900, 8) + little(900, 8) + little(0, 8)),
        arMember("__.SYMDEF_64", little(16, 8) + little(900, 8) + little(902, 8) + little(0, 8)));
    row("the second table is little-endian", arMember("/", table({900})) + arMember("/", table({901}, false)),
        arMember("/", table({902})) + arMember("/", table({903}, false)));
    row("no entries", arMember("/", table({})), arMember("/", table({})));
    row("no entries, pairs", arMember("__.SYMDEF", std::string(8, '\0')), arMember("__.SYMDEF", std::string(8, '\0')));
    row("an empty table", arMember("/", ""), arMember("/", ""));
    row("an entry fills the table", arMember("/", table({900})), arMember("/", table({902})));
    row("names of members stay", arMember("//", big(1) + big(900)), arMember("//", big(1) + big(900)));
  }
  void placesOfLaterMembersMove() {
    QFETCH(std::string, tables);
    QFETCH(std::string, moved);
    const std::string next = arMember("b/", "next") + arMember("/", table({900}));
    const auto file = [&](const std::string& before, const char* content) {
      return kMagic + before + arMember("a/", content) + next; // a table after the member stays
    };
    QCOMPARE(outputOf(file(tables, "OLD!"), "OLD!", "newest"), file(moved, "newest"));
    // Nothing moves when the next member stays.
    QCOMPARE(outputOf(file(tables, "OLD!"), "OLD!", "new"), file(tables, "new"));
  }

  void darwinMembersArePaddedToEightBytes_data() {
    QTest::addColumn<std::string>("before");
    QTest::addColumn<std::string>("content");
    QTest::addColumn<std::string>("after");
    const auto row = [](const char* name, const std::string& before, const std::string& content,
                        const std::string& after) {
      QTest::newRow(name) << kMagic + before << content << kMagic + after;
    };
    const std::string next = arMember("#1/4", "b\0\0\0next"s), title = "a\0\0\0"s;
    row("multiples of 8", arMember("#1/4", title + "OLD!") + next, "n", arMember("#1/4", title + "n\n\n\n") + next);
    row("nothing", arMember("#1/4", title + "OLD!") + next, "", arMember("#1/4", title + "\n\n\n\n") + next);
    row("a whole multiple", arMember("#1/4", title + "OLD!") + next, "newest new!!",
        arMember("#1/4", title + "newest new!!") + next);
    row("another member has another size", arMember("#1/4", title + "OLD!") + arMember("#1/4", "b\0\0\0odd"s), "n",
        arMember("#1/4", title + "n") + arMember("#1/4", "b\0\0\0odd"s));
    row("symbol tables may have another size",
        arMember("__.SYMDEF", std::string(10, '\0')) + arMember("#1/4", title + "OLD!"), "n",
        arMember("__.SYMDEF", std::string(10, '\0')) + arMember("#1/4", title + "n\n\n\n"));
    row("a short name is no Darwin name", arMember("a/", "OLD!OLD!") + next, "n", arMember("a/", "n") + next);
  }
  void darwinMembersArePaddedToEightBytes() {
    QFETCH(std::string, before);
    QFETCH(std::string, content);
    QFETCH(std::string, after);
    QCOMPARE(outputOf(before, before.find("OLD!OLD!") == std::string::npos ? "OLD!" : "OLD!OLD!", content), after);
  }

  void darwinPaddingIsNotContent_data() {
    QTest::addColumn<std::string>("content"); // without the line ends after it
    QTest::addColumn<int>("lineEnds");
    QTest::addColumn<int>("newLineEnds");
    const auto row = [](const char* name, const std::string& content, int lineEnds, int newLineEnds) {
      QTest::newRow(name) << content << lineEnds << newLineEnds;
    };
    // With its name of 4 bytes and one more byte before it, each content fills words of 8 bytes.
    const std::string binary = "binary\0 11!"s, text = "text of 11!", large(511, 'x');
    row("binary: a line end is padding", binary, 1, 0);
    row("text: a line end is content, and seven are padding", text, 1, 8);
    row("text: seven line ends are padding", text, 9, 8);
    row("binary: seven line ends are padding", "c\0d"s, 9, 8);
    row("binary: the first NUL is byte 512", large + "\0abc"s, 1, 0);
    row("text: the first NUL is byte 513", large + "x\0ab"s, 1, 8);
    row("only line ends: all are content", "", 12, 12 + 7);
    row("no line ends", "binary\0of 12"s, 0, 7);
  }
  /// The plan of the member copies all of its old bytes after a new one.
  void darwinPaddingIsNotContent() {
    QFETCH(std::string, content);
    QFETCH(int, lineEnds);
    QFETCH(int, newLineEnds);
    const std::string old = content + std::string(static_cast<std::size_t>(lineEnds), '\n'),
                      wanted = "+" + content + std::string(static_cast<std::size_t>(newLineEnds), '\n');
    const auto file = [](const std::string& text) { return kMagic + arMember("#1/4", "a\0\0\0"s + text); };
    write::PlanBuilder builder;
    builder.literal(bytes("+"), "first");
    builder.input({0, old.size()});
    QCOMPARE(outputOf(file(old), Extent{8 + 60 + 4, old.size()}, builder.take({write::Strategy::Resize})),
             file(wanted));
  }

  /// Linkers pad to 8 bytes, so the eighth line end is content.
  void atMostSevenLineEndsArePadding() {
    const auto file = [](const std::string& text) { return kMagic + arMember("#1/4", "a\0\0\0"s + text); };
    const std::string old = "c\0de"s + std::string(8, '\n');
    write::PlanBuilder builder;
    builder.literal(bytes("8 bytes:"), "first");
    builder.input({0, old.size()});
    QCOMPARE(outputOf(file(old), Extent{8 + 60 + 4, old.size()}, builder.take({write::Strategy::Resize})),
             file("8 bytes:c\0de"s + std::string(8, '\n')));
  }

  void damagedArchivesAreRefused_data() {
    QTest::addColumn<std::string>("archive");
    QTest::addColumn<std::string>("reason");
    const auto row = [](const char* name, const std::string& archive, const char* reason) {
      QTest::newRow(name) << kMagic + archive << "members of this archive cannot be written back: "s + reason;
    };
    const std::string member = arMember("a/", "OLD!");
    row("no header before it", "0123456789OLD!", "its headers are damaged");
    row("a size that is not a number before it", arMember("x/", "four", "4x") + member,
        "the member at 0x8 is truncated");
    row("a size of more than the archive before it", arMember("x/", "four", "9999") + member,
        "the member at 0x8 is truncated");
    row("a name longer than its member before it", arMember("#1/5", "four") + member, "the member at 0x8 is damaged");
    row("its own size is too small", arMember("a/", "OLD!", "3"), "the header of member 'the member' is not found");
    row("its own size is too large", arMember("a/", "OLD!more"), "the header of member 'the member' is not found");
    row("in the middle of a member", arMember("a/", "the OLD!"), "the header of member 'the member' is not found");
    row("a symbol table without room for its entries", arMember("/", big(2) + big(900)) + member,
        "its symbol table at 0x44 has an unknown format");
    row("a symbol table with a huge number of entries", arMember("/", big(0xffffffff) + big(900)) + member,
        "its symbol table at 0x44 has an unknown format");
    row("a symbol table of 64 bits without room", arMember("/SYM64/", big(1, 8) + big(900, 7)) + member,
        "its symbol table at 0x44 has an unknown format");
    row("pairs without room", arMember("__.SYMDEF", little(9) + little(0)) + member,
        "its symbol table at 0x44 has an unknown format");
    row("the second of two symbol tables", arMember("/", table({900})) + arMember("/", "\1\0\0\0"s) + member,
        "its symbol table at 0x88 has an unknown format");
  }
  void damagedArchivesAreRefused() {
    QFETCH(std::string, archive);
    QFETCH(std::string, reason);
    QCOMPARE(outputOf(archive, "OLD!", "a new one"), reason);
  }

  void membersFromElsewhereAreRefused() {
    container::Member member;
    member.path = "a\n";
    member.bytes = bytes("OLD!");
    const auto plan = write::planArMember(bytes(kMagic + arMember("a/", "OLD!")), member, plain("new"));
    QVERIFY(!plan);
    QCOMPARE(plan.error().message(),
             "members of this archive cannot be written back: member 'a\\n' is not stored in it unchanged"s);
    const auto thin = write::planArMember(bytes("!<thin>\n" + arMember("a/", "OLD!")), member, plain("new"));
    QVERIFY(!thin);
    QCOMPARE(thin.error().message(), "a thin archive does not contain its members; edit the file 'a\\n' instead"s);
  }

  void numbersHaveLimits_data() {
    QTest::addColumn<std::string>("tables");
    QTest::addColumn<qulonglong>("size");
    QTest::addColumn<std::string>("message");
    const auto row = [](const char* name, const std::string& tables, uint64_t size, const char* message) {
      QTest::newRow(name) << tables << qulonglong{size} << std::string(message);
    };
    row("ten digits", {}, 9'999'999'999, "planned");
    row("eleven digits", {}, 10'000'000'000,
        "the result would be 9.3 GiB (10,000,000,000 bytes), but the format can address only 9.3 GiB (9,999,999,999 "
        "bytes)");
    // The next member moves by the new size less the old one.
    row("the largest place", arMember("/", table({1'001})), uint64_t{UINT32_MAX} - 1'001 + 4, "planned");
    row("one byte more, and its padding", arMember("/", table({1'001})), uint64_t{UINT32_MAX} - 1'001 + 4 + 1,
        "the result would be 4.0 GiB (4,294,967,297 bytes), but the format can address only 4.0 GiB (4,294,967,295 "
        "bytes)");
    row("places of 64 bits", arMember("/SYM64/", big(1, 8) + big(1'000, 8)), 9'999'999'998, "planned");
  }
  /// Plans of zeros are enough, since they are not carried out.
  void numbersHaveLimits() {
    QFETCH(std::string, tables);
    QFETCH(qulonglong, size);
    QFETCH(std::string, message);
    const std::string archive = kMagic + tables + arMember("a/", "OLD!");
    const auto plan = planOf(bytes(archive), {archive.find("OLD!"), 4}, planOfZeros(size));
    QCOMPARE(plan ? "planned"s : plan.error().message(), message);
  }
};

BLOBSCOPE_TEST(TestPlanAr);
#include "test_plan_ar.moc"
