#include "app/runner/calls.h"
#include "app/runner/channel.h"
#include "app/runner/machine/machine.h"
#include "app/runner/timing.h"
#include "core/base/private_file.h"
#include "core/base/source.h"
#include "core/base/text.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <unordered_map>
#include <utility>

namespace blobscope::runner {
namespace {

using machine::Machine, machine::NodeCall, machine::TensorPtr, machine::Value;

/// Maximum number of nodes that are reported, of a call.
constexpr uint64_t kMostNodes = 100'000;
constexpr int kTupleDepth = 16;

/// Whole runs of one call of a program.
class ProgramCall {
public:
  ProgramCall(const JobContext& context, Machine& machine, Runtime& runtime, const protocol::Program& program,
              const protocol::JobCall& call)
      : m_context(context), m_machine(machine), m_runtime(runtime), m_program(program), m_call(call) {}

  Result<Done> run() {
    const protocol::Job& job = m_context.job;
    BLOBSCOPE_TRY(function, functionNamed(m_call.function));
    m_function = function;
    enter(protocol::Stage::Alloc, job.limits.runMs);
    Memory memory(job.limits, m_runtime.backend(), nullptr, m_context.folder);
    const struct Scope {
      Runtime& runtime;
      Machine& machine;
      ~Scope() {
        machine.observe({});
        runtime.end();
      }
    } scope{m_runtime, m_machine};

    // --- 1. The run whose results count. ---
    BLOBSCOPE_TRY(arguments, argumentsOf());
    m_runtime.begin(memory, true, false);
    enter(protocol::Stage::HostCall, job.limits.runMs);
    m_machine.observe([this](const NodeCall& node) { return report(node); });
    auto result = m_machine.run(m_function, std::move(arguments));
    auto finished = result ? synchronise() : Result<Done>(Done{});
    sendEvent(protocol::CallEnded{currentCall().value_or(0), m_call.function, result ? 0 : -1, m_runtime.launches()});
    if (!result) return result.takeError();
    BLOBSCOPE_CHECK(std::move(finished));
    enter(protocol::Stage::Readback, job.limits.runMs);
    BLOBSCOPE_CHECK(writeResult(*result, "output", 0));
    *result = machine::None{};
    if (!job.timed) return Done{};

    // --- 2. The times of whole runs, and of kernels on the device. ---
    m_machine.observe({});
    enter(protocol::Stage::HostCall, job.limits.runMs);
    std::vector<Value> next;
    std::optional<Error> failed;
    const auto before = [&] {
      auto made = argumentsOf();
      if (made)
        next = std::move(*made);
      else
        failed = made.takeError();
      m_runtime.begin(memory, false, m_runtime.backend() != nullptr);
    };
    const auto once = [&]() -> Result<Done> {
      if (failed) return std::move(*failed);
      enterQuietly(protocol::Stage::HostCall, job.limits.runMs);
      BLOBSCOPE_CHECK(m_machine.run(m_function, std::move(next)));
      return synchronise();
    };
    BLOBSCOPE_CHECK(measure(job, m_runtime.backend(), m_call.function, before, once,
                            [this]() -> const std::vector<std::string>& { return m_runtime.launched(); }));

    // --- 3. The times of nodes. ---
    const uint32_t repeat = job.repeat.value_or(kNodeRuns);
    std::vector<protocol::NodeTimes> times;
    for (uint32_t i = 0; i < repeat && !cancelled(); ++i) {
      std::size_t at = 0;
      m_machine.observe([&](const NodeCall& node) -> Result<Done> {
        enterQuietly(protocol::Stage::HostCall, job.limits.runMs);
        if (at >= kMostNodes) return Done{};
        if (at == times.size()) times.push_back({currentCall().value_or(0), at, {}});
        times[at++].microseconds.push_back(node.microseconds);
        return Done{};
      });
      m_machine.timeNodes(true);
      before();
      m_runtime.begin(memory, false, false);
      auto done = once();
      m_machine.timeNodes(false);
      BLOBSCOPE_CHECK(std::move(done));
    }
    for (const protocol::NodeTimes& one : times) sendEvent(one);
    return Done{};
  }

private:
  static constexpr uint32_t kNodeRuns = 10;

  Result<Done> synchronise() {
    if (!m_runtime.backend()) return Done{};
    enterQuietly(protocol::Stage::Sync, m_context.job.limits.runMs);
    return m_runtime.backend()->synchronise();
  }

  Result<std::vector<Value>> argumentsOf() {
    std::vector<Value> out;
    for (const protocol::JobArgument& argument : m_call.arguments) {
      BLOBSCOPE_TRY(value, valueOf(argument));
      out.push_back(std::move(value));
    }
    return out;
  }

