#include "core/view/table_extras.h"
#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/pages/table_head.h"
#include "ui/pages/table_page.h"
#include "ui/pages/table_plots.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/plot_view.h"
#include "ui/widgets/segments.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

/// Six kernels of three operators; their code has `unit` bytes times their number.
class Six final : public view::TableSource {
public:
  explicit Six(uint64_t unit) : m_unit(unit) {}
  std::vector<view::Column> columns() const override {
    std::vector<view::Column> out = {{"kernel"}, {"code bytes", true, true}, {"occupancy %", true}, {"uses"}};
    out[2].lowPercent = 40;
    out[3].words = true;
    return out;
  }
  uint64_t rowCount() const override { return 6; }
  std::string cell(uint64_t row, std::size_t column) const override {
    constexpr const char* kNames[] = {"add_1", "mul_1", "add_2", "sub_1", "mul_2", "add_3"};
    switch (column) {
    case 0: return kNames[row];
    case 1: return std::to_string((row + 1) * m_unit);
    case 2: return row == 5 ? "25" : "75";
    default: return row == 1 ? "tensor cores" : row == 5 ? "shuffles" : row == 2 ? "fits" : row == 3 ? "fails" : "";
    }
  }
  std::optional<bool> isGood(uint64_t row, std::size_t column) const override {
    return column == 3 && (row == 2 || row == 3) ? std::optional(row == 2) : std::nullopt;
  }
  std::optional<Ref> target(uint64_t row, const Ref&) const override {
    return Ref::parse("m2/kernel:" + cell(row, 0)).value();
  }

private:
  uint64_t m_unit;
};

view::PlotPage::Plot plotOf(const std::string& title, double x) {
  view::PlotPage::Plot plot;
  plot.title = title;
  plot.x = {"threads per block", "", {}, 0.0, 100.0};
  plot.y = {"occupancy", "%", {}, 0.0, 100.0};
  plot.series = {
      {"registers", view::PlotPage::Draw::Points, {{x, 50, "add_2", 1, Ref::parse("m2/kernel:add_2").value()}}}};
  return plot;
}

view::TablePage pageFor(uint64_t unit) {
  const auto extras = std::make_shared<view::TableExtras>();
  const auto source = std::make_shared<Six>(unit);
  extras->groupings = {{"prefix", [source](uint64_t row) { return source->cell(row, 0).substr(0, 3); }},
                       {"module", [](uint64_t row) { return row < 2 ? std::string("m2") : std::string(); }}};
  extras->grouping = 0;
  extras->thing = "kernel";
  extras->sum = 1;
  extras->sorted = 1;
  extras->summary = "6 kernels for unit " + std::to_string(unit);
  extras->note = unit == 1 ? "" : "an estimate";
  extras->choiceTitle = "GPU";
  extras->options = {{"1", "one"}, {"10", "ten"}, {"0", "none"}};
  extras->choice = std::to_string(unit);
  extras->plots = {{plotOf("All", 40)}};
  extras->plotsOf = [](uint64_t row) {
    return view::PlotPage{{plotOf("First " + std::to_string(row), 10), plotOf("Second " + std::to_string(row), 20)}};
  };
  extras->pointOf = [](uint64_t row) {
    return std::optional(view::PlotPage::Point{static_cast<double>(row), 50, "here"});
  };
  extras->choose = [](const std::string& choice, Monitor&) -> Result<view::TablePage> {
    if (choice == "0")
      return Error(DiagnosticId::PageSetting, {{"choice", choice}, {"page", "Kernels"}, {"known", "1, 10"}});
    return pageFor(std::stoull(choice));
  };
  return {source, false, extras};
}

/// The page when its rows are in order.
struct Opened {
  explicit Opened(int width = 1'200) : page(pageFor(1), PageContext{jobs, Ref::file()}, nullptr) {
    QSignalSpy ordered(&page, &TablePage::ordered);
    page.resize(width, 700);
    page.show();
    isOrdered = ordered.wait(kWaitMs);
    QCoreApplication::processEvents();
  }
  /// Names and headings from the top.
  QStringList rows() {
    QStringList out;
    for (int row = 0; row < page.model().rowCount(); ++row) out << page.model().index(row, 0).data().toString();
    return out;
  }
  bool orders(const std::function<void()>& act) {
    QSignalSpy ordered(&page, &TablePage::ordered);
    act();
    return !ordered.isEmpty() || ordered.wait(kWaitMs);
  }
  Jobs jobs;
  TablePage page;
  bool isOrdered = false;
};

} // namespace

