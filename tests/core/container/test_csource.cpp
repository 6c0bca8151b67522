#include "core/container/csource/csource.h"

#include "core/container/raw.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// The array as text; the format string describes one item.
std::string sourceOf(const std::string& blob, const char* item, const std::string& name = "__tvm_dev_mblob",
                     const std::string& length = {}) {
  std::string text = "#ifdef _WIN32\n#define TVM_EXPORT __declspec(dllexport)\n#endif\nextern const unsigned char " +
                     name + "[];\nconst unsigned char " + name + "[" +
                     (length.empty() ? std::to_string(blob.size()) : length) + "] = {\n";
  for (std::size_t i = 0; i < blob.size(); ++i) {
    char word[16];
    std::snprintf(word, sizeof word, item, static_cast<unsigned>(static_cast<unsigned char>(blob[i])));
    text += word + std::string(i % 20 == 19 ? ",\n" : ",");
  }
  return text + "};\n";
}

std::string smallBlob() {
  return classicBlob({{"_lib", ""}, {"cuda", code3("ptx", {{"k"}}, ".version 8.0", Info::Three)}}, {{{1}, {}}});
}

} // namespace

class TestCSource : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everySpellingOfTheArrayIsRead_data();
  void everySpellingOfTheArrayIsRead();
  void prefixIsReadAndCommentedArraysCount();
  void functionsAndAbiAreFound();
  void wrongItemsAreReported_data();
  void wrongItemsAreReported();
  void declarationsAreNotArrays();
  void everyTruncationIsSafeUnderSanitizers();
  void sourceWithoutTvmIsRefused();
  void extractedBlobOpens();
  void parameterFileOpens();
  void blobOfAStrippedProgramIsFoundByItsName_data();
  void blobOfAStrippedProgramIsFoundByItsName();
};

void TestCSource::everySpellingOfTheArrayIsRead_data() {
  QTest::addColumn<QByteArray>("item");
  QTest::newRow("not padded, before v0.14") << QByteArray("0x%x");
  QTest::newRow("padded") << QByteArray("0x%02x");
  QTest::newRow("upper case with suffix") << QByteArray("0X%XU");
  QTest::newRow("decimal") << QByteArray("%u");
  QTest::newRow("octal") << QByteArray("0%o");
  QTest::newRow("blanks and comments") << QByteArray(" %u /* b */ ");
}

void TestCSource::everySpellingOfTheArrayIsRead() {
  QFETCH(QByteArray, item);
  const std::string blob = smallBlob();
  const auto package = openBytes(sourceOf(blob, item.constData()));
  QVERIFY2(package.hasValue(), package ? "" : package.error().message().c_str());
  QCOMPARE((*package)->image.format, container::Format::CSource);
  QCOMPARE((*package)->blobs.size(), std::size_t{1});
  QCOMPARE((*package)->blobs[0]->bytes.view(), std::string_view(blob));
  QVERIFY(!(*package)->blobs[0]->bytes.offset()); // not in this form in the file
  QVERIFY(!(*package)->worst() || *(*package)->worst() == Severity::Note);
}

void TestCSource::prefixIsReadAndCommentedArraysCount() {
  const auto package = openBytes("// const unsigned char __tvm_dev_mblob[1] = {0x1};\n" +
                                 sourceOf(smallBlob(), "0x%02x", "my_lib___tvm_ffi_library_bin"));
  QVERIFY(package.hasValue());
  // A commented-out array counts as an array: the reader looks for the brace after the name and does not parse the
  // language.
  QVERIFY(!(*package)->blobs.empty());
  QCOMPARE((*package)->blobs.back()->carrier.prefix, std::string("my_lib_"));
  QCOMPARE((*package)->blobs.back()->bytes.view(), std::string_view(smallBlob()));
}

void TestCSource::functionsAndAbiAreFound() {
  const auto package =
      openBytes("// tvm target: c\nvoid* __tvm_module_ctx = NULL;\n#ifdef __cplusplus\nextern \"C\"\n#endif\n"
                "TVM_DLL int32_t declared(void* args);\n"
                "TVM_DLL int32_t fused_add(void* args, int32_t n) {\n  return 0;\n}\n");
  QVERIFY(package.hasValue());
  QCOMPARE((*package)->host.functions.size(), std::size_t{1});
  QCOMPARE((*package)->host.functions[0].name, std::string_view("fused_add"));
  QCOMPARE((*package)->host.abi, std::optional(host::Abi::Classic));
  // Calls of functions of the runtime decide the generation; longer names that contain theirs do not.
  const auto generation = [](const std::string& call) {
    const auto opened = openBytes(
        "void* __tvm_ffi__library_ctx = NULL;\nTVM_DLL int32_t __tvm_ffi_f(void* args) {\n  " + call + ";\n}\n");
    return opened ? (*opened)->host.abi : std::nullopt;
  };
  QCOMPARE(generation("return 0"), std::optional(host::Abi::Ffi2));
  QCOMPARE(generation("TVMFFIErrorSetRaisedFromCStrParts(kind, parts, 2)"), std::optional(host::Abi::Ffi3));
  QCOMPARE(generation("myTVMFFIErrorSetRaisedFromCStrParts(kind, parts, 2)"), std::optional(host::Abi::Ffi2));
  QCOMPARE(generation("TVMFFIEnvModLookupFromImports(ctx, name, &f)"), std::optional(host::Abi::Ffi4));
  QCOMPARE(generation("TVMBackendSetDevice(2, 0)"), std::optional(host::Abi::Ffi5));
}

