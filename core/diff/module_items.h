#pragma once

#include "core/base/budget.h"
#include "core/base/field_tree.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/diff/align.h"
#include "core/diff/options.h"
#include "core/diff/tree.h"
#include "core/library/blob.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::diff {

/// The items of one topic in a module, ready to be aligned.
struct ItemGroup {
  Topic topic = Topic::Kernel;
  PartKind part = PartKind::Kernel; ///< of their refs
  AlignRules rules;
  std::vector<Item> items;
};

/// The parts of a module with everything that is compared of them.
struct ModuleItems {
  std::vector<ItemGroup> groups; ///< those that are not empty
  std::shared_ptr<const FieldTree> tree;
  std::vector<uint32_t> ownedRows; ///< rows of `tree` that the items represent, ascending
  bool sharedCode = false;         ///< kernels share one image in which they cannot be told apart
  std::string limit;               ///< why some images were not unpacked; empty if all were

  const ItemGroup* find(Topic topic) const;
};
/// Reads everything that is compared: code, registers, listings. What is unpacked is charged to `budget`. Error:
/// Cancelled.
Result<ModuleItems> readModuleItems(const library::Module& module, const CompareOptions& options,
                                    const BudgetPtr& budget, Monitor& monitor);

/// Returns the topic of a part in a comparison; nothing for a part that is only compared as fields.
std::optional<Topic> topicOf(const modules::PartGroup& group, const modules::Part& part);
/// Returns the number of parts per topic in a module, without reading their content.
std::array<uint64_t, kTopics> countModuleItems(const library::Module& module);

/// A row of a module that is compared field by field because no item represents it, with its path.
struct FieldRow {
  std::string path;
  uint32_t row = 0;
  bool large = false; ///< bytes or words of any content: only reported when nothing else explains the difference
};
/// Returns at most `limit` rows; `complete` is set to whether these are all.
std::vector<FieldRow> fieldRowsOf(const ModuleItems& items, std::size_t limit, bool& complete);

} // namespace blobscope::diff
