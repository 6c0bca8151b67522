#pragma once

#include "core/payloads/tensor/tensor.h"
#include "core/view/page.h"

#include <memory>
#include <vector>

namespace blobscope::payloads {

/// A tensor with its facts, whether the bytes fit shape and type, its statistics and histogram, and its values.
view::GridPage tensorPage(const Tensor& tensor);
/// Adds the page "Values" of a tensor.
void addTensorPages(const Tensor& tensor, view::PageList& list);

/// The values as rows: one per index of all axes except the last, with the last axis in up to 64 columns and further
/// rows. A shape without a number of elements is shown as one axis over the stored elements.
std::shared_ptr<const view::TableSource> tensorValueTable(const Tensor& tensor);

/// The elements of a tensor, numbered over the shape that gridShape() returns.
std::shared_ptr<const view::GridSource> tensorGrid(const Tensor& tensor);
/// The extents of a tensor; one axis over the stored elements if the shape has no number of elements.
std::vector<uint64_t> gridShape(const Tensor& tensor);

} // namespace blobscope::payloads
