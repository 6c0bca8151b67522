#include "core/view/render.h"

#include "tests/core/base/compare.h"
#include "tests/core/view/plan_example.h"
#include "tests/core/view/render_pages.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

std::string jsonOf(const view::Page& page) {
  std::string out;
  NullMonitor monitor;
  json::Writer writer([&](std::string_view text) { out += text; }, json::Layout::OneLine);
  writer.beginObject();
  if (!view::renderJson(page, writer, monitor)) qFatal("a page was not rendered");
  writer.endObject().finish();
  if (!json::parse(bytes(out))) qFatal("a page is not JSON");
  return out.substr(0, out.find_last_not_of('\n') + 1);
}

} // namespace

class TestRenderJson : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void everyPageIsWritten_data();
  void everyPageIsWritten();
  void bytesAreWrittenInPieces();
  void failureOfAPageIsPassedOn();
  void renderingCanBeCancelled_data();
  void renderingCanBeCancelled();
};

void TestRenderJson::everyPageIsWritten_data() {
  QTest::addColumn<view::Page>("page");
  QTest::addColumn<std::string>("json");
  const auto row = [](const char* name, view::Page page, std::string json) {
    QTest::newRow(name) << std::move(page) << std::move(json);
  };
  row("fields", fieldsPage(),
      R"({"name":"Fields","kind":"fields","fields":[{"path":"count","depth":0,"offset":4096,"size":8,"value":"1"},)"
      R"({"path":"fmap","depth":0,"offset":4104,"size":18,"value":"1 item"},)"
      R"({"path":"fmap[0]","depth":1,"offset":4112,"size":10,"value":""},)"
      R"({"path":"fmap[0].key","depth":2,"offset":4112,"size":10,"value":"\"ab\""}]})");
  row("table", tableOf({{"name"}, {"bytes", true}}, {{"a", "7"}, {"b", ""}}),
      R"({"name":"Table","kind":"table","columns":["name","bytes"],"rows":[["a","7"],["b",""]]})");
  row("table without rows", tableOf({{"name"}}, {}), R"({"name":"Table","kind":"table","columns":["name"],"rows":[]})");
  row("text as it is stored", textOf("a\n\tb\r"),
      R"({"name":"Source","kind":"text","language":"cuda","text":"a\n\u0009b\u000d"})");
  row("text that is none", textOf("a\xff"),
      R"({"name":"Source","kind":"text","language":"cuda","text":{"hex":"61ff"}})");
  row("bytes", hexOf(placed("\0ab"s, 32)), R"({"name":"Hex","kind":"hex","offset":32,"size":3,"bytes":["006162"]})");
  row("bytes without a place", hexOf(Bytes::copyOf("a")),
      R"({"name":"Hex","kind":"hex","offset":null,"size":1,"bytes":["61"]})");
  row("no bytes", hexOf({}), R"({"name":"Hex","kind":"hex","offset":null,"size":0,"bytes":[]})");
  row("graph", graphPage(),
      R"({"name":"Graph","kind":"graph","unit":"nodes","bytes_of":"output","nodes":[)"
      R"({"title":"x","name":"x","kind":"input","group":"Input, output","note":"1×4","device":null,"bytes":16,)"
      R"("ref":null},{"title":"conv, relu","name":"fused_conv_relu","kind":"operator","group":"Convolution",)"
      R"("note":"1×2","device":"cuda","bytes":1024,"ref":"host:fused_conv_relu"},)"
      R"({"title":"add","name":"add","kind":"operator","group":"Other operators","note":"","device":null,)"
      R"("bytes":null,"ref":null}],"edges":[{"from":0,"to":1,"label":""},{"from":0,"to":2,"label":"2 ×"},)"
      R"({"from":1,"to":2,"label":""}],"omitted":7})");
  row("grid", gridPage(),
      R"({"name":"Values","kind":"grid","type":"int8","shape":[2,3],"facts":[{"label":"type","value":"int8"}],)"
      R"("sampled":true,"statistics":[{"label":"mean","value":"2.5"}],"plots":[{"title":"Histogram","subject":"",)"
      R"("note":"","x":{"title":"","unit":"","scale":"linear"},"y":{"title":"","unit":"","scale":"linear"},)"
      R"("series":[{"name":"values","draw":"bars","points":[{"x":0.5,"y":2,"label":"0 to 1","count":2,"ref":null},)"
      R"({"x":1.5,"y":0,"label":"1 to 2","count":0,"ref":null}]}],"lines":[]}],)"
      R"("heatMap":{"slice":"[:, :]","rows":{"axes":[0],"count":2},"columns":{"axes":[1],"count":3},"sampled":false,)"
      R"("cells":[[0,1,2],[3,4,5]]},"columns":["index","0","1","2"],)"
      R"("rows":[["[0, 0]","0","1","2"],["[1, 0]","3","4","5"]]})");
  row("bars", barsPage(),
      R"({"name":"Memory","kind":"bars","groups":[{"title":"RAM","budget":"RAM","note":"all of it","bars":[)"
      R"({"name":"one","bytes":30,"parts":[{"name":"a","bytes":30}],"note":""},)"
      R"({"name":"second","bytes":15,"parts":[{"name":"a","bytes":5},{"name":"b","bytes":10}],"note":"a note"}]},)"
      R"({"title":"ROM","budget":"","note":"","bars":[{"name":"empty","bytes":0,"parts":[],"note":""}]}]})");
  row("report", reportPage(),
      R"({"name":"Safety","kind":"report","sentence":"One piece of code.","detail":"Read only.","mark":"error",)"
      R"("sections":[{"title":"Runs","note":"2 calls","rows":[)"
      R"({"mark":"good","title":"init","place":"","ref":null,"text":"known","remark":"","paths":[],"lines":[],)"
      R"("links":[]},)"
      R"({"mark":"error","title":"ctor","place":"0x10","ref":"@0x10","text":"not known","remark":"unexpected",)"
      R"("paths":[["0x10","fopen"]],"lines":["A line."],"links":[{"text":"Bytes","ref":"@0x10"}]}]}],)"
      R"("details":[{"title":"Identity","rows":[{"label":"SHA-256","value":"00ff"}],"note":"A note."}]})");
  row("memory plan", {"Memory plan", planExample()},
      R"({"name":"Memory plan","kind":"plan","function":"main","ref":null,"functions":["main","other"],)"
      R"("instructions":10,"peak":5120,"peak_at":2,"complete":false,"reserved":1024,"storages_total":1024,)"
      R"("in_use":512,"in_use_at":3,"tensors":2,)"
      R"("sizes":[{"name":"n","value":16,"planned":64,"note":"extent 0 of x"},)"
      R"({"name":"shape[1]","value":null,"planned":null,"note":"computed by shape_func"}],)"
      R"("parts":[{"kind":"weights","name":"Weights","bytes":4096,"note":"2 tensors, from outside"},)"
      R"({"kind":"cache","name":"KV cache","bytes":null,"note":"no function of the model makes it"},)"
      R"({"kind":"in-use","name":"Activations in use","bytes":512,"note":"most in use at instruction 3"},)"
      R"({"kind":"reserved","name":"Reserved beyond that","bytes":512,"note":""}],)"
      R"("storages":[{"name":"storage 0","bytes":1024,"size":"n × 64","derived":false,"cache":false,"first":2,)"
      R"("last":8,"tensors":1,"holds":"matmul <1>"},)"
      R"({"name":"storage 1","bytes":null,"size":"shape[1]","derived":false,"cache":false,"first":4,"last":9,)"
      R"("tensors":1,"holds":""}],)"
      R"("timeline":[{"instruction":0,"reserved":0,"in_use":0},{"instruction":2,"reserved":1024,"in_use":0},)"
      R"({"instruction":3,"reserved":1024,"in_use":512},{"instruction":8,"reserved":0,"in_use":0}],)"
      R"("notes":["Nothing was run."]})");
  row("checklist", checklistPage(),
      R"({"name":"Will it load?","kind":"checklist","sentence":"v0.27 crashes.","detail":"v0.22 loads it.",)"
      R"("state":"crashes","choice":{"target":"v0.27","device":"sm_90","driver":null,"system":null},"cells":[)"
      R"({"label":"0.6","target":"v0.6","state":"empty","step":null,"sentence":"opens without modules.","message":""},)"
      R"({"label":"0.7","target":"v0.7","state":"empty","step":null,"sentence":"opens without modules.","message":""},)"
      R"({"label":"0.22","target":"v0.22","state":"later","step":8,"sentence":"main fails.",)"
      R"("message":"Expected 4 but got 5 arguments"}],"met":1352,"missing":1,"unknown":0,"steps":[)"
      R"({"number":1,"title":"File","summary":"ELF","state":"good","items":[]},)"
      R"({"number":10,"title":"Slots","summary":"6 of 7","state":"crashes","items":[{"state":"crashes",)"
      R"("message":"slot __A\nis not filled","verbatim":true,"note":"44 functions call it.","links":[)"
      R"({"text":"Use v0.22","ref":null,"choice":"v0.22"},{"text":"Slot","ref":"m3","choice":null}]}]}],"tables":[)"
      R"({"title":"GPUs","columns":["GPU","Driver"],"rows":[{"cells":["sm_90","525"],"state":"good"}],"note":"Linux"},)"
      R"({"title":"Limits","columns":[],"rows":[{"cells":["Block","512"],"state":"good"}],"note":""}]})");
  row("plot", plotPage(),
      R"({"name":"Plot","kind":"plot","plots":[{"title":"Registers","subject":"k","note":"An estimate.",)"
      R"("x":{"title":"threads","unit":"","scale":"log2"},"y":{"title":"occupancy","unit":"%","scale":"linear"},)"
      R"("series":[{"name":"registers","draw":"points","points":[)"
      R"({"x":64,"y":12.5,"label":"a","count":1,"ref":"m3"},{"x":1024,"y":100,"label":"2 kernels","count":2,)"
      R"("ref":null}]},{"name":"none","draw":"bars","points":[]}],"lines":[{"axis":"y","at":50,"label":"half"},)"
      R"({"axis":"x","at":128,"label":""}]}]})");
  row("table with a plot", extrasPage(),
      R"({"name":"Table","kind":"table","columns":["name"],"rows":[["a"]],"setting":"sm_90","note":"estimate",)"
      R"("summary":"1 kernel","plots":[{"title":"Empty","subject":"","note":"",)"
      R"("x":{"title":"","unit":"","scale":"linear"},"y":{"title":"","unit":"","scale":"linear"},)"
      R"("series":[],"lines":[]}]})");
  row("table with limits", fitPage(),
      R"({"name":"Will it fit?","kind":"table","columns":["board"],"rows":[["B"]],"setting":"B","note":"",)"
      R"("summary":"","plots":[],"fit":{"sentence":"It does not fit.","detail":"Stack","state":"fails","memories":[)"
      R"({"name":"RAM","bytes":96,"limit":64,"parts":[{"name":"workspace","source":"metadata.json","bytes":64},)"
      R"({"name":"data","source":"objects","bytes":32}],"note":"rounded"},)"
      R"({"name":"Flash","bytes":0,"limit":null,"parts":[],"note":""}]}})");
  row("notice", noticePage("nothing"), R"({"name":"Notice","kind":"notice","message":"nothing"})");
  row("a page that is made later", laterPage(textOf("made")),
      R"({"name":"Source","kind":"text","language":"cuda","text":"made"})");
}

