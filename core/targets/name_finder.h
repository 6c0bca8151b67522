#pragma once

#include "core/base/monitor.h"
#include "core/container/image.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace blobscope::targets {

/// The names in a library.
struct FoundNames {
  std::set<std::string, std::less<>> known;
  /// Whether a whole text that looks like the name of a function is in the library.
  bool containsText(std::string_view text) const;
  std::vector<uint64_t> texts; ///< hashes of such texts, sorted
  /// Whether the library has a check of that condition, as in the source: "args.size() == 2".
  bool containsCheck(std::string_view condition) const;
  std::vector<uint64_t> checks;              ///< hashes of the conditions, sorted
  std::vector<std::string> versions;         ///< that checks compare with: "0.14" of `version == "0.14"`
  std::set<std::string, std::less<>> magics; ///< constants that checks compare a header with: "kTVMVMBytecodeMagic"
};

/// Finds known names among the texts of a program: a name is the whole text before a NUL, or the end of one, because
/// linkers store a text that ends a longer one only once.
class NameFinder {
public:
  /// The names have to stay in place.
  void add(std::string_view name);
  /// Texts that begin like this are found, too.
  void addPrefix(std::string_view prefix) { m_prefixes.emplace_back(prefix); }
  /// What is in the data of a library that is not code. Error: Cancelled.
  Result<FoundNames> find(const container::Image& image, Monitor& monitor) const;
  /// The same in some parts of a file.
  Result<FoundNames> find(std::string_view file, const std::vector<Extent>& parts, Monitor& monitor) const;

private:
  Result<Done> findIn(std::string_view text, FoundNames& found, Monitor& monitor) const;

  std::unordered_map<uint32_t, std::vector<std::string_view>> m_byEnd; ///< by their last four bytes
  std::vector<std::string> m_prefixes;
};

/// The parts of a library in which its texts are, without overlaps.
std::vector<Extent> textsOf(const container::Image& image);

} // namespace blobscope::targets
