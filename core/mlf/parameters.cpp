#include "core/mlf/parameters.h"

#include "core/base/limits.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>

namespace blobscope::mlf {
namespace {

/// Size of a tensor's record without dimensions and data.
constexpr uint64_t kLeastTensor = 40;
/// NumPy, from which parameters come, allows 64.
constexpr int32_t kMaxRank = 64;
/// Limits of the C runtime's default crt_config.h; section 8.
constexpr std::size_t kMaxDimensions = 6, kMaxNameLength = 79;
constexpr int32_t kCpu = 1;

std::string typeText(uint8_t code, uint8_t bits, uint16_t lanes) {
  constexpr std::string_view kNames[] = {"int",    "uint",    "float",      "handle",
                                         "bfloat", "complex", "e4m3_float", "e5m2_float"};
  std::string text = code < std::size(kNames) ? std::string(kNames[code]) : "type" + std::to_string(code) + "_";
  text += std::to_string(bits);
  if (lanes != 1) text += "x" + std::to_string(lanes);
  return text;
}

/// Returns whether a tensor with that element type can be stored and loaded. Type codes 0 to 7 and custom ones; section
/// 9.
bool isStorable(uint8_t code, uint8_t bits, uint16_t lanes) {
  if (lanes != 1) return false;
  const auto oneOf = [&](std::initializer_list<unsigned> widths) {
    return std::find(widths.begin(), widths.end(), bits) != widths.end();
  };
  switch (code) {
  case 0:
  case 1: return oneOf({1, 2, 4, 8, 16, 32, 64});
  case 2: return oneOf({8, 16, 32, 64, 128});
  case 3: return bits == 64 || bits == 32;
  case 4: return bits == 16;
  case 5: return oneOf({64, 128});
  case 6:
  case 7: return bits == 8;
  default: return code >= 129 && bits != 0;
  }
}

/// Returns elements times whole bytes per element; nothing if a dimension is negative or the product exceeds 63 bits.
std::optional<uint64_t> dataBytes(const Parameter& parameter) {
  // A zero anywhere makes the product zero, whatever the other dimensions are.
  bool empty = false;
  for (const int64_t extent : parameter.shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) empty = true;
  }
  if (empty) return 0;
  uint64_t bytes = (uint64_t{parameter.bits} + 7) / 8;
  for (const int64_t extent : parameter.shape) {
    const std::optional<uint64_t> product = checkedMultiply(bytes, static_cast<uint64_t>(extent));
    if (!product || *product > INT64_MAX) return std::nullopt;
    bytes = *product;
  }
  return bytes;
}

class ParameterReader {
public:
  ParameterReader(const File& file, ParameterChecks checks, Findings& findings, Monitor& monitor)
      : m_file(file), m_view(file.bytes.view()), m_checks(checks), m_findings(findings), m_monitor(monitor) {}

  Parameters read() {
    Parameters out;
    out.whole = readList(out);
    return out;
  }

private:
  void add(Rule rule, uint64_t offset, std::vector<Argument> arguments) {
    arguments.insert(arguments.begin(), arg("file", m_file.path));
    m_findings.add(rule, {m_file.path, {}, {}, offset}, std::move(arguments));
  }
  uint64_t left() const { return m_view.size() - m_position; }
  bool fits(uint64_t size, const std::string& what) {
    if (size <= left()) return true;
    add(Rule::MlfParametersCut, m_position, {hexArg("offset", m_position), arg("what", what)});
    return false;
  }
  /// Reads the next number; the caller has checked that it fits.
  template <class T> T next() {
    T value;
    std::memcpy(&value, m_view.data() + m_position, sizeof(T));
    m_position += sizeof(T);
    return value;
  }
  bool startsAt(uint64_t position, uint64_t magic) const {
    return position <= m_view.size() && m_view.size() - position >= 8 &&
           std::memcmp(m_view.data() + position, &magic, sizeof magic) == 0;
  }
  void checkReserved(uint64_t value, const std::string& where) {
    if (value != 0) add(Rule::MlfReservedWord, m_position - 8, {arg("where", where), hexArg("value", value)});
  }

