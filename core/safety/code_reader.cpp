#include "core/safety/code_reader.h"

#include "core/base/digest.h"
#include "core/container/number_at.h"
#include "core/safety/machine.h"

#include <algorithm>
#include <bitset>
#include <unordered_map>

namespace blobscope::safety {

using syntax::Operation;
namespace {

constexpr uint64_t kLongestJump = 65'536; // without known beginnings of functions, a longer jump leaves the function
constexpr std::size_t kCalls = 4'096;     // of one function

} // namespace

namespace {

/// Where the values in registers that a call uses were made; 0 for what is in no register.
struct Origin {
  uint64_t target = 0, first = 0, second = 0;
};

/// A set of addresses; those that are used after each other are mostly near each other.
class AddressSet {
public:
  bool contains(uint64_t address) { return pageOf(address)[address % kPage]; }
  void insert(uint64_t address) { pageOf(address).set(address % kPage); }

private:
  static constexpr uint64_t kPage = 512;
  using Page = std::bitset<kPage>;

  Page& pageOf(uint64_t address) {
    if (!m_last || m_number != address / kPage) {
      m_number = address / kPage;
      m_last = &m_pages[m_number];
    }
    return *m_last;
  }

  std::unordered_map<uint64_t, Page> m_pages;
  Page* m_last = nullptr; ///< page m_number
  uint64_t m_number = 0;
};

} // namespace

/// Reads one function.
class FunctionReader {
public:
  FunctionReader(CodeReader& owner, const AddressSpace& space, syntax::Disassembler& disassembler, uint64_t start,
                 uint64_t limit, Monitor& monitor)
      : m_owner(owner), m_space(space), m_disassembler(disassembler), m_monitor(monitor), m_limit(limit),
        m_arm(space.image().arch == "aarch64"), m_windows(space.image().format == container::Format::Pe) {
    m_out.start = start;
    m_next = space.nextStart(start);
    if (const auto end = space.endOf(start); end && *end > start) {
      m_next = std::min(m_next, *end);
      m_endIsKnown = true;
    }
  }

  Result<FunctionCode> read() {
    m_work.push_back(m_out.start);
    while (!m_work.empty()) {
      const uint64_t block = m_work.back();
      m_work.pop_back();
      BLOBSCOPE_CHECK(readBlock(block));
      if (m_out.instructions >= m_limit) {
        m_out.incomplete = "it has more than " + std::to_string(m_limit) + " instructions";
        break;
      }
    }
    BLOBSCOPE_CHECK(readRest());
    dropDoubtful();
    std::ranges::stable_sort(m_out.calls, {}, &CodeCall::at);
    BLOBSCOPE_CHECK(computeDigest());
    return std::move(m_out);
  }

private:
  /// Instructions that follow each other.
  struct Block {
    uint64_t begin = 0, end = 0;
    std::size_t masked = 0, maskedSize = 0; ///< what they add to the digest, a part of m_masked
  };

  /// The bytes from an address on; empty when it is not in the code, or the file has no bytes for it.
  std::string_view codeAt(uint64_t address) const {
    const auto bytes = m_space.isCode(address) ? m_space.bytesAt(address) : std::nullopt;
    return bytes ? bytes->view() : std::string_view();
  }
  bool mustStop() { return ++m_steps % 1'024 == 0 && m_monitor.stopRequested(); }

  /// Instructions up to the one that does not continue with the next.
  Result<Done> readBlock(uint64_t begin) {
    Block block{begin, begin, m_masked.size(), 0};
    BLOBSCOPE_CHECK(readUpToEnd(block.end));
    block.maskedSize = m_masked.size() - block.masked;
    m_blocks.push_back(block);
    return Done{};
  }
  Result<Done> readUpToEnd(uint64_t& at) {
    const uint64_t begin = at;
    Registers registers(m_arm);
    std::string_view code = codeAt(begin);
    for (;;) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      if (m_known.contains(at) || m_out.instructions >= m_limit) return Done{};
      if (at != begin && at == m_next) { // falls through into the next function
        if (m_called && m_owner.neverReturns(*m_called, m_monitor)) return Done{};
        call({CodeCall::Kind::Function, at, at, {}, {}, {}});
        return Done{};
      }
      if (!m_space.isCode(at)) return stop("it leaves the code");
      if (code.empty()) return stop("the file has no bytes for it");
      const Operation one = m_disassembler.decode(code, at);
      if (one.size == 0) return stop("it contains bytes that are not an instruction");
      const bool goesOn = readOne(one, at, code.substr(0, one.size), registers);
      at += one.size;
      if (!goesOn) return Done{};
      code.remove_prefix(one.size);
    }
  }

