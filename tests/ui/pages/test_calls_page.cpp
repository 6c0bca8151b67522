#include "ui/pages/calls_page.h"

#include "tests/core/view/plan_example.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/calls_model.h"
#include "ui/pages/flame_view.h"
#include "ui/pages/page_factory.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/segments.h"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

struct ShownCalls {
  ShownCalls()
      : made(createPage({"Calls", callsExample()}, PageContext{jobs, Ref::file()}, nullptr)),
        page(dynamic_cast<ui::CallsPage&>(*made)) {
    page.resize(1000, 600);
    page.show();
    QCoreApplication::processEvents();
  }
  /// The names of the rows that the tree lists, with those of open rows.
  QStringList names(const QModelIndex& parent = {}) {
    QStringList out;
    const QAbstractItemModel& model = *page.tree().model();
    for (int row = 0; row < model.rowCount(parent); ++row) {
      const QModelIndex index = model.index(row, 0, parent);
      out << index.data().toString();
      out += names(index);
    }
    return out;
  }
  void chooseMeasure(const QString& name) {
    for (QToolButton* const button : page.measures().findChildren<QToolButton*>())
      if (button->text() == name) button->click();
  }
  /// The width of the box of a row in the flame view, 0 for none.
  int widthOf(uint32_t row, int y) {
    int count = 0;
    for (int x = 0; x < page.flame().width(); ++x) count += page.flame().rowAt(QPointF(x + 0.5, y)) == row;
    return count;
  }
  Jobs jobs;
  std::unique_ptr<PageWidget> made;
  ui::CallsPage& page;
};

} // namespace

