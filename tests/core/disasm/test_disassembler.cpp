#include "core/syntax/disassembler.h"

#include "core/base/text.h"
#include "core/disasm/mc.h"
#include "core/library/host_code.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <random>

using namespace blobscope;
using namespace blobscope::test;
using syntax::AddressLoad;
using syntax::Instruction;

namespace {

Bytes code(std::string_view hex) { return bytes(parseHexDigits(hex).value_or("")); }

/// "1000 lea rdi, [rip + 0x10] ~0x1018": address, text, -> target, ~ memory.
std::string textOf(const std::vector<Instruction>& instructions) {
  std::string out;
  for (const Instruction& instruction : instructions) {
    out += hexText(instruction.address).substr(2) + "+" + std::to_string(instruction.size) + " " + instruction.text;
    if (instruction.target) out += " ->" + hexText(*instruction.target);
    if (instruction.memory) out += " ~" + hexText(*instruction.memory);
    out += instruction.known ? "\n" : " ?\n";
  }
  return out;
}

constexpr std::array kArchitectures = {"x86_64", "i386",    "aarch64", "aarch64_be", "arm",
                                       "thumb",  "riscv32", "riscv64", "hexagon"};

} // namespace

class TestDisassembler : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void instructionsAreDisassembled_data();
  void instructionsAreDisassembled();
  void unknownArchitectureHasNoDisassembler();
  void numberOfInstructionsIsLimited();
  void disassemblyCanBeCancelled();
  void randomBytesAreCoveredByLines_data();
  void randomBytesAreCoveredByLines();
  void operationsAreDecoded_data();
  void operationsAreDecoded();
  void operationsAgreeWithTheTexts_data();
  void operationsAgreeWithTheTexts();
  void addressLoadsAreFound_data();
  void addressLoadsAreFound();
  void firstReadOnlyLoadIsFound();
  void pagesUseTheDisassemblerOfTheProgram();

private:
  NullMonitor m_monitor;
};

void TestDisassembler::instructionsAreDisassembled_data() {
  QTest::addColumn<QString>("arch");
  QTest::addColumn<QString>("hex");
  QTest::addColumn<QString>("text");
  const auto row = [](const char* name, const char* arch, const char* hex, const char* text) {
    QTest::newRow(name) << arch << hex << text;
  };
  // Texts as printed by llvm-objdump 19 (-M intel for x86).
  row("x86_64", "x86_64", "55 488d3d10000000 e8f3ffffff 488b0500000000 c3",
      "1000+1 push rbp\n1001+7 lea rdi, [rip + 0x10] ~0x1018\n1008+5 call 0x1000 ->0x1000\n"
      "100d+7 mov rax, qword ptr [rip] ~0x1014\n1014+1 ret\n");
  row("x86_64 bad byte", "x86_64", "06 c3", "1000+1 .byte 0x06 ?\n1001+1 ret\n");
  row("x86_64 cut off", "x86_64", "90 e8f3ff",
      "1000+1 nop\n1001+1 .byte 0xe8 ?\n1002+1 .byte 0xf3 ?\n1003+1 .byte 0xff ?\n");
  row("i386", "i386", "55 89e5 7405 c3",
      "1000+1 push ebp\n1001+2 mov ebp, esp\n1003+2 je 0x100a ->0x100a\n1005+1 ret\n");
  row("i386 wraps", "i386", "e8f0efffff", "1000+5 call 0xfffffff5 ->0xfffffff5\n");
  row("aarch64", "aarch64", "000000b0 00600091 02000094 c0035fd6",
      "1000+4 adrp x0, 0x2000 ~0x2000\n1004+4 add x0, x0, #0x18\n1008+4 bl 0x1010 ->0x1010\n100c+4 ret\n");
  row("aarch64 bad word", "aarch64", "ffffffff c0035fd6 00",
      "1000+4 .byte 0xff, 0xff, 0xff, 0xff ?\n1004+4 ret\n1008+1 .byte 0x00 ?\n");
  row("arm", "arm", "00482de9 fdffffeb 0088bde8",
      "1000+4 push {r11, lr}\n1004+4 bl 0x1000 ->0x1000\n1008+4 pop {r11, pc}\n");
  row("thumb", "thumb", "80b5 fff7fdff 80bd", "1000+2 push {r7, lr}\n1002+4 bl 0x1000 ->0x1000\n1006+2 pop {r7, pc}\n");
  row("riscv64", "riscv64", "411106e4 ef00c000 8280",
      "1000+2 addi sp, sp, -0x10\n1002+2 sd ra, 0x8(sp)\n1004+4 jal 0x1010 ->0x1010\n1008+2 ret\n");
  row("hexagon", "hexagon", "5a60205c00d0dda1",
      "1000+8 { if (!p0) jump:nt 0x12b4 ; memd(r29+#0x0) = r17:16 } ->0x12b4\n");
  row("nothing", "x86_64", "", "");
}

