#include "core/view/render.h"

#include "tests/core/base/compare.h"
#include "tests/core/view/plan_example.h"
#include "tests/core/view/render_pages.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

std::string textOf(const view::Page& page) {
  std::string out;
  NullMonitor monitor;
  if (!view::renderText(page, [&](std::string_view text) { out += text; }, monitor)) qFatal("a page was not rendered");
  return out;
}

} // namespace

class TestRenderText : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void everyPageIsWritten_data();
  void everyPageIsWritten();
  void longCellsShiftTheirLine();
  void failureOfAPageIsPassedOn();
  void renderingCanBeCancelled_data();
  void renderingCanBeCancelled();
};

void TestRenderText::everyPageIsWritten_data() {
  QTest::addColumn<view::Page>("page");
  QTest::addColumn<std::string>("text");
  const auto row = [](const char* name, view::Page page, std::string text) {
    QTest::newRow(name) << std::move(page) << std::move(text);
  };
  row("fields, with places in the file", fieldsPage(),
      "    0x1000         8  count: 1\n"
      "    0x1008        18  fmap: 1 item\n"
      "    0x1010        10    [0]\n"
      "    0x1010        10      key: \"ab\"\n");
  row("fields without a place count from their own start", fieldsPage(std::nullopt),
      "         0         8  count: 1\n"
      "       0x8        18  fmap: 1 item\n"
      "      0x10        10    [0]\n"
      "      0x10        10      key: \"ab\"\n");
  row("table", tableOf({{"name"}, {"bytes", true}}, {{"a", "7"}, {"longer", "1,024"}}),
      "name    bytes\n"
      "a           7\n"
      "longer  1,024\n");
  row("table without rows", tableOf({{"name"}, {"bytes", true}}, {}), "name  bytes\n");
  row("no spaces at the end of a line", tableOf({{"name"}, {"note"}}, {{"a", ""}, {"b", "x"}}),
      "name  note\n"
      "a\n"
      "b     x\n");
  row("characters of several bytes take one column", tableOf({{"a"}, {"b"}}, {{"µµ", "x"}, {"yyy", "z"}}),
      "a    b\n"
      "µµ   x\n"
      "yyy  z\n");
  row("text", test::textOf("a\nb\n"), "a\nb\n");
  row("text whose last line does not end", test::textOf("a\nb"), "a\nb\n");
  row("empty lines", test::textOf("\n\na\n\n"), "\n\na\n\n");
  row("no text", test::textOf(""), "");
  row("lines of Windows", test::textOf("a\r\nb\r\n"), "a\nb\n");
  row("tabs and backslashes stay", test::textOf("\ta\\n\\\n"), "\ta\\n\\\n");
  row("what could drive a terminal does not", test::textOf("a\x1b[31m\r!\xff\n"), "a\\x1b[31m\\r!\\xff\n");
  row("bytes", hexOf(placed("0123456789abcdefXY\0\x7f"s, 0x20)),
      "00000020  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  0123456789abcdef\n"
      "00000030  58 59 00 7f                                       XY..\n");
  row("nine bytes", hexOf(Bytes::copyOf("123456789")),
      "00000000  31 32 33 34 35 36 37 38  39                       123456789\n");
  row("no bytes", hexOf({}), "");
  row("graph", graphPage(),
      "3 nodes, 3 edges\n"
      "0  x  1×4  16 bytes\n"
      "1  conv, relu  1×2  cuda  1,024 bytes  from 0  fused_conv_relu\n"
      "2  add  from 0 (2 ×), 1\n"
      "7 more nodes are not shown\n");
  row("bytes with fields", hexWithFields(),
      "00001000  01 00 00 00 00 00 00 00  01 00 00 00 00 00 00 00  ................  count\n"
      "00001010  02 00 00 00 00 00 00 00  61 62                    ........ab        fmap[0].key\n");
  row("bytes with parts",
      view::Page{
          "Hex",
          view::HexPage{placed(std::string(20, 'x'), 0), nullptr, {{"a", {0, 3}}, {"b", {3, 15}}, {"c", {18, 2}}}}},
      "00000000  78 78 78 78 78 78 78 78  78 78 78 78 78 78 78 78  xxxxxxxxxxxxxxxx  a, b\n"
      "00000010  78 78 78 78                                       xxxx              c\n");
  row("grid", gridPage(),
      "type  int8\n\nmean  2.5\n\nHistogram\n"
      "  0 to 1  2  ##################################################\n"
      "  1 to 2  0\n\n"
      "values\nindex   0  1  2\n[0, 0]  0  1  2\n[1, 0]  3  4  5\n");
  row("bars", barsPage(),
      "RAM\n"
      "  one     30  ##############################\n"
      "  second  15  ###############                 a 5  b 10  a note\n"
      "  all of it\n"
      "\n"
      "ROM\n"
      "  empty  0\n");
  row("report", reportPage(),
      "One piece of code.\nRead only.\n\nRuns: 2 calls\n"
      "  good     init  known\n"
      "  error    ctor  0x10  not known  unexpected\n"
      "             0x10 → fopen\n"
      "             A line.\n"
      "\nIdentity\n  SHA-256: 00ff\n  A note.\n");
  row("plot", plotPage(),
      "Registers: k\n"
      "  x: threads, logarithmic; y: occupancy in %\n"
      "  An estimate.\n"
      "  limited by registers\n"
      "      64  12.5  a\n"
      "    1024   100  2 kernels\n"
      "  y = 50: half\n"
      "  x = 128\n");
  row("table with a choice and a summary", extrasPage(),
      "GPU: sm_90; estimate\n"
      "name\n"
      "a\n"
      "\n"
      "1 kernel\n"
      "launches: static\n");
  row("table with limits", fitPage(),
      "Board: B\n"
      "It does not fit.\n"
      "Stack\n"
      "\n"
      "RAM: 96 bytes; 32 bytes more than 64 bytes\n"
      "  workspace  64  metadata.json\n"
      "  data       32  objects\n"
      "  rounded\n"
      "\n"
      "Flash: 0 bytes\n"
      "\n"
      "board\n"
      "B\n");
  row("checklist", checklistPage(),
      "v0.27 crashes.\n"
      "v0.22 loads it.\n"
      "\n"
      "All releases: 3 checked\n"
      "  0.6 – 0.7  no modules        opens without modules.\n"
      "  0.22       fails later at 8  main fails.\n"
      "\n"
      "What this target must have: 1,352 met, 1 missing, 0 not certain\n"
      "  1   File   ok       ELF\n"
      "  10  Slots  crashes  6 of 7\n"
      "      slot __A\n"
      "      is not filled\n"
      "      44 functions call it.\n"
      "      - Use v0.22\n"
      "      - Slot (m3)\n"
      "\n"
      "GPUs\n"
      "  GPU    Driver\n"
      "  sm_90  525\n"
      "  Linux\n"
      "\n"
      "Limits\n"
      "  Block  512\n");
  row("checklist with an answer only", answerPage("not a TVM library"), "not a TVM library\n");
  row("memory plan", {"Memory plan", planExample()},
      "peak of main: at least 5.0 KiB (5,120 bytes), at instruction 2 of 10\n"
      "  Weights               4,096  2 tensors, from outside\n"
      "  KV cache                  –  no function of the model makes it\n"
      "  Activations in use      512  most in use at instruction 3\n"
      "  Reserved beyond that    512\n"
      "\n"
      "sizes\n"
      "  n                16  extent 0 of x, planned for at most 64\n"
      "  shape[1]  not known  computed by shape_func\n"
      "\n"
      "2 storages for 2 tensors, 1,024 bytes together\n"
      "  storage        bytes  instructions  holds     largest from  size\n"
      "  storage 0      1,024         2 – 8  1 tensor  matmul <1>    n × 64\n"
      "  storage 1  not known         4 – 9  1 tensor                shape[1]\n"
      "\n"
      "Nothing was run.\n");
  row("calls", {"Calls", callsExample()},
      "3 functions of the model; counted in the bytecode, nothing was run\n"
      "name                                 calls        launches        estimated FLOP  code bytes\n"
      "main                                     1               2                 1,000           –\n"
      "  conv<1>                                2               2                   900           –\n"
      "    conv_kernel                          2               2                   900         128\n"
      "  helper                        at least 1               –                   100           –\n"
      "    helper ↻                             1               –                     –           –\n"
      "  functions of the runtime               7               –                     –           –\n"
      "second                                   1               –                     –           –\n"
      "FLOP are estimated for n = 16\n");
  row("notice", noticePage("nothing to show"), "nothing to show\n");
  row("a page that is made later", laterPage(test::textOf("made")), "made\n");
}

