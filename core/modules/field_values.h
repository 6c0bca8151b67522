#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Fields of which loaders know only some values.
namespace blobscope::modules {

/// The values that some release of TVM reads in a field. One row per field and group of kinds, in field_values.cpp.
struct FieldValues {
  struct Range {
    int64_t first, last;
  };
  std::vector<std::string_view> kinds; ///< type keys; empty: all kinds
  std::string_view field;              ///< name of the field, or of the list whose items are meant
  std::vector<std::string_view> texts; ///< of a text
  std::vector<Range> numbers;          ///< of a number; of a data type those of its code
  std::string_view beginning;          ///< a text that begins so is read as well; may be empty

  bool has(std::string_view text) const;
  bool has(int64_t number) const;
  /// "'blockIdx.x', 'blockIdx.y' and 18 others", "0 to 1".
  std::string words() const;
};

/// Of the field at `path` ("fmap[0].info.launch_param_tags[1]") in a module of that kind; null when every value is
/// read. A list is described by what its items may be.
const FieldValues* findFieldValues(std::string_view kind, std::string_view path);
/// Of the code of a data type. `dlpack`: in the numbering of v0.21 on.
const FieldValues& dataTypeCodes(bool dlpack);

} // namespace blobscope::modules
