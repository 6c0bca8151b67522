#include "core/program/relay.h"

#include "core/base/extent.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/modules/vm_executable/relay.h"
#include "core/modules/vm_executable/vm_executable.h"
#include "core/program/parameter_types.h"

#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace blobscope::program {
namespace {

using modules::relay::Constant;
using modules::relay::Executable;
using modules::relay::Function;
using protocol::DataType;
using protocol::ProgramCallee;
using protocol::ProgramConstant;
using protocol::ProgramFunction;
using protocol::ProgramOperand;
using protocol::ProgramStep;

/// Devices of the interpreter.
constexpr int64_t kMainDevice = 0, kHost = 1;
constexpr int64_t kCpu = 1; ///< DLPack's kDLCPU
/// Elements of constants begin at multiples of this.
constexpr uint64_t kAlignment = 64;
constexpr std::size_t kNameBytes = 60;

/// Source: apache/tvm v0.18.0 include/tvm/runtime/vm/bytecode.h, enum class Opcode.
enum Opcode : int64_t {
  kMove = 0,
  kRet = 1,
  kInvoke = 2,
  kInvokeClosure = 3,
  kInvokePacked = 4,
  kAllocTensor = 5,
  kAllocTensorReg = 6,
  kAllocADT = 7,
  kAllocClosure = 8,
  kGetField = 9,
  kIf = 10,
  kLoadConst = 11,
  kGoto = 12,
  kGetTag = 13,
  kLoadConsti = 14,
  kFatal = 15,
  kAllocStorage = 16,
  kShapeOf = 17,
  kReshapeTensor = 18,
  kDeviceCopy = 19,
  kKillRegister = 20
};

/// Word `index` of a list; 0 after its end.
int64_t wordAt(const Bytes& words, uint64_t index) {
  int64_t word = 0;
  if (index < words.size() / 8) std::memcpy(&word, words.data() + 8 * index, sizeof word);
  return word;
}

/// An instruction without its hash.
class Instruction {
public:
  explicit Instruction(const Bytes& words) : m_words(words) {}

  int64_t opcode() const { return wordAt(m_words, 1); }
  int64_t field(uint64_t index) const { return wordAt(m_words, 2 + index); }
  /// The fields from `first` to the last one.
  std::vector<int64_t> fieldsFrom(uint64_t first) const {
    std::vector<int64_t> out;
    for (uint64_t i = first + 2; i < m_words.size() / 8; ++i) out.push_back(wordAt(m_words, i));
    return out;
  }
  /// In words, with hash and opcode.
  uint64_t size() const { return m_words.size() / 8; }

private:
  const Bytes& m_words;
};

/// Looks at the monitor every 4,096 items.
class Poll {
public:
  explicit Poll(Monitor& monitor) : m_monitor(monitor) {}

  /// `items`: how many were done since the last call. Error: only Cancelled.
  Result<Done> step(uint64_t items) {
    m_items += items;
    if (m_items < 4'096) return Done{};
    m_items = 0;
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    m_monitor.progress("translating bytecode", 0, 0);
    return Done{};
  }

private:
  Monitor& m_monitor;
  uint64_t m_items = 0;
};

std::string inQuotes(std::string_view name) { return "'" + escapedWithin(name, kNameBytes) + "'"; }

bool inRange(int64_t value, std::size_t count) { return value >= 0 && static_cast<uint64_t>(value) < count; }

/// The host functions of a library by the names under which the bytecode calls them.
class HostFunctions {
public:
  HostFunctions(const library::PackagePtr& package, const library::Module& module, const xref::Functions& functions) {
    std::vector<std::string> members;
    library::forEachPackage(package, [&](const library::PackagePtr& inner) {
      for (const auto& blob : inner->blobs)
        for (const library::ModulePtr& candidate : blob->modules)
          if (candidate.get() == &module) {
            members = blob->memberPath;
            m_prefix = blob->carrier.prefix;
          }
    });
    // Functions in the same member have priority, as in xref::computeFunctions().
    for (const bool own : {true, false})
      for (const xref::HostFunction& function : functions.hosts)
        if (own == (function.ref.members == members)) m_byName.try_emplace(function.signature.function, &function);
  }

