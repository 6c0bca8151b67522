#pragma once

#include "tests/support/builders.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Linked ELF libraries with code, relocations and versions of symbols, made only from the System V ABI and the Linux
/// Standard Base. The offset of every byte in the file is its address.
namespace blobscope::test {

struct LinkedLibrary {
  static constexpr uint64_t kText = 0x1000, kTexts = 0x3000, kWords = 0x4000, kTables = 0x5000, kBlob = 0x8000;
  static constexpr uint16_t kX86 = 62, kArm64 = 183;
  static constexpr uint64_t kInitArray = 25, kFiniArray = 26, kPreinitArray = 32, kInit = 12, kFini = 13;
  static constexpr uint64_t kNeeded = 1, kRunPath = 29, kFlags = 30, kFlags1 = 0x6ffffffb;

  struct Symbol {
    std::string name;
    uint64_t value = 0, size = 0;
    uint8_t info = 0x12;  ///< a global function; 0x11: an object, 0x22: a weak function
    uint16_t section = 1; ///< 0: undefined, 1: code, 2: texts, 3: words, 4: blob
    uint16_t version = 1; ///< of the entry in .gnu.version
  };
  struct Version {
    std::string library, name;
    uint16_t number;
  };

  uint16_t machine = kX86;
  uint16_t type = 3; ///< ET_DYN
  std::string code, texts, blob;
  std::vector<Symbol> symbols;
  std::vector<Version> versions;
  std::vector<std::string> defined;                    ///< versions that it defines; the first one is its own name
  std::vector<std::pair<uint64_t, std::string>> names; ///< tags of the dynamic part whose value is a name
  std::vector<std::pair<uint64_t, uint64_t>> tags;     ///< others
  bool staticSymbols = false;
  uint64_t firstLoad = 0; ///< where the part that is loaded begins

  /// Adds a text; returns its address.
  uint64_t text(std::string_view content) {
    const uint64_t at = kTexts + texts.size();
    texts += std::string(content) + '\0';
    return at;
  }
  /// Adds code at a multiple of 16; returns its address.
  uint64_t hidden(std::string_view body) {
    const uint64_t at = next();
    code.resize(at - kText, '\xcc');
    code += body;
    return at;
  }
  /// The address of the next function.
  uint64_t next() const { return kText + (code.size() + 15) / 16 * 16; }
  uint64_t function(std::string name, std::string_view body) {
    const uint64_t at = hidden(body);
    symbols.push_back({std::move(name), at, body.size()});
    return at;
  }
  void undefined(std::string name, uint8_t info = 0x12, uint16_t version = 1) {
    symbols.push_back({std::move(name), 0, 0, info, 0, version});
  }
  /// Adds a word of data with that name: a slot.
  uint64_t slot(std::string name) {
    const uint64_t at = nextWord();
    symbols.push_back({std::move(name), at, 8, 0x11, 3});
    return at;
  }
  /// Adds a word that the loader fills with the address of the symbol with that name; returns its address. `late`: at
  /// the first call.
  uint64_t wordOf(std::string_view name, bool late = false) {
    const uint64_t at = nextWord();
    for (std::size_t i = 0; i < symbols.size(); ++i)
      if (symbols[i].name == name) (late ? m_late : m_early).push_back({at, i + 1, late ? Kind::Call : Kind::Word});
    return at;
  }
  /// Adds an array of functions that the loader calls, by its tag.
  void array(uint64_t tag, const std::vector<uint64_t>& functions) {
    const uint64_t at = kWords + m_words;
    for (const uint64_t function : functions) m_early.push_back({nextWord(), 0, Kind::Relative, function});
    tags.emplace_back(tag, at);
    tags.emplace_back(tag == kPreinitArray ? tag + 1 : tag + 2, 8 * functions.size());
  }
  /// Adds a word that the loader fills with what the function returns. `late`: after the calls of functions.
  uint64_t resolved(uint64_t function, bool late) {
    const uint64_t at = nextWord();
    (late ? m_late : m_early).push_back({at, 0, Kind::Resolver, function});
    return at;
  }
  /// Adds a variable of 8 bytes that is 0.
  uint64_t variable() { return nextWord(); }

  std::string build() const {
    Tables tables(*this);
    ByteBuilder out;
    out.raw("\x7f\x45\x4c\x46\x02\x01\x01").raw(std::string(9, '\0')).u16(type).u16(machine).u32(1).u64(0);
    out.u64(64)
        .u64(tables.headersAt)
        .u32(0)
        .u16(64)
        .u16(56)
        .u16(2)
        .u16(64)
        .u16(tables.sections)
        .u16(tables.sections - 1);
    const auto segment = [&](uint32_t kind, uint32_t flags, uint64_t offset, uint64_t size) {
      out.u32(kind).u32(flags).u64(offset).u64(offset).u64(offset).u64(size).u64(size).u64(8);
    };
    segment(1, 7, firstLoad, tables.loadedEnd - firstLoad);
    segment(2, 6, tables.dynamicAt, tables.dynamicSize);
    std::string file = out.take();
    const auto place = [&](uint64_t at, const std::string& bytes) {
      file.resize(at, '\0');
      file += bytes;
    };
    place(kText, code);
    place(kTexts, texts);
    place(kWords, std::string(m_words, '\0'));
    place(kTables, tables.bytes);
    return file;
  }

private:
  uint64_t nextWord() { return kWords + std::exchange(m_words, m_words + 8); }

