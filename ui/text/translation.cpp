#include "ui/text/translation.h"

#include "ui/text/plurals.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace blobscope::ui {
namespace {

const QString kFolder = QStringLiteral(":/i18n");

/// The texts of the window in another language than English. `%n` becomes a number as core writes it.
class Translation : public QTranslator {
public:
  using QTranslator::QTranslator;
  QString translate(const char* context, const char* text, const char* comment, int count) const override {
    QString out = QTranslator::translate(context, text, comment, count);
    return count < 0 ? out : out.replace(QLatin1String("%n"), QLocale(QLocale::English).toString(count));
  }
};

QString languageOf(const QString& code) { return code.section(QLatin1Char('-'), 0, 0).section(QLatin1Char('_'), 0, 0); }

} // namespace

QStringList languages() {
  QStringList codes = {QStringLiteral("en")};
  for (const QString& file : QDir(kFolder).entryList({QStringLiteral("blobscope_*.qm")}, QDir::Files, QDir::Name))
    codes << file.section(QLatin1Char('_'), 1).section(QLatin1Char('.'), 0, 0);
  return codes;
}

QString chooseLanguage(const QStringList& wanted, const QStringList& available) {
  for (const QString& code : wanted)
    if (available.contains(languageOf(code))) return languageOf(code);
  return QStringLiteral("en");
}

QString installTranslation(const QString& setting) {
  installPlurals(); // also for texts that a translation does not have
  const QString language =
      chooseLanguage(setting.isEmpty() ? QLocale::system().uiLanguages() : QStringList{setting}, languages());
  if (!setting.isEmpty()) QLocale::setDefault(QLocale(language));
  if (language == QLatin1String("en")) return language;
  QCoreApplication* const app = QCoreApplication::instance();
  auto* const ofQt = new QTranslator(app);
  if (ofQt->load(QStringLiteral("qtbase_") + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QCoreApplication::installTranslator(ofQt);
  auto* const own = new Translation(app);
  if (own->load(QStringLiteral("blobscope_") + language, kFolder)) QCoreApplication::installTranslator(own);
  return language;
}

} // namespace blobscope::ui
