#include "core/host/signatures.h"

#include "core/container/container.h"
#include "core/library/open.h"
#include "tests/core/host/host_texts.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <QDirIterator>

#include <filesystem>

using namespace blobscope;
using namespace blobscope::test;

namespace {

const std::string kLiteral = "vadd(A: Tensor([n], float32), B: Tensor([n], float32))";

QString corpusFolder() {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  return set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set;
}

/// Signatures of all members, a line each.
QString linesOf(const library::PackagePtr& package) {
  NullMonitor monitor;
  QStringList lines;
  library::forEachPackage(package, [&](const library::PackagePtr& inner) {
    const auto found = host::computeSignatures(inner->image, inner->host, monitor);
    if (!found) return;
    for (const host::Signature& signature : *found) lines << QString::fromStdString(HostTexts::lineOf(signature));
  });
  return lines.join(QLatin1Char('\n'));
}

std::string elfWithTexts(const std::string& function, const std::string& texts) {
  ElfBuilder elf;
  elf.function(function);
  elf.data("__tvm_ffi__library_ctx", std::string(8, '\0'));
  elf.data("texts", texts);
  return elf.build();
}

} // namespace

/// Where texts are searched, which function they belong to, and the totals of all real files.
class TestSignatures : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void signatureIsReadFromAnElf();
  void literalsAreAssignedToSymbols();
  void literalsWithoutSymbolsNeedATensorAmongThem();
  void deviceIsReadFromItsCheck_data();
  void deviceIsReadFromItsCheck();
  void fileWithoutConstantDataIsSearchedWhole();
  void fileWithoutSectionsIsSearchedWhole();
  void signatureIsReadFromCSource();
  void signaturesOfCuteDslAreRead();
  void functionsMayHaveAnyName_data();
  void functionsMayHaveAnyName();
  void overlappingSectionsAreReadOnce();
  void searchCanBeCancelled();
  void timeGrowsWithSize();
  void corpusSignaturesHaveTypes();
};

void TestSignatures::signatureIsReadFromAnElf() {
  const auto package =
      openBytes(elfWithTexts("__tvm_ffi_vadd", "noise noise" + std::string(1, '\0') + kLiteral + std::string(1, '\0')));
  QVERIFY(package);
  QCOMPARE(linesOf(*package), QStringLiteral("vadd(A: Tensor([n], float32), B: Tensor([n], float32))"));
}

void TestSignatures::literalsAreAssignedToSymbols() {
  HostTexts texts{
      {"other(A: int32)", kLiteral, "@" + std::string("g(x: weird)")}, {"g", "vadd", "h", "i"}, host::Abi::Ffi4};
  texts.texts.push_back("i()");
  QCOMPARE(QString::fromStdString(texts.signatures()),
           QStringLiteral("g(x: weird) ?\nvadd(A: Tensor([n], float32), B: Tensor([n], float32))\nh(?) ?\ni()"));
}

void TestSignatures::literalsWithoutSymbolsNeedATensorAmongThem() {
  HostTexts texts{{"main_loop()", "printf(a, b)", "max(a: half)", kLiteral}, {}, host::Abi::Ffi4};
  QCOMPARE(QString::fromStdString(texts.signatures()),
           QStringLiteral("main_loop()\nvadd(A: Tensor([n], float32), B: Tensor([n], float32))"));
  texts.texts = {"main_loop()", "printf(a, b)"};
  QCOMPARE(QString::fromStdString(texts.signatures()), QString());
}

void TestSignatures::deviceIsReadFromItsCheck_data() {
  QTest::addColumn<QStringList>("words");
  QTest::addColumn<QString>("device");
  QTest::newRow("one") << QStringList{".device_type on argument #", "cuda"} << " @2 @2";
  QTest::newRow("two") << QStringList{".device_type on argument #", "cuda", "cpu"} << "";
  QTest::newRow("no check") << QStringList{"opencl"} << "";
  QTest::newRow("none") << QStringList{".device_type on argument #"} << "";
}

void TestSignatures::deviceIsReadFromItsCheck() {
  QFETCH(QStringList, words);
  QFETCH(QString, device);
  HostTexts texts{{kLiteral}, {"vadd"}, host::Abi::Ffi4};
  for (const QString& word : words) texts.texts.push_back(word.toStdString());
  QCOMPARE(QString::fromStdString(texts.signatures()), QString::fromStdString(kLiteral) + device);
}

