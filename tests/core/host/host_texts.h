#pragma once

#include "core/host/signatures.h"
#include "tests/support/test_support.h"

#include <string>
#include <vector>

/// Images with texts, and signatures as text.
namespace blobscope::test {

/// Read-only data with the texts, each ended by NUL, and host functions with those names.
struct HostTexts {
  std::vector<std::string> texts, names;
  host::Abi abi = host::Abi::Classic;

  /// All signatures, one line each: text, device types after "@", "?" after an incomplete one.
  std::string signatures() const {
    std::string data;
    for (const std::string& text : texts) data += text + '\0';
    return signaturesIn(data);
  }
  std::string signaturesIn(const std::string& data, host::Signature::Source* first = nullptr) const {
    container::Image image;
    image.file = bytes(data);
    image.kind = container::Kind::Shared;
    image.sections.resize(1);
    image.sections[0].file = {0, data.size()};
    image.sections[0].allocated = true;
    host::HostSymbols symbols;
    symbols.abi = abi;
    for (uint32_t i = 0; i < names.size(); ++i) symbols.functions.push_back({names[i], i});
    NullMonitor monitor;
    const auto found = host::computeSignatures(image, symbols, monitor);
    if (!found) return found.error().message();
    if (first && !found->empty()) *first = found->front().source;
    std::string out;
    for (const host::Signature& signature : *found) out += (out.empty() ? "" : "\n") + lineOf(signature);
    return out;
  }
  static std::string lineOf(const host::Signature& signature) {
    std::string line = signature.text();
    for (const host::Parameter& parameter : signature.parameters)
      if (parameter.deviceType) line += " @" + std::to_string(*parameter.deviceType);
    return line + (signature.complete() ? "" : " ?");
  }
};

/// Texts of an LLVM host's checks.
inline std::string assertText(const std::string& condition, const std::string& message) {
  return "Assert fail: " + condition + ", " + message;
}
inline std::string countText(const std::string& function, int count) {
  return assertText("num_args == " + std::to_string(count), function + ": num_args should be " + std::to_string(count));
}
inline std::string kindText(const std::string& function, int index, const std::string& name,
                            const std::string& kind = "pointer") {
  const std::string code = name + "_code == ";
  const std::string condition = kind == "pointer" ? code + "3 or " + code + "13 or " + code + "7 or " + code + "4"
                                : kind == "int"   ? code + "0"
                                                  : code + "2";
  return assertText(condition, function + ": Expect arg[" + std::to_string(index) + "] to be " + kind);
}
inline std::string rankText(const std::string& path, int rank) {
  return assertText(std::to_string(rank) + " == T.tvm_struct_get(x, 0, 4, \"int32\")",
                    path + ".ndim is expected to equal " + std::to_string(rank));
}
inline std::string typeText(const std::string& path, const std::string& type) {
  return assertText(
      "T.tvm_struct_get(x, 0, 5, \"uint8\") == T.uint8(2) and T.tvm_struct_get(x, 0, 6, \"uint8\") == T.uint8(16)",
      path + ".dtype is expected to be " + type);
}
/// `own`: how the dimension of the tensor itself is written.
inline std::string shapeText(const std::string& path, int index, const std::string& value, bool valueFirst = true) {
  std::string own = path;
  for (char& c : own)
    if (c == '.') c = '_';
  own = "T.Cast(\"int32\", " + own + "_shape[" + std::to_string(index) + "])";
  const std::string sides = valueFirst ? value + " == " + own : own + " == " + value;
  return assertText(own + " == " + value, "Argument " + path + ".shape[" + std::to_string(index) +
                                              "] has an unsatisfied constraint: " + sides);
}
inline std::string stridesText(const std::string& path, const std::string& condition) {
  return assertText(condition, path + ".strides: expected to be compact array");
}
inline std::string deviceText(const std::string& path, int type) {
  const std::string get = "T.tvm_struct_get(x, 0, 10, \"int32\")", number = std::to_string(type);
  return assertText(get + " == " + number,
                    "Argument " + path + ".device_type has an unsatisfied constraint: " + number + " == " + get);
}

} // namespace blobscope::test
