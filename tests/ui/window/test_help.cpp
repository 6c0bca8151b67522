#include "core/check/rule.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/help_pages.h"
#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/labels.h"
#include "ui/window/help_window.h"
#include "ui/window/panels/bottom_panel.h"
#include "ui/window/panels/details_panel.h"
#include "ui/window/panels/problems_panel.h"

#include <QHash>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QSet>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

/// The help pages: each can be read, each link has a target, and each term of the window with a help topic has its
/// page.
class TestHelpPages : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { WindowApplication::reset(); }
  void everyTopicHasTitleAndSentence();
  void glossaryAgreesWithItsPages();
  void everyLinkLeadsToAPage();
  void everyPageIsReachableFromTheIndex();
  void everyRuleIsDescribedOnce();
  void topicsOfTheWindowExist();
  void keyOpensThePage();
  void keyOpensTheRuleOfAFinding();
  void unknownTopicShowsTheIndex();
  void linksAreFollowed();
  void searchFindsThePagesWithAllWords();
  void backGoesToThePageBefore();
  void everyShortcutIsDescribed();

private:
  WindowApplication m_application;
};

void TestHelpPages::everyTopicHasTitleAndSentence() {
  const QStringList topics = help::topics();
  QVERIFY(topics.size() >= 25);
  QVERIFY(topics.contains(QStringLiteral("index")));
  QSet<QString> titles;
  for (const QString& topic : topics) {
    QVERIFY2(help::exists(topic), qPrintable(topic));
    QVERIFY2(help::page(topic).startsWith(QStringLiteral("# ")), qPrintable(topic));
    const QString title = help::title(topic), sentence = help::sentence(topic);
    QVERIFY2(!title.isEmpty() && !titles.contains(title), qPrintable(topic));
    titles.insert(title);
    // One sentence, as plain text: it is a tool tip.
    QVERIFY2(sentence.endsWith(QLatin1Char('.')), qPrintable(topic + QStringLiteral(": ") + sentence));
    QVERIFY2(!sentence.contains(QRegularExpression(QStringLiteral("[.!?] +[A-Z]"))),
             qPrintable(topic + QStringLiteral(": ") + sentence));
    QVERIFY2(sentence.size() > 20 && sentence.size() < 260, qPrintable(topic + QStringLiteral(": ") + sentence));
    QVERIFY2(!sentence.contains(QRegularExpression(QStringLiteral("\\]\\(|\\*\\*|`"))),
             qPrintable(topic + QStringLiteral(": ") + sentence));
  }
}

/// Every row is read, and each page of a term shows the sentence of its row.
void TestHelpPages::glossaryAgreesWithItsPages() {
  const QVector<help::Term> terms = help::glossary();
  QCOMPARE(terms.size(), help::page(QStringLiteral("glossary")).count(QStringLiteral("\n- ")));
  QVERIFY(terms.size() >= 45);
  QString before;
  QSet<QString> topics;
  for (const help::Term& term : terms) {
    const QString name = term.name.toLower().remove(QLatin1Char('_'));
    QVERIFY2(before < name, qPrintable(before + QLatin1Char(' ') + name));
    before = name;
    QVERIFY2(term.sentence.endsWith(QLatin1Char('.')), qPrintable(term.sentence));
    QVERIFY2(!term.sentence.contains(QRegularExpression(QStringLiteral("[*`\\[<]|__"))), qPrintable(term.sentence));
    if (term.topic.isEmpty()) continue;
    QVERIFY2(help::exists(term.topic) && !topics.contains(term.topic), qPrintable(term.topic));
    topics.insert(term.topic);
    QCOMPARE(help::sentence(term.topic), term.sentence);
    QVERIFY2(help::page(term.topic).contains(term.sentence), qPrintable(term.topic));
  }
  // A term of the window with a help topic has its tool tip from here.
  for (const char* const topic : {"carrier", "container", "coverage", "era", "host-abi", "import-tree", "kernel"})
    QVERIFY2(topics.contains(QLatin1String(topic)), topic);
}

