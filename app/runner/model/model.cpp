#include "app/runner/model/model.h"

#include "app/runner/backends/loader.h"
#include "app/runner/channel.h"
#include "app/runner/model/api.h"
#include "app/runner/model/results.h"
#include "app/runner/timing.h"
#include "core/base/path_text.h"
#include "core/base/text.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace blobscope::runner {
namespace {

/// DLPack's processor and the VM's pooled allocator. Source: core/formats/host-abi.md 5.3, step 8.
constexpr int64_t kCpu = 1, kPooled = 2;
/// Maximum number of parameters of a function whose names are requested.
constexpr int64_t kNames = 1'000;

/// Pointers of the library that the runtime sets; one that it does not know stays null, and the first call through it
/// crashes. Source: core/formats/host-abi.md 1.3.
constexpr const char* kCells[] = {"__TVMFFIFunctionCall",
                                  "__TVMFFIErrorSetRaisedFromCStr",
                                  "__TVMFFIErrorSetRaisedFromCStrParts",
                                  "__TVMBackendGetFuncFromEnv",
                                  "__TVMFFIEnvModLookupFromImports",
                                  "__TVMFFIHandleInitOnce",
                                  "__TVMBackendAllocWorkspace",
                                  "__TVMBackendFreeWorkspace",
                                  "__TVMBackendParallelLaunch",
                                  "__TVMBackendParallelBarrier",
                                  "__TVMBackendSetDevice"};

/// One of our tensors while the runtime refers to it.
struct Loan {
  ManagedTensor managed;
  std::vector<int64_t> strides;
  std::shared_ptr<Memory> memory;

  static void end(ManagedTensor* self) { delete static_cast<Loan*>(self->context); }
};

class Model {
public:
  Model(const JobContext& context, const FfiRuntime& runtime) : m_context(context), m_runtime(runtime) {}

  /// Steps 2 to 8.
  Result<Done> open() {
    const protocol::Job& job = m_context.job;
    enter(protocol::Stage::Dlopen, job.limits.loadMs);
    BLOBSCOPE_TRY(load, function("ffi.ModuleLoadFromFile"));
    BLOBSCOPE_TRY(getFunction, function("ffi.ModuleGetFunction"));
    m_getFunction = std::move(getFunction);
    const std::string path = pathText(m_context.folder / job.library);
    std::string reason;
    const FfiAny file = ffiText(path.c_str());
    m_module = m_runtime.call(load, {&file, 1}, reason);
    if (!m_module) return loadError(reason);
    BLOBSCOPE_CHECK(checkCells(path));

    enter(protocol::Stage::Init, job.limits.loadMs);
    auto create = method(*m_module, "vm_load_executable", true, reason);
    if (!create) return loadError(reason);
    if (!create->isFunction())
      return loadError("it has no virtual machine: its root module is of kind '" + kindOf(*m_module) + "'");
    m_machine = m_runtime.call(*create, {}, reason);
    if (!m_machine) return loadError(reason);
    auto initialise = method(*m_machine, "vm_initialization", false, reason);
    if (!initialise || !initialise->isFunction()) return loadError(reason);
    const std::array<FfiAny, 3> devices = {ffiInteger(kCpu), ffiInteger(0), ffiInteger(kPooled)};
    if (!m_runtime.call(*initialise, devices, reason)) return initError(reason);
    return Done{};
  }