void TestSignatures::fileWithoutConstantDataIsSearchedWhole() {
  container::Image image;
  const std::string data = std::string(4, '\0') + kLiteral + '\0';
  image.file = bytes(data);
  image.kind = container::Kind::Shared;
  image.sections.resize(1);
  image.sections[0].file = {0, data.size()};
  image.sections[0].allocated = image.sections[0].writable = true;
  NullMonitor monitor;
  QCOMPARE(host::computeSignatures(image, {}, monitor)->size(), std::size_t{1});
  image.sections[0].executable = true; // no constant data: the whole file is searched
  QCOMPARE(host::computeSignatures(image, {}, monitor)->size(), std::size_t{1});
  image.kind = container::Kind::Archive;
  QVERIFY(host::computeSignatures(image, {}, monitor)->empty());
}

void TestSignatures::fileWithoutSectionsIsSearchedWhole() {
  container::Image image;
  image.file = bytes("\x01\x02" + kLiteral);
  NullMonitor monitor;
  QCOMPARE(host::computeSignatures(image, {}, monitor)->size(), std::size_t{1});
}

void TestSignatures::signatureIsReadFromCSource() {
  container::Image image;
  image.format = container::Format::CSource;
  image.kind = container::Kind::Text;
  image.file = bytes("// \"comment\nint f(char c) { if (c == '\"') fail(\"RuntimeError\", \"mm: num_args should be "
                     "1\"); fail(\"mm: Expect arg[0] to be pointer\");\n"
                     "fail(\"mm.x.ndim is expected to equal 1\"); fail(\"mm.x.dtype is expected to be int8\"); "
                     "fail(\"Argument mm.x.shape[0] has an unsatisfied constraint: 3 == mm_x_shape[0]\"); }\n\"");
  NullMonitor monitor;
  const auto found = host::computeSignatures(image, {}, monitor);
  QVERIFY(found);
  QCOMPARE(found->size(), std::size_t{1});
  QCOMPARE(QString::fromStdString(found->front().text()), QStringLiteral("mm(x: Tensor([3], int8))"));
}

/// Texts as in a library of CuTe DSL 4.8.1.
void TestSignatures::signaturesOfCuteDslAreRead() {
  HostTexts texts{{"Expects 2 parameters", " when calling: `add(a: Tensor([n0, 128], bfloat16), s: Stream)`",
                   ", expected device_type=cuda", "Expects 0 parameters", " when calling: `unknown(a: int32)`",
                   "x when calling: `stop()`"},
                  {"add", "stop"},
                  host::Abi::Ffi2};
  QCOMPARE(QString::fromStdString(texts.signatures()),
           QStringLiteral("add(a: Tensor([n0, 128], bfloat16), s: Stream) @2 ?\nstop()"));
  texts.texts.push_back(", expected device_type=cpu");
  QCOMPARE(QString::fromStdString(texts.signatures()),
           QStringLiteral("add(a: Tensor([n0, 128], bfloat16), s: Stream) ?\nstop()"));
}

void TestSignatures::functionsMayHaveAnyName_data() {
  QTest::addColumn<QByteArray>("name");
  for (const char* name : {"", "with space", "q\"uote", "%s%n", "-lead", "{j}", "sl/ash", "tab\tx", "f(x)", "((",
                           "uni_\xc3\xa4\xc3\xb6", "\xff\xfe", "\x01", "library_bin", "_metadata_add"})
    QTest::newRow(QByteArray(name).toPercentEncoding(" ")) << QByteArray(name); // the row's name goes into XML
}

