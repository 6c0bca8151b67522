#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/host/signature.h"
#include "core/modules/vm_executable/relay.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

/// Parts of the translation of a Relay VM. Only for core/program.
namespace blobscope::program::relay {

/// Source: apache/tvm v0.18.0 include/tvm/runtime/vm/bytecode.h, enum class Opcode.
enum Opcode : int64_t {
  kMove = 0,
  kRet = 1,
  kInvoke = 2,
  kInvokeClosure = 3,
  kInvokePacked = 4,
  kAllocTensor = 5,
  kAllocTensorReg = 6,
  kAllocADT = 7,
  kAllocClosure = 8,
  kGetField = 9,
  kIf = 10,
  kLoadConst = 11,
  kGoto = 12,
  kGetTag = 13,
  kLoadConsti = 14,
  kFatal = 15,
  kAllocStorage = 16,
  kShapeOf = 17,
  kReshapeTensor = 18,
  kDeviceCopy = 19,
  kKillRegister = 20
};

/// Word `index` of a list; 0 after its end.
inline int64_t wordAt(const Bytes& words, uint64_t index) {
  int64_t word = 0;
  if (index < words.size() / 8) std::memcpy(&word, words.data() + 8 * index, sizeof word);
  return word;
}

/// An instruction without its hash.
class Instruction {
public:
  explicit Instruction(const Bytes& words) : m_words(words) {}

  int64_t opcode() const { return wordAt(m_words, 1); }
  int64_t field(uint64_t index) const { return wordAt(m_words, 2 + index); }
  /// The fields from `first` to the last one.
  std::vector<int64_t> fieldsFrom(uint64_t first) const {
    std::vector<int64_t> out;
    for (uint64_t i = first + 2; i < m_words.size() / 8; ++i) out.push_back(wordAt(m_words, i));
    return out;
  }
  /// In words, with hash and opcode.
  uint64_t size() const { return m_words.size() / 8; }

  /// The register that it writes; nothing when it writes none. KillRegister is not a write: nothing reads the register
  /// after it.
  std::optional<int64_t> result(int generation) const {
    switch (opcode()) {
    case kMove:
    case kLoadConsti:
    case kGetTag:
    case kShapeOf: return field(1);
    case kInvoke:
    case kInvokeClosure:
    case kAllocADT:
    case kAllocClosure:
    case kGetField:
    case kReshapeTensor: return field(2);
    case kDeviceCopy: return field(3);
    case kAllocTensor:
    case kAllocTensorReg: return field(6);
    case kLoadConst: return field(generation >= 4 ? 2 : 1);
    case kAllocStorage: return field(generation >= 4 ? 7 : 6);
    default: return std::nullopt;
    }
  }

private:
  const Bytes& m_words;
};

/// Looks at the monitor every 4,096 items.
class Poll {
public:
  explicit Poll(Monitor& monitor) : m_monitor(monitor) {}

  /// `items`: how many were done since the last call. Error: only Cancelled.
  Result<Done> step(uint64_t items) {
    m_items += items;
    if (m_items < 4'096) return Done{};
    m_items = 0;
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    m_monitor.progress("translating bytecode", 0, 0);
    return Done{};
  }

private:
  Monitor& m_monitor;
  uint64_t m_items = 0;
};

/// Finds the types of a function's parameters: those of the host functions that they are passed to. `primitives`: the
/// signatures of these, by the number of the primitive; null where there is none. Only for functions whose registers
/// were checked. Error: only Cancelled.
Result<std::vector<host::Parameter>> parameterTypes(const modules::relay::Executable& vm,
                                                    const modules::relay::Function& function,
                                                    const std::vector<const host::Signature*>& primitives, Poll& poll);

} // namespace blobscope::program::relay
