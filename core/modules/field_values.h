#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Fields for which loaders accept only some values.
namespace blobscope::modules {

/// The values of a field that at least one release of TVM accepts. One row per field and group of kinds, in
/// field_values.cpp.
struct FieldValues {
  struct Range {
    int64_t first, last;
  };
  std::vector<std::string_view> kinds; ///< type keys; empty: all kinds
  std::string_view field;              ///< name of the field, or of the list that contains the items
  std::vector<std::string_view> texts; ///< allowed texts
  std::vector<Range> numbers;          ///< allowed numbers; for a data type, those of its code
  std::string_view beginning;          ///< texts with this prefix are accepted too; may be empty

  bool has(std::string_view text) const;
  bool has(int64_t number) const;
  /// "'blockIdx.x', 'blockIdx.y' and 18 others", "0 to 1".
  std::string words() const;
};

/// Returns the values of the field at `path` ("fmap[0].info.launch_param_tags[1]") in a module of that kind; null when
/// every value is accepted. For a list, the values of its items.
const FieldValues* findFieldValues(std::string_view kind, std::string_view path);
/// Returns the values of a data type code. `dlpack`: in the numbering from v0.21 on.
const FieldValues& dataTypeCodes(bool dlpack);

} // namespace blobscope::modules