void TestHelpPages::everyLinkLeadsToAPage() {
  static const QRegularExpression link(QStringLiteral("\\]\\(([^)]+)\\)"));
  for (const QString& topic : help::topics()) {
    auto found = link.globalMatch(help::page(topic));
    while (found.hasNext()) {
      const QString target = found.next().captured(1);
      if (target.startsWith(QLatin1String("http"))) continue;
      QVERIFY2(target.endsWith(QLatin1String(".md")) && help::exists(target.chopped(3)),
               qPrintable(topic + QStringLiteral(" links ") + target));
    }
  }
}

/// From the index, by links.
void TestHelpPages::everyPageIsReachableFromTheIndex() {
  static const QRegularExpression link(QStringLiteral("\\]\\(([a-z-]+)\\.md\\)"));
  QSet<QString> met = {QStringLiteral("index")};
  QStringList open = {QStringLiteral("index")};
  while (!open.isEmpty()) {
    auto found = link.globalMatch(help::page(open.takeFirst()));
    while (found.hasNext()) {
      const QString target = found.next().captured(1);
      if (!met.contains(target)) open << target;
      met.insert(target);
    }
  }
  for (const QString& topic : help::topics()) QVERIFY2(met.contains(topic), qPrintable(topic));
}

/// Each id of the table is listed once in all pages, with its help; no page has an empty list of rules.
void TestHelpPages::everyRuleIsDescribedOnce() {
  static const QRegularExpression entry(QStringLiteral("^\\*\\*([A-Z0-9-]+)\\*\\*, (.*)$"),
                                        QRegularExpression::MultilineOption);
  QHash<QString, QString> entries;
  for (const QString& topic : help::topics()) {
    const QString text = help::page(topic);
    QVERIFY2(!text.contains(QLatin1String("<!--")), qPrintable(topic));
    for (auto found = entry.globalMatch(text); found.hasNext();) {
      const QRegularExpressionMatch one = found.next();
      QVERIFY2(!entries.contains(one.captured(1)), qPrintable(one.captured(1)));
      entries.insert(one.captured(1), one.captured(2));
    }
  }
  for (const check::RuleRow& rule : check::rules()) {
    const QString id = toQt(rule.id);
    QVERIFY2(entries.contains(id), qPrintable(id));
    const QString text = entries.take(id).remove(QLatin1Char('\\'));
    QVERIFY2(text.contains(toQt(rule.help).toHtmlEscaped()), qPrintable(id + QStringLiteral(": ") + text));
  }
  QVERIFY2(entries.isEmpty(), "entries without a rule");
}

void TestHelpPages::topicsOfTheWindowExist() {
  QSet<QString> topics;
  for (const char* file : {"sample-cuda-a.so", "sample-opencl.so", "sample-cpu.so", "sample-damaged.so"}) {
    MainWindow window;
    QVERIFY(showActive(window));
    QVERIFY(open(window, sample(file)));
    for (const auto& fact : window.document().state()->overview.facts)
      if (!fact.term.empty()) topics.insert(QString::fromStdString(fact.term));
    for (const char* ref : {"", "blob", "m0", "m1", "m2", "m2/kernel:mean_kernel", "host:softmax"}) {
      QVERIFY(go(window, ref));
      for (int page = 0; page < currentView(window)->pageNames().size(); ++page) currentView(window)->choosePage(page);
      for (const QObject* object : window.findChildren<QObject*>())
        if (const QVariant topic = object->property("helpTopic"); topic.isValid()) topics.insert(topic.toString());
    }
    for (const library::ContentsRow& row : window.document().state()->contents)
      if (const QString topic = kindTopic(row.kind, QString::fromStdString(row.moduleKey)); !topic.isEmpty())
        topics.insert(topic);
  }
  for (const char* key : {"cuda", "opencl", "vulkan", "metal", "rocm", "hexagon", "webgpu", "const_loader", "metadata",
                          "relax.Executable", "Vendor.Kind"})
    if (const QString topic = kindTopic(library::RowKind::Module, QLatin1String(key)); !topic.isEmpty())
      topics.insert(topic);
  QVERIFY(topics.size() >= 8);
  QVERIFY(topics.remove(QStringLiteral("BLOB-MODULE"))); // in the details of the damaged module
  for (const QString& topic : topics) {
    QVERIFY2(help::exists(topic), qPrintable(topic));
    QVERIFY2(!help::sentence(topic).isEmpty(), qPrintable(topic));
  }
}

