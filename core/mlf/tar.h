#pragma once

#include "core/base/budget.h"
#include "core/mlf/model.h"

namespace blobscope::mlf {

/// Limits of the format's consumers; rule MLF-011 reports them.
constexpr uint64_t kTarMembers = 20'000;
constexpr uint64_t kTarMemberBytes = uint64_t{512} << 20;
constexpr uint64_t kTarBytes = uint64_t{1} << 30;
/// Maximum ratio of unpacked to compressed size, once the unpacked size exceeds kTarRatioFree.
constexpr uint64_t kTarRatio = 100;
constexpr uint64_t kTarRatioFree = uint64_t{16} << 20;

/// The archive as stored, with its damage, and its files.
struct Tar {
  Container container;
  std::vector<File> files; ///< ascending by path; the last copy of each
};

/// Reads the headers of a tar, plain or compressed with gzip, bzip2, xz or zstd, and determines the kind of archive.
/// Damage is reported in Tar::container; nothing is unpacked to disk. What is unpacked in memory is charged to
/// `budget`. Error: Cancelled. Source: POSIX.1-1988 ustar, POSIX.1-2001 pax; GNU tar for base-256 numbers and long
/// names.
Result<Tar> readTar(const Bytes& file, const BudgetPtr& budget, Monitor& monitor);

} // namespace blobscope::mlf
