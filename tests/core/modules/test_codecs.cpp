#include "core/modules/codec.h"

#include "core/base/text.h"
#include "core/base/writer.h"
#include "core/modules/registry.h"
#include "core/payloads/sniff.h"
#include "tests/core/modules/tree_check.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <set>

using namespace blobscope;
using namespace blobscope::test;
using modules::Body;
using modules::BodyPtr;
using modules::Layout;

namespace {

constexpr WireContext kOlder = {false, false}, kNewer = {true, true};

/// One key, layout and FunctionInfo form of formats text library-blob.md 4.1, with a payload that holds two kernels
/// unless it says otherwise.
struct Row {
  std::string key;
  std::string layout;
  std::string form; ///< of the FunctionInfo, "" when the layout has none
  std::string what; ///< what tells it from other rows of that form
  std::string releases;
  WireContext context;
  std::string payload;
  std::optional<std::string> format;
  std::vector<std::string> content;
  std::vector<std::string> kernels;
  std::vector<std::string> code;  ///< one per kernel, or none
  std::vector<std::string> pages; ///< "name kind"

  std::string name() const {
    std::string out = key + " / " + layout;
    for (const std::string& word : {form, what, releases})
      if (!word.empty()) out += " / " + word;
    return out;
  }
};

const std::vector<Function> kTwo = {
    {"mul_kernel", {0x00014003, 0x00014003, 0x00012000}, {"blockIdx.x", "threadIdx.x", "tir.use_dyn_shared_memory"}},
    {"add_kernel", {0x00014003, 0x00041002}, {"threadIdx.y"}, "add_kernel"},
};

std::string formName(Info info) {
  return info == Info::Three ? "fi3" : info == Info::Four ? "fi4" : "fi second version";
}
WireContext contextOf(Info info) {
  return info == Info::Three ? kOlder : kNewer;
}

/// The words of the shader that the builders make for the n-th kernel.
std::string shaderWords(uint32_t words) {
  return shader(0, words).substr(12);
}

/// What the content of an image is called, as the registry of payloads says it.
std::vector<std::string> sniffed(const std::string& image) {
  const std::string_view name = payloads::sniff(bytes(image));
  return name.empty() ? std::vector<std::string>() : std::vector<std::string>{std::string(name)};
}

std::vector<Row> makeRows() {
  std::vector<Row> rows;
  const std::vector<std::string> names = {"mul_kernel", "add_kernel"};
  const auto cuda = [&](Info info, std::string what, std::string releases, std::string format, std::string data,
                        std::vector<std::string> content) {
    Row row{"cuda",
            "code3",
            formName(info),
            std::move(what),
            std::move(releases),
            contextOf(info),
            code3(format, kTwo, data, info),
            format,
            content,
            names,
            {},
            {"Functions table"}};
    if (content == std::vector<std::string>{"ptx"} || content == std::vector<std::string>{"cuda"})
      row.pages.push_back("Source text");
    rows.push_back(std::move(row));
  };
  const std::string fatbin = std::string("\x50\xed\x55\xba\x01\x00\x10\x00", 8) + std::string(24, '\x07');
  const std::string cubin =
      std::string("\x7f\x45\x4c\x46\x02\x01\x01\x33\x07\0\0\0\0\0\0\0\x02\0\xbe\0", 20) + std::string(30, '\x01');
  const std::string source = "extern \"C\" __global__ void add_kernel(float* a) { a[0] = 1.0f; }\n";
  cuda(Info::Three, "ptx", "v0.2 – v0.20", "ptx", ptxText(kTwo), {"ptx"});
  cuda(Info::Three, "a fatbin declared cubin", "v0.2 – v0.20", "cubin", fatbin, {"fatbin"});
  cuda(Info::Three, "cubin", "v0.2 – v0.20", "cubin", cubin, {"cubin"});
  cuda(Info::Three, "ptx of target nvptx, first byte a line feed", "v0.2 – v0.20", "ptx", "\n" + ptxText(kTwo),
       {"ptx"});
  cuda(Info::Three, "no data", "v0.2 – v0.20", "ptx", "", {});
  cuda(Info::Four, "ptx", "v0.21 –", "ptx", ptxText(kTwo), {"ptx"});
  cuda(Info::Four, "a fatbin declared cubin", "v0.21 –", "cubin", fatbin, {"fatbin"});
  cuda(Info::Four, "source", "v0.24 –", "cuda", source, {"cuda"});
  cuda(Info::Second, "ptx", "after v0.27", "ptx", ptxText(kTwo), {"ptx"});
  rows.push_back({"cuda",
                  "code3",
                  "fi3",
                  "no functions",
                  "v0.2 – v0.20",
                  kOlder,
                  code3("ptx", {}, "", Info::Three),
                  "ptx",
                  {},
                  {},
                  {},
                  {"Functions table"}});
  rows.push_back({"cuda",
                  "cuda.module.v1",
                  "fi second version",
                  "fatbin",
                  "after v0.27",
                  kNewer,
                  cudaModuleV1("fatbin", kTwo, fatbin),
                  "fatbin",
                  {"fatbin"},
                  names,
                  {},
                  {"Functions table", "Stored source 1: cuda text", "Stored source 2: cuda.compile_log text"}});
  rows.push_back(
      {"cuda",
       "cuda.module.v1",
       "fi second version",
       "ptx",
       "after v0.27",
       kNewer,
       cudaModuleV1("ptx", kTwo, ptxText(kTwo)),
       "ptx",
       {"ptx"},
       names,
       {},
       {"Functions table", "Source text", "Stored source 1: cuda text", "Stored source 2: cuda.compile_log text"}});

  const std::string text = openclText({kTwo[1], kTwo[0]}); // sections in another order than the functions
  const std::size_t second = text.rfind("// Function:");
  const std::vector<std::string> sections = {text.substr(second), text.substr(0, second)};
  for (const Info info : {Info::Three, Info::Four, Info::Second}) {
    const std::string releases = info == Info::Three ? "v0.8 – v0.20" : info == Info::Four ? "v0.21 –" : "after v0.27";
    rows.push_back({"opencl",
                    "code3",
                    formName(info),
                    "one section per kernel",
                    releases,
                    contextOf(info),
                    code3("cl", kTwo, text, info),
                    "cl",
                    {"opencl-c"},
                    names,
                    sections,
                    {"Functions table", "Source text"}});
  }
  rows.push_back({"opencl",
                  "code3",
                  "fi3",
                  "one program",
                  "v0.2 – v0.7",
                  kOlder,
                  code3("cl", kTwo, "__kernel void add_kernel(__global float* a) {}\n", Info::Three),
                  "cl",
                  {"opencl-c"},
                  names,
                  {},
                  {"Functions table", "Source text"}});
  rows.push_back({"opencl",
                  "code3",
                  "fi3",
                  "program binary",
                  "v0.2 – v0.20",
                  kOlder,
                  code3("clbin", kTwo, std::string("\x01\x02\x03\x00", 4), Info::Three),
                  "clbin",
                  {},
                  names,
                  {},
                  {"Functions table"}});
  const std::vector<std::string> spirv = {shaderWords(6), shaderWords(6)};
  rows.push_back({"opencl",
                  "spirv",
                  "fi3",
                  "",
                  "v0.13 – v0.20",
                  kOlder,
                  openclSpirv(kTwo, Info::Three),
                  std::nullopt,
                  {"spirv"},
                  names,
                  spirv,
                  {"Functions table"}});
  rows.push_back({"opencl",
                  "spirv",
                  "fi4",
                  "",
                  "v0.21 – v0.23",
                  kNewer,
                  openclSpirv(kTwo, Info::Four),
                  std::nullopt,
                  {"spirv"},
                  names,
                  spirv,
                  {"Functions table"}});

  // smap: kernel name to its own code, in another order than the functions.
  const std::vector<std::string> msl = {"kernel void mul_kernel() {}\n", "kernel void add_kernel() {}\n"};
  const auto codeMap = [&](const std::string& mul, const std::string& add) {
    return ByteBuilder().u64(2).str("add_kernel").str(add).str("mul_kernel").str(mul).take();
  };
  const std::string library = std::string("MTLB\x01\0\x02\0", 8) + std::string(24, '\x05');
  for (const Info info : {Info::Three, Info::Four}) {
    const std::string releases = info == Info::Three ? "v0.13 – v0.20" : "v0.21 – v0.23";
    rows.push_back({"metal", "metal2", formName(info), "source", releases, contextOf(info),
                    ByteBuilder().str("0.1.0").raw(codeMap(msl[0], msl[1])).raw(functionMap(kTwo, info)).str("metal").take(),
                    "metal", {"metal"}, names, msl, {"Functions table"}});
    rows.push_back({"webgpu", "webgpu", formName(info), "", info == Info::Three ? "v0.12 – v0.20" : "v0.21 –", contextOf(info),
                    ByteBuilder().raw(functionMap(kTwo, info)).raw(codeMap("@compute fn mul() {}", "@compute fn add() {}")).take(),
                    std::nullopt, {"wgsl"}, names, {"@compute fn mul() {}", "@compute fn add() {}"}, {"Functions table"}});
  }
  rows.push_back({"metal", "metal2", "fi3", "libraries", "v0.13 – v0.20", kOlder,
                  ByteBuilder().str("0.1.0").raw(codeMap(library, library)).raw(functionMap(kTwo, Info::Three)).str("metallib").take(),
                  "metallib", {"metallib"}, names, {library, library}, {"Functions table"}});
  rows.push_back({"metal", "metal3", "fi4", "source", "v0.24 –", kNewer,
                  ByteBuilder().str("metal").raw(functionMap(kTwo, Info::Four)).raw(codeMap(msl[0], msl[1])).take(),
                  "metal", {"metal"}, names, msl, {"Functions table"}});
  rows.push_back({"metal", "code3", "fi3", "one text", "v0.2 – v0.12", kOlder, code3("metal", kTwo, msl[0] + msl[1], Info::Three), "metal",
                  {"metal"}, names, {}, {"Functions table", "Source text"}});
  const std::string amd = std::string("\x7f" "ELF\x02\x01\x01\x40\x04\0\0\0\0\0\0\0\x03\0\xe0\0", 20) + std::string(30, '\x02');
  for (const char* const key : {"hip", "hsaco"})
    rows.push_back({key, "code3", "fi4", "", "v0.21 –", kNewer, code3("hsaco", kTwo, amd, Info::Four), "hsaco", sniffed(amd), names, {}, {"Functions table"}});
  for (const char* const key : {"hexagon", "hex", "nki"})
    rows.push_back({key, "code3", "fi4", "", "v0.21 –", kNewer, code3("so", kTwo, std::string("\0\1\2", 3), Info::Four), "so", {}, names, {}, {"Functions table"}});

  const std::vector<std::string> words = {shaderWords(5), shaderWords(6)};
  const auto vulkanRow = [&](const char* layout, Info info, std::string releases, bool sized) {
    rows.push_back({"vulkan",
                    layout,
                    formName(info),
                    "",
                    std::move(releases),
                    contextOf(info),
                    vulkan(kTwo, info, sized),
                    "vulkan",
                    {"spirv"},
                    names,
                    words,
                    {"Functions table"}});
  };
  vulkanRow("vulkan1", Info::Three, "v0.3 – v0.20", false);
  vulkanRow("vulkan1", Info::Four, "v0.21 – v0.23", false);
  vulkanRow("vulkan2", Info::Four, "v0.24 –", true);
  vulkanRow("vulkan2", Info::Second, "after v0.27", true);

  rows.push_back({"_lib", "none", "", "", "v0.7 –", kOlder, "", std::nullopt, {}, {}, {}, {"About notice"}});
  return rows;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = makeRows();
  return all;
}

const Layout* findLayout(const Row& row) {
  const modules::ModuleCodec* const codec = modules::findCodec(row.key);
  if (!codec) return nullptr;
  for (const Layout& layout : codec->layouts)
    if (layout.name == row.layout) return &layout;
  return nullptr;
}

std::string encoded(const Body& body) {
  Writer writer;
  body.encode(writer);
  const uint64_t size = writer.size();
  const std::string out(joined(writer.takePieces()).view());
  return size == out.size() ? out : "Writer::size() is " + std::to_string(size);
}

std::string pagesText(const Body& body) {
  view::PageList list;
  body.pages(list);
  std::string out;
  for (const view::Page& page : list)
    out += (out.empty() ? "" : ", ") + page.name + " " + std::string(view::pageKind(page));
  return out;
}

std::string joinedText(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

/// Looks at everything a body can show; the sanitizers watch.
void touch(const Body& body) {
  view::PageList list;
  body.pages(list);
  for (const view::Page& page : list)
    if (const auto* table = std::get_if<view::TablePage>(&page.content))
      for (uint64_t row = 0; row < table->source->rowCount(); ++row)
        for (std::size_t column = 0; column < table->source->columns().size(); ++column)
          (void)table->source->cell(row, column);
  (void)body.format();
  (void)body.content();
  (void)body.layout();
}

/// What must hold of any body that was decoded from the first bytes of `payload`.
QString whyUnsound(const Body& body, std::string_view payload, uint64_t used) {
  const QString different = whereDifferent(encoded(body), payload.substr(0, used));
  if (!different.isEmpty()) return QStringLiteral("encoded again it ") + different;
  const FieldTree tree = modules::describeBody(body, bytes(payload.substr(0, used)));
  const QString gaps = whyNotTiled(tree, used);
  if (!gaps.isEmpty()) return gaps;
  for (const modules::Kernel& kernel : body.kernels())
    if (kernel.fieldRow >= tree.rows.size()) return QStringLiteral("a kernel's field row does not exist");
  touch(body);
  return {};
}

} // namespace

/// What every codec of the table promises, on one payload of each kind, layout and FunctionInfo form ever stored.
class TestCodecs : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyLayoutHasARow();
  void roundTrip_data() { addRows(); }
  void roundTrip();
  void describe_data() { addRows(); }
  void describe();
  void kernels_data() { addRows(); }
  void kernels();
  void formatContentAndPages_data() { addRows(); }
  void formatContentAndPages();
  void otherFormDoesNotFit_data() { addRows(); }
  void otherFormDoesNotFit();
  void bytesBehindAreLeft_data() { addRows(); }
  void bytesBehindAreLeft();
  void truncations_data() { addRows(); }
  void truncations();
  void changedBytes_data() { addRows(); }
  void changedBytes();
  void lyingNumbers_data() { addRows(); }
  void lyingNumbers();
  void messages_data();
  void messages();

