#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/place.h"
#include "core/base/result.h"
#include "core/base/source.h"

#include <filesystem>
#include <vector>

namespace blobscope {

/// The files that are read to make an output, so that the output overwrites none of them. A path is compared with the
/// output's path by the file that both name, also through links and hard links, or as text when one of them does not
/// exist. A folder stands for the files in it.
struct Inputs {
  std::vector<std::filesystem::path> files; ///< the output may not be one of them
  std::filesystem::path replaceable = {};   ///< the output may be this file, its backup may not; empty: none
};

/// A file that appears complete or not at all: it is written next to its target under another name, then renamed over
/// it. A file that is not committed is removed. Files that a killed process of the same user left in the folder are
/// removed by the next one that writes there: only files with a name from TemporaryName whose writer is gone.
class OutputFile {
public:
  /// Links to the target are followed as findPlace() does it. The new file has the access rights of the file that it
  /// replaces, without set-user-ID and set-group-ID. FILE-WRITE when the folder cannot be written to, the target is a
  /// folder or device, or findPlace() refuses it; FILE-SAME when the target is one of the inputs.
  static Result<OutputFile> create(const std::filesystem::path& target, const Inputs& inputs = {});
  /// What commitOver() did.
  enum class Outcome : uint8_t {
    Written,
    TargetChanged,
    TargetLocked ///< another program keeps a lock on it
  };
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// Writes bytes; the system copies ranges of a mapped file where it can. FILE-WRITE; Cancelled.
  Result<Done> write(const Bytes& bytes, Monitor& monitor);
  /// Writes `count` zeros, which take no space on file systems that support holes. FILE-WRITE.
  Result<Done> writeZeros(uint64_t count);
  /// The path of the file while it is written, to be read back before commit().
  const std::filesystem::path& temporary() const { return m_temporary; }
  /// Flushes the bytes to disk. FILE-WRITE.
  Result<Done> sync();
  /// Creates a second name, "TARGET.bak", for the file that commit() will replace; does nothing when there is no such
  /// file. FILE-WRITE; FILE-SAME when that name is one of the inputs, the replaceable one included.
  Result<Done> backUp();
  /// Flushes the bytes to disk and renames the file to its target. FILE-WRITE.
  Result<Done> commit();
  /// Whether the target is Inputs::replaceable, which was opened before: then use commitOver().
  bool replacesInput() const { return m_replacesInput; }
  /// As commit(), but only if the target is still the file that had this identity when it was opened, or if there is
  /// none any more. Otherwise the target is unchanged. While it compares and renames, it holds a lock on the target, as
  /// every OutputFile does while it renames, so that of several writers that opened the same file only one succeeds.
  /// `backup`: also does backUp().
  Result<Outcome> commitOver(const FileIdentity& opened, bool backup);
  /// Only renames the file to its target: for files that are passed to a program and that nobody needs after a crash.
  /// FILE-WRITE.
  Result<Done> rename();
  /// Gives up, but keeps the written file as "TARGET.rejected", or with a number when that exists: "TARGET.rejected.2".
  /// Returns its path, which is that of the temporary file when there is no such name.
  std::filesystem::path keep();

private:
  OutputFile(std::filesystem::path requested, Place place, std::string temporary, Descriptor file, Inputs inputs);
  Result<Done> renameLocked();

  std::filesystem::path m_requested; ///< as the user named it, for messages
  Place m_place;                     ///< with links resolved
  std::string m_name;                ///< temporary name in the same folder, until it is committed
  std::filesystem::path m_temporary;
  Descriptor m_file; ///< none once it is committed, kept or moved away
  Inputs m_inputs;
  bool m_replacesInput = false;
};

/// Writes a whole file in one step, with commit(). The errors of OutputFile.
Result<Done> writeFile(const std::filesystem::path& target, const Inputs& inputs, const Bytes& bytes, Monitor& monitor);
/// Writes a whole file in one step, with rename(). FILE-WRITE; Cancelled.
Result<Done> writeFileNow(const std::filesystem::path& target, const Bytes& bytes, Monitor& monitor);

} // namespace blobscope
