#include "core/base/text.h"
#include "core/targets/release_runtime.h"

#include <algorithm>
#include <array>
#include <set>

namespace blobscope::targets {
namespace {

using State = Availability::State;
using Names = std::set<std::string, std::less<>>;

constexpr std::size_t kNames = 100'000;                  // maximum of names in one list
constexpr std::size_t kNameBytes = 4'096;                // maximum length of a name
constexpr std::size_t kList = std::size_t{4} << 20;      // maximum length of a list with its functions
constexpr std::size_t kLargest = std::size_t{256} << 20; // real bundles have up to some megabytes

bool isNamePart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/// Reads the keys of an object literal of JavaScript; values are skipped. Source: ECMA-262, 13.2.5.
class ObjectReader {
public:
  explicit ObjectReader(std::string_view text) : m_text(text.substr(0, kList)) {}

  /// The text begins after the opening brace.
  Names read() {
    Names out;
    while (out.size() < kNames) {
      skipSpace();
      if (m_at >= m_text.size() || m_text[m_at] == '}') break;
      const std::string key = readKey();
      skipSpace();
      const bool isEntry =
          m_at < m_text.size() && std::string_view(":,}(").find(m_text[m_at]) != std::string_view::npos;
      if (isEntry && !key.empty()) out.insert(key);
      skipValue();
    }
    return out;
  }

private:
  void skipSpace() {
    while (m_at < m_text.size()) {
      if (m_text.substr(m_at).starts_with("//"))
        m_at = std::min(m_text.find('\n', m_at), m_text.size());
      else if (m_text.substr(m_at).starts_with("/*"))
        m_at = std::min(m_text.find("*/", m_at), m_text.size() - 2) + 2;
      else if (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\n' || m_text[m_at] == '\r')
        ++m_at;
      else
        return;
    }
  }
  void skipQuoted() {
    const char quote = m_text[m_at++];
    while (m_at < m_text.size() && m_text[m_at] != quote) m_at += m_text[m_at] == '\\' ? 2 : 1;
    m_at = std::min(m_at + 1, m_text.size());
  }
  std::string readKey() {
    const std::size_t begin = m_at;
    if (m_text[m_at] == '"' || m_text[m_at] == '\'') {
      skipQuoted();
      return m_at - begin < 2 ? std::string()
                              : std::string(m_text.substr(begin + 1, std::min(m_at - begin - 2, kNameBytes)));
    }
    while (m_at < m_text.size() && isNamePart(m_text[m_at])) ++m_at;
    return std::string(m_text.substr(begin, std::min(m_at - begin, kNameBytes)));
  }
  /// To what follows the comma of this entry, or to the closing brace of the object.
  void skipValue() {
    std::size_t depth = 0;
    while (m_at < m_text.size()) {
      skipSpace();
      if (m_at >= m_text.size()) return;
      const char c = m_text[m_at];
      if (c == '"' || c == '\'' || c == '`') {
        skipQuoted();
        continue;
      }
      if (depth == 0 && c == '}') return;
      ++m_at;
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
      if (c == ',' && depth == 0) return;
    }
  }

  std::string_view m_text;
  std::size_t m_at = 0;
};

/// The web runtime in JavaScript. A library for browsers contains the runtime itself; the JavaScript provides what it
/// imports.
class WebBundle final : public ReleaseRuntime {
public:
  WebBundle(FactsPtr facts, std::size_t release, std::string name, std::set<uint32_t> groups)
      : ReleaseRuntime(std::move(facts), release, {}, std::move(groups)) {
    m_name = std::move(name);
  }
  bool onDisk() const override { return true; }
  std::optional<std::size_t> release() const override { return std::nullopt; }
  std::vector<std::string> evidence() const override { return sentences; }
  Availability function(std::string_view name) const override {
    if (registered.contains(name)) return {State::Present, {}, "JavaScript"};
    return ReleaseRuntime::function(name);
  }
  Availability symbol(std::string_view name) const override {
    Availability out{State::Unknown, {}, "JavaScript"};
    if (stubs.contains(name)) {
      out.state = State::Present;
      out.why = "it is only a stub: a call of it ends the program";
    } else if (provided.contains(name)) {
      out.state = State::Present;
    } else if (complete) {
      out.state = State::Absent;
    }
    return out;
  }
  /// The bundle lists the functions of the module "env"; those of WASI are the same in all bundles of a release.
  Availability webImport(std::string_view module, std::string_view name) const override {
    return module == "env" ? symbol(name) : ReleaseRuntime::webImport(module, name);
  }
  std::vector<std::string> architectures() const override { return {"wasm32"}; }

