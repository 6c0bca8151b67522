#include "core/base/csv.h"

#include "core/base/text.h"

#include <string_view>

namespace blobscope {
namespace {

std::string csvValue(std::string_view stored) {
  const std::string text = isUtf8(stored) ? std::string(stored) : escapedWhole(stored);
  std::string out;
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) out = "'";
  out += text;
  if (out.find_first_of(",\"\r\n") == std::string::npos) return out;
  std::string quoted = "\"";
  for (const char c : out) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

} // namespace

std::string csvLine(const std::vector<std::string>& values) {
  std::string line;
  for (const std::string& value : values) line += (&value == &values.front() ? "" : ",") + csvValue(value);
  return line + "\r\n";
}

} // namespace blobscope
