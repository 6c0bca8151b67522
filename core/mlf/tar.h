#pragma once

#include "core/base/budget.h"
#include "core/mlf/model.h"

namespace blobscope::mlf {

/// What the format's consumers can take; rule MLF-011 names them.
constexpr uint64_t kTarMembers = 20'000;
constexpr uint64_t kTarMemberBytes = uint64_t{512} << 20;
constexpr uint64_t kTarBytes = uint64_t{1} << 30;
/// How many times the compressed size an archive may unpack to, once it is above the free size.
constexpr uint64_t kTarRatio = 100;
constexpr uint64_t kTarRatioFree = uint64_t{16} << 20;

/// The archive as it is stored, with whatever is wrong with it, and its files.
struct Tar {
  Container container;
  std::vector<File> files; ///< ascending by path; the last copy of each
};

/// Reads the headers of a tar, plain or compressed with gzip, bzip2, xz or zstd, and tells what kind of archive it is.
/// What is damaged is told in Tar::container; nothing is unpacked to disk. What is unpacked in memory is charged to
/// `budget`. Cancelled.
/// Source: POSIX.1-1988 ustar, POSIX.1-2001 pax; GNU tar for base-256 numbers and long names.
Result<Tar> readTar(const Bytes& file, const BudgetPtr& budget, Monitor& monitor);

} // namespace blobscope::mlf
