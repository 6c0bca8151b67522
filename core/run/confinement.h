#pragma once

#include "core/process/confine.h"

#include <string>
#include <vector>

namespace blobscope::run {

/// One thing that programs of test runs cannot do here, or can do because the system offers no means to prevent it.
struct ConfinedPart {
  std::string what; ///< "network"
  bool confined = false;
  std::string text; ///< how it is prevented, or why it is not: "no sockets; …"
};

/// Returns what is confined on a system with these layers, in display order. Source: app/runner/limits.h and
/// process::toolConfinement, which implement it.
std::vector<ConfinedPart> confinedParts(process::Layers layers);
/// What the user must know, besides that code is executed, before agreeing to run it: that the system cannot limit its
/// processes. Empty when it can.
std::string consentWarning(process::Layers layers);
/// Returns the same as confinedParts() in a few lines, for --help.
std::string confinementSummary(process::Layers layers);

} // namespace blobscope::run
