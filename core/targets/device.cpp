#include "core/targets/device.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace blobscope::targets {
namespace {

std::optional<uint32_t> wholeNumber(std::string_view text) {
  uint32_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || text.size() > 9 || read.ec != std::errc() || read.ptr != text.data() + text.size())
    return std::nullopt;
  return out;
}

/// "580" and "580.65.06".
std::optional<uint32_t> driverBranch(std::string_view text) {
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  return wholeNumber(text.substr(0, text.find('.')));
}

/// A target of CUDA: "sm_90a".
struct CudaTarget {
  uint32_t sm = 0;
  char suffix = 0; ///< 'a', 'f' or 0
};

std::optional<CudaTarget> cudaTarget(std::string_view text) {
  for (const std::string_view prefix : {"sm_", "compute_", "lto_"})
    if (text.starts_with(prefix)) {
      text.remove_prefix(prefix.size());
      CudaTarget out;
      if (text.ends_with('a') || text.ends_with('f')) {
        out.suffix = text.back();
        text.remove_suffix(1);
      }
      const auto number = wholeNumber(text);
      if (!number || *number < 10) return std::nullopt;
      out.sm = *number == 101 ? 110 : *number; // its name before CUDA 13
      return out;
    }
  return std::nullopt;
}

/// Whether the GPU can run the image, whatever its driver.
bool architectureRuns(const CudaImage& image, const CudaTarget& target, const GpuArchitecture& gpu,
                      const Facts* facts) {
  if (target.suffix == 'a') return gpu.sm == target.sm;
  const bool sameMajor = gpu.sm / 10 == target.sm / 10 && gpu.sm >= target.sm;
  // A family has GPUs of one major number. Source: ptxas of CUDA 13.0.
  if (target.suffix == 'f') return !gpu.family.empty() && sameMajor;
  if (image.ptx) return gpu.sm >= target.sm;
  const GpuArchitecture* const built = facts ? facts->findGpu("sm_" + std::to_string(target.sm)) : nullptr;
  // Source: nvlink of CUDA 13.0, which links for an architecture what it runs.
  if (gpu.tegra || (built && built->tegra)) return gpu.sm == target.sm;
  return sameMajor;
}

uint32_t ptxOf(const CudaImage& image, const Facts& facts) {
  return image.ptxVersion > 0 ? image.ptxVersion : facts.oldestPtx(image.target).value_or(0);
}

/// The newest PTX version for drivers of that branch.
std::optional<uint32_t> ptxOfDriver(const Facts& facts, uint32_t driver) {
  std::optional<uint32_t> out;
  for (const CudaRelease& release : facts.cudaReleases())
    if (release.driver <= driver) out = release.ptx;
  return out;
}

class DeviceParser {
public:
  DeviceParser(const FactsPtr& facts, std::string_view text) : m_facts(facts), m_text(text) {}
  Result<Device> parse();

private:
  Error fail(const std::string& why) const {
    return Error(DiagnosticId::PreDevice, {arg("name", m_text), {"why", why}});
  }
  Result<Done> parseName(std::string_view name);
  Result<Done> parseVulkan(std::string_view version);
  Result<Done> addOption(std::string_view option);
  Result<Done> addCudaOption(std::string_view name, std::string_view value);
  void addTitle();

  const FactsPtr& m_facts;
  std::string_view m_text;
  Device m_device;
  std::string m_version; ///< of Vulkan
};

Result<Done> DeviceParser::parseVulkan(std::string_view version) {
  m_device.kind = Device::Kind::Vulkan;
  // What every device of that version has. Source: Vulkan 1.4 specification, "Required Limits"; the SPIR-V version is
  // the one that TVM reckons with.
  constexpr std::array<std::pair<std::string_view, uint32_t>, 5> kVersions = {
      {{"1.0", 0x00010000}, {"1.1", 0x00010300}, {"1.2", 0x00010500}, {"1.3", 0x00010500}, {"1.4", 0x00010500}}};
  if (version.empty()) return Done{};
  const auto found = std::ranges::find(kVersions, version, &std::pair<std::string_view, uint32_t>::first);
  if (found == kVersions.end()) return fail("the versions of Vulkan are 1.0 to 1.4");
  m_device.spirv = found->second;
  m_version = version;
  if (version != "1.0") m_device.features.emplace_back("subgroups");
  return Done{};
}