 private:
  void addRows() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < rows().size(); ++i) QTest::newRow(rows()[i].name().c_str()) << static_cast<int>(i);
  }
  const Row& row() {
    QFETCH(int, index);
    return rows()[static_cast<std::size_t>(index)];
  }
};

void TestCodecs::everyLayoutHasARow() {
  std::set<std::string> wanted, there;
  for (const modules::ModuleCodec* codec : modules::codecs())
    for (const std::string_view key : codec->keys)
      for (const Layout& layout : codec->layouts) wanted.insert(std::string(key) + " / " + std::string(layout.name));
  for (const Row& row : rows()) {
    there.insert(row.key + " / " + row.layout);
    qInfo("%s", row.name().c_str());
  }
  for (const std::string& name : wanted) QVERIFY2(there.contains(name), ("no row for " + name).c_str());
  for (const std::string& name : there) QVERIFY2(wanted.contains(name), ("no codec for the row " + name).c_str());
}

void TestCodecs::roundTrip() {
  const Row& row = this->row();
  const Layout* const layout = findLayout(row);
  QVERIFY(layout);
  Reader reader(bytes(row.payload));
  const BodyPtr body = layout->decode(reader, row.context);
  QVERIFY2(body, reader.ok() ? "null, but the reader has no failure" : reader.error().message().c_str());
  QVERIFY(reader.ok());
  QCOMPARE(reader.left(), uint64_t{0});
  QCOMPARE(body->layout(), std::string_view(row.layout));
  QVERIFY(body->decoded());
  const QString different = whereDifferent(encoded(*body), row.payload);
  QVERIFY2(different.isEmpty(), qPrintable(different));
  QCOMPARE(encoded(*body), row.payload); // the second time as well
}

