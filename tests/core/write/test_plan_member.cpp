#include "core/base/text.h"
#include "core/container/archive/archive.h"
#include "core/library/open.h"
#include "tests/core/write/archive_files.h"
#include "tests/core/write/plan_check.h"
#include "tests/support/archive_builder.h"
#include "tests/support/macho_builder.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::test::archive_files;
using namespace std::string_literals;

namespace {

constexpr std::size_t kMemberBlobSize = 2'000; ///< of the old blob

} // namespace

class TestPlanMember : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void resultEqualsThatOfTheArchiver_data();
  void resultEqualsThatOfTheArchiver();
  void objectsInNestedArchivesAreRewritten();
  void unchangedBytesAreNotCopied();
  void gzipHeaderIsKept();
  void slicesOfUniversalFilesAreRewritten();
  void largeTarNumbersAreWritten();
  void tarFieldsKeepTheirFormat();
  void unsupportedArchivesAreRefused_data();
  void unsupportedArchivesAreRefused();
  void thinArchivesAreRefused();
  void planningCanBeCancelled_data();
  void planningCanBeCancelled();
  void damagedArchivesGiveAValidPlanOrARefusal_data();
  void damagedArchivesGiveAValidPlanOrARefusal();
};

void TestPlanMember::resultEqualsThatOfTheArchiver_data() {
  QTest::addColumn<std::size_t>("archive");
  QTest::addColumn<std::size_t>("size");
  QTest::addColumn<char>("letter");
  const auto all = archives();
  for (std::size_t i = 0; i < all.size(); ++i) {
    QTest::addRow("%s, the same", all[i].name.c_str()) << i << kMemberBlobSize << 'a';
    QTest::addRow("%s, the same size", all[i].name.c_str()) << i << kMemberBlobSize << 'z';
    for (const std::size_t size : {kMemberBlobSize + 1, kMemberBlobSize - 1, std::size_t{300}, std::size_t{40'000}})
      QTest::addRow("%s, %zu bytes", all[i].name.c_str(), size) << i << size << 'z';
  }
}

/// The result equals the output of the same tool for the same members.
void TestPlanMember::resultEqualsThatOfTheArchiver() {
  QFETCH(std::size_t, archive);
  QFETCH(std::size_t, size);
  QFETCH(char, letter);
  const Archive made = archives()[archive];
  const std::string file = made.build(sourceOf(blobOf(kMemberBlobSize))), replacement = blobOf(size, letter),
                    expected = made.build(sourceOf(replacement));
  const auto result = replaceBlob(file, made.members, replacement);
  QVERIFY2(result, result ? "" : result.error().message().c_str());
  QCOMPARE(QString::fromStdString(problemsOf(*result, made.members, replacement)), QString());
  if (letter == 'a') {
    QCOMPARE(write::strategyName(result->plan), "identity"s);
    QVERIFY(result->output == file);
  } else if (!made.packed) {
    QVERIFY(result->output == expected);
    const auto back = replaceBlob(result->output, made.members, blobOf(kMemberBlobSize));
    QVERIFY(back);
    QVERIFY(back->output == file);
  } else {
    // The bytes of all members, whatever their compression.
    const auto wanted = openBytes(expected);
    QVERIFY(wanted);
    std::vector<std::string> here;
    for (std::size_t depth = 0; depth < made.members.size(); ++depth) {
      const auto *now = Replaced::at(result->after, here), *right = Replaced::at(*wanted, here);
      for (std::size_t i = 0; i < right->members.size(); ++i)
        if (depth + 1 == made.members.size() || right->members[i].name != made.members[depth])
          QVERIFY(now->members[i].stored->bytes == right->members[i].stored->bytes);
      here.push_back(made.members[depth]);
    }
  }
}

/// An object file in an archive in a compressed one, larger and smaller: all other members stay, the archive equals the
/// output of its tool for the new object, and repeated edits lose nothing.
void TestPlanMember::objectsInNestedArchivesAreRewritten() {
  const auto object = [](const std::string& blob) {
    ElfBuilder elf;
    elf.type = 1;
    return elf.function("run").data("__tvm_dev_mblob", blob).data("behind", "behind").build();
  };
  for (const std::string variant : {"gnu", "coff", "sym64", "bsd", "bsd64", "bsd, big-endian", "darwin"}) {
    const auto build = [&](const std::string& blob) {
      return gzipOf(tarOf({{"first", kFirst}, {"lib.a", arOf(variant, object(blob))}, {"last", kLast}}));
    };
    const std::vector<std::string> members = {"lib.a", "devc_with_a_long_name.c"};
    std::string now = build(blobOf(kMemberBlobSize));
    for (const std::size_t size : {kMemberBlobSize + 1, kMemberBlobSize + 7, kMemberBlobSize + 300, kMemberBlobSize - 3,
                                   kMemberBlobSize + 7, kMemberBlobSize + 1, std::size_t{40'000}, kMemberBlobSize}) {
      const std::string replacement = blobOf(size, size == kMemberBlobSize ? 'a' : 'z');
      const auto made = replaceBlob(now, members, replacement);
      QVERIFY2(made, made ? "" : made.error().message().c_str());
      QCOMPARE(QString::fromStdString(problemsOf(*made, members, replacement)), QString());
      const auto expected = openBytes(build(replacement));
      QVERIFY(Replaced::at(made->after, {"lib.a"})->bytes == Replaced::at(*expected, {"lib.a"})->bytes);
      now = made->output;
    }
  }
}

/// Unchanged bytes are copied from the file, not held in memory.
void TestPlanMember::unchangedBytesAreNotCopied() {
  const std::string large(3'000'000, 'x');
  const auto made = replaceBlob(
      tarOf({{"large", large}, {"libdevc.a", arOf("gnu", sourceOf(blobOf(kMemberBlobSize)))}, {"large too", large}}),
      {"libdevc.a", "devc_with_a_long_name.c"}, blobOf(3'000));
  QVERIFY(made);
  uint64_t copied = 0;
  for (const write::Part& part : made->plan.parts)
    copied += part.from == write::Part::From::Input ? part.input.size : 0;
  QVERIFY(copied > 6'000'000);
}

void TestPlanMember::gzipHeaderIsKept() {
  const std::string tar = tarOf({{"devc.c", sourceOf(blobOf(kMemberBlobSize))}});
  const std::string file = gzipWithHeader(tar);
  const std::size_t header = file.size() - gzipOf(tar).size() + 10;
  const auto made = replaceBlob(file, {"devc.c"}, blobOf(kMemberBlobSize + 5));
  QVERIFY2(made, made ? "" : made.error().message().c_str());
  QCOMPARE(made->output.substr(0, header), file.substr(0, header));
  // zlib itself confirms checksum and size.
  z_stream stream{};
  QCOMPARE(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string out(1 << 20, '\0');
  std::string input = made->output;
  input.replace(3, 1, 1, static_cast<char>(input[3] & ~2)); // without the checksum of the header, which is made up
  input.erase(header - 2, 2);
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  QCOMPARE(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  QVERIFY(out == tarOf({{"devc.c", sourceOf(blobOf(kMemberBlobSize + 5))}}));
}

void TestPlanMember::slicesOfUniversalFilesAreRewritten() {
  constexpr uint32_t kArm = 0x0100000c, kIntel = 0x01000007;
  for (const bool wide : {false, true}) {
    const auto build = [&](const std::string& blob) {
      return universalFile({{kIntel, machoOf(blobOf(500), kIntel)}, {kArm, machoOf(blob, kArm)}}, wide);
    };
    const std::string file = build(blobOf(kMemberBlobSize));
    const auto made = replaceBlob(file, {"aarch64"}, blobOf(kMemberBlobSize, 'z'));
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    QVERIFY(made->output == build(blobOf(kMemberBlobSize, 'z')));
    QCOMPARE(QString::fromStdString(problemsOf(*made, {"aarch64"}, blobOf(kMemberBlobSize, 'z'))), QString());
    // No loader accepts these libraries; objects of real ones are in TestPlanMachO.
    QCOMPARE(idOf(replaceBlob(file, {"aarch64"}, blobOf(kMemberBlobSize + 1))), "REP-SHAPE"s);
    const auto identity = replaceBlob(file, {"aarch64"}, blobOf(kMemberBlobSize));
    QVERIFY(identity && identity->output == file);

    // A library of objects as a slice, followed by another slice, which moves to its next place.
    const std::string other = machoOf(blobOf(500), kIntel);
    const auto fatOf = [&](std::size_t size) {
      return universalFile({{kArm, arOf("gnu", sourceOf(blobOf(size)))}, {kIntel, other}}, wide);
    };
    const std::string fat = fatOf(kMemberBlobSize), member = "devc_with_a_long_name.c";
    for (const std::size_t size : {std::size_t{300}, kMemberBlobSize + 1, std::size_t{30'000}}) {
      const auto resized = replaceBlob(fat, {"aarch64", member}, blobOf(size));
      QVERIFY2(resized, resized ? "" : resized.error().message().c_str());
      QVERIFY(resized->output == fatOf(size));
      QCOMPARE(QString::fromStdString(problemsOf(*resized, {"aarch64", member}, blobOf(size))), QString());
      const auto back = replaceBlob(resized->output, {"aarch64", member}, blobOf(kMemberBlobSize));
      QVERIFY(back && back->output == fat);
    }

    // Sizes that need the 64-bit table: a plan that contains only zeros is enough.
    NullMonitor monitor;
    const auto package = openBytes(fat);
    const auto found = std::find_if((*package)->members.begin(), (*package)->members.end(),
                                    [](const auto& one) { return one.name == "aarch64"; });
    write::PlanBuilder builder;
    builder.zeros((uint64_t{1} << 32) - 100, "all");
    const auto plan = write::planMember(**package, *found, builder.take({write::Strategy::Resize}), monitor);
    QCOMPARE(plan ? "none"s : std::string(plan.error().diagnostic().idText()), wide ? "none"s : "REP-4G"s);

    // Bytes that are not understood do not move.
    const std::size_t row = wide ? 32 : 20, gap = 8 + 2 * row;
    std::string strange = fat;
    if (gap % 16 != 0) {
      strange[gap] = 'x';
      QCOMPARE(idOf(replaceBlob(strange, {"aarch64", member}, blobOf(300))), "REP-SHAPE"s);
    }
    strange = fat;
    strange[8 + row - (wide ? 8 : 4)] = 60; // 2^60 and more
    QCOMPARE(idOf(replaceBlob(strange, {"aarch64", member}, blobOf(300))), "REP-SHAPE"s);
  }
}

/// Members of 8 GiB and more cannot be tested: their numbers can, because a plan that contains only zeros is enough.
void TestPlanMember::largeTarNumbersAreWritten() {
  NullMonitor monitor;
  for (const bool pax : {false, true}) {
    const std::string source = sourceOf(blobOf(kMemberBlobSize)),
                      file = pax ? paxTar(source) : tarOf({{"devc.c", source}});
    const auto package = openBytes(file);
    QVERIFY(package);
    const auto member = std::find_if((*package)->members.begin(), (*package)->members.end(),
                                     [](const auto& one) { return one.name == "devc.c"; });
    const uint64_t size = (uint64_t{9} << 30) + 5;
    write::PlanBuilder builder;
    builder.zeros(size, "all");
    const auto plan = write::planMember(**package, *member, builder.take({write::Strategy::Resize}), monitor);
    QVERIFY(plan);
    QCOMPARE(plan->size() % 512, uint64_t{0});
    QVERIFY(plan->size() > size);
    std::string head;
    for (const write::Part& part : plan->parts) {
      if (part.from == write::Part::From::Zeros) break;
      head += part.from == write::Part::From::Input ? file.substr(part.input.offset, part.input.size)
                                                    : std::string(part.bytes.view());
    }
    const std::string header = head.substr(head.size() - 512);
    QVERIFY(header.substr(124, 12) == "\x80\0\0\0"s + big(size, 8));
    unsigned sum = 8 * ' ';
    for (std::size_t i = 0; i < header.size(); ++i)
      if (i < 148 || i >= 156) sum += static_cast<unsigned char>(header[i]);
    QCOMPARE(header.substr(148, 8), octal(sum, 6) + "\0 "s);
    if (pax) QVERIFY(head.find("size=" + std::to_string(size) + "\n") != std::string::npos);
  }
  // The same for ar: ten decimal digits.
  const auto package = openBytes(arOf("gnu", sourceOf(blobOf(kMemberBlobSize))));
  for (const uint64_t size : {uint64_t{9'999'999'999}, uint64_t{10'000'000'000}}) {
    write::PlanBuilder builder;
    builder.zeros(size, "all");
    const auto plan =
        write::planMember(**package, (*package)->members[1], builder.take({write::Strategy::Resize}), monitor);
    // Places of the symbol table have 32 bits.
    QVERIFY(!plan && plan.error().id() == DiagnosticId::PlanSize);
  }
}

/// Fields keep their notation.
void TestPlanMember::tarFieldsKeepTheirFormat() {
  const std::string source = sourceOf(blobOf(kMemberBlobSize));
  for (const int shape : {0, 1, 2}) {
    std::string header = tarHeader("devc.c", source.size());
    if (shape == 0) header.replace(124, 12, octal(source.size(), 11) + " ");
    if (shape == 1) header.replace(124, 12, octal(source.size(), 12));
    if (shape == 2) header.replace(124, 12, "\x80\0\0\0"s + big(source.size(), 8));
    unsigned sum = 8 * ' ';
    for (std::size_t i = 0; i < header.size(); ++i)
      if (i < 148 || i >= 156) sum += static_cast<unsigned char>(header[i]);
    header.replace(148, 8, octal(sum, 7) + "\0"s);
    std::string file = header + source;
    file.resize((file.size() + 511) / 512 * 512 + 1024, '\0');
    const auto made = replaceBlob(file, {"devc.c"}, blobOf(300));
    QVERIFY2(made, made ? "" : made.error().message().c_str());
    const std::size_t size = sourceOf(blobOf(300)).size();
    QVERIFY(made->output.substr(124, 12) == (shape == 0   ? octal(size, 11) + " "
                                             : shape == 1 ? octal(size, 12)
                                                          : "\x80\0\0\0"s + big(size, 8)));
    QCOMPARE(made->output[155], '\0');
    const auto back = replaceBlob(made->output, {"devc.c"}, blobOf(kMemberBlobSize));
    QVERIFY(back && back->output == file);
  }
}

void TestPlanMember::unsupportedArchivesAreRefused_data() {
  QTest::addColumn<std::string>("file");
  QTest::addColumn<std::vector<std::string>>("members");
  const std::string source = sourceOf(blobOf(kMemberBlobSize));
  const std::string zip = zipOf({{"devc.c", source}, {"last.o", kLast}});
  const auto with = [](std::string file, std::size_t at, const std::string& text) {
    return file.replace(at, text.size(), text);
  };
  const std::vector<std::string> plain = {"devc.c"};
  const std::size_t row = zip.rfind("PK\x01\x02");
  QTest::newRow("zip64 sizes") << zipOf({{"devc.c", source, false, false, true}, {"last.o", kLast}}) << plain;
  QTest::newRow("overlapping") << with(zip, zip.find("PK\x01\x02") + 42, little(100)) << plain;
  QTest::newRow("encrypted") << with(zip, row + 8, little(1, 2)) << plain;
  const std::string ar = arOf("gnu", source);
  QTest::newRow("symbol table that is too short")
      << with(ar, 68, big(0x10000000)) << std::vector<std::string>{"devc_with_a_long_name.c"};
}

void TestPlanMember::unsupportedArchivesAreRefused() {
  QFETCH(std::string, file);
  QFETCH(std::vector<std::string>, members);
  const auto package = openBytes(file);
  const library::Package* const inner = package ? Replaced::at(*package, members) : nullptr;
  if (!inner || inner->blobs.empty()) QSKIP("libarchive of this system does not read it either");
  QCOMPARE(idOf(replaceBlob(file, members, blobOf(kMemberBlobSize + 1'000))), "REP-ARCHIVE"s);
}

void TestPlanMember::thinArchivesAreRefused() {
  const std::string file = "!<thin>\n" + arMember("//", "devc.o/\n") + padded("/0", 16, ' ') + padded("0", 12, ' ') +
                           padded("0", 6, ' ') + padded("0", 6, ' ') + padded("644", 8, ' ') + padded("100", 10, ' ') +
                           "`\n";
  const auto package = openBytes(file);
  QVERIFY(package && (*package)->members.size() == 1);
  NullMonitor monitor;
  write::PlanBuilder builder;
  builder.zeros(5, "all");
  const auto plan =
      write::planMember(**package, (*package)->members[0], builder.take({write::Strategy::Resize}), monitor);
  QVERIFY(!plan);
  QCOMPARE(std::string(plan.error().diagnostic().idText()), "REP-THIN"s);
  // A member of another archive.
  const auto other = openBytes(arOf("gnu", "text"));
  builder.zeros(5, "all");
  const auto foreign =
      write::planMember(**other, (*package)->members[0], builder.take({write::Strategy::Resize}), monitor);
  QVERIFY(!foreign && foreign.error().id() == DiagnosticId::PlanArchive);
}

void TestPlanMember::planningCanBeCancelled_data() {
  QTest::addColumn<std::size_t>("archive");
  const auto all = archives();
  for (std::size_t i = 0; i < all.size(); ++i) QTest::newRow(all[i].name.c_str()) << i;
}

void TestPlanMember::planningCanBeCancelled() {
  QFETCH(std::size_t, archive);
  const Archive made = archives()[archive];
  const std::string file = made.build(sourceOf(blobOf(kMemberBlobSize)));
  int looks = 0;
  for (;; ++looks) {
    StopAfter stop(looks);
    const auto result = replaceBlob(file, made.members, blobOf(kMemberBlobSize + 7), {}, &stop);
    if (result) break;
    QVERIFY(result.error().code() == ErrorCode::Cancelled);
    QVERIFY(looks < 1'000);
  }
  QVERIFY(looks > 0);
}

void TestPlanMember::damagedArchivesGiveAValidPlanOrARefusal_data() { planningCanBeCancelled_data(); }

/// Whichever byte is wrong, and wherever the file ends: a valid plan, or a refusal.
void TestPlanMember::damagedArchivesGiveAValidPlanOrARefusal() {
  QFETCH(std::size_t, archive);
  const Archive made = archives()[archive];
  const std::string blob = blobOf(250), source = sourceOf(blob), replacement = blobOf(260, 'z'),
                    file = made.build(source);
  NullMonitor monitor;
  const auto tryOne = [&](const std::string& wrong) {
    const auto package = openBytes(wrong);
    if (!package) return true;
    const library::Package* inner = package->get();
    std::vector<std::pair<const library::Package*, const library::PackageMember*>> way;
    for (const std::string& name : made.members) {
      const auto found = std::find_if(inner->members.begin(), inner->members.end(),
                                      [&](const auto& member) { return member.name == name; });
      if (found == inner->members.end() || !found->package) return true;
      way.emplace_back(inner, &*found);
      inner = found->package.get();
    }
    if (inner->blobs.empty()) return true;
    auto plan = write::planBlob({*inner, *inner->blobs.front(), newBlob(replacement), {}, monitor});
    for (auto step = way.rbegin(); plan && step != way.rend(); ++step)
      plan = write::planMember(*step->first, *step->second, std::move(*plan), monitor);
    if (!plan) return true;
    const auto output = write::assemble(*plan, (*package)->bytes, monitor);
    return output && output->size() == plan->size();
  };
  const std::size_t content = file.find("0x0b,0x01"), step = made.packed ? 53 : 7;
  for (std::size_t at = 0; at < file.size(); at += step) {
    if (!made.packed && content != std::string::npos && at > content && at < content + source.size() - 200 &&
        at % 5 != 0)
      continue;
    if (file[at] == '\0' && at % 3 != 0 && !made.packed) continue; // padding, mostly
    for (const char value : {'\0', '\x7f', '\xff', '9'}) {
      std::string wrong = file;
      wrong[at] = value;
      QVERIFY(tryOne(wrong));
    }
    QVERIFY(tryOne(file.substr(0, at)));
  }
}

BLOBSCOPE_TEST(TestPlanMember);
#include "test_plan_member.moc"
