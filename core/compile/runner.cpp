#include "core/compile/compilers.h"

#include "core/base/private_file.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/process/process.h"
#include "core/protocol/compile_files.h"
#include "core/protocol/runner_process.h"

#include <algorithm>
#include <utility>

namespace blobscope::compile {
namespace {

constexpr uint64_t kFileBytes = uint64_t{1} << 30;
constexpr char kSource[] = "source";

Result<Bytes> contentOf(const std::filesystem::path& path) {
  // A compiler without a message leaves an empty log.
  if (std::error_code failure; std::filesystem::file_size(path, failure) == 0 && !failure) return Bytes();
  BLOBSCOPE_TRY(source, ByteSource::openPrivate(path, kFileBytes));
  return Bytes::copyOf(ByteSource::all(source).view());
}

/// "13.0" of "NVRTC 13.0", and all of the name of a device.
std::string versionIn(std::string_view compiler) {
  for (const std::string_view name : {std::string_view("NVRTC "), std::string_view("nvJitLink ")})
    if (compiler.starts_with(name)) return std::string(compiler.substr(name.size()));
  return escapedWithin(compiler, 200);
}

} // namespace

Result<Output> runInRunner(const CompilerHere& compiler, const Request& request, const std::string& architecture,
                           const TimeLimit& limit, Monitor& monitor) {
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  BLOBSCOPE_CHECK(writePrivateFile(folder.path() / kSource, request.source.span()));
  protocol::Job job;
  job.mode = protocol::Mode::Compile;
  job.backend = compiler.compiler->name;
  job.library = kSource;
  job.architecture = architecture;
  job.flags = request.flags;
  job.limits.buildMs = std::max<uint64_t>(limit.leftMs(), 1); // 0 is no limit
  job.limits.fileBytes = kFileBytes;
  protocol::RunnerOptions options;
  options.folder = folder.path();
  options.timeoutMs = limit.leftMs();
  std::optional<protocol::ErrorReported> error;
  BLOBSCOPE_TRY(end, protocol::runRunner(
                         job, options,
                         [&](const protocol::Event& event) {
                           if (const auto* const reported = std::get_if<protocol::ErrorReported>(&event))
                             error = *reported;
                         },
                         monitor));
  const auto failed = [&](std::string reason) {
    return Error(DiagnosticId::ToolFailed, {arg("path", compiler.compiler->title), arg("reason", std::move(reason))});
  };
  if (end.problem)
    return failed(end.problem->id() == DiagnosticId::RunTime ? limit.text() : "failed: " + end.problem->message());
  if (error) {
    const bool notThere = end.finished == protocol::kLoadFailed || error->id.starts_with("RUN-NO-");
    if (!notThere) return failed("failed: " + error->message);
    // The message of the runner is escaped.
    return Error(DiagnosticId::CompMissing,
                 {{"language", std::string(languageOf(*compiler.compiler))}, {"why", error->message}});
  }
  if (end.finished != 0 && end.finished != protocol::kCallFailed) return failed("ended without a result");

  Output out;
  BLOBSCOPE_TRY(name, contentOf(folder.path() / protocol::kCompilerFile));
  out.version = versionIn(name.view());
  BLOBSCOPE_TRY(log, contentOf(folder.path() / protocol::kLogFile));
  out.log = log.view();
  if (end.finished == protocol::kCallFailed) return out;
  BLOBSCOPE_TRY(image, contentOf(folder.path() / protocol::kImageFile));
  out.image = std::move(image);
  return out;
}

} // namespace blobscope::compile