  bool readList(Parameters& out);
  bool readNames(Parameters& out, uint64_t count);
  void checkNames(const Parameters& parameters);
  bool readTensor(Parameter& parameter, uint64_t index, bool last);
  bool skipData(const Parameter& parameter, std::optional<uint64_t> want, bool last);

  const File& m_file;
  std::string_view m_view;
  ParameterChecks m_checks;
  Findings& m_findings;
  Monitor& m_monitor;
  uint64_t m_position = 0;
};

bool ParameterReader::readList(Parameters& out) {
  const std::size_t known = std::min<std::size_t>(m_view.size(), 8);
  if (std::memcmp(m_view.data() ? m_view.data() : "", &kParametersMagic, known) != 0) {
    uint64_t found = 0;
    std::memcpy(&found, m_view.data(), known);
    add(Rule::MlfParametersMagic, 0, {hexArg("found", found)});
    return false;
  }
  if (!fits(8, "the list magic")) return false;
  m_position = 8;
  if (!fits(8, "the reserved word")) return false;
  checkReserved(next<uint64_t>(), "of the list");
  if (!fits(8, "the number of names")) return false;
  const auto names = next<uint64_t>();
  if (!readNames(out, names)) return false;
  checkNames(out);
  if (!fits(8, "the number of tensors")) return false;
  const auto tensors = next<uint64_t>();
  if (tensors != names) {
    add(Rule::MlfParametersCount, m_position - 8, {arg("names", names), arg("arrays", tensors)});
    return false;
  }
  for (uint64_t i = 0; i < tensors; ++i) {
    if (i % 4096 == 0 && m_monitor.stopRequested()) return false;
    if (!readTensor(out.list[i], i, i + 1 == tensors)) return false;
  }
  if (left() != 0) add(Rule::MlfParametersEnd, m_position, {arg("count", left())});
  return true;
}

bool ParameterReader::readNames(Parameters& out, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    if (i % 4096 == 0 && m_monitor.stopRequested()) return false;
    if (i == limits::kListItems) {
      m_findings.add(Rule::MlfLimit, {m_file.path, {}, {}, m_position},
                     {arg("what", "number of names in " + m_file.path), arg("limit", groupedText(limits::kListItems))});
      return false;
    }
    const std::string what = "name " + std::to_string(i);
    if (!fits(8, "the length of " + what)) return false;
    const auto length = next<uint64_t>();
    if (!fits(length, what)) return false;
    Parameter parameter;
    parameter.name = m_view.substr(m_position, length);
    if (parameter.name.empty())
      add(Rule::MlfParameterName, m_position, {arg("index", i), arg("why", "empty")});
    else if (!isUtf8(parameter.name))
      add(Rule::MlfParameterName, m_position, {arg("index", i), arg("why", "not UTF-8")});
    if (m_checks.cRuntime && length > kMaxNameLength)
      add(Rule::MlfParameterLimit, m_position,
          {arg("name", shortened(parameter.name, 120)),
           arg("why", "the name has " + std::to_string(length) + " bytes, but the C runtime accepts at most 79")});
    m_position += length;
    out.list.push_back(std::move(parameter));
  }
  return true;
}

void ParameterReader::checkNames(const Parameters& parameters) {
  std::vector<std::string_view> names;
  names.reserve(parameters.list.size());
  for (const Parameter& parameter : parameters.list) names.push_back(parameter.name);
  std::sort(names.begin(), names.end());
  for (std::size_t i = 1; i < names.size(); ++i)
    if (names[i] == names[i - 1] && (i == 1 || names[i - 2] != names[i]))
      add(Rule::MlfParameterTwice, static_cast<uint64_t>(names[i].data() - m_view.data()),
          {arg("name", shortened(names[i], 120))});
}

