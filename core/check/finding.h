#pragma once

#include "core/check/rule.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace blobscope::check {

/// The place of a finding. Empty and absent members are unknown.
struct Place {
  std::string member;             ///< path in the archive, without "./"
  std::string pointer;            ///< JSON pointer in that member
  std::optional<uint64_t> line;   ///< of a text, counted from 1
  std::optional<uint64_t> offset; ///< bytes from the start of the member, or of the archive when `member` is empty

  /// "metadata.json:12 /memory/sids/0", "@0x400"; empty when nothing is known.
  std::string text() const;
};

/// A rule that a file breaks.
struct Finding {
  Rule rule;
  Place place;
  std::vector<Argument> arguments;
  std::optional<Rule> because = {}; ///< the rule of another finding that is the cause of this one

  std::string message() const;
};

/// Collects findings in the order in which they are found. A rule that cannot fire in `version` is not added.
class Findings {
public:
  /// At most this many of one rule are kept; one archive may break a rule a million times.
  static constexpr std::size_t kPerRule = 200;

  void setVersion(std::optional<unsigned> version) { m_version = version; }
  /// `because`: the cause of the finding; see Finding.
  void add(Rule rule, Place place, std::vector<Argument> arguments = {}, std::optional<Rule> because = {});
  bool has(Rule rule) const { return m_counts.contains(rule); }
  const std::vector<Finding>& all() const { return m_findings; }

private:
  std::optional<unsigned> m_version; ///< nothing while it is unknown: every rule may fire
  std::vector<Finding> m_findings;
  std::map<Rule, std::size_t> m_counts;
};

} // namespace blobscope::check