  /// Finds the function as the runtime does; in a system library, also with its prefix.
  const host::Signature* find(std::string_view name) const {
    auto found = m_byName.find(std::string(name));
    if (found == m_byName.end() && !m_prefix.empty()) found = m_byName.find(m_prefix + std::string(name));
    return found == m_byName.end() ? nullptr : &found->second->signature;
  }
  /// Finds the function with that symbol.
  const host::Signature* findExact(const std::string& name) const {
    const auto found = m_byName.find(name);
    return found == m_byName.end() ? nullptr : &found->second->signature;
  }

private:
  std::string m_prefix;
  std::unordered_map<std::string, const xref::HostFunction*> m_byName;
};

/// Translates one executable. Problems are collected in m_problem, only the first one; the loops look at it.
class Translator {
public:
  Translator(const Executable& vm, const HostFunctions& hosts, const Parameters* params, Monitor& monitor)
      : m_vm(vm), m_hosts(hosts), m_params(params), m_monitor(monitor), m_poll(monitor) {}

  Result<Model> translate() {
    // A module payload exists since generation 2 (core/formats/vm-executables.md 2.1).
    if (m_vm.generation < 2)
      return unsupported("its bytecode is from TVM v0.6 or v0.7; only that of v0.8 and later is supported");
    m_out.kind = "Relay VM";
    BLOBSCOPE_CHECK(addFunctions());
    BLOBSCOPE_CHECK(addConstants());
    for (const Bytes& name : m_vm.primitives) m_primitives.push_back(m_hosts.find(name.view()));
    for (std::size_t f = 0; f < m_vm.functions.size(); ++f) BLOBSCOPE_CHECK(addSteps(f));
    BLOBSCOPE_CHECK(addEntries());
    return std::move(m_out);
  }

private:
  static Error unsupported(std::string reason) {
    return Error(DiagnosticId::RunProgram, {{"reason", std::move(reason)}});
  }
  void fail(std::string problem) {
    if (m_problem.empty()) m_problem = std::move(problem);
  }

  // --- Functions and constants. ---

  /// Adds the functions without their steps, in stored order. Instructions name functions by their number in the list
  /// of globals. Source: apache/tvm v0.18.0 src/runtime/vm/executable.cc, Executable::LoadCodeSection.
  Result<Done> addFunctions() {
    std::unordered_map<std::string_view, std::size_t> numbers;
    for (std::size_t i = 0; i < m_vm.globals.size(); ++i) {
      BLOBSCOPE_CHECK(m_poll.step(1));
      if (!numbers.emplace(m_vm.globals[i].view(), i).second)
        return unsupported("two functions have the name " + inQuotes(m_vm.globals[i].view()));
    }
    m_functionOf.resize(m_vm.globals.size());
    for (std::size_t i = 0; i < m_vm.functions.size(); ++i) {
      BLOBSCOPE_CHECK(m_poll.step(1));
      const Function& stored = m_vm.functions[i];
      const std::string_view name = stored.name().view();
      const auto number = numbers.find(name);
      if (number == numbers.end())
        return unsupported("function " + inQuotes(name) + " is not in the list of functions");
      if (m_functionOf[number->second]) return unsupported("two functions have the name " + inQuotes(name));
      m_functionOf[number->second] = static_cast<uint32_t>(i);
      const uint64_t registers = stored.headNumber(1);
      if (registers > limits::kListItems)
        return unsupported("function " + inQuotes(name) + " has " + groupedText(registers) +
                           " registers; the limit is " + groupedText(limits::kListItems));
      if (registers < stored.parameters.size())
        return unsupported("function " + inQuotes(name) + " has " + countText(stored.parameters.size(), "parameter") +
                           ", but only " + countText(registers, "register"));
      ProgramFunction& made = m_out.program.functions.emplace_back();
      made.name = name;
      made.registers = static_cast<uint32_t>(registers);
      made.parameters = static_cast<uint32_t>(stored.parameters.size());
    }
    return Done{};
  }

