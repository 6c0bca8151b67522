#pragma once

#include "core/base/extent.h"
#include "core/base/ref.h"
#include "core/check/report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What happens when a file is loaded, what its code could do, and which bytes nothing explains, by reading it only.
/// Source: core/formats/safety.md.
namespace blobscope::safety {

/// What an imported function acts on.
enum class Group : uint8_t { Process, File, Network, DynamicCode, Memory, Threads, Tvm, CLibrary, Other };
/// The word in --json: "process", "dynamic-code".
std::string_view groupName(Group group);
/// For people: "Process", "Dynamic code".
std::string_view groupTitle(Group group);
/// The first `most` names, escaped and shortened, and how many more there are.
std::string namesText(const std::vector<std::string>& names, std::size_t most);
/// Whether such functions act on something outside of the computation: processes, files, the network, code, memory.
bool actsOn(Group group);
inline constexpr std::size_t kGroups = 9;

/// A function or variable that the file takes from a library.
struct Import {
  std::string name;
  std::string library; ///< empty when the file does not say it
  Group group = Group::Other;
  bool expected = false; ///< libraries that TVM exports, or the run-time of their compiler, need it
  bool delayed = false;  ///< found at the first call
  Ref ref;
};

/// Who starts a piece of code.
enum class Trigger : uint8_t {
  Preinit,     ///< DT_PREINIT_ARRAY
  Init,        ///< DT_INIT, LC_ROUTINES
  Constructor, ///< an array of functions that run when the file is loaded
  Ifunc,       ///< chooses an implementation while symbols are bound
  TlsCallback,
  Entry,             ///< the entry point of a DLL, the start function of WebAssembly
  GlobalInitializer, ///< called through a table of the C run-time
  Destructor         ///< runs when the file is unloaded, or when the process ends
};
/// "constructor", "tls-callback".
std::string_view triggerName(Trigger trigger);

/// How much is known about a piece of code.
enum class Verdict : uint8_t {
  Known,     ///< all of it has the exact shape of the run-time of a compiler
  Contained, ///< not known; all its calls were followed and reach only TVM and the C and C++ libraries
  Unknown,   ///< not known; not all its calls could be followed
  Acts       ///< not known; reaches functions that act on processes, files, networks, code or memory, or the kernel
};
/// "known", "acts".
std::string_view verdictName(Verdict verdict);

/// An imported function that a piece of code calls.
struct Reached {
  std::string name;
  Group group = Group::Other;
  uint64_t at = 0;            ///< address of the call
  std::vector<uint64_t> path; ///< addresses of the functions from the piece to the call
  std::string text;           ///< first text that is passed; empty when there is none
  std::optional<uint64_t> textAt;
  bool byKnown = false;  ///< known code calls it, so that it is no surprise
  bool computed = false; ///< the name that it passes to a function that loads code is not a constant
};

/// A function that a piece of code reaches.
struct ReachedFunction {
  uint64_t address = 0;
  std::string digest; ///< of its code without addresses; empty when it could not be read
  std::string known;  ///< "register_tm_clones"; empty when it is not known
};

/// Code that runs when the file is loaded or unloaded.
struct Piece {
  Trigger trigger = Trigger::Constructor;
  std::string slot; ///< ".init_array[0]", "DT_INIT"
  uint64_t address = 0;
  std::optional<uint64_t> size; ///< of its first function
  std::string symbol;           ///< empty when it has none
  Ref ref;
  Verdict verdict = Verdict::Unknown;
  std::string known;                   ///< "frame_dummy of GCC's crtbegin.o"; empty unless Known
  std::vector<std::string> incomplete; ///< why not all of it could be followed
  std::vector<Reached> reaches;
  std::vector<ReachedFunction> functions;
  std::vector<uint64_t> systemCalls; ///< addresses of instructions that call the kernel
  std::vector<uint64_t> indirect;    ///< addresses of calls whose target is not known
  uint64_t calls = 0, instructions = 0, depth = 0;
};

struct UnownedRange {
  Extent extent;
  double entropy = 0;    ///< bits per byte, 0 to 8
  std::string looksLike; ///< "zip", "gzip", "elf", "text"; empty for nothing known
  std::string where;     ///< "after the last section", "between .text and .rodata"
  bool zeros = false;
  Ref ref;
};

/// "7.99".
std::string entropyText(double entropy);

/// A section that no linker or TVM writes.
struct OddSection {
  std::string name;
  Extent extent;
  double entropy = 0;
  std::string looksLike;
  Ref ref;
};

/// A file inside the file's data, outside of its blobs.
struct InsideFile {
  std::string looksLike; ///< "elf", "pe", "zip"; "blob" for modules of TVM that no carrier labels
  uint64_t at = 0;
  Ref ref;
};

/// A text in the file's data.
struct FoundText {
  enum class Kind : uint8_t { Url, Command, Loader, Path };
  Kind kind = Kind::Path;
  std::string text;
  uint64_t at = 0; ///< in the file
  Ref ref;
};
/// "url", "command", "loader", "path".
std::string_view textKindName(FoundText::Kind kind);

/// A signature, inside the file or beside it. No key or certificate is checked.
struct Signature {
  std::string kind;            ///< "authenticode", "code-signature", "minisign", "cosign", "openpgp"
  std::string path;            ///< of the file beside it; empty for a signature inside
  Extent extent;               ///< in the file
  std::string signer;          ///< the name that it states; empty when it states none
  std::string key;             ///< the number of the key that it states
  std::string covers;          ///< "the whole file", "all bytes but the checksum and the signature"
  std::optional<bool> matches; ///< whether its digest is that of the file; nothing when that needs the key
  std::string problem;         ///< why it cannot be read; else empty
};

struct BlobDigest {
  Ref ref;
  std::string sha256;
  std::string content; ///< of its modules; the same when only order, padding, build paths or times differ
};

/// What the file says about protection when it is mapped.
struct Protection {
  bool executableStack = false;
  bool textRelocations = false;
  std::string relro;                 ///< "full", "partial", "none"; empty for formats without it
  std::vector<Ref> writableSegments; ///< that are executable, too
  bool writableCode() const { return !writableSegments.empty(); }
};

/// Where the file comes from, by what it says itself.
struct Identity {
  std::string file, code; ///< SHA-256; `code`: of all executable sections. Empty for `code` when there are none
  std::string content;    ///< of all blobs
  std::vector<BlobDigest> blobs;
  std::string buildId;
  std::vector<std::string> compilers, times, users;
};

/// A function of the runtime that bytecode or a graph calls by name.
struct PackedCall {
  std::string name;
  std::string act; ///< "reads or writes files"; empty when it acts on nothing outside the process
  Ref ref;
};

/// The answer.
struct Report {
  std::vector<Piece> pieces; ///< in the order in which they run
  std::vector<Import> imports;
  std::vector<std::string> libraries, searchPaths;
  std::vector<std::string> environment; ///< DT_AUDIT, DT_FILTER, LC_DYLD_ENVIRONMENT: "DT_AUDIT libx.so"
  Protection protection;
  std::vector<Signature> signatures;
  Identity identity;
  std::vector<UnownedRange> unowned;
  std::vector<OddSection> sections;
  std::vector<InsideFile> inside;
  std::vector<FoundText> texts;
  std::vector<PackedCall> packedCalls;
  struct SystemCall {
    uint64_t address = 0;
    std::string text;
    Ref ref;
  };
  std::vector<SystemCall> systemCalls; ///< in all code
  uint64_t unownedBytes = 0;
  std::vector<std::string> notRead; ///< what this program could not read, as sentences
  /// Why tables that say what runs, what is imported and what owns the bytes cannot be read; empty when they can.
  std::string damage;
  check::Report findings;

  /// "Loading this file runs 4 pieces of code. 3 are known; 1 is not, and it can start a process."
  std::string sentence() const;
  /// "TVM and the C and C++ libraries": what code that runs at load, is not known and was followed, uses.
  std::string usedLibraries() const;
  /// "use files and load other code": what code that runs at load, and is not known, can do; empty for nothing.
  std::string acts() const;
  bool hasFindings() const; ///< above note
};

} // namespace blobscope::safety