  /// Code between what was read and the next function: exception handlers and the targets of jump tables.
  Result<Done> readRest() {
    if (m_next == UINT64_MAX || m_next - m_out.start > (uint64_t{1} << 20)) return Done{};
    // Without a known end, functions without names follow; a table of jumps may still lead there.
    if (!m_endIsKnown && !m_jumpsIndirectly) return Done{};
    m_rest = true;
    std::ranges::sort(m_blocks, {}, &Block::begin);
    const std::vector<Block> known = m_blocks;
    auto next = known.begin();
    std::optional<Registers> registers;
    const std::string_view code = codeAt(m_out.start);
    for (uint64_t at = m_out.start;
         at < m_next && at - m_out.start < code.size() && m_out.instructions + m_out.skipped < m_limit;) {
      if (mustStop()) return Error(DiagnosticId::Cancelled, {});
      while (next != known.end() && next->end <= at) ++next;
      if (next != known.end() && next->begin <= at && m_known.contains(at)) {
        at = next->end;
        registers.reset();
        continue;
      }
      if (!registers) {
        registers.emplace(m_arm);
        m_targets.push_back(at);
      }
      const std::string_view rest = code.substr(at - m_out.start);
      const Operation one = m_disassembler.decode(rest, at);
      const std::size_t masked = m_masked.size();
      if (one.size != 0) (void)readOne(one, at, rest.substr(0, one.size), *registers);
      if (m_masked.size() != masked) m_blocks.push_back({at, at, masked, m_masked.size() - masked});
      m_out.skipped += one.size == 0 ? 1 : 0;
      at += one.size != 0 ? one.size : m_arm ? 4 : 1;
    }
    return Done{};
  }

  Done stop(std::string why) {
    if (m_out.incomplete.empty() && !m_rest) m_out.incomplete = std::move(why);
    return Done{};
  }

  /// Returns whether execution continues with the next instruction.
  bool readOne(const Operation& one, uint64_t at, std::string_view code, Registers& registers) {
    m_known.insert(at);
    const Decoded decoded = m_arm ? decodeArm(one, at, code) : decodeX86(one, at, code);
    if (!m_rest) m_out.end = std::max(m_out.end, at + one.size);
    if (decoded.kernel) m_out.systemCalls.push_back(at);
    const AddressSpace::Target* const relocation = m_space.relocationIn(at, one.size);
    const Value value = valueOf(one, decoded, relocation, registers);
    if (!m_rest) addMaskedCode(m_masked, one, decoded, code, value, registers, m_arm, m_space);
    bool goesOn = !decoded.ends;
    if (!decoded.isNothing) m_called.reset();
    m_out.returns = m_out.returns || decoded.returns;
    if (decoded.flow != Decoded::Flow::None) goesOn = flow(one, decoded, relocation, registers) && goesOn;
    if (decoded.flow == Decoded::Flow::None && value.kind == Value::Kind::Address && m_space.isCode(value.address))
      call({CodeCall::Kind::Address, at, value.address, {}, {}, {}});
    registers.step(decoded, value);
    ++m_out.instructions;
    return goesOn;
  }

  /// What the instruction computes or reads.
  Value valueOf(const Operation& one, const Decoded& decoded, const AddressSpace::Target* relocation,
                const Registers& registers) const {
    if (relocation && decoded.flow == Decoded::Flow::None) return Value::of(*relocation);
    if (m_arm) return registers.computeArm(decoded, m_space);
    if (!one.memory) return decoded.copyOf >= 0 ? registers.at(decoded.copyOf) : Value{};
    if (decoded.computesAddress) return Value::address_(*one.memory);
    if (!decoded.loadsWord) return {};
    if (const AddressSpace::Target* const word = m_space.wordAt(*one.memory)) return Value::of(*word);
    if (m_space.image().format != container::Format::Elf)
      if (const auto pointer = m_space.pointerAt(*one.memory); pointer && m_space.bytesAt(pointer->address))
        return Value::address_(pointer->address);
    return {};
  }

