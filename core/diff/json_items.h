#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/align.h"
#include "core/diff/masks.h"

#include <optional>
#include <vector>

namespace blobscope::diff {

/// A JSON text as items.
struct JsonItems {
  bool graph = false;      ///< nodes of a graph, by name, and its other values; else values alone, by JSON pointer
  std::vector<Item> nodes; ///< their inputs are names, so that a node before them does not change them
  std::vector<Item> values;
};
/// Nothing for bytes that are no JSON, or are more than is worth it. What `masks` hide in values does not count.
/// Cancelled.
Result<std::optional<JsonItems>> readJsonItems(const Bytes& text, Masks masks, Monitor& monitor);

} // namespace blobscope::diff
