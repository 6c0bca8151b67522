#include "core/mlf/board_use.h"

#include "core/base/extent.h"
#include "core/base/text.h"
#include "core/mlf/memory_use.h"
#include "core/mlf/target.h"

#include <algorithm>
#include <bit>

namespace blobscope::mlf {
namespace {

/// Source: apache/tvm 1496c7d0c842 include/tvm/runtime/crt/stack_allocator.h, TVM_RUNTIME_ALLOC_ALIGNMENT_BYTES;
/// d81e8809b81b src/relay/backend/aot_executor_codegen.cc, "workspace-byte-alignment".
constexpr uint64_t kDefaultAlignment = 16;
constexpr std::string_view kLinkedLookup = "_lookup_linked_param";

uint64_t sumOf(const std::vector<BoardUse::Part>& parts) {
  uint64_t sum = 0;
  for (const BoardUse::Part& part : parts) sum = addSaturated(sum, part.bytes);
  return sum;
}

uint64_t roundedUp(uint64_t bytes, uint64_t alignment) {
  const uint64_t over = bytes % alignment;
  return over == 0 ? bytes : addSaturated(bytes, alignment - over);
}

/// The code has the parameters, so that their file is not loaded: rule MLF-625.
bool linksParameters(const ModuleFacts& module) {
  return std::ranges::any_of(module.code, [](const CodeFile* code) {
    return (code->source && code->source->defines(kLinkedLookup)) ||
           (code->object && code->object->defines(kLinkedLookup));
  });
}

class BoardUseMaker {
public:
  BoardUseMaker(const Archive& archive, const library::Package& package, std::optional<uint64_t> alignment)
      : m_archive(archive), m_package(package) {
    chooseAlignment(alignment);
  }

  BoardUse make() {
    m_use.ramKnown = m_use.flashKnown = !m_archive.model.modules.empty();
    m_use.models = m_archive.model.modules.size();
    for (const ModelModule& module : m_archive.model.modules) {
      m_use.sources += module.sources.size();
      module.isOperator ? addBuffers(module) : addMain(module);
      addObjects(module);
    }
    return std::move(m_use);
  }

private:
  using Parts = std::vector<BoardUse::Part>;

  static void add(Parts& parts, std::string_view name, std::string_view source, uint64_t bytes) {
    if (bytes == 0) return;
    const auto known = std::ranges::find(parts, name, &BoardUse::Part::name);
    if (known != parts.end())
      known->bytes = addSaturated(known->bytes, bytes);
    else
      parts.push_back({std::string(name), std::string(source), bytes});
  }

  void chooseAlignment(std::optional<uint64_t> chosen) {
    m_use.alignment = kDefaultAlignment;
    m_use.alignmentSource = "TVM's default";
    for (const ModelModule& module : m_archive.model.modules)
      for (const std::string& text : module.targets) {
        const Target target = parseTarget(text);
        const std::string* const value = target.find("workspace-byte-alignment");
        const auto number = value ? parseNumber(*value) : std::nullopt;
        if (!number || !isAlignment(*number)) continue;
        m_use.alignment = *number;
        m_use.alignmentSource = "target";
      }
    if (!chosen) return;
    m_use.alignment = *chosen;
    m_use.alignmentSource = "chosen";
  }

  void addMain(const ModelModule& module) {
    const std::vector<DeviceMemory> devices = mainMemory(m_archive.model, module);
    if (devices.empty()) m_use.ramKnown = m_use.flashKnown = false;
    uint64_t constants = 0;
    for (const DeviceMemory& memory : devices) {
      m_use.ramKnown = m_use.ramKnown && memory.statesRam;
      m_use.flashKnown = m_use.flashKnown && memory.statesConstants;
      add(m_use.ram, "workspace", "metadata.json", memory.workspace);
      const uint64_t rounded = roundedUp(memory.workspace, m_use.alignment);
      add(m_use.ram, "alignment of workspaces", "rounding", rounded - memory.workspace);
      add(m_use.ram, "inputs and outputs", "metadata.json", memory.io);
      constants = addSaturated(constants, memory.constants);
    }
    addConstants(module, constants);
  }

  /// The graph executor copies its parameters into RAM: apache/tvm src/runtime/crt/graph_executor/graph_executor.c,
  /// TVMGraphExecutor_LoadParams(). Else the code has them as constants.
  void addConstants(const ModelModule& module, uint64_t constants) {
    const auto facts = std::ranges::find(m_archive.facts.modules, &module, &ModuleFacts::module);
    const bool known = facts != m_archive.facts.modules.end();
    if (module.executor == Executor::Graph) {
      if (module.graph) add(m_use.flash, "graph", "graph file", module.graph->bytes.size());
      if (known && facts->parameters && !facts->parameters->list.empty() && !linksParameters(*facts)) {
        add(m_use.flash, "parameters", "parameter file", module.parameters->bytes.size());
        uint64_t tensors = 0;
        for (const Parameter& one : facts->parameters->list) tensors = addSaturated(tensors, one.dataBytes);
        add(m_use.ram, "parameters", "parameter file", tensors);
        m_use.flashKnown = m_use.flashKnown && facts->parameters->whole;
        m_use.ramKnown = m_use.ramKnown && facts->parameters->whole;
        return;
      }
    }
    uint64_t code = 0;
    for (const File* const file : module.objects)
      code = addSaturated(code, objectMemory(m_package, *file).value_or(ObjectMemory()).code);
    if (code < constants)
      add(m_use.flash, "constants", "metadata.json", constants);
    else if (constants > 0)
      m_use.constantsInObjects = true;
  }

  /// One operator is called at a time.
  void addBuffers(const ModelModule& module) {
    const std::vector<FunctionMemory> functions = functionMemory(m_archive.model, module);
    if (functions.empty()) m_use.ramKnown = false;
    uint64_t most = 0;
    for (const FunctionMemory& one : functions) most = std::max(most, one.bytes);
    add(m_use.ram, "buffers of the largest operator", "metadata.json", most);
  }

  void addObjects(const ModelModule& module) {
    for (const File* const file : module.objects) {
      const std::optional<ObjectMemory> memory = objectMemory(m_package, *file);
      if (!memory) {
        m_use.flashKnown = m_use.ramKnown = false;
        continue;
      }
      if (!memory->processor.empty() &&
          std::ranges::find(m_use.processors, memory->processor) == m_use.processors.end())
        m_use.processors.push_back(memory->processor);
      add(m_use.ram, "data of objects", "objects", addSaturated(memory->data, memory->zeroed));
      add(m_use.flash, "code and constants of objects", "objects", memory->code);
      add(m_use.flash, "first values of data", "objects", memory->data);
    }
  }

  const Archive& m_archive;
  const library::Package& m_package;
  BoardUse m_use;
};

} // namespace

uint64_t BoardUse::ramBytes() const { return sumOf(ram); }
uint64_t BoardUse::flashBytes() const { return sumOf(flash); }

bool isAlignment(uint64_t bytes) { return std::has_single_bit(bytes) && bytes <= kMostAlignment; }

BoardUse boardUse(const Archive& archive, const library::Package& package, std::optional<uint64_t> alignment) {
  return BoardUseMaker(archive, package, alignment).make();
}

Fit fitOf(uint64_t bytes, bool known, std::optional<uint64_t> limit) {
  if (!limit) return Fit::Unknown;
  if (bytes > *limit) return Fit::TooLarge;
  return known ? Fit::Fits : Fit::Unknown;
}

} // namespace blobscope::mlf