  bool flow(const Operation& one, const Decoded& decoded, const AddressSpace::Target* relocation,
            Registers& registers) {
    using Flow = Decoded::Flow;
    CodeCall made;
    made.at = decoded.at;
    Origin origin;
    if (const Value* const first = registers.argument(0, m_windows)) {
      made.first = first->address;
      origin.first = first->from;
    }
    if (const Value* const second = registers.argument(1, m_windows)) {
      made.second = second->address;
      origin.second = second->from;
    }
    std::optional<uint64_t> target = one.target;
    if (relocation) {
      made.import = relocation->import;
      target = made.import.empty() ? std::optional(relocation->address) : std::nullopt;
    } else if (!target) {
      Value value;
      if (one.memory) {
        if (const AddressSpace::Target* const word = m_space.wordAt(*one.memory))
          value = Value::of(*word);
        else if (const auto pointer = m_space.pointerAt(*one.memory);
                 pointer && m_space.isCode(pointer->address) && !m_space.isWritable(*one.memory))
          value = Value::address_(pointer->address);
      } else if (decoded.through >= 0) {
        value = registers.at(decoded.through);
        origin.target = value.from;
      }
      if (value.kind == Value::Kind::Import) made.import = value.import;
      if (value.kind == Value::Kind::Address) target = value.address;
    }
    if (target && !isInside(*target)) made.import = m_owner.stubAt(*target);
    if (!made.import.empty()) {
      made.kind = CodeCall::Kind::Import;
      m_masked += made.import;
      m_out.returns = m_out.returns || (decoded.flow == Flow::Jump && !doesNotReturn(made.import));
      call(made, origin);
      if (decoded.flow == Flow::Call) registers.afterCall(true);
      return decoded.flow != Flow::Jump && !doesNotReturn(made.import);
    }
    if (decoded.flow == Flow::Call) registers.afterCall(false);
    if (!target) {
      made.kind = CodeCall::Kind::Indirect;
      m_jumpsIndirectly = m_jumpsIndirectly || decoded.flow == Flow::Jump;
      m_out.returns = m_out.returns || decoded.flow == Flow::Jump;
      call(made, origin);
      return decoded.flow != Flow::Jump;
    }
    made.target = *target;
    if (decoded.flow == Flow::Call) {
      m_called = *target;
      call(made, origin);
      return true;
    }
    if (isInside(*target)) {
      m_targets.push_back(*target);
      if (!m_known.contains(*target)) m_work.push_back(*target);
      // What a register contains is certain only as long as nothing else leads here.
      if (decoded.through >= 0) call({CodeCall::Kind::Indirect, decoded.at, 0, {}, {}, {}});
    } else {
      call(made, origin); // a tail call
      m_out.returns = true;
    }
    return decoded.flow == Flow::Branch;
  }

  /// A value is certain when the code ran from its origin to the call without a jump to between them.
  void dropDoubtful() {
    std::ranges::sort(m_targets);
    const auto isDoubtful = [&](uint64_t from, uint64_t at) {
      if (from == 0) return false;
      if (m_jumpsIndirectly) return true;
      const auto next = std::ranges::upper_bound(m_targets, from);
      return next != m_targets.end() && *next <= at;
    };
    for (std::size_t i = 0; i < m_out.calls.size(); ++i) {
      CodeCall& call = m_out.calls[i];
      const Origin& origin = m_origins[i];
      if (isDoubtful(origin.target, call.at)) call = {CodeCall::Kind::Indirect, call.at, 0, {}, {}, {}};
      if (isDoubtful(origin.first, call.at)) call.first.reset();
      if (isDoubtful(origin.second, call.at)) call.second.reset();
    }
  }

  bool isInside(uint64_t target) const {
    if (target < m_out.start || (target != m_out.start && m_space.isStart(target))) return false;
    return m_next != UINT64_MAX ? target < m_next : target - m_out.start < kLongestJump;
  }
  void call(CodeCall made, Origin origin = {}) {
    if (m_out.calls.size() >= kCalls) {
      stop("it has more than " + std::to_string(kCalls) + " calls");
      return;
    }
    m_out.calls.push_back(std::move(made));
    m_origins.push_back(origin);
  }

  /// Everything but alignment, addresses and what follows the last instruction that was reached.
  Result<Done> computeDigest() {
    std::ranges::sort(m_blocks, {}, &Block::begin);
    std::string text;
    text.reserve(m_masked.size());
    for (const Block& block : m_blocks) text.append(m_masked, block.masked, block.maskedSize);
    BLOBSCOPE_TRY(digest, computeSha256(Bytes::copyOf(text), m_monitor));
    m_out.digest = digest.substr(0, 32);
    return Done{};
  }

