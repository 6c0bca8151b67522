#pragma once

#include "core/base/budget.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/container/carrier.h"
#include "core/container/image.h"

#include <span>
#include <string_view>

namespace blobscope::container {

/// One container format. Formats are sniffed in the order of the table.
struct ContainerKind {
  std::string_view name;
  bool (*sniff)(std::string_view head); ///< `head`: at most the first 512 bytes
  Result<Image> (*open)(const Bytes& file, const BudgetPtr& budget, Monitor& monitor);
};

/// The table of formats that are recognised by their first bytes. A bare blob and C source are tried after them.
std::span<const ContainerKind> containerKinds();

/// Reads the container of `file`. Only headers, section and symbol tables are read, and members are unpacked within
/// `budget`. FILE-KIND when the content has no format of the table (the message says what it looks like), FILE-LEFTOVER
/// when it is what a failed download leaves, FILE-HEADER when the format's own header cannot be used; lesser damage is
/// in Image::diagnostics. Cancelled.
Result<Image> readImage(const Bytes& file, const BudgetPtr& budget, Monitor& monitor);
/// The same with a new budget for this file.
Result<Image> readImage(const Bytes& file, Monitor& monitor);

/// The carriers of an image. Depending on its format, they are found by symbols, in linear memory or in source text.
/// Cancelled.
Result<std::vector<Carrier>> carriersOf(const Image& image, const IsBlob& isBlob, const BudgetPtr& budget,
                                        std::vector<Diagnostic>& diagnostics, Monitor& monitor);

} // namespace blobscope::container
