#pragma once

#include "core/base/json.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/edit/edit.h"
#include "core/library/package.h"

#include <filesystem>
#include <string>
#include <vector>

/// The way back from a folder that exportFolder() wrote.
namespace blobscope::write {

/// `manifest.json` of such a folder.
struct Manifest {
  std::string library; ///< path of the file that was exported
  std::string sha256;  ///< of it
  json::Value document;
};

/// REP-IMPORT when the folder has no manifest of ours, JSON-TEXT. No link in the folder is followed, here and below: it
/// is FILE-NOT-READABLE.
Result<Manifest> readManifest(const std::filesystem::path& folder);

/// The manifest and the files that it names, as paths; those that it may not name are left out.
std::vector<std::filesystem::path> filesOf(const std::filesystem::path& folder, const Manifest& manifest);

/// REP-FILE when the package is not the file that was exported. Cancelled.
Result<Done> checkLibrary(const Manifest& manifest, const library::Package& package, Monitor& monitor);

/// The edits that make the package what the folder says: payloads and parts whose files were changed, type keys and
/// imports that the manifest gives otherwise, modules that it no longer lists, and those that it lists without "ref".
/// They hold the bytes of the files, which are read here only. None for an untouched folder. REP-IMPORT; FILE-…;
/// Cancelled.
Result<std::vector<edit::Edit>> editsOfFolder(const std::filesystem::path& folder, const Manifest& manifest,
                                              const library::PackagePtr& package, Monitor& monitor);

} // namespace blobscope::write
