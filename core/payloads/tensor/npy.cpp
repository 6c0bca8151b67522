#include "core/payloads/tensor/npy.h"

#include "core/base/reader.h"
#include "core/base/text.h"
#include "core/payloads/tensor/tensor_values.h"

#include <charconv>

namespace blobscope::payloads {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
/// Headers of arrays of plain numbers have about 100 bytes.
constexpr uint64_t kHeaderBytes = 65'536;

/// The type as in "'<f4'", without the inner quotes; empty when there is no such type.
std::string descrOf(const ElementType& type) {
  using Kind = ElementType::Kind;
  const bool plainWidth = type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64;
  const std::string width = std::to_string(type.bits / 8);
  const std::string order = type.bits == 8 ? "|" : "<";
  switch (type.kind) {
  case Kind::Bool: return type.laneBytes() == 1 ? "|b1" : "";
  case Kind::Signed: return plainWidth ? order + "i" + width : "";
  case Kind::Unsigned: return plainWidth ? order + "u" + width : "";
  case Kind::Half: return "<f2";
  case Kind::Single: return "<f4";
  case Kind::Double: return "<f8";
  case Kind::ComplexSingle: return "<c8";
  case Kind::ComplexDouble: return "<c16";
  default: return {};
  }
}

std::string headerOf(const std::string& descr, const std::vector<uint64_t>& shape) {
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  text += shape.size() == 1 ? ",), }" : "), }";
  // numpy/lib/format.py reserves room to write a longer first extent later.
  constexpr std::size_t kGrowth = 21;
  if (!shape.empty()) text.append(kGrowth - std::to_string(shape[0]).size(), ' ');
  constexpr std::size_t kAlign = 64, kHead = 10;
  text.append(kAlign - (kHead + text.size() + 1) % kAlign, ' ');
  text += '\n';
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return out + text;
}

Error refused(const std::string& reason) {
  return Error(DiagnosticId::FileHeader, {arg("format", ".npy"), arg("reason", reason)});
}

/// Reads the few Python literals that a header consists of. Every function returns false, or nothing, for other text.
class Literals {
public:
  explicit Literals(std::string_view text) : m_text(text) {}

