#include "core/diff/kernel_code.h"

#include "core/base/text.h"
#include "core/container/container.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/cubin/occupancy.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"
#include "core/syntax/outline.h"

#include <algorithm>

namespace blobscope::diff {
namespace {

using payloads::CubinKernel;
using payloads::FatbinEntry;

std::string dimensions(const CubinKernel::Dimensions& size) {
  return std::to_string(size[0]) + " × " + std::to_string(size[1]) + " × " + std::to_string(size[2]);
}

std::vector<std::pair<std::string, uint64_t>> numbersOf(const payloads::Cubin& cubin, const CubinKernel& kernel) {
  std::vector<std::pair<std::string, uint64_t>> out;
  if (kernel.registers) out.emplace_back("registers", *kernel.registers);
  if (const auto occupancy = payloads::occupancyPercent(cubin.sm, kernel)) out.emplace_back("occupancy", *occupancy);
  out.emplace_back("shared memory", kernel.sharedBytes);
  if (const auto stack = kernel.stackBytes()) out.emplace_back("stack", *stack);
  out.emplace_back("code", kernel.code.size());
  return out;
}

Item::Facts factsOf(const payloads::Cubin& cubin, const CubinKernel& kernel) {
  Item::Facts facts;
  const auto number = [&](const char* label, const std::optional<uint64_t>& value) {
    if (value) facts.emplace_back(label, groupedText(*value));
  };
  number("registers", kernel.registers);
  if (const auto occupancy = payloads::occupancyPercent(cubin.sm, kernel))
    facts.emplace_back("occupancy", std::to_string(*occupancy) + " %");
  number("stack", kernel.stackBytes());
  number("shared memory", kernel.sharedBytes);
  number("parameter bytes", kernel.parameterBytes);
  number("barriers", kernel.barriers);
  if (kernel.maxThreads) facts.emplace_back("largest block", dimensions(*kernel.maxThreads));
  if (kernel.requiredBlock) facts.emplace_back("required block", dimensions(*kernel.requiredBlock));
  if (kernel.cluster) facts.emplace_back("cluster", dimensions(*kernel.cluster));
  return facts;
}

Result<Done> addCubin(const Bytes& bytes, ImageKernels& out, Monitor& monitor) {
  const payloads::Cubin cubin = payloads::readCubin(bytes);
  for (const CubinKernel& kernel : cubin.kernels) {
    KernelCode code{kernel.code, factsOf(cubin, kernel), {}, bytes, numbersOf(cubin, kernel)};
    const auto [place, isNew] = out.kernels.try_emplace(std::string(kernel.name.view()), std::move(code));
    if (isNew) continue;
    BLOBSCOPE_TRY(hash, computeHash(kernel.code, monitor));
    place->second.facts.emplace_back("code for " + cubin.architecture(),
                                     groupedText(kernel.code.size()) + " bytes #" + hexText(hash).substr(2, 8));
    for (auto& [label, value] : factsOf(cubin, kernel))
      place->second.facts.emplace_back(label + " for " + cubin.architecture(), std::move(value));
  }
  return Done{};
}

void addPtx(const Bytes& text, ImageKernels& out) {
  for (const payloads::PtxEntry& entry : payloads::readPtx(text).entries) {
    KernelCode code{text.slice(entry.body.offset, entry.body.size), {}, "ptx", {}, {}};
    code.numbers.emplace_back("shared memory", entry.sharedBytes);
    std::string parameters;
    for (const payloads::PtxVariable& parameter : entry.parameters)
      parameters += (parameters.empty() ? "" : ", ") + parameter.type;
    code.facts.emplace_back("parameters", escapedWhole(parameters));
    code.facts.emplace_back("shared memory", groupedText(entry.sharedBytes));
    for (const payloads::PtxDirective& directive : entry.directives) {
      std::string values;
      for (const uint64_t value : directive.values) values += (values.empty() ? "" : ", ") + std::to_string(value);
      code.facts.emplace_back('.' + escaped(directive.name), std::move(values));
    }
    out.kernels.try_emplace(std::string(entry.name.view()), std::move(code));
  }
}

Result<Done> addFatbin(const Bytes& bytes, ImageKernels& out, const BudgetPtr& budget, Monitor& monitor) {
  bool machineCode = false;
  std::vector<FatbinEntry> texts;
  // A damaged image is compared as stored; after the limit is reached, all images are.
  const auto unpack = [&](const FatbinEntry& entry) -> Result<std::optional<Bytes>> {
    if (!out.limit.empty()) return std::optional<Bytes>();
    auto image = payloads::unpackEntry(entry, budget, monitor);
    if (image) return std::optional(std::move(*image));
    if (image.error().code() == ErrorCode::Cancelled) return image.takeError();
    if (image.error().id() == DiagnosticId::FileLimit) out.limit = image.error().message();
    return std::optional<Bytes>();
  };
  for (const FatbinEntry& entry : payloads::readFatbin(bytes).entries()) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    Item item;
    item.name = std::to_string(out.images.size());
    item.content = entry.payload;
    item.facts = {{"image", entry.word()}, {"unpacked bytes", groupedText(entry.unpackedSize())}};
    out.images.push_back(std::move(item));
    if (entry.kind != FatbinEntry::kCubin && entry.kind != FatbinEntry::kPtx) continue;
    if (entry.kind == FatbinEntry::kPtx) {
      texts.push_back(entry);
      continue;
    }
    BLOBSCOPE_TRY(image, unpack(entry));
    if (!image) continue;
    machineCode = true;
    BLOBSCOPE_CHECK(addCubin(*image, out, monitor));
  }
  // PTX represents a kernel only if there is no machine code; otherwise its image alone shows that it changed.
  for (const FatbinEntry& entry : texts) {
    if (machineCode) break;
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    BLOBSCOPE_TRY(text, unpack(entry));
    if (text) addPtx(*text, out);
  }
  return Done{};
}

/// Reads code objects for AMD GPUs and Hexagon: their functions are in the symbol table.
Result<Done> addElf(const Bytes& bytes, ImageKernels& out, Monitor& monitor) {
  auto image = container::readImage(bytes, monitor);
  if (!image) {
    if (image.error().code() == ErrorCode::Cancelled) return image.takeError();
    return Done{};
  }
  uint64_t seen = 0;
  for (const container::Symbol& symbol : image->symbols) {
    if (++seen % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (symbol.type != container::SymbolType::Function || symbol.size == 0) continue;
    if (const auto found = image->findBytesOf(symbol))
      out.kernels.try_emplace(std::string(symbol.name), KernelCode{found->slice(0, symbol.size), {}, {}, {}, {}});
  }
  return Done{};
}

/// Reads kernels from source text; the text of a kernel ends at the line of the next one.
Result<Done> addSource(const Bytes& text, const syntax::Language& language, ImageKernels& out, Monitor& monitor) {
  BLOBSCOPE_TRY(outline, syntax::computeOutline(text, language, monitor));
  const std::string_view all = text.view();
  std::size_t position = 0;
  uint64_t line = 0;
  const auto offsetOf = [&](uint64_t wanted) {
    for (; line < wanted && position < all.size(); ++line)
      position = std::min(all.find('\n', position), all.size() - 1) + 1;
    return position;
  };
  for (std::size_t i = 0; i < outline.size(); ++i) {
    if (!outline[i].kernel) continue;
    const std::size_t from = offsetOf(outline[i].line);
    const std::size_t to = i + 1 < outline.size() ? offsetOf(outline[i + 1].line) : all.size();
    const Bytes own = text.slice(from, to - from);
    // CUDA C++ declares a kernel before its definition: the longer text is the definition.
    KernelCode& code = out.kernels[outline[i].name];
    if (own.size() > code.code.size()) code.code = own;
  }
  return Done{};
}

} // namespace

Result<ImageKernels> readImageKernels(const Bytes& image, std::string_view language, const BudgetPtr& budget,
                                      Monitor& monitor) {
  ImageKernels out;
  const std::string_view content = payloads::sniff(image);
  const auto read = [&]() -> Result<Done> {
    if (content == "cubin") return addCubin(image, out, monitor);
    if (content == "fatbin") return addFatbin(image, out, budget, monitor);
    if (content == "hsaco" || content == "hexagon-elf" || content == "elf") return addElf(image, out, monitor);
    if (content == "ptx")
      addPtx(image, out);
    else if (payloads::isText(content) && !language.empty())
      return addSource(image, syntax::language(language), out, monitor);
    return Done{};
  };
  BLOBSCOPE_CHECK(read());
  return out;
}

} // namespace blobscope::diff
