#include "core/search/search.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/locator.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/search/regex.h"

#include <algorithm>
#include <functional>

namespace blobscope::search {
namespace {

using Sink = std::function<bool(const Hit&)>;

constexpr uint64_t kStep = 1 << 20;
constexpr uint64_t kLongestRun = 64 * 1024;
constexpr uint64_t kRegexStep = 1024;
constexpr uint64_t kLongestMatch = 1024;
constexpr uint64_t kAround = 160;

bool isPrintable(char c) { return (c >= 0x20 && c < 0x7f) || c == '\t'; }

/// The printable run around `[at, at + size)`, cut to the length of a line; the bytes themselves when they are not
/// printable.
Bytes around(const Bytes& file, uint64_t at, uint64_t size) {
  const std::string_view text = file.view();
  uint64_t first = at, last = at + size;
  if (!isPrintable(text[at])) return file.slice(at, std::min(size, kAround));
  const uint64_t lead = size < kAround ? (kAround - size) / 2 : 0;
  while (first > 0 && at - first < lead && isPrintable(text[first - 1])) --first;
  while (last < text.size() && last - first < kAround && isPrintable(text[last])) ++last;
  return file.slice(first, std::min(last - first, kAround));
}

/// A run of printable characters, or a piece of a long one.
struct Run {
  uint64_t first, size;
  bool begins, ends; ///< no printable character is before it, after it
};

/// Calls `sink` for each run of printable characters; a run longer than `longest` is reported in pieces.
Result<Done> forEachRun(const Bytes& file, uint64_t minimum, uint64_t longest, Monitor& monitor, std::string_view what,
                        const std::function<bool(const Run&)>& sink) {
  const std::string_view text = file.view();
  uint64_t nextLook = 0, first = 0;
  bool continued = false; // the part that begins at `first` continues a longer run
  for (uint64_t at = 0; at <= text.size(); ++at) {
    if (at >= nextLook) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress(what, at, text.size());
      nextLook = at + kStep;
    }
    const bool inside = at < text.size() && isPrintable(text[at]);
    if (inside && at - first < longest) continue;
    if ((at - first >= minimum || continued) && at > first && !sink({first, at - first, !continued, !inside}))
      return Done{};
    first = inside ? at : at + 1;
    continued = inside;
  }
  return Done{};
}

char folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Finds a pattern, matching or ignoring the case of ASCII letters.
class Literal {
public:
  Literal(std::string pattern, bool matchCase) : m_pattern(std::move(pattern)) {
    if (matchCase) return;
    std::transform(m_pattern.begin(), m_pattern.end(), m_pattern.begin(), folded);
    m_searcher.emplace(m_pattern.begin(), m_pattern.end(), FoldedHash(), FoldedEqual());
  }
  Literal(const Literal&) = delete; // the searcher points into the pattern
  Literal& operator=(const Literal&) = delete;
  std::size_t size() const { return m_pattern.size(); }
  /// Like std::string_view::find().
  std::size_t findIn(std::string_view text, std::size_t from) const {
    if (!m_searcher) return findBytes(text, m_pattern, from);
    const auto [at, end] = (*m_searcher)(text.begin() + static_cast<std::ptrdiff_t>(from), text.end());
    return at == text.end() ? std::string_view::npos : static_cast<std::size_t>(at - text.begin());
  }

private:
  struct FoldedHash {
    std::size_t operator()(char c) const { return std::hash<char>()(folded(c)); }
  };
  struct FoldedEqual {
    bool operator()(char a, char b) const { return folded(a) == folded(b); }
  };
  std::string m_pattern;
  std::optional<std::boyer_moore_horspool_searcher<std::string::const_iterator, FoldedHash, FoldedEqual>> m_searcher;
};

Result<Done> findLiteral(const library::Package& package, const Extent& where, const Literal& literal, Monitor& monitor,
                         const std::function<bool(const Hit&)>& sink) {
  const library::Locator locator(package);
  const std::string_view text = package.bytes.view().substr(where.offset, where.size);
  for (uint64_t from = 0; from < text.size(); from += kStep) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("searching", from, text.size());
    // Steps overlap by the size of the pattern minus one byte, so that every hit begins in exactly one of them.
    const std::string_view part = text.substr(from, kStep + literal.size() - 1);
    for (std::size_t at = literal.findIn(part, 0); at != std::string_view::npos; at = literal.findIn(part, at + 1)) {
      const uint64_t offset = where.offset + from + at;
      if (!sink({locator.at(offset), offset, literal.size(), around(package.bytes, offset, literal.size())}))
        return Done{};
    }
  }
  return Done{};
}

