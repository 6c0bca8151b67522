#include "core/check/rule.h"

#include <algorithm>

namespace blobscope::check {
namespace {

/// The compiler warns about a diagnostic without help.
constexpr std::string_view helpOf(DiagnosticId id) {
  switch (id) {
#define BLOBSCOPE_HELP(name, text)                                                                                     \
  case DiagnosticId::name: return text;
#include "core/check/help.inc"
#undef BLOBSCOPE_HELP
  }
  return {};
}

constexpr RuleRow kRules[] = {
#define BLOBSCOPE_DIAGNOSTIC(name, id, severity, code, text)                                                           \
  {id, Severity::severity, 0, 0, text, {}, helpOf(DiagnosticId::name)},
#include "core/base/diagnostics.inc"
#undef BLOBSCOPE_DIAGNOSTIC
#define BLOBSCOPE_RULE(name, id, severity, first, last, message, fix, help)                                            \
  {id, Severity::severity, first, last, message, fix, help},
#include "core/check/rules.inc"
#undef BLOBSCOPE_RULE
};

} // namespace

std::span<const RuleRow> rules() { return kRules; }

const RuleRow& row(Rule rule) { return kRules[diagnosticRows().size() + static_cast<std::size_t>(rule)]; }

const RuleRow* findRule(std::string_view id) {
  const auto found = std::ranges::find(kRules, id, &RuleRow::id);
  return found != std::end(kRules) ? found : nullptr;
}

} // namespace blobscope::check
