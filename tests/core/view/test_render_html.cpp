#include "core/view/render_html.h"

#include "core/view/html.h"
#include "core/view/plot.h"

#include "tests/core/view/plan_example.h"
#include "tests/core/view/render_pages.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QXmlStreamReader>

#include <algorithm>

using namespace blobscope;
using namespace blobscope::test;

namespace {

std::string pictureOf(const view::Page& page) {
  if (const auto* const plan = std::get_if<view::PlanPagePtr>(&page.content)) return view::planSvg(**plan);
  if (const auto* const calls = std::get_if<view::CallsPagePtr>(&page.content)) return view::callsSvg(**calls);
  if (const auto* const plots = std::get_if<view::PlotPage>(&page.content)) return view::plotSvg(*plots);
  if (const auto* const table = std::get_if<view::TablePage>(&page.content);
      table && table->extras && table->extras->fit)
    return view::fitSvg(*table->extras->fit);
  return {};
}

QString htmlOf(const view::Page& page) {
  std::string out;
  NullMonitor monitor;
  if (!view::renderHtml(page, "A <title>", pictureOf(page), [&](std::string_view text) { out += text; }, monitor))
    qFatal("a page was not rendered");
  return QString::fromStdString(out);
}

/// How often elements with that name and class occur, by an XML reader; -1 when the text is not well-formed.
int elements(const QString& text, const char* name, const char* style) {
  QString xml = text.mid(text.indexOf(QLatin1String("<html")));
  static const QRegularExpression kMeta(QStringLiteral("<meta ([^>]*)>"));
  xml.replace(kMeta, QStringLiteral("<meta \\1/>"));
  QXmlStreamReader reader(xml);
  int count = 0;
  while (!reader.atEnd())
    if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == QLatin1String(name) &&
        reader.attributes().value(QLatin1String("class")) == QLatin1String(style))
      ++count;
  return reader.hasError() ? -1 : count;
}

} // namespace

