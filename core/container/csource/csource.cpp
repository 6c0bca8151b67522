#include "core/container/csource/csource.h"

#include "core/base/limits.h"
#include "core/base/memory.h"
#include "core/base/source.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace blobscope::container {
namespace {

constexpr std::array kCarrierNames = {CarrierName::DevMblob, CarrierName::FfiLibraryBin, CarrierName::FfiLibraryBin2};
constexpr std::string_view kExport = "TVM_DLL";
/// The beginning of the names of functions that runtimes of tvm-ffi find.
constexpr std::string_view kFunction = "__tvm_ffi_";
/// The first lines of host code that TVM (v0.7 and later) and TileLang write.
constexpr std::array<std::string_view, 2> kHeads = {"// tvm target: ", "// tilelang target: "};
/// Longest declaration before a function's parameters, and longest text from an array's name to its items. Without a
/// limit, comments and blanks there would be read completely for each name.
constexpr std::size_t kDeclaration = 4'096;

/// Most bytes of parameters that are read to distinguish definitions from calls; more come from damage.
constexpr uint64_t kParameterBytes = 256u << 20;

bool isNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.';
}
bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

constexpr uint64_t kItemsAtOnce = 65'536;

/// Skips white space and comments.
std::size_t skipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (isSpace(text[at])) {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else {
      break;
    }
  }
  return at;
}

/// An integer in C syntax: 10, 0x1f, 017, 0b11, with suffixes u and l; a character without escapes.
std::optional<uint64_t> integer(std::string_view word) {
  if (word.size() == 3 && word.front() == '\'' && word.back() == '\'') return static_cast<unsigned char>(word[1]);
  while (!word.empty() && (word.back() == 'u' || word.back() == 'U' || word.back() == 'l' || word.back() == 'L'))
    word.remove_suffix(1);
  unsigned base = 10;
  if (word.size() > 1 && word[0] == '0') {
    const char second = static_cast<char>(word[1] | 0x20);
    base = second == 'x' ? 16 : second == 'b' ? 2 : 8;
    word.remove_prefix(base == 8 ? 1 : 2);
  }
  if (word.empty()) return std::nullopt;
  uint64_t value = 0;
  for (const char c : word) {
    const char lower = static_cast<char>(c | 0x20);
    const unsigned digit = c >= '0' && c <= '9'           ? static_cast<unsigned>(c - '0')
                           : lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10)
                                                          : 16U;
    if (digit >= base || value > UINT64_MAX / base - 1) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

/// `NAME [ N ] = {` around a carrier's name.
struct ArrayHead {
  std::string_view name;
  std::optional<uint64_t> length; ///< N, when it is stated
  std::size_t items = 0;          ///< after the brace
};

/// The head of an array whose name ends at `nameEnd`, nothing for other uses of the name.
std::optional<ArrayHead> arrayHead(std::string_view whole, std::size_t nameEnd) {
  const std::string_view text = whole.substr(0, nameEnd + kDeclaration);
  std::size_t begin = nameEnd;
  while (begin > 0 && isNameByte(text[begin - 1])) --begin;
  ArrayHead head{text.substr(begin, nameEnd - begin), std::nullopt, 0};
  std::size_t at = skipBlanks(text, nameEnd);
  if (at >= text.size() || text[at] != '[') return std::nullopt;
  at = skipBlanks(text, at + 1);
  const std::size_t close = text.find(']', at);
  if (close == std::string_view::npos || close - at > 64) return std::nullopt;
  std::size_t end = close;
  while (end > at && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  if (end > at) head.length = integer(text.substr(at, end - at));
  at = skipBlanks(text, close + 1);
  if (at >= text.size() || text[at] != '=') return std::nullopt;
  at = skipBlanks(text, at + 1);
  if (at >= text.size() || text[at] != '{') return std::nullopt;
  head.items = at + 1;
  return head;
}

/// All array heads named like a carrier, in text order.
std::vector<ArrayHead> arrayHeads(std::string_view text) {
  std::vector<ArrayHead> heads;
  for (const CarrierName name : kCarrierNames) {
    const std::string_view word = carrierText(name);
    for (std::size_t at = findBytes(text, word, 0); at != std::string_view::npos && heads.size() < limits::kCarriers;
         at = findBytes(text, word, at + 1)) {
      const std::size_t end = at + word.size();
      if (end < text.size() && isNameByte(text[end])) continue;
      if (const auto head = arrayHead(text, end)) heads.push_back(*head);
    }
  }
  std::sort(heads.begin(), heads.end(), [](const ArrayHead& a, const ArrayHead& b) { return a.items < b.items; });
  return heads;
}

/// Whether a line at the beginning says that TVM or TileLang wrote the text.
bool hasHead(std::string_view text) {
  constexpr std::size_t kHead = 4'096;
  const std::string_view head = text.substr(0, kHead);
  return std::any_of(kHeads.begin(), kHeads.end(), [&](std::string_view line) {
    const std::size_t at = head.find(line);
    return at != std::string_view::npos && (at == 0 || head[at - 1] == '\n');
  });
}

/// Finds the definitions of functions whose names begin with kFunction, in text order:
/// `int32_t __tvm_ffi_NAME(void* self, …) {`. TVM writes every byte of a function's name except those of control
/// characters, so that a name may contain blanks and quotes (seen with 0.27; no compiler takes such text).
class DefinitionReader {
public:
  explicit DefinitionReader(std::string_view text) : m_text(text) {}

  /// The name of the next definition; nothing after the last one. `steps` counts occurrences of kFunction.
  std::optional<std::string_view> next(uint64_t& steps) {
    while ((m_at = findBytes(m_text, kFunction, m_at)) != std::string_view::npos) {
      const std::size_t at = m_at;
      m_at += kFunction.size();
      ++steps;
      if (at > 0 && isNameByte(m_text[at - 1])) continue;
      if (!isDeclaration(at)) continue;
      const std::string_view line = m_text.substr(at, kDeclaration);
      const std::size_t open = line.find_first_of("(\n");
      if (open == std::string_view::npos || line[open] != '(' || !isDefinedAt(at + open)) continue;
      std::string_view name = line.substr(0, open);
      while (name.back() == ' ') name.remove_suffix(1); // ends at the latest after the prefix
      m_at = at + open;
      return name;
    }
    return std::nullopt;
  }

private:
  /// Whether the line in front of a name is the beginning of an exported declaration: only words, such as
  /// `TVM_DLL int32_t`.
  bool isDeclaration(std::size_t at) const {
    constexpr std::size_t kPrefix = 256;
    std::size_t begin = at;
    while (begin > 0 && m_text[begin - 1] != '\n') {
      const char c = m_text[begin - 1];
      if ((!isNameByte(c) && c != ' ' && c != '\t' && c != '*' && c != '"') || at - begin > kPrefix) return false;
      --begin;
    }
    const std::string_view prefix = m_text.substr(begin, at - begin);
    return prefix.find("static ") == std::string_view::npos && prefix.find("return ") == std::string_view::npos;
  }
  /// Whether the parenthesis opens parameters that the body of a function follows.
  bool isDefinedAt(std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < m_text.size() && at - open < kDeclaration; ++at) {
      if (++m_parameterBytes > kParameterBytes) return false;
      if (m_text[at] == '(') ++depth;
      if (m_text[at] == ';' || m_text[at] == '{') return false;
      if (m_text[at] != ')' || --depth > 0) continue;
      at = skipBlanks(m_text.substr(0, at + kDeclaration), at + 1);
      return at < m_text.size() && m_text[at] == '{';
    }
    return false;
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  uint64_t m_parameterBytes = 0;
};

} // namespace

Result<bool> looksLikeCSource(std::string_view text, Monitor& monitor) {
  // Binary data is recognised in the first step. The names are searched in the same pass, while the text is in the
  // cache.
  constexpr std::size_t kStep = 1 << 20, kOverlap = 64;
  bool exported = false, named = false, functions = false;
  for (std::size_t at = 0; at < text.size(); at += kStep) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const std::string_view step = text.substr(at, kStep + kOverlap);
    if (step.find('\0') != std::string_view::npos) return false;
    if (exported) continue;
    exported = findBytes(step, kExport, 0) != std::string_view::npos;
    functions = functions || findBytes(step, kFunction, 0) != std::string_view::npos;
    for (const CarrierName name : kCarrierNames)
      named = named || findBytes(step, carrierText(name), 0) != std::string_view::npos;
  }
  if (exported || hasHead(text) || (named && !arrayHeads(text).empty())) return true;
  if (!functions) return false;
  DefinitionReader reader(text);
  uint64_t steps = 0;
  return reader.next(steps).has_value();
}

