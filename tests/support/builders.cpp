#include "tests/support/builders.h"

namespace blobscope::test {

std::string functionInfo(const Function& function, Info form) {
  ByteBuilder out;
  if (form == Info::Second) out.str("__tvm_function_info_v2__");
  out.str(function.name).u64(function.types.size());
  for (const uint32_t type : function.types) out.u32(type);
  out.u64(function.tags.size());
  for (const std::string& tag : function.tags) out.str(tag);
  if (form != Info::Three) {
    out.u64(function.types.size());
    for (std::size_t i = 0; i < function.types.size(); ++i) out.u32(0);
  }
  if (form == Info::Second) {
    out.u64(2).str("grid.x").str("block.x");
    out.u64(1).str("min_blocks_per_sm").u64(2);
  }
  return out.take();
}

std::string functionMap(const std::vector<Function>& functions, Info form) {
  ByteBuilder out;
  out.u64(functions.size());
  for (const Function& function : functions) out.str(function.key).raw(functionInfo(function, form));
  return out.take();
}

std::string code3(std::string_view format, const std::vector<Function>& functions, std::string_view data, Info form) {
  return ByteBuilder().str(format).raw(functionMap(functions, form)).str(data).take();
}

std::string cudaModuleV1(std::string_view format, const std::vector<Function>& functions, std::string_view data) {
  return ByteBuilder()
      .str("cuda.module.v1")
      .raw(code3(format, functions, data, Info::Second))
      .u64(2)
      .str("cuda")
      .str("extern \"C\" __global__ void k() {}\n")
      .str("cuda.compile_log")
      .str("")
      .take();
}

std::string shader(uint32_t flag, uint32_t words) {
  ByteBuilder out;
  out.u32(flag).u64(words).u32(0x07230203);
  for (uint32_t i = 1; i < words; ++i) out.u32(0x00010000 + i);
  return out.take();
}

std::string vulkan(const std::vector<Function>& functions, Info form, bool sized) {
  ByteBuilder out;
  out.str("vulkan").raw(functionMap(functions, form)).u64(functions.size());
  uint32_t words = 5;
  for (const Function& function : functions) {
    const std::string record = shader(1, words++);
    out.str(function.key);
    sized ? out.str(record) : out.raw(record);
  }
  return out.take();
}

std::string openclSpirv(const std::vector<Function>& functions, Info form) {
  ByteBuilder out;
  out.raw(functionMap(functions, form)).u64(functions.size());
  for (const Function& function : functions) out.str(function.key).raw(shader(0, 6));
  return out.take();
}

std::string ptxText(const std::vector<Function>& functions) {
  std::string out = "//\n// Made for a test\n//\n\n.version 8.0\n.target sm_80\n.address_size 64\n\n";
  for (const Function& function : functions) out += ".visible .entry " + function.key + "()\n{\n  ret;\n}\n";
  return out;
}

std::string openclText(const std::vector<Function>& functions) {
  std::string out;
  for (const Function& function : functions)
    out += "// Function: " + function.key + "\n__kernel void " + function.key + "(__global float* a) { a[0] = 1; }\n";
  return out;
}

std::pair<std::vector<uint64_t>, std::vector<uint64_t>> csr(const std::vector<std::vector<uint64_t>>& imports) {
  std::vector<uint64_t> indptr = {0}, child;
  for (const auto& row : imports) {
    child.insert(child.end(), row.begin(), row.end());
    indptr.push_back(child.size());
  }
  return {indptr, child};
}

std::string withHeader(std::string_view stream) { return ByteBuilder().u64(stream.size()).raw(stream).take(); }

std::string classicBlob(const std::vector<Record>& records,
                        const std::optional<std::vector<std::vector<uint64_t>>>& imports) {
  ByteBuilder stream;
  stream.u64(records.size() + (imports ? 1 : 0));
  for (const Record& record : records) stream.str(record.key).raw(record.payload);
  if (imports) {
    const auto [indptr, child] = csr(*imports);
    stream.str("_import_tree").words(indptr).words(child);
  }
  return withHeader(stream.take());
}

std::string ffiBlob(const std::vector<Record>& records, const std::vector<std::vector<uint64_t>>& imports) {
  ByteBuilder stream;
  const auto [indptr, child] = csr(imports);
  stream.words(indptr).words(child);
  for (const Record& record : records) {
    stream.str(record.key);
    if (record.key != "_lib") stream.str(record.payload);
  }
  return withHeader(stream.take());
}

std::string patched(std::string bytes, std::size_t offset, uint64_t value) {
  return bytes.replace(offset, 8, ByteBuilder().u64(value).take());
}

// --- ELF

namespace {

/// Numbers in the byte order of the file.
class ElfBytes {
public:
  ElfBytes(bool is64, bool bigEndian) : m_is64(is64), m_big(bigEndian) {}
  ElfBytes& half(uint64_t value) { return number(value, 2); }
  ElfBytes& word(uint64_t value) { return number(value, 4); }
  ElfBytes& xword(uint64_t value) { return number(value, m_is64 ? 8 : 4); }
  ElfBytes& byte(uint64_t value) { return number(value, 1); }
  ElfBytes& raw(std::string_view bytes) {
    m_bytes += bytes;
    return *this;
  }
  const std::string& bytes() const { return m_bytes; }

private:
  ElfBytes& number(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) m_bytes += static_cast<char>(value >> (8 * (m_big ? size - 1 - i : i)));
    return *this;
  }
  bool m_is64, m_big;
  std::string m_bytes;
};

struct Part {
  std::string name;
  uint32_t type = 0;
  uint64_t flags = 0;
  std::string bytes;
  uint32_t link = 0, info = 0;
  uint64_t entrySize = 0;
  uint64_t offset = 0;
};

} // namespace

