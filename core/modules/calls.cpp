#include "core/modules/calls.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/modules/graph_executor/graph_executor.h"
#include "core/modules/vm_executable/relax.h"
#include "core/modules/vm_executable/relay.h"
#include "core/modules/vm_executable/vm_executable.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace blobscope::modules {
namespace {

/// A parsed text takes about 20 times its size in memory. The largest real graph seen has 60 KB.
constexpr uint64_t kGraphBytes = 64u << 20;
/// Dimensions of one checked tensor; a list with more is not a shape.
constexpr int64_t kRank = 64;

int64_t wordAt(const Bytes& words, uint64_t index) {
  int64_t word = 0;
  if (8 * index + 8 <= words.size()) std::memcpy(&word, words.data() + 8 * index, sizeof word);
  return word;
}

/// Functions in order of their first call.
class CallList {
public:
  void add(std::string_view name, Call::To to) {
    const auto [at, isNew] = m_places.try_emplace({std::string(name) + static_cast<char>(to)}, m_calls.size());
    if (isNew) m_calls.push_back({std::string(name), to, 0});
    ++m_calls[at->second].times;
  }
  std::vector<Call> take() { return std::move(m_calls); }

private:
  std::unordered_map<std::string, std::size_t> m_places;
  std::vector<Call> m_calls;
};

/// The longest type of a parameter that is read completely.
constexpr std::size_t kAnnotationBytes = 1'000'000;

/// Splits "x: R.Tensor(…)" of relax::Signature into name and annotation.
void cutAnnotation(std::string_view text, CalledParameter& out) {
  const std::size_t colon = text.find(": ");
  out.name = text.substr(0, colon);
  if (colon != std::string_view::npos) out.annotation = text.substr(colon + 2);
}

class RelaxCalls {
public:
  RelaxCalls(const relax::Executable& vm, Monitor& monitor) : m_vm(vm), m_monitor(monitor) {}

  Result<Done> read(Calls& out) {
    const std::vector<relax::Signature> signatures = relax::signaturesOf(m_vm, kAnnotationBytes);
    const auto count = static_cast<int64_t>(m_vm.instructionCount());
    const uint64_t most = m_vm.instructionCount() + relax::kSharedInstructions;
    for (std::size_t i = 0; i < m_vm.functions.size(); ++i) {
      const relax::Function& function = m_vm.functions[i];
      if (function.kind == relax::Function::kPacked) continue;
      Caller caller;
      caller.name = function.name.view();
      caller.kind = function.kindText();
      for (const std::string& parameter : signatures[i].parameters) {
        caller.parameters.emplace_back();
        cutAnnotation(parameter, caller.parameters.back());
      }
      caller.result = signatures[i].result;
      CallList calls;
      const bool ranged = function.start >= 0 && function.end <= count && function.start <= function.end;
      for (int64_t at = function.start; ranged && at < function.end && m_read < most; ++at, ++m_read) {
        if (m_read % 4096 == 0) {
          if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
          m_monitor.progress("reading calls", m_read, 0);
        }
        const relax::Instruction instruction = relax::instructionAt(m_vm, static_cast<uint64_t>(at));
        if (instruction.op != relax::Instruction::Op::Call) continue;
        addCall(instruction.function, calls);
        const uint64_t arguments = instruction.arguments.size() / 8;
        for (uint64_t a = 0; a < arguments; ++a)
          if (const auto argument = argumentAt(instruction, a); argument.kind == relax::Argument::Kind::Function)
            addCall(argument.value, calls);
        check(instruction, caller);
      }
      caller.calls = calls.take();
      out.callers.push_back(std::move(caller));
    }
    return Done{};
  }

private:
  static relax::Argument argumentAt(const relax::Instruction& instruction, uint64_t index) {
    return relax::argumentOf(wordAt(instruction.arguments, index));
  }
  std::string_view nameOf(int64_t function) const {
    const bool exists = function >= 0 && static_cast<uint64_t>(function) < m_vm.functions.size();
    return exists ? m_vm.functions[static_cast<std::size_t>(function)].name.view() : std::string_view();
  }
  void addCall(int64_t number, CallList& calls) const {
    const std::string_view name = nameOf(number);
    if (name.empty()) return;
    const int32_t kind = m_vm.functions[static_cast<std::size_t>(number)].kind;
    calls.add(name, kind == relax::Function::kPacked ? Call::To::Packed
                    : kind == relax::Function::kVm   ? Call::To::Bytecode
                                                     : Call::To::Compiled);
  }

