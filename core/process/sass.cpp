#include "core/process/sass.h"

#include "core/base/output_file.h"
#include "core/base/thread_rule.h"
#include "core/process/process.h"

#include <optional>

namespace blobscope::process {
namespace {

/// Memory for any cubin, and for each of its bytes.
constexpr uint64_t kAddressBytes = uint64_t{4} << 30, kAddressesPerByte = 64;
/// It prints; what it writes to files nobody reads.
constexpr uint64_t kFileBytes = 64 << 20;

constexpr std::string_view kSource = "the CUDA toolkit and with the Python package nvidia-cuda-nvdisasm";

/// Little-endian; nothing outside the bytes.
std::optional<uint64_t> numberAt(std::string_view bytes, uint64_t at, unsigned width) {
  if (at > bytes.size() || width > bytes.size() - at) return std::nullopt;
  uint64_t value = 0;
  for (unsigned i = width; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

struct Table {
  uint64_t offset = 0, size = 0, link = 0;
};

/// Header of a section that lies in the file. Source: ELF-64 object file format 1.5, Elf64_Shdr.
std::optional<Table> sectionAt(std::string_view file, uint64_t headers, uint64_t index, std::optional<uint64_t> type) {
  constexpr uint64_t kHeaderSize = 64;
  const auto skip = checkedMultiply(index, kHeaderSize);
  const auto at = skip ? checkedAdd(headers, *skip) : std::nullopt;
  if (!at || *at > file.size() || file.size() - *at < kHeaderSize) return std::nullopt;
  if (type && numberAt(file, *at + 4, 4) != type) return std::nullopt;
  const Table table{*numberAt(file, *at + 24, 8), *numberAt(file, *at + 32, 8), *numberAt(file, *at + 40, 4)};
  if (!Extent{0, file.size()}.contains(Extent{table.offset, table.size})) return std::nullopt;
  return table;
}

/// Index of the function of that name in .symtab: what nvdisasm wants to be told. Nothing when there is none.
std::optional<uint64_t> findFunction(const Bytes& cubin, std::string_view name, Monitor& monitor) {
  const std::string_view file = cubin.view();
  constexpr uint64_t kSymbolSize = 24, kSymbolTable = 2, kFunction = 2;
  if (!file.starts_with("\x7f"
                        "ELF\x02\x01"))
    return std::nullopt;
  const auto headers = numberAt(file, 40, 8), count = numberAt(file, 60, 2);
  if (!headers || !count) return std::nullopt;
  for (uint64_t section = 0; section < *count; ++section) {
    const auto symbols = sectionAt(file, *headers, section, kSymbolTable);
    const auto names = symbols ? sectionAt(file, *headers, symbols->link, std::nullopt) : std::nullopt;
    if (!names) continue;
    const std::string_view texts = file.substr(names->offset, names->size);
    for (uint64_t i = 0; i < symbols->size / kSymbolSize; ++i) {
      if (i % 4096 == 0 && monitor.stopRequested()) return std::nullopt;
      const uint64_t at = symbols->offset + i * kSymbolSize;
      if ((*numberAt(file, at + 4, 1) & 15) != kFunction) continue;
      const uint64_t begin = *numberAt(file, at, 4);
      if (begin >= texts.size() || texts.size() - begin <= name.size()) continue;
      if (texts.substr(begin, name.size()) == name && texts[begin + name.size()] == '\0') return i;
    }
  }
  return std::nullopt;
}

} // namespace

Result<SassListing> disassembleSass(const Bytes& cubin, const std::string& kernelOrEmpty, Monitor& monitor,
                                    const SassOptions& options) {
  longWork("process::disassembleSass");
  // --- 1. The tool. ---
  const FoundTool tool = findTool("nvdisasm", options.search);
  if (!tool.path) {
    std::string places;
    for (const std::string& place : tool.places) places += (places.empty() ? "" : ", ") + place;
    return Error(DiagnosticId::ToolMissing,
                 {{"tool", "nvdisasm"}, {"source", std::string(kSource)}, arg("places", places)});
  }

  // --- 2. What it is asked for. ---
  ProcessOptions process;
  process.program = *tool.path;
  process.arguments = {"-c"};
  if (!kernelOrEmpty.empty()) {
    const auto index = findFunction(cubin, kernelOrEmpty, monitor);
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (!index)
      return Error(
          DiagnosticId::RefNotFound,
          {arg("ref", kernelOrEmpty), {"reason", "the symbol table of the cubin has no function of that name"}});
    process.arguments.insert(process.arguments.end(), {"-fun", std::to_string(*index)});
  }
  process.arguments.emplace_back("image.cubin");
  process.outputBytes = options.outputBytes;
  process.timeoutMs = options.timeoutMs;

  // --- 3. It runs where it finds nothing but the cubin. ---
  BLOBSCOPE_TRY(folder, TemporaryFolder::create());
  process.folder = folder.path();
  process.environment = toolEnvironment(folder.path());
  Confinement& confinement = process.confinement.emplace(toolConfinement(*tool.path, folder.path()));
  confinement.addressBytes = kAddressBytes + cubin.size() * kAddressesPerByte;
  confinement.cpuSeconds = options.timeoutMs / 1000 + 1;
  confinement.fileBytes = kFileBytes;
  BLOBSCOPE_CHECK(handFile(folder.path() / "image.cubin", cubin, monitor));
  BLOBSCOPE_TRY(result, run(process, monitor));
  if (result.fine()) return SassListing{std::move(result.output), result.confined};
  return Error(DiagnosticId::ToolFailed, {arg("path", tool.path->native()), arg("reason", describe(result, process))});
}

Result<std::string> listSass(const Bytes& cubin, const std::string& kernelOrEmpty, Monitor& monitor) {
  BLOBSCOPE_TRY(listing, disassembleSass(cubin, kernelOrEmpty, monitor));
  return "// disassembled by NVIDIA nvdisasm, " + confinedText(listing.confined) + "\n" + listing.text;
}

} // namespace blobscope::process
