#pragma once

#include "core/diff/masks.h"

namespace blobscope::diff {

/// What a comparison takes into account.
struct CompareOptions {
  bool full = false;     ///< also list nodes that are the same
  bool order = true;     ///< whether different positions count
  bool names = true;     ///< whether different names with equal content count
  bool container = true; ///< sections, symbols and unowned bytes, if both containers have the same format
  bool hostCode = true;  ///< the code of host functions, not only their names
  /// Whether the numbers of constants and registers count in listings of a virtual machine, and those of registers and
  /// labels in PTX and SASS; otherwise only what they refer to.
  bool rawNumbers = false;
  Masks masks; ///< what is hidden in device code that is text, in listings of a virtual machine and in values of JSON

  /// Returns whether something is ignored, so that files with different bytes may count as the same.
  bool lenient() const { return !order || !names || !container || !hostCode || !masks.empty(); }
};

} // namespace blobscope::diff
