#pragma once

#include "core/compile/compile.h"

#include <span>
#include <string>

namespace blobscope::compile {

/// How a compiler of the table is used.
enum class Kind : uint8_t { Ptxas, Nvcc, Nvrtc, NvJitLink, SpirvTools, OpenClDriver, Clang, Naga, Tint };
Kind kindOf(const Compiler& compiler);
/// The name of the language that it compiles.
std::string_view languageOf(const Compiler& compiler);
/// "nvrtc, nvcc"; empty for languages without a compiler.
std::string namesOf(Language language);

/// The output of one compiler run for one architecture.
struct Output {
  std::string version; ///< of a compiler in the runner; toolVersion() is that of a tool
  std::string log;
  std::optional<Bytes> image; ///< nothing when the source does not compile
};

/// The version that ptxas or nvcc states: "13.0.88"; empty when it does not. Errors: those of process::run().
Result<std::string> toolVersion(const CompilerHere& compiler, const Request& request, Monitor& monitor);
/// Whether it is a program that runTool() starts.
bool isTool(const Compiler& compiler);
/// Confined tools. clang, naga and Tint only check: they return the source as their image. Errors: TOOL-FAILED,
/// FILE-WRITE, Cancelled.
Result<Output> runTool(const CompilerHere& compiler, const Request& request, const std::string& architecture,
                       Monitor& monitor);
/// NVRTC, nvJitLink and the OpenCL driver in the runner; the driver returns the source as its image. Errors:
/// COMP-MISSING when the library or the driver is not there, RUN-RUNNER, TOOL-FAILED, FILE-WRITE, Cancelled.
Result<Output> runInRunner(const CompilerHere& compiler, const Request& request, const std::string& architecture,
                           Monitor& monitor);

/// COMP-MISSING for compilers of one language, at least one: what they come with, and where they were searched.
Error missing(std::span<const CompilerHere> compilers);

} // namespace blobscope::compile
