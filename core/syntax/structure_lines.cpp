#include "core/syntax/structure_scanner.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

namespace blobscope::syntax {
namespace {

bool isHexDigitOf(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

std::string_view firstWord(std::string_view text) { return text.substr(0, text.find_first_of(" \t")); }

/// Host code: "NAME:", then lines of address, bytes and instruction (library::hostCodePage()).
class AsmScanner : public StructureScanner {
public:
  using StructureScanner::StructureScanner;

  void take(std::string_view, std::string_view code, std::span<const Token>, uint64_t number) override {
    const std::string_view words = trimmed(code);
    if (words.empty()) return;
    m_last = number;
    if (!code.starts_with(' ') && words.ends_with(':')) {
      if (isOpen()) end(number - 1);
      addFunction({std::string(words.substr(0, words.size() - 1)), number, number, false, true});
      return;
    }
    uint64_t address = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), address, 16);
    if (error != std::errc()) return;
    m_lines.emplace(address, number);
    if (m_out.addresses.size() < kMostAddresses) m_out.addresses.emplace_back(address, number);
    std::string_view rest = trimmed(words.substr(static_cast<std::size_t>(end - words.data())));
    // Bytes are pairs of digits; no instruction is one.
    while (rest.size() > 2 && isHexDigitOf(rest[0]) && isHexDigitOf(rest[1]) && rest[2] == ' ')
      rest = trimmed(rest.substr(3));
    if (!isJump(firstWord(rest))) return;
    const std::size_t at = rest.rfind("0x");
    if (at == std::string_view::npos) return;
    uint64_t target = 0;
    const auto parsed = std::from_chars(rest.data() + at + 2, rest.data() + rest.size(), target, 16);
    if (parsed.ec == std::errc() && parsed.ptr == rest.data() + rest.size()) m_jumps.emplace_back(number, target);
  }

  void finish(uint64_t) override { end(m_last); }

private:
  static constexpr std::size_t kMostAddresses = 1'000'000;

  /// Jumps of x86-64, AArch64, ARM and RISC-V, not calls.
  static bool isJump(std::string_view word) {
    if (word.starts_with('j') && word != "jal" && word != "jalr") return true;
    if (word.starts_with("loop") || word.starts_with("cb") || word.starts_with("tb")) return true;
    if (!word.starts_with('b')) return false;
    word.remove_prefix(1);
    if (word.ends_with(".w") || word.ends_with(".n")) word.remove_suffix(2);
    if (word.starts_with('.')) word.remove_prefix(1);
    constexpr std::array<std::string_view, 27> kConditions = {
        "",   "al", "cc", "cs",  "eq",  "ge", "geu", "gez", "gt",  "gtz", "hi", "hs", "le", "lez",
        "lo", "ls", "lt", "ltu", "ltz", "mi", "ne",  "nez", "eqz", "nv",  "pl", "vc", "vs"};
    return std::find(kConditions.begin(), kConditions.end(), word) != kConditions.end();
  }

  void end(uint64_t last) {
    for (const auto& [line, target] : m_jumps)
      if (const auto found = m_lines.find(target); found != m_lines.end()) addJump(line, found->second);
    m_jumps.clear();
    m_lines.clear();
    endFunction(last);
  }

  std::unordered_map<uint64_t, uint64_t> m_lines; ///< of the function's addresses
  std::vector<std::pair<uint64_t, uint64_t>> m_jumps;
  uint64_t m_last = 0;
};

/// What nvdisasm prints: "NAME:" begins a function whose ".type" came before, ".L_x_3:" is a label, "`(.L_x_3)" names
/// one. Seen with nvdisasm 12 and 13.
class SassScanner : public StructureScanner {
public:
  using StructureScanner::StructureScanner;

  void take(std::string_view line, std::string_view code, std::span<const Token>, uint64_t number) override {
    const std::string_view words = trimmed(code);
    if (words.empty()) return;
    if (words.starts_with(".section")) {
      if (isOpen()) endFunction(m_last);
    } else if (words.starts_with(".other") && line.find("STO_CUDA_ENTRY") != std::string_view::npos) {
      m_kernels.insert(symbolOf(words));
    } else if (words.starts_with(".other") || words.starts_with(".type")) {
      // names follow
    } else if (words.ends_with(':') && words.find_first_of(" \t") == std::string_view::npos) {
      takeLabel(std::string(words.substr(0, words.size() - 1)), number);
    } else if (const std::size_t at = words.find("`("); at != std::string_view::npos) {
      takeReference(words, at, number);
    }
    m_last = number;
  }

  void finish(uint64_t) override {
    if (isOpen()) endFunction(m_last);
  }

private:
  /// The name in ".other  NAME,@...".
  static std::string symbolOf(std::string_view words) {
    words = trimmed(words.substr(std::min(words.find_first_of(" \t"), words.size())));
    return std::string(words.substr(0, words.find(',')));
  }

  void takeLabel(std::string name, uint64_t number) {
    if (name.starts_with(".text.")) {
      // The name of the section, beside that of the function; alone in some listings of one kernel.
      name.erase(0, 6);
      if (isOpen() && m_out.functions.back().name == name) return;
    } else if (name.starts_with('.')) {
      addLabel(std::move(name), number);
      return;
    }
    if (isOpen()) endFunction(m_last);
    const bool kernel = m_kernels.contains(name);
    addFunction({std::move(name), number, number, kernel, true});
  }

