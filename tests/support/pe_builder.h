#pragma once

#include "tests/support/coff_builder.h"

#include <map>

namespace blobscope::test {

/// A PE image. Offsets of the parts that tests damage are in `places` after build(). Sections: .text, .rdata, .bss if
/// it is not empty, .edata, .idata, .didat, then `sections`.
class PeBuilder {
public:
  bool is64 = true, dll = true;
  uint16_t machine = 0x8664;
  uint64_t base = 0x180000000;
  uint32_t ordinalBase = 1, directories = 16;
  uint32_t delayAttributes = 1; ///< 0: addresses instead of RVAs
  std::vector<CoffSection> sections;
  std::vector<CoffSymbol> symbols;
  std::string certificate, debug;
  /// Offsets in the built file: "header" (of COFF), "optional", "directories", "sections", "symbols", a section's name
  /// (its bytes), "export", "functions", "names", "ordinals", "import", "delay".
  std::map<std::string, std::size_t> places;

  /// An exported function; without a name only by ordinal.
  PeBuilder& function(std::string name) {
    m_exports.push_back({std::move(name), 0x1000 + static_cast<uint32_t>(m_text.size()), {}});
    m_text += "\x31\xc0\xc3\x90";
    return *this;
  }
  PeBuilder& data(std::string name, std::string_view bytes) {
    m_exports.push_back({std::move(name), 0x2000 + static_cast<uint32_t>(m_data.size()), {}});
    m_data += bytes;
    return *this;
  }
  PeBuilder& exported(std::string name, uint32_t rva) {
    m_exports.push_back({std::move(name), rva, {}});
    return *this;
  }
  PeBuilder& forwarder(std::string name, std::string target) {
    m_exports.push_back({std::move(name), 0, std::move(target)});
    return *this;
  }
  /// A name of the form "#7" is an ordinal.
  PeBuilder& import(std::string library, std::vector<std::string> names, bool delayed = false) {
    (delayed ? m_delayed : m_imports).push_back({std::move(library), std::move(names)});
    return *this;
  }
  PeBuilder& zeros(uint32_t size) {
    m_zeros = size;
    return *this;
  }

  std::string build() {
    places.clear();
    // --- 1. Sections and their contents. ---
    std::vector<CoffSection> all;
    uint32_t rva = 0x1000;
    const auto add = [&](CoffSection section) {
      section.rva = rva;
      if (section.virtualSize == 0) section.virtualSize = static_cast<uint32_t>(section.content.size());
      rva += std::max<uint32_t>(1, (section.virtualSize + 0xfff) / 0x1000) * 0x1000;
      all.push_back(std::move(section));
    };
    std::vector<std::pair<uint32_t, uint32_t>> tables(16);
    add({".text", 0x60000020, m_text});
    add({".rdata", 0x40000040, m_data + debug});
    if (!debug.empty())
      tables[6] = {0x2000 + static_cast<uint32_t>(m_data.size()), static_cast<uint32_t>(debug.size())};
    if (m_zeros > 0) add({".bss", 0xc0000080, {}, m_zeros});
    const auto addTable = [&](const char* name, std::size_t directory, const std::string& content) {
      tables[directory] = {rva, static_cast<uint32_t>(content.size())};
      add({name, 0x40000040, content});
    };
    if (!m_exports.empty()) addTable(".edata", 0, exportTable(rva));
    if (!m_imports.empty()) addTable(".idata", 1, importTable(rva, m_imports, false));
    if (!m_delayed.empty()) addTable(".didat", 13, importTable(rva, m_delayed, true));
    for (const CoffSection& section : sections) add(section);

    // --- 2. Headers, contents, and the data after them. ---
    CoffStrings strings;
    uint32_t count = 0;
    const std::string records = coffRecords(symbols, false, strings, count);
    const std::size_t optionalSize = (is64 ? 112 : 96) + 8 * directories;
    places = {
        {"header", 68}, {"optional", 88}, {"directories", 88 + (is64 ? 112 : 96)}, {"sections", 88 + optionalSize}};
    const auto rounded = [](std::size_t size) { return (size + 511) / 512 * 512; };
    const std::size_t head = rounded(88 + optionalSize + 40 * all.size());
    std::string headers, contents;
    for (const CoffSection& section : all) {
      const std::size_t place = head + contents.size();
      places[section.name] = place;
      headers += coffSectionHeader(section, section.content.empty() ? 0 : static_cast<uint32_t>(place), strings);
      contents += section.content;
      contents.resize(rounded(contents.size()));
    }
    const auto table = static_cast<uint32_t>(head + contents.size());
    places["symbols"] = table;
    places["export"] = places[".edata"], places["import"] = places[".idata"], places["delay"] = places[".didat"];
    places["functions"] = places["export"] + 40;
    places["names"] = places["functions"] + 4 * m_exports.size();
    places["ordinals"] = places["names"] + 4 * named();
    std::string tail = records;
    const bool hasStrings = !symbols.empty() || strings.bytes().size() > 4;
    if (hasStrings) tail += strings.bytes();
    if (!certificate.empty())
      tables[4] = {static_cast<uint32_t>(table + tail.size()), static_cast<uint32_t>(certificate.size())};

    ByteBuilder out;
    out.raw(filled("MZ", 0x3c)).u32(64).raw({"PE\0\0", 4});
    out.u16(machine).u16(static_cast<uint16_t>(all.size())).u32(0).u32(hasStrings ? table : 0).u32(count);
    out.u16(static_cast<uint16_t>(optionalSize)).u16(dll ? 0x2022 : 0x22);
    out.u16(is64 ? 0x20b : 0x10b).raw(std::string(22, '\0'));
    if (is64)
      out.u64(base);
    else
      out.u32(0).u32(static_cast<uint32_t>(base));
    out.u32(0x1000).u32(512).raw(std::string(16, '\0')).u32(rva).u32(static_cast<uint32_t>(head)).u32(0).u32(0);
    out.raw(std::string(is64 ? 36 : 20, '\0')).u32(directories);
    for (uint32_t i = 0; i < directories; ++i)
      out.u32(i < tables.size() ? tables[i].first : 0).u32(i < tables.size() ? tables[i].second : 0);
    return filled(out.raw(headers).take(), head) + contents + tail + certificate;
  }

private:
  struct Export {
    std::string name;
    uint32_t rva;
    std::string target;
  };
  struct Import {
    std::string library;
    std::vector<std::string> names;
  };

