#include "core/base/text.h"
#include "core/write/pe/plan.h"
#include "core/write/plan_parts.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <functional>

using namespace blobscope;
using namespace blobscope::test;
using write::Plan;

namespace {

/// A plan whose output is the input with these four bytes at `at`.
Plan replaced(const write::pe::File& file, uint64_t at, std::string_view word) {
  write::PlanBuilder builder;
  builder.input({0, at});
  builder.literal(Bytes::copyOf(word), "checksum");
  builder.input({at + 4, file.bytes.size() - at - 4});
  return builder.take({write::Strategy::InPlace});
}

write::pe::File fileOf(const std::string& content, uint64_t checksumAt, uint32_t checksum) {
  write::pe::File file;
  file.bytes = bytes(content);
  file.checksumAt = checksumAt;
  file.checksum = checksum;
  return file;
}

/// The sum as the documentation of CheckSumMappedFile describes it: words, with the field as zeros, then the size.
uint32_t sumOf(std::string content, uint64_t at) {
  content.replace(at, 4, std::string(4, '\0'));
  const std::size_t size = content.size();
  if (size % 2 == 1) content += '\0';
  uint32_t sum = 0;
  for (std::size_t i = 0; i < content.size(); i += 2) {
    sum += static_cast<unsigned char>(content[i]) + 256u * static_cast<unsigned char>(content[i + 1]);
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return sum + static_cast<uint32_t>(size);
}

/// The checksum that finish() writes; nothing when it fails.
std::optional<uint64_t> checksumOf(const std::string& content, uint64_t at, uint32_t old) {
  const write::pe::File file = fileOf(content, at, old);
  NullMonitor monitor;
  const auto plan =
      write::pe::finish(file, [&](std::string_view word) -> Result<Plan> { return replaced(file, at, word); }, monitor);
  if (!plan) return std::nullopt;
  const auto output = write::assemble(*plan, file.bytes, monitor);
  if (!output || output->size() != content.size()) return std::nullopt;
  return container::numberAt<uint32_t>(output->view(), at);
}

} // namespace

class TestPeParts : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void checksumsAreSums_data() {
    QTest::addColumn<std::string>("content");
    QTest::addColumn<int>("at");
    QTest::addColumn<int>("checksum"); // -1: only as sumOf() says
    const auto row = [](const char* name, const std::string& content, int at, int checksum) {
      QTest::newRow(name) << content << at << checksum;
    };
    row("only the field", "abcd", 0, 4);
    row("one word before the field", std::string("\x34\x12", 2) + "abcd", 2, 0x1234 + 6);
    row("one byte after the field counts as the low half", "abcd\x07", 0, 7 + 5);
    row("words that wrap around", std::string("\xff\xff\x02\x00", 4) + "abcd", 4, 2 + 8);
    row("all ones stay all ones", std::string(6, '\xff') + "abcd", 6, 0xffff + 10);
    row("field at an odd offset", std::string("\x01", 1) + "abcd" + '\x02', 1, 0x0201 + 6);
    row("odd offset, odd size", std::string("\x01", 1) + "\xff\xff\xff\xff" + "\x02\x03", 1, 0x0201 + 3 + 7);
    std::string mixed;
    for (int i = 0; i < 5'001; ++i) mixed += static_cast<char>(i * 7 + i / 256);
    row("many bytes", mixed, 600, -1);
    row("many bytes, odd offset", mixed, 601, -1);
    row("all ones in several steps", std::string((3 << 20) + 3, '\xff'), 100, -1);
    row("field across two steps", std::string((1 << 20) + 100, 'w'), (1 << 20) - 2, -1);
    row("field across two steps, odd offset", std::string((1 << 20) + 101, 'w'), (1 << 20) - 3, -1);
  }
  void checksumsAreSums() {
    QFETCH(std::string, content);
    QFETCH(int, at);
    QFETCH(int, checksum);
    const uint64_t expected = sumOf(content, static_cast<uint64_t>(at));
    if (checksum >= 0) QCOMPARE(expected, static_cast<uint64_t>(checksum));
    QCOMPARE(checksumOf(content, static_cast<uint64_t>(at), 1), std::optional(expected));
  }

  void theOldChecksumDoesNotCount() {
    const auto with = [](uint32_t old) {
      return std::string(600, 'x') + write::numberText(old, 4, false) + std::string(77, 'y');
    };
    const auto expected = checksumOf(with(1), 600, 1);
    QVERIFY(expected);
    for (const uint32_t old : {2u, 0xffffu, 0x10000u, 0xffffffffu}) QCOMPARE(checksumOf(with(old), 600, old), expected);
  }

  /// The sum is that of the file with zeros in the field: the plan for them comes first.
  void theChecksumIsOfAFileWithZerosInTheField() {
    const std::string content = std::string(600, 'x') + "\xff\xff\xff\xff" + std::string(78, 'y');
    const write::pe::File file = fileOf(content, 600, 0xffffffff);
    NullMonitor monitor;
    std::vector<std::string> words;
    const auto make = [&](std::string_view word) -> Result<Plan> {
      words.emplace_back(word);
      return replaced(file, 600, word);
    };
    QVERIFY(write::pe::finish(file, make, monitor));
    QVERIFY(
        (words == std::vector<std::string>{std::string(4, '\0'), write::numberText(sumOf(content, 600), 4, false)}));
  }

  void filesWithoutAChecksumGetNone() {
    const std::string content(600, 'x');
    const write::pe::File file = fileOf(content, 100, 0);
    NullMonitor monitor;
    std::vector<std::string> words;
    const auto make = [&](std::string_view word) -> Result<Plan> {
      words.emplace_back(word);
      return replaced(file, 100, word);
    };
    const auto plan = write::pe::finish(file, make, monitor);
    QVERIFY(plan && plan->consequences.empty());
    QVERIFY(words == std::vector<std::string>{std::string(4, '\0')});
  }

