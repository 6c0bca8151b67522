#include "core/syntax/languages.h"

namespace blobscope::syntax {
namespace {

// Source: PTX ISA 9.0: 4.3.1 directives and 11 directives (keywords), 5.2 fundamental types, 9.7 instructions.
constexpr auto kDirectives = std::to_array<std::string_view>({".abi_preserve",
                                                              ".abi_preserve_control",
                                                              ".address_size",
                                                              ".alias",
                                                              ".align",
                                                              ".attribute",
                                                              ".blocksareclusters",
                                                              ".branchtargets",
                                                              ".callprototype",
                                                              ".calltargets",
                                                              ".common",
                                                              ".const",
                                                              ".entry",
                                                              ".explicitcluster",
                                                              ".extern",
                                                              ".file",
                                                              ".func",
                                                              ".global",
                                                              ".globl",
                                                              ".loc",
                                                              ".local",
                                                              ".managed",
                                                              ".maxclusterrank",
                                                              ".maxnctapersm",
                                                              ".maxnreg",
                                                              ".maxntid",
                                                              ".minnctapersm",
                                                              ".noreturn",
                                                              ".param",
                                                              ".pragma",
                                                              ".ptr",
                                                              ".reg",
                                                              ".reqnctapercluster",
                                                              ".reqntid",
                                                              ".section",
                                                              ".shared",
                                                              ".sreg",
                                                              ".target",
                                                              ".tex",
                                                              ".unified",
                                                              ".version",
                                                              ".visible",
                                                              ".weak"});
static_assert(isSorted(kDirectives));

constexpr auto kTypes = std::to_array<std::string_view>(
    {".b128",  ".b16",    ".b32",  ".b64",    ".b8",      ".bf16",       ".bf16x2",  ".e2m1x2", ".e2m3x2", ".e3m2x2",
     ".e4m3",  ".e4m3x2", ".e5m2", ".e5m2x2", ".f16",     ".f16x2",      ".f32",     ".f32x2",  ".f64",    ".pred",
     ".s16",   ".s16x2",  ".s32",  ".s64",    ".s8",      ".samplerref", ".surfref", ".texref", ".tf32",   ".u16",
     ".u16x2", ".u32",    ".u64",  ".u8",     ".ue8m0x2", ".v2",         ".v4",      ".v8"});
static_assert(isSorted(kTypes));

constexpr auto kOpcodes =
    std::to_array<std::string_view>({"abs",          "activemask",    "add",       "addc",       "alloca",
                                     "and",          "applypriority", "atom",      "bar",        "barrier",
                                     "bfe",          "bfi",           "bfind",     "bmsk",       "bra",
                                     "brev",         "brkpt",         "brx",       "call",       "clusterlaunchcontrol",
                                     "clz",          "cnot",          "copysign",  "cos",        "cp",
                                     "createpolicy", "cvt",           "cvta",      "discard",    "div",
                                     "dp2a",         "dp4a",          "elect",     "ex2",        "exit",
                                     "fence",        "fma",           "fns",       "getctarank", "griddepcontrol",
                                     "isspacep",     "istypep",       "ld",        "ldmatrix",   "ldu",
                                     "lg2",          "lop3",          "mad",       "mad24",      "madc",
                                     "mapa",         "match",         "max",       "mbarrier",   "membar",
                                     "min",          "mma",           "mov",       "movmatrix",  "mul",
                                     "mul24",        "multimem",      "nanosleep", "neg",        "not",
                                     "or",           "pmevent",       "popc",      "prefetch",   "prefetchu",
                                     "prmt",         "rcp",           "red",       "redux",      "rem",
                                     "ret",          "rsqrt",         "sad",       "selp",       "set",
                                     "setmaxnreg",   "setp",          "shf",       "shfl",       "shl",
                                     "shr",          "sin",           "slct",      "sqrt",       "st",
                                     "stackrestore", "stacksave",     "stmatrix",  "sub",        "subc",
                                     "suld",         "suq",           "sured",     "sust",       "szext",
                                     "tanh",         "tcgen05",       "tensormap", "testp",      "tex",
                                     "tld4",         "trap",          "txq",       "vabsdiff",   "vabsdiff2",
                                     "vabsdiff4",    "vadd",          "vadd2",     "vadd4",      "vavrg2",
                                     "vavrg4",       "vmad",          "vmax",      "vmax2",      "vmax4",
                                     "vmin",         "vmin2",         "vmin4",     "vote",       "vset",
                                     "vset2",        "vset4",         "vshl",      "vshr",       "vsub",
                                     "vsub2",        "vsub4",         "wgmma",     "wmma",       "xor"});
static_assert(isSorted(kOpcodes));

} // namespace

const Language kPtx = {
    .name = "ptx", .keywords = kDirectives, .types = kTypes, .opcodes = kOpcodes, .comments = true, .assembly = true};

} // namespace blobscope::syntax
