#include "ui/text/plurals.h"

#include "ui/text/plain_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <limits>

namespace blobscope::ui {

QString EnglishPlurals::translate(const char*, const char* text, const char*, int count) const {
  if (count < 0) return {};
  QString out = wholeToQt(text);
  out.replace(QLatin1String("(s)"), count == 1 ? QLatin1String("") : QLatin1String("s"));
  static const QRegularExpression kChoice(QStringLiteral("\\(([^()|]*)\\|([^()|]*)\\)"));
  out.replace(kChoice, count == 1 ? QStringLiteral("\\1") : QStringLiteral("\\2"));
  return out.replace(QLatin1String("%n"), QLocale(QLocale::English).toString(count));
}

int pluralCount(std::uint64_t count) {
  return static_cast<int>(std::min<std::uint64_t>(count, std::numeric_limits<int>::max()));
}

QString bytesText(std::uint64_t bytes) {
  // %1 and not %n, since a count is at most the largest int.
  return EnglishPlurals::tr("%1 byte(s)", nullptr, pluralCount(bytes))
      .arg(QLocale(QLocale::English).toString(static_cast<qulonglong>(bytes)));
}

void installPlurals() { QCoreApplication::installTranslator(new EnglishPlurals(QCoreApplication::instance())); }

} // namespace blobscope::ui
