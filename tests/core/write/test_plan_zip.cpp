#include "core/container/archive/archive.h"
#include "core/container/number_at.h"
#include "core/write/plan_parts.h"
#include "tests/core/base/compare.h"
#include "tests/core/write/archive_files.h"
#include "tests/support/test_main.h"

#include <functional>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::test::archive_files;
using namespace std::string_literals;
using write::Plan;
using ZipChange = std::function<void(std::string&)>;
Q_DECLARE_METATYPE(ZipChange)

namespace {

const std::string kOld = "the OLD content";

/// `member`: the bytes of the member, which those in the archive may contradict.
Result<Plan> planOf(const Bytes& archive, const std::string& member, uint64_t index, Plan inner, Monitor& monitor) {
  container::Member one;
  one.path = "the member";
  one.bytes = bytes(member);
  return write::planZipMember(archive, one, index, std::move(inner), monitor);
}

/// The new archive, or the message of the error.
std::string outputOf(const std::string& archive, uint64_t index, const std::string& content,
                     const std::string& old = kOld) {
  const Bytes input = bytes(archive);
  NullMonitor monitor;
  write::PlanBuilder builder;
  builder.literal(bytes(content), "all");
  const auto plan = planOf(input, old, index, builder.take({write::Strategy::Resize}), monitor);
  if (!plan) return plan.error().message();
  const auto output = write::assemble(*plan, input, monitor);
  return output && output->size() == plan->size() ? std::string(output->view()) : "failed"s;
}

void put(std::string& file, std::size_t at, const std::string& text) { file.replace(at, text.size(), text); }
std::size_t rowOf(const std::string& zip) { return zip.find("PK\x01\x02"); }
std::size_t endOf(const std::string& zip) { return zip.rfind("PK\x05\x06"); }
/// Inserts bytes before the central directory, whose place moves.
void insertBeforeDirectory(std::string& zip, std::size_t at, const std::string& text) {
  zip.insert(at, text);
  const std::size_t end = endOf(zip);
  put(zip, end + 16, little(rowOf(zip)));
}

/// What libarchive reads: names and contents.
std::string read(const std::string& archive) {
  NullMonitor monitor;
  const auto image = container::readArchive(bytes(archive), Budget::forFile(archive.size()), monitor);
  if (!image) return image.error().message();
  std::string out;
  for (const container::Member& member : image->members)
    out += member.path + "=" + std::string(member.bytes.view()) + " ";
  for (const Diagnostic& diagnostic : image->diagnostics) out += diagnostic.message() + "; ";
  return out;
}

} // namespace

