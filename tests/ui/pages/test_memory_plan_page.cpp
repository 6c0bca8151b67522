#include "ui/pages/memory_plan_page.h"

#include "tests/core/view/plan_example.h"
#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/pages/page_factory.h"
#include "ui/pages/plan_sliders.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/charts/memory_chart.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/segments.h"

#include <QComboBox>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

struct ShownPlan {
  explicit ShownPlan(int width = 1000, const view::PlanPagePtr& plan = planExample())
      : made(createPage({"Memory plan", plan}, PageContext{jobs, Ref::file()}, nullptr)),
        page(dynamic_cast<MemoryPlanPage&>(*made)) {
    page.resize(width, 700);
    page.show();
    QCoreApplication::processEvents();
  }
  /// Waits for the plan of what `act` chooses.
  template <class Act> bool planned(Act act) {
    QSignalSpy done(&page, &MemoryPlanPage::planned);
    act();
    return !done.isEmpty() || done.wait(kWaitMs);
  }
  bool hasText(const QString& text) const {
    for (const QLabel* const label : page.findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(text)) return true;
    return false;
  }
  Jobs jobs;
  std::unique_ptr<PageWidget> made;
  MemoryPlanPage& page;
};

/// Whether some pixel of the widget has about this colour.
bool shows(QWidget& widget, const QColor& color) {
  const QImage image = drawn(widget, 1);
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      const QColor one = image.pixelColor(x, y);
      if (qAbs(one.red() - color.red()) + qAbs(one.green() - color.green()) + qAbs(one.blue() - color.blue()) < 6)
        return true;
    }
  return false;
}

} // namespace

class TestMemoryPlanPage : public QObject {
  Q_OBJECT
  Application m_application;

private Q_SLOTS:
  void peakAndNotesAreShown() {
    ShownPlan shown;
    QVERIFY(shown.hasText(u"Peak of main, at least"_s));
    QVERIFY(shown.hasText(u"5.00 KiB"_s));
    QVERIFY(shown.hasText(u"Nothing was run."_s));
    QVERIFY(shown.hasText(u"2 storages"_s));
  }