struct ElfBuilder::Layout {
  std::vector<Part> parts; // in file order; the first one is the null section
  uint64_t sectionTable = 0;
  std::string head;
  uint64_t textOffset = 0, dataOffset = 0;
};

ElfBuilder& ElfBuilder::data(std::string name, std::string bytes, std::optional<uint64_t> size) {
  m_symbols.push_back({std::move(name), m_data.size(), size.value_or(bytes.size()), 1 << 4 | 1, 0, 2});
  m_data += bytes;
  return *this;
}

ElfBuilder& ElfBuilder::function(std::string name) {
  m_symbols.push_back({std::move(name), m_text.size(), 4, 1 << 4 | 2, 0, 1});
  m_text += "\x31\xc0\xc3\x90";
  return *this;
}

ElfBuilder& ElfBuilder::undefined(std::string name) {
  m_symbols.push_back({std::move(name), 0, 0, 1 << 4 | 2, 0, 0});
  return *this;
}

ElfBuilder& ElfBuilder::symbol(std::string name, uint64_t value, uint64_t size, uint8_t info, uint16_t section) {
  m_symbols.push_back({std::move(name), value, size, info, section, 0});
  return *this;
}

ElfBuilder::Layout ElfBuilder::layOut() const {
  Layout layout;
  const bool object = type == 1;
  const bool withDynamic = dynamic && !object;
  const uint64_t headerSize = is64 ? 64 : 52, programSize = is64 ? 56 : 32, sectionSize = is64 ? 64 : 40,
                 symbolSize = is64 ? 24 : 16;
  const int programHeaders = object ? 0 : withDynamic ? 2 : 1;

  // Sections and their final numbers.
  std::vector<Part>& parts = layout.parts;
  parts.push_back({});
  const auto add = [&](std::string name, uint32_t partType, uint64_t flags, std::string bytes) {
    Part part;
    part.name = std::move(name);
    part.type = partType;
    part.flags = flags;
    part.bytes = std::move(bytes);
    parts.push_back(std::move(part));
    return static_cast<uint32_t>(parts.size() - 1);
  };
  std::string names(1, '\0');
  std::vector<uint32_t> nameAt;
  for (const Symbol& symbol : m_symbols) {
    nameAt.push_back(static_cast<uint32_t>(names.size()));
    names += symbol.name + '\0';
  }
  uint32_t dynsym = 0, dynstr = 0, hash = 0, gnu = 0, dyn = 0, symtab = 0;
  const std::string symbolSpace((m_symbols.size() + 1) * symbolSize, '\0');
  if (withDynamic) {
    dynsym = add(".dynsym", 11, 2, symbolSpace);
    dynstr = add(".dynstr", 3, 2, names);
    if (sysvHash) {
      // One bucket; every symbol is in its chain.
      ElfBytes bytes(is64, bigEndian);
      bytes.word(1).word(m_symbols.size() + 1).word(m_symbols.empty() ? 0 : 1);
      for (std::size_t i = 0; i <= m_symbols.size(); ++i) bytes.word(i == 0 || i == m_symbols.size() ? 0 : i + 1);
      hash = add(".hash", 5, 2, bytes.bytes());
    }
    if (gnuHash) {
      ElfBytes bytes(is64, bigEndian);
      bytes.word(1).word(1).word(1).word(0).xword(is64 ? ~0ull : ~0u).word(m_symbols.empty() ? 0 : 1);
      for (std::size_t i = 0; i < m_symbols.size(); ++i) bytes.word(i + 1 == m_symbols.size() ? 1 : 2);
      gnu = add(".gnu.hash", 0x6ffffff6, 2, bytes.bytes());
    }
    dyn = add(".dynamic", 6, 3, std::string((5 + (hash ? 1 : 0) + (gnu ? 1 : 0)) * (is64 ? 16 : 8), '\0'));
  }
  if (object || staticSymbols) {
    symtab = add(".symtab", 2, 0, symbolSpace);
    parts[symtab].link = add(".strtab", 3, 0, names);
  }
  const uint32_t sectionNames = add(".shstrtab", 3, 0, {});
  const uint32_t text = add(".text", 1, 6, m_text);
  const uint32_t rodata = add(".rodata", 1, 2, m_data);
  std::string shstrtab(1, '\0');
  std::vector<uint32_t> sectionNameAt;
  for (const Part& part : parts) {
    sectionNameAt.push_back(part.name.empty() ? 0 : static_cast<uint32_t>(shstrtab.size()));
    if (!part.name.empty()) shstrtab += part.name + '\0';
  }
  parts[sectionNames].bytes = shstrtab;
  for (const uint32_t table : {dynsym, symtab})
    if (table) {
      parts[table].info = 1;
      parts[table].entrySize = symbolSize;
    }
  if (dynsym) parts[dynsym].link = dynstr;
  if (hash) parts[hash].link = dynsym;
  if (gnu) parts[gnu].link = dynsym;
  if (dyn) {
    parts[dyn].link = dynstr;
    parts[dyn].entrySize = is64 ? 16 : 8;
  }

  // Offsets: everything in order, the section header table before .text.
  uint64_t at = headerSize + static_cast<uint64_t>(programHeaders) * programSize;
  const auto align = [&] { at = (at + 15) / 16 * 16; };
  for (uint32_t i = 1; i < parts.size(); ++i) {
    align();
    if (i == text) {
      layout.sectionTable = sectionHeaders ? at : 0;
      if (sectionHeaders) at += parts.size() * sectionSize;
      align();
    }
    parts[i].offset = at;
    at += parts[i].bytes.size();
  }
  layout.textOffset = parts[text].offset;
  layout.dataOffset = parts[rodata].offset;
  const uint64_t fileSize = at + dataTail;

  // Symbol tables.
  const auto symbolBytes = [&] {
    ElfBytes bytes(is64, bigEndian);
    bytes.raw(std::string(symbolSize, '\0'));
    for (std::size_t i = 0; i < m_symbols.size(); ++i) {
      const Symbol& symbol = m_symbols[i];
      const uint64_t start = symbol.place == 1 ? layout.textOffset : layout.dataOffset;
      const uint64_t value = symbol.place == 0 || object ? symbol.value : base + start + symbol.value;
      const uint64_t section = symbol.place == 0 ? symbol.section : symbol.place == 1 ? text : rodata;
      bytes.word(nameAt[i]);
      if (is64)
        bytes.byte(symbol.info).byte(0).half(section).xword(value).xword(symbol.size);
      else
        bytes.xword(value).xword(symbol.size).byte(symbol.info).byte(0).half(section);
    }
    return bytes.bytes();
  }();
  if (dynsym) parts[dynsym].bytes = symbolBytes;
  if (symtab) parts[symtab].bytes = symbolBytes;
  if (dyn) {
    ElfBytes bytes(is64, bigEndian);
    const auto entry = [&](uint64_t tag, uint64_t value) { bytes.xword(tag).xword(value); };
    entry(5, base + parts[dynstr].offset); // DT_STRTAB
    entry(6, base + parts[dynsym].offset); // DT_SYMTAB
    entry(10, names.size());               // DT_STRSZ
    entry(11, symbolSize);                 // DT_SYMENT
    if (hash) entry(4, base + parts[hash].offset);
    if (gnu) entry(0x6ffffef5, base + parts[gnu].offset);
    entry(0, 0);
    parts[dyn].bytes = bytes.bytes();
  }

  // Headers.
  ElfBytes head(is64, bigEndian);
  head.raw("\x7f\x45\x4c\x46").byte(is64 ? 2 : 1).byte(bigEndian ? 2 : 1).byte(1).raw(std::string(9, '\0'));
  head.half(type).half(machine).word(1).xword(0).xword(programHeaders ? headerSize : 0).xword(layout.sectionTable);
  head.word(0).half(headerSize).half(programSize).half(static_cast<uint64_t>(programHeaders));
  head.half(sectionSize).half(sectionHeaders ? parts.size() : 0).half(sectionHeaders ? sectionNames : 0);
  const auto program = [&](uint32_t kind, uint32_t flags, uint64_t offset, uint64_t size) {
    head.word(kind);
    if (is64) head.word(flags);
    head.xword(offset).xword(base + offset).xword(base + offset).xword(size).xword(size);
    if (!is64) head.word(flags);
    head.xword(kind == 1 ? 0x1000 : 8);
  };
  if (programHeaders > 0) program(1, 5, 0, fileSize);
  if (dyn) program(2, 4, parts[dyn].offset, parts[dyn].bytes.size());

  layout.head = head.bytes();
  if (sectionHeaders) {
    ElfBytes table(is64, bigEndian);
    for (uint32_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      table.word(sectionNameAt[i]).word(part.type).xword(part.flags);
      table.xword(part.flags & 2 && !object ? base + part.offset : 0).xword(part.offset);
      table.xword(part.bytes.size() + (i == rodata ? dataTail : 0));
      table.word(part.link).word(part.info).xword(i == 0 ? 0 : 1).xword(part.entrySize);
    }
    Part tablePart;
    tablePart.bytes = table.bytes();
    tablePart.offset = layout.sectionTable;
    parts.push_back(tablePart);
  }
  return layout;
}

std::string ElfBuilder::build() const {
  const Layout layout = layOut();
  std::string out = layout.head;
  for (const Part& part : layout.parts) {
    if (part.bytes.empty()) continue;
    if (out.size() < part.offset + part.bytes.size()) out.resize(part.offset + part.bytes.size(), '\0');
    out.replace(part.offset, part.bytes.size(), part.bytes);
  }
  return out;
}

uint64_t ElfBuilder::dataOffset() const { return layOut().dataOffset; }

uint64_t ElfBuilder::offsetOf(std::string_view name) const {
  for (const Symbol& symbol : m_symbols)
    if (symbol.name == name && symbol.place == 2) return layOut().dataOffset + symbol.value;
  return 0;
}

std::string elfWith(std::string_view carrier, std::string_view blob) {
  ElfBuilder elf;
  elf.function("run");
  elf.data(std::string(carrier), std::string(blob));
  elf.data("behind", std::string(24, '\x55'));
  return elf.build();
}

} // namespace blobscope::test