  /// Everything after the words.
  struct Tables {
    explicit Tables(const LinkedLibrary& library);
    std::string bytes;
    uint64_t dynamicAt = 0, dynamicSize = 0, loadedEnd = 0, headersAt = 0;
    uint16_t sections = 0;
  };
  enum class Kind : uint8_t { Word, Call, Relative, Resolver };
  struct Relocation {
    uint64_t place;
    std::size_t symbol;
    Kind kind = Kind::Word;
    uint64_t addend = 0;
  };
  /// R_X86_64_GLOB_DAT, JUMP_SLOT, RELATIVE, IRELATIVE, and the same of AArch64.
  uint64_t typeOf(Kind kind) const {
    constexpr uint64_t kX86Types[] = {6, 7, 8, 37}, kArmTypes[] = {1025, 1026, 1027, 1032};
    return (machine == kArm64 ? kArmTypes : kX86Types)[static_cast<std::size_t>(kind)];
  }

  std::vector<Relocation> m_early, m_late;
  uint64_t m_words = 0;
};

inline LinkedLibrary::Tables::Tables(const LinkedLibrary& library) {
  std::string strings(1, '\0');
  const auto string = [&](std::string_view text) {
    const uint64_t at = strings.size();
    strings += std::string(text) + '\0';
    return static_cast<uint32_t>(at);
  };
  struct Section {
    std::string name;
    uint32_t type;
    uint64_t flags, at, size;
    uint32_t link;
    uint64_t entry;
  };
  std::vector<Section> all = {{"", 0, 0, 0, 0, 0, 0},
                              {".text", 1, 6, kText, library.code.size(), 0, 0},
                              {".rodata", 1, 2, kTexts, library.texts.size(), 0, 0},
                              {".data", 1, 3, kWords, library.m_words, 0, 0}};
  const auto add = [&](std::string name, uint32_t kind, const std::string& content, uint32_t link = 0,
                       uint64_t entry = 0, uint64_t flags = 2) {
    bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
    const uint64_t at = kTables + bytes.size();
    all.push_back({std::move(name), kind, flags, at, content.size(), link, entry});
    bytes += content;
    return at;
  };
  // --- 1. The blob and the tables that the dynamic part refers to. ---
  const uint64_t blobAt = add(".blob", 1, library.blob);
  ByteBuilder symbolTable, numbers, needs, definitions, early, late, dynamic;
  symbolTable.raw(std::string(24, '\0'));
  numbers.u16(0);
  for (const Symbol& one : library.symbols) {
    const uint64_t value = one.section == 4 ? blobAt : one.value;
    symbolTable.u32(string(one.name)).u8(one.info).u8(0).u16(one.section).u64(value).u64(one.size);
    numbers.u16(one.version);
  }
  for (std::size_t i = 0; i < library.versions.size(); ++i) {
    const Version& one = library.versions[i];
    const bool last = i + 1 == library.versions.size();
    needs.u16(1).u16(1).u32(string(one.library)).u32(16).u32(last ? 0 : 32);
    needs.u32(0).u16(0).u16(one.number).u32(string(one.name)).u32(0);
  }
  for (std::size_t i = 0; i < library.defined.size(); ++i) {
    const bool last = i + 1 == library.defined.size();
    definitions.u16(1).u16(i == 0 ? 1 : 0).u16(static_cast<uint16_t>(i + 1)).u16(1).u32(0).u32(20).u32(last ? 0 : 28);
    definitions.u32(string(library.defined[i])).u32(0);
  }
  const auto relocations = [&](const std::vector<Relocation>& list, ByteBuilder& out) {
    for (const Relocation& one : list)
      out.u64(one.place).u64(static_cast<uint64_t>(one.symbol) << 32 | library.typeOf(one.kind)).u64(one.addend);
  };
  relocations(library.m_early, early);
  relocations(library.m_late, late);
  std::vector<std::pair<uint64_t, uint64_t>> dynamicTags = library.tags;
  for (const auto& [tag, name] : library.names) dynamicTags.emplace_back(tag, string(name));
  ByteBuilder hash;
  hash.u32(1).u32(static_cast<uint32_t>(library.symbols.size() + 1)).u32(0);
  for (std::size_t i = 0; i <= library.symbols.size(); ++i) hash.u32(0);
  const std::string earlyBytes = early.take(), lateBytes = late.take();
  const uint64_t stringsSize = strings.size();
  dynamicTags.emplace_back(5, add(".dynstr", 3, strings));
  const auto namesSection = static_cast<uint32_t>(all.size() - 1);
  dynamicTags.emplace_back(10, stringsSize);
  const std::string symbolBytes = symbolTable.take();
  dynamicTags.emplace_back(6, add(".dynsym", 11, symbolBytes, namesSection, 24));
  dynamicTags.emplace_back(11, 24);
  dynamicTags.emplace_back(4, add(".hash", 5, hash.take()));
  if (!library.versions.empty() || !library.defined.empty())
    dynamicTags.emplace_back(0x6ffffff0, add(".gnu.version", 0x6fffffff, numbers.take()));
  if (!library.defined.empty()) {
    dynamicTags.emplace_back(0x6ffffffc, add(".gnu.version_d", 0x6ffffffd, definitions.take(), namesSection));
    dynamicTags.emplace_back(0x6ffffffd, library.defined.size());
  }
  if (!library.versions.empty()) {
    dynamicTags.emplace_back(0x6ffffffe, add(".gnu.version_r", 0x6ffffffe, needs.take(), namesSection));
    dynamicTags.emplace_back(0x6fffffff, library.versions.size());
  }
  dynamicTags.insert(dynamicTags.end(), {{7, add(".rela.dyn", 4, earlyBytes)}, {8, earlyBytes.size()}, {9, 24}});
  dynamicTags.insert(dynamicTags.end(), {{23, add(".rela.plt", 4, lateBytes)}, {2, lateBytes.size()}, {20, 7}});
  dynamicTags.emplace_back(0, 0);
  for (const auto& [tag, value] : dynamicTags) dynamic.u64(tag).u64(value);
  const std::string dynamicBytes = dynamic.take();
  dynamicAt = add(".dynamic", 6, dynamicBytes, namesSection, 16, 3);
  dynamicSize = dynamicBytes.size();
  loadedEnd = kTables + bytes.size();
  // --- 2. What the loader does not need. ---
  if (library.staticSymbols) {
    add(".strtab", 3, strings, 0, 0, 0);
    add(".symtab", 2, symbolBytes, static_cast<uint32_t>(all.size() - 1), 24, 0);
  }
  std::string sectionNames(1, '\0');
  std::vector<uint32_t> nameAt;
  for (const Section& one : all) {
    nameAt.push_back(static_cast<uint32_t>(sectionNames.size()));
    sectionNames += one.name + '\0';
  }
  nameAt.push_back(static_cast<uint32_t>(sectionNames.size()));
  sectionNames += ".shstrtab" + std::string(1, '\0');
  add(".shstrtab", 3, sectionNames, 0, 0, 0);
  bytes.resize((bytes.size() + 7) / 8 * 8, '\0');
  headersAt = kTables + bytes.size();
  ByteBuilder headers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Section& one = all[i];
    headers.u32(nameAt[i]).u32(one.type).u64(one.flags).u64(one.flags & 2 ? one.at : 0).u64(one.at).u64(one.size);
    headers.u32(one.link).u32(0).u64(1).u64(one.entry);
  }
  bytes += headers.take();
  sections = static_cast<uint16_t>(all.size());
}

