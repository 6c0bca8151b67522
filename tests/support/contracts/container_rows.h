#pragma once

#include "core/container/image.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Files of every container format: for the contract of readers and for comparisons with other readers.
namespace blobscope::test {

struct ContainerRow {
  std::string kind; ///< name in container::containerKinds(), or that of a format that is tried after the table
  std::string name;
  std::string file;
  std::size_t containers =
      1; ///< in the file, itself included, that another reader knows; 0 when there is no such reader
};

/// All rows, at least one for each kind.
const std::vector<ContainerRow>& containerRows();
/// The file of the row with that name.
const std::string& containerFile(std::string_view name);

} // namespace blobscope::test
