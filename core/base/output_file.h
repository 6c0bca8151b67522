#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"
#include "core/base/place.h"
#include "core/base/result.h"

#include <filesystem>
#include <vector>

namespace blobscope {

/// What is read to make an output, so that the output is written over none of it. A path is compared with the output's
/// by the file that both name, also through links and hard links, and as a path where one of both does not exist. A
/// folder means the files in it.
struct Inputs {
  std::vector<std::filesystem::path> files; ///< an output may be none of them
  std::filesystem::path replaceable = {};   ///< an output may be it, but its backup may not; empty: no such file
};

/// A file that appears whole or not at all: written beside its target under another name, then renamed over it. What is
/// not committed is removed; what a killed process of the same user left in the folder is removed by the next one that
/// writes there: only files with a name that TemporaryName gives, whose writer is gone.
class OutputFile {
public:
  /// Links to the target are followed as findPlace() does it. What is written has the rights of the file that it
  /// replaces, without set-user-ID and set-group-ID.
  /// FILE-WRITE when the folder cannot be written to, the target is a folder or device, or findPlace() refuses it;
  /// FILE-SAME when the target is one of the inputs.
  static Result<OutputFile> create(const std::filesystem::path& target, const Inputs& inputs = {});
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
  /// A second name, "TARGET.bak", for what commit() will replace; nothing when there is no such file. FILE-WRITE;
  /// FILE-SAME when that name is one of the inputs, the replaceable one included.
  Result<Done> backUp();
  /// Brings the bytes to disk and the file to its name. FILE-WRITE.
  Result<Done> commit();
  /// The file to its name only: for files that a program is handed and that nobody needs after a crash. FILE-WRITE.
  Result<Done> rename();
  /// Gives up, but leaves what was written as "TARGET.rejected", or under its temporary name when that is an input.
  /// Returns where it is.
  std::filesystem::path keep();

private:
  OutputFile(std::filesystem::path asked, Place place, std::string temporary, Descriptor file, Inputs inputs);

  std::filesystem::path m_asked; ///< as the user named it, for messages
  Place m_place;                 ///< where links lead
  std::string m_name;            ///< beside it, until it is committed
  std::filesystem::path m_temporary;
  Descriptor m_file; ///< none once it is committed, kept or moved away
  Inputs m_inputs;
};

/// A whole file in one step, with rename(). FILE-WRITE; Cancelled.
Result<Done> writeFileNow(const std::filesystem::path& target, const Bytes& bytes, Monitor& monitor);

} // namespace blobscope