void TestSignatures::functionsMayHaveAnyName() {
  QFETCH(QByteArray, name);
  const std::string text = name.toStdString() + "(A: Tensor([n], int8))";
  HostTexts texts{{"noise", text, "vadd(x: int32)"}, {name.toStdString(), "vadd"}, host::Abi::Ffi4};
  QCOMPARE(texts.signatures(), text + "\nvadd(x: int32)");
  // The same in C source, with the escapes that TVM writes.
  container::Image image;
  image.format = container::Format::CSource;
  image.kind = container::Kind::Text;
  std::string escaped;
  for (const char c : text) {
    char byte[8];
    std::snprintf(byte, sizeof byte, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    escaped += c == '"' ? "\\\"" : c >= 0x20 && c < 0x7f ? std::string(1, c) : byte;
  }
  image.file = bytes("{\"Expected \", \"1\", \" when calling:\\n  `\", \"" + escaped + "\", \"`\"};\n");
  host::HostSymbols symbols;
  const std::string stored = name.toStdString();
  symbols.functions.push_back({stored, 0});
  NullMonitor monitor;
  const auto found = host::computeSignatures(image, symbols, monitor);
  QVERIFY(found);
  QCOMPARE(found->at(0).text(), text);
}

void TestSignatures::overlappingSectionsAreReadOnce() {
  container::Image image;
  const std::string data = std::string(4, '\0') + kLiteral + '\0';
  image.file = bytes(data);
  image.sections.resize(3);
  const Extent places[] = {{0, data.size()}, {2, UINT64_MAX}, {UINT64_MAX, 5}};
  for (std::size_t i = 0; i < 3; ++i) {
    image.sections[i].file = places[i];
    image.sections[i].allocated = true;
  }
  NullMonitor monitor;
  QCOMPARE(host::computeSignatures(image, {}, monitor)->size(), std::size_t{1});
}

void TestSignatures::searchCanBeCancelled() {
  container::Image image;
  image.file = bytes(kLiteral);
  StopAfter monitor(0);
  const auto found = host::computeSignatures(image, {}, monitor);
  QVERIFY(!found);
  QVERIFY(found.error().code() == ErrorCode::Cancelled);
}

/// Texts made to cost time: many for one function, many functions, one text that names many.
void TestSignatures::timeGrowsWithSize() {
  const auto make = [](int count) {
    std::string data;
    for (int i = 0; i < count; ++i) {
      const std::string f = "f" + std::to_string(i);
      for (const std::string& text :
           {countText(f, 2), kindText(f, 0, "o"), kindText(f, 1, "o"), rankText(f + ".o", 2), rankText("f0.o", i % 60),
            shapeText("f0.o", i % 60, std::to_string(i)), f + "(A: Tensor([n], int8))",
            std::string(200, '.') + ".ndim is expected to equal 1"})
        data += text + '\0';
    }
    return data;
  };
  const auto time = [&](const std::string& data) {
    const int64_t start = threadNs();
    if (HostTexts{}.signaturesIn(data).empty()) return 0.0;
    return static_cast<double>(threadNs() - start);
  };
  const std::string small = make(1'000), large = make(8'000);
  const double before = time(small);
  QVERIFY(before > 0);
  const double ratio = time(large) / before;
  QVERIFY2(ratio < 24, qPrintable(QStringLiteral("%1 times the time").arg(ratio)));
}

void TestSignatures::corpusSignaturesHaveTypes() {
  const QString folder = corpusFolder();
  if (!QDir(folder).exists()) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + folder));
  NullMonitor monitor;
  int found = 0, typed = 0, unnamed = 0, partly = 0, none = 0;
  for (QDirIterator it(folder, QDir::Files, QDirIterator::Subdirectories); it.hasNext();) {
    const auto package = library::open(std::filesystem::path(it.next().toStdString()), monitor);
    if (!package) continue;
    library::forEachPackage(*package, [&](const library::PackagePtr& inner) {
      const auto signatures = host::computeSignatures(inner->image, inner->host, monitor);
      QVERIFY(signatures);
      QVERIFY(signatures->size() >= inner->host.functions.size());
      const std::string_view file = inner->image.file.view();
      for (const host::Signature& signature : *signatures) {
        ++found;
        if (signature.source == host::Signature::Source::None) {
          ++none;
          // A function with a text has a signature.
          const std::string text = signature.function + ": num_args should be ";
          QVERIFY2(file.find(text) == std::string_view::npos, text.c_str());
        } else if (!signature.complete()) {
          ++partly;
          // Texts of 0.12 and earlier, whose shape checks do not name their function.
          const bool older = file.find("Assert fail: (num_args == ") != std::string_view::npos ||
                             file.find(", arg.") != std::string_view::npos;
          QVERIFY2(older, signature.text().c_str());
        } else {
          ++(signature.hasUnnamedDimension() ? unnamed : typed);
        }
      }
    });
  }
  qInfo("%d functions: %d with every argument typed, %d with an unnamed dimension, %d with names and kinds only, %d "
        "without texts",
        found, typed, unnamed, partly, none);
  QVERIFY(found == 0 || typed > 0);
}

BLOBSCOPE_TEST(TestSignatures);
#include "test_signatures.moc"
