#include "core/base/text.h"
#include "core/base/writer.h"
#include "core/modules/common/function_info.h"
#include "core/modules/cuda/images.h"
#include "core/modules/opencl/opencl.h"
#include "core/modules/registry.h"
#include "tests/core/modules/tree_check.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <algorithm>

using namespace blobscope;
using namespace blobscope::test;
using modules::FunctionInfo;

namespace {

constexpr WireContext kOlder = {false, false}, kNewer = {true, true};

/// A FunctionInfo as stored; the extra tags are written only with `newer`.
struct Stored {
  std::vector<uint32_t> types;
  std::vector<std::string> tags;
  std::vector<int> extraTags;
  std::string marker; ///< of the second version
  std::vector<std::string> fields;
};

std::string bytesOf(const Stored& stored, bool newer) {
  ByteBuilder out;
  if (!stored.marker.empty()) out.str(stored.marker);
  out.str("").u64(stored.types.size());
  for (const uint32_t type : stored.types) out.u32(type);
  out.u64(stored.tags.size());
  for (const std::string& tag : stored.tags) out.str(tag);
  if (newer) {
    out.u64(stored.extraTags.size());
    for (const int tag : stored.extraTags) out.u32(static_cast<uint32_t>(tag));
  }
  if (!stored.marker.empty()) {
    out.u64(stored.fields.size());
    for (const std::string& field : stored.fields) out.str(field);
    out.u64(0);
  }
  return out.take();
}

FunctionInfo read(const std::string& bytesOfInfo, WireContext context) {
  Reader reader(bytes(bytesOfInfo));
  ReadArchive archive(reader, context);
  FunctionInfo info;
  wire(archive, info);
  if (!reader.ok() || reader.left() > 0) qFatal("a FunctionInfo of this test cannot be read");
  return info;
}

} // namespace

Q_DECLARE_METATYPE(Stored)

/// The decoded structures of device kinds as text.
class TestDeviceText : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void argumentsAreShown_data();
  void argumentsAreShown();
  void launchParametersAreShown_data();
  void launchParametersAreShown();
  void markerAloneDecidesTheSecondVersion();
  void functionsTableListsKernels();
  void functionsTableShowsCodeSizes();
  void architecturesAreSummarised_data();
  void architecturesAreSummarised();
  void kernelsWithOneNameKeepTheirFields();
  void shadersAreMatchedToFunctionsByName();
  void openclSourceIsSplitIntoSections_data();
  void openclSourceIsSplitIntoSections();
  void firstOfTwoSectionsIsUsed();
  void pageNamesAreUniqueAndPrintable();
};

void TestDeviceText::argumentsAreShown_data() {
  QTest::addColumn<Stored>("stored");
  QTest::addColumn<bool>("newer");
  QTest::addColumn<QString>("text");
  const auto both = [](const char* name, uint32_t type, const char* older, const char* newer) {
    QTest::addRow("%s until v0.20", name) << Stored{{type}, {}, {}, {}, {}} << false << older;
    QTest::addRow("%s from v0.21", name) << Stored{{type}, {}, {0}, {}, {}} << true << newer;
  };
  both("pointer", 0x00014003, "handle", "handle");
  both("32-bit pointer", 0x00012003, "handle32", "handle32");
  both("int32", 0x00012000, "int32", "int32");
  both("int64", 0x00014000, "int64", "int64");
  both("uint8", 0x00010801, "uint8", "uint8");
  both("four halves", 0x00041002, "float16x4", "float16x4");
  both("float32", 0x00012002, "float32", "float32");
  both("bfloat16", 0x00011004, "bfloat16", "bfloat16");
  both("one-bit bool", 0x00010101, "bool", "bool");
  both("four bools", 0x00040101, "boolx4", "boolx4");
  both("code 6 of 8 bits", 0x00010806, "float8_e4m3", "bool");
  both("code 7", 0x00010807, "float8_e5m2", "float8_e3m4");
  both("code 8 of 8 bits", 0x00010808, "float4_e2m1", "float8_e4m3");
  both("code 10", 0x0001080a, "custom10_8", "float8_e4m3fn");
  both("code 17", 0x00010411, "custom17_4", "float4_e2m1fn");
  both("code 18, not given out", 0x00010812, "custom18_8", "custom18_8");
  both("registered type 129", 0x00012081, "custom129_32", "custom129_32");

  QTest::newRow("none") << Stored{} << false << "";
  QTest::newRow("in call order") << Stored{{0x00014003, 0x00014003, 0x00012000}, {}, {}, {}, {}} << false
                                 << "handle, handle, int32";
  QTest::newRow("tensor map") << Stored{{0x00014003, 0x00014003}, {}, {0, 1}, {}, {}} << true << "handle, tensormap";
  QTest::newRow("extra tags of no known meaning") << Stored{{0x00014003}, {}, {2}, {}, {}} << true << "handle";
  QTest::newRow("no extra tags (webgpu writes none)") << Stored{{0x00014003}, {}, {}, {}, {}} << true << "handle";
  QTest::newRow("more extra tags than arguments") << Stored{{0x00014003}, {}, {0, 1, 1}, {}, {}} << true << "handle";
}

