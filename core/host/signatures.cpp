#include "core/host/signatures.h"

#include "core/base/thread_rule.h"
#include "core/host/assertions.h"
#include "core/host/literal.h"
#include "core/host/text_runs.h"
#include "core/host/tilelang_checks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace blobscope::host {
namespace {

using container::Image;

/// Minimum length of the text of a check or signature, and of the name of a device.
constexpr std::size_t kText = 8, kWord = 3;
/// Maximum number of stray bytes before a text: the end of a constant before it.
constexpr std::size_t kStrayBytes = 8;
/// Longest name of a function with bytes that are not printable ASCII, and the maximum number of bytes that are read
/// for all of them.
constexpr std::size_t kNameBytes = 4'096, kNameSteps = 64u << 20;
/// Maximum number of brackets in the name of a function that is known.
constexpr std::size_t kNameBrackets = 8;
/// Maximum number of bytes of C strings that are kept without their escapes.
constexpr std::size_t kUnescapedBytes = 64u << 20;
/// Maximum number of functions that only texts name. Every one costs memory; the largest library seen has 55.
constexpr std::size_t kTextFunctions = 100'000;

/// Names in the checks of 0.24 and later, with their DLPack numbers.
constexpr std::array<std::pair<std::string_view, int>, 8> kDevices = {{{"cpu", 1},
                                                                       {"cuda", 2},
                                                                       {"opencl", 4},
                                                                       {"vulkan", 7},
                                                                       {"metal", 8},
                                                                       {"rocm", 10},
                                                                       {"webgpu", 15},
                                                                       {"hexagon", 16}}};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordPart(char c) { return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// A string of C without its escapes. TVM writes \xHH, TileLang \OOO.
std::string unescaped(std::string_view text) {
  const auto number = [&](std::size_t from, std::size_t digits, int base) -> std::optional<char> {
    unsigned value = 0;
    const char* const end = text.data() + std::min(from + digits, text.size());
    const auto [stop, failure] = std::from_chars(text.data() + std::min(from, text.size()), end, value, base);
    if (failure != std::errc{} || stop != text.data() + from + digits || value > 0xff) return std::nullopt;
    return static_cast<char>(value);
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    const bool hex = c == 'x';
    if (const auto byte = hex ? number(i + 1, 2, 16) : number(i, 3, 8)) {
      out += *byte;
      i += 2;
    } else {
      out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
  }
  return out;
}

/// The C source of TileLang's host code around the texts of its checks. Only the code states extents:
/// `if (!((((int32_t)((int64_t*)mm_A_shape)[0]) == 256))) { snprintf(…, "…", (long long)(…), (long long)(256));`, and
/// which variables they define: `int32_t n = ((int32_t)((int64_t*)mm_A_shape)[1]);`. Source: tilelang 0.1.15
/// src/backend/common/codegen/codegen_c_host.cc, VisitStmt_(const AssertStmtNode*).
class TileLangSource {
public:
  explicit TileLangSource(std::string_view source) : m_source(source) {}

  /// Finds the variables. Cancelled.
  Result<Done> read(Monitor& monitor) {
    std::unordered_map<std::string_view, Entry> temporaries; // of conditional expressions
    std::size_t done = 0;
    const auto stopped = [&] { return ++done % 4'096 == 0 && monitor.stopRequested(); };
    for (std::size_t at = m_source.find(kShape); at != npos; at = m_source.find(kShape, at + 1)) {
      if (stopped()) return Error(DiagnosticId::Cancelled, {});
      const auto assignment = assignmentAt(at);
      const auto entry = assignment ? entryOf(cleaned(assignment->value)) : std::nullopt;
      if (!entry) continue;
      if (assignment->declares)
        add(*entry, assignment->name);
      else if (temporaries.size() < kNames)
        temporaries.try_emplace(assignment->name, *entry);
    }
    constexpr std::string_view kTemporary = " = condval";
    for (std::size_t at = m_source.find(kTemporary); at != npos; at = m_source.find(kTemporary, at + 1)) {
      if (stopped()) return Error(DiagnosticId::Cancelled, {});
      const auto assignment = assignmentAt(at);
      if (!assignment || !assignment->declares) continue;
      const auto found = temporaries.find(cleaned(assignment->value));
      if (found != temporaries.end()) add(found->second, assignment->name);
    }
    return Done{};
  }

  /// Calls `visit(shape, dimension, variable)`.
  template <class Visit> void forEachVariable(const Visit& visit) const {
    for (const auto& [key, variable] : m_variables) visit(variable.entry.shape, variable.entry.index, variable.name);
  }

  /// The extent that the check with this text compares dimension `index` with; empty when it is not known.
  std::string extentBy(std::string_view text, std::string_view shape, uint32_t index) const {
    const auto sides = sidesAt(text);
    if (!sides) return {};
    const std::string own = std::string(shape) + ")[" + std::to_string(index) + "]";
    const auto isOwn = [&](std::string_view side) { return side.find(own) != npos || side.find("condval") != npos; };
    std::string_view other = isOwn(sides->first) ? sides->second : sides->first;
    if (isOwn(sides->first) == isOwn(sides->second)) return {};
    other = cleaned(other);
    if (const auto entry = entryOf(other)) {
      const auto found = m_variables.find(keyOf(*entry));
      return found == m_variables.end() ? std::string() : std::string(found->second.name);
    }
    if (other.find(kShape) != npos || other.find_first_of("\n\"{;") != npos) return {};
    std::string out(other);
    for (const std::string_view cast : kCasts)
      for (std::size_t at = out.find(cast); at != std::string::npos; at = out.find(cast, at))
        out.erase(at, cast.size());
    return out;
  }

private:
  static constexpr auto npos = std::string_view::npos;
  static constexpr std::string_view kShape = "_shape)[";
  static constexpr std::array<std::string_view, 3> kCasts = {"(int32_t)", "(int64_t)", "(long long)"};
  /// Longest statement that is read, and the maximum number of variables.
  static constexpr std::size_t kStatement = 1'024, kNames = 4'096;

  /// One number in the shape of a tensor.
  struct Entry {
    std::string_view shape;
    uint32_t index = 0;
  };
  struct Variable {
    Entry entry;
    std::string_view name;
  };
  struct Assignment {
    std::string_view name, value;
    bool declares = false;
  };
  using Sides = std::pair<std::string_view, std::string_view>;

  static std::string keyOf(const Entry& entry) {
    return std::string(entry.shape) + "[" + std::to_string(entry.index) + "]";
  }
  void add(const Entry& entry, std::string_view name) {
    if (m_variables.size() < kNames) m_variables.try_emplace(keyOf(entry), Variable{entry, name});
  }

  /// The statement `TYPE NAME = VALUE;` or `NAME = VALUE;` in the line of `at`.
  std::optional<Assignment> assignmentAt(std::size_t at) const {
    const std::size_t least = at - std::min(at, kStatement);
    const std::size_t begin = m_source.rfind('\n', at);
    std::string_view line = m_source.substr(begin == npos || begin < least ? least : begin + 1, 2 * kStatement);
    line = line.substr(0, line.find_first_of(";\n"));
    while (line.starts_with(' ')) line.remove_prefix(1);
    const std::size_t equals = line.find(" = ");
    if (equals == npos) return std::nullopt;
    Assignment out;
    out.value = line.substr(equals + 3);
    const std::string_view left = line.substr(0, equals);
    const std::size_t space = left.rfind(' ');
    out.declares = space != npos;
    out.name = out.declares ? left.substr(space + 1) : left;
    if (out.name.empty() || !std::all_of(out.name.begin(), out.name.end(), isWordPart)) return std::nullopt;
    return out;
  }

  /// The position of the bracket that closes the one at `open`; npos when there is none.
  static std::size_t closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')' && --depth == 0) return i;
    }
    return npos;
  }
  /// Without brackets around the whole, and conversions in front.
  static std::string_view cleaned(std::string_view text) {
    for (bool again = true; again;) {
      again = false;
      if (text.starts_with('(') && closing(text, 0) == text.size() - 1) {
        text = text.substr(1, text.size() - 2);
        again = true;
      }
      for (const std::string_view cast : kCasts)
        if (text.starts_with(cast)) {
          text.remove_prefix(cast.size());
          again = true;
        }
    }
    return text;
  }
  /// The dimension in "((int64_t*)f_A_shape)[1]", also when it is multiplied by the values in one byte.
  static std::optional<Entry> entryOf(std::string_view text) {
    if (const std::size_t times = text.rfind(" * "); times != npos && times + 4 == text.size() && isDigit(text.back()))
      text = cleaned(text.substr(0, times));
    constexpr std::string_view kPointer = "((int64_t*)";
    if (!text.starts_with(kPointer) || !text.ends_with(']')) return std::nullopt;
    const std::size_t bracket = text.find(")[", kPointer.size());
    if (bracket == npos) return std::nullopt;
    Entry out{text.substr(kPointer.size(), bracket - kPointer.size()), 0};
    const std::string_view digits = text.substr(bracket + 2, text.size() - bracket - 3);
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), out.index);
    if (failure != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return out;
  }

