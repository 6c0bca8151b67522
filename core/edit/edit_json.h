#pragma once

#include "core/base/monitor.h"
#include "core/edit/edit.h"
#include "core/library/package.h"

#include <span>
#include <string>
#include <string_view>

namespace blobscope::edit {

/// A stored list of edits: "blobscope.edits/1", what `repack --edits` takes and what the window keeps for the case that
/// it ends too early.
struct EditList {
  std::string sha256; ///< of the file the edits are for; empty when the list does not say
  std::vector<Edit> edits;
};

/// REP-EDITS with the place and the reason; JSON-TEXT, JSON-DEPTH.
Result<EditList> readEdits(const Bytes& text);
/// The same as text. Contents at hand become hex.
std::string writeEdits(std::string_view sha256, std::span<const Edit> edits);
/// REP-FILE when the list was made for other bytes. Cancelled.
Result<Done> checkFile(const EditList& list, const library::Package& package, Monitor& monitor);

} // namespace blobscope::edit