void TestDeviceText::argumentsAreShown() {
  QFETCH(Stored, stored);
  QFETCH(bool, newer);
  QFETCH(QString, text);
  QCOMPARE(QString::fromStdString(read(bytesOf(stored, newer), newer ? kNewer : kOlder).argumentText()), text);
}

void TestDeviceText::launchParametersAreShown_data() {
  QTest::addColumn<Stored>("stored");
  QTest::addColumn<bool>("newer");
  QTest::addColumn<QString>("text");
  const std::string marker = "__tvm_function_info_v2__";
  QTest::newRow("none") << Stored{} << false << "";
  QTest::newRow("axes in stored order")
      << Stored{{}, {"blockIdx.x", "threadIdx.y", "threadIdx.x", "tirx.use_dyn_shared_memory"}, {}, {}, {}} << true
      << "blockIdx.x, threadIdx.y, threadIdx.x, tirx.use_dyn_shared_memory";
  QTest::newRow("access of webgpu buffers") << Stored{{}, {"blockIdx.x", "paramWriteAccess:[1,0,0]"}, {}, {}, {}}
                                            << false << "blockIdx.x, paramWriteAccess:[1,0,0]";
  QTest::newRow("bytes that are not printable")
      << Stored{{}, {std::string("\n\x1b[2J\xff\0", 7)}, {}, {}, {}} << false << "\\n\\x1b[2J\\xff\\x00";
  QTest::newRow("launch fields of the second version")
      << Stored{{}, {}, {}, marker, {"grid.x", "block.x", "stream"}} << true << "grid.x, block.x, stream";
  QTest::newRow("tags of the second version when it has some")
      << Stored{{}, {"blockIdx.x"}, {}, marker, {}} << true << "blockIdx.x";
}

void TestDeviceText::launchParametersAreShown() {
  QFETCH(Stored, stored);
  QFETCH(bool, newer);
  QFETCH(QString, text);
  QCOMPARE(QString::fromStdString(read(bytesOf(stored, newer), newer ? kNewer : kOlder).launchText()), text);
}

void TestDeviceText::markerAloneDecidesTheSecondVersion() {
  const Stored stored{{0x00014003}, {}, {0}, "__tvm_function_info_v2__", {"grid.x"}};
  const std::string written = bytesOf(stored, true);
  for (const WireContext context : {kOlder, kNewer}) {
    const FunctionInfo info = read(written, context);
    QCOMPARE(info.form, FunctionInfo::Form::Second);
    QCOMPARE(info.launchFields.size(), std::size_t{1});
    Writer writer;
    WriteArchive archive(writer);
    wire(archive, info);
    QCOMPARE(whereDifferent(joined(writer.takePieces()).view(), written), QString());
  }
}

namespace {

modules::BodyPtr decodedWith(const std::string& key, const std::string& payload, WireContext context) {
  for (const modules::Layout& layout : modules::findCodec(key)->layouts) {
    Reader reader(bytes(payload));
    if (auto body = layout.decode(reader, context); body && reader.left() == 0) return body;
  }
  return nullptr;
}

std::string tableText(const modules::Body& body) {
  view::PageList list;
  body.pages(list);
  const auto& table = *std::get<view::TablePage>(list.front().content).source;
  std::string out;
  const auto columns = table.columns();
  for (std::size_t c = 0; c < columns.size(); ++c)
    out += (c > 0 ? " | " : "") + columns[c].title + (columns[c].number ? " #" : "");
  for (uint64_t row = 0; row < table.rowCount(); ++row) {
    out += "\n";
    for (std::size_t c = 0; c < columns.size(); ++c) out += (c > 0 ? " | " : "") + table.cell(row, c);
  }
  return out;
}

} // namespace

