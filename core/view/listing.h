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

/// Listings of instructions whose numbers are known for what they are, so that a comparison need not guess.
namespace blobscope::view {

/// Bytes of a listing. Every instruction has one line of its own; those of a function follow one another.
struct ListingMark {
  enum class Kind : uint8_t {
    Function,   ///< a function begins; no bytes
    Place,      ///< the number of the instruction in its function, with the blanks around it, where its line begins
    Target,     ///< the instruction that is jumped to; `number` counts from the one that jumps
    Definition, ///< a register that is written, or a parameter; `number` says which
    Use,        ///< a register that is read
    Constant,   ///< a constant by its number
    Note        ///< what a person is told of the constants again, up to the end of the line
  };
  uint64_t begin = 0;
  uint32_t size = 0;
  Kind kind = Kind::Function;
  int64_t number = 0;
};

/// What a constant holds: two are the same when both texts are.
struct ConstantIdentity {
  std::string text;   ///< kind and value; of a tensor type and shape
  std::string digest; ///< of what `text` has no room for, else empty
  bool tensor = false;
};

/// What the constants of a listing hold, each looked at once. Any thread may ask.
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

/// A listing while it is written.
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
  /// Adds another listing behind.
  void append(const Listing& other);
};

} // namespace blobscope::view