  std::size_t named() const {
    return static_cast<std::size_t>(
        std::count_if(m_exports.begin(), m_exports.end(), [](const Export& entry) { return !entry.name.empty(); }));
  }

  std::string exportTable(uint32_t rva) const {
    const auto functions = rva + 40, names = functions + 4 * static_cast<uint32_t>(m_exports.size());
    const auto ordinals = names + 4 * static_cast<uint32_t>(named());
    const auto texts = ordinals + 2 * static_cast<uint32_t>(named());
    std::string strings = std::string("self.dll") + '\0';
    ByteBuilder addressTable, nameTable, ordinalTable, out;
    const auto text = [&](const std::string& value) {
      const auto place = texts + static_cast<uint32_t>(strings.size());
      strings += value + '\0';
      return place;
    };
    for (std::size_t i = 0; i < m_exports.size(); ++i) {
      addressTable.u32(m_exports[i].target.empty() ? m_exports[i].rva : text(m_exports[i].target));
      if (m_exports[i].name.empty()) continue;
      nameTable.u32(text(m_exports[i].name));
      ordinalTable.u16(static_cast<uint16_t>(i));
    }
    out.u32(0).u32(0).u32(0).u32(texts).u32(ordinalBase).u32(static_cast<uint32_t>(m_exports.size()));
    out.u32(static_cast<uint32_t>(named())).u32(functions).u32(names).u32(ordinals);
    return out.raw(addressTable.take()).raw(nameTable.take()).raw(ordinalTable.take()).raw(strings).take();
  }

  std::string importTable(uint32_t rva, const std::vector<Import>& imports, bool delayed) const {
    const uint64_t bias = delayed && !(delayAttributes & 1) ? base : 0; // in old delay imports
    const auto tables = rva + static_cast<uint32_t>((imports.size() + 1) * (delayed ? 32 : 20));
    ByteBuilder descriptors, rest;
    for (const Import& library : imports) {
      std::vector<uint64_t> words;
      for (const std::string& name : library.names) {
        if (name.starts_with('#')) {
          words.push_back(uint64_t{1} << (is64 ? 63 : 31) | static_cast<uint64_t>(std::stoul(name.substr(1))));
          continue;
        }
        words.push_back(tables + rest.size() + bias);
        rest.u16(0).raw(name).u8(0);
      }
      words.push_back(0);
      const auto lookup = static_cast<uint32_t>(tables + rest.size() + bias);
      for (const uint64_t word : words) is64 ? rest.u64(word) : rest.u32(static_cast<uint32_t>(word));
      const auto name = static_cast<uint32_t>(tables + rest.size() + bias);
      rest.raw(library.library).u8(0);
      if (delayed)
        descriptors.u32(delayAttributes).u32(name).u32(0).u32(lookup).u32(lookup).u32(0).u32(0).u32(0);
      else
        descriptors.u32(lookup).u32(0).u32(0).u32(name).u32(lookup);
    }
    return descriptors.raw(std::string(delayed ? 32 : 20, '\0')).raw(rest.take()).take();
  }

  std::string m_text, m_data;
  uint32_t m_zeros = 0;
  std::vector<Export> m_exports;
  std::vector<Import> m_imports, m_delayed;
};

} // namespace blobscope::test