void TestCSource::wrongItemsAreReported_data() {
  QTest::addColumn<QByteArray>("items");
  QTest::newRow("too large") << QByteArray("0x1ff");
  QTest::newRow("a word") << QByteArray("FOO");
  QTest::newRow("negative") << QByteArray("-1");
  QTest::newRow("no end") << QByteArray("1,2,3");
  QTest::newRow("endless digits") << QByteArray(4000, '9');
}

void TestCSource::wrongItemsAreReported() {
  QFETCH(QByteArray, items);
  const bool noEnd = items == "1,2,3";
  const auto package = openBytes("const char __tvm_dev_mblob[4] = {1, " + items.toStdString() + (noEnd ? "" : "};"));
  QVERIFY(package.hasValue());
  bool told = false;
  for (const Diagnostic& diagnostic : (*package)->diagnostics)
    told = told || (diagnostic.id == DiagnosticId::FileTable &&
                    diagnostic.message().find("__tvm_dev_mblob") != std::string::npos);
  QVERIFY(told);
}

void TestCSource::declarationsAreNotArrays() {
  const auto package =
      openBytes("extern const char __tvm_dev_mblob[];\nTVM_DLL int f(void) { return __tvm_dev_mblob[0] == 1; }\n");
  QVERIFY(package.hasValue());
  QVERIFY((*package)->blobs.empty());
}

void TestCSource::everyTruncationIsSafeUnderSanitizers() {
  const std::string text = sourceOf(smallBlob(), "0x%02x");
  for (std::size_t size = 1; size < text.size(); size += 3) (void)openBytes(text.substr(0, size));
}

void TestCSource::sourceWithoutTvmIsRefused() {
  const auto package = openBytes("int main() { return 0; }\n");
  QVERIFY(!package);
  QCOMPARE(package.error().id(), DiagnosticId::FileKind);
}

/// The output of `extract blob` can be opened again.
void TestCSource::extractedBlobOpens() {
  for (const std::string& blob :
       {smallBlob(), ffiBlob({{"_lib", ""}, {"cuda", code3("ptx", {{"k"}}, "x", Info::Four)}}, {{1}, {}})}) {
    const auto package = openBytes(blob);
    QVERIFY2(package.hasValue(), package ? "" : package.error().message().c_str());
    QCOMPARE((*package)->kind(), std::string_view("blob"));
    QCOMPARE((*package)->blobs.at(0)->modules.size(), std::size_t{2});
    QVERIFY(!(*package)->worst() || *(*package)->worst() == Severity::Note);
    // With one byte more or less it is not a blob.
    QVERIFY(!openBytes(blob + "x"));
    QVERIFY(!openBytes(blob.substr(0, blob.size() - 1)));
  }
}

void TestCSource::parameterFileOpens() {
  const auto package = openBytes("\xb7\x9c\x04\x05\x4f\x8d\xe5\xf7" + std::string(16, '\0'));
  QVERIFY(package.hasValue());
  QCOMPARE((*package)->kind(), std::string_view("params"));
  QVERIFY((*package)->blobs.empty());
}

void TestCSource::blobOfAStrippedProgramIsFoundByItsName_data() {
  QTest::addColumn<std::string>("blob");
  QTest::addColumn<std::string>("name");
  QTest::newRow("import tree") << smallBlob() << std::string("__tvm_dev_mblob");
  QTest::newRow("stream") << ffiBlob({{"_lib", ""}, {"cuda", code3("ptx", {{"k"}}, "x", Info::Four)}}, {{1}, {}})
                          << std::string("__tvm_ffi__library_bin");
}

/// No symbol is left, only the string that is passed to the registration call.
void TestCSource::blobOfAStrippedProgramIsFoundByItsName() {
  QFETCH(std::string, blob);
  QFETCH(std::string, name);
  ElfBuilder elf;
  elf.type = 2;
  elf.data("plain", std::string(100, 'x') + std::string("\0", 1) + "my_lib_" + name + std::string("\0", 1) +
                        std::string(37, '\3') + blob + std::string(50, 'y'));
  const auto package = openBytes(elf.build());
  QVERIFY(package.hasValue());
  QCOMPARE((*package)->blobs.size(), std::size_t{1});
  QCOMPARE((*package)->blobs[0]->bytes.view(), std::string_view(blob));
  QCOMPARE((*package)->blobs[0]->carrier.prefix, std::string("my_lib_"));
  // Without the name nothing is searched.
  ElfBuilder other;
  other.type = 2;
  other.data("plain", blob);
  const auto none = openBytes(other.build());
  QVERIFY(none.hasValue());
  QVERIFY((*none)->blobs.empty());
}

BLOBSCOPE_TEST(TestCSource);

#include "test_csource.moc"
