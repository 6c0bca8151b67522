#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::test {

/// A shared library as linkers lay it out, with several segments, for tests of rewriting. ElfBuilder (tests/support)
/// makes simpler ones. Source of all layouts: System V ABI, chapters 4 and 5; elf.h.
/// LLVM (tests/support/elf_yaml.h) cannot write it: the tests are about the bytes that are free between tables and
/// segments, and code and relocations depend on the addresses that result.
///
/// In file order: header, program headers, gap, notes, .interp, .gnu.hash, .dynsym, .dynstr, .hash, relocations, .text,
/// .rodata with the blob and the data after it, then .data and .dynamic (writable), .bss, .lrodata with the blob when
/// it is last, .symtab, .strtab, .shstrtab, section headers.
struct ElfImage {
  bool is64 = true, bigEndian = false;
  uint16_t machine = 62, type = 3;
  uint64_t base = 0;
  uint64_t page = 0x1000;
  std::string symbol = "__tvm_dev_mblob";
  std::string blob;
  bool last = false;               ///< the blob has a separate segment after all others
  std::string behind = "behind!!"; ///< a symbol after the blob, none when empty
  bool sections = true;
  bool buildId = false, property = false, otherNote = false, interpreter = false;
  bool tableEntry = false; ///< PT_PHDR
  bool nullEntry = false;
  uint64_t gap = 0;     ///< zeros after the table
  bool symbols = false; ///< .symtab, with a symbol in the last section
  bool dynamic = true;
  int functions = 6; ///< exported ones; they make .dynsym correspondingly large
  uint8_t symbolInfo = 1 << 4 | 1;
  std::string code = std::string(16, '\x55'); ///< at address() of ".text"
  struct Relocation {
    uint64_t symbol, addend;
    bool toBlob = false; ///< the addend counts from the blob
  };
  std::vector<Relocation> relocations; ///< for words of .data
  bool withAddend = true;              ///< RELA; else REL
  bool packed = false;                 ///< DT_RELR, with all words of .data
  std::map<uint64_t, uint64_t> tags;   ///< more dynamic tags
  uint64_t bss = 0x800;
  std::string otherVersion; ///< one more symbol with the name of the blob, elsewhere, when not empty
  std::string tail;         ///< after the section headers

  /// The places that build() chose.
  std::map<std::string, uint64_t> offsets, addresses;

  std::string build() {
    m_out.clear();
    // Two rounds: the first one finds the addresses that code and relocations of the second one use.
    layOut();
    layOut();
    return m_out;
  }

private:
  struct Section {
    std::string name;
    uint32_t type;
    uint64_t flags, address, offset, size;
    uint32_t link, info;
    uint64_t align, entry;
  };
  struct Program {
    uint32_t type, flags;
    uint64_t offset, address, fileSize, memorySize, align;
  };

  std::string number(uint64_t value, std::size_t size) const {
    std::string out(size, '\0');
    for (std::size_t i = 0; i < size; ++i) out[bigEndian ? size - 1 - i : i] = static_cast<char>(value >> (8 * i));
    return out;
  }
  std::string word(uint64_t value) const { return number(value, is64 ? 8 : 4); }

  std::string symbolEntry(uint32_t name, uint8_t info, uint16_t section, uint64_t value, uint64_t size) const {
    const std::string place = word(value) + word(size);
    return number(name, 4) + (is64 ? "" : place) + number(info, 1) + number(0, 1) + number(section, 2) +
           (is64 ? place : "");
  }

