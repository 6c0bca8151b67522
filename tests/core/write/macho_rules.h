#pragma once

#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/container/number_at.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// The requirements of dyld and the tools for a 64-bit library, each rule with a name, checked from the bytes of the
/// file without the code under test. Source: core/formats/containers.md 6.1; layouts: Apple mach-o/loader.h,
/// mach-o/nlist.h, mach-o/fixup-chains.h, cs_blobs.h.
namespace blobscope::test {

class MachORules {
public:
  struct Segment {
    std::string name;
    uint64_t at = 0, address = 0, memory = 0, offset = 0, size = 0, protection = 0, sections = 0;
  };
  /// A table of __LINKEDIT: the place of its offset field, and its alignment.
  struct Piece {
    std::string name;
    uint64_t field = 0, offset = 0, size = 0, align = 8;
  };

  explicit MachORules(std::string_view file) : m_file(file) { read(); }

  std::vector<Segment> segments;
  std::vector<Piece> pieces;                 ///< also empty ones
  std::map<std::string, uint64_t> exports;   ///< of the trie: addresses in memory
  std::map<std::string, uint64_t> externals; ///< of the symbol table, defined ones
  uint64_t directory = 0;                    ///< of the signature's CodeDirectory in the file
  uint64_t commandsEnd = 0;

  const Piece* piece(const std::string& name) const {
    for (const Piece& one : pieces)
      if (one.name == name && one.size > 0) return &one;
    return nullptr;
  }
  uint64_t number(uint64_t at, unsigned size = 4) const { return container::numberAt(m_file, at, size, false); }
  /// The names of the broken rules, each followed by "; ".
  std::string broken() {
    m_broken.clear();
    checkSegments();
    checkPieces();
    checkFixups();
    checkExports();
    checkSignature();
    return m_broken;
  }

private:
  void rule(bool holds, const char* name) {
    const std::string text = std::string(name) + "; ";
    if (!holds && m_broken.find(text) == std::string::npos) m_broken += text;
  }
  std::string name16(uint64_t at) const { return std::string(m_file.substr(at, 16)).c_str(); }
  uint64_t big(uint64_t at, unsigned size = 4) const { return container::numberAt(m_file, at, size, true); }

  void read() {
    uint64_t at = 32;
    m_commandsFit = number(0) == 0xfeedfacf;
    for (uint64_t i = 0; i < number(16) && m_commandsFit; ++i) {
      const uint64_t id = number(at) & 0x7fffffff, size = number(at + 4);
      m_commandsFit = size >= 8 && size % 8 == 0 && at + size <= m_file.size();
      const auto linkedit = [&](const char* name, unsigned field, unsigned item = 1, unsigned align = 8) {
        pieces.push_back({name, at + field, number(at + field), number(at + field + 4) * item, align});
      };
      if (id == 0x19)
        segments.push_back({name16(at + 8), at, number(at + 24, 8), number(at + 32, 8), number(at + 40, 8),
                            number(at + 48, 8), number(at + 60), number(at + 64)});
      if (id == 0x2) linkedit("symbols", 8, 16), linkedit("strings", 16, 1, 1);
      if (id == 0xb) linkedit("indirect symbols", 56, 4, 4);
      if (id == 0x22)
        linkedit("rebases", 8), linkedit("binds", 16), linkedit("weak binds", 24), linkedit("lazy binds", 32),
            linkedit("trie", 40);
      if (id == 0x33) linkedit("trie", 8);
      if (id == 0x34) linkedit("fixups", 8);
      if (id == 0x26) linkedit("function starts", 8);
      if (id == 0x29) linkedit("data in code", 8);
      if (id == 0x1e) linkedit("split info", 8);
      if (id == 0x1d) linkedit("signature", 8, 1, 16);
      at += size;
    }
    commandsEnd = at;
    if (const Piece* const signature = piece("signature")) directory = signature->offset + big(signature->offset + 16);
    m_commandsFit = m_commandsFit && at == 32 + number(20);
    if (const Piece* const trie = piece("trie")) walk(m_file.substr(trie->offset, trie->size), 0, {}, 0);
    if (const Piece* const symbols = piece("symbols"))
      for (uint64_t symbol = symbols->offset; symbol < symbols->offset + symbols->size; symbol += 16) {
        const uint64_t type = number(symbol + 4, 1);
        if ((type & 0xe0) != 0 || (type & 1) == 0 || (type & 0x10) != 0 || (type & 0xe) != 0xe) continue;
        externals[std::string(
                      m_file.substr(std::min<uint64_t>(piece("strings")->offset + number(symbol), m_file.size())))
                      .c_str()] = number(symbol + 8, 8);
        m_ordinals.insert(number(symbol + 5, 1));
      }
  }

