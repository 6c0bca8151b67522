#include "core/payloads/spirv/spirv_cost.h"

#include "core/base/text.h"
#include "core/payloads/spirv/words.h"

#include <algorithm>

namespace blobscope::payloads {
namespace {

constexpr uint64_t kNameBytes = uint64_t{64} << 20;
constexpr uint64_t kTypeParts = 16'777'216;
constexpr uint64_t kPairs = 4'194'304;
constexpr uint64_t kBlockPairs = uint64_t{16'384} * 16'384;
constexpr uint64_t kDepthSquares = 10'000'000; // 250 nested merges

/// A number per id; ids outside the bound have none.
class PerId {
public:
  explicit PerId(uint32_t bound) : m_values(bound, 0) {}
  uint64_t at(uint32_t id) const { return id < m_values.size() ? m_values[id] : 0; }
  void raise(uint32_t id, uint64_t value) {
    if (id < m_values.size()) m_values[id] = std::max(m_values[id], value);
  }

private:
  std::vector<uint64_t> m_values;
};

/// Sum over all operands; stops growing above `limit`.
uint64_t sumOfUses(std::string_view bytes, const PerId& values, uint64_t limit) {
  uint64_t sum = 0;
  walkSpirv(bytes, [&](const SpirvInstruction& instruction) {
    for (uint64_t i = 1; i < instruction.size() && sum <= limit; ++i) sum += values.at(instruction.word(i));
  });
  return sum;
}

/// Counts the parts of all types, each as often as it is visited when a use of the type is expanded.
bool typesFit(std::string_view bytes, uint32_t bound) {
  PerId parts(bound);
  walkSpirv(bytes, [&](const SpirvInstruction& instruction) {
    uint64_t count = 1;
    switch (instruction.opcode()) {
    case kOpTypeVector:
    case kOpTypeMatrix:
    case kOpTypeArray:
    case kOpTypeRuntimeArray: count += parts.at(instruction.word(2)); break;
    case kOpTypePointer: count += parts.at(instruction.word(3)); break;
    case kOpTypeStruct:
      for (uint64_t i = 2; i < instruction.size() && count <= kTypeParts; ++i) count += parts.at(instruction.word(i));
      break;
    default: return;
    }
    parts.raise(instruction.word(1), std::min(count, kTypeParts + 1));
  });
  return sumOfUses(bytes, parts, kTypeParts) <= kTypeParts;
}

} // namespace

bool spirvNamesFit(const Bytes& bytes, uint32_t bound) {
  PerId lengths(bound);
  uint64_t names = 0;
  walkSpirv(bytes.view(), [&](const SpirvInstruction& instruction) {
    if (names > kNameBytes) return;
    uint32_t id = instruction.word(1);
    uint64_t length = 40; // of the words around the names of parts
    switch (instruction.opcode()) {
    case kOpName: length = instruction.text(2).size(); break;
    case kOpTypeOpaque: length += instruction.text(2).size(); break;
    case kOpTypeVector:
    case kOpTypeMatrix:
    case kOpTypeRuntimeArray: length += lengths.at(instruction.word(2)); break;
    case kOpTypeArray: length += lengths.at(instruction.word(2)) + lengths.at(instruction.word(3)); break;
    case kOpTypePointer: length += lengths.at(instruction.word(3)); break;
    case kOpConstant:
    case kOpSpecConstant:
      id = instruction.word(2);
      length += lengths.at(instruction.word(1));
      break;
    default: return;
    }
    names += length;
    lengths.raise(id, length);
  });
  return names <= kNameBytes && sumOfUses(bytes.view(), lengths, kNameBytes) <= kNameBytes;
}

std::string validationObstacle(const Bytes& bytes, const SpirvModule& module) {
  if (!typesFit(bytes.view(), module.bound)) return "its types are nested too often to be validated";
  uint64_t decorations = 1, targets = 0, entryPoints = 0, blocks = 0, blockPairs = 0, depthSquares = 0;
  std::vector<uint32_t> merges; // labels at which the open constructs end
  const auto endFunction = [&] {
    blockPairs += blocks * blocks; // of at most 2 M blocks
    blocks = 0;
    merges.clear();
  };
  walkSpirv(bytes.view(), [&](const SpirvInstruction& instruction) {
    switch (instruction.opcode()) {
    case kOpEntryPoint: ++entryPoints; break;
    case kOpDecorate:
    case kOpMemberDecorate: ++decorations; break;
    case kOpGroupDecorate:
    case kOpGroupMemberDecorate: targets += instruction.size(); break;
    case kOpFunction: endFunction(); break;
    case kOpLoopMerge:
    case kOpSelectionMerge: merges.push_back(instruction.word(1)); break;
    case kOpLabel:
      ++blocks;
      while (!merges.empty() && merges.back() == instruction.word(1)) merges.pop_back();
      if (depthSquares <= kDepthSquares) depthSquares += merges.size() * merges.size();
      break;
    default: break;
    }
  });
  endFunction();
  if (targets * decorations > kPairs) // both below 4 M
    return groupedText(decorations) + " decorations and " + groupedText(targets) +
           " members of groups are too many to be validated";
  if (entryPoints * module.functions > kPairs)
    return groupedText(entryPoints) + " entry points and " + groupedText(module.functions) +
           " functions are too many to be validated";
  if (blockPairs > kBlockPairs) return "its functions have too many blocks to be validated";
  if (depthSquares > kDepthSquares) return "its merges are nested too deep to be validated";
  return {};
}

} // namespace blobscope::payloads