  /// Steps 9 to 12.
  Result<Done> run(const protocol::JobCall& call) {
    const protocol::Job& job = m_context.job;
    std::string reason;
    enter(protocol::Stage::Alloc, job.limits.runMs);
    auto target = method(*m_machine, call.function.c_str(), false, reason);
    if (!target || !target->isFunction())
      return Error(DiagnosticId::RunNoEntry, {arg("name", call.function), arg("names", "the names in its bytecode")});
    BLOBSCOPE_CHECK(compareArity(call));
    const auto memory = std::make_shared<Memory>(job.limits, nullptr, nullptr, m_context.folder);
    std::vector<FfiValue> held;
    std::vector<FfiAny> arguments;
    BLOBSCOPE_CHECK(pack(call, memory, held, arguments));

    enter(protocol::Stage::HostCall, job.limits.runMs);
    auto result = m_runtime.call(*target, arguments, reason);
    sendEvent(protocol::CallEnded{currentCall().value_or(0), call.function, result ? 0 : -1, 0});
    if (!result) return failed(call, reason);
    enter(protocol::Stage::Readback, job.limits.runMs);
    BLOBSCOPE_CHECK(writeResults(m_runtime, *result, call, job.limits, m_context.folder));
    result.reset();
    if (!job.timed) return Done{};

    for (LiveTensor& tensor : memory->tensors()) BLOBSCOPE_CHECK(memory->fill(tensor));
    enter(protocol::Stage::HostCall, job.limits.runMs);
    const auto once = [&]() -> Result<Done> {
      enterQuietly(protocol::Stage::HostCall, job.limits.runMs);
      if (!m_runtime.call(*target, arguments, reason)) return failed(call, reason);
      return Done{};
    };
    const std::vector<std::string> none;
    return measure(job, nullptr, call.function, [] {}, once, [&]() -> const std::vector<std::string>& { return none; });
  }

private:
  Result<FfiValue> function(std::string_view name) const {
    if (FfiValue found = m_runtime.global(name); found.isFunction()) return found;
    return Error(DiagnosticId::RunLoad,
                 {{"reason", "the TVM runtime has no function " + std::string(name) + "; is it complete?"}});
  }

  std::optional<FfiValue> method(const FfiValue& module, const char* name, bool imports, std::string& reason) const {
    const std::array<FfiAny, 3> arguments = {module.any(), ffiText(name), ffiBoolean(imports)};
    return m_runtime.call(*m_getFunction, arguments, reason);
  }

  std::string kindOf(const FfiValue& module) const {
    std::string reason;
    const FfiValue getKind = m_runtime.global("ffi.ModuleGetKind");
    const auto kind = getKind.isFunction() ? m_runtime.call(getKind, {&module.any(), 1}, reason) : std::nullopt;
    const auto text = kind ? kind->text() : std::nullopt;
    return text ? escapedWithin(*text, 100) : "?";
  }

  /// Returns the runtime's message about loading, rephrased if it means that this runtime lacks something.
  static Error loadError(const std::string& reason) {
    const std::string_view message = reason;
    std::string text = reason.empty() ? "no reason given" : reason;
    if (const std::size_t at = message.find("but a loader of that name is not registered"); at != message.npos) {
      const std::size_t open = message.rfind('{', at), close = message.rfind('}', at);
      if (open < close && close < at)
        text = "this runtime cannot load " + std::string(message.substr(open + 1, close - open - 1)) + ": " + text;
    }
    return Error(DiagnosticId::RunLoad, {{"reason", text}});
  }

  static Error initError(const std::string& reason) {
    constexpr std::string_view kUnknown = "Cannot find ffi::Function ";
    const std::size_t at = reason.find(kUnknown);
    if (at == std::string::npos) return loadError(reason);
    const std::string_view name = std::string_view(reason).substr(at + kUnknown.size());
    return loadError("it needs the global function '" + std::string(name.substr(0, name.find(' '))) +
                     "', which neither it nor this runtime has: " + reason);
  }

  static Error failed(const protocol::JobCall& call, const std::string& reason) {
    return Error(DiagnosticId::RunFailed, {arg("name", call.function), {"code", "-1"}, {"reason", reason}});
  }

  Result<Done> checkCells(const std::string& path) const {
    void* const library = loader::loadedLibrary(path);
    if (!library) return Done{};
    for (const char* const cell : kCells) {
      const auto* const at = static_cast<void* const*>(loader::findSymbol(library, cell));
      if (at && !*at)
        return Error(DiagnosticId::RunAbiRuntime,
                     {arg("library", m_context.job.abi),
                      arg("runtime", "one without " + std::string(cell + 2) + " (tvm-ffi " + m_runtime.version() + ")"),
                      arg("releases", "the release that made the library")});
    }
    return Done{};
  }

