#pragma once

#include <QString>

#include <string>
#include <string_view>

namespace blobscope::ui {

/// UTF-8 text of core as a QString; bytes that are not UTF-8 become U+FFFD.
inline QString toQt(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline std::string fromQt(const QString& text) { return text.toStdString(); }

} // namespace blobscope::ui
