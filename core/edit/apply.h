#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/edit/edit.h"
#include "core/library/package.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace blobscope::edit {

/// A module of a blob after edits.
struct EditedModule {
  std::string origin; ///< "m3" in the blob as opened, or the id of an added module
  Bytes key, payload;
  std::vector<uint32_t> imports; ///< numbers after the edits
  modules::BodyPtr body;         ///< null when the payload fits no layout of the kind, or the kind is not known
};

/// A blob after edits.
struct EditedBlob {
  library::PackagePtr package;       ///< as opened, that holds the blob itself
  std::size_t index = 0;             ///< of the blob in it
  std::vector<Bytes> pieces;         ///< header and stream
  uint64_t size = 0;                 ///< of all pieces
  std::vector<EditedModule> modules; ///< in stored order; empty when the blob was replaced as a whole

  const library::Blob& opened() const { return *package->blobs[index]; }
};

/// What a list of edits makes of a file.
struct Applied {
  std::vector<EditedBlob> blobs;    ///< those that edits touch, in the order of the file
  std::vector<Diagnostic> warnings; ///< what is odd but was asked for, or was forced
};

struct ApplyOptions {
  bool force = false;                ///< trees that loaders cannot use are made all the same, and told as REP-FORCED
  std::filesystem::path folder = {}; ///< where relative files of the edits are looked for first
};

/// Applies all edits to the tree as opened. An edit that cannot be done ends it: REF-NOT-FOUND, REP-… with the reason,
/// the errors of reading a file. Cancelled.
Result<Applied> apply(const library::PackagePtr& package, std::span<const Edit> edits, const ApplyOptions& options,
                      Monitor& monitor);

/// The files that the edits read, found as apply() finds them.
std::vector<std::filesystem::path> filesOf(std::span<const Edit> edits, const std::filesystem::path& folder);

/// The target that `text` names: a ref, or the id of a module that one of `ids` adds, with parts behind it. REF-SYNTAX.
Result<Target> parseTarget(std::string_view text, std::span<const std::string> ids);

} // namespace blobscope::edit
