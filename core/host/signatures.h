#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/image.h"
#include "core/host/host.h"
#include "core/host/signature.h"

#include <vector>

namespace blobscope::host {

/// The signatures of an image's host functions, from the texts of their checks; works for every container and machine.
/// The first `host.functions.size()` entries are those functions in their order, with Source::None for a function that
/// no text describes. They are followed by functions that only texts name, in the order of the texts: those of images
/// without symbols, and those that are not exported. Tensors of a 1-bit or 4-bit type have no dtype in libraries of
/// 0.13 – 0.23, which have no text for it. Device types of 0.24 and later are set when the file names only one device.
/// For 0.12 and earlier there are only names and kinds. Functions are omitted when all signatures together would have
/// more than a million parameters and dimensions. The texts are searched in read-only data, then in other data, then in
/// the whole file. Cancelled. Source: core/formats/host-abi.md 2.1 – 2.4.
Result<std::vector<Signature>> computeSignatures(const container::Image& image, const HostSymbols& host,
                                                 Monitor& monitor);

} // namespace blobscope::host
