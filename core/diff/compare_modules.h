#pragma once

#include "core/base/budget.h"
#include "core/diff/tree_builder.h"
#include "core/library/package.h"

#include <cstdint>
#include <vector>

namespace blobscope::diff {

struct ModuleItems;

/// A module of a package.
struct ModuleAt {
  const library::Blob* blob;
  const library::Module* module;
  uint32_t blobNumber = 0; ///< among the blobs of all packages that are compared together

  Ref ref() const { return blob->moduleRef(module->index); }
};
/// All modules of the packages' blobs, in order.
std::vector<ModuleAt> modulesOf(const std::vector<const library::Package*>& packages);

/// Compares modules and their content.
class ModuleComparer {
public:
  /// What is unpacked for the comparison is charged to `budget`. When it is used up, images are compared as stored and
  /// a note says so.
  ModuleComparer(const CompareOptions& options, const SameBytes& same, TreeBuilder& builder, BudgetPtr budget,
                 Monitor& monitor)
      : m_options(options), m_same(same), m_builder(builder), m_budget(std::move(budget)), m_monitor(monitor) {}

  /// Adds nodes for the modules of both sides. Modules without a partner are kept for finish(). Error:
  /// Cancelled.
  Result<Done> compare(const std::vector<ModuleAt>& a, const std::vector<ModuleAt>& b, uint32_t parent);
  /// Adds modules that only one side can have: those of a member without a partner. Error: Cancelled.
  Result<Done> addUnmatched(const std::vector<ModuleAt>& modules, bool inA, uint32_t parent);
  /// Finds partners among all packages for modules without one; adds the content of the others. Error:
  /// Cancelled.
  Result<Done> finish();

private:
  Result<ModuleItems> readItems(const ModuleAt& at);

  struct UnmatchedModule {
    ModuleAt at;
    bool inA;
    uint32_t node;
  };

  Result<Done> addPair(const ModuleAt& a, const ModuleAt& b, const Pair& pair, bool otherParent, uint32_t parent);
  /// Adds the content of two equal modules.
  Result<Done> addSame(const ModuleAt& a, const ModuleAt& b, uint32_t node);
  /// Same: only the order and form in which they are stored differ. Renumbered: also numbers of registers and labels.
  enum class Inside : uint8_t { Different, Same, Renumbered };
  /// Adds what differs between two modules.
  Result<Inside> addInside(const ModuleAt& a, const ModuleAt& b, uint32_t node);
  Result<bool> addFields(const ModuleAt& a, const ModuleAt& b, const ModuleItems& itemsA, const ModuleItems& itemsB,
                         bool explained, uint32_t node);

  const CompareOptions& m_options;
  const SameBytes& m_same;
  TreeBuilder& m_builder;
  BudgetPtr m_budget;
  Monitor& m_monitor;
  std::vector<UnmatchedModule> m_unmatched;
};

} // namespace blobscope::diff