  /// Reads the checks of parameters, which are in the first registers. Source: core/formats/host-abi.md 2.6.
  void check(const relax::Instruction& instruction, Caller& caller) const {
    using Kind = relax::Argument::Kind;
    const std::string_view name = nameOf(instruction.function);
    const bool tensor = name == "vm.builtin.check_tensor_info";
    if (!tensor && name != "vm.builtin.match_shape") return;
    const relax::Argument target = argumentAt(instruction, 0);
    if (target.kind != Kind::Register || target.value < 0 ||
        static_cast<uint64_t>(target.value) >= caller.parameters.size())
      return;
    CalledParameter& parameter = caller.parameters[static_cast<std::size_t>(target.value)];
    const uint64_t count = instruction.arguments.size() / 8;
    if (tensor) {
      for (uint64_t a = 1; a < std::min<uint64_t>(count, 3); ++a) {
        const relax::Argument argument = argumentAt(instruction, a);
        if (argument.kind == Kind::Immediate && argument.value >= 0 && argument.value <= kRank)
          parameter.rank = argument.value;
        if (argument.kind != Kind::Constant || argument.value < 0 ||
            static_cast<uint64_t>(argument.value) >= m_vm.constants.size())
          continue;
        const relax::Constant& constant = m_vm.constants[static_cast<std::size_t>(argument.value)];
        if (constant.kind == relax::ConstantKind::DataType) parameter.dtype = constant.valueText();
      }
      return;
    }
    const relax::Argument size = count > 2 ? argumentAt(instruction, 2) : relax::Argument{};
    if (size.kind != Kind::Immediate || size.value < 0 || size.value > kRank || !parameter.shape.empty()) return;
    if (count < 3 + 2 * static_cast<uint64_t>(size.value)) return;
    for (uint64_t d = 0; d < static_cast<uint64_t>(size.value); ++d) {
      const relax::Argument code = argumentAt(instruction, 3 + 2 * d), value = argumentAt(instruction, 4 + 2 * d);
      // apache/tvm v0.16.0 src/runtime/relax_vm/builtin.cc, MatchShapeCode: equal to the value, store, no check, equal
      // to the slot.
      const bool slot = code.value == 1 || code.value == 3;
      parameter.shape.push_back(code.value == 0 ? std::to_string(value.value)
                                : slot          ? "s" + std::to_string(value.value)
                                                : std::string());
    }
  }

  const relax::Executable& m_vm;
  Monitor& m_monitor;
  uint64_t m_read = 0;
};

Result<Done> readRelay(const relay::Executable& vm, Calls& out, Monitor& monitor) {
  constexpr int64_t kInvoke = 2, kInvokePacked = 4,
                    kAllocClosure = 8; // apache/tvm v0.6.0 – v0.19.0 include/tvm/runtime/vm/bytecode.h
  uint64_t done = 0;
  for (const relay::Function& function : vm.functions) {
    Caller caller;
    caller.name = function.name().view();
    caller.kind = "Relay VM";
    for (const Bytes& parameter : function.parameters) {
      caller.parameters.emplace_back();
      caller.parameters.back().name = parameter.view();
    }
    CallList calls;
    for (const Bytes& words : function.instructions) {
      if (done++ % 4096 == 0) {
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        monitor.progress("reading calls", done, 0);
      }
      const int64_t opcode = wordAt(words, 1), number = wordAt(words, 2);
      const auto add = [&](const std::vector<Bytes>& names, Call::To to) {
        if (number >= 0 && static_cast<uint64_t>(number) < names.size())
          calls.add(names[static_cast<std::size_t>(number)].view(), to);
      };
      if (opcode == kInvokePacked) add(vm.primitives, Call::To::Packed);
      if (opcode == kInvoke || opcode == kAllocClosure) add(vm.globals, Call::To::Bytecode);
    }
    caller.calls = calls.take();
    out.callers.push_back(std::move(caller));
  }
  return Done{};
}

/// A graph of the graph executor. Source: core/formats/host-abi.md 2.6; the form is described in common/json_graph.h.
class GraphCalls {
public:
  explicit GraphCalls(const json::Value& root)
      : m_nodes(root.find("nodes") ? root.find("nodes")->array() : nullptr), m_rows(listOf(root.find("node_row_ptr"))) {
    const json::Value* const attributes = root.find("attrs");
    if (!attributes) return;
    m_shapes = listOf(attributes->find("shape"));
    m_types = listOf(attributes->find("dltype"));
  }

