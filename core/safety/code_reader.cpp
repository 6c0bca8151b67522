#include "core/safety/code_reader.h"

#include "core/base/digest.h"
#include "core/container/number_at.h"
#include "core/safety/machine.h"

#include <algorithm>
#include <set>

namespace blobscope::safety {

using syntax::Instruction;
namespace {

constexpr uint64_t kChunk = 24;           // instructions that are decoded at once
constexpr uint64_t kLongestJump = 65'536; // without known beginnings of functions, a longer jump leaves the function
constexpr std::size_t kCalls = 4'096;     // of one function

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
      if (m_read.size() >= m_limit) {
        m_out.incomplete = "it has more than " + std::to_string(m_limit) + " instructions";
        break;
      }
    }
    BLOBSCOPE_CHECK(readRest());
    m_out.instructions = m_read.size();
    std::ranges::stable_sort(m_out.calls, {}, &CodeCall::at);
    BLOBSCOPE_CHECK(computeDigest());
    return std::move(m_out);
  }

private:
  struct Read {
    uint32_t size = 0;
    std::string masked; ///< bytes of the instruction without addresses, and what these refer to
    std::optional<uint64_t> jump;
  };

  Result<std::vector<Instruction>> decode(uint64_t address) {
    const auto bytes = m_space.bytesAt(address);
    if (!bytes) return std::vector<Instruction>{};
    return m_disassembler.disassemble(bytes->slice(0, 16 * kChunk), address, {kChunk}, m_monitor);
  }

  /// Instructions up to the one that does not continue with the next.
  Result<Done> readBlock(uint64_t block) {
    Registers registers(m_arm);
    uint64_t at = block;
    for (;;) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (!m_space.isCode(at)) return stop("it leaves the code");
      BLOBSCOPE_TRY(decoded, decode(at));
      if (decoded.empty()) return stop("the file has no bytes for it");
      for (const Instruction& one : decoded) {
        if (m_read.contains(one.address) || m_read.size() >= m_limit) return Done{};
        if (one.address != block && one.address == m_next) { // falls through into the next function
          if (m_called && m_owner.neverReturns(*m_called, m_monitor)) return Done{};
          call({CodeCall::Kind::Function, one.address, one.address, {}, {}, {}});
          return Done{};
        }
        if (!one.known) return stop("it contains bytes that are not an instruction");
        if (!readOne(one, registers)) return Done{};
        at = one.address + one.size;
      }
    }
  }

  /// Code between what was read and the next function: exception handlers and the targets of jump tables.
  Result<Done> readRest() {
    if (m_next == UINT64_MAX || m_next - m_out.start > (uint64_t{1} << 20)) return Done{};
    // Without a known end, functions without names follow; a table of jumps may still lead there.
    if (!m_endIsKnown && !m_jumpsIndirectly) return Done{};
    m_rest = true;
    for (uint64_t at = m_out.start; at < m_next && m_read.size() < m_limit;) {
      const auto found = m_read.find(at);
      if (found != m_read.end()) {
        at += found->second.size;
        continue;
      }
      BLOBSCOPE_TRY(decoded, decode(at));
      if (decoded.empty()) break;
      Registers registers(m_arm);
      for (const Instruction& one : decoded) {
        at = one.address;
        if (at >= m_next || m_read.contains(at)) break;
        at += one.size;
        if (one.known) (void)readOne(one, registers);
        if (m_read.size() >= m_limit) break;
      }
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    }
    return Done{};
  }

  Done stop(std::string why) {
    if (m_out.incomplete.empty() && !m_rest) m_out.incomplete = std::move(why);
    return Done{};
  }

  /// Returns whether execution continues with the next instruction.
  bool readOne(const Instruction& one, Registers& registers) {
    const auto bytes = m_space.bytesAt(one.address);
    const std::string_view code = bytes ? bytes->slice(0, one.size).view() : std::string_view();
    Read& read = m_read[one.address];
    read.size = one.size;
    const Decoded decoded = m_arm ? decodeArm(one, code) : decodeX86(one, code);
    if (!m_rest) m_out.end = std::max(m_out.end, one.address + one.size);
    if (decoded.kernel) m_out.systemCalls.push_back(one.address);
    const AddressSpace::Target* const relocation = m_space.relocationIn(one.address, one.size);
    const Value value = valueOf(one, decoded, relocation, registers);
    if (!m_rest) read.masked = maskedCode(one, decoded, code, value, registers, m_arm, m_space);
    bool goesOn = !decoded.ends;
    if (!decoded.isNothing) m_called.reset();
    m_out.returns = m_out.returns || isReturn(one, decoded);
    if (decoded.flow != Decoded::Flow::None) goesOn = flow(one, decoded, relocation, registers, read) && goesOn;
    if (decoded.flow == Decoded::Flow::None && value.kind == Value::Kind::Address && m_space.isCode(value.address))
      call({CodeCall::Kind::Address, one.address, value.address, {}, {}, {}});
    registers.step(decoded, value);
    return goesOn;
  }

  /// What the instruction computes or reads.
  Value valueOf(const Instruction& one, const Decoded& decoded, const AddressSpace::Target* relocation,
                const Registers& registers) const {
    if (relocation && decoded.flow == Decoded::Flow::None)
      return relocation->import.empty() ? Value::address_(relocation->address) : Value::import_(relocation->import);
    if (m_arm) return registers.computeArm(decoded, m_space);
    if (!one.memory) return decoded.copyOf >= 0 ? registers.at(decoded.copyOf) : Value{};
    if (decoded.computesAddress) return Value::address_(*one.memory);
    if (const AddressSpace::Target* const word = m_space.wordAt(*one.memory))
      return word->import.empty() ? Value::address_(word->address) : Value::import_(word->import);
    if (decoded.loadsWord && m_space.image().format != container::Format::Elf)
      if (const auto pointer = m_space.pointerAt(*one.memory); pointer && m_space.bytesAt(pointer->address))
        return Value::address_(pointer->address);
    return {};
  }

  bool flow(const Instruction& one, const Decoded& decoded, const AddressSpace::Target* relocation,
            const Registers& registers, Read& read) {
    using Flow = Decoded::Flow;
    CodeCall made;
    made.at = one.address;
    made.first = registers.argument(0, m_windows);
    made.second = registers.argument(1, m_windows);
    std::optional<uint64_t> target = one.target;
    if (relocation) {
      made.import = relocation->import;
      target = made.import.empty() ? std::optional(relocation->address) : std::nullopt;
    } else if (!target) {
      Value value;
      if (one.memory) {
        if (const AddressSpace::Target* const word = m_space.wordAt(*one.memory))
          value = word->import.empty() ? Value::address_(word->address) : Value::import_(word->import);
        else if (const auto pointer = m_space.pointerAt(*one.memory);
                 pointer && m_space.isCode(pointer->address) && !m_space.isWritable(*one.memory))
          value = Value::address_(pointer->address);
      } else if (decoded.through >= 0) {
        value = registers.at(decoded.through);
      }
      if (value.kind == Value::Kind::Import) made.import = value.import;
      if (value.kind == Value::Kind::Address) target = value.address;
    }
    if (target && !isInside(*target)) made.import = m_owner.stubAt(*target, m_monitor);
    if (!made.import.empty()) {
      made.kind = CodeCall::Kind::Import;
      read.masked += made.import;
      m_out.returns = m_out.returns || (decoded.flow == Flow::Jump && !doesNotReturn(made.import));
      call(made);
      return decoded.flow != Flow::Jump && !doesNotReturn(made.import);
    }
    if (!target) {
      made.kind = CodeCall::Kind::Indirect;
      m_jumpsIndirectly = m_jumpsIndirectly || decoded.flow == Flow::Jump;
      m_out.returns = m_out.returns || decoded.flow == Flow::Jump;
      call(made);
      return decoded.flow != Flow::Jump;
    }
    made.target = *target;
    if (decoded.flow == Flow::Call) {
      m_called = *target;
      call(made);
      return true;
    }
    if (isInside(*target)) {
      read.jump = *target;
      if (!m_read.contains(*target)) m_work.push_back(*target);
    } else {
      call(made); // a tail call
      m_out.returns = true;
    }
    return decoded.flow == Flow::Branch;
  }

  static bool isReturn(const Instruction& one, const Decoded& decoded) {
    return decoded.ends && (one.text.starts_with("ret") || one.text.starts_with("iret"));
  }
  bool isInside(uint64_t target) const {
    if (target < m_out.start || (target != m_out.start && m_space.isStart(target))) return false;
    return m_next != UINT64_MAX ? target < m_next : target - m_out.start < kLongestJump;
  }
  void call(CodeCall made) {
    if (m_out.calls.size() < kCalls)
      m_out.calls.push_back(std::move(made));
    else
      stop("it has more than " + std::to_string(kCalls) + " calls");
  }

  /// Everything but alignment, addresses and what follows the last instruction that was reached.
  Result<Done> computeDigest() {
    std::string text;
    for (const auto& [address, read] : m_read) text += read.masked;
    BLOBSCOPE_TRY(digest, computeSha256(Bytes::copyOf(text), m_monitor));
    m_out.digest = digest.substr(0, 32);
    return Done{};
  }

  CodeReader& m_owner;
  const AddressSpace& m_space;
  syntax::Disassembler& m_disassembler;
  Monitor& m_monitor;
  uint64_t m_limit, m_next = UINT64_MAX;
  bool m_arm, m_windows, m_rest = false, m_endIsKnown = false, m_jumpsIndirectly = false;
  std::optional<uint64_t> m_called; ///< the function that the last instruction called
  std::vector<uint64_t> m_work;
  std::map<uint64_t, Read> m_read;
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
  m_instructions += std::max<uint64_t>(code.instructions, 1);
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

