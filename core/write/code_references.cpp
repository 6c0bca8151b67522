#include "core/write/code_references.h"

#include "core/container/number_at.h"
#include "core/syntax/disassembler.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace blobscope::write {
namespace {

constexpr uint64_t kStep = 1 << 20;

/// Bytes of code that may be a reference to the blob.
struct Guess {
  enum class Kind {
    Relative, ///< a displacement of x86-64 relative to the end of its instruction
    Number,   ///< the distance from a base to the blob, as a displacement or an immediate
    Pair,     ///< ADR, or ADRP at `at` and the instruction that adds the rest at `second`
  };
  Kind kind;
  uint64_t at; ///< offset in the code part
  uint64_t size = 4;
  uint64_t second = 0; ///< offset in the part; 0 for none
};

class Scan {
public:
  Scan(Extent blob, std::span<const uint64_t> bases) : m_blob(blob), m_bases(bases) {}

  /// Returns the guesses in the code that was scanned since the last call.
  std::vector<Guess> takeGuesses() { return std::exchange(m_guesses, {}); }

  /// Scans references that begin in `[from, to)` of code with the memory address `address`.
  void run(Processor processor, std::string_view text, uint64_t from, uint64_t to, uint64_t address) {
    switch (processor) {
    case Processor::X86_64: return scanX86(text, from, to, address);
    case Processor::I386: return scanI386(text, from, to);
    case Processor::Aarch64: return scanArm(text, from, to, address);
    }
  }

private:
  /// Whether the displacement at `at` can belong to an instruction with an immediate of `size` bytes after it: the
  /// ModRM byte before it is RIP-relative, and the opcode takes such an immediate in one of the opcode maps. True when
  /// there are too few bytes to decide. Source: Intel SDM, volume 2, 2.2.1.6 and appendix A (maps 0F, 0F3A; VEX, EVEX).
  static bool takesImmediate(std::string_view text, uint64_t at, uint64_t size) {
    const auto byte = [&](uint64_t back) { return static_cast<unsigned char>(text[at - back]); };
    if (at < 2) return true;
    if ((byte(1) & 0xc7) != 0x05) return false;
    const unsigned char opcode = byte(2);
    if (size != 1) return opcode == 0x69 || opcode == 0x81 || opcode == 0xc7 || opcode == 0xf7;
    constexpr std::string_view kBytes = "\x6b\x70\x71\x72\x73\x80\x83\xa4\xac\xba\xc0\xc1\xc2\xc4\xc5\xc6\xf6";
    if (kBytes.find(static_cast<char>(opcode)) != std::string_view::npos) return true;
    // All opcodes of map 0F3A have one.
    return at < 6 || byte(3) == 0x3a || (byte(5) == 0xc4 && (byte(4) & 0x1f) == 3) ||
           (byte(6) == 0x62 && (byte(5) & 7) == 3) || byte(5) == 0x8f;
  }

  /// Any four bytes may be a displacement relative to the end of its instruction, where an immediate of up to four
  /// bytes can follow. Without a disassembler, the rate of false alarms is slightly more than size/2³².
  void scanX86(std::string_view text, uint64_t from, uint64_t to, uint64_t address) {
    const uint64_t start = m_blob.offset;
    for (uint64_t at = from; at < to && at + 4 <= text.size(); ++at) {
      const int64_t displacement = container::numberAt<int32_t>(text, at);
      const uint64_t immediateSize = start - (address + at + 4 + static_cast<uint64_t>(displacement));
      if (immediateSize == 0 || (immediateSize <= 4 && immediateSize != 3 && takesImmediate(text, at, immediateSize)))
        m_guesses.push_back({Guess::Kind::Relative, at});
      // movabs with the distance from the table, in code of the medium and large models.
      if (at + 8 > text.size()) continue;
      const uint64_t wide = container::numberAt<uint64_t>(text, at);
      const auto isWide = [&](uint64_t base) { return base != 0 && wide == start - base; };
      if (std::ranges::any_of(m_bases, isWide)) m_guesses.push_back({Guess::Kind::Number, at, 8});
    }
  }

  /// Code of a shared library uses distances from the table; absolute addresses have relocations.
  void scanI386(std::string_view text, uint64_t from, uint64_t to) {
    const uint32_t start = static_cast<uint32_t>(m_blob.offset);
    for (uint64_t at = from; at < to && at + 4 <= text.size(); ++at) {
      const uint32_t word = container::numberAt<uint32_t>(text, at);
      const auto isWord = [&](uint64_t base) { return base != 0 && word == start - static_cast<uint32_t>(base); };
      if (std::ranges::any_of(m_bases, isWord)) m_guesses.push_back({Guess::Kind::Number, at});
    }
  }