  void read(Calls& out) const {
    if (!m_nodes) return;
    Caller graph;
    graph.kind = "graph";
    CallList calls;
    std::unordered_map<std::string, bool> known;
    for (std::size_t i = 0; i < m_nodes->size(); ++i) {
      const json::Value& node = (*m_nodes)[i];
      const json::Value* attributes = node.find("attrs");
      if (!attributes) attributes = node.find("attr");
      const json::Value* const function = attributes ? attributes->find("func_name") : nullptr;
      if (!function || !function->string()) continue;
      const std::string& name = *function->string();
      calls.add(name, Call::To::Packed);
      if (known.try_emplace(name, true).second) out.arguments.push_back({name, arguments(node, *attributes, i)});
    }
    graph.calls = calls.take();
    out.callers.push_back(std::move(graph));
  }

private:
  using Array = json::Value::Array;
  static const Array* listOf(const json::Value* value) {
    const Array* const outer = value ? value->array() : nullptr;
    if (outer && outer->size() == 2 && (*outer)[0].string() && (*outer)[1].array()) return (*outer)[1].array();
    return outer;
  }
  static std::optional<uint64_t> numberOf(const json::Value* value) {
    if (!value) return std::nullopt;
    if (const auto* number = std::get_if<uint64_t>(&value->data)) return *number;
    if (const auto* number = std::get_if<int64_t>(&value->data))
      return *number >= 0 ? std::optional(static_cast<uint64_t>(*number)) : std::nullopt;
    return value->string() ? parseNumber(*value->string()) : std::nullopt;
  }
  static const json::Value* itemOf(const Array* list, uint64_t index) {
    return list && index < list->size() ? &(*list)[index] : nullptr;
  }

  GraphArguments::Tensor tensor(uint64_t entry, std::string name) const {
    GraphArguments::Tensor out{std::move(name), {}, {}};
    if (const auto* type = itemOf(m_types, entry); type && type->string()) out.dtype = *type->string();
    const auto* const shape = itemOf(m_shapes, entry);
    if (!shape || !shape->array() || shape->array()->size() > static_cast<std::size_t>(kRank)) return out;
    out.shape.emplace();
    for (const json::Value& dimension : *shape->array()) {
      const auto number = numberOf(&dimension);
      if (!number || *number > static_cast<uint64_t>(INT64_MAX)) {
        out.shape.reset();
        break;
      }
      out.shape->push_back(static_cast<int64_t>(*number));
    }
    return out;
  }
  std::string nameOf(uint64_t node) const {
    const auto* const value = itemOf(m_nodes, node);
    const auto* const name = value ? value->find("name") : nullptr;
    return name && name->string() ? *name->string() : std::string();
  }
  uint64_t firstEntry(uint64_t node) const { return numberOf(itemOf(m_rows, node)).value_or(node); }