/// The bytes that a pattern searches for.
Result<std::string> literalBytes(std::string_view pattern, Syntax syntax) {
  const auto refuse = [&](std::string_view reason) {
    return Error(DiagnosticId::Pattern, {arg("pattern", pattern), arg("reason", reason)});
  };
  if (pattern.empty()) return refuse("it is empty");
  if (syntax == Syntax::Text) return std::string(pattern);
  auto bytes = parseHexDigits(pattern);
  if (!bytes || bytes->empty()) return refuse("it does not consist of pairs of hex digits");
  return std::move(*bytes);
}

/// The place of a node's bytes.
struct Place {
  const library::Package* holder; ///< the file or the member
  Extent where;                   ///< in the holder's bytes
};

Result<Place> findPlace(const library::Package& package, const Ref& ref, Monitor& monitor) {
  BLOBSCOPE_TRY(found, library::resolve(package, ref));
  BLOBSCOPE_TRY(node, library::findNode(package, ref, monitor));
  const auto place = node.bytes ? library::placeIn(*found.package, *node.bytes) : std::nullopt;
  if (place) return Place{found.package, {*place, node.bytes->size()}};
  return Error(DiagnosticId::RefNoBytes,
               {arg("ref", ref.shown()),
                arg("reason", node.bytes ? "they are unpacked or rebuilt, not in the file" : node.whyNoBytes)});
}

} // namespace

Result<Done> check(const Query& query) {
  if (query.syntax == Syntax::Regex) {
    BLOBSCOPE_CHECK(Regex::compile(query.pattern, query.matchCase));
    return Done{};
  }
  BLOBSCOPE_CHECK(literalBytes(query.pattern, query.syntax));
  return Done{};
}

Result<Done> check(const library::Package& package, const Query& query, Monitor& monitor) {
  BLOBSCOPE_CHECK(check(query));
  if (query.in) BLOBSCOPE_CHECK(findPlace(package, *query.in, monitor));
  return Done{};
}

