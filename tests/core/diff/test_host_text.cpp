#include "core/diff/host_text.h"

#include "tests/core/diff/diff_text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;

class TestHostTextNormalisation : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void addressesInLinesAreNormalised_data();
  void addressesInLinesAreNormalised();
  void pageOffsetsAreNormalised();
  void movedFunctionIsEqual();
  void hostListingsAreRecognised();
};

void TestHostTextNormalisation::addressesInLinesAreNormalised_data() {
  QTest::addColumn<QString>("line");
  QTest::addColumn<QString>("normalised");
  const auto row = [](const char* name, const char* line, const char* normalised) {
    QTest::newRow(name) << line << normalised;
  };
  row("the name", "own_name:", "own:");
  row("another name", "other:", "other:");
  row("plain", "1000  48 01 d8              add rax, rbx", "add rax, rbx");
  row("a constant stays", "1000  b8 10 00 00 00        mov eax, 0x10", "mov eax, 0x10");
  row("short address", "   4  c3  ret", "ret");
  row("call", "1000  e8 0b 00 00 00        call 0x1010                               ; <second>", "call ? <second>");
  row("call without a name", "1000  e8 0b 00 00 00        call 0x1010", "call ?");
  row("jump inside", "1000  75 0e                 jne 0x1010                                ; <own_name+0x10>",
      "jne ? <own>");
  row("to itself", "1000  e8 00 00 00 00        call 0x1000                               ; <own_name>",
      "call ? <own>");
  row("similar name", "1000  e8 00 00 00 00        call 0x1000                               ; <own_name2+0x4>",
      "call ? <own_name2+0x4>");
  row("rip", "1005  48 8d 3d 00 01 00 00  lea rdi, [rip + 0x100]", "lea rdi, [rip ?]");
  row("rip back", "1005  48 8d 3d 00 01 00 00  lea rdi, [rip - 0x100]", "lea rdi, [rip ?]");
  row("rip nowhere", "1005  48 8b 05 00 00 00 00  mov rax, qword ptr [rip]", "mov rax, qword ptr [rip ?]");
  row("rip and a constant",
      "1005  83 3d 00 01 00 00 07  cmp dword ptr [rip + 0x100], 0x7          ; 0x1110 <table+0x8>",
      "cmp dword ptr [rip ?], 0x7 <table+0x8>");
  row("AArch64 call", "1000  04 00 00 94  bl 0x1010                                  ; <f>", "bl ? <f>");
  row("AArch64 condition", "1000  04 00 00 54  b.eq 0x1010", "b.eq ?");
  row("AArch64 bit", "1000  04 00 18 36  tbz w4, #0x3, 0x1010", "tbz w4, #0x3, ?");
  row("AArch64 field stays", "1000  04 00 18 36  bfi w4, w5, #0x3, #0x4", "bfi w4, w5, #0x3, #0x4");
  row("AArch64 page", "1000  00 00 00 90  adrp x0, 0x2000                            ; 0x2000 <.rodata>",
      "adrp x0, ? <.rodata>");
  row("AArch64 stack stays", "1000  e0 07 40 f9  ldr x0, [sp, #0x8]", "ldr x0, [sp, #0x8]");
  row("RISC-V", "1004  ef 00 c0 00  jal 0x1010", "jal ?");
  row("RISC-V stack stays", "1000  06 e4  sd ra, 0x8(sp)", "sd ra, 0x8(sp)");
  row("RISC-V branch", "1000  63 84 a5 00  beq a1, a0, 0x1010", "beq a1, a0, ?");
  row("Hexagon", "1000  5a c1 00 58 00 40 9d a0  { if (!p0) jump:nt 0x12b4 ; memd(r29+#0x0) = r17:16 }",
      "{ if (!p0) jump:nt ? ; memd(r29+#?) = r17:16 }");
  row("bad byte", "1000  06  .byte 0x06", ".byte 0x06");
  row("remark", "; 12 bytes after the first 3 instructions are omitted",
      "; 12 bytes after the first 3 instructions are omitted");
  row("nothing", "", "");
}

void TestHostTextNormalisation::addressesInLinesAreNormalised() {
  QFETCH(QString, line);
  QFETCH(QString, normalised);
  HostNormaliser normaliser("own_name:\n");
  std::string out;
  normaliser(line.toStdString(), out);
  QCOMPARE(QString::fromStdString(out), normalised);
}

/// The lower half of an address is hidden only while the register holds its page.
void TestHostTextNormalisation::pageOffsetsAreNormalised() {
  HostNormaliser normaliser("f:\n");
  std::string all, out;
  for (const char* line : {"1000  00 00 00 90  add x0, x0, #0x18", "1000  00 00 00 90  adrp x0, 0x2000",
                           "1004  00 60 00 91  add x1, x0, #0x18", "1004  00 60 00 91  ldr w2, [x0, #0x20]",
                           "1004  00 60 00 91  add x1, x1, #0x18", "1004  00 60 00 91  add x0, x0, #0x18",
                           "1004  00 60 00 91  ldr x3, [x0, #0x8]"}) {
    normaliser(line, out);
    all += out + "\n";
  }
  QCOMPARE(QString::fromStdString(all),
           QStringLiteral("add x0, x0, #0x18\nadrp x0, ?\nadd x1, x0, #?\nldr w2, [x0, #?]\nadd x1, x1, #0x18\n"
                          "add x0, x0, #?\nldr x3, [x0, #0x8]\n"));
}

/// The same function at another address and with another name; then with one more instruction.
void TestHostTextNormalisation::movedFunctionIsEqual() {
  const std::string a =
      "f1:\n1000  53                    push rbx\n1001  48 8d 3d 00 01 00 00  lea rdi, [rip + 0x100]\n"
      "1008  75 f6                 jne 0x1000                                ; <f1>\n100a  c3                    ret\n";
  const std::string b =
      "f2:\n20000  53                    push rbx\n20001  48 8d 3d f0 01 00 00  lea rdi, [rip + 0x1f0]\n"
      "20008  75 f6                 jne 0x20000                               ; <f2>\n2000a  c3                    "
      "ret\n";
  NullMonitor monitor;
  const auto found = compareHostText(bytes(a), bytes(b), monitor);
  QVERIFY(found.hasValue() && found->same());
  QCOMPARE(found->masked, uint64_t{5});
  const std::string c =
      "f1:\n1000  53                    push rbx\n1001  90                    nop\n1002  48 8d 3d 00 01 00 00  lea "
      "rdi, [rip + 0x100]\n"
      "1009  75 f5                 jne 0x1000                                ; <f1>\n100b  c3                    ret\n";
  const auto more = compareHostText(bytes(a), bytes(c), monitor);
  QVERIFY(more.hasValue());
  QCOMPARE(hunksText(more->hunks), QStringLiteral("=0+2,0+2 +2+0,2+1 =2+3,3+3"));
}

void TestHostTextNormalisation::hostListingsAreRecognised() {
  QVERIFY(isHostText("f:\n1000  c3  ret\n"));
  QVERIFY(isHostText("f:\n1000  c3  ret"));
  for (const char* text : {"", "f:", "f:\n", "f:\nret\n", "1000  c3  ret\n", "\n\n", "int f() {\n  return 1;\n}\n"})
    QVERIFY(!isHostText(text));
}

BLOBSCOPE_TEST(TestHostTextNormalisation);

#include "test_host_text.moc"
