#include "core/plan/pages.h"

#include "core/base/text.h"
#include "core/library/resolve.h"
#include "core/modules/calls.h"
#include "core/plan/calls.h"
#include "core/plan/memory.h"
#include "core/plan/metadata.h"
#include "core/program/model.h"
#include "core/view/page_id.h"
#include "core/view/plan_page.h"
#include "core/xref/functions.h"

#include <algorithm>

namespace blobscope::plan {
namespace {

using view::PlanPage;
using Kind = PlanPage::Kind;

/// A model with what the page says about it.
struct Planned {
  library::PackagePtr package; ///< keeps the bytes
  program::Model model;
  std::optional<Metadata> metadata;
  Ref module;
  bool isGraph = false;
  std::vector<std::string> functions; ///< that make storages or caches, the one with the most instructions first
};
using PlannedPtr = std::shared_ptr<const Planned>;

bool isCacheCreator(std::string_view name) { return name.find("kv_cache_create") != std::string_view::npos; }

bool callsAny(const protocol::Program& program, const protocol::ProgramFunction& function, bool caches) {
  return std::ranges::any_of(function.steps, [&](const protocol::ProgramStep& step) {
    if (step.op != protocol::ProgramStep::Op::Call) return false;
    const protocol::ProgramCallee& callee = program.callees[step.callee];
    if (caches) return isCacheCreator(callee.name);
    return callee.kind == protocol::ProgramCallee::Kind::Function || isCacheCreator(callee.name) ||
           callee.name == "vm.builtin.alloc_storage" || callee.name == "storage.make";
  });
}

std::optional<uint32_t> functionNamed(const protocol::Program& program, std::string_view name) {
  const auto found = std::ranges::find_if(program.functions, [&](const protocol::ProgramFunction& one) {
    return one.name == name || escaped(one.name) == name; // pages name it escaped
  });
  if (found == program.functions.end()) return std::nullopt;
  return static_cast<uint32_t>(found - program.functions.begin());
}

/// The sizes that the user chose, and those that the compiler of the model planned for.
Sizes sizesFor(const Planned& planned, const PlanPage::Choice& choice) {
  Sizes out = choice.sizes;
  if (!planned.metadata) return out;
  const auto add = [&](const char* name, std::optional<int64_t> value) {
    if (value) out.try_emplace(name, *value);
  };
  for (const char* const name : {"total_seq_len", "max_total_seq_len"}) add(name, planned.metadata->context);
  add("prefill_chunk_size", planned.metadata->prefill);
  add("page_size", 16); // what MLC's engine asks for
  return out;
}

/// Makes the page of a plan.
class PlanWriter {
public:
  PlanWriter(const Planned& planned, const MemoryPlan& plan) : m_planned(planned), m_plan(plan) {}

  PlanPage write(const std::optional<MemoryPlan>& cache) {
    m_page.function = escaped(m_plan.function);
    for (const std::string& name : m_planned.functions) m_page.functions.push_back(escaped(name));
    m_page.ref = m_planned.isGraph ? m_planned.module : m_planned.module.part(PartKind::Function, m_plan.function);
    m_page.instructions = m_plan.instructions;
    m_page.peakAt = m_plan.peakAt;
    m_page.reserved = m_plan.peak;
    m_page.total = m_plan.total;
    m_page.mostInUse = m_plan.mostInUse;
    m_page.mostInUseAt = m_plan.mostInUseAt;
    m_page.complete = m_plan.unknown == 0 && !m_plan.isPartial;
    for (const MemoryStep& step : m_plan.steps) m_page.steps.push_back({step.instruction, step.reserved, step.inUse});
    if (m_page.steps.empty() || m_page.steps.front().instruction != 0) m_page.steps.insert(m_page.steps.begin(), {});
    addSymbols(m_plan);
    if (cache) addSymbols(*cache);
    addArguments();
    addCache(cache);
    addActivations();
    addStorages();
    addNotes();
    return std::move(m_page);
  }

private:
  void addSymbols(const MemoryPlan& plan) {
    for (const Symbol& symbol : plan.symbols) {
      if (std::ranges::find(m_page.symbols, symbol.name, &PlanPage::Symbol::name) != m_page.symbols.end()) continue;
      PlanPage::Symbol out;
      out.name = symbol.name;
      out.note = symbol.from;
      out.value = symbol.value;
      constexpr int64_t kMost = 32'768;
      const int64_t context = m_planned.metadata ? m_planned.metadata->context.value_or(kMost) : kMost;
      out.most = std::max(symbol.largest.value_or(context), symbol.value.value_or(1));
      out.planned = symbol.largest.has_value();
      if (symbol.largest) out.most = *symbol.largest;
      if (symbol.largest && symbol.value && *symbol.value > *symbol.largest)
        m_notes.push_back(symbol.name + " is " + std::to_string(*symbol.value) +
                          ", but the storages are planned for at most " + std::to_string(*symbol.largest) +
                          ": the function would fail.");
      m_page.symbols.push_back(std::move(out));
    }
  }