  void signedFilesLoseTheirSignature_data() {
    QTest::addColumn<qulonglong>("offset");
    QTest::addColumn<qulonglong>("size");
    QTest::addColumn<bool>("isSigned");
    QTest::newRow("no certificate") << 0ull << 0ull << false;
    QTest::newRow("an offset without a size") << 500ull << 0ull << false;
    QTest::newRow("a certificate") << 500ull << 100ull << true;
    QTest::newRow("a certificate outside the file") << ~0ull << ~0ull << true;
  }
  void signedFilesLoseTheirSignature() {
    QFETCH(qulonglong, offset);
    QFETCH(qulonglong, size);
    QFETCH(bool, isSigned);
    for (const uint32_t checksum : {0u, 7u}) {
      write::pe::File file = fileOf(std::string(600, 'x'), 100, checksum);
      file.directories.resize(container::pe::IMAGE_NUMBEROF_DIRECTORY_ENTRIES);
      file.directories[container::pe::IMAGE_DIRECTORY_ENTRY_SECURITY] = {offset, size};
      NullMonitor monitor;
      const auto plan = write::pe::finish(
          file, [&](std::string_view word) -> Result<Plan> { return replaced(file, 100, word); }, monitor);
      QVERIFY(plan);
      QCOMPARE(plan->consequences.size(), std::size_t(isSigned ? 1 : 0));
      if (isSigned) QVERIFY(plan->consequences[0].id == DiagnosticId::PlanCertificate);
    }
  }

  void errorsOfThePlannerAreReturned() {
    NullMonitor monitor;
    const write::pe::File file = fileOf(std::string(600, 'x'), 100, 1);
    for (const int good : {0, 1}) {
      int calls = 0;
      const auto plan = write::pe::finish(
          file,
          [&](std::string_view word) -> Result<Plan> {
            if (calls++ == good) return Error(DiagnosticId::PlanNoLoad, {});
            return replaced(file, 100, word);
          },
          monitor);
      QVERIFY(!plan && plan.error().id() == DiagnosticId::PlanNoLoad);
      QCOMPARE(calls, good + 1);
    }
  }

  void computingTheChecksumCanBeCancelled() {
    const write::pe::File file = fileOf(std::string(3 << 20, 'x'), 100, 1);
    for (const int looks : {0, 1, 2}) {
      StopAfter monitor(looks);
      const auto plan = write::pe::finish(
          file, [&](std::string_view word) -> Result<Plan> { return replaced(file, 100, word); }, monitor);
      QVERIFY(!plan && plan.error().id() == DiagnosticId::Cancelled);
    }
  }

  void symbolsAreRedirected_data() {
    QTest::addColumn<bool>("wide");
    QTest::addColumn<uint>("value");
    QTest::addColumn<uint>("section");
    QTest::addColumn<std::string>("fields");
    QTest::newRow("record of 18 bytes") << false << 0x11223344u << 0x5566u << std::string("443322116655");
    QTest::newRow("record of 20 bytes") << true << 0x11223344u << 0x55667788u << std::string("4433221188776655");
    QTest::newRow("the largest section number") << false << 0u << 0xfeffu << std::string("00000000fffe");
  }
  void symbolsAreRedirected() {
    QFETCH(bool, wide);
    QFETCH(uint, value);
    QFETCH(uint, section);
    QFETCH(std::string, fields);
    const container::coff::SymbolTable table{4, 1, wide};
    const std::string input = "head" + std::string(table.recordSize(), 'r') + "tail";
    library::Package package;
    package.bytes = bytes(input);
    write::Rewrite rewrite(package.bytes, {});
    write::pe::redirect(rewrite, table, 4, value, section);
    QVERIFY(rewrite.settle(package));
    NullMonitor monitor;
    const auto output = write::assemble(rewrite.plan(write::Strategy::InPlace), package.bytes, monitor);
    QVERIFY(output);
    // The name before the fields, and the type and class after them, stay.
    const std::size_t changed = fields.size() / 2;
    QCOMPARE(std::string(output->view().substr(0, 12)), input.substr(0, 12));
    QCOMPARE(hexDigits(output->view().substr(12, changed)), fields);
    QCOMPARE(std::string(output->view().substr(12 + changed)), input.substr(12 + changed));
  }

  void carriersAreRecognised_data() {
    QTest::addColumn<std::string>("name");
    QTest::addColumn<bool>("plain");
    QTest::addColumn<bool>("underscored");
    const auto row = [](const char* name, bool plain, bool underscored) {
      QTest::newRow(name) << std::string(name) << plain << underscored;
    };
    row("__tvm_dev_mblob", true, false);
    row("___tvm_dev_mblob", true, true); // a plain name may have a prefix
    row("model__tvm_dev_mblob", true, true);
    row("__tvm_ffi__library_bin", true, false);
    row("___tvm_ffi__library_bin", true, true);
    row("__tvm_dev_mblob2", false, false);
    row("_", false, false);
    row("", false, false);
    row("__tvm_dev_mblo", false, false);
  }
  void carriersAreRecognised() {
    QFETCH(std::string, name);
    QFETCH(bool, plain);
    QFETCH(bool, underscored);
    library::Package package;
    QCOMPARE(write::pe::isCarrier(package, name), plain);
    package.image.underscores = true;
    QCOMPARE(write::pe::isCarrier(package, name), underscored);
  }
};

BLOBSCOPE_TEST(TestPeParts);
#include "test_pe_parts.moc"
