#pragma once

#include "tests/support/builders.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Builders of COFF objects and of the parts that PE images share with them. Source: "PE Format",
/// learn.microsoft.com/windows/win32/debug/pe-format.
namespace blobscope::test {

struct CoffSymbol {
  std::string name;
  uint32_t value = 0;
  int32_t section = 0;                     ///< 1 is the first
  uint16_t type = 0;                       ///< 0x20: function
  uint8_t storage = 2;                     ///< external
  std::vector<std::string> auxiliary = {}; ///< each padded to a record
};

struct CoffSection {
  std::string name;
  uint32_t characteristics = 0x40000040;
  std::string content = {};
  uint32_t virtualSize = 0;             ///< of an image: 0 is the size of the content
  std::optional<uint32_t> rawSize = {}; ///< the size of the content otherwise
  uint32_t rva = 0;                     ///< set by the builder of images
};

/// Names of more than eight bytes, after their length.
class CoffStrings {
public:
  uint32_t add(std::string_view name) {
    const auto place = static_cast<uint32_t>(4 + m_bytes.size());
    m_bytes += std::string(name) + '\0';
    return place;
  }
  std::string bytes() const { return ByteBuilder().u32(static_cast<uint32_t>(4 + m_bytes.size())).raw(m_bytes).take(); }

private:
  std::string m_bytes;
};

inline std::string filled(std::string text, std::size_t size) {
  text.resize(std::max(size, text.size()));
  return text;
}

/// The records of the symbols; `count` includes the auxiliary ones.
inline std::string coffRecords(const std::vector<CoffSymbol>& symbols, bool wide, CoffStrings& strings,
                               uint32_t& count) {
  ByteBuilder out;
  for (const CoffSymbol& symbol : symbols) {
    if (symbol.name.size() <= 8)
      out.raw(filled(symbol.name, 8));
    else
      out.u32(0).u32(strings.add(symbol.name));
    out.u32(symbol.value);
    if (wide)
      out.u32(static_cast<uint32_t>(symbol.section));
    else
      out.u16(static_cast<uint16_t>(symbol.section));
    out.u16(symbol.type).u8(symbol.storage).u8(static_cast<uint8_t>(symbol.auxiliary.size()));
    for (const std::string& part : symbol.auxiliary) out.raw(filled(part, wide ? 20 : 18));
    count += 1 + static_cast<uint32_t>(symbol.auxiliary.size());
  }
  return out.take();
}

inline std::string coffSectionHeader(const CoffSection& section, uint32_t rawOffset, CoffStrings& strings) {
  ByteBuilder out;
  out.raw(filled(section.name.size() <= 8 ? section.name : "/" + std::to_string(strings.add(section.name)), 8));
  out.u32(section.virtualSize).u32(section.rva);
  out.u32(section.rawSize.value_or(static_cast<uint32_t>(section.content.size()))).u32(rawOffset);
  return out.u32(0).u32(0).u16(0).u16(0).u32(section.characteristics).take();
}

/// A COFF object: header, section headers, contents, symbols, strings.
class CoffBuilder {
public:
  uint16_t machine = 0x8664;
  bool big = false; ///< /bigobj
  std::vector<CoffSection> sections;
  std::vector<CoffSymbol> symbols;

  std::string build() const {
    CoffStrings strings;
    uint32_t count = 0;
    const std::string records = coffRecords(symbols, big, strings, count);
    const std::size_t head = (big ? 56 : 20) + 40 * sections.size();
    std::string headers, contents;
    for (const CoffSection& section : sections) {
      const auto place = section.content.empty() ? 0 : static_cast<uint32_t>(head + contents.size());
      headers += coffSectionHeader(section, place, strings);
      contents += section.content;
    }
    const auto table = static_cast<uint32_t>(head + contents.size());
    ByteBuilder out;
    if (big) {
      out.u16(0).u16(0xffff).u16(2).u16(machine).u32(0);
      out.raw({"\xc7\xa1\xba\xd1\xee\xba\xa9\x4b\xaf\x20\xfa\xf6\x6a\xa4\xdc\xb8", 16}).u32(0).u32(0).u32(0).u32(0);
      out.u32(static_cast<uint32_t>(sections.size())).u32(table).u32(count);
    } else {
      out.u16(machine).u16(static_cast<uint16_t>(sections.size())).u32(0).u32(table).u32(count).u16(0).u16(0);
    }
    return out.raw(headers).raw(contents).raw(records).raw(strings.bytes()).take();
  }
};

/// A member of an import library.
inline std::string importMember(uint16_t machine, std::string_view name, std::string_view library) {
  const std::string names = std::string(name) + '\0' + std::string(library) + '\0';
  ByteBuilder out;
  out.u16(0).u16(0xffff).u16(0).u16(machine).u32(0).u32(static_cast<uint32_t>(names.size())).u16(0).u16(4);
  return out.raw(names).take();
}

} // namespace blobscope::test
