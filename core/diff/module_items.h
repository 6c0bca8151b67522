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

/// What a module holds of one sort, ready to be aligned.
struct ItemGroup {
  Topic topic = Topic::Kernel;
  PartKind part = PartKind::Kernel; ///< of their refs
  AlignRules rules;
  std::vector<Item> items;
};

/// The parts of a module with all that is compared of them.
struct ModuleItems {
  std::vector<ItemGroup> groups; ///< those that are not empty
  std::shared_ptr<const FieldTree> tree;
  std::vector<uint32_t> ownedRows; ///< rows of `tree` that the items stand for, ascending
  bool sharedCode = false;         ///< kernels lie in one image in which they cannot be told apart
  std::string limit;               ///< why not all images were unpacked; empty when they were

  const ItemGroup* find(Topic topic) const;
};
/// Reads everything that is compared: code, registers, listings. What is unpacked is charged to `budget`. Cancelled.
Result<ModuleItems> readModuleItems(const library::Module& module, const CompareOptions& options,
                                    const BudgetPtr& budget, Monitor& monitor);

/// What a part is to a comparison, nothing for one that is compared as fields alone.
std::optional<Topic> topicOf(const modules::PartGroup& group, const modules::Part& part);
/// How many parts of each topic a module has, without a look at what they hold.
std::array<uint64_t, kTopics> countModuleItems(const library::Module& module);

/// What of one module is compared with another field by field: rows that stand for no item, with their path.
struct FieldRow {
  std::string path;
  uint32_t row = 0;
  bool large = false; ///< bytes or words, whatever they hold: told only when nothing else explains them
};
/// At most `limit` of them; `complete` says whether these are all.
std::vector<FieldRow> fieldRowsOf(const ModuleItems& items, std::size_t limit, bool& complete);

} // namespace blobscope::diff
