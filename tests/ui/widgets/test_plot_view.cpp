#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/plot_view.h"

#include <QAccessible>
#include <QSignalSpy>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

using view::PlotPage;

PlotPage::Plot points() {
  PlotPage::Plot plot;
  plot.title = "Registers and block size";
  plot.legend = "limited by";
  plot.x = {"threads per block", "", PlotPage::Scale::Log2, 32.0, 1024.0};
  plot.y = {"registers per thread", "", {}, 0.0, std::nullopt, 32};
  const auto node = [](const char* name) { return Ref::parse(std::string("m2/kernel:") + name).value(); };
  plot.series = {{"registers", PlotPage::Draw::Points, {{512, 96, "a", 1, node("a")}, {512, 97, "b", 2, node("b")}}},
                 {"threads", PlotPage::Draw::Points, {{64, 16, "c", 1, node("c")}}}};
  plot.lines = {{false, 64, "50 %"}};
  return plot;
}

PlotPage::Plot bars() {
  PlotPage::Plot plot;
  plot.title = "Occupancy by block size";
  plot.x = {"threads per block", "", {}, 0.0, 128.0, 32};
  plot.y = {"occupancy", "%", {}, 0.0, 100.0, 25};
  plot.series = {{"registers", PlotPage::Draw::Bars, {{32, 25, "1 block"}, {96, 75, "2 blocks"}}},
                 {"threads", PlotPage::Draw::Bars, {{64, 50, "3 blocks"}}}};
  plot.lines = {{true, 96, "now 96", true}};
  return plot;
}

} // namespace

class TestPlotView : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void nearPointsAreOne() {
    PlotView view;
    view.resize(500, 300);
    view.setPlot(points());
    QCOMPARE(view.barCount(), 2);
    QCOMPARE(view.barText(0), u"c, 64 threads per block, 16 registers per thread, limited by threads"_s);
    QCOMPARE(view.barText(1), u"512 threads per block, 96 registers per thread, and 1 more place near it, limited by "
                              "registers"_s);
    QVERIFY(view.barRect(1).width() > view.barRect(0).width());
    QVERIFY(view.barRect(1).top() < view.barRect(0).top());
    QVERIFY(view.barRect(1).left() > view.barRect(0).left());
  }

  /// A logarithmic axis: equal factors have equal distances.
  void logarithmicAxisIsToScale() {
    PlotPage::Plot plot = points();
    plot.series = {{"registers", PlotPage::Draw::Points, {{64, 0, {}}, {128, 0, {}}, {256, 0, {}}}}};
    PlotView view;
    view.resize(500, 300);
    view.setPlot(plot);
    QCOMPARE(view.barCount(), 3);
    const int first = view.barRect(1).center().x() - view.barRect(0).center().x();
    const int second = view.barRect(2).center().x() - view.barRect(1).center().x();
    QVERIFY(first > 40);
    QVERIFY(qAbs(first - second) <= 1);
  }

  void barsAreInTheOrderOfTheAxis() {
    PlotView view;
    view.resize(500, 300);
    view.setPlot(bars());
    QCOMPARE(view.barCount(), 3);
    QVERIFY(view.barText(1).startsWith(u"3 blocks, 64 threads per block, 50 % occupancy"_s));
    QVERIFY(qAbs(view.barRect(2).height() - 3 * view.barRect(0).height()) <= 4);
    QCOMPARE(view.barRect(0).bottom(), view.barRect(2).bottom());
  }

  void colourShowsTheSeries() {
    PlotView view;
    view.resize(500, 300);
    view.setPlot(points());
    const QImage image = drawn(view, 1);
    for (const std::size_t series : {std::size_t{0}, std::size_t{1}})
      QVERIFY(countPixels(image, theme().color(PlotView::roleOf(series)), 40) > 4);
    QCOMPARE(countPixels(image, theme().color(Role::Accent)), 0);
    view.setMarked(PlotPage::Point{64, 16, "c"});
    QVERIFY(countPixels(drawn(view, 1), theme().color(Role::Accent)) > 0);
  }

  void pointsCanBeChosen() {
    PlotView view;
    view.resize(500, 300);
    view.setPlot(points());
    QSignalSpy chosen(&view, &PlotView::chosen);
    QTest::mouseClick(&view, Qt::LeftButton, {}, view.barRect(0).center());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].value<Ref>().toString(), std::string("m2/kernel:c"));
    QCOMPARE(chosen[0][1].toBool(), false);
    QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(chosen[1][0].value<Ref>().toString(), std::string("m2/kernel:a"));
    QTest::keyClick(&view, Qt::Key_Return);
    QCOMPARE(chosen[2][1].toBool(), true);
    QTest::keyClick(&view, Qt::Key_Home);
    QCOMPARE(view.current(), 0);
    QCOMPARE(view.currentText(), view.barText(0));
  }

  /// Any numbers can be in a file.
  void oddNumbersAreSafe() {
    PlotPage::Plot plot;
    PlotView view;
    view.resize(300, 200);
    view.setPlot(plot);
    drawn(view, 1.5);
    QCOMPARE(view.barCount(), 0);
    QTest::keyClick(&view, Qt::Key_Return);
    plot.series = {{"", PlotPage::Draw::Lines, {{0, 0, {}}, {1e300, -1e300, {}}}},
                   {"", PlotPage::Draw::Areas, {{5, 5, {}}}}};
    plot.x.scale = PlotPage::Scale::Log2;
    view.setPlot(plot);
    drawn(view, 1.5);
    QCOMPARE(view.barCount(), 3);
  }

private:
  Application m_application;
};

BLOBSCOPE_TEST(TestPlotView);

#include "test_plot_view.moc"