  void layOut() {
    const uint64_t wordSize = is64 ? 8 : 4, headerSize = is64 ? 64 : 52, programSize = is64 ? 56 : 32,
                   symbolSize = is64 ? 24 : 16;
    std::vector<Section> list = {{"", 0, 0, 0, 0, 0, 0, 0, 0, 0}};
    std::vector<Program> programs;
    std::string& out = m_out;
    const uint64_t count = 3 + (dynamic ? 1 : 0) + (buildId ? 1 : 0) + (property ? 2 : 0) + (otherNote ? 1 : 0) +
                           (interpreter ? 1 : 0) + (tableEntry ? 1 : 0) + (nullEntry ? 1 : 0) + (last ? 1 : 0);
    out.assign(headerSize + count * programSize + gap, '\0');
    uint64_t bias = base; // of the current segment
    const auto add = [&](std::string name, uint32_t sectionType, uint64_t flags, const std::string& content,
                         uint64_t align, uint64_t entry = 0) {
      out.resize((out.size() + align - 1) / align * align);
      const uint64_t at = out.size();
      offsets[name] = at;
      addresses[name] = flags & 2 ? bias + at : 0;
      list.push_back({name, sectionType, flags, flags & 2 ? bias + at : 0, at, content.size(), 0, 0, align, entry});
      out += content;
      return list.size() - 1;
    };
    const auto program = [&](uint32_t programType, uint32_t flags, uint64_t from, uint64_t align, uint64_t more = 0) {
      programs.push_back({programType, flags, from, bias + from, out.size() - from, out.size() - from + more, align});
    };

    // 1. Read-only: headers, notes, and what the loader reads.
    std::vector<Program> notes;
    const auto note = [&](const char* name, uint32_t noteType, std::size_t size, uint64_t align) {
      add(name, 7, 2,
          number(4, 4) + number(size, 4) + number(noteType, 4) + std::string("GNU\0", 4) + std::string(size, '\7'),
          align);
      const Section& section = list.back();
      notes.push_back({4, 4, section.offset, section.address, section.size, section.size, align});
    };
    if (property) {
      note(".note.gnu.property", 5, 16, 8);
      notes.push_back(notes.back());
      notes.back().type = 0x6474e553;
    }
    if (buildId) note(".note.gnu.build-id", 3, 20, 4);
    if (otherNote) note(".note.ABI-tag", 1, 16, 4);
    Program interpreterProgram{};
    if (interpreter) {
      add(".interp", 1, 2, std::string("/lib/ld.so\0", 11), 1);
      interpreterProgram = {3, 4, list.back().offset, list.back().address, 11, 11, 1};
    }
    std::string names(1, '\0'), table = symbolEntry(0, 0, 0, 0, 0);
    uint64_t symbolCount = 1;
    const auto symbolOf = [&](const std::string& name, uint8_t info, uint64_t section, uint64_t value, uint64_t size) {
      table += symbolEntry(static_cast<uint32_t>(names.size()), info, static_cast<uint16_t>(section), value, size);
      names += name + '\0';
      ++symbolCount;
    };
    symbolOf(symbol, symbolInfo, m_blobSection, addresses["blob"], blob.size());
    if (!behind.empty()) symbolOf("behind", 1 << 4 | 1, m_rodata, addresses["behind"], behind.size());
    if (!otherVersion.empty()) symbolOf(symbol, 1 << 4 | 1, m_rodata, addresses[otherVersion], 8);
    for (int i = 0; i < functions; ++i)
      symbolOf("function" + std::to_string(i), 1 << 4 | 2, m_text, addresses[".text"] + static_cast<uint64_t>(i), 1);
    std::size_t gnuHash = 0, dynsym = 0, dynstr = 0, hash = 0, relocationTable = 0, dynamicSection = 0;
    if (dynamic) {
      gnuHash = add(".gnu.hash", 0x6ffffff6, 2, gnuHashTable(symbolCount), 8);
      dynsym = add(".dynsym", 11, 2, table, 8, symbolSize);
      dynstr = add(".dynstr", 3, 2, names, 1);
      std::string chain = number(1, 4) + number(symbolCount, 4) + number(1, 4) + number(0, 4);
      for (uint64_t i = 1; i < symbolCount; ++i) chain += number(i + 1 == symbolCount ? 0 : i + 1, 4);
      hash = add(".hash", 5, 2, chain, 8, 4);
    }
    std::string relocated, words;
    for (const Relocation& each : relocations) {
      const uint64_t addend = each.addend + (each.toBlob ? addresses["blob"] : 0),
                     at = addresses[".data"] + words.size();
      if (packed) {
        relocated += word(at);
      } else {
        relocated +=
            word(at) + word(is64 ? each.symbol << 32 | 8 : each.symbol << 8 | 8) + (withAddend ? word(addend) : "");
      }
      words += word(withAddend && !packed ? 0 : addend);
    }
    if (!relocated.empty())
      relocationTable = add(packed       ? ".relr.dyn"
                            : withAddend ? ".rela.dyn"
                                         : ".rel.dyn",
                            packed       ? 19
                            : withAddend ? 4
                                         : 9,
                            2, relocated, 8);
    m_text = add(".text", 1, 6, code, 16);
    m_rodata = add(".rodata", 1, 2, (last ? "" : blob) + behind, 4);
    const uint64_t rodata = list.back().offset;
    if (!last) {
      offsets["blob"] = rodata;
      addresses["blob"] = bias + rodata;
      m_blobSection = m_rodata;
    }
    offsets["behind"] = rodata + (last ? 0 : blob.size());
    addresses["behind"] = bias + offsets["behind"];
    if (tableEntry) {
      programs.push_back({6, 4, headerSize, base + headerSize, count * programSize, count * programSize, 8});
    }
    program(1, 5, 0, page);

    // 2. Writable.
    bias += page;
    out.resize((out.size() + 15) / 16 * 16);
    const uint64_t writable = out.size();
    add(".data", 1, 3, words + std::string(16, '\3'), 8);
    std::string entries;
    if (dynamic) {
      const auto tag = [&](uint64_t key, uint64_t value) { entries += word(key) + word(value); };
      tag(5, addresses[".dynstr"]);
      tag(6, addresses[".dynsym"]);
      tag(10, names.size());
      tag(11, symbolSize);
      tag(4, addresses[".hash"]);
      tag(0x6ffffef5, addresses[".gnu.hash"]);
      if (relocationTable) {
        tag(packed ? 36 : withAddend ? 7 : 17, list[relocationTable].address);
        tag(packed ? 35 : withAddend ? 8 : 18, list[relocationTable].size);
      }
      for (const auto& [key, value] : tags) tag(key, value);
      tag(0, 0);
      dynamicSection = add(".dynamic", 6, 3, entries, 8, 2 * wordSize);
    }
    program(1, 6, writable, page, bss);
    if (bss > 0) list.push_back({".bss", 8, 3, bias + out.size(), out.size(), bss, 0, 0, 1, 0});
    for (const Program& each : notes) programs.push_back(each);
    if (interpreter) programs.push_back(interpreterProgram);
    if (dynamic)
      programs.push_back(
          {2, 6, list[dynamicSection].offset, list[dynamicSection].address, entries.size(), entries.size(), 8});
    if (nullEntry) programs.push_back({0, 0, 0, 0, 0, 0, 0});
    programs.push_back({0x6474e551, 6, 0, 0, 0, 0, 16});
    if (last) {
      out.resize((out.size() + page - 1) / page * page);
      bias = base + ((out.size() + bss + page - 1) / page + 1) * page;
      const uint64_t from = out.size();
      m_blobSection = add(".lrodata", 1, 2, blob, 1);
      offsets["blob"] = from;
      addresses["blob"] = bias + from;
      program(1, 4, from, page);
    }

    // 3. Sections that are not loaded.
    std::size_t symtab = 0;
    if (symbols) {
      const std::size_t sectionOfFile = list.size() + 1; // .comment
      std::string fixed = symbolEntry(0, 0, 0, 0, 0),
                  fixedNames = std::string(1, '\0') + symbol + '\0' + "marker" + '\0';
      fixed += symbolEntry(0, 3, 1, list[1].address, 0); // a section symbol of the first section
      fixed += symbolEntry(static_cast<uint32_t>(symbol.size() + 2), 1, static_cast<uint16_t>(sectionOfFile - 1), 3, 0);
      fixed += symbolEntry(1, symbolInfo, static_cast<uint16_t>(m_blobSection), addresses["blob"], blob.size());
      add(".comment", 1, 0, "made by a test", 1);
      symtab = add(".symtab", 2, 0, fixed, 8, symbolSize);
      list[symtab].info = 3;
      list[symtab].link = static_cast<uint32_t>(add(".strtab", 3, 0, fixedNames, 1));
    }
    const std::size_t sectionNames = list.size();
    std::string shstrtab(1, '\0');
    std::vector<uint32_t> nameAt;
    for (Section& section : list) {
      nameAt.push_back(section.name.empty() ? 0 : static_cast<uint32_t>(shstrtab.size()));
      if (!section.name.empty()) shstrtab += section.name + '\0';
    }
    nameAt.push_back(static_cast<uint32_t>(shstrtab.size()));
    shstrtab += std::string(".shstrtab") + '\0';
    uint64_t sectionTable = 0;
    if (sections) {
      add(".shstrtab", 3, 0, shstrtab, 1);
      for (const std::size_t index : {gnuHash, hash}) list[index].link = static_cast<uint32_t>(index ? dynsym : 0);
      list[dynsym].link = static_cast<uint32_t>(dynstr);
      list[dynsym].info = dynsym ? 1 : 0;
      list[dynamicSection].link = static_cast<uint32_t>(dynstr);
      out.resize((out.size() + 7) / 8 * 8);
      sectionTable = out.size();
      for (std::size_t i = 0; i < list.size(); ++i) {
        const Section& each = list[i];
        out += number(nameAt[i], 4) + number(each.type, 4) + word(each.flags) + word(each.address) + word(each.offset) +
               word(each.size) + number(each.link, 4) + number(each.info, 4) + word(each.align) + word(each.entry);
      }
    }
    offsets["sections"] = sectionTable;
    out += tail;

    // 4. Headers.
    std::string head = std::string("\x7f\x45\x4c\x46") + static_cast<char>(is64 ? 2 : 1) +
                       static_cast<char>(bigEndian ? 2 : 1) + '\1' + std::string(9, '\0');
    head += number(type, 2) + number(machine, 2) + number(1, 4) + word(0) + word(headerSize) + word(sectionTable) +
            number(0, 4) + number(headerSize, 2) + number(programSize, 2) + number(programs.size(), 2) +
            number(is64 ? 64 : 40, 2) + number(sections ? list.size() : 0, 2) + number(sections ? sectionNames : 0, 2);
    for (const Program& each : programs)
      head += number(each.type, 4) + (is64 ? number(each.flags, 4) : "") + word(each.offset) + word(each.address) +
              word(each.address) + word(each.fileSize) + word(each.memorySize) + (is64 ? "" : number(each.flags, 4)) +
              word(each.align);
    out.replace(0, head.size(), head);
  }

  /// One bucket, all symbols in one chain; the hashes are wrong, because readers only count.
  std::string gnuHashTable(uint64_t symbolCount) const {
    std::string out =
        number(1, 4) + number(1, 4) + number(1, 4) + number(0, 4) + word(is64 ? ~0ull : ~0u) + number(1, 4);
    for (uint64_t i = 1; i < symbolCount; ++i) out += number(i + 1 == symbolCount ? 1 : 2, 4);
    return out;
  }

  std::string m_out;
  uint64_t m_text = 0, m_rodata = 0, m_blobSection = 0;
};

} // namespace blobscope::test
