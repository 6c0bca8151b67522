#pragma once

#include "core/base/bytes.h"

#include <QRegularExpression>
#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace blobscope::ui {

/// What to find.
struct FindQuery {
  enum class Kind {
    Text,  ///< the characters
    Regex, ///< Perl-compatible; a match is within one line
    Hex    ///< two digits per byte, spaces ignored
  };
  QString pattern;
  Kind kind = Kind::Text;
  bool matchCase = false;
  bool wholeWord = false;
  /// Whether the bytes are lines of text. If not, they are searched as raw bytes: only ASCII letters are case-folded,
  /// and regular expressions and whole words are not supported.
  bool lines = true;
};

/// A hit in the bytes; `line` is 0 where there are no lines.
struct FindHit {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t line = 0;
  friend bool operator==(const FindHit&, const FindHit&) = default;
};
using FindHits = std::vector<FindHit>;

/// Maximum number of hits of one search.
constexpr std::size_t kFindHits = 100'000;

/// How a search ended.
struct FindEnd {
  bool capped = false;       ///< there were more than kFindHits
  uint64_t skippedLines = 0; ///< skipped because the pattern took too long there
  bool outOfMemory = false;  ///< the search ended early; later hits are missing
};

/// The callbacks of a search.
struct FindMonitor {
  std::function<bool()> stopRequested;
  std::function<void(uint64_t done, uint64_t total)> progress;
  std::function<void(FindHits hits)> found; ///< in ascending order, each hit once
};

/// Returns the `hits` (ranges in the file, in order) that are inside `shown`, relative to its first byte and without
/// lines. At most kFindHits.
std::shared_ptr<const FindHits> hitsWithin(const Extent& shown, const std::vector<Extent>& hits);

/// The regular expression of a query for lines of text; a match is within one line if the subject is one.
QRegularExpression expressionOf(const FindQuery& query);

/// Returns why the query is invalid, as a sentence; empty when it is valid.
QString queryProblem(const FindQuery& query);

/// Searches all of `bytes`; any thread. Checks for a stop request every 256 KiB and every 1,000 hits. Hits do not
/// overlap.
FindEnd findAll(const Bytes& bytes, const FindQuery& query, const FindMonitor& monitor);

} // namespace blobscope::ui
