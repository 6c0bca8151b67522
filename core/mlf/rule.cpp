#include "core/mlf/rule.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::mlf {
namespace {

/// The number in "MLF-616".
constexpr unsigned numberOf(std::string_view id) {
  unsigned number = 0;
  for (const char c : id.substr(id.find('-') + 1)) number = number * 10 + static_cast<unsigned>(c - '0');
  return number;
}

constexpr Rule kRules[] = {
#define BLOBSCOPE_MLF_RULE(id, severity, first, last, message, fix)                                                    \
  {numberOf(id), id, Severity::severity, first, last, message, fix},
#include "core/mlf/rules.inc"
#undef BLOBSCOPE_MLF_RULE
};

static_assert(std::is_sorted(std::begin(kRules), std::end(kRules),
                             [](const Rule& a, const Rule& b) { return a.number < b.number; }));

} // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* findRule(unsigned number) {
  const auto found = std::lower_bound(std::begin(kRules), std::end(kRules), number,
                                      [](const Rule& rule, unsigned wanted) { return rule.number < wanted; });
  return found != std::end(kRules) && found->number == number ? found : nullptr;
}

const Rule* findRule(std::string_view id) {
  const auto found =
      std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& rule) { return rule.id == id; });
  return found != std::end(kRules) ? found : nullptr;
}

std::string Place::text() const {
  std::string out = escaped(member);
  if (line)
    out += ":" + std::to_string(*line);
  else if (offset)
    out += "@" + hexText(*offset);
  if (!pointer.empty()) out += (out.empty() ? "" : " ") + escaped(pointer);
  return out;
}

std::string Finding::message() const {
  const std::string_view text = rule->message;
  std::string out;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t open = text.find('{', position);
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    out += text.substr(position, open - position);
    // "{value:#x}" asks for the argument "value"; how it is written is up to the one who gives it.
    std::string_view name = text.substr(open + 1, close - open - 1);
    name = name.substr(0, name.find(':'));
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const Argument& argument) { return argument.name == name; });
    out += found != arguments.end() ? std::string_view(found->value) : text.substr(open, close - open + 1);
    position = close + 1;
  }
  out += text.substr(position);
  return out;
}

void Findings::add(unsigned number, Place place, std::vector<Argument> arguments) {
  const Rule* const rule = findRule(number);
  if (!rule || (m_version && (*m_version < rule->first || *m_version > rule->last))) return;
  m_counts.resize(std::size(kRules));
  if (m_counts[static_cast<std::size_t>(rule - kRules)]++ >= kPerRule) return;
  m_findings.push_back({rule, std::move(place), std::move(arguments)});
}

bool Findings::has(unsigned number) const {
  const Rule* const rule = findRule(number);
  return rule && !m_counts.empty() && m_counts[static_cast<std::size_t>(rule - kRules)] > 0;
}

} // namespace blobscope::mlf