std::string CodeReader::stubAt(uint64_t address, Monitor& monitor) {
  const auto [found, isNew] = m_stubs.try_emplace(address);
  if (isNew) found->second = readStub(address, monitor);
  return found->second;
}

std::string CodeReader::readStub(uint64_t address, Monitor& monitor) {
  // At most four instructions, the last of which jumps through a word that the loader fills.
  constexpr uint64_t kLongest = 4;
  const auto bytes = m_disassembler && m_space.isCode(address) ? m_space.bytesAt(address) : std::nullopt;
  if (!bytes) return {};
  const bool arm = m_space.image().arch == "aarch64";
  const auto decoded = m_disassembler->disassemble(bytes->slice(0, 64), address, {kLongest}, monitor);
  if (!decoded) return {}; // cancelled, which the caller sees
  Registers registers(arm);
  for (const Instruction& one : *decoded) {
    const std::string_view code = bytes->view().substr(one.address - address, one.size);
    const Decoded what = arm ? decodeArm(one, code) : decodeX86(one, code);
    if (what.flow == Decoded::Flow::Jump) {
      if (one.memory)
        if (const AddressSpace::Target* const word = m_space.wordAt(*one.memory)) return word->import;
      return what.through >= 0 ? registers.at(what.through).import : std::string();
    }
    if (what.flow != Decoded::Flow::None || what.ends || (!arm && !what.isNothing)) return {};
    registers.step(what, arm ? registers.computeArm(what, m_space) : Value{});
  }
  return {};
}

