#include "core/mlf/memory_use.h"

#include "core/base/extent.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace blobscope::mlf {
namespace {

using json::Value;

constexpr std::string_view kWorkspace = "workspace_size_bytes", kInputs = "io_size_bytes",
                           kConstants = "constants_size_bytes";

uint64_t numberIn(const Value& object, std::string_view key) {
  const Value* const value = object.find(key);
  return value && value->type() == Value::Type::Unsigned ? value->number() : 0;
}

bool statesNumber(const Value& object, std::string_view key) {
  const Value* const value = object.find(key);
  return value && value->type() == Value::Type::Unsigned;
}

const Value* functionsOf(const Model& model, const ModelModule& module) {
  const Value* const memory = module.memory();
  return memory && model.version >= 2 && !module.isOperator ? memory->find("functions") : nullptr;
}

class BarsMaker {
public:
  BarsMaker(const Archive& archive, const library::Package& package) : m_archive(archive), m_package(package) {}

  view::BarsPage make() {
    for (const ModelModule& module : m_archive.model.modules) {
      if (m_archive.model.modules.size() > 1) m_of = " of " + escaped(module.name);
      if (module.isOperator)
        buffers(module);
      else
        devices(module);
    }
    return std::move(m_page);
  }

private:
  using Group = view::BarsPage::Group;
  using Bar = view::BarsPage::Bar;

  void devices(const ModelModule& module) {
    Group ram{"RAM" + m_of, "RAM", {}, {}}, rom{"ROM" + m_of, "ROM", {}, {}};
    uint64_t code = 0, data = 0;
    for (const File* const file : module.objects) {
      const ObjectMemory one = objectMemory(m_package, *file).value_or(ObjectMemory());
      code = addSaturated(code, one.code);
      data = addSaturated(data, addSaturated(one.data, one.zeroed));
    }
    bool first = true;
    for (const DeviceMemory& memory : mainMemory(m_archive.model, module)) {
      const std::string name = "main on " + deviceName(memory.device);
      Bar bar{name, {}, {{"workspace", memory.workspace}, {"inputs and outputs", memory.io}}};
      if (first && data > 0) bar.parts.push_back({"data of objects", data});
      ram.bars.push_back(std::move(bar));
      Bar stored{name, {}, {{"constants", memory.constants}}};
      if (first && code > 0) stored.parts.push_back({"code of objects", code});
      rom.bars.push_back(std::move(stored));
      first = false;
    }
    if (ram.bars.empty()) return;
    ram.note = "The workspace of main includes the largest workspace of its operator functions.";
    if (module.objects.empty())
      rom.note = "The size of C sources as code is not known before they are compiled.";
    else if (!module.sources.empty())
      rom.note = "C sources are not counted: their size as code is not known before they are compiled.";
    m_page.groups.push_back(std::move(ram));
    m_page.groups.push_back(std::move(rom));
    functions(module, "Workspace of operator functions" + m_of, {});
  }

  void buffers(const ModelModule& module) { functions(module, "Buffers of functions" + m_of, "RAM"); }

  void functions(const ModelModule& module, std::string title, std::string budget) {
    Group group{std::move(title), std::move(budget), {}, {}};
    std::vector<FunctionMemory> list = functionMemory(m_archive.model, module);
    std::stable_sort(list.begin(), list.end(),
                     [](const FunctionMemory& a, const FunctionMemory& b) { return a.bytes > b.bytes; });
    uint64_t without = 0;
    for (const FunctionMemory& one : list) {
      if (one.bytes == 0 || group.bars.size() == kListed) {
        ++without;
        continue;
      }
      group.bars.push_back(
          {escaped(one.name), one.device == 1 ? std::string() : deviceName(one.device), {{"workspace", one.bytes}}});
    }
    if (without > 0)
      group.note = groupedText(without) + (without == 1 ? " function needs" : " functions need") +
                   (group.bars.size() == kListed ? " less or nothing." : " nothing.");
    if (!list.empty()) m_page.groups.push_back(std::move(group));
  }

  static constexpr std::size_t kListed = 500;
  const Archive& m_archive;
  const library::Package& m_package;
  std::string m_of; ///< " of NAME" if there are several models
  view::BarsPage m_page;
};

} // namespace

std::vector<DeviceMemory> mainMemory(const Model& model, const ModelModule& module) {
  std::vector<DeviceMemory> out;
  const Value* const functions = functionsOf(model, module);
  const Value* const main = functions ? functions->find("main") : nullptr;
  if (!main) return out;
  for (const Value& entry : main->items())
    out.push_back({numberIn(entry, "device"), numberIn(entry, kWorkspace), numberIn(entry, kInputs),
                   numberIn(entry, kConstants), statesNumber(entry, kWorkspace) && statesNumber(entry, kInputs),
                   statesNumber(entry, kConstants)});
  return out;
}

std::vector<FunctionMemory> functionMemory(const Model& model, const ModelModule& module) {
  std::vector<FunctionMemory> out;
  if (module.isOperator) {
    if (const Value* const memory = module.memory())
      for (const auto& [name, buffers] : memory->members()) {
        FunctionMemory one{name, 1, 0};
        for (const Value& buffer : buffers.items())
          one.bytes += std::min(numberIn(buffer, "size_bytes"), UINT64_MAX - one.bytes);
        out.push_back(one);
      }
    return out;
  }
  const Value* const functions = functionsOf(model, module);
  const Value* const list = functions ? functions->find("operator_functions") : nullptr;
  if (!list) return out;
  for (const Value& entry : list->items()) {
    const Value *const name = entry.find("function_name"), *const workspace = entry.find("workspace");
    if (!name || !name->isString()) continue;
    if (!workspace || workspace->items().empty()) out.push_back({name->text(), 1, 0});
    for (const Value& one : workspace ? workspace->items() : Value::Array())
      out.push_back({name->text(), numberIn(one, "device"), numberIn(one, "workspace_size_bytes")});
  }
  return out;
}

std::optional<ObjectMemory> objectMemory(const library::Package& package, const File& file) {
  const library::PackageMember* const member = findMember(package, file.stored);
  if (!member || !member->package || member->package->image.kind != container::Kind::Object) return std::nullopt;
  ObjectMemory memory;
  memory.processor = member->package->image.arch;
  for (const container::Section& section : member->package->image.sections) {
    if (!section.allocated) continue;
    uint64_t& bytes = !section.writable ? memory.code : section.file.size > 0 ? memory.data : memory.zeroed;
    bytes = addSaturated(bytes, section.size);
  }
  return memory;
}

std::string deviceName(uint64_t device) {
  // Source: DLPack v0.8 include/dlpack/dlpack.h, DLDeviceType; TVM v0.12 include/tvm/runtime/c_runtime_api.h.
  constexpr std::array<std::string_view, 17> kNames = {
      "",    "CPU",  "CUDA",      "CUDA host",        "OpenCL",       "AOCL",   "",       "Vulkan", "Metal",
      "VPI", "ROCm", "ROCm host", "extension device", "CUDA managed", "oneAPI", "WebGPU", "Hexagon"};
  if (device < kNames.size() && !kNames[device].empty()) return std::string(kNames[device]);
  return "device type " + std::to_string(device);
}

view::BarsPage memoryBars(const Archive& archive, const library::Package& package) {
  return BarsMaker(archive, package).make();
}

} // namespace blobscope::mlf
