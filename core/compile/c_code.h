#pragma once

#include "core/base/bytes.h"
#include "core/base/diagnostic.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/process/tools.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Compiles the C code of an archive for size with a C compiler of this machine, which runs confined. Nothing that was
/// compiled is executed, and nothing of it is kept.
namespace blobscope::compile {

/// A file of the archive.
struct CFile {
  std::string path; ///< "codegen/host/src/default_lib0.c", relative, without ".."
  Bytes text;
};

struct CRequest {
  std::vector<CFile> sources; ///< those that are compiled, one after the other
  std::vector<CFile> headers; ///< of the archive; each is found from its own folder of those below
  /// Folders of the archive in which headers are searched, before the declarations of cHeaders().
  std::vector<std::string> folders;
  std::vector<CFile> objects = {};     ///< of the archive, for `link`; isLinkable()
  bool link = false;                   ///< also link everything to a shared library
  std::string compiler = {};           ///< a name or a path: "arm-none-eabi-gcc"; empty: "cc"
  std::vector<std::string> flags = {}; ///< before the name of the source; those that sortFlags("cc") passes
  bool anyFlag = false;                ///< `flags` are passed as they are
  process::ToolSearch search = process::ToolSearch::fromEnvironment();
  uint64_t timeoutMs = 120'000; ///< of all sources together, and of linking
};

/// What the compiler says about a file.
struct CMessage {
  std::string path; ///< the file of the archive; empty for warnings and notes about files of the system
  Severity severity = Severity::Error;
  uint64_t line = 0, column = 0; ///< from 1; 0: the compiler does not say it
  std::string text;              ///< one line, escaped
};

/// The result of one source.
struct CUnit {
  std::string path;
  bool ok = false;
  /// Bytes of the object file by what they need on the device; nothing when the source does not compile.
  struct Sizes {
    uint64_t code = 0;      ///< executable sections
    uint64_t constants = 0; ///< other sections that are loaded and not written
    uint64_t data = 0;      ///< variables with a value at the start
    uint64_t zeros = 0;     ///< variables without one
  };
  std::optional<Sizes> sizes;
};

struct CResult {
  std::string compiler, version; ///< as requested; what `--version` states in its first line, escaped
  std::vector<CUnit> units;
  std::vector<CMessage> messages; ///< at most 1,000
  std::optional<Bytes> library;   ///< of `link`; nothing when a source does not compile
};

/// Code that does not compile is a result with messages. An error that is not in a file of the archive names the source
/// that was compiled. Errors: COMP-MISSING without the compiler; COMP-OPTION for a flag that may name other files or
/// programs, and for an object that is not isLinkable(); TOOL-FAILED when the compiler crashes, does not end in time,
/// or cannot link; FILE-WRITE; Cancelled.
Result<CResult> compileC(const CRequest& request, Monitor& monitor);

/// The processor of this machine, as LLVM names it: "x86_64".
std::string_view hostArch();
/// Why a linker does not get the object; empty when it does. It gets only object files of ELF for this machine: it
/// would take a text for a script with commands, and compile code or find libraries that sections name.
std::string whyNotLinkable(const Bytes& object, Monitor& monitor);

/// The messages in the output of GCC, clang or compatible compilers: "PATH:LINE:COLUMN: error: TEXT". `root`: the
/// folder of the archive's files, with "/" at the end; `path` is without "." and "..", and empty for other files.
std::vector<CMessage> parseCLog(std::string_view log, std::string_view root);

} // namespace blobscope::compile
