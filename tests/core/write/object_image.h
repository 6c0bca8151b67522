#pragma once

#include "tests/core/write/plan_check.h"

#include <map>
#include <string>
#include <vector>

/// Relocatable ELF objects with a blob.
namespace blobscope::test::object_files {

using namespace std::string_literals;

/// An object file as assemblers lay it out. In file order: header, .text, .rodata (front, blob, behind, last), .bss,
/// .data, .comment, .symtab, relocations, .strtab, section headers. Source of all layouts: System V ABI, chapter 4;
/// elf.h.
struct ObjectImage {
  bool is64 = true, bigEndian = false, withAddends = true;
  uint16_t machine = 62, type = 1;
  uint64_t align = 1; ///< of .rodata, and of what lies behind the blob
  std::string blob, front = "front", behind = "behind!";
  bool tableFirst = false; ///< section headers in front of all sections
  std::string junk, tail;  ///< bytes between sections, and behind everything
  uint64_t rodataFlags = 2;
  uint32_t moreType = 1;  ///< of .comment
  std::string moreSymbol; ///< at `moreValue`, none when empty
  uint64_t moreValue = 0, moreSize = 0;
  uint64_t relocationSize = 0; ///< as the headers say, when not 0
  /// A relocation of .text or .data ('t', 'd') or of .rodata ('r'). Symbols: 1 the section's, 2 front, 3 behind, 4
  /// blob.
  struct Relocation {
    char place;
    uint64_t offset;
    uint64_t symbol;
    std::string target; ///< "front", "blob", "behind", "last", or "" for the addend alone
    int64_t more = 0;
    uint32_t type = 1;
  };
  std::vector<Relocation> relocations;

  std::map<std::string, uint64_t>
      offsets; ///< in .rodata: front, blob, behind, last; in the file: sections' names, "sections"

  std::string build() {
    offsets.clear();
    std::string rodata;
    const auto data = [&](const std::string& name, const std::string& content, uint64_t to) {
      rodata.resize((rodata.size() + to - 1) / to * to);
      offsets[name] = rodata.size();
      rodata += content;
    };
    data("front", front, 1);
    data("blob", blob, 1);
    data("behind", behind, align);
    data("last", "last word", 1);

    const uint64_t word = is64 ? 8 : 4, headerSize = is64 ? 64 : 52, entrySize = is64 ? 64 : 40;
    std::string out(headerSize, '\0');
    struct Section {
      std::string name;
      uint32_t type;
      uint64_t flags, offset, size;
      uint32_t link, info;
      uint64_t align, entry;
    };
    std::vector<Section> list = {{"", 0, 0, 0, 0, 0, 0, 0, 0}};
    const auto add = [&](std::string name, uint32_t sectionType, uint64_t flags, const std::string& content,
                         uint64_t to, uint64_t entry = 0) {
      out.resize((out.size() + to - 1) / to * to);
      offsets[name] = out.size();
      list.push_back({name, sectionType, flags, out.size(), content.size(), 0, 0, to, entry});
      if (sectionType != 8) out += content;
      return static_cast<uint32_t>(list.size() - 1);
    };
    if (tableFirst) out.resize(out.size() + 13 * entrySize); // fewer are used
    std::string bytesOf[3] = {std::string(32, '\x90'), rodata, std::string(40, '\3')};
    std::string tables[3];
    for (const Relocation& each : relocations) {
      const std::size_t place = each.place == 't' ? 0 : each.place == 'r' ? 1 : 2;
      const std::string names[] = {"", "", "front", "behind", "blob"};
      const uint64_t anchor = each.symbol < 5 ? offsets[names[each.symbol]] : 0;
      const uint64_t addend =
          (each.target.empty() ? 0 : offsets[each.target] - anchor) + static_cast<uint64_t>(each.more);
      const uint64_t at = each.offset + (place == 1 ? offsets["behind"] : 0);
      tables[place] += number(at, word) +
                       number(is64 ? each.symbol << 32 | each.type : each.symbol << 8 | each.type, word) +
                       (withAddends ? number(addend, word) : "");
      if (!withAddends) bytesOf[place].replace(at, 4, number(addend, 4));
    }
    const uint32_t text = add(".text", 1, 6, bytesOf[0], 16), home = add(".rodata", 1, rodataFlags, bytesOf[1], align);
    out += junk;
    add(".bss", 8, 3, "1234", 4);
    const uint32_t writable = add(".data", 1, 3, bytesOf[2], 8);
    add(".comment", moreType, 0, "made by a test", 1);
    std::string names(1, '\0'), symbols = symbol(0, 0, 0, 0, 0) + symbol(0, 3, home, 0, 0);
    const auto label = [&](const std::string& name, uint8_t info, uint64_t value, uint64_t size) {
      symbols += symbol(static_cast<uint32_t>(names.size()), info, home, value, size);
      names += name + '\0';
    };
    label("front", 1, offsets["front"], front.size());
    label("behind", 1, offsets["behind"], behind.size());
    label("__tvm_dev_mblob", 1 << 4 | 1, offsets["blob"], blob.size());
    label("last", 1 << 4 | 1, offsets["last"], 9);
    if (!moreSymbol.empty()) label(moreSymbol, 1 << 4 | 1, moreValue, moreSize);
    const uint32_t symtab = add(".symtab", 2, 0, symbols, word, is64 ? 24 : 16);
    list[symtab].info = 4;
    const char* const prefix = withAddends ? ".rela" : ".rel";
    const std::pair<const char*, uint32_t> owners[] = {{".text", text}, {".rodata", home}, {".data", writable}};
    for (std::size_t i = 0; i < 3; ++i) {
      if (tables[i].empty()) continue;
      const uint32_t table = add(std::string(prefix) + owners[i].first, withAddends ? 4 : 9, 0x40, tables[i], word,
                                 relocationSize ? relocationSize : word * (withAddends ? 3 : 2));
      list[table].link = symtab;
      list[table].info = owners[i].second;
    }
    std::vector<uint32_t> nameAt;
    for (const Section& section : list) {
      nameAt.push_back(static_cast<uint32_t>(names.size()));
      names += section.name + '\0';
    }
    nameAt.push_back(static_cast<uint32_t>(names.size()));
    names += ".strtab\0"s;
    const uint32_t strtab = add(".strtab", 3, 0, names, 1);
    list[symtab].link = strtab;
    std::string table;
    for (std::size_t i = 0; i < list.size(); ++i)
      table += number(nameAt[i], 4) + number(list[i].type, 4) + number(list[i].flags, word) + number(0, word) +
               number(list[i].offset, word) + number(list[i].size, word) + number(list[i].link, 4) +
               number(list[i].info, 4) + number(list[i].align, word) + number(list[i].entry, word);
    if (!tableFirst) out.resize((out.size() + word - 1) / word * word);
    offsets["sections"] = tableFirst ? headerSize : out.size();
    if (tableFirst)
      out.replace(headerSize, table.size(), table);
    else
      out += table;
    out += tail;
    std::string head = std::string("\x7f\x45\x4c\x46") + static_cast<char>(is64 ? 2 : 1) +
                       static_cast<char>(bigEndian ? 2 : 1) + '\1' + std::string(9, '\0');
    head += number(type, 2) + number(machine, 2) + number(1, 4) + number(0, word) + number(0, word) +
            number(offsets["sections"], word) + number(0, 4) + number(headerSize, 2) + number(0, 2) + number(0, 2) +
            number(entrySize, 2) + number(list.size(), 2) + number(strtab, 2);
    return out.replace(0, head.size(), head);
  }

