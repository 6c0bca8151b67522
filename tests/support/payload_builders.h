#pragma once

#include "tests/support/builders.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Code of devices as strings. They know the formats by themselves, not through the code under test.
namespace blobscope::test {

using namespace std::string_literals;

namespace bitcode_builder {

/// Bits, the lowest of each byte first.
class BitBuilder {
public:
  BitBuilder& fixed(uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i, ++m_count) {
      if (m_count % 8 == 0) m_bytes += '\0';
      if (value >> i & 1) m_bytes.back() = static_cast<char>(m_bytes.back() | 1 << (m_count % 8));
    }
    return *this;
  }
  BitBuilder& variable(uint64_t value, unsigned width) {
    const uint64_t more = uint64_t{1} << (width - 1);
    while (value >= more) {
      fixed((value & (more - 1)) | more, width);
      value >>= width - 1;
    }
    return fixed(value, width);
  }
  BitBuilder& align() {
    while (m_count % 32 != 0) fixed(0, 1);
    return *this;
  }
  std::string take() { return std::move(m_bytes); }

private:
  std::string m_bytes;
  uint64_t m_count = 0;
};

constexpr unsigned kWidth = 4; // of abbreviation ids

inline std::string block(uint64_t kind, BitBuilder body) {
  const std::string inside = body.fixed(0, kWidth).align().take();
  BitBuilder head;
  head.fixed(1, 2).variable(kind, 8).variable(kWidth, 4).align();
  return head.take() + ByteBuilder().u32(static_cast<uint32_t>(inside.size() / 4)).raw(inside).take();
}

inline void plainRecord(BitBuilder& bits, uint64_t code, const std::string& text) {
  bits.fixed(3, kWidth).variable(code, 6).variable(text.size(), 6);
  for (const char c : text) bits.variable(static_cast<unsigned char>(c), 6);
}

/// The producer in an array of 6-bit letters, the epoch in a field of its own.
inline std::string identification() {
  BitBuilder bits;
  bits.fixed(2, kWidth).variable(3, 5).fixed(1, 1).variable(1, 8); // literal code 1
  bits.fixed(0, 1).fixed(3, 3).fixed(0, 1).fixed(4, 3);            // array of char6
  bits.fixed(4, kWidth).variable(10, 6);
  for (const char c : "LLVM17.0.6"s)
    bits.fixed("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"s.find(c), 6);
  bits.fixed(2, kWidth).variable(2, 5).fixed(1, 1).variable(2, 8).fixed(0, 1).fixed(2, 3).variable(6, 5); // 2, VBR6
  bits.fixed(5, kWidth).variable(0, 6);
  return block(13, bits);
}

inline std::string moduleBlock() {
  BitBuilder bits;
  bits.fixed(3, kWidth).variable(1, 6).variable(1, 6).variable(2, 6); // version 2
  // A block to step over, with bits that mean nothing.
  bits.fixed(1, kWidth).variable(17, 8).variable(3, 4).align().fixed(2, 32).fixed(0xffffffff, 32).fixed(0xffffffff, 32);
  plainRecord(bits, 2, "nvptx64-nvidia-cuda");
  bits.fixed(2, kWidth).variable(3, 5).fixed(1, 1).variable(16, 8);    // literal code 16
  bits.fixed(0, 1).fixed(3, 3).fixed(0, 1).fixed(1, 3).variable(8, 5); // array of 8 bits
  bits.fixed(4, kWidth).variable(4, 6);
  for (const char c : "a.cu"s) bits.fixed(static_cast<unsigned char>(c), 8);
  bits.fixed(2, kWidth).variable(2, 5).fixed(1, 1).variable(99, 8).fixed(0, 1).fixed(5, 3); // code 99 with a blob
  bits.fixed(5, kWidth).variable(5, 6).align().fixed(0x2222222211, 40).align();
  plainRecord(bits, 3, "e-i64:64");
  return block(8, bits);
}

inline std::string bitcode() { return "BC\xc0\xde" + identification() + moduleBlock(); }

inline std::string wrapped(const std::string& inside) {
  return ByteBuilder().u32(0x0b17c0de).u32(0).u32(20).u32(static_cast<uint32_t>(inside.size())).u32(0x0100000c).take() +
         inside + std::string(8, '\0');
}

} // namespace bitcode_builder