  Result<Value> valueOf(const protocol::JobArgument& argument) {
    using Kind = protocol::JobArgument::Kind;
    switch (argument.kind) {
    case Kind::Tensor: {
      // Models do not write to their inputs, so all runs get the same ones.
      if (const auto made = m_inputs.find(&argument.tensor); made != m_inputs.end()) return Value(made->second);
      BLOBSCOPE_TRY(tensor, tensorOf(argument.tensor));
      m_inputs.emplace(&argument.tensor, tensor);
      return Value(std::move(tensor));
    }
    case Kind::Tuple: {
      auto tuple = std::make_shared<machine::Tuple>();
      for (const protocol::JobArgument& item : argument.items) {
        BLOBSCOPE_TRY(value, valueOf(item));
        tuple->items.push_back(std::move(value));
      }
      return Value(std::move(tuple));
    }
    case Kind::Result: {
      BLOBSCOPE_TRY(function, functionNamed(argument.function));
      return m_machine.run(function, {});
    }
    case Kind::Shape: return Value(std::make_shared<const std::vector<int64_t>>(argument.tensor.shape));
    case Kind::Integer:
    case Kind::Boolean: return Value(argument.integer);
    case Kind::Float: return Value(argument.real);
    case Kind::Null: break;
    }
    return Value(machine::None{});
  }

  Result<uint32_t> functionNamed(const std::string& name) const {
    const auto found = std::ranges::find(m_program.functions, name, &protocol::ProgramFunction::name);
    if (found == m_program.functions.end())
      return Error(DiagnosticId::RunNoEntry, {arg("name", name), {"names", "the names in the model"}});
    return static_cast<uint32_t>(found - m_program.functions.begin());
  }

  Result<TensorPtr> tensorOf(const protocol::JobTensor& job) {
    BLOBSCOPE_TRY(tensor, m_machine.pool().tensor(job.type, job.shape, isHostMemory(job.deviceType)));
    if (job.input.empty()) {
      const std::vector<std::byte> content(tensor->bytes, std::byte{job.fill});
      BLOBSCOPE_CHECK(m_machine.pool().write(*tensor, content));
    } else if (tensor->bytes > 0) {
      BLOBSCOPE_TRY(file, ByteSource::openFile(m_context.folder / job.input));
      const Bytes content = ByteSource::all(file);
      if (content.size() != tensor->bytes)
        return Error(DiagnosticId::RunInput, {arg("name", job.name),
                                              {"reason", "its file has " + sizeText(content.size()) +
                                                             ", but the tensor has " + sizeText(tensor->bytes)}});
      BLOBSCOPE_CHECK(m_machine.pool().write(*tensor, content.span()));
    }
    tensor->written = true;
    return tensor;
  }

  bool isTapped(const NodeCall& node, uint64_t number) const {
    return std::ranges::any_of(m_context.job.taps, [&](const std::string& tap) {
      return protocol::isTapOf(tap, node.name, node.function, number);
    });
  }

  Result<Done> report(const NodeCall& node) {
    const protocol::Job& job = m_context.job;
    enterQuietly(protocol::Stage::HostCall, job.limits.runMs);
    const uint64_t number = m_nodes++;
    const uint64_t launches = m_runtime.launches();
    const uint64_t first = std::exchange(m_launches, launches);
    if (number == kMostNodes) sendLog("only the first " + std::to_string(kMostNodes) + " nodes are listed");
    if (number >= kMostNodes) return Done{};
    protocol::NodeRan event;
    event.call = currentCall().value_or(0);
    event.node = number;
    event.name = node.name;
    event.function = node.function;
    event.step = node.step;
    event.within = node.within.name;
    event.firstLaunch = first;
    event.launches = launches - first;
    for (const TensorPtr& tensor : node.inputs) event.bytesRead += tensor->bytes;
    const bool tapped = isTapped(node, number);
    for (const TensorPtr& tensor : node.outputs) {
      protocol::NodeRan::Output& output = event.outputs.emplace_back();
      output.bytes = tensor->bytes;
      output.type = tensor->type;
      output.shape.assign(tensor->shape().begin(), tensor->shape().end());
      if (!tapped) continue;
      if (tensor->bytes > job.tapBytes - m_tapped) {
        if (!std::exchange(m_tapsFull, true))
          sendLog("from node " + std::to_string(number) +
                  " on, some outputs are not kept: together they are larger than " + sizeText(job.tapBytes));
        continue;
      }
      m_tapped += tensor->bytes;
      std::vector<std::byte> content(tensor->bytes);
      BLOBSCOPE_CHECK(m_machine.pool().read(*tensor, content));
      output.file = "tap." + std::to_string(event.call) + "." + std::to_string(number) + "." +
                    std::to_string(event.outputs.size() - 1);
      BLOBSCOPE_CHECK(writePrivateFile(m_context.folder / output.file, content));
    }
    sendEvent(event);
    return Done{};
  }

