#include "core/plan/calls.h"

#include "core/base/text.h"
#include "core/library/resolve.h"
#include "core/modules/codec.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace blobscope::plan {
namespace {

using protocol::ProgramCallee;
using protocol::ProgramStep;
using Count = view::CallsPage::Count;
using Row = view::CallsPage::Row;

constexpr std::size_t kMostRows = 20'000;
constexpr uint32_t kMostDepth = 16;

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
  std::optional<uint64_t> launches; ///< of one call, with what it calls; nothing: not computed yet
  bool isOpen = false;              ///< `launches` is being computed
  Count launchCount = Count::Exact;
  std::set<uint32_t> kernels; ///< below it
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
        m_sizes(sizes), m_monitor(monitor) {
    for (uint32_t i = 0; i < functions.hosts.size(); ++i) {
      const auto [at, added] = m_hosts.try_emplace(functions.hosts[i].signature.function, i);
      if (!added && functions.hosts[i].ref.members == module.members) at->second = i; // of the same member
    }
  }

  Result<view::CallsPage> make() {
    m_summaries.resize(m_program.functions.size());
    for (uint32_t i = 0; i < m_summaries.size(); ++i) BLOBSCOPE_CHECK(summarize(i));
    BLOBSCOPE_CHECK(readCode());
    for (uint32_t i = 0; i < m_summaries.size(); ++i) addLaunches(i, 0);
    std::set<uint32_t> called;
    for (const Summary& summary : m_summaries)
      for (const Called& one : summary.called)
        if (m_program.callees[one.callee].kind == ProgramCallee::Kind::Function)
          called.insert(m_program.callees[one.callee].function);
    // Functions that no other one calls come first; of the others only those that call anything.
    for (const bool roots : {true, false})
      for (uint32_t i = 0; i < m_summaries.size(); ++i)
        if (called.contains(i) != roots && (roots || !m_summaries[i].called.empty())) {
          BLOBSCOPE_CHECK(estimateWork(i));
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
    constexpr uint64_t kMostFollowed = 1'000'000;
    if (m_followed > kMostFollowed || m_program.functions[root].steps.empty()) return Done{};
    auto plan = planMemory(m_model, root, m_sizes, m_monitor);
    if (!plan && plan.error().code() == ErrorCode::Cancelled) return plan.takeError();
    if (!plan) return Done{};
    m_followed += plan->followed;
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

  /// Launches and kernels of a function and what it calls; a recursive call counts once.
  void addLaunches(uint32_t number, uint32_t depth) {
    Summary& summary = m_summaries[number];
    if (summary.launches) return;
    summary.launches = 0;
    summary.isOpen = true;
    for (const Called& one : summary.called) {
      const ProgramCallee& callee = m_program.callees[one.callee];
      uint64_t launches = 0;
      if (callee.kind == ProgramCallee::Kind::Function) {
        if (depth < kMostDepth) addLaunches(callee.function, depth + 1);
        const Summary& inner = m_summaries[callee.function];
        if (inner.isOpen) { // how often it calls itself is not known
          summary.launchCount = combined(summary.launchCount, Count::AtLeast);
          continue;
        }
        launches = inner.launches.value_or(0);
        summary.kernels.insert(inner.kernels.begin(), inner.kernels.end());
        if (launches > 0) summary.launchCount = combined(summary.launchCount, inner.launchCount);
      } else if (const auto host = hostOf(callee)) {
        launches = m_functions.hosts[*host].launches.size();
        for (const xref::Link& link : m_functions.hosts[*host].launches) summary.kernels.insert(link.index);
      }
      if (launches > 0) summary.launchCount = combined(summary.launchCount, one.count);
      summary.launches = addSaturated(*summary.launches, multiplySaturated(launches, one.times));
    }
    summary.isOpen = false;
  }

  std::optional<uint64_t> codeOf(const std::set<uint32_t>& kernels) const {
    uint64_t sum = 0;
    bool any = false;
    for (const uint32_t kernel : kernels) {
      any |= m_code[kernel].has_value();
      sum = addSaturated(sum, m_code[kernel].value_or(0));
    }
    return any ? std::optional(sum) : std::nullopt;
  }

  bool add(Row row) {
    if (m_page.rows.size() >= kMostRows) {
      ++m_page.omitted;
      return false;
    }
    m_page.rows.push_back(std::move(row));
    return true;
  }

  void addFunction(uint32_t number, uint32_t depth, uint64_t calls, Count count, std::optional<uint64_t> first) {
    const Summary& summary = m_summaries[number];
    const std::string& name = m_program.functions[number].name;
    Row row;
    row.name = escaped(name);
    row.kind = view::CallsPage::Kind::Function;
    row.depth = depth;
    row.recursive = std::ranges::find(m_above, number) != m_above.end();
    row.count = count;
    row.calls = calls;
    row.launches = multiplySaturated(calls, summary.launches.value_or(0));
    if (row.launches > 0) row.count = combined(count, summary.launchCount);
    row.bytes = codeOf(summary.kernels);
    row.ref = m_module.part(PartKind::Function, name);
    row.first = first;
    const bool recursive = row.recursive;
    const std::size_t at = m_page.rows.size();
    if (!add(std::move(row)) || recursive || depth >= kMostDepth) return;
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
    const std::vector<xref::Link> links = host ? m_functions.hosts[*host].launches : std::vector<xref::Link>();
    std::set<uint32_t> kernels;
    for (const xref::Link& link : links) kernels.insert(link.index);
    row.launches = multiplySaturated(calls, links.size());
    row.bytes = codeOf(kernels);
    if (host) row.ref = m_functions.hosts[*host].ref;
    m_packed.insert(callee.name);
    if (!add(std::move(row))) return;
    for (const uint32_t kernel : kernels) {
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
           " called, " + countText(m_functions.kernels.size(), "kernel") + "; counted in the bytecode, nothing was run";
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
  std::set<std::string, std::less<>> m_packed;       ///< names of packed functions that are called
  std::map<CallWork, double> m_work;                 ///< below the root that is added
  std::map<std::string, int64_t> m_usedSizes;
  uint64_t m_followed = 0; ///< steps for estimates
  view::CallsPage m_page;
};

} // namespace

Result<view::CallsPage> callTree(const program::Model& model, const library::PackagePtr& package, const Ref& module,
                                 const xref::Functions& functions, const Sizes& sizes, Monitor& monitor) {
  return TreeMaker(model, package, module, functions, sizes, monitor).make();
}

} // namespace blobscope::plan
