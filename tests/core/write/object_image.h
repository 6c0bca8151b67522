#pragma once

#include "tests/core/write/plan_check.h"
#include "tests/support/elf_yaml.h"

#include <map>
#include <string>
#include <vector>

/// Relocatable ELF objects with a blob.
namespace blobscope::test::object_files {

using namespace std::string_literals;

/// An object file as assemblers lay it out. In file order: header, .text, .rodata (front, blob, behind, last), .bss,
/// .data, .comment, .symtab, relocations, .strtab, section headers.
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

    const uint64_t word = is64 ? 8 : 4;
    std::string text(32, '\x90'), words(40, '\3');
    std::string* const contents[] = {&text, &rodata, &words};
    std::string relocationsOf[3];
    for (const Relocation& each : relocations) {
      const std::size_t place = each.place == 't' ? 0 : each.place == 'r' ? 1 : 2;
      const std::string names[] = {"", "", "front", "behind", "blob"};
      const uint64_t anchor = each.symbol < 5 ? offsets[names[each.symbol]] : 0;
      const uint64_t addend =
          (each.target.empty() ? 0 : offsets[each.target] - anchor) + static_cast<uint64_t>(each.more);
      const uint64_t at = each.offset + (place == 1 ? offsets["behind"] : 0);
      relocationsOf[place] += "      - {Offset: " + std::to_string(at) + ", Symbol: " + std::to_string(each.symbol) +
                              ", Type: " + std::to_string(each.type) +
                              (withAddends ? ", Addend: " + std::to_string(static_cast<int64_t>(addend)) : "") + "}\n";
      if (!withAddends) contents[place]->replace(at, 4, number(addend, 4));
    }

    std::string sections;
    const auto add = [&](const std::string& name, const std::string& sectionType, uint64_t flags, uint64_t to,
                         const std::string& more) {
      sections += "  - {Name: " + name + ", Type: " + sectionType + ", ShFlags: " + std::to_string(flags) +
                  ", AddressAlign: " + std::to_string(to) + more + "}\n";
    };
    const auto content = [](std::string_view bytes) { return ", Content: '" + yamlBytes(bytes) + "'"; };
    if (tableFirst) sections += "  - {Type: SectionHeaderTable}\n";
    add(".text", "SHT_PROGBITS", 6, 16, content(text));
    add(".rodata", "SHT_PROGBITS", rodataFlags, align, content(rodata));
    if (!junk.empty())
      sections += "  - {Type: Fill, Pattern: '" + yamlBytes(junk) + "', Size: " + std::to_string(junk.size()) + "}\n";
    add(".bss", "SHT_NOBITS", 3, 4, ", Size: 4");
    add(".data", "SHT_PROGBITS", 3, 8, content(words));
    add(".comment", "SHT_PROGBITS", 0, 1, ", ShType: " + std::to_string(moreType) + content("made by a test"));
    add(".symtab", "SHT_SYMTAB", 0, word, ", Link: .strtab");
    const char* const owners[] = {".text", ".rodata", ".data"};
    for (std::size_t i = 0; i < 3; ++i)
      if (!relocationsOf[i].empty()) {
        const std::string kind = withAddends ? "rela" : "rel", title = "." + kind + owners[i];
        sections += "  - Name: " + title + "\n    Type: " + (withAddends ? "SHT_RELA" : "SHT_REL") +
                    "\n    ShFlags: 0x40\n    Link: .symtab\n    Info: " + owners[i] +
                    "\n    AddressAlign: " + std::to_string(word) + "\n" +
                    (relocationSize ? "    EntSize: " + std::to_string(relocationSize) + "\n" : "") +
                    "    Relocations:\n" + relocationsOf[i];
      }
    add(".strtab", "SHT_STRTAB", 0, 1, "");

    std::string symbols = "  - {Type: STT_SECTION, Section: .rodata}\n";
    uint64_t count = 0;
    const auto label = [&](const std::string& name, const char* binding, uint64_t value, uint64_t size) {
      symbols += "  - {Name: " + yamlName(name, ++count) + ", Type: STT_OBJECT, Binding: " + binding +
                 ", Section: .rodata, Value: " + std::to_string(value) + ", Size: " + std::to_string(size) + "}\n";
    };
    label("front", "STB_LOCAL", offsets["front"], front.size());
    label("behind", "STB_LOCAL", offsets["behind"], behind.size());
    label("__tvm_dev_mblob", "STB_GLOBAL", offsets["blob"], blob.size());
    label("last", "STB_GLOBAL", offsets["last"], 9);
    if (!moreSymbol.empty()) label(moreSymbol, "STB_GLOBAL", moreValue, moreSize);

    const std::string out =
        elfOfYaml("--- !ELF\nFileHeader: {Class: " + std::string(is64 ? "ELFCLASS64" : "ELFCLASS32") +
                  ", Data: " + (bigEndian ? "ELFDATA2MSB" : "ELFDATA2LSB") + ", Type: " + std::to_string(type) +
                  ", Machine: " + std::to_string(machine) + ", SectionHeaderStringTable: .strtab}\nSections:\n" +
                  sections + "Symbols:\n" + symbols);
    offsets.merge(sectionOffsets(out));
    return out + tail;
  }

  std::string number(uint64_t value, std::size_t size) const {
    std::string out(size, '\0');
    for (std::size_t i = 0; i < size; ++i) out[bigEndian ? size - 1 - i : i] = static_cast<char>(value >> (8 * i));
    return out;
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
