#pragma once

#include "tests/support/builders.h"
#include "tests/support/elf_yaml.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Device images of CUDA as strings: fat binaries and machine code of both ABIs. They implement the formats
/// independently of the code under test, and allow every field to be wrong.
namespace blobscope::test::cuda {

inline std::string padded(std::string bytes, std::size_t unit) {
  bytes.resize((bytes.size() + unit - 1) / unit * unit, '\0');
  return bytes;
}

// --- fat binaries ---

/// One entry; empty fields follow from the others.
struct Image {
  uint16_t kind = 2; ///< 1 PTX, 2 cubin, 8 LTO-IR
  uint32_t sm = 89;
  std::string payload = {}; ///< as stored, before padding
  uint64_t flags = 0x11;
  uint64_t uncompressed = 0; ///< not 0: the payload is compressed
  std::string identifier = {};
  std::string options = {};
  bool emptyOptionBlock = false; ///< eight zeros, as CUDA 11.8 writes
  uint16_t major = 1, minor = 7;
  std::optional<uint32_t> headerSize = {}, compressed = {}, optionsAt = {}, identifierAt = {}, identifierSize = {};
  std::optional<uint64_t> payloadSize = {};
};

inline std::string entry(const Image& image) {
  std::string extra;
  uint32_t identifierAt = 0, optionsAt = 0;
  if (!image.identifier.empty()) {
    identifierAt = 64;
    extra = padded(image.identifier, 8);
  }
  if (!image.options.empty() || image.emptyOptionBlock) {
    optionsAt = static_cast<uint32_t>(64 + extra.size());
    ByteBuilder block;
    if (image.emptyOptionBlock)
      block.u64(0);
    else
      block.u32(optionsAt + 8).u32(static_cast<uint32_t>(image.options.size())).raw(padded(image.options, 8));
    extra += block.take();
  }
  const std::string payload = padded(image.payload, 8);
  const auto exact = static_cast<uint32_t>(image.uncompressed != 0 ? image.payload.size() : 0);
  ByteBuilder out;
  out.u16(image.kind).u16(0x0101).u32(image.headerSize.value_or(static_cast<uint32_t>(64 + extra.size())));
  out.u64(image.payloadSize.value_or(payload.size())).u32(image.compressed.value_or(exact));
  out.u32(image.optionsAt.value_or(optionsAt)).u16(image.minor).u16(image.major).u32(image.sm);
  out.u32(image.identifierAt.value_or(identifierAt));
  out.u32(image.identifierSize.value_or(static_cast<uint32_t>(image.identifier.size())));
  out.u64(image.flags).u64(0).u64(image.uncompressed).raw(extra).raw(payload);
  return out.take();
}

/// A container; `size` may be wrong.
inline std::string fatbin(const std::vector<Image>& images, std::optional<uint64_t> size = std::nullopt,
                          uint16_t headerSize = 16, uint16_t version = 1) {
  std::string entries;
  for (const Image& image : images) entries += entry(image);
  ByteBuilder out;
  out.u32(0xBA55ED50).u16(version).u16(headerSize).u64(size.value_or(entries.size())).raw(entries);
  return out.take();
}

// --- machine code ---

inline std::string flagRecord(uint8_t attribute) { return ByteBuilder().u8(1).u8(attribute).u16(0).take(); }
inline std::string byteRecord(uint8_t attribute, uint8_t value) {
  return ByteBuilder().u8(2).u8(attribute).u16(value).take();
}
inline std::string shortRecord(uint8_t attribute, uint16_t value) {
  return ByteBuilder().u8(3).u8(attribute).u16(value).take();
}
inline std::string record(uint8_t attribute, const std::vector<uint32_t>& words) {
  ByteBuilder out;
  out.u8(4).u8(attribute).u16(static_cast<uint16_t>(words.size() * 4));
  for (const uint32_t word : words) out.u32(word);
  return out.take();
}
/// The layout of one parameter.
inline std::string parameterRecord(uint16_t ordinal, uint16_t offset, uint32_t size) {
  return record(0x17, {0, uint32_t{ordinal} | uint32_t{offset} << 16, size << 18 | 0x1f000});
}

struct CubinKernel {
  std::string name;
  std::string code = std::string(128, '\x5a');
  uint32_t registers = 32;
  uint32_t frame = 0, minStack = 0;
  uint64_t shared = 0; ///< size of `.nv.shared.K`
  uint32_t constantBytes = 0x170;
  std::string info = {}; ///< records of `.nv.info.K`
  uint8_t barriers = 0;  ///< ABI 7 only, in the section's flags
  bool entry = true;     ///< its symbol is that of a kernel
};

/// A cubin: header, section names, symbol names, symbols, sections, section headers; laid out by LLVM.
struct CubinFile {
  uint8_t abi = 7;
  uint32_t sm = 89;
  uint32_t toolkit = 0x7a; ///< e_version of ABI 7
  uint16_t type = 2;       ///< 1: relocatable
  bool archSpecific = false;
  std::vector<CubinKernel> kernels = {};
  std::string globalInfo = {};               ///< further records of `.nv.info`
  std::string toolBuild = "Build cuda_13.0"; ///< of ABI 8

