#include "ui/pages/report_page.h"

#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/pages/answer_banner.h"
#include "ui/pages/page_factory.h"
#include "ui/widgets/charts/coverage_bar.h"
#include "ui/widgets/labels.h"

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

using Content = view::ReportPage;
using Mark = Content::Mark;

/// One known piece of code, one that reaches fopen; a bar with a part that nothing owns.
view::ReportPagePtr exampleReport() {
  Content page;
  page.sentence = "Loading this file runs 2 pieces of code.";
  page.detail = "Read, not executed.";
  page.mark = Mark::Error;
  Content::Row known{Mark::Good, "DT_INIT", "0x1000", Ref::bytesAt(0x1000), "_init of crti.o of the C library"};
  Content::Row acts{Mark::Error, ".init_array[0]  <b>setUp</b>", "0x2000", Ref::bytesAt(0x2000), "not known"};
  acts.paths = {{{"0x2000", Ref::bytesAt(0x2000)}, {"0x2010", Ref::bytesAt(0x2010)}, {"fopen"}}};
  acts.lines = {"Text it passes to fopen: \"/tmp/x\""};
  acts.links = {{"Bytes at 0x2000", Ref::bytesAt(0x2000)}};
  page.sections = {{"Runs when loaded", "followed 2 levels deep", {known, acts}}};
  Content::Section owned{"Owned by nothing", "50.0 % of the file", {{Mark::Warning, "512 bytes", "0x200", {}, {}}}};
  owned.spans = {{"Host code", {0, 512}, false, view::Span::Owner::HostCode}, {"Nothing", {512, 512}, true}};
  owned.size = 1'024;
  page.sections.push_back(owned);
  page.details = {{"Identity", {{"SHA-256", "00ff", true, {}, {}}}, {}, {}}};
  page.exports = {
      {"html", "HTML file",
       [](std::string_view version, Monitor&) { return Result<std::string>("<p>" + std::string(version)); }},
      {"json", "JSON file", [](std::string_view, Monitor&) { return Result<std::string>("{}"); }}};
  page.compare = [](const std::filesystem::path& earlier, Monitor&) -> Result<view::ReportPagePtr> {
    if (earlier.filename() != "accepted.json") return Error(DiagnosticId::Usage, {{"what", "no report"}});
    Content compared;
    compared.sentence = "Compared.";
    compared.sections = {{"Not in the accepted report", "1 of 1 finding", {{Mark::Warning, "SAFE-NEW", {}, {}, {}}}}};
    return std::make_shared<const Content>(std::move(compared));
  };
  return std::make_shared<const Content>(std::move(page));
}

struct ShownReport {
  explicit ShownReport(int width = 760)
      : made(createPage({"Safety", exampleReport()}, PageContext{jobs, Ref::file()}, nullptr)),
        page(dynamic_cast<ui::ReportPage&>(*made)) {
    page.resize(width, 700);
  }
  LinkButton& link(const QString& text) {
    for (LinkButton* const button : page.findChildren<LinkButton*>())
      if (button->text() == text) return *button;
    qFatal("no link %s", qPrintable(text));
  }
  QStringList words() const {
    QStringList out;
    for (const ThemeLabel* const label : page.findChildren<ThemeLabel*>()) out << label->text();
    return out;
  }

  Jobs jobs;
  std::unique_ptr<PageWidget> made;
  ui::ReportPage& page;
};

} // namespace

