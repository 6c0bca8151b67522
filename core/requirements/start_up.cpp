#include "core/requirements/start_up.h"

#include "core/requirements/start_up_machine.h"
#include "core/syntax/disassembler.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace blobscope::requirements {
namespace {

using container::Image;
using container::Symbol;
using start_up::Flow;
using start_up::Location;
using start_up::State;
using start_up::Value;
using syntax::Operation;

constexpr uint64_t kSteps = 400'000;        // instructions that are followed, of all entries
constexpr uint64_t kFunctionSteps = 40'000; // of one function, in one call
constexpr std::size_t kDepth = 48;          // functions that call each other

/// Functions that never return to their caller. Sources: ISO C 7.22.4; Itanium C++ ABI: Exception Handling.
constexpr std::string_view kEnding[] = {"abort",           "exit",
                                        "_exit",           "_Exit",
                                        "quick_exit",      "__cxa_throw",
                                        "__cxa_rethrow",   "_Unwind_Resume",
                                        "longjmp",         "__stack_chk_fail",
                                        "__assert_fail",   "__cxa_pure_virtual",
                                        "pthread_exit",    "__cxa_bad_cast",
                                        "_ZSt9terminatev", "_ZSt20__throw_length_errorPKc"};

} // namespace

/// Follows the code of one file.
class StartUpReader {
public:
  StartUpReader(const Image& image, const ElfFacts& facts, Monitor& monitor)
      : m_image(image), m_facts(facts), m_monitor(monitor), m_machine(image, facts), m_arm(image.arch == "aarch64"),
        m_disassembler(syntax::makeDisassembler(image.arch, image.bits)) {}

  Result<StartUpUses> read() {
    if (!m_disassembler) return std::move(m_out);
    State state; // of the variables; every entry leaves what it wrote
    for (std::size_t i = 0; i < m_facts.entries.size(); ++i) {
      const LoaderEntry& entry = m_facts.entries[i];
      if (entry.bad) continue;
      m_order.clear();
      m_uses.clear();
      state.called.clear();
      for (Value& value : state.registers) value = {};
      BLOBSCOPE_TRY(after, follow(entry.address, state));
      for (const uint32_t symbol : m_order)
        m_out.uses.push_back({i, symbol, after && after->called.get().contains(symbol), m_uses.at(symbol)});
      if (after) state.variables = std::move(after->variables);
      if (m_steps >= kSteps) break;
    }
    return std::move(m_out);
  }

private:
  // --- Functions ---

  /// The state after the function at `start`; nothing when it does not return.
  Result<std::optional<State>> follow(uint64_t start, const State& before) {
    std::optional<State> exit;
    std::map<uint64_t, State> known; // at the targets of jumps
    std::vector<uint64_t> work;
    const auto join = [&](uint64_t at, const State& state) {
      const auto [found, isNew] = known.try_emplace(at, state);
      if (isNew || found->second.merge(state)) work.push_back(at);
    };
    const auto leave = [&](State& state) { exit ? (void)exit->merge(state) : (void)(exit = std::move(state)); };
    const auto giveUp = [&] {
      m_out.complete = false;
      State state = before;
      leave(state);
    };
    const bool recursion = std::find(m_stack.begin(), m_stack.end(), start) != m_stack.end();
    if (recursion || m_stack.size() >= kDepth) {
      if (!recursion) m_out.complete = false;
      exit = before; // nothing is known about what it calls
      return exit;
    }
    m_stack.push_back(start);
    State first;
    first.variables = before.variables;
    first.called = before.called;
    for (const unsigned number : arguments())
      if (before.registers[number].kind != Value::Kind::Stack) first.registers[number] = before.registers[number];
    first.registers[stackPointer()] = {Value::Kind::Stack, 8, false, kStackBase};
    join(start, first);
    uint64_t steps = 0;
    while (!work.empty()) {
      uint64_t at = work.back();
      work.pop_back();
      State state = known.at(at);
      for (bool begins = true;; begins = false) {
        if (++m_steps % 1'024 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        if (m_steps >= kSteps || ++steps >= kFunctionSteps) {
          giveUp();
          work.clear();
          break;
        }
        if (!begins && known.contains(at)) {
          join(at, state);
          break;
        }
        const Code& code = codeAt(at);
        if (code.operation.size == 0) { // not code that can be followed
          giveUp();
          break;
        }
        const Flow flow = m_machine.step(code.operation, code.bytes, at, state);
        const uint64_t next = at + code.operation.size;
        bool goesOn = flow.kind == Flow::Kind::Next || flow.kind == Flow::Kind::Branch;
        if (flow.kind == Flow::Kind::Return) leave(state);
        if (flow.kind == Flow::Kind::Branch) {
          const bool taken = flow.taken.value_or(true), not_ = !flow.taken.value_or(false);
          if (taken && flow.target.kind == Value::Kind::Number) join(flow.target.number, state);
          goesOn = not_;
        }
        if (flow.kind == Flow::Kind::Jump) {
          const bool inside = flow.target.kind == Value::Kind::Number && isInside(start, flow.target.number);
          if (inside) {
            join(flow.target.number, state);
          } else {
            BLOBSCOPE_TRY(returned, call(flow.target, state)); // a tail call
            if (returned) leave(state);
          }
        }
        if (flow.kind == Flow::Kind::Call) {
          BLOBSCOPE_TRY(returned, call(flow.target, state));
          goesOn = returned;
        }
        if (!goesOn) break;
        at = next;
      }
    }
    m_stack.pop_back();
    return exit;
  }

