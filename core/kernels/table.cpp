#include "core/kernels/table.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::kernels {
namespace {

constexpr char kUnknown[] = "–";

/// The image that the GPU would use: the newest one that it runs natively, else the newest one.
std::optional<std::size_t> imageFor(const Module& module, std::optional<uint32_t> sm) {
  std::optional<std::size_t> best;
  const auto rank = [&](const modules::KernelImage& image) {
    const uint32_t own = image.sm.value_or(0);
    // A GPU runs machine code of its major number, up to its own minor number.
    const bool fits = sm && own / 10 == *sm / 10 && own <= *sm;
    return std::tuple(fits, image.machineCode, own);
  };
  for (std::size_t i = 0; i < module.images.size(); ++i)
    if (!best || rank(module.images[i]) > rank(module.images[*best])) best = i;
  return best;
}

std::string usesText(const modules::KernelCode& code) {
  std::string out;
  const auto add = [&](bool used, std::string_view what) {
    if (used) (out += out.empty() ? "" : ", ") += what;
  };
  add(code.tensorCores, "tensor cores");
  add(code.shuffles, "shuffles");
  add(code.clusters, "clusters");
  return out;
}

template <class T> std::string numberText(const std::optional<T>& value) {
  return value ? std::to_string(*value) : kUnknown;
}

} // namespace

KernelTable::KernelTable(std::shared_ptr<const Kernels> kernels, std::optional<uint32_t> sm)
    : m_kernels(std::move(kernels)), m_sm(sm) {
  for (const Module& module : m_kernels->modules) m_images.push_back(imageFor(module, sm));
}

std::vector<view::Column> KernelTable::columns() const {
  std::vector<view::Column> out = {{"kernel"},
                                   {"module"},
                                   {"code bytes", true, true},
                                   {"registers", true},
                                   {"shared bytes", true},
                                   {"max block", true},
                                   {"occupancy %", true},
                                   {"uses"},
                                   {"launch count", true},
                                   {"callers", true},
                                   {"arguments", true},
                                   {"stack bytes", true},
                                   {"local bytes", true}};
  out[kOccupancy].lowPercent = kLowOccupancy;
  out[kUses].words = true;
  return out;
}

const modules::KernelCode& KernelTable::code(uint64_t row) const {
  const Kernel& kernel = m_kernels->list[row];
  const auto image = m_images[kernel.module];
  return image ? m_kernels->modules[kernel.module].images[*image].kernels[kernel.number] : kernel.ownCode;
}

std::optional<payloads::Occupancy> KernelTable::occupancy(uint64_t row) const {
  const modules::KernelCode& known = code(row);
  if (!m_sm || !known.registers || !known.blockThreads || *known.blockThreads > payloads::kMaxBlockThreads)
    return std::nullopt;
  if (const auto image = m_images[m_kernels->list[row].module];
      !image || !m_kernels->modules[m_kernels->list[row].module].images[*image].sm)
    return std::nullopt; // not NVIDIA's
  return payloads::estimateOccupancy(*m_sm, *known.registers, known.sharedBytes.value_or(0),
                                     static_cast<uint32_t>(*known.blockThreads));
}

std::vector<std::string> KernelTable::otherArchitectures() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < m_images.size(); ++i) {
    if (!m_images[i]) continue;
    const modules::KernelImage& image = m_kernels->modules[i].images[*m_images[i]];
    if (image.sm && image.sm != m_sm && std::ranges::find(out, image.architecture) == out.end())
      out.push_back(image.architecture);
  }
  return out;
}

std::string KernelTable::cell(uint64_t row, std::size_t column) const {
  const Kernel& kernel = m_kernels->list[row];
  const modules::KernelCode& known = code(row);
  switch (column) {
  case kName: return escaped(m_kernels->function(row).name);
  case kModule: return m_kernels->modules[kernel.module].name;
  case kCode: return numberText(known.codeBytes);
  case kRegisters: return numberText(known.registers);
  case kShared: {
    const uint64_t bytes = known.sharedBytes.value_or(0);
    if (kernel.dynamicShared) return bytes == 0 ? "dynamic" : std::to_string(bytes) + " + dynamic";
    return bytes == 0 ? kUnknown : std::to_string(bytes);
  }
  case kStack: return known.stackBytes.value_or(0) == 0 ? kUnknown : std::to_string(*known.stackBytes);
  case kLocal: return known.localBytes.value_or(0) == 0 ? kUnknown : std::to_string(*known.localBytes);
  case kBlock: return numberText(known.blockThreads);
  case kOccupancy: {
    const auto estimate = occupancy(row);
    return estimate ? std::to_string(payloads::percentOf(*estimate)) : kUnknown;
  }
  case kUses: return usesText(known);
  case kArguments: return std::to_string(kernel.arguments);
  case kCallers: return std::to_string(kernel.callers);
  default: return kernel.callers == 0 ? kUnknown : std::to_string(kernel.launches);
  }
}

uint64_t KernelTable::number(uint64_t row, std::size_t column) const {
  const modules::KernelCode& known = code(row);
  // Dynamic shared memory has no number; it sorts by its static part.
  if (column == kShared) return known.sharedBytes.value_or(0);
  return parseNumber(cell(row, column)).value_or(0);
}

} // namespace blobscope::kernels
