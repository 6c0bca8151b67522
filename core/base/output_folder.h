#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <filesystem>
#include <string_view>

namespace blobscope {

/// A folder that appears complete or not at all: it is filled next to its target under another name, then renamed. A
/// folder that is not committed is removed.
class OutputFolder {
public:
  /// Links to the target are followed as findPlace() does it. FILE-WRITE when it refuses them, the target exists and is
  /// not an empty folder, or the parent folder cannot be written to.
  static Result<OutputFolder> create(const std::filesystem::path& target);
  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  ~OutputFolder();

  /// Writes a new file and creates the folders of `path`. `path` is relative, without "..". FILE-WRITE; Cancelled.
  Result<Done> write(const std::filesystem::path& path, const Bytes& bytes, Monitor& monitor);
  /// Renames the folder to its target. FILE-WRITE.
  Result<Done> commit();

private:
  OutputFolder(std::filesystem::path target, std::filesystem::path temporary)
      : m_target(std::move(target)), m_temporary(std::move(temporary)) {}

  std::filesystem::path m_target;
  std::filesystem::path m_temporary; ///< empty once the folder is committed
};

} // namespace blobscope
