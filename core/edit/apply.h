#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/edit/archive/archive_draft.h"
#include "core/edit/archive/params_draft.h"
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
  modules::BodyPtr body;         ///< null when the payload fits no layout of the kind, or the kind is unknown
};

/// A blob after edits.
struct EditedBlob {
  library::PackagePtr package;       ///< the opened package that contains the blob
  std::size_t index = 0;             ///< index of the blob in the package
  std::vector<Bytes> pieces;         ///< header and stream
  uint64_t size = 0;                 ///< total size of the pieces
  std::vector<EditedModule> modules; ///< in stored order; empty when the blob was replaced as a whole

  const library::Blob& opened() const { return *package->blobs[index]; }
};

/// A parameter file after edits of its tensors; its size stays.
struct EditedParams {
  library::PackagePtr package; ///< the opened file or member
  std::vector<BytesRun> runs;  ///< the changes, in the order of the file
};

/// The result of applying a list of edits to a file.
struct Applied {
  std::vector<EditedBlob> blobs;       ///< the blobs that edits change, in file order
  std::vector<EditedParams> params;    ///< the parameter files that edits change, in file order
  std::vector<EditedArchive> archives; ///< the archives whose members edits change, outer ones first
  std::vector<Diagnostic> warnings;    ///< unusual requests that were applied, and forced edits
};

struct ApplyOptions {
  bool force = false;                  ///< also creates trees that loaders cannot use, and reports them as REP-FORCED
  std::filesystem::path folder = {};   ///< the folder that is searched first for relative files of the edits
  std::vector<std::string> names = {}; ///< what messages call each edit, maybe nothing; by default "edit 1"
  std::string source = {};             ///< begins each message: the file that lists the edits
};

/// Applies all edits to the tree as opened. The first edit that cannot be applied ends it: REF-NOT-FOUND, REP-… with
/// the reason, the errors of reading a file. Of two edits that rename the same part, or that rename and remove it, the
/// second is refused (REP-TARGET), and so are edits inside a member that another edit replaces or removes; but values
/// of tensors apply to the new content of a replaced parameter file. Also Cancelled.
Result<Applied> apply(const library::PackagePtr& package, std::span<const Edit> edits, const ApplyOptions& options,
                      Monitor& monitor);

/// Returns the files that the edits read, resolved as apply() resolves them.
std::vector<std::filesystem::path> filesOf(std::span<const Edit> edits, const std::filesystem::path& folder);

/// Returns the target that `text` names: a ref, or the id of an added module from `ids`, followed by parts. Error:
/// REF-SYNTAX.
Result<Target> parseTarget(std::string_view text, std::span<const std::string> ids);

} // namespace blobscope::edit
