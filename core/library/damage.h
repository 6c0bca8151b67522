#pragma once

#include "core/library/package.h"

#include <string>

namespace blobscope::library {

/// Whether that finding means that bytes are missing or cannot be read.
bool isDamage(const Diagnostic& diagnostic);

/// Why a header or a table of the container cannot be read, so that symbols may be missing: the first such finding.
/// Null when there is none.
const Diagnostic* containerDamage(const Package& package);
bool isContainerDamaged(const Package& package);

/// "2 errors, the first: segment …"; empty when nothing is damaged.
std::string damageText(const Package& package);

} // namespace blobscope::library