  /// Both sides of the comparison that fails with this text.
  std::optional<Sides> sidesAt(std::string_view text) const {
    const std::size_t at = static_cast<std::size_t>(text.data() - m_source.data());
    // An equation is printed: the text is followed by its sides.
    constexpr std::string_view kNext = ", (long long)(";
    std::string_view after = m_source.substr(std::min(at + text.size() + 1, m_source.size()), 2 * kStatement);
    if (after.starts_with(kNext)) {
      std::array<std::string_view, 2> sides;
      for (std::string_view& side : sides) {
        if (!after.starts_with(kNext)) return std::nullopt;
        const std::size_t end = closing(after, kNext.size() - 1);
        if (end == npos) return std::nullopt;
        side = after.substr(kNext.size(), end - kNext.size());
        after.remove_prefix(end + 1);
      }
      return Sides(sides[0], sides[1]);
    }
    // "if (!((f_A_is_null || (condval == 16)))) {": the last equation.
    const std::size_t from = at - std::min(at, 2 * kStatement);
    std::string_view condition = m_source.substr(from, at - from);
    constexpr std::string_view kIf = "if (!(", kEquals = " == ";
    const std::size_t start = condition.rfind(kIf);
    if (start == npos) return std::nullopt;
    condition.remove_prefix(start + kIf.size() - 1);
    const std::size_t close = closing(condition, 0);
    if (close == npos) return std::nullopt;
    condition = condition.substr(0, close);
    const std::size_t equals = condition.rfind(kEquals);
    if (equals == npos) return std::nullopt;
    std::size_t left = equals, right = equals + kEquals.size();
    for (int depth = 0; left > 0; --left) {
      if (condition[left - 1] == ')') ++depth;
      if (condition[left - 1] == '(' && --depth < 0) break;
    }
    const std::size_t begin = right;
    for (int depth = 0; right < condition.size(); ++right) {
      if (condition[right] == '(') ++depth;
      if (condition[right] == ')' && --depth < 0) break;
    }
    return Sides(condition.substr(left, equals - left), condition.substr(begin, right - begin));
  }

