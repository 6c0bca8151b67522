// Step 9: what the device must offer.
#include "core/base/text.h"
#include "core/preflight/judge.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace blobscope::preflight {
namespace {

using check::Rule;
using requirements::DeviceCode;
using requirements::NeededKernel;
using targets::CudaFit;
using targets::CudaImage;
using targets::Device;

bool isCudaImage(const DeviceCode& code) {
  return code.kind == DeviceCode::Kind::Cubin || code.kind == DeviceCode::Kind::Ptx ||
         code.kind == DeviceCode::Kind::LtoIr;
}

CudaImage imageOf(const DeviceCode& code) {
  const bool compiled = code.kind == DeviceCode::Kind::Ptx || code.kind == DeviceCode::Kind::LtoIr;
  return {compiled, code.target, code.kind == DeviceCode::Kind::Ptx ? code.version : 0};
}

/// "PTX 8.4 for sm_90", "sm_89".
std::string imageText(const DeviceCode& code) {
  if (code.kind == DeviceCode::Kind::LtoIr) return "LTO-IR for " + escaped(code.target);
  if (code.kind != DeviceCode::Kind::Ptx) return escaped(code.target.empty() ? "an image" : code.target);
  const std::string version =
      code.version > 0 ? " " + std::to_string(code.version / 10) + "." + std::to_string(code.version % 10) : "";
  return "PTX" + version + (code.target.empty() ? "" : " for " + escaped(code.target));
}

/// Images of one module, or of one place outside of modules, are alternatives: the driver takes one of them.
using ImagesByRef = std::map<std::string, std::vector<const DeviceCode*>>;
template <class Wanted> ImagesByRef imagesOf(const std::vector<DeviceCode>& all, Wanted wanted) {
  ImagesByRef out;
  std::set<std::tuple<std::string, bool, std::string_view, uint32_t>> seen; // equal images run on the same GPUs
  for (const DeviceCode& code : all) {
    if (!wanted(code)) continue;
    Ref place = code.ref;
    place.parts.clear();
    const CudaImage image = imageOf(code);
    std::string name = place.toString();
    if (seen.emplace(name, image.ptx, code.target, image.ptxVersion).second) out[std::move(name)].push_back(&code);
  }
  return out;
}

/// How a device runs code; the best first.
enum class Fit : uint8_t {
  Runs,
  Perhaps,   ///< the device has settings that decide it, or a compiler of the driver
  OldDriver, ///< a newer driver runs it
  No
};

/// Whether an AMD GPU runs code for `target`: "gfx90a:sramecc+:xnack-". A feature that is not named works with either
/// setting. Source: llvm/llvm-project llvmorg-19.1.7 llvm/docs/AMDGPUUsage.rst, "Target ID" and "Generic Processor
/// Table".
Fit gfxFit(std::string_view target, const Device& device) {
  const std::size_t colon = std::min(target.find(':'), target.size());
  const std::string_view processor = target.substr(0, colon);
  if (processor == "amdgcnspirv") return Fit::Perhaps; // the driver compiles it
  if (processor != device.gfx && !targets::isInGenericGfx(device.gfx, processor)) return Fit::No;
  Fit fit = Fit::Runs;
  for (std::string_view rest = target.substr(colon); !rest.empty();) {
    const std::size_t end = std::min(rest.find(':', 1), rest.size());
    const std::string_view feature = rest.substr(1, end - 1);
    rest.remove_prefix(end);
    if (feature.size() < 2) continue;
    const std::string_view name = feature.substr(0, feature.size() - 1);
    const auto stated = std::ranges::find_if(device.gfxFeatures, [&](const std::string& one) {
      return one.size() == feature.size() && one.starts_with(name);
    });
    if (stated == device.gfxFeatures.end())
      fit = Fit::Perhaps;
    else if (*stated != feature)
      return Fit::No;
  }
  return fit;
}

Fit fitOf(const DeviceCode& code, const Device& device) {
  if (device.kind == Device::Kind::Rocm) return gfxFit(code.target, device);
  switch (targets::cudaFit(imageOf(code), device)) {
  case CudaFit::Native:
  case CudaFit::Compiled: return code.kind == DeviceCode::Kind::LtoIr ? Fit::Perhaps : Fit::Runs;
  case CudaFit::DriverTooOld: return Fit::OldDriver;
  case CudaFit::No: break;
  }
  return Fit::No;
}

/// The best way to run one of the alternatives.
CudaFit bestFit(const std::vector<const DeviceCode*>& images, const Device& device) {
  CudaFit best = CudaFit::No;
  for (const DeviceCode* const image : images) best = std::min(best, targets::cudaFit(imageOf(*image), device));
  return best;
}

/// The first driver that runs one of the alternatives on the GPU.
std::optional<uint32_t> oldestDriver(const std::vector<const DeviceCode*>& images, const targets::GpuArchitecture& gpu,
                                     const targets::Facts& facts) {
  std::optional<uint32_t> out;
  for (const DeviceCode* const image : images)
    if (const auto one = targets::minimumDriver(imageOf(*image), gpu, facts)) out = out ? std::min(*out, *one) : *one;
  return out;
}

/// The version of CUDA whose runtime a library needs: "13.0" for "libcudart.so.13" and "cudart64_13.dll".
/// The runtime of a major version works with the driver of its first release. Source: NVIDIA, "CUDA Compatibility",
/// minor version compatibility; of Windows the driver's numbers are a little higher.
std::optional<std::string> cudaRuntimeVersion(std::string_view library) {
  std::string_view digits;
  if (library.starts_with("libcudart.so."))
    digits = library.substr(13);
  else if (library.starts_with("cudart64_") || library.starts_with("CUDART64_"))
    digits = library.substr(9);
  const std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  if (end < 2) return std::nullopt;
  return std::string(digits.substr(0, 2)) + ".0"; // "110" of CUDA 11 on Windows, too
}

/// The version of CUDA whose driver is the first with a function; empty for functions that all of them have. Source:
/// NVIDIA, cuda.h of CUDA 11.8 to 13.0.
std::string_view driverFunctionVersion(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kFunctions = {{
      {"cuLaunchKernelEx", "11.8"},
      {"cuLibraryLoadData", "12.0"},
      {"cuLibraryLoadFromFile", "12.0"},
      {"cuLibraryGetKernel", "12.0"},
      {"cuLibraryGetModule", "12.0"},
      {"cuKernelGetFunction", "12.0"},
      {"cuKernelSetAttribute", "12.0"},
      {"cuTensorMapEncodeTiled", "12.0"},
      {"cuTensorMapEncodeIm2col", "12.0"},
      {"cuMulticastCreate", "12.1"},
  }};
  for (const auto& [function, version] : kFunctions)
    if (function == name) return version;
  return {};
}

} // namespace

