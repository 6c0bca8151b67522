#pragma once

#include "app/runner/backends/backend.h"
#include "app/runner/memory.h"
#include "app/runner/runtime.h"
#include "core/protocol/protocol.h"

#include <filesystem>

/// Runs a job, one function per mode. Each returns the exit code that "done" reports.
namespace blobscope::runner {

using protocol::kCallFailed, protocol::kDeviceError, protocol::kLoadFailed, protocol::kNoDevice;

struct JobContext {
  const protocol::Job& job;
  std::filesystem::path folder;
  FakeAddresses* fakes = nullptr;
};

int runDevices(const JobContext& context);
/// Runs dry and function jobs.
int runCalls(const JobContext& context);
int runKernel(const JobContext& context);
int runProbe(const JobContext& context);
/// Calls the getters that return texts of a tvm-ffi library.
int runMetadata(const JobContext& context);
/// Compiles a source with NVRTC, nvJitLink or the OpenCL driver.
int runCompile(const JobContext& context);
/// Runs whole models: programs of core/protocol/program.h.
int runProgram(const JobContext& context);

/// Opens the job's back end. Errors: RUN-NO-DRIVER …; null without an error if the job names no back end.
Result<std::unique_ptr<Backend>> openBackend(const protocol::Job& job);
/// Opens it, permanently, for the runtime, and reports the device; on failure reports the problem and returns false.
bool startBackend(const protocol::Job& job, Runtime& runtime);
/// Loads the shim and then the library, permanently; on failure reports the problem and returns null.
const HostLibrary* loadLibrary(const JobContext& context, Runtime& runtime);
/// Returns the function's address, or RUN-NO-ENTRY.
Result<void*> findFunction(const HostLibrary& library, const Runtime& runtime, const std::string& name);
/// Called after the first run: writes outputs to files and reports bytes written outside of them.
Result<Done> readBackAll(Memory& memory, const std::string& kernel);

} // namespace blobscope::runner
