#include "core/program/relax.h"

#include "core/base/json.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/modules/vm_executable/relax.h"
#include "core/modules/vm_executable/vm_executable.h"
#include "core/program/parameter_types.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace blobscope::program {
namespace {

using modules::relax::Executable;
using modules::relax::Function;
using protocol::ProgramCallee;
using protocol::ProgramConstant;
using protocol::ProgramFunction;
using protocol::ProgramOperand;
using protocol::ProgramStep;

/// Elements of constants begin at multiples of this.
constexpr uint64_t kAlignment = 64;
/// Words of instructions that functions may have beyond those of the executable.
constexpr uint64_t kSharedWords = 65'536;

Error refused(std::string reason) { return {DiagnosticId::RunProgram, {{"reason", std::move(reason)}}}; }

protocol::DataType typeOf(uint32_t stored) {
  return {static_cast<uint8_t>(stored), static_cast<uint8_t>(stored >> 8), static_cast<uint16_t>(stored >> 16)};
}

class Translator {
public:
  Translator(const library::Module& module, const Executable& executable, const xref::Functions& functions,
             Monitor& monitor, bool anyScope)
      : m_module(module), m_executable(executable), m_functions(functions), m_monitor(monitor), m_anyScope(anyScope) {
    for (const xref::HostFunction& host : functions.hosts)
      m_hosts.try_emplace(host.signature.function, &host.signature);
    for (const xref::Caller& caller : functions.callers)
      if (caller.ref.module == module.index && caller.kind.starts_with("VM"))
        m_stated.try_emplace(caller.name, &caller.signature);
  }

  Result<Model> run() {
    m_model.kind = "Relax VM";
    addCallees();
    BLOBSCOPE_CHECK(addConstants());
    for (const Function& function : m_executable.functions) {
      if (function.kind == Function::kPacked) continue;
      BLOBSCOPE_CHECK(addFunction(function));
    }
    BLOBSCOPE_CHECK(addEntries());
    readListedWeights();
    std::vector<const host::Signature*> hosts;
    hosts.reserve(m_model.program.callees.size());
    for (const ProgramCallee& callee : m_model.program.callees) {
      const auto found = callee.kind == ProgramCallee::Kind::Host ? m_hosts.find(callee.name) : m_hosts.end();
      hosts.push_back(found == m_hosts.end() ? nullptr : found->second);
    }
    BLOBSCOPE_CHECK(completeSignatures(m_model, hosts, m_monitor));
    completeCompiled();
    return std::move(m_model);
  }

private:
  /// One callee per function of the executable, with the same number; functions of the machine also get a number in the
  /// program.
  void addCallees() {
    uint32_t functions = 0;
    for (const Function& function : m_executable.functions) {
      ProgramCallee callee;
      callee.name = function.name.view();
      const bool isOwn = function.kind != Function::kPacked;
      callee.kind = isOwn                           ? ProgramCallee::Kind::Function
                    : m_hosts.contains(callee.name) ? ProgramCallee::Kind::Host
                                                    : ProgramCallee::Kind::Builtin;
      if (isOwn) callee.function = functions++;
      m_model.program.callees.push_back(std::move(callee));
    }
  }

  Result<Done> addConstants() {
    using Kind = modules::relax::ConstantKind;
    for (const modules::relax::Scope& scope : m_executable.scopes)
      if (!m_anyScope && !scope.name.view().empty() && scope.name.view() != "global")
        return refused("constant " + std::to_string(scope.constant) + " is in memory of the scope '" +
                       escapedWithin(scope.name.view(), 60) + "'");
    uint64_t offset = 0;
    for (std::size_t i = 0; i < m_executable.constants.size(); ++i) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const modules::relax::Constant& stored = m_executable.constants[i];
      ProgramConstant constant;
      switch (stored.kind) {
      case Kind::Tensor: {
        constant.kind = ProgramConstant::Kind::Tensor;
        constant.type = typeOf(stored.tensor->dtype);
        constant.shape = stored.tensor->shape;
        const auto bytes = protocol::dataBytes(constant.type, constant.shape);
        if (!bytes || *bytes != stored.tensor->data.size())
          return refused("constant " + std::to_string(i) + " has another number of bytes than its shape and type");
        constant.offset = offset;
        m_model.tensors.emplace_back(static_cast<uint32_t>(i), stored.tensor->data);
        uint64_t end = 0;
        if (__builtin_add_overflow(offset, *bytes, &end) || end > std::numeric_limits<uint64_t>::max() / 2)
          return refused("its constants are too large");
        offset = (end + kAlignment - 1) / kAlignment * kAlignment;
        break;
      }
      case Kind::DataType:
        constant.kind = ProgramConstant::Kind::Type;
        constant.type = typeOf(stored.dtype);
        break;
      case Kind::Shape:
        constant.kind = ProgramConstant::Kind::Shape;
        constant.shape.resize(stored.content.size() / sizeof(int64_t));
        if (!constant.shape.empty()) // of a scalar: nothing to copy, and no address to copy it to
          std::memcpy(constant.shape.data(), stored.content.data(), constant.shape.size() * sizeof(int64_t));
        break;
      case Kind::String:
        constant.kind = ProgramConstant::Kind::Text;
        constant.text = stored.content.view();
        break;
      case Kind::Integer:
        constant.kind = ProgramConstant::Kind::Integer;
        constant.integer = stored.integer;
        break;
      case Kind::Float:
        constant.kind = ProgramConstant::Kind::Float;
        constant.integer = std::bit_cast<int64_t>(stored.number);
        break;
      case Kind::Unknown: return refused("constant " + std::to_string(i) + " is of an unknown kind");
      }
      m_model.program.constants.push_back(std::move(constant));
    }
    return Done{};
  }

