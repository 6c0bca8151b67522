#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

namespace blobscope {

class Descriptor;

/// What tells one state of a file from another: size and time of the last change.
struct FileIdentity {
  uint64_t size = 0;
  int64_t changedNs = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Owner of bytes: a mapped file or a heap buffer. Immutable; any number of threads may read it.
///
/// A mapped file may shrink while it is open. Touching a page that is gone would end the process (SIGBUS); the guard
/// installed with the first mapping puts a page of zeros in its place instead, damage() says where from then on, and
/// every reader goes on with zeros.
class ByteSource {
public:
  /// Maps the regular file at `path` for reading. FILE-NOT-FOUND, FILE-NOT-READABLE, FILE-NOT-REGULAR, FILE-EMPTY;
  /// FILE-LIMIT when this process may not have as many addresses.
  static Result<std::shared_ptr<const ByteSource>> openFile(const std::filesystem::path& path);
  /// The same for a file that is open already, `path` being its name in messages.
  static Result<std::shared_ptr<const ByteSource>> openFile(Descriptor file, const std::filesystem::path& path);
  /// Takes the buffer over; the bytes have no place in a file.
  static std::shared_ptr<const ByteSource> fromBuffer(Buffer buffer);

  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// All bytes of `source`, with their place when it is a file.
  static Bytes all(const std::shared_ptr<const ByteSource>& source);

  virtual std::span<const std::byte> view() const = 0;
  virtual bool isFile() const = 0;
  /// The system's handle of the file, so that it can copy ranges itself; -1 for a buffer.
  virtual int descriptor() const { return -1; }
  /// The identity when it was opened; zeros for a buffer.
  virtual FileIdentity identity() const { return {}; }
  /// Lowest file offset whose page was lost so far, nothing when all that was touched was there.
  virtual std::optional<uint64_t> damage() const { return std::nullopt; }
  /// Asks the system whether the file is still what was opened. An offset means that it changed: the first lost byte
  /// when it shrank, else 0. Touches the file system.
  virtual std::optional<uint64_t> findChange() const { return std::nullopt; }

protected:
  ByteSource() = default;
};

} // namespace blobscope