  /// ADR, or ADRP with an ADD or a load of the same register within 16 instructions. Instructions are little-endian in
  /// both byte orders. Source: Arm Architecture Reference Manual, C6.2, encodings of ADR, ADRP, ADD (immediate) and
  /// LDR.
  void scanArm(std::string_view text, uint64_t from, uint64_t to, uint64_t address) {
    constexpr uint64_t kAhead = 16;
    for (uint64_t at = from + (0 - from) % 4; at < to && at + 4 <= text.size(); at += 4) {
      const uint32_t word = container::numberAt<uint32_t>(text, at);
      if ((word & 0x1f000000) != 0x10000000) continue;
      const uint64_t low = word >> 29 & 3, high = word >> 5 & 0x7ffff;
      const uint64_t immediate = high << 2 | low;
      const uint64_t distance = immediate & 1 << 20 ? immediate | ~uint64_t{0x1fffff} : immediate;
      if (!(word & 0x80000000)) {
        if (m_blob.contains(address + at + distance)) m_guesses.push_back({Guess::Kind::Pair, at});
        continue;
      }
      const uint64_t page = ((address + at) & ~uint64_t{0xfff}) + (distance << 12);
      if (page + 0xfff < m_blob.offset || page >= m_blob.end()) continue;
      const uint32_t target = word & 31;
      for (uint64_t i = 1; i <= kAhead && at + 4 * i + 4 <= text.size(); ++i) {
        const uint32_t next = container::numberAt<uint32_t>(text, at + 4 * i);
        if ((next & 0x1f00001f) == (0x10000000 | target)) break; // the register gets another address
        if ((next >> 5 & 31) != target) continue;
        const uint64_t part = next >> 10 & 0xfff;
        const bool adds = (next & 0xff800000) == 0x91000000;  // ADD Xd, Xn, #imm{, LSL #12}
        const bool loads = (next & 0x3b000000) == 0x39000000; // LDR and STR with an unsigned offset
        const uint64_t offset = adds ? part << (next >> 22 & 1 ? 12 : 0) : part << (next >> 30);
        if ((adds || loads) && m_blob.contains(page + offset)) {
          m_guesses.push_back({Guess::Kind::Pair, at, 4, at + 4 * i});
          break;
        }
        if (adds && (next & 31) == target) break; // the register is overwritten
      }
    }
  }

  const Extent m_blob;
  const std::span<const uint64_t> m_bases;
  std::vector<Guess> m_guesses;
};

const char* architectureOf(Processor processor) {
  switch (processor) {
  case Processor::X86_64: return "x86_64";
  case Processor::I386: return "i386";
  case Processor::Aarch64: return "aarch64";
  }
  return "";
}

/// Decides from the instructions of the function whether a guess is a reference.
class GuessChecker {
public:
  GuessChecker(Processor processor, Extent blob, std::span<const uint64_t> starts, References& found, Monitor& monitor)
      : m_blob(blob), m_starts(starts), m_found(found), m_monitor(monitor),
        m_disassembler(syntax::makeDisassembler(architectureOf(processor), processor == Processor::I386 ? 32 : 64)) {}

  Result<Done> check(const CodePart& part, const Guess& guess) {
    const uint64_t address = part.address + guess.at;
    if (!m_disassembler || ++m_checked > kChecked) {
      m_found.add(address, kGuess);
      return Done{};
    }
    if (guess.kind == Guess::Kind::Pair) return addPair(part, guess);
    const auto next = std::upper_bound(m_starts.begin(), m_starts.end(), address);
    const uint64_t start = next == m_starts.begin() ? 0 : *(next - 1);
    if (next != m_starts.begin() && start >= part.address && address - start <= kFunctionBytes) {
      BLOBSCOPE_TRY(verdict, decide(part, start - part.address, guess));
      if (verdict != Verdict::Unknown) return Done{};
    }
    return addUndecided(part, guess);
  }

private:
  enum class Verdict { Unknown, Reference, None };
  static constexpr uint64_t kChecked = 4'096, kFunctionBytes = 1 << 20, kLongest = 15;
  static constexpr const char* kGuess = "instruction";

  /// Whether the instruction `one` refers to the blob with the bytes of `guess`, which begin at `address`.
  bool refers(const syntax::Instruction& one, const Guess& guess, uint64_t address) const {
    if (guess.kind == Guess::Kind::Number)
      return one.address < address && address + guess.size <= one.address + one.size; // part of one instruction
    return (one.memory && m_blob.contains(*one.memory)) || (one.target && m_blob.contains(*one.target));
  }

