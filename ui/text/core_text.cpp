#include "ui/text/core_text.h"

#include "ui/text/plain_text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <string>

namespace blobscope::ui {
namespace {

/// A text in which numbers are replaced by %1, %2 …
struct Template {
  QString text;
  QStringList numbers;
};

Template templateOf(const QString& text) {
  static const QRegularExpression kNumber(QStringLiteral("\\d+(?:,\\d{3})*(?:\\.\\d+)?"));
  Template out;
  qsizetype at = 0;
  for (auto match = kNumber.globalMatch(text); match.hasNext();) {
    const QRegularExpressionMatch number = match.next();
    out.numbers << number.captured();
    out.text += QStringView(text).mid(at, number.capturedStart() - at);
    out.text += QStringLiteral("%%1").arg(out.numbers.size());
    at = number.capturedEnd();
  }
  out.text += QStringView(text).mid(at);
  return out;
}

/// Calls `find` with each form in which the list may have `text`, until it returns a text that is not empty.
template <typename Find> QString findForm(const QString& text, const Find& find) {
  const auto withFirst = [](QString word, bool capital) {
    if (!word.isEmpty()) word[0] = capital ? word[0].toUpper() : word[0].toLower();
    return word;
  };
  if (text.isEmpty()) return {};
  if (QString found = find(text); !found.isEmpty()) return found;
  const QString lower = withFirst(text, false);
  if (lower != text)
    if (const QString found = find(lower); !found.isEmpty()) return withFirst(found, true);
  const Template form = templateOf(text);
  if (form.numbers.isEmpty() || form.numbers.size() > 9) return {};
  QString found = find(form.text);
  if (found.isEmpty())
    if (const QString small = withFirst(form.text, false); small != form.text) found = withFirst(find(small), true);
  if (found.isEmpty()) return {};
  for (const QString& number : form.numbers) found = found.arg(number);
  return found;
}

} // namespace

QString coreText(std::string_view text) {
  const QString plain = toQt(text);
  const QString found = findForm(plain, [](const QString& form) {
    const QByteArray source = form.toUtf8();
    const QString out = QCoreApplication::translate("core", source.constData());
    return out == form ? QString() : out;
  });
  return found.isEmpty() ? plain : found;
}

bool isCoreWord(std::string_view text) {
  return !findForm(toQt(text), [](const QString& form) {
            const std::string word = fromQt(form);
            for (const auto& words : coreWords())
              if (std::find(words.begin(), words.end(), word) != words.end()) return form;
            return QString();
          }).isEmpty();
}

} // namespace blobscope::ui
