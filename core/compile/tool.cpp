#include "core/compile/compilers.h"

#include "core/base/path_text.h"
#include "core/base/private_file.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/process/process.h"

#include <utility>

namespace blobscope::compile {
namespace {

constexpr uint64_t kImageBytes = uint64_t{1} << 30, kLogBytes = uint64_t{16} << 20;
constexpr std::string_view kImage = "image.out";

process::ProcessOptions optionsOf(const CompilerHere& compiler, const TimeLimit& limit,
                                  const std::filesystem::path& folder) {
  process::ProcessOptions out;
  out.program = compiler.path;
  out.folder = folder;
  out.environment = process::toolEnvironment(folder);
  out.timeoutMs = limit.leftMs();
  out.messageBytes = out.outputBytes = kLogBytes;
  process::Confinement& confinement = out.confinement.emplace(process::toolConfinement(compiler.path, folder));
  confinement.addressBytes = kCompilerAddresses;
  confinement.dataBytes = kCompilerMemory;
  confinement.cpuSeconds = out.timeoutMs / 1000 + 1;
  confinement.fileBytes = kImageBytes;
  // nvcc starts the compiler of the system and the parts of its toolkit, such as nvvm/bin/cicc.
  confinement.startsProcesses = kindOf(*compiler.compiler) == Kind::Nvcc;
  return out;
}

} // namespace

Result<std::string> toolVersion(const CompilerHere& compiler, const TimeLimit& limit, Monitor& monitor) {
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  process::ProcessOptions options = optionsOf(compiler, limit, folder.path());
  options.arguments = {"--version"};
  BLOBSCOPE_TRY(result, process::run(options, monitor));
  for (const std::string_view before : {", V", "clang version ", "naga "}) {
    const std::size_t at = result.output.find(before);
    if (at == std::string::npos) continue;
    const std::string_view rest = std::string_view(result.output).substr(at + before.size(), 40);
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
  }
  return std::string();
}

namespace {

/// The source, and what is passed to the tool before the user's flags.
struct Call {
  std::string source;
  std::vector<std::string> options;
  bool checksOnly = false; ///< the tool writes no image
};

Call callOf(Kind kind, const std::string& architecture) {
  switch (kind) {
  case Kind::Nvcc:
    return {"kernel.cu", {architecture.starts_with("compute_") ? "-ptx" : "-cubin", "-arch=" + architecture}};
  case Kind::Clang:
    // A target with all types of OpenCL C, which every driver is free to have.
    return {"kernel.cl",
            {"-x", "cl", "-cl-std=CL2.0", "-target", "spir64-unknown-unknown", "-Xclang", "-finclude-default-header",
             "-fsyntax-only"},
            true};
  case Kind::Naga: return {"kernel.wgsl", {}, true};
  case Kind::Tint: return {"kernel.wgsl", {"--format", "wgsl"}, true};
  default: return {"kernel.ptx", {"-arch=" + architecture}};
  }
}

} // namespace

Result<Output> runTool(const CompilerHere& compiler, const Request& request, const std::string& architecture,
                       const TimeLimit& limit, Monitor& monitor) {
  Call call = callOf(kindOf(*compiler.compiler), architecture);
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  BLOBSCOPE_CHECK(writePrivateFile(folder.path() / call.source, request.source.span()));
  process::ProcessOptions options = optionsOf(compiler, limit, folder.path());
  options.arguments = std::move(call.options);
  options.arguments.insert(options.arguments.end(), request.flags.begin(), request.flags.end());
  if (!call.checksOnly) options.arguments.insert(options.arguments.end(), {"-o", std::string(kImage)});
  options.arguments.push_back(call.source);
  BLOBSCOPE_TRY(result, process::run(options, monitor));
  Output out;
  out.log = result.messages + (result.messages.ends_with('\n') ? "" : "\n") + result.output;
  const auto failed = [&](std::string reason) {
    return Error(DiagnosticId::ToolFailed,
                 {{"path", shownPath(pathText(compiler.path))}, arg("reason", std::move(reason))});
  };
  if (result.timedOut) return failed(limit.text());
  // A code of 1 or 255 with messages is a source that does not compile.
  if (!result.exitCode || result.outputCut) return failed(process::describe(result, options));
  if (*result.exitCode != 0) return out;
  if (call.checksOnly) {
    out.image = request.source;
    return out;
  }
  auto file = ByteSource::openPrivate(folder.path() / kImage, kImageBytes);
  if (!file) return failed("ended without an error, but wrote no code");
  out.image = Bytes::copyOf(ByteSource::all(*file).view());
  return out;
}

} // namespace blobscope::compile
