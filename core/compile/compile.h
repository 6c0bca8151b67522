#pragma once

#include "core/base/bytes.h"
#include "core/base/diagnostic.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/process/tools.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Compiles the source of kernels with the compilers that are on this machine. Tools run confined, libraries of NVIDIA
/// and OpenCL drivers in the runner; nothing that was compiled is executed. Source of the facts about NVIDIA's
/// compilers: core/formats/cuda-binaries.md.
namespace blobscope::compile {

enum class Language : uint8_t { CudaCpp, Ptx, SpirvAssembly, OpenClC, Wgsl, Metal };
/// "CUDA C++", "PTX", "SPIR-V assembly", "OpenCL C", "WGSL", "Metal".
std::string_view languageName(Language language);

/// A compiler of the table.
struct Compiler {
  std::string_view
      name; ///< the word of the command line: "ptxas", "nvcc", "nvrtc", "nvjitlink", "spirv-as", "opencl", "clang" …
  std::string_view title;   ///< "ptxas"; "NVRTC"
  std::string_view unlocks; ///< what it is for, after "for": "compiling PTX to machine code"
  std::string_view source;  ///< where it comes from: "the CUDA toolkit and with the Python package nvidia-cuda-nvcc"
};

/// The names of all compilers, those for the same language in the order in which they are preferred.
std::vector<std::string> compilerNames();

/// A compiler for a language on this machine, or why it is not there.
struct CompilerHere {
  const Compiler* compiler = nullptr;
  std::filesystem::path path; ///< of the program or library; empty for those that are built in, or missing
  bool found = false;
  std::vector<std::string> places; ///< where it was searched
};
/// Those that compile the language, the preferred one first. Only searches; runs nothing.
std::vector<CompilerHere> compilersFor(Language language, const process::ToolSearch& search);

/// What a compiler says about the source.
struct Message {
  Severity severity = Severity::Error;
  uint64_t line = 0, column = 0; ///< from 1; 0: the compiler does not say it
  std::string text;              ///< one line, escaped
};

/// What a compiled kernel needs, where the compiler or its output says it.
struct KernelUse {
  std::string name;
  std::optional<uint64_t> registers; ///< of a thread
  std::optional<uint64_t> shared;    ///< static, of a block, in bytes
  std::optional<uint64_t> stack;     ///< of a thread, in bytes
  std::optional<uint64_t> codeBytes; ///< machine code
  /// How many of the warps of a multiprocessor are occupied by blocks of the largest size, in per cent; an estimate
  /// without dynamic shared memory.
  std::optional<uint64_t> occupancy;
};
/// The kernels of an image: those of a cubin, or of the first cubin of a fat binary that is not compressed, for
/// `architecture` if there is one. Empty for other code.
std::vector<KernelUse> kernelsOf(const Bytes& image, std::string_view architecture = {});
/// The kernels of a PTX text that the cubin made of it lacks, by name, escaped. Empty for other images.
std::vector<std::string> lostKernels(const Bytes& ptx, const Bytes& image);

/// Flags by whether they are passed to a compiler.
struct SortedFlags {
  std::vector<std::string> passed, leftOut;
};
/// Which flags a compiler ("nvcc"; "cc" for any C compiler) gets without an explicit request: those that only change
/// how code is generated and which warnings there are – optimisation, mathematics, line information, registers,
/// language version, processor, definitions with simple values. All others could name files and programs. A value in a
/// word of its own is joined with its flag.
SortedFlags sortFlags(std::string_view compiler, std::span<const std::string> flags);

/// By the name of the compiler.
using FlagsByCompiler = std::map<std::string, std::vector<std::string>, std::less<>>;

struct Request {
  Language language = Language::Ptx;
  Bytes source;
  /// "sm_90" compiles to machine code, "compute_90" to PTX; several make a fat binary. Empty: what the source names, or
  /// for languages without architectures.
  std::vector<std::string> architectures;
  std::vector<std::string> flags; ///< of the user; COMP-OPTION for those that sortFlags() leaves out
  bool anyFlag = false;           ///< `flags` are passed as they are
  /// Without flags: those for the compiler that is used. Those that sortFlags() leaves out are not passed, and a note
  /// names each.
  FlagsByCompiler recordedFlags;
  std::string compiler; ///< by its name; empty: the first that is found
  process::ToolSearch search = process::ToolSearch::fromEnvironment();
  uint64_t timeoutMs = 120'000; ///< of all that is compiled for the request
};

struct Compiled {
  std::string compiler, version; ///< "ptxas", "13.0.88"; the version may be empty
  std::vector<std::string> architectures, flags;
  std::vector<Message> messages;
  std::vector<KernelUse> kernels;
  std::optional<Bytes> code; ///< nothing when the source does not compile, or is only checked
  std::string format;        ///< of the code: "cubin", "ptx", "fatbin", "spirv"; empty without code
  bool ok = false;           ///< the source compiles
};

/// A source that does not compile is a result with messages. Errors: COMP-MISSING when no compiler for the language is
/// there (the message names each one and where it was searched); COMP-OPTION for an architecture, flag or compiler that
/// cannot be used; TOOL-FAILED when the compiler crashes, does not end in time, prints too much or writes no code;
/// FILE-WRITE; Cancelled.
Result<Compiled> compile(const Request& request, Monitor& monitor);

} // namespace blobscope::compile
