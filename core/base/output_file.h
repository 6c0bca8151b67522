#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/result.h"

#include <filesystem>

namespace blobscope {

/// A file that appears whole or not at all: written beside its target under another name, then renamed over it. What
/// is not committed is removed; what a killed process left in the folder is removed by the next one that writes there.
class OutputFile {
public:
  /// Whether the target may be the file that is being read.
  enum class Same { Refuse, Allow };
  /// FILE-WRITE when the folder cannot be written to or the target is a folder or device; FILE-SAME when the target is
  /// `input`, the file being read, and that is refused.
  static Result<OutputFile> create(const std::filesystem::path& target, const std::filesystem::path& input, Same same = Same::Refuse);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// Ranges of a mapped file are copied by the system where it can. FILE-WRITE; Cancelled.
  Result<Done> write(const Bytes& bytes, Monitor& monitor);
  /// `count` zeros, which take no place on disks that can leave holes. FILE-WRITE.
  Result<Done> writeZeros(uint64_t count);
  /// The file as it is being written, to be read back before commit().
  const std::filesystem::path& temporary() const { return m_temporary; }
  /// Brings the bytes to disk. FILE-WRITE.
  Result<Done> sync();
  /// A second name, "TARGET.bak", for what commit() will replace; nothing when there is no such file. FILE-WRITE.
  Result<Done> backUp();
  /// Brings the bytes to disk and the file to its name. FILE-WRITE.
  Result<Done> commit();
  /// The file to its name only: for files that a program is handed and that nobody needs after a crash. FILE-WRITE.
  Result<Done> hand();
  /// Gives up, but leaves what was written as "TARGET.rejected". Returns where it is.
  std::filesystem::path keep();

private:
  OutputFile(std::filesystem::path asked, std::filesystem::path target, std::filesystem::path temporary, int descriptor)
      : m_asked(std::move(asked)), m_target(std::move(target)), m_temporary(std::move(temporary)),
        m_descriptor(descriptor) {}

  std::filesystem::path m_asked;  ///< as the user named it, for messages
  std::filesystem::path m_target; ///< where links lead
  std::filesystem::path m_temporary;
  int m_descriptor;
};

/// A whole file in one go, with hand(). FILE-WRITE; Cancelled.
Result<Done> handFile(const std::filesystem::path& target, const Bytes& bytes, Monitor& monitor);

} // namespace blobscope