namespace {

using Needs = requirements::Requirements;
using Loaded = library::DeviceImage::Loaded;

/// Code of host images that one use needs: a kernel of the images that are registered at start-up, or all of an image
/// that host code loads.
struct ImageUnit {
  std::set<uint32_t> images;          ///< numbers in Requirements::images
  std::set<std::string_view> kernels; ///< empty when they are not known
  std::set<uint32_t> functions;       ///< numbers in Requirements::imageFunctions
  Fit fit = Fit::No;
  bool byCode = false;
};

/// What the images of host files offer to a device, and to which functions.
class HostImages {
public:
  HostImages(const Needs& needs, const Device& device) : m_needs(needs), m_device(device) {
    addUnits();
    addFunctions();
  }

  /// Why a unit does not run for certain.
  struct Fault {
    std::set<uint32_t> images, functions;
    Fit fit = Fit::No;
    enum class Doubt : uint8_t { None, Users, Choice, Setting } doubt = Doubt::None;
  };
  std::vector<Fault> faults() const;
  const std::vector<ImageUnit>& units() const { return m_units; }
  /// Whether it is known of every function which code it needs.
  bool knowsAllFunctions() const { return std::ranges::find(m_used, false) == m_used.end(); }
  /// "sm_80, PTX 8.4 for sm_90": what the images have; with `fit` only code that fits so.
  std::string contentOf(const std::set<uint32_t>& images, std::optional<Fit> fit = std::nullopt) const;
  std::string titlesOf(const std::set<uint32_t>& images) const;
  std::vector<const DeviceCode*> codesOf(const std::set<uint32_t>& images) const;

private:
  void addUnits();
  void addFunctions();
  bool isUsable(const DeviceCode& code) const;
  /// Whether images that host code also loads have the same kernels: it chooses one of them.
  bool hasAlternative(const ImageUnit& unit, std::optional<uint32_t> function) const;

