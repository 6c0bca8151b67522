#pragma once

#include "core/container/image.h"
#include "core/requirements/elf_facts.h"
#include "core/syntax/disassembler.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

/// What single instructions of x86-64 and AArch64 compute, as far as start-up code needs it.
namespace blobscope::requirements::start_up {

inline constexpr std::size_t kKept = 512; ///< the maximum of values of variables, and of the stack of one function

/// What a register or a variable contains.
struct Value {
  enum class Kind : uint8_t {
    Unknown,
    Number,
    Stack, ///< an address; `number` counts from the stack pointer at the start of the function
    Symbol ///< the address of an imported function; `number` is the symbol
  };
  Kind kind = Kind::Unknown;
  uint8_t bytes = 8; ///< the lower bytes of a number that are known
  bool late = false; ///< of Symbol: read from a word that is bound at the first call
  uint64_t number = 0;

  static Value of(uint64_t number, uint8_t bytes = 8) { return {Kind::Number, bytes, false, number}; }
  friend bool operator==(const Value&, const Value&) = default;
};

inline uint64_t masked(uint64_t number, unsigned bytes) {
  return bytes >= 8 ? number : number & ((uint64_t{1} << 8 * bytes) - 1);
}
inline uint64_t plus(uint64_t base, int64_t offset) { return base + static_cast<uint64_t>(offset); }

/// A place in memory.
struct Location {
  enum class Kind : uint8_t { Unknown, Variable, Stack };
  Kind kind = Kind::Unknown;
  uint64_t at = 0;
};

/// The operands of the last comparison, as far as they are known.
struct Compared {
  bool known = false, bits = false; ///< bits: of an `and`, not of a difference
  unsigned bytes = 8;
  uint64_t left = 0, right = 0;
  friend bool operator==(const Compared&, const Compared&) = default;
};

/// A value that copies share until one of them changes: a state is copied at every jump and call, and changes little.
template <class T> class Shared {
public:
  const T& get() const {
    static const T kEmpty;
    return m_value ? *m_value : kEmpty;
  }
  T& change() {
    if (!m_value || m_value.use_count() > 1) m_value = std::make_shared<T>(get());
    return *m_value;
  }
  bool isSame(const Shared& other) const { return m_value == other.m_value; }
  void clear() { m_value.reset(); }

private:
  std::shared_ptr<T> m_value; ///< null: empty
};

/// Values by the first byte of their place.
class Memory {
public:
  struct Kept {
    Value value;
    unsigned bytes = 8;
    friend bool operator==(const Kept&, const Kept&) = default;
  };
  /// Whether something is known about one of the bytes.
  bool touches(uint64_t at, unsigned bytes) const {
    const auto& kept = m_kept.get();
    for (auto one = kept.lower_bound(beginOf(at)); one != kept.end() && one->first < at + bytes; ++one)
      if (one->first + one->second.bytes > at) return true;
    return false;
  }
  Value load(uint64_t at, unsigned bytes) const {
    const auto found = m_kept.get().find(at);
    if (found == m_kept.get().end() || found->second.bytes < bytes) return {};
    Value value = found->second.value;
    if (value.kind != Value::Kind::Number) return bytes == 8 ? value : Value();
    if (value.bytes < bytes) return {};
    return Value::of(masked(value.number, bytes));
  }
  /// At most 64 bytes.
  void store(uint64_t at, unsigned bytes, Value value) {
    const Kept wanted{value, bytes};
    if (const auto same = m_kept.get().find(at); same != m_kept.get().end() && same->second == wanted) return;
    auto& kept = m_kept.change();
    auto one = kept.lower_bound(beginOf(at));
    while (one != kept.end() && one->first < at + bytes)
      one = one->first + one->second.bytes > at ? kept.erase(one) : std::next(one);
    if (kept.size() < kKept) kept.insert_or_assign(at, wanted);
  }
  void clear() { m_kept.clear(); }
  /// What both know. Returns whether this one changed. `changes`: what one of them knows to be changed is not known.
  bool merge(const Memory& other, bool changes) {
    if (m_kept.isSame(other.m_kept)) return false;
    const auto& mine = m_kept.get();
    const auto& theirs = other.m_kept.get();
    std::vector<std::pair<uint64_t, unsigned>> different;
    for (const auto& [at, kept] : mine) {
      const auto found = theirs.find(at);
      const bool same = found != theirs.end() && found->second == kept;
      if (!same && (!changes || kept.value != Value())) different.emplace_back(at, kept.bytes);
    }
    std::vector<std::pair<uint64_t, unsigned>> onlyTheirs;
    if (changes)
      for (const auto& [at, kept] : theirs)
        if (!mine.contains(at)) onlyTheirs.emplace_back(at, kept.bytes);
    if (different.empty() && onlyTheirs.empty()) return false;
    for (const auto& [at, bytes] : different) {
      if (changes)
        m_kept.change().insert_or_assign(at, Kept{{}, bytes});
      else
        m_kept.change().erase(at);
    }
    for (const auto& [at, bytes] : onlyTheirs) store(at, bytes, {});
    return true;
  }
  bool isFull() const { return m_kept.get().size() >= kKept; }

private:
  static constexpr uint64_t kLongest = 64;
  static uint64_t beginOf(uint64_t at) { return at >= kLongest ? at - kLongest : 0; }
  Shared<std::map<uint64_t, Kept>> m_kept;
};

struct State {
  std::array<Value, 32> registers; ///< by number; 31 of AArch64: the stack pointer
  Memory stack;
  Memory variables; ///< what the code has written
  Compared compared;
  Shared<std::set<uint32_t>> called; ///< symbols that every path up to here calls

  /// Keeps what holds on both paths. Returns whether something changed.
  bool merge(const State& other) {
    bool changed = false;
    for (std::size_t i = 0; i < registers.size(); ++i)
      if (registers[i] != Value() && registers[i] != other.registers[i]) {
        registers[i] = {};
        changed = true;
      }
    if (compared.known && compared != other.compared) {
      compared = {};
      changed = true;
    }
    changed = stack.merge(other.stack, false) || changed;
    changed = variables.merge(other.variables, true) || changed;
    const auto isElsewhere = [&](uint32_t symbol) { return other.called.get().contains(symbol); };
    if (called.isSame(other.called) || std::ranges::all_of(called.get(), isElsewhere)) return changed;
    std::erase_if(called.change(), [&](uint32_t symbol) { return !isElsewhere(symbol); });
    return true;
  }
};

/// Where an instruction continues.
struct Flow {
  enum class Kind : uint8_t { Next, Jump, Branch, Call, Return, Trap };
  Kind kind = Kind::Next;
  Value target;              ///< of Jump, Branch, Call
  std::optional<bool> taken; ///< of Branch: the condition, when it is known
};

/// Applies the instructions of one file. Sources: Intel SDM volume 2; Arm ARM DDI 0487, C6.2.
class Machine {
public:
  /// Both must outlive it. `image` is for x86-64 or AArch64.
  Machine(const container::Image& image, const ElfFacts& facts)
      : m_image(image), m_facts(facts), m_arm(image.arch == "aarch64") {}
  /// Whether the loader maps the address as code.
  bool isCode(uint64_t address) const;
  /// What is stored at a place: what the code wrote there, else what the loader puts there.
  Value load(const Location& from, unsigned bytes, const State& state) const;
  /// Applies the instruction at `at`, with which `code` begins.
  Flow step(const syntax::Operation& one, std::string_view code, uint64_t at, State& state) const;

private:
  const container::Image& m_image;
  const ElfFacts& m_facts;
  bool m_arm;
};

} // namespace blobscope::requirements::start_up
