#pragma once

#include "core/requirements/requirements.h"
#include "tests/support/test_support.h"

#include <QTest>

#include <string>
#include <vector>

namespace blobscope::test {

/// The requirements of a library that is not on disk. A failure ends the program with its message.
inline requirements::Requirements needsOf(const std::string& file) {
  NullMonitor monitor;
  const auto package = openBytes(file);
  if (!package) qFatal("opening a made library failed: %s", package.error().message().c_str());
  auto needs = requirements::requirementsOf(*package, monitor);
  if (!needs) qFatal("reading requirements failed: %s", needs.error().message().c_str());
  return std::move(*needs);
}

/// The texts with blanks between them.
inline std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& one : list) out += (out.empty() ? "" : " ") + one;
  return out;
}

} // namespace blobscope::test
