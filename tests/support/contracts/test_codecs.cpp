#include "core/modules/codec.h"

#include "core/base/text.h"
#include "core/base/writer.h"
#include "core/modules/registry.h"
#include "core/payloads/sniff.h"
#include "core/view/page.h"
#include "tests/core/modules/tree_check.h"
#include "tests/support/builders.h"
#include "tests/support/contracts/codec_rows.h"
#include "tests/support/tensor_builders.h"
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

const Layout* findLayout(const CodecRow& row) {
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

std::string bodyPagesText(const Body& body) {
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

void touchPages(const view::PageList& list) {
  NullMonitor monitor;
  for (const view::Page& page : list) {
    const auto now = view::resolvePage(page, monitor);
    const auto* const table = now ? std::get_if<view::TablePage>(&now->content) : nullptr;
    if (!table) continue;
    const std::size_t columns = table->source->columns().size();
    for (uint64_t row = 0; row < table->source->rowCount(); ++row)
      for (std::size_t column = 0; column < columns; ++column) (void)table->source->cell(row, column);
  }
}

/// Reads everything that a body can show, under sanitizers.
void touchBody(const Body& body) {
  view::PageList list;
  body.pages(list);
  touchPages(list);
  NullMonitor monitor;
  for (const modules::PartGroup& group : body.parts())
    for (std::size_t i = 0; i < group.parts.size(); ++i)
      if (const auto content = body.part(group.kind, i, monitor)) touchPages(content->pages);
  (void)body.format();
  (void)body.content();
  (void)body.layout();
}

/// The conditions for any body that was decoded from the first bytes of `payload`.
QString whyUnsound(const Body& body, std::string_view payload, uint64_t used) {
  const QString different = whereDifferent(encoded(body), payload.substr(0, used));
  if (!different.isEmpty()) return QStringLiteral("encoded again it ") + different;
  const FieldTree tree = modules::describeBody(body, bytes(payload.substr(0, used)));
  const QString gaps = whyNotTiled(tree, used);
  if (!gaps.isEmpty()) return gaps;
  for (const modules::Kernel& kernel : body.kernels())
    if (kernel.fieldRow >= tree.rows.size()) return QStringLiteral("a kernel's field row does not exist");
  for (const modules::PartGroup& group : body.parts())
    for (const modules::Part& part : group.parts)
      if (part.fieldRow && *part.fieldRow >= tree.rows.size())
        return QStringLiteral("a part's field row does not exist");
  touchBody(body);
  return {};
}

} // namespace

/// The guarantees of every codec, checked with one payload of each kind, layout and FunctionInfo form ever stored.
class TestModuleCodecs : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void everyLayoutIsTested();
  void payloadsRoundTrip_data() { addRows(); }
  void payloadsRoundTrip();
  void fieldsCoverThePayload_data() { addRows(); }
  void fieldsCoverThePayload();
  void kernelsAreListed_data() { addRows(); }
  void kernelsAreListed();
  void partsAreListedWithTheirBytes_data() { addRows(); }
  void partsAreListedWithTheirBytes();
  void formatContentAndPagesAreShown_data() { addRows(); }
  void formatContentAndPagesAreShown();
  void otherFormOfFunctionInfoDoesNotFit_data() { addRows(); }
  void otherFormOfFunctionInfoDoesNotFit();
  void decodingStopsAfterTheLastByteUsed_data() { addRows(); }
  void decodingStopsAfterTheLastByteUsed();
  void everyTruncationIsReported_data() { addRows(); }
  void everyTruncationIsReported();
  void everyChangedByteIsSafe_data() { addRows(); }
  void everyChangedByteIsSafe();
  void wrongNumbersAreSafe_data() { addRows(); }
  void wrongNumbersAreSafe();
  void messagesNameTheField_data();
  void messagesNameTheField();

private:
  void addRows() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < codecRows().size(); ++i)
      QTest::newRow(codecRows()[i].name().c_str()) << static_cast<int>(i);
  }
  const CodecRow& row() {
    QFETCH(int, index);
    return codecRows()[static_cast<std::size_t>(index)];
  }
};

void TestModuleCodecs::everyLayoutIsTested() {
  std::set<std::string> wanted, there;
  for (const modules::ModuleCodec* codec : modules::codecs())
    for (const std::string_view key : codec->keys)
      for (const Layout& layout : codec->layouts) wanted.insert(std::string(key) + " / " + std::string(layout.name));
  for (const CodecRow& row : codecRows()) {
    there.insert(row.key + " / " + row.layout);
    qInfo("%s", row.name().c_str());
  }
  for (const std::string& name : wanted) QVERIFY2(there.contains(name), ("no row for " + name).c_str());
  for (const std::string& name : there) QVERIFY2(wanted.contains(name), ("no codec for the row " + name).c_str());
}

