#pragma once

#include "core/container/leb128.h"
#include "core/container/wasm/wasm_module.h"
#include "core/write/numbers.h"
#include "core/write/plan.h"
#include "core/write/rewrite.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Types and functions that the parts of the WebAssembly planner share; planWasm (plan.h) is the entry point.
namespace blobscope::write::wasm_parts {

using container::ulebText;

constexpr uint64_t kMemory = uint64_t{4} << 30; ///< reachable with 32-bit addresses
/// The number of data segments of one module that browsers accept. Source: WebAssembly JavaScript interface,
/// "Implementation-defined limits".
constexpr uint64_t kSegments = 100'000;

/// Returns the unsigned LEB128 of a number that replaces `old`, which had `width` bytes: the shortest form if `old` had
/// it, so that an edit and its reversal reproduce the same bytes.
std::string lebLike(uint64_t value, uint64_t old, std::size_t width);
/// Returns an address as the operand of i32.const.
inline std::string addressText(uint64_t address, std::size_t width = 1) {
  return container::slebText(static_cast<int32_t>(static_cast<uint32_t>(address)), width);
}
/// Returns an active segment of memory 0.
std::string segmentText(uint64_t address, std::string_view bytes);

/// Whether an instruction may name a data segment: memory.init and data.drop (0xfc 8, 9), array.new_data and
/// array.init_data (0xfb 9, 18). Other bytes that look like one count too, which makes the file a few bytes larger.
/// Error: only Cancelled.
Result<bool> namesSegments(const container::wasm::Module& module, Monitor& monitor);
/// Splits `memory` at ranges of zeros that are long enough to omit, into at most `most` ranges; if there are more, the
/// shortest ranges of zeros stay. Error: only Cancelled.
Result<std::vector<Extent>> splitAtZeros(std::string_view memory, uint64_t most, Monitor& monitor);

/// The place of a section with its header.
struct SectionPlace {
  uint64_t start = 0;        ///< offset of the id
  std::size_t sizeWidth = 0; ///< number of bytes of the size
  Extent body;               ///< after the size
  Extent content;            ///< also after the name of a custom section
  Extent sizePlace() const { return {start + 1, sizeWidth}; }
};
/// Returns the place of a section; nothing when the section is cut off.
std::optional<SectionPlace> placeAt(const container::wasm::Module& module, std::size_t index);
/// Returns the place of the first section with that id.
std::optional<SectionPlace> placeOf(const container::wasm::Module& module, uint8_t id);

/// Updates the sizes of those sections for the changes of `rewrite`. Error: REP-4G.
Result<Done> resizeSections(Rewrite& rewrite, const std::vector<SectionPlace>& places);
/// Sets the number of data segments in both places that store it. `data`: the data section. Error: REP-SHAPE.
Result<Done> setSegmentCount(Rewrite& rewrite, const library::Package& package, const container::wasm::Module& module,
                             const SectionPlace& data, uint64_t count, std::vector<SectionPlace>& touched);

/// Resizes the blob of a linked module in place after an earlier edit moved it; returns nothing when the blob is not
/// after everything else. Source: core/formats/containers.md 7 (5). REP-HEAP, REP-SHAPE, REP-4G; Cancelled.
Result<std::optional<Plan>> resizeInMemory(const PlanRequest& request, const container::wasm::Module& module);
/// Puts the blob of a linked module after data and stack in its memory. Source: core/formats/containers.md 7 (4).
/// REP-STACKFIRST, REP-HEAP, REP-MULTI, REP-REF, REP-SHAPE, REP-4G; Cancelled.
Result<Plan> moveInMemory(const PlanRequest& request, const container::wasm::Module& module);
/// Resizes the data segment of an object, or adds one when other data is after the blob. Returns nothing when a smaller
/// blob fits in the old place. REP-SYM, REP-REL, REP-SHAPE, REP-4G; Cancelled.
Result<std::optional<Plan>> resizeInObject(const PlanRequest& request, const container::wasm::Module& module);

} // namespace blobscope::write::wasm_parts
