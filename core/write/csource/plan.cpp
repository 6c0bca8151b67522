#include "core/base/text.h"
#include "core/container/carrier.h"
#include "core/write/plan_parts.h"

#include <algorithm>

namespace blobscope::write {
namespace {

constexpr uint64_t kStep = 1 << 20;
/// The longest text between brackets; container::readCSource() has the same limit.
constexpr std::size_t kBrackets = 64;
/// The limit of places in a text that name its array. Real texts have two.
constexpr std::size_t kMentions = 1'024;

bool isNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

/// Skips white space and comments.
std::size_t skipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    at = std::min(text.find_first_not_of(" \t\n\r\f\v", at), text.size());
    const std::string_view two = text.substr(at, 2);
    if (two != "//" && two != "/*") break;
    const std::size_t end = text.find(two == "//" ? "\n" : "*/", at + 2);
    at = end == std::string_view::npos ? text.size() : end + (two == "//" ? 1 : 2);
  }
  return at;
}

/// Returns the number between the brackets after a name that ends at `at`; empty for `[]`, nothing when there are no
/// brackets.
std::optional<Extent> bracketsBehind(std::string_view text, std::size_t at) {
  at = skipBlanks(text, at);
  if (at >= text.size() || text[at] != '[') return std::nullopt;
  const std::size_t begin = skipBlanks(text, at + 1),
                    close = text.substr(0, std::min(begin + kBrackets, text.size())).find(']', begin);
  if (close == std::string_view::npos) return std::nullopt;
  const std::size_t last = text.substr(0, close).find_last_not_of(" \t\r\n");
  return Extent{begin, last >= begin && last < close ? last + 1 - begin : 0};
}

/// The parts of an integer in C: 10, 0x1f, 017, 0b11u.
struct Number {
  unsigned base = 10;
  std::string_view prefix, digits, suffix;

  static Number of(std::string_view word) {
    Number number;
    const std::size_t suffixAt = word.find_first_of("uUlL");
    if (suffixAt != std::string_view::npos) {
      number.suffix = word.substr(suffixAt);
      word = word.substr(0, suffixAt);
    }
    if (word.size() > 1 && word[0] == '0') {
      const int second = word[1] | 0x20;
      number.base = second == 'x' ? 16 : second == 'b' ? 2 : 8;
      number.prefix = word.substr(0, number.base == 8 ? 1 : 2);
      word.remove_prefix(number.prefix.size());
    }
    number.digits = word;
    return number;
  }

  std::optional<uint64_t> value() const {
    uint64_t value = 0;
    for (const char c : digits) {
      const char lower = static_cast<char>(c | 0x20);
      const unsigned digit = static_cast<unsigned>(c >= '0' && c <= '9'           ? c - '0'
                                                   : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                                                  : 16);
      if (digit >= base || value > UINT64_MAX / base - 1) return std::nullopt;
      value = value * base + digit;
    }
    return digits.empty() ? std::nullopt : std::optional(value);
  }

  /// Returns another value in the same notation, with at least `least` digits.
  std::string written(uint64_t value, std::size_t least = 1, bool upper = false) const {
    std::string text;
    for (; value > 0 || text.empty(); value /= base)
      text += (upper ? "0123456789ABCDEF" : "0123456789abcdef")[value % base];
    if (text.size() < least) text.append(least - text.size(), '0');
    return std::string(prefix) + std::string(text.rbegin(), text.rend()) + std::string(suffix);
  }
};

/// The layout of an array, taken from the existing text, so that the same bytes produce the same text. TVM writes 20
/// bytes per line, "0x7," before v0.14 and "0x07," from then on, with a comma after the last one in v0.21
/// (core/formats/blob.md 2.3, seen in two real files).
struct Style {
  std::string lead = "\n  ";     ///< between the brace and the first item
  std::string gap = ",";         ///< between items of a line
  std::string lineGap = ",\n  "; ///< between lines
  std::string tail = "\n";       ///< between the last item and the brace
  uint64_t perLine = 20;
  Number number{16, "0x", {}, {}};
  std::size_t digits = 0; ///< minimum number of digits
  bool upper = false;

  std::string item(unsigned char value) const { return number.written(value, digits, upper); }
};

/// Whether the text can be used between any two items. Comments cannot, since they belong to the items around them.
bool isGap(std::string_view text) {
  return std::count(text.begin(), text.end(), ',') == 1 && text.find_first_not_of(", \t\r\n") == std::string_view::npos;
}