  std::string_view m_source;
  std::unordered_map<std::string, Variable> m_variables; ///< by "f_A_shape[1]"
};

class Finder {
public:
  Finder(const Image& image, const HostSymbols& host) : m_file(image.file.view()) {
    if (image.format == container::Format::CSource) m_source.emplace(m_file);
    for (std::size_t i = 0; i < host.functions.size(); ++i) {
      const std::string_view name = host.functions[i].name;
      m_known.try_emplace(name, i);
      m_unprintable = m_unprintable || std::any_of(name.begin(), name.end(), [](char c) {
                        return static_cast<unsigned char>(c) >= 0x7f || static_cast<unsigned char>(c) < 0x20;
                      });
    }
  }

  Result<Done> read(const Image& image, TextPlaces places, Monitor& monitor) {
    if (m_source && places == TextPlaces::All) {
      BLOBSCOPE_CHECK(m_source->read(monitor));
      m_source->forEachVariable([&](std::string_view shape, uint32_t index, std::string_view variable) {
        m_tileLang.addVariable(std::string(shape), index, std::string(variable));
      });
    }
    return forEachText(image, places, kWord, [&](std::string_view text, bool ended) { addText(text, ended); }, monitor);
  }
  bool found() const { return !m_assertions.empty() || !m_tileLang.empty() || !m_literals.empty(); }

