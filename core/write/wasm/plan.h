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

/// What the parts of the WebAssembly planner share; planWasm (plan.h) is the way in.
namespace blobscope::write::wasm_parts {

using container::ulebText;

constexpr uint64_t kMemory = uint64_t{4} << 30; ///< that 32-bit addresses reach
/// Data segments of one module that browsers take. Source: WebAssembly JavaScript interface, "Implementation-defined
/// limits".
constexpr uint64_t kSegments = 100'000;

/// Unsigned LEB128 of a number that takes the place of `old`, which had `width` bytes: as short as can be if `old` was,
/// so that there and back gives the same bytes.
std::string lebLike(uint64_t value, uint64_t old, std::size_t width);
/// An address as the operand of i32.const.
inline std::string addressText(uint64_t address, std::size_t width = 1) {
  return container::slebText(static_cast<int32_t>(static_cast<uint32_t>(address)), width);
}
/// An active segment of memory 0.
std::string segmentText(uint64_t address, std::string_view bytes);

/// Whether an instruction may name a data segment: memory.init and data.drop (0xfc 8, 9), array.new_data and
/// array.init_data (0xfb 9, 18). Bytes that only look like one count, too, which costs a few bytes of file. Cancelled.
Result<bool> namesSegments(const container::wasm::Module& module, Monitor& monitor);
/// The runs of `memory` between zeros that are worth leaving out, at most `most` of them: the shortest zeros stay then.
/// Cancelled.
Result<std::vector<Extent>> splitAtZeros(std::string_view memory, uint64_t most, Monitor& monitor);

/// A section's place with its header.
struct SectionPlace {
  uint64_t start = 0;        ///< of the id
  std::size_t sizeWidth = 0; ///< bytes of the size
  Extent body;               ///< behind the size
  Extent content;            ///< behind the name of a custom section as well
  Extent sizePlace() const { return {start + 1, sizeWidth}; }
};
/// Nothing when the section is cut off.
std::optional<SectionPlace> placeAt(const container::wasm::Module& module, std::size_t index);
/// Of the first section with that id.
std::optional<SectionPlace> placeOf(const container::wasm::Module& module, uint8_t id);

/// Makes the sizes of those sections follow what `rewrite` does to their contents. REP-4G.
Result<Done> resizeSections(Rewrite& rewrite, const std::vector<SectionPlace>& places);
/// Another number of data segments, in both places that tell it. `data`: of the data section. REP-SHAPE.
Result<Done> setSegmentCount(Rewrite& rewrite, const library::Package& package, const container::wasm::Module& module,
                             const SectionPlace& data, uint64_t count, std::vector<SectionPlace>& touched);

/// Makes a grown blob of a linked module larger or smaller where it is; nothing when it is not behind everything else.
/// Source: core/formats/containers.md 7 (5). REP-HEAP, REP-SHAPE, REP-4G; Cancelled.
Result<std::optional<Plan>> resizeInMemory(const PlanRequest& request, const container::wasm::Module& module);
/// Puts the blob of a linked module behind its memory's data and stack. Source: core/formats/containers.md 7 (4).
/// REP-STACKFIRST, REP-HEAP, REP-MULTI, REP-REF, REP-SHAPE, REP-4G; Cancelled.
Result<Plan> moveInMemory(const PlanRequest& request, const container::wasm::Module& module);
/// Makes the data segment of an object larger or smaller, or adds one when there is something else behind the blob.
/// Nothing when a smaller blob fits in the old place. REP-SYM, REP-REL, REP-SHAPE, REP-4G; Cancelled.
Result<std::optional<Plan>> resizeInObject(const PlanRequest& request, const container::wasm::Module& module);

} // namespace blobscope::write::wasm_parts
