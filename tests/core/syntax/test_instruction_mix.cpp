#include "core/syntax/instruction_mix.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::syntax;
using namespace blobscope::test;

namespace {

/// "global memory 2, moves 1": the classes that occur.
QString mixText(std::string_view text, std::string_view languageName) {
  NullMonitor monitor;
  const auto mix = computeInstructionMix(text, languageName, monitor);
  if (!mix) return QStringLiteral("error");
  QStringList out;
  for (std::size_t i = 0; i < kInstructionClasses; ++i)
    if (mix->counts[i] > 0)
      out << QStringLiteral("%1 %2")
                 .arg(QString::fromStdString(std::string(instructionClassName(static_cast<InstructionClass>(i)))))
                 .arg(mix->counts[i]);
  return out.join(QStringLiteral(", "));
}

} // namespace

class TestInstructionMix : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void instructionsAreCounted_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* language, const char* text, const char* expected) {
      QTest::newRow(name) << QString::fromUtf8(language) << QString::fromUtf8(text) << QString::fromUtf8(expected);
    };
    row("nothing", "ptx", "", "");
    row("another language", "c", "ld.global.f32 a, b;", "");
    row("directives and labels of PTX", "ptx",
        ".version 9.0\n.visible .entry add(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n$L__BB0_1:\n// mov.u32 %r1, 0;\n}",
        "");
    row("spaces of PTX", "ptx",
        "ld.param.u64 %rd1, [p];\nld.global.nc.f32 %f1, [%rd1];\nst.shared.v2.f32 [s], {%f1, %f2};\n"
        "ld.local.u32 %r1, [l];\natom.global.add.u32 %r2, [%rd1], 1;\nld.u32 %r3, [%rd2];",
        "global memory 3, shared memory 1, local memory 1, constants 1");
    row("types of PTX", "ptx",
        "add.s32 %r1, %r2, 3;\nadd.rn.f32 %f1, %f2, %f3;\nfma.rn.f16x2 %r1, %r2, %r3, %r4;\nsetp.lt.s32 %p1, %r1, 2;\n"
        "setp.lt.f32 %p1, %f1, %f2;\nand.b32 %r1, %r2, 1;\nmul.bf16 %rs1, %rs2, %rs3;\n",
        "floating point 4, integer and logic 3");
    row("predicates and lines of PTX", "ptx", "@%p1 bra $L1; @!%p2 mov.u32 %r1, 1;\n{ bar.sync 0; }\nret;",
        "moves 1, control flow 2, exchange 1");
    row("other classes of PTX", "ptx",
        "cvt.rn.f32.s32 %f1, %r1;\nex2.approx.f32 %f1, %f2;\nmma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 a, b;\n"
        "tex.2d.v4.f32.s32 {a}, [t, {b}];\nshfl.sync.down.b32 %r1, %r2, 16, 31, -1;",
        "special functions 1, matrix 1, conversions 1, textures 1, exchange 1");
    row("SASS", "sass",
        "k:\n.text.k:\n        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
        "        /*0010*/              @!P3 LDG.E.CONSTANT R0, desc[UR6][R2.64] ;\n.L_x_1:\n"
        "        /*0020*/                   IMAD.MOV.U32 R7, RZ, RZ, -0x800001 ;\n"
        "        /*0030*/                   IMAD.WIDE R2, R4, 0x4, R2 ;\n"
        "        /*0040*/                   HMMA.16816.F32 R4, R8, R12, R4 ;   /* 0x000000080c04723c */\n"
        "                                                                      /* 0x000fe20000001804 */\n"
        "        /*0050*/              @P0  BRA `(.L_x_1) ;\n        /*0060*/                   FFMA R0, R1, R2, R3 ;\n"
        "        /*0070*/                   STL [R1], R0 ;\n        /*0080*/                   NOP;\n",
        "floating point 1, integer and logic 1, matrix 1, moves 1, global memory 1, local memory 1, constants 1, "
        "control flow 1");
    row("uniform instructions of SASS", "sass",
        "/*0000*/ UIADD3 UR4, UR4, 0x1, URZ ;\n/*0010*/ UMOV UR4, 0x400 ;\n/*0020*/ ULDC.64 UR4, c[0x0][0x118] ;\n"
        "/*0030*/ VOTEU.ANY UR4, UPT, PT ;\n/*0040*/ QUUX R1 ;",
        "integer and logic 1, moves 1, constants 1, exchange 1, other 1");
  }
  void instructionsAreCounted() {
    QFETCH(QString, language);
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QCOMPARE(mixText(text.toStdString(), language.toStdString()), expected);
    text.replace(QLatin1Char('\n'), QStringLiteral("\r\n"));
    QCOMPARE(mixText(text.toStdString(), language.toStdString()), expected);
  }

  void everyClassHasItsOwnName() {
    QSet<QString> names;
    for (std::size_t i = 0; i < kInstructionClasses; ++i)
      names.insert(QString::fromStdString(std::string(instructionClassName(static_cast<InstructionClass>(i)))));
    QCOMPARE(names.size(), static_cast<qsizetype>(kInstructionClasses));
    QVERIFY(!names.contains(QString()));
  }

  void workCanBeCancelled() {
    StopAfter monitor(0);
    const auto mix = computeInstructionMix("ret;", "ptx", monitor);
    QVERIFY(!mix);
    QCOMPARE(mix.error().code(), ErrorCode::Cancelled);
  }
};

BLOBSCOPE_TEST(TestInstructionMix);

#include "test_instruction_mix.moc"