  CodeReader& m_owner;
  const AddressSpace& m_space;
  syntax::Disassembler& m_disassembler;
  Monitor& m_monitor;
  uint64_t m_limit, m_next = UINT64_MAX, m_steps = 0;
  bool m_arm, m_windows, m_rest = false, m_endIsKnown = false, m_jumpsIndirectly = false;
  std::optional<uint64_t> m_called;        ///< the function that the last instruction called
  std::vector<uint64_t> m_work, m_targets; ///< jumps lead to `m_targets`
  std::vector<Origin> m_origins;           ///< of m_out.calls
  std::vector<Block> m_blocks;
  AddressSet m_known; ///< where instructions begin
  std::string m_masked;
  FunctionCode m_out;
};

CodeReader::CodeReader(const AddressSpace& space) : m_space(space) {
  const container::Image& image = space.image();
  if (image.arch == "x86_64" || image.arch == "aarch64")
    m_disassembler = syntax::makeDisassembler(image.arch, image.bits);
}

Result<const FunctionCode*> CodeReader::read(uint64_t address, Monitor& monitor) {
  const FunctionCode* none = nullptr;
  if (!m_disassembler || !m_space.isCode(address)) return none;
  if (const auto found = m_functions.find(address); found != m_functions.end()) return found->second.get();
  if (m_instructions >= kAllInstructions) return none;
  const uint64_t limit = std::min(kFunctionInstructions, kAllInstructions - m_instructions);
  BLOBSCOPE_TRY(code, FunctionReader(*this, m_space, *m_disassembler, address, limit, monitor).read());
  m_instructions += code.instructions + code.skipped + 1;
  return m_functions.emplace(address, std::make_unique<FunctionCode>(std::move(code))).first->second.get();
}

bool CodeReader::neverReturns(uint64_t address, Monitor& monitor) {
  constexpr unsigned kNested = 8;
  if (m_nested >= kNested) return false;
  ++m_nested;
  const auto code = read(address, monitor); // when cancelled, the caller is stopped too
  --m_nested;
  return code && *code && !(*code)->returns && (*code)->incomplete.empty();
}

const std::string& CodeReader::stubAt(uint64_t address) {
  const auto [found, isNew] = m_stubs.try_emplace(address);
  if (isNew) found->second = readStub(address);
  return found->second;
}

std::string CodeReader::readStub(uint64_t address) {
  // At most four instructions, the last of which jumps through a word that the loader fills.
  constexpr uint64_t kLongest = 4;
  const auto bytes = m_disassembler && m_space.isCode(address) ? m_space.bytesAt(address) : std::nullopt;
  if (!bytes) return {};
  const bool arm = m_space.image().arch == "aarch64";
  Registers registers(arm);
  std::string_view code = bytes->view();
  for (uint64_t count = 0, at = address; count < kLongest; ++count) {
    const Operation one = m_disassembler->decode(code, at);
    if (one.size == 0) return {};
    const Decoded what = arm ? decodeArm(one, at, code) : decodeX86(one, at, code.substr(0, one.size));
    if (what.flow == Decoded::Flow::Jump) {
      if (one.memory)
        if (const AddressSpace::Target* const word = m_space.wordAt(*one.memory)) return std::string(word->import);
      return what.through >= 0 ? std::string(registers.at(what.through).import) : std::string();
    }
    if (what.flow != Decoded::Flow::None || what.ends || (!arm && !what.isNothing)) return {};
    registers.step(what, arm ? registers.computeArm(what, m_space) : Value{});
    at += one.size;
    code.remove_prefix(one.size);
  }
  return {};
}

Result<std::map<uint64_t, std::string>> CodeReader::instructionsAt(std::vector<uint64_t> addresses, Monitor& monitor) {
  constexpr uint64_t kFarthest = 262'144;
  const uint32_t step = m_space.image().arch == "aarch64" ? 4 : 1; // over bytes that are no instruction
  std::map<uint64_t, std::string> out;
  std::ranges::sort(addresses);
  uint64_t at = 0, steps = 0;
  Bytes code;
  for (const uint64_t wanted : addresses) {
    const uint64_t start = m_space.startBefore(wanted);
    if (!m_disassembler || wanted - start > kFarthest) continue;
    // All that are read from the same start on are decoded in one pass.
    if (code.empty() || at > wanted || at < start) {
      code = m_space.bytesAt(start).value_or(Bytes());
      at = start;
    }
    for (; at < wanted && !code.empty(); ++steps) {
      if (steps % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const uint32_t size = m_disassembler->decode(code.view(), at).size;
      code = code.slice(size != 0 ? size : step);
      at += size != 0 ? size : step;
    }
    if (at != wanted || code.empty()) continue;
    BLOBSCOPE_TRY(decoded, m_disassembler->disassemble(code.slice(0, 16), at, {1}, monitor));
    if (!decoded.empty() && decoded.front().known) out.emplace(at, std::move(decoded.front().text));
  }
  return out;
}

} // namespace blobscope::safety
