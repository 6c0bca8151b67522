#include "core/plan/simulation.h"
#include "core/plan/simulation_values.h"

#include <algorithm>

namespace blobscope::plan {
namespace {

constexpr std::size_t kSizeBytes = 200, kWriterBytes = 400;
constexpr uint64_t kMostUses = 1'000'000; // see call()

Number plainNumber(int64_t value) { return {value, true, 0}; }

} // namespace

// --- sizes

std::optional<uint64_t> Simulation::bytesOf(const Shape& shape, protocol::DataType type) const {
  std::vector<int64_t> extents;
  for (const Number& extent : shape) {
    if (!extent.known) return std::nullopt;
    extents.push_back(extent.value);
  }
  return protocol::dataBytes(type, extents);
}

std::string Simulation::textOf(const Number& number) const {
  if (number.symbol > 0) return m_plan.symbols[number.symbol - 1].name;
  return number.known ? std::to_string(number.value) : "?";
}

std::string Simulation::textOf(const Shape& shape, protocol::DataType type) const {
  std::string out;
  for (const Number& extent : shape) {
    if (out.size() > kSizeBytes) return out + " × …";
    if (extent.known && extent.symbol == 0 && extent.value == 1) continue;
    out += (out.empty() ? "" : " × ") + textOf(extent);
  }
  const uint64_t bits = uint64_t{type.bits} * type.lanes;
  if (bits > 8) out += (out.empty() ? "" : " × ") + std::to_string(bits / 8);
  return out.empty() ? "1" : out;
}

/// The largest value of the only symbol of a shape for which a tensor has at most `bytes`.
std::optional<int64_t> Simulation::largestFor(const Shape& shape, protocol::DataType type, uint64_t bytes,
                                              uint32_t& symbol) const {
  std::vector<int64_t> extents;
  uint32_t times = 0;
  for (const Number& extent : shape) {
    if (extent.symbol == 0) {
      if (!extent.known) return std::nullopt;
      extents.push_back(extent.value);
      continue;
    }
    if (symbol != 0 && symbol != extent.symbol) return std::nullopt;
    symbol = extent.symbol;
    ++times;
  }
  const auto one = protocol::dataBytes(type, extents);
  if (times == 0 || times > 2 || !one || *one == 0) return std::nullopt;
  const uint64_t most = bytes / *one;
  if (most == 0 || most > uint64_t{1} << 40) return std::nullopt;
  if (times == 1) return static_cast<int64_t>(most);
  uint64_t root = 0; // of the square
  for (uint64_t bit = uint64_t{1} << 20; bit != 0; bit >>= 1)
    if ((root + bit) * (root + bit) <= most) root += bit;
  return root == 0 ? std::nullopt : std::optional(static_cast<int64_t>(root));
}

// --- storages and tensors

Simulation::Value Simulation::makeStorage(std::optional<uint64_t> bytes, std::string size, bool onHost, bool isCache,
                                          bool isFixed) {
  StorageUse& made = m_plan.storages.emplace_back();
  made.bytes = bytes;
  made.size = std::move(size);
  made.isOnHost = onHost;
  made.isCache = isCache;
  made.first = made.last = m_now;
  const std::size_t number = m_plan.storages.size() - 1;
  if (!made.bytes)
    if (const auto derived = m_derived.find(number); derived != m_derived.end()) {
      made.bytes = derived->second;
      made.isDerived = true;
    }
  if (!made.bytes) ++m_plan.unknown;
  const uint64_t amount = made.bytes.value_or(0);
  if (isCache) {
    m_plan.cacheBytes = addSaturated(m_plan.cacheBytes, amount);
    return std::make_shared<Storage>(*this, number);
  }
  if (isFixed) m_plan.fixedTotal = addSaturated(m_plan.fixedTotal, amount);
  m_plan.total = addSaturated(m_plan.total, amount);
  m_reserved = addSaturated(m_reserved, amount);
  m_most = std::max(m_most, m_reserved);
  if (m_reserved > m_plan.peak) {
    m_plan.peak = m_reserved;
    m_plan.peakAt = m_now;
  }
  return std::make_shared<Storage>(*this, number);
}

void Simulation::dropped(std::size_t storage) {
  StorageUse& use = m_plan.storages[storage];
  use.last = m_now;
  if (!use.isCache) m_reserved -= std::min(use.bytes.value_or(0), m_reserved);
}

Simulation::Value Simulation::makeTensor(const StoragePtr& storage, const ShapePtr& shape, protocol::DataType type) {
  auto out = std::make_shared<Tensor>();
  out->shape = shape;
  out->type = type;
  if (!storage) return out;
  StorageUse& place = m_plan.storages[storage->number];
  out->storage = storage;
  out->use = place.uses.size();
  TensorUse& use = place.uses.emplace_back();
  use.first = use.last = m_now;
  if (!shape) return out;
  charge(shape->size() / 8);
  use.bytes = bytesOf(*shape, type);
  use.size = textOf(*shape, type);
  if (!place.bytes || place.isDerived) return out;
  uint32_t symbol = 0;
  if (const auto largest = largestFor(*shape, type, *place.bytes, symbol)) {
    std::optional<int64_t>& known = m_plan.symbols[symbol - 1].largest;
    known = std::min(known.value_or(*largest), *largest);
  }
  return out;
}

/// A function gets the value. `by` is empty for functions that only make a view of it.
void Simulation::used(const Value& value, std::string_view by) {
  charge(1);
  if (m_steps > kMostUses) return; // call() reports it
  if (const auto* const tensor = std::get_if<TensorPtr>(&value); tensor && *tensor) {
    if ((*tensor)->argument) m_plan.arguments[*(*tensor)->argument].isRead = true;
    if (!(*tensor)->storage) return;
    TensorUse& use = m_plan.storages[(*tensor)->storage->number].uses[(*tensor)->use];
    use.last = m_now;
    if (!use.writer.empty() || by.empty()) return;
    use.writer = by.substr(0, kWriterBytes);
    use.first = m_now;
  } else if (const auto* const tuple = std::get_if<TuplePtr>(&value); tuple && *tuple) {
    for (const Value& item : (*tuple)->items) used(item, by);
  } else if (const auto* const given = std::get_if<GivenPtr>(&value); given && *given) {
    m_plan.arguments[(*given)->argument].isRead = true;
  }
}

/// The bytes of a new KV cache. Layouts: vm.builtin.attention_kv_cache_create takes the first rows and the whole shape;
/// vm.builtin.paged_attention_kv_cache_create(_reduced) takes [batch, tokens, prefill chunk, tokens per page, …], then
/// layers, heads of queries, heads of keys and values, and the size of a head, and a scalar of the type. It has one
/// page more than the tokens need (apache/tvm v0.16.0 – v0.18.0 src/runtime/relax_vm/lm_support.cc, kv_state.cc,
/// paged_kv_cache.cc).
Simulation::Value Simulation::cacheCreated(std::string_view name, const Values& arguments) {
  const auto numberAt = [&](std::size_t index) {
    const auto* const number = index < arguments.size() ? std::get_if<Number>(&arguments[index]) : nullptr;
    return number && number->symbol == 0 && number->known ? *number : Number();
  };
  if (name == "attention_kv_cache_create") {
    const auto* const rows = arguments.empty() ? nullptr : std::get_if<TensorPtr>(&arguments[0]);
    const auto* const shape = arguments.size() < 2 ? nullptr : std::get_if<ShapePtr>(&arguments[1]);
    if (!rows || !*rows || !shape || !*shape) return makeStorage(std::nullopt, "not known", false, true);
    return makeStorage(bytesOf(**shape, (*rows)->type), textOf(**shape, (*rows)->type), false, true);
  }
  const auto* const sizes = arguments.empty() ? nullptr : std::get_if<ShapePtr>(&arguments[0]);
  const Number layers = numberAt(1), heads = numberAt(3), head = numberAt(4);
  const auto element = std::ranges::find_if(arguments, [](const Value& one) {
    const auto* const tensor = std::get_if<TensorPtr>(&one);
    return tensor && *tensor && (*tensor)->shape && (*tensor)->shape->empty();
  });
  if (!sizes || !*sizes || (*sizes)->size() < 4 || !layers.known || !numberAt(2).known || !heads.known || !head.known ||
      element == arguments.end())
    return makeStorage(std::nullopt, "not known for this release", false, true);
  const Number tokens = (**sizes)[1], page = (**sizes)[3];
  const protocol::DataType type = std::get<TensorPtr>(*element)->type;
  const Shape perPage = {plainNumber(2), layers, heads, head};
  const std::string size =
      "(" + textOf(tokens) + " ÷ " + textOf(page) + " + 1) × " + textOf(page) + " × " + textOf(perPage, type);
  std::optional<uint64_t> bytes;
  if (tokens.known && page.known && tokens.value >= 0 && page.value > 0) {
    const int64_t pages = tokens.value / page.value + (tokens.value % page.value != 0) + 1;
    Shape whole = perPage;
    whole.insert(whole.end(), {plainNumber(pages), plainNumber(page.value)});
    bytes = bytesOf(whole, type);
  }
  return makeStorage(bytes, size, false, true);
}

// --- amounts over the instructions

/// Keeps the most that was reserved during the instruction.
void Simulation::noteReserved() {
  m_most = std::max(m_most, m_reserved);
  if (m_plan.steps.empty() || m_plan.steps.back().reserved != m_most) {
    if (!m_plan.steps.empty() && m_plan.steps.back().instruction == m_now)
      m_plan.steps.back().reserved = std::max(m_plan.steps.back().reserved, m_most);
    else
      m_plan.steps.push_back({m_now, m_most, 0});
  }
  m_most = m_reserved;
}

/// Adds what is in use to the steps: of each storage at most its size, and at most what is reserved.
void Simulation::addUses() {
  std::map<uint64_t, int64_t> changes;
  for (const StorageUse& storage : m_plan.storages) {
    for (const TensorUse& use : storage.uses) {
      uint64_t amount = use.bytes.value_or(0);
      if (storage.bytes) amount = std::min(amount, *storage.bytes);
      const auto bytes = static_cast<int64_t>(std::min<uint64_t>(amount, INT64_MAX / 4));
      changes[use.first] += bytes;
      changes[use.last + 1] -= bytes;
    }
  }
  std::vector<MemoryStep> merged;
  std::size_t next = 0;
  uint64_t reserved = 0, sum = 0;
  const auto add = [&](uint64_t instruction) {
    const uint64_t inUse = std::min(sum, reserved);
    if (inUse > m_plan.mostInUse) {
      m_plan.mostInUse = inUse;
      m_plan.mostInUseAt = instruction;
    }
    if (!merged.empty() && merged.back().instruction == instruction)
      merged.back() = {instruction, reserved, inUse};
    else
      merged.push_back({instruction, reserved, inUse});
  };
  const auto takeSteps = [&](uint64_t until) {
    for (; next < m_plan.steps.size() && m_plan.steps[next].instruction <= until; ++next) {
      reserved = m_plan.steps[next].reserved;
      add(m_plan.steps[next].instruction);
    }
  };
  for (const auto& [instruction, change] : changes) {
    if (instruction > 0) takeSteps(instruction - 1);
    sum += static_cast<uint64_t>(change);
    for (; next < m_plan.steps.size() && m_plan.steps[next].instruction == instruction; ++next)
      reserved = m_plan.steps[next].reserved;
    if (instruction <= m_plan.instructions) add(instruction);
  }
  takeSteps(UINT64_MAX);
  m_plan.steps = std::move(merged);
}

} // namespace blobscope::plan
