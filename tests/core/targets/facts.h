#pragma once

#include "core/targets/facts.h"
#include "core/targets/runtime.h"

#include <QString>
#include <QTest>

#include <string>

namespace blobscope::test {

/// The tables that are built in.
inline targets::FactsPtr builtInFacts() {
  auto facts = targets::Facts::load();
  if (!facts) qFatal("%s", facts.error().message().c_str());
  return *facts;
}

inline targets::RuntimePtr runtimeOf(const targets::FactsPtr& facts, const std::string& name) {
  auto runtime = targets::runtimeOfRelease(facts, name);
  if (!runtime) qFatal("%s", runtime.error().message().c_str());
  return *runtime;
}

/// "present", "absent", "USE_CUDA", "unknown", with the library: "present in libtvm_runtime_cuda".
inline QString stateText(const targets::Availability& found) {
  using State = targets::Availability::State;
  std::string out = found.state == State::Present     ? "present"
                    : found.state == State::Absent    ? "absent"
                    : found.state == State::NeedsFlag ? "needs " + found.flag
                                                      : "unknown";
  if (!found.library.empty()) out += " in " + found.library;
  return QString::fromStdString(out);
}

} // namespace blobscope::test
