#include "app/runner/calls.h"
#include "app/runner/channel.h"
#include "app/runner/limits.h"
#include "app/runner/model/model.h"
#include "app/runner/supervisor.h"
#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// LeakSanitizer stops the process with ptrace at its end, which the confinement blocks. Only its runtime calls this.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the name that the runtime looks for.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

using namespace blobscope;
using namespace blobscope::runner;

namespace {

constexpr int kUsage = 2;
/// Larger than what an allocator caches, so that it is returned to the system.
constexpr std::size_t kReserve = 1 << 20;

int runMode(const JobContext& context) {
  switch (context.job.mode) {
  case protocol::Mode::Devices: return runDevices(context);
  case protocol::Mode::Dry:
  case protocol::Mode::Function: return runCalls(context);
  case protocol::Mode::Kernel: return runKernel(context);
  case protocol::Mode::Probe: return runProbe(context);
  case protocol::Mode::Model: return runModel(context);
  case protocol::Mode::Metadata: return runMetadata(context);
  case protocol::Mode::Compile: return runCompile(context);
  case protocol::Mode::Program: return runProgram(context);
  }
  return kUsage;
}

int runJob(const protocol::Job& job, const std::filesystem::path& folder, const Ancestors& ancestors) {
  // The addresses are reserved before the limit is set, which therefore does not count them.
  std::optional<FakeAddresses> fakes;
  if (job.mode == protocol::Mode::Dry || job.mode == protocol::Mode::Probe) fakes.emplace();
  enter(protocol::Stage::Limits, job.limits.loadMs);
  for (const std::string& problem : applyLimits(job, folder, fakes ? fakes->size() : 0, ancestors))
    sendLog("not confined: " + problem);
  // Threads only inherit the limits if they start after them.
  if (!startWatchdog()) {
    std::fputs("blobscope-runner: no threads are available\n", stderr);
    std::_Exit(kUsage);
  }
  installCrashHandlers(pathText(folder / job.library));
  const JobContext context{job, folder, fakes ? &*fakes : nullptr};
  // The library may have used all memory and keep it; the message needs some.
  auto reserve = std::make_unique_for_overwrite<char[]>(kReserve);
  std::optional<int> code;
  try {
    code = runMode(context);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) { // larger than any memory
  }
  reserve.reset();
  if (!code) {
    const std::string limit = job.limits.addressBytes != 0 ? sizeText(job.limits.addressBytes) : "that of this system";
    sendEvent(Error(DiagnosticId::RunMemory, {{"size", "more memory than is available"}, {"limit", limit}}));
  }
  finish(code.value_or(kCallFailed));
}

} // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments = programArguments(argc, argv);
  if (arguments.size() != 3 || arguments[1] != "--job") {
    std::fputs("usage: blobscope-runner --job FILE (started by blobscope; it runs code of foreign libraries)\n",
               stderr);
    return kUsage;
  }
  const auto ancestors = splitOff();
  if (!ancestors || !openChannel()) {
    std::fputs("blobscope-runner: no file descriptors or processes are available\n", stderr);
    return kUsage;
  }
  sendEvent(protocol::Hello{protocol::kProtocol, static_cast<uint64_t>(ownProcess()), BLOBSCOPE_VERSION});
  enter(protocol::Stage::Preflight, 0);
  const std::filesystem::path path = pathFrom(arguments[2]);
  auto file = ByteSource::openFile(path);
  if (!file) {
    sendEvent(file.error());
    finish(kUsage);
  }
  auto job = protocol::readJob(ByteSource::all(*file));
  if (!job) {
    sendEvent(job.error());
    finish(kUsage);
  }
  std::error_code failure;
  return runJob(*job, std::filesystem::absolute(path, failure).parent_path(), *ancestors);
}
