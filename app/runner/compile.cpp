#include "app/runner/backends/cuda/jit_link.h"
#include "app/runner/backends/cuda/nvrtc.h"
#include "app/runner/calls.h"
#include "app/runner/channel.h"
#include "core/base/private_file.h"
#include "core/base/source.h"
#include "core/protocol/compile_files.h"

/// Mode Compile: compilers that are libraries. What they return is written into the job's folder; nothing of it is
/// executed.
namespace blobscope::runner {
namespace {

Result<CompilerOutput> compileWith(const protocol::Job& job, std::string_view source) {
  const process::ToolSearch search = process::ToolSearch::fromEnvironment();
  if (job.backend == "opencl") return checkOpenCl({job.driverPath, job.device}, source, job.flags);
  if (job.backend == "nvjitlink") return cuda::linkPtx(search, source, job.architecture, job.flags);
  BLOBSCOPE_TRY(nvrtc, cuda::Nvrtc::open(search));
  std::vector<std::string> options = {"--gpu-architecture=" + job.architecture};
  options.insert(options.end(), job.flags.begin(), job.flags.end());
  return nvrtc.build(source, "kernel", options, !job.architecture.starts_with("compute_"));
}

Result<Done> writeResult(const std::filesystem::path& folder, const CompilerOutput& output) {
  const auto write = [&](const char* name, std::string_view content) {
    return writePrivateFile(folder / name, std::as_bytes(std::span(content)));
  };
  BLOBSCOPE_CHECK(write(protocol::kCompilerFile, output.compiler));
  BLOBSCOPE_CHECK(write(protocol::kLogFile, output.log));
  if (output.image) BLOBSCOPE_CHECK(write(protocol::kImageFile, output.image->view()));
  return Done{};
}

} // namespace

int runCompile(const JobContext& context) {
  const protocol::Job& job = context.job;
  auto source = ByteSource::openFile(context.folder / job.library);
  if (!source) {
    sendEvent(source.error());
    return kLoadFailed;
  }
  enter(protocol::Stage::Module, job.limits.buildMs);
  auto output = compileWith(job, ByteSource::all(*source).view());
  if (!output) {
    sendEvent(output.error());
    return output.error().id() == DiagnosticId::ToolMissing ? kLoadFailed : kDeviceError;
  }
  if (auto written = writeResult(context.folder, *output); !written) {
    sendEvent(written.error());
    return kDeviceError;
  }
  return output->image ? 0 : kCallFailed;
}

} // namespace blobscope::runner