namespace spirv_builder {

/// Words of a module, instruction by instruction.
class SpirvBuilder {
public:
  explicit SpirvBuilder(uint32_t bound, uint32_t version = 0x00010300) {
    for (const uint32_t word : {0x07230203U, version, 0x00160002U, bound, 0U}) m_bytes.u32(word);
  }
  SpirvBuilder& op(uint16_t opcode, const std::vector<uint32_t>& words, const std::string& text = "\1"s,
                   const std::vector<uint32_t>& behind = {}) {
    const bool hasText = text != "\1"s;
    const std::string padded = hasText ? text + std::string(4 - text.size() % 4, '\0') : "";
    m_bytes.u32(static_cast<uint32_t>(1 + words.size() + padded.size() / 4 + behind.size()) << 16 | opcode);
    for (const uint32_t word : words) m_bytes.u32(word);
    m_bytes.raw(padded);
    for (const uint32_t word : behind) m_bytes.u32(word);
    return *this;
  }
  std::string take() { return m_bytes.take(); }

private:
  ByteBuilder m_bytes;
};

/// A valid shader that does nothing, with a storage buffer, push constants and shared memory.
inline std::string shader() {
  return SpirvBuilder(20)
      .op(17, {1})
      .op(17, {9}) // Shader, Float16
      .op(10, {}, "SPV_KHR_storage_buffer_storage_class")
      .op(11, {1}, "GLSL.std.450")
      .op(14, {0, 1})                   // Logical GLSL450
      .op(15, {5, 2}, "add_kernel", {}) // GLCompute
      .op(16, {2, 17, 64, 2, 1})        // LocalSize
      .op(3, {2, 450})
      .op(5, {3}, "A")
      .op(71, {3, 34, 0})
      .op(71, {3, 33, 0}) // DescriptorSet, Binding
      .op(71, {4, 2})
      .op(72, {4, 0, 35, 0})
      .op(71, {5, 6, 4}) // Block, Offset, ArrayStride
      .op(71, {6, 2})
      .op(72, {6, 0, 35, 0})
      .op(19, {7})
      .op(33, {8, 7})
      .op(22, {9, 32})
      .op(21, {10, 32, 0})
      .op(29, {5, 9})
      .op(30, {4, 5})
      .op(32, {11, 12, 4})
      .op(59, {11, 3, 12})
      .op(30, {6, 10})
      .op(32, {12, 9, 6})
      .op(59, {12, 13, 9})
      .op(43, {10, 14, 16})
      .op(28, {15, 9, 14})
      .op(32, {16, 4, 15})
      .op(59, {16, 17, 4})
      .op(54, {7, 2, 0, 8})
      .op(248, {18})
      .op(253, {})
      .op(56, {})
      .take();
}

} // namespace spirv_builder

