#include "core/compile/compilers.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/process/process.h"

#include <utility>

namespace blobscope::compile {
namespace {

constexpr uint64_t kAddressBytes = uint64_t{16} << 30; ///< cicc reserves much more than it uses
constexpr uint64_t kImageBytes = uint64_t{1} << 30, kLogBytes = uint64_t{16} << 20;
constexpr std::string_view kImage = "image.out";

process::ProcessOptions optionsOf(const CompilerHere& compiler, const Request& request,
                                  const std::filesystem::path& folder) {
  process::ProcessOptions out;
  out.program = compiler.path;
  out.folder = folder;
  out.environment = process::toolEnvironment(folder);
  out.timeoutMs = request.timeoutMs;
  out.messageBytes = out.outputBytes = kLogBytes;
  process::Confinement& confinement = out.confinement.emplace(process::toolConfinement(compiler.path, folder));
  confinement.addressBytes = kAddressBytes;
  confinement.cpuSeconds = request.timeoutMs / 1000 + 1;
  confinement.fileBytes = kImageBytes;
  if (kindOf(*compiler.compiler) == Kind::Nvcc) {
    // It starts the compiler of the system and the parts of its toolkit, such as nvvm/bin/cicc.
    confinement.startsProcesses = true;
    std::error_code failure;
    for (const std::filesystem::path& path : {compiler.path, std::filesystem::canonical(compiler.path, failure)})
      if (!path.empty()) confinement.readable.push_back(path.parent_path().parent_path());
  }
  return out;
}

} // namespace

Result<std::string> toolVersion(const CompilerHere& compiler, const Request& request, Monitor& monitor) {
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  process::ProcessOptions options = optionsOf(compiler, request, folder.path());
  options.arguments = {"--version"};
  BLOBSCOPE_TRY(result, process::run(options, monitor));
  constexpr std::string_view kBefore = ", V";
  const std::size_t at = result.output.find(kBefore);
  if (at == std::string::npos) return std::string();
  const std::string_view rest = std::string_view(result.output).substr(at + kBefore.size(), 40);
  return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
}

Result<Output> runTool(const CompilerHere& compiler, const Request& request, const std::string& architecture,
                       Monitor& monitor) {
  const bool isNvcc = kindOf(*compiler.compiler) == Kind::Nvcc;
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  const std::string source = isNvcc ? "kernel.cu" : "kernel.ptx";
  BLOBSCOPE_CHECK(writeFileNow(folder.path() / source, request.source, monitor));
  process::ProcessOptions options = optionsOf(compiler, request, folder.path());
  if (isNvcc) options.arguments.emplace_back(architecture.starts_with("compute_") ? "-ptx" : "-cubin");
  options.arguments.push_back("-arch=" + architecture);
  options.arguments.insert(options.arguments.end(), request.flags.begin(), request.flags.end());
  options.arguments.insert(options.arguments.end(), {"-o", std::string(kImage), source});
  BLOBSCOPE_TRY(result, process::run(options, monitor));
  Output out;
  out.log = result.messages + (result.messages.ends_with('\n') ? "" : "\n") + result.output;
  const auto failed = [&](std::string reason) {
    return Error(DiagnosticId::ToolFailed,
                 {{"path", shownPath(pathText(compiler.path))}, arg("reason", std::move(reason))});
  };
  // A code of 1 or 255 with messages is a source that does not compile.
  if (!result.exitCode || result.timedOut || result.outputCut) return failed(process::describe(result, options));
  if (*result.exitCode != 0) return out;
  auto file = ByteSource::openPrivate(folder.path() / kImage, kImageBytes);
  if (!file) return failed("ended without an error, but wrote no code");
  out.image = Bytes::copyOf(ByteSource::all(*file).view());
  return out;
}

} // namespace blobscope::compile
