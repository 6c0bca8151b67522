#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::mlf {

/// A target as TVM spells it: a kind, then attributes. Source: core/formats/model-library-format.md 6.5; apache/tvm
/// src/target/target.cc.
struct Target {
  struct Attribute {
    std::string name, value; ///< without the dash; without quotes and backslashes
  };
  std::string kind;
  std::vector<Attribute> attributes; ///< in the order of the text
  std::string why;                   ///< why the text cannot be split; empty when it can

  /// The value of the first attribute of that name, null when there is none.
  const std::string* find(std::string_view name) const;
};

/// Splits at spaces outside of quotes. Where that fails, `why` says so and the rest is what was read until then.
Target parseTarget(std::string_view text);

/// The device type that TVM gives targets of that kind, 0 when no release registered the kind.
unsigned deviceOfKind(std::string_view kind);
/// Whether DLPack knows a device type of that number.
bool isDeviceType(uint64_t device);

} // namespace blobscope::mlf
