#pragma once

#include "core/base/budget.h"
#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/base/growing_buffer.h"
#include "core/base/result.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

namespace blobscope {

class Descriptor;

/// Distinguishes files and their states: its size, the time of the last change of its bytes, the time of the last
/// change of anything about it (owner, rights, names, bytes), and the device and number of the file, whatever its names
/// are. A program can set the first time, but not the second.
struct FileIdentity {
  uint64_t size = 0;
  int64_t changedNs = 0;
  int64_t statusNs = 0;
  uint64_t device = 0;
  uint64_t number = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// The identity of an open file; nothing when the system does not tell it.
std::optional<FileIdentity> identityOf(const Descriptor& file);

/// Owner of bytes: a mapped file, a file read into memory, or a heap buffer. Immutable; any number of threads may read
/// it.
///
/// Only bytes in memory are certain to stay the same: what another program writes to a mapped file shows in the
/// mapping, and findChange() reports it.
///
/// A mapped file may shrink while it is open. Touching a page that is gone would end the process (SIGBUS). The guard
/// that is installed with the first mapping puts a page of zeros in its place instead; damage() returns the offset from
/// which bytes are lost, and every reader continues with zeros.
class ByteSource {
public:
  /// Maps the regular file at `path` for reading. FILE-NOT-FOUND, FILE-NOT-READABLE, FILE-NOT-REGULAR, FILE-EMPTY;
  /// FILE-LIMIT when this process may not use that much address space.
  static Result<std::shared_ptr<const ByteSource>> openFile(const std::filesystem::path& path);
  /// Reads the regular file at `path` into memory when it has at most `most` bytes; later changes of the file do not
  /// affect them. A larger file is mapped as openFile() does it. FILE-CHANGED when others write to the file during each
  /// attempt to read it; the errors of openFile().
  static Result<std::shared_ptr<const ByteSource>> openPrivate(const std::filesystem::path& path, uint64_t most);
  /// The same for a file that is already open; `path` is its name in messages.
  static Result<std::shared_ptr<const ByteSource>> openFile(Descriptor file, const std::filesystem::path& path);
  /// Takes ownership of the buffer; the bytes have no place in a file.
  static std::shared_ptr<const ByteSource> fromBuffer(Buffer buffer);
  /// The same for bytes that count against a budget while anything refers to them.
  static std::shared_ptr<const ByteSource> fromBuffer(GrowingBuffer buffer, Charge charge);

  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// All bytes of `source`, with their place when it is a file.
  static Bytes all(const std::shared_ptr<const ByteSource>& source);

  virtual std::span<const std::byte> view() const = 0;
  virtual bool isFile() const = 0;
  /// The system's handle of the mapped file, so that it can copy ranges itself; -1 for bytes in memory.
  virtual int descriptor() const { return -1; }
  /// Whether the bytes are those of the file on disk, so that writing to the file changes them.
  bool isLive() const { return descriptor() >= 0; }
  /// The budget that the bytes are charged to; null when there is none.
  virtual const Budget* budget() const { return nullptr; }
  /// The identity when the file was opened; zeros for a buffer.
  virtual FileIdentity identity() const { return {}; }
  /// Lowest file offset whose page is known to be lost, nothing when no lost page was touched.
  virtual std::optional<uint64_t> damage() const { return std::nullopt; }
  /// Asks the system whether these bytes may differ from those that were opened. An offset means that they may: the
  /// first lost byte when the file shrank, else 0. Bytes in memory never change. Touches the file system.
  virtual std::optional<uint64_t> findChange() const { return std::nullopt; }
  /// Asks the system whether others wrote to the file since it was opened, even when these bytes are still those that
  /// were opened. A new file with the same name is a different file. Touches the file system.
  virtual std::optional<uint64_t> findDiskChange() const { return findChange(); }
  /// Tells the system that these bytes are not needed soon, so that they need not stay in memory. They stay readable.
  virtual void release(Extent) const {}

protected:
  ByteSource() = default;
};

/// Releases the bytes of a mapped file behind a scan that reads them once, so that a file of gigabytes is not in memory
/// as a whole. Small files are left as they are: other work reads them, too.
class PassedBytes {
public:
  explicit PassedBytes(const Bytes& bytes);
  /// The scan is done with the bytes before `offset`, which counts from the start of `bytes`.
  void passTo(uint64_t offset);

private:
  std::shared_ptr<const ByteSource> m_source; ///< null: nothing is released
  uint64_t m_begin = 0;                       ///< of the bytes in `m_source`
  uint64_t m_released = 0;
};

} // namespace blobscope
