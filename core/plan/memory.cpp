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

Planner::Planner(const program::Model& model) : m_model(model) {
  for (const program::Entry& entry : model.entries) m_entries.try_emplace(entry.function, &entry);
}

Result<MemoryPlan> Planner::plan(uint32_t function, const Sizes& sizes, Monitor& monitor, uint64_t& followed) const {
  const auto found = m_entries.find(function);
  const program::Entry* const entry = found == m_entries.end() ? nullptr : found->second;
  std::map<std::size_t, uint64_t> derived;
  const auto simulate = [&](const Sizes& values) {
    Simulation simulation(m_model, values, derived, monitor);
    Result<MemoryPlan> out = simulation.run(function, entry);
    followed += simulation.followed();
    return out;
  };
  // First: which sizes there are, and for which of them the storages are planned.
  BLOBSCOPE_TRY(plan, simulate(sizes));
  Sizes all = sizes;
  for (const Symbol& symbol : plan.symbols)
    if (const auto value = symbol.value ? symbol.value : defaultOf(symbol)) all.insert_or_assign(symbol.name, *value);
  if (!plan.symbols.empty()) {
    BLOBSCOPE_TRY(again, simulate(all));
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
  return simulate(all);
}

Result<MemoryPlan> planMemory(const program::Model& model, uint32_t function, const Sizes& sizes, Monitor& monitor) {
  uint64_t followed = 0;
  return Planner(model).plan(function, sizes, monitor, followed);
}

} // namespace blobscope::plan
