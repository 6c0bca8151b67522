#include "core/plan/calls.h"

#include "core/base/text.h"
#include "core/library/resolve.h"
#include "core/modules/codec.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace blobscope::plan {
namespace {

using protocol::ProgramCallee;
using protocol::ProgramStep;
using Count = view::CallsPage::Count;
using Row = view::CallsPage::Row;

constexpr std::size_t kMostRows = 20'000;
constexpr uint32_t kMostDepth = 16;
/// Kernels that the sets of all functions have together; real models have some hundred in some hundred functions.
constexpr uint64_t kMostKernels = 4'000'000;
/// What planMemory() may follow for the estimates of all functions.
constexpr uint64_t kMostFollowed = 1'000'000;

/// Numbers of kernels, ascending. Functions whose kernels are those of the only function that they call share the list.
using Kernels = std::shared_ptr<const std::vector<uint32_t>>;

Count combined(Count a, Count b) {
  if (a == b || b == Count::Exact) return a;
  return a == Count::Exact ? b : Count::About;
}

/// What one function calls.
struct Called {
  uint32_t callee = 0; ///< in Program::callees
  uint64_t times = 0, first = 0;
  Count count = Count::Exact;
};
struct Summary {
  std::vector<Called> called; ///< host functions and functions of the model, most often called first
  uint64_t builtins = 0;      ///< calls of functions of the runtime
  Count builtinCount = Count::Exact;
  enum class State : uint8_t { New, Open, Done };
  State state = State::New; ///< of what follows
  uint64_t launches = 0;    ///< of one call, with what it calls
  Count launchCount = Count::Exact;
  Kernels kernels;               ///< below it; null: none
  bool kernelsKnown = true;      ///< false when there were too many to list them
  std::optional<uint64_t> bytes; ///< of their code
};

/// For each step whether it is in a loop, or in a branch.
std::vector<Count> countsOf(const protocol::ProgramFunction& function) {
  const std::size_t size = function.steps.size();
  std::vector<int64_t> loops(size + 1), branches(size + 1);
  const auto add = [size](std::vector<int64_t>& changes, std::size_t from, std::size_t to) {
    if (from >= to || from >= size) return;
    ++changes[from];
    --changes[std::min(to, size)];
  };
  for (std::size_t i = 0; i < size; ++i) {
    const ProgramStep& step = function.steps[i];
    if (step.op != ProgramStep::Op::Jump && step.op != ProgramStep::Op::Branch) continue;
    const auto target = static_cast<std::size_t>(static_cast<int64_t>(i) + step.offset);
    if (step.offset <= 0) {
      add(loops, target, i + 1);
      continue;
    }
    if (step.op != ProgramStep::Op::Branch) continue;
    add(branches, i + 1, target);
    // The other side ends where the first one jumps to.
    const ProgramStep& last = function.steps[target - 1];
    if (target > i + 1 && last.op == ProgramStep::Op::Jump && last.offset > 0)
      add(branches, target, target - 1 + static_cast<std::size_t>(last.offset));
  }
  std::vector<Count> out(size);
  int64_t inLoops = 0, inBranches = 0;
  for (std::size_t i = 0; i < size; ++i) {
    inLoops += loops[i];
    inBranches += branches[i];
    out[i] = combined(inLoops > 0 ? Count::AtLeast : Count::Exact, inBranches > 0 ? Count::AtMost : Count::Exact);
  }
  return out;
}

class TreeMaker {
public:
  TreeMaker(const program::Model& model, const library::PackagePtr& package, const Ref& module,
            const xref::Functions& functions, const Sizes& sizes, Monitor& monitor)
      : m_model(model), m_program(model.program), m_package(package), m_module(module), m_functions(functions),
        m_sizes(sizes), m_monitor(monitor), m_planner(model) {
    for (uint32_t i = 0; i < functions.hosts.size(); ++i) {
      const auto [at, added] = m_hosts.try_emplace(functions.hosts[i].signature.function, i);
      if (!added && functions.hosts[i].ref.members == module.members) at->second = i; // of the same member
    }
  }

