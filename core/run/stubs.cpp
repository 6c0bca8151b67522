#include "core/run/stubs.h"

#include "core/base/output_file.h"
#include "core/container/elf/file.h"
#include "core/run/host_system.h"

#include <algorithm>

namespace blobscope::run {
namespace {

namespace elf = container::elf;

/// Returns whether the name belongs to functions of nvcc's and hipcc's objects, of the CUDA libraries, of HIP, or of
/// TVM's C++. The interfaces of those libraries have a capital letter after their prefix, so a function 'hippo_scan' of
/// some other library is not one of them. Source: the declarations of cuda_runtime_api.h, cublas_v2.h, cublasLt.h,
/// cudnn.h, nvrtc.h, hip_runtime_api.h; core/formats/host-abi.md 6; the Itanium C++ ABI for mangled names.
bool isForeign(std::string_view name) {
  if (name.starts_with("_ZN3tvm") || name.starts_with("_ZNK3tvm")) return true;
  for (const std::string_view prefix : {"__cuda", "cuda", "cu", "cublas", "cudnn", "nvrtc", "__hip", "hip"})
    if (name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] >= 'A' &&
        name[prefix.size()] <= 'Z')
      return true;
  return name.starts_with("_ZT") && name.find("3tvm") != std::string_view::npos;
}

/// Returns whether the symbol is data: tables, type information, guards, and names in a namespace without argument
/// types after them.
bool isData(const container::Symbol& symbol) {
  if (symbol.type == container::SymbolType::Object || symbol.type == container::SymbolType::Tls) return true;
  const std::string_view name = symbol.name;
  if (name.starts_with("_ZTh") || name.starts_with("_ZTv") || name.starts_with("_ZTc")) return false; // thunks
  if (name.starts_with("_ZT") || name.starts_with("_ZGV")) return true;
  return name.starts_with("_ZN") && name.ends_with("E");
}

bool isForeignLibrary(std::string_view name) {
  for (const std::string_view prefix :
       {"libcuda.so", "libcudart.so", "libcublas", "libcudnn", "libnvrtc", "libamdhip64", "libtvm"})
    if (name.starts_with(prefix)) return true;
  return false;
}

/// Returns whether the name is a function that objects of nvcc and hipcc call from their constructors and at exit.
/// Source: crt/host_runtime.h of the CUDA Toolkit; llvm/llvm-project 19 clang/lib/CodeGen/CGCUDANV.cpp.
bool isRegistration(std::string_view name) {
  return name.starts_with("__cudaRegister") || name.starts_with("__hipRegister") ||
         name.starts_with("__hipUnregister") || name.starts_with("__cudaUnregister") || name == "__cudaInitModule";
}

std::vector<std::string> foreignLibraries(const library::Package& package) {
  std::vector<std::string> names;
  auto file = elf::File::readHeader(package.bytes);
  if (!file) return names;
  file->readTables();
  const elf::DynamicTag* const strings = file->findTag(elf::DT_STRTAB);
  const auto start = strings ? elf::AddressMap(*file).offsetOf(strings->value, 1) : std::nullopt;
  if (!start) return names;
  for (const elf::DynamicTag& tag : file->dynamic) {
    if (tag.tag != elf::DT_NEEDED || tag.value > package.bytes.size() - *start) continue;
    const std::string_view text = package.bytes.view().substr(*start + tag.value, 256);
    const std::string_view name = text.substr(0, text.find('\0'));
    if (isForeignLibrary(name)) names.emplace_back(name);
  }
  return names;
}

class Builder {
public:
  void number(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i));
  }
  void fill(uint64_t size) { out.resize(std::max<uint64_t>(out.size(), size), '\0'); }
  void programHeader(uint32_t type, uint32_t flags, uint64_t offset, uint64_t size, uint64_t align) {
    number(type, 4);
    number(flags, 4);
    for (const uint64_t value : {offset, offset, offset, size, size, align}) number(value, 8);
  }
  std::string out;
};

// Source: System V ABI, chapters 4 and 5, and its supplement for x86-64.
constexpr uint64_t kHeaders = 64 + 4 * 56, kPage = 4096, kSymbolSize = 24, kStubSize = 16, kDynamicSize = 7 * 16;
constexpr std::string_view kCell = "blobscopeMissing";

} // namespace

ForeignImports foreignImports(const library::Package& package) {
  ForeignImports out;
  for (const container::Symbol& symbol : package.image.symbols)
    if (symbol.dynamic && !symbol.defined && symbol.binding == container::Binding::Global && isForeign(symbol.name))
      (isData(symbol) ? out.data : out.functions).emplace_back(symbol.name);
  out.libraries = foreignLibraries(package);
  return out;
}

bool canReplace(const ForeignImports& imports) { return canMakeStubs() ? imports.data.empty() : imports.empty(); }

