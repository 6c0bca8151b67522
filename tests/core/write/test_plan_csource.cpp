#include "tests/core/base/compare.h"
#include "tests/core/write/plan_check.h"
#include "tests/support/test_main.h"

#include <cstdio>

using namespace blobscope;
using namespace blobscope::test;

namespace {

/// A C source with the array of a blob, in one way of writing it.
struct Source {
  std::string front = "#include <stdint.h>\n";
  std::string head = "const unsigned char __tvm_dev_mblob[%zu] = {"; ///< with the size
  std::string lead = "\n  ", gap = ",", lineGap = ",\n  ", tail = "\n";
  std::string item = "0x%02x";
  std::size_t perLine = 20;
  std::string behind = "};\nint behind = 7;\n"; ///< may contain one size too

  static std::string printed(const std::string& format, std::size_t value) {
    const std::size_t at = format.find('%');
    if (at == std::string::npos) return format;
    char out[256];
    const std::size_t end = std::min(format.find_first_of("uxXz", at) + 1, format.size());
    const std::string one = format.substr(at, end - at);
    if (one == "%z") return format.substr(0, at) + std::to_string(value) + printed(format.substr(at + 3), value);
    std::snprintf(out, sizeof out, one.c_str(), static_cast<unsigned>(value));
    return format.substr(0, at) + out + printed(format.substr(end), value);
  }
  std::string of(const std::string& blob) const {
    std::string out = printed(front, blob.size()) + printed(head, blob.size()) + lead;
    for (std::size_t i = 0; i < blob.size(); ++i)
      out += (i == 0 ? "" : i % perLine == 0 ? lineGap : gap) + printed(item, static_cast<unsigned char>(blob[i]));
    return out + tail + printed(behind, blob.size());
  }
};

using SourceChange = std::function<void(Source&)>;

} // namespace

class TestPlanCSource : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void arraysKeepTheirStyle_data() {
    QTest::addColumn<SourceChange>("change");
    const auto row = [](const char* name, const SourceChange& change) { QTest::newRow(name) << change; };
    row("two hexadecimal digits", [](Source&) {});
    row("as few hexadecimal digits as possible", [](Source& source) { source.item = "0x%x"; });
    row("upper case", [](Source& source) { source.item = "0x%02X"; });
    row("decimal", [](Source& source) { source.item = "%u"; });
    row("with a suffix", [](Source& source) { source.item = "0x%02xu"; });
    row("a comma at the end", [](Source& source) { source.tail = ",\n"; });
    row("a comment at the end", [](Source& source) { source.tail = "\n  /* the end, } */\n"; });
    row("one line", [](Source& source) { source.perLine = 1'000'000, source.lead = source.tail = " "; });
    row("one item per line", [](Source& source) { source.perLine = 1; });
    row("blanks after the commas", [](Source& source) { source.gap = ", "; });
    row("blanks around the commas", [](Source& source) { source.gap = " , ", source.lineGap = " ,\n\t"; });
    row("line ends of Windows", [](Source& source) { source.lead = "\r\n  ", source.lineGap = ",\r\n  "; });
    row("nothing between brace and items", [](Source& source) { source.lead = source.tail = ""; });
    row("12 items per line", [](Source& source) { source.perLine = 12; });
  }
  void arraysKeepTheirStyle() {
    QFETCH(SourceChange, change);
    Source source;
    change(source);
    const std::string old = blobOf(301);
    for (const std::size_t size : {302u, 399u, 400u, 401u, 1'000u, 299u, 301u}) {
      const std::string replacement = blobOf(size, 'z');
      const auto made = replaceBlob(source.of(old), {}, replacement);
      QVERIFY2(made, made ? "" : made.error().message().c_str());
      QCOMPARE(made->output, source.of(replacement));
      QCOMPARE(problemsOf(*made, {}, replacement), std::string());
    }
  }

  void sizesFollow_data() {
    QTest::addColumn<SourceChange>("change");
    const auto row = [](const char* name, const SourceChange& change) { QTest::newRow(name) << change; };
    const auto head = [&](const char* name, const std::string& size) {
      row(name, [=](Source& source) { source.head = "const unsigned char __tvm_dev_mblob" + size + " = {"; });
    };
    head("decimal", "[%zu]");
    head("hexadecimal", "[0x%x]");
    head("hexadecimal, upper case prefix", "[0X%x]");
    head("with a suffix", "[%zuUL]");
    head("with blanks", " [ %zu ] ");
    head("with a comment before it", "[/* bytes */ %zu]");
    head("with a comment after it", "[%zu /* bytes */]");
    head("none", "[]");
    head("a comment for the compiler", " [%zu] /* [9] */");
    row("declared before", [](Source& source) { source.front = "extern const unsigned char __tvm_dev_mblob[%zu];\n"; });
    row("declared after", [](Source& source) { source.behind = "};\nextern const char __tvm_dev_mblob[%zu];\n"; });
    row("declared without a size", [](Source& source) { source.front = "extern const char __tvm_dev_mblob[];\n"; });
    row("an index is no size", [](Source& source) { source.behind = "};\nchar a() { return __tvm_dev_mblob[7]; }\n"; });
    row("another array with a longer name",
        [](Source& source) { source.front = "extern const char my__tvm_dev_mblob2[301];\n"; });
  }
  void sizesFollow() { arraysKeepTheirStyle(); }

  void wrongSizesAreRefused_data() {
    QTest::addColumn<std::string>("size");
    for (const char* const size : {"300", "302", "0", "18446744073709551615", "18446744073709551616", "0x", "N", "-1"})
      QTest::newRow(size) << std::string(size);
  }
  /// Either nothing is read as a blob, or the planner refuses.
  void wrongSizesAreRefused() {
    QFETCH(std::string, size);
    Source source;
    source.head = "const unsigned char __tvm_dev_mblob[" + size + "] = {";
    const auto package = openBytes(source.of(blobOf(301)));
    if (!package || (*package)->blobs.empty()) return;
    QCOMPARE(idOf(replaceBlob(source.of(blobOf(301)), {}, blobOf(400))), std::string("REP-SHAPE"));
  }

  void tooManyMentionsAreRefused() {
    Source source;
    for (int i = 0; i < 1'023; ++i) source.behind += "// __tvm_dev_mblob\n";
    QCOMPARE(idOf(replaceBlob(source.of(blobOf(301)), {}, blobOf(400))), std::string("none"));
    source.behind += "// __tvm_dev_mblob\n";
    QCOMPARE(idOf(replaceBlob(source.of(blobOf(301)), {}, blobOf(400))), std::string("REP-SHAPE"));
  }

  void anEditAndItsReversalGiveTheSameText() {
    const std::string file = Source().of(blobOf(301));
    const auto larger = replaceBlob(file, {}, blobOf(500, 'z'));
    QVERIFY(larger);
    const auto back = replaceBlob(larger->output, {}, blobOf(301));
    QVERIFY(back);
    QCOMPARE(back->output, file);
  }

  void planningCanBeCancelled() {
    int looks = 0;
    for (;; ++looks) {
      StopAfter stop(looks);
      const auto made = replaceBlob(Source().of(blobOf(301)), {}, blobOf(400), {}, &stop);
      if (made) break;
      QVERIFY(made.error().id() == DiagnosticId::Cancelled);
      QVERIFY(looks < 1'000);
    }
    QVERIFY(looks > 0);
  }
};

BLOBSCOPE_TEST(TestPlanCSource);
#include "test_plan_csource.moc"