namespace {

/// `where`: the range of the package's file that is searched.
Result<Done> findIn(const library::Package& package, const Extent& where, const Query& query, Monitor& monitor,
                    const Sink& sink) {
  if (query.syntax != Syntax::Regex) {
    BLOBSCOPE_TRY(bytes, literalBytes(query.pattern, query.syntax));
    const Literal literal(std::move(bytes), query.matchCase || query.syntax == Syntax::Hex);
    return findLiteral(package, where, literal, monitor, sink);
  }
  BLOBSCOPE_TRY(regex, Regex::compile(query.pattern, query.matchCase));
  const library::Locator locator(package);
  const Bytes searched = package.bytes.slice(where.offset, where.size);
  const std::string_view text = searched.view();
  uint64_t from = 0; // after the last hit
  bool stopped = false;
  const auto searchRun = [&](const Run& run) {
    // In small steps, so that a search for all matches of a long text takes linear time. A match may extend up to
    // kLongestMatch beyond the end of its step and piece.
    const uint64_t end = run.first + run.size;
    uint64_t reach = end;
    if (!run.ends)
      while (reach < text.size() && reach - end < kLongestMatch && isPrintable(text[reach])) ++reach;
    const bool reachEnds = reach == text.size() || !isPrintable(text[reach]);
    for (uint64_t step = run.first; step < end; step += kRegexStep) {
      stopped = monitor.stopRequested(); // some patterns take seconds per mebibyte
      if (stopped) return false;
      const uint64_t stepEnd = std::min(step + kRegexStep, end),
                     windowEnd = std::min(step + kRegexStep + kLongestMatch, reach);
      // With the characters next to the window, which are in the run too, its ends are not those of the run.
      const uint64_t first = run.begins && step == run.first ? step : step - 1,
                     last = windowEnd == reach && reachEnds ? windowEnd : windowEnd + 1;
      const std::string_view window = text.substr(first, last - first);
      while (from < stepEnd) {
        const auto match = regex.findIn(window, std::max(from, step) - first, windowEnd - first);
        if (!match || first + match->at >= stepEnd) break;
        from = first + match->at + match->size;
        const uint64_t at = where.offset + first + match->at;
        if (!sink({locator.at(at), at, match->size, around(package.bytes, at, match->size)})) return false;
      }
    }
    return true;
  };
  BLOBSCOPE_CHECK(forEachRun(searched, 1, kLongestRun, monitor, "searching", searchRun));
  if (stopped) return Error(DiagnosticId::Cancelled, {});
  return Done{};
}

Result<Done> stringsIn(const library::Package& package, uint64_t minimum, Monitor& monitor, const Sink& sink) {
  const library::Locator locator(package);
  return forEachRun(package.bytes, minimum, kLongestRun, monitor, "reading strings", [&](const Run& run) {
    return sink({locator.at(run.first), run.first, run.size, package.bytes.slice(run.first, run.size)});
  });
}

/// Calls `search` for a file, or for each file in an archive; a member that is not a container becomes a package with
/// only its bytes. Ends when the sink returns false.
Result<Done> inEachFile(const library::Package& package, const Sink& sink,
                        const std::function<Result<Done>(const library::Package&, const Sink&)>& search) {
  if (package.image.kind != container::Kind::Archive) return search(package, sink);
  bool ended = false;
  for (const library::PackageMember& member : package.members) {
    const Sink inner = [&](const Hit& hit) {
      ended = !sink(hit);
      return !ended;
    };
    if (member.package) {
      BLOBSCOPE_CHECK(inEachFile(*member.package, inner, search));
    } else if (!member.stored->bytes.empty()) {
      library::Package alone;
      alone.bytes = member.stored->bytes;
      const Ref place = package.ref(Ref::named(Ref::Kind::Member, member.name));
      BLOBSCOPE_CHECK(search(alone, [&](const Hit& hit) { return inner({place, hit.offset, hit.size, hit.around}); }));
    }
    if (ended) break;
  }
  return Done{};
}

} // namespace

Result<Done> find(const library::Package& package, const Query& query, Monitor& monitor,
                  const std::function<bool(const Hit&)>& sink) {
  longWork("search::find");
  BLOBSCOPE_CHECK(check(query)); // even when there is no file to search
  if (query.in) {
    BLOBSCOPE_TRY(place, findPlace(package, *query.in, monitor));
    return findIn(*place.holder, place.where, query, monitor, sink);
  }
  return inEachFile(package, sink, [&](const library::Package& file, const Sink& to) {
    return findIn(file, {0, file.bytes.size()}, query, monitor, to);
  });
}

Result<Done> strings(const library::Package& package, uint64_t minimum, Monitor& monitor,
                     const std::function<bool(const Hit&)>& sink) {
  longWork("search::strings");
  return inEachFile(package, sink, [&](const library::Package& file, const Sink& to) {
    return stringsIn(file, minimum, monitor, to);
  });
}

Result<Done> stringsOf(const Bytes& bytes, uint64_t minimum, Monitor& monitor,
                       const std::function<bool(Extent)>& sink) {
  longWork("search::stringsOf");
  return forEachRun(bytes, minimum, kLongestRun, monitor, "reading strings",
                    [&](const Run& run) { return sink({run.first, run.size}); });
}

} // namespace blobscope::search
