#include "core/search/search.h"

#include "core/base/text.h"
#include "core/library/locator.h"
#include "core/search/regex.h"

#include <algorithm>

namespace blobscope::search {
namespace {

constexpr uint64_t kStep = 1 << 20;
constexpr uint64_t kLongestRun = 64 * 1024;
constexpr uint64_t kRegexStep = 1024;
constexpr uint64_t kLongestMatch = 1024;
constexpr uint64_t kAround = 160;

bool isPrintable(char c) { return (c >= 0x20 && c < 0x7f) || c == '\t'; }

/// The printable run around `[at, at + size)`, cut to what a line can show; the bytes themselves when not printable.
Bytes around(const Bytes& file, uint64_t at, uint64_t size) {
  const std::string_view text = file.view();
  uint64_t first = at, last = at + size;
  if (!isPrintable(text[at])) return file.slice(at, std::min(size, kAround));
  const uint64_t lead = size < kAround ? (kAround - size) / 2 : 0;
  while (first > 0 && at - first < lead && isPrintable(text[first - 1])) --first;
  while (last < text.size() && last - first < kAround && isPrintable(text[last])) ++last;
  return file.slice(first, std::min(last - first, kAround));
}

/// Calls `sink(first, size)` for each run of printable characters; one above `longest` comes in pieces.
Result<Done> forEachRun(const Bytes& file, uint64_t minimum, uint64_t longest, Monitor& monitor, std::string_view what,
                        const std::function<bool(uint64_t first, uint64_t size)>& sink) {
  const std::string_view text = file.view();
  uint64_t nextLook = 0, first = 0;
  bool goesOn = false; // what began at `first` is the rest of a longer run
  for (uint64_t at = 0; at <= text.size(); ++at) {
    if (at >= nextLook) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress(what, at, text.size());
      nextLook = at + kStep;
    }
    const bool inside = at < text.size() && isPrintable(text[at]);
    if (inside && at - first < longest) continue;
    if ((at - first >= minimum || goesOn) && at > first && !sink(first, at - first)) return Done{};
    first = inside ? at : at + 1;
    goesOn = inside;
  }
  return Done{};
}

Result<Done> findLiteral(const library::Package& package, std::string_view pattern, Monitor& monitor,
                         const std::function<bool(const Hit&)>& sink) {
  const library::Locator locator(package);
  const std::string_view text = package.bytes.view();
  for (uint64_t from = 0; from < text.size(); from += kStep) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("searching", from, text.size());
    // Steps overlap by one byte less than the pattern, so that every hit begins in exactly one of them.
    const std::string_view part = text.substr(from, kStep + pattern.size() - 1);
    for (std::size_t at = findBytes(part, pattern, 0); at != std::string_view::npos;
         at = findBytes(part, pattern, at + 1)) {
      const uint64_t offset = from + at;
      if (!sink({locator.at(offset), offset, pattern.size(), around(package.bytes, offset, pattern.size())}))
        return Done{};
    }
  }
  return Done{};
}

/// The bytes to look for.
Result<std::string> literalBytes(std::string_view pattern, Syntax syntax) {
  const auto refuse = [&](std::string_view reason) {
    return Error(DiagnosticId::Pattern, {arg("pattern", pattern), arg("reason", reason)});
  };
  if (pattern.empty()) return refuse("it is empty");
  if (syntax == Syntax::Text) return std::string(pattern);
  auto bytes = parseHexDigits(pattern);
  if (!bytes || bytes->empty()) return refuse("it is not pairs of hex digits");
  return std::move(*bytes);
}

} // namespace

Result<Done> check(std::string_view pattern, Syntax syntax) {
  if (syntax == Syntax::Regex) {
    BLOBSCOPE_CHECK(Regex::compile(pattern));
    return Done{};
  }
  BLOBSCOPE_CHECK(literalBytes(pattern, syntax));
  return Done{};
}

Result<Done> find(const library::Package& package, std::string_view pattern, Syntax syntax, Monitor& monitor,
                  const std::function<bool(const Hit&)>& sink) {
  if (syntax != Syntax::Regex) {
    BLOBSCOPE_TRY(bytes, literalBytes(pattern, syntax));
    return findLiteral(package, bytes, monitor, sink);
  }
  BLOBSCOPE_TRY(regex, Regex::compile(pattern));
  const library::Locator locator(package);
  bool stopped = false;
  const auto searchRun = [&](uint64_t first, uint64_t size) {
    // In small steps: a pattern that nearly fits costs the square of the text it is tried on. A match may reach
    // kLongestMatch behind the step it begins in.
    const std::string_view run = package.bytes.view().substr(first, size);
    uint64_t from = 0;
    for (uint64_t step = 0; step < size; step += kRegexStep) {
      if (step % kStep == 0 && step > 0 && monitor.stopRequested()) {
        stopped = true;
        return false;
      }
      const uint64_t window = std::min(size - step, kRegexStep + kLongestMatch);
      while (from < step + kRegexStep) {
        const auto match = regex.findIn(run.substr(step, window), std::max(from, step) - step, step == 0,
                                        step + window == size);
        if (!match || match->at >= kRegexStep) break;
        const uint64_t at = first + step + match->at;
        if (!sink({locator.at(at), at, match->size, around(package.bytes, at, match->size)})) return false;
        from = step + match->at + match->size;
      }
    }
    return true;
  };
  BLOBSCOPE_CHECK(forEachRun(package.bytes, 1, UINT64_MAX, monitor, "searching", searchRun));
  if (stopped) return Error(DiagnosticId::Cancelled, {});
  return Done{};
}

Result<Done> strings(const library::Package& package, uint64_t minimum, Monitor& monitor,
                     const std::function<bool(const Hit&)>& sink) {
  const library::Locator locator(package);
  return forEachRun(package.bytes, minimum, kLongestRun, monitor, "reading strings", [&](uint64_t first, uint64_t size) {
    return sink({locator.at(first), first, size, package.bytes.slice(first, size)});
  });
}

} // namespace blobscope::search
