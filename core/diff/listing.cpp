#include "core/diff/listing.h"

#include "core/base/thread_rule.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace blobscope::diff {
namespace {

using Mark = view::ListingMark;
using Kind = Mark::Kind;
using view::ConstantIdentity;

constexpr std::size_t kLook = 4096;
/// Replaces a name in a line; occurs in no listing, since their texts are escaped.
constexpr char kName = '\x01';

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

/// Something whose number differs between the listings: a register of a function, or a tensor of the executable.
struct Name {
  int64_t scope = 0; ///< number of the function, -1 for tensors
  int64_t number = 0;
  friend auto operator<=>(const Name&, const Name&) = default;
};

std::string keyOf(const ConstantIdentity& identity) { return identity.text + kName + identity.digest; }

/// One listing, line by line.
class Text {
public:
  Text(const view::TextPage& page) : m_text(page.text.view()), m_marks(page.marks->marks), m_page(page) {}

  /// Finds lines and functions, and reads all constants.
  Result<Done> read(Monitor& monitor) {
    for (std::size_t at = 0; at < m_text.size();) {
      if (m_lines.size() % kLook == 0 && monitor.stopRequested()) return cancelled();
      m_lines.push_back(at);
      const std::size_t end = m_text.find('\n', at);
      at = end == std::string_view::npos ? m_text.size() : end + 1;
    }
    int64_t function = 0;
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
      if (i % kLook == 0 && monitor.stopRequested()) return cancelled();
      if (m_marks[i].kind == Kind::Function) ++function;
      m_functions.push_back(function);
      if (m_marks[i].kind != Kind::Constant || m_constants.contains(m_marks[i].number)) continue;
      BLOBSCOPE_TRY(identity, m_page.marks->constants->identity(m_marks[i].number, monitor));
      m_keys.insert(keyOf(identity));
      m_constants.emplace(m_marks[i].number, std::move(identity));
    }
    return Done{};
  }

  std::string_view text() const { return m_text; }
  const std::unordered_set<std::string>& keys() const { return m_keys; }
  uint64_t lineCount() const { return m_lines.size(); }
  std::string_view line(uint64_t number) const {
    const std::size_t begin = m_lines[number];
    const std::size_t end = number + 1 < m_lines.size() ? m_lines[number + 1] : m_text.size();
    return m_text.substr(begin, end - begin);
  }
  uint64_t lineAt(const char* place) const {
    const auto offset = static_cast<std::size_t>(place - m_text.data());
    return static_cast<uint64_t>(std::upper_bound(m_lines.begin(), m_lines.end(), offset) - m_lines.begin()) - 1;
  }

  /// Writes a line without addresses and notes. `name` writes a register or tensor, `target` a jump by a number of
  /// instructions from this line. `others`: constants of the other listing; tensors that it does not contain are names.
  template <class NameText, class TargetText>
  void write(uint64_t number, const std::unordered_set<std::string>& others, const NameText& name,
             const TargetText& target, std::string& out) const {
    out.clear();
    const std::string_view words = withoutEnd(line(number));
    const std::size_t begin = m_lines[number];
    auto mark =
        std::partition_point(m_marks.begin(), m_marks.end(), [&](const Mark& one) { return one.begin < begin; });
    std::size_t at = 0;
    for (; mark != m_marks.end() && mark->begin < begin + words.size(); ++mark) {
      if (mark->kind == Kind::Function) continue;
      out += words.substr(at, mark->begin - begin - at);
      at = std::min<std::size_t>(mark->begin - begin + mark->size, words.size());
      const int64_t function = m_functions[static_cast<std::size_t>(mark - m_marks.begin())];
      switch (mark->kind) {
      case Kind::Definition:
      case Kind::Use: name(Name{function, mark->number}, out); break;
      case Kind::Target: target(number, mark->number, out); break;
      case Kind::Constant: writeConstant(mark->number, others, name, out); break;
      default: break;
      }
    }
    out += words.substr(at);
  }

private:
  static std::string_view withoutEnd(std::string_view words) {
    if (words.ends_with('\n')) words.remove_suffix(1);
    return words;
  }
  template <class NameText>
  void writeConstant(int64_t number, const std::unordered_set<std::string>& others, const NameText& name,
                     std::string& out) const {
    const ConstantIdentity& identity = m_constants.at(number);
    const std::string key = keyOf(identity);
    if (!identity.tensor || others.contains(key)) {
      out += "c{" + key + "}";
      return;
    }
    out += "c{" + identity.text + "}";
    name(Name{-1, number}, out);
  }

  std::string_view m_text;
  const std::vector<Mark>& m_marks;
  const view::TextPage& m_page;
  std::vector<std::size_t> m_lines;
  std::vector<int64_t> m_functions; ///< of each mark
  std::unordered_map<int64_t, ConstantIdentity> m_constants;
  std::unordered_set<std::string> m_keys;
};

/// Maps lines and names of one listing to those of the other.
class Correspondence {
public:
  Correspondence(const Text& a, const Text& b) : m_a(a), m_b(b) {}