/// Returns false if the next tensor cannot be found.
bool ParameterReader::readTensor(Parameter& parameter, uint64_t index, bool last) {
  parameter.offset = m_position;
  const std::string name = shortened(parameter.name, 120);
  const std::string what = "tensor '" + name + "'";
  if (left() >= 8 && !startsAt(m_position, kTensorMagic)) {
    add(Rule::MlfTensorMagic, m_position, {arg("index", index), hexArg("found", next<uint64_t>())});
    return false;
  }
  if (!fits(kLeastTensor - 8, what)) return false; // everything except the data's length
  m_position += 8;
  checkReserved(next<uint64_t>(), "of " + what);
  const auto device = next<int32_t>();
  next<int32_t>(); // the device's number
  const auto rank = next<int32_t>();
  parameter.code = next<uint8_t>();
  parameter.bits = next<uint8_t>();
  parameter.lanes = next<uint16_t>();
  bool sound = true; // stored when the shape is known
  if (device != kCpu)
    add(Rule::MlfTensorDevice, m_position - 16, {arg("name", name), arg("device", std::to_string(device))});
  if (!isStorable(parameter.code, parameter.bits, parameter.lanes)) {
    add(Rule::MlfTensorType, m_position - 4,
        {arg("name", name), arg("code", parameter.code), arg("bits", parameter.bits), arg("lanes", parameter.lanes)});
    sound = false;
  }
  if (rank < 0 || rank > kMaxRank) {
    add(Rule::MlfTensorShape, m_position - 8, {arg("name", name), arg("why", std::to_string(rank) + " dimensions")});
    return false; // the start of the data is unknown
  }
  if (!fits(static_cast<uint64_t>(rank) * 8, "the shape of " + what)) return false;
  const uint64_t shapeAt = m_position;
  for (int32_t i = 0; i < rank; ++i) parameter.shape.push_back(next<int64_t>());
  if (m_checks.cRuntime && parameter.shape.size() > kMaxDimensions)
    add(Rule::MlfParameterLimit, shapeAt,
        {arg("name", name), arg("why", std::to_string(rank) + " dimensions, but the C runtime accepts at most 6")});
  if (!fits(8, "the data length of " + what)) return false;
  parameter.dataBytes = next<uint64_t>();
  parameter.sound = sound;
  const std::optional<uint64_t> want = dataBytes(parameter);
  if (!want) {
    const auto negative =
        std::find_if(parameter.shape.begin(), parameter.shape.end(), [](int64_t extent) { return extent < 0; });
    const bool isNegative = negative != parameter.shape.end();
    add(Rule::MlfTensorShape, shapeAt,
        {arg("name", name),
         arg("why", isNegative ? "dimension " + std::to_string(*negative) : "more elements than a file can hold")});
    parameter.sound = false;
  } else if (parameter.dataBytes != *want && parameter.sound) {
    add(Rule::MlfTensorBytes, m_position - 8,
        {arg("name", name), arg("found", std::to_string(static_cast<int64_t>(parameter.dataBytes))),
         arg("want", *want)});
    parameter.sound = false;
  }
  return skipData(parameter, want, last);
}

/// Skips the data. If the stated length and the shape disagree, the length is used that is followed by the next tensor
/// or by the end of the file.
bool ParameterReader::skipData(const Parameter& parameter, std::optional<uint64_t> want, bool last) {
  const uint64_t stated = parameter.dataBytes;
  if (want == stated) {
    if (!fits(stated, "the data of tensor '" + shortened(parameter.name, 120) + "'")) return false;
    m_position += stated;
    return true;
  }
  const auto leadsOn = [&](uint64_t size) {
    if (size > left()) return false;
    return last ? size == left() : startsAt(m_position + size, kTensorMagic);
  };
  if (leadsOn(stated))
    m_position += stated;
  else if (want && leadsOn(*want))
    m_position += *want;
  else
    return false;
  return true;
}

} // namespace

std::string Parameter::text() const {
  std::string out = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "] " + typeText(code, bits, lanes);
}

const Parameter* Parameters::find(std::string_view name) const {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Parameter& p) { return p.name == name; });
  return found == list.end() ? nullptr : &*found;
}

Parameters readParameters(const File& file, ParameterChecks checks, Findings& findings, Monitor& monitor) {
  return ParameterReader(file, checks, findings, monitor).read();
}

} // namespace blobscope::mlf
