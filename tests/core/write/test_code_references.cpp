#include "core/write/code_references.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

/// Instructions of x86-64 as assemblers write them, with the blob at or near what they refer to.
class TestCodeReferences : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void x86_data();
  void x86();
};

void TestCodeReferences::x86_data() {
  QTest::addColumn<std::string>("head"); ///< up to the displacement
  QTest::addColumn<std::string>("tail"); ///< the immediate
  QTest::addColumn<int64_t>("target");   ///< from the start of the blob
  QTest::addColumn<bool>("found");
  const auto row = [](const char* name, std::string head, std::string tail, int64_t target, bool found) {
    QTest::newRow(name) << head << tail << target << found;
  };
  row("lea", "\x48\x8d\x3d"s, "", 0, true);
  row("lea 8 bytes after the start", "\x48\x8d\x3d"s, "", 8, false);
  row("call", "\xe8"s, "", 0, true);
  row("cmpb with one byte", "\x80\x3d"s, "\x07"s, 0, true);
  row("cmpw with two bytes", "\x66\x81\x3d"s, "\x07\x00"s, 0, true);
  row("movl with four bytes", "\xc7\x05"s, "\x07\x00\x00\x00"s, 0, true);
  row("pshufd with one byte", "\x66\x0f\x70\x05"s, "\x1b"s, 0, true);
  row("roundps of map 0F3A", "\x66\x0f\x3a\x08\x05"s, "\x01"s, 0, true);
  row("vpermq of map 0F3A", "\xc4\xe3\xfd\x00\x05"s, "\x1b"s, 0, true);
  // A constant right before the blob: no immediate follows, so the operand is the constant.
  for (const int64_t before : {-1, -2, -4})
    row(("movss " + std::to_string(-before) + " bytes before").c_str(), "\xf3\x0f\x10\x05"s, "", before, false);
  row("vmovss 4 bytes before", "\xc5\xfa\x10\x05"s, "", -4, false);
  row("lea 1 byte before", "\x48\x8d\x05"s, "", -1, false);
  row("a word of data 4 bytes before", "\x01\x02\x03\x04"s, "", -4, false);
}

void TestCodeReferences::x86() {
  QFETCH(std::string, head);
  QFETCH(std::string, tail);
  QFETCH(int64_t, target);
  QFETCH(bool, found);
  constexpr uint64_t kCode = 0x1000, kBlob = 0x9000;
  std::string code = std::string(32, '\x90') + head;
  const uint64_t next = kCode + code.size() + 4 + tail.size();
  const auto displacement = static_cast<uint32_t>(kBlob + static_cast<uint64_t>(target) - next);
  for (unsigned i = 0; i < 4; ++i) code += static_cast<char>(displacement >> (8 * i));
  code += tail + std::string(32, '\x90');
  const std::vector<write::CodePart> parts = {{code, kCode}};
  write::References references;
  NullMonitor monitor;
  QVERIFY(write::findInCode(write::Processor::X86_64, parts, {kBlob, 0x100}, {}, references, monitor));
  QCOMPARE(references.count > 0, found);
  QVERIFY(references.codeRead);
}

BLOBSCOPE_TEST(TestCodeReferences);
#include "test_code_references.moc"