  Result<std::vector<Signature>> take(const HostSymbols& host, Monitor& monitor) {
    BLOBSCOPE_TRY(tileLang, m_tileLang.signatures(m_known, monitor));
    BLOBSCOPE_TRY(checked, m_assertions.signatures(m_known, monitor));
    std::vector<Signature> out(host.functions.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i].function = host.functions[i].name;
    std::unordered_map<std::string, std::size_t> further;
    const auto place = [&](Signature signature) {
      const auto known = m_known.find(signature.function);
      if (known != m_known.end()) {
        Signature& slot = out[known->second];
        if (slot.source == Signature::Source::None) slot = std::move(signature);
        return;
      }
      if (further.size() >= kTextFunctions || !further.try_emplace(signature.function, out.size()).second) return;
      out.push_back(std::move(signature));
    };
    for (Signature& literal : m_literals) {
      // When the functions of a library are unknown, one without parameters counts only if others have some: "main()"
      // is in many texts.
      if (!m_known.empty() || !literal.parameters.empty() || m_withParameters) place(std::move(literal));
    }
    for (Signature& signature : tileLang) place(std::move(signature));
    for (Signature& signature : checked) place(std::move(signature));
    // Two symbols may have one name: a function and its copy in the static table.
    for (std::size_t i = 0; i < host.functions.size(); ++i) {
      const std::size_t first = m_known.at(host.functions[i].name);
      if (first != i) out[i] = out[first];
    }
    nameDevice(out);
    return out;
  }

private:
  void addText(std::string_view text, bool ended) {
    const std::string_view stored = text;
    if (m_source && text.find('\\') != std::string_view::npos && m_unescapedBytes < kUnescapedBytes) {
      m_unescapedBytes += text.size();
      text = m_unescaped.emplace_back(unescaped(text));
      if (text.size() < kWord) return;
    }
    if (text.size() < kText) {
      if (ended) addDevice(text);
      if (!m_known.empty() && text.back() == ')') literal(text); // "f()" of a known function
      return;
    }
    if (text == ".device_type on argument #") m_checksDevice = true;
    // CuTe DSL: one text for the device, and one that also has the words around the signature.
    constexpr std::string_view kDevice = ", expected device_type=", kCalling = " when calling: `";
    if (text.starts_with(kDevice)) {
      m_checksDevice = true;
      addDevice(text.substr(kDevice.size()));
    }
    if (text.back() == ')') literal(m_unprintable && !m_source ? withName(text) : text);
    if (const std::size_t at = text.find(kCalling); at <= kStrayBytes && text.ends_with(")`"))
      literal(text.substr(at + kCalling.size(), text.size() - at - kCalling.size() - 1));
    m_tileLang.addText(
        text, !m_source ? TileLangChecks::ExtentOf() : [&](std::string_view shape, uint32_t index) {
          return m_source->extentBy(stored, shape, index);
        });
    m_assertions.addText(text);
  }

  void addDevice(std::string_view word) {
    for (const auto& [name, number] : kDevices)
      if (word == name) m_devices |= 1u << number;
  }