  std::vector<GraphArguments::Tensor> arguments(const json::Value& node, const json::Value& attributes,
                                                uint64_t index) const {
    constexpr uint64_t kArguments = 4'096;
    std::vector<GraphArguments::Tensor> out;
    const auto* const inputs = node.find("inputs") ? node.find("inputs")->array() : nullptr;
    for (std::size_t i = 0; inputs && i < inputs->size() && i < kArguments; ++i) {
      const auto from = numberOf(itemOf((*inputs)[i].array(), 0)), output = numberOf(itemOf((*inputs)[i].array(), 1));
      if (!from || *from >= m_nodes->size()) return {};
      const uint64_t entry = firstEntry(*from);
      out.push_back(
          tensor(output.value_or(0) <= UINT64_MAX - entry ? entry + output.value_or(0) : entry, nameOf(*from)));
    }
    const uint64_t first = firstEntry(index),
                   count = std::min(numberOf(attributes.find("num_outputs")).value_or(1), kArguments);
    for (uint64_t i = 0; i < count && first <= UINT64_MAX - i; ++i) {
      if (!itemOf(m_shapes, first + i)) break;
      out.push_back(tensor(first + i, count == 1 ? nameOf(index) : nameOf(index) + ":" + std::to_string(i)));
    }
    return out;
  }

  const Array* m_nodes = nullptr;
  const Array* m_rows = nullptr;
  const Array* m_shapes = nullptr;
  const Array* m_types = nullptr;
};

} // namespace

namespace {

/// Visits the values of the members "func_name" in the text of a graph without parsing it: parsing takes longer than
/// everything else when a file is opened. Skips names with an escape sequence.
template <class Visit> void forEachFunctionName(std::string_view text, Visit&& visit) {
  constexpr std::string_view kMember = "\"func_name\"", kSpace = " \t\r\n";
  for (std::size_t at = text.find(kMember); at != std::string_view::npos; at = text.find(kMember, at + 1)) {
    if (at > 0 && text[at - 1] == '\\') continue; // JSON inside a JSON string
    const std::size_t colon = text.find_first_not_of(kSpace, at + kMember.size());
    if (colon == std::string_view::npos || text[colon] != ':') continue;
    const std::size_t quote = text.find_first_not_of(kSpace, colon + 1);
    if (quote == std::string_view::npos || text[quote] != '"') continue;
    const std::size_t end = text.find('"', quote + 1);
    if (end == std::string_view::npos) return;
    const std::string_view name = text.substr(quote + 1, end - quote - 1);
    if (name.find('\\') == std::string_view::npos) visit(name);
  }
}

} // namespace

std::vector<Lookup> lookupsOf(const Body& body) {
  using enum Lookup::Kind;
  std::vector<Lookup> out;
  std::unordered_set<std::string> known;
  const auto add = [&](Lookup::Kind kind, std::string name, std::string_view caller, std::string_view format) {
    if (!name.empty() && known.insert(name).second) out.push_back({kind, std::move(name), std::string(caller), format});
  };
  if (const auto* relax = relaxExecutableOf(body)) {
    for (const relax::Function& function : relax->functions) {
      const std::string_view name = function.name.view();
      if (function.kind == relax::Function::kPacked) add(Optional, std::string(name), {}, "Relax VM");
      if (function.kind == relax::Function::kVmTir) add(Compiled, "__vmtir__" + std::string(name), name, "Relax VM");
    }
  } else if (const auto* relay = relayExecutableOf(body)) {
    for (const Bytes& primitive : relay->primitives) add(Required, std::string(primitive.view()), {}, "Relay VM");
  } else if (const auto text = graphJsonOf(body); text && text->size() <= kGraphBytes) {
    forEachFunctionName(text->view(), [&](std::string_view name) {
      if (name != "__nop" && name != "__copy") add(Required, std::string(name), {}, "graph executor"); // built in
    });
  }
  return out;
}

bool isExecutable(const Body& body) { return relaxExecutableOf(body) || relayExecutableOf(body); }
bool hasGraph(const Body& body) { return graphJsonOf(body).has_value(); }

Result<Calls> computeCalls(const Body& body, Monitor& monitor) {
  longWork("modules::computeCalls");
  Calls out;
  if (const auto* relax = relaxExecutableOf(body)) {
    BLOBSCOPE_CHECK(RelaxCalls(*relax, monitor).read(out));
  } else if (const auto* relay = relayExecutableOf(body)) {
    BLOBSCOPE_CHECK(readRelay(*relay, out, monitor));
  } else if (const auto text = graphJsonOf(body); text && text->size() <= kGraphBytes) {
    if (const auto parsed = json::parse(*text)) GraphCalls(*parsed).read(out);
  }
  return out;
}

} // namespace blobscope::modules
