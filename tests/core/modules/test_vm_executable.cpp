#include "core/modules/codec.h"
#include "core/modules/registry.h"
#include "core/modules/vm_executable/relax.h"
#include "core/modules/vm_executable/relay.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

constexpr WireContext kClassic = {false, false}, kFfi = {true, true};

struct Decoded {
  modules::BodyPtr body;
  std::string layout, message;
};

/// The first layout that uses all bytes, as in the reader of streams.
Decoded decode(std::string_view key, const std::string& payload, const WireContext& context) {
  Decoded out;
  const modules::ModuleCodec* const codec = modules::findCodec(key);
  uint64_t furthest = 0;
  for (const modules::Layout& layout : codec->layouts) {
    Reader reader(bytes(payload));
    if (modules::BodyPtr body = layout.decode(reader, context); body && reader.left() == 0)
      return {body, std::string(body->layout()), {}};
    if (!reader.ok() && reader.failedAt() >= furthest) {
      furthest = reader.failedAt();
      out.message = reader.error().message();
    }
  }
  return out;
}

std::string pageText(const view::PageList& pages, std::string_view name) {
  NullMonitor monitor;
  for (const view::Page& page : pages) {
    if (page.name != name) continue;
    const auto made = view::resolvePage(page, monitor);
    if (!made) return made.error().message();
    if (const auto* text = std::get_if<view::TextPage>(&made->content)) return std::string(text->text.view());
    const auto* const table = std::get_if<view::TablePage>(&made->content);
    if (!table) return "no text and no table";
    std::string out;
    for (uint64_t row = 0; row < table->source->rowCount(); ++row) {
      for (std::size_t column = 0; column < table->source->columns().size(); ++column)
        out += (column > 0 ? " | " : "") + table->source->cell(row, column);
      out += "\n";
    }
    return out;
  }
  return "no page of that name";
}

std::string pageOf(const modules::Body& body, std::string_view name) {
  view::PageList pages;
  body.pages(pages);
  return pageText(pages, name);
}

} // namespace

class TestVmExecutable : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void everyLayoutOfConstantsIsRecognised_data();
  void everyLayoutOfConstantsIsRecognised();
  void emptyPoolTakesTheGenerationOfTheBlob();
  void bytecodeIsListed();
  void functionsHaveSignatures();
  void modelPageShowsMetadata();
  void constantsHaveBytesOrAReason();
  void wrongInstructionsAreReported_data();
  void wrongInstructionsAreReported();
  void everyRelayGenerationIsRead_data();
  void everyRelayGenerationIsRead();
  void relayBytecodeIsListed();
  void wrongRelayInstructionsAreReported_data();
  void wrongRelayInstructionsAreReported();
  void instructionRangesOutsideTheCodeAreListed();
};

void TestVmExecutable::everyLayoutOfConstantsIsRecognised_data() {
  QTest::addColumn<int>("table");
  QTest::addColumn<bool>("second");
  QTest::addColumn<bool>("sized");
  QTest::addColumn<bool>("ffi");
  QTest::addColumn<std::string>("layout");
  QTest::newRow("v0.16 – v0.20") << 0 << false << true << false << std::string("relax_vm pool-classic");
  QTest::newRow("v0.21") << 1 << false << true << true << std::string("relax_vm pool-ffi-2025a");
  QTest::newRow("v0.22") << 2 << false << false << true << std::string("relax_vm bare pool-ffi-2025b");
  QTest::newRow("v0.23 on") << 2 << true << false << true << std::string("relax_vm bare pool-ffi-2025b");
  QTest::newRow("a fork between v0.21 and v0.22")
      << 2 << false << true << true << std::string("relax_vm pool-ffi-2025b");
}

void TestVmExecutable::everyLayoutOfConstantsIsRecognised() {
  QFETCH(int, table);
  QFETCH(bool, second);
  QFETCH(bool, sized);
  QFETCH(bool, ffi);
  QFETCH(std::string, layout);
  RelaxBuilder builder(table == 0 ? kTagsClassic : table == 1 ? kTags2025a : kTags2025b);
  if (second) {
    builder.magic = kVmMagic2;
    builder.scopes = {{3, "global.texture"}};
  }
  const std::string payload = sized ? builder.sized() : builder.build();
  const Decoded decoded = decode("relax.VMExecutable", payload, ffi ? kFfi : kClassic);
  QVERIFY2(decoded.body, decoded.message.c_str());
  QCOMPARE(decoded.layout, layout);
  Writer writer;
  decoded.body->encode(writer);
  QVERIFY(joined(writer.takePieces()).view() == payload);
  const std::string text = pageOf(*decoded.body, "Constants");
  QVERIFY2(text.find("3 | tensor | float32[2, 3] | 24") != std::string::npos, text.c_str());
  QVERIFY2(text.find("4 | dtype | float32 | 4") != std::string::npos, text.c_str());
  QVERIFY2(text.find("5 | shape | [2, 3] | 16") != std::string::npos, text.c_str());
  QVERIFY2(text.find("6 | integer | -7 | 8") != std::string::npos, text.c_str());
  QVERIFY2(text.find("7 | float | 1.5 | 8") != std::string::npos, text.c_str());
  QCOMPARE(text.find("global.texture") != std::string::npos, second);
}

