#include "core/xref/name_loads.h"

#include "core/base/text.h"
#include "core/library/host_code.h"
#include "core/syntax/disassembler.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace blobscope::xref {
namespace {

/// The limit of code that is read, so that a library with much other code is still fast.
constexpr uint64_t kCodeBytes = 32u << 20;
/// The longest kernel name that is searched; real names have some 100 bytes.
constexpr uint64_t kNameBytes = 1'024;

/// Returns the text at an address of mapped data that is not code; empty when there is none.
std::string_view textAt(const container::Image& image, uint64_t address) {
  const auto inside = [&](const container::Section& section) {
    return section.allocated && !section.executable && section.file.size > 0 &&
           Extent{section.address, section.file.size}.contains(address);
  };
  const auto section = std::find_if(image.sections.begin(), image.sections.end(), inside);
  if (section == image.sections.end()) return {};
  const uint64_t from = address - section->address + section->file.offset,
                 end = std::min(section->file.end(), image.file.size());
  if (from >= end) return {};
  const std::string_view text = image.file.view().substr(from, std::min(end - from, kNameBytes));
  const std::size_t nul = text.find('\0');
  return nul == std::string_view::npos ? std::string_view() : text.substr(0, nul);
}

/// A piece of code that belongs to one host function: its own code, or a function that only it calls.
struct Piece {
  std::size_t function;
  library::HostCode code;
};

class Reader {
public:
  using Visit = std::function<void(std::size_t, std::string_view)>;
  Reader(const container::Image& image, const std::vector<uint32_t>& symbols, const Visit& visit, Monitor& monitor)
      : m_image(image), m_symbols(symbols), m_visit(visit), m_monitor(monitor) {}

  Result<Done> read() {
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < m_symbols.size(); ++i) {
      if (!canFindCode(m_image, m_symbols[i], m_symbols.size())) continue;
      auto code = library::findHostCode(m_image, m_symbols[i]);
      if (!code || code->bytes.empty()) continue;
      m_starts.insert(code->address);
      m_hosts.insert(code->address);
      pieces.push_back({i, std::move(*code)});
    }
    for (const container::Symbol& symbol : m_image.symbols)
      if (symbol.defined && symbol.type == container::SymbolType::Function && m_starts.size() < kStarts)
        m_starts.insert(symbol.value);
    // Host code from LLVM has the part after the checks in a separate function ("NAME_compute_"), which may call
    // others.
    constexpr int kDepth = 3;
    for (int depth = 0; depth < kDepth && !pieces.empty(); ++depth) {
      m_called.clear();
      for (const Piece& piece : pieces) {
        BLOBSCOPE_TRY(more, readPiece(piece));
        if (!more) return Done{};
      }
      pieces = parts();
    }
    return Done{};
  }

private:
  static constexpr std::size_t kStarts = 4'000'000;

  /// Returns false when the limit of code is reached.
  Result<bool> readPiece(const Piece& piece) {
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    m_monitor.progress("reading host code", m_read, 0);
    m_read += piece.code.bytes.size();
    if (m_read > kCodeBytes) return false;
    if (!m_disassembler) m_disassembler = syntax::makeDisassembler(piece.code.arch, m_image.bits);
    if (!m_disassembler) return false;
    BLOBSCOPE_TRY(loads, m_disassembler->addressLoads(piece.code.bytes, piece.code.address, {}, m_monitor));
    for (const syntax::AddressLoad& load : loads)
      if (const std::string_view text = textAt(m_image, load.address); !text.empty())
        m_visit(piece.function, text);
      else if (!Extent{piece.code.address, piece.code.bytes.size()}.contains(load.address))
        note(load.address, piece); // the function that creates a handle, passed as a pointer (0.26 and later)
    BLOBSCOPE_TRY(instructions, m_disassembler->disassemble(piece.code.bytes, piece.code.address, {}, m_monitor));
    for (const syntax::Instruction& instruction : instructions)
      if (instruction.target && !Extent{piece.code.address, piece.code.bytes.size()}.contains(*instruction.target))
        note(*instruction.target, piece);
    return true;
  }

  void note(uint64_t target, const Piece& from) {
    if (m_hosts.contains(target)) return; // another host function, with launches of its own
    if (!m_seen.try_emplace(target, from.function).second) {
      if (m_seen[target] != from.function) m_called.erase(target); // shared, so not part of one function
      return;
    }
    if (m_starts.size() >= kStarts) return;
    m_starts.insert(target); // also of shared code: the code before it ends there
    m_called.emplace(target, Piece{from.function, {{}, target, from.code.arch}});
  }