  std::string number(uint64_t value, std::size_t size) const {
    std::string out(size, '\0');
    for (std::size_t i = 0; i < size; ++i) out[bigEndian ? size - 1 - i : i] = static_cast<char>(value >> (8 * i));
    return out;
  }

private:
  std::string symbol(uint32_t name, uint8_t info, uint32_t section, uint64_t value, uint64_t size) const {
    const std::size_t word = is64 ? 8 : 4;
    const std::string place = number(value, word) + number(size, word);
    return number(name, 4) + (is64 ? "" : place) + number(info, 1) + number(0, 1) + number(section, 2) +
           (is64 ? place : "");
  }
};

constexpr std::size_t kSize = 501;

/// References to everything around the blob, by code and by data. `type`, `bias`: of an instruction's relocation.
inline ObjectImage usual(uint32_t type = 2, int64_t bias = -4) {
  ObjectImage image;
  image.blob = blobOf(kSize, 'o');
  image.relocations = {{'t', 0, 1, "front", bias, type},
                       {'t', 4, 1, "behind", bias, type},
                       {'t', 8, 1, "last", bias, type},
                       {'t', 12, 4, "blob", bias, type},
                       {'t', 16, 1, "behind", 2 + bias, type},
                       {'t', 20, 2, "last", bias, type},
                       {'t', 24, 3, "front", bias, type},
                       {'d', 0, 1, "behind"},
                       {'d', 8, 1, "blob"},
                       {'d', 16, 4, "blob", 8},
                       {'d', 24, 3, "last"},
                       {'d', 32, 0, "", 77},
                       {'r', 0, 1, "last"},
                       {'r', 8, 2, "front"}};
  return image;
}

/// The same without addends in the relocations; the blob by its symbol only.
inline ObjectImage implicit(uint16_t machine = 3) {
  ObjectImage image;
  image.is64 = false;
  image.machine = machine;
  image.withAddends = false;
  image.blob = blobOf(kSize, 'o');
  image.behind = "behind! and more"; // relocated bytes
  const uint32_t word = machine == 40 ? 2 : 1;
  image.relocations = {{'t', 0, 4, "", 0, word},
                       {'d', 0, 1, "behind", 0, word},
                       {'d', 8, 1, "front", 0, word},
                       {'r', 8, 1, "last", 0, word}};
  return image;
}

} // namespace blobscope::test::object_files
