#pragma once

#include "core/compile/compile.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
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

/// The time that all compilers of a request have together.
class TimeLimit {
public:
  explicit TimeLimit(uint64_t ms)
      : m_ms(ms), m_end(std::chrono::steady_clock::now() + std::chrono::milliseconds(std::min(ms, uint64_t{1} << 40))) {
  } ///< far before the end of time
  uint64_t leftMs() const {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(m_end - std::chrono::steady_clock::now()).count();
    return left > 0 ? static_cast<uint64_t>(left) : 0;
  }
  /// "did not end within 120 s and was stopped", after the name of the program.
  std::string text() const;

private:
  uint64_t m_ms;
  std::chrono::steady_clock::time_point m_end;
};
/// The same as compile() with a limit that has begun; Request::timeoutMs does not count.
Result<Compiled> compileWithin(const Request& request, const TimeLimit& limit, Monitor& monitor);

/// Limits of each process of a compiler. Source of the second: what compilers of GCC 12, clang 14 and CUDA 13 use for
/// large kernels is below a third of it.
constexpr uint64_t kCompilerAddresses = uint64_t{16} << 30, ///< cicc reserves much more than it uses
    kCompilerMemory = uint64_t{2} << 30;                    ///< private writable memory

/// The note about a flag that a module records and that is not passed.
Message noteOf(std::string_view flag);
/// COMP-OPTION: that flag is not passed to the compiler, and what to do.
Error flagError(std::string_view flag);

/// The output of one compiler run for one architecture.
struct Output {
  std::string version; ///< of a compiler in the runner; toolVersion() is that of a tool
  std::string log;
  std::optional<Bytes> image; ///< nothing when the source does not compile
};

/// The version that ptxas or nvcc states: "13.0.88"; empty when it does not. Errors: those of process::run().
Result<std::string> toolVersion(const CompilerHere& compiler, const TimeLimit& limit, Monitor& monitor);
/// Whether it is a program that runTool() starts.
bool isTool(const Compiler& compiler);
/// Confined tools. clang, naga and Tint only check: they return the source as their image. Errors: TOOL-FAILED,
/// FILE-WRITE, Cancelled.
Result<Output> runTool(const CompilerHere& compiler, const Request& request, const std::string& architecture,
                       const TimeLimit& limit, Monitor& monitor);
/// NVRTC, nvJitLink and the OpenCL driver in the runner; the driver returns the source as its image. Errors:
/// COMP-MISSING when the library or the driver is not there, RUN-RUNNER, TOOL-FAILED, FILE-WRITE, Cancelled.
Result<Output> runInRunner(const CompilerHere& compiler, const Request& request, const std::string& architecture,
                           const TimeLimit& limit, Monitor& monitor);

/// COMP-MISSING for compilers of one language, at least one: what they come with, and where they were searched.
Error missing(std::span<const CompilerHere> compilers);

} // namespace blobscope::compile