  /// A slider goes in powers of two up to what the storages are planned for, and the plan follows.
  void slidersChangeThePlan() {
    ShownPlan shown;
    QSlider* const slider = shown.page.sliders().slider(u"n"_s);
    QVERIFY(slider);
    QCOMPARE(slider->maximum(), 6); // 64
    QCOMPARE(slider->value(), 4);   // 16
    QVERIFY(shown.planned([&] { slider->setValue(6); }));
    QCOMPARE(shown.page.plan()->symbols[0].value.value_or(0), 64);
    QCOMPARE(shown.page.plan()->reserved, 4'096U);
    QCOMPARE(shown.page.sliders().box(u"n"_s)->value(), 64);
    QVERIFY(shown.hasText(u"8.00 KiB"_s));
    QCOMPARE(shown.page.sliders().slider(u"n"_s), slider); // a drag goes on
  }

  void boxTakesAnyNumber() {
    ShownPlan shown;
    QVERIFY(shown.planned([&] { shown.page.sliders().box(u"n"_s)->setValue(37); }));
    QCOMPARE(shown.page.plan()->symbols[0].value.value_or(0), 37);
    QCOMPARE(shown.page.sliders().slider(u"n"_s)->value(), 5); // 32 is the nearest one below
    QVERIFY(shown.planned([&] { shown.page.sliders().box(u"n"_s)->setValue(1'000); }));
    QCOMPARE(shown.page.plan()->symbols[0].value.value_or(0), 1'000);
    QCOMPARE(shown.page.sliders().box(u"n"_s)->value(), 1'000);
  }

  void unknownSizesSaySo() {
    ShownPlan shown;
    QCOMPARE(shown.page.sliders().box(u"shape[1]"_s)->text(), u"not known"_s);
    QVERIFY(shown.page.chart().accessibleDescription().contains(u"storage 1: depends on shape[1]"_s));
  }

  void sizesStayForAnotherFunction() {
    ShownPlan shown;
    QVERIFY(shown.planned([&] { shown.page.chooseSize("n", 32); }));
    QVERIFY(shown.planned([&] { shown.page.chooseFunction("other"); }));
    QCOMPARE(shown.page.plan()->function, std::string("other"));
    QCOMPARE(shown.page.plan()->symbols[0].value.value_or(0), 32);
  }

  void functionsAreSegmentsOrAList() {
    for (const int width : {1000, 420}) {
      ShownPlan shown(width);
      QComboBox* const list = shown.page.findChild<QComboBox*>();
      QCOMPARE(list->isVisible(), width < 500);
      QVERIFY(shown.planned([&] {
        if (list->isVisible()) return Q_EMIT list->activated(1);
        for (QToolButton* const button : shown.page.findChildren<QToolButton*>())
          if (button->text() == u"other"_s) button->click();
      }));
      QCOMPARE(shown.page.plan()->function, std::string("other"));
    }
  }

  void failureKeepsThePlan() {
    ShownPlan shown;
    QVERIFY(shown.planned([&] { shown.page.chooseFunction("third"); }));
    QCOMPARE(shown.page.plan()->function, std::string("main"));
    QVERIFY(shown.hasText(u"'third' has no plan"_s));
    QVERIFY(shown.planned([&] { shown.page.chooseFunction("main"); }));
    QVERIFY(!shown.hasText(u"'third' has no plan"_s));
  }

  void viewsAreThePictureAndATable() {
    ShownPlan shown;
    const int strips = shown.page.chart().sizeHint().height();
    shown.page.showView(0);
    QVERIFY(shown.page.chart().sizeHint().height() < strips); // weights and cache are in the picture
    QVERIFY(!shown.page.findChild<TablePage*>());
    shown.page.showView(2);
    auto* const table = shown.page.findChild<TablePage*>();
    QVERIFY(table && table->isVisible());
    QCOMPARE(table->model().rowCount(), 9); // peak, 4 parts, 2 sizes, 2 storages
    QCOMPARE(table->model().index(0, 1).data().toString(), u"5,120"_s);
    QVERIFY(shown.planned([&] { shown.page.chooseSize("n", 32); }));
    QCOMPARE(shown.page.findChild<TablePage*>()->model().index(0, 1).data().toString(), u"6,144"_s);
  }

  void storagesAreSelectedByMouseAndKeys() {
    ShownPlan shown;
    MemoryChart& chart = shown.page.chart();
    QSignalSpy details(&shown.page, &PageWidget::detailsChanged), texts(&shown.page, &PageWidget::selectionText);
    QTest::keyClick(&chart, Qt::Key_Down);
    QCOMPARE(chart.currentStorage(), 0);
    QCOMPARE(details.count(), 1);
    const auto group = details.last().first().value<view::Details>().front();
    QCOMPARE(group.rows[0].value, std::string("storage 0"));
    QVERIFY(texts.last().first().toString().startsWith(u"storage 0: 1,024 bytes, instructions 2 to 8, 1 tensor"_s));
    QTest::keyClick(&chart, Qt::Key_Down);
    QTest::keyClick(&chart, Qt::Key_Down); // the last one stays
    QCOMPARE(chart.currentStorage(), 1);
    QTest::mouseClick(&chart, Qt::LeftButton, {}, QPoint(300, chart.height() - 50));
    QCOMPARE(chart.currentStorage(), 0);
  }

  void storagesAreReadAloud() {
    ShownPlan shown;
    MemoryChart& chart = shown.page.chart();
    QCOMPARE(chart.barCount(), 2);
    QVERIFY(chart.barText(1).startsWith(u"storage 1: depends on shape[1], instructions 4 to 9"_s));
    QVERIFY(chart.currentText().startsWith(u"Instruction 2"_s)); // the peak
    QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.barRect(1).center());
    QCOMPARE(chart.currentText(), chart.barText(1));
  }

  void instructionsAreMarkedByKeys() {
    ShownPlan shown;
    MemoryChart& chart = shown.page.chart();
    QCOMPARE(chart.markedInstruction(), 2U); // the peak
    QSignalSpy texts(&shown.page, &PageWidget::selectionText);
    QTest::keyClick(&chart, Qt::Key_Right);
    const QString text = texts.last().first().toString();
    QVERIFY2(text.startsWith(u"Instruction 3: 1.00 KiB reserved by storages, 512 B in use"_s), qPrintable(text));
    QTest::keyClick(&chart, Qt::Key_Home);
    QTest::keyClick(&chart, Qt::Key_Left);
    QCOMPARE(chart.markedInstruction(), 0U);
    QTest::keyClick(&chart, Qt::Key_End);
    QCOMPARE(chart.markedInstruction(), 2U);
  }

  void peakIsMarkedInBothThemes() {
    for (const Theme& one : {Theme::light(), Theme::dark()}) {
      setTheme(one);
      ShownPlan shown;
      QVERIFY(shows(shown.page.chart(), one.color(Role::Accent)));
    }
    setTheme(Theme::light());
  }

  void choiceIsKeptWhenThePageIsMadeAgain() {
    ShownPlan first;
    QVERIFY(first.planned([&] { first.page.chooseSize("n", 8); }));
    QVERIFY(first.planned([&] { first.page.chooseFunction("other"); }));
    first.page.showView(0);
    const auto state = first.page.saveState();
    ShownPlan second;
    QVERIFY(second.planned([&] { second.page.restoreState(*state); }));
    QCOMPARE(second.page.plan()->function, std::string("other"));
    QCOMPARE(second.page.plan()->symbols[0].value.value_or(0), 8);
    QCOMPARE(second.page.views().current(), 0);
  }

  void manyFunctionsAndStoragesAreBounded() {
    auto plan = std::make_shared<view::PlanPage>(*planExample());
    for (int i = 0; i < 50; ++i) plan->functions.push_back("f" + std::to_string(i));
    plan->storages.resize(500, plan->storages[0]);
    for (uint64_t i = 0; i < 200'000; ++i) plan->storages[0].uses.push_back({0, 10, 4});
    ShownPlan shown(1000, plan);
    QVERIFY(shown.page.findChild<QComboBox*>()->isVisible());
    QVERIFY(shown.page.chart().sizeHint().height() < 2'000);
    QVERIFY(!drawn(shown.page.chart(), 1).isNull());
  }
};

BLOBSCOPE_TEST(TestMemoryPlanPage);
#include "test_memory_plan_page.moc"