  Result<Done> writeResult(const Value& value, const std::string& name, int depth) {
    const auto number = [&](protocol::DataType type, const auto& content) {
      return keep(name, type, {}, std::as_bytes(std::span(&content, 1)));
    };
    if (const auto* const integer = std::get_if<int64_t>(&value)) return number({0, 64, 1}, *integer);
    if (const auto* const real = std::get_if<double>(&value)) return number({2, 64, 1}, *real);
    if (const auto* const shape = std::get_if<machine::ShapePtr>(&value)) {
      const auto extent = static_cast<int64_t>((*shape)->size());
      return keep(name, {0, 64, 1}, std::span(&extent, 1), std::as_bytes(std::span(**shape)));
    }
    if (const auto* const tensor = std::get_if<TensorPtr>(&value)) {
      std::vector<std::byte> content((*tensor)->bytes);
      BLOBSCOPE_CHECK(m_machine.pool().read(**tensor, content));
      return keep(name, (*tensor)->type, (*tensor)->shape(), content);
    }
    if (const auto* const tuple = std::get_if<std::shared_ptr<machine::Tuple>>(&value); tuple && depth < kTupleDepth) {
      // Tuples that contain each other can have any number of items.
      for (std::size_t i = 0; i < (*tuple)->items.size() && m_results < protocol::kEventItems; ++i)
        BLOBSCOPE_CHECK(writeResult((*tuple)->items[i], name + "." + std::to_string(i), depth + 1));
      return Done{};
    }
    if (!std::holds_alternative<machine::None>(value))
      sendLog("'" + m_call.function + "' returned for " + name + " " + machine::valueText(value) +
              ", which is not shown");
    return Done{};
  }

  Result<Done> keep(const std::string& name, protocol::DataType type, std::span<const int64_t> shape,
                    std::span<const std::byte> content) {
    if (m_results >= protocol::kEventItems) return Done{};
    protocol::TensorWritten written;
    written.call = currentCall().value_or(0);
    written.name = name;
    written.argument = m_results++;
    written.bytes = content.size();
    written.type = type;
    written.shape.assign(shape.begin(), shape.end());
    if (!m_call.results.empty()) {
      written.file = m_call.results + "." + std::to_string(written.argument);
      BLOBSCOPE_CHECK(writePrivateFile(m_context.folder / written.file, content));
    }
    sendEvent(written);
    return Done{};
  }

  const JobContext& m_context;
  Machine& m_machine;
  Runtime& m_runtime;
  const protocol::Program& m_program;
  const protocol::JobCall& m_call;
  uint32_t m_function = 0;
  std::unordered_map<const protocol::JobTensor*, TensorPtr> m_inputs;
  uint64_t m_nodes = 0, m_launches = 0, m_tapped = 0, m_results = 0;
  bool m_tapsFull = false;
};

} // namespace

int runProgram(const JobContext& context) {
  const protocol::Job& job = context.job;
  // They are never destroyed: threads of the library may still be running, and drivers are not shut down.
  Runtime& runtime = *new Runtime(job, context.folder);
  if (!startBackend(job, runtime)) return kNoDevice;
  const HostLibrary* const library = loadLibrary(context, runtime);
  if (!library) return kLoadFailed;
  const auto prepare = [&]() -> Result<Machine*> {
    BLOBSCOPE_TRY(file, ByteSource::openFile(context.folder / job.program));
    BLOBSCOPE_TRY(program, protocol::readProgram(ByteSource::all(file)));
    const auto& kept = *new protocol::Program(std::move(program));
    auto made = std::make_unique<Machine>(context, kept, *library, runtime);
    enter(protocol::Stage::Alloc, job.limits.loadMs);
    BLOBSCOPE_CHECK(made->prepare());
    return made.release();
  };
  auto machine = prepare();
  if (!machine) {
    sendEvent(machine.error());
    return kLoadFailed;
  }
  int code = 0;
  for (std::size_t i = 0; i < job.calls.size() && !cancelled(); ++i) {
    enterCall(i);
    auto called = ProgramCall(context, **machine, runtime, (*machine)->program(), job.calls[i]).run();
    if (!called && called.error().code() != ErrorCode::Cancelled) {
      sendEvent(called.error());
      code = kCallFailed;
      if (called.error().id() == DiagnosticId::RunFault) finish(kDeviceError);
    }
    enterCall(std::nullopt);
  }
  return code;
}

} // namespace blobscope::runner