/// The page of a report: rows, links, the bar, details, files.
class TestReportPage : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void rowsAndWays() {
    ShownReport shown;
    const QStringList words = shown.words();
    for (const QString& text : {u"Runs when loaded"_s, u"DT_INIT"_s, u"not known"_s, u"It reaches"_s, u"fopen"_s,
                                u"50.0 % of the file"_s, u".init_array[0]  <b>setUp</b>"_s})
      QVERIFY2(words.contains(text), qPrintable(text + u" is not in "_s + words.join(u'|')));
    QCOMPARE(shown.page.findChild<AnswerBanner*>()->text(), u"Loading this file runs 2 pieces of code."_s);
    QCOMPARE(shown.page.findChild<CoverageBar*>()->spans().size(), std::size_t{2});
  }

  void linksLeadToBytes() {
    ShownReport shown;
    QSignalSpy chosen(&shown.page, &PageWidget::nodeChosen);
    shown.link(u"0x2010"_s).click();
    shown.link(u"Bytes at 0x2000"_s).click();
    Q_EMIT shown.page.findChild<CoverageBar*>()->jumped(600);
    QCOMPARE(chosen.size(), 3);
    QCOMPARE(chosen[0][0].value<Ref>(), Ref::bytesAt(0x2010));
    QCOMPARE(chosen[1][0].value<Ref>(), Ref::bytesAt(0x2000));
    QCOMPARE(chosen[2][0].value<Ref>(), Ref::bytesAt(600));
    for (const QList<QVariant>& one : chosen) QVERIFY(one[1].toBool());
  }

  /// The Details panel has the facts while the page is shown.
  void detailsAreShownWithThePage() {
    ShownReport shown;
    QSignalSpy details(&shown.page, &PageWidget::detailsChanged);
    QCoreApplication::processEvents();
    QVERIFY(details.isEmpty());
    shown.page.show();
    QTRY_COMPARE_WITH_TIMEOUT(details.size(), 1, kWaitMs);
    QCOMPARE(details[0][0].value<view::Details>().at(0).title, std::string("Identity"));
  }

  void reportIsSavedAndCopied() {
    ShownReport shown;
    QTemporaryDir folder;
    const QString path = folder.filePath(u"r.html"_s);
    QSignalSpy saved(&shown.page, &ui::ReportPage::saved), message(&shown.page, &PageWidget::message);
    shown.page.save(0, path);
    QVERIFY(!saved.isEmpty() || saved.wait(kWaitMs));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().startsWith("<p>"));
    QVERIFY(message.last()[0].toString().contains(u"r.html"_s));
    shown.page.save(0, folder.filePath(u"none/r.html"_s));
    QVERIFY(saved.wait(kWaitMs));
    QCOMPARE(message.size(), 2);
    QVERIFY(!message.last()[0].toString().contains(u"is saved"_s));
    shown.link(u"Copy report"_s).click();
    QVERIFY(QGuiApplication::clipboard()->text().contains(u"0x2000 → 0x2010 → fopen"_s));
  }

  void comparisonReplacesTheReport() {
    ShownReport shown;
    QVERIFY(shown.link(u"Compare with an accepted report…"_s).isEnabled());
    QSignalSpy compared(&shown.page, &ui::ReportPage::compared), message(&shown.page, &PageWidget::message);
    shown.page.compareWith(u"/none/other.json"_s);
    QVERIFY(!compared.isEmpty() || compared.wait(kWaitMs));
    QCOMPARE(message.size(), 1);
    QVERIFY(message[0][0].toString().contains(u"no report"_s));
    QVERIFY(shown.words().contains(u"Runs when loaded"_s));
    shown.page.compareWith(u"/none/accepted.json"_s);
    QVERIFY(compared.wait(kWaitMs));
    QCOMPARE(message.size(), 1);
    QVERIFY(shown.words().contains(u"SAFE-NEW"_s));
    QVERIFY(!shown.words().contains(u"Runs when loaded"_s));
  }

  /// Nothing is cut at the right, down to the narrowest page.
  void narrowPages() {
    for (const int width : {1'200, 760, 480}) {
      ShownReport shown(width);
      shown.page.show();
      QCoreApplication::processEvents();
      for (const LinkButton* const button : shown.page.findChildren<LinkButton*>())
        QVERIFY2(button->mapTo(&shown.page, QPoint(button->width(), 0)).x() <= width, qPrintable(button->text()));
    }
  }

private:
  Application m_application;
};

BLOBSCOPE_TEST(TestReportPage);
#include "test_report_page.moc"
