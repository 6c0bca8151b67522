#include "core/payloads/spirv/spirv.h"

#include "core/payloads/sniff.h"
#include "core/payloads/spirv/spirv_cost.h"
#include "core/payloads/spirv/spirv_tools.h"
#include "tests/core/payloads/payload_check.h"
#include "tests/support/builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::test::spirv_builder;
using namespace std::string_literals;

namespace {

view::PageList pagesOf(const std::string& module) { return resolvePages(payloads::kSpirv, bytes(module)); }
std::string validation(const std::string& module) { return pageText(pagesOf(module), "Validation"); }

std::string textOf(const view::PageList& list, std::string_view name) {
  for (const view::Page& page : list)
    if (const auto* const text = std::get_if<view::TextPage>(&page.content); text && page.name == name)
      return std::string(text->text.view());
  return pageText(list, name);
}

/// The output of spirv-dis, nothing when it is not installed.
std::optional<std::string> disassembler(const Bytes& module) {
  const QString program = QStandardPaths::findExecutable(QStringLiteral("spirv-dis"));
  const QTemporaryDir folder;
  QFile file(folder.filePath(QStringLiteral("a.spv")));
  if (program.isEmpty() || !file.open(QIODevice::WriteOnly)) return std::nullopt;
  file.write(module.view().data(), static_cast<qint64>(module.size()));
  file.close();
  QProcess process;
  process.start(program, {QStringLiteral("--no-color"), file.fileName()});
  if (!process.waitForFinished() || process.exitCode() != 0) return std::nullopt;
  return process.readAllStandardOutput().toStdString();
}

} // namespace

class TestSpirv : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void moduleFactsAreShown();
  void localSizesAreRead();
  void damageIsReported_data();
  void damageIsReported();
  void moduleIsDisassembledAndValidated();
  void messagesOfTheValidatorAreShown();
  void riskyModulesAreNotPassedToTheValidator_data();
  void riskyModulesAreNotPassedToTheValidator();
  void modulesWithLongNamesAreLimited();
  void pagesCanBeCancelled();
  void corpusShadersAreValid_data();
  void corpusShadersAreValid();
};

void TestSpirv::moduleFactsAreShown() {
  const view::PageList pages = pagesOf(shader());
  QCOMPARE(
      pageText(pages, "SPIR-V"),
      "version|1.3\ngenerator|LLVM MLIR SPIR-V Serializer, version 2\nid bound|20\ninstructions|35\n"
      "capabilities|Shader, Float16\nextensions|SPV_KHR_storage_buffer_storage_class\ninstruction sets|GLSL.std.450\n"
      "addressing model|Logical\nmemory model|GLSL450\nsource language|GLSL 450\nfunctions|1\ndescriptor bindings|1\n"
      "descriptor sets|1\nshared memory|64 bytes\nvariables|Workgroup: 1\nvariables|PushConstant: 1\n"
      "variables|StorageBuffer: 1\n"s);
  QCOMPARE(pageText(pages, "Entry points"),
           "name|execution model|local size|function|interface variables\nadd_kernel|GLCompute|64 × 2 × 1|%2|0\n"s);
  QCOMPARE(pageText(pages, "Damage"), "no page Damage\n"s);
}

void TestSpirv::localSizesAreRead() {
  const std::string byId = SpirvBuilder(20)
                               .op(15, {5, 2}, "a", {7, 8})
                               .op(331, {2, 38, 3, 4, 5})
                               .op(43, {9, 3, 32})
                               .op(50, {9, 4, 8})
                               .op(43, {9, 5, 1})
                               .take();
  const auto entry = payloads::readSpirv(bytes(byId)).entryPoints.at(0);
  QVERIFY((entry.localSize == std::array<uint32_t, 3>{32, 8, 1}));
  QCOMPARE(entry.variables, uint64_t{2});
  const std::string builtIn = SpirvBuilder(20)
                                  .op(15, {5, 2}, "abc")
                                  .op(16, {2, 17, 1, 1, 1})
                                  .op(71, {6, 11, 25})
                                  .op(43, {9, 3, 128})
                                  .op(43, {9, 5, 1})
                                  .op(44, {10, 6, 3, 5, 5})
                                  .take();
  QVERIFY((payloads::readSpirv(bytes(builtIn)).entryPoints.at(0).localSize == std::array<uint32_t, 3>{128, 1, 1}));
  const std::string unknown = SpirvBuilder(20).op(15, {5, 2}, "a").op(331, {2, 38, 3, 4, 5}).take();
  QVERIFY(!payloads::readSpirv(bytes(unknown)).entryPoints.at(0).localSize);
}