  Names provided, stubs, registered;
  bool complete = false; ///< `provided` has all names
  std::vector<std::string> sentences;
};

/// The objects that are assigned to a variable of that name, or that have that key first.
std::vector<std::size_t> objectsOf(std::string_view text, std::string_view variable) {
  std::vector<std::size_t> out;
  constexpr std::size_t kMost = 16;
  for (std::size_t at = text.find(variable); at != std::string_view::npos && out.size() < kMost;
       at = text.find(variable, at + 1)) {
    std::size_t next = at + variable.size();
    const auto skip = [&] { next = std::min(text.find_first_not_of(" \t\r\n", next), text.size()); };
    skip();
    if (next >= text.size() || text[next] != '=') continue;
    ++next;
    skip();
    if (next < text.size() && text[next] == '{') out.push_back(next + 1);
  }
  return out;
}

/// The begin of the object literal whose first key is at `key`.
std::optional<std::size_t> objectBefore(std::string_view text, std::size_t key) {
  const std::size_t brace = text.substr(0, key).rfind('{');
  if (brace == std::string_view::npos || key - brace > 4'096) return std::nullopt;
  std::string_view between = text.substr(brace + 1, key - brace - 1);
  while (!between.empty()) {
    const std::size_t next = between.find_first_not_of(" \t\r\n\"'");
    if (next == std::string_view::npos) return brace + 1;
    between.remove_prefix(next);
    if (!between.starts_with("//") && !between.starts_with("/*")) return std::nullopt;
    const std::size_t end = between.find(between[1] == '/' ? "\n" : "*/");
    between.remove_prefix(end == std::string_view::npos ? between.size() : end + (between[1] == '/' ? 1 : 2));
  }
  return brace + 1;
}

/// What is quoted after each occurrence of `before`.
Names quotedAfter(std::string_view text, std::string_view before) {
  Names out;
  for (std::size_t at = text.find(before); at != std::string_view::npos && out.size() < kNames;
       at = text.find(before, at + 1)) {
    std::size_t begin = at + before.size();
    while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\n')) ++begin;
    if (begin >= text.size() || (text[begin] != '"' && text[begin] != '\'')) continue;
    const std::size_t end = text.find(text[begin], begin + 1);
    if (end != std::string_view::npos && end - begin < kNameBytes) out.emplace(text.substr(begin + 1, end - begin - 1));
  }
  return out;
}

} // namespace

Result<RuntimePtr> readWebBundle(const FactsPtr& facts, std::string name, const Bytes& file, Monitor& monitor) {
  if (file.size() > kLargest) return RuntimePtr();
  const std::string_view text = file.view();
  // Classic, and from v0.21 on. Source: apache/tvm, web/src/environment.ts.
  const bool ffi = text.find("TVMFFIWasmSafeCall") != std::string_view::npos;
  const bool classic = text.find("TVMWasmPackedCFunc") != std::string_view::npos;
  const bool isText = text.substr(0, 4'096).find('\0') == std::string_view::npos;
  if ((!ffi && !classic) || !isText) return RuntimePtr();
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  std::size_t release = facts->newestRelease();
  if (!ffi) release = facts->findRelease("0.20").value_or(release);
  std::set<uint32_t> groups;
  const std::vector<std::string>& known = facts->tables().groups;
  if (const auto web = std::ranges::find(known, "WASM"); web != known.end())
    groups.insert(static_cast<uint32_t>(web - known.begin()));
  auto out = std::make_shared<WebBundle>(facts, release, std::move(name), std::move(groups));

  // What Emscripten's part provides. Source: emscripten tools/emscripten.py, create_sending.
  for (const char* const variable : {"wasmImports", "asmLibraryArg"})
    for (const std::size_t at : objectsOf(text, variable)) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const Names names = ObjectReader(text.substr(at)).read();
      // With short names it belongs to one WebAssembly file only.
      const auto isShort = [](const std::string& one) { return one.size() <= 2; };
      if (names.empty() || std::ranges::count_if(names, isShort) * 2 > std::ssize(names)) continue;
      out->provided.insert(names.begin(), names.end());
      out->complete = true;
    }
  // What TVM's part adds. Source: apache/tvm, web/src/environment.ts, Environment::environment.
  for (const char* const first : {"__cxa_thread_atexit", "TVMWasmPackedCFunc", "TVMFFIWasmSafeCall"})
    for (std::size_t at = text.find(first); at != std::string_view::npos; at = text.find(first, at + 1)) {
      if (at > 0 && isNamePart(text[at - 1])) continue;
      const auto begin = objectBefore(text, at);
      if (!begin) continue;
      const Names names = ObjectReader(text.substr(*begin)).read();
      if (names.contains(first)) out->provided.insert(names.begin(), names.end());
    }
  // A name without a definition gets a function that ends the program. Source: emscripten src/jsifier.mjs.
  constexpr std::string_view kMissing = "missing function: ";
  for (std::size_t at = text.find(kMissing); at != std::string_view::npos && out->stubs.size() < kNames;
       at = text.find(kMissing, at + 1)) {
    std::size_t end = at + kMissing.size();
    while (end < text.size() && isNamePart(text[end])) ++end;
    std::string stub(text.substr(at + kMissing.size(), std::min(end - at - kMissing.size(), kNameBytes)));
    if (out->provided.contains(stub) && !stub.starts_with("TVM")) out->stubs.insert(std::move(stub));
  }
  for (const char* const call : {"registerFunc(", "registerAsyncServerFunc("}) {
    const Names names = quotedAfter(text, call);
    out->registered.insert(names.begin(), names.end());
  }
  std::size_t cxx = 0;
  std::string stubText;
  for (const std::string& stub : out->stubs)
    if (stub.starts_with("_Z") && ++cxx <= 8) stubText += (stubText.empty() ? "" : ", ") + escaped(demangled(stub));
  out->sentences.push_back(ffi ? "It is the JavaScript of TVM's web runtime, of v0.21 or later"
                               : "It is the JavaScript of TVM's web runtime, of v0.20 or earlier");
  if (out->complete)
    out->sentences.push_back("It provides " + countText(out->provided.size(), "function") + " to WebAssembly");
  else
    out->sentences.push_back("It provides " + countText(out->provided.size(), "function") +
                             " to WebAssembly, and what another JavaScript file adds, such as tvmjs_runtime.wasi.js");
  if (cxx > 0)
    out->sentences.push_back("It has stubs for " + countText(cxx, "C++ function") +
                             ", whose call ends the program: " + stubText + (cxx > 8 ? ", …" : ""));
  return RuntimePtr(std::move(out));
}

} // namespace blobscope::targets
