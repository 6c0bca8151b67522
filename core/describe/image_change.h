#pragma once

#include "core/base/json.h"
#include "core/preflight/preflight.h"
#include "core/write/repack.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::describe {

/// What edits change in the machine code and PTX of CUDA modules.
struct ImageChange {
  struct OfModule {
    Ref module;                                 ///< as opened; of an added module as it will be numbered
    uint64_t imagesBefore = 0, imagesAfter = 0; ///< a module of one image without a container has one
    uint64_t bytesBefore = 0, bytesAfter = 0;   ///< of the code with its containers, as stored
  };
  std::vector<OfModule> modules;          ///< those whose code differs
  std::vector<preflight::GpuChange> gpus; ///< from the tables, by architecture
  targets::FactsPtr facts;                ///< keeps what `gpus` refers to
};

/// What a change of the code means for a GPU.
enum class GpuEffect {
  Lost,    ///< it ran the library and no longer does
  Gained,  ///< it runs the library only now
  Compiled ///< it ran machine code; now its driver compiles PTX
};
/// "sm_80 (NVIDIA A100), sm_86 (GeForce RTX 3090)": the GPUs with that effect; empty when there are none.
std::string gpusText(const std::vector<preflight::GpuChange>& changes, GpuEffect effect);
/// What the changes mean for users of the library, for the plan of a repack: REP-GPU, REP-GPU-RUNS.
std::vector<Diagnostic> consequencesOf(const std::vector<preflight::GpuChange>& changes);

/// Compares the code as opened with the result of the edits; nothing when no CUDA module has more or fewer images and
/// all GPUs run the library as before. GPUs are those of the user's tables, or of the built-in ones when the user's
/// cannot be used. Errors: PRE-FACTS, only when these cannot be used either; Cancelled.
Result<std::optional<ImageChange>> imageChangeOf(const write::Repack& repack, Monitor& monitor);
/// Does the same, and adds the consequences to the plan.
Result<std::optional<ImageChange>> addImageChange(write::Repack& repack, Monitor& monitor);

/// "images    m2: 3 → 1 image, 62,416 → 28,160 bytes, 34,256 freed": a line per module with more or fewer images.
std::string imageLines(const ImageChange& change);
/// Writes the value of "images" as cli.md specifies for `repack`.
void writeImageChange(json::Writer& writer, const ImageChange& change);

} // namespace blobscope::describe
