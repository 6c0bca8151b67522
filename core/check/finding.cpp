#include "core/check/finding.h"

#include "core/base/message.h"
#include "core/base/text.h"

namespace blobscope::check {

std::string Place::text() const {
  std::string out = escaped(member);
  if (line)
    out += ":" + std::to_string(*line);
  else if (offset)
    out += "@" + hexText(*offset);
  if (!pointer.empty()) out += (out.empty() ? "" : " ") + escaped(pointer);
  return out;
}

std::string Finding::message() const { return fillPlaceholders(row(rule).message, arguments); }

void Findings::add(Rule rule, Place place, std::vector<Argument> arguments, std::optional<Rule> because) {
  const RuleRow& found = row(rule);
  if (m_version && (*m_version < found.first || *m_version > found.last)) return;
  if (m_counts[rule]++ >= kPerRule) return;
  m_findings.push_back({rule, std::move(place), std::move(arguments), because});
}

} // namespace blobscope::check
