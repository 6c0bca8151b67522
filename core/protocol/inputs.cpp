#include "core/protocol/inputs.h"

#include "core/base/text.h"
#include "core/payloads/tensor/npy.h"
#include "core/protocol/element_code.h"
#include "core/protocol/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

namespace blobscope::protocol {
namespace {

using payloads::ElementType;
using Kind = Fill::Kind;

/// Lanes of a piece: at most 2 MiB, and whole bytes for every packed type.
constexpr uint64_t kPieceLanes = uint64_t{1} << 18;
/// Lanes between two checks of the monitor.
constexpr uint64_t kCheckLanes = uint64_t{1} << 16;
/// The near-normal's largest distance from its mean: 131070 / 65535 · √3.
constexpr double kNormalReach = 2 * 1.7320508075688772;
constexpr double kDefaultDeviation = 0.1;

constexpr std::pair<std::string_view, Kind> kWords[] = {
    {"default", Kind::Default}, {"zeros", Kind::Zeros},       {"ones", Kind::Ones},      {"ramp", Kind::Ramp},
    {"random", Kind::Random},   {"identity", Kind::Identity}, {"special", Kind::Special}};

Error refused(std::string_view name, const std::string& reason) {
  return Error(DiagnosticId::RunInput, {arg("name", name), arg("reason", reason)});
}

Error cancelled() { return Error(DiagnosticId::Cancelled, {}); }

template <class T> std::optional<T> parsed(std::string_view text) {
  T value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 64> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

std::optional<Fill> parseConstant(std::string_view text) {
  Fill out;
  out.kind = Kind::Constant;
  if (const auto whole = parsed<int64_t>(text); whole && text != "-0") {
    out.whole = true;
    out.low = *whole;
    out.first = static_cast<double>(*whole);
    return out;
  }
  if (const auto large = parsed<uint64_t>(text)) {
    out.whole = true;
    out.low = static_cast<int64_t>(*large);
    out.first = static_cast<double>(*large);
    return out;
  }
  const auto number = parsed<double>(text);
  if (!number || text.find('(') != std::string_view::npos) return std::nullopt;
  out.first = *number;
  // "1e3" means the same as "1000".
  constexpr double kExact = 0x1p53;
  if (std::fabs(*number) <= kExact && std::trunc(*number) == *number && !(*number == 0 && std::signbit(*number))) {
    out.whole = true;
    out.low = static_cast<int64_t>(*number);
  }
  if (std::isnan(*number)) out.first = std::numeric_limits<double>::quiet_NaN();
  return out;
}

/// The two texts of "word:A:B".
std::optional<std::pair<std::string_view, std::string_view>> pairOf(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return std::pair(text.substr(0, colon), text.substr(colon + 1));
}

/// Rounds to the nearest whole number, to the even one when two are equally near, and clamps it to the type's range.
uint64_t rounded(double value, const ElementCode& code) {
  if (!(value > static_cast<double>(code.integerMinimum())))
    return static_cast<uint64_t>(code.integerMinimum()) & code.mask();
  if (value >= static_cast<double>(code.integerMaximum())) return code.integerMaximum();
  const double whole = std::nearbyint(value);
  return (whole < 0 ? static_cast<uint64_t>(static_cast<int64_t>(whole)) : static_cast<uint64_t>(whole)) & code.mask();
}

/// Whether an integer type can represent the number.
bool fits(const ElementCode& code, int64_t value) {
  return value >= code.integerMinimum() && (value < 0 || static_cast<uint64_t>(value) <= code.integerMaximum());
}

std::vector<uint64_t> specialCodes(const ElementCode& code) {
  std::vector<uint64_t> out;
  const auto add = [&](uint64_t bits) {
    if (std::find(out.begin(), out.end(), bits) == out.end()) out.push_back(bits);
  };
  if (!code.isFloat()) {
    for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}})
      if (fits(code, value)) add(static_cast<uint64_t>(value) & code.mask());
    add(code.integerMaximum());
    add(static_cast<uint64_t>(code.integerMinimum()) & code.mask());
    return out;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -0.0}) add(code.encode(value));
  if (code.hasInfinity())
    for (const double value : {kInfinity, -kInfinity}) add(code.encode(value));
  if (code.hasNan()) add(code.encode(std::numeric_limits<double>::quiet_NaN()));
  // Subnormals have the bits from 1 up to those of the smallest normal number.
  if (code.hasSign()) {
    const uint64_t normal = uint64_t{1} << code.mantissaBits();
    for (const uint64_t bits : {uint64_t{1}, normal - 1, normal})
      for (const double sign : {1.0, -1.0})
        if (bits != 0) add(code.encode(sign * code.number(bits)));
  }
  for (const double sign : {1.0, -1.0}) add(code.encode(sign * code.largest()));
  return out;
}

