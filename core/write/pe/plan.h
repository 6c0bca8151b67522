#pragma once

#include "core/container/number_at.h"
#include "core/container/pe/file.h"
#include "core/write/numbers.h"
#include "core/write/plan.h"
#include "core/write/rewrite.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Functions that the planners of PE images and COFF objects share; planPe and planCoff (plan.h) are the entry points.
namespace blobscope::write::pe {

using namespace container::pe;
using container::coff::Record;
using Section = container::coff::SectionHeader;

/// Sets value and section of the symbol record at `at`.
void redirect(Rewrite& rewrite, const container::coff::SymbolTable& table, uint64_t at, uint32_t value,
              uint32_t section);
/// Whether that symbol labels a blob: it is a carrier's name, after the underscore that 32-bit x86 adds to all names.
bool isCarrier(const library::Package& package, std::string_view name);

/// Returns the plan of `make` with the certificate removed and the checksum updated, if there is one. Calls `make` with
/// the bytes of the checksum field, at most twice. Errors: REP-SHAPE, Cancelled.
Result<Plan> finish(const File& file, const std::function<Result<Plan>(std::string_view checksum)>& make,
                    Monitor& monitor);

/// Resizes the section that contains only the blob. Returns nothing when it is not the last one of the image. REP-2G,
/// REP-4G, REP-SHAPE; Cancelled.
Result<std::optional<Plan>> resizeSection(const PlanRequest& request, const File& file);
/// Puts the blob into a new section after all others. Source: core/formats/containers.md 5.2.
/// REP-SYM, REP-REF, REP-CLR, REP-HYBRID, REP-BOUND, REP-2G, REP-4G, REP-SHAPE; Cancelled.
Result<Plan> appendSection(const PlanRequest& request, const File& file);

} // namespace blobscope::write::pe