void TestHelpPages::keyOpensThePage() {
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(!helpOf(window));
  // Outside the window, so that the keyboard focus decides.
  QCursor::setPos(window.mapToGlobal(QPoint(window.width() + 200, window.height() + 200)));
  part<BottomPanel>(window).openPanel(&part<ProblemsPanel>(window));
  part<ProblemsPanel>(window).findChild<QLineEdit*>()->setFocus();
  QTest::keyClick(&window, Qt::Key_F1);
  QVERIFY(helpOf(window) && helpOf(window)->isVisible());
  QCOMPARE(helpOf(window)->topic(), QStringLiteral("problems"));
  QVERIFY(helpOf(window)->browser().toPlainText().contains(help::title(QStringLiteral("problems"))));
  helpOf(window)->close();
  window.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&window));
  // A term of the overview takes the keyboard focus.
  TermLabel* term = nullptr;
  for (auto* const label : currentView(window)->findChildren<TermLabel*>())
    if (label->isVisible()) term = label;
  QVERIFY(term);
  QVERIFY(!term->toolTip().isEmpty());
  term->setFocus();
  QTest::keyClick(term, Qt::Key_F1);
  QCOMPARE(helpOf(window)->topic(), term->property("helpTopic").toString());
  helpOf(window)->close();
  window.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&window));
  // The details explain the part in the current tab.
  part<DetailsPanel>(window).setFocus();
  QVERIFY(part<DetailsPanel>(window).hasFocus());
  QTest::keyClick(&part<DetailsPanel>(window), Qt::Key_F1);
  QCOMPARE(helpOf(window)->topic(), QStringLiteral("container"));
}

/// At the finding's row, after a step to it, and in its details; there, the id is also a link.
void TestHelpPages::keyOpensTheRuleOfAFinding() {
  QCOMPARE(help::topicOfRule(QStringLiteral("MLF-616")), QStringLiteral("mlf-rules"));
  QCOMPARE(help::topicOfRule(QStringLiteral("BLOB-ORPHAN")), QStringLiteral("problems"));
  QVERIFY(help::topicOfRule(QStringLiteral("NO-RULE")).isEmpty() && help::topicOfRule({}).isEmpty());
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, sample("sample-damaged.so")));
  QCursor::setPos(window.mapToGlobal(QPoint(window.width() + 200, window.height() + 200)));
  auto& problems = part<ProblemsPanel>(window);
  const QString rule = toQt(problems.model().issue(0).rule);
  const auto showsRule = [&] {
    const HelpWindow* const help = helpOf(window);
    if (!help || !help->isVisible() || help->topic() != help::topicOfRule(rule)) return false;
    // Its paragraph is at the top, unless the page ends there.
    const QTextBrowser& browser = help->browser();
    return browser.textCursor().selectedText() == rule && browser.rect().contains(browser.cursorRect());
  };
  const auto closeHelp = [&] {
    helpOf(window)->showTopic(QStringLiteral("index"));
    helpOf(window)->close();
    window.activateWindow();
    return QTest::qWaitForWindowActive(&window);
  };
  // After a step, the keyboard focus stays where it was.
  contentsTree(window).setFocus();
  action(window, ActionId::NextProblem)->trigger();
  QVERIFY(isSettled(window));
  QTest::keyClick(&window, Qt::Key_F1);
  QVERIFY(showsRule());
  QVERIFY(closeHelp());
  // Elsewhere the help is that of the place.
  contentsTree(window).setFocus();
  QTest::mouseClick(contentsTree(window).viewport(), Qt::LeftButton, {},
                    contentsTree(window).visualRect(contentsTree(window).model()->index(0, 0)).center());
  QTest::keyClick(&window, Qt::Key_F1);
  QCOMPARE(helpOf(window)->topic(), QStringLiteral("container"));
  QVERIFY(closeHelp());
  // The row.
  problems.view().setFocus();
  problems.view().setCurrentIndex({});
  problems.view().setCurrentIndex(problems.model().index(0, 0));
  QTest::keyClick(&problems.view(), Qt::Key_F1);
  QVERIFY(showsRule());
  QVERIFY(closeHelp());
  // Its details.
  QAbstractButton* const link = button(detailsOf(window), rule);
  QVERIFY(link);
  link->click();
  QVERIFY(showsRule());
  QVERIFY(closeHelp());
  detailsOf(window).setFocus();
  QTest::keyClick(&detailsOf(window), Qt::Key_F1);
  QVERIFY(showsRule());
}