/// Number of steps of a ramp of floats before it restarts: a power of two.
uint64_t rampLength(const ElementCode& code) {
  uint64_t length = uint64_t{2} << code.mantissaBits();
  while (length > 1 && static_cast<double>(length - 1) > code.largest()) length /= 2;
  return length;
}

uint64_t scaled(uint64_t bits, uint64_t span) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(static_cast<Wide>(bits) * span >> 64);
}

/// Makes pieces; everything that can be refused is checked before.
class Maker {
public:
  using Take = std::function<Result<Done>(std::span<const std::byte>)>;
  Maker(const ElementCode& code, uint64_t lanes, uint64_t bytes, Monitor& monitor, const Take& take)
      : m_code(code), m_lanes(lanes), m_bytes(bytes), m_monitor(monitor), m_take(take) {}

  /// Fills every lane with `bitsOf(lane)`.
  template <class BitsOf> Result<Done> run(BitsOf bitsOf) {
    const uint64_t stride = m_code.strideBits();
    Buffer piece;
    for (uint64_t from = 0; from < m_lanes; from += kPieceLanes) {
      const uint64_t count = std::min(kPieceLanes, m_lanes - from);
      piece.assign((count * stride + 7) / 8, std::byte{0});
      for (uint64_t begin = 0; begin < count; begin += kCheckLanes) {
        if (m_monitor.stopRequested()) return cancelled();
        m_monitor.progress("generating inputs", (from + begin) * stride / 8, m_bytes);
        const uint64_t end = std::min(count, begin + kCheckLanes);
        for (uint64_t lane = begin; lane < end; ++lane) m_code.store(piece.data(), lane, bitsOf(from + lane));
      }
      BLOBSCOPE_CHECK(m_take(piece));
    }
    return Done{};
  }
  /// Fills every lane with `valueOf(lane)`, rounded to the type.
  template <class ValueOf> Result<Done> runValues(ValueOf valueOf) {
    if (m_code.isFloat()) return run([&](uint64_t lane) { return m_code.encode(valueOf(lane)); });
    return run([&](uint64_t lane) { return rounded(valueOf(lane), m_code); });
  }

private:
  const ElementCode& m_code;
  uint64_t m_lanes, m_bytes;
  Monitor& m_monitor;
  const Take& m_take;
};

Result<Done> makeZeros(uint64_t bytes, Monitor& monitor, const Maker::Take& take) {
  constexpr uint64_t kPiece = uint64_t{1} << 20;
  const Buffer piece(std::min(bytes, kPiece), std::byte{0});
  for (uint64_t done = 0; done < bytes; done += kPiece) {
    if (monitor.stopRequested()) return cancelled();
    monitor.progress("generating inputs", done, bytes);
    BLOBSCOPE_CHECK(take(std::span(piece).first(std::min(kPiece, bytes - done))));
  }
  return Done{};
}

/// Checks that both ends of a range are numbers of the type.
Result<Done> checkReach(const InputTensor& tensor, const ElementCode& code, double low, double high) {
  if (code.isFloat()
          ? low >= -code.largest() && high <= code.largest()
          : low >= static_cast<double>(code.integerMinimum()) && high <= static_cast<double>(code.integerMaximum()))
    return Done{};
  return refused(tensor.name, (low == high ? plainNumber(low) : plainNumber(low) + " to " + plainNumber(high)) +
                                  " is outside the range of " + typeText(tensor.type));
}

Result<uint64_t> constantBits(const InputTensor& tensor, const ElementCode& code, const Fill& fill) {
  const auto unfit = [&] { return refused(tensor.name, typeText(tensor.type) + " has no " + fillText(fill)); };
  if (!code.isFloat()) {
    if (!fill.whole) return unfit();
    const auto bits = static_cast<uint64_t>(fill.low);
    if (fill.first < 0 ? fill.low < code.integerMinimum() : bits > code.integerMaximum()) return unfit();
    return bits & code.mask();
  }
  if (std::isnan(fill.first)   ? !code.hasNan()
      : std::isinf(fill.first) ? !code.hasInfinity()
                               : std::fabs(fill.first) > code.largest())
    return unfit();
  if (!code.hasSign() && !(fill.first > 0) && !std::isnan(fill.first)) return unfit();
  return code.encode(fill.first);
}