void TestCodecs::describe() {
  const Row& row = this->row();
  const Bytes payload = bytes(row.payload);
  Reader reader(payload);
  const BodyPtr body = findLayout(row)->decode(reader, row.context);
  QVERIFY(body);
  const FieldTree tree = modules::describeBody(*body, payload);
  uint64_t unknown = 0;
  const QString gaps = whyNotTiled(tree, row.payload.size(), &unknown);
  QVERIFY2(gaps.isEmpty(), qPrintable(gaps));
  QCOMPARE(unknown, uint64_t{0});
  QCOMPARE(tree.ownedBytes(), uint64_t{row.payload.size()});

  const QString second = whereDifferent(rowsText(modules::describeBody(*body, payload)), rowsText(tree));
  QVERIFY2(second.isEmpty(), qPrintable("described a second time it " + second));
  for (uint32_t i = 0; i < tree.rows.size(); ++i) {
    const std::string path = tree.path(i);
    QVERIFY2(tree.find(path) == std::optional(i), ("path " + path).c_str());
    QVERIFY(!tree.rows[i].name.empty() || tree.rows[i].index != Field::kNoIndex);
    const Extent extent{tree.rows[i].offset, tree.rows[i].size};
    const auto deepest = tree.rowAt(extent.offset);
    if (extent.size > 0) QVERIFY2(deepest && *deepest >= i && *deepest < tree.rows[i].after, path.c_str());
  }
}

