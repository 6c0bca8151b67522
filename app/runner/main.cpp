#include "app/runner/calls.h"
#include "app/runner/channel.h"
#include "app/runner/limits.h"
#include "app/runner/model.h"
#include "app/runner/supervisor.h"
#include "core/base/source.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <unistd.h>

using namespace blobscope;
using namespace blobscope::runner;

namespace {

constexpr int kUsage = 2;

int runJob(const run::Job& job, const std::filesystem::path& folder, const Ancestors& ancestors) {
  // Addresses are taken before the limit, which then leaves them out.
  std::optional<FakeAddresses> fakes;
  if (job.mode == run::Mode::Dry || job.mode == run::Mode::Probe) fakes.emplace();
  enter(run::Stage::Limits, job.limits.loadMs);
  for (const std::string& problem : applyLimits(job, folder, fakes ? fakes->size() : 0, ancestors)) sayLog("not confined: " + problem);
  // Threads inherit the limits only when they begin after them.
  if (!startWatchdog()) {
    std::fputs("blobscope-runner: no threads to be had\n", stderr);
    std::_Exit(kUsage);
  }
  installCrashHandlers((folder / job.library).native());
  const JobContext context{job, folder, fakes ? &*fakes : nullptr};
  int code = 0;
  switch (job.mode) {
    case run::Mode::Devices: code = runDevices(context); break;
    case run::Mode::Dry:
    case run::Mode::Function: code = runCalls(context); break;
    case run::Mode::Kernel: code = runKernel(context); break;
    case run::Mode::Probe: code = runProbe(context); break;
    case run::Mode::Model: code = runModel(context); break;
  }
  finish(code);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "--job") {
    std::fputs("usage: blobscope-runner --job FILE (started by blobscope; it runs code of foreign libraries)\n", stderr);
    return kUsage;
  }
  const auto ancestors = splitOff();
  if (!ancestors || !openChannel()) {
    std::fputs("blobscope-runner: no descriptors or processes to be had\n", stderr);
    return kUsage;
  }
  say(run::Hello{run::kProtocol, static_cast<uint64_t>(getpid()), BLOBSCOPE_VERSION});
  enter(run::Stage::Preflight, 0);
  const std::filesystem::path path = argv[2];
  auto file = ByteSource::openFile(path);
  if (!file) {
    say(file.error());
    finish(kUsage);
  }
  auto job = run::readJob(ByteSource::all(*file));
  if (!job) {
    say(job.error());
    finish(kUsage);
  }
  std::error_code failure;
  return runJob(*job, std::filesystem::absolute(path, failure).parent_path(), *ancestors);
}