  void takeReference(std::string_view words, std::size_t at, uint64_t number) {
    const std::size_t end = words.find(')', at);
    if (end == std::string_view::npos) return;
    // The opcode, after the predicate: "@!P0 BRA `(.L_x_0) ;". BSSY and the like only prepare a jump.
    std::string_view opcode = trimmed(words.substr(0, at));
    if (opcode.starts_with('@')) opcode = trimmed(opcode.substr(firstWord(opcode).size()));
    opcode = firstWord(opcode);
    if (opcode.starts_with("BRA") || opcode.starts_with("JMP") || opcode.starts_with("BRX"))
      addReference(std::string(words.substr(at + 2, end - at - 2)), number);
  }

  std::unordered_set<std::string> m_kernels;
  uint64_t m_last = 0;
};

/// Listings of virtual machines: "@NAME(...), N registers:", then one instruction per line with its number
/// (modules/vm_executable).
class VmScanner : public StructureScanner {
public:
  using StructureScanner::StructureScanner;

  void take(std::string_view, std::string_view code, std::span<const Token>, uint64_t number) override {
    std::string_view words = trimmed(code);
    if (words.empty()) return;
    if (code.starts_with('@')) {
      if (isOpen()) endFunction(m_last);
      m_start = number + 1;
      addFunction(
          {std::string(words.substr(1, std::min(words.find('('), words.size()) - 1)), number, number, false, true});
    } else if (isOpen()) {
      words = trimmed(words.substr(firstWord(words).size())); // without its number
      if (words.starts_with("goto ") || words.starts_with("Goto ")) takeTarget(words.substr(5), number);
      if (words.starts_with("if ")) takeTarget(words.substr(words.rfind(' ') + 1), number);
      if (words.starts_with("If ")) takeBoth(words, number);
    }
    m_last = number;
  }

  void finish(uint64_t) override {
    if (isOpen()) endFunction(m_last);
    // Targets behind the last line do not exist.
    std::erase_if(m_out.jumps, [this](const CodeJump& jump) {
      const CodeFunction* const function = m_out.functionAt(jump.from);
      return !function || jump.to > function->lastLine;
    });
  }

private:
  void takeTarget(std::string_view text, uint64_t number) {
    text = trimmed(text);
    uint64_t target = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), target);
    if (error == std::errc() && target < UINT32_MAX) addJump(number, m_start + target);
  }
  /// "If $1, $2, 12, 15": the last two are targets.
  void takeBoth(std::string_view words, uint64_t number) {
    const std::size_t last = words.rfind(',');
    if (last == std::string_view::npos || last == 0) return;
    takeTarget(words.substr(last + 1), number);
    const std::size_t first = words.rfind(',', last - 1);
    if (first != std::string_view::npos) takeTarget(words.substr(first + 1, last - first - 1), number);
  }

  uint64_t m_start = 0, m_last = 0;
};

/// SPIR-V assembly as spirv-dis prints it.
class SpirvScanner : public StructureScanner {
public:
  using StructureScanner::StructureScanner;

  void take(std::string_view line, std::string_view code, std::span<const Token>, uint64_t number) override {
    std::string_view words = trimmed(code);
    if (words.empty()) return;
    m_last = number;
    std::string_view result;
    if (words.starts_with('%')) {
      result = firstWord(words);
      const std::size_t equals = words.find('=');
      if (equals == std::string_view::npos) return;
      words = trimmed(words.substr(equals + 1));
    }
    const std::string_view op = firstWord(words);
    if (op == "OpEntryPoint") {
      const std::size_t id = words.find('%'), quote = line.find('"');
      const std::size_t end = quote == std::string_view::npos ? quote : line.find('"', quote + 1);
      if (id == std::string_view::npos || end == std::string_view::npos) return;
      m_entries[std::string(firstWord(words.substr(id)))] = std::string(line.substr(quote + 1, end - quote - 1));
    } else if (op == "OpFunction") {
      if (isOpen()) endFunction(number - 1);
      const auto entry = m_entries.find(std::string(result));
      const bool kernel = entry != m_entries.end();
      addFunction({kernel ? entry->second : std::string(result), number, number, kernel, true});
      m_out.labels.push_back({std::string(result), number});
    } else if (op == "OpFunctionEnd") {
      if (isOpen()) endFunction(number);
    } else if (op == "OpLabel") {
      addLabel(std::string(result), number);
    } else if (op == "OpBranch" || op == "OpBranchConditional" || op == "OpSwitch") {
      takeTargets(words, op == "OpBranch" ? 0 : 1, number);
    }
  }

  void finish(uint64_t) override {
    if (isOpen()) endFunction(m_last);
  }

private:
  /// All ids except the first `skip` ones are labels.
  void takeTargets(std::string_view words, std::size_t skip, uint64_t number) {
    for (std::size_t at = words.find('%'); at != std::string_view::npos; at = words.find('%', at + 1)) {
      if (skip > 0)
        --skip;
      else
        addReference(std::string(firstWord(words.substr(at))), number);
    }
  }

  std::unordered_map<std::string, std::string> m_entries; ///< names of entry points by their ids
  uint64_t m_last = 0;
};

} // namespace

std::unique_ptr<StructureScanner> makeLineScanner(const Language& language, CodeStructure& out) {
  if (language.name == "asm") return std::make_unique<AsmScanner>(out);
  if (language.name == "sass") return std::make_unique<SassScanner>(out);
  if (language.name == "vm") return std::make_unique<VmScanner>(out);
  if (language.name == "spirv") return std::make_unique<SpirvScanner>(out);
  return nullptr;
}

} // namespace blobscope::syntax