Fill::Kind resolved(const InputTensor& tensor, const std::optional<ElementCode>& code, Kind kind) {
  if (kind != Kind::Default) return kind;
  if (!code) return Kind::Zeros;
  const bool weights = tensor.type == DataType{1, 32, 1} && tensor.shape.size() >= 2;
  return code->isFloat() || weights ? Kind::Random : Kind::Zeros;
}

Result<Done> makeIdentity(const InputTensor& tensor, const ElementCode& code, Maker& maker) {
  const std::size_t rank = tensor.shape.size();
  if (rank < 2) return refused(tensor.name, "an identity needs two axes, but its shape has " + std::to_string(rank));
  Fill one;
  one.kind = Kind::Constant;
  one.whole = true;
  one.first = 1;
  one.low = 1;
  BLOBSCOPE_TRY(bits, constantBits(tensor, code, one));
  // Not 0, otherwise there would be no lane.
  const uint64_t rows = static_cast<uint64_t>(tensor.shape[rank - 2]),
                 columns = static_cast<uint64_t>(tensor.shape[rank - 1]) * tensor.type.lanes;
  return maker.run([=](uint64_t lane) { return lane / columns % rows == lane % columns ? bits : 0; });
}

std::optional<uint64_t> laneCount(const InputTensor& tensor) {
  uint64_t count = tensor.type.lanes;
  for (const int64_t extent : tensor.shape)
    if (extent < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count)) return std::nullopt;
  return count;
}

std::string shapeText(const std::vector<int64_t>& shape) {
  payloads::Tensor tensor;
  tensor.shape = shape;
  return tensor.shapeText();
}

} // namespace

RandomNumbers::RandomNumbers(uint64_t seed, std::string_view tensorName) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a with 64 bits
  for (const char c : tensorName) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  m_start = seed + hash;
}

