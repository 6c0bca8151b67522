#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <filesystem>

namespace blobscope {

/// A file that appears whole or not at all: written beside its target under another name, then renamed over it. What
/// is not committed is removed.
class OutputFile {
public:
  /// FILE-WRITE when the folder cannot be written to or the target is a folder or device; FILE-SAME when the target is
  /// `input`, the file being read.
  static Result<OutputFile> create(const std::filesystem::path& target, const std::filesystem::path& input);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// FILE-WRITE; Cancelled.
  Result<Done> write(const Bytes& bytes, Monitor& monitor);
  /// Brings the bytes to disk and the file to its name. FILE-WRITE.
  Result<Done> commit();

private:
  OutputFile(std::filesystem::path asked, std::filesystem::path target, std::filesystem::path temporary, int descriptor)
      : m_asked(std::move(asked)), m_target(std::move(target)), m_temporary(std::move(temporary)),
        m_descriptor(descriptor) {}

  std::filesystem::path m_asked;  ///< as the user named it, for messages
  std::filesystem::path m_target; ///< where links lead
  std::filesystem::path m_temporary;
  int m_descriptor;
};

} // namespace blobscope
