// What one image contains, and what it is called.
#include "core/library/device_images.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/container/elf/file.h"
#include "core/container/number_at.h"
#include "core/payloads/bundle/bundle.h"
#include "core/payloads/cubin/cubin.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/hsaco/hsaco.h"
#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace blobscope::library {
namespace {

using Kind = DeviceImage::Kind;
using Loaded = DeviceImage::Loaded;

constexpr std::size_t kNameBytes = 4'096;

std::string kernelName(std::string_view stored) { return std::string(stored.substr(0, kNameBytes)); }

/// What is in unpacked code.
ImageCode codeIn(std::string_view kind, const Bytes& bytes) {
  ImageCode out;
  std::vector<ImageKernel> kernels;
  if (kind == "cubin") {
    const payloads::Cubin cubin = payloads::readCubin(bytes);
    out.toolkit = cubin.toolkit;
    if (cubin.kernels.empty() && !cubin.damage.empty()) return out;
    for (const payloads::CubinKernel& kernel : cubin.kernels)
      kernels.push_back({kernelName(kernel.name.view()), kernel.registers, kernel.sharedBytes, kernel.blockThreads()});
  } else if (kind == "ptx") {
    const payloads::Ptx ptx = payloads::readPtx(bytes);
    if (ptx.entries.empty() && !ptx.damage.empty()) return out;
    for (const payloads::PtxEntry& entry : ptx.entries)
      kernels.push_back({kernelName(entry.name.view()), {}, entry.sharedBytes, entry.blockThreads()});
  } else if (kind == "code-object") {
    for (const payloads::HsacoKernel& kernel : payloads::readHsacoKernels(bytes).kernels) {
      std::optional<uint32_t> registers;
      if (kernel.registers && *kernel.registers <= UINT32_MAX) registers = static_cast<uint32_t>(*kernel.registers);
      kernels.push_back({kernelName(kernel.name), registers, kernel.ldsBytes, kernel.workgroupItems});
    }
  } else if (kind != "host") {
    return out;
  }
  out.kernels = std::move(kernels);
  return out;
}

} // namespace

std::string_view DeviceImage::kindName() const {
  constexpr std::array<std::string_view, 5> kNames = {"fatbin", "cubin", "bundle", "code-object", "ptx"};
  if (kind != Kind::Other) return kNames[static_cast<std::size_t>(kind)];
  return content.empty() ? "other" : content;
}

std::string_view DeviceImage::loadedName() const {
  constexpr std::array<std::string_view, 3> kNames = {"start-up", "by-code", "never"};
  return kNames[static_cast<std::size_t>(loaded)];
}

std::string_view DeviceImage::loadedText() const {
  switch (loaded) {
  case Loaded::StartUp:
    return relocatable ? "registered at start-up, linked at run time for GPUs without a finished image"
                       : "registered at start-up";
  case Loaded::ByCode: return "loaded by host code";
  case Loaded::Never: break;
  }
  return "used only by a linker";
}

std::string DeviceImage::title() const {
  constexpr std::size_t kTitleBytes = 100;
  if (!name.empty()) return "image '" + escapedWithin(name, kTitleBytes) + "'";
  return "the image at " + hexText(extent.offset) +
         (section.empty() ? "" : " in " + escapedWithin(section, kTitleBytes));
}

Ref imageRef(const Package& package, std::size_t index) {
  Ref ref;
  ref.kind = Ref::Kind::Image;
  ref.module = static_cast<uint32_t>(index);
  return package.ref(std::move(ref));
}

Result<Bytes> computeEntry(const DeviceImage& image, std::size_t entry, const BudgetPtr& budget, Monitor& monitor) {
  const ImageEntry& one = image.entries[entry];
  if (image.kind == Kind::Fatbin) {
    const std::vector<payloads::FatbinEntry> entries = payloads::readFatbin(image.bytes).entries();
    if (entry < entries.size()) return payloads::unpackEntry(entries[entry], budget, monitor);
  }
  if (image.kind != Kind::Bundle) return image.bytes.slice(one.extent.offset, one.extent.size);
  BLOBSCOPE_TRY(unpacked, payloads::unpackBundle(image.bytes, budget, monitor));
  return unpacked.slice(one.extent.offset, one.extent.size);
}

