#include "app/runner/calls.h"

#include "app/runner/channel.h"
#include "app/runner/timing.h"
#include "core/base/path_text.h"
#include "core/base/text.h"

#include <utility>

namespace blobscope::runner {
namespace {

Result<Done> packArguments(const protocol::JobCall& call, Memory& memory, PackedArguments& packed) {
  using Kind = protocol::JobArgument::Kind;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const protocol::JobArgument& argument = call.arguments[i];
    switch (argument.kind) {
    case Kind::Tensor: {
      BLOBSCOPE_TRY(tensor, memory.place(argument.tensor, i, call.function));
      packed.tensor(&tensor->head);
      break;
    }
    case Kind::Integer: packed.integer(argument.integer); break;
    case Kind::Boolean: packed.boolean(argument.integer != 0); break;
    case Kind::Float: packed.real(argument.real); break;
    case Kind::Null:
    case Kind::Shape:
    case Kind::Tuple:
    case Kind::Result: packed.nullPointer(); break; // the last three are only in mode Program
    }
  }
  return Done{};
}

/// Makes one call and returns its result. Our own problem takes precedence over the library's message, which often only
/// says that the call failed.
Result<Done> callOnce(const HostLibrary& library, Runtime& runtime, void* function, const std::string& name,
                      PackedArguments& packed, int& code) {
  code = library.call(function, packed);
  if (const std::string missing = HostLibrary::takeMissing(); !missing.empty())
    return Error(DiagnosticId::RunImports, {arg("names", missing)});
  auto problem = runtime.takeProblem();
  const std::string raised = runtime.takeRaised();
  if (code == 0 && !problem) return Done{};
  if (problem) return std::move(*problem);
  if (!raised.empty()) return Error(DiagnosticId::RunRejected, {arg("name", name), arg("reason", raised)});
  return Error(DiagnosticId::RunFailed,
               {arg("name", name), {"code", std::to_string(code)}, {"reason", "no reason given"}});
}

/// Returns whether the device is unusable after the error, so that the process must end.
bool isFatal(const Error& error) { return error.id() == DiagnosticId::RunFault; }

Result<Done> synchronise(Runtime& runtime, const protocol::Job& job) {
  if (!runtime.backend()) return Done{};
  enter(protocol::Stage::Sync, job.limits.runMs);
  return runtime.backend()->synchronise();
}

/// Threads that a library has left running must not access the call's data after its end.
class CallScope {
public:
  explicit CallScope(Runtime& runtime) : m_runtime(runtime) {}
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope() { m_runtime.end(); }

private:
  Runtime& m_runtime;
};

Result<Done> runCall(const JobContext& context, const HostLibrary& library, Runtime& runtime,
                     const protocol::JobCall& call) {
  const protocol::Job& job = context.job;
  BLOBSCOPE_TRY(function, findFunction(library, runtime, call.function));
  enter(protocol::Stage::Alloc, job.limits.runMs);
  Memory memory(job.limits, runtime.backend(), context.fakes, context.folder);
  const CallScope scope(runtime);
  PackedArguments packed;
  BLOBSCOPE_CHECK(packArguments(call, memory, packed));

  // --- 1. The run whose results count. ---
  runtime.begin(memory, true, false);
  enter(protocol::Stage::HostCall, job.limits.runMs);
  int code = 0;
  auto called = callOnce(library, runtime, function, call.function, packed, code);
  auto finished = called ? synchronise(runtime, job) : Result<Done>(Done{});
  sendEvent(protocol::CallEnded{currentCall().value_or(0), call.function, code, runtime.launches()});
  if (!called) return called.takeError();
  if (!finished) return finished.takeError();

  // --- 2. Its results. ---
  enter(protocol::Stage::Readback, job.limits.runMs);
  BLOBSCOPE_CHECK(readBackAll(memory, call.function));
  if (!job.timed || job.mode != protocol::Mode::Function) return Done{};

  // --- 3. Times; in-place arguments are reset first, and the outputs are not read again. ---
  for (LiveTensor& tensor : memory.tensors())
    if (tensor.job->role != protocol::Role::Out) BLOBSCOPE_CHECK(memory.fill(tensor));
  enter(protocol::Stage::HostCall, job.limits.runMs);
  runtime.begin(memory, false, runtime.backend() != nullptr);
  const auto once = [&]() -> Result<Done> {
    enterQuietly(protocol::Stage::HostCall, job.limits.runMs);
    int result = 0;
    BLOBSCOPE_CHECK(callOnce(library, runtime, function, call.function, packed, result));
    if (!runtime.backend()) return Done{};
    enterQuietly(protocol::Stage::Sync, job.limits.runMs);
    return runtime.backend()->synchronise();
  };
  const auto before = [&] { runtime.begin(memory, false, runtime.backend() != nullptr); };
  return measure(job, runtime.backend(), call.function, before, once,
                 [&]() -> const std::vector<std::string>& { return runtime.launched(); });
}

} // namespace