void TestDisassembler::instructionsAreDisassembled() {
  QFETCH(QString, arch);
  QFETCH(QString, hex);
  QFETCH(QString, text);
  const auto disassembler = disasm::makeDisassembler(arch.toStdString(), 64);
  QVERIFY(disassembler != nullptr);
  const auto out = disassembler->disassemble(code(hex.toStdString()), 0x1000, {}, m_monitor);
  QVERIFY(out.hasValue());
  QCOMPARE(QString::fromStdString(textOf(*out)), text);
}

void TestDisassembler::unknownArchitectureHasNoDisassembler() {
  for (const char* name : {"", "nvptx64", "x86", "X86_64", "s390x"})
    QVERIFY2(disasm::makeDisassembler(name, 64) == nullptr, name);
}

void TestDisassembler::numberOfInstructionsIsLimited() {
  const auto disassembler = disasm::makeDisassembler("x86_64", 64);
  const auto out = disassembler->disassemble(code("90 90 90 c3"), 0, {.maxInstructions = 2}, m_monitor);
  QVERIFY(out.hasValue());
  QCOMPARE(out->size(), std::size_t{2});
}

void TestDisassembler::disassemblyCanBeCancelled() {
  const auto disassembler = disasm::makeDisassembler("x86_64", 64);
  StopAfter monitor(1);
  const auto out = disassembler->disassemble(bytes(std::string(5000, '\x90')), 0, {}, monitor);
  QVERIFY(!out.hasValue());
  QVERIFY(out.error().code() == ErrorCode::Cancelled);
}

void TestDisassembler::randomBytesAreCoveredByLines_data() {
  QTest::addColumn<QString>("arch");
  for (const char* arch : kArchitectures) QTest::newRow(arch) << arch;
}

/// Lines cover all random bytes; in every other round half of the bytes are zeros.
void TestDisassembler::randomBytesAreCoveredByLines() {
  QFETCH(QString, arch);
  const auto disassembler = disasm::makeDisassembler(arch.toStdString(), 64);
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    std::string text(1 + random() % 1024, '\0');
    for (char& c : text) c = static_cast<char>(round % 2 != 0 && random() % 2 != 0 ? 0 : random());
    const uint64_t address = random();
    const auto out = disassembler->disassemble(bytes(text), address, {}, m_monitor);
    QVERIFY(out.hasValue());
    uint64_t at = address;
    for (const Instruction& instruction : *out) {
      QCOMPARE(instruction.address, at);
      QVERIFY(instruction.size > 0 && !instruction.text.empty());
      QVERIFY(instruction.text.find('\n') == std::string::npos);
      at += instruction.size;
    }
    QCOMPARE(at, address + text.size());
    QVERIFY(disassembler->addressLoads(bytes(text), address, {}, m_monitor).hasValue());
  }
}

void TestDisassembler::operationsAreDecoded_data() {
  QTest::addColumn<QString>("hex");
  QTest::addColumn<unsigned>("size");
  QTest::addColumn<unsigned>("written"); // numbers of registers: Intel SDM 2A, table 2-2
  const auto row = [](const char* name, const char* hex, unsigned size, unsigned written) {
    QTest::newRow(name) << hex << size << written;
  };
  row("mov rax, rbx", "4889d8", 3, 1 << 0);
  row("mov r14d, ecx", "4189ce", 3, 1 << 14);
  row("mov cl, 7", "b107", 2, 1 << 1);
  row("mov ah, 7", "b407", 2, 1 << 0);
  row("mov [rax], rbx", "488918", 3, 0);
  row("lea rdi, [rip + 16]", "488d3d10000000", 7, 1 << 7);
  row("xchg rax, rbx", "4893", 2, 1 << 0 | 1 << 3);
  row("mul rcx", "48f7e1", 3, 1 << 0 | 1 << 2);
  row("cmp rax, rbx", "4839d8", 3, 0);
  row("pop rbp", "5d", 1, 1 << 4 | 1 << 5);
  row("movaps xmm1, xmm2", "0f28ca", 3, 0);
  row("no instruction", "06", 0, 0);
  row("cut off", "488d3d1000", 0, 0);
  row("no bytes", "", 0, 0);
}

void TestDisassembler::operationsAreDecoded() {
  QFETCH(QString, hex);
  QFETCH(unsigned, size);
  QFETCH(unsigned, written);
  const auto disassembler = disasm::makeDisassembler("x86_64", 64);
  const syntax::Operation one = disassembler->decode(code(hex.toStdString()).view(), 0x1000);
  QCOMPARE(one.size, size);
  QCOMPARE(one.written, written);
}

void TestDisassembler::operationsAgreeWithTheTexts_data() { randomBytesAreCoveredByLines_data(); }