namespace metallib_builder {

inline std::string tag(const std::string& name, const std::string& content) {
  return ByteBuilder().raw(name).u16(static_cast<uint16_t>(content.size())).raw(content).take();
}

/// The tags of a function with its size in front.
inline std::string function(const std::string& name, uint8_t type, uint64_t offset, uint64_t size) {
  const std::string tags = tag("NAME", name + '\0') + tag("TYPE", std::string(1, static_cast<char>(type))) +
                           tag("HASH", std::string(32, '\x5a')) + tag("ABCD", "of no known meaning") +
                           tag("MDSZ", ByteBuilder().u64(size).take()) +
                           tag("OFFT", ByteBuilder().u64(7).u64(8).u64(offset).take()) +
                           tag("VERS", ByteBuilder().u16(2).u16(6).u16(3).u16(1).take()) + "ENDT";
  return ByteBuilder().u32(static_cast<uint32_t>(tags.size() + 4)).raw(tags).take();
}

/// Two functions with code that is no bitcode.
inline std::string metallib(uint32_t count = 2) {
  const std::string functions = ByteBuilder()
                                    .u32(count)
                                    .raw(function("add_kernel", 2, 0, 16))
                                    .raw(function("shade", 9, 16, 8))
                                    .raw("ENDT")
                                    .take();
  const uint64_t metadata = 88 + functions.size(), code = metadata + 16;
  return ByteBuilder()
      .raw("MTLB")
      .u16(0x8001)
      .u16(2)
      .u16(7)
      .u8(0)
      .u8(0x81)
      .u16(14)
      .u16(0)
      .u64(code + 24)
      .u64(88)
      .u64(functions.size() - 8)
      .u64(metadata)
      .u64(8)
      .u64(metadata + 8)
      .u64(8)
      .u64(code)
      .u64(24)
      .raw(functions)
      .raw(std::string(40, 'x'))
      .take();
}

} // namespace metallib_builder

namespace hsaco_builder {

// MessagePack of the small forms.
inline std::string text(const std::string& value) { return static_cast<char>(0xa0 | value.size()) + value; }
inline std::string longText(const std::string& value) { return "\xd9"s + static_cast<char>(value.size()) + value; }
inline std::string number(uint16_t value) { return "\xcd"s + static_cast<char>(value >> 8) + static_cast<char>(value); }
inline std::string list(const std::vector<std::string>& items) {
  std::string out(1, static_cast<char>(0x90 | items.size()));
  for (const std::string& item : items) out += item;
  return out;
}
inline std::string map(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string out = "\xde"s + '\0' + static_cast<char>(members.size());
  for (const auto& [key, value] : members) out += longText(key) + value;
  return out;
}

inline std::string metadata() {
  const std::string argument = map({{".name", text("A")},
                                    {".offset", "\x08"},
                                    {".size", "\x08"},
                                    {".value_kind", text("global_buffer")},
                                    {".address_space", text("global")},
                                    {".actual_access", text("read_only")}});
  const std::string kernel = map({{".args", list({argument})},
                                  {".name", text("add_kernel")},
                                  {".symbol", text("add_kernel.kd")},
                                  {".vgpr_count", "\x05"},
                                  {".sgpr_count", "\x0c"},
                                  {".agpr_count", "\x04"},
                                  {".vgpr_spill_count", "\x01"},
                                  {".sgpr_spill_count", "\x02"},
                                  {".group_segment_fixed_size", number(4096)},
                                  {".private_segment_fixed_size", "\x10"},
                                  {".kernarg_segment_size", "\x14"},
                                  {".max_flat_workgroup_size", number(256)},
                                  {".wavefront_size", "\x40"},
                                  {".uses_dynamic_stack", "\xc2"}});
  return map({{"amdhsa.kernels", list({kernel})},
              {"amdhsa.target", longText("amdgcn-amd-amdhsa--gfx90a:xnack-")},
              {"amdhsa.version", list({"\x01", "\x02"})}});
}

inline std::string note(const std::string& owner, uint32_t type, const std::string& content) {
  const auto padded = [](std::string part) { return part + std::string(-part.size() % 4, '\0'); };
  return ByteBuilder()
             .u32(static_cast<uint32_t>(owner.size() + 1))
             .u32(static_cast<uint32_t>(content.size()))
             .u32(type)
             .take() +
         padded(owner + '\0') + padded(content);
}

/// A 64-bit ELF of one note segment and no sections.
inline std::string codeObject(uint32_t flags, uint8_t abiVersion, const std::string& notes) {
  return ByteBuilder()
      .raw("\x7f\x45\x4c\x46")
      .u8(2)
      .u8(1)
      .u8(1)
      .u8(64)
      .u8(abiVersion)
      .raw(std::string(7, '\0'))
      .u16(3)
      .u16(224)
      .u32(1)
      .u64(0)
      .u64(64)
      .u64(0)
      .u32(flags)
      .u16(64)
      .u16(56)
      .u16(1)
      .u16(64)
      .u16(0)
      .u16(0)
      .u32(4)
      .u32(4)
      .u64(120)
      .u64(0)
      .u64(0)
      .u64(notes.size())
      .u64(notes.size())
      .u64(4)
      .raw(notes)
      .take();
}

inline std::string whole() { return codeObject(0x63f, 2, note("Other", 32, "no") + note("AMDGPU", 32, metadata())); }

} // namespace hsaco_builder

