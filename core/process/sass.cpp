#include "core/process/sass.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/thread_rule.h"
#include "core/container/elf/file.h"
#include "core/process/process.h"

#include <optional>

namespace blobscope::process {
namespace {

namespace elf = container::elf;

/// Memory limit for any cubin, and the addition for each of its bytes.
constexpr uint64_t kAddressBytes = uint64_t{4} << 30, kAddressesPerByte = 64;
/// It prints to standard output; nothing reads files that it writes.
constexpr uint64_t kFileBytes = 64 << 20;

constexpr std::string_view kSource = "the CUDA toolkit and with the Python package nvidia-cuda-nvdisasm";

/// Header of a section whose bytes are in the file.
std::optional<elf::SectionHeader> sectionAt(const elf::File& file, uint64_t index) {
  const Extent all{0, file.bytes.size()};
  const auto at = checkedAdd(file.sectionsOffset, index * file.sectionSize());
  if (!at || !all.contains(Extent{*at, file.sectionSize()})) return std::nullopt;
  const elf::SectionHeader header = file.section(*at);
  if (!all.contains(Extent{header.offset, header.size})) return std::nullopt;
  return header;
}

/// Index of the function with that name in .symtab, which nvdisasm needs. Nothing when there is none.
std::optional<uint64_t> findFunction(const Bytes& cubin, std::string_view name, Monitor& monitor) {
  const auto file = elf::File::readHeader(cubin);
  if (!file || !file->is64 || file->bigEndian) return std::nullopt;
  for (uint64_t section = 0; section < file->sectionCount; ++section) {
    const auto symbols = sectionAt(*file, section);
    if (!symbols || symbols->type != elf::SHT_SYMTAB) continue;
    const auto names = sectionAt(*file, symbols->link);
    if (!names) continue;
    const std::string_view texts = cubin.view().substr(names->offset, names->size);
    for (uint64_t i = 0; i < symbols->size / file->symbolSize(); ++i) {
      if (i % 4096 == 0 && monitor.stopRequested()) return std::nullopt;
      const elf::Symbol symbol = file->symbol(symbols->offset + i * file->symbolSize());
      if ((symbol.info & 15) != elf::STT_FUNC) continue;
      if (symbol.name >= texts.size() || texts.size() - symbol.name <= name.size()) continue;
      if (texts.substr(symbol.name, name.size()) == name && texts[symbol.name + name.size()] == '\0') return i;
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

  // --- 2. Its arguments and limits. ---
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

  // --- 3. Run it in a folder that contains only the cubin. ---
  BLOBSCOPE_TRY(folder, TemporaryFolder::create());
  process.folder = folder.path();
  process.environment = toolEnvironment(folder.path());
  Confinement& confinement = process.confinement.emplace(toolConfinement(*tool.path, folder.path()));
  confinement.addressBytes = kAddressBytes + cubin.size() * kAddressesPerByte;
  confinement.cpuSeconds = options.timeoutMs / 1000 + 1;
  confinement.fileBytes = kFileBytes;
  BLOBSCOPE_CHECK(writeFileNow(folder.path() / "image.cubin", cubin, monitor));
  BLOBSCOPE_TRY(result, run(process, monitor));
  if (result.fine()) return SassListing{std::move(result.output), result.confined};
  return Error(DiagnosticId::ToolFailed,
               {{"path", shownPath(pathText(*tool.path))}, arg("reason", describe(result, process))});
}

Result<std::string> listSass(const Bytes& cubin, const std::string& kernelOrEmpty, Monitor& monitor) {
  BLOBSCOPE_TRY(listing, disassembleSass(cubin, kernelOrEmpty, monitor));
  return "// disassembled by NVIDIA nvdisasm, " + confinedText(listing.confined) + "\n" + listing.text;
}

} // namespace blobscope::process
