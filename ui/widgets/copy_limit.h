#pragma once

#include "core/base/text.h"
#include "ui/text/plain_text.h"

#include <QCoreApplication>
#include <QString>

#include <cstdint>

namespace blobscope::ui {

/// Maximum size of a copy to the clipboard: other programs read it as a whole.
constexpr uint64_t kCopyBytes = 64U << 20;

/// Returns the message that refuses to copy `bytes`, which exceeds the limit.
inline QString copyRefusal(uint64_t bytes) {
  return QCoreApplication::translate("Copy",
                                     "The selection is %1, but at most 64 MiB can be copied at once. Select less, or "
                                     "save it to a file.")
      .arg(toQt(sizeText(bytes)));
}

} // namespace blobscope::ui
