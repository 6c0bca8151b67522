#include "core/container/archive/archive.h"
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
using Build = std::function<std::string(const std::string&)>;
Q_DECLARE_METATYPE(Build)

namespace {

Result<Plan> planOf(const Bytes& archive, Extent place, uint64_t index, Plan inner, Monitor* asked = nullptr) {
  NullMonitor never;
  container::Member member;
  member.path = "the member";
  member.bytes = archive.slice(place.offset, place.size);
  return write::planTarMember(archive, member, index, std::move(inner), asked ? *asked : never);
}

/// The new archive, or the message of the error.
std::string outputOf(const std::string& archive, const std::string& old, uint64_t index, const std::string& content) {
  const Bytes input = bytes(archive);
  write::PlanBuilder builder;
  builder.literal(bytes(content), "all");
  const auto plan = planOf(input, {archive.find(old), old.size()}, index, builder.take({write::Strategy::Resize}));
  if (!plan) return plan.error().message();
  NullMonitor monitor;
  const auto output = write::assemble(*plan, input, monitor);
  return output && output->size() == plan->size() ? std::string(output->view()) : "failed"s;
}

std::string block(std::string text) {
  text.resize((text.size() + 511) / 512 * 512, '\0');
  return text;
}
/// A header and its content, padded to blocks.
std::string entry(const std::string& path, const std::string& content, char type = '0') {
  return tarHeader(path, content.size(), type) + block(content);
}
std::string record(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  std::size_t size = rest.size() + 1;
  if (std::to_string(size).size() == 2) size = rest.size() + 2;
  if (std::to_string(size).size() == 3) size = rest.size() + 3;
  return std::to_string(size) + rest;
}
std::string sizeRecord(const std::string& content) { return record("size", std::to_string(content.size())); }
const std::string kEnd(1024, '\0');

/// What libarchive reads: names and contents.
std::string read(const std::string& archive) {
  NullMonitor monitor;
  const auto image = container::readArchive(bytes(archive), Budget::forFile(archive.size()), monitor);
  if (!image) return image.error().message();
  std::string out;
  for (const container::Member& member : image->members)
    if (member.type == container::Member::Type::File)
      out += member.path + "=" + std::string(member.bytes.view().substr(0, 20)) + "/" +
             std::to_string(member.bytes.size()) + " ";
  for (const Diagnostic& diagnostic : image->diagnostics) out += diagnostic.message() + "; ";
  return out;
}

} // namespace