void TestDeviceText::functionsTableListsKernels() {
  const std::vector<Function> functions = {{"b_kernel", {0x00014003, 0x00010806}, {"blockIdx.x"}},
                                           {"a\tkernel", {}, {}}};
  const auto older = decodedWith("cuda", code3("ptx", functions, "", Info::Three), kOlder);
  const auto newer = decodedWith("cuda", code3("ptx", functions, "", Info::Four), kNewer);
  QVERIFY(older && newer);
  QCOMPARE(QString::fromStdString(tableText(*older)), QStringLiteral("name | arguments | launch parameters\n"
                                                                     "b_kernel | handle, float8_e4m3 | blockIdx.x\n"
                                                                     "a\\tkernel |  | "));
  QCOMPARE(QString::fromStdString(tableText(*newer)), QStringLiteral("name | arguments | launch parameters\n"
                                                                     "b_kernel | handle, bool | blockIdx.x\n"
                                                                     "a\\tkernel |  | "));
}

void TestDeviceText::functionsTableShowsCodeSizes() {
  const auto body = decodedWith("vulkan", vulkan({{"k", {}, {}}, {"l", {}, {}}}, Info::Three, false), kOlder);
  QVERIFY(body);
  QCOMPARE(QString::fromStdString(tableText(*body)),
           QStringLiteral("name | arguments | launch parameters | code bytes #\n"
                          "k |  |  | 20\n"
                          "l |  |  | 24"));
}

void TestDeviceText::kernelsWithOneNameKeepTheirFields() {
  const std::vector<Function> functions = {{"k", {}, {}}, {"k", {0x00014003}, {}}};
  const std::string payload = code3("ptx", functions, "", Info::Three);
  const auto body = decodedWith("cuda", payload, kOlder);
  QVERIFY(body);
  const FieldTree tree = modules::describeBody(*body, bytes(payload));
  QCOMPARE(body->kernels().size(), std::size_t{2});
  QCOMPARE(tree.path(body->kernels()[0].fieldRow), std::string("fmap[0]"));
  QCOMPARE(tree.path(body->kernels()[1].fieldRow), std::string("fmap[1]"));
}

/// `fmap` and `smap` are ordered and filled independently.
void TestDeviceText::shadersAreMatchedToFunctionsByName() {
  const std::string payload = ByteBuilder()
                                  .str("vulkan")
                                  .raw(functionMap({{"a", {}, {}}, {"b", {}, {}}}, Info::Three))
                                  .u64(2)
                                  .str("c")
                                  .raw(shader(0, 5))
                                  .str("b")
                                  .raw(shader(0, 7))
                                  .take();
  const auto body = decodedWith("vulkan", payload, kOlder);
  QVERIFY(body);
  const auto kernels = body->kernels();
  QCOMPARE(kernels.size(), std::size_t{2});
  QVERIFY(!kernels[0].code);
  QVERIFY(kernels[1].code);
  QCOMPARE(kernels[1].code->size(), uint64_t{28});
  QVERIFY(tableText(*body).ends_with("a |  |  | 0\nb |  |  | 28"));
}

void TestDeviceText::openclSourceIsSplitIntoSections_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QStringList>("sections"); // name, text, name, text …
  QTest::newRow("empty") << "" << QStringList();
  QTest::newRow("no marker") << "__kernel void k() {}\n" << QStringList();
  QTest::newRow("one") << "// Function: k\nvoid k();\n" << QStringList{"k", "// Function: k\nvoid k();\n"};
  QTest::newRow("text before the first one is dropped") << "#pragma OPENCL\n// Function: k\nx\n"
                                                        << QStringList{"k", "// Function: k\nx\n"};
  QTest::newRow("two, without a gap") << "// Function: a\nx\n// Function: b\ny\n"
                                      << QStringList{"a", "// Function: a\nx\n", "b", "// Function: b\ny\n"};
  QTest::newRow("carriage returns do not belong to the name")
      << "// Function: a\r\nx\r\n// Function: b\r\ny\r\n"
      << QStringList{"a", "// Function: a\r\nx\r\n", "b", "// Function: b\r\ny\r\n"};
  QTest::newRow("marker at the end without a line end")
      << "// Function: a\nx\n// Function: b" << QStringList{"a", "// Function: a\nx\n", "b", "// Function: b"};
  QTest::newRow("marker at the end without a name") << "// Function: " << QStringList{"", "// Function: "};
  QTest::newRow("marker cut at the end") << "// Function: a\n// Function:"
                                         << QStringList{"a", "// Function: a\n// Function:"};
  QTest::newRow("two markers in one line") << "// Function: // Function: b\n"
                                           << QStringList{"", "// Function: ", "b", "// Function: b\n"};
  QTest::newRow("only a carriage return after the marker") << "// Function: \r" << QStringList{"", "// Function: \r"};
  QTest::newRow("in the middle of a line, as the runtime cuts")
      << "x; // Function: k\ny" << QStringList{"k", "// Function: k\ny"};
}