  std::string build() const;
};

/// A note of NVIDIA's.
inline std::string note(uint32_t type, const std::string& content) {
  return ByteBuilder()
      .u32(12)
      .u32(static_cast<uint32_t>(content.size()))
      .u32(type)
      .raw({"NVIDIA Corp\0", 12})
      .raw(padded(content, 4))
      .take();
}

inline std::string CubinFile::build() const {
  // Names may repeat, so each gets its number; LLVM drops it. Of notes and of sections without bytes it knows no
  // sh_info, so all are plain ones that say to be something else.
  std::string sections, symbols, global = globalInfo;
  uint64_t count = 5;
  const auto add = [&](const std::string& name, uint32_t kind, uint64_t flags, const std::string& more) {
    sections += "  - {Name: " + yamlName(name, count) + ", Type: 1, ShType: " + std::to_string(kind) +
                ", ShFlags: " + std::to_string(flags) + ", AddressAlign: 8" + more + "}\n";
    return count++;
  };
  const auto content = [](std::string_view bytes) { return ", Content: '" + yamlBytes(bytes) + "'"; };
  const auto info = [](uint64_t number) { return ", Info: " + std::to_string(number); };
  uint32_t symbol = 1;
  for (const CubinKernel& kernel : kernels) {
    const uint32_t registers = abi == 7 ? kernel.registers << 24 : 0;
    const uint64_t flags = 6 | (abi == 7 ? uint64_t{kernel.barriers} << 20 : 0);
    const uint64_t text =
        add(".text." + kernel.name, 1, flags, ", Link: .symtab" + info(registers | symbol) + content(kernel.code));
    add(".nv.info." + kernel.name, 0x70000000, 0x40, ", Link: .symtab" + info(text) + content(kernel.info));
    add(".nv.constant0." + kernel.name, 1, 0x42, info(text) + content(std::string(kernel.constantBytes, '\0')));
    if (kernel.shared != 0)
      add(".nv.shared." + kernel.name, 8, 0x43, info(text) + ", ShSize: " + std::to_string(kernel.shared));
    symbols += "  - {Name: " + yamlName(kernel.name, symbol) +
               ", Type: STT_FUNC, Binding: STB_GLOBAL, Section: " + yamlName(".text." + kernel.name, text) +
               ", Size: " + std::to_string(kernel.code.size()) + (kernel.entry ? ", Other: [ 0x10 ]" : "") + "}\n";
    global += record(0x2f, {symbol, kernel.registers}) + record(0x11, {symbol, kernel.frame}) +
              record(0x12, {symbol, kernel.minStack});
    ++symbol;
  }
  if (abi == 8) {
    const std::string head("\0ptxas\0Cuda compilation tools, release 13.0, V13.0.88\0", 54),
        options("\0-arch sm_90 -m 64 \0", 20);
    ByteBuilder tools;
    tools.u32(2).u32(0).u32(1).u32(7).u32(54).u32(static_cast<uint32_t>(55 + toolBuild.size()));
    tools.raw(head + toolBuild + options);
    add(".note.nv.tkinfo", 7, 0, content(note(0x7d0, tools.take())));
    const std::string versions = ByteBuilder().u16(2).u16(static_cast<uint16_t>(sm)).u16(130).u16(0).take();
    add(".note.nv.cuinfo", 7, 0, info(5) + content(note(0x3e8, versions)));
    add(".nv.compat", 0x70000086, 0, content(byteRecord(0x09, archSpecific ? 1 : 0) + byteRecord(0x02, 1)));
  }
  std::string out = elfOfYaml(
      "--- !ELF\nFileHeader: {Class: ELFCLASS64, Data: ELFDATA2LSB, OSABI: " + std::to_string(abi == 8 ? 0x41 : 0x33) +
      ", ABIVersion: " + std::to_string(abi) + ", Type: " + std::to_string(type) +
      ", Machine: EM_CUDA}\nSections:\n"
      "  - {Name: .shstrtab, Type: SHT_STRTAB, AddressAlign: 8}\n"
      "  - {Name: .strtab, Type: SHT_STRTAB, AddressAlign: 8}\n"
      "  - {Name: .symtab, Type: SHT_SYMTAB, Link: .strtab, AddressAlign: 8}\n"
      "  - {Name: .nv.info, Type: 0x70000000, Link: .symtab, AddressAlign: 8" +
      content(global) + "}\n" + sections + "Symbols:" + (symbols.empty() ? " []" : "\n" + symbols) + "\n");
  // LLVM has no words for e_version and for the flags of CUDA.
  const uint32_t flags = abi == 8 ? 0x06000004 | sm << 8 : sm << 16 | 0x0500 | sm;
  out.replace(20, 4, ByteBuilder().u32(abi == 8 ? 1 : toolkit).take());
  out.replace(48, 4, ByteBuilder().u32(flags).take());
  return out;
}

/// What most tests need: kernels of some bytes in a cubin, and a payload as an entry of a fat binary.
inline CubinKernel kernel(std::string name, std::size_t size = 128, char fill = '\x5a') {
  CubinKernel out;
  out.name = std::move(name);
  out.code = std::string(size, fill);
  return out;
}
inline std::string cubin(uint32_t sm, std::vector<CubinKernel> kernels) {
  CubinFile file;
  file.sm = sm;
  file.kernels = std::move(kernels);
  return file.build();
}
inline Image image(uint32_t sm, std::string payload, uint16_t kind = 2) {
  Image out;
  out.kind = kind;
  out.sm = sm;
  out.payload = std::move(payload);
  return out;
}

} // namespace blobscope::test::cuda