class TestPlanTar : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void membersHaveManyForms_data() {
    QTest::addColumn<Build>("build");
    QTest::addColumn<int>("index");
    QTest::addColumn<std::string>("name");
    const auto row = [](const char* name, int index, const std::string& path, const Build& build) {
      QTest::newRow(name) << Build([=](const std::string& content) {
        return build(content) + entry("last.o", kLast) + kEnd;
      }) << index << path;
    };
    const std::string path = std::string(120, 'p') + ".c";
    row("ustar", 1, "a.c", [](const std::string& content) { return entry("first.o", kFirst) + entry("a.c", content); });
    row("the first member", 0, "a.c", [](const std::string& content) { return entry("a.c", content); });
    row("the old type of a file", 0, "a.c", [](const std::string& content) { return entry("a.c", content, '\0'); });
    row("a long name of GNU tar", 0, path, [=](const std::string& content) {
      return entry("././@LongLink", path + '\0', 'L') + entry(path.substr(0, 100), content);
    });
    row("a long link before it", 1, "a.c", [=](const std::string& content) {
      return entry("././@LongLink", path + '\0', 'K') + tarHeader("link", 0, '2', path.substr(0, 99)) +
             entry("a.c", content);
    });
    row("a path in an extended header", 0, path, [=](const std::string& content) {
      return entry("PaxHeaders/a", record("path", path), 'x') + entry("short", content);
    });
    row("an extended header for all members", 0, "a.c", [](const std::string& content) {
      return entry("PaxHeaders/g", record("comment", "for all"), 'g') + entry("a.c", content);
    });
    row("a size in an extended header", 0, "a.c", [](const std::string& content) {
      return entry("PaxHeaders/a", sizeRecord(content), 'x') + entry("a.c", content);
    });
    row("a size between other records", 0, "b.c", [](const std::string& content) {
      return entry("PaxHeaders/a", record("mtime", "1.5") + sizeRecord(content) + record("path", "b.c"), 'x') +
             entry("a.c", content);
    });
    row("a size whose records nearly fill a block", 0, "a.c", [](const std::string& content) {
      return entry("PaxHeaders/a", record("comment", std::string(482, 'c')) + sizeRecord(content), 'x') +
             entry("a.c", content);
    });
    row("the size of another member", 1, "a.c", [](const std::string& content) {
      return entry("PaxHeaders/f", record("size", "77"), 'x') + entry("first.o", kFirst) + entry("a.c", content);
    });
    row("a folder and links that state a size", 3, "a.c", [](const std::string& content) {
      return tarHeader("folder/", 12'345, '5') + tarHeader("hard", 999, '1', "folder") +
             tarHeader("soft", 999, '2', "folder") + entry("a.c", content);
    });
  }
  /// Smaller and larger: the output is what a tar program would write, and libarchive reads it.
  void membersHaveManyForms() {
    QFETCH(Build, build);
    QFETCH(int, index);
    QFETCH(std::string, name);
    const auto expected = [&](const std::string& content) {
      return name + "=" + content.substr(0, 20) + "/" + std::to_string(content.size()) +
             " last.o=" + kLast.substr(0, 20) + "/101 ";
    };
    for (const std::size_t from : {1u, 9u, 500u, 512u}) {
      const std::string old(from, 'o'), file = build(old);
      QVERIFY2(read(file).ends_with(expected(old)), read(file).c_str());
      // The place of the content, not an 'o' in a header.
      const std::string header = file.substr(0, file.rfind(block(old) + tarHeader("last.o", 101)));
      for (const std::size_t size : {0u, 1u, 10u, 99u, 100u, 511u, 512u, 513u, 1'000u, 5'000u}) {
        const std::string content(size, 'n'), wanted = build(content);
        const Bytes input = bytes(file);
        write::PlanBuilder builder;
        builder.literal(bytes(content), "all");
        const auto plan =
            planOf(input, {header.size(), from}, static_cast<uint64_t>(index), builder.take({write::Strategy::Resize}));
        QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
        NullMonitor monitor;
        const auto output = write::assemble(*plan, input, monitor);
        QVERIFY(output);
        QVERIFY2(read(std::string(output->view())).ends_with(expected(content)), output->view().substr(0, 100).data());
        QVERIFY2(output->view() == wanted, std::to_string(size).c_str());
      }
    }
  }

  void archivesMayEndEarly_data() {
    QTest::addColumn<std::string>("end"); // after the old content of five bytes
    QTest::newRow("after the content") << ""s;
    QTest::newRow("in the padding") << std::string(100, '\0');
    QTest::newRow("after the padding") << std::string(507, '\0');
    QTest::newRow("after one block of zeros") << std::string(507 + 512, '\0');
  }
  void archivesMayEndEarly() {
    QFETCH(std::string, end);
    const std::string file = tarHeader("a.c", 5) + "OLD!!" + end;
    const std::string after = end.size() > 507 ? end.substr(507) : ""s;
    QVERIFY(outputOf(file, "OLD!!", 0, "newest") == entry("a.c", "newest") + after);
    QVERIFY(outputOf(file, "OLD!!", 0, "") == tarHeader("a.c", 0) + after);
  }

