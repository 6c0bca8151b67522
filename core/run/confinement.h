#pragma once

#include "core/process/confine.h"

#include <string>
#include <vector>

namespace blobscope::run {

/// One thing that programs of test runs cannot do here, or can do because the system has no means against it.
struct ConfinedPart {
  std::string what; ///< "network"
  bool confined = false;
  std::string text; ///< how, or why not: "no sockets; …"
};

/// What is confined where a system has these layers, in the order in which it is shown. Source: app/runner/limits.h and
/// process::toolConfinement, which do it.
std::vector<ConfinedPart> confinedParts(process::Layers layers);
/// The same in a few lines, for --help.
std::string confinementSummary(process::Layers layers);

} // namespace blobscope::run
