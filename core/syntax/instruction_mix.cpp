#include "core/syntax/instruction_mix.h"

#include "core/base/thread_rule.h"
#include "core/syntax/structure_scanner.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>

namespace blobscope::syntax {
namespace {

using Class = InstructionClass;

constexpr std::size_t kMixLines = 4'096;

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool beginsWithOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view one) { return word.starts_with(one); });
}

bool hasSuffix(std::string_view opcode, std::string_view suffix) {
  for (std::size_t at = opcode.find(suffix); at != std::string_view::npos; at = opcode.find(suffix, at + 1)) {
    const std::size_t end = at + suffix.size();
    if (end == opcode.size() || opcode[end] == '.' || opcode[end] == ':') return true;
  }
  return false;
}

bool isFloating(std::string_view opcode) {
  return beginsWithOneOf(opcode.substr(std::min(opcode.rfind('.'), opcode.size())),
                         {".f", ".bf", ".tf", ".e4", ".e5", ".e2", ".e3"});
}

/// The class of a PTX access by its state space.
Class spaceOf(std::string_view opcode) {
  if (hasSuffix(opcode, ".shared")) return Class::Shared;
  if (hasSuffix(opcode, ".local")) return Class::Local;
  if (hasSuffix(opcode, ".param") || hasSuffix(opcode, ".const")) return Class::Constant;
  return Class::Global;
}

/// Skips blanks and a predicate: "@!%p1 ", "@P0 ".
std::string_view withoutPredicate(std::string_view words) {
  if (!words.starts_with('@')) return words;
  return trimmed(words.substr(std::min(words.find_first_of(" \t"), words.size())));
}

std::string_view sassOpcode(std::string_view words) {
  // "/*0040*/"; a comment in another form has no instruction after it.
  if (!words.starts_with("/*")) return {};
  const std::size_t end = words.find("*/");
  if (end == std::string_view::npos) return {};
  words = withoutPredicate(trimmed(words.substr(end + 2)));
  const std::string_view word = words.substr(0, words.find_first_of(" \t;"));
  return !word.empty() && word.front() >= 'A' && word.front() <= 'Z' ? word : std::string_view();
}

std::string_view ptxOpcode(std::string_view words) {
  while (words.starts_with('{') || words.starts_with('}')) words = trimmed(words.substr(1));
  words = withoutPredicate(words);
  const std::string_view word = words.substr(0, words.find_first_of(" \t;"));
  if (word.empty() || word.front() < 'a' || word.front() > 'z' || word.ends_with(':')) return {};
  const std::string_view base = word.substr(0, word.find('.'));
  const Language& ptx = language("ptx");
  return std::binary_search(ptx.opcodes.begin(), ptx.opcodes.end(), base) ? word : std::string_view();
}

} // namespace