  void addPart(Kind kind, std::string name, std::optional<uint64_t> bytes, std::string note) {
    if (bytes)
      m_page.peak = addSaturated(m_page.peak, *bytes);
    else
      m_page.complete = false;
    m_page.parts.push_back({kind, std::move(name), std::move(note), bytes});
  }

  void addArguments() {
    uint64_t weights = 0, inputs = 0, tuples = 0, tensors = 0;
    std::string unknown;
    for (const ArgumentUse& argument : m_plan.arguments) {
      if (argument.isCache) continue;
      std::optional<uint64_t> bytes = argument.bytes;
      const bool isList = argument.items.value_or(0) > 0;
      if (isList && m_planned.metadata && m_planned.metadata->weights == argument.items)
        bytes = m_planned.metadata->weightBytes;
      if (isList && bytes) {
        weights = addSaturated(weights, *bytes);
        tuples += *argument.items;
      } else if (bytes) {
        inputs = addSaturated(inputs, *bytes);
        ++tensors;
      } else if (isList && argument.isRead) {
        unknown += (unknown.empty() ? "" : ", ") + escapedWithin(argument.name, 80);
      }
    }
    if (tuples > 0) addPart(Kind::Weights, "Weights", weights, countText(tuples, "tensor") + ", from outside");
    if (!unknown.empty()) addPart(Kind::Weights, "Weights", std::nullopt, "nothing states the size of " + unknown);
    uint64_t constants = 0;
    for (const int64_t number : m_plan.constants) {
      const protocol::ProgramConstant& one = m_planned.model.program.constants[static_cast<std::size_t>(number)];
      constants = addSaturated(constants, protocol::dataBytes(one.type, one.shape).value_or(0));
    }
    if (!m_plan.constants.empty())
      addPart(Kind::Constants, "Constants", constants,
              countText(m_plan.constants.size(), "tensor") + " in the library");
    if (tensors > 0) addPart(Kind::Arguments, "Arguments", inputs, countText(tensors, "tensor") + ", from outside");
  }

  void addCache(const std::optional<MemoryPlan>& cache) {
    const auto known = [](const MemoryPlan& plan) {
      return std::ranges::none_of(plan.storages, [](const StorageUse& one) { return one.isCache && !one.bytes; });
    };
    const bool isOwn = std::ranges::any_of(m_plan.storages, &StorageUse::isCache);
    if (isOwn)
      addPart(Kind::Cache, "KV cache", known(m_plan) ? std::optional(m_plan.cacheBytes) : std::nullopt,
              "made by this function");
    if (!m_plan.usesCache) return;
    if (!cache)
      addPart(Kind::Cache, "KV cache", std::nullopt, "no function of the model makes it");
    else
      addPart(Kind::Cache, "KV cache", known(*cache) ? std::optional(cache->cacheBytes) : std::nullopt,
              "from outside, made by " + escapedWithin(cache->function, 80));
  }

  void addActivations() {
    const std::string most = "most in use at instruction " + groupedText(m_plan.mostInUseAt);
    addPart(Kind::InUse, "Activations in use", std::min(m_plan.mostInUse, m_plan.peak), most);
    addPart(Kind::Reserved, "Reserved beyond that", m_plan.peak - std::min(m_plan.mostInUse, m_plan.peak), "");
  }