/// Tables with groups, plots and a choice.
class TestGroupedTable : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void largestGroupsComeFirst() {
    Opened opened;
    QVERIFY(opened.isOrdered);
    QCOMPARE(opened.rows(), (QStringList{"add", "add_3", "add_2", "add_1", "mul", "mul_2", "mul_1", "sub", "sub_1"}));
    QCOMPARE(opened.page.model().index(0, 0).data(GroupRole).toString(), u"3 kernels  ·  10 code bytes"_s);
    QCOMPARE(opened.page.model().index(7, 2).data(GroupRole).toString(), u"1 kernel  ·  4 code bytes"_s);
    QVERIFY(!opened.page.model().index(1, 0).data(GroupRole).isValid());
  }

  void groupsFollowTheOrder() {
    Opened opened;
    QVERIFY(opened.orders([&] { Q_EMIT opened.page.view().horizontalHeader()->sectionClicked(1); })); // smallest first
    QCOMPARE(opened.rows(), (QStringList{"sub", "sub_1", "mul", "mul_1", "mul_2", "add", "add_1", "add_2", "add_3"}));
    QVERIFY(opened.orders([&] { Q_EMIT opened.page.view().horizontalHeader()->sectionClicked(0); }));
    QCOMPARE(opened.rows(), (QStringList{"add", "add_1", "add_2", "add_3", "mul", "mul_1", "mul_2", "sub", "sub_1"}));
  }

  void groupingCanBeChosen() {
    Opened opened;
    auto* const segments = opened.page.head()->findChild<Segments*>();
    const QList<QToolButton*> buttons = segments->findChildren<QToolButton*>();
    QCOMPARE(buttons.size(), 3);
    QVERIFY(opened.orders([&] { buttons[1]->click(); }));
    QCOMPARE(opened.rows(), (QStringList{"Others", "add_3", "mul_2", "sub_1", "add_2", "m2", "mul_1", "add_1"}));
    QVERIFY(opened.orders([&] { buttons[2]->click(); }));
    QCOMPARE(opened.rows(), (QStringList{"add_3", "mul_2", "sub_1", "add_2", "mul_1", "add_1"}));
    QVERIFY(!opened.page.model().hasGroups());
  }

  void clickFoldsAGroup() {
    Opened opened;
    QTableView& view = opened.page.view();
    const auto click = [&](int row) {
      QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(view.model()->index(row, 0)).center());
    };
    click(0);
    QCOMPARE(opened.rows(), (QStringList{"add", "mul", "mul_2", "mul_1", "sub", "sub_1"}));
    QVERIFY(view.model()->index(0, 0).data(FoldedRole).toBool());
    QVERIFY(opened.orders([&] { opened.page.filter().setText(u"_1"_s); }));
    QCOMPARE(opened.rows(), (QStringList{"sub", "sub_1", "mul", "mul_1", "add"}));
    click(4);
    QCOMPARE(opened.rows(), (QStringList{"sub", "sub_1", "mul", "mul_1", "add", "add_1"}));
  }

  void keysFoldAGroup() {
    Opened opened;
    QTableView& view = opened.page.view();
    view.setCurrentIndex(view.model()->index(4, 0));
    QTest::keyClick(&view, Qt::Key_Left);
    QCOMPARE(opened.rows(), (QStringList{"add", "add_3", "add_2", "add_1", "mul", "sub", "sub_1"}));
    QTest::keyClick(&view, Qt::Key_Left); // already folded
    QCOMPARE(view.model()->rowCount(), 7);
    QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(view.model()->rowCount(), 9);
    QTest::keyClick(&view, Qt::Key_Return);
    QCOMPARE(view.model()->rowCount(), 7);
  }

  /// A heading is no node.
  void rowsLeadToTheirNodes() {
    Opened opened;
    QSignalSpy chosen(&opened.page, &PageWidget::nodeChosen);
    QTableView& view = opened.page.view();
    Q_EMIT view.activated(view.model()->index(0, 0));
    QCOMPARE(chosen.size(), 0);
    Q_EMIT view.activated(view.model()->index(2, 0));
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].value<Ref>().toString(), std::string("m2/kernel:add_2"));
    QCOMPARE(chosen[0][1].toBool(), true);
  }

  void chipsAndLowNumbersAreMarked() {
    Opened opened;
    const QModelIndex low = opened.page.model().index(1, 2), other = opened.page.model().index(2, 2);
    QVERIFY(low.data(LowRole).toBool());
    QVERIFY(!other.data(LowRole).toBool());
    QCOMPARE(low.data(BarRole).toDouble(), 0.25);
    QCOMPARE(opened.page.model().index(1, 3).data(WordsRole).toStringList(), QStringList{u"shuffles"_s});
    const QImage picture = drawn(opened.page.view(), 1);
    QVERIFY(countPixels(picture, theme().color(Role::Warning)) > 20);
    for (const Role role : {Role::MovedLine, Role::OkBackground, Role::ErrorBackground, Role::NoteBackground})
      QVERIFY2(countPixels(picture, theme().color(role)) > 200, qPrintable(QString::number(static_cast<int>(role))));
  }

  void selectionShowsItsPlots() {
    Opened opened;
    QVERIFY(opened.page.plots()->isVisible());
    opened.page.view().setCurrentIndex(opened.page.model().index(3, 0)); // add_1, row 0 of the source
    QCOMPARE(opened.page.plots()->row().plot().title, std::string("First 0"));
    const QList<QToolButton*> buttons = opened.page.plots()->choices().findChildren<QToolButton*>();
    buttons[1]->click();
    QCOMPARE(opened.page.plots()->row().plot().title, std::string("Second 0"));
    opened.page.view().setCurrentIndex(opened.page.model().index(2, 0));
    QCOMPARE(opened.page.plots()->row().plot().title, std::string("Second 2"));
  }

  void pointSelectsItsRow() {
    Opened opened;
    PlotView& all = opened.page.plots()->all();
    QTest::mouseClick(&all, Qt::LeftButton, {}, all.barRect(0).center());
    QCOMPARE(opened.page.view().currentIndex().data().toString(), u"add_2"_s);
  }

  void choiceChangesTheNumbers() {
    Opened opened;
    opened.page.view().setCurrentIndex(opened.page.model().index(2, 0));
    QSignalSpy shown(&opened.page, &TablePage::choiceShown), complaints(&opened.page, &PageWidget::message);
    auto* const choice = opened.page.head()->findChild<QComboBox*>();
    QCOMPARE(choice->currentText(), u"one"_s);
    QVERIFY(opened.orders([&] { Q_EMIT choice->activated(1); }));
    QCOMPARE(shown.size(), 1);
    QCOMPARE(opened.page.model().index(1, 1).data().toString(), u"60"_s);
    QCOMPARE(choice->currentText(), u"ten"_s);
    QVERIFY(opened.page.view().currentIndex().data().toString() == u"add_2"_s);
    // A choice that is refused leaves everything as it is.
    complaints.clear();
    QVERIFY(opened.orders([&] { Q_EMIT choice->activated(2); }));
    QCOMPARE(choice->currentText(), u"ten"_s);
    QVERIFY(complaints[0][0].toString().startsWith(u"'0' cannot be chosen"_s));
  }

  void shownRowsAreSaved() {
    Opened opened;
    QVERIFY(opened.orders([&] { opened.page.filter().setText(u"mul"_s); }));
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"rows.csv"_s);
    QSignalSpy saved(&opened.page, &TablePage::saved);
    opened.page.exportTo(path);
    QVERIFY(saved.wait(kWaitMs));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(),
             QByteArray("kernel,code bytes,occupancy %,uses\r\nmul_2,5,75,\r\nmul_1,2,75,tensor cores\r\n"));
  }

private:
  Application m_application;
};

BLOBSCOPE_TEST(TestGroupedTable);

#include "test_grouped_table.moc"
