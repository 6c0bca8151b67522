#include "ui/text/plain_text.h"

#include "core/base/text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QTextDocument>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr qsizetype kBlockLine = 110;

QString fromUtf8(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

/// Returns at most `limit` characters of `text`, followed by the length of the omitted rest; control characters and
/// similar ones are made visible.
QString plain(const QString& text, qsizetype limit, bool lines) {
  const auto harmless = [lines](QChar c) {
    return (c >= QLatin1Char(' ') && c <= QLatin1Char('~')) || (lines && c == QLatin1Char('\n'));
  };
  qsizetype end = std::min(limit, text.size());
  if (end == text.size() && std::all_of(text.begin(), text.end(), harmless)) return text;
  if (end < text.size() && end > 0 && text[end - 1].isHighSurrogate()) --end;
  QString out = fromUtf8(plainText(fromQt(text.left(end)), std::string_view::npos));
  if (!lines) out.replace(QLatin1Char('\n'), QLatin1String("\\n")).replace(QLatin1Char('\t'), QLatin1String("\\t"));
  if (end < text.size())
    out += QCoreApplication::translate("PlainText", "… (%1 more characters)")
               .arg(QLocale(QLocale::English).toString(text.size() - end));
  return out;
}

/// Inserts line feeds in place of spaces or, if there are none, between characters, so that no line is longer than
/// kBlockLine.
QString broken(const QString& text) {
  QString out;
  qsizetype lines = 0;
  for (qsizetype from = 0; from < text.size() && lines < kBlockLines; ++lines) {
    qsizetype end = text.indexOf(QLatin1Char('\n'), from);
    if (end < 0) end = text.size();
    qsizetype next = end + 1;
    if (end - from > kBlockLine) {
      end = text.lastIndexOf(QLatin1Char(' '), from + kBlockLine);
      if (end <= from + kBlockLine / 2) end = from + kBlockLine - (text[from + kBlockLine].isLowSurrogate() ? 1 : 0);
      next = text[end] == QLatin1Char(' ') ? end + 1 : end;
    }
    if (lines > 0) out += QLatin1Char('\n');
    out += QStringView(text).mid(from, end - from);
    from = next;
    if (from < text.size() && lines + 1 == kBlockLines) out += QStringLiteral("\n…");
  }
  return out;
}

} // namespace

QString toQt(std::string_view text) {
  QString out = linesToQt(text);
  if (out.contains(QLatin1Char('\n'))) out.replace(QLatin1Char('\n'), QLatin1String("\\n"));
  if (out.contains(QLatin1Char('\t'))) out.replace(QLatin1Char('\t'), QLatin1String("\\t"));
  return out;
}

QString linesToQt(std::string_view text) {
  return fromUtf8(plainText(text, static_cast<std::size_t>(kTextCharacters)));
}

QString nameToQt(std::string_view name) { return fromUtf8(escaped(name)); }

QString wholeToQt(std::string_view text) { return fromUtf8(text); }

QString plainLine(const QString& text) { return plain(text, kLineCharacters, false); }

QString plainLines(const QString& text) { return plain(text, kTextCharacters, true); }

QString plainBlock(const QString& text) { return broken(plain(text, kTipCharacters, true)); }

QString plainTip(const QString& text) {
  const QString tip = plainBlock(text);
  return Qt::mightBeRichText(tip) ? Qt::convertFromPlainText(tip, Qt::WhiteSpacePre) : tip;
}

QString shownAs(int role, const QString& text) { return role == Qt::ToolTipRole ? plainTip(text) : text; }

QString safeFileName(const QString& text) {
  constexpr qsizetype kLongest = 100, kExtension = 12;
  QString name = plainLine(text);
  for (QChar& letter : name)
    if (QStringLiteral("/\\:*?\"<>|").contains(letter) || letter < QLatin1Char(' ')) letter = QLatin1Char('_');
  if (name.size() > kLongest) {
    const qsizetype dot = name.lastIndexOf(QLatin1Char('.'));
    const QString extension = dot > 0 && name.size() - dot <= kExtension ? name.mid(dot) : QString();
    qsizetype end = kLongest - extension.size();
    if (name[end - 1].isHighSurrogate()) --end;
    name = name.left(end) + extension;
  }
  // A name of dots is a folder, and a name that begins with a dot is hidden; Windows drops dots and spaces at the end.
  if (name.startsWith(QLatin1Char('.'))) name[0] = QLatin1Char('_');
  while (name.endsWith(QLatin1Char('.')) || name.endsWith(QLatin1Char(' '))) name.chop(1);
  static const QRegularExpression kDevices(QStringLiteral("^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\\.|$)"),
                                           QRegularExpression::CaseInsensitiveOption);
  if (name.contains(kDevices)) name.prepend(QLatin1Char('_'));
  return name.trimmed().isEmpty() ? QStringLiteral("bytes") : name;
}

QString plainAction(const QString& text) { return plainLine(text).replace(QLatin1Char('&'), QLatin1String("&&")); }

} // namespace blobscope::ui