  void addStorages() {
    for (std::size_t i = 0; i < m_plan.storages.size(); ++i) {
      const StorageUse& storage = m_plan.storages[i];
      PlanPage::Storage out;
      out.name = (storage.isCache ? "cache " : "storage ") + std::to_string(i);
      out.size = storage.size;
      out.bytes = storage.bytes;
      out.isDerived = storage.isDerived;
      out.isCache = storage.isCache;
      out.first = storage.first;
      out.last = storage.last;
      uint64_t largest = 0;
      for (const TensorUse& use : storage.uses) {
        out.uses.push_back({use.first, use.last, use.bytes.value_or(0)});
        if (use.bytes.value_or(0) < largest || use.writer.empty()) continue;
        if (use.bytes.value_or(0) > largest || out.holds.empty()) out.holds = escaped(use.writer);
        largest = use.bytes.value_or(0);
        if (storage.isDerived) out.size = use.size;
      }
      m_page.tensors += storage.uses.size();
      m_page.storages.push_back(std::move(out));
    }
    std::ranges::stable_sort(m_page.storages, [](const PlanPage::Storage& a, const PlanPage::Storage& b) {
      return a.bytes.value_or(0) > b.bytes.value_or(0);
    });
  }

  void addNotes() {
    const auto add = [this](std::string note) { m_notes.push_back(std::move(note)); };
    if (m_planned.metadata)
      if (const auto stated = m_planned.metadata->temporary.find(m_plan.function);
          stated != m_planned.metadata->temporary.end()) {
        const std::string bytes = "The compiler states " + groupedText(stated->second) + " bytes for this function";
        // It counts what it knows: storages of a fixed size.
        const char* const which = m_plan.fixedTotal == m_plan.total ? "its storages" : "its storages of a fixed size";
        add(stated->second == m_plan.fixedTotal
                ? bytes + ", as much as " + which + " have together."
                : bytes + "; " + which + " have " + groupedText(m_plan.fixedTotal) + " together.");
      }
    if (m_plan.unknown > 0)
      add(countText(m_plan.unknown, "storage") + (m_plan.unknown == 1 ? " has a size" : " have sizes") +
          " that the library computes and that is not counted.");
    if (std::ranges::any_of(m_plan.storages, &StorageUse::isDerived))
      add("The library computes the sizes of some storages; the plan takes that of their largest tensor.");
    if (m_plan.hasBranches) add("It has branches: the memory of both sides is counted.");
    if (m_plan.isPartial)
      add("It has a loop, or calls a closure, itself or machine code: it may need more memory than counted.");
    if (m_plan.heap > 0)
      add("Sizes are kept in a shape heap of " + countText(m_plan.heap, "byte") + " in the memory of the processor.");
    add("What the host functions allocate by themselves is not counted. Nothing was run.");
    m_page.notes = std::move(m_notes);
  }