  /// Returns the code that only one function calls, each piece up to the next known start.
  std::vector<Piece> parts() {
    constexpr uint64_t kPartBytes = 65'536;
    std::vector<Piece> out;
    for (auto& [address, piece] : m_called) {
      const auto inside = [&, at = address](const container::Section& section) {
        return section.executable && section.file.size > 0 && Extent{section.address, section.file.size}.contains(at);
      };
      const auto section = std::find_if(m_image.sections.begin(), m_image.sections.end(), inside);
      if (section == m_image.sections.end()) continue;
      const auto next = m_starts.upper_bound(address);
      uint64_t size = std::min(kPartBytes, section->file.size - (address - section->address));
      if (next != m_starts.end()) size = std::min(size, *next - address);
      piece.code.bytes = m_image.file.slice(section->file.offset + (address - section->address), size);
      if (!piece.code.bytes.empty()) out.push_back(std::move(piece));
    }
    return out;
  }

  const container::Image& m_image;
  const std::vector<uint32_t>& m_symbols;
  const Visit& m_visit;
  Monitor& m_monitor;
  std::unique_ptr<syntax::Disassembler> m_disassembler;
  std::set<uint64_t> m_starts;                      ///< start addresses of functions
  std::unordered_set<uint64_t> m_hosts;             ///< start addresses of host functions
  std::unordered_map<uint64_t, std::size_t> m_seen; ///< called address → the first host function that calls it
  std::map<uint64_t, Piece> m_called;               ///< functions of this depth that only one function calls
  uint64_t m_read = 0;
};

/// Instructions around a text that belong to its check: a call has at most six arguments, each of which takes up to
/// three instructions without optimisation.
constexpr std::size_t kAround = 18;

/// The operands of an instruction "mov r9d, 0x100" with one of these mnemonics; empty when it has another one.
std::string_view operandsOf(std::string_view text, std::initializer_list<std::string_view> mnemonics) {
  for (const std::string_view mnemonic : mnemonics)
    if (text.starts_with(mnemonic) && text.substr(mnemonic.size()).starts_with(' '))
      return text.substr(mnemonic.size() + 1);
  return {};
}

/// The number that an instruction has as its last operand: "0x100", "#256".
std::optional<uint64_t> lastNumber(std::string_view operands) {
  const std::size_t comma = operands.rfind(", ");
  if (comma == std::string_view::npos) return std::nullopt;
  operands.remove_prefix(comma + 2);
  if (operands.starts_with('#')) operands.remove_prefix(1);
  return parseNumber(operands);
}

/// Whether code does not simply continue after the instruction.
bool isJump(std::string_view text) {
  constexpr std::array<std::string_view, 10> kStarts = {"j",   "call", "ret", "b ",  "b.",
                                                        "bl ", "blr ", "br ", "cbz", "cbnz"};
  return std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view start) { return text.starts_with(start); });
}

/// The number with which the code compares before the conditional jump at `jump`: `cmp eax, 0x10; je …`.
std::optional<uint64_t> comparedBefore(const std::vector<syntax::Instruction>& instructions, std::size_t jump) {
  constexpr std::size_t kBetween = 3;
  for (std::size_t i = jump; i > 0 && jump - i < kBetween; --i) {
    const std::string_view text = instructions[i - 1].text;
    if (const std::string_view operands = operandsOf(text, {"cmp"}); !operands.empty()) return lastNumber(operands);
    // These do not change what was compared.
    if (operandsOf(text, {"mov", "movsxd", "lea", "ldr", "str", "adrp"}).empty()) break;
  }
  return std::nullopt;
}

