#include "core/write/code_references.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif
#include "core/syntax/disassembler.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

/// Instructions of x86-64 as assemblers write them, with the blob at or near their target.
class TestCodeReferences : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void cleanup() { syntax::setDisassemblerFactory(nullptr); }
  void x86ReferencesAreFound_data();
  void x86ReferencesAreFound();
  void disassemblyDecidesAboutX86References_data();
  void disassemblyDecidesAboutX86References();
  void referencesOfOtherProcessorsAreFound_data();
  void referencesOfOtherProcessorsAreFound();
};

void TestCodeReferences::x86ReferencesAreFound_data() {
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
  // A constant directly before the blob: no immediate follows, so the operand is the constant.
  for (const int64_t before : {-1, -2, -4})
    row(("movss " + std::to_string(-before) + " bytes before").c_str(), "\xf3\x0f\x10\x05"s, "", before, false);
  row("vmovss 4 bytes before", "\xc5\xfa\x10\x05"s, "", -4, false);
  row("lea 1 byte before", "\x48\x8d\x05"s, "", -1, false);
  row("a word of data 4 bytes before", "\x01\x02\x03\x04"s, "", -4, false);
}

void TestCodeReferences::x86ReferencesAreFound() {
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
  QVERIFY(write::findInCode(write::Processor::X86_64, parts, {kBlob, 0x100}, {}, {}, references, monitor));
  QCOMPARE(references.count > 0, found);
  QVERIFY(references.codeRead);
}

void TestCodeReferences::disassemblyDecidesAboutX86References_data() {
  QTest::addColumn<std::string>("before"); ///< the bytes between the start of the function and the instruction
  QTest::addColumn<std::string>("head");
  QTest::addColumn<std::string>("tail");
  QTest::addColumn<int64_t>("target");
  QTest::addColumn<bool>("guessed"); ///< without the start of the function
  QTest::addColumn<bool>("found");
  QTest::addColumn<QString>("text");
  const auto row = [](const char* name, std::string before, std::string head, std::string tail, int64_t target,
                      bool guessed, bool found, const char* text = "") {
    QTest::newRow(name) << before << head << tail << target << guessed << found << QString::fromLatin1(text);
  };
  const std::string nops(5, '\x90');
  row("lea", nops, "\x48\x8d\x3d"s, "", 0, true, true, "lea rdi, [rip");
  row("cmpb with one byte", nops, "\x80\x3d"s, "\x07"s, 0, true, true, "cmp byte ptr [rip");
  row("call", nops, "\xe8"s, "", 0, true, true, "call 0x9000");
  // Another form of the opcode takes an immediate, so every possible length has to be tried.
  row("negl 4 bytes before", nops, "\xf7\x1d"s, "", -4, true, false);
  row("movss 4 bytes before, first in the code", "", "\xf3\x0f\x10\x05"s, "", -4, false, false);
  row("a number that looks like a distance", nops, "\xb8"s, "", 0, true, false);
  row("a number in the middle", nops, "\x48\xb8\x01\x02"s, "\x03\x04"s, 0, true, false);
  row("what does not decode", "\x06\x06"s, "\xf7\x1d"s, "", -4, true, true, "instruction");
}

