#pragma once

#include "core/container/carrier.h"
#include "core/container/container.h"

namespace blobscope::container {

/// Whether the file is a bare blob, as `extract blob` writes it: its header is the size of what follows, and a stream
/// begins after it.
bool looksLikeBlob(const Bytes& file);
/// Whether the file contains only parameters (`tvm.runtime.save_param_dict`): its first word is the magic of the list.
bool looksLikeParams(std::string_view head);
Result<Image> readRaw(const Bytes& file, Monitor& monitor);
std::vector<Carrier> findRawCarriers(const Image& image);

} // namespace blobscope::container
