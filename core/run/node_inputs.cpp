#include "core/run/node_inputs.h"

#include "core/protocol/program.h"
#include "core/run/flop.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace blobscope::run {
namespace {

using protocol::Program;
using protocol::ProgramCallee;
using protocol::ProgramFunction;
using protocol::ProgramOperand;
using protocol::ProgramStep;

/// Where the content of a tensor comes from.
struct Origin {
  enum class Kind : uint8_t { Unknown, Fresh, Step, Constant, Argument };
  Kind kind = Kind::Unknown;
  std::size_t number = 0; ///< step, constant or argument
  std::size_t output = 0; ///< Step: which of its outputs
};

/// What one step reads.
struct StepInput {
  std::size_t position = 0; ///< among the arguments of the host function
  Origin origin;
};
struct StepInputs {
  std::vector<StepInput> inputs;
  std::size_t arguments = 0; ///< of the host function
};

/// A value in a register: a tensor by its number, a tuple, or anything else.
struct Known {
  std::optional<std::size_t> tensor;
  std::vector<Known> items;
};

/// Follows the tensors of one function without branches.
class Follower {
public:
  Follower(const Program& program, const ProgramFunction& function) : m_program(program), m_function(function) {
    m_registers.resize(function.registers);
    for (uint32_t i = 0; i < function.parameters && i < function.registers; ++i)
      m_registers[i].tensor = made({Origin::Kind::Argument, i, 0});
  }

  /// By number of step; empty for functions with branches.
  std::map<uint64_t, StepInputs> run() {
    for (const ProgramStep& step : m_function.steps)
      if (step.op == ProgramStep::Op::Jump || step.op == ProgramStep::Op::Branch) return {};
    for (std::size_t i = 0; i < m_function.steps.size(); ++i)
      if (m_function.steps[i].op == ProgramStep::Op::Call) call(i, m_function.steps[i]);
    return std::move(m_steps);
  }

private:
  /// Tuples in tuples are not followed deeper than this.
  static constexpr int kDepth = 8;
  static constexpr std::size_t kItems = 65'536;

  std::size_t made(Origin origin) {
    m_tensors.push_back(origin);
    return m_tensors.size() - 1;
  }

  Known valueOf(const ProgramOperand& operand) {
    const auto at = static_cast<std::size_t>(operand.value);
    if (operand.kind == ProgramOperand::Kind::Register && at < m_registers.size()) return m_registers[at];
    if (operand.kind == ProgramOperand::Kind::Constant && at < m_program.constants.size() &&
        m_program.constants[at].kind == protocol::ProgramConstant::Kind::Tensor)
      return {made({Origin::Kind::Constant, at, 0}), {}};
    return {};
  }

  static void flatten(const Known& value, int depth, std::vector<std::optional<std::size_t>>& out) {
    if (value.items.empty() || depth > kDepth) {
      if (out.size() < kItems) out.push_back(value.tensor);
      return;
    }
    for (const Known& item : value.items) flatten(item, depth + 1, out);
  }

  void call(std::size_t number, const ProgramStep& step) {
    const ProgramCallee& callee = m_program.callees[step.callee];
    Known result;
    if (callee.kind == ProgramCallee::Kind::Host) {
      host(number, step, 0, step.arguments.size());
    } else if (callee.kind == ProgramCallee::Kind::Builtin) {
      if (callee.name == "vm.builtin.call_tir_dyn" && step.arguments.size() >= 2)
        host(number, step, 1, step.arguments.size() - 1); // the last argument is a shape
      else
        result = builtin(callee.name, step);
    }
    if (step.target >= 0 && static_cast<std::size_t>(step.target) < m_registers.size())
      m_registers[static_cast<std::size_t>(step.target)] = std::move(result);
  }

  Known builtin(const std::string& name, const ProgramStep& step) {
    const auto first = [&] { return step.arguments.empty() ? Known() : valueOf(step.arguments[0]); };
    if (name == "vm.builtin.alloc_tensor" || name == "tensor.make") return {made({Origin::Kind::Fresh, 0, 0}), {}};
    // The same elements.
    if (name == "move" || name == "tensor.reshape" || name == "vm.builtin.reshape" || name == "vm.builtin.copy" ||
        name == "vm.builtin.ensure_zero_offset")
      return first();
    if (name == "tensor.copy" || name == "vm.builtin.to_device") {
      const Known from = first();
      return from.tensor ? Known{made(m_tensors[*from.tensor]), {}} : Known();
    }
    if (name == "tuple.make" || name == "vm.builtin.make_tuple") {
      Known out;
      const std::size_t tag = name == "tuple.make" ? 1 : 0; // the first argument of Relay's constructors
      for (std::size_t i = tag; i < step.arguments.size(); ++i) out.items.push_back(valueOf(step.arguments[i]));
      return out;
    }
    if ((name == "tuple.get" || name == "vm.builtin.tuple_getitem") && step.arguments.size() >= 2 &&
        step.arguments[1].kind == ProgramOperand::Kind::Integer) {
      const Known tuple = first();
      const auto at = static_cast<std::size_t>(step.arguments[1].value);
      return at < tuple.items.size() ? tuple.items[at] : Known();
    }
    return {};
  }

