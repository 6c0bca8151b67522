#pragma once

#include "core/diff/masks.h"

namespace blobscope::diff {

/// What a comparison looks at.
struct CompareOptions {
  bool full = false;     ///< list nodes that are the same, too
  bool order = true;     ///< whether other positions count
  bool names = true;     ///< whether other names of equal content count
  bool container = true; ///< sections, symbols and what no part owns, of containers of one format
  bool hostCode = true;  ///< the code of host functions, not only that they are there
  /// Whether the numbers of constants and registers count in listings of a virtual machine; else only what they stand
  /// for.
  bool rawNumbers = false;
  Masks masks; ///< what is hidden in device code that is text, in listings of a virtual machine and in values of JSON

  /// Whether something is left out, so that files of other bytes may be the same.
  bool lenient() const { return !order || !names || !container || !hostCode || !masks.empty(); }
};

} // namespace blobscope::diff
