#pragma once

#include "core/base/bytes.h"

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
    Regex, ///< Perl-compatible; a match lies in one line
    Hex    ///< two digits per byte, spaces ignored
  };
  QString pattern;
  Kind kind = Kind::Text;
  bool matchCase = false;
  bool wholeWord = false;
  /// Whether the bytes are lines of text; else they are searched as they are, case folded for ASCII letters only, and
  /// neither regular expressions nor whole words are known.
  bool lines = true;
};

/// A find in the bytes; `line` is 0 where there are no lines.
struct FindHit {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t line = 0;
  friend bool operator==(const FindHit&, const FindHit&) = default;
};
using FindHits = std::vector<FindHit>;

/// Hits kept of one search.
constexpr std::size_t kFindHits = 100'000;

/// How a search ended.
struct FindEnd {
  bool capped = false;       ///< there were more than kFindHits
  uint64_t skippedLines = 0; ///< left out because the pattern took too long there
  bool outOfMemory = false;  ///< the search ended there; hits that lie after it are missing
};

/// The searching side's view of who asked.
struct FindMonitor {
  std::function<bool()> stopRequested;
  std::function<void(uint64_t done, uint64_t total)> progress;
  std::function<void(FindHits hits)> found; ///< in ascending order, each hit once
};

/// Those of `hits` (places in the file, in order) that lie in what is shown, counted from its first byte, without
/// lines. At most kFindHits.
std::shared_ptr<const FindHits> hitsWithin(const Extent& shown, const std::vector<Extent>& hits);

/// Why the query cannot be searched for, as a sentence; empty when it can.
QString whyNotFindable(const FindQuery& query);

/// Searches all of `bytes`; any thread. Asks whether to stop every 256 KiB and every 1,000 hits. Hits do not overlap.
FindEnd findAll(const Bytes& bytes, const FindQuery& query, const FindMonitor& monitor);

} // namespace blobscope::ui