  const Planned& m_planned;
  const MemoryPlan& m_plan;
  PlanPage m_page;
  std::vector<std::string> m_notes;
};

Result<view::PlanPagePtr> planPage(const PlannedPtr& planned, const PlanPage::Choice& choice, Monitor& monitor) {
  const protocol::Program& program = planned->model.program;
  const std::string name = choice.function.empty() ? planned->functions.front() : choice.function;
  const auto function = functionNamed(program, name);
  if (!function) return Error(DiagnosticId::RunNoEntry, {arg("name", name), {"names", "the functions of the model"}});
  const Sizes sizes = sizesFor(*planned, choice);
  BLOBSCOPE_TRY(plan, planMemory(planned->model, *function, sizes, monitor));
  std::optional<MemoryPlan> cache;
  if (plan.usesCache)
    for (uint32_t i = 0; i < program.functions.size() && !cache; ++i)
      if (i != *function && callsAny(program, program.functions[i], true)) {
        BLOBSCOPE_TRY(made, planMemory(planned->model, i, sizes, monitor));
        cache = std::move(made);
      }
  auto page = std::make_shared<PlanPage>(PlanWriter(*planned, plan).write(cache));
  page->choose = [planned](const PlanPage::Choice& other, Monitor& stop) { return planPage(planned, other, stop); };
  return view::PlanPagePtr(std::move(page));
}

/// `outer` has the functions; the module is in `inner`.
Result<std::pair<PlannedPtr, xref::Functions>> plannedModel(const library::PackagePtr& outer,
                                                            const library::PackagePtr& inner,
                                                            const library::Module& module, const Ref& ref,
                                                            Monitor& monitor) {
  BLOBSCOPE_TRY(functions, xref::computeFunctions(outer, monitor));
  BLOBSCOPE_TRY(model, program::modelOfModule(inner, module, functions, monitor));
  auto planned = std::make_shared<Planned>();
  planned->package = outer;
  planned->model = std::move(model);
  planned->metadata = metadataOf(planned->model.program);
  planned->module = ref;
  planned->isGraph = modules::hasGraph(*module.body);
  std::vector<const protocol::ProgramFunction*> making;
  for (const protocol::ProgramFunction& function : planned->model.program.functions)
    if (callsAny(planned->model.program, function, false)) making.push_back(&function);
  std::ranges::stable_sort(making, [](const auto* a, const auto* b) { return a->steps.size() > b->steps.size(); });
  for (const protocol::ProgramFunction* const one : making) planned->functions.push_back(one->name);
  return std::pair(PlannedPtr(std::move(planned)), std::move(functions));
}

view::Page notice(std::string text) { return {"", view::NoticePage{std::move(text)}}; }

} // namespace

Result<Done> addPages(const library::PackagePtr& package, const Ref& ref, view::PageList& pages) {
  if (ref.kind != Ref::Kind::Module || ref.at || ref.parts.size() > 1) return Done{};
  BLOBSCOPE_TRY(found, library::resolve(*package, ref));
  if (!found.module || !program::canLookAt(found.module->key.view()) || !found.module->body->decoded()) return Done{};
  const bool isGraph = modules::hasGraph(*found.module->body);
  if (!ref.parts.empty() && (ref.parts[0].kind != PartKind::Function || isGraph)) return Done{};
  const library::PackagePtr inner(package, found.package); // the outer package keeps the inner one
  Ref module = found.ref;
  module.parts.clear();
  const auto prepared = [package, inner, found, module](Monitor& monitor) {
    return plannedModel(package, inner, *found.module, module, monitor);
  };
  const std::string chosen = ref.parts.empty() ? std::string() : ref.parts[0].name;
  const auto makePlan = [prepared, chosen](Monitor& monitor) -> Result<view::Page> {
    auto made = prepared(monitor);
    if (!made && made.error().code() == ErrorCode::Cancelled) return made.takeError();
    if (!made) return notice(made.error().message());
    if (made->first->functions.empty()) return notice("No function of this module allocates memory by itself.");
    auto page = planPage(made->first, {chosen, {}}, monitor);
    if (!page && page.error().code() == ErrorCode::Cancelled) return page.takeError();
    if (!page) return notice(page.error().message());
    return view::Page{"", std::move(*page)};
  };
  const auto insert = [&](std::size_t at, std::string name, std::string kind, auto make) {
    pages.insert(pages.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(at, 1, pages.size())),
                 view::Page{std::move(name), view::DeferredPage{std::move(kind), std::move(make)}});
  };
  const std::size_t place =
      view::placeOf(pages, {"Constants", "Bytecode", view::page_id::kFields, view::page_id::kHex});
  if (!chosen.empty() || isGraph) {
    insert(view::placeOf(pages, {view::page_id::kFields, view::page_id::kHex}), view::page_id::kMemoryPlan, "plan",
           makePlan);
    return Done{};
  }
  const auto makeCalls = [prepared, module, package](Monitor& monitor) -> Result<view::Page> {
    auto made = prepared(monitor);
    if (!made && made.error().code() == ErrorCode::Cancelled) return made.takeError();
    if (!made) return notice(made.error().message());
    BLOBSCOPE_TRY(tree,
                  callTree(made->first->model, package, module, made->second, sizesFor(*made->first, {}), monitor));
    return view::Page{"", std::make_shared<const view::CallsPage>(std::move(tree))};
  };
  insert(place, view::page_id::kCalls, "calls", makeCalls);
  insert(place, view::page_id::kMemoryPlan, "plan", makePlan);
  return Done{};
}

} // namespace blobscope::plan