  bool take(char c) {
    skip();
    if (m_text.empty() || m_text[0] != c) return false;
    m_text.remove_prefix(1);
    return true;
  }
  /// A string without escapes.
  std::optional<std::string_view> string() {
    skip();
    if (m_text.empty() || (m_text[0] != '\'' && m_text[0] != '"')) return std::nullopt;
    const std::size_t end = m_text.find(m_text[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view out = m_text.substr(1, end - 1);
    if (out.find_first_of("\\\n") != std::string_view::npos) return std::nullopt;
    m_text.remove_prefix(end + 1);
    return out;
  }
  std::optional<bool> truth() {
    skip();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!m_text.starts_with(word)) continue;
      m_text.remove_prefix(word.size());
      return value;
    }
    return std::nullopt;
  }
  /// "()", "(3,)", "(3, 4)"; Python 2 wrote "3L". At most Tensor::kMaxRank extents.
  std::optional<std::vector<int64_t>> tuple() {
    std::vector<int64_t> out;
    if (!take('(')) return std::nullopt;
    for (bool comma = true; !take(')'); comma = take(',')) {
      skip();
      int64_t extent = 0;
      const auto [end, failure] = std::from_chars(m_text.data(), m_text.data() + m_text.size(), extent);
      if (!comma || failure != std::errc{} || extent < 0 || out.size() >= static_cast<std::size_t>(Tensor::kMaxRank))
        return std::nullopt;
      m_text.remove_prefix(static_cast<std::size_t>(end - m_text.data()));
      if (m_text.starts_with('L')) m_text.remove_prefix(1);
      out.push_back(extent);
      m_oneWithoutComma = out.size() == 1 && !peek(',');
    }
    if (out.size() == 1 && m_oneWithoutComma) return std::nullopt; // this is a number in parentheses
    return out;
  }
  bool atEnd() {
    skip();
    return m_text.empty();
  }

private:
  void skip() {
    const std::size_t first = m_text.find_first_not_of(" \t\n");
    m_text.remove_prefix(first == std::string_view::npos ? m_text.size() : first);
  }
  bool peek(char c) {
    skip();
    return m_text.starts_with(c);
  }
  std::string_view m_text;
  bool m_oneWithoutComma = false;
};

struct Description {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran;
  std::optional<std::vector<int64_t>> shape;
};

/// Reads the dictionary, which has each of the three keys once and no other.
std::optional<Description> parseDescription(std::string_view text) {
  Literals in(text);
  Description out;
  if (!in.take('{')) return std::nullopt;
  for (bool comma = true; !in.take('}'); comma = in.take(',')) {
    const auto key = in.string();
    if (!comma || !key || !in.take(':')) return std::nullopt;
    bool known = false;
    if (*key == "descr" && !out.descr) known = (out.descr = in.string()).has_value();
    if (*key == "fortran_order" && !out.fortran) known = (out.fortran = in.truth()).has_value();
    if (*key == "shape" && !out.shape) known = (out.shape = in.tuple()).has_value();
    if (!known) return std::nullopt;
  }
  if (!in.atEnd() || !out.descr || !out.fortran || !out.shape) return std::nullopt;
  return out;
}

constexpr uint32_t kOneLane = 1u << 16;

/// Whether numpy.save writes so types that it has no name for.
bool isUnnamedType(std::string_view descr) {
  return descr == "<V1" || descr == "|V1" || descr == "<V2" || descr == "|V2" || descr == "<f1";
}

/// Code and bits of "<f4"; nothing for types that are not plain little-endian numbers.
std::optional<uint32_t> dtypeOf(std::string_view descr) {
  if (descr == "|b1") return 0x0101u | kOneLane;
  if (isUnnamedType(descr)) return 1u | (descr[2] == '1' ? 0x0800u : 0x1000u) | kOneLane;
  if (descr.size() < 3) return std::nullopt;
  const char order = descr[0], kind = descr[1];
  const auto bytes = parseNumber(descr.substr(2));
  if (!bytes || *bytes > 16 || descr[2] == '0' || (order != '<' && !(order == '|' && *bytes == 1))) return std::nullopt;
  const bool integerWidth = *bytes == 1 || *bytes == 2 || *bytes == 4 || *bytes == 8;
  uint32_t code = 0;
  if (kind == 'i' && integerWidth)
    code = 0;
  else if (kind == 'u' && integerWidth)
    code = 1;
  else if (kind == 'f' && integerWidth && *bytes > 1)
    code = 2;
  else if (kind == 'c' && (*bytes == 8 || *bytes == 16))
    code = 5;
  else
    return std::nullopt;
  return code | static_cast<uint32_t>(*bytes * 8) << 8 | kOneLane;
}

/// Everything of an array but its data.
Result<NpyArray> readHead(Reader& reader) {
  if (reader.raw("magic", kMagic.size()).view() != kMagic)
    return refused("its first six bytes are not those of a NumPy file");
  const auto major = reader.number<uint8_t>("version");
  reader.number<uint8_t>("version");
  if (!reader.ok() || major < 1 || major > 3)
    return refused(reader.ok() ? "version " + std::to_string(major) + " is not 1, 2 or 3"
                               : "it ends inside the version");
  const uint64_t length = major == 1 ? reader.number<uint16_t>("length") : reader.number<uint32_t>("length");
  if (reader.ok() && length > kHeaderBytes)
    return refused("a length of " + groupedText(length) + " is above the limit of " + groupedText(kHeaderBytes));
  const Bytes header = reader.raw("header", length);
  if (!reader.ok()) return refused("the file ends inside it");
  const auto description = parseDescription(header.view());
  if (!description)
    return refused("it is not a dictionary of 'descr', 'fortran_order' and 'shape': " +
                   escapedWithin(header.view(), 120));
  const auto dtype = dtypeOf(*description->descr);
  if (!dtype)
    return refused("type '" + escapedWithin(*description->descr, 40) + "' is not a plain little-endian number");
  if (*description->fortran) return refused("the array is in Fortran order; store it with numpy.ascontiguousarray");
  return NpyArray{*dtype, isUnnamedType(*description->descr), *description->shape, {}};
}

} // namespace