Result<std::unique_ptr<Backend>> openBackend(const protocol::Job& job) {
  const BackendOptions options{job.driverPath, job.device};
  if (job.backend == "cuda") return openCuda(options);
  if (job.backend == "vulkan") return openVulkan(options);
  if (job.backend == "opencl") return openOpenCl(options);
  if (job.backend.empty()) return std::unique_ptr<Backend>();
  return Error(DiagnosticId::RunNoDriver, {arg("kind", job.backend),
                                           {"reason", "there is no back end with that name"},
                                           {"help", "choose cuda, vulkan or opencl"}});
}

bool startBackend(const protocol::Job& job, Runtime& runtime) {
  if (job.backend.empty()) return true;
  enter(protocol::Stage::Driver, job.limits.loadMs);
  auto opened = openBackend(job);
  if (!opened) {
    sendEvent(opened.error());
    return false;
  }
  runtime.useBackend(*opened->release());
  sendEvent(foundDevice(runtime.backend()->info()));
  return true;
}

const HostLibrary* loadLibrary(const JobContext& context, Runtime& runtime) {
  enter(protocol::Stage::Dlopen, context.job.limits.loadMs);
  if (auto shim = runtime.install(); !shim) {
    sendEvent(shim.error());
    return nullptr;
  }
  if (context.job.mode == protocol::Mode::Metadata)
    if (auto shim = loadMetadataShim(); !shim) {
      sendEvent(shim.error());
      return nullptr;
    }
  auto library =
      HostLibrary::load(pathText(context.folder / context.job.library), context.job.abi, context.job.options.lazyBind);
  if (!library) {
    sendEvent(library.error());
    return nullptr;
  }
  enter(protocol::Stage::Init, context.job.limits.loadMs);
  const auto* const kept = new HostLibrary(std::move(*library));
  runtime.useLibrary(*kept);
  return kept;
}

Result<void*> findFunction(const HostLibrary& library, const Runtime& runtime, const std::string& name) {
  void* function = library.find(name);
  if (!function) function = runtime.registered(name);
  if (!function)
    return Error(DiagnosticId::RunNoEntry, {arg("name", name), {"names", "the names in its symbol table"}});
  return function;
}

Result<Done> readBackAll(Memory& memory, const std::string& kernel) {
  for (LiveTensor& tensor : memory.tensors()) {
    BLOBSCOPE_TRY(written, memory.readBack(tensor));
    written.call = currentCall().value_or(0);
    const auto outside = [&](uint64_t bytes, std::string_view side) {
      if (bytes > 0)
        sendEvent(
            Error(DiagnosticId::RunOverrun,
                  {arg("kernel", kernel), {"size", sizeText(bytes)}, arg("side", side), arg("tensor", written.name)}));
    };
    outside(written.overrunBefore, "before");
    outside(written.overrunAfter, "after");
    if (!written.file.empty() || written.overrunBefore > 0 || written.overrunAfter > 0) sendEvent(written);
  }
  return Done{};
}

int runCalls(const JobContext& context) {
  const protocol::Job& job = context.job;
  // They are never destroyed: threads of the library may still be running, and drivers are not shut down, since
  // shutting them down hangs if a kernel hangs.
  Runtime& runtime = *new Runtime(job, context.folder);
  if (job.mode == protocol::Mode::Function && !startBackend(job, runtime)) return kNoDevice;
  const HostLibrary* const library = loadLibrary(context, runtime);
  if (!library) return kLoadFailed;
  int code = 0;
  for (std::size_t i = 0; i < job.calls.size() && !cancelled(); ++i) {
    enterCall(i);
    auto called = runCall(context, *library, runtime, job.calls[i]);
    if (!called) {
      sendEvent(called.error());
      code = kCallFailed;
      if (isFatal(called.error())) finish(kDeviceError);
    }
    enterCall(std::nullopt);
  }
  return code;
}

} // namespace blobscope::runner