/// Finds the numbers in the code of one function.
class CheckedNumbers {
public:
  explicit CheckedNumbers(const std::vector<syntax::Instruction>& instructions) : m_instructions(instructions) {
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const std::string_view text = instructions[i].text;
      if (instructions[i].target && isJump(text) && !text.starts_with("call") && !text.starts_with("bl"))
        m_jumps.emplace(*instructions[i].target, i);
    }
  }

  /// The number that belongs to the check whose text the instruction at `index` loads. Source of the registers: System
  /// V ABI for x86-64, 3.2.3; AAPCS64, 6.4: the sixth argument is in r9 or x5.
  std::optional<uint64_t> find(std::size_t index) const {
    const auto argumentOf = [](std::string_view text) -> std::optional<uint64_t> {
      const std::string_view operands = operandsOf(text, {"mov", "movabs"});
      constexpr std::array<std::string_view, 4> kRegisters = {"r9, ", "r9d, ", "x5, ", "w5, "};
      for (const std::string_view name : kRegisters)
        if (operands.starts_with(name)) return lastNumber(operands);
      return std::nullopt;
    };
    // --- 1. snprintf(buffer, size, format, text, found, number): forwards to the call, then backwards. ---
    for (std::size_t i = index + 1; i < m_instructions.size() && i <= index + kAround; ++i) {
      if (const auto number = argumentOf(m_instructions[i].text)) return number;
      if (isJump(m_instructions[i].text)) break;
    }
    std::size_t begin = index;
    while (begin > 0 && index - begin < kAround && !isJump(m_instructions[begin - 1].text)) {
      --begin;
      if (const auto number = argumentOf(m_instructions[begin].text)) return number;
    }
    if (begin == 0) return std::nullopt;
    // --- 2. The comparison in front: `cmp eax, 0x10; je …`. ---
    const std::string_view jump = m_instructions[begin - 1].text;
    if (jump.starts_with("je ") || jump.starts_with("b.eq")) return comparedBefore(m_instructions, begin - 1);
    // --- 3. Code at the end of the function, to which one comparison jumps: `cmp eax, 0x10; jne …`. ---
    const auto [first, last] = m_jumps.equal_range(m_instructions[begin].address);
    if (first == last || std::next(first) != last) return std::nullopt;
    const std::string_view from = m_instructions[first->second].text;
    if (!from.starts_with("jne ") && !from.starts_with("b.ne")) return std::nullopt;
    return comparedBefore(m_instructions, first->second);
  }

private:
  const std::vector<syntax::Instruction>& m_instructions;
  std::multimap<uint64_t, std::size_t> m_jumps; ///< target → index
};

} // namespace

Result<Done> forEachCheckedNumber(const container::Image& image, const std::vector<uint32_t>& symbols,
                                  const std::function<bool(std::string_view)>& isWanted,
                                  const std::function<void(std::string_view, uint64_t)>& visit, Monitor& monitor) {
  if (image.kind == container::Kind::Object || !syntax::hasDisassemblerFactory()) return Done{};
  std::unique_ptr<syntax::Disassembler> disassembler;
  uint64_t read = 0;
  for (const uint32_t symbol : symbols) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("reading host code", read, 0);
    const auto code = canFindCode(image, symbol, symbols.size()) ? library::findHostCode(image, symbol) : std::nullopt;
    if (!code || code->bytes.empty()) continue;
    read += code->bytes.size();
    if (read > kCodeBytes) return Done{};
    if (!disassembler) disassembler = syntax::makeDisassembler(code->arch, image.bits);
    if (!disassembler) return Done{};
    BLOBSCOPE_TRY(loads, disassembler->addressLoads(code->bytes, code->address, {}, monitor));
    std::vector<syntax::AddressLoad> wanted;
    for (const syntax::AddressLoad& load : loads)
      if (isWanted(textAt(image, load.address))) wanted.push_back(load);
    if (wanted.empty()) continue;
    BLOBSCOPE_TRY(instructions, disassembler->disassemble(code->bytes, code->address, {}, monitor));
    const CheckedNumbers numbers(instructions);
    for (const syntax::AddressLoad& load : wanted) {
      const auto at = std::lower_bound(
          instructions.begin(), instructions.end(), load.at,
          [](const syntax::Instruction& instruction, uint64_t address) { return instruction.address < address; });
      if (at == instructions.end() || at->address != load.at) continue;
      if (const auto number = numbers.find(static_cast<std::size_t>(at - instructions.begin())))
        visit(textAt(image, load.address), *number);
    }
  }
  return Done{};
}

bool canFindCode(const container::Image& image, uint32_t symbol, std::size_t functions) {
  constexpr uint64_t kMaxSteps = 100'000'000;
  if (symbol >= image.symbols.size()) return false;
  return image.symbols[symbol].size > 0 || functions <= kMaxSteps / image.symbols.size();
}

Result<Done> forEachNameLoad(const container::Image& image, const std::vector<uint32_t>& symbols,
                             const std::function<void(std::size_t, std::string_view)>& visit, Monitor& monitor) {
  if (image.kind == container::Kind::Object || !syntax::hasDisassemblerFactory()) return Done{};
  return Reader(image, symbols, visit, monitor).read();
}

} // namespace blobscope::xref
