#include "core/syntax/languages.h"

#include <algorithm>

namespace blobscope::syntax {
namespace {

// Opcodes of Turing to Blackwell. Source: ptxas of nvidia-cuda-nvcc 13.0.88, which contains the names in ROT13;
// compiler-explorer/compiler-explorer 174e1477264d lib/asm-docs/generated/asm-docs-sass.ts, made from NVIDIA's "CUDA
// Binary Utilities" (UMEMSETS and names with UTC); https://www.pnfsoftware.com/other/sass/sass_insn_most_common.txt
// (FENCE, SYNCS). A missing word is plain.
constexpr auto kOpcodes =
    std::to_array<std::string_view>({"ACQBULK",      "ACQSHMINIT",   "AL2P",          "ALD",
                                     "AST",          "ATOM",         "ATOMG",         "ATOMS",
                                     "B2R",          "BAR",          "BGMMA",         "BMMA",
                                     "BMOV",         "BMSK",         "BPT",           "BRA",
                                     "BREAK",        "BREV",         "BRX",           "BRXU",
                                     "BSSY",         "BSYNC",        "CALL",          "CCTL",
                                     "CCTLL",        "CCTLT",        "CGAERRBAR",     "CREDUX",
                                     "CS2R",         "CS2UR",        "CSMTEST",       "DADD",
                                     "DEPBAR",       "DFMA",         "DMMA",          "DMUL",
                                     "DSETP",        "ELECT",        "ENDCOLLECTIVE", "ERRBAR",
                                     "EXIT",         "F2F",          "F2FP",          "F2I",
                                     "F2IP",         "FADD",         "FADD2",         "FADD32I",
                                     "FCHK",         "FENCE",        "FFMA",          "FFMA2",
                                     "FFMA32I",      "FHADD",        "FHFMA",         "FLO",
                                     "FMNMX",        "FMNMX3",       "FMUL",          "FMUL2",
                                     "FMUL32I",      "FRND",         "FSEL",          "FSET",
                                     "FSETP",        "FSWZADD",      "GETLMEMBASE",   "HADD2",
                                     "HFMA2",        "HGMMA",        "HMMA",          "HMNMX2",
                                     "HMUL2",        "HSET2",        "HSETP2",        "I2F",
                                     "I2FP",         "I2I",          "I2IP",          "IABS",
                                     "IADD",         "IADD3",        "IADD32I",       "IDE",
                                     "IDP",          "IDP4A",        "IGMMA",         "IMAD",
                                     "IMMA",         "IMNMX",        "IMUL",          "IMUL32I",
                                     "ISBERD",       "ISCADD",       "ISCADD32I",     "ISETP",
                                     "JMP",          "JMX",          "JMXU",          "KILL",
                                     "LD",           "LDC",          "LDCU",          "LDG",
                                     "LDGDEPBAR",    "LDGMC",        "LDGSTS",        "LDL",
                                     "LDS",          "LDSM",         "LDT",           "LDTM",
                                     "LEA",          "LEPC",         "LOP",           "LOP3",
                                     "LOP32I",       "MATCH",        "MEMBAR",        "MOV",
                                     "MOV32I",       "MOVM",         "MUFU",          "NANOSLEEP",
                                     "NOP",          "OMMA",         "OUT",           "P2R",
                                     "PIXLD",        "PLOP3",        "PMTRIG",        "POPC",
                                     "PREEXIT",      "PRMT",         "PSETP",         "QADD4",
                                     "QFMA4",        "QGMMA",        "QMMA",          "QMUL4",
                                     "QSPC",         "R2B",          "R2P",           "R2UR",
                                     "RED",          "REDAS",        "REDG",          "REDUX",
                                     "RET",          "RPCMOV",       "RTT",           "S2R",
                                     "S2UR",         "SEL",          "SETCTAID",      "SETLMEMBASE",
                                     "SETMAXREG",    "SETSMEMSIZE",  "SGXT",          "SHF",
                                     "SHFL",         "SHL",          "SHR",           "SPMETADATA",
                                     "ST",           "STAS",         "STG",           "STL",
                                     "STS",          "STSM",         "STT",           "STTM",
                                     "SUATOM",       "SULD",         "SURED",         "SUST",
                                     "SYNCS",        "TEX",          "TLD",           "TLD4",
                                     "TMML",         "TXD",          "TXQ",           "UBLKCP",
                                     "UBLKPF",       "UBLKRED",      "UBMSK",         "UBREV",
                                     "UCGABAR_ARV",  "UCGABAR_WAIT", "UCLEA",         "UF2F",
                                     "UF2FP",        "UF2I",         "UFADD",         "UFFMA",
                                     "UFLO",         "UFMNMX",       "UFMUL",         "UFRND",
                                     "UFSEL",        "UFSET",        "UFSETP",        "UGETNEXTWORKID",
                                     "UI2F",         "UI2FP",        "UI2I",          "UIABS",
                                     "UIADD3",       "UIMAD",        "UIMNMX",        "UISETP",
                                     "ULDC",         "ULEA",         "ULEPC",         "ULOP",
                                     "ULOP3",        "ULOP32I",      "UMEMSETS",      "UMOV",
                                     "UP2UR",        "UPLOP3",       "UPOPC",         "UPRMT",
                                     "UPSETP",       "UR2UP",        "UREDGR",        "USEL",
                                     "USETMAXREG",   "USETSHMSZ",    "USGXT",         "USHF",
                                     "USHL",         "USHR",         "USTGR",         "UTCATOMSWS",
                                     "UTCBAR",       "UTCCP",        "UTCHMMA",       "UTCIMMA",
                                     "UTCOMMA",      "UTCQMMA",      "UTCSHIFT",      "UTMACCTL",
                                     "UTMACMDFLUSH", "UTMALDG",      "UTMALST",       "UTMAPF",
                                     "UTMAREDG",     "UTMASTG",      "UVIADD",        "UVIMNMX",
                                     "UVIRTCOUNT",   "VABSDIFF",     "VABSDIFF4",     "VHMNMX",
                                     "VIADD",        "VIADDMNMX",    "VIMNMX",        "VIMNMX3",
                                     "VOTE",         "VOTEU",        "WARPGROUP",     "WARPGROUPSET",
                                     "WARPSYNC",     "YIELD"});
static_assert(isSorted(kOpcodes));

// Words after a point: conditions, formats, cache and rounding. RZ is the register too and not in this list.
constexpr auto kModifiers = std::to_array<std::string_view>(
    {"ABS", "AND", "ANY",    "BF16", "BYPASS", "CLEAR", "CONSTANT", "E",   "EF",  "EQ",  "EX",  "F16",  "F32", "F64",
     "FTZ", "GE",  "GPU",    "GT",   "GTU",    "H0_H0", "H1_H1",    "HI",  "L",   "LE",  "LT",  "LTU",  "LUT", "MOV",
     "NAN", "NE",  "NEU",    "NUM",  "OR",     "REL",   "RELU",     "RM",  "RN",  "RP",  "S16", "S32",  "S64", "S8",
     "SAT", "SM",  "STRONG", "SX32", "SYNC",   "SYS",   "TRUNC",    "U16", "U32", "U64", "U8",  "WIDE", "X",   "XOR"});
static_assert(isSorted(kModifiers));

/// All of them in one list, each word once.
constexpr auto kTypes = [] {
  constexpr std::size_t kBoth = [] {
    std::size_t both = 0;
    for (const std::string_view word : kModifiers)
      if (std::binary_search(kOpcodes.begin(), kOpcodes.end(), word)) ++both;
    return both;
  }();
  std::array<std::string_view, kOpcodes.size() + kModifiers.size() - kBoth> out;
  std::set_union(kOpcodes.begin(), kOpcodes.end(), kModifiers.begin(), kModifiers.end(), out.begin());
  return out;
}();
static_assert(isSorted(kTypes));

constexpr auto kDirectives = std::to_array<std::string_view>(
    {"align", "byte", "elftype", "global", "headerflags", "hword", "other", "section", "sectionentsize", "sectionflags",
     "sectioninfo", "short", "size", "target", "type", "weak", "word"});
static_assert(isSorted(kDirectives));

// --- Registers: general ones, predicates, barriers; those with U are uniform for a warp. ---
struct Numbered {
  std::string_view prefix;
  std::size_t count;
};
constexpr std::array<Numbered, 5> kNumbered = {{{"B", 16}, {"P", 7}, {"R", 255}, {"UP", 7}, {"UR", 255}}};
constexpr std::size_t kNumberedCount = [] {
  std::size_t count = 0;
  for (const Numbered& kind : kNumbered) count += kind.count;
  return count;
}();
constexpr auto kOtherRegisters = std::to_array<std::string_view>({"PT",
                                                                  "RZ",
                                                                  "SRZ",
                                                                  "SR_CLOCKHI",
                                                                  "SR_CLOCKLO",
                                                                  "SR_CTAID",
                                                                  "SR_CgaCtaId",
                                                                  "SR_EQMASK",
                                                                  "SR_GEMASK",
                                                                  "SR_GLOBALTIMERHI",
                                                                  "SR_GLOBALTIMERLO",
                                                                  "SR_GTMASK",
                                                                  "SR_LANEID",
                                                                  "SR_LEMASK",
                                                                  "SR_LTMASK",
                                                                  "SR_NTID",
                                                                  "SR_SMEMSZ",
                                                                  "SR_TID",
                                                                  "SR_VIRTCFG",
                                                                  "SR_VIRTID",
                                                                  "SR_VIRTUALSMID",
                                                                  "UPT",
                                                                  "URZ"});

/// "R0", "UR254": with room for the longest name.
struct RegisterName {
  std::array<char, 5> text{};
  std::size_t size = 0;
  constexpr std::string_view view() const { return {text.data(), size}; }
};
constexpr auto kNames = [] {
  std::array<RegisterName, kNumberedCount> names;
  std::size_t at = 0;
  for (const Numbered& kind : kNumbered)
    for (std::size_t number = 0; number < kind.count; ++number) {
      RegisterName& name = names[at++];
      for (const char c : kind.prefix) name.text[name.size++] = c;
      if (number >= 100) name.text[name.size++] = static_cast<char>('0' + number / 100);
      if (number >= 10) name.text[name.size++] = static_cast<char>('0' + number / 10 % 10);
      name.text[name.size++] = static_cast<char>('0' + number % 10);
    }
  return names;
}();
constexpr auto kRegisters = [] {
  std::array<std::string_view, kNumberedCount + kOtherRegisters.size()> names;
  std::size_t at = 0;
  for (const RegisterName& name : kNames) names[at++] = name.view();
  for (const std::string_view name : kOtherRegisters) names[at++] = name;
  std::sort(names.begin(), names.end());
  return names;
}();
static_assert(isSorted(kRegisters));

} // namespace

// The syntax of nvdisasm: offsets and encodings are comments, a point separates an opcode from its modifiers.
const Language kSass = {
    .name = "sass", .keywords = kDirectives, .types = kTypes, .registers = kRegisters, .comments = true};

} // namespace blobscope::syntax
