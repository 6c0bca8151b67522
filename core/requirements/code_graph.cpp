#include "core/requirements/code_graph.h"

#include "core/container/number_at.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace blobscope::requirements {

using container::Image;
using container::Symbol;
using container::SymbolType;
using Kind = CodeReference::Kind;

namespace {

/// The limits of code, functions and calls that are read. Real libraries have up to 10 MB of code.
constexpr uint64_t kCodeBytes = 64u << 20;
constexpr std::size_t kFunctions = 2'000'000, kCalls = 4'000'000;
/// The longest name; real names have some 100 bytes.
constexpr uint64_t kLongestText = 1'024;
/// Compilers align functions.
constexpr uint64_t kAlignment = 16;
/// Bytes of code between the instruction that sets an argument and the call.
constexpr uint64_t kWindow = 48;

/// Code that the loader maps.
struct Range {
  Extent memory;
  Bytes bytes;
};

} // namespace

class CodeReader {
public:
  CodeReader(const Image& image, const CodeGraph::Wanted& wanted, Monitor& monitor)
      : m_image(image), m_wanted(wanted), m_monitor(monitor) {
    m_out.m_users.resize(wanted.count);
  }

  Result<CodeGraph> read() {
    if (!collectRanges()) return std::move(m_out);
    // --- 1. Functions: by symbols, then by calls. ---
    BLOBSCOPE_CHECK(collectSymbols());
    BLOBSCOPE_CHECK(scan([&](const CodeReference& one) { addStart(one); }));
    std::sort(m_found.begin(), m_found.end());
    auto& starts = m_out.m_starts;
    starts.insert(starts.end(), m_found.begin(), m_found.end());
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    // --- 2. Calls between them, words that they refer to, names that they look up. ---
    BLOBSCOPE_CHECK(scan([&](const CodeReference& one) { add(one); }));
    auto& calls = m_out.m_calls;
    std::sort(calls.begin(), calls.end());
    calls.erase(std::unique(calls.begin(), calls.end()), calls.end());
    finishNames();
    m_out.m_readable = !m_full;
    return std::move(m_out);
  }

private:
  /// A text that is passed as second argument of an indirect call, or of a call of the function at `stub`.
  struct Candidate {
    uint32_t function;
    uint64_t text;
    std::optional<uint64_t> stub;
  };

  bool collectRanges() {
    if (m_image.kind != container::Kind::Shared && m_image.kind != container::Kind::Executable) return false;
    if (m_image.bigEndian || !canScan(m_image.arch)) return false;
    const auto add = [&](uint64_t address, Extent file, uint64_t size) {
      const Bytes bytes = m_image.file.slice(file.offset, std::min(file.size, size));
      if (!bytes.empty()) m_ranges.push_back({{address, bytes.size()}, bytes});
    };
    for (const container::Section& section : m_image.sections)
      if (section.allocated && section.executable) add(section.address, section.file, section.size);
    if (m_image.sections.empty())
      for (const container::Segment& segment : m_image.segments)
        if (segment.executable) add(segment.address, segment.file, segment.memorySize);
    std::sort(m_ranges.begin(), m_ranges.end(),
              [](const Range& a, const Range& b) { return a.memory.offset < b.memory.offset; });
    uint64_t total = 0, done = 0;
    for (const Range& range : m_ranges) {
      if (range.memory.offset < done) return false; // overlapping sections of a damaged file
      done = range.memory.end();
      total += range.memory.size;
    }
    return total > 0 && total <= kCodeBytes;
  }

  bool isCode(uint64_t address) const {
    const auto after = std::upper_bound(m_ranges.begin(), m_ranges.end(), address,
                                        [](uint64_t value, const Range& range) { return value < range.memory.offset; });
    return after != m_ranges.begin() && (after - 1)->memory.contains(address);
  }

