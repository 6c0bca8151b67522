#include "core/process/process.h"

#include "core/base/text.h"
#include "core/process/signals.h"

#include <utility>

namespace blobscope::process {
namespace {

constexpr std::size_t kMessageBytes = 400;

/// The first line that is not empty, with runs of blanks as one.
std::string firstLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n' && !line.empty()) break;
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
    if (line.size() > kMessageBytes) break;
  }
  while (line.ends_with(' ')) line.pop_back();
  return shortened(line, kMessageBytes);
}

} // namespace

std::string describe(const ProcessResult& result, const ProcessOptions& options) {
  if (result.notStarted) return "could not be started: " + *result.notStarted;
  if (result.timedOut)
    return "did not end within " +
           (options.timeoutMs % 1000 == 0 ? std::to_string(options.timeoutMs / 1000) + " s"
                                          : std::to_string(options.timeoutMs) + " ms") +
           " and was stopped";
  if (result.outputCut) return "was stopped after it had printed " + sizeText(options.outputBytes);
  if (result.tooMany) return "was stopped because it started too many processes";
  if (options.confinement && result.signal) {
    const Confinement& limits = *options.confinement;
    if (isFileLimit(*result.signal))
      return "was stopped because it wrote more than " + sizeText(limits.fileBytes) + " to a file";
    if (isTimeLimit(*result.signal))
      return "was stopped because it computed for more than " + std::to_string(limits.cpuSeconds) + " s";
  }
  std::string text = result.signal ? "was ended by " + signalText(*result.signal)
                                   : "ended with exit code " + std::to_string(result.exitCode.value_or(-1));
  std::string message = firstLine(result.messages);
  if (message.empty()) message = firstLine(result.output);
  return message.empty() ? text : text + ": " + message;
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : m_path(std::exchange(other.m_path, {})), m_whole(std::exchange(other.m_whole, {})),
      m_mark(std::move(other.m_mark)) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!m_whole.empty()) std::filesystem::remove_all(m_whole, ignored);
}

} // namespace blobscope::process