void TestRenderText::everyPageIsWritten() {
  QFETCH(view::Page, page);
  QFETCH(std::string, text);
  QCOMPARE(textOf(page), text);
}

/// Columns are as wide as the first 1,000 rows need, and at most 80.
void TestRenderText::longCellsShiftTheirLine() {
  const std::string longer(90, 'x');
  QCOMPARE(textOf(tableOf({{"a"}, {"b"}}, {{longer, "1"}, {"y", "2"}})),
           "a" + std::string(81, ' ') + "b\n" + longer + "  1\ny" + std::string(81, ' ') + "2\n");
  std::vector<std::vector<std::string>> rows(1'000, {"y", "1"});
  rows.push_back({"late", "2"});
  QVERIFY(textOf(tableOf({{"a"}, {"b"}}, rows)).ends_with("\ny  1\nlate  2\n"));
}

void TestRenderText::failureOfAPageIsPassedOn() {
  const view::Page page = {"Later", view::DeferredPage{"text", [](Monitor&) {
                                                         return Result<view::Page>(Error(DiagnosticId::FileLimit, {}));
                                                       }}};
  NullMonitor monitor;
  std::string out;
  const auto done = view::renderText(page, [&](std::string_view text) { out += text; }, monitor);
  QVERIFY(!done);
  QCOMPARE(done.error().diagnostic().idText(), std::string_view("FILE-LIMIT"));
  QCOMPARE(out, std::string());
}

void TestRenderText::renderingCanBeCancelled_data() {
  QTest::addColumn<view::Page>("page");
  QTest::addColumn<int>("looks");
  QTest::newRow("fields") << fieldsPage() << 0;
  QTest::newRow("table") << view::Page{"Table", view::TablePage{std::make_shared<LongTable>(5'000)}} << 1;
  QTest::newRow("text") << test::textOf(std::string(5'000, '\n')) << 1;
  QTest::newRow("bytes") << hexOf(Bytes::copyOf(std::string(70'000, 'x'))) << 1;
}

void TestRenderText::renderingCanBeCancelled() {
  QFETCH(view::Page, page);
  QFETCH(int, looks);
  StopAfter monitor(looks);
  const auto done = view::renderText(page, [](std::string_view) {}, monitor);
  QVERIFY(!done);
  QCOMPARE(done.error().code(), ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestRenderText);
#include "test_render_text.moc"