void TestModuleCodecs::payloadsRoundTrip() {
  const CodecRow& row = this->row();
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

void TestModuleCodecs::fieldsCoverThePayload() {
  const CodecRow& row = this->row();
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

void TestModuleCodecs::kernelsAreListed() {
  const CodecRow& row = this->row();
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

/// The refs below the module: in order, with the rows of their fields, and with bytes or the reason for their absence.
void TestModuleCodecs::partsAreListedWithTheirBytes() {
  const CodecRow& row = this->row();
  const Bytes payload = bytes(row.payload);
  Reader reader(payload);
  const BodyPtr body = findLayout(row)->decode(reader, row.context);
  QVERIFY(body);
  const FieldTree tree = modules::describeBody(*body, payload);
  NullMonitor monitor;
  std::vector<std::string> found;
  for (const modules::PartGroup& group : body->parts()) {
    QVERIFY(bodyPagesText(*body).find(group.page) != std::string::npos);
    for (std::size_t i = 0; i < group.parts.size(); ++i) {
      const modules::Part& part = group.parts[i];
      found.push_back(std::string(partWord(group.kind)) + ":" + part.name +
                      (part.detail.empty() ? "" : " " + part.detail) +
                      (part.fieldRow ? " at " + tree.path(*part.fieldRow) : ""));
      const auto content = body->part(group.kind, i, monitor);
      QVERIFY(content.hasValue());
      QCOMPARE(content->bytes.has_value(), content->whyNoBytes.empty());
      if (part.size) QCOMPARE(content->bytes->size(), *part.size);
    }
  }
  QCOMPARE(shown(joinedText(found)), shown(joinedText(row.parts)));
}

void TestModuleCodecs::formatContentAndPagesAreShown() {
  const CodecRow& row = this->row();
  Reader reader(bytes(row.payload));
  const BodyPtr body = findLayout(row)->decode(reader, row.context);
  QVERIFY(body);
  QCOMPARE(body->format().has_value(), row.format.has_value());
  if (row.format) QCOMPARE(shown(body->format()->view()), shown(*row.format));
  QCOMPARE(shown(joinedText(body->content())), shown(joinedText(row.content)));
  QCOMPARE(shown(bodyPagesText(*body)), shown(joinedText(row.pages)));
}

/// A payload with one form of FunctionInfo does not decode completely with the other form; this distinguishes the
/// forms.
void TestModuleCodecs::otherFormOfFunctionInfoDoesNotFit() {
  const CodecRow& row = this->row();
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

/// In a classic stream the next record follows: decoding stops after the last byte that it uses.
void TestModuleCodecs::decodingStopsAfterTheLastByteUsed() {
  const CodecRow& row = this->row();
  const std::string behind(37, '\x5a');
  Reader reader(bytes(row.payload + behind));
  const BodyPtr body = findLayout(row)->decode(reader, row.context);
  QVERIFY(body);
  QCOMPARE(reader.left(), uint64_t{behind.size()});
  QCOMPARE(encoded(*body), row.payload);
}

void TestModuleCodecs::everyTruncationIsReported() {
  const CodecRow& row = this->row();
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

void TestModuleCodecs::everyChangedByteIsSafe() {
  const CodecRow& row = this->row();
  std::string payload = row.payload;
  const std::size_t step = payload.size() > 400 ? 5 : 1;
  for (std::size_t at = 0; at < payload.size(); at += step) {
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

/// Counts and lengths that exceed the bytes cost neither memory nor time.
void TestModuleCodecs::wrongNumbersAreSafe() {
  const CodecRow& row = this->row();
  const std::size_t step = row.payload.size() > 400 ? 3 : 1;
  for (std::size_t at = 0; at + 8 <= row.payload.size(); at += step) {
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

void TestModuleCodecs::messagesNameTheField_data() {
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
  add("no bytes", "code3", "", "fmt at 0x1000 needs 8 bytes, but only 0 are left");
  add("length of the declared format", "code3", patched(cuda, 0, 1000),
      "fmt length 1,000 at 0x1000 exceeds the 99 bytes left");
  add("number of functions", "code3", patched(cuda, 11, 1000),
      "fmap count 1,000 at 0x100b cannot fit into the 88 bytes left");
  add("length of a kernel name", "code3", patched(cuda, 19, 81),
      "fmap[0].key length 81 at 0x1013 exceeds the 80 bytes left");
  add("number of arguments", "code3", patched(cuda, 36, 1ull << 63),
      "fmap[0].info.arg_types count 9,223,372,036,854,775,808 at 0x1024 cannot fit into the 63 bytes left");
  add("length of a launch tag", "code3", patched(cuda, 60, 99),
      "fmap[0].info.launch_param_tags[0] length 99 at 0x103c exceeds the 39 bytes left");
  add("cut in the number of functions", "code3", cuda.substr(0, 13),
      "fmap at 0x100b needs 8 bytes, but only 2 are left");
  add("length of the data", "code3", patched(cuda, 97, 3), "data length 3 at 0x1061 exceeds the 2 bytes left");
  const std::vector<TensorText> tensor = {{kFloat32, {2}, floats({1, 2})}};
  // names 0, its name 8 – 17, count 17, tensor 25: ndim 49, dtype 53, shape 57, data 65; symbols 81, its count 89
  const std::string consts = constants({"w"}, tensor, {}, {});
  add("number of constants", "consts", patched(consts, 17, 2), "count at 0x1011 is 0x2, expected the number of names");
  add("number of symbols", "consts", patched(consts, 89, 1),
      "symbol_count at 0x1059 is 0x1, expected the number of symbols");
  add("magic of a tensor", "consts", patched(consts, 25, 1),
      "tensors[0].magic at 0x1019 is 0x1, expected 0xdd5e40f096b4a13f");
  add("axes of a tensor", "consts", patched(consts, 49, 0x0001200200000041),
      "tensors[0].ndim at 0x1031 is 0x41, expected 0 to 64");
  add("length of a tensor", "consts", patched(consts, 65, 25),
      "tensors[0].data length 25 at 0x1041 exceeds the 24 bytes left");
  add("number of parameters", "aot_factory", patched(aotFactory({"w"}, tensor, "m"), 0, 3),
      "count at 0x1000 is 0x3, expected the number of names");
  // fmt 0 – 14, fmap 14 – 100, smap 100, key 108, shader 117
  const std::string sized = vulkan(one, Info::Three, true);
  add("length around a shader", "vulkan2", patched(sized, 117, 31),
      "smap[0].shader at 0x1075 is 0x1f, expected the length of the structure it holds");
}

void TestModuleCodecs::messagesNameTheField() {
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

BLOBSCOPE_TEST(TestModuleCodecs);
#include "test_codecs.moc"
