#pragma once

#include "core/base/json.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/edit/edit.h"
#include "core/library/package.h"

#include <filesystem>
#include <string>
#include <vector>

/// Reads a folder that exportFolder() wrote.
namespace blobscope::write {

/// `manifest.json` of such a folder.
struct Manifest {
  std::string library; ///< path of the file that was exported
  std::string sha256;  ///< digest of that file
  json::Value document;
};

/// Reads the manifest of a folder. Errors: REP-IMPORT when the folder has no manifest that exportFolder() wrote,
/// JSON-TEXT. The functions here follow no links in the folder; a link is FILE-NOT-READABLE.
Result<Manifest> readManifest(const std::filesystem::path& folder);

/// Returns the paths of the manifest and of the files that it names; omits names that it must not contain.
std::vector<std::filesystem::path> filesOf(const std::filesystem::path& folder, const Manifest& manifest);

/// Returns REP-FILE when the package is not the file that was exported. Also Cancelled.
Result<Done> checkLibrary(const Manifest& manifest, const library::Package& package, Monitor& monitor);

/// Returns the edits that turn the package into the content of the folder: payloads and parts whose files changed,
/// changed type keys and imports in the manifest, modules that it no longer lists, and new modules, which it lists
/// without "ref". The edits contain the bytes of the files, which are read only here. None for an unchanged folder.
/// Errors: REP-IMPORT, FILE-…, Cancelled.
Result<std::vector<edit::Edit>> editsOfFolder(const std::filesystem::path& folder, const Manifest& manifest,
                                              const library::PackagePtr& package, Monitor& monitor);

} // namespace blobscope::write