/// Machine code of x86-64 for a function at `address`.
class X86Code {
public:
  explicit X86Code(uint64_t address) : m_address(address) {}
  enum Register : uint8_t { Rax = 0, Rcx = 1, Rdx = 2, Rsi = 6, Rdi = 7 };
  X86Code& read(Register to, uint64_t word) { return relative("\x48\x8b", to, word); }      ///< mov to, [rip + …]
  X86Code& address(Register to, uint64_t place) { return relative("\x48\x8d", to, place); } ///< lea to, [rip + …]
  X86Code& callWord(uint64_t word) { return relative("\xff", 2, word); }                    ///< call [rip + …]
  X86Code& jumpWord(uint64_t word) { return relative("\xff", 4, word); }                    ///< jmp [rip + …]
  X86Code& callRax() { return raw("\xff\xd0"); }
  X86Code& callAtRax() { return raw("\xff\x10"); }
  X86Code& call(uint64_t target) { return raw("\xe8").offset(target); }
  X86Code& jump(uint64_t target) { return raw("\xe9").offset(target); }
  X86Code& move(Register to, Register from) {
    return raw("\x48\x89").raw(std::string(1, static_cast<char>(0xc0 | from << 3 | to)));
  }
  X86Code& ret() { return raw("\xc3"); }
  X86Code& raw(std::string_view bytes) {
    m_bytes += bytes;
    return *this;
  }
  std::string take() { return std::move(m_bytes); }

private:
  X86Code& relative(std::string_view opcode, uint8_t field, uint64_t place) {
    return raw(opcode).raw(std::string(1, static_cast<char>(5 | field << 3))).offset(place);
  }
  X86Code& offset(uint64_t place) {
    return raw(ByteBuilder().u32(static_cast<uint32_t>(place - (m_address + m_bytes.size() + 4))).take());
  }
  uint64_t m_address;
  std::string m_bytes;
};

} // namespace blobscope::test
