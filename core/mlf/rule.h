#pragma once

#include "core/base/diagnostic.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Model Library Format: what TVM's microTVM exported from March 2021 to December 2024, versions 1 to 7. Source of
/// every fact in this folder: formats text model-library-format.md.
namespace blobscope::mlf {

/// One rule of the table rules.inc.
struct Rule {
  unsigned number;     ///< 616
  std::string_view id; ///< "MLF-616"
  Severity severity;
  unsigned first, last;     ///< versions in which it can fire
  std::string_view message; ///< with placeholders
  std::string_view fix;     ///< empty when there is none
};

std::span<const Rule> rules();
/// Null when no rule has that number.
const Rule* findRule(unsigned number);
/// By id, "MLF-616".
const Rule* findRule(std::string_view id);

/// Where a finding is. Empty and absent members say nothing.
struct Place {
  std::string member;             ///< path in the archive, without "./"
  std::string pointer;            ///< JSON pointer in that member
  std::optional<uint64_t> line;   ///< of a text, from 1
  std::optional<uint64_t> offset; ///< bytes from the start of the member; of the archive when `member` is empty

  /// "metadata.json:12 /memory/sids/0", "@0x400"; empty when it says nothing.
  std::string text() const;
};

struct Finding {
  const Rule* rule = nullptr;
  Place place;
  std::vector<Argument> arguments;

  std::string message() const;
};

/// Collects findings in the order in which they are met. A rule that cannot fire in `version` is not added.
class Findings {
public:
  /// At most this many of one rule are kept; one archive may break a rule a million times.
  static constexpr std::size_t kPerRule = 200;

  void setVersion(std::optional<unsigned> version) { m_version = version; }
  void add(unsigned rule, Place place, std::vector<Argument> arguments = {});
  bool has(unsigned rule) const;
  const std::vector<Finding>& all() const { return m_findings; }

private:
  std::optional<unsigned> m_version; ///< nothing while it is not known: every rule may fire
  std::vector<Finding> m_findings;
  std::vector<std::size_t> m_counts; ///< by the place of the rule in rules()
};

} // namespace blobscope::mlf