  void host(std::size_t number, const ProgramStep& step, std::size_t from, std::size_t to) {
    std::vector<std::optional<std::size_t>> given;
    std::size_t firstOutput = 0;
    for (std::size_t i = from; i < to; ++i) {
      if (i + step.outputs == to) firstOutput = given.size();
      flatten(valueOf(step.arguments[i]), 0, given);
    }
    StepInputs& out = m_steps[number];
    out.arguments = given.size();
    std::size_t outputs = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!given[i]) continue;
      Origin& origin = m_tensors[*given[i]];
      const bool isOutput = step.outputs > 0 ? i >= firstOutput : origin.kind == Origin::Kind::Fresh;
      if (!isOutput)
        out.inputs.push_back({i, origin});
      else
        origin = {Origin::Kind::Step, number, outputs++};
    }
    if (outputs > 0) return;
    // It wrote to tensors that had a content before, and nothing tells to which.
    for (const auto& one : given)
      if (one) m_tensors[*one] = {};
  }

  const Program& m_program;
  const ProgramFunction& m_function;
  std::vector<Known> m_registers;
  std::vector<Origin> m_tensors;
  std::map<uint64_t, StepInputs> m_steps;
};

/// Fills in the inputs of the nodes of one call.
class InputFinder {
public:
  InputFinder(const Program& program, const protocol::JobCall& call, const xref::Functions& functions,
              const std::filesystem::path& folder)
      : m_program(program), m_call(call), m_folder(folder) {
    for (const xref::HostFunction& host : functions.hosts)
      m_signatures.try_emplace(host.signature.function, &host.signature);
  }

  void run(std::vector<NodeResult>& nodes) {
    std::map<std::pair<const ProgramFunction*, uint64_t>, std::size_t> last;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      NodeResult& node = nodes[i];
      const ProgramFunction* const function = functionOf(node.within);
      if (!function) continue;
      const auto& steps = stepsOf(*function);
      if (const auto step = steps.find(node.step); step != steps.end()) {
        const host::Signature* const signature = signatureOf(node.function, step->second.arguments);
        for (const StepInput& input : step->second.inputs) {
          std::optional<NodeInput> found;
          if (input.origin.kind == Origin::Kind::Step) {
            const auto writer = last.find({function, input.origin.number});
            if (writer != last.end()) found = ofNode(nodes[writer->second], writer->second, input.origin.output);
          } else {
            found = ofOthers(input.origin, *function);
          }
          if (!found) continue;
          nameIt(*found, signature, input.position);
          node.inputs.push_back(std::move(*found));
        }
      }
      last[{function, node.step}] = i;
      node.flop = flopOf(node);
    }
  }

private:
  const ProgramFunction* functionOf(const std::string& name) const {
    const auto found = std::ranges::find(m_program.functions, name, &ProgramFunction::name);
    return found == m_program.functions.end() ? nullptr : &*found;
  }

  const std::map<uint64_t, StepInputs>& stepsOf(const ProgramFunction& function) {
    const auto [at, added] = m_steps.try_emplace(&function);
    if (added) at->second = Follower(m_program, function).run();
    return at->second;
  }

  const host::Signature* signatureOf(const std::string& function, std::size_t arguments) const {
    const auto found = m_signatures.find(function);
    return found != m_signatures.end() && found->second->parameters.size() == arguments ? found->second : nullptr;
  }

  static std::optional<NodeInput> ofNode(const NodeResult& node, std::size_t number, std::size_t output) {
    if (output >= node.outputs.size()) return std::nullopt;
    const Output& written = node.outputs[output];
    NodeInput out;
    out.number = number;
    out.type = written.type;
    out.shape = written.shape;
    out.file = written.file;
    return out;
  }

  std::optional<NodeInput> ofOthers(const Origin& origin, const ProgramFunction& function) const {
    NodeInput out;
    out.number = origin.number;
    if (origin.kind == Origin::Kind::Constant) {
      const protocol::ProgramConstant& constant = m_program.constants[origin.number];
      out.source = NodeInput::Source::Constant;
      out.type = constant.type;
      out.shape = constant.shape;
      out.offset = constant.offset;
      if (!m_program.data.empty()) out.file = m_folder / m_program.data;
      return out;
    }
    if (origin.kind != Origin::Kind::Argument || function.name != m_call.function ||
        origin.number >= m_call.arguments.size())
      return std::nullopt;
    const protocol::JobArgument& argument = m_call.arguments[origin.number];
    if (argument.kind != protocol::JobArgument::Kind::Tensor) return std::nullopt;
    out.source = NodeInput::Source::Argument;
    out.type = argument.tensor.type;
    out.shape = argument.tensor.shape;
    if (!argument.tensor.input.empty()) out.file = m_folder / argument.tensor.input;
    return out;
  }

  static void nameIt(NodeInput& input, const host::Signature* signature, std::size_t position) {
    input.name = "arg" + std::to_string(position);
    if (!signature) return;
    const host::Parameter& parameter = signature->parameters[position];
    if (!parameter.name.empty()) input.name = parameter.name;
    std::vector<int64_t> shape;
    for (const host::Dimension& extent : parameter.shape)
      if (extent.value) shape.push_back(*extent.value);
    const bool fixed = parameter.rankKnown && shape.size() == parameter.shape.size();
    if (fixed && protocol::dataBytes(input.type, shape) == protocol::dataBytes(input.type, input.shape))
      input.shape = std::move(shape);
  }

  const Program& m_program;
  const protocol::JobCall& m_call;
  const std::filesystem::path& m_folder;
  std::unordered_map<std::string, const host::Signature*> m_signatures;
  std::unordered_map<const ProgramFunction*, std::map<uint64_t, StepInputs>> m_steps;
};

} // namespace

void findInputs(RunReport& report, const PlannedRun& planned, const xref::Functions& functions,
                const std::filesystem::path& folder) {
  if (!planned.program) return;
  for (std::size_t i = 0; i < planned.calls.size() && i < report.functions.size(); ++i)
    if (const auto& call = planned.calls[i].call)
      InputFinder(*planned.program, planned.job.calls[*call], functions, folder).run(report.functions[i].nodes);
}

} // namespace blobscope::run