Result<Done> DeviceParser::parseName(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  const std::string_view version = colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
  if (kind == "vulkan") return parseVulkan(version);
  if (kind.starts_with("gfx")) {
    const std::string_view number = kind.substr(3);
    if (number.size() < 3 || number.size() > 5 ||
        number.find_first_not_of("0123456789abcdef") != std::string_view::npos)
      return fail("names of AMD GPUs look like gfx90a and gfx1100");
    m_device.kind = Device::Kind::Rocm;
    m_device.gfx = kind;
    for (std::string_view rest = name.substr(kind.size()); !rest.empty();) {
      const std::size_t end = std::min(rest.find(':', 1), rest.size());
      const std::string_view feature = rest.substr(1, end - 1);
      if (feature != "xnack+" && feature != "xnack-" && feature != "sramecc+" && feature != "sramecc-")
        return fail("the settings of AMD GPUs are xnack+, xnack-, sramecc+ and sramecc-");
      m_device.gfxFeatures.emplace_back(feature);
      rest.remove_prefix(end);
    }
    return Done{};
  }
  if (colon == std::string_view::npos) {
    constexpr std::array<std::pair<std::string_view, Device::Kind>, 3> kKinds = {
        {{"opencl", Device::Kind::OpenCl}, {"metal", Device::Kind::Metal}, {"webgpu", Device::Kind::WebGpu}}};
    for (const auto& [word, value] : kKinds)
      if (word == name) {
        m_device.kind = value;
        return Done{};
      }
    m_device.gpu = m_facts->findGpu(name);
    if (m_device.gpu) return Done{};
  }
  std::string known;
  for (const GpuArchitecture& gpu : m_facts->gpus()) known += gpu.name + ", ";
  return fail("devices are " + known + "gfx… such as gfx1100, vulkan, opencl, metal, webgpu");
}

Result<Done> DeviceParser::addCudaOption(std::string_view name, std::string_view value) {
  if (name == "driver") {
    m_device.driver = driverBranch(value);
    if (!m_device.driver) return fail("'" + escaped(value) + "' is not a version of the driver, such as 580");
    m_device.ptx = ptxOfDriver(*m_facts, *m_device.driver);
    if (!m_device.ptx)
      return fail("the oldest driver in the tables is " + std::to_string(m_facts->cudaReleases().front().driver));
    return Done{};
  }
  const auto& releases = m_facts->cudaReleases();
  const auto found = std::ranges::find(releases, value, &CudaRelease::version);
  if (found == releases.end())
    return fail("'" + escaped(value) + "' is not a version of CUDA; they are " + releases.front().version + " to " +
                releases.back().version);
  m_device.driver = found->driver;
  m_device.ptx = found->ptx;
  return Done{};
}

Result<Done> DeviceParser::addOption(std::string_view option) {
  const std::size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? std::string_view() : option.substr(equals + 1);
  if (name.empty()) return fail("an option after ',' is empty");
  if (name == "driver" || name == "cuda") {
    if (m_device.kind != Device::Kind::Cuda)
      return fail("only NVIDIA GPUs have the option '" + std::string(name) + "'");
    return addCudaOption(name, value);
  }
  if (equals != std::string_view::npos)
    return fail("'" + escaped(name) + "' is not an option; they are driver=580, cuda=12.4 and names of features");
  if (m_device.kind == Device::Kind::Cuda || m_device.kind == Device::Kind::Rocm)
    return fail("'" + escaped(option) + "' is not an option of this device");
  m_device.features.emplace_back(option);
  return Done{};
}

void DeviceParser::addTitle() {
  using Kind = Device::Kind;
  switch (m_device.kind) {
  case Kind::Cuda:
    m_device.title = m_device.gpu->name;
    if (!m_device.gpu->example.empty()) m_device.title += " · " + m_device.gpu->example;
    if (m_device.driver) m_device.title += " · driver " + std::to_string(*m_device.driver);
    if (m_device.gpu->sharedPerBlock > 0) m_device.sharedBytes = m_device.gpu->sharedPerBlock;
    m_device.threads = m_device.gpu->maxThreads;
    return;
  case Kind::Rocm:
    m_device.title = m_device.gfx + " · AMD GPU";
    for (const std::string& feature : m_device.gfxFeatures) m_device.title += " · " + feature;
    m_device.threads = 1024; // Source: AMD, HIP documentation, "Hardware features": work-items of a work-group
    return;
  case Kind::Vulkan: m_device.title = m_version.empty() ? "Vulkan" : "Vulkan " + m_version; break;
  case Kind::OpenCl: m_device.title = "OpenCL"; break;
  case Kind::Metal: m_device.title = "Metal"; break;
  case Kind::WebGpu:
    m_device.title = "WebGPU";
    // What the web runtime asks the browser for, and gets or fails. Source: apache/tvm v0.18.0 – v0.26.0
    // web/src/webgpu.ts, detectGPUDevice.
    m_device.storageBuffers = 10;
    m_device.sharedBytes = 32 * 1024;
    break;
  }
  for (const std::string& feature : m_device.features)
    if (feature != "subgroups" || m_device.kind != Kind::Vulkan) m_device.title += " · " + escaped(feature);
}

