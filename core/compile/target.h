#pragma once

#include "core/base/ref.h"
#include "core/compile/compile.h"
#include "core/edit/edit.h"
#include "core/library/package.h"

#include <optional>
#include <string>
#include <vector>

namespace blobscope::compile {

/// A place in a library whose code can be compiled from source.
struct Target {
  Ref ref; ///< what the code takes the place of: an image, a kernel, or the field with all code of a module
  std::string moduleKey; ///< "cuda"
  std::string content;   ///< what is stored, as payloads::sniff() names it: "fatbin", "cubin", "ptx", "text", "spirv"
  Bytes code;            ///< as stored
  std::optional<Language> source;         ///< the language of the stored text; nothing for machine code
  std::vector<std::string> architectures; ///< of the stored images: "sm_90", "compute_80"; without duplicates
  /// The flags for a compiler ("nvcc", "nvrtc", "ptxas") that the module records in `backend_config` and that
  /// sortFlags() passes; the others, at most 100 for each. Its architecture is among `architectures`. Source:
  /// core/formats/module-kinds.md, code3+config.
  FlagsByCompiler flags, leftOut;
};

/// The place for a ref: a module, one of its kernels, or an image of a fat binary. A kernel that shares its code with
/// others stands for all of it. Errors: REF-NOT-FOUND; COMP-PLACE for modules without device code and for modules in
/// which each kernel has code of its own; what findNode() returns.
Result<Target> targetOf(const library::Package& package, const Ref& ref, Monitor& monitor);

/// The language of a source text for that place: by its content for CUDA, else by the kind of the module.
Language languageOf(const Target& target, const Bytes& source);

/// Compiles a source for the place. Without flags of the user, or with those of the place, a note names each flag that
/// the module records and that is not passed. Source that the library stores as source stays source: it is only
/// checked, and the code is the text itself. Errors: as compile().
Result<Compiled> compileFor(const Target& target, Request request, Monitor& monitor);

/// What the kernels of the place need as it is stored: of machine code, or of the stored source, compiled in the same
/// way. Empty when that is not possible. Error: Cancelled.
Result<std::vector<KernelUse>> usesBefore(const Target& target, Request request, Monitor& monitor);

/// Why the compiled code cannot take the place, as whole sentences: kernels that the module lists and the code lacks,
/// numbers and sizes of parameters that differ from what the module passes, blocks that became too small. Empty when
/// everything fits, or for code whose kernels are not known.
std::vector<std::string> misfitsOf(const library::Package& package, const Target& target, const Compiled& compiled);

/// The edits that put the code in its place; the declared format of a `cuda` module follows it.
std::vector<edit::Edit> editsFor(const library::Package& package, const Target& target, const Compiled& compiled);

} // namespace blobscope::compile
