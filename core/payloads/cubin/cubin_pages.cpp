#include "core/payloads/cubin/cubin.h"

#include "core/base/text.h"
#include "core/payloads/cubin/occupancy.h"
#include "core/payloads/cubin/occupancy_plots.h"
#include "core/payloads/pages.h"

#include <algorithm>
#include <memory>

namespace blobscope::payloads {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Maximum number of parameters with a separate row; no real kernel has more useful ones in its 32,764 bytes.
constexpr std::size_t kParameterRows = 512;

std::string numberText(const std::optional<uint32_t>& value) { return value ? std::to_string(*value) : std::string(); }

std::string dimensionsText(const CubinKernel::Dimensions& block) {
  return std::to_string(block[0]) + " × " + std::to_string(block[1]) + " × " + std::to_string(block[2]);
}

std::string usesText(const CubinKernel& kernel) {
  std::string out;
  const auto add = [&](bool used, std::string_view what) {
    if (used) (out += out.empty() ? "" : ", ") += what;
  };
  add(kernel.tensorCores, "tensor cores");
  add(kernel.shuffles, "warp-synchronous code");
  add(kernel.cluster || kernel.explicitCluster || kernel.maxClusterRank, "clusters");
  return out;
}

std::string apiText(uint32_t version) { return std::to_string(version / 10) + '.' + std::to_string(version % 10); }

view::Page imagePage(const Cubin& cubin) {
  Rows rows;
  const auto add = [&](std::string label, std::string value) {
    if (!value.empty()) rows.push_back({std::move(label), std::move(value)});
  };
  uint64_t code = 0;
  for (const CubinKernel& kernel : cubin.kernels) code = checkedAdd(code, kernel.extent.size).value_or(UINT64_MAX);
  add("architecture", cubin.architecture());
  add("linkage", cubin.relocatable() ? "relocatable: has to be linked before a driver can load it" : "linked");
  add("ABI", std::to_string(cubin.abi));
  add("flags", hexText(cubin.flags));
  add("CUDA API version", cubin.apiVersion ? apiText(*cubin.apiVersion) : "");
  add("toolkit", cubin.toolkit);
  add("build", escapedWithin(cubin.build.view(), 200));
  add("command line", escapedWithin(cubin.commandLine.view(), 1000));
  add("kernels", groupedText(cubin.kernels.size()));
  add("code", sizeText(code));
  add("sections", groupedText(cubin.sections.size()));
  add("symbols", groupedText(cubin.symbols.size()));
  return view::factsPage("Image", std::move(rows));
}

std::string kernelCell(const CubinKernel& kernel, std::size_t column) {
  switch (column) {
  case 0: return escaped(kernel.name.view());
  case 1: return std::to_string(kernel.extent.size);
  case 2: return numberText(kernel.registers);
  case 3: return std::to_string(kernel.sharedBytes);
  case 4: return numberText(kernel.stackBytes());
  case 5: return kernel.blockThreads() ? std::to_string(*kernel.blockThreads()) : std::string();
  case 6: return std::to_string(kernel.parameters.size());
  case 7: return numberText(kernel.parameterBytes);
  default: return usesText(kernel);
  }
}

/// Names of the ELF registry and those that NVIDIA's tools print.
std::string sectionTypeName(uint32_t type) {
  switch (type) {
  case 0: return "null";
  case 1: return "progbits";
  case 2: return "symtab";
  case 3: return "strtab";
  case 4: return "rela";
  case 7: return "note";
  case 8: return "nobits";
  case 9: return "rel";
  case 18: return "symtab_shndx";
  case 0x70000000: return "cuda_info";
  case 0x70000001: return "cuda_callgraph";
  case 0x70000086: return "cuda_compat_info";
  default: return hexText(type);
  }
}

std::string sectionCell(const CubinSection& section, uint64_t row, std::size_t column) {
  switch (column) {
  case 0: return std::to_string(row);
  case 1: return escaped(section.name.view());
  case 2: return sectionTypeName(section.type);
  case 3: return hexText(section.extent.offset);
  case 4: return std::to_string(section.size);
  case 5: return std::to_string(section.link);
  default: return std::to_string(section.info);
  }
}

/// Low half of st_info in the ELF registry.
std::string symbolTypeName(uint8_t info) {
  constexpr std::string_view kNames[] = {"none", "object", "function", "section", "file", "common", "tls"};
  const std::size_t type = info & 0xf;
  return type < std::size(kNames) ? std::string(kNames[type]) : std::to_string(type);
}
std::string bindingName(uint8_t info) {
  constexpr std::string_view kNames[] = {"local", "global", "weak"};
  const std::size_t binding = info >> 4;
  return binding < std::size(kNames) ? std::string(kNames[binding]) : std::to_string(binding);
}

std::string symbolCell(const Cubin& cubin, const CubinSymbol& symbol, std::size_t column) {
  switch (column) {
  case 0: return escaped(symbol.name.view());
  case 1: return symbolTypeName(symbol.info);
  case 2: return bindingName(symbol.info);
  case 3: return hexText(symbol.value);
  case 4: return std::to_string(symbol.size);
  case 5: return symbol.other & 0x10 ? "kernel" : "";
  default:
    return symbol.section < cubin.sections.size() ? escaped(cubin.sections[symbol.section].name.view())
                                                  : std::to_string(symbol.section);
  }
}

std::string occupancyText(const Cubin& cubin, const CubinKernel& kernel) {
  const uint64_t threads = kernel.blockThreads().value_or(kAssumedThreads);
  if (!cubin.sm || !kernel.registers || threads > kMaxBlockThreads) return {};
  const auto estimate =
      estimateOccupancy(*cubin.sm, *kernel.registers, kernel.sharedBytes, static_cast<uint32_t>(threads));
  if (!estimate) return {};
  const std::string block = std::to_string(threads) + " threads";
  if (estimate->blocks == 0) return "a block of " + block + " does not fit: " + std::string(estimate->limitedBy);
  const uint32_t percent = percentOf(*estimate);
  return std::to_string(estimate->blocks) + (estimate->blocks == 1 ? " block of " : " blocks of ") + block + ", " +
         std::to_string(estimate->warps) + " of " + std::to_string(estimate->warpLimit) + " warps (" +
         std::to_string(percent) + " %), limited by " + std::string(estimate->limitedBy) +
         "; an estimate without dynamic shared memory";
}

std::string blockText(const CubinKernel& kernel) {
  const auto threads = kernel.blockThreads();
  if (kernel.requiredBlock)
    return dimensionsText(*kernel.requiredBlock) + " required" +
           (threads ? ", " + groupedText(*threads) + " threads" : "");
  if (threads) return "at most " + groupedText(*threads) + " of " + groupedText(kMaxBlockThreads) + " threads";
  return "any, up to " + groupedText(kMaxBlockThreads) + " threads";
}

} // namespace