void TestHelpPages::unknownTopicShowsTheIndex() {
  HelpWindow window;
  window.showTopic(QStringLiteral("no-such-topic"));
  QCOMPARE(window.topic(), QStringLiteral("index"));
  for (const QString& topic : help::topics()) {
    window.showTopic(topic);
    QCOMPARE(window.topic(), topic);
    QVERIFY2(window.browser().toPlainText().size() > 50, qPrintable(topic));
    drawn(window, 1);
  }
  const QWidget alone;
  QCOMPARE(HelpWindow::topicOf(&alone), QStringLiteral("index"));
  QCOMPARE(HelpWindow::topicOf(nullptr), QStringLiteral("index"));
}

void TestHelpPages::linksAreFollowed() {
  HelpWindow window;
  window.showTopic(QStringLiteral("index"));
  auto* const list = window.findChild<QListWidget*>();
  QCOMPARE(list->count(), static_cast<int>(help::topics().size()));
  list->setCurrentRow(list->currentRow() == 0 ? 1 : 0);
  QCOMPARE(help::title(window.topic()), list->currentItem()->text());
  auto* const browser = window.findChild<QTextBrowser*>();
  Q_EMIT browser->anchorClicked(QUrl(QStringLiteral("era.md")));
  QCOMPARE(window.topic(), QStringLiteral("era"));
  QCOMPARE(list->currentItem()->text(), help::title(QStringLiteral("era")));
  Q_EMIT browser->anchorClicked(QUrl(QStringLiteral("no-such-page.md")));
  QCOMPARE(window.topic(), QStringLiteral("index"));
}

void TestHelpPages::searchFindsThePagesWithAllWords() {
  HelpWindow window;
  window.showTopic(QStringLiteral("index"));
  auto* const list = window.findChild<QListWidget*>();
  auto* const search = window.findChild<QLineEdit*>();
  const auto found = [&] {
    QStringList titles;
    for (int i = 0; i < list->count(); ++i)
      if (!list->item(i)->isHidden()) titles << list->item(i)->text();
    return titles;
  };
  QTest::keyClicks(search, QStringLiteral("seccomp LANDLOCK"));
  QCOMPARE(found(), QStringList{help::title(QStringLiteral("test-run"))});
  QTest::keyClick(search, Qt::Key_Return);
  QCOMPARE(window.topic(), QStringLiteral("test-run"));
  search->setText(QStringLiteral("zeppelin seccomp"));
  QCOMPARE(found(), QStringList());
  QTest::keyClick(search, Qt::Key_Return);
  QCOMPARE(window.topic(), QStringLiteral("test-run"));
  // A title goes before pages that only mention the word.
  search->setText(QStringLiteral("hex"));
  QVERIFY(found().size() > 1);
  QTest::keyClick(search, Qt::Key_Return);
  QCOMPARE(window.topic(), QStringLiteral("hex"));
  window.showTopic(QStringLiteral("era"));
  QVERIFY(search->text().isEmpty());
  QCOMPARE(found().size(), help::topics().size());
}

void TestHelpPages::backGoesToThePageBefore() {
  HelpWindow window;
  auto* const back = window.findChild<QToolButton*>();
  window.showTopic(QStringLiteral("blob"));
  QVERIFY(!back->isEnabled());
  window.showTopic(QStringLiteral("era"));
  window.showTopic(QStringLiteral("hex"));
  back->click();
  QCOMPARE(window.topic(), QStringLiteral("era"));
  back->click();
  QCOMPARE(window.topic(), QStringLiteral("blob"));
  QVERIFY(!back->isEnabled());
}

/// The page about the keyboard names every shortcut.
void TestHelpPages::everyShortcutIsDescribed() {
  const MainWindow window;
  const QString page = help::page(QStringLiteral("keyboard"));
  for (int id = 0; id < static_cast<int>(ActionId::Count); ++id)
    if (const QKeySequence keys = action(window, static_cast<ActionId>(id))->shortcut(); !keys.isEmpty())
      QVERIFY2(page.contains(keys.toString(QKeySequence::PortableText)),
               qPrintable(keys.toString(QKeySequence::PortableText)));
}

BLOBSCOPE_TEST(TestHelpPages);

#include "test_help.moc"
