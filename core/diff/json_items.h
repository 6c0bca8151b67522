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
  bool graph = false;      ///< a graph: its nodes by name, and its other values; otherwise only values, by JSON pointer
  std::vector<Item> nodes; ///< their inputs are names, so that a node inserted before them does not change them
  std::vector<Item> values;
};
/// Returns nothing if the bytes are not JSON or are too large to compare this way. What `masks` hide in values is
/// ignored. Error: Cancelled.
Result<std::optional<JsonItems>> readJsonItems(const Bytes& text, Masks masks, Monitor& monitor);

} // namespace blobscope::diff
