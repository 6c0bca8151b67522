#include "ui/text/plain_text.h"

#include "core/base/text.h"
#include "tests/support/test_main.h"

#include <QTextDocument>
#include <QTextDocumentFragment>

#include <array>

using namespace blobscope;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

/// Names as passed to the window, and the resulting text.
class TestTextInWindow : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void unprintableCharactersAreEscaped_data();
  void unprintableCharactersAreEscaped();
  void escapingTwiceChangesNothing_data() { unprintableCharactersAreEscaped_data(); }
  void escapingTwiceChangesNothing();
  void longTextIsCut();
  void longNamesAreCut();
  void wholeTextIsNotCut();
  void toolTipsNeverContainMarkup_data();
  void toolTipsNeverContainMarkup();
  void toolTipsAreWrapped();
  void ampersandsOfActionsAreEscaped();
  void toolTipRoleIsEscaped();
};

namespace {

QString repeated(const QString& text, qsizetype count) { return text.repeated(count); }

} // namespace

void TestTextInWindow::unprintableCharactersAreEscaped_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("line");
  const auto row = [](const char* name, const QString& text, const QString& line) {
    QTest::newRow(name) << text << line;
  };
  row("nothing", {}, {});
  row("letters", u"add_kernel (m1)"_s, u"add_kernel (m1)"_s);
  row("other scripts", u"größe 尺寸 גודל"_s, u"größe 尺寸 גודל"_s);
  row("markup stays text", u"<b>a</b> &amp; <img src=x>"_s, u"<b>a</b> &amp; <img src=x>"_s);
  row("backslash stays", u"a\\x01"_s, u"a\\x01"_s);
  row("line feed, tab, return", u"a\nb\tc\r"_s, u"a\\nb\\tc\\r"_s);
  row("NUL and escape", u"a\0\x1b[31m"_s, u"a\\x00\\x1b[31m"_s);
  row("C1 control", u"\x9b"_s, u"\\u009b"_s);
  row("marks of direction", u"\u200e\u200f\u061c"_s, u"\\u200e\\u200f\\u061c"_s);
  row("embeddings and overrides", u"\u202a\u202b\u202c\u202d\u202e"_s, u"\\u202a\\u202b\\u202c\\u202d\\u202e"_s);
  row("isolates", u"\u2066\u2067\u2068\u2069"_s, u"\\u2066\\u2067\\u2068\\u2069"_s);
  row("separators of lines and paragraphs", u"a\u2028b\u2029c"_s, u"a\\u2028b\\u2029c"_s);
  row("zero width", u"a\u200bb\u200cc\u200dd\u2060e\ufefff"_s, u"a\\u200bb\\u200cc\\u200dd\\u2060e\\ufefff"_s);
  row("four bytes", u"😀"_s, u"😀"_s);
  row("noncharacters that Qt's texts use", QString(QChar(0xfdd0)) + QChar(0xfdd1), u"\\ufdd0\\ufdd1"_s);
}

void TestTextInWindow::unprintableCharactersAreEscaped() {
  QFETCH(QString, text);
  QFETCH(QString, line);
  QCOMPARE(plainLine(text), line);
  QCOMPARE(toQt(fromQt(text)), line);
  const QString several = plainLines(text);
  QCOMPARE(several.count(u'\n'), text.count(u'\n'));
  QCOMPARE(plainLine(several), line);
}

void TestTextInWindow::escapingTwiceChangesNothing() {
  QFETCH(QString, text);
  for (const auto& shown : {&plainLine, &plainLines, &plainBlock}) QCOMPARE(shown(shown(text)), shown(text));
  QCOMPARE(plainLine(nameToQt(fromQt(text))), nameToQt(fromQt(text)));
}

