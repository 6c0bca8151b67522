#include "core/payloads/spirv/spirv.h"

#include "core/base/text.h"
#include "core/payloads/spirv/spirv_names.h"
#include "core/payloads/spirv/spirv_tools.h"
#include "core/payloads/spirv/words.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace blobscope::payloads {
namespace {

constexpr std::size_t kListed = 4'096;
constexpr std::size_t kText = 4'096;

enum : uint32_t { kModeLocalSize = 17, kModeLocalSizeId = 38 };
enum : uint32_t { kDecorationBuiltIn = 11, kDecorationBinding = 33, kDecorationDescriptorSet = 34 };
constexpr uint32_t kBuiltInWorkgroupSize = 25;
constexpr uint32_t kStorageWorkgroup = 4, kStorageFunction = 7;

/// Sizes of types; each is declared before its use.
class TypeSizes {
public:
  void visit(const SpirvInstruction& instruction) {
    const auto word = [&](uint64_t index) { return instruction.word(index); };
    switch (instruction.opcode()) {
    case kOpTypeBool: m_sizes[word(1)] = 4; break;
    case kOpTypeInt:
    case kOpTypeFloat: m_sizes[word(1)] = word(2) / 8; break;
    case kOpTypeVector:
    case kOpTypeMatrix: m_sizes[word(1)] = multiplySaturated(in(m_sizes, word(2)), word(3)); break;
    case kOpTypeArray: m_sizes[word(1)] = multiplySaturated(in(m_sizes, word(2)), in(m_constants, word(3))); break;
    case kOpTypeStruct: {
      uint64_t size = 0;
      for (uint64_t i = 2; i < instruction.size(); ++i) size = addSaturated(size, in(m_sizes, word(i)));
      m_sizes[word(1)] = size;
      break;
    }
    case kOpTypePointer: m_pointees[word(1)] = word(3); break;
    case kOpConstant:
    case kOpSpecConstant: m_constants[word(2)] = word(3); break;
    default: break;
    }
  }
  /// Of what the pointer type points to; zero for other types.
  uint64_t pointedTo(uint32_t type) const { return in(m_sizes, static_cast<uint32_t>(in(m_pointees, type))); }

private:
  using Numbers = std::unordered_map<uint32_t, uint64_t>;
  static uint64_t in(const Numbers& numbers, uint32_t id) {
    const auto found = numbers.find(id);
    return found == numbers.end() ? 0 : found->second;
  }
  Numbers m_sizes, m_pointees, m_constants;
};

/// State of the walk.
struct Walk {
  using Three = std::array<uint32_t, 3>;
  TypeSizes types;
  std::unordered_map<uint32_t, Three> sizes;   ///< function → LocalSize
  std::unordered_map<uint32_t, Three> sizeIds; ///< function → ids of LocalSizeId
  uint32_t workgroupSize = 0;                  ///< id of the constant with that built-in
  std::set<uint32_t> sets;
};

void note(const SpirvInstruction& instruction, SpirvModule& module, Walk& walk) {
  const auto word = [&](uint64_t index) { return instruction.word(index); };
  const auto text = [&](uint64_t index) { return shortened(instruction.text(index), kText); };
  const auto three = [&] { return Walk::Three{word(3), word(4), word(5)}; };
  switch (instruction.opcode()) {
  case kOpCapability:
    if (module.capabilities.size() < kListed) module.capabilities.push_back(word(1));
    break;
  case kOpExtension:
    if (module.extensions.size() < kListed) module.extensions.push_back(text(1));
    break;
  case kOpExtInstImport:
    if (module.instructionSets.size() < kListed) module.instructionSets.push_back(text(2));
    break;
  case kOpMemoryModel: module.memoryModel = {word(1), word(2)}; break;
  case kOpSource: {
    if (!module.source.empty()) break;
    module.source = spirvSourceName(word(1)) + " " + std::to_string(word(2));
    break;
  }
  case kOpEntryPoint: {
    if (module.entryPoints.size() >= kListed) break;
    const uint64_t nameWords = instruction.text(3).size() / 4 + 1;
    const uint64_t before = 3 + nameWords;
    module.entryPoints.push_back(
        {text(3), word(1), word(2), instruction.size() > before ? instruction.size() - before : 0, {}});
    break;
  }
  case kOpExecutionMode:
    if (word(2) == kModeLocalSize && walk.sizes.size() < kListed) walk.sizes[word(1)] = three();
    break;
  case kOpExecutionModeId:
    if (word(2) == kModeLocalSizeId && walk.sizeIds.size() < kListed) walk.sizeIds[word(1)] = three();
    break;
  case kOpDecorate:
    if (word(2) == kDecorationBinding) ++module.bindings;
    if (word(2) == kDecorationDescriptorSet && walk.sets.size() < kListed) walk.sets.insert(word(3));
    if (word(2) == kDecorationBuiltIn && word(3) == kBuiltInWorkgroupSize) walk.workgroupSize = word(1);
    break;
  case kOpVariable:
    if (word(3) != kStorageFunction && (module.variables.size() < kListed || module.variables.contains(word(3))))
      ++module.variables[word(3)];
    if (word(3) == kStorageWorkgroup)
      module.sharedBytes = addSaturated(module.sharedBytes, walk.types.pointedTo(word(1)));
    break;
  case kOpFunction: ++module.functions; break;
  default: walk.types.visit(instruction); break;
  }
}

/// The values of three constants, nothing when one is unknown.
std::optional<Walk::Three> valuesOf(std::string_view bytes, const Walk::Three& ids) {
  Walk::Three values{};
  std::array<bool, 3> known{};
  walkSpirv(bytes, [&](const SpirvInstruction& instruction) {
    if (instruction.opcode() != kOpConstant && instruction.opcode() != kOpSpecConstant) return;
    for (std::size_t i = 0; i < 3; ++i) {
      if (instruction.word(2) != ids[i]) continue;
      values[i] = instruction.word(3);
      known[i] = true;
    }
  });
  return known[0] && known[1] && known[2] ? std::optional(values) : std::nullopt;
}

void resolveSizes(std::string_view bytes, SpirvModule& module, const Walk& walk) {
  std::optional<Walk::Three> builtIn; // overrides the modes of all entry points
  if (walk.workgroupSize != 0) {
    std::optional<Walk::Three> parts;
    walkSpirv(bytes, [&](const SpirvInstruction& instruction) {
      const bool composite =
          instruction.opcode() == kOpConstantComposite || instruction.opcode() == kOpSpecConstantComposite;
      if (composite && instruction.word(2) == walk.workgroupSize)
        parts = {instruction.word(3), instruction.word(4), instruction.word(5)};
    });
    if (parts) builtIn = valuesOf(bytes, *parts);
  }
  unsigned walks = 0; // each reads the whole module
  for (SpirvModule::EntryPoint& entry : module.entryPoints) {
    if (builtIn) {
      entry.localSize = builtIn;
    } else if (const auto size = walk.sizes.find(entry.function); size != walk.sizes.end()) {
      entry.localSize = size->second;
    } else if (const auto ids = walk.sizeIds.find(entry.function); ids != walk.sizeIds.end() && ++walks <= 16) {
      entry.localSize = valuesOf(bytes, ids->second);
    }
  }
}

template <class T, class F> std::string listed(const std::vector<T>& items, F&& name) {
  std::string text;
  for (const T& item : items) {
    if (text.size() > kText) return text + ", …";
    text += (text.empty() ? "" : ", ") + name(item);
  }
  return text;
}

void spirvPages(const Bytes& bytes, view::PageList& list) {
  const auto module = std::make_shared<const SpirvModule>(readSpirv(bytes));
  const auto escape = [](const std::string& text) { return escapedWithin(text, kText); };
  const std::string_view tool = spirvGeneratorName(module->generator >> 16);
  std::vector<std::vector<std::string>> facts = {
      {"version", module->versionText()},
      {"generator", (tool.empty() ? "number " + std::to_string(module->generator >> 16) : std::string(tool)) +
                        ", version " + std::to_string(module->generator & 0xffff)},
      {"id bound", groupedText(module->bound)},
      {"instructions", groupedText(module->instructions)},
      {"capabilities", listed(module->capabilities, spirvCapabilityName)},
  };
  const auto add = [&](const char* label, std::string value) {
    if (!value.empty()) facts.push_back({label, std::move(value)});
  };
  add("extensions", listed(module->extensions, escape));
  add("instruction sets", listed(module->instructionSets, escape));
  if (module->memoryModel) {
    add("addressing model", spirvAddressingName((*module->memoryModel)[0]));
    add("memory model", spirvMemoryName((*module->memoryModel)[1]));
  }
  add("source language", module->source);
  add("functions", groupedText(module->functions));
  add("descriptor bindings", groupedText(module->bindings));
  add("descriptor sets", groupedText(module->descriptorSets));
  if (module->sharedBytes > 0) add("shared memory", sizeText(module->sharedBytes));
  std::size_t rows = 0;
  for (const auto& [storage, count] : module->variables)
    if (++rows <= 32) add("variables", spirvStorageName(storage) + ": " + groupedText(count));
  list.push_back(view::factsPage("SPIR-V", std::move(facts)));

  std::vector<std::vector<std::string>> entries;
  for (const SpirvModule::EntryPoint& entry : module->entryPoints) {
    std::string size;
    if (entry.localSize)
      for (const uint32_t extent : *entry.localSize) size += (size.empty() ? "" : " × ") + std::to_string(extent);
    entries.push_back({escape(entry.name), spirvModelName(entry.model), size, "%" + std::to_string(entry.function),
                       std::to_string(entry.variables)});
  }
  if (!entries.empty())
    list.push_back(view::tablePage(
        "Entry points", {{"name"}, {"execution model"}, {"local size"}, {"function"}, {"interface variables", true}},
        std::move(entries)));

  if (!module->damage.empty()) list.push_back({"Damage", view::NoticePage{module->damage}});
  if (!hasSpirvTools()) {
    list.push_back(
        {"Disassembly", view::NoticePage{"this program was built without SPIRV-Tools, which disassembles SPIR-V"}});
    list.push_back(
        {"Validation", view::NoticePage{"this program was built without SPIRV-Tools, which validates SPIR-V"}});
    return;
  }
  list.push_back({"Disassembly", view::DeferredPage{"text", [bytes, module](Monitor& monitor) -> Result<view::Page> {
                                                      return disassembledSpirv(bytes, *module, monitor);
                                                    }}});
  list.push_back({"Validation", view::DeferredPage{"table", [bytes, module](Monitor& monitor) -> Result<view::Page> {
                                                     return validatedSpirv(bytes, *module, monitor);
                                                   }}});
}

} // namespace