  static uint64_t uleb(std::string_view bytes, uint64_t& at) {
    uint64_t value = 0;
    for (unsigned shift = 0; at < bytes.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      value |= uint64_t{byte & 0x7fu} << std::min(shift, 63u);
      if (byte < 0x80) break;
    }
    return value;
  }
  void walk(std::string_view trie, uint64_t at, const std::string& name, int depth) {
    if (depth > 1'000 || at >= trie.size()) return;
    const uint64_t size = uleb(trie, at), end = at + size;
    if (size > 0) {
      uleb(trie, at);
      exports[name] = uleb(trie, at) + (segments.empty() ? 0 : segments.front().address);
    }
    at = end;
    const unsigned children = at < trie.size() ? static_cast<unsigned char>(trie[at++]) : 0u;
    for (unsigned i = 0; i < children && at < trie.size(); ++i) {
      const std::string label(trie.substr(at).substr(0, trie.substr(at).find('\0')));
      at += label.size() + 1;
      walk(trie, uleb(trie, at), name + label, depth + 1);
    }
  }

  void checkSegments() {
    rule(m_commandsFit, "load commands have the sizes that the header says");
    if (segments.size() < 2) return rule(false, "there are segments");
    const Segment& last = segments.back();
    const uint64_t page = number(4) == 0x0100000c ? 16'384 : 4'096;
    rule(last.name == "__LINKEDIT", "__LINKEDIT is the last segment");
    rule(last.protection == 1, "__LINKEDIT can only be read");
    rule(last.offset + last.size == m_file.size(), "__LINKEDIT ends with the file");
    std::set<std::string> names;
    uint64_t address = 0, offset = 0, firstByte = m_file.size();
    for (const Segment& segment : segments) {
      rule(names.insert(segment.name).second, "names of segments are unique");
      rule(segment.address >= address, "segments ascend in memory");
      rule(segment.offset >= offset, "segments ascend in the file");
      rule(segment.address % page == 0 && segment.offset % page == 0, "segments begin with pages");
      rule(segment.offset <= m_file.size() && segment.size <= m_file.size() - segment.offset,
           "segments lie in the file");
      rule(segment.size <= segment.memory, "no segment has more bytes than memory");
      address = segment.address + segment.memory;
      offset = segment.offset + segment.size;
      for (uint64_t i = 0; i < segment.sections; ++i) {
        const uint64_t header = segment.at + 72 + 80 * i, from = number(header + 32, 8), size = number(header + 40, 8),
                       at = number(header + 48);
        const bool zeros = (number(header + 64) & 0xff) == 1;
        rule(name16(header + 16) == segment.name && from >= segment.address && from + size <= address,
             "sections lie in their segment");
        rule(zeros || (at >= segment.offset && at + size <= offset && at - segment.offset == from - segment.address),
             "sections lie in the bytes of their segment");
        if (!zeros) firstByte = std::min(firstByte, at);
        ++m_sections;
      }
    }
    rule(commandsEnd <= firstByte, "load commands end before the first section");
    for (const uint64_t ordinal : m_ordinals) rule(ordinal >= 1 && ordinal <= m_sections, "symbols name sections");
  }

  void checkPieces() {
    if (segments.empty()) return;
    std::vector<Piece> sorted;
    for (const Piece& one : pieces) {
      if (one.size == 0) {
        rule(one.offset == 0 || (one.offset >= segments.back().offset && one.offset <= m_file.size()),
             "empty tables lie in __LINKEDIT");
        continue;
      }
      rule(one.offset % one.align == 0, "tables are aligned");
      sorted.push_back(one);
    }
    std::sort(sorted.begin(), sorted.end(), [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
    uint64_t done = segments.back().offset;
    for (const Piece& one : sorted) {
      rule(one.offset >= done, "tables do not overlap");
      // Between them is only padding for alignment.
      if (one.offset >= done)
        rule(one.offset - done < one.align &&
                 m_file.substr(done, one.offset - done).find_first_not_of('\0') == std::string_view::npos,
             "tables are contiguous");
      done = one.offset + one.size;
    }
    rule(done <= m_file.size() && m_file.size() - done < 16, "tables end with __LINKEDIT");
  }

  void checkFixups() {
    const Piece* const fixups = piece("fixups");
    if (!fixups) return;
    const uint64_t starts = fixups->offset + number(fixups->offset + 4), count = number(starts),
                   end = starts + 4 + 4 * count;
    rule(count == segments.size(), "chained fixups count the segments");
    for (uint64_t i = 0; i < std::min<uint64_t>(count, segments.size()); ++i) {
      const uint64_t info = number(starts + 4 + 4 * i);
      if (info == 0) continue;
      rule(starts + info >= end && starts + info + number(starts + info) <= fixups->offset + fixups->size,
           "chained fixups lie behind their list");
      rule(number(starts + info + 8, 8) == segments[i].address - segments[0].address,
           "chained fixups know their segments");
    }
    for (const unsigned field : {8u, 12u})
      rule(fixups->offset + number(fixups->offset + field) >= end, "imports lie behind the chained fixups");
  }

  void checkExports() {
    if (segments.size() < 2) return;
    const Segment& last = segments[segments.size() - 2];
    for (const auto& [name, address] : exports)
      rule(address < last.address + last.memory, "exports lie below __LINKEDIT");
    rule(exports == externals, "the trie says what the symbol table says");
  }

  void checkSignature() {
    const Piece* const signature = piece("signature");
    if (!signature) return rule(number(4) != 0x0100000c, "code for arm64 is signed");
    rule(signature->offset + signature->size == m_file.size(), "the signature ends the file");
    const uint64_t at = signature->offset, limit = big(directory + 32), pages = big(directory + 28);
    const uint64_t page = uint64_t{1} << std::min<uint64_t>(big(directory + 39, 1), 20);
    rule(big(at) == 0xfade0cc0 && big(at + 4) <= signature->size && big(directory) == 0xfade0c02,
         "the signature has its shape");
    rule(limit == signature->offset, "the signature is for all in front of it");
    rule(pages == (limit + page - 1) / page, "the signature has a hash for each page");
    const uint64_t hashes = directory + big(directory + 16);
    if (limit > m_file.size() || pages > m_file.size() / 32) return;
    NullMonitor monitor;
    for (uint64_t i = 0; i < pages; ++i) {
      const auto hash = computeSha256(bytes(m_file.substr(i * page, std::min(page, limit - i * page))), monitor);
      rule(hash && *hash == hexDigits(m_file.substr(std::min<uint64_t>(hashes + 32 * i, m_file.size()), 32)),
           "the hashes are those of the pages");
    }
  }

  std::string_view m_file;
  std::string m_broken;
  bool m_commandsFit = false;
  uint64_t m_sections = 0;
  std::set<uint64_t> m_ordinals;
};

/// "" or the names of the broken rules.
inline std::string brokenRules(std::string_view file) { return MachORules(file).broken(); }

} // namespace blobscope::test