Result<std::vector<ImageCode>> computeCode(const DeviceImage& image, const BudgetPtr& budget, Monitor& monitor) {
  longWork("library::computeCode");
  std::vector<ImageCode> out(image.entries.size());
  Bytes bytes = image.bytes;
  if (image.kind == Kind::Bundle) {
    auto unpacked = payloads::unpackBundle(image.bytes, budget, monitor);
    if (!unpacked && unpacked.error().code() == ErrorCode::Cancelled) return unpacked.takeError();
    if (!unpacked) return out;
    bytes = std::move(*unpacked);
  }
  std::vector<payloads::FatbinEntry> stored;
  if (image.kind == Kind::Fatbin) stored = payloads::readFatbin(image.bytes).entries();
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const ImageEntry& entry = image.entries[i];
    if (i >= stored.size()) {
      out[i] = codeIn(entry.kind, bytes.slice(entry.extent.offset, entry.extent.size));
      continue;
    }
    if (entry.kind == "ltoir") continue; // its compression is not known
    auto code = payloads::unpackEntry(stored[i], budget, monitor);
    if (!code && code.error().code() == ErrorCode::Cancelled) return code.takeError();
    if (code) out[i] = codeIn(entry.kind, *code);
  }
  return out;
}

namespace {

/// "cubin sm_80, sm_90a, ptx sm_90": each kind once.
std::string entryWords(const std::vector<const ImageEntry*>& entries) {
  std::vector<std::pair<std::string, std::vector<std::string>>> kinds;
  for (const ImageEntry* const entry : entries) {
    auto kind = std::ranges::find(kinds, entry->kind, &std::pair<std::string, std::vector<std::string>>::first);
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {entry->kind, {}});
    if (!entry->arch.empty() && std::ranges::find(kind->second, entry->arch) == kind->second.end())
      kind->second.push_back(entry->arch);
  }
  constexpr std::size_t kShown = 32; // CUDA 13 knows some 30 GPUs
  std::string out;
  for (const auto& [kind, architectures] : kinds) {
    out += (out.empty() ? "" : ", ") + escaped(kind);
    for (std::size_t i = 0; i < std::min(architectures.size(), kShown); ++i)
      out += (i == 0 ? " " : ", ") + escaped(architectures[i]);
    if (architectures.size() > kShown) out += " and " + groupedText(architectures.size() - kShown) + " more";
  }
  return out;
}

} // namespace

std::string imageLine(const DeviceImage& image, std::size_t number) {
  if (!image.placed())
    return "image '" + escaped(image.name) + "': " + sizeText(image.extent.size) + "; its place is not known";
  std::vector<const ImageEntry*> entries;
  for (const ImageEntry& entry : image.entries) entries.push_back(&entry);
  std::string out = "image:" + std::to_string(number);
  const std::string_view symbol = image.name.empty() ? image.symbol : std::string_view(image.name);
  if (!symbol.empty()) out += " " + escapedWithin(symbol, 100);
  out += ": " + std::string(image.kindName()) + " in " +
         (image.section.empty() ? "the file" : escapedWithin(image.section, 100)) + " at " +
         hexText(image.extent.offset) + ", " + sizeText(image.extent.size);
  const bool same = entries.size() == 1 && entries.front()->kind == image.kindName();
  const std::string words = same ? escaped(entries.front()->arch) : entryWords(entries);
  if (!words.empty()) out += ": " + words;
  return out + "; " + std::string(image.loadedText());
}

std::string imagesSummary(const DeviceImages& images) {
  std::vector<const ImageEntry*> entries;
  uint64_t bytes = 0;
  for (const DeviceImage& image : images) {
    bytes = addSaturated(bytes, image.extent.size);
    for (const ImageEntry& entry : image.entries) entries.push_back(&entry);
  }
  if (images.empty()) return {};
  const std::string words = entryWords(entries);
  return countText(images.size(), "image") + ", " + sizeText(bytes) + (words.empty() ? "" : ": " + words);
}

} // namespace blobscope::library