/// The items between the braces.
struct Items {
  uint64_t begin = 0; ///< offset after the opening brace
  uint64_t close = 0; ///< offset of the closing brace
  uint64_t count = 0;
  Style style;
};

/// Reads the array again to determine its style; its items are known to be bytes.
Result<std::optional<Items>> readItems(std::string_view text, std::size_t begin, Monitor& monitor) {
  Items items;
  items.begin = begin;
  Style& style = items.style;
  std::size_t lastEnd = begin, at = begin;
  std::size_t longest = 0;
  bool sawGap = false, sawLine = false, sawStyle = false, filled = false;
  uint64_t inLine = 0;
  for (;; ++items.count) {
    if (items.count % 65'536 == 0) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      monitor.progress("reading the array", at, text.size());
    }
    // There is one comma between two items, and possibly one after the last item.
    at = skipBlanks(text, at);
    if (at < text.size() && text[at] == ',' && items.count > 0) at = skipBlanks(text, at + 1);
    if (at >= text.size()) return std::optional<Items>();
    const std::string_view between = text.substr(lastEnd, at - lastEnd);
    if (text[at] == '}') {
      items.close = at;
      style.tail = between; // unchanged, including comments, since it is written only once
      break;
    }
    if (items.count == 0) {
      style.lead = between;
    } else if (const bool newLine = between.find('\n') != std::string_view::npos; isGap(between)) {
      if (newLine && !sawLine) {
        style.lineGap = between;
        style.perLine = inLine;
        sawLine = true;
      } else if (!newLine && !sawGap) {
        style.gap = between;
        sawGap = true;
      }
    }
    ++inLine;
    const std::size_t end = std::min(text.find_first_of(",} \t\r\n/", at + (text[at] == '\'' ? 2 : 0)), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (word.empty()) return std::optional<Items>();
    const Number number = Number::of(word);
    if (word.front() != '\'' && word != "0") { // 0 can be octal or decimal
      if (!sawStyle) style.number = number;
      sawStyle = true;
      longest = std::max(longest, number.digits.size());
      if (number.digits.size() > 1 && number.digits.front() == '0') filled = true;
      if (number.base == 16 && number.digits.find_first_of("ABCDEF") != std::string_view::npos) style.upper = true;
    }
    lastEnd = at = end;
  }
  if (filled) style.digits = longest;
  // All in one line.
  if (!sawLine && items.count > 0 && sawGap) style.perLine = UINT64_MAX;
  return std::optional(items);
}

/// The array of a blob in its text.
struct Array {
  std::string_view name;
  uint64_t nameAt = 0;
  Items items;
};

/// Symbols and blobs are in the order of the text (container::readCSource).
Result<Array> findArray(const library::Package& package, const library::Blob& blob, Monitor& monitor) {
  const std::string_view text = package.bytes.view();
  const auto refusal = [&](std::string reason) { return layoutError(package, std::move(reason), blob.ref()); };
  const auto number =
      static_cast<std::size_t>(std::find_if(package.blobs.begin(), package.blobs.end(),
                                            [&](const auto& other) {
                                              return other.get() == &blob || other->bytes.data() == blob.bytes.data();
                                            }) -
                               package.blobs.begin());
  const auto& symbols = package.image.symbols;
  if (number >= package.blobs.size() || number >= symbols.size() || symbols[number].name != blob.carrier.symbol)
    return refusal("the blob's array cannot be found");
  const std::string_view name = symbols[number].name;
  const auto nameAt = static_cast<uint64_t>(name.data() - text.data());
  const auto length = bracketsBehind(text, nameAt + name.size());
  if (!length) return refusal("the blob's array cannot be found");
  const std::size_t equals = skipBlanks(text, std::min(text.find(']', length->end()), text.size() - 1) + 1);
  const std::size_t brace = skipBlanks(text, std::min(equals + 1, text.size()));
  if (brace >= text.size() || text[brace] != '{') return refusal("the blob's array cannot be found");
  BLOBSCOPE_TRY(items, readItems(text, brace + 1, monitor));
  if (!items || items->count != blob.bytes.size())
    return refusal("array '" + escaped(name) + "' contains more than the blob");
  return Array{name, nameAt, std::move(*items)};
}

/// Returns the items of the new blob, from the opening brace to the closing one.
Result<std::string> writeItems(const NewBlob& newBlob, const Style& style, Monitor& monitor) {
  std::string out = style.lead;
  uint64_t done = 0;
  for (const Bytes& piece : newBlob.pieces)
    for (const char byte : piece.view()) {
      if (done % kStep == 0) {
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        monitor.progress("writing the array", done, newBlob.size);
      }
      if (done > 0) out += done % style.perLine == 0 ? style.lineGap : style.gap;
      out += style.item(static_cast<unsigned char>(byte));
      ++done;
    }
  out += style.tail;
  return out;
}

/// A number between brackets and its new value.
struct Size {
  Extent place;
  std::string text;
};

/// Returns the sizes in brackets, of the array and of its declarations, in text order.
Result<std::vector<Size>> findSizes(const PlanRequest& request, const Array& array) {
  const library::Blob& blob = request.blob;
  const std::string_view text = request.package.bytes.view(), name = array.name;
  const auto refusal = [&](std::string reason) { return layoutError(request.package, std::move(reason), blob.ref()); };
  std::vector<Size> sizes;
  std::size_t mentions = 0;
  for (std::size_t at = findBytes(text, name, 0); at != std::string_view::npos; at = findBytes(text, name, at + 1)) {
    if ((at > 0 && isNameByte(text[at - 1])) || (at + name.size() < text.size() && isNameByte(text[at + name.size()])))
      continue;
    if (++mentions > kMentions) return refusal("the name '" + escaped(name) + "' occurs too often in the source");
    if (at >= array.items.begin && at < array.items.close) continue;
    const auto place = bracketsBehind(text, at + name.size());
    if (!place || place->size == 0) continue;
    const std::string_view word = text.substr(place->offset, place->size);
    const std::size_t digits = std::min(word.find_first_of(" \t\r\n/"), word.size()); // a comment may follow
    const Number stored = Number::of(word.substr(0, digits));
    const auto value = stored.value();
    // An array with the same name in another scope, or an index, is not changed.
    if (value != blob.bytes.size()) {
      if (at == array.nameAt)
        return refusal("the size of array '" + escaped(name) + "' is '" + escapedWithin(word, 64) + "', not its " +
                       std::to_string(array.items.count) + " items");
      continue;
    }
    sizes.push_back({*place, stored.written(request.newBlob.size) + std::string(word.substr(digits))});
  }
  return sizes;
}

} // namespace