/// Offload bundles of clang. Source: clang/docs/ClangOffloadBundler.rst.
namespace bundle_builder {

struct Code {
  std::string id, bytes;
};

inline std::string plain(const std::vector<Code>& codes) {
  const auto aligned = [](uint64_t at) { return (at + 4095) / 4096 * 4096; };
  uint64_t at = 32;
  for (const Code& code : codes) at += 24 + code.id.size();
  ByteBuilder table;
  table.raw("__CLANG_OFFLOAD_BUNDLE__").u64(codes.size());
  std::vector<uint64_t> places;
  for (const Code& code : codes) {
    places.push_back(at = aligned(at));
    table.u64(at).u64(code.bytes.size()).u64(code.id.size()).raw(code.id);
    at += code.bytes.size();
  }
  std::string out = table.take();
  for (std::size_t i = 0; i < codes.size(); ++i) {
    out.resize(places[i], '\0');
    out += codes[i].bytes;
  }
  return out;
}

/// `stream` in a header of version 1 to 3; `method`: 0 zlib, 1 Zstandard.
inline std::string packed(uint16_t version, uint16_t method, const std::string& stream, uint64_t unpacked) {
  ByteBuilder out;
  out.raw("CCOB").u16(version).u16(method);
  if (version == 3)
    out.u64(32 + stream.size()).u64(unpacked);
  else if (version == 1)
    out.u32(static_cast<uint32_t>(unpacked));
  else
    out.u32(static_cast<uint32_t>(24 + stream.size())).u32(static_cast<uint32_t>(unpacked));
  return out.u64(0x1234).raw(stream).take();
}

} // namespace bundle_builder

namespace hexagon_builder {

/// An ELF of either class and byte order with one loaded segment, in which a dynamic section and its names lie.
inline std::string withDynamic(bool is64, bool bigEndian) {
  std::string out = "\x7f\x45\x4c\x46";
  const auto put = [&](uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * (bigEndian ? size - 1 - i : i)));
  };
  const unsigned wide = is64 ? 8 : 4;
  const std::string names = "\0liba.so\0libb.so\0libme.so\0"s;
  const uint64_t header = is64 ? 64 : 52, program = is64 ? 56 : 32;
  const uint64_t dynamic = header + 2 * program, dynamicSize = 6 * 2 * wide, strings = dynamic + dynamicSize;
  const uint64_t end = strings + names.size(), base = 0x1000;
  out += is64 ? '\2' : '\1';
  out += bigEndian ? '\2' : '\1';
  out += "\1" + std::string(9, '\0');
  put(3, 2), put(164, 2), put(1, 4), put(0, wide), put(header, wide), put(0, wide), put(0x68, 4);
  put(header, 2), put(program, 2), put(2, 2), put(0, 2), put(0, 2), put(0, 2);
  const auto segment = [&](uint32_t type, uint64_t offset, uint64_t size) {
    put(type, 4);
    if (is64) put(5, 4);
    put(offset, wide), put(base + offset, wide), put(base + offset, wide), put(size, wide), put(size, wide);
    if (!is64) put(5, 4);
    put(4, wide);
  };
  segment(1, 0, end);
  segment(2, dynamic, dynamicSize);
  for (const auto& [tag, value] :
       {std::pair<uint64_t, uint64_t>{1, 1}, {1, 9}, {14, 17}, {5, base + strings}, {10, names.size()}, {0, 0}})
    put(tag, wide), put(value, wide);
  return out + names;
}

} // namespace hexagon_builder

} // namespace blobscope::test
