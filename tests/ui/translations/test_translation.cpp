#include "ui/text/core_text.h"
#include "ui/text/plurals.h"
#include "ui/text/translation.h"

#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"

#include <QLocale>
#include <QMenuBar>
#include <QSet>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// The letter that opens an entry with the keyboard; empty if it has none.
QString shortcutOf(const QAction& action) {
  const QString text = QString(action.text()).remove(QLatin1String("&&"));
  const qsizetype at = text.indexOf(QLatin1Char('&'));
  return at < 0 ? QString() : text.mid(at + 1, 1).toLower();
}

/// The first entry whose letter another entry has, too; empty if there is none.
QString twiceIn(const QList<QAction*>& actions) {
  QSet<QString> seen;
  for (const QAction* const action : actions) {
    const QString letter = shortcutOf(*action);
    if (!letter.isEmpty() && seen.contains(letter)) return action->text();
    seen.insert(letter);
  }
  return {};
}

} // namespace

/// The window in German. Its texts are checked by packaging/translations.py.
class TestTranslation : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void languageIsChosen_data();
  void languageIsChosen();
  void germanIsShown();
  void menusHaveDifferentShortcuts();
  void numbersKeepTheirSeparators();
  void textsOfCoreAreTranslated();
  void wordsOfCoreAreFoundInEachForm();

private:
  /// Starts the application in German; false if the program was built without translations.
  bool startInGerman() {
    m_application = std::make_unique<WindowApplication>();
    return installTranslation(QStringLiteral("de")) == QLatin1String("de");
  }

  std::unique_ptr<WindowApplication> m_application;

private Q_SLOTS:
  void cleanup() {
    m_application.reset();
    QLocale::setDefault(QLocale::system());
  }
};

#define START_IN_GERMAN()                                                                                              \
  if (!startInGerman()) QSKIP("no translations: lrelease (Debian: qt6-l10n-tools) was not installed at build time")

void TestTranslation::languageIsChosen_data() {
  QTest::addColumn<QStringList>("wanted");
  QTest::addColumn<QString>("chosen");
  const auto row = [](const char* wanted, const char* chosen) {
    QTest::newRow(wanted) << QString::fromLatin1(wanted).split(QLatin1Char(' '), Qt::SkipEmptyParts)
                          << QString::fromLatin1(chosen);
  };
  row("", "en");
  row("de", "de");
  row("de-AT", "de");
  row("de_CH", "de");
  row("en-US de-DE", "en"); // English is the language of the sources, not a missing translation
  row("fr-FR de-DE en", "de");
  row("fr nl", "en");
  row("C", "en");
}

void TestTranslation::languageIsChosen() {
  QFETCH(const QStringList, wanted);
  QTEST(chooseLanguage(wanted, {QStringLiteral("en"), QStringLiteral("de")}), "chosen");
}

void TestTranslation::germanIsShown() {
  START_IN_GERMAN();
  QVERIFY(languages().contains(QStringLiteral("de")));
  MainWindow window;
  QVERIFY(showActive(window));
  QCOMPARE(window.menuBar()->actions().first()->text(), QStringLiteral("&Datei"));
  QVERIFY(open(window, sample("sample-cuda-a.so")));
  QVERIFY(go(window, "m2"));
  QCOMPARE(currentView(window)->pageNames().first(), QStringLiteral("Overview")); // ids stay English
  QStringList buttons;
  for (const QAbstractButton* const button : currentView(window)->findChildren<QAbstractButton*>())
    buttons << button->text();
  QVERIFY2(buttons.contains(QStringLiteral("Überblick")), qPrintable(buttons.join(QLatin1Char('|'))));
  QVERIFY(contentsTree(window).model()->index(0, 0).isValid());
}

void TestTranslation::menusHaveDifferentShortcuts() {
  START_IN_GERMAN();
  QAction first(QStringLiteral("&Eins"), nullptr), second(QStringLiteral("Zw&ei"), nullptr);
  QCOMPARE(twiceIn({&first, &second}), QStringLiteral("Zw&ei"));
  MainWindow window;
  const QList<QAction*> menus = window.menuBar()->actions();
  QVERIFY(menus.size() >= 6);
  QCOMPARE(twiceIn(menus), QString());
  for (const QAction* const menu : menus) {
    QVERIFY(menu->menu());
    QCOMPARE(twiceIn(menu->menu()->actions()), QString());
  }
}

void TestTranslation::numbersKeepTheirSeparators() {
  START_IN_GERMAN();
  const auto rows = [](int count) {
    return QCoreApplication::translate("blobscope::ui::TablePage", "%n row(s)", nullptr, count);
  };
  QCOMPARE(rows(1), QStringLiteral("1 Zeile"));
  QCOMPARE(rows(0), QStringLiteral("0 Zeilen"));
  QCOMPARE(rows(12'345), QStringLiteral("12,345 Zeilen")); // as core writes numbers
  QCOMPARE(bytesText(12'800), QStringLiteral("12,800 Bytes"));
  QCOMPARE(QLocale().language(), QLocale::German); // of dates
}

void TestTranslation::textsOfCoreAreTranslated() {
  START_IN_GERMAN();
  QCOMPARE(coreText("Functions"), QStringLiteral("Funktionen"));
  QCOMPARE(coreText("imported by"), QStringLiteral("importiert von"));
  QCOMPARE(coreText("Imported by"), QStringLiteral("Importiert von"));
  QCOMPARE(coreText("Members, 12"), QStringLiteral("Einträge, 12"));
  QCOMPARE(coreText("1,234 more in Fields."), QStringLiteral("1,234 weitere unter „Felder“."));
  QCOMPARE(coreText("3 of 1,200 bytes of the blob are decoded; the rest is shown as bytes."),
           QStringLiteral("3 von 1,200 Bytes des Blobs sind dekodiert; der Rest wird als Bytes angezeigt."));
  QCOMPARE(coreText("fused_add_kernel"), QStringLiteral("fused_add_kernel"));
  QCOMPARE(coreText("12 apples"), QStringLiteral("12 apples"));
  QCOMPARE(coreText(""), QString());
}

void TestTranslation::wordsOfCoreAreFoundInEachForm() {
  m_application = std::make_unique<WindowApplication>();
  installTranslation(QStringLiteral("en"));
  QCOMPARE(coreText("Members, 12"), QStringLiteral("Members, 12"));
  for (const char* const word : {"functions", "Functions", "Argument 3", "Members, 1,234", "Difference 1e-7 to 1e-6"})
    QVERIFY2(isCoreWord(word), word);
  for (const char* const word : {"", "fused_add_kernel", "Members, many", "12 apples"})
    QVERIFY2(!isCoreWord(word), word);
}

BLOBSCOPE_TEST(TestTranslation);

#include "test_translation.moc"
