#include "ui/pages/checklist_page.h"

#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/pages/checklist_example.h"
#include "tests/ui/ui_test.h"
#include "ui/pages/answer_banner.h"
#include "ui/pages/checklist_steps.h"
#include "ui/pages/checklist_tables.h"
#include "ui/pages/page_factory.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/target_line.h"
#include "ui/widgets/charts/target_strip.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/wrapped_text.h"

#include <QAccessible>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

struct ShownChecklist {
  explicit ShownChecklist(int width, const view::ChecklistPage& content = checklistExample())
      : made(createPage({"Will it load?", content}, PageContext{jobs, Ref::file()}, nullptr)),
        page(dynamic_cast<ui::ChecklistPage&>(*made)) {
    page.resize(width, 800);
    page.show();
    QCoreApplication::processEvents();
  }
  template <class T> T& one() { return *page.findChild<T*>(); }
  QComboBox& list(const QString& name) {
    for (QComboBox* const box : page.findChildren<QComboBox*>())
      if (box->accessibleName() == name) return *box;
    qFatal("no list %s", qPrintable(name));
  }
  LinkButton& link(const QString& text) {
    for (LinkButton* const button : page.findChildren<LinkButton*>())
      if (button->text() == text) return *button;
    qFatal("no link %s", qPrintable(text));
  }
  QWidget& step(unsigned number) {
    for (QWidget* const widget : one<ChecklistSteps>().findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
      if (widget->property("step").toUInt() == number && !widget->isHidden()) return *widget;
    qFatal("no step %u", number);
  }
  bool hasStep(unsigned number) {
    for (QWidget* const widget : one<ChecklistSteps>().findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
      if (widget->property("step").toUInt() == number && !widget->isHidden()) return true;
    return false;
  }
  std::string target() const { return page.page().choice.target; }
  /// Waits for the answer to what `act` chooses.
  template <class Act> bool answered(Act act) {
    QSignalSpy answer(&page, &ui::ChecklistPage::answered);
    act();
    return !answer.isEmpty() || answer.wait(kWaitMs);
  }

  Jobs jobs;
  std::unique_ptr<PageWidget> made;
  ui::ChecklistPage& page;
};

/// The box of the strip with that label.
int boxOf(TargetStrip& strip, const QString& label) {
  for (int box = 0; box < strip.barCount(); ++box)
    if (strip.barText(box).startsWith(label + u":"_s)) return box;
  return -1;
}

QString visibleError(ShownChecklist& shown) {
  for (const QLabel* const label : shown.page.findChildren<QLabel*>())
    if (label->isVisible() && label->text().contains(u"does not exist"_s)) return label->text();
  return {};
}

} // namespace

/// The page "Will it load?": choosing, keyboard, folding, links.
class TestChecklistPage : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void keyboardMovesAlongTheStrip();
  void answerReplacesThePage();
  void contentStaysUntilTheAnswer();
  void cancelKeepsThePage();
  void targetIsChosenByName();
  void deviceIsChosenInTheTable();
  void equalNeighboursFold();
  void boxesFitIntoEveryWidth_data();
  void boxesFitIntoEveryWidth();
  void lineKeepsItsHeight();
  void metStepsCanBeHidden();
  void linksAreFollowed();
  void fileOnDiskIsChosen();
  void wordsAreCopied();
  void tablesAreBesideOrBelow();
  void nothingIsWiderThanThePage_data();
  void nothingIsWiderThanThePage();
  void stripIsReadAloud();
  void answerWithoutStepsIsShown();
  void namesAreShownAsText();
  void statesDifferInShapeAndColour();

private:
  Application m_application;
};

