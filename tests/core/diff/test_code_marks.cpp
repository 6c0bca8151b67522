#include "core/diff/code_marks.h"

#include "core/diff/listing.h"
#include "core/diff/pages.h"
#include "tests/core/diff/diff_text.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;

namespace {

view::TextPage page(std::string_view text, const char* language) { return {bytes(text), language}; }

QString difference(std::string_view a, std::string_view b, const char* language) {
  NullMonitor monitor;
  const auto markedA = markCode(page(a, language), monitor), markedB = markCode(page(b, language), monitor);
  if (!markedA || !markedB) return QStringLiteral("error");
  const auto lines = compareListings(*markedA, *markedB, {}, monitor);
  const auto back = compareListings(*markedB, *markedA, {}, monitor);
  if (!lines || !back) return QStringLiteral("error");
  if (lines->removed != back->added || lines->added != back->removed) return QStringLiteral("not symmetric");
  return hunksText(lines->hunks);
}

std::string sass(std::initializer_list<const char*> lines) {
  std::string out = "\t.section\t.text.k,\"ax\",@progbits\nk:\n.text.k:\n";
  int address = 0;
  for (const std::string line : lines) {
    if (line.starts_with('.')) {
      out += line + ":\n";
      continue;
    }
    char place[32];
    std::snprintf(place, sizeof place, "        /*%04x*/  ", address);
    out += place + line + " ;\n";
    address += 16;
  }
  return out;
}

const char* const kPtxKernel =
    ".entry k(\n\t.param .u64 k_param_0\n)\n{\n\t.reg .b32 %r<4>;\n\tld.param.u32 %r1, [k_param_0];\n"
    "$L__BB0_1:\n\tadd.s32 %r2, %r1, 5;\n\t@%p1 bra $L__BB0_1;\n\tmov.u32 %r3, %tid.x;\n\tret;\n}\n";

} // namespace

