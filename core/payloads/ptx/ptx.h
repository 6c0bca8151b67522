#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/view/page.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Device code as text. Only the declarations around the code are read. Source of all facts: PTX ISA 9.0 (chapters 4.3,
/// 5 and 11) and core/formats/cuda-binaries.md 4.
namespace blobscope::payloads {

/// A variable or parameter.
struct PtxVariable {
  Bytes name;
  std::string type;              ///< without its point: "u64", "b8[128]", "v2.f32"
  std::optional<uint64_t> bytes; ///< nothing for `[]` and for types without a size (texref)
};

/// A line after the parameters of an entry: ".maxntid 128, 1, 1".
struct PtxDirective {
  std::string name; ///< without its point
  std::vector<uint64_t> values;
};

struct PtxEntry {
  Bytes name;
  uint64_t line = 0; ///< of `.entry`, from 1
  Extent body;       ///< from `{` to `}`, from the first byte of the text; empty when there is none
  std::vector<PtxVariable> parameters;
  std::vector<PtxDirective> directives;
  uint64_t sharedBytes = 0;         ///< of the variables that its body declares
  bool dynamicSharedMemory = false; ///< its body uses an `.extern .shared` array

  /// Total size of all parameters of known size, without alignment padding.
  uint64_t parameterBytes() const;
  /// Threads of the required or else the largest block; nothing when neither is declared, or it is not a number of 64
  /// bits.
  std::optional<uint64_t> blockThreads() const;
};

struct Ptx {
  std::string version;                                       ///< "9.0"
  std::string target;                                        ///< "sm_90a"
  std::vector<std::string> targetOptions;                    ///< "texmode_independent"
  std::optional<uint64_t> addressSize;                       ///< bits
  std::vector<PtxEntry> entries;                             ///< in the order of the text
  uint64_t functions = 0;                                    ///< `.func` with a body
  uint64_t sharedBytes = 0, constBytes = 0, globalBytes = 0; ///< of variables outside of bodies, without extern ones
  std::vector<std::string> damage; ///< one sentence each: where and why; empty when everything could be read
};

/// 84 for "8.4"; 0 for other texts.
uint32_t ptxVersionNumber(std::string_view text);

/// Reads the declarations of a text in one pass. Reading ends at the first NUL or at text that it does not understand;
/// a text cut in the middle of an entry still returns the entry.
Ptx readPtx(const Bytes& text);

/// A place where a text uses a name.
struct PtxName {
  Bytes name;         ///< a slice of the text
  bool entry = false; ///< declares a kernel: the word after `.entry`
};
/// Returns all whole words of the text that are one of `names`, in order, without those in comments and strings.
/// Reading ends at the first NUL.
std::vector<PtxName> findPtxNames(const Bytes& text, const std::set<std::string_view>& names);
/// Whether PTX accepts the name for a kernel. Source: PTX ISA 9.0, 4.4 Identifiers; those with '%' are left to
/// registers.
bool isPtxName(std::string_view name);

/// "PTX" and "Entries"; "Damage" when there is any.
void addPtxPages(const Bytes& text, view::PageList& list);

} // namespace blobscope::payloads
