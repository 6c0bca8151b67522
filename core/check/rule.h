#pragma once

#include "core/base/diagnostic.h"

#include <span>
#include <string_view>

/// Findings in files: the table of rules, findings, reports, SARIF, baselines.
namespace blobscope::check {

/// One value per row of rules.inc; the build lists their names.
enum class Rule {
#include "core/check/rule_ids.inc"
};

/// The description of an id: a rule, or a row of base/diagnostics.inc.
struct RuleRow {
  std::string_view id; ///< "MLF-616", "BLOB-TRUNCATED"; never reused
  Severity severity;
  unsigned first, last;     ///< versions of the format in which a rule can fire; 0 for diagnostics
  std::string_view message; ///< with placeholders
  std::string_view fix;     ///< what to do with the file; empty when there is nothing
  std::string_view help;    ///< what it means, in whole sentences
};

/// All diagnostics in the order of DiagnosticId, then all rules in the order of Rule.
std::span<const RuleRow> rules();
const RuleRow& row(Rule rule);
/// By id; null when there is no such rule or diagnostic.
const RuleRow* findRule(std::string_view id);

} // namespace blobscope::check
