#pragma once

#include "core/container/number_at.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace blobscope::payloads {

/// One instruction of a SPIR-V module: words of four bytes, the first of which contains opcode and length.
class SpirvInstruction {
public:
  SpirvInstruction(std::string_view bytes, uint64_t offset) : m_bytes(bytes), m_offset(offset) {}

  uint16_t opcode() const { return static_cast<uint16_t>(word(0)); }
  /// Number of words, including the first one.
  uint64_t size() const { return m_bytes.size() / 4; }
  /// Offset of its first byte.
  uint64_t offset() const { return m_offset; }
  /// The word at `index`; zero after the end.
  uint32_t word(uint64_t index) const { return container::numberAt<uint32_t>(m_bytes, index * 4); }
  /// The text that begins in that word and ends with a zero byte or with the instruction.
  std::string_view text(uint64_t index) const {
    if (index >= size()) return {};
    const std::string_view rest = m_bytes.substr(index * 4);
    return rest.substr(0, rest.find('\0'));
  }

private:
  std::string_view m_bytes;
  uint64_t m_offset;
};

/// Calls `visit` for each instruction after the header that is completely inside the words. Returns the offset where no
/// instruction can begin or end; the size of the bytes when all were visited.
template <class Visit> uint64_t walkSpirv(std::string_view bytes, Visit&& visit) {
  uint64_t at = 20;
  while (at + 4 <= bytes.size()) {
    const uint64_t size = uint64_t{container::numberAt<uint32_t>(bytes, at) >> 16} * 4;
    if (size == 0 || size > bytes.size() - at) return at;
    visit(SpirvInstruction(bytes.substr(at, size), at));
    at += size;
  }
  return at < bytes.size() ? at : bytes.size();
}

/// Opcodes that are interpreted. Source: SPIR-V Specification 1.6, 3.49 "Instructions".
enum SpirvOp : uint16_t {
  kOpSource = 3,
  kOpName = 5,
  kOpExtension = 10,
  kOpExtInstImport = 11,
  kOpMemoryModel = 14,
  kOpEntryPoint = 15,
  kOpExecutionMode = 16,
  kOpCapability = 17,
  kOpTypeBool = 20,
  kOpTypeInt = 21,
  kOpTypeFloat = 22,
  kOpTypeVector = 23,
  kOpTypeMatrix = 24,
  kOpTypeArray = 28,
  kOpTypeRuntimeArray = 29,
  kOpTypeStruct = 30,
  kOpTypeOpaque = 31,
  kOpTypePointer = 32,
  kOpConstant = 43,
  kOpConstantComposite = 44,
  kOpSpecConstant = 50,
  kOpSpecConstantComposite = 51,
  kOpFunction = 54,
  kOpVariable = 59,
  kOpDecorate = 71,
  kOpMemberDecorate = 72,
  kOpGroupDecorate = 74,
  kOpGroupMemberDecorate = 75,
  kOpLoopMerge = 246,
  kOpSelectionMerge = 247,
  kOpLabel = 248,
  kOpExecutionModeId = 331
};

} // namespace blobscope::payloads