std::string_view instructionClassName(Class kind) {
  constexpr std::array<std::string_view, kInstructionClasses> kNames = {
      "floating point", "integer and logic", "special functions", "matrix",       "conversions",
      "moves",          "global memory",     "shared memory",     "local memory", "constants",
      "textures",       "control flow",      "exchange",          "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

uint64_t InstructionMix::total() const { return std::accumulate(counts.begin(), counts.end(), uint64_t{0}); }

Class classOfPtx(std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  if (isOneOf(base, {"ldmatrix", "stmatrix"})) return Class::Shared;
  if (isOneOf(base, {"ld", "ldu", "st", "atom", "red"})) return spaceOf(opcode);
  if (isOneOf(base, {"cp", "prefetch", "prefetchu", "multimem", "discard", "applypriority"})) return Class::Global;
  if (isOneOf(base, {"tex", "tld4", "suld", "sust", "sured", "txq", "suq", "istypep"})) return Class::Texture;
  if (isOneOf(base, {"bra", "brx", "call", "ret", "exit", "trap", "brkpt"})) return Class::Control;
  if (isOneOf(base, {"bar", "barrier", "membar", "fence", "mbarrier", "shfl", "vote", "match", "redux", "activemask",
                     "nanosleep", "griddepcontrol", "elect"}))
    return Class::Exchange;
  if (isOneOf(base, {"wmma", "mma", "wgmma", "tcgen05", "movmatrix"})) return Class::Matrix;
  if (isOneOf(base, {"rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh"})) return Class::Special;
  if (base == "cvt") return Class::Conversion;
  if (isOneOf(base, {"mov", "cvta", "selp", "slct", "mapa", "createpolicy", "isspacep"})) return Class::Move;
  if (isOneOf(base, {"add", "addc", "sub", "subc", "mul", "mul24", "mad", "mad24", "madc",  "fma",
                     "min", "max",  "neg", "abs",  "div", "rem",   "set", "setp",  "testp", "copysign"}))
    return isFloating(opcode) ? Class::FloatingPoint : Class::Integer;
  if (isOneOf(base, {"and",   "or",   "xor",  "not", "cnot", "shl",  "shr", "shf",   "lop3", "bfe",  "bfi",
                     "bfind", "bmsk", "brev", "clz", "popc", "prmt", "sad", "szext", "fns",  "dp2a", "dp4a"}) ||
      base.starts_with('v'))
    return Class::Integer;
  return Class::Other;
}

Class classOfSass(std::string_view opcode) {
  std::string_view base = opcode.substr(0, opcode.find('.'));
  if (isOneOf(base, {"HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "OMMA", "HGMMA", "IGMMA", "QGMMA", "BGMMA"}) ||
      (base.starts_with("UTC") && base.ends_with("MMA")))
    return Class::Matrix;
  if (isOneOf(base, {"LDS", "STS", "ATOMS", "LDSM", "STSM", "STAS", "REDAS", "LDGSTS"}))
    return base == "LDGSTS" ? Class::Global : Class::Shared;
  if (isOneOf(base, {"LDL", "STL"})) return Class::Local;
  if (isOneOf(base, {"LDC", "ULDC", "LDCU"})) return Class::Constant;
  if (isOneOf(base, {"LDG", "STG", "LD", "ST", "ATOM", "ATOMG", "RED", "REDG", "CCTL", "CCTLL", "UBLKCP", "UBLKPF"}) ||
      base.starts_with("UTMA"))
    return Class::Global;
  if (isOneOf(base, {"TEX", "TLD", "TLD4", "TXD", "TXQ", "TMML", "SULD", "SUST", "SUATOM", "SURED", "SUQUERY"}))
    return Class::Texture;
  if (isOneOf(base,
              {"BAR",   "MEMBAR",      "DEPBAR",       "LDGDEPBAR", "ERRBAR",    "SYNCS",    "SHFL",     "VOTE",
               "VOTEU", "MATCH",       "REDUX",        "CREDUX",    "NANOSLEEP", "WARPSYNC", "YIELD",    "ARRIVES",
               "FENCE", "UCGABAR_ARV", "UCGABAR_WAIT", "WARPGROUP", "ELECT",     "ACQBULK",  "CGAERRBAR"}))
    return Class::Exchange;
  if (isOneOf(base, {"BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "RET", "EXIT", "BSSY", "BSYNC", "BREAK",
                     "BMOV", "KILL", "RTT", "BPT", "PREEXIT", "WARPRET"}))
    return Class::Control;
  if (isOneOf(base, {"F2I", "I2F", "F2F", "I2I", "F2FP", "I2FP", "FRND", "I2IP", "F2IP", "I2I", "F2I2", "UF2F"}))
    return Class::Conversion;
  if (base == "MUFU") return Class::Special;
  if (isOneOf(base, {"MOV",   "UMOV", "MOV32I", "S2R",  "S2UR", "CS2R", "R2UR", "SEL",   "FSEL",  "USEL", "PRMT",
                     "UPRMT", "P2R",  "R2P",    "MOVM", "P2UR", "R2B",  "B2R",  "UP2UR", "UR2UP", "SHFL"}) ||
      opcode.starts_with("IMAD.MOV"))
    return Class::Move;
  if (base.starts_with('U')) base.remove_prefix(1);
  if (isOneOf(base, {"IADD",     "IADD3",     "IADD32I", "IMAD", "IMUL", "IMNMX", "IMNMX3", "ISETP",   "ISCADD",
                     "IDP",      "IABS",      "LEA",     "LOP",  "LOP3", "PLOP3", "SHF",    "SHL",     "SHR",
                     "BMSK",     "BREV",      "FLO",     "POPC", "SGXT", "VIADD", "VIMNMX", "VIMNMX3", "VIADDMNMX",
                     "VABSDIFF", "VABSDIFF4", "PSETP",   "XMAD", "BFE",  "BFI",   "VHMNMX"}))
    return Class::Integer;
  if (isOneOf(base, {"FADD",    "FADD2",  "FADD32I",   "FMUL",      "FMUL2",    "FMUL32I", "FFMA",    "FFMA2",
                     "FFMA32I", "FMNMX",  "FMNMX3",    "FSET",      "FSETP",    "FCHK",    "FSWZADD", "DADD",
                     "DMUL",    "DFMA",   "DSETP",     "DMNMX",     "HADD2",    "HMUL2",   "HFMA2",   "HSET2",
                     "HSETP2",  "HMNMX2", "HADD2_32I", "HFMA2_32I", "HMUL2_32I"}))
    return Class::FloatingPoint;
  return Class::Other;
}

std::string_view opcodeOf(std::string_view line, std::string_view languageName) {
  const std::string_view words = trimmed(line);
  if (languageName == "sass") return sassOpcode(words);
  if (languageName == "ptx") return ptxOpcode(words);
  return {};
}

Result<InstructionMix> computeInstructionMix(std::string_view text, std::string_view languageName, Monitor& monitor) {
  longWork("syntax::computeInstructionMix");
  InstructionMix out;
  const bool sass = languageName == "sass";
  if (!sass && languageName != "ptx") return out;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    if (number % kMixLines == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!sass) {
      // Several instructions of PTX may be on one line.
      line = line.substr(0, line.find("//"));
      for (std::size_t from = 0; from < line.size();) {
        const std::size_t to = std::min(line.find(';', from), line.size());
        if (const std::string_view opcode = opcodeOf(line.substr(from, to - from), languageName); !opcode.empty())
          ++out.counts[static_cast<std::size_t>(classOfPtx(opcode))];
        from = to + 1;
      }
      continue;
    }
    const std::string_view opcode = opcodeOf(line, languageName);
    if (!opcode.empty() && opcode != "NOP") ++out.counts[static_cast<std::size_t>(classOfSass(opcode))];
  }
  return out;
}

} // namespace blobscope::syntax
