#pragma once

#include "app/runner/backends/backend.h"
#include "app/runner/memory.h"
#include "app/runner/runtime.h"
#include "core/protocol/protocol.h"

#include <filesystem>

/// What a job of each mode does. Each returns the exit code that "done" tells.
namespace blobscope::runner {

/// Exit codes beside 0. Test-run.md 7.5, and 5 for a call that did not go through.
constexpr int kLoadFailed = 2, kNoDevice = 3, kDeviceError = 4, kCallFailed = 5;

struct JobContext {
  const protocol::Job& job;
  std::filesystem::path folder;
  FakeAddresses* fakes = nullptr;
};

int runDevices(const JobContext& context);
/// Dry and function runs.
int runCalls(const JobContext& context);
int runKernel(const JobContext& context);
int runProbe(const JobContext& context);
/// Calls the getters of texts that a tvm-ffi library holds.
int runMetadata(const JobContext& context);

/// Opens the job's back end. RUN-NO-DRIVER …; null without an error when the job names none.
Result<std::unique_ptr<Backend>> openBackend(const protocol::Job& job);
/// Loads the library, for good, with the shim in front of it; tells what is wrong and returns null otherwise.
const HostLibrary* loadLibrary(const JobContext& context, Runtime& runtime);
/// The function's address, RUN-NO-ENTRY.
Result<void*> findFunction(const HostLibrary& library, const Runtime& runtime, const std::string& name);
/// After the first run: outputs to files, and what was written outside.
Result<Done> readBackAll(Memory& memory, const std::string& kernel);

} // namespace blobscope::runner