  /// The text with the bytes in front of it up to NUL: the name of a function may have bytes that end a text.
  std::string_view withName(std::string_view text) {
    const char* begin = text.data();
    while (begin > m_file.data() && begin[-1] != '\0' && m_nameSteps < kNameSteps &&
           static_cast<std::size_t>(text.data() - begin) < kNameBytes) {
      --begin;
      ++m_nameSteps;
    }
    return {begin, static_cast<std::size_t>(text.data() + text.size() - begin)};
  }

  void literal(std::string_view text) {
    if (m_literals.size() >= kTextFunctions || m_values > kValues) return;
    const std::size_t bracket = text.find('(');
    if (bracket == std::string_view::npos || bracket > kNameBytes) return;
    if (m_known.empty()) {
      if (bracket == 0) return;
      if (auto signature = parseLiteral(text, true)) keep(std::move(*signature));
      return;
    }
    // A known function may have any name, also none, and one with brackets.
    std::size_t open = bracket;
    for (std::size_t tried = 0; tried < kNameBrackets && open != std::string_view::npos && open <= kNameBytes;
         ++tried, open = text.find('(', open + 1)) {
      for (std::size_t stray = 0; stray <= kStrayBytes && (stray < open || open == 0); ++stray) {
        if (!m_known.contains(text.substr(stray, open - stray))) {
          if (open == 0) break;
          continue;
        }
        if (auto signature = parseLiteral(text.substr(stray), false, open - stray)) keep(std::move(*signature));
        return;
      }
    }
  }
  void keep(Signature signature) {
    m_values += valuesOf(signature);
    if (m_values > kValues) return;
    m_withParameters |= !signature.parameters.empty();
    m_literals.push_back(std::move(signature));
  }

  /// Functions share parts of messages, so the device is known only when the file names just one: then all tensors use
  /// it.
  void nameDevice(std::vector<Signature>& signatures) const {
    if (!m_checksDevice) return;
    std::optional<int> device;
    for (const auto& [name, number] : kDevices) {
      if ((m_devices & (1u << number)) == 0) continue;
      if (device) return;
      device = number;
    }
    for (Signature& signature : signatures) {
      if (signature.source != Signature::Source::Literal) continue;
      for (Parameter& parameter : signature.parameters)
        if (parameter.kind == Parameter::Kind::Tensor) parameter.deviceType = device;
    }
  }

  std::unordered_map<std::string_view, std::size_t> m_known;
  std::string_view m_file;
  std::optional<TileLangSource> m_source; ///< for C source
  std::deque<std::string> m_unescaped;    ///< texts of C source, which are kept
  std::size_t m_unescapedBytes = 0, m_nameSteps = 0;
  bool m_unprintable = false; ///< a function has a name with bytes that end a text
  Assertions m_assertions;
  TileLangChecks m_tileLang;
  std::vector<Signature> m_literals;
  std::size_t m_values = 0;
  uint32_t m_devices = 0; ///< one bit per device type
  bool m_checksDevice = false, m_withParameters = false;
};

} // namespace

Result<std::vector<Signature>> computeSignatures(const Image& image, const HostSymbols& host, Monitor& monitor) {
  longWork("host::computeSignatures");
  if (image.kind == container::Kind::Archive) return std::vector<Signature>{};
  Finder finder(image, host);
  for (const TextPlaces places : {TextPlaces::ReadOnly, TextPlaces::Writable, TextPlaces::All}) {
    BLOBSCOPE_CHECK(finder.read(image, places, monitor));
    if (finder.found()) break;
    // A library whose data sections are known has its texts there or nowhere. The sections of a linked wasm module say
    // nothing about this.
    const bool known = std::any_of(image.sections.begin(), image.sections.end(), [](const container::Section& section) {
      return section.allocated && !section.executable && section.file.size > 0;
    });
    if (places == TextPlaces::Writable && known) break;
  }
  return finder.take(host, monitor);
}

} // namespace blobscope::host