uint64_t RandomNumbers::bits(uint64_t index) const {
  uint64_t z = m_start + (index + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

double RandomNumbers::normal(uint64_t bits) {
  const uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  return (static_cast<double>(sum) - 131070) / 65535 * 1.7320508075688772;
}

Result<Fill> parseFill(std::string_view name, std::string_view text) {
  for (const auto& [word, kind] : kWords)
    if (text == word) {
      Fill out;
      out.kind = kind;
      return out;
    }
  const auto unknown = [&](std::string_view what) {
    return refused(name, "'" + escapedWithin(text, 60) + "' is " + std::string(what));
  };
  const auto outer = pairOf(text);
  if (!outer) {
    if (const auto constant = parseConstant(text)) return *constant;
    return unknown(
        "not a value for an input; use zeros, ones, ramp, random, identity, special, a number, uniform:LOW:HIGH, "
        "normal:MEAN:DEVIATION or integers:LOW:HIGH");
  }
  const auto values = pairOf(outer->second);
  Fill out;
  if (values && outer->first == "integers") {
    const auto low = parsed<int64_t>(values->first), high = parsed<int64_t>(values->second);
    if (!low || !high || *low >= *high) return unknown("not a range of integers: the first must be below the second");
    out.kind = Kind::Integers;
    out.low = *low;
    out.high = *high;
    return out;
  }
  const bool uniform = outer->first == "uniform";
  if (!values || (!uniform && outer->first != "normal"))
    return unknown("not a value for an input; use uniform:LOW:HIGH, normal:MEAN:DEVIATION or integers:LOW:HIGH");
  const auto first = parsed<double>(values->first), second = parsed<double>(values->second);
  if (!first || !second || !std::isfinite(*first) || !std::isfinite(*second))
    return unknown("not a value for an input: its numbers must be finite");
  if (uniform && (!(*first < *second) || !std::isfinite(*second - *first)))
    return unknown("not a range: the first must be below the second");
  if (!uniform && !(*second >= 0)) return unknown("not a value for an input: the deviation must not be negative");
  out.kind = uniform ? Kind::Uniform : Kind::Normal;
  out.first = *first;
  out.second = *second;
  return out;
}

std::string fillText(const Fill& fill) {
  for (const auto& [word, kind] : kWords)
    if (kind == fill.kind) return std::string(word);
  switch (fill.kind) {
  case Kind::Uniform: return "uniform:" + shortest(fill.first) + ":" + shortest(fill.second);
  case Kind::Normal: return "normal:" + shortest(fill.first) + ":" + shortest(fill.second);
  case Kind::Integers: return "integers:" + std::to_string(fill.low) + ":" + std::to_string(fill.high);
  default: break;
  }
  if (!fill.whole) return shortest(fill.first);
  return fill.first < 0 ? std::to_string(fill.low) : std::to_string(static_cast<uint64_t>(fill.low));
}

Result<Done> makeInputPieces(const InputTensor& tensor, const Fill& fill, uint64_t seed, Monitor& monitor,
                             const Maker::Take& take, uint64_t limitBytes) {
  const auto bytes = dataBytes(tensor.type, tensor.shape);
  const auto lanes = laneCount(tensor);
  if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t extent) { return extent < 0; }))
    return refused(tensor.name, "shape " + escapedWithin(shapeText(tensor.shape), 200) + " has a negative extent");
  if (tensor.shape.size() > static_cast<std::size_t>(payloads::Tensor::kMaxRank))
    return refused(tensor.name, "its shape has " + groupedText(tensor.shape.size()) + " axes");
  if (tensor.type.bits == 0 || tensor.type.lanes == 0)
    return refused(tensor.name, "type " + typeText(tensor.type) + " has no values");
  if (!bytes || !lanes || *bytes > limitBytes)
    return Error(DiagnosticId::RunMemory,
                 {bytes ? sizeArg("size", *bytes) : arg("size", "more bytes than can be counted"),
                  sizeArg("limit", limitBytes)});

  const auto code = ElementCode::of(tensor.type);
  const Kind kind = resolved(tensor, code, fill.kind);
  if (kind == Kind::Zeros) return makeZeros(*bytes, monitor, take);
  if (!code) return refused(tensor.name, "type " + typeText(tensor.type) + " has no numbers; use zeros or a file");

  Maker maker(*code, *lanes, *bytes, monitor, take);
  const RandomNumbers random(seed, tensor.name);
  const double first = fill.first, second = fill.second;
  switch (kind) {
  case Kind::Ones:
  case Kind::Constant: {
    Fill constant = fill;
    if (kind == Kind::Ones) {
      constant.kind = Kind::Constant;
      constant.whole = true;
      constant.first = 1;
      constant.low = 1;
    }
    BLOBSCOPE_TRY(bits, constantBits(tensor, *code, constant));
    return maker.run([=](uint64_t) { return bits; });
  }
  case Kind::Ramp: {
    if (!code->isFloat()) {
      const uint64_t mask = code->mask(), most = code->integerMaximum();
      if (most == 1) return maker.run([](uint64_t lane) { return lane & 1; });
      return maker.run([=](uint64_t lane) { return lane & mask; });
    }
    const uint64_t length = rampLength(*code);
    return maker.runValues([=](uint64_t lane) { return static_cast<double>(lane % length); });
  }
  case Kind::Identity: return makeIdentity(tensor, *code, maker);
  case Kind::Uniform: {
    BLOBSCOPE_CHECK(checkReach(tensor, *code, first, second));
    const double below = std::nextafter(second, first), width = second - first;
    // Rounds only once, so that every compiler makes the same numbers.
    return maker.runValues([=](uint64_t lane) {
      return std::min(std::fma(RandomNumbers::uniform(random.bits(lane)), width, first), below);
    });
  }
  case Kind::Normal:
    BLOBSCOPE_CHECK(checkReach(tensor, *code, first - kNormalReach * second, first + kNormalReach * second));
    return maker.runValues(
        [=](uint64_t lane) { return std::fma(RandomNumbers::normal(random.bits(lane)), second, first); });
  case Kind::Integers: {
    if (fill.low >= fill.high) return refused(tensor.name, "'" + fillText(fill) + "' is not a range of integers");
    const int64_t last = fill.high - 1;
    if (code->isFloat()) {
      BLOBSCOPE_CHECK(checkReach(tensor, *code, static_cast<double>(fill.low), static_cast<double>(last)));
    } else if (!fits(*code, fill.low) || !fits(*code, last)) {
      return refused(tensor.name, std::to_string(fill.low) + " to " + std::to_string(last) +
                                      " is outside the range of " + typeText(tensor.type));
    }
    const uint64_t low = static_cast<uint64_t>(fill.low), span = static_cast<uint64_t>(fill.high) - low,
                   mask = code->mask();
    if (code->isFloat())
      return maker.runValues([=](uint64_t lane) {
        return static_cast<double>(static_cast<int64_t>(low + scaled(random.bits(lane), span)));
      });
    return maker.run([=](uint64_t lane) { return (low + scaled(random.bits(lane), span)) & mask; });
  }
  case Kind::Special: {
    const std::vector<uint64_t> codes = specialCodes(*code);
    return maker.run([&](uint64_t lane) { return codes[lane % codes.size()]; });
  }
  default: break;
  }
  // Random.
  if (code->isFloat())
    return maker.runValues([=](uint64_t lane) { return RandomNumbers::normal(random.bits(lane)) * kDefaultDeviation; });
  const uint64_t mask = code->type().kind == ElementType::Kind::Bool ? 1 : code->mask();
  return maker.run([=](uint64_t lane) { return random.bits(lane) & mask; });
}