  /// Decodes from offset `from`, the start of a function.
  Result<Verdict> decide(const CodePart& part, uint64_t from, const Guess& guess) {
    const uint64_t size = std::min<uint64_t>(guess.at + kLongest, part.bytes.size()) - from;
    BLOBSCOPE_TRY(code, m_disassembler->disassemble(Bytes::copyOf(part.bytes.substr(from, size)), part.address + from,
                                                    {size}, m_monitor));
    const uint64_t address = part.address + guess.at;
    for (const syntax::Instruction& one : code) {
      if (!one.known) return Verdict::Unknown;
      if (one.address + one.size <= address) continue;
      if (!refers(one, guess, address)) return Verdict::None;
      m_found.add(one.address, "instruction '" + one.text + "'");
      return Verdict::Reference;
    }
    return Verdict::Unknown;
  }

  /// For a guess without a known function start: reports the shortest instruction around the bytes that refers to the
  /// blob.
  Result<Done> addUndecided(const CodePart& part, const Guess& guess) {
    const uint64_t address = part.address + guess.at;
    for (uint64_t back = 1; back <= std::min<uint64_t>(guess.at, kLongest - guess.size); ++back) {
      const std::string_view bytes = part.bytes.substr(guess.at - back, kLongest);
      BLOBSCOPE_TRY(code, m_disassembler->disassemble(Bytes::copyOf(bytes), address - back, {1}, m_monitor));
      if (code.empty() || !code[0].known || code[0].size < back + guess.size || !refers(code[0], guess, address))
        continue;
      m_found.add(address, "possibly the instruction '" + code[0].text + "'");
      return Done{};
    }
    m_found.add(address, kGuess);
    return Done{};
  }

  /// All instructions of AArch64 have four bytes, so Scan finds exactly those that the processor decodes.
  Result<Done> addPair(const CodePart& part, const Guess& guess) {
    std::string text;
    for (const uint64_t at : {guess.at, guess.second}) {
      if (at == 0 && !text.empty()) continue;
      BLOBSCOPE_TRY(code, m_disassembler->disassemble(Bytes::copyOf(part.bytes.substr(at, 4)), part.address + at, {1},
                                                      m_monitor));
      if (code.empty() || !code[0].known) continue;
      text += (text.empty() ? "instruction '" : " with '") + code[0].text + "'";
    }
    m_found.add(part.address + guess.at, text.empty() ? kGuess : text);
    return Done{};
  }

  const Extent m_blob;
  const std::span<const uint64_t> m_starts;
  References& m_found;
  Monitor& m_monitor;
  const std::unique_ptr<syntax::Disassembler> m_disassembler;
  uint64_t m_checked = 0;
};

} // namespace

void References::add(uint64_t address, std::string kind) {
  if (count++ > 0) return;
  firstAddress = address;
  firstKind = std::move(kind);
}

Result<Done> References::checkNone(const Ref& blob, bool force, std::vector<Diagnostic>& consequences) const {
  if (count > 0) {
    Error error(DiagnosticId::PlanReference, {arg("count", count), hexArg("at", firstAddress), arg("what", firstKind)},
                blob);
    if (!force) return error;
    consequences.push_back({DiagnosticId::PlanForced, blob, {arg("reason", error.message())}});
  } else if (codeRead) {
    consequences.push_back({DiagnosticId::PlanUnreferenced, {}, {}});
  }
  return Done{};
}

Result<Done> findInCode(Processor processor, std::span<const CodePart> parts, Extent blob,
                        std::span<const uint64_t> bases, std::span<const uint64_t> starts, References& found,
                        Monitor& monitor) {
  found.codeRead = true;
  uint64_t total = 0, done = 0;
  for (const CodePart& part : parts) total = Extent{total, part.bytes.size()}.end();
  Scan scan(blob, bases);
  GuessChecker checker(processor, blob, starts, found, monitor);
  for (const CodePart& part : parts) {
    for (uint64_t from = 0; from < part.bytes.size(); from += kStep) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("looking for references to the blob", done + from, total);
      scan.run(processor, part.bytes, from, std::min<uint64_t>(from + kStep, part.bytes.size()), part.address);
      for (const Guess& guess : scan.takeGuesses()) BLOBSCOPE_CHECK(checker.check(part, guess));
    }
    done += part.bytes.size();
  }
  return Done{};
}

} // namespace blobscope::write