Result<Image> readCSource(const Bytes& file, Monitor& monitor) {
  Image image;
  image.file = file;
  image.format = Format::CSource;
  image.kind = Kind::Text;
  image.bits = 0;
  const std::string_view text = file.view();
  for (const ArrayHead& head : arrayHeads(text)) {
    Symbol symbol;
    symbol.name = head.name;
    symbol.type = SymbolType::Object;
    symbol.binding = Binding::Global;
    symbol.defined = symbol.absolute = symbol.dynamic = true; // the file contains the bytes as text, not as they are
    if (head.length) symbol.size = *head.length;
    image.symbols.push_back(symbol);
  }
  const uint64_t limit = symbolLimit(file);
  std::unordered_set<std::string_view> known;
  const auto addFunction = [&](std::string_view name) {
    if (!known.insert(name).second) return; // a function is listed once, however it is exported
    Symbol symbol;
    symbol.name = name;
    symbol.type = SymbolType::Function;
    symbol.binding = Binding::Global;
    symbol.defined = symbol.absolute = symbol.dynamic = true;
    image.symbols.push_back(symbol);
  };
  // `int32_t __tvm_ffi_NAME(…) {`, whatever exports it: TileLang writes no TVM_DLL, tvm-ffi TVM_FFI_DLL_EXPORT.
  uint64_t steps = 0, nextStop = 4'096;
  DefinitionReader reader(text);
  while (image.symbols.size() < limit) {
    const auto name = reader.next(steps);
    if (!name) break;
    addFunction(*name);
    if (steps < nextStop) continue;
    nextStop = steps + 4'096;
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  }
  // `TVM_DLL int32_t NAME(…) {`; a declaration ends with a semicolon and is not a definition.
  std::size_t checked = 0, open = 0, stop = 0; // the next parenthesis, and the next brace or semicolon
  for (std::size_t at = findBytes(text, kExport, 0), from = 0;
       at != std::string_view::npos && image.symbols.size() < limit; at = findBytes(text, kExport, from)) {
    from = at + kExport.size();
    if (++checked % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (open < from) open = std::min(text.find('(', from), text.size());
    if (stop < from) stop = std::min(text.find_first_of("{;", from), text.size());
    if (open > stop || stop - at >= kDeclaration || stop == text.size() || text[stop] != '{') continue;
    std::size_t end = open;
    while (end > from && (text[end - 1] == ' ' || text[end - 1] == '\n')) --end;
    std::size_t begin = end;
    while (begin > from && isNameByte(text[begin - 1])) --begin;
    // Functions of tvm-ffi are complete already; the last word of an unusual name is not a function.
    const bool isKnown = findBytes(text.substr(from, open - from), kFunction, 0) != std::string_view::npos;
    from = open; // a function is listed once, however often the word precedes it
    if (begin != end && !isKnown) addFunction(text.substr(begin, end - begin));
  }
  // Variables that show the generation of the host code.
  for (const std::string_view name : {"__tvm_module_ctx", "__tvm_ffi_library_ctx", "__tvm_ffi__library_ctx"}) {
    const std::size_t at = findBytes(text, name, 0);
    if (at == std::string_view::npos) continue;
    Symbol symbol;
    symbol.name = text.substr(at, name.size());
    symbol.type = SymbolType::Object;
    symbol.binding = Binding::Global;
    symbol.defined = symbol.absolute = symbol.dynamic = true;
    image.symbols.push_back(symbol);
  }
  // Functions of the runtime that show it too, if the text calls them. Source: core/formats/host-abi.md 1.1.
  for (const std::string_view name :
       {"TVMBackendSetDevice", "TVMFFIEnvModLookupFromImports", "TVMFFIErrorSetRaisedFromCStrParts"}) {
    const std::size_t at = findBytes(text, std::string(name) + "(", 0);
    if (at == std::string_view::npos || (at > 0 && isNameByte(text[at - 1]))) continue;
    Symbol symbol;
    symbol.name = text.substr(at, name.size());
    symbol.type = SymbolType::Function;
    symbol.binding = Binding::Global;
    symbol.dynamic = true;
    image.symbols.push_back(symbol);
  }
  return image;
}

Result<std::vector<Carrier>> findSourceCarriers(const Image& image, const BudgetPtr& budget,
                                                std::vector<Diagnostic>& diagnostics, Monitor& monitor) {
  std::vector<Carrier> found;
  const std::string_view text = image.file.view();
  std::size_t at = 0;
  for (const ArrayHead& head : arrayHeads(text)) {
    const auto match = matchCarrier(head.name);
    if (!match || head.items < at) continue;
    GrowingBuffer bytes;
    Charge charge(budget);
    at = head.items;
    std::optional<std::string> wrong;
    for (uint64_t item = 0;; ++item) {
      if (item % kItemsAtOnce == 0) {
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        monitor.progress("reading the array", at, text.size());
        if (!charge.add(kItemsAtOnce)) {
          if (diagnostics.size() < limits::kDiagnostics)
            diagnostics.push_back(budget->memoryExceeded("of array items", kItemsAtOnce, Ref::bytesAt(at)));
          break;
        }
      }
      at = skipBlanks(text, at);
      if (at >= text.size()) {
        wrong = "the text ends inside the array";
        break;
      }
      if (text[at] == '}') break;
      const std::size_t end = std::min(text.find_first_of(",} \t\r\n/", at + (text[at] == '\'' ? 2 : 0)), text.size());
      const auto value = integer(text.substr(at, end - at));
      if (!value || *value > 0xff) {
        wrong = "item " + std::to_string(item) + " is '" +
                escapedWithin(text.substr(at, std::min<std::size_t>(end - at, 32)), 64) + "', no byte";
        break;
      }
      const auto byte = static_cast<std::byte>(*value);
      if (!bytes.append({&byte, 1})) return memoryError();
      at = skipBlanks(text, end);
      if (at < text.size() && text[at] == ',') ++at;
    }
    if (wrong && diagnostics.size() < limits::kDiagnostics)
      diagnostics.push_back({DiagnosticId::FileTable,
                             Ref::bytesAt(at),
                             {arg("table", "array '" + escaped(head.name) + "'"), arg("reason", *wrong)}});
    Carrier carrier;
    carrier.name = match->name;
    carrier.prefix = match->prefix;
    carrier.symbol = head.name;
    const auto source = ByteSource::fromBuffer(std::move(bytes), std::move(charge));
    carrier.available = ByteSource::all(source);
    carrier.symbolSize = head.length;
    found.push_back(std::move(carrier));
  }
  return found;
}

} // namespace blobscope::container