  /// An instruction and the bytes from it on.
  struct Code {
    Operation operation;
    std::string_view bytes;
  };
  /// Functions are followed again for each call.
  const Code& codeAt(uint64_t at) {
    const auto [found, isNew] = m_code.try_emplace(at);
    if (!isNew || !m_machine.isCode(at)) return found->second;
    if (const auto bytes = m_image.findBytesAt(at))
      found->second = {m_disassembler->decode(bytes->view(), at), bytes->view()};
    return found->second;
  }

  /// Whether a jump stays in its function: a jump to the start of another one is a call that returns for it.
  bool isInside(uint64_t start, uint64_t target) {
    readStarts();
    const auto after = std::upper_bound(m_starts.begin(), m_starts.end(), start);
    const uint64_t next = after == m_starts.end() ? UINT64_MAX : *after;
    constexpr uint64_t kFar = 65'536;
    return target >= start && target < next && target - start < kFar;
  }
  void readStarts() {
    if (!m_starts.empty()) return;
    m_starts.push_back(0);
    for (const Symbol& symbol : m_image.symbols)
      if (symbol.defined && !symbol.absolute && symbol.type == container::SymbolType::Function)
        m_starts.push_back(symbol.value);
    std::sort(m_starts.begin(), m_starts.end());
  }

  /// Applies a call. Returns whether it returns.
  Result<bool> call(const Value& target, State& state) {
    if (target.kind == Value::Kind::Symbol) {
      const auto number = static_cast<uint32_t>(target.number);
      const std::string_view name = m_image.symbols[number].name;
      if (m_uses.try_emplace(number, target.late).second) m_order.push_back(number);
      if (!state.called.get().contains(number)) state.called.change().insert(number);
      if (std::find(std::begin(kEnding), std::end(kEnding), name) != std::end(kEnding)) return false;
      afterCall(state, resultOf(name, state));
      return true;
    }
    if (target.kind != Value::Kind::Number) {
      afterCall(state, {});
      return true;
    }
    BLOBSCOPE_TRY(after, follow(target.number, state));
    if (!after) return false;
    state.variables = std::move(after->variables);
    state.called = std::move(after->called);
    afterCall(state, after->registers[0].kind == Value::Kind::Number ? after->registers[0] : Value());
    return true;
  }

  /// The guard of a variable in a function is 0 until the variable is made.
  Value resultOf(std::string_view name, State& state) const {
    const Value guard = state.registers[m_arm ? 0 : 7];
    if (guard.kind != Value::Kind::Number) return {};
    if (name == "__cxa_guard_release") state.variables.store(guard.number, 1, Value::of(1));
    if (name != "__cxa_guard_acquire") return {};
    const Value made = m_machine.load({Location::Kind::Variable, guard.number}, 1, state);
    return made.kind == Value::Kind::Number ? Value::of(made.number == 0 ? 1 : 0) : Value();
  }

  /// What a called function keeps: the registers of the calling convention.
  void afterCall(State& state, Value result) const {
    for (const unsigned number : arguments())
      if (state.registers[number].kind == Value::Kind::Stack) state.stack.clear();
    for (unsigned i = 0; i < 32; ++i) {
      const bool kept = m_arm ? i >= 19 && i != 30 : i == 3 || i == 4 || i == 5 || (i >= 12 && i <= 15);
      if (!kept) state.registers[i] = {};
    }
    state.registers[0] = result;
    state.compared = {};
  }

  const std::vector<unsigned>& arguments() const {
    static const std::vector<unsigned> kX86 = {7, 6, 2, 1, 8, 9}, kArm = {0, 1, 2, 3, 4, 5, 6, 7};
    return m_arm ? kArm : kX86;
  }
  unsigned stackPointer() const { return m_arm ? 31 : 4; }

  static constexpr uint64_t kStackBase = uint64_t{1} << 40;

  const Image& m_image;
  const ElfFacts& m_facts;
  Monitor& m_monitor;
  start_up::Machine m_machine;
  bool m_arm;
  std::unique_ptr<syntax::Disassembler> m_disassembler;
  StartUpUses m_out;
  std::unordered_map<uint64_t, Code> m_code;
  uint64_t m_steps = 0;
  std::vector<uint64_t> m_stack, m_starts;
  std::vector<uint32_t> m_order;             ///< symbols that the code of the entry calls
  std::unordered_map<uint32_t, bool> m_uses; ///< the same; whether the word is bound late
};

bool canReadStartUp(const Image& image) {
  return image.format == container::Format::Elf && !image.bigEndian && image.bits == 64 &&
         (image.arch == "x86_64" || image.arch == "aarch64") && syntax::hasDisassemblerFactory();
}

Result<StartUpUses> readStartUp(const Image& image, const ElfFacts& facts, Monitor& monitor) {
  return StartUpReader(image, facts, monitor).read();
}

} // namespace blobscope::requirements
