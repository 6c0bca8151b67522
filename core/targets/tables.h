#pragma once

#include "core/targets/facts.h"

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace blobscope::targets {

/// Releases that have something, as ranges; empty: none.
using Ranges = std::vector<Range>;
bool contains(const Ranges& ranges, std::size_t release);

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class T> using ByName = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

/// A text that holds for some releases.
struct RangedText {
  Ranges releases;
  std::string text;
};

/// Where a function is registered: a build flag, or one of the words always, disco, tvm-ffi, compiler, python, WASM.
struct Registration {
  uint32_t group = 0; ///< number in Tables::groups
  Ranges releases;
};

struct ExportedSymbol {
  Ranges releases;
  Ranges maybe; ///< it depends on the version of libtvm_ffi
  std::string library;
};

struct RangedCount {
  Ranges releases;
  ArgumentCount count; ///< without signature and check
};

struct FunctionArguments {
  std::vector<RangedCount> counts;
  std::vector<RangedText> signatures, checks;
};

struct Machine {
  bool relay = false;
  Ranges releases;
  MachineFormat format; ///< of Relay without version
};

/// The content of resources/facts for Runtime; what each table means is in its "about".
struct Tables {
  // runtimes.json
  ByName<Ranges> defaults, slots, launchTags;
  std::vector<RangedText> carriers, loaders;
  std::vector<RangedText> cudaVersions; ///< whose driver has what the runtime calls: "11.8"
  ByName<ExportedSymbol> symbols;
  ByName<ByName<ExportedSymbol>> webImports; ///< import module → name → releases whose JavaScript provides it
  Ranges systemPrefix;                       ///< releases whose system libraries have a prefix
  ByName<std::vector<RangedText>> libraries; ///< build flag → library
  std::vector<Machine> machines;
  ByName<std::vector<std::pair<std::string, Ranges>>> layouts; ///< type key → layouts
  std::array<std::vector<RangedText>, kMessages> messages;
  // functions.json
  std::vector<std::string> groups;
  ByName<std::vector<Registration>> functions;
  // arguments.json
  ByName<FunctionArguments> arguments;
  // ffi.json: numbers in Facts::ffiReleases()
  ByName<Range> ffiExports;   ///< C functions, and C++ functions that went
  ByName<Range> ffiFunctions; ///< that it registers
};

/// The text for a release; empty when there is none.
std::string_view textOf(const std::vector<RangedText>& texts, std::size_t release);

} // namespace blobscope::targets