  /// Reports a problem if the function's number of parameters differs from the job's; the call itself decides.
  Result<Done> compareArity(const protocol::JobCall& call) const {
    std::string reason;
    const FfiAny name = ffiText(call.function.c_str());
    auto arity = method(*m_machine, "get_function_arity", false, reason);
    auto count = arity && arity->isFunction() ? m_runtime.call(*arity, {&name, 1}, reason) : std::nullopt;
    if (!count || count->type() != kFfiInt || count->integer() == static_cast<int64_t>(call.arguments.size()))
      return Done{};
    std::string names;
    auto nameOf = method(*m_machine, "get_function_param_name", false, reason);
    for (int64_t i = 0; i < std::min(count->integer(), kNames) && nameOf && nameOf->isFunction(); ++i) {
      const std::array<FfiAny, 2> arguments = {name, ffiInteger(i)};
      const auto text = m_runtime.call(*nameOf, arguments, reason);
      if (const auto one = text ? text->text() : std::nullopt)
        names += (names.empty() ? "" : ", ") + escapedWithin(*one, 100);
      if (names.size() > 1'000) break;
    }
    return Error(DiagnosticId::RunRejected,
                 {arg("name", call.function),
                  {"reason", "it takes " + std::to_string(count->integer()) + " arguments (" + names + "), but got " +
                                 std::to_string(call.arguments.size())}});
  }

  Result<Done> pack(const protocol::JobCall& call, const std::shared_ptr<Memory>& memory, std::vector<FfiValue>& held,
                    std::vector<FfiAny>& packed) const {
    using Kind = protocol::JobArgument::Kind;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const protocol::JobArgument& argument = call.arguments[i];
      switch (argument.kind) {
      case Kind::Integer: packed.push_back(ffiInteger(argument.integer)); break;
      case Kind::Boolean: packed.push_back(ffiBoolean(argument.integer != 0)); break;
      case Kind::Float: packed.push_back(ffiReal(argument.real)); break;
      case Kind::Null:
      case Kind::Shape:
      case Kind::Tuple:
      case Kind::Result: packed.push_back(FfiAny{}); break; // the last three are only in mode Program
      case Kind::Tensor: {
        BLOBSCOPE_TRY(tensor, memory->place(argument.tensor, i, call.function));
        auto loan = std::make_unique<Loan>();
        loan->memory = memory;
        loan->managed.context = loan.get();
        loan->managed.deleter = Loan::end;
        loan->managed.tensor = tensor->head;
        loan->strides.assign(argument.tensor.shape.size(), 1);
        // An empty tensor may have extents whose product does not fit in 64 bits.
        for (std::size_t d = loan->strides.size(); d-- > 1;)
          if (__builtin_mul_overflow(loan->strides[d], argument.tensor.shape[d], &loan->strides[d - 1]))
            loan->strides[d - 1] = 0;
        loan->managed.tensor.strides = loan->strides.data();
        std::string reason;
        auto value = m_runtime.tensor(loan->managed, reason);
        if (value) {
          (void)loan.release();
          packed.push_back(value->any());
          held.push_back(std::move(*value));
        } else {
          packed.push_back(FfiAny{kFfiTensor, 0, {.pointer = &tensor->head}});
        }
        break;
      }
      }
    }
    return Done{};
  }

  const JobContext& m_context;
  const FfiRuntime& m_runtime;
  std::optional<FfiValue> m_getFunction, m_module, m_machine;
};

} // namespace

int runModel(const JobContext& context) {
  const protocol::Job& job = context.job;
  enter(protocol::Stage::Driver, job.limits.loadMs);
  std::vector<std::string> notes;
  auto loaded = FfiRuntime::load(job.runtime, job.abi, notes);
  for (const std::string& note : notes) sendLog(note);
  if (!loaded) {
    sendEvent(loaded.error());
    return kLoadFailed;
  }
  // Both are never destroyed: threads of the runtime may still be running.
  const auto& runtime = *new FfiRuntime(std::move(*loaded));
  protocol::DeviceFound device;
  device.kind = "cpu";
  device.name = "cpu, TVM runtime with tvm-ffi " + runtime.version();
  device.driver = "tvm-ffi " + runtime.version();
  device.facts = runtime.facts();
  sendEvent(device);
  auto& model = *new Model(context, runtime);
  if (auto opened = model.open(); !opened) {
    sendEvent(opened.error());
    return kLoadFailed;
  }
  int code = 0;
  for (std::size_t i = 0; i < job.calls.size() && !cancelled(); ++i) {
    enterCall(i);
    if (auto called = model.run(job.calls[i]); !called) {
      sendEvent(called.error());
      code = kCallFailed;
    }
    enterCall(std::nullopt);
  }
  return code;
}

} // namespace blobscope::runner