void TestRenderJson::everyPageIsWritten() {
  QFETCH(view::Page, page);
  QFETCH(std::string, json);
  QCOMPARE(jsonOf(page), json);
}

/// 64 KiB each, so that a large file needs no memory of its size.
void TestRenderJson::bytesAreWrittenInPieces() {
  const auto pieces = [](std::size_t size) {
    const auto parsed = json::parse(bytes(jsonOf(hexOf(Bytes::copyOf(std::string(size, 'x'))))));
    std::vector<std::size_t> sizes;
    for (const json::Value& piece : parsed->find("bytes")->items()) sizes.push_back(piece.text().size() / 2);
    return sizes;
  };
  QCOMPARE(pieces(65'536), (std::vector<std::size_t>{65'536}));
  QCOMPARE(pieces(65'537), (std::vector<std::size_t>{65'536, 1}));
}

void TestRenderJson::failureOfAPageIsPassedOn() {
  const view::Page page = {"Later", view::DeferredPage{"text", [](Monitor&) {
                                                         return Result<view::Page>(Error(DiagnosticId::FileLimit, {}));
                                                       }}};
  NullMonitor monitor;
  json::Writer writer([](std::string_view) {});
  writer.beginObject();
  const auto done = view::renderJson(page, writer, monitor);
  QVERIFY(!done);
  QCOMPARE(done.error().diagnostic().idText(), std::string_view("FILE-LIMIT"));
}

void TestRenderJson::renderingCanBeCancelled_data() {
  QTest::addColumn<view::Page>("page");
  QTest::addColumn<int>("looks");
  QTest::newRow("fields") << fieldsPage() << 0;
  QTest::newRow("table") << view::Page{"Table", view::TablePage{std::make_shared<LongTable>(5'000)}} << 1;
  QTest::newRow("bytes") << hexOf(Bytes::copyOf(std::string(70'000, 'x'))) << 1;
}

void TestRenderJson::renderingCanBeCancelled() {
  QFETCH(view::Page, page);
  QFETCH(int, looks);
  StopAfter monitor(looks);
  json::Writer writer([](std::string_view) {});
  writer.beginObject();
  const auto done = view::renderJson(page, writer, monitor);
  QVERIFY(!done);
  QCOMPARE(done.error().code(), ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestRenderJson);
#include "test_render_json.moc"