void TestCodeReferences::disassemblyDecidesAboutX86References() {
#ifndef BLOBSCOPE_DISASM
  QSKIP("built without LLVM's disassemblers");
#else
  QFETCH(std::string, before);
  QFETCH(std::string, head);
  QFETCH(std::string, tail);
  QFETCH(int64_t, target);
  QFETCH(bool, guessed);
  QFETCH(bool, found);
  QFETCH(QString, text);
  constexpr uint64_t kCode = 0x1000, kBlob = 0x9000, kSkipped = 32;
  std::string code = std::string(kSkipped, '\x06') + before + head; // nothing before the function decodes
  const uint64_t next = kCode + code.size() + 4 + (head == "\xb8"s || head.starts_with("\x48\xb8") ? 0 : tail.size());
  const auto displacement = static_cast<uint32_t>(kBlob + static_cast<uint64_t>(target) - next);
  for (unsigned i = 0; i < 4; ++i) code += static_cast<char>(displacement >> (8 * i));
  code += tail + std::string(32, '\x90');
  const std::vector<write::CodePart> parts = {{code, kCode}};
  NullMonitor monitor;
  syntax::setDisassemblerFactory(disasm::makeDisassembler);
  write::References alone, known;
  QVERIFY(write::findInCode(write::Processor::X86_64, parts, {kBlob, 0x100}, {}, {}, alone, monitor));
  QCOMPARE(alone.count > 0, guessed);
  const std::vector<uint64_t> starts = {kCode + kSkipped, kCode + code.size()};
  QVERIFY(write::findInCode(write::Processor::X86_64, parts, {kBlob, 0x100}, {}, starts, known, monitor));
  QCOMPARE(known.count > 0, found);
  QVERIFY2(QString::fromStdString(known.firstKind).contains(text), known.firstKind.c_str());
  std::vector<Diagnostic> consequences;
  const auto judged = known.checkNone(Ref::file(), false, consequences);
  QCOMPARE(bool(judged), !found);
  if (found) QVERIFY(QString::fromStdString(judged.error().message()).contains(text));
#endif
}

void TestCodeReferences::referencesOfOtherProcessorsAreFound_data() {
  QTest::addColumn<write::Processor>("processor");
  QTest::addColumn<std::string>("code"); ///< a function at 0x1000
  QTest::addColumn<bool>("found");       ///< with the blob at 0x9010, 0x5010 after the table
  QTest::addColumn<QString>("text");
  const auto row = [](const char* name, write::Processor processor, std::string code, bool found,
                      const char* text = "") {
    QTest::newRow(name) << processor << code << found << QString::fromLatin1(text);
  };
  using enum write::Processor;
  const std::string distance("\x10\x50\0\0", 4);
  row("i386 lea of the distance", I386, "\x90\x8d\x83"s + distance + "\x90", true, "instruction 'lea eax, [ebx + ");
  row("i386 distance as an immediate", I386, "\x90\xb8"s + distance + "\x90", true, "instruction 'mov eax, ");
  row("i386 distance in two instructions", I386, "\xb8\x90\x90\x10\x50"s + std::string(2, '\0') + "\x90\x90\x90",
      false);
  row("i386 what does not decode", I386, "\x0f\x04"s + "\x8d\x83"s + distance + "\x90", true, "possibly the");
  row("x86-64 movabs of the distance", X86_64, "\x90\x48\xb8"s + distance + std::string(4, '\0') + "\x90", true,
      "instruction 'movabs rax, ");
  row("x86-64 distance in two instructions", X86_64,
      "\x90\xb8\x90\x90\x90\x10"s + "\x50"s + std::string(6, '\0') + "\x90\x90", false);
  const std::string adrp("\x40\0\0\x90", 4), add("\0\x40\0\x91", 4), nop("\x1f\x20\x03\xd5", 4);
  row("AArch64 adrp and add", Aarch64, nop + adrp + nop + add, true, "with 'add x0, x0, #");
  row("AArch64 adr", Aarch64, nop + "\x60\0\x04\x10"s, true, "instruction 'adr x0, ");
}

void TestCodeReferences::referencesOfOtherProcessorsAreFound() {
#ifndef BLOBSCOPE_DISASM
  QSKIP("built without LLVM's disassemblers");
#else
  QFETCH(write::Processor, processor);
  QFETCH(std::string, code);
  QFETCH(bool, found);
  QFETCH(QString, text);
  syntax::setDisassemblerFactory(disasm::makeDisassembler);
  const std::vector<write::CodePart> parts = {{code, 0x1000}};
  const std::vector<uint64_t> starts = {0x1000};
  const std::vector<uint64_t> bases = {0x4000, 0x4000};
  write::References references;
  NullMonitor monitor;
  QVERIFY(write::findInCode(processor, parts, {0x9010, 0x100}, bases, starts, references, monitor));
  QCOMPARE(references.count, found ? 1u : 0u);
  QVERIFY2(QString::fromStdString(references.firstKind).contains(text), references.firstKind.c_str());
#endif
}

BLOBSCOPE_TEST(TestCodeReferences);
#include "test_code_references.moc"