Result<Plan> planCSource(const PlanRequest& request) {
  const std::string_view text = request.package.bytes.view();
  BLOBSCOPE_TRY(array, findArray(request.package, request.blob, request.monitor));
  const Items& items = array.items;
  BLOBSCOPE_TRY(out, writeItems(request.newBlob, items.style, request.monitor));
  BLOBSCOPE_TRY(sizes, findSizes(request, array));

  PlanBuilder builder;
  uint64_t copied = 0;
  const auto upTo = [&](uint64_t offset) {
    builder.input({copied, offset - copied});
    copied = offset;
  };
  const auto putSize = [&](const Size& size) {
    if (text.substr(size.place.offset, size.place.size) == size.text) return;
    upTo(size.place.offset);
    builder.step("Set: array size", builder.position(), size.text.size(), "follows from the new blob");
    builder.literal(Bytes::copyOf(size.text), "array size");
    copied = size.place.end();
  };
  builder.step("Copy the text", 0, text.size(), "except for the changes below");
  std::size_t next = 0;
  while (next < sizes.size() && sizes[next].place.offset < items.begin) putSize(sizes[next++]);
  upTo(items.begin);
  const uint64_t arrayAt = builder.position();
  builder.step("Write the new blob", arrayAt, out.size(), "as items of the array, written as before");
  builder.literal(Bytes::copyOf(out), "items of the array");
  copied = items.close;
  while (next < sizes.size()) putSize(sizes[next++]);
  upTo(text.size());
  const uint64_t size = builder.position();
  Plan plan = builder.take({size == text.size() ? Strategy::InPlace : Strategy::Resize});
  plan.before = {{PlanRange::Kind::Other, items.begin},
                 {PlanRange::Kind::Blob, items.close - items.begin},
                 {PlanRange::Kind::Other, text.size() - items.close}};
  plan.after = {{PlanRange::Kind::Other, arrayAt},
                {PlanRange::Kind::Blob, out.size()},
                {PlanRange::Kind::Other, size - arrayAt - out.size()}};
  return plan;
}

} // namespace blobscope::write
