#pragma once

#include "core/program/flop.h"
#include "core/run/report.h"

#include <optional>

namespace blobscope::run {

using program::flopOf;
/// program::flopOf() for a node with known inputs.
std::optional<double> flopOf(const NodeResult& node);

} // namespace blobscope::run
