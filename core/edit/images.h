#pragma once

#include "core/edit/edit.h"
#include "core/library/package.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

/// Chooses which images of fat binaries a library keeps. The result are edits that remove single images. Source of the
/// format: core/formats/cuda-binaries.md 2.
namespace blobscope::edit {

/// An image of a fat binary.
struct Image {
  Ref ref;                   ///< "m2/entry:0"
  std::string kind;          ///< "cubin", "ptx", "lto-ir", "kind 5"
  std::string name;          ///< what selects it: "sm_90a" for a cubin, "compute_90" for PTX, "lto_90" for LTO-IR
  uint64_t bytes = 0;        ///< in the file, with its header
  std::size_t container = 0; ///< index of its container; most modules have one
  bool runs = false;         ///< it is machine code or PTX, which the driver can load
};

/// The images of a module, by their number in refs.
struct FatBinary {
  Ref module;
  std::vector<Image> images;
};

/// Returns the fat binary of a `cuda` module, or those of all such modules of a blob, of a member or of the file.
/// Errors: REF-NOT-FOUND; REP-TARGET when there is no fat binary, or `ref` names something else; Cancelled.
Result<std::vector<FatBinary>> fatBinariesOf(const library::PackagePtr& package, const Ref& ref, Monitor& monitor);

/// Returns REP-TARGET when the driver could load nothing of a container without the images with these numbers.
Result<Done> checkRemovable(const FatBinary& binary, const std::set<std::size_t>& removed);

/// Whether a module has a fat binary, as far as the kind of its code tells; reads only headers.
bool mayBeFatBinary(const library::Module& module);

enum class Selection { Keep, Drop };
/// Returns the edits that remove all images except the selected ones, or only these. `words`: names of images, "ptx"
/// for all PTX, or numbers of images when there is one fat binary. Errors: REF-NOT-FOUND for a word that selects
/// nothing, those of checkRemovable().
Result<std::vector<Edit>> selectImages(std::span<const FatBinary> binaries, Selection selection,
                                       std::span<const std::string> words);

} // namespace blobscope::edit