  Result<Done> addConstants() {
    uint64_t offset = 0;
    for (std::size_t i = 0; i < m_vm.constants.size(); ++i) {
      BLOBSCOPE_CHECK(m_poll.step(1));
      const Constant& stored = m_vm.constants[i];
      payloads::Tensor tensor = stored.tensor;
      // apache/tvm v0.18.0 src/runtime/vm/vm.cc, VirtualMachine::LoadExecutable: "Need to load late-bound-constants
      // before creating VM".
      if (stored.late == 1) {
        const Parameters::Item* const found = findParameter(stored.name.view());
        if (!found)
          return unsupported("the library does not contain constant " + std::to_string(i) + ", " +
                             inQuotes(stored.name.view()) + ": it is loaded from a separate file" +
                             (m_params ? ", and the file of parameters has no tensor of that name"
                                       : "; name that file as the parameters of the model"));
        m_out.values.push_back(found->name);
        tensor.dtype = found->type.code | uint32_t{found->type.bits} << 8 | uint32_t{found->type.lanes} << 16;
        tensor.shape = found->shape;
        tensor.data = found->data;
      }
      ProgramConstant& made = m_out.program.constants.emplace_back();
      made.kind = ProgramConstant::Kind::Tensor;
      // Types keep the numbering of the library: its host functions compare with it.
      made.type = typeOf(tensor.dtype & 0xff, tensor.dtype >> 8 & 0xff, tensor.dtype >> 16);
      made.shape = tensor.shape;
      const auto size = protocol::dataBytes(made.type, made.shape);
      if (!size || *size != tensor.data.size())
        fail("it has " + sizeText(tensor.data.size()) + ", which does not fit its type " + tensor.typeText() +
             tensor.shapeText());
      if (i >= m_vm.constantDevices.size() / 8)
        fail("it has no device");
      else
        made.onHost = deviceOf(wordAt(m_vm.constantDevices, i)) == kHost;
      made.offset = offset;
      if (!m_problem.empty()) return unsupported("constant " + std::to_string(i) + ": " + m_problem);
      const auto end = checkedAdd(offset, *size);
      const auto padded = end ? checkedAdd(*end, kAlignment - 1) : std::nullopt;
      if (!padded) return unsupported("its constants are too large");
      offset = *padded / kAlignment * kAlignment;
      m_out.tensors.emplace_back(static_cast<uint32_t>(i), std::move(tensor.data));
    }
    return Done{};
  }

  const Parameters::Item* findParameter(std::string_view name) {
    if (m_params && m_paramsByName.empty())
      for (const Parameters::Item& item : m_params->items) m_paramsByName.try_emplace(item.name, &item);
    const auto found = m_paramsByName.find(name);
    return found == m_paramsByName.end() ? nullptr : found->second;
  }

  uint32_t constant(ProgramConstant made) {
    // Only shapes and types come here.
    const auto key = std::tuple(made.kind, made.type.code, made.type.bits, made.type.lanes, made.shape);
    const auto [entry, isNew] = m_constants.try_emplace(key, static_cast<uint32_t>(m_out.program.constants.size()));
    if (isNew) m_out.program.constants.push_back(std::move(made));
    return entry->second;
  }

  // --- Checked numbers. ---

  /// 0 for the main device, 1 for the host. `number` is a device type in generation 2, and an index of a virtual device
  /// later. Source: apache/tvm v0.8.0, v0.18.0 src/runtime/vm/vm.cc, VirtualMachine::GetDevice, Init: a device is found
  /// by its type.
  int64_t deviceOf(int64_t number) {
    int64_t type = number;
    if (m_vm.generation >= 3) {
      if (!inRange(number, m_vm.devices.size())) {
        fail("device " + std::to_string(number) + " does not exist");
        return kMainDevice;
      }
      const auto& device = m_vm.devices[static_cast<std::size_t>(number)];
      type = device.type;
      const std::string_view scope = device.memoryScope.view();
      if (!scope.empty() && scope != "global")
        fail("it uses memory of scope " + inQuotes(scope) + "; only 'global' is supported");
    }
    if (type <= 0 || type > std::numeric_limits<int>::max()) {
      fail("a device has the type " + std::to_string(type) + ", which does not exist");
      return kMainDevice;
    }
    if (type == kCpu) return kHost;
    if (m_mainDevice && *m_mainDevice != type)
      fail("it uses devices of two types, " + host::deviceTypeName(static_cast<int>(*m_mainDevice)) + " and " +
           host::deviceTypeName(static_cast<int>(type)) + "; only one besides the host is supported");
    m_mainDevice = type;
    return kMainDevice;
  }

