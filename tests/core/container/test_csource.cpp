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
  void hostCodeWithoutABlobOpens_data();
  void hostCodeWithoutABlobOpens();
  void functionsOfTvmFfiAreFound_data();
  void functionsOfTvmFfiAreFound();
  void manyCallsAreReadInTime();
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

void TestCSource::hostCodeWithoutABlobOpens_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("kind");
  QTest::addColumn<QByteArray>("producer"); ///< empty: none
  const QByteArray mm = "int32_t __tvm_ffi_mm(void* self, void* args, int32_t num_args, void* result) {\n}\n";
  QTest::newRow("TileLang") << "// tilelang target: {\"kind\":\"c\"}\n" + mm << QByteArray("library")
                            << QByteArray("tilelang");
  QTest::newRow("TVM") << "// tvm target: c\nTVM_DLL " + mm << QByteArray("library") << QByteArray("tvm");
  QTest::newRow("only a definition") << mm << QByteArray("library") << QByteArray("tvm");
  QTest::newRow("only the first line") << QByteArray("// tvm target: c\n") << QByteArray("objects")
                                       << QByteArray("tvm");
}

void TestCSource::hostCodeWithoutABlobOpens() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, kind);
  QFETCH(QByteArray, producer);
  const auto package = openBytes(text.toStdString());
  QVERIFY2(package.hasValue(), package ? "" : package.error().message().c_str());
  QCOMPARE((*package)->kind(), std::string_view(kind.constData()));
  QCOMPARE((*package)->producer ? (*package)->producer->id : "", std::string_view(producer.constData()));
  QCOMPARE((*package)->host.functions.size(), std::size_t{kind == "library" ? 1u : 0u});
}

void TestCSource::functionsOfTvmFfiAreFound_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QByteArray>("names"); ///< separated by '|'; "-": the text is refused
  const auto row = [](const char* name, const char* text, const char* names) {
    QTest::newRow(name) << QByteArray(text) << QByteArray(names);
  };
  row("TVM", "TVM_DLL int32_t __tvm_ffi_f(void* a) {\n}", "f");
  row("tvm-ffi", "TVM_FFI_DLL_EXPORT int __tvm_ffi_f(void* self, const TVMFFIAny* args) {}", "f");
  row("declared and defined", "int32_t __tvm_ffi_f(void* a);\nint32_t __tvm_ffi_f(void* a)\n{\n}", "f");
  row("only declared", "int32_t __tvm_ffi_f(void* a);", "-");
  row("only called", "int g() {\n  if (__tvm_ffi_f(a)) { return 1; }\n  return __tvm_ffi_f(a, b);\n}", "-");
  row("a call as a condition", "if (__tvm_ffi_f(a) != 0) {\n}", "-");
  row("static", "static int32_t __tvm_ffi_f(void* a) {\n}", "-");
  row("with a pointer", "int32_t __tvm_ffi_f(int (*g)(void), void* b) {\n}", "f");
  row("C linkage", "extern \"C\" int32_t __tvm_ffi_f(void* a) {\n}", "f");
  row("type on its own line", "int32_t\n__tvm_ffi_f(void* a) {\n}", "f");
  row("longer name", "int32_t my__tvm_ffi_f(void* a) {\n}", "-");
  row("in a comment", "// int32_t __tvm_ffi_f(void* a) {\n", "-");
  row("any name",
      "TVM_DLL int32_t __tvm_ffi_with space(void* a) {\n}\nTVM_DLL int32_t __tvm_ffi_q\"uote(void* a) {\n}\n"
      "TVM_DLL int32_t __tvm_ffi_dot.ted(void* a) {\n}\nTVM_DLL int32_t __tvm_ffi_uni_\xc3\xa4(void* a) {\n}",
      "with space|q\"uote|dot.ted|uni_\xc3\xa4");
  row("a carrier's name", "int32_t __tvm_ffi_library_bin(void* a) {\n}", "library_bin");
  row("no name", "int32_t __tvm_ffi_(void* a) {\n}", "");
  row("no end", "int32_t __tvm_ffi_f(void* a", "-");
}

void TestCSource::functionsOfTvmFfiAreFound() {
  QFETCH(QByteArray, text);
  QFETCH(QByteArray, names);
  const auto package = openBytes(text.toStdString());
  if (names == "-") {
    QVERIFY(!package || (*package)->host.functions.empty());
    return;
  }
  QVERIFY2(package.hasValue(), package ? "" : package.error().message().c_str());
  std::string found;
  for (const host::Function& function : (*package)->host.functions)
    found += (found.empty() ? "" : "|") + std::string(function.name);
  QCOMPARE(QByteArray::fromStdString(found), names);
}

/// Every name could be a definition until its parentheses are read.
void TestCSource::manyCallsAreReadInTime() {
  const auto time = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "int32_t __tvm_ffi_((((\n";
    const int64_t start = threadNs();
    (void)openBytes(text);
    return static_cast<double>(threadNs() - start);
  };
  const double before = time(2'000);
  const double ratio = time(16'000) / before;
  QVERIFY2(ratio < 24, qPrintable(QStringLiteral("%1 times the time").arg(ratio)));
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
