#pragma once

#include <QTranslator>

#include <cstdint>

namespace blobscope::ui {

/// The English of texts that contain a count: for `tr("%n change(s) (is|are) not saved.", nullptr, count)` it returns
/// "1 change is not saved." or "1,234 changes are not saved.". "(s)" is left out for 1, and of "(is|are)" the first
/// word is for 1, the second for every other count. `%n` becomes a number with thousands separators. Texts without a
/// count stay as they are. A translation for another language is installed after it and therefore goes first.
class EnglishPlurals : public QTranslator {
  Q_OBJECT
public:
  using QTranslator::QTranslator;
  bool isEmpty() const override { return false; }
  QString translate(const char* context, const char* text, const char* comment, int count) const override;
};

/// A count as the last argument of tr(): at most the largest int.
int pluralCount(std::uint64_t count);

/// Installs EnglishPlurals in the application that is starting.
void installPlurals();

} // namespace blobscope::ui
