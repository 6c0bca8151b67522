#pragma once

#include <QString>
#include <QTemporaryDir>

#include <memory>
#include <string>
#include <vector>

namespace blobscope::test {

/// An input file for the tests of the command line.
struct Input {
  enum class State {
    Good,      ///< opens, nothing is wrong
    Damaged,   ///< opens, and `verify` reports what is wrong
    Unreadable ///< exit 2
  };
  QString name;
  State state;
  std::string bytes;
};

/// All inputs, always with the same bytes and in the same order.
const std::vector<Input>& inputs();
/// The input with that name.
const Input& input(const QString& name);

/// Writes `bytes` to `path`; false when that cannot be done.
bool writeFile(const QString& path, const std::string& bytes);
/// All bytes of the file; empty when it cannot be read.
std::string readFile(const QString& path);

/// Writes a library to `path` that keeps every verb busy for minutes: `b1.so`, 1 MB of text lines, and zeros up to 64
/// GiB that use no disk space. False when the file system does not support such files.
bool writeEndlessFile(const QString& path);

/// A temporary folder with all inputs, the archive `model.tar` and an empty folder called `folder`. Null when it cannot
/// be made.
std::unique_ptr<QTemporaryDir> inputFolder();

/// The blob in `b1.so`, its offset there, and the payload of its module 1 'cuda'.
std::string b1Blob();
uint64_t b1BlobOffset();
std::string cudaPayload();

/// `count` kernels named kernel_0, kernel_1 …
std::vector<std::string> kernelNames(int count);

} // namespace blobscope::test
