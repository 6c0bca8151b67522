#pragma once

#include "core/safety/safety.h"
#include "tests/core/requirements/linked_library.h"
#include "tests/support/test_support.h"

#include <QTest>

#include <set>
#include <string>
#include <string_view>

namespace blobscope::test {

/// The report about a file that is not on disk. A failure ends the program with its message.
inline safety::Report assessed(const std::string& file) {
  NullMonitor monitor;
  const auto package = openBytes(file);
  if (!package) qFatal("opening a made file failed: %s", package.error().message().c_str());
  auto report = safety::assess(*package, monitor);
  if (!report) qFatal("reading a made file failed: %s", report.error().message().c_str());
  return std::move(*report);
}

inline std::set<std::string> rulesOf(const safety::Report& report) {
  std::set<std::string> out;
  for (const check::Issue& issue : report.findings.issues) out.insert(issue.rule);
  return out;
}

/// A library of x86-64 whose constructor is the machine code that `make` returns for an address.
struct WithConstructor {
  static constexpr uint64_t kInitArray = 25, kInitArraySize = 27;
  LinkedLibrary library;

  /// The word that the loader fills with the address of an imported function.
  uint64_t import(const std::string& name) {
    library.undefined(name);
    return library.wordOf(name);
  }
  std::string build(const std::string& code) {
    library.function("setUp", code);
    const uint64_t array = library.wordOf("setUp");
    library.tags.insert(library.tags.end(), {{kInitArray, array}, {kInitArraySize, 8}});
    return library.build();
  }
};

} // namespace blobscope::test