std::string SpirvModule::versionText() const {
  return std::to_string(version >> 16 & 0xff) + "." + std::to_string(version >> 8 & 0xff);
}

bool SpirvModule::hasCapability(uint32_t capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

SpirvModule readSpirv(const Bytes& bytes) {
  SpirvModule module;
  const std::string_view all = bytes.view();
  const auto header = [&](uint64_t index) { return container::numberAt<uint32_t>(all, index * 4); };
  module.version = header(1);
  module.generator = header(2);
  module.bound = header(3);
  if (all.size() < 20) {
    module.damage = "the module ends at " + hexText(all.size()) + ", inside its header of 20 bytes";
    return module;
  }
  if (header(0) != SpirvModule::kMagic) {
    module.damage = "the first word is " + hexText(header(0)) + ", not 0x7230203";
    return module;
  }
  Walk walk;
  const uint64_t end = walkSpirv(all, [&](const SpirvInstruction& instruction) {
    ++module.instructions;
    note(instruction, module, walk);
  });
  module.descriptorSets = walk.sets.size();
  resolveSizes(all, module, walk);
  if (end < all.size())
    module.damage = "the instruction at " + hexText(end) + " declares " +
                    countText(container::numberAt<uint32_t>(all, end) >> 16, "word") + ", but only " +
                    countText(all.size() - end, "byte") + (all.size() - end == 1 ? " is left" : " are left");
  return module;
}

const PayloadFormat kSpirv = {"spirv", spirvPages};

} // namespace blobscope::payloads