/// decode() returns the size and the addresses of the line.
void TestDisassembler::operationsAgreeWithTheTexts() {
  QFETCH(QString, arch);
  const auto disassembler = disasm::makeDisassembler(arch.toStdString(), 64);
  std::mt19937_64 random(11);
  std::string text(20'000, '\0');
  for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? 0 : random());
  const auto out = disassembler->disassemble(bytes(text), 0x4000, {}, m_monitor);
  QVERIFY(out.hasValue());
  for (const Instruction& instruction : *out) {
    const syntax::Operation one =
        disassembler->decode(std::string_view(text).substr(instruction.address - 0x4000), instruction.address);
    QCOMPARE(one.size, instruction.known ? instruction.size : 0);
    QCOMPARE(one.target, instruction.target);
    QCOMPARE(one.memory, instruction.memory);
  }
}

void TestDisassembler::addressLoadsAreFound_data() {
  QTest::addColumn<QString>("arch");
  QTest::addColumn<QString>("hex");
  QTest::addColumn<QString>("loads");
  const auto row = [](const char* name, const char* arch, const char* hex, const char* loads) {
    QTest::newRow(name) << arch << hex << loads;
  };
  row("lea", "x86_64", "55 488d3d10000000 4c8d05f0ffffff c3", "1001:1018 1008:fff ");
  row("lea of 32 bits and of a register", "x86_64", "8d3d10000000 488d7f10 c3", "");
  row("load is none", "x86_64", "488b0500000000 c3", "");
  row("lea inside another instruction", "x86_64", "48b8488d3d1000000000 c3", "");
  row("adr", "aarch64", "40000010", "1000:1008 ");
  row("adr backwards", "aarch64", "e0ffff10", "1000:ffc ");
  row("adrp and add", "aarch64", "000000b0 00600091", "1004:2018 ");
  row("something between", "aarch64", "000000b0 e10301aa 00600091", "1008:2018 ");
  row("into another register", "aarch64", "000000b0 01600091 02640091", "1004:2018 1008:2019 ");
  row("the register is written between", "aarch64", "000000b0 e00301aa 00600091", "");
  row("a call between", "aarch64", "000000b0 02000094 00600091", "");
  row("a call between, kept register", "aarch64", "130000b0 02000094 60620091", "1008:2018 ");
  row("add alone", "aarch64", "00600091", "");
  row("other machine", "riscv64", "1705000013050500", "");
}

void TestDisassembler::addressLoadsAreFound() {
  QFETCH(QString, arch);
  QFETCH(QString, hex);
  QFETCH(QString, loads);
  const auto disassembler = disasm::makeDisassembler(arch.toStdString(), 64);
  const auto found = disassembler->addressLoads(code(hex.toStdString()), 0x1000, {}, m_monitor);
  QVERIFY(found.hasValue());
  std::string text;
  for (const AddressLoad& load : *found)
    text += hexText(load.at).substr(2) + ":" + hexText(load.address).substr(2) + " ";
  QCOMPARE(QString::fromStdString(text), loads);
}

void TestDisassembler::firstReadOnlyLoadIsFound() {
  const auto disassembler = disasm::makeDisassembler("x86_64", 64);
  const Bytes getter = code("488d3d10000000 488d3520000000 c3");
  const auto first = [&](uint64_t readOnlyFrom) {
    return syntax::firstReadOnlyLoad(
        *disassembler, getter, 0x1000, [&](uint64_t address) { return address >= readOnlyFrom; }, m_monitor);
  };
  QCOMPARE(first(0).value_or(0), uint64_t{0x1017});
  QCOMPARE(first(0x1018).value_or(0), uint64_t{0x102e});
  QVERIFY(!first(0x2000));
}

/// A page with the objects that a program passes, on an image made here.
void TestDisassembler::pagesUseTheDisassemblerOfTheProgram() {
  container::Image image;
  image.file = code("e80b000000 488d3d00010000 c3 909090 c3");
  image.arch = "x86_64";
  image.kind = container::Kind::Shared;
  image.sections.push_back(
      {.name = ".text", .address = 0x1000, .file = {0, 17}, .size = 17, .type = {}, .allocated = true});
  image.segments.push_back({.address = 0x1000, .memorySize = 17, .file = {0, 17}});
  const auto add = [&](std::string_view name, uint64_t value, uint64_t size) {
    image.symbols.push_back({.name = name,
                             .value = value,
                             .size = size,
                             .section = 0,
                             .type = container::SymbolType::Function,
                             .defined = true});
  };
  add("first", 0x1000, 13);
  add("second", 0x1010, 1);
  const auto shared = std::make_shared<const container::Image>(image);
  syntax::setDisassemblerFactory(disasm::makeDisassembler);
  const auto page = view::resolvePage(library::hostCodePage(shared, 0), m_monitor);
  syntax::setDisassemblerFactory(nullptr);
  QVERIFY(page.hasValue());
  const auto* const text = std::get_if<view::TextPage>(&page->content);
  QVERIFY(text);
  QCOMPARE(text->text.view(),
           std::string_view("first:\n"
                            "1000  e8 0b 00 00 00        call 0x1010                               ; <second>\n"
                            "1005  48 8d 3d 00 01 00 00  lea rdi, [rip + 0x100]\n"
                            "100c  c3                    ret\n"));
}

BLOBSCOPE_TEST(TestDisassembler);
#include "test_disassembler.moc"