Result<Buffer> makeInput(const InputTensor& tensor, const Fill& fill, uint64_t seed, Monitor& monitor,
                         uint64_t limitBytes) {
  Buffer out;
  const auto outOfMemory = [&](uint64_t bytes) {
    return Error(DiagnosticId::RunMemory,
                 {sizeArg("size", bytes), arg("limit", "the memory that the system has left")});
  };
  const auto bytes = dataBytes(tensor.type, tensor.shape);
  const auto take = [&](std::span<const std::byte> piece) -> Result<Done> {
    try {
      // Here, after everything that can be refused.
      if (out.empty()) out.reserve(bytes.value_or(0));
      out.insert(out.end(), piece.begin(), piece.end());
    } catch (const std::bad_alloc&) {
      return outOfMemory(bytes.value_or(0));
    }
    return Done{};
  };
  BLOBSCOPE_CHECK(makeInputPieces(tensor, fill, seed, monitor, take, limitBytes));
  return out;
}

Result<Bytes> inputFromFile(const InputTensor& tensor, const Bytes& file) {
  constexpr std::string_view kNumpyMagic = "\x93NUMPY";
  const auto bytes = dataBytes(tensor.type, tensor.shape);
  const std::string wanted = "shape " + escapedWithin(shapeText(tensor.shape), 200) + " of " + typeText(tensor.type);
  if (!bytes || tensor.type.bits == 0 || tensor.type.lanes == 0)
    return refused(tensor.name, wanted + " has no number of bytes");
  if (!file.view().starts_with(kNumpyMagic)) {
    if (file.size() == *bytes) return file;
    return refused(tensor.name, wanted + " needs " + sizeText(*bytes) + ", but the file has " + sizeText(file.size()));
  }
  auto array = payloads::readNpy(file);
  if (!array) return refused(tensor.name, array.error().message());

  // 1. The type that NumPy uses for the tensor's type. Elements of float4 are packed here, but not in the file.
  payloads::Tensor whole = tensorOf(tensor.type, tensor.shape, {});
  if (payloads::TensorValues(whole).layout() == payloads::Layout::HighFirst) {
    whole.data = Bytes::copyOf(std::string(*bytes, '\0'));
    if (const auto data = payloads::dataFromNpy(*array, whole)) return *data;
  }
  const payloads::Tensor own = tensorOf(tensor.type, {}, {});
  const ElementType element = payloads::elementTypeOf(own.dtype, true),
                    found = payloads::elementTypeOf(array->dtype, true);
  const auto code = ElementCode::of(tensor.type);
  const bool packed = code ? code->isPacked() : element.bits % 8 != 0;
  std::vector<int64_t> shape = tensor.shape;
  if (packed)
    shape = {static_cast<int64_t>(*bytes)};
  else if (tensor.type.lanes > 1)
    shape.push_back(tensor.type.lanes);
  const bool lacking = packed || element.kind == ElementType::Kind::BFloat || element.kind == ElementType::Kind::Small;
  const unsigned width = packed ? 8 : element.bits;
  const bool same = lacking ? found.kind == ElementType::Kind::Unsigned && found.bits == width
                            : !array->isUnnamed && found.kind == element.kind &&
                                  (found.bits == element.bits || element.kind == ElementType::Kind::Bool);
  const std::string stored =
      lacking ? "uint" + std::to_string(width) : dataTypeName((own.dtype & 0xffff) | 1u << 16, true);

  // 2. Check the type, then the shape, then values that the type cannot have.
  if (!same)
    return refused(tensor.name, "the file contains " + array->typeText() + ", but the tensor is " +
                                    typeText(tensor.type) + (lacking ? ", stored as " + stored : ""));
  if (array->shape != shape)
    return refused(tensor.name, "the shape of the file is " + escapedWithin(shapeText(array->shape), 200) +
                                    ", but that of the tensor is " + escapedWithin(shapeText(shape), 200));
  if (array->data.size() != *bytes)
    return refused(tensor.name,
                   wanted + " needs " + sizeText(*bytes) + ", but the file has " + sizeText(array->data.size()));
  if (element.kind == ElementType::Kind::Bool && !packed) {
    const auto odd = [](std::byte byte) { return byte > std::byte{1}; };
    const auto all = array->data.span();
    if (std::any_of(all.begin(), all.end(), odd))
      return refused(tensor.name, "the file holds bytes that are neither true nor false");
  }
  return array->data;
}

} // namespace blobscope::protocol
