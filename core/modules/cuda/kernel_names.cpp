#include "core/modules/cuda/kernel_names.h"

#include "core/payloads/ptx/ptx.h"
#include "core/payloads/sniff.h"
#include "core/syntax/lexer.h"

#include <algorithm>
#include <map>

namespace blobscope::modules {
namespace {

using Names = std::set<std::string_view>;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
/// Bytes from 0x80 on belong to names in other scripts.
bool isWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

/// A word of CUDA C++.
struct SourceWord {
  std::string_view text;
  uint64_t position = 0;
  bool kernel = false; ///< it is followed by '(' in a declaration with `__global__`
};

/// Splits CUDA C++ into words, without those in comments, strings and characters. Words in preprocessor lines are
/// returned, but are never kernels.
class SourceWords {
public:
  explicit SourceWords(std::string_view text) : m_text(text) {}

  std::optional<SourceWord> next() {
    while (m_at < m_text.size()) {
      const char c = m_text[m_at];
      if (const std::size_t end = afterComment(m_at); end != m_at) {
        m_at = end;
        continue;
      }
      if (c == '\n') {
        const bool continued = m_at > 0 && m_text[m_at - 1] == '\\';
        if (!continued) m_directive = false;
        m_lineStarts = true;
        ++m_at;
        continue;
      }
      if (isSpace(c)) {
        ++m_at;
        continue;
      }
      if (c == '#' && m_lineStarts) m_directive = true;
      m_lineStarts = false;
      if (c == '"' || c == '\'') {
        skipQuoted(c);
      } else if (isWordByte(c)) {
        return word();
      } else {
        if (!m_directive && (c == ';' || c == '{' || c == '}')) m_global = false;
        ++m_at;
      }
    }
    return std::nullopt;
  }

private:
  /// Returns the end of the comment that begins at a position; the position itself when there is none.
  std::size_t afterComment(std::size_t at) const {
    const std::string_view start = m_text.substr(at, 2);
    if (start == "//") return std::min(m_text.find('\n', at), m_text.size());
    if (start == "/*") return std::min(m_text.find("*/", at + 2), m_text.size() - 2) + 2;
    return at;
  }
  void skipQuoted(char quote) {
    for (++m_at; m_at < m_text.size() && m_text[m_at] != quote && m_text[m_at] != '\n'; ++m_at)
      if (m_text[m_at] == '\\') ++m_at;
    if (m_at < m_text.size() && m_text[m_at] == quote) ++m_at;
    m_at = std::min(m_at, m_text.size());
  }
  SourceWord word() {
    SourceWord out{{}, m_at};
    // In a number, ' separates digits: 1'000.
    const bool number = isDigit(m_text[m_at]);
    const auto continues = [&](std::size_t at) { return at < m_text.size() && isWordByte(m_text[at]); };
    while (continues(m_at) || (number && m_at < m_text.size() && m_text[m_at] == '\'' && continues(m_at + 1))) ++m_at;
    out.text = m_text.substr(out.position, m_at - out.position);
    if (m_directive) return out;
    if (out.text == "__global__") m_global = true;
    std::size_t after = m_at;
    while (after < m_text.size()) {
      const std::size_t next = isSpace(m_text[after]) ? after + 1 : afterComment(after);
      if (next == after) break;
      after = next;
    }
    out.kernel = m_global && after < m_text.size() && m_text[after] == '(';
    return out;
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  bool m_lineStarts = true; ///< only spaces since the start of the line
  bool m_directive = false; ///< in a preprocessor line
  bool m_global = false;    ///< the declaration contains `__global__`
};

bool isSourceName(std::string_view name) {
  const auto isAllowed = [](char c) { return isWordByte(c) && static_cast<unsigned char>(c) < 0x80; };
  if (name.empty() || isDigit(name[0]) || !std::all_of(name.begin(), name.end(), isAllowed)) return false;
  // Functions that device code can call without a header. Source: CUDA C++ Programming Guide 13.0, 10.32 – 10.35.
  constexpr std::string_view kDefined[] = {"alloca", "assert", "free", "main", "malloc", "memcpy", "memset", "printf"};
  if (name.starts_with("__") || std::binary_search(std::begin(kDefined), std::end(kDefined), name)) return false;
  const syntax::Language& language = syntax::language("cuda");
  for (const auto& words : {language.keywords, language.types, language.registers})
    if (std::binary_search(words.begin(), words.end(), name)) return false;
  return true;
}

/// Returns the places of all names that can be replaced. `scan(names, use)` calls `use(place, replaceable)` for each
/// word of the text that is one of `names`.
template <class Scan>
std::vector<NameInCode> findPlaces(KernelRenames renames, bool (*isValid)(std::string_view), const Scan& scan) {
  // --- 1. Names that the language accepts, each for one kernel. ---
  std::map<std::string, std::size_t, std::less<>> uses;
  for (const auto& [from, to] : renames) ++uses[to];
  std::erase_if(renames, [&](const auto& rename) { return !isValid(rename.second) || uses[rename.second] > 1; });

  // --- 2. Without those that would meet an equal name or that are used otherwise, until all fit together. ---
  std::vector<NameInCode> out;
  while (!renames.empty()) {
    Names names;
    for (const auto& [from, to] : renames) {
      names.insert(from);
      names.insert(to);
    }
    out.clear();
    std::set<std::string, std::less<>> refused;
    scan(names, [&](Bytes place, bool replaceable) {
      const auto rename = renames.find(place.view());
      if (rename == renames.end() || !replaceable)
        refused.emplace(place.view());
      else
        out.push_back({std::move(place), rename->second});
    });
    if (refused.empty()) return out;
    std::erase_if(
        renames, [&](const auto& rename) { return refused.contains(rename.first) || refused.contains(rename.second); });
  }
  return {};
}

/// Adds the entries of PTX that are in `names` to `found`.
void addPtxKernels(const Bytes& text, const Names& names, Names& found) {
  for (const payloads::PtxName& use : payloads::findPtxNames(text, names))
    if (use.entry) found.insert(*names.find(use.name.view()));
}

/// Adds the kernels of one image that are in `names` to `found`. False when the image cannot be read.
bool addKernels(const Bytes& image, const Names& names, Names& found) {
  const std::string_view content = payloads::sniff(image);
  if (content == "ptx") {
    addPtxKernels(image, names, found);
    return true;
  }
  if (content != "cubin") return false;
  for (const payloads::CubinKernel& kernel : payloads::readCubin(image).kernels)
    if (const auto name = names.find(kernel.name.view()); name != names.end()) found.insert(*name);
  return true;
}

} // namespace

std::vector<NameInCode> namesInPtx(const Bytes& text, const KernelRenames& renames) {
  return findPlaces(renames, payloads::isPtxName, [&](const Names& names, const auto& use) {
    for (payloads::PtxName& one : payloads::findPtxNames(text, names)) use(std::move(one.name), true);
  });
}

std::vector<NameInCode> namesInSource(const Bytes& text, const KernelRenames& renames) {
  if (text.view().find("R\"") != std::string_view::npos) return {}; // raw strings are not recognized
  return findPlaces(renames, isSourceName, [&](const Names& names, const auto& use) {
    SourceWords words(text.view());
    while (const auto word = words.next())
      if (names.contains(word->text)) use(text.slice(word->position, word->text.size()), word->kernel);
  });
}

std::optional<Names> definedKernels(const Bytes& code, CudaCode form, const CudaImages& images, const Names& names,
                                    Monitor& monitor) {
  Names found;
  if (form == CudaCode::Source) {
    Names used;
    SourceWords words(code.view());
    while (const auto word = words.next())
      if (const auto name = names.find(word->text); name != names.end()) (word->kernel ? found : used).insert(*name);
    const bool known = std::includes(found.begin(), found.end(), used.begin(), used.end());
    return known ? std::optional(found) : std::nullopt;
  }
  if (form == CudaCode::Ptx) {
    addPtxKernels(code, names, found);
    return found;
  }
  if (images.entries.empty()) return addKernels(code, names, found) ? std::optional(found) : std::nullopt;
  for (const payloads::FatbinEntry& entry : images.entries) {
    if (found.size() == names.size()) break;
    const auto image = payloads::unpackEntry(entry, monitor);
    if (!image || !addKernels(*image, names, found)) return std::nullopt;
  }
  return found;
}

} // namespace blobscope::modules