std::optional<view::Page> kernelFacts(const Cubin& cubin, std::string_view name) {
  const CubinKernel* const found = cubin.find(name);
  if (!found) return std::nullopt;
  const CubinKernel& kernel = *found;
  Rows rows;
  const auto add = [&](std::string label, std::string value) {
    if (!value.empty()) rows.push_back({std::move(label), std::move(value)});
  };
  add("architecture", cubin.architecture());
  add("code", sizeText(kernel.extent.size));
  if (kernel.registers)
    add("registers per thread", std::to_string(*kernel.registers) + " of " + std::to_string(kMaxRegisters));
  if (kernel.registerCap.value_or(kMaxRegisters) < kMaxRegisters)
    add("register cap", std::to_string(*kernel.registerCap));
  add("block", blockText(kernel));
  add("static shared memory per block", sizeText(kernel.sharedBytes));
  if (const auto stack = kernel.stackBytes()) add("stack per thread", sizeText(*stack));
  if (kernel.barriers) add("barriers", std::to_string(*kernel.barriers) + " of " + std::to_string(kMaxBarriers));
  if (kernel.cluster) add("cluster", dimensionsText(*kernel.cluster) + " blocks");
  if (kernel.maxClusterRank) add("largest cluster", groupedText(*kernel.maxClusterRank) + " blocks");
  add("launch constants", sizeText(kernel.constantBytes));
  add("uses", usesText(kernel));
  add("blocks per multiprocessor", occupancyText(cubin, kernel));
  add("parameters", groupedText(kernel.parameters.size()) +
                        (kernel.parameterBytes ? " in " + sizeText(*kernel.parameterBytes) : std::string()));
  for (std::size_t i = 0; i < std::min(kernel.parameters.size(), kParameterRows); ++i) {
    const CubinParameter& parameter = kernel.parameters[i];
    add("parameter " + std::to_string(parameter.ordinal),
        sizeText(parameter.size) + " at " + hexText(parameter.offset));
  }
  return view::factsPage("Resources", std::move(rows));
}

std::optional<view::Page> kernelOccupancy(const Cubin& cubin, std::string_view name) {
  const CubinKernel* const kernel = cubin.find(name);
  if (!kernel || !kernel->registers || !cubin.sm || !findMultiprocessor(*cubin.sm)) return std::nullopt;
  KernelUse use{{}, *kernel->registers, kernel->sharedBytes, std::nullopt};
  if (const auto threads = kernel->blockThreads(); threads && *threads <= kMaxBlockThreads)
    use.threads = static_cast<uint32_t>(*threads);
  return view::Page{"Occupancy", occupancyPlots(*cubin.sm, use)};
}

void addCubinPages(const Bytes& bytes, view::PageList& list) {
  const auto cubin = std::make_shared<const Cubin>(readCubin(bytes));
  list.push_back(imagePage(*cubin));
  list.push_back(lazyPage("Kernels",
                          {{"name"},
                           {"code bytes", true, true},
                           {"registers", true},
                           {"shared bytes", true},
                           {"stack bytes", true},
                           {"max block threads", true},
                           {"parameters", true},
                           {"parameter bytes", true},
                           {"uses"}},
                          cubin->kernels.size(), [cubin](uint64_t row, std::size_t column) {
                            return kernelCell(cubin->kernels[row], column);
                          }));
  list.push_back(lazyPage(
      "Sections",
      {{"number", true}, {"name"}, {"type"}, {"offset", true}, {"bytes", true, true}, {"link", true}, {"info", true}},
      cubin->sections.size(),
      [cubin](uint64_t row, std::size_t column) { return sectionCell(cubin->sections[row], row, column); }));
  list.push_back(lazyPage(
      "Symbols", {{"name"}, {"type"}, {"binding"}, {"value", true}, {"bytes", true, true}, {"role"}, {"section"}},
      cubin->symbols.size(),
      [cubin](uint64_t row, std::size_t column) { return symbolCell(*cubin, cubin->symbols[row], column); }));
  addDamagePage(cubin->damage, list);
}

} // namespace blobscope::payloads
