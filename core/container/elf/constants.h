#pragma once

#include <cstdint>

/// Constants of ELF under the names of its specification: System V ABI, chapters 4 and 5, and its processor
/// supplements; those of GNU as in glibc's elf.h. Not to be included together with <elf.h>, whose macros have the same
/// names.
namespace blobscope::container::elf {

inline constexpr unsigned EI_CLASS = 4, EI_DATA = 5, EI_OSABI = 7, EI_ABIVERSION = 8, EI_NIDENT = 16;
inline constexpr uint8_t ELFCLASS32 = 1, ELFCLASS64 = 2, ELFDATA2LSB = 1, ELFDATA2MSB = 2;

inline constexpr uint16_t ET_REL = 1, ET_EXEC = 2, ET_DYN = 3, ET_CORE = 4; ///< e_type

/// e_machine
inline constexpr uint16_t EM_SPARC = 2, EM_386 = 3, EM_MIPS = 8, EM_PPC = 20, EM_PPC64 = 21, EM_S390 = 22, EM_ARM = 40,
                          EM_SPARCV9 = 43, EM_X86_64 = 62, EM_XTENSA = 94, EM_HEXAGON = 164, EM_AARCH64 = 183,
                          EM_CUDA = 190, EM_AMDGPU = 224, EM_RISCV = 243, EM_BPF = 247, EM_VE = 251, EM_LOONGARCH = 258;

/// p_type
inline constexpr uint32_t PT_NULL = 0, PT_LOAD = 1, PT_DYNAMIC = 2, PT_NOTE = 4, PT_PHDR = 6,
                          PT_GNU_PROPERTY = 0x6474e553;
inline constexpr uint32_t PF_X = 1, PF_W = 2; ///< p_flags

/// sh_type
inline constexpr uint32_t SHT_NULL = 0, SHT_PROGBITS = 1, SHT_SYMTAB = 2, SHT_STRTAB = 3, SHT_RELA = 4, SHT_HASH = 5,
                          SHT_DYNAMIC = 6, SHT_NOTE = 7, SHT_NOBITS = 8, SHT_REL = 9, SHT_DYNSYM = 11,
                          SHT_INIT_ARRAY = 14, SHT_FINI_ARRAY = 15, SHT_GROUP = 17, SHT_SYMTAB_SHNDX = 18,
                          SHT_CREL = 0x40000014, SHT_GNU_HASH = 0x6ffffff6, SHT_GNU_verdef = 0x6ffffffd,
                          SHT_GNU_verneed = 0x6ffffffe, SHT_GNU_versym = 0x6fffffff;
/// sh_flags
inline constexpr uint64_t SHF_WRITE = 1, SHF_ALLOC = 2, SHF_EXECINSTR = 4, SHF_MERGE = 0x10, SHF_INFO_LINK = 0x40,
                          SHF_GROUP = 0x200, SHF_TLS = 0x400, SHF_COMPRESSED = 0x800;

/// d_tag; those of Android as in AOSP bionic libc/include/elf.h
inline constexpr uint64_t DT_NULL = 0, DT_NEEDED = 1, DT_PLTRELSZ = 2, DT_PLTGOT = 3, DT_HASH = 4, DT_STRTAB = 5,
                          DT_SYMTAB = 6, DT_RELA = 7, DT_RELASZ = 8, DT_STRSZ = 10, DT_SYMENT = 11, DT_INIT = 12,
                          DT_FINI = 13, DT_SONAME = 14, DT_RPATH = 15, DT_REL = 17, DT_RELSZ = 18, DT_PLTREL = 20,
                          DT_JMPREL = 23, DT_BIND_NOW = 24, DT_INIT_ARRAY = 25, DT_FINI_ARRAY = 26,
                          DT_INIT_ARRAYSZ = 27, DT_FINI_ARRAYSZ = 28, DT_RUNPATH = 29, DT_FLAGS = 30,
                          DT_PREINIT_ARRAY = 32, DT_PREINIT_ARRAYSZ = 33, DT_RELRSZ = 35, DT_RELR = 36,
                          DT_ANDROID_REL = 0x6000000f, DT_ANDROID_RELA = 0x60000011, DT_ANDROID_RELR = 0x6fffe000,
                          DT_ANDROID_RELRSZ = 0x6fffe001, DT_GNU_PRELINKED = 0x6ffffdf5, DT_CHECKSUM = 0x6ffffdf8,
                          DT_GNU_HASH = 0x6ffffef5, DT_VERSYM = 0x6ffffff0, DT_FLAGS_1 = 0x6ffffffb,
                          DT_VERDEF = 0x6ffffffc, DT_VERDEFNUM = 0x6ffffffd, DT_VERNEED = 0x6ffffffe,
                          DT_VERNEEDNUM = 0x6fffffff;
inline constexpr uint64_t DF_BIND_NOW = 8, DF_1_NOW = 1, DF_1_PIE = 0x08000000; ///< of DT_FLAGS and DT_FLAGS_1

/// st_shndx
inline constexpr uint16_t SHN_UNDEF = 0, SHN_LORESERVE = 0xff00, SHN_ABS = 0xfff1, SHN_COMMON = 0xfff2,
                          SHN_XINDEX = 0xffff;
/// st_info
inline constexpr uint8_t STT_NOTYPE = 0, STT_OBJECT = 1, STT_FUNC = 2, STT_SECTION = 3, STT_FILE = 4, STT_TLS = 6,
                         STT_GNU_IFUNC = 10, STB_LOCAL = 0, STB_GLOBAL = 1, STB_WEAK = 2;

inline constexpr uint32_t NT_GNU_BUILD_ID = 3, NT_GNU_PROPERTY_TYPE_0 = 5, NT_ANDROID_TYPE_IDENT = 1; ///< n_type

} // namespace blobscope::container::elf
