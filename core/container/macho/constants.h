#pragma once

#include <cstdint>

/// Constants of Mach-O under the names of Apple's headers: mach-o/loader.h, mach-o/nlist.h, mach-o/fat.h,
/// mach-o/fixup-chains.h, mach-o/x86_64/reloc.h, mach-o/arm64/reloc.h, mach/machine.h; the same in llvm-project 19.1
/// llvm/include/llvm/BinaryFormat/MachO.h. Not to be included together with those, whose macros have the same names.
namespace blobscope::container::macho {

inline constexpr uint32_t MH_MAGIC = 0xfeedface, MH_MAGIC_64 = 0xfeedfacf, FAT_MAGIC = 0xcafebabe,
                          FAT_MAGIC_64 = 0xcafebabf;
inline constexpr uint32_t MH_OBJECT = 1, MH_EXECUTE = 2, MH_CORE = 4, MH_DYLIB = 6, MH_BUNDLE = 8; ///< filetype
inline constexpr uint32_t MH_DYLIB_IN_CACHE = 0x80000000;                                          ///< flags

inline constexpr uint32_t CPU_TYPE_I386 = 0x7, CPU_TYPE_X86_64 = 0x01000007, CPU_TYPE_ARM = 0xc,
                          CPU_TYPE_ARM64 = 0x0100000c, CPU_TYPE_ARM64_32 = 0x0200000c, CPU_TYPE_POWERPC = 0x12,
                          CPU_TYPE_POWERPC64 = 0x01000012;
inline constexpr uint32_t CPU_SUBTYPE_ARM64E = 2;

inline constexpr uint32_t LC_SEGMENT = 0x1, LC_SYMTAB = 0x2, LC_DYSYMTAB = 0xb, LC_LOAD_DYLIB = 0xc, LC_ID_DYLIB = 0xd,
                          LC_LOAD_DYLINKER = 0xe, LC_ID_DYLINKER = 0xf, LC_SUB_FRAMEWORK = 0x12, LC_SUB_UMBRELLA = 0x13,
                          LC_SUB_CLIENT = 0x14, LC_SUB_LIBRARY = 0x15, LC_TWOLEVEL_HINTS = 0x16,
                          LC_PREBIND_CKSUM = 0x17, LC_LOAD_WEAK_DYLIB = 0x80000018, LC_SEGMENT_64 = 0x19,
                          LC_ROUTINES_64 = 0x1a, LC_UUID = 0x1b, LC_RPATH = 0x8000001c, LC_CODE_SIGNATURE = 0x1d,
                          LC_SEGMENT_SPLIT_INFO = 0x1e, LC_REEXPORT_DYLIB = 0x8000001f, LC_LAZY_LOAD_DYLIB = 0x20,
                          LC_ENCRYPTION_INFO = 0x21, LC_DYLD_INFO = 0x22, LC_DYLD_INFO_ONLY = 0x80000022,
                          LC_LOAD_UPWARD_DYLIB = 0x80000023, LC_VERSION_MIN_MACOSX = 0x24,
                          LC_VERSION_MIN_IPHONEOS = 0x25, LC_FUNCTION_STARTS = 0x26, LC_DYLD_ENVIRONMENT = 0x27,
                          LC_DATA_IN_CODE = 0x29, LC_SOURCE_VERSION = 0x2a, LC_DYLIB_CODE_SIGN_DRS = 0x2b,
                          LC_ENCRYPTION_INFO_64 = 0x2c, LC_LINKER_OPTION = 0x2d, LC_LINKER_OPTIMIZATION_HINT = 0x2e,
                          LC_VERSION_MIN_TVOS = 0x2f, LC_VERSION_MIN_WATCHOS = 0x30, LC_BUILD_VERSION = 0x32,
                          LC_DYLD_EXPORTS_TRIE = 0x80000033, LC_DYLD_CHAINED_FIXUPS = 0x80000034, LC_ATOM_INFO = 0x36,
                          LC_FUNCTION_VARIANTS = 0x37, LC_FUNCTION_VARIANT_FIXUPS = 0x38, LC_TARGET_TRIPLE = 0x39;

inline constexpr uint32_t VM_PROT_READ = 1, VM_PROT_WRITE = 2, VM_PROT_EXECUTE = 4; ///< initprot

/// flags of a section: type and attributes
inline constexpr uint32_t SECTION_TYPE = 0xff, S_ZEROFILL = 0x1, S_GB_ZEROFILL = 0xc, S_THREAD_LOCAL_REGULAR = 0x11,
                          S_THREAD_LOCAL_ZEROFILL = 0x12, S_THREAD_LOCAL_VARIABLES = 0x13,
                          S_ATTR_PURE_INSTRUCTIONS = 0x80000000, S_ATTR_SOME_INSTRUCTIONS = 0x400,
                          S_ATTR_DEBUG = 0x02000000;

inline constexpr uint32_t N_STAB = 0xe0, N_TYPE = 0x0e, N_EXT = 0x01; ///< masks of n_type
inline constexpr uint32_t N_UNDF = 0x0, N_ABS = 0x2, N_INDR = 0xa, N_PBUD = 0xc, N_SECT = 0xe;
inline constexpr uint32_t N_WEAK_REF = 0x40, N_WEAK_DEF = 0x80; ///< n_desc
inline constexpr uint64_t MAX_SECT = 255;                       ///< n_sect has one byte

inline constexpr uint64_t EXPORT_SYMBOL_FLAGS_KIND_MASK = 0x03, EXPORT_SYMBOL_FLAGS_KIND_THREAD_LOCAL = 0x01,
                          EXPORT_SYMBOL_FLAGS_KIND_ABSOLUTE = 0x02, EXPORT_SYMBOL_FLAGS_WEAK_DEFINITION = 0x04,
                          EXPORT_SYMBOL_FLAGS_REEXPORT = 0x08;

inline constexpr uint64_t X86_64_RELOC_SIGNED = 1, X86_64_RELOC_SUBTRACTOR = 5, X86_64_RELOC_SIGNED_1 = 6,
                          X86_64_RELOC_SIGNED_4 = 8, ARM64_RELOC_UNSIGNED = 0, ARM64_RELOC_SUBTRACTOR = 1,
                          ARM64_RELOC_ADDEND = 10;

inline constexpr unsigned REBASE_OPCODE_MASK = 0xf0, REBASE_IMMEDIATE_MASK = 0x0f, REBASE_TYPE_POINTER = 1,
                          REBASE_OPCODE_DONE = 0x00, REBASE_OPCODE_SET_TYPE_IMM = 0x10,
                          REBASE_OPCODE_SET_SEGMENT_AND_OFFSET_ULEB = 0x20, REBASE_OPCODE_ADD_ADDR_ULEB = 0x30,
                          REBASE_OPCODE_ADD_ADDR_IMM_SCALED = 0x40, REBASE_OPCODE_DO_REBASE_IMM_TIMES = 0x50,
                          REBASE_OPCODE_DO_REBASE_ULEB_TIMES = 0x60, REBASE_OPCODE_DO_REBASE_ADD_ADDR_ULEB = 0x70,
                          REBASE_OPCODE_DO_REBASE_ULEB_TIMES_SKIPPING_ULEB = 0x80;

inline constexpr unsigned DYLD_CHAINED_PTR_ARM64E = 1, DYLD_CHAINED_PTR_64 = 2, DYLD_CHAINED_PTR_64_OFFSET = 6,
                          DYLD_CHAINED_PTR_ARM64E_USERLAND = 9, DYLD_CHAINED_PTR_ARM64E_USERLAND24 = 12;
inline constexpr uint64_t DYLD_CHAINED_PTR_START_NONE = 0xffff, DYLD_CHAINED_PTR_START_MULTI = 0x8000;

} // namespace blobscope::container::macho
