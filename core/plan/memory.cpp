#include "core/plan/memory.h"

#include "core/plan/simulation.h"

namespace blobscope::plan {
namespace {

/// The default of a size: what the storages are planned for; of a batch 1.
std::optional<int64_t> defaultOf(const Symbol& symbol) {
  constexpr int64_t kDefault = 128;
  if (symbol.name.starts_with("shape[")) return std::nullopt; // computed by the library
  if (symbol.largest) return symbol.largest;
  return symbol.name.find("batch") != std::string::npos ? 1 : kDefault;
}

} // namespace

Result<MemoryPlan> planMemory(const program::Model& model, uint32_t function, const Sizes& sizes, Monitor& monitor) {
  std::map<std::size_t, uint64_t> derived;
  // First: which sizes there are, and for which of them the storages are planned.
  BLOBSCOPE_TRY(plan, Simulation(model, sizes, derived, monitor).run(function));
  Sizes all = sizes;
  for (const Symbol& symbol : plan.symbols)
    if (const auto value = symbol.value ? symbol.value : defaultOf(symbol)) all.insert_or_assign(symbol.name, *value);
  if (!plan.symbols.empty()) {
    BLOBSCOPE_TRY(again, Simulation(model, all, derived, monitor).run(function));
    plan = std::move(again);
  }
  if (plan.unknown == 0) return plan;
  for (std::size_t i = 0; i < plan.storages.size(); ++i) {
    const StorageUse& storage = plan.storages[i];
    uint64_t largest = 0;
    bool known = !storage.bytes && !storage.isCache && !storage.uses.empty();
    for (const TensorUse& use : storage.uses) {
      known = known && use.bytes;
      largest = std::max(largest, use.bytes.value_or(0));
    }
    if (known) derived.emplace(i, largest);
  }
  if (derived.empty()) return plan;
  return Simulation(model, all, derived, monitor).run(function);
}

} // namespace blobscope::plan