  Result<view::CallsPage> make() {
    m_summaries.resize(m_program.functions.size());
    for (uint32_t i = 0; i < m_summaries.size(); ++i) BLOBSCOPE_CHECK(summarize(i));
    BLOBSCOPE_CHECK(readCode());
    for (uint32_t i = 0; i < m_summaries.size(); ++i) BLOBSCOPE_CHECK(addLaunches(i));
    std::unordered_set<uint32_t> called;
    for (const Summary& summary : m_summaries)
      for (const Called& one : summary.called)
        if (m_program.callees[one.callee].kind == ProgramCallee::Kind::Function)
          called.insert(m_program.callees[one.callee].function);
    // Functions that no other one calls come first; of the others only those that call anything.
    for (const bool roots : {true, false})
      for (uint32_t i = 0; i < m_summaries.size(); ++i)
        if (called.contains(i) != roots && (roots || !m_summaries[i].called.empty())) {
          if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
          if (m_page.rows.size() < kMostRows) BLOBSCOPE_CHECK(estimateWork(i));
          addFunction(i, 0, 1, Count::Exact, std::nullopt);
        }
    for (const auto& [name, value] : m_usedSizes) {
      if (m_page.sizes.size() > 200) break;
      m_page.sizes += (m_page.sizes.empty() ? "" : ", ") + name + " = " + groupedText(static_cast<uint64_t>(value));
    }
    m_page.summary = summaryText();
    return std::move(m_page);
  }

private:
  Result<Done> summarize(uint32_t number) {
    const protocol::ProgramFunction& function = m_program.functions[number];
    Summary& out = m_summaries[number];
    const std::vector<Count> counts = countsOf(function);
    std::unordered_map<uint32_t, std::size_t> at;
    for (std::size_t i = 0; i < function.steps.size(); ++i) {
      if (i % 4096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const ProgramStep& step = function.steps[i];
      if (step.op != ProgramStep::Op::Call) continue;
      uint32_t callee = step.callee;
      // The function that this built-in function calls is its first argument.
      if (m_program.callees[callee].name == "vm.builtin.call_tir_dyn" && !step.arguments.empty() &&
          step.arguments[0].kind == protocol::ProgramOperand::Kind::Callee)
        callee = static_cast<uint32_t>(step.arguments[0].value);
      if (m_program.callees[callee].kind == ProgramCallee::Kind::Builtin) {
        ++out.builtins;
        out.builtinCount = combined(out.builtinCount, counts[i]);
        continue;
      }
      const auto [found, added] = at.try_emplace(callee, out.called.size());
      if (added) out.called.push_back({callee, 0, i, Count::Exact});
      Called& one = out.called[found->second];
      ++one.times;
      one.count = combined(one.count, counts[i]);
    }
    std::ranges::stable_sort(out.called, std::greater<>(), &Called::times);
    return Done{};
  }

  /// The operations of what a root calls.
  Result<Done> estimateWork(uint32_t root) {
    m_work.clear();
    if (m_program.functions[root].steps.empty()) return Done{};
    if (m_followed > kMostFollowed) {
      ++m_notEstimated;
      return Done{};
    }
    auto plan = m_planner.plan(root, m_sizes, m_monitor, m_followed);
    if (!plan && plan.error().code() == ErrorCode::Cancelled) return plan.takeError();
    if (!plan) return Done{};
    m_work = std::move(plan->work);
    for (const Symbol& symbol : plan->symbols)
      if (symbol.value && *symbol.value >= 0 && !m_work.empty()) m_usedSizes.try_emplace(symbol.name, *symbol.value);
    return Done{};
  }

  /// Sizes of the code of kernels, from the tables of their modules.
  Result<Done> readCode() {
    std::map<std::string, std::map<std::string, uint64_t, std::less<>>> modules;
    m_code.resize(m_functions.kernels.size());
    for (std::size_t i = 0; i < m_code.size(); ++i) {
      if (i % 256 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      Ref ref = m_functions.kernels[i].ref;
      ref.parts.clear();
      const auto [at, added] = modules.try_emplace(ref.toString());
      if (added) {
        const auto found = library::resolve(*m_package, ref);
        const auto table = found && found->module ? found->module->body->kernelTable() : std::nullopt;
        if (table) readTable(*table->source, at->second);
      }
      const auto size = at->second.find(m_functions.kernels[i].name);
      if (size != at->second.end()) m_code[i] = size->second;
    }
    return Done{};
  }

  static void readTable(const view::TableSource& table, std::map<std::string, uint64_t, std::less<>>& sizes) {
    const std::vector<view::Column> columns = table.columns();
    const auto column = std::ranges::find(columns, "code bytes", &view::Column::title);
    if (column == columns.end()) return;
    const auto index = static_cast<std::size_t>(column - columns.begin());
    for (uint64_t row = 0; row < table.rowCount(); ++row)
      if (const auto bytes = parseNumber(table.cell(row, index))) sizes.try_emplace(table.cell(row, 0), *bytes);
  }

  std::optional<uint32_t> hostOf(const ProgramCallee& callee) const {
    const auto found = m_hosts.find(callee.name);
    return found == m_hosts.end() ? std::nullopt : std::optional(found->second);
  }

  /// Launches and kernels of a function and of all that it calls, from the innermost function on. A recursive call
  /// counts once.
  Result<Done> addLaunches(uint32_t root) {
    struct Visit {
      uint32_t function;
      std::size_t next = 0; ///< in Summary::called
    };
    if (m_summaries[root].state != Summary::State::New) return Done{};
    std::vector<Visit> open = {{root}};
    m_summaries[root].state = Summary::State::Open;
    while (!open.empty()) {
      if (m_visited++ % 1024 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      Visit& visit = open.back();
      Summary& summary = m_summaries[visit.function];
      if (visit.next < summary.called.size()) {
        const ProgramCallee& callee = m_program.callees[summary.called[visit.next++].callee];
        if (callee.kind != ProgramCallee::Kind::Function) continue;
        Summary& inner = m_summaries[callee.function];
        if (inner.state != Summary::State::New) continue;
        inner.state = Summary::State::Open;
        open.push_back({callee.function});
        continue;
      }
      sumLaunches(summary);
      summary.state = Summary::State::Done;
      open.pop_back();
    }
    return Done{};
  }

  /// The kernels that a host function launches, each once, and the bytes of their code.
  struct Launched {
    Kernels kernels; ///< not null
    std::optional<uint64_t> bytes;
  };
  const Launched& launchedBy(uint32_t host) {
    const auto [at, added] = m_launched.try_emplace(host);
    if (!added) return at->second;
    std::vector<uint32_t> list;
    for (const xref::Link& link : m_functions.hosts[host].launches) list.push_back(link.index);
    at->second = {sorted(std::move(list)), {}};
    at->second.bytes = codeOf(*at->second.kernels);
    return at->second;
  }
  static Kernels sorted(std::vector<uint32_t> list) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return std::make_shared<const std::vector<uint32_t>>(std::move(list));
  }

  void sumLaunches(Summary& summary) {
    std::vector<Kernels> lists;
    uint64_t count = 0; // in all lists
    for (const Called& one : summary.called) {
      const ProgramCallee& callee = m_program.callees[one.callee];
      uint64_t launches = 0;
      if (callee.kind == ProgramCallee::Kind::Function) {
        const Summary& inner = m_summaries[callee.function];
        if (inner.state != Summary::State::Done) { // how often it calls itself is not known
          summary.launchCount = combined(summary.launchCount, Count::AtLeast);
          continue;
        }
        launches = inner.launches;
        if (inner.kernels) lists.push_back(inner.kernels);
        if (inner.kernels) count += inner.kernels->size();
        summary.kernelsKnown = summary.kernelsKnown && inner.kernelsKnown;
        if (launches > 0) summary.launchCount = combined(summary.launchCount, inner.launchCount);
      } else if (const auto host = hostOf(callee)) {
        launches = m_functions.hosts[*host].launches.size();
        if (launches > 0) lists.push_back(launchedBy(*host).kernels);
        count += launches;
      }
      if (launches > 0) summary.launchCount = combined(summary.launchCount, one.count);
      summary.launches = addSaturated(summary.launches, multiplySaturated(launches, one.times));
    }
    if (lists.size() == 1) {
      summary.kernels = lists.front();
    } else if (m_listed += count; m_listed > kMostKernels) {
      summary.kernelsKnown = false;
    } else if (count > 0) {
      std::vector<uint32_t> all;
      for (const Kernels& list : lists) all.insert(all.end(), list->begin(), list->end());
      summary.kernels = sorted(std::move(all));
    }
    if (!summary.kernelsKnown || !summary.kernels) return;
    const auto [at, added] = m_listBytes.try_emplace(summary.kernels.get());
    if (added) at->second = codeOf(*summary.kernels);
    summary.bytes = at->second;
  }

  std::optional<uint64_t> codeOf(const std::vector<uint32_t>& kernels) const {
    uint64_t sum = 0;
    bool any = false;
    for (const uint32_t kernel : kernels) {
      any |= m_code[kernel].has_value();
      sum = addSaturated(sum, m_code[kernel].value_or(0));
    }
    return any ? std::optional(sum) : std::nullopt;
  }

  /// Whether a row would be left out; counts it then.
  bool isFull() {
    if (m_page.rows.size() < kMostRows) return false;
    ++m_page.omitted;
    return true;
  }
  void add(Row row) {
    if (!isFull()) m_page.rows.push_back(std::move(row));
  }

  void addFunction(uint32_t number, uint32_t depth, uint64_t calls, Count count, std::optional<uint64_t> first) {
    if (isFull()) return;
    const Summary& summary = m_summaries[number];
    const std::string& name = m_program.functions[number].name;
    Row row;
    row.name = escaped(name);
    row.kind = view::CallsPage::Kind::Function;
    row.depth = depth;
    row.recursive = std::ranges::find(m_above, number) != m_above.end();
    row.count = count;
    row.calls = calls;
    row.launches = multiplySaturated(calls, summary.launches);
    if (row.launches > 0) row.count = combined(count, summary.launchCount);
    row.bytes = summary.bytes;
    row.ref = m_module.part(PartKind::Function, name);
    row.first = first;
    const bool recursive = row.recursive;
    const std::size_t at = m_page.rows.size();
    m_page.rows.push_back(std::move(row));
    if (recursive || depth >= kMostDepth) return;
    m_above.push_back(number);
    for (const Called& one : summary.called) {
      const ProgramCallee& callee = m_program.callees[one.callee];
      const uint64_t times = multiplySaturated(calls, one.times);
      const Count certain = combined(count, one.count);
      if (callee.kind == ProgramCallee::Kind::Function)
        addFunction(callee.function, depth + 1, times, certain, one.first);
      else
        addPacked(one.callee, depth + 1, times, certain, one.first);
    }
    if (summary.builtins > 0) {
      Row builtins;
      builtins.name = "functions of the runtime";
      builtins.kind = view::CallsPage::Kind::Builtins;
      builtins.depth = depth + 1;
      builtins.count = combined(count, summary.builtinCount);
      builtins.calls = multiplySaturated(calls, summary.builtins);
      add(std::move(builtins));
    }
    m_above.pop_back();
    std::optional<double> sum;
    for (std::size_t i = at + 1; i < m_page.rows.size(); ++i)
      if (const Row& below = m_page.rows[i]; below.depth == depth + 1 && below.flop)
        sum = sum.value_or(0) + *below.flop;
    m_page.rows[at].flop = sum;
  }

  void addPacked(uint32_t number, uint32_t depth, uint64_t calls, Count count, uint64_t first) {
    const ProgramCallee& callee = m_program.callees[number];
    m_packed.insert(number);
    if (isFull()) return;
    Row row;
    row.name = escaped(callee.name);
    row.kind = view::CallsPage::Kind::Packed;
    if (const auto work = m_work.find({m_above, number}); work != m_work.end()) row.flop = work->second;
    const std::optional<double> flop = row.flop;
    row.depth = depth;
    row.count = count;
    row.calls = calls;
    row.first = first;
    const auto host = hostOf(callee);
    if (host) {
      row.launches = multiplySaturated(calls, m_functions.hosts[*host].launches.size());
      row.bytes = launchedBy(*host).bytes;
      row.ref = m_functions.hosts[*host].ref;
    }
    m_page.rows.push_back(std::move(row));
    if (!host) return;
    const std::vector<uint32_t>& kernels = *launchedBy(*host).kernels;
    for (const uint32_t kernel : kernels) {
      if (isFull()) continue;
      Row inner;
      inner.name = escaped(m_functions.kernels[kernel].name);
      inner.kind = view::CallsPage::Kind::Kernel;
      inner.depth = depth + 1;
      inner.count = count;
      inner.calls = inner.launches = calls;
      inner.bytes = m_code[kernel];
      if (kernels.size() == 1) inner.flop = flop;
      inner.ref = m_functions.kernels[kernel].ref;
      add(std::move(inner));
    }
  }

  std::string summaryText() const {
    const std::size_t functions = m_program.functions.size();
    return groupedText(functions) + (functions == 1 ? " function" : " functions") + " of the model, " +
           groupedText(m_packed.size()) + " of " + countText(m_functions.hosts.size(), "packed function") +
           " called, " + countText(m_functions.kernels.size(), "kernel") +
           "; counted in the bytecode, nothing was run" +
           (m_notEstimated == 0 ? std::string()
                                : "; the operations of " + countText(m_notEstimated, "function") +
                                      " were not estimated, because it takes too many steps");
  }

  const program::Model& m_model;
  const protocol::Program& m_program;
  const library::PackagePtr& m_package;
  const Ref& m_module;
  const xref::Functions& m_functions;
  const Sizes& m_sizes;
  Monitor& m_monitor;
  std::unordered_map<std::string, uint32_t> m_hosts; ///< by name
  std::vector<Summary> m_summaries;                  ///< by the number of the function
  std::vector<std::optional<uint64_t>> m_code;       ///< bytes, by the number of the kernel
  std::vector<uint32_t> m_above;                     ///< functions above the row that is added
  std::unordered_set<uint32_t> m_packed;             ///< packed functions that are called, in Program::callees
  std::map<CallWork, double> m_work;                 ///< below the root that is added
  std::map<std::string, int64_t> m_usedSizes;
  std::unordered_map<const std::vector<uint32_t>*, std::optional<uint64_t>> m_listBytes; ///< of lists of kernels
  std::unordered_map<uint32_t, Launched> m_launched; ///< by the number of the host function
  const Planner m_planner;
  uint64_t m_followed = 0;     ///< for estimates
  uint64_t m_notEstimated = 0; ///< functions
  uint64_t m_visited = 0;      ///< calls that addLaunches() looked at
  uint64_t m_listed = 0;       ///< kernels in lists
  view::CallsPage m_page;
};

} // namespace

Result<view::CallsPage> callTree(const program::Model& model, const library::PackagePtr& package, const Ref& module,
                                 const xref::Functions& functions, const Sizes& sizes, Monitor& monitor) {
  return TreeMaker(model, package, module, functions, sizes, monitor).make();
}

} // namespace blobscope::plan
