#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Builders for test inputs. They implement the formats independently of the code under test, and allow every field to
/// be wrong. All return the bytes as a string.
namespace blobscope::test {

/// Little-endian bytes, appended.
class ByteBuilder {
public:
  ByteBuilder& u8(uint8_t value) { return number(value, 1); }
  ByteBuilder& u16(uint16_t value) { return number(value, 2); }
  ByteBuilder& u32(uint32_t value) { return number(value, 4); }
  ByteBuilder& u64(uint64_t value) { return number(value, 8); }
  /// u64 length and the bytes.
  ByteBuilder& str(std::string_view text) { return u64(text.size()).raw(text); }
  ByteBuilder& raw(std::string_view bytes) {
    m_bytes += bytes;
    return *this;
  }
  /// u64 count and the words.
  ByteBuilder& words(const std::vector<uint64_t>& values) {
    u64(values.size());
    for (const uint64_t value : values) u64(value);
    return *this;
  }
  std::string take() { return std::move(m_bytes); }
  std::size_t size() const { return m_bytes.size(); }

private:
  ByteBuilder& number(uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) m_bytes += static_cast<char>(value >> (8 * i));
    return *this;
  }
  std::string m_bytes;
};

/// How FunctionInfo is stored: three fields, four fields, or the version after v0.27.
enum class Info { Three, Four, Second };

/// One device function.
struct Function {
  std::string key;
  std::vector<uint32_t> types = {0x00014003, 0x00012000}; ///< handle, int32
  std::vector<std::string> tags = {"blockIdx.x", "threadIdx.x"};
  std::string name = {}; ///< of the record; empty in most releases
};

std::string functionInfo(const Function& function, Info form);
std::string functionMap(const std::vector<Function>& functions, Info form);
/// cuda, opencl and others: fmt, fmap, data.
std::string code3(std::string_view format, const std::vector<Function>& functions, std::string_view data, Info form);
/// The layout of cuda after v0.27.
std::string cudaModuleV1(std::string_view format, const std::vector<Function>& functions, std::string_view data);
/// A SPIR-V shader record of `words` words that begin with the magic.
std::string shader(uint32_t flag, uint32_t words);
/// `sized`: vulkan2 (v0.24 on).
std::string vulkan(const std::vector<Function>& functions, Info form, bool sized);
/// opencl with SPIR-V.
std::string openclSpirv(const std::vector<Function>& functions, Info form);
/// An example of PTX.
std::string ptxText(const std::vector<Function>& functions);
/// OpenCL C with one marked section per kernel.
std::string openclText(const std::vector<Function>& functions);

struct Record {
  std::string key;
  std::string payload; ///< without key and, in the ffi stream, without length
};

/// CSR vectors of a tree in which module i imports `imports[i]`.
std::pair<std::vector<uint64_t>, std::vector<uint64_t>> csr(const std::vector<std::vector<uint64_t>>& imports);

/// A classic stream with header. Without `imports` it is flat (era A).
std::string classicBlob(const std::vector<Record>& records,
                        const std::optional<std::vector<std::vector<uint64_t>>>& imports);
/// An ffi stream with header.
std::string ffiBlob(const std::vector<Record>& records, const std::vector<std::vector<uint64_t>>& imports);
/// Puts the 8-byte length header before a stream.
std::string withHeader(std::string_view stream);

/// `bytes` with the u64 at `offset` replaced.
std::string patched(std::string bytes, std::size_t offset, uint64_t value);

/// A small ELF file of either class and byte order, laid out so that the data comes last: header, program headers,
/// .dynsym, .dynstr, .hash, .gnu.hash, .dynamic, .symtab, .strtab, .shstrtab, section headers, .text, .rodata. Virtual
/// addresses are file offsets plus `base`. Objects have no dynamic part.
///
/// LLVM (elf_yaml.h) cannot write it: names can be any bytes here, addresses follow from offsets, and callers append to
/// the last section.
class ElfBuilder {
public:
  bool is64 = true;
  bool bigEndian = false;
  uint16_t type = 3;     ///< ET_DYN; ET_REL = 1, ET_EXEC = 2
  uint16_t machine = 62; ///< EM_X86_64
  uint64_t base = 0x10000;
  bool sectionHeaders = true;
  bool sysvHash = true;
  bool gnuHash = true;
  bool staticSymbols = false; ///< .symtab with the same symbols
  bool dynamic = true;
  uint64_t dataTail = 0; ///< bytes that .rodata has after the result of build(); the caller appends them to the file

  /// A symbol in .rodata; `size` is its st_size, by default the number of bytes. A global object unless stated
  /// otherwise.
  ElfBuilder& data(std::string name, std::string bytes, std::optional<uint64_t> size = std::nullopt);
  /// A global function in .text with a few bytes of code.
  ElfBuilder& function(std::string name);
  /// A symbol that another library has to define.
  ElfBuilder& undefined(std::string name);
  /// A symbol with the given values: `info` is st_info, `section` st_shndx.
  ElfBuilder& symbol(std::string name, uint64_t value, uint64_t size, uint8_t info, uint16_t section);

  std::string build() const;
  /// Offset in the built file of the first byte of .rodata.
  uint64_t dataOffset() const;
  /// Offset in the built file of the bytes of the data symbol.
  uint64_t offsetOf(std::string_view name) const;

private:
  struct Symbol {
    std::string name;
    uint64_t value, size;
    uint8_t info;
    uint16_t section;
    int place; ///< 0: value as it is, 1: in .text, 2: in .rodata
  };
  struct Layout;
  Layout layOut() const;

  std::vector<Symbol> m_symbols;
  std::string m_text, m_data;
};

/// An ELF library around one blob.
std::string elfWith(std::string_view carrier, std::string_view blob);

} // namespace blobscope::test