  Result<Done> addFunction(const Function& function) {
    ProgramFunction out;
    out.name = function.name.view();
    const auto wrong = [&](const std::string& what) {
      return refused("function '" + escapedWithin(out.name, 100) + "': " + what);
    };
    // Real models have some thousand.
    constexpr int64_t kRegisters = 1'048'576, kParameters = 65'536;
    if (function.registers < 0 || function.registers > kRegisters || function.argumentCount < 0 ||
        function.argumentCount > kParameters ||
        (function.kind == Function::kVm && function.argumentCount > function.registers))
      return wrong("its number of registers or arguments is wrong");
    m_parameters += static_cast<uint64_t>(function.argumentCount);
    if (m_parameters > limits::kListItems) return refused("its functions have too many parameters");
    out.registers = static_cast<uint32_t>(std::max(function.registers, function.argumentCount));
    out.parameters = static_cast<uint32_t>(function.argumentCount);
    if (function.kind == Function::kVmTir) {
      out.compiled = "__vmtir__" + out.name;
      m_model.program.functions.push_back(std::move(out));
      return Done{};
    }
    const auto count = static_cast<int64_t>(m_executable.instructionCount());
    if (function.start < 0 || function.end < function.start || function.end > count)
      return wrong("its instructions are outside of the bytecode");
    const int64_t size = function.end - function.start;
    // No compiler makes functions that share instructions, so all of them together have at most the executable's.
    const uint64_t most = m_executable.words.size() / sizeof(int64_t) + kSharedWords;
    for (int64_t i = 0; i < size; ++i) {
      if (m_words % 1024 < 4 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      BLOBSCOPE_TRY(step, stepOf(static_cast<uint64_t>(function.start + i), out, i, size));
      m_words += 4 + step.arguments.size();
      if (m_words > most) return refused("its functions share too many instructions");
      out.steps.push_back(std::move(step));
    }
    if (out.steps.empty() ||
        (out.steps.back().op != ProgramStep::Op::Return && out.steps.back().op != ProgramStep::Op::Jump))
      return wrong("it has no end");
    dropUnusedRegisters(out);
    m_model.program.functions.push_back(std::move(out));
    return Done{};
  }

  /// Renumbers registers when most of them are named by no instruction: each call has all registers of the function, so
  /// a few bytes could ask for gigabytes. Compilers number the registers that they use.
  static void dropUnusedRegisters(ProgramFunction& function) {
    uint64_t named = function.parameters;
    for (const ProgramStep& step : function.steps) named += 1 + step.arguments.size();
    if (function.registers <= 2 * named + 64) return;
    std::vector<int64_t> used;
    const auto visit = [&](auto&& change) {
      for (ProgramStep& step : function.steps) {
        if (step.op != ProgramStep::Op::Jump && step.target >= 0) change(step.target);
        for (ProgramOperand& operand : step.arguments)
          if (operand.kind == ProgramOperand::Kind::Register) change(operand.value);
      }
    };
    for (uint32_t i = 0; i < function.parameters; ++i) used.push_back(i);
    visit([&](int64_t& number) { used.push_back(number); });
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    visit([&](int64_t& number) { number = std::ranges::lower_bound(used, number) - used.begin(); });
    function.registers = static_cast<uint32_t>(used.size());
  }

  Result<ProgramStep> stepOf(uint64_t number, const ProgramFunction& function, int64_t at, int64_t size) const {
    using Op = modules::relax::Instruction::Op;
    const modules::relax::Instruction instruction = modules::relax::instructionAt(m_executable, number);
    const auto wrong = [&](const std::string& what) {
      return refused("instruction " + std::to_string(number) + ": " + what);
    };
    const auto isRegister = [&](int64_t value) {
      return value >= 0 && value < static_cast<int64_t>(function.registers);
    };
    const auto isTarget = [&](int64_t offset) {
      int64_t to = 0;
      return !__builtin_add_overflow(at, offset, &to) && to >= 0 && to < size;
    };
    ProgramStep step;
    switch (instruction.op) {
    case Op::Ret:
      step.op = ProgramStep::Op::Return;
      step.target = instruction.result;
      break;
    case Op::Goto:
      step.op = ProgramStep::Op::Jump;
      step.offset = instruction.offset;
      if (!isTarget(step.offset)) return wrong("it jumps out of its function");
      return step;
    case Op::If:
      step.op = ProgramStep::Op::Branch;
      step.target = instruction.result;
      step.offset = instruction.offset;
      if (!isTarget(step.offset)) return wrong("it jumps out of its function");
      break;
    case Op::Call:
      step.op = ProgramStep::Op::Call;
      step.target = instruction.result == modules::relax::kVoidRegister ? ProgramStep::kNoRegister : instruction.result;
      if (instruction.function < 0 || static_cast<uint64_t>(instruction.function) >= m_model.program.callees.size())
        return wrong("there is no function " + std::to_string(instruction.function));
      step.callee = static_cast<uint32_t>(instruction.function);
      for (uint64_t i = 0; i < instruction.arguments.size() / sizeof(int64_t); ++i) {
        int64_t word = 0;
        std::memcpy(&word, instruction.arguments.data() + i * sizeof word, sizeof word);
        BLOBSCOPE_TRY(operand, operandOf(word, number, function));
        step.arguments.push_back(operand);
      }
      break;
    }
    const bool hasNoTarget = step.op == ProgramStep::Op::Call && step.target == ProgramStep::kNoRegister;
    if (!hasNoTarget && !isRegister(step.target)) return wrong("there is no register " + std::to_string(step.target));
    return step;
  }

  Result<ProgramOperand> operandOf(int64_t word, uint64_t number, const ProgramFunction& function) const {
    using Kind = modules::relax::Argument::Kind;
    const modules::relax::Argument argument = modules::relax::argumentOf(word);
    const auto wrong = [&] { return refused("instruction " + std::to_string(number) + ": an argument names nothing"); };
    switch (argument.kind) {
    case Kind::Register:
      if (argument.value == modules::relax::kVmRegister || argument.value == modules::relax::kVoidRegister)
        return ProgramOperand{ProgramOperand::Kind::None, 0};
      if (argument.value < 0 || argument.value >= static_cast<int64_t>(function.registers)) return wrong();
      return ProgramOperand{ProgramOperand::Kind::Register, argument.value};
    case Kind::Immediate: return ProgramOperand{ProgramOperand::Kind::Integer, argument.value};
    case Kind::Constant:
      if (argument.value < 0 || static_cast<uint64_t>(argument.value) >= m_model.program.constants.size())
        return wrong();
      return ProgramOperand{ProgramOperand::Kind::Constant, argument.value};
    case Kind::Function: {
      if (argument.value < 0 || static_cast<uint64_t>(argument.value) >= m_model.program.callees.size()) return wrong();
      const ProgramCallee& callee = m_model.program.callees[static_cast<std::size_t>(argument.value)];
      if (callee.kind == ProgramCallee::Kind::Function)
        return ProgramOperand{ProgramOperand::Kind::Function, callee.function};
      return ProgramOperand{ProgramOperand::Kind::Callee, argument.value};
    }
    case Kind::Unknown: break;
    }
    return wrong();
  }

  Result<Done> addEntries() {
    for (uint32_t i = 0; i < m_model.program.functions.size(); ++i) {
      if (i % 1024 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      Entry entry;
      entry.name = m_model.program.functions[i].name;
      entry.function = i;
      entry.signature = signatureOf(entry.name, m_model.program.functions[i].parameters, entry.namesKnown);
      m_model.entries.push_back(std::move(entry));
    }
    const auto main = std::ranges::find(m_model.entries, "main", &Entry::name);
    if (main != m_model.entries.end()) std::rotate(m_model.entries.begin(), main, main + 1);
    return Done{};
  }

  /// `namesKnown`: whether the executable names all parameters.
  host::Signature signatureOf(const std::string& name, uint32_t parameters, bool& namesKnown) const {
    host::Signature out;
    if (const auto stated = m_stated.find(name); stated != m_stated.end()) out = *stated->second;
    out.function = name;
    out.parameters.resize(parameters);
    for (std::size_t i = 0; i < out.parameters.size(); ++i) {
      host::Parameter& parameter = out.parameters[i];
      if (parameter.name.empty()) {
        parameter.name = "arg" + std::to_string(i);
        namesKnown = false;
      }
      // Bytecode that checks a type always names it.
      if (parameter.kind == host::Parameter::Kind::Tensor && parameter.dtype.empty())
        parameter.kind = host::Parameter::Kind::Unknown;
    }
    return out;
  }

  /// The code of a compiled function has no registers to follow, but host functions name their parameters like the
  /// model. A parameter gets the type that all host functions with a parameter of its name agree on.
  void completeCompiled() {
    struct Stated {
      const host::Parameter* parameter;
      const host::Signature* by;
      std::string text;
      bool agree = true;
    };
    std::unordered_map<std::string_view, Stated> byName;
    for (const auto& [name, signature] : m_hosts)
      for (const host::Parameter& parameter : signature->parameters) {
        if (parameter.kind != host::Parameter::Kind::Tensor || !parameter.complete()) continue;
        const auto [at, added] = byName.try_emplace(parameter.name, Stated{&parameter, signature, parameter.text()});
        if (!added && at->second.agree)
          at->second.agree = parameter.dtype == at->second.parameter->dtype && parameter.text() == at->second.text;
      }
    for (Entry& entry : m_model.entries) {
      if (m_model.program.functions[entry.function].compiled.empty()) continue;
      for (std::size_t i = 0; i < entry.signature.parameters.size(); ++i) {
        host::Parameter& parameter = entry.signature.parameters[i];
        const auto found = byName.find(parameter.name);
        if (parameter.kind != host::Parameter::Kind::Unknown || found == byName.end()) continue;
        if (!found->second.agree) continue;
        const std::string name = parameter.name;
        parameter = *found->second.parameter;
        parameter.name = name;
        if (i < entry.uses.size()) entry.uses[i].statedBy = found->second.by->function;
        if (entry.signature.source == host::Signature::Source::None)
          entry.signature.source = host::Signature::Source::Bytecode;
      }
      entry.signature.collectVariables();
    }
  }

  /// Reads the list of weights in the text that MLC-LLM stores about a model.
  void readListedWeights() {
    constexpr std::size_t kLongest = 16 << 20; // the largest text seen has 60 KB
    for (const ProgramConstant& constant : m_model.program.constants) {
      if (constant.kind != ProgramConstant::Kind::Text || !constant.text.starts_with('{') ||
          constant.text.size() > kLongest || constant.text.find("\"params\"") == std::string::npos)
        continue;
      const auto parsed = json::parse(Bytes::copyOf(constant.text));
      const json::Value* const list = parsed ? parsed->find("params") : nullptr;
      if (!list || !list->isArray() || list->items().empty()) continue;
      std::vector<Model::Weight> weights;
      for (const json::Value& item : list->items()) {
        const json::Value *const name = item.find("name"), *const dtype = item.find("dtype"),
                                 *const shape = item.find("shape");
        if (!name || !name->isString()) break;
        Model::Weight& weight = weights.emplace_back();
        weight.name = name->text();
        if (dtype) weight.dtype = dtype->text();
        if (!shape || !shape->isArray()) continue;
        weight.shape.emplace();
        for (const json::Value& extent : shape->items()) {
          if (extent.type() != json::Value::Type::Unsigned || extent.number() > INT64_MAX) {
            weight.shape.reset(); // a name, or -1
            break;
          }
          weight.shape->push_back(static_cast<int64_t>(extent.number()));
        }
      }
      if (weights.size() == list->items().size()) m_model.listedWeights = std::move(weights);
    }
  }

  const library::Module& m_module;
  const Executable& m_executable;
  const xref::Functions& m_functions;
  Monitor& m_monitor;
  const bool m_anyScope;
  std::map<std::string, const host::Signature*, std::less<>> m_hosts;    ///< host functions by name
  std::unordered_map<std::string_view, const host::Signature*> m_stated; ///< functions of the machine by name
  uint64_t m_words = 0;                                                  ///< of all instructions of all functions
  uint64_t m_parameters = 0;                                             ///< of all functions
  Model m_model;
};

} // namespace

Result<Model> relaxModel(const library::Module& module, const xref::Functions& functions, Monitor& monitor,
                         bool anyScope) {
  const Executable* const executable = modules::relaxExecutableOf(*module.body);
  if (!executable) return refused("its bytecode cannot be read");
  return Translator(module, *executable, functions, monitor, anyScope).run();
}

} // namespace blobscope::program
