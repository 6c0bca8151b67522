#pragma once

#include "core/container/container.h"

namespace blobscope::container {

/// Finds the blobs of a program whose symbols were stripped. The names of its system libraries remain as strings, for
/// the call that registers them. Searches for import trees (eras B) and for streams (era C) in everything that the
/// loader maps, because linkers may put constants next to code. Empty when no carrier's name occurs. Source:
/// core/formats/blob.md 2.5, 2.6 (tree anchor, stream scan). Bytes that several segments map are searched once;
/// searched bytes are charged to `budget` as work (FILE-LIMIT).
Result<std::vector<Carrier>> scanForBlobs(const Image& image, const IsBlob& isBlob, Budget& budget,
                                          std::vector<Diagnostic>& diagnostics, Monitor& monitor);

} // namespace blobscope::container
