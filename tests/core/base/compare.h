#pragma once

#include "core/base/text.h"

#include <QTest>

#include <cstdint>
#include <optional>
#include <string>

/// Makes QCOMPARE show the two values that differ.
template <> inline char* QTest::toString(const std::string& text) {
  return qstrdup(('"' + blobscope::escaped(text) + '"').c_str());
}
template <> inline char* QTest::toString(const std::optional<std::string>& text) {
  return qstrdup(text ? ('"' + blobscope::escaped(*text) + '"').c_str() : "nothing");
}
template <> inline char* QTest::toString(const std::optional<uint64_t>& number) {
  return qstrdup(number ? blobscope::hexText(*number).c_str() : "nothing");
}