std::optional<NpyHeader> npyHeader(const Tensor& tensor) {
  const TensorValues values(tensor);
  const ElementType& type = values.type();
  const auto count = tensor.elementCount();
  const uint64_t size = tensor.data.size(), width = type.laneBytes();
  if (!count || values.stored() != *count || width == 0 || type.lanes == 0) return std::nullopt;
  if (values.layout() == Layout::LowFirst)
    return NpyHeader{headerOf("|u1", {size}),
                     "NumPy has no packed elements: the stored bytes are written as one axis of uint8"};
  if (values.layout() == Layout::Bytes && *count * width * type.lanes != size) return std::nullopt;

  std::vector<uint64_t> shape(tensor.shape.begin(), tensor.shape.end());
  if (type.lanes > 1) shape.push_back(type.lanes);
  if (const std::string descr = descrOf(type); !descr.empty()) return NpyHeader{headerOf(descr, shape), {}};
  const bool plainWidth = width == 1 || width == 2 || width == 4 || width == 8;
  const std::string unsignedType = plainWidth ? (width == 1 ? "|u1" : "<u" + std::to_string(width)) : "|u1";
  if (!plainWidth) shape.push_back(width);
  const std::string written = "uint" + std::to_string(plainWidth ? 8 * width : 8);
  return NpyHeader{headerOf(unsignedType, shape),
                   "NumPy has no type " + dataTypeName((tensor.dtype & 0xffff) | 1u << 16, tensor.dlpack) +
                       ": the stored bits are written as " + written +
                       (plainWidth ? "" : ", with an additional axis for the bytes of an element")};
}

Bytes npyData(const Tensor& tensor) {
  const TensorValues values(tensor);
  if (values.layout() != Layout::HighFirst) return tensor.data;
  std::string out(values.stored() * values.type().lanes, '\0');
  for (std::size_t lane = 0; lane < out.size(); ++lane) out[lane] = static_cast<char>(values.bitsOf(lane));
  return Bytes::copyOf(out);
}

std::string NpyArray::typeText() const {
  return isUnnamed ? "an unnamed type of " + std::to_string(dtype >> 11 & 31) + " bytes" : dataTypeName(dtype, true);
}

std::optional<Bytes> dataFromNpy(const NpyArray& array, const Tensor& tensor) {
  const auto header = npyHeader(tensor);
  if (!header) return std::nullopt;
  Reader reader(Bytes::copyOf(header->bytes));
  const auto wanted = readHead(reader);
  const bool sameType = wanted && array.dtype == wanted->dtype && (!array.isUnnamed || !header->note.empty());
  if (!sameType || array.shape != wanted->shape) return std::nullopt;
  if (TensorValues(tensor).layout() != Layout::HighFirst) return array.data;
  std::string out(tensor.data.view()); // the bytes that are no data stay
  const std::string_view lanes = array.data.view();
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto bits = static_cast<unsigned char>(lanes[i]);
    if (bits > 15) return std::nullopt;
    const auto other = static_cast<unsigned char>(out[i / 2]);
    out[i / 2] = static_cast<char>(i % 2 == 0 ? bits << 4 | (other & 15) : (other & 0xf0) | bits);
  }
  return Bytes::copyOf(out);
}

Result<NpyArray> readNpy(const Bytes& file) {
  Reader reader(file);
  BLOBSCOPE_TRY(array, readHead(reader));
  Tensor shape;
  shape.shape = array.shape;
  const auto count = shape.elementCount();
  uint64_t wanted = 0;
  if (!count || __builtin_mul_overflow(*count, ((array.dtype >> 8 & 0xff) + 7) / 8, &wanted))
    return refused("the shape has too many elements: " + shape.shapeText());
  if (reader.left() != wanted)
    return refused("shape " + shape.shapeText() + " of " + dataTypeName(array.dtype, true) + " needs " +
                   groupedText(wanted) + " bytes after it, but there are " + groupedText(reader.left()));
  array.data = reader.raw("data", wanted);
  return array;
}

} // namespace blobscope::payloads
