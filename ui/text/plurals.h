#pragma once

#include <QTranslator>

#include <cstdint>

namespace blobscope::ui {

/// The English form of texts that contain a count: for `tr("%n change(s) (is|are) not saved.", nullptr, count)` it
/// returns "1 change is not saved." or "1,234 changes are not saved.". "(s)" is omitted for 1; of "(is|are)", the first
/// word is for 1 and the second for every other count. `%n` becomes a number with thousands separators. Texts without a
/// count stay as they are. A translator for another language is installed later and therefore takes precedence.
class EnglishPlurals : public QTranslator {
  Q_OBJECT
public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }
  QString translate(const char* context, const char* text, const char* comment, int count) const override;
};

/// Returns a count as the last argument of tr(): at most the largest int.
int pluralCount(std::uint64_t count);

/// Returns "1 byte" or "12,800 bytes".
QString bytesText(std::uint64_t bytes);

/// Installs EnglishPlurals in the application at startup.
void installPlurals();

} // namespace blobscope::ui