std::string stubLibrary(const std::vector<std::string>& functions, std::string_view soname) {
  // Strings: an empty one, the library's name, the variable's, then the functions' names.
  std::string texts(1, '\0');
  const uint64_t sonameAt = texts.size();
  texts.append(soname).append(1, '\0');
  const uint64_t cellAt = texts.size();
  texts.append(kCell).append(1, '\0');
  std::vector<uint64_t> nameAt;
  for (const std::string& name : functions) {
    nameAt.push_back(texts.size());
    texts.append(name).append(1, '\0');
  }
  const uint64_t count = functions.size() + 2; // including the empty symbol and the variable
  const uint64_t symbols = kHeaders, hash = symbols + count * kSymbolSize, strings = hash + (3 + count) * 4;
  const uint64_t code = (strings + texts.size() + kStubSize - 1) / kStubSize * kStubSize;
  const uint64_t codeEnd = code + functions.size() * kStubSize;
  const uint64_t data = (codeEnd + kPage - 1) / kPage * kPage, cell = data + kDynamicSize, end = cell + 16;

  Builder b;
  b.out = std::string("\x7f"
                      "ELF\2\1\1",
                      7);
  b.fill(16);
  b.number(3, 2);  // ET_DYN
  b.number(62, 2); // EM_X86_64
  b.number(1, 4);
  for (const uint64_t value : {uint64_t{0}, uint64_t{64}, uint64_t{0}}) b.number(value, 8);
  b.number(0, 4);
  for (const uint64_t value : {64, 56, 4, 0, 0, 0}) b.number(value, 2);
  b.programHeader(1, 5, 0, codeEnd, kPage);
  b.programHeader(1, 6, data, end - data, kPage);
  b.programHeader(2, 6, data, kDynamicSize, 8);
  b.programHeader(0x6474e551, 6, 0, 0, 16); // PT_GNU_STACK: the stack is not executable

  const auto symbol = [&](uint64_t name, uint8_t info, uint16_t section, uint64_t value, uint64_t size) {
    b.number(name, 4);
    b.number(info, 1);
    b.number(0, 1);
    b.number(section, 2);
    b.number(value, 8);
    b.number(size, 8);
  };
  symbol(0, 0, 0, 0, 0);
  symbol(cellAt, 0x11, 1, cell, 8);
  for (std::size_t i = 0; i < functions.size(); ++i) symbol(nameAt[i], 0x12, 1, code + i * kStubSize, kStubSize);
  // One bucket with a chain of all symbols.
  b.number(1, 4);
  b.number(count, 4);
  b.number(1, 4);
  for (uint64_t i = 0; i < count; ++i) b.number(i == 0 || i + 1 == count ? 0 : i + 1, 4);
  b.out += texts;
  b.fill(code);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const uint64_t at = code + i * kStubSize;
    if (isRegistration(functions[i])) {
      b.out += "\x48\x8d\x05"; // lea rax, [rip + x]; ret
      b.number(cell + 8 - (at + 7), 4);
      b.out += '\xc3';
    } else {
      b.out += "\x48\x8d\x3d"; // lea rdi, [rip + name]; jmp [rip + cell]
      b.number(strings + nameAt[i] - (at + 7), 4);
      b.out += "\xff\x25";
      b.number(cell - (at + 13), 4);
    }
    b.fill(at + kStubSize);
  }
  b.fill(data);
  for (const auto& [tag, value] : {std::pair<uint64_t, uint64_t>{14, sonameAt}, // DT_SONAME
                                   {elf::DT_HASH, hash},
                                   {elf::DT_STRTAB, strings},
                                   {6, symbols}, // DT_SYMTAB
                                   {10, texts.size()},
                                   {11, kSymbolSize},
                                   {0, 0}}) {
    b.number(tag, 8);
    b.number(value, 8);
  }
  b.fill(end);
  return std::move(b.out);
}

Result<Done> writeStubs(const ForeignImports& imports, const std::filesystem::path& folder, Monitor& monitor) {
  if (imports.empty()) return Done{};
  // glibc refuses a library with the name of a needed one if it defines a symbol without the version that is requested,
  // but accepts the symbol from any other library; so the libraries with those names define nothing.
  const auto write = [&](std::size_t number, const std::vector<std::string>& functions, std::string_view soname) {
    const std::string file = "stub-" + std::to_string(number) + ".so";
    return writeFileNow(folder / file, Bytes::copyOf(stubLibrary(functions, soname.empty() ? file : soname)), monitor);
  };
  BLOBSCOPE_CHECK(write(0, imports.functions, {}));
  for (std::size_t i = 0; i < imports.libraries.size(); ++i) BLOBSCOPE_CHECK(write(i + 1, {}, imports.libraries[i]));
  return Done{};
}

} // namespace blobscope::run
