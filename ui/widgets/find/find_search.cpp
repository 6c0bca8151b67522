#include "ui/widgets/find/find_search.h"

#include "core/base/text.h"
#include "ui/widgets/find/find_piece.h"

#include <QCoreApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <array>
#include <cstring>

namespace blobscope::ui {
namespace {

constexpr uint64_t kChunk = 262'144;
/// Number of bytes that are searched twice where a line without end is split.
constexpr uint64_t kOverlap = 4'096;
constexpr std::size_t kBatch = 1'000;
constexpr qint64 kBatchMs = 30;

/// Collects hits and delivers them in batches, the first one immediately.
class Batches {
public:
  explicit Batches(const FindMonitor& monitor) : m_monitor(monitor) { m_clock.start(); }
  ~Batches() { flush(); }
  /// Returns false when the limit is reached or the search must stop.
  bool add(const FindHit& hit) {
    if (m_count == kFindHits) {
      m_capped = true;
      return false;
    }
    m_hits.push_back(hit);
    ++m_count;
    const bool full = m_hits.size() >= kBatch;
    if (full || m_count == 1 || m_clock.elapsed() >= kBatchMs) flush();
    return !full || !m_monitor.stopRequested();
  }
  void flush() {
    if (!m_hits.empty()) m_monitor.found(std::move(m_hits));
    m_hits = {};
    m_clock.restart();
  }
  bool capped() const { return m_capped; }

private:
  const FindMonitor& m_monitor;
  FindHits m_hits;
  std::size_t m_count = 0;
  bool m_capped = false;
  QElapsedTimer m_clock;
};

/// Searches text in chunks of whole lines.
class LineSearch {
public:
  LineSearch(const Bytes& bytes, const FindQuery& query, const FindMonitor& monitor)
      : m_text(bytes.view()), m_expression(expressionOf(query)), m_monitor(monitor), m_batches(monitor) {}

  FindEnd run() {
    m_expression.optimize();
    uint64_t from = 0, earliest = 0; // no hit begins before `earliest`
    while (from < m_text.size() && !m_monitor.stopRequested()) {
      m_monitor.progress(from, m_text.size());
      uint64_t end = std::min<uint64_t>(from + kChunk, m_text.size());
      uint64_t next = end;
      if (end < m_text.size()) {
        const std::size_t newline = m_text.substr(from, kChunk).rfind('\n');
        next = end = newline == std::string_view::npos ? end : from + newline + 1;
        if (newline == std::string_view::npos) next = end - kOverlap;
      }
      if (!chunk(from, end, next, earliest)) break;
      earliest = std::max(earliest, next);
      from = next;
    }
    m_end.capped = m_batches.capped();
    return m_end;
  }

private:
  /// Finds hits that begin in `[from, next)`; `end` is the limit for reading. Returns false when the search is over.
  bool chunk(uint64_t from, uint64_t end, uint64_t next, uint64_t& earliest) {
    const Piece piece(m_text.substr(from, end - from));
    const QString& text = piece.text();
    qsizetype at = 0;
    while (at <= text.size()) {
      QRegularExpressionMatch match;
      qsizetype base = 0;
      if (!m_byLine) {
        match = this->match(text, at);
        if (match.hasMatch() && match.capturedView().contains(QLatin1Char('\n'))) m_byLine = true;
        if (!match.isValid()) m_byLine = true; // then only the expensive lines are skipped
      }
      qsizetype lineEnd = text.size();
      if (m_byLine) {
        base = at == 0 ? 0 : text.lastIndexOf(QLatin1Char('\n'), at - 1) + 1;
        lineEnd = text.indexOf(QLatin1Char('\n'), at);
        if (lineEnd < 0) lineEnd = text.size();
        match = this->match(text.mid(base, lineEnd - base), at - base);
        if (!match.isValid()) ++m_end.skippedLines;
        if ((m_lines++ & 1023) == 0 && m_monitor.stopRequested()) return false;
      }
      if (!match.hasMatch()) {
        if (!m_byLine) break;
        at = lineEnd + 1;
        continue;
      }
      const qsizetype start = base + match.capturedStart(), stop = base + match.capturedEnd();
      at = std::max(stop, start + 1);
      if (at < text.size() && text[at].isLowSurrogate()) ++at;
      if (start == stop) continue;
      const uint64_t offset = from + piece.offset(start);
      if (offset >= next) break;
      if (offset < earliest) continue;
      earliest = from + piece.offset(stop);
      if (!m_batches.add({offset, earliest - offset, lineOf(offset)})) return false;
    }
    return true;
  }

  QRegularExpressionMatch match(const QString& subject, qsizetype from) const {
    // A Piece is well-formed; checking it again for each match would make the search quadratic.
    return m_expression.match(subject, from, QRegularExpression::NormalMatch,
                              QRegularExpression::DontCheckSubjectStringMatchOption);
  }