Result<Device> DeviceParser::parse() {
  m_device.facts = m_facts;
  m_device.name = m_text;
  std::size_t comma = m_text.find(',');
  BLOBSCOPE_CHECK(parseName(m_text.substr(0, comma)));
  while (comma != std::string_view::npos) {
    const std::size_t begin = comma + 1;
    comma = m_text.find(',', begin);
    BLOBSCOPE_CHECK(addOption(m_text.substr(begin, comma == std::string_view::npos ? comma : comma - begin)));
  }
  addTitle();
  return std::move(m_device);
}

} // namespace

Result<Device> parseDevice(const FactsPtr& facts, std::string_view text) { return DeviceParser(facts, text).parse(); }

bool isInGenericGfx(std::string_view gfx, std::string_view generic) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 33> kMembers = {{
      {"gfx9-generic", "gfx900"},     {"gfx9-generic", "gfx902"},     {"gfx9-generic", "gfx904"},
      {"gfx9-generic", "gfx906"},     {"gfx9-generic", "gfx909"},     {"gfx9-generic", "gfx90c"},
      {"gfx9-4-generic", "gfx940"},   {"gfx9-4-generic", "gfx941"},   {"gfx9-4-generic", "gfx942"},
      {"gfx9-4-generic", "gfx950"},   {"gfx10-1-generic", "gfx1010"}, {"gfx10-1-generic", "gfx1011"},
      {"gfx10-1-generic", "gfx1012"}, {"gfx10-1-generic", "gfx1013"}, {"gfx10-3-generic", "gfx1030"},
      {"gfx10-3-generic", "gfx1031"}, {"gfx10-3-generic", "gfx1032"}, {"gfx10-3-generic", "gfx1033"},
      {"gfx10-3-generic", "gfx1034"}, {"gfx10-3-generic", "gfx1035"}, {"gfx10-3-generic", "gfx1036"},
      {"gfx11-generic", "gfx1100"},   {"gfx11-generic", "gfx1101"},   {"gfx11-generic", "gfx1102"},
      {"gfx11-generic", "gfx1103"},   {"gfx11-generic", "gfx1150"},   {"gfx11-generic", "gfx1151"},
      {"gfx11-generic", "gfx1152"},   {"gfx11-generic", "gfx1153"},   {"gfx12-generic", "gfx1200"},
      {"gfx12-generic", "gfx1201"},   {"gfx12-5-generic", "gfx1250"}, {"gfx12-5-generic", "gfx1251"},
  }};
  return std::ranges::find(kMembers, std::pair(generic, gfx)) != kMembers.end();
}

CudaFit cudaFit(const CudaImage& image, const Device& device) {
  const auto target = cudaTarget(image.target);
  if (!device.gpu || !target || !architectureRuns(image, *target, *device.gpu, device.facts.get())) return CudaFit::No;
  if (device.driver && *device.driver < device.gpu->minDriver) return CudaFit::DriverTooOld;
  if (!image.ptx) return CudaFit::Native;
  // Drivers that are newer than the tables compile newer PTX, too.
  const bool beyond = device.facts && device.driver && *device.driver > device.facts->cudaReleases().back().driver;
  const bool fits = !device.ptx || beyond || !device.facts || ptxOf(image, *device.facts) <= *device.ptx;
  return fits ? CudaFit::Compiled : CudaFit::DriverTooOld;
}

std::optional<uint32_t> minimumDriver(const CudaImage& image, const GpuArchitecture& gpu, const Facts& facts) {
  const auto target = cudaTarget(image.target);
  if (!target || !architectureRuns(image, *target, gpu, &facts)) return std::nullopt;
  if (!image.ptx) return gpu.minDriver;
  const uint32_t ptx = ptxOf(image, facts);
  for (const CudaRelease& release : facts.cudaReleases())
    if (release.ptx >= ptx) return std::max(release.driver, gpu.minDriver);
  return std::nullopt;
}

} // namespace blobscope::targets
