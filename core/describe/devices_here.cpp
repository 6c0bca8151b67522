#include "core/describe/devices_here.h"

#include "core/protocol/runner_process.h"
#include "core/run/devices.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace blobscope::describe {
namespace {

std::string factOf(const protocol::DeviceFound& found, std::string_view name) {
  const auto fact = std::ranges::find(found.facts, name, &std::pair<std::string, std::string>::first);
  return fact == found.facts.end() ? std::string() : fact->second;
}

/// The words of a list that is separated by spaces or commas.
std::vector<std::string> wordsOf(std::string list) {
  std::ranges::replace(list, ',', ' ');
  std::istringstream in(list);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

} // namespace

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
    for (const std::string& word : wordsOf(factOf(found, "features")))
      if (word.starts_with("shader") || word.starts_with("storageBuffer")) name += "," + word;
    return name;
  }
  if (found.kind == "opencl") {
    std::string name = "opencl";
    for (const std::string& word : wordsOf(factOf(found, "extensions")))
      if (word.starts_with("cl_khr_fp")) name += "," + word;
    return name;
  }
  return {};
}

Result<std::vector<targets::Device>> devicesHere(const targets::FactsPtr& facts, Monitor& monitor) {
  BLOBSCOPE_TRY(runner, protocol::findRunner());
  BLOBSCOPE_TRY(list, run::computeDevices(runner, monitor));
  std::vector<targets::Device> out;
  for (const protocol::DeviceFound& found : list.devices) {
    const std::string name = targetName(found);
    if (name.empty()) continue;
    // A GPU that the tables do not have yet.
    auto device = targets::parseDevice(facts, name);
    if (!device) continue;
    device->title = found.name;
    out.push_back(std::move(*device));
  }
  if (out.empty())
    return Error(DiagnosticId::PreDevice, {arg("name", kThisMachine), {"why", "no device was found on this machine"}});
  return out;
}

} // namespace blobscope::describe
