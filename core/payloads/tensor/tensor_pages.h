#pragma once

#include "core/payloads/tensor/tensor.h"
#include "core/view/page.h"

namespace blobscope::payloads {

/// Adds the pages of one tensor: "Tensor" (facts, whether the bytes fit shape and type), "Values" (rows over the last
/// axis, any size), "Statistics" and "Histogram", which are made when they are first shown.
void addTensorPages(const Tensor& tensor, view::PageList& list);

/// The rows of the page "Values": one per index of all axes except the last, with the last axis in up to 64 columns and
/// then in further rows. Only elements whose bytes are stored. A shape without a number of elements is shown as one
/// axis.
std::shared_ptr<const view::TableSource> tensorValueTable(const Tensor& tensor);

} // namespace blobscope::payloads