void TestSpirv::damageIsReported_data() {
  QTest::addColumn<QByteArray>("module");
  QTest::addColumn<QString>("message");
  const auto row = [](const char* name, const std::string& module, const char* message) {
    QTest::newRow(name) << QByteArray::fromStdString(module) << message;
  };
  const std::string head = SpirvBuilder(5).take();
  row("header", head.substr(0, 12), "the module ends at 0xc, inside its header of 20 bytes");
  row("no words", head + ByteBuilder().u32(17).take(),
      "the instruction at 0x14 declares 0 words, but only 4 bytes are left");
  row("too many words", head + ByteBuilder().u32(3 << 16 | 17).u32(1).take(),
      "the instruction at 0x14 declares 3 words, but only 8 bytes are left");
  row("half a word", head + "ab", "the instruction at 0x14 declares 0 words, but only 2 bytes are left");
  row("no magic", "\3\2#\6" + head.substr(4), "the first word is 0x6230203, not 0x7230203");
}

void TestSpirv::damageIsReported() {
  QFETCH(QByteArray, module);
  QFETCH(QString, message);
  const view::PageList pages = pagesOf(module.toStdString());
  QCOMPARE(pageText(pages, "Damage"), message.toStdString() + "\n");
  if (payloads::hasSpirvTools())
    QCOMPARE(pageText(pages, "Disassembly"), "not disassembled: " + message.toStdString() + "\n");
}

void TestSpirv::moduleIsDisassembledAndValidated() {
  const std::string text = textOf(pagesOf(shader()), "Disassembly");
  if (!payloads::hasSpirvTools()) {
    QVERIFY(text.find("built without SPIRV-Tools") != std::string::npos);
    return;
  }
  QVERIFY(text.find("OpEntryPoint GLCompute %2 \"add_kernel\"\n") != std::string::npos);
  QVERIFY(text.find("%A = OpVariable %_ptr_StorageBuffer__struct_4 StorageBuffer\n") != std::string::npos);
  if (const auto expected = disassembler(bytes(shader()))) QCOMPARE(text, *expected);
  QCOMPARE(validation(shader()),
           "rules|result|word|message\nSPIR-V 1.3|valid||\nSPIR-V 1.3 (under Vulkan 1.1 semantics)|valid||\n"s);
}

void TestSpirv::messagesOfTheValidatorAreShown() {
  if (!payloads::hasSpirvTools()) return;
  // An entry point for a function that does not exist.
  const std::string module = SpirvBuilder(5, 0x00010000).op(17, {1}).op(14, {0, 1}).op(15, {5, 2}, "a").take();
  const std::string text = validation(module);
  QVERIFY2(text.starts_with("rules|result|word|message\nSPIR-V 1.0|error|"), text.c_str());
  QVERIFY(text.find("\nSPIR-V 1.0 (under Vulkan 1.0 semantics)|error|") != std::string::npos);
}

