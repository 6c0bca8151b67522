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
  std::string why;                   ///< why the text cannot be split; empty if it can

  /// Returns the value of the first attribute with that name, or null.
  const std::string* find(std::string_view name) const;
};

/// Splits at spaces outside of quotes. If that fails, `why` contains the reason and the rest is what was read until
/// then.
Target parseTarget(std::string_view text);

/// Returns the device type that TVM assigns to targets of that kind; 0 if no release registered the kind.
unsigned deviceOfKind(std::string_view kind);
/// Returns whether DLPack defines a device type with that number.
bool isDeviceType(uint64_t device);

} // namespace blobscope::mlf
