#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/container/image.h"
#include "core/targets/tables.h"

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace blobscope::targets {

/// Finds known names among the texts of a program: a name is the whole text before a NUL, or the end of one, because
/// linkers store a text that ends a longer one only once.
class NameFinder {
public:
  /// The names have to stay in place.
  void add(std::string_view name);
  /// Texts that begin like this are found, too.
  void addPrefix(std::string_view prefix) { m_prefixes.emplace_back(prefix); }
  /// Adds the names in the data of a library to `found`. Error: Cancelled.
  Result<Done> find(const container::Image& image, std::set<std::string, std::less<>>& found, Monitor& monitor) const;

private:
  Result<Done> findIn(std::string_view text, std::set<std::string, std::less<>>& found, Monitor& monitor) const;

  std::unordered_map<uint32_t, std::vector<std::string_view>> m_byEnd; ///< by their last four bytes
  std::vector<std::string> m_prefixes;
};

/// The parts of a library in which its texts are: data that is not code.
std::vector<Bytes> textsOf(const container::Image& image);

} // namespace blobscope::targets
