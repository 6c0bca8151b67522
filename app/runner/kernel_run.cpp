#include "app/runner/calls.h"
#include "app/runner/channel.h"
#include "app/runner/timing.h"

#include <bit>

namespace blobscope::runner {
namespace {

/// Returns a scalar of the job as host code would pass it.
PackedValue packedOf(const protocol::JobArgument& argument) {
  using Kind = PackedValue::Kind;
  switch (argument.kind) {
  case protocol::JobArgument::Kind::Integer: return {Kind::Integer, static_cast<uint64_t>(argument.integer), 0};
  case protocol::JobArgument::Kind::Boolean: return {Kind::Boolean, argument.integer != 0 ? 1U : 0U, 0};
  case protocol::JobArgument::Kind::Float: return {Kind::Float, std::bit_cast<uint64_t>(argument.real), 0};
  default: return {Kind::Null, 0, 0};
  }
}

/// Returns the launch that the job requests, with its tensors in `memory`; `seen` receives the event for it.
Result<Launch> makeLaunch(const protocol::JobCall& call, const protocol::JobKernel& kernel, Memory& memory,
                          protocol::LaunchEvent& seen) {
  Launch launch;
  launch.grid = call.extents.grid;
  launch.block = call.extents.block;
  launch.cluster = call.extents.cluster;
  launch.dynamicShared = call.extents.dynamicShared;
  if (call.arguments.size() != kernel.arguments.size())
    return Error(DiagnosticId::RunLaunch, {arg("kernel", kernel.name),
                                           arg("given", uint64_t{call.arguments.size()}),
                                           arg("expected", uint64_t{kernel.arguments.size()}),
                                           {"parts", "its parameters"}});
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    PackedValue value = packedOf(call.arguments[i]);
    if (call.arguments[i].kind == protocol::JobArgument::Kind::Tensor) {
      BLOBSCOPE_TRY(tensor, memory.place(call.arguments[i].tensor, i, kernel.name));
      value = {PackedValue::Kind::Pointer, reinterpret_cast<uint64_t>(tensor->head.data), 0};
    }
    BLOBSCOPE_TRY(bits, kernelArgument(kernel, i, value));
    launch.arguments.push_back(bits);
    if (kernel.arguments[i].code == 3)
      seen.arguments.push_back(memory.placeOf(bits));
    else
      seen.arguments.push_back({std::nullopt, bits, kernel.arguments[i]});
  }
  for (const std::string& tag : kernel.tags) {
    if (tag.ends_with("use_programtic_dependent_launch")) launch.programmatic = true;
    if (tag.ends_with("use_cooperative_launch")) launch.cooperative = true;
  }
  seen.call = currentCall().value_or(0);
  seen.kernel = kernel.name;
  seen.extents = call.extents;
  seen.programmatic = launch.programmatic;
  seen.cooperative = launch.cooperative;
  return launch;
}

Result<Done> runOne(const JobContext& context, Runtime& runtime, const protocol::JobCall& call) {
  const protocol::Job& job = context.job;
  Backend& backend = *runtime.backend();
  FunctionHandle* const handle = runtime.kernel(call.function);
  if (!handle)
    return Error(DiagnosticId::RunNoEntry, {arg("name", call.function), {"names", "the kernels of its modules"}});
  const protocol::JobKernel& kernel = *handle->kernel;
  BLOBSCOPE_TRY(loaded, runtime.ready(*handle));
  enter(protocol::Stage::Alloc, job.limits.runMs);
  Memory memory(job.limits, &backend, nullptr, context.folder);
  protocol::LaunchEvent seen;
  BLOBSCOPE_TRY(launch, makeLaunch(call, kernel, memory, seen));

  // --- 1. The launch whose results count. ---
  enter(protocol::Stage::Launch, job.limits.runMs);
  sendEvent(seen);
  const auto once = [&](bool timed) -> Result<Done> {
    enterQuietly(protocol::Stage::Launch, job.limits.runMs);
    BLOBSCOPE_TRY(index, backend.launch(*loaded, launch, timed));
    (void)index;
    enterQuietly(protocol::Stage::Sync, job.limits.runMs);
    return backend.synchronise();
  };
  BLOBSCOPE_CHECK(once(false));
  sendEvent(protocol::CallEnded{seen.call, kernel.name, 0, 1});
  enter(protocol::Stage::Readback, job.limits.runMs);
  BLOBSCOPE_CHECK(readBackAll(memory, kernel.name));
  if (!job.timed) return Done{};

  // --- 2. Times. ---
  for (LiveTensor& tensor : memory.tensors())
    if (tensor.job->role != protocol::Role::Out) BLOBSCOPE_CHECK(memory.fill(tensor));
  enter(protocol::Stage::Launch, job.limits.runMs);
  const std::vector<std::string> names = {kernel.name};
  return measure(
      job, &backend, kernel.name, [] {}, [&] { return once(true); },
      [&]() -> const std::vector<std::string>& { return names; });
}

} // namespace

int runKernel(const JobContext& context) {
  const protocol::Job& job = context.job;
  enter(protocol::Stage::Driver, job.limits.loadMs);
  auto opened = openBackend(job);
  if (opened && !*opened)
    opened = Error(DiagnosticId::RunNoDevice, {arg("kind", "test-run"), {"reason", "none was chosen"}});
  if (!opened) {
    sendEvent(opened.error());
    return kNoDevice;
  }
  // It is never closed: drivers are not shut down.
  Backend* const backend = opened->release();
  sendEvent(foundDevice(backend->info()));
  Runtime& runtime = *new Runtime(job, context.folder);
  runtime.useBackend(*backend);
  int code = 0;
  for (std::size_t i = 0; i < job.calls.size() && !cancelled(); ++i) {
    enterCall(i);
    auto done = runOne(context, runtime, job.calls[i]);
    if (!done) {
      sendEvent(done.error());
      code = kCallFailed;
      if (done.error().id() == DiagnosticId::RunFault) finish(kDeviceError);
    }
    enterCall(std::nullopt);
  }
  return code;
}

} // namespace blobscope::runner