void TestTextInWindow::longTextIsCut() {
  const QString name = repeated(u"k"_s, 1'000'000);
  QCOMPARE(plainLine(name), repeated(u"k"_s, kLineCharacters) + u"… (999,000 more characters)"_s);
  QVERIFY(plainLines(name).size() < kTextCharacters + 40);
  QVERIFY(plainBlock(name).size() < kTipCharacters + 100);
  QVERIFY(toQt(fromQt(name)).size() < kTextCharacters + 40);
  // No character is cut.
  const QString faces = plainLine(u"a"_s + repeated(u"😀"_s, 1'000));
  QVERIFY(!faces.contains(QChar::ReplacementCharacter) && !faces.contains(u'?'));
  QVERIFY(plainLine(repeated(u"\u202e"_s, 100'000)).size() < 7 * kLineCharacters);
  // A long name in a sentence leaves the sentence whole.
  const QString sentence = u"Close %1, which is open"_s.arg(nameToQt(std::string(20'000'000, 'k')));
  QCOMPARE(plainLine(sentence), sentence);
}

void TestTextInWindow::longNamesAreCut() {
  QCOMPARE(nameToQt("a\\b\n\xff"), u"a\\\\b\\n\\xff"_s);
  QCOMPARE(nameToQt(std::string(20'000'000, 'k')), repeated(u"k"_s, kShownBytes) + u"… (19,999,600 more bytes)"_s);
}

void TestTextInWindow::wholeTextIsNotCut() {
  const std::string bytes(100'000, '\n');
  QCOMPARE(fromQt(wholeToQt(bytes)), bytes);
  QCOMPARE(linesToQt("a\nb\\n\x01"), u"a\nb\\n\\x01"_s);
}

void TestTextInWindow::toolTipsNeverContainMarkup_data() {
  QTest::addColumn<QString>("text");
  const auto row = [](const char* name, const QString& text) { QTest::newRow(name) << text; };
  row("a name", u"add_kernel"_s);
  row("two lines", u"add_kernel\nShared"_s);
  row("an ampersand", u"a & b"_s);
  row("a type", u"std::vector<int>"_s);
  row("bold", u"<b>a</b>"_s);
  row("picture", u"<img src=\"file:///etc/hostname\">"_s);
  row("escaped markup", u"&lt;b>"_s);
  row("XML", u"<?xml version=\"1.0\"?><b>a</b>"_s);
  row("comment", u"<!-- a --><b>b</b>"_s);
  row("after a line feed", u"a\n<b>b</b>"_s);
  row("blanks", u"<b>  a   b</b>"_s);
  row("nested tables", repeated(u"<table><tr><td>"_s, 100'000));
  row("link", u"<a href=x>y</a>"_s);
  row("closed markup", u"</qt><img src=x>"_s);
}

void TestTextInWindow::toolTipsNeverContainMarkup() {
  QFETCH(QString, text);
  const QString tip = plainTip(text), shown = plainBlock(text);
  QVERIFY(tip.size() < 20 * kTipCharacters);
  if (!Qt::mightBeRichText(tip)) {
    QCOMPARE(tip, shown);
    return;
  }
  for (const auto& word : {u"<img"_s, u"<table"_s, u"<b>"_s, u"<a "_s, u"<!--"_s, u"</qt"_s})
    QVERIFY2(!tip.contains(word), qPrintable(tip.left(300)));
  QString drawn = QTextDocumentFragment::fromHtml(tip).toPlainText();
  QCOMPARE(drawn.replace(QChar::Nbsp, u' '), shown);
}

void TestTextInWindow::toolTipsAreWrapped() {
  const QString tip = plainTip(repeated(u"word "_s, 100) + repeated(u"k"_s, 500));
  const QStringList lines = tip.split(u'\n');
  QVERIFY(lines.size() > 8);
  for (const QString& line : lines) QVERIFY2(line.size() <= 110, qPrintable(line));
  QVERIFY(lines[0].endsWith(u"word"_s));
  QString all = tip;
  QCOMPARE(all.remove(u'\n').remove(u' '), repeated(u"word"_s, 100) + repeated(u"k"_s, 500));
  QCOMPARE(plainTip(repeated(u"a\n"_s, 1'000)).count(u'\n'), 30);
  QVERIFY(plainTip(repeated(u"a\n"_s, 1'000)).endsWith(u"…"_s));
}

void TestTextInWindow::ampersandsOfActionsAreEscaped() {
  QCOMPARE(plainAction(u"a & b &c\n"_s), u"a && b &&c\\n"_s);
  QVERIFY(plainAction(repeated(u"&"_s, 100'000)).size() < 2 * kLineCharacters + 40);
}

void TestTextInWindow::toolTipRoleIsEscaped() {
  QCOMPARE(shownAs(Qt::DisplayRole, u"<b>a</b>"_s), u"<b>a</b>"_s);
  QCOMPARE(shownAs(Qt::ToolTipRole, u"<b>a</b>"_s), plainTip(u"<b>a</b>"_s));
}

BLOBSCOPE_TEST(TestTextInWindow);

#include "test_plain_text.moc"