void TestChecklistPage::keyboardMovesAlongTheStrip() {
  ShownChecklist shown(1'000);
  auto& strip = shown.one<TargetStrip>();
  auto& line = shown.one<TargetLine>();
  QVERIFY(focus(strip));
  QCOMPARE(strip.labelOf(strip.current()), u"0.27"_s); // the chosen one
  QTest::keyClick(&strip, Qt::Key_Left);
  QCOMPARE(strip.labelOf(strip.current()), u"0.26"_s);
  QVERIFY2(line.text().startsWith(u"0.26: opens the library and crashes"_s), qPrintable(line.text()));
  QTest::keyClick(&strip, Qt::Key_Home);
  QTest::keyClick(&strip, Qt::Key_Left);
  QCOMPARE(strip.labelOf(strip.current()), u"0.6"_s);
  QTest::keyClick(&strip, Qt::Key_End);
  QTest::keyClick(&strip, Qt::Key_Right);
  QCOMPARE(strip.labelOf(strip.current()), u"tirx 0.1.0a4"_s);
  for (int i = 0; i < 5; ++i) QTest::keyClick(&strip, Qt::Key_Left);
  QCOMPARE(strip.labelOf(strip.current()), u"0.23"_s);
  QVERIFY(shown.answered([&] { QTest::keyClick(&strip, Qt::Key_Return); }));
  QCOMPARE(shown.target(), std::string("v0.23"));
  // The keyboard stays where it was.
  QVERIFY(strip.hasFocus());
  QCOMPARE(strip.labelOf(strip.current()), u"0.23"_s);
}

void TestChecklistPage::answerReplacesThePage() {
  ShownChecklist shown(1'000);
  auto& strip = shown.one<TargetStrip>();
  QVERIFY(shown.answered(
      [&] { QTest::mouseClick(&strip, Qt::LeftButton, {}, strip.barRect(boxOf(strip, u"0.24"_s)).center()); }));
  QCOMPARE(shown.target(), std::string("v0.24"));
  QVERIFY(shown.one<AnswerBanner>().text().startsWith(u"v0.24 opens"_s));
  QCOMPARE(shown.list(u"Runtime"_s).currentText(), u"Release v0.24"_s);
  QVERIFY(strip.barText(boxOf(strip, u"0.24"_s)).endsWith(u"(chosen)"_s));
}

void TestChecklistPage::contentStaysUntilTheAnswer() {
  ShownChecklist shown(1'000);
  QSignalSpy answer(&shown.page, &ui::ChecklistPage::answered);
  {
    const BusyWorkers busy(shown.jobs);
    shown.page.choose({"v0.6", "sm_90", "580"});
    QCoreApplication::processEvents();
    QCOMPARE(shown.target(), std::string("v0.27"));
    QVERIFY(shown.one<AnswerBanner>().text().startsWith(u"v0.27 opens"_s));
    // A later choice replaces it and keeps its other parts.
    shown.list(u"Driver"_s).setCurrentIndex(1);
    Q_EMIT shown.list(u"Driver"_s).activated(1);
  }
  finishJobs(shown.jobs);
  QCOMPARE(answer.size(), 1);
  QCOMPARE(shown.page.page().choice.driver, std::string("525"));
}

void TestChecklistPage::cancelKeepsThePage() {
  ShownChecklist shown(1'000);
  QString tag;
  connect(&shown.jobs, &Jobs::started, this, [&](const QString& started) { tag = started; });
  {
    const BusyWorkers busy(shown.jobs);
    shown.list(u"Runtime"_s).setCurrentIndex(0);
    Q_EMIT shown.list(u"Runtime"_s).activated(0);
    QVERIFY(tag.startsWith(ui::ChecklistPage::tagPrefix()));
    shown.jobs.cancel(tag);
  }
  finishJobs(shown.jobs);
  QCOMPARE(shown.target(), std::string("v0.27"));
  QCOMPARE(shown.list(u"Runtime"_s).currentText(), u"Release v0.27"_s);
  // The same choice can be made again.
  QVERIFY(shown.answered([&] { Q_EMIT shown.list(u"Runtime"_s).activated(0); }));
  QCOMPARE(shown.target(), std::string("v0.6"));
}

void TestChecklistPage::targetIsChosenByName() {
  ShownChecklist shown(1'000);
  QComboBox& list = shown.list(u"Runtime"_s);
  const auto type = [&](const QString& text) {
    return shown.answered([&] {
      list.lineEdit()->setText(text);
      QTest::keyClick(list.lineEdit(), Qt::Key_Return);
    });
  };
  QVERIFY(type(u"release v0.22"_s));
  QCOMPARE(shown.target(), std::string("v0.22"));
  QVERIFY(type(u" /opt/tvm/libtvm_runtime.so "_s));
  QCOMPARE(shown.target(), std::string("/opt/tvm/libtvm_runtime.so"));
  QCOMPARE(list.currentText(), u"/opt/tvm/libtvm_runtime.so"_s);
  // A name that does not exist: the reason is shown, and the page stays.
  QVERIFY(type(u"v9"_s));
  QCOMPARE(visibleError(shown), u"'v9' does not exist"_s);
  QCOMPARE(shown.target(), std::string("/opt/tvm/libtvm_runtime.so"));
  QVERIFY(type(u"Release v0.23"_s));
  QCOMPARE(visibleError(shown), QString());
}

void TestChecklistPage::deviceIsChosenInTheTable() {
  ShownChecklist shown(1'000);
  auto& view = shown.one<QTableView>();
  QCOMPARE(view.currentIndex().data().toString(), u"sm_90"_s);
  QVERIFY(focus(view));
  QTest::keyClick(&view, Qt::Key_Down);
  QVERIFY(shown.answered([&] { QTest::keyClick(&view, Qt::Key_Return); }));
  QCOMPARE(shown.page.page().choice.device, std::string("sm_120"));
  QCOMPARE(shown.page.page().choice.driver, std::string()); // the other device may have other drivers
  QCOMPARE(shown.target(), std::string("v0.27"));
  QCOMPARE(shown.list(u"Device"_s).currentData().toString(), u"sm_120"_s);
}

void TestChecklistPage::equalNeighboursFold() {
  ShownChecklist shown(1'000);
  auto& strip = shown.one<TargetStrip>();
  QCOMPARE(strip.barCount(), 23);
  shown.page.resize(800, 800);
  QCoreApplication::processEvents();
  QCOMPARE(strip.barCount(), 5);
  QCOMPARE(boxOf(strip, u"0.6 – 0.21"_s), 0);
  QCOMPARE(boxOf(strip, u"0.22"_s), 1);
  // A box is chosen as its newest target, and the chosen one stays where it is.
  QVERIFY(shown.answered(
      [&] { QTest::mouseClick(&strip, Qt::LeftButton, {}, strip.barRect(boxOf(strip, u"0.23 – 0.25"_s)).center()); }));
  QCOMPARE(shown.target(), std::string("v0.25"));
  QVERIFY(shown.answered([&] { shown.page.choose({"v0.24", "sm_90", "580"}); }));
  QVERIFY(strip.barText(boxOf(strip, u"0.23 – 0.25"_s)).endsWith(u"(chosen)"_s));
  shown.page.resize(1'000, 800);
  QCoreApplication::processEvents();
  QCOMPARE(strip.barCount(), 23);
}

void TestChecklistPage::boxesFitIntoEveryWidth_data() {
  QTest::addColumn<int>("width");
  for (const int width : {1'500, 1'180, 900, 899, 640, 420, 200})
    QTest::newRow(qPrintable(QString::number(width))) << width;
}

void TestChecklistPage::boxesFitIntoEveryWidth() {
  QFETCH(const int, width);
  TargetStrip strip;
  view::ChecklistPage page = checklistExample();
  // No two neighbours are alike.
  for (std::size_t i = 0; i < page.cells.size(); ++i)
    page.cells[i].state = i % 2 ? view::ChecklistPage::State::Good : view::ChecklistPage::State::Fails;
  strip.setFolded(true);
  strip.setCells(u"All releases"_s, page.cells, "v0.27");
  strip.resize(width, strip.heightForWidth(width));
  strip.show();
  QCOMPARE(strip.barCount(), 23);
  for (int box = 0; box < strip.barCount(); ++box) {
    QVERIFY2(strip.rect().contains(strip.barRect(box)), qPrintable(strip.barText(box)));
    for (int other = 0; other < box; ++other) QVERIFY(!strip.barRect(box).intersects(strip.barRect(other)));
  }
}

void TestChecklistPage::lineKeepsItsHeight() {
  ShownChecklist shown(1'000);
  auto& strip = shown.one<TargetStrip>();
  auto& line = shown.one<TargetLine>();
  const QRect place = line.geometry();
  QVERIFY(place.height() > 50); // that of 0.22, which has words of the runtime
  for (int box = 0; box < strip.barCount(); ++box) {
    QTest::mouseMove(&strip, strip.barRect(box).center());
    QCoreApplication::processEvents();
    QVERIFY2(line.text().startsWith(strip.labelOf(box) + u':'), qPrintable(line.text()));
    QCOMPARE(line.geometry(), place);
  }
  QEvent leave(QEvent::Leave);
  QCoreApplication::sendEvent(&strip, &leave);
  QVERIFY(line.text().startsWith(u"0.27:"_s));
}

void TestChecklistPage::metStepsCanBeHidden() {
  ShownChecklist shown(1'000);
  auto& hide = shown.one<QCheckBox>();
  QCOMPARE(hide.text(), u"Hide what is met"_s);
  for (unsigned number = 1; number <= 9; ++number) QVERIFY(shown.hasStep(number));
  hide.setChecked(true);
  for (unsigned number = 1; number <= 9; ++number) QCOMPARE(shown.hasStep(number), number == 3 || number == 5);
  // It stays so for another choice.
  QVERIFY(shown.answered([&] { shown.page.choose({"v0.6", "sm_90", "580"}); }));
  for (unsigned number = 1; number <= 9; ++number) QCOMPARE(shown.hasStep(number), number == 3 || number == 5);
  hide.setChecked(false);
  for (unsigned number = 1; number <= 9; ++number) QVERIFY(shown.hasStep(number));
}

void TestChecklistPage::linksAreFollowed() {
  ShownChecklist shown(1'000);
  QSignalSpy nodes(&shown.page, &PageWidget::nodeChosen);
  shown.link(u"Slot at 0x382040"_s).click();
  QCOMPARE(nodes.size(), 1);
  QCOMPARE(nodes[0][0].value<Ref>(), Ref::bytesAt(0x382040, 8));
  QCOMPARE(nodes[0][1].toBool(), true);
  QVERIFY(shown.answered([&] { QTest::keyClick(&shown.link(u"Use v0.23 – v0.25"_s), Qt::Key_Return); }));
  QCOMPARE(shown.target(), std::string("v0.25"));
  QCOMPARE(nodes.size(), 1);
  // Advice without a place is no link.
  for (const LinkButton* const button : shown.page.findChildren<LinkButton*>())
    QVERIFY(!button->text().startsWith(u"Export again"_s));
}

void TestChecklistPage::fileOnDiskIsChosen() {
  ShownChecklist shown(1'000);
  QVERIFY(!shown.page.findChild<QFileDialog*>());
  shown.link(u"choose the runtime file"_s).click();
  auto* const dialog = shown.page.findChild<QFileDialog*>();
  QVERIFY(dialog && dialog->isVisible());
  QVERIFY(shown.answered([&] { Q_EMIT dialog->fileSelected(u"/opt/MLCChat.apk"_s); }));
  QCOMPARE(shown.target(), std::string("/opt/MLCChat.apk"));
  dialog->close();
}

void TestChecklistPage::wordsAreCopied() {
  ShownChecklist shown(1'000);
  CodeBox& box = *shown.step(3).findChild<CodeBox*>();
  box.copyButton().click();
  QVERIFY(QGuiApplication::clipboard()->text().startsWith(u"slot __TVMBackendGetFuncFromEnv is not filled"_s));
  QVERIFY(!QGuiApplication::clipboard()->text().contains(u'\n'));
  shown.one<AnswerBanner>().copyButton().click();
  const QString report = QGuiApplication::clipboard()->text();
  QVERIFY2(report.startsWith(u"v0.27 opens this library"_s), qPrintable(report));
  QVERIFY(report.contains(u"0.6 – 0.21"_s) && report.contains(u"Shared memory"_s));
}

void TestChecklistPage::tablesAreBesideOrBelow() {
  ShownChecklist shown(1'180);
  const auto place = [&](QWidget& widget) { return QRect(widget.mapTo(&shown.page, QPoint()), widget.size()); };
  auto& tables = shown.one<ChecklistTables>();
  auto& steps = shown.one<ChecklistSteps>();
  QVERIFY(place(tables).left() > place(steps).right());
  QVERIFY(place(tables).top() < place(steps).top());
  shown.page.resize(1'179, 800);
  QCoreApplication::processEvents();
  QVERIFY(place(tables).top() > place(steps).bottom());
}

void TestChecklistPage::nothingIsWiderThanThePage_data() {
  QTest::addColumn<int>("width");
  QTest::addColumn<bool>("mirrored");
  for (const int width : {1'400, 1'000, 760, 480})
    for (const bool mirrored : {false, true})
      QTest::addRow("%d%s", width, mirrored ? " from right to left" : "") << width << mirrored;
}

void TestChecklistPage::nothingIsWiderThanThePage() {
  QFETCH(const int, width);
  QFETCH(const bool, mirrored);
  QGuiApplication::setLayoutDirection(mirrored ? Qt::RightToLeft : Qt::LeftToRight);
  ShownChecklist shown(width);
  QCOMPARE(shown.one<QScrollArea>().horizontalScrollBar()->maximum(), 0);
  const QRect page = shown.page.rect();
  for (const QWidget* const widget : shown.page.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    const int left = widget->mapTo(&shown.page, QPoint()).x();
    QVERIFY2(left >= 0 && left + widget->width() <= page.width(), widget->metaObject()->className());
  }
  // Numbers of steps are at the start of the line, icons beside them.
  QWidget& step = shown.step(1);
  const int number = step.findChild<ThemeLabel*>()->geometry().center().x();
  const int icon = step.findChild<IconLabel*>()->geometry().center().x();
  QCOMPARE(number > icon, mirrored);
  QGuiApplication::setLayoutDirection(Qt::LeftToRight);
}

void TestChecklistPage::stripIsReadAloud() {
  ShownChecklist shown(1'000);
  auto& strip = shown.one<TargetStrip>();
  QVERIFY(focus(strip));
  QAccessibleInterface* const list = QAccessible::queryAccessibleInterface(&strip);
  QVERIFY(list);
  QCOMPARE(list->role(), QAccessible::List);
  QCOMPARE(list->text(QAccessible::Name), u"All releases"_s);
  QCOMPARE(list->childCount(), 23);
  QCOMPARE(list->child(16)->text(QAccessible::Name),
           u"0.22: loads, fails later at step 8. loads; then prefill fails at step 8, instruction 41. decode and embed "
           "are not affected."_s);
  QTest::keyClick(&strip, Qt::Key_Left);
  QCOMPARE(list->text(QAccessible::Value), list->child(20)->text(QAccessible::Name));
  QVERIFY(shown.step(3).accessibleName().startsWith(u"Step 3, Slots: missing. 6 of 7"_s));
  QVERIFY(shown.step(4).accessibleName().startsWith(u"Step 4, Carrier: met."_s));
  QVERIFY(shown.step(5).accessibleName().startsWith(u"Step 5, Loaders: not certain."_s));
  for (QComboBox* const box : shown.page.findChildren<QComboBox*>()) QVERIFY(!box->accessibleName().isEmpty());
}

void TestChecklistPage::answerWithoutStepsIsShown() {
  view::ChecklistPage content;
  content.sentence = "This file is not a TVM library.";
  content.state = view::ChecklistPage::State::NotNeeded;
  ShownChecklist shown(1'000, content);
  QCOMPARE(shown.one<AnswerBanner>().text(), u"This file is not a TVM library."_s);
  QVERIFY(!shown.one<TargetStrip>().isVisible() && !shown.one<QCheckBox>().isVisible());
  for (const QComboBox* const box : shown.page.findChildren<QComboBox*>()) QVERIFY(!box->isVisible());
  shown.page.choose({"v0.6", "", ""}); // nothing to choose
  QCOMPARE(shown.target(), std::string());
}

/// Names from a file are never markup.
void TestChecklistPage::namesAreShownAsText() {
  view::ChecklistPage content = checklistExample();
  content.steps[2].summary = "<b>x</b>";
  content.steps[2].items[0].message = "first line\n<i>&amp;</i> " + std::string(3'000, 'x');
  ShownChecklist shown(700, content);
  bool found = false;
  for (const QLabel* const label : shown.step(3).findChildren<QLabel*>()) {
    QCOMPARE(label->textFormat(), Qt::PlainText);
    found |= label->text() == u"<b>x</b>"_s;
  }
  QVERIFY(found);
  CodeBox& box = *shown.step(3).findChild<CodeBox*>();
  QVERIFY(box.height() < 400); // at most twelve lines
  box.copyButton().click();
  QCOMPARE(QGuiApplication::clipboard()->text().size(), qsizetype(11 + 13 + 3'000));
}

void TestChecklistPage::statesDifferInShapeAndColour() {
  using State = view::ChecklistPage::State;
  for (const Theme& look : {Theme::light(), Theme::dark()}) {
    setTheme(look);
    QVector<QImage> pictures;
    for (const State state : {State::Good, State::Empty, State::Later, State::Fails, State::Crashes, State::Unknown}) {
      TargetStrip strip;
      strip.setCells(u"Strip"_s, {{"0.9", "v0.9", state, 0, "", ""}}, "");
      strip.resize(60, strip.heightForWidth(60));
      const QImage picture = drawn(strip, 1).convertToFormat(QImage::Format_Grayscale8);
      QVERIFY(!pictures.contains(picture));
      pictures << picture;
    }
  }
  setTheme(Theme::light());
}

BLOBSCOPE_TEST(TestChecklistPage);

#include "test_checklist_page.moc"