  const Needs& m_needs;
  const Device& m_device;
  std::vector<ImageUnit> m_units;
  std::vector<bool> m_used, m_runsSome;                                 ///< by function: it needs units, that run
  std::vector<std::vector<const DeviceCode*>> m_codes;                  ///< that counts, by image
  std::map<std::string_view, std::vector<std::size_t>> m_runningByCode; ///< units that run, by kernel
};

bool HostImages::isUsable(const DeviceCode& code) const {
  if (!code.image || m_needs.images[*code.image].loaded == Loaded::Never) return false;
  const bool kind = m_device.kind == Device::Kind::Cuda ? isCudaImage(code) : code.kind == DeviceCode::Kind::HsaCo;
  // Images without kernels only have data of the device.
  return kind && (!code.kernelsKnown || !code.kernels.empty());
}

void HostImages::addUnits() {
  std::map<uint32_t, std::size_t> byImage;
  std::map<std::pair<uint32_t, std::string_view>, std::size_t> byKernel; // by file
  const auto unitAt = [&](auto& index, const auto& key, bool byCode) -> ImageUnit& {
    const auto [found, isNew] = index.emplace(key, m_units.size());
    if (isNew) m_units.emplace_back().byCode = byCode;
    return m_units[found->second];
  };
  m_codes.resize(m_needs.images.size());
  for (const DeviceCode& code : m_needs.code) {
    if (!isUsable(code)) continue;
    m_codes[*code.image].push_back(&code);
    const requirements::HostImage& image = m_needs.images[*code.image];
    const Fit fit = fitOf(code, m_device);
    const bool byCode = image.loaded == Loaded::ByCode;
    const auto add = [&](ImageUnit& unit) {
      unit.images.insert(*code.image);
      unit.fit = std::min(unit.fit, fit);
    };
    if (byCode || !code.kernelsKnown) {
      ImageUnit& unit = unitAt(byImage, *code.image, byCode);
      add(unit);
      unit.kernels.insert(code.kernels.begin(), code.kernels.end());
      continue;
    }
    for (const std::string& kernel : code.kernels) {
      ImageUnit& unit = unitAt(byKernel, std::pair(image.package, std::string_view(kernel)), false);
      add(unit);
      unit.kernels.insert(kernel);
    }
  }
  for (const requirements::ImageUse& use : m_needs.imageUses) {
    if (use.image) {
      if (const auto found = byImage.find(*use.image); found != byImage.end())
        m_units[found->second].functions.insert(use.function);
      continue;
    }
    const auto found = byKernel.find({use.package, std::string_view(use.kernel)});
    if (found != byKernel.end()) m_units[found->second].functions.insert(use.function);
  }
  // The only function of a library needs its only image.
  if (m_units.size() == 1 && m_needs.imageFunctions.size() == 1) m_units[0].functions.insert(0);
}

void HostImages::addFunctions() {
  m_used.resize(m_needs.imageFunctions.size());
  m_runsSome.resize(m_needs.imageFunctions.size());
  for (std::size_t i = 0; i < m_units.size(); ++i)
    if (m_units[i].byCode && m_units[i].fit == Fit::Runs)
      for (const std::string_view kernel : m_units[i].kernels) m_runningByCode[kernel].push_back(i);
  for (std::size_t i = 0; i < m_units.size(); ++i)
    for (const uint32_t function : m_units[i].functions) {
      m_used[function] = true;
      if (m_units[i].fit == Fit::Runs || m_units[i].fit == Fit::Perhaps) m_runsSome[function] = true;
    }
}

bool HostImages::hasAlternative(const ImageUnit& unit, std::optional<uint32_t> function) const {
  constexpr std::size_t kCompared = 1'000; // real libraries have one image per GPU
  if (!unit.byCode || unit.kernels.empty()) return false;
  const auto running = m_runningByCode.find(*unit.kernels.begin());
  if (running == m_runningByCode.end()) return false;
  for (std::size_t i = 0; i < std::min(running->second.size(), kCompared); ++i) {
    const ImageUnit& other = m_units[running->second[i]];
    const bool used = !function || other.functions.contains(*function);
    if (used && std::ranges::includes(other.kernels, unit.kernels)) return true;
  }
  return false;
}

std::vector<HostImages::Fault> HostImages::faults() const {
  using Doubt = Fault::Doubt;
  // Equal faults are one: for certain ones of the same content, for others for the same reason.
  std::map<std::tuple<Doubt, std::string, Fit>, Fault> found; // certain ones first
  std::map<std::set<uint32_t>, std::string> contents;
  const auto add = [&](const ImageUnit& unit, Doubt doubt, std::optional<uint32_t> function) {
    std::string* content = nullptr;
    if (doubt == Doubt::None) {
      const auto [known, isNew] = contents.try_emplace(unit.images);
      if (isNew) known->second = contentOf(unit.images);
      content = &known->second;
    }
    Fault& fault = found[{doubt, content ? *content : std::string(), unit.fit}];
    fault.images.insert(unit.images.begin(), unit.images.end());
    if (function) fault.functions.insert(*function);
    fault.fit = unit.fit;
    fault.doubt = doubt;
  };
  const bool none = std::ranges::none_of(
      m_units, [](const ImageUnit& unit) { return unit.fit == Fit::Runs || unit.fit == Fit::Perhaps; });
  for (const ImageUnit& unit : m_units) {
    if (unit.fit == Fit::Runs) continue;
    if (unit.fit == Fit::Perhaps) {
      add(unit, Doubt::Setting, std::nullopt);
      for (const uint32_t function : unit.functions) add(unit, Doubt::Setting, function);
      continue;
    }
    if (unit.functions.empty()) {
      if (none)
        add(unit, Doubt::None, std::nullopt);
      else if (!hasAlternative(unit, std::nullopt))
        add(unit, Doubt::Users, std::nullopt);
      continue;
    }
    for (const uint32_t function : unit.functions) {
      if (hasAlternative(unit, function)) continue;
      const bool some = m_runsSome[function];
      add(unit, some ? Doubt::Choice : Doubt::None, function);
    }
  }
  std::vector<Fault> out;
  for (auto& [key, fault] : found) out.push_back(std::move(fault));
  return out;
}

std::vector<const DeviceCode*> HostImages::codesOf(const std::set<uint32_t>& images) const {
  std::vector<const DeviceCode*> out;
  for (const uint32_t image : images) out.insert(out.end(), m_codes[image].begin(), m_codes[image].end());
  return out;
}

/// "a", "a and b", "a, b and 3 more".
std::string listText(const std::vector<std::string>& items, std::size_t shown) {
  std::string out;
  const std::size_t count = items.size() <= shown ? items.size() : shown - 1;
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return count < items.size() ? out + " and " + groupedText(items.size() - count) + " more" : out;
}

std::string HostImages::contentOf(const std::set<uint32_t>& images, std::optional<Fit> fit) const {
  std::vector<std::string> words;
  for (const DeviceCode* const code : codesOf(images)) {
    std::string word = imageText(*code);
    const bool counts = !fit || fitOf(*code, m_device) == *fit;
    if (counts && std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
  }
  return listText(words, 12);
}

std::string HostImages::titlesOf(const std::set<uint32_t>& images) const {
  constexpr std::size_t kNamed = 4, kUnnamed = 2;
  const bool named = std::ranges::all_of(images, [&](uint32_t image) { return m_needs.images[image].named; });
  if (images.size() > kUnnamed && !named)
    return countText(images.size(), "image") + " (such as " + m_needs.images[*images.begin()].title + ")";
  std::vector<std::string> titles;
  for (const uint32_t image : images) titles.push_back(m_needs.images[image].title);
  return listText(titles, kNamed);
}

} // namespace

void Judge::checkHostImages() {
  using Doubt = HostImages::Fault::Doubt;
  const HostImages host(m_needs, *m_device);
  for (const ImageUnit& unit : host.units())
    if (unit.fit == Fit::Runs) met(Step::Kernels);
  const std::vector<HostImages::Fault> faults = host.faults();
  // --- 1. How many functions do not run. ---
  std::set<uint32_t> failing;
  for (const HostImages::Fault& fault : faults)
    if (fault.doubt == Doubt::None) failing.insert(fault.functions.begin(), fault.functions.end());
  const bool certain =
      std::ranges::all_of(faults, [](const HostImages::Fault& fault) { return fault.doubt == Doubt::None; });
  const uint64_t all = m_needs.imageFunctions.size(), good = all - failing.size();
  std::string summary;
  if (!failing.empty() && all > 1)
    summary = certain && host.knowsAllFunctions()
                  ? (good == 0 ? "none" : groupedText(good)) + " of " + countText(all, "function") +
                        (good > 1 ? " run on " : " runs on ") + gpuName()
                  : groupedText(failing.size()) + " of " + countText(all, "function") + " cannot run on " + gpuName();
  if (!summary.empty()) at(Step::Kernels).summary = summary;
  // --- 2. Why. ---
  for (const HostImages::Fault& fault : faults) {
    std::vector<std::string> functions, shown;
    for (const uint32_t function : fault.functions) functions.push_back(m_needs.imageFunctions[function]);
    std::ranges::sort(functions);
    for (const std::string& function : functions) shown.push_back(escaped(function));
    const std::string names = listText(shown, 4), titles = host.titlesOf(fault.images), device = gpuName();
    const bool one = fault.images.size() == 1, old = fault.fit == Fit::OldDriver;
    const std::string content = host.contentOf(fault.images, old ? std::optional(Fit::OldDriver) : std::nullopt);
    const auto codes = host.codesOf(fault.images);
    const auto driver =
        old && m_device->gpu ? oldestDriver(codes, *m_device->gpu, *m_device->facts) : std::optional<uint32_t>();
    const std::string newer = driver ? "driver " + std::to_string(*driver) + " or later" : "a newer driver";
    Missing& item = old ? add(Rule::PreDriver, "driver", m_device->name, Step::Kernels,
                              {{"driver", std::to_string(m_device->driver.value_or(0))},
                               {"found", content + " of " + titles},
                               {"expected", newer}})
                        : add(Rule::PreImage, "image", titles, Step::Kernels, {{"device", device}, {"found", content}});
    const std::string what =
        old ? item.sentence : titles + (one ? " has" : " have") + " no code for " + device + ", only for " + content;
    const requirements::HostImage& first = m_needs.images[*fault.images.begin()];
    item.ref = first.ref;
    item.affected = functions;
    item.certain = fault.doubt == Doubt::None;
    switch (fault.doubt) {
    case Doubt::None:
      item.sentence =
          what +
          (names.empty() ? "" : "; " + names + (functions.size() == 1 ? " needs" : " need") + (one ? " it" : " them")) +
          (summary.empty() ? "" : ", so " + summary);
      if (m_device->kind != Device::Kind::Cuda) break;
      // Code that the library passes to the driver itself, and code that CUDA's runtime loads.
      if (first.loaded == Loaded::ByCode)
        item.printed = old ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" : "CUDA_ERROR_NO_BINARY_FOR_GPU";
      else
        item.printed = old ? "the provided PTX was compiled with an unsupported toolchain."
                           : "no kernel image is available for execution on the device";
      break;
    case Doubt::Users:
      item.sentence = what + "; which functions use " + (one ? "it" : "them") + " is not known";
      item.fix = "run the functions that you need on that GPU, or find out which ones use " +
                 std::string(one ? "this image" : "these images");
      break;
    case Doubt::Choice:
      item.sentence = what + "; " + names + (functions.size() == 1 ? " also uses" : " also use") +
                      " code for this GPU, so it is not known whether " + (one ? "it is" : "they are") +
                      " needed there";
      item.fix = "run " + names + " on that GPU";
      break;
    case Doubt::Setting:
      item.sentence = titles + (one ? " has" : " have") + " code for " + content + "; whether " + device +
                      " runs it depends on " + (m_device->gfx.empty() ? "the driver" : "its settings");
      item.fix = m_device->gfx.empty()
                     ? "run the functions that you need on that GPU"
                     : "add the settings to the name of the device: " + m_device->gfx + ":sramecc+:xnack-";
      break;
    }
    if (item.certain && !old && m_device->kind == Device::Kind::Rocm) item.fix = "compile the library for " + device;
  }
}

std::string Judge::gpuName() const {
  return m_device->gpu ? m_device->gpu->name : m_device->gfx.empty() ? m_device->name : m_device->gfx;
}

/// The first driver with what the library requests from the system's loader. Source:
/// core/formats/load-requirements.md 9.1.
void Judge::checkDriver(bool ofRuntime) {
  const targets::Facts& facts = *m_device->facts;
  if (!m_device->driver) return;
  const auto check = [&](const std::string& what, std::optional<uint32_t> oldest, const char* words) {
    if (!oldest || *m_device->driver >= *oldest) return;
    Missing& item = add(Rule::PreDriver, "driver", what, Step::Kernels,
                        {{"driver", std::to_string(*m_device->driver)},
                         {"found", what},
                         {"expected", "driver " + std::to_string(*oldest) + " or later"}});
    item.printed = words;
  };
  const bool loads = std::ranges::any_of(m_needs.modules, [](const auto& module) { return module.key == "cuda"; }) ||
                     std::ranges::find(m_needs.deviceApis, "cuda") != m_needs.deviceApis.end();
  if (loads && ofRuntime) check(escaped(m_runtime.title()), m_runtime.oldestDriver(), "");
  for (const std::string& library : m_needs.libraries)
    if (const auto version = cudaRuntimeVersion(library))
      check(escaped(library), facts.driverOf(*version), "CUDA driver version is insufficient for CUDA runtime version");
  for (const requirements::NeededSymbol& symbol : m_needs.symbols)
    if (const std::string_view version = driverFunctionVersion(symbol.name); !version.empty() && !symbol.weak)
      check(escaped(symbol.name) + " of libcuda", facts.driverOf(version), "");
}

void Judge::checkCuda() {
  if (const uint32_t last = m_device->gpu->lastDriver; last > 0 && m_device->driver.value_or(0) > last) {
    const std::string driver = std::to_string(*m_device->driver), newest = "driver " + std::to_string(last);
    Missing& item = add(Rule::PreDriver, "driver", m_device->name, Step::Kernels);
    item.sentence = "driver " + driver + " does not support " + m_device->gpu->name +
                    " any more; the last one that does is " + newest;
    item.fix = "install " + newest + ", or use a newer GPU";
    return;
  }
  checkDriver(true);
  if (m_device->driver && *m_device->driver < m_device->gpu->minDriver) {
    const std::string first = "driver " + std::to_string(m_device->gpu->minDriver);
    Missing& item = add(Rule::PreDriver, "driver", m_device->name, Step::Kernels);
    item.sentence = "driver " + std::to_string(*m_device->driver) + " does not support " + m_device->gpu->name +
                    "; the first one that does is " + first;
    item.fix = "install " + first + " or later";
    return;
  }
  std::set<std::string> said; // modules with equal images
  for (const auto& [ref, images] :
       imagesOf(m_needs.code, [](const DeviceCode& code) { return isCudaImage(code) && !code.image; })) {
    const CudaFit fit = bestFit(images, *m_device);
    if (fit == CudaFit::Native || fit == CudaFit::Compiled) {
      met(Step::Kernels);
      continue;
    }
    std::string found;
    for (const DeviceCode* const image : images)
      if (fit != CudaFit::DriverTooOld || targets::cudaFit(imageOf(*image), *m_device) == fit)
        found += (found.empty() ? "" : ", ") + imageText(*image);
    if (fit == CudaFit::DriverTooOld) {
      const auto driver = oldestDriver(images, *m_device->gpu, *m_device->facts);
      if (!said.insert(found).second) continue;
      Missing& item =
          add(Rule::PreDriver, "driver", m_device->name, Step::Kernels,
              {{"driver", std::to_string(m_device->driver.value_or(0))},
               {"found", found},
               {"expected", driver ? "driver " + std::to_string(*driver) + " or later" : "a newer driver"}});
      item.printed = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
      item.ref = images.front()->ref;
      continue;
    }
    Missing& item = add(Rule::PreImage, "image", m_device->name, Step::Kernels,
                        {{"device", m_device->gpu->name}, {"found", found}});
    item.printed = "CUDA_ERROR_NO_BINARY_FOR_GPU";
    item.ref = images.front()->ref;
  }
  checkHostImages();
}

void Judge::checkGfx() {
  for (const auto& [ref, images] : imagesOf(m_needs.code, [](const DeviceCode& code) {
         return code.kind == DeviceCode::Kind::HsaCo && !code.image && !code.target.empty();
       })) {
    Fit fit = Fit::No;
    std::string found;
    for (const DeviceCode* const image : images) {
      fit = std::min(fit, fitOf(*image, *m_device));
      found += (found.empty() ? "" : ", ") + escaped(image->target);
    }
    if (fit == Fit::Runs) {
      met(Step::Kernels);
      continue;
    }
    Missing& item =
        add(Rule::PreImage, "image", m_device->name, Step::Kernels, {{"device", m_device->gfx}, {"found", found}});
    item.fix = "compile the library for " + m_device->gfx;
    item.ref = images.front()->ref;
    item.certain = fit == Fit::No;
    if (item.certain) continue;
    item.sentence =
        "the library has code for " + found + "; whether " + m_device->gfx + " runs it depends on its settings";
    item.fix = "add the settings to the name of the device: " + m_device->gfx + ":sramecc+:xnack-";
  }
  checkHostImages();
}

void Judge::checkKernels() {
  StepResult& step = at(Step::Kernels);
  checkLaunchTags();
  std::string kernels = m_needs.kernels.empty() ? std::string() : countText(m_needs.kernels.size(), "kernel");
  if (const std::string text = webGpuText(); !text.empty()) kernels += (kernels.empty() ? "" : "; ") + text;
  if (!m_device) {
    step.summary = kernels;
    return;
  }
  if (!hasCodeFor(m_needs, m_device->kind)) {
    if (m_device->kind == Device::Kind::Cuda && m_device->gpu) checkDriver(false);
    // A library for the processor alone needs no device.
    if (!m_needs.code.empty()) {
      Missing& item =
          add(Rule::PreImage, "image", m_device->name, Step::Kernels,
              {{"device", deviceText(*m_device)}, {"found", "code for " + escaped(m_needs.code.front().moduleKey)}});
      item.fix = "choose a device for which the library has code, or compile the library for this one";
      item.ref = m_needs.code.front().ref;
    }
    return;
  }
  if (m_device->kind == Device::Kind::Cuda && m_device->gpu) checkCuda();
  if (m_device->kind == Device::Kind::Rocm) checkGfx();
  checkLimits();
  if (m_device->kind != Device::Kind::Cuda && m_device->kind != Device::Kind::Rocm) checkFeatures();
  if (!kernels.empty()) kernels += "; ";
  step.summary = kernels + (step.summary.empty() ? deviceText(*m_device) : step.summary);
}

bool hasCodeFor(const requirements::Requirements& needs, Device::Kind kind) {
  return std::ranges::any_of(needs.code, [&](const DeviceCode& code) { return isForKind(code, kind); });
}

std::string_view runsName(GpuRow::Runs runs) {
  constexpr std::array<std::string_view, 3> kNames = {"natively", "compiled", "no"};
  return kNames[static_cast<std::size_t>(runs)];
}

std::vector<GpuChange> gpuChanges(const std::vector<DeviceCode>& before, const std::vector<DeviceCode>& after,
                                  const targets::FactsPtr& facts) {
  std::vector<GpuChange> out;
  const std::vector<GpuRow> old = gpuRows(before, facts), now = gpuRows(after, facts);
  for (std::size_t i = 0; i < std::min(old.size(), now.size()); ++i)
    if (old[i].runs != now[i].runs) out.push_back({old[i], now[i]});
  return out;
}

std::vector<GpuRow> gpuRows(const std::vector<DeviceCode>& code, const targets::FactsPtr& facts) {
  std::vector<GpuRow> out;
  const ImagesByRef images = imagesOf(code, isCudaImage);
  if (images.empty()) return out;
  for (const targets::GpuArchitecture& gpu : facts->gpus()) {
    GpuRow row{&gpu, GpuRow::Runs::Natively, std::nullopt, {}};
    Device device;
    device.gpu = &gpu;
    device.facts = facts;
    bool hostImages = false, hostRuns = false;
    for (const auto& [ref, alternatives] : images) {
      const CudaFit fit = bestFit(alternatives, device); // with the newest driver
      const bool runs = fit == CudaFit::Native || fit == CudaFit::Compiled;
      // Functions of the host code need only their own images.
      const bool host = alternatives.front()->image.has_value();
      hostImages = hostImages || host;
      hostRuns = hostRuns || (host && runs);
      if (fit == CudaFit::Compiled && row.runs == GpuRow::Runs::Natively) row.runs = GpuRow::Runs::Compiled;
      if (!runs && !host) row.runs = GpuRow::Runs::No;
      if (!runs && host) row.partly = true;
      if (const auto driver = oldestDriver(alternatives, gpu, *facts))
        row.driver = std::max(row.driver.value_or(0), *driver);
    }
    if (hostImages && !hostRuns) row.runs = GpuRow::Runs::No;
    if (row.runs == GpuRow::Runs::No) row.driver.reset();
    out.push_back(std::move(row));
  }
  return out;
}

} // namespace blobscope::preflight
