#include "core/describe/devices_here.h"

#include "core/protocol/runner_process.h"
#include "core/run/devices.h"
#include "core/run/host_system.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

namespace blobscope::describe {
namespace {

std::string factOf(const protocol::DeviceFound& found, std::string_view name) {
  const auto fact = std::ranges::find(found.facts, name, &std::pair<std::string, std::string>::first);
  return fact == found.facts.end() ? std::string() : fact->second;
}

std::vector<std::string> splitAt(const std::string& list, char separator) {
  std::istringstream in(list);
  std::vector<std::string> out;
  for (std::string word; std::getline(in, word, separator);) {
    word.erase(0, word.find_first_not_of(' '));
    if (!word.empty()) out.push_back(word);
  }
  return out;
}

/// The limits that the driver states, in place of those of the tables.
void addLimits(const protocol::DeviceFound& found, targets::Device& device) {
  const std::pair<std::string_view, std::optional<uint64_t>*> kKnown[] = {
      {"shared bytes", &device.sharedBytes},
      {"threads", &device.threads},
      {"push constant bytes", &device.pushConstants},
      {"storage buffers", &device.storageBuffers}};
  for (const auto& [name, limit] : kKnown) {
    const auto stated = std::ranges::find(found.limits, name, &std::pair<std::string, uint64_t>::first);
    if (stated != found.limits.end() && stated->second > 0) *limit = stated->second;
  }
}

/// "linux" of "Linux".
std::string systemName() {
  std::string out(run::hostSystem());
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

} // namespace

targets::SystemPtr systemHere() {
  return std::make_shared<const targets::System>(
      targets::readSystem("/", systemName(), std::string(run::hostProcessor())));
}

targets::SystemPtr machineHere() {
  targets::System out;
  out.name = kThisMachine;
  out.os = systemName();
  out.cpu = run::hostProcessor();
  out.title = "this machine";
  out.here = true;
  return std::make_shared<const targets::System>(std::move(out));
}

std::string targetName(const protocol::DeviceFound& found) {
  if (found.kind == "cuda") {
    std::string capability = factOf(found, "compute capability"); // "9.0"
    std::erase(capability, '.');
    const std::string_view prefix = "CUDA ";
    if (capability.empty()) return {};
    return "sm_" + capability +
           (found.driver.starts_with(prefix) ? ",cuda=" + found.driver.substr(prefix.size()) : std::string());
  }
  if (found.kind == "vulkan") {
    const std::string version = factOf(found, "Vulkan"); // "1.3.230"
    const std::size_t dot = version.find('.');
    if (dot == std::string::npos) return {};
    std::string name = "vulkan:" + version.substr(0, version.find('.', dot + 1));
    for (const std::string& word : splitAt(factOf(found, "features"), ',')) {
      if (word.starts_with("shader") || word.starts_with("storageBuffer")) name += "," + word;
      if (word == "cooperativeMatrix (NV)") name += ",VK_NV_cooperative_matrix";
    }
    return name;
  }
  if (found.kind == "opencl") {
    std::string name = "opencl";
    for (const std::string& word : splitAt(factOf(found, "extensions"), ' '))
      if (word.starts_with("cl_khr_fp")) name += "," + word;
    return name;
  }
  return {};
}

Result<std::vector<targets::Device>> devicesHere(const targets::FactsPtr& facts, Monitor& monitor,
                                                 const std::vector<std::string>& backends) {
  BLOBSCOPE_TRY(runner, protocol::findRunner());
  BLOBSCOPE_TRY(list, run::computeDevices(runner, monitor, backends));
  std::vector<targets::Device> out;
  for (const protocol::DeviceFound& found : list.devices) {
    const std::string name = targetName(found);
    if (name.empty()) continue;
    // A GPU that the tables do not have yet.
    auto device = targets::parseDevice(facts, name);
    if (!device) continue;
    device->title = found.name;
    device->featuresKnown = true;
    addLimits(found, *device);
    out.push_back(std::move(*device));
  }
  if (out.empty())
    return Error(DiagnosticId::PreDevice, {arg("name", kThisMachine), {"why", "no device was found on this machine"}});
  return out;
}

} // namespace blobscope::describe