void TestCodecs::kernels() {
  const Row& row = this->row();
  const Bytes payload = bytes(row.payload);
  Reader reader(payload);
  const BodyPtr body = findLayout(row)->decode(reader, row.context);
  QVERIFY(body);
  const FieldTree tree = modules::describeBody(*body, payload);
  const std::vector<modules::Kernel> kernels = body->kernels();
  QCOMPARE(kernels.size(), row.kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    QCOMPARE(shown(kernels[i].name.view()), shown(row.kernels[i]));
    QCOMPARE(kernels[i].code.has_value(), !row.code.empty());
    if (kernels[i].code) {
      const QString different = whereDifferent(kernels[i].code->view(), row.code[i]);
      QVERIFY2(different.isEmpty(), qPrintable(different));
    }
    QCOMPARE(tree.path(kernels[i].fieldRow), "fmap[" + std::to_string(i) + "]");
  }
}

void TestCodecs::formatContentAndPages() {
  const Row& row = this->row();
  Reader reader(bytes(row.payload));
  const BodyPtr body = findLayout(row)->decode(reader, row.context);
  QVERIFY(body);
  QCOMPARE(body->format().has_value(), row.format.has_value());
  if (row.format) QCOMPARE(shown(body->format()->view()), shown(*row.format));
  QCOMPARE(shown(joinedText(body->content())), shown(joinedText(row.content)));
  QCOMPARE(shown(pagesText(*body)), shown(joinedText(row.pages)));
}