  /// Reads the mapping from lines that are equal except for names and jumps.
  Result<Done> read(const LineDiff& first, Monitor& monitor) {
    std::map<std::pair<Name, Name>, uint64_t> votes;
    std::vector<Name> namesA, namesB;
    for (const Hunk& hunk : first.hunks) {
      if (hunk.kind != HunkKind::Equal) continue;
      for (uint64_t i = 0; i < hunk.a.count; ++i) {
        if (i % kLook == 0 && monitor.stopRequested()) return cancelled();
        const uint64_t lineA = hunk.a.begin + i, lineB = hunk.b.begin + i;
        if (lineA >= m_a.lineCount() || lineB >= m_b.lineCount()) continue;
        m_lines.emplace(lineA, lineB);
        m_reached.insert(lineB);
        namesOf(m_a, m_b, lineA, namesA);
        namesOf(m_b, m_a, lineB, namesB);
        for (std::size_t n = 0; n < std::min(namesA.size(), namesB.size()); ++n) ++votes[{namesA[n], namesB[n]}];
      }
    }
    // The mapping with the most lines wins; if equal, the first in order.
    std::vector<std::pair<uint64_t, std::pair<Name, Name>>> order;
    for (const auto& [pair, count] : votes) order.emplace_back(count, pair);
    std::stable_sort(order.begin(), order.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
    for (const auto& [count, pair] : order)
      if (!m_namesA.contains(pair.first) && !m_namesB.contains(pair.second)) {
        const auto number = static_cast<uint64_t>(m_namesA.size());
        m_namesA.emplace(pair.first, number);
        m_namesB.emplace(pair.second, number);
      }
    return Done{};
  }

  void write(const Text& text, uint64_t line, std::string& out) const {
    const bool isA = &text == &m_a;
    const std::map<Name, uint64_t>& names = isA ? m_namesA : m_namesB;
    text.write(
        line, (isA ? m_b : m_a).keys(),
        [&](const Name& name, std::string& words) {
          const auto known = names.find(name);
          words += kName + (known != names.end()
                                ? std::to_string(known->second)
                                : (isA ? "a" : "b") + std::to_string(name.scope) + "." + std::to_string(name.number));
        },
        [&](uint64_t from, int64_t by, std::string& words) { words += targetOf(isA, from, by); }, out);
  }

private:
  static void namesOf(const Text& text, const Text& other, uint64_t line, std::vector<Name>& names) {
    names.clear();
    std::string words;
    text.write(
        line, other.keys(), [&](const Name& name, std::string&) { names.push_back(name); },
        [](uint64_t, int64_t, std::string&) {}, words);
  }
  /// Returns the line of B to which the jump leads, or that corresponds to its target; otherwise its distance.
  std::string targetOf(bool isA, uint64_t from, int64_t by) const {
    const uint64_t to = from + static_cast<uint64_t>(by);
    if (!isA) return m_reached.contains(to) ? "l" + std::to_string(to) : "d" + std::to_string(by);
    const auto known = m_lines.find(to);
    return known != m_lines.end() ? "l" + std::to_string(known->second) : "d" + std::to_string(by);
  }

  const Text &m_a, &m_b;
  std::unordered_map<uint64_t, uint64_t> m_lines;
  std::unordered_set<uint64_t> m_reached; ///< lines of B in m_lines
  std::map<Name, uint64_t> m_namesA, m_namesB;
};

} // namespace

Result<LineDiff> compareListings(const view::TextPage& a, const view::TextPage& b, Masks masks, Monitor& monitor,
                                 uint64_t cost) {
  longWork("diff::compareListings");
  Text textA(a), textB(b);
  BLOBSCOPE_CHECK(textA.read(monitor));
  BLOBSCOPE_CHECK(textB.read(monitor));
  LineOptions options;
  options.cost = cost;
  std::string words;
  std::vector<MaskedSpan> spans;
  const auto mask = [&](std::string& out) {
    if (!masks.hidesWords()) return;
    words.swap(out);
    maskLine(masks, words, out, spans);
  };
  const auto skeleton = [&mask](const Text& text, const Text& other) -> Normalise {
    return [&](std::string_view line, std::string& out) {
      text.write(
          text.lineAt(line.data()), other.keys(), [](const Name&, std::string& to) { to += kName; },
          [](uint64_t, int64_t, std::string& to) { to += kName; }, out);
      mask(out);
    };
  };
  options.normaliseA = skeleton(textA, textB);
  options.normaliseB = skeleton(textB, textA);
  BLOBSCOPE_TRY(first, compareLines(a.text, b.text, options, monitor));
  Correspondence same(textA, textB);
  BLOBSCOPE_CHECK(same.read(first, monitor));
  const auto named = [&](const Text& text) -> Normalise {
    return [&](std::string_view line, std::string& out) {
      same.write(text, text.lineAt(line.data()), out);
      mask(out);
    };
  };
  options.normaliseA = named(textA);
  options.normaliseB = named(textB);
  return compareLines(a.text, b.text, options, monitor);
}

Result<std::string> canonicalListing(const view::TextPage& listing, Monitor& monitor) {
  longWork("diff::canonicalListing");
  Text text(listing);
  BLOBSCOPE_CHECK(text.read(monitor));
  std::map<Name, std::size_t> positions;
  std::unordered_map<int64_t, std::size_t> counts;
  std::string out, words;
  for (uint64_t line = 0; line < text.lineCount(); ++line) {
    if (line % kLook == 0 && monitor.stopRequested()) return cancelled();
    text.write(
        line, text.keys(),
        [&](const Name& name, std::string& to) {
          const auto [place, isNew] = positions.try_emplace(name, counts[name.scope]);
          if (isNew) ++counts[name.scope];
          to += "%" + std::to_string(place->second);
        },
        [](uint64_t, int64_t by, std::string& to) { to += "by " + std::to_string(by); }, words);
    out += words + "\n";
  }
  return out;
}

} // namespace blobscope::diff