  DataType typeOf(int64_t code, int64_t bits, int64_t lanes) {
    if (!inRange(code, 256) || bits <= 0 || bits > 255 || lanes <= 0 || lanes > 65'535) {
      fail("a data type has the numbers " + std::to_string(code) + ", " + std::to_string(bits) + ", " +
           std::to_string(lanes) + ", which are not valid");
      return {};
    }
    return {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
  }

  int64_t reg(int64_t number) {
    if (!inRange(number, m_registers)) fail("register " + std::to_string(number) + " does not exist");
    return number;
  }
  ProgramOperand registerOperand(int64_t number) { return {ProgramOperand::Kind::Register, reg(number)}; }
  static ProgramOperand integer(int64_t value) { return {ProgramOperand::Kind::Integer, value}; }
  static ProgramOperand constantOperand(uint32_t number) { return {ProgramOperand::Kind::Constant, number}; }
  void addRegisters(std::vector<ProgramOperand>& out, const Instruction& from, uint64_t first) {
    for (const int64_t number : from.fieldsFrom(first)) out.push_back(registerOperand(number));
  }

  /// Index of the function with this number; 0 and a problem when there is none.
  uint32_t functionOf(int64_t number) {
    if (inRange(number, m_functionOf.size()))
      if (const auto index = m_functionOf[static_cast<std::size_t>(number)]) return *index;
    fail("function " + std::to_string(number) + " does not exist");
    return 0;
  }

  // --- Steps. ---

  uint32_t callee(ProgramCallee made) {
    const auto key = std::tuple(made.kind, made.name, made.function);
    const auto [entry, isNew] = m_callees.try_emplace(key, static_cast<uint32_t>(m_out.program.callees.size()));
    if (isNew) m_out.program.callees.push_back(std::move(made));
    return entry->second;
  }
  ProgramStep& call(ProgramCallee made, std::vector<ProgramOperand> arguments, int64_t target) {
    ProgramStep& added = m_steps->emplace_back();
    added.op = ProgramStep::Op::Call;
    added.target = target;
    added.callee = callee(std::move(made));
    added.arguments = std::move(arguments);
    return added;
  }
  void builtin(const char* name, std::vector<ProgramOperand> arguments, int64_t target = ProgramStep::kNoRegister) {
    call({ProgramCallee::Kind::Builtin, name, 0}, std::move(arguments), target);
  }
  void addStep(ProgramStep::Op op, int64_t target, int64_t offset = 0) {
    ProgramStep& added = m_steps->emplace_back();
    added.op = op;
    added.target = target;
    added.offset = offset;
  }

  /// How many steps an instruction becomes.
  static uint64_t stepCount(const Instruction& instruction) {
    if (instruction.opcode() != kIf) return 1;
    return instruction.field(2) == 1 ? 2 : 3; // the test, the branch, and a jump when the next instruction is not meant
  }

  Result<Done> addSteps(std::size_t number) {
    const Function& function = m_vm.functions[number];
    ProgramFunction& made = m_out.program.functions[number];
    const std::string place = "function " + inQuotes(function.name().view());
    const std::vector<Bytes>& code = function.instructions;
    if (code.empty()) return unsupported(place + " has no instructions");
    m_registers = made.registers;
    m_steps = &made.steps;

    // --- 1. The first step of each instruction. ---
    m_starts.assign(1, 0);
    bool needsRegister = false;
    for (const Bytes& words : code) {
      BLOBSCOPE_CHECK(m_poll.step(1));
      const Instruction instruction(words);
      m_starts.push_back(m_starts.back() + static_cast<int64_t>(stepCount(instruction)));
      needsRegister = needsRegister || instruction.opcode() == kIf;
    }
    const int64_t last = Instruction(code.back()).opcode();
    if (last != kRet && last != kGoto && last != kIf && last != kFatal)
      return unsupported(place + " does not end with a return");
    if (needsRegister || last == kFatal) ++made.registers;

    // --- 2. The steps. ---
    for (std::size_t i = 0; i < code.size(); ++i) {
      const Instruction instruction(code[i]);
      BLOBSCOPE_CHECK(m_poll.step(instruction.size()));
      addInstruction(i, instruction);
      if (!m_problem.empty()) return unsupported(place + ", instruction " + std::to_string(i) + ": " + m_problem);
    }
    // Never reached: a program may not end with a call.
    if (last == kFatal) addStep(ProgramStep::Op::Return, m_registers);
    return Done{};
  }

  /// Offset from step `from` to the first step of the instruction that instruction `at` jumps to.
  int64_t jump(std::size_t at, int64_t offset, int64_t from) {
    int64_t to = 0;
    if (__builtin_add_overflow(static_cast<int64_t>(at), offset, &to) || !inRange(to, m_starts.size() - 1))
      fail("it jumps by " + std::to_string(offset) + ", out of the function");
    else if (offset == 0)
      fail("it jumps to itself");
    return m_problem.empty() ? m_starts[static_cast<std::size_t>(to)] - from : 0;
  }

  void addInstruction(std::size_t at, const Instruction& instruction) {
    const auto field = [&](uint64_t index) { return instruction.field(index); };
    const int64_t start = m_starts[at];
    switch (instruction.opcode()) {
    case kMove: builtin("move", {registerOperand(field(0))}, reg(field(1))); break;
    case kRet: addStep(ProgramStep::Op::Return, reg(field(0))); break;
    case kInvoke: addInvoke(instruction); break;
    case kInvokeClosure: {
      std::vector<ProgramOperand> arguments = {registerOperand(field(0))};
      addRegisters(arguments, instruction, 3);
      builtin("closure.call", std::move(arguments), reg(field(2)));
      break;
    }
    case kInvokePacked: addInvokePacked(instruction); break;
    case kAllocTensor: {
      const DataType type = typeOf(field(2), field(3), field(4));
      std::vector<int64_t> shape = instruction.fieldsFrom(7);
      if (!protocol::dataBytes(type, shape)) fail("the shape of the tensor is not valid");
      builtin("tensor.make",
              {registerOperand(field(0)), registerOperand(field(1)), shapeOperand(std::move(shape)), typeOperand(type)},
              reg(field(6)));
      break;
    }
    case kAllocTensorReg:
      builtin("tensor.make",
              {registerOperand(field(0)), registerOperand(field(1)), registerOperand(field(2)),
               typeOperand(typeOf(field(3), field(4), field(5)))},
              reg(field(6)));
      break;
    case kAllocADT: {
      std::vector<ProgramOperand> arguments = {integer(field(0))};
      addRegisters(arguments, instruction, 3);
      builtin("tuple.make", std::move(arguments), reg(field(2)));
      break;
    }
    case kAllocClosure: addAllocClosure(instruction); break;
    case kGetField:
      if (field(1) < 0) fail("item " + std::to_string(field(1)) + " of a tuple does not exist");
      builtin("tuple.get", {registerOperand(field(0)), integer(field(1))}, reg(field(2)));
      break;
    case kIf:
      builtin("equal", {registerOperand(field(0)), registerOperand(field(1))}, m_registers);
      addStep(ProgramStep::Op::Branch, m_registers, jump(at, field(3), start + 1));
      if (field(2) != 1)
        addStep(ProgramStep::Op::Jump, ProgramStep::kNoRegister, jump(at, field(2), start + 2));
      else
        jump(at, 1, start); // the next instruction must exist
      break;
    case kLoadConst:
      // The device field of generation 4 is not used: a constant has one device. Source: apache/tvm v0.14.0
      // src/runtime/vm/vm.cc, Opcode::LoadConst, const_device_indexes.
      if (!inRange(field(0), m_vm.constants.size())) fail("constant " + std::to_string(field(0)) + " does not exist");
      builtin("move", {{ProgramOperand::Kind::Constant, field(0)}}, reg(field(m_vm.generation >= 4 ? 2 : 1)));
      break;
    case kGoto: addStep(ProgramStep::Op::Jump, ProgramStep::kNoRegister, jump(at, field(0), start)); break;
    case kGetTag: builtin("tuple.tag", {registerOperand(field(0))}, reg(field(1))); break;
    case kLoadConsti: builtin("move", {integer(field(0))}, reg(field(1))); break;
    case kFatal: builtin("fatal", {}); break;
    case kAllocStorage: addAllocStorage(instruction); break;
    case kShapeOf: builtin("tensor.shape", {registerOperand(field(0))}, reg(field(1))); break;
    case kReshapeTensor:
      builtin("tensor.reshape", {registerOperand(field(0)), registerOperand(field(1))}, reg(field(2)));
      break;
    case kDeviceCopy:
      deviceOf(field(1));
      builtin("tensor.copy", {registerOperand(field(0)), integer(deviceOf(field(2)))}, reg(field(3)));
      break;
    case kKillRegister: builtin("move", {{ProgramOperand::Kind::None, 0}}, reg(field(0))); break;
    default: fail("opcode " + std::to_string(instruction.opcode()) + " is not known");
    }
  }

  ProgramOperand shapeOperand(std::vector<int64_t> shape) {
    ProgramConstant made;
    made.kind = ProgramConstant::Kind::Shape;
    made.shape = std::move(shape);
    return constantOperand(constant(std::move(made)));
  }
  ProgramOperand typeOperand(DataType type) {
    ProgramConstant made;
    made.kind = ProgramConstant::Kind::Type;
    made.type = type;
    return constantOperand(constant(std::move(made)));
  }

  void addInvoke(const Instruction& instruction) {
    const uint32_t function = functionOf(instruction.field(0));
    std::vector<ProgramOperand> arguments;
    addRegisters(arguments, instruction, 3);
    if (!m_problem.empty()) return;
    const ProgramFunction& called = m_out.program.functions[function];
    if (arguments.size() != called.parameters)
      fail("it passes " + countText(arguments.size(), "argument") + " to " + inQuotes(called.name) + ", which has " +
           countText(called.parameters, "parameter"));
    call({ProgramCallee::Kind::Function, {}, function}, std::move(arguments), reg(instruction.field(2)));
  }

  void addInvokePacked(const Instruction& instruction) {
    const int64_t number = instruction.field(0), outputs = instruction.field(2);
    std::vector<ProgramOperand> arguments;
    addRegisters(arguments, instruction, 3);
    if (!inRange(number, m_vm.primitives.size()))
      return fail("primitive " + std::to_string(number) + " does not exist");
    if (!inRange(outputs, arguments.size() + 1) || outputs > std::numeric_limits<uint32_t>::max())
      return fail("the number of its outputs is " + std::to_string(outputs) + ", but it has " +
                  countText(arguments.size(), "argument"));
    const auto index = static_cast<std::size_t>(number);
    const host::Signature* const found = m_primitives[index];
    // A function of an external code generator is not in the host code.
    std::string name = found ? found->function : std::string(m_vm.primitives[index].view());
    call({ProgramCallee::Kind::Host, std::move(name), 0}, std::move(arguments), ProgramStep::kNoRegister).outputs =
        static_cast<uint32_t>(outputs);
  }

  /// The parameters of a closure's function are the captured values, then the arguments of the call. Source: apache/tvm
  /// v0.18.0 src/runtime/vm/vm.cc, Opcode::InvokeClosure.
  void addAllocClosure(const Instruction& instruction) {
    const uint32_t function = functionOf(instruction.field(0));
    std::vector<ProgramOperand> arguments = {{ProgramOperand::Kind::Function, function}};
    addRegisters(arguments, instruction, 3);
    if (!m_problem.empty()) return;
    const ProgramFunction& called = m_out.program.functions[function];
    if (arguments.size() - 1 > called.parameters)
      fail("the closure of " + inQuotes(called.name) + " captures " + countText(arguments.size() - 1, "value") +
           ", but the function has " + countText(called.parameters, "parameter"));
    m_closures.insert(function);
    builtin("closure.make", std::move(arguments), reg(instruction.field(2)));
  }

  void addAllocStorage(const Instruction& instruction) {
    const bool mayHaveShape = m_vm.generation >= 4;
    const DataType type = typeOf(instruction.field(2), instruction.field(3), instruction.field(4));
    const int64_t device = deviceOf(instruction.field(5));
    ProgramOperand size;
    if (mayHaveShape && instruction.field(6) > 0) {
      // The register of the size is not set then (core/formats/vm-executables.md 2.4).
      const auto bytes = protocol::dataBytes(type, instruction.fieldsFrom(8));
      if (!bytes) fail("the shape of the memory is not valid");
      size = integer(static_cast<int64_t>(bytes.value_or(0)));
    } else {
      size = registerOperand(instruction.field(0));
    }
    // The alignment is not passed on: the interpreter aligns all memory for any type.
    builtin("storage.make", {size, integer(device)}, reg(instruction.field(mayHaveShape ? 7 : 6)));
  }

  // --- Entries. ---

  /// A function of which closures are made gets values that only the bytecode has. Source: apache/tvm v0.18.0
  /// src/relay/backend/vm/compiler.cc, VMFunctionCompiler::Compile.
  Result<Done> addEntries() {
    for (const bool main : {true, false})
      for (std::size_t f = 0; f < m_vm.functions.size(); ++f) {
        BLOBSCOPE_CHECK(m_poll.step(1));
        const Function& stored = m_vm.functions[f];
        const std::string_view name = stored.name().view();
        if ((name == "main") != main || (!main && m_closures.contains(static_cast<uint32_t>(f)))) continue;
        Entry entry;
        entry.name = name;
        entry.function = static_cast<uint32_t>(f);
        entry.signature.function = name;
        entry.signature.source = host::Signature::Source::Bytecode;
        for (std::size_t i = 0; i < stored.parameters.size(); ++i) {
          host::Parameter& parameter = entry.signature.parameters.emplace_back();
          parameter.name = stored.parameters[i].view();
          parameter.deviceType = parameterDevice(stored, i);
          entry.namesKnown = entry.namesKnown && !parameter.name.empty();
        }
        m_out.entries.push_back(std::move(entry));
      }
    if (m_out.entries.empty()) return unsupported("it has no function that can be called");
    std::vector<const host::Signature*> hosts;
    hosts.reserve(m_out.program.callees.size());
    for (const ProgramCallee& callee : m_out.program.callees)
      hosts.push_back(callee.kind == ProgramCallee::Kind::Host ? m_hosts.findExact(callee.name) : nullptr);
    return completeSignatures(m_out, hosts, m_monitor);
  }

  /// The type of the device on which the function expects a parameter.
  std::optional<int> parameterDevice(const Function& function, std::size_t index) const {
    if (index >= function.parameterDevices.size() / 8) return std::nullopt;
    int64_t type = wordAt(function.parameterDevices, index);
    if (m_vm.generation >= 3) {
      if (!inRange(type, m_vm.devices.size())) return std::nullopt;
      type = m_vm.devices[static_cast<std::size_t>(type)].type;
    }
    if (type <= 0 || type > std::numeric_limits<int>::max()) return std::nullopt;
    return static_cast<int>(type);
  }

  const Executable& m_vm;
  const HostFunctions& m_hosts;
  const Parameters* m_params; ///< values of constants that the library does not contain; may be null
  Monitor& m_monitor;
  Poll m_poll;
  Model m_out;
  std::vector<std::optional<uint32_t>> m_functionOf; ///< by number: index of the function
  std::vector<const host::Signature*> m_primitives;  ///< by number; null when the library does not contain it
  std::optional<int64_t> m_mainDevice;               ///< the type of the device that is not the host
  std::unordered_set<uint32_t> m_closures;           ///< functions of which closures are made
  std::unordered_map<std::string_view, const Parameters::Item*> m_paramsByName;
  std::map<std::tuple<ProgramConstant::Kind, uint8_t, uint8_t, uint16_t, std::vector<int64_t>>, uint32_t> m_constants;
  std::map<std::tuple<ProgramCallee::Kind, std::string, uint32_t>, uint32_t> m_callees;
  std::string m_problem;

  // Of the function that is translated.
  std::vector<ProgramStep>* m_steps = nullptr;
  std::vector<int64_t> m_starts; ///< the first step of each instruction, and the number of steps
  uint32_t m_registers = 0;      ///< of the bytecode; the next one is for the steps of `If`
};

} // namespace

Result<Model> relayModel(const library::PackagePtr& package, const library::Module& module,
                         const xref::Functions& functions, const Parameters* params, Monitor& monitor) {
  longWork("program::relayModel");
  const Executable* const vm = modules::relayExecutableOf(*module.body);
  if (!vm) return Error(DiagnosticId::RunProgram, {{"reason", "the module has no bytecode of the Relay VM"}});
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  return Translator(*vm, HostFunctions(package, module, functions), params, monitor).translate();
}

} // namespace blobscope::program