/// A payload with one FunctionInfo form does not come out even with the other; that is how the forms are told apart.
void TestCodecs::otherFormDoesNotFit() {
  const Row& row = this->row();
  WireContext other = row.context;
  other.extraTags = !other.extraTags;
  const bool fitsBoth = row.kernels.empty() || row.form == "fi second version";
  bool fits = false;
  for (const Layout& layout : modules::findCodec(row.key)->layouts) {
    Reader reader(bytes(row.payload));
    fits |= layout.decode(reader, other) != nullptr && reader.left() == 0;
  }
  QCOMPARE(fits, fitsBoth);
}

/// In a classic stream the next record follows: decoding stops behind the last byte it used.
void TestCodecs::bytesBehindAreLeft() {
  const Row& row = this->row();
  const std::string behind(37, '\x5a');
  Reader reader(bytes(row.payload + behind));
  const BodyPtr body = findLayout(row)->decode(reader, row.context);
  QVERIFY(body);
  QCOMPARE(reader.left(), uint64_t{behind.size()});
  QCOMPARE(encoded(*body), row.payload);
}

void TestCodecs::truncations() {
  const Row& row = this->row();
  const Layout* const layout = findLayout(row);
  for (std::size_t size = 0; size < row.payload.size(); ++size) {
    Reader reader(bytes(std::string_view(row.payload).substr(0, size)));
    const BodyPtr body = layout->decode(reader, row.context);
    QVERIFY2(!body, qPrintable(QStringLiteral("decoded from its first %1 bytes").arg(size)));
    QVERIFY(!reader.ok());
    const std::string message = reader.error().message();
    QVERIFY2(message.find(" at 0x") != std::string::npos, message.c_str());
    QVERIFY2(message.find('{') == std::string::npos, message.c_str());
    QVERIFY2(reader.failedAt() <= size, message.c_str());
  }
}

void TestCodecs::changedBytes() {
  const Row& row = this->row();
  std::string payload = row.payload;
  for (std::size_t at = 0; at < payload.size(); ++at) {
    const char was = payload[at];
    for (const int value : {0, 1, 8, 0x7f, 0xff, was ^ 0x01, was ^ 0x80, was + 1, was - 1}) {
      if (static_cast<char>(value) == was) continue;
      payload[at] = static_cast<char>(value);
      for (const Layout& layout : modules::findCodec(row.key)->layouts) {
        Reader reader(bytes(payload));
        const BodyPtr body = layout.decode(reader, row.context);
        QCOMPARE(body != nullptr, reader.ok());
        if (!body) continue;
        const QString why = whyUnsound(*body, payload, reader.position());
        QVERIFY2(why.isEmpty(), qPrintable(QStringLiteral("byte %1 = %2: ").arg(at).arg(value & 0xff) + why));
      }
    }
    payload[at] = was;
  }
}