  Result<Done> collectSymbols() {
    uint64_t done = 0;
    for (const Symbol& symbol : m_image.symbols) {
      if (done++ % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (!symbol.defined || symbol.absolute || symbol.type != SymbolType::Function || !isCode(symbol.value)) continue;
      if (m_sized.size() >= kFunctions) {
        m_full = true;
        break;
      }
      m_out.m_starts.push_back(symbol.value);
      m_sized.push_back({symbol.value, symbol.size});
    }
    std::sort(m_sized.begin(), m_sized.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
    return Done{};
  }

  /// Whether the address is inside a function of known size.
  bool isInside(uint64_t address) const {
    const auto after = std::upper_bound(m_sized.begin(), m_sized.end(), address,
                                        [](uint64_t value, const Extent& one) { return value < one.offset; });
    return after != m_sized.begin() && (after - 1)->contains(address);
  }

  /// Whether the bytes before an address can be the end of a function or the padding after it: `ret`, `int3`, `nop`,
  /// `ud2`, a jump, or a call of a function that does not return. Always true on other machines.
  bool followsEnd(uint64_t address) const {
    constexpr uint64_t kBefore = 5; // the longest of these instructions
    if (m_image.arch != "x86_64" || !isCode(address - kBefore)) return true;
    const auto found = m_image.findBytesAt(address - kBefore);
    if (!found || found->size() < kBefore) return false;
    const auto byte = [&](std::size_t i) { return static_cast<uint8_t>(found->view()[i]); };
    const uint8_t last = byte(4), before = byte(3), first = byte(0);
    return last == 0xc3 || last == 0xcc || last == 0x90 || last == 0 || (before == 0xff && (last & 0x38) == 0x20) ||
           (before == 0x0f && last == 0x0b) || before == 0xeb || first == 0xe8 || first == 0xe9;
  }

  void addStart(const CodeReference& one) {
    if (one.kind == Kind::Read || one.kind == Kind::Constant || one.kind == Kind::Indirect) return;
    if (!isCode(one.target) || isInside(one.target)) return;
    // A jump stays in its function, unless the function's size says that it leaves it. The address of code may be that
    // of a table in it, and on x86-64 a call may be a part of another instruction.
    if (one.kind == Kind::Jump && !isInside(one.at)) return;
    const bool exact = one.kind == Kind::Call && m_image.arch != "x86_64";
    if (!exact && (one.target % kAlignment != 0 || !followsEnd(one.target))) return;
    if (m_found.size() >= kFunctions) {
      m_full = true;
      return;
    }
    m_found.push_back(one.target);
  }

  Result<Done> scan(const std::function<void(const CodeReference&)>& visit) {
    const bool windows = m_image.format == container::Format::Pe;
    for (const Range& range : m_ranges)
      BLOBSCOPE_CHECK(scanCode(m_image.arch, windows, range.bytes, range.memory.offset, visit, m_monitor));
    return Done{};
  }

  /// The function that contains an address.
  std::optional<uint32_t> functionAt(uint64_t address) const {
    const auto after = std::upper_bound(m_out.m_starts.begin(), m_out.m_starts.end(), address);
    if (after == m_out.m_starts.begin()) return std::nullopt;
    return static_cast<uint32_t>(after - m_out.m_starts.begin() - 1);
  }

  void add(const CodeReference& one) {
    if (one.kind == Kind::Constant) return addConstant(one);
    addPointer(one);
    const bool read = one.kind == Kind::Read || one.kind == Kind::Address || one.kind == Kind::Name;
    if (read) addUser(one);
    if (one.kind == Kind::Name) {
      m_pending = one;
      if (!isCode(one.target)) return;
    }
    if (one.kind == Kind::Read) return;
    const bool code = one.kind != Kind::Indirect && isCode(one.target);
    if (one.kind == Kind::Indirect || (one.kind == Kind::Call && code) || (one.kind == Kind::Jump && code))
      endArguments(one);
    if (code) addCall(one.at, one.target);
  }

  /// `at` calls the function that begins at `target`, or computes its address.
  void addCall(uint64_t at, uint64_t target) {
    const auto called = functionAt(target), caller = functionAt(at);
    if (!called || !caller || *called == *caller || m_out.m_starts[*called] != target) return;
    if (m_out.m_calls.size() >= kCalls) {
      m_full = true;
      return;
    }
    m_out.m_calls.emplace_back(*called, *caller);
  }

  void addPointer(const CodeReference& one) {
    if (m_wanted.pointers.empty() || one.kind == Kind::Call || one.kind == Kind::Jump || one.kind == Kind::Indirect)
      return;
    if (const auto found = m_wanted.pointers.find(one.target); found != m_wanted.pointers.end())
      addCall(one.at, found->second);
  }

  /// A constant is a distance from one of the bases when something that is searched is there.
  void addConstant(const CodeReference& one) {
    for (const uint64_t base : m_wanted.bases) {
      const CodeReference moved{Kind::Address, one.at, base + one.target};
      addPointer(moved);
      addUser(moved);
      if (isCode(moved.target)) addCall(moved.at, moved.target);
    }
  }

  void addUser(const CodeReference& one) {
    auto place = m_wanted.places.find(one.target);
    // The word that the code reads may contain the address of the searched one: pointers of PE and Mach-O, which the
    // linker has filled in.
    if (place == m_wanted.places.end() && one.kind == Kind::Read && m_image.format != container::Format::Elf)
      if (const auto bytes = m_image.findBytesAt(one.target))
        place = m_wanted.places.find(container::numberAt<uint64_t>(bytes->view(), 0));
    if (place == m_wanted.places.end()) return;
    const auto user = functionAt(one.at);
    if (!user) return;
    auto& users = m_out.m_users[place->second];
    if (users.empty() || users.back() != *user) users.push_back(*user);
  }

  void endArguments(const CodeReference& call) {
    if (!m_pending) return;
    const CodeReference name = *m_pending;
    if (call.kind != Kind::Jump) m_pending.reset();
    if (call.at - name.at > kWindow || m_candidates.size() >= kFunctions) return;
    const auto function = functionAt(name.at);
    if (!function) return;
    m_candidates.push_back(
        {*function, name.target, call.kind == Kind::Indirect ? std::nullopt : std::optional(call.target)});
  }

  /// Keeps the candidates whose function reads a word with a function that looks up names, or that call a stub with
  /// such a word.
  void finishNames() {
    std::vector<bool> looks(m_out.m_starts.size());
    for (uint32_t word = 0; word < m_wanted.count; ++word)
      if (word < m_wanted.lookups.size() && m_wanted.lookups[word])
        for (const uint32_t user : m_out.m_users[word]) looks[user] = true;
    for (const Candidate& one : m_candidates) {
      const auto called = one.stub ? functionAt(*one.stub) : std::optional(one.function);
      if (!called || !looks[*called]) continue;
      const std::string_view text = textAt(one.text);
      if (!text.empty()) m_out.m_names.push_back({text, one.function});
    }
  }

  /// The text up to NUL at an address of data; empty when it is not a name.
  std::string_view textAt(uint64_t address) const {
    if (isCode(address)) return {};
    const auto bytes = m_image.findBytesAt(address);
    if (!bytes) return {};
    const std::string_view text = bytes->view().substr(0, kLongestText);
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) return {};
    const bool isName = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end),
                                    [](char c) { return c > 0x20 && c < 0x7f; });
    return isName ? text.substr(0, end) : std::string_view();
  }

  const Image& m_image;
  const CodeGraph::Wanted& m_wanted;
  Monitor& m_monitor;
  CodeGraph m_out;
  std::vector<Range> m_ranges;   ///< by address
  std::vector<Extent> m_sized;   ///< functions with symbols, by address
  std::vector<uint64_t> m_found; ///< functions without a symbol
  std::vector<Candidate> m_candidates;
  std::optional<CodeReference> m_pending; ///< the last text that was put into the register of the second argument
  bool m_full = false;
};

Result<CodeGraph> CodeGraph::read(const Image& image, const Wanted& wanted, Monitor& monitor) {
  return CodeReader(image, wanted, monitor).read();
}

std::optional<uint32_t> CodeGraph::findFunction(uint64_t address) const {
  const auto found = std::lower_bound(m_starts.begin(), m_starts.end(), address);
  if (found == m_starts.end() || *found != address) return std::nullopt;
  return static_cast<uint32_t>(found - m_starts.begin());
}

std::vector<uint64_t> CodeGraph::callersOf(const std::vector<uint32_t>& functions) const {
  std::unordered_set<uint32_t> seen;
  std::vector<uint32_t> open;
  const auto visit = [&](uint32_t function) {
    if (seen.insert(function).second) open.push_back(function);
  };
  for (const uint32_t function : functions) visit(function);
  std::vector<uint64_t> out;
  while (!open.empty()) {
    const uint32_t function = open.back();
    open.pop_back();
    out.push_back(m_starts[function]);
    const auto first = std::lower_bound(m_calls.begin(), m_calls.end(), std::pair(function, uint32_t{0}));
    for (auto call = first; call != m_calls.end() && call->first == function; ++call) visit(call->second);
  }
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace blobscope::requirements
