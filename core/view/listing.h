#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Listings of instructions in which the meaning of every number is marked, so that a comparison need not guess.
namespace blobscope::view {

/// A range of bytes in a listing. Every instruction has its own line; the lines of a function follow one another.
struct ListingMark {
  enum class Kind : uint8_t {
    Function,   ///< a function begins; no bytes
    Place,      ///< the number of the instruction in its function, with the blanks around it, at the start of its line
    Target,     ///< the target of a jump; `number` counts from the instruction that jumps
    Definition, ///< a register that is written, or a parameter; `number` is its number
    Use,        ///< a register that is read
    Constant,   ///< a constant by its number
    Note        ///< the comment that repeats the constants for people, up to the end of the line
  };
  uint64_t begin = 0;
  uint32_t size = 0;
  Kind kind = Kind::Function;
  int64_t number = 0;
};

/// The content of a constant: two constants are equal when both texts are.
struct ConstantIdentity {
  std::string text;   ///< kind and value; for a tensor type and shape
  std::string digest; ///< of content that `text` has no room for, else empty
  bool tensor = false;
};

/// The contents of the constants of a listing; each is read once. Any thread may call it.
class ListingConstants {
public:
  /// Error: only Cancelled.
  using Identify = std::function<Result<ConstantIdentity>(int64_t number, Monitor& monitor)>;

  explicit ListingConstants(Identify identify) : m_identify(std::move(identify)) {}
  Result<ConstantIdentity> identity(int64_t number, Monitor& monitor) const;

private:
  Identify m_identify;
  mutable std::mutex m_mutex;
  mutable std::unordered_map<int64_t, ConstantIdentity> m_known;
};

struct ListingMarks {
  std::vector<ListingMark> marks; ///< in the order of the text, without overlaps
  std::shared_ptr<const ListingConstants> constants;
};

/// A listing that is being written.
class Listing {
public:
  std::string text;
  std::vector<ListingMark> marks;

  Listing& operator+=(std::string_view words) {
    text += words;
    return *this;
  }
  /// Adds words with a mark.
  void add(ListingMark::Kind kind, int64_t number, std::string_view words);
  /// Appends another listing.
  void append(const Listing& other);
};

} // namespace blobscope::view