class TestRenderHtml : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void planHasAPicture() {
    const QString text = htmlOf({"Memory plan", planExample()});
    QCOMPARE(elements(text, "rect", "box"), 2);
    QCOMPARE(elements(text, "rect", "weights"), 1);
    QCOMPARE(elements(text, "rect", "cache"), 1);
    QCOMPARE(elements(text, "polygon", "reserved"), 1);
    QCOMPARE(elements(text, "polygon", "used"), 2); // over the instructions, and in the storage of a known size
    QCOMPARE(elements(text, "path", "peak"), 1);
    QVERIFY(text.contains(QLatin1String("matmul &lt;1&gt;")));
    QVERIFY(text.contains(QLatin1String("depends on shape[1]")));
    QVERIFY(text.contains(QLatin1String("peak of main: at least 5.0 KiB (5,120 bytes)"))); // the rows below
    QVERIFY(text.contains(QLatin1String("A &lt;title&gt;")));
  }

  /// Boxes are as wide as their share of the work: 900 of 1000.
  void callsHaveAFlameView() {
    const QString text = htmlOf({"Calls", callsExample()});
    QCOMPARE(elements(text, "rect", "function"), 2); // helper does not repeat itself, second has no work
    QCOMPARE(elements(text, "rect", "packed"), 1);
    QCOMPARE(elements(text, "rect", "kernel"), 1);
    QVERIFY(text.contains(QLatin1String("<rect class=\"packed\" x=\"0.0\" y=\"26.0\" width=\"899.0\"")));
    QVERIFY(text.contains(QLatin1String("<rect class=\"function\" x=\"900.0\" y=\"26.0\" width=\"99.0\"")));
    QVERIFY(text.contains(QLatin1String("conv&lt;1&gt;")));
  }

  /// Registers from 0 to 64 over block sizes as powers of two: the frame is 910 wide and 220 high.
  void plotsHaveAxesAndPoints() {
    view::PlotPage::Plot plot;
    plot.title = "Registers <1>";
    plot.x = {"threads", "", view::PlotPage::Scale::Log2, 32, 1024};
    plot.y = {"registers", "", view::PlotPage::Scale::Linear, 0, 64, 16};
    plot.series = {{"a", view::PlotPage::Draw::Points, {{32, 64, "one <b>"}, {1024, 0, "two"}}},
                   {"b", view::PlotPage::Draw::Steps, {{32, 0, {}}, {64, 32, {}}}}};
    plot.lines = {{true, 256, "limit"}};
    const QString text = htmlOf({"Kernels", view::PlotPage{{plot}}});
    QVERIFY2(text.contains(QLatin1String("<rect class=\"series0\" x=\"56.0\" y=\"40.0\"")), qPrintable(text));
    QVERIFY(text.contains(QLatin1String("<rect class=\"series0\" x=\"966.0\" y=\"260.0\"")));
    QVERIFY(text.contains(QLatin1String("d=\"M60.0 264.0 H242.0 V154.0\""))); // a fifth of the width, half the height
    QVERIFY(text.contains(QLatin1String("<line class=\"limit\" x1=\"606.0\"")));
    QVERIFY(text.contains(QLatin1String("one &lt;b&gt;: 32, 64")) &&
            text.contains(QLatin1String("Registers &lt;1&gt;")));
    QCOMPARE(elements(text, "rect", "series0"), 3); // with that of the legend
    QCOMPARE(elements(text, "line", "line"), 5);    // 0, 16, 32, 48, 64
  }

  /// A plot without points, and numbers that are all the same.
  void emptyPlotsAreDrawn() {
    view::PlotPage::Plot plot;
    plot.series = {{"a", view::PlotPage::Draw::Bars, {{3, 3, {}}}}};
    for (const view::PlotPage& page : {view::PlotPage{}, view::PlotPage{{view::PlotPage::Plot{}, plot}}}) {
      const std::string picture = view::plotSvg(page);
      QVERIFY2(picture.find("nan") == picture.npos && picture.find("inf") == picture.npos, picture.c_str());
      QVERIFY(elements(QStringLiteral("<html>") + QString::fromStdString(view::svgDocument(picture)) +
                           QStringLiteral("</html>"),
                       "rect", "none") == 0);
    }
  }

  void otherPagesAreText() {
    const QString text = htmlOf(tableOf({{"name"}, {"bytes", true}}, {{"<b>", "7"}, {"longer", "1,024"}}));
    QVERIFY(elements(text, "rect", "box") == 0);
    QVERIFY2(text.contains(QLatin1String("name    bytes\n&lt;b&gt;         7\nlonger  1,024\n")), qPrintable(text));
  }

  void nothingIsLoadedOrRun() {
    for (const view::Page& page : {view::Page{"Memory plan", planExample()}, view::Page{"Calls", callsExample()}})
      for (const char* word : {"<script", "<img", "<link", "http://", "https://", "src=", "onclick"})
        QVERIFY2(!htmlOf(page).contains(QLatin1String(word)), word);
  }

  /// A million steps, and a storage with ten thousand tensors: the picture stays small.
  void limitsAreLines() {
    const view::Page page = fitPage();
    const QString picture = QString::fromStdString(pictureOf(page));
    // 64 of 96 bytes: the first part ends where the limit is.
    QVERIFY2(picture.contains("width=\"665.3\" height=\"22.0\"><title>workspace 64, metadata.json"),
             qPrintable(picture));
    QVERIFY2(picture.contains("RAM: 96 bytes, 32 bytes more than 64 bytes"), qPrintable(picture));
    QCOMPARE(picture.count("class=\"peak\""), 1);
    QXmlStreamReader reader(picture);
    while (!reader.atEnd()) reader.readNext();
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QVERIFY(htmlOf(page).contains("workspace  64  metadata.json"));
  }

  void sizeIsBounded() {
    auto page = std::make_shared<view::PlanPage>(*planExample());
    page->instructions = 1'000'000;
    page->steps.clear();
    for (uint64_t i = 0; i < 1'000'000; ++i) page->steps.push_back({i, i % 1'000, i % 500});
    for (uint64_t i = 0; i < 10'000; ++i) page->storages[0].uses.push_back({i, i, i % 64});
    page->storages.resize(200, page->storages[0]);
    const std::string picture = view::planSvg(*page);
    QVERIFY2(picture.size() < 2'000'000, qPrintable(QString::number(picture.size())));
    QVERIFY(picture.size() > 10'000);
  }

  void isCancelled() {
    const std::vector<std::vector<std::string>> rows(20'000, std::vector<std::string>{"a", "b"});
    struct Stopping final : Monitor {
      bool stopRequested() const override { return true; }
      void progress(std::string_view, uint64_t, uint64_t) override {}
    } monitor;
    const auto done = view::renderHtml(tableOf({{"a"}, {"b"}}, rows), "t", {}, [](std::string_view) {}, monitor);
    QVERIFY(!done && done.error().code() == ErrorCode::Cancelled);
  }
};

BLOBSCOPE_TEST(TestRenderHtml);
#include "test_render_html.moc"
