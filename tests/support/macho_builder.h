#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Mach-O files of one and of several architectures, made from the description of the format, not with the code under
/// test. Source: Apple mach-o/loader.h, mach-o/nlist.h, mach-o/fat.h.
namespace blobscope::test {

/// Bytes in the byte order of the file.
class OrderedBytes {
public:
  OrderedBytes(bool bigEndian, bool is64) : m_bigEndian(bigEndian), m_is64(is64) {}
  OrderedBytes& number(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * (m_bigEndian ? size - 1 - i : i));
    return *this;
  }
  OrderedBytes& u32(uint64_t value) { return number(value, 4); }
  /// An address: 4 or 8 bytes.
  OrderedBytes& word(uint64_t value) { return number(value, m_is64 ? 8 : 4); }
  /// `text` in exactly `size` bytes.
  OrderedBytes& field(std::string text, std::size_t size) {
    text.resize(size, '\0');
    bytes += text;
    return *this;
  }
  std::string bytes;

private:
  bool m_bigEndian, m_is64;
};

inline std::string uleb(uint64_t value) {
  std::string out;
  do out += static_cast<char>((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
  while (value >>= 7);
  return out;
}

/// A node of an export trie; children are numbers of nodes, so that any graph can be written.
struct TrieNode {
  std::string terminal;
  std::vector<std::pair<std::string, std::size_t>> children = {};
};

/// Node 0 first. Offsets have three bytes each, so that they are known before the nodes are written.
inline std::string trieBytes(const std::vector<TrieNode>& nodes) {
  std::vector<std::size_t> offsets;
  std::size_t at = 0;
  for (const TrieNode& node : nodes) {
    offsets.push_back(at);
    at += uleb(node.terminal.size()).size() + node.terminal.size() + 1;
    for (const auto& child : node.children) at += child.first.size() + 1 + 3;
  }
  std::string out;
  for (const TrieNode& node : nodes) {
    out += uleb(node.terminal.size()) + node.terminal + static_cast<char>(node.children.size());
    for (const auto& [label, child] : node.children) {
      const std::size_t target = child < offsets.size() ? offsets[child] : child;
      out += label + '\0';
      out += static_cast<char>(target | 0x80);
      out += static_cast<char>(target >> 7 | 0x80);
      out += static_cast<char>(target >> 14 & 0x7f);
    }
  }
  return out;
}

/// The data in the node of a defined name.
inline std::string exported(uint64_t address, uint64_t flags = 0) { return uleb(flags) + uleb(address); }
inline std::string reexported(uint64_t library, std::string_view name) {
  return uleb(8) + uleb(library) + std::string(name) + '\0';
}

/// header, load commands, __text, __const, __data, [trie, symbols, strings, signature]; __bss has no bytes. Addresses
/// are file offsets plus `base`; in an object file they count from the first section.
class MachOBuilder {
public:
  bool is64 = true;
  bool bigEndian = false;
  uint32_t cpuType = 0x0100000c; ///< arm64
  uint32_t fileType = 6;         ///< MH_DYLIB; MH_OBJECT = 1
  uint64_t base = 0x10000;
  bool symbolTable = true;
  bool dyldInfo = false; ///< the trie is in LC_DYLD_INFO_ONLY instead of LC_DYLD_EXPORTS_TRIE
  std::string trie;      ///< none when empty
  std::string signature;
  std::vector<std::pair<uint32_t, std::string>> commands; ///< further ones: number and the data after the size

  enum Place : uint8_t { None, Text, Const, Data, Bss }; ///< numbers of sections as symbols use them
  static constexpr uint8_t kLocal = 0xe, kGlobal = 0xf, kUndefined = 0x1;

  /// A symbol with its bytes.
  MachOBuilder& add(std::string name, Place section, std::string_view content, uint8_t type = kGlobal,
                    uint16_t description = 0) {
    m_symbols.push_back({std::move(name), type, section, description, m_content[section].size()});
    m_content[section] += content;
    return *this;
  }
  MachOBuilder& function(std::string name) { return add(std::move(name), Text, "code"); }
  MachOBuilder& data(std::string name, std::string_view content) { return add(std::move(name), Const, content); }
  MachOBuilder& undefined(std::string name) { return symbol(std::move(name), kUndefined, None, 0, 0); }
  /// A symbol with the given values; in a section of this file `value` counts from its start.
  MachOBuilder& symbol(std::string name, uint8_t type, uint8_t section, uint16_t description, uint64_t value) {
    m_symbols.push_back({std::move(name), type, section, description, value});
    return *this;
  }

  /// Offset in the built file of a load command ("LC_SYMTAB"), of a section's header ("__TEXT,__const"), of what is in
  /// it
  /// ("__const"), or of a part ("trie", "symbols", "strings").
  std::size_t offsetOf(const std::string& what) const {
    build();
    return m_places.at(what);
  }
  /// The data of the export trie about a place.
  uint64_t exportAddress(Place section, uint64_t offset) const { return offsetOf(kNames[section]) + offset; }

  std::string build() const {
    // The second round knows the sizes and offsets.
    assemble(0);
    return assemble(m_commandsEnd);
  }

private:
  struct Entry {
    std::string name;
    uint8_t type;
    uint8_t section;
    uint16_t description;
    uint64_t value;
  };
  static constexpr const char* kNames[] = {"", "__text", "__const", "__data", "__bss"};
  static constexpr const char* kSegments[] = {"", "__TEXT", "__TEXT", "__DATA", "__DATA"};

  OrderedBytes ordered() const { return {bigEndian, is64}; }

  std::string assemble(uint64_t commandsEnd) const {
    const bool isObject = fileType == 1;
    // --- 1. Offsets. ---
    uint64_t at = commandsEnd;
    uint64_t offsets[5] = {}, addresses[5] = {};
    for (const Place section : {Text, Const, Data, Bss}) {
      m_places[kNames[section]] = offsets[section] = at;
      addresses[section] = isObject ? at - commandsEnd : base + at;
      at += m_content[section].size() * (section != Bss);
    }
    const uint64_t linkedit = at;
    std::string symbols, strings(1, '\0');
    for (const Entry& entry : m_symbols) {
      const bool placed = (entry.type & 0xe) == 0xe && entry.section >= Text && entry.section <= Bss;
      OrderedBytes bytes = ordered();
      bytes.u32(strings.size()).number(entry.type, 1).number(entry.section, 1).number(entry.description, 2);
      symbols += bytes.word(entry.value + (placed ? addresses[entry.section] : 0)).bytes;
      strings += entry.name + '\0';
    }
    if (!symbolTable) symbols = strings = {};
    const uint64_t trieAt = linkedit, symbolsAt = trieAt + trie.size(), stringsAt = symbolsAt + symbols.size(),
                   signatureAt = stringsAt + strings.size();
    m_places["trie"] = trieAt;
    m_places["symbols"] = symbolsAt;
    m_places["strings"] = stringsAt;
    const uint64_t end = signatureAt + signature.size();

    // --- 2. Load commands. ---
    std::string out(is64 ? 32 : 28, '\0');
    uint64_t count = 0;
    const auto command = [&](const std::string& name, uint32_t id, const std::string& content) {
      m_places[name] = out.size();
      ++count;
      out += ordered().u32(id).u32(8 + content.size()).bytes + content;
    };
    const auto segment = [&](const std::string& name, uint64_t from, uint64_t to, uint32_t protection,
                             const std::vector<Place>& sections) {
      OrderedBytes bytes = ordered();
      // __bss takes up to 0x100 bytes of memory before __LINKEDIT.
      bytes.field(name, 16).word(isObject ? 0 : base + from + 0x100 * (name == "__LINKEDIT"));
      bytes.word(to - from + 0x100 * (name == "__DATA"));
      bytes.word(from).word(to - from).u32(7).u32(protection).u32(sections.size()).u32(0);
      for (const Place section : sections) {
        m_places[std::string(kSegments[section]) + "," + kNames[section]] = out.size() + 8 + bytes.bytes.size();
        bytes.field(kNames[section], 16).field(kSegments[section], 16).word(addresses[section]);
        bytes.word(m_content[section].size()).u32(section == Bss ? 0 : offsets[section]).u32(0).u32(0).u32(0);
        bytes.u32(section == Text ? 0x80000400 : section == Bss ? 1 : 0).u32(0).u32(0);
        if (is64) bytes.u32(0);
      }
      command(name.empty() ? "object segment" : name, is64 ? 0x19 : 0x1, bytes.bytes);
    };
    if (isObject) {
      segment("", commandsEnd, linkedit, 7, {Text, Const, Data, Bss});
    } else {
      segment("__TEXT", 0, offsets[Data], 5, {Text, Const});
      segment("__DATA", offsets[Data], linkedit, 3, {Data, Bss});
      segment("__LINKEDIT", linkedit, end, 1, {});
    }
    if (!trie.empty()) {
      const std::string place = ordered().u32(trieAt).u32(trie.size()).bytes;
      if (dyldInfo)
        command("LC_DYLD_INFO_ONLY", 0x80000022, std::string(32, '\0') + place);
      else
        command("LC_DYLD_EXPORTS_TRIE", 0x80000033, place);
    }
    if (symbolTable)
      command("LC_SYMTAB", 0x2,
              ordered().u32(symbolsAt).u32(m_symbols.size()).u32(stringsAt).u32(strings.size()).bytes);
    if (!signature.empty()) command("LC_CODE_SIGNATURE", 0x1d, ordered().u32(signatureAt).u32(signature.size()).bytes);
    for (const auto& [id, content] : commands) command("extra", id, content);
    m_commandsEnd = out.size();

    // --- 3. The header, and the data of the commands. ---
    OrderedBytes header = ordered();
    header.u32(is64 ? 0xfeedfacf : 0xfeedface).u32(cpuType).u32(0).u32(fileType).u32(count);
    header.u32(out.size() - (is64 ? 32 : 28)).u32(0x85);
    if (is64) header.u32(0);
    out.replace(0, header.bytes.size(), header.bytes);
    return out + m_content[Text] + m_content[Const] + m_content[Data] + trie + symbols + strings + signature;
  }

  std::vector<Entry> m_symbols;
  std::string m_content[5];
  mutable std::map<std::string, std::size_t> m_places;
  mutable uint64_t m_commandsEnd = 0;
};

/// A universal file: CPU type and content of each slice, aligned to 16 bytes.
inline std::string universalFile(const std::vector<std::pair<uint32_t, std::string>>& slices, bool is64 = false) {
  OrderedBytes out(true, is64);
  out.u32(is64 ? 0xcafebabf : 0xcafebabe).u32(slices.size());
  std::size_t at = 8 + slices.size() * (is64 ? 32 : 20);
  for (const auto& [cpu, bytes] : slices) {
    at += (16 - at % 16) % 16;
    out.u32(cpu).u32(0).word(at).word(bytes.size()).u32(4);
    if (is64) out.u32(0);
    at += bytes.size();
  }
  for (const auto& slice : slices) {
    out.bytes.resize(out.bytes.size() + (16 - out.bytes.size() % 16) % 16, '\0');
    out.bytes += slice.second;
  }
  return out.bytes;
}

} // namespace blobscope::test