Result<std::map<uint64_t, std::string>> CodeReader::instructionsAt(std::vector<uint64_t> addresses, Monitor& monitor) {
  constexpr uint64_t kFarthest = 262'144;
  std::map<uint64_t, std::string> out;
  std::ranges::sort(addresses);
  for (std::size_t first = 0; first < addresses.size();) {
    // All that are read from the same start on are decoded together.
    const uint64_t start = m_space.startBefore(addresses[first]);
    std::size_t end = first + 1;
    while (end < addresses.size() && addresses[end] - start <= kFarthest &&
           m_space.startBefore(addresses[end]) == start)
      ++end;
    const std::set<uint64_t> wanted(addresses.begin() + static_cast<std::ptrdiff_t>(first),
                                    addresses.begin() + static_cast<std::ptrdiff_t>(end));
    first = end;
    const auto bytes = m_disassembler ? m_space.bytesAt(start) : std::nullopt;
    const uint64_t last = *wanted.rbegin();
    if (!bytes || last - start > kFarthest) continue;
    BLOBSCOPE_TRY(decoded,
                  m_disassembler->disassemble(bytes->slice(0, last - start + 16), start, {kFarthest}, monitor));
    for (Instruction& one : decoded)
      if (one.known && wanted.contains(one.address)) out.emplace(one.address, std::move(one.text));
  }
  return out;
}

} // namespace blobscope::safety