  /// Called in ascending order.
  uint64_t lineOf(uint64_t offset) {
    const std::string_view between = m_text.substr(m_counted, offset - m_counted);
    m_line += static_cast<uint64_t>(std::count(between.begin(), between.end(), '\n'));
    m_counted = offset;
    return m_line;
  }

  std::string_view m_text;
  QRegularExpression m_expression;
  const FindMonitor& m_monitor;
  Batches m_batches;
  FindEnd m_end;
  bool m_byLine = false; ///< the expression matches across line ends: search one line at a time
  uint64_t m_lines = 0;
  uint64_t m_line = 0, m_counted = 0;
};

/// Horspool's search over bytes, optionally with case folding.
FindEnd findBytes(const Bytes& bytes, const std::string& needle, bool fold, const FindMonitor& monitor) {
  std::array<uint8_t, 256> folded;
  for (std::size_t i = 0; i < folded.size(); ++i) {
    const bool upper = fold && i >= 'A' && i <= 'Z';
    folded[i] = static_cast<uint8_t>(upper ? i + 'a' - 'A' : i);
  }
  const auto key = [&](char c) { return folded[static_cast<uint8_t>(c)]; };
  const std::size_t size = needle.size();
  std::array<std::size_t, 256> skip;
  skip.fill(size);
  for (std::size_t i = 0; i + 1 < size; ++i)
    for (std::size_t c = 0; c < 256; ++c)
      if (folded[c] == key(needle[i])) skip[c] = size - 1 - i;

  Batches batches(monitor);
  const std::string_view text = bytes.view();
  uint64_t at = 0, looked = 0;
  while (size <= text.size() && at <= text.size() - size) {
    if (at >= looked) {
      if (monitor.stopRequested()) break;
      monitor.progress(at, text.size());
      looked = at + kChunk;
    }
    std::size_t i = size;
    while (i > 0 && key(text[at + i - 1]) == key(needle[i - 1])) --i;
    if (i == 0) {
      if (!batches.add({at, size, 0})) break;
      at += size;
    } else {
      at += skip[static_cast<uint8_t>(text[at + size - 1])];
    }
  }
  return {batches.capped(), 0};
}

} // namespace

QRegularExpression expressionOf(const FindQuery& query) {
  QString pattern = query.kind == FindQuery::Kind::Regex ? query.pattern : QRegularExpression::escape(query.pattern);
  if (query.wholeWord) pattern = QStringLiteral("(?<!\\w)(?:%1)(?!\\w)").arg(pattern);
  // "\r\n" also ends a line; a pattern with excessive backtracking is aborted after some milliseconds.
  const QRegularExpression::PatternOptions options =
      QRegularExpression::MultilineOption |
      (query.matchCase ? QRegularExpression::NoPatternOption : QRegularExpression::CaseInsensitiveOption);
  return QRegularExpression(QStringLiteral("(*ANYCRLF)(*LIMIT_MATCH=300000)") + pattern, options);
}

std::shared_ptr<const FindHits> hitsWithin(const Extent& shown, const std::vector<Extent>& hits) {
  auto out = std::make_shared<FindHits>();
  for (const Extent& hit : hits)
    if (shown.contains(hit) && out->size() < kFindHits) out->push_back({hit.offset - shown.offset, hit.size, 0});
  return out;
}

QString queryProblem(const FindQuery& query) {
  if (query.pattern.isEmpty()) return QCoreApplication::translate("FindBar", "Enter a search pattern.");
  if (query.kind == FindQuery::Kind::Hex) {
    const auto bytes = parseHexDigits(query.pattern.toStdString());
    return bytes && !bytes->empty()
               ? QString()
               : QCoreApplication::translate("FindBar", "Enter two hexadecimal digits for each byte.");
  }
  if (query.kind == FindQuery::Kind::Regex) {
    QRegularExpression expression(query.pattern, QRegularExpression::MultilineOption);
    const bool alone = !expression.isValid(); // then the error offset refers to the typed text
    if (!alone) expression = expressionOf(query);
    if (!expression.isValid())
      return alone ? QCoreApplication::translate("FindBar", "Character %1: %2.")
                         .arg(expression.patternErrorOffset() + 1)
                         .arg(expression.errorString())
                   : QCoreApplication::translate("FindBar", "Invalid pattern: %1.").arg(expression.errorString());
  }
  return {};
}

FindEnd findAll(const Bytes& bytes, const FindQuery& query, const FindMonitor& monitor) {
  if (!queryProblem(query).isEmpty()) return {};
  if (query.kind == FindQuery::Kind::Hex)
    return findBytes(bytes, *parseHexDigits(query.pattern.toStdString()), false, monitor);
  if (!query.lines) return findBytes(bytes, query.pattern.toStdString(), !query.matchCase, monitor);
  return LineSearch(bytes, query, monitor).run();
}

} // namespace blobscope::ui