  void sizesAreOctalBelow8GiB_data() {
    QTest::addColumn<qulonglong>("size");
    QTest::addColumn<std::string>("field");
    QTest::newRow("8 GiB less a byte") << (1ull << 33) - 1 << "77777777777\0"s;
    QTest::newRow("8 GiB") << (1ull << 33) << "\x80\0\0\0\0\0\0\2\0\0\0\0"s;
    QTest::newRow("much more") << (1ull << 40) + 1 << "\x80\0\0\0\0\0\1\0\0\0\0\1"s;
  }
  void sizesAreOctalBelow8GiB() {
    QFETCH(qulonglong, size);
    QFETCH(std::string, field);
    const std::string file = entry("a.c", "OLD!") + kEnd;
    const auto plan = planOf(bytes(file), {512, 4}, 0, planOfZeros(size));
    QVERIFY(plan);
    std::string header;
    for (const write::Part& part : plan->parts) {
      if (part.from == write::Part::From::Zeros) break;
      header += part.from == write::Part::From::Input ? file.substr(part.input.offset, part.input.size)
                                                      : std::string(part.bytes.view());
    }
    QCOMPARE(header.size(), std::size_t{512});
    QCOMPARE(hexDigits(header.substr(124, 12)), hexDigits(field));
    QCOMPARE(header.substr(0, 124), file.substr(0, 124));
    QCOMPARE(plan->size(), 512 + (size + 511) / 512 * 512 + 1'024);
  }

  /// Members of the same size keep their headers byte for byte, also damaged ones.
  void equalSizesChangeNoHeader() {
    std::string file = entry("PaxHeaders/a", record("size", "4"), 'x') + entry("a.c", "OLD!") + kEnd;
    file.replace(1'024 + 148, 8, "wrong!!!");
    QCOMPARE(outputOf(file, "OLD!", 0, "new!"), file.substr(0, 1'536) + "new!" + file.substr(1'540));
  }

  void damagedArchivesAreRefused_data() {
    QTest::addColumn<std::string>("archive");
    QTest::addColumn<int>("index");
    QTest::addColumn<std::string>("reason");
    const auto row = [](const char* name, int index, const char* reason, const std::string& archive) {
      QTest::newRow(name) << archive << index << "members of this archive cannot be written back: "s + reason;
    };
    const std::string member = entry("a.c", "OLD!");
    const auto sized = [](std::string text, const std::string& field) { return text.replace(124, 12, field); };
    const auto pax = [](const std::string& records) { return entry("PaxHeaders/a", records, 'x'); };
    row("more than the archive", 0, "the member at 0x0 is truncated", tarHeader("a.c", 6) + "OLD!!");
    row("a member before it that is too large", 1, "the member at 0x0 is truncated",
        tarHeader("b.c", 1 << 20) + member);
    row("a size of more than 64 bits", 0, "the member at 0x0 is truncated", sized(member, std::string(12, '\xff')));
    row("a long name that is too long", 0, "the member at 0x0 is truncated",
        tarHeader("././@LongLink", 1 << 20, 'L') + member);
    row("a record that is no number", 0, "the extended header at 0x0 is damaged", pax("x size=4\n") + member);
    row("a record that is too long", 0, "the extended header at 0x0 is damaged", pax("99 size=4\n") + member);
    row("a record of its length only", 0, "the extended header at 0x0 is damaged", pax("2 \n") + member);
    row("a record without a blank", 0, "the extended header at 0x0 is damaged", pax("size=4\n") + member);
    row("a size that is no number", 0, "the extended header at 0x0 is damaged", pax("10 size=x\n") + member);
    row("a size that is empty", 0, "the extended header at 0x0 is damaged", pax("8 size=\n") + member);
    row("an extended header of more than 16 MiB", 0, "the extended header at 0x0 is too large",
        pax(std::string((16 << 20) + 1, '\0')) + member);
    row("the size of a record differs from the content", 0, "member 'the member' is not stored contiguously",
        pax(record("size", "3")) + member);
    row("another member", 0, "member 'the member' is not stored contiguously", entry("b.c", "other") + member);
    row("fewer members", 1, "the header of member 1 is not found", member + kEnd);
    row("the end before the member", 0, "the header of member 0 is not found", block("\0"s) + member);
    row("half a header", 1, "the header of member 1 is not found", member + tarHeader("b.c", 0).substr(0, 511));
    row("only headers that describe others", 0, "the header at 0x0 describes no member",
        pax(record("size", "4")) + "OLD!");
  }
  void damagedArchivesAreRefused() {
    QFETCH(std::string, archive);
    QFETCH(int, index);
    QFETCH(std::string, reason);
    QCOMPARE(outputOf(archive, "OLD!", static_cast<uint64_t>(index), "a new one"), reason);
  }

  void recordsWithoutALineEndAreRead() {
    const auto file = [](const std::string& content) {
      return entry("PaxHeaders/a", content, 'x') + entry("a.c", "OLD!") + kEnd;
    };
    const std::string output = outputOf(file("8 size=4"), "OLD!", 0, "newest");
    QCOMPARE(output, entry("PaxHeaders/a", "9 size=6\n", 'x') + entry("a.c", "newest") + kEnd);
  }

  void searchingCanBeCancelled() {
    const std::string file = entry("a.c", "OLD!") + kEnd;
    StopAfter stop(0);
    const auto plan = planOf(bytes(file), {512, 4}, 0, planOfZeros(1), &stop);
    QVERIFY(!plan && plan.error().id() == DiagnosticId::Cancelled);
  }
};

BLOBSCOPE_TEST(TestPlanTar);
#include "test_plan_tar.moc"
