#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace blobscope::json {

/// A parsed value that knows where it stands in the text.
struct Located {
  enum class Type { Null, Bool, Negative, Unsigned, Real, String, Array, Object };
  struct Member; ///< a name and its value

  Type type = Type::Null;
  Extent extent;        ///< from the first byte of the text
  bool truth = false;   ///< Bool
  int64_t negative = 0; ///< Negative: a whole number below 0
  uint64_t number = 0;  ///< Unsigned
  double real = 0;      ///< Real
  std::string text;     ///< String
  std::vector<Located> items;
  std::vector<Member> members; ///< in the order of the text; all of them when a name repeats

  bool isObject() const { return type == Type::Object; }
  bool isArray() const { return type == Type::Array; }
  bool isString() const { return type == Type::String; }
  /// A number without a fraction.
  bool isWhole() const { return type == Type::Negative || type == Type::Unsigned; }
  /// First member of that name, null when there is none.
  const Located* find(std::string_view name) const;
};
struct Located::Member {
  std::string first;
  Located second;
};

/// A member whose name was there before.
struct Duplicate {
  std::string pointer; ///< JSON pointer (RFC 6901) of the member
  Extent extent;       ///< of its value
};

/// At most this many duplicates of one text are kept.
constexpr std::size_t kDuplicates = 200;
/// Values of one text; one takes about 140 bytes. The largest graph seen has some ten thousand.
constexpr std::size_t kLocatedValues = 1'048'576;

struct LocatedDocument {
  Located root;
  std::vector<Duplicate> duplicates; ///< in the order of the text
};

/// The same texts as parse(), with places. One pass. JSON-TEXT with the byte offset; JSON-DEPTH; FILE-LIMIT
/// above kLocatedValues.
Result<LocatedDocument> parseLocated(const Bytes& text);

/// `pointer` with one more step, escaped as RFC 6901 says ("~0", "~1").
std::string pointerStep(std::string_view pointer, std::string_view name);
std::string pointerStep(std::string_view pointer, std::size_t index);

} // namespace blobscope::json