/// Counts and lengths that promise more than there is cost neither memory nor time.
void TestCodecs::lyingNumbers() {
  const Row& row = this->row();
  for (std::size_t at = 0; at + 8 <= row.payload.size(); ++at) {
    for (const uint64_t value : {uint64_t{1} << 63, ~uint64_t{0}, uint64_t{1} << 32, ~uint64_t{0} / 4 + 1,
                                 uint64_t{row.payload.size()}, uint64_t{row.payload.size() - at - 8}}) {
      const std::string payload = patched(row.payload, at, value);
      Reader reader(bytes(payload));
      const BodyPtr body = findLayout(row)->decode(reader, row.context);
      QCOMPARE(body != nullptr, reader.ok());
      if (!body) continue;
      const QString why = whyUnsound(*body, payload, reader.position());
      QVERIFY2(why.isEmpty(), qPrintable(QStringLiteral("u64 at %1 = %2: ").arg(at).arg(value) + why));
    }
  }
}

void TestCodecs::messages_data() {
  QTest::addColumn<QString>("layoutName");
  QTest::addColumn<QByteArray>("payload");
  QTest::addColumn<QString>("message");
  const auto add = [](const char* name, const char* layout, const std::string& payload, const char* message) {
    QTest::newRow(name) << QString::fromLatin1(layout) << QByteArray::fromStdString(payload)
                        << QString::fromUtf8(message);
  };
  const std::vector<Function> one = {{"k"}};
  const std::string cuda = code3("ptx", one, "//", Info::Three);
  // fmt 0 – 11, fmap 11, key 19, name 28, arg_types 36, tags 52 (60, 78), data 97 – 107
  add("no bytes", "code3", "", "fmt at 0x1000 needs 8 bytes, 0 are left");
  add("length of the declared format", "code3", patched(cuda, 0, 1000),
      "fmt length 1000 at 0x1000 exceeds the 99 bytes left");
  add("number of functions", "code3", patched(cuda, 11, 1000),
      "fmap count 1000 at 0x100b cannot fit into the 88 bytes left");
  add("length of a kernel name", "code3", patched(cuda, 19, 81),
      "fmap[0].key length 81 at 0x1013 exceeds the 80 bytes left");
  add("number of arguments", "code3", patched(cuda, 36, 1ull << 63),
      "fmap[0].info.arg_types count 9223372036854775808 at 0x1024 cannot fit into the 63 bytes left");
  add("length of a launch tag", "code3", patched(cuda, 60, 99),
      "fmap[0].info.launch_param_tags[0] length 99 at 0x103c exceeds the 39 bytes left");
  add("cut in the number of functions", "code3", cuda.substr(0, 13), "fmap at 0x100b needs 8 bytes, 2 are left");
  add("length of the data", "code3", patched(cuda, 97, 3), "data length 3 at 0x1061 exceeds the 2 bytes left");
  // fmt 0 – 14, fmap 14 – 100, smap 100, key 108, shader 117
  const std::string sized = vulkan(one, Info::Three, true);
  add("length around a shader", "vulkan2", patched(sized, 117, 31),
      "smap[0].shader at 0x1075 is 0x1f, not the length of the structure it holds");
}

void TestCodecs::messages() {
  QFETCH(QString, layoutName);
  QFETCH(QByteArray, payload);
  QFETCH(QString, message);
  const auto inFile = source(std::string_view(payload.constData(), static_cast<std::size_t>(payload.size())));
  for (const modules::ModuleCodec* codec : modules::codecs())
    for (const Layout& layout : codec->layouts) {
      if (layout.name != layoutName.toStdString() || codec->keys[0] == "opencl") continue;
      Reader reader(Bytes(inFile, inFile->view(), 0x1000));
      QVERIFY(!layout.decode(reader, kOlder));
      QCOMPARE(shown(reader.error().message()), message);
    }
}

BLOBSCOPE_TEST(TestCodecs);
#include "test_codecs.moc"
