#pragma once

#include "core/container/carrier.h"
#include "core/container/container.h"

namespace blobscope::container {

/// What is in place of a file that was not downloaded or copied.
struct Leftover {
  std::string what, fix; ///< for FILE-LEFTOVER
};
/// Recognises pointers of Git LFS and git-annex, pages and answers of servers with an error, and files of zeros;
/// nothing for other content. Reads the first 4 KiB and the last ones.
std::optional<Leftover> leftoverOf(const Bytes& file);

/// Whether the file is a bare blob, as `extract blob` writes it: its header is the size of what follows, and a stream
/// begins after it.
bool looksLikeBlob(const Bytes& file);
/// Whether the file contains only parameters (`tvm.runtime.save_param_dict`): its first word is the magic of the list.
bool looksLikeParams(std::string_view head);
Result<Image> readRaw(const Bytes& file, Monitor& monitor);
std::vector<Carrier> findRawCarriers(const Image& image);

} // namespace blobscope::container
