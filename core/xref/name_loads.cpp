#include "core/xref/name_loads.h"

#include "core/library/host_code.h"
#include "core/syntax/disassembler.h"

#include <algorithm>
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

} // namespace

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
