#pragma once

#include "core/container/carrier.h"
#include "core/container/container.h"

namespace blobscope::container {

/// Whether the file is a blob by itself, as `extract blob` writes it: its header holds the size of what follows, and a
/// stream begins behind it.
bool looksLikeBlob(const Bytes& file);
/// Whether the file holds parameters by themselves (`tvm.runtime.save_param_dict`): its first word is the magic of the
/// list.
bool looksLikeParams(std::string_view head);
Result<Image> readRaw(const Bytes& file, Monitor& monitor);
std::vector<Carrier> findRawCarriers(const Image& image);

} // namespace blobscope::container
