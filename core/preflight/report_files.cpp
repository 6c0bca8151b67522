#include "core/preflight/report_files.h"

#include "core/base/csv.h"
#include "core/check/sarif.h"

#include <string>
#include <utility>
#include <vector>

namespace blobscope::preflight {
namespace {

/// What one file lacks, for all targets.
check::FileIssues issuesOf(const FileOutcomes& file) {
  check::FileIssues out;
  out.path = file.path;
  out.error = file.error;
  if (!file.ofTvm) return out;
  for (const Outcome& outcome : file.outcomes)
    for (const Missing& missing : outcome.missing) {
      check::Issue issue = issueOf(missing);
      issue.message = outcome.target() + ": " + issue.message;
      out.issues.push_back(std::move(issue));
    }
  return out;
}

} // namespace

void writeCsv(const FilesReport& report, const TextSink& sink) {
  sink(csvLine({"file", "size", "era", "target", "device", "verdict", "step", "rule", "message"}));
  for (const FileOutcomes& file : report.files) {
    const std::vector<std::string> about = {file.path, std::to_string(file.size), file.era};
    const auto write = [&](std::vector<std::string> rest) {
      rest.insert(rest.begin(), about.begin(), about.end());
      sink(csvLine(rest));
    };
    if (!file.error.empty() || !file.ofTvm) {
      write({"", "", "", "", "",
             !file.error.empty() ? file.error
             : file.what.empty() ? "not a library of TVM"
                                 : "not judged: " + file.what});
      continue;
    }
    for (const Outcome& outcome : file.outcomes) {
      const Missing* const first = outcome.first();
      Outcome runtime = outcome;
      runtime.device.reset();
      write({runtime.target(), outcome.device.value_or(""), std::string(verdictName(outcome.verdict)),
             outcome.step ? std::to_string(static_cast<unsigned>(*outcome.step)) : "",
             first ? std::string(check::row(first->rule).id) : "", first ? first->message() : outcome.message});
    }
  }
}

void writeSarif(const FilesReport& report, std::string_view version, const TextSink& sink) {
  std::vector<check::FileIssues> files;
  for (const FileOutcomes& file : report.files) files.push_back(issuesOf(file));
  check::writeSarif(files, version, sink);
}

} // namespace blobscope::preflight
