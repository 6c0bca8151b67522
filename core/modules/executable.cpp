#include "core/modules/executable.h"

#include "core/base/reader.h"
#include "core/base/thread_rule.h"
#include "core/base/wire.h"
#include "core/modules/vm_executable/relax.h"
#include "core/modules/vm_executable/relay.h"
#include "core/modules/vm_executable/vm_executable.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <span>

namespace blobscope::modules {
namespace {

/// The longest name or version that is kept.
constexpr std::size_t kNameBytes = 4'096;

struct PoolName {
  relax::Pool pool;
  std::string_view name;
};
constexpr std::array<PoolName, 3> kPools = {
    {{relax::Pool::Classic, "classic"}, {relax::Pool::Ffi2025a, "2025a"}, {relax::Pool::Ffi2025b, "2025b"}}};

bool contains(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Without the length word of the classic stream. Damaged bytes may begin with anything, so the word that fits decides.
Bytes withoutLength(const Bytes& payload) {
  Reader reader(payload);
  const auto first = reader.number<uint64_t>("length");
  if (!reader.ok() || first == relax::kMagicV1 || first == relax::kMagicV2) return payload;
  return first <= reader.left() ? payload.slice(8) : payload;
}

void addTag(std::vector<int32_t>& tags, int32_t tag) {
  constexpr std::size_t kTags = 64;
  if (tags.size() < kTags && std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
}

/// Whether a constant means the same in another numbering. A type takes four bytes and a number eight, so the bytes
/// after it also show the numbering; here they fit one numbering already.
bool readsAs(const relax::Executable& vm, relax::Pool pool) {
  return std::all_of(vm.constants.begin(), vm.constants.end(), [&](const relax::Constant& constant) {
    return relax::constantKind(pool, constant.tag) == constant.kind;
  });
}

void describe(const relax::Executable& vm, ExecutableHead& out) {
  out.magic = vm.magic;
  out.version = vm.version.view().substr(0, kNameBytes);
  out.tags.clear();
  for (const relax::Constant& constant : vm.constants) addTag(out.tags, constant.tag);
}

/// Reads as much as the numbering allows. Returns the number of bytes that were read.
uint64_t readRelax(const Bytes& bytes, relax::Pool pool, ExecutableHead& out) {
  Reader reader(bytes);
  ReadArchive archive(reader, {});
  relax::Executable vm;
  vm.pool = pool;
  wire(archive, vm);
  describe(vm, out);
  if (bytes.size() < 8) out.magic.reset();
  if (!reader.ok()) {
    out.damage = reader.error().message();
  } else if (const auto fault = relax::checkInstructions(vm)) {
    out.damage = std::string("the word ") + std::to_string(fault->index) + " of the " +
                 (fault->inOffsets ? "instruction offsets" : "instructions") + " is " + std::to_string(fault->word) +
                 ", expected " + fault->expected;
  } else if (reader.left() > 0) {
    out.damage = std::to_string(reader.left()) + " bytes follow the executable";
  }
  return reader.position();
}

ExecutableHead relaxHead(const Body& body, const Bytes& payload) {
  ExecutableHead out;
  if (const auto* const vm = relaxExecutableOf(body)) {
    describe(*vm, out);
    for (const PoolName& one : kPools)
      if (one.pool == vm->pool || readsAs(*vm, one.pool)) out.pools.push_back(one.name);
    return out;
  }
  const Bytes bytes = withoutLength(payload);
  uint64_t furthest = 0;
  for (const PoolName& one : kPools) {
    ExecutableHead head;
    const uint64_t read = readRelax(bytes, one.pool, head);
    if (read < furthest) continue;
    furthest = read;
    out = std::move(head);
  }
  return out;
}

ExecutableHead relayHead(const Body& body, const Bytes& payload) {
  ExecutableHead out;
  out.relay = true;
  if (const auto* const vm = relayExecutableOf(body)) {
    out.magic = vm->magic;
    out.version = vm->version.view().substr(0, kNameBytes);
    return out;
  }
  Reader reader(withoutLength(payload));
  const auto magic = reader.number<uint64_t>("magic");
  if (reader.ok()) out.magic = magic;
  out.version = reader.string("version").view().substr(0, kNameBytes);
  out.damage = reader.ok() ? "no generation of the format reads all of its bytes" : reader.error().message();
  return out;
}

/// Groups calls by function and number of arguments.
class Counter {
public:
  Counter(const relax::Executable& vm, Monitor& monitor) : m_vm(vm), m_monitor(monitor) {}

  Result<std::vector<CountedCall>> count() {
    const auto all = static_cast<int64_t>(m_vm.instructionCount());
    uint64_t read = 0;
    const uint64_t most = m_vm.instructionCount() + relax::kSharedInstructions;
    for (const relax::Function& function : m_vm.functions) {
      if (function.kind != relax::Function::kVm || function.start < 0 || function.end > all) continue;
      const std::string caller(function.name.view().substr(0, kNameBytes));
      for (int64_t at = function.start; at < function.end && read < most; ++at, ++read) {
        if (read % 4096 == 0) {
          if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
          m_monitor.progress("counting arguments", read, 0);
        }
        add(static_cast<uint64_t>(at), caller);
      }
    }
    return std::move(m_out);
  }

private:
  static constexpr std::size_t kGroups = 65'536; ///< real executables have some 100

  void add(uint64_t at, const std::string& caller) {
    const relax::Instruction instruction = relax::instructionAt(m_vm, at);
    if (instruction.op != relax::Instruction::Op::Call || instruction.function < 0) return;
    const auto number = static_cast<uint64_t>(instruction.function);
    if (number >= m_vm.functions.size()) return;
    const relax::Function& called = m_vm.functions[number];
    if (called.kind != relax::Function::kPacked) return;
    const uint64_t arguments = instruction.arguments.size() / 8;
    Key key{instruction.function, static_cast<int64_t>(arguments), 0, 0};
    const std::string_view name = called.name.view();
    if (name == "vm.builtin.match_shape" || name == "vm.builtin.make_shape")
      for (uint64_t i = 1; i < 3 && i < arguments; ++i) key[i + 1] = wordOf(instruction, i);
    const auto [place, isNew] = m_places.try_emplace(key, m_out.size());
    if (isNew) {
      if (m_out.size() >= kGroups) {
        m_places.erase(place);
        return;
      }
      CountedCall group;
      group.function = name.substr(0, kNameBytes);
      group.arguments = arguments;
      group.instruction = at;
      group.immediates = immediatesOf(instruction);
      m_out.push_back(std::move(group));
    }
    CountedCall& group = m_out[place->second];
    ++group.times;
    const bool known = !group.callers.empty() && group.callers.back() == caller;
    if (!known && group.callers.size() < CountedCall::kCallers) group.callers.push_back(caller);
  }

  /// Number of the function, number of arguments, the words of those that decide that number.
  using Key = std::array<int64_t, 4>;

  static int64_t wordOf(const relax::Instruction& instruction, uint64_t index) {
    int64_t word = 0;
    std::memcpy(&word, instruction.arguments.data() + 8 * index, sizeof word);
    return word;
  }
  static std::vector<std::optional<int64_t>> immediatesOf(const relax::Instruction& instruction) {
    std::vector<std::optional<int64_t>> out;
    const uint64_t count = std::min<uint64_t>(instruction.arguments.size() / 8, CountedCall::kImmediates);
    for (uint64_t i = 0; i < count; ++i) {
      const relax::Argument argument = relax::argumentOf(wordOf(instruction, i));
      out.push_back(argument.kind == relax::Argument::Kind::Immediate ? std::optional(argument.value) : std::nullopt);
    }
    return out;
  }

  const relax::Executable& m_vm;
  Monitor& m_monitor;
  std::vector<CountedCall> m_out;
  std::map<Key, std::size_t> m_places;
};

} // namespace

std::optional<ExecutableHead> executableHead(std::string_view key, const Body& body, const Bytes& payload) {
  if (contains(kRelaxExecutableCodec.keys, key)) return relaxHead(body, payload);
  if (contains(kRelayExecutableCodec.keys, key)) return relayHead(body, payload);
  return std::nullopt;
}

Result<std::vector<CountedCall>> computeCountedCalls(const Body& body, Monitor& monitor) {
  longWork("modules::computeCountedCalls");
  const auto* const vm = relaxExecutableOf(body);
  if (!vm) return std::vector<CountedCall>();
  return Counter(*vm, monitor).count();
}

} // namespace blobscope::modules
