#pragma once

#include "core/container/container.h"

namespace blobscope::container {

/// Blobs of a program whose symbols were stripped: the names of its system libraries are left as strings, for the call
/// that registers them. Looks for import trees (eras B) and for streams (era C) in what the loader maps: linkers may
/// put constants beside code. Empty when no carrier's name occurs. Source: core/formats/blob.md 2.5, 2.6 (tree
/// anchor, stream scan). Bytes that several segments map are looked at once; what is looked at is charged to `budget`
/// as work (FILE-LIMIT).
Result<std::vector<Carrier>> scanForBlobs(const Image& image, const IsBlob& isBlob, Budget& budget,
                                          std::vector<Diagnostic>& diagnostics, Monitor& monitor);

} // namespace blobscope::container