void TestSpirv::riskyModulesAreNotPassedToTheValidator_data() {
  QTest::addColumn<QByteArray>("module");
  QTest::addColumn<QString>("message");
  const auto row = [](const char* name, const std::string& module, const char* message) {
    QTest::newRow(name) << QByteArray::fromStdString(module) << message;
  };
  row("bound 0", SpirvBuilder(0).take(), "the id bound at 0xc is 0, not 1 to 4,194,303");
  row("bound", SpirvBuilder(4'194'304).take(), "the id bound at 0xc is 4,194,304, not 1 to 4,194,303");
  row("version", SpirvBuilder(9, 0x00020000).take(), "the version at 0x4 is 2.0, not 1.0 or later");
  std::string large = SpirvBuilder(9).take();
  while (large.size() <= payloads::kSpirvToolsBytes)
    large += ByteBuilder().u32(0xffff0001).raw(std::string(0xfffe * 4, '\0')).take();
  row("size", large,
      ("the module has " + sizeText(large.size()) + ", more than the limit of 16.0 MiB (16,777,216 bytes)").c_str());

  SpirvBuilder wide(64), deep(6'000), group(30), calls(30), blocks(40'000), nested(40'000);
  wide.op(21, {1, 32, 0});
  for (uint32_t i = 2; i < 62; ++i) wide.op(30, {i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1});
  row("types of types", wide.take(), "its types are nested too often to be validated");
  deep.op(21, {1, 32, 0});
  for (uint32_t i = 2; i < 5'900; ++i) deep.op(32, {i, 6, i - 1});
  row("pointers of pointers", deep.take(), "its types are nested too often to be validated");
  for (int i = 0; i < 3'000; ++i) group.op(71, {1, 0}), group.op(74, {1, 2});
  row("groups", group.take(), "3,001 decorations and 9,000 members of groups are too many to be validated");
  for (int i = 0; i < 3'000; ++i) calls.op(15, {5, 2}, "a"), calls.op(54, {1, 2, 0, 3});
  row("entry points", calls.take(), "3,000 entry points and 3,000 functions are too many to be validated");
  for (uint32_t i = 0; i < 17'000; ++i) blocks.op(248, {i + 9}), blocks.op(249, {i + 10});
  row("blocks", blocks.take(), "its functions have too many blocks to be validated");
  for (uint32_t i = 0; i < 1'000; ++i) nested.op(248, {i + 9}), nested.op(247, {39'000 - i, 0});
  row("merges", nested.take(), "its merges are nested too deep to be validated");
}

void TestSpirv::riskyModulesAreNotPassedToTheValidator() {
  QFETCH(QByteArray, module);
  QFETCH(QString, message);
  if (!payloads::hasSpirvTools()) return;
  QCOMPARE(validation(module.toStdString()), "not validated: " + message.toStdString() + "\n");
}

void TestSpirv::modulesWithLongNamesAreLimited() {
  const auto named = [](uint32_t uses) {
    SpirvBuilder builder(9);
    builder.op(5, {1}, std::string(100'000, 'n'));
    builder.op(21, {1, 32, 0});
    for (uint32_t i = 0; i < uses; ++i) builder.op(71, {1, 0});
    return builder.take();
  };
  QVERIFY(payloads::spirvNamesFit(bytes(named(100)), 9));
  QVERIFY(!payloads::spirvNamesFit(bytes(named(1'000)), 9));
  if (!payloads::hasSpirvTools()) return;
  const std::string text = textOf(pagesOf(named(1'000)), "Disassembly");
  QVERIFY(text.find("%1 = OpTypeInt 32 0\n") != std::string::npos);
}

void TestSpirv::pagesCanBeCancelled() {
  if (!payloads::hasSpirvTools()) return;
  view::PageList list;
  payloads::kSpirv.pages(bytes(shader()), list);
  for (const view::Page& page : list) {
    if (!std::holds_alternative<view::DeferredPage>(page.content)) continue;
    StopAfter monitor(0);
    const auto made = view::resolvePage(page, monitor);
    QVERIFY(!made && made.error().code() == ErrorCode::Cancelled);
  }
}

void TestSpirv::corpusShadersAreValid_data() {
  QTest::addColumn<QString>("file");
  QTest::newRow("fb129f") << "rwkv-raven-1b5-q8f16_0-vulkan-fb129f.so";
  QTest::newRow("09e8b2") << "rwkv-raven-1b5-q8f16_0-vulkan-09e8b2.so";
  QTest::newRow("2d7873") << "rwkv-raven-1b5-q8f16_0-vulkan-2d7873.dll";
}

/// Every shader: without damage, one entry point with a size, valid, and disassembled as by spirv-dis.
void TestSpirv::corpusShadersAreValid() {
  QFETCH(QString, file);
  const auto library = corpusLibrary(file.toLatin1().constData());
  if (!library) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + file));
  const std::vector<Bytes> codes = codeIn(*library);
  QVERIFY(codes.size() > 20);
  for (const Bytes& code : codes) {
    QCOMPARE(payloads::sniff(code), std::string_view("spirv"));
    const payloads::SpirvModule module = payloads::readSpirv(code);
    QCOMPARE(module.damage, ""s);
    QVERIFY(module.entryPoints.size() == 1 && module.entryPoints[0].localSize && module.bindings > 0);
    if (!payloads::hasSpirvTools()) continue;
    const view::PageList pages = resolvePages(payloads::kSpirv, code);
    QCOMPARE(pageText(pages, "Validation"),
             "rules|result|word|message\nSPIR-V 1.0|valid||\nSPIR-V 1.0 (under Vulkan 1.0 semantics)|valid||\n"s);
    if (const auto expected = disassembler(code)) QCOMPARE(textOf(pages, "Disassembly"), *expected);
  }
}

BLOBSCOPE_TEST(TestSpirv);
#include "test_spirv.moc"
