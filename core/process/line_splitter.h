#pragma once

#include "core/process/stream.h"

#include <algorithm>

namespace blobscope::process {

/// Splits what a program prints into lines within the limits of its StreamOptions.
class LineSplitter {
public:
  LineSplitter(const StreamOptions& options, const std::function<bool(std::string_view)>& line)
      : m_options(options), m_line(line) {}

  /// Itself as long as more text is wanted.
  StreamResult::Cause cause() const { return m_cause; }
  bool wantsMore() const { return m_cause == StreamResult::Cause::Itself; }
  void take(std::string_view text) {
    m_bytes += text.size();
    if (m_bytes > m_options.process.outputBytes) m_cause = StreamResult::Cause::TooMuch;
    while (!text.empty() && wantsMore()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (m_pending.size() + end > m_options.lineBytes) {
        m_cause = StreamResult::Cause::LineTooLong;
        return;
      }
      m_pending += text.substr(0, end);
      if (end == text.size()) return;
      deliver(m_pending);
      m_pending.clear();
      text.remove_prefix(end + 1);
    }
  }
  /// Delivers a last line without a newline.
  void finish() {
    if (!m_pending.empty() && wantsMore()) deliver(m_pending);
    m_pending.clear();
  }

private:
  void deliver(std::string_view line) {
    if (++m_count > m_options.lines)
      m_cause = StreamResult::Cause::TooManyLines;
    else if (!m_line(line))
      m_cause = StreamResult::Cause::Refused;
  }

  const StreamOptions& m_options;
  const std::function<bool(std::string_view)>& m_line;
  std::string m_pending;
  uint64_t m_bytes = 0, m_count = 0;
  StreamResult::Cause m_cause = StreamResult::Cause::Itself;
};

} // namespace blobscope::process