void TestDeviceText::openclSourceIsSplitIntoSections() {
  QFETCH(QString, text);
  QFETCH(QStringList, sections);
  const std::string bytesOfText = text.toStdString();
  QStringList found;
  for (const modules::OpenclSection& section : modules::splitOpenclSections(bytes(bytesOfText)))
    found << QString::fromStdString(std::string(section.name.view()))
          << QString::fromStdString(std::string(section.text.view()));
  QCOMPARE(found, sections);
}

void TestDeviceText::firstOfTwoSectionsIsUsed() {
  const std::string text = "// Function: k\nfirst\n// Function: k\nsecond\n";
  const auto body = decodedWith("opencl", code3("cl", {{"k"}}, text, Info::Three), kOlder);
  QVERIFY(body);
  QCOMPARE(shown(body->kernels()[0].code->view()), QStringLiteral("// Function: k\\nfirst\\n"));
}

void TestDeviceText::architecturesAreSummarised_data() {
  QTest::addColumn<QStringList>("machineCode");
  QTest::addColumn<QStringList>("ptx");
  QTest::addColumn<QString>("text");
  const auto row = [](const char* name, QStringList machineCode, QStringList ptx, const char* text) {
    QTest::newRow(name) << machineCode << ptx << QString::fromUtf8(text);
  };
  row("nothing", {}, {}, "");
  row("one cubin", {"sm_89"}, {},
      "only GPUs of compute capability 8.9 and later 8.x, since there is machine code but no PTX");
  row("one GPU", {"sm_90a", "sm_90a"}, {},
      "only GPUs of compute capability exactly 9.0, since there is machine code but no PTX");
  row("ptx", {}, {"sm_80"}, "GPUs of compute capability 8.0 and later, by PTX that the driver compiles");
  row("family", {}, {"sm_120f"}, "GPUs of compute capability 12.0 and later 12.x, by PTX that the driver compiles");
  row("both", {"sm_80", "sm_90"}, {"sm_90"},
      "GPUs of compute capability 8.0 and later 8.x, 9.0 and later 9.x; 9.0 and later by PTX that the driver compiles");
  row("odd", {"sm_", "gfx90a", "sm_9"}, {"compute_80"}, "");
}

void TestDeviceText::architecturesAreSummarised() {
  QFETCH(const QStringList, machineCode);
  QFETCH(const QStringList, ptx);
  const auto strings = [](const QStringList& list) {
    std::vector<std::string> out;
    for (const QString& one : list) out.push_back(one.toStdString());
    return out;
  };
  QTEST(QString::fromStdString(modules::runsOnText(strings(machineCode), strings(ptx))), "text");
}

/// The keys of the sources come from the file; pages are requested by name.
void TestDeviceText::pageNamesAreUniqueAndPrintable() {
  const std::string payload = ByteBuilder()
                                  .str("cuda.module.v1")
                                  .raw(code3("ptx", {}, ptxText({}), Info::Second))
                                  .u64(5)
                                  .str("Source")
                                  .str("a")
                                  .str("cuda")
                                  .str("b")
                                  .str("cuda")
                                  .str("c")
                                  .str("Hex")
                                  .str("d")
                                  .str("\x1b[2J\xff")
                                  .str("e")
                                  .take();
  const auto body = decodedWith("cuda", payload, kNewer);
  QVERIFY(body);
  view::PageList list;
  body->pages(list);
  QStringList names = {QStringLiteral("Overview"), QStringLiteral("Fields"), QStringLiteral("Hex")}; // of every module
  for (const view::Page& page : list) {
    const bool control = std::any_of(page.name.begin(), page.name.end(), [](char c) { return c >= 0 && c < 0x20; });
    QVERIFY2(isUtf8(page.name) && !control, qPrintable(shown(page.name))); // no control characters for a terminal
    names << QString::fromStdString(page.name);
  }
  QCOMPARE(names.size(), 3 + 4 + 5);
  QCOMPARE(names.removeDuplicates(), 0);
}

BLOBSCOPE_TEST(TestDeviceText);
#include "test_device_text.moc"
