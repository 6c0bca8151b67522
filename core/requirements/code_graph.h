#pragma once

#include "core/container/image.h"
#include "core/requirements/code_scan.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace blobscope::requirements {

/// Which functions of a library's host code refer to which words of its data, directly or through functions that they
/// call. Functions are found by symbols and by calls. Nothing is executed.
class CodeGraph {
public:
  /// Words that are searched: address → number below `count`. Numbers may have several addresses.
  struct Wanted {
    std::unordered_map<uint64_t, uint32_t> places;
    uint32_t count = 0;
    std::vector<bool> lookups; ///< by number: the word refers to a function that looks up its second argument by name
    /// Words that contain the address of a function of the library: address → that of the function. Code that reads one
    /// counts as a caller.
    std::unordered_map<uint64_t, uint64_t> pointers;
    std::vector<uint64_t> bases; ///< addresses from which constants in the code may count
  };
  /// A name that the code passes to a function that looks it up.
  struct Name {
    std::string_view text; ///< points into the mapping
    uint32_t function = 0; ///< number of the function that passes it, for callersOf()
  };

  /// Reads the code. The result is empty for images that cannot be read: isReadable(). Error: only Cancelled.
  static Result<CodeGraph> read(const container::Image& image, const Wanted& wanted, Monitor& monitor);

  /// Whether all code was read: false for objects, for unknown architectures and above the limit of code.
  bool isReadable() const { return m_readable; }
  const std::vector<Name>& names() const { return m_names; }
  /// The number of the function that begins at the address.
  std::optional<uint32_t> findFunction(uint64_t address) const;
  /// The numbers of the functions that refer to the word with that number.
  const std::vector<uint32_t>& usersOf(uint32_t wanted) const { return m_users[wanted]; }
  /// Returns `functions` and all functions that call them, directly or not, as addresses of their first bytes.
  std::vector<uint64_t> callersOf(const std::vector<uint32_t>& functions) const;

private:
  friend class CodeReader;
  bool m_readable = false;
  std::vector<uint64_t> m_starts;                     ///< by function, ascending
  std::vector<std::pair<uint32_t, uint32_t>> m_calls; ///< called function, caller; sorted
  std::vector<std::vector<uint32_t>> m_users;         ///< by number of the word
  std::vector<Name> m_names;
};

} // namespace blobscope::requirements