/// Without constants all layouts fit: the generation of the blob decides.
void TestVmExecutable::emptyPoolTakesTheGenerationOfTheBlob() {
  RelaxBuilder builder(kTagsClassic);
  builder.constants.clear();
  builder.code = {{2, 0}};
  builder.functions = {{1, "main", 0, 1, 0, 1, {}}};
  QCOMPARE(decode("relax.Executable", builder.sized(), kClassic).layout, std::string("relax_vm pool-classic"));
  QCOMPARE(decode("relax.VMExecutable", builder.sized(), kFfi).layout, std::string("relax_vm pool-ffi-2025b"));
}

void TestVmExecutable::bytecodeIsListed() {
  const Decoded decoded = decode("relax.Executable", RelaxBuilder(kTagsClassic).sized(), kClassic);
  QVERIFY(decoded.body);
  const std::string wanted = "@main(%0 x, %1 w), 3 registers:\n"
                             "     0  call  %2 = vm.builtin.alloc_storage(%vm, c[4])  // c[4] = float32\n"
                             "     1  if    %2 else goto 3\n"
                             "     2  goto  4\n"
                             "     3  ret   %0\n"
                             "     4  call  tir_main(-5, @vm.builtin.alloc_storage)\n"
                             "     5  ret   %2\n"
                             "\n@tir_main host function '__vmtir__tir_main', 1 arguments\n";
  QCOMPARE(QString::fromStdString(pageOf(*decoded.body, "Bytecode")), QString::fromStdString(wanted));
}

void TestVmExecutable::functionsHaveSignatures() {
  const Decoded decoded = decode("relax.Executable", RelaxBuilder(kTagsClassic).sized(), kClassic);
  QVERIFY(decoded.body);
  const std::string text = pageOf(*decoded.body, "Functions");
  QVERIFY2(text.find("(x: R.Tensor((2, 3), dtype=\"float32\"), w) -> R.Tensor((2, 3), dtype=\"float32\")") !=
               std::string::npos,
           text.c_str());
  const auto groups = decoded.body->parts();
  QCOMPARE(groups.size(), std::size_t{2});
  QCOMPARE(groups[0].parts.size(), std::size_t{2}); // packed functions are defined elsewhere
  QCOMPARE(groups[0].parts[1].name, std::string("tir_main"));
}

void TestVmExecutable::modelPageShowsMetadata() {
  const Decoded decoded = decode("relax.Executable", RelaxBuilder(kTagsClassic).sized(), kClassic);
  QVERIFY(decoded.body);
  const std::string text = pageOf(*decoded.body, "Model");
  QCOMPARE(QString::fromStdString(text),
           QStringLiteral("model | tiny\nquantisation | q4f16_1\ncontext window, tokens | 4096\n"
                          "sliding window, tokens | not used (-1)\ntemporary memory of main | 2.0 KiB (2,048 bytes)\n"
                          "weights | 1 tensor\nweights in memory | 12 bytes\nweight types | float16 (1)\n"));
  QCOMPARE(pageOf(*decoded.body, "Weights"), std::string("w | [2, 3] | float16 | 12\n"));
}

void TestVmExecutable::constantsHaveBytesOrAReason() {
  const Decoded decoded = decode("relax.Executable", RelaxBuilder(kTagsClassic).sized(), kClassic);
  QVERIFY(decoded.body);
  NullMonitor monitor;
  const auto tensor = decoded.body->part(PartKind::Const, 3, monitor);
  QVERIFY(tensor && tensor->bytes && tensor->tensor);
  QCOMPARE(tensor->bytes->size(), uint64_t{24});
  const auto text = decoded.body->part(PartKind::Const, 0, monitor);
  QVERIFY(text && text->bytes && text->bytes->view().starts_with("ErrorContext"));
  const auto number = decoded.body->part(PartKind::Const, 6, monitor);
  QVERIFY(number && !number->bytes && !number->whyNoBytes.empty());
}

void TestVmExecutable::wrongInstructionsAreReported_data() {
  QTest::addColumn<int>("change");
  QTest::addColumn<std::string>("message");
  QTest::newRow("unknown opcode") << 0 << std::string("an opcode from 1 to 4");
  QTest::newRow("more arguments than words") << 1 << std::string("a number of arguments that fit into the words");
  QTest::newRow("negative number of arguments") << 2 << std::string("a number of arguments that fit into the words");
  QTest::newRow("words after the last instruction") << 3 << std::string("the end of the instruction before it");
}

