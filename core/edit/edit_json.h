#pragma once

#include "core/base/monitor.h"
#include "core/edit/edit.h"
#include "core/library/package.h"

#include <span>
#include <string>
#include <string_view>

namespace blobscope::edit {

/// A stored list of edits: "blobscope.edits/1", which `repack --edits` reads and the window keeps as its recovery
/// journal.
struct EditList {
  std::string sha256; ///< of the file that the edits are for; empty when the list does not state it
  std::vector<Edit> edits;
};

/// Reads a stored list. Errors: REP-EDITS with the place and the reason, JSON-TEXT, JSON-DEPTH.
Result<EditList> readEdits(const Bytes& text);
/// Returns the list as text. Contents in memory become hex.
std::string writeEdits(std::string_view sha256, std::span<const Edit> edits);
/// Returns REP-FILE when the list was created for other bytes. Also Cancelled.
Result<Done> checkFile(const EditList& list, const library::Package& package, Monitor& monitor);

} // namespace blobscope::edit
