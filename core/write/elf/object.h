#pragma once

#include "core/write/elf/plan.h"

#include <optional>

/// ELF object files, whose blob may take any size. Not for anyone but plan_elf.cpp.
namespace blobscope::write::elf {

/// Makes the section that holds the blob larger or smaller and moves what lies behind it: symbols, relocations,
/// addends, other sections. Where an addend is stored in the place that it belongs to (REL), a larger blob gets a
/// section of its own instead, to which the symbol is redirected. Nothing when only a plan in place is left, for a
/// smaller blob. Source: formats text rewriting.md 8. REP-SHAPE, REP-NOLOAD, REP-REL, REP-REF, REP-4G; Cancelled.
Result<std::optional<Plan>> planObject(const Site& site, const NewBlob& fresh, const PlanOptions& options,
                                       Monitor& monitor);

} // namespace blobscope::write::elf