class TestCodeMarks : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void renumberedPtxIsEqual() {
    const char* const other =
        ".entry k(\n\t.param .u64 k_param_0\n)\n{\n\t.reg .b32 %r<19>;\n\tld.param.u32 %r7, [k_param_0];\n"
        "$L__BB3_12:\n\tadd.s32 %r18, %r7, 5;\n\t@%p4 bra $L__BB3_12;\n\tmov.u32 %r1, %tid.x;\n\tret;\n}\n";
    QCOMPARE(difference(kPtxKernel, other, "ptx"), QStringLiteral("=0+12,0+12"));
  }

  void realChangesOfPtxAreFound_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::newRow("constant") << "%r1, 5;" << "%r1, 6;";
    QTest::newRow("operand") << "%r2, %r1, 5;" << "%r2, %r2, 5;";
    QTest::newRow("opcode") << "add.s32" << "sub.s32";
    QTest::newRow("kind of register") << "add.s32 %r2" << "add.s32 %rd2";
    QTest::newRow("special register") << "%tid.x" << "%tid.y";
    QTest::newRow("parameter") << "[k_param_0]" << "[k_param_1]";
    QTest::newRow("label without a partner") << "bra $L__BB0_1" << "bra $L__BB0_2";
  }
  void realChangesOfPtxAreFound() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QString text = QString::fromUtf8(kPtxKernel);
    QVERIFY(text.contains(from));
    text.replace(from, to);
    const QString found = difference(kPtxKernel, text.toStdString(), "ptx");
    QVERIFY2(found.contains(QLatin1Char('~')), qPrintable(found));
  }

  /// An inserted instruction moves addresses and labels behind it, and takes a register.
  void insertedSassIsTheOnlyDifference() {
    const std::string a = sass({"S2R R0, SR_TID.X", "IMAD R2, R0, 0x4, R1", ".L_x_0", "LDG.E R3, [R2.64]",
                                "FADD R3, R3.reuse, R3", "@P0 BRA `(.L_x_0)", "STG.E [R2.64], R3", "EXIT"});
    const std::string b =
        sass({"S2R R4, SR_TID.X", "IMAD R6, R4.reuse, 0x4, R1", "MOV R9, 0x7", ".L_x_4", "LDG.E R5, [R6.64]",
              "FADD R5, R5, R5", "@P1 BRA `(.L_x_4)", "STG.E [R6.64], R5", "EXIT"});
    QCOMPARE(difference(a, a, "sass"), QStringLiteral("=0+11,0+11"));
    QCOMPARE(difference(a, b, "sass"), QStringLiteral("=0+5,0+5 +5+0,5+1 =5+6,6+6"));
  }

  /// The same register holds two values on one side; the other side has two registers for them.
  void valuesAreComparedInsteadOfRegisters() {
    const std::string a = sass({"MOV R0, 0x1", "STS [R9], R0", "MOV R0, 0x2", "STS [R9], R0"});
    const std::string b = sass({"MOV R0, 0x1", "STS [R8], R0", "MOV R1, 0x2", "STS [R8], R1"});
    QCOMPARE(difference(a, b, "sass"), QStringLiteral("=0+7,0+7"));
    // The second store of this one stores the first value.
    const std::string c = sass({"MOV R0, 0x1", "STS [R8], R0", "MOV R1, 0x2", "STS [R8], R0"});
    QVERIFY(difference(a, c, "sass") != QStringLiteral("=0+7,0+7"));
  }

  /// An instruction may write several registers, and read the old value of the one that it writes.
  void widthsAndOrderOfOperandsCount() {
    const std::string a =
        sass({"MOV R5, 0x1", "LDG.E.128 R4, [R2.64]", "FADD R8, R5, R7", "ISETP.NE.AND P0, PT, R8, RZ, PT",
              "IADD3 R8, P1, R8, R9, RZ", "@P0 EXIT", "SEL R1, R8, R2, P1"});
    const std::string b =
        sass({"MOV R21, 0x1", "LDG.E.128 R12, [R2.64]", "FADD R3, R13, R15", "ISETP.NE.AND P3, PT, R3, RZ, PT",
              "IADD3 R4, P0, R3, R9, RZ", "@P3 EXIT", "SEL R1, R4, R2, P0"});
    QCOMPARE(difference(a, b, "sass"), QStringLiteral("=0+10,0+10"));
    const std::string c =
        sass({"MOV R21, 0x1", "LDG.E.128 R12, [R2.64]", "FADD R3, R21, R15", "ISETP.NE.AND P3, PT, R3, RZ, PT",
              "IADD3 R4, P0, R3, R9, RZ", "@P3 EXIT", "SEL R1, R4, R2, P0"});
    QCOMPARE(difference(a, c, "sass"), QStringLiteral("=0+5,0+5 ~5+1,5+1 =6+4,6+4"));
  }

  void encodingsAreIgnored() {
    const std::string a = "/*0000*/ MOV R1, 0x1 ;   /* 0x0000000000017802 */\n   /* 0x000fe20000000f00 */\n";
    const std::string b = "/*0000*/ MOV R2, 0x1 ;   /* 0x0000000000027802 */\n   /* 0x000fc40000000f00 */\n";
    QCOMPARE(difference(a, b, "sass"), QStringLiteral("=0+2,0+2"));
  }

  void pagesAreComparedByWhatTheyDo() {
    NullMonitor monitor;
    const view::Page a{"SASS", page(sass({"MOV R0, 0x1", "EXIT"}), "sass")},
        b{"SASS", page(sass({"MOV R3, 0x1", "EXIT"}), "sass")};
    PageOptions options;
    const auto same = comparePages(a, b, options, monitor);
    QVERIFY(same && same->same && same->deviceCode);
    options.rawNumbers = true;
    const auto raw = comparePages(a, b, options, monitor);
    QVERIFY(raw && !raw->same && !raw->deviceCode);
  }

  void otherLanguagesStayUnmarked() {
    NullMonitor monitor;
    QVERIFY(!markCode(page("R1 %r2", "cuda"), monitor)->marks);
    QVERIFY(isDeviceCode(page("ret;", "ptx")) && isDeviceCode(page("ret;", "sass")) &&
            !isDeviceCode(page("x", "cuda")));
    QVERIFY(!isDeviceCode(page(std::string(kMarkedBytes + 1, ' '), "ptx")));
  }

  void everyTruncationIsMarked() {
    NullMonitor monitor;
    const std::string code =
        sass({"@!P0 IADD3 R2, P0, P1, R4.reuse, R5, R6", ".L_x_0", "LOP3.LUT P0, RZ, R4, 0x1f, RZ, 0xc0, !PT",
              "BRA `(.L_x_0)", "LDG.E R0, desc[UR6][R2.64+0x10]"}) +
        "   /* 0x0 */";
    for (const auto& [text, language] : {std::pair<std::string, const char*>{code, "sass"}, {kPtxKernel, "ptx"}})
      for (std::size_t size = 0; size <= text.size(); ++size) {
        const auto marked = markCode(page(std::string_view(text).substr(0, size), language), monitor);
        QVERIFY(marked && marked->marks);
        uint64_t end = 0;
        for (const view::ListingMark& mark : marked->marks->marks) {
          QVERIFY(mark.begin >= end);
          end = mark.begin + mark.size;
          QVERIFY(end <= size);
        }
      }
  }

  void workCanBeCancelled() {
    StopAfter monitor(0);
    const auto marked = markCode(page("ret;", "ptx"), monitor);
    QVERIFY(!marked);
    QCOMPARE(marked.error().code(), ErrorCode::Cancelled);
  }
};

BLOBSCOPE_TEST(TestCodeMarks);

#include "test_code_marks.moc"