class TestPlanZip : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void methodAndDescriptorStay_data() {
    QTest::addColumn<bool>("isDeflated");
    QTest::addColumn<bool>("described");
    QTest::addColumn<std::string>("content");
    for (const bool isDeflated : {false, true})
      for (const bool described : {false, true})
        for (const std::string& content : {""s, "n"s, "the new content, which is longer"s, std::string(70'000, 'n')})
          QTest::addRow("%s%s, %zu bytes", isDeflated ? "deflated" : "stored", described ? " with a descriptor" : "",
                        content.size())
              << isDeflated << described << content;
  }
  /// Fields as PKWARE's APPNOTE 4.3 states them, read here and by libarchive.
  void methodAndDescriptorStay() {
    QFETCH(bool, isDeflated);
    QFETCH(bool, described);
    QFETCH(std::string, content);
    const auto build = [&](const std::string& text) {
      return zipOf({{"first.o", kFirst}, {"a.c", text, isDeflated, described}, {"last.o", kLast}});
    };
    const std::string output = outputOf(build(kOld), 1, content);
    QCOMPARE(read(output), "first.o=" + kFirst + " a.c=" + content + " last.o=" + kLast + " ");
    if (!isDeflated) QVERIFY(output == build(content));

    const auto number = [&](std::size_t at, unsigned size) { return container::numberAt(output, at, size, false); };
    const std::size_t row = output.find("a.c", rowOf(output)) - 46, local = number(row + 42, 4),
                      packed = number(row + 20, 4);
    QCOMPARE(number(row + 10, 2), uint64_t(isDeflated ? 8 : 0));
    QCOMPARE(number(row + 16, 4), uint64_t{crcOf(content)});
    QCOMPARE(number(row + 24, 4), uint64_t{content.size()});
    if (!isDeflated) QCOMPARE(packed, content.size());
    QCOMPARE(output.substr(local, 4), "PK\x03\x04"s);
    const std::string sizes = output.substr(row + 16, 12), none(12, '\0');
    QCOMPARE(hexDigits(output.substr(local + 14, 12)), hexDigits(described ? none : sizes));
    const std::size_t after = local + 30 + number(local + 26, 2) + number(local + 28, 2) + packed;
    if (described) QCOMPARE(hexDigits(output.substr(after, 16)), hexDigits("PK\x07\x08" + sizes));
    QCOMPARE(output.substr(after + (described ? 16 : 0), 4), "PK\x03\x04"s);
    QCOMPARE(output.substr(number(endOf(output) + 16, 4), 4), "PK\x01\x02"s);
    QCOMPARE(output.substr(output.size() - 7), "comment"s);
  }

  /// Changes that both archives have: the old one and the one with the new content.
  void otherFieldsStay_data() {
    QTest::addColumn<ZipChange>("change");
    QTest::addColumn<bool>("described");
    const auto row = [](const char* name, bool described, const ZipChange& change) {
      QTest::newRow(name) << change << described;
    };
    row("none", false, [](std::string&) {});
    row("no comment of the archive", false, [](std::string& zip) {
      put(zip, endOf(zip) + 20, little(0, 2));
      zip.resize(zip.size() - 7);
    });
    row("a comment that looks like a row", false, [](std::string& zip) { put(zip, zip.size() - 7, "PK\x01\x02..."); });
    row("the longest comment", false, [](std::string& zip) {
      put(zip, endOf(zip) + 20, little(65'535, 2));
      zip.resize(zip.size() - 7 + 65'535, 'c');
    });
    row("extra fields and a comment of the member", false, [](std::string& zip) {
      const std::size_t at = rowOf(zip), end = at + 46 + 3;
      put(zip, at + 30, little(4, 2) + little(7, 2));
      zip.insert(end, "\xfe\xca\0\0remarks"s);
      put(zip, endOf(zip) + 12, little(endOf(zip) - at));
    });
    row("a descriptor without its mark", true, [](std::string& zip) {
      const std::size_t at = zip.find("PK\x07\x08");
      zip.erase(at, 4);
      put(zip, endOf(zip) + 16, little(rowOf(zip)));
    });
    row("sizes before and after the content", true,
        [](std::string& zip) { put(zip, 14, zip.substr(rowOf(zip) + 16, 12)); });
    row("bytes between the members and the directory", false,
        [](std::string& zip) { insertBeforeDirectory(zip, rowOf(zip), "a signature"); });
    row("a time and rights", false, [](std::string& zip) { put(zip, rowOf(zip) + 36, "\x11\x22\x33\x44\x55\x66"); });
  }
  void otherFieldsStay() {
    QFETCH(ZipChange, change);
    QFETCH(bool, described);
    const auto build = [&](const std::string& content) {
      std::string zip = zipOf({{"a.c", content, false, described}});
      change(zip);
      return zip;
    };
    for (const std::string& content : {""s, "n"s, "the new content, which is longer"s})
      QCOMPARE(outputOf(build(kOld), 0, content), build(content));
  }

  /// Members are numbered by their places, as libarchive lists them; rows of the directory may have any order.
  void membersAreFoundByTheirPlace() {
    const auto build = [](const std::string& b) {
      return zipOf({{"a", "content of a"}, {"b", b}, {"c", "content of c"}});
    };
    QCOMPARE(outputOf(build(kOld), 1, "new"), build("new"));
    QVERIFY(outputOf(build(kOld), 0, "new").ends_with("does not match its central directory"));
    QVERIFY(outputOf(build(kOld), 2, "new").ends_with("does not match its central directory"));
    // A row whose place is stored elsewhere does not move.
    std::string zip = build(kOld);
    put(zip, rowOf(zip) + 42, little(0xffffffff)); // c
    const std::string output = outputOf(zip, 1, "new");
    QCOMPARE(container::numberAt<uint32_t>(output, rowOf(output) + 42), uint32_t{0xffffffff});
  }

  void unsupportedArchivesAreRefused_data() {
    QTest::addColumn<ZipChange>("change");
    QTest::addColumn<std::string>("reason");
    const auto row = [](const char* name, const char* reason, const ZipChange& change) {
      QTest::newRow(name) << change << "members of this archive cannot be written back: "s + reason;
    };
    const auto rowField = [&](const char* name, const char* reason, std::size_t field, const std::string& text) {
      row(name, reason, [=](std::string& zip) { put(zip, rowOf(zip) + field, text); });
    };
    const auto endField = [&](const char* name, const char* reason, std::size_t field, const std::string& text) {
      row(name, reason, [=](std::string& zip) { put(zip, endOf(zip) + field, text); });
    };
    row("no end record", "it has no central directory", [](std::string& zip) { put(zip, endOf(zip), "no"); });
    row("a truncated end record", "it has no central directory", [](std::string& zip) { zip.resize(endOf(zip) + 21); });
    row("an end record too far from the end", "it has no central directory",
        [](std::string& zip) { zip.resize(endOf(zip) + 22 + 65'536, 'c'); });
    row("zip64", "it is a zip of more than 4 GiB (zip64)",
        [](std::string& zip) { zip.insert(endOf(zip), "PK\x06\x07" + std::string(16, '\0')); });
    row("bytes before the archive", "its central directory is not directly before its end record",
        [](std::string& zip) { zip.insert(0, "#!/bin/sh\n"); });
    row("bytes after the directory", "its central directory is not directly before its end record",
        [](std::string& zip) { zip.insert(endOf(zip), "x"); });
    endField("several files", "its central directory is not directly before its end record", 8, little(2, 2));
    endField("more rows than there are", "row 1 of its central directory is damaged", 8, little(2, 2) + little(2, 2));
    rowField("no mark of a row", "row 0 of its central directory is damaged", 0, "PK\x01\x03");
    rowField("a name that is too long", "row 0 of its central directory is truncated", 28, little(4, 2));
    rowField("a field that is too long", "row 0 of its central directory is truncated", 30, little(1, 2));
    rowField("a comment that is too long", "row 0 of its central directory is truncated", 32, little(1, 2));
    endField("no rows", "member 0 is not in its central directory", 8, little(0, 2) + little(0, 2));
    rowField("encrypted", "member 'the member' is encrypted", 8, little(1, 2));
    rowField("bzip2", "member 'the member' is compressed by method 12", 10, little(12, 2));
    rowField("zip64: packed size", "member 'the member' has zip64 sizes", 20, little(0xffffffff));
    rowField("zip64: size", "member 'the member' has zip64 sizes", 24, little(0xffffffff));
    rowField("zip64: place", "member 'the member' has zip64 sizes", 42, little(0xffffffff));
    row("zip64: packed size before the content", "member 'the member' has zip64 sizes",
        [](std::string& zip) { put(zip, 18, little(0xffffffff)); });
    row("zip64: size before the content", "member 'the member' has zip64 sizes",
        [](std::string& zip) { put(zip, 22, little(0xffffffff)); });
    rowField("a place after the directory", "the local header of member 'the member' is damaged", 42,
             little(0xfffffffe));
    rowField("a place without a header", "the local header of member 'the member' is damaged", 42, little(1));
    row("a place just before the directory", "the local header of member 'the member' is damaged",
        [](std::string& zip) { put(zip, rowOf(zip) + 42, little(rowOf(zip) - 29)); });
    rowField("more content than there is", "member 'the member' reaches into the central directory", 20,
             little(kOld.size() + 1));
    row("a long name before the content", "member 'the member' reaches into the central directory",
        [](std::string& zip) { put(zip, 26, little(4, 2)); });
    row("a long field before the content", "member 'the member' reaches into the central directory",
        [](std::string& zip) { put(zip, 28, little(5, 2)); });
    rowField("less content", "member 'the member' does not match its central directory", 20, little(kOld.size() - 1));
    rowField("another size", "member 'the member' does not match its central directory", 24, little(kOld.size() - 1));
    row("another content", "member 'the member' does not match its central directory",
        [](std::string& zip) { zip[zip.find(kOld)] = 'T'; });
    rowField("no descriptor", "the data descriptor of member 'the member' is damaged", 8, little(8, 2));
    row("a descriptor of another size", "the data descriptor of member 'the member' is damaged", [](std::string& zip) {
      put(zip, rowOf(zip) + 8, little(8, 2));
      insertBeforeDirectory(zip, rowOf(zip), "PK\x07\x08" + little(1) + little(kOld.size() + 1) + little(kOld.size()));
    });
    row("a descriptor that is too short", "the data descriptor of member 'the member' is damaged",
        [](std::string& zip) {
          put(zip, rowOf(zip) + 8, little(8, 2));
          insertBeforeDirectory(zip, rowOf(zip), "PK\x07\x08" + little(1) + little(kOld.size()) + little(0, 3));
        });
  }
  void unsupportedArchivesAreRefused() {
    QFETCH(ZipChange, change);
    QFETCH(std::string, reason);
    std::string zip = zipOf({{"a.c", kOld}});
    change(zip);
    QCOMPARE(outputOf(zip, 0, "new"), reason);
  }

  void overlappingMembersAreRefused() {
    std::string zip = zipOf({{"a.c", kOld}, {"b.c", "next"}});
    const std::size_t b = zip.find("PK\x03\x04", 1), row = rowOf(zip); // of b.c
    for (const std::size_t at : {b - 1, b}) {
      put(zip, row + 42, little(at));
      const std::string output = outputOf(zip, 0, "new");
      if (at == b)
        QCOMPARE(read(output), "a.c=new b.c=next "s);
      else
        QCOMPARE(output, "members of this archive cannot be written back: member 'the member' overlaps another one"s);
    }
  }

  void sizesHaveALimit() {
    NullMonitor monitor;
    const std::string zip = zipOf({{"a.c", kOld}});
    write::PlanBuilder builder;
    builder.zeros(UINT32_MAX, "all");
    const auto plan = planOf(bytes(zip), kOld, 0, builder.take({write::Strategy::Resize}), monitor);
    QVERIFY(!plan);
    QCOMPARE(plan.error().message(), "the result would be 4.0 GiB (4,294,967,295 bytes), but the format can address "
                                     "only 4.0 GiB (4,294,967,294 bytes)"s);
  }

  void planningCanBeCancelled() {
    const std::string zip = zipOf({{"a.c", kOld, true}});
    int looks = 0;
    for (;; ++looks) {
      StopAfter stop(looks);
      write::PlanBuilder builder;
      builder.literal(bytes(std::string(100'000, 'n')), "all");
      const auto plan = planOf(bytes(zip), kOld, 0, builder.take({write::Strategy::Resize}), stop);
      if (plan) break;
      QVERIFY(plan.error().id() == DiagnosticId::Cancelled);
      QVERIFY(looks < 1'000);
    }
    QVERIFY(looks >= 3); // the directory, the checksum, and compressing
  }
};

BLOBSCOPE_TEST(TestPlanZip);
#include "test_plan_zip.moc"
