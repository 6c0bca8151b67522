#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <optional>

namespace blobscope::edit {

/// Where a text is stored: the part whose bytes an edit replaces, and its bytes around the text.
struct TextPlace {
  Ref target; ///< a kernel with its own code, a text or data field of a module, or a member of an archive
  Bytes before, after;
};

/// Returns where `text` is stored, which is that of a page of the node; nothing when no edit can replace it: canEdit()
/// refuses Operation::EditText for the node, or the text was computed, as a disassembly is. `text` must be a part of
/// the package's bytes, not a copy. Errors: those of library::findNode().
Result<std::optional<TextPlace>> findTextPlace(const library::Package& package, const Ref& node, const Bytes& text,
                                               Monitor& monitor);

/// Returns the text of the same place in another state of the file; nothing when it is no longer between the same
/// number of bytes. Errors: those of library::findNode().
Result<std::optional<Bytes>> readTextPlace(const library::Package& package, const TextPlace& place, Monitor& monitor);

} // namespace blobscope::edit
