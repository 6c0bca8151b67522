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

/// What the parts of the planners of PE images and COFF objects share; planPe and planCoff (plan.h) are the way in.
namespace blobscope::write::pe {

using namespace container::pe;
using container::coff::Record;
using Section = container::coff::SectionHeader;

/// Another value and section for the record at `at`.
void redirect(Rewrite& rewrite, const container::coff::SymbolTable& table, uint64_t at, uint32_t value,
              uint32_t section);
/// Whether that symbol labels a blob: a carrier's name, behind the underscore that 32-bit x86 puts before all names.
bool isCarrier(const library::Package& package, std::string_view name);

/// The plan that `make` gives with the certificate removed and a checksum made again, if there is one. `make` is called
/// with the bytes for the checksum's field, twice at most. REP-SHAPE, Cancelled.
Result<Plan> finish(const File& file, const std::function<Result<Plan>(std::string_view checksum)>& make,
                    Monitor& monitor);

/// Makes the section that holds nothing but the blob larger or smaller. Nothing when it is not the image's last one.
/// REP-2G, REP-4G, REP-SHAPE; Cancelled.
Result<std::optional<Plan>> resizeSection(const PlanRequest& request, const File& file);
/// Puts the blob into a new section behind all others. Source: core/formats/containers.md 5.2.
/// REP-SYM, REP-REF, REP-CLR, REP-HYBRID, REP-BOUND, REP-2G, REP-4G, REP-SHAPE; Cancelled.
Result<Plan> appendSection(const PlanRequest& request, const File& file);

} // namespace blobscope::write::pe