void TestVmExecutable::wrongInstructionsAreReported() {
  QFETCH(int, change);
  QFETCH(std::string, message);
  RelaxBuilder builder(kTagsClassic);
  switch (change) {
  case 0: builder.code[5][0] = 5; break;
  case 1: builder.code[4][3] = 1'000; break;
  case 2: builder.code[4][3] = -1; break;
  default: builder.code[2].push_back(9); break;
  }
  const Decoded decoded = decode("relax.Executable", builder.sized(), kClassic);
  QVERIFY(!decoded.body);
  QVERIFY2(decoded.message.find(message) != std::string::npos, decoded.message.c_str());
}

void TestVmExecutable::everyRelayGenerationIsRead_data() {
  QTest::addColumn<int>("generation");
  for (int generation = 0; generation < 5; ++generation)
    QTest::newRow(qPrintable(QString::number(generation))) << generation;
}

void TestVmExecutable::everyRelayGenerationIsRead() {
  QFETCH(int, generation);
  RelayBuilder builder(generation);
  builder.lateConstant = generation >= 3;
  const std::string payload = builder.sized();
  const Decoded decoded = decode("VMExecutable", payload, kClassic);
  QVERIFY2(decoded.body, decoded.message.c_str());
  QCOMPARE(decoded.layout, "relay_vm " + std::to_string(generation));
  Writer writer;
  decoded.body->encode(writer);
  QVERIFY(joined(writer.takePieces()).view() == payload);
  QCOMPARE(pageOf(*decoded.body, "Functions"), std::string("main | x, y | 6 | 7\n"));
  const std::string constants = pageOf(*decoded.body, "Constants");
  QVERIFY2(constants.find("float32 | [2, 3] | 24") != std::string::npos, constants.c_str());
  QCOMPARE(constants.find("bound later: weight_0") != std::string::npos, generation >= 3);
}

void TestVmExecutable::relayBytecodeIsListed() {
  const Decoded decoded = decode("VMExecutable", RelayBuilder(4).sized(), kClassic);
  QVERIFY(decoded.body);
  QCOMPARE(QString::fromStdString(pageOf(*decoded.body, "Bytecode")),
           QStringLiteral("@main($0 x, $1 y), 6 registers:\n"
                          "     0  $1 = LoadConst const[0], device[0]  // float32[2, 3]\n"
                          "     1  $3 = AllocStorage unset, 64, float32, device[0], 24\n"
                          "     2  $4 = AllocTensor $3, $0, float32, 2, 3\n"
                          "     3  InvokePacked fused_add, 1, $0, $1, $4\n"
                          "     4  If $4, $1, 5, 6\n"
                          "     5  $5 = Invoke @main, $4\n"
                          "     6  Ret $5\n"));
}

void TestVmExecutable::wrongRelayInstructionsAreReported_data() {
  QTest::addColumn<int>("change");
  QTest::addColumn<std::string>("message");
  QTest::newRow("check word") << 0 << std::string("the hash of the instruction");
  QTest::newRow("opcode") << 1 << std::string("an opcode of this generation");
  QTest::newRow("fields") << 2 << std::string("fields");
  QTest::newRow("more instructions than there are") << 3 << std::string("");
}

void TestVmExecutable::wrongRelayInstructionsAreReported() {
  QFETCH(int, change);
  QFETCH(std::string, message);
  RelayBuilder builder(4);
  switch (change) {
  case 0: builder.code[6][0] ^= 1; break;
  case 1: builder.code[6] = relayInstruction(21, {5}); break;
  case 2: builder.code[3] = relayInstruction(4, {0, 9, 1, 0, 1, 4}); break;
  default: builder.code.push_back({}); break;
  }
  const Decoded decoded = decode("VMExecutable", builder.sized(), kClassic);
  QVERIFY(!decoded.body);
  QVERIFY2(decoded.message.find(message) != std::string::npos, decoded.message.c_str());
}

/// Instruction ranges are not required to fit; a listing reports wrong ones.
void TestVmExecutable::instructionRangesOutsideTheCodeAreListed() {
  for (const auto& [start, end] :
       std::vector<std::pair<int64_t, int64_t>>{{0, 7}, {-1, 2}, {3, 1}, {INT64_MIN, INT64_MAX}}) {
    RelaxBuilder builder(kTagsClassic);
    builder.functions[1].start = start;
    builder.functions[1].end = end;
    const Decoded decoded = decode("relax.Executable", builder.sized(), kClassic);
    QVERIFY2(decoded.body, decoded.message.c_str());
    const std::string text = pageOf(*decoded.body, "Bytecode");
    QVERIFY2(text.find("do not exist: there are 6") != std::string::npos, text.c_str());
    (void)pageOf(*decoded.body, "Functions");
  }
}

BLOBSCOPE_TEST(TestVmExecutable);
#include "test_vm_executable.moc"