class TestCallsPage : public QObject {
  Q_OBJECT
  Application m_application;

private Q_SLOTS:
  void modelIsConsistent() {
    CallsModel model(callsExample());
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), 2);
    const QModelIndex main = model.index(0, 0);
    QCOMPARE(model.rowCount(main), 3);
    QCOMPARE(model.parent(model.index(1, 2, main)), main);
    QCOMPARE(model.index(1, CallsModel::Calls, main).data().toString(), u"at least 1"_s);
    QCOMPARE(model.index(0, CallsModel::Flop, main).data().toString(), u"900"_s);
    QCOMPARE(model.index(0, CallsModel::Launches, model.index(1, 0, main)).data().toString(), u"–"_s);
  }

  void sharesFollowTheMeasure() {
    CallsModel model(callsExample());
    const auto share = [&](uint32_t row) { return model.indexOf(row, CallsModel::Share).data().toString(); };
    model.setMeasure(CallsModel::Measure::Flop);
    QCOMPARE(share(0), u"100.0 %"_s);
    QCOMPARE(share(1), u"90.0 %"_s);
    QCOMPARE(share(3), u"10.0 %"_s);
    QCOMPARE(share(6), u"0.0 %"_s); // nothing is known
    model.setMeasure(CallsModel::Measure::Calls);
    QCOMPARE(model.value(0), 3.0); // two calls of conv, and one of helper by itself
    model.setMeasure(CallsModel::Measure::Code);
    QCOMPARE(share(2), u"0.0 %"_s); // main has no code of its own in the example
  }

  void treeIsFilteredAndSorted() {
    ShownCalls shown;
    QCOMPARE(shown.names(), QStringList({u"main"_s, u"conv<1>"_s, u"conv_kernel"_s, u"helper"_s, u"helper ↻"_s,
                                         u"functions of the runtime"_s, u"second"_s}));
    shown.page.filter().setText(u"KERNEL"_s);
    QCOMPARE(shown.names(), QStringList({u"main"_s, u"conv<1>"_s, u"conv_kernel"_s}));
    shown.page.filter().clear();
    shown.page.tree().sortByColumn(CallsModel::Calls, Qt::DescendingOrder);
    QCOMPARE(shown.names()[1], u"functions of the runtime"_s);
    shown.page.tree().sortByColumn(CallsModel::Flop, Qt::AscendingOrder);
    QCOMPARE(shown.names()[0], u"second"_s); // not known comes first
  }

  void flameViewHasTheShares() {
    ShownCalls shown;
    const int all = shown.widthOf(0, 10), conv = shown.widthOf(1, 34), helper = shown.widthOf(3, 34);
    QVERIFY(all > 900);
    QVERIFY2(qAbs(conv - all * 9 / 10) <= 2, qPrintable(QString::number(conv)));
    QVERIFY2(qAbs(helper - all / 10) <= 2, qPrintable(QString::number(helper)));
    QCOMPARE(shown.widthOf(2, 58), conv);
    shown.chooseMeasure(u"calls"_s);
    const int three = shown.widthOf(0, 10); // beside `second`, which is called once
    QVERIFY(qAbs(three - all * 3 / 4) <= 2);
    shown.chooseMeasure(u"code"_s);
    QCOMPARE(shown.widthOf(0, 10), 0);
    QVERIFY(!drawn(shown.page.flame(), 1).isNull());
  }

  void viewsSelectTogether() {
    ShownCalls shown;
    QSignalSpy details(&shown.page, &PageWidget::detailsChanged);
    QTest::mouseClick(&shown.page.flame(), Qt::LeftButton, {}, QPoint(100, 34));
    QCOMPARE(shown.page.tree().currentIndex().data().toString(), u"conv<1>"_s);
    const auto group = details.last().first().value<view::Details>().front();
    QCOMPARE(group.title, std::string("Packed function"));
    QCOMPARE(group.rows[1].value, std::string("main")); // by which it is called
    QCOMPARE(group.rows.back().value, std::string("4"));
    QTest::keyClick(&shown.page.flame(), Qt::Key_Down);
    QCOMPARE(shown.page.tree().currentIndex().data().toString(), u"conv_kernel"_s);
    QTest::keyClick(&shown.page.flame(), Qt::Key_Up);
    QTest::keyClick(&shown.page.flame(), Qt::Key_Right);
    QCOMPARE(shown.page.tree().currentIndex().data().toString(), u"helper"_s);
    QTest::keyClick(&shown.page.tree(), Qt::Key_Up);
    QCOMPARE(shown.page.flame().current().value_or(99), 2U);
  }

  void boxesAreReadAloud() {
    ShownCalls shown;
    FlameView& flame = shown.page.flame();
    QCOMPARE(flame.barCount(), 4);
    QCOMPARE(flame.barText(1), u"conv<1>, calls: 2, launches: 2, share: 90.0 %, 900 FLOP"_s);
    QVERIFY(flame.currentText().isEmpty());
    flame.setCurrent(1);
    QCOMPARE(flame.currentText(), flame.barText(1));
    QCOMPARE(flame.barRect(1).width(), shown.widthOf(1, 34));
  }

  void flameViewZooms() {
    ShownCalls shown;
    const int all = shown.widthOf(0, 10);
    QTest::mouseDClick(&shown.page.flame(), Qt::LeftButton, {}, QPoint(100, 34));
    QCOMPARE(shown.page.flame().zoomed().value_or(99), 1U);
    QCOMPARE(shown.widthOf(1, 10), all);
    QTest::keyClick(&shown.page.flame(), Qt::Key_Escape);
    QVERIFY(!shown.page.flame().zoomed());
    QCOMPARE(shown.widthOf(0, 10), all);
  }

  void rowsLeadToTheirNodes() {
    ShownCalls shown;
    QSignalSpy chosen(&shown.page, &PageWidget::nodeChosen);
    Q_EMIT shown.page.tree().activated(shown.page.tree().model()->index(0, 0));
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen.first().first().value<Ref>().toString(), std::string("m0/function:main"));
    QVERIFY(chosen.first().last().toBool());
  }

  void tableHasTheSameRows() {
    ShownCalls shown;
    shown.page.showTable(true);
    auto* const table = shown.page.findChild<TablePage*>();
    QVERIFY(table && table->isVisible());
    QCOMPARE(table->model().rowCount(), 7);
    QCOMPARE(table->model().index(2, 1).data().toString(), u"main › conv<1>"_s);
    shown.page.showTable(false);
    QVERIFY(shown.page.tree().isVisible());
  }
};

BLOBSCOPE_TEST(TestCallsPage);
#include "test_calls_page.moc"
