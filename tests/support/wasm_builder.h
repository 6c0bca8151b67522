#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Parts of WebAssembly modules as strings, composed by hand, so that every byte can be wrong.
namespace blobscope::test::wasm {

/// Unsigned LEB128; with `bytes` padded to that length, as compilers write numbers that the linker will change.
inline std::string leb(uint64_t value, std::size_t bytes = 0) {
  std::string out;
  do {
    const auto low = static_cast<uint8_t>(value & 0x7f);
    value >>= 7;
    const bool more = value != 0 || out.size() + 1 < bytes;
    out += static_cast<char>(low | (more ? 0x80 : 0));
    if (!more) break;
  } while (true);
  return out;
}

/// Signed LEB128.
inline std::string sleb(int64_t value, std::size_t bytes = 0) {
  std::string out;
  while (true) {
    const auto low = static_cast<uint8_t>(value & 0x7f);
    value >>= 7;
    const bool done = ((value == 0 && !(low & 0x40)) || (value == -1 && (low & 0x40))) && out.size() + 1 >= bytes;
    out += static_cast<char>(low | (done ? 0 : 0x80));
    if (done) return out;
  }
}

inline std::string byte(unsigned value) { return std::string(1, static_cast<char>(value)); }
inline std::string str(std::string_view text) { return leb(text.size()) + std::string(text); }

/// A counted list; `count` may be wrong.
inline std::string list(const std::vector<std::string>& entries, std::optional<uint64_t> count = std::nullopt) {
  std::string out = leb(count.value_or(entries.size()));
  for (const std::string& entry : entries) out += entry;
  return out;
}

/// A section or subsection; `size` may be wrong.
inline std::string section(unsigned id, std::string_view content, std::optional<uint64_t> size = std::nullopt) {
  return byte(id) + leb(size.value_or(content.size())) + std::string(content);
}
inline std::string custom(std::string_view name, std::string_view content) {
  return section(0, str(name) + std::string(content));
}
inline std::string module(const std::vector<std::string>& sections) {
  std::string out("\0asm\1\0\0\0", 8);
  for (const std::string& part : sections) out += part;
  return out;
}

// Instructions.
inline std::string i32(uint32_t value, std::size_t bytes = 0) {
  return "\x41" + sleb(static_cast<int32_t>(value), bytes);
}
inline std::string i64(uint64_t value) { return "\x42" + sleb(static_cast<int64_t>(value)); }
inline std::string globalGet(uint32_t index) { return "\x23" + leb(index); }
inline std::string localGet(uint32_t index) { return "\x20" + leb(index); }
inline std::string call(uint32_t index) { return "\x10" + leb(index); }
const std::string kAdd = "\x6a", kDrop = "\x1a", kEnd = "\x0b";

// Entries.
inline std::string importFunction(std::string_view name) { return str("env") + str(name) + byte(0) + leb(0); }
inline std::string importGlobal(std::string_view name) {
  return str("env") + str(name) + byte(3) + byte(0x7f) + byte(0);
}
inline std::string importMemory(uint64_t pages) {
  return str("env") + str("__linear_memory") + byte(2) + byte(0) + leb(pages);
}
inline std::string memory(uint64_t pages) { return byte(0) + leb(pages); }
inline std::string memory64(uint64_t pages) { return byte(4) + leb(pages); }
/// An i32 global.
inline std::string global(uint32_t value, bool isMutable = false) {
  return byte(0x7f) + byte(isMutable) + i32(value) + kEnd;
}
/// `kind`: 0 function, 2 memory, 3 global.
inline std::string exported(std::string_view name, unsigned kind, uint32_t index) {
  return str(name) + byte(kind) + leb(index);
}
inline std::string body(std::string_view code) { return str(byte(0) + std::string(code) + kEnd); }
/// An active segment at an address.
inline std::string dataAt(uint32_t address, std::string_view bytes) {
  return byte(0) + i32(address) + kEnd + str(bytes);
}
/// An active segment at the result of `expression`.
inline std::string dataBy(std::string_view expression, std::string_view bytes) {
  return byte(0) + std::string(expression) + kEnd + str(bytes);
}
inline std::string passive(std::string_view bytes) { return byte(1) + str(bytes); }

/// A function symbol of the linking section; an undefined one (flag 0x10) takes the name of its import.
inline std::string functionSymbol(std::string_view name, uint32_t flags, uint32_t index) {
  return byte(0) + leb(flags) + leb(index) + (flags & 0x10 ? std::string() : str(name));
}
inline std::string dataSymbol(std::string_view name, uint32_t flags, uint32_t segment, uint64_t offset, uint64_t size) {
  return byte(1) + leb(flags) + str(name) + (flags & 0x10 ? std::string() : leb(segment) + leb(offset) + leb(size));
}
inline std::string segmentInfo(std::string_view name) { return str(name) + leb(0) + leb(0); }

} // namespace blobscope::test::wasm
