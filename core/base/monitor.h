#pragma once

#include <cstdint>
#include <string_view>

namespace blobscope {

/// The caller's side of long work: says when to stop and receives the progress. It is called from the working thread,
/// at least every 1 MiB or 4,096 items.
class Monitor {
public:
  virtual ~Monitor() = default;
  /// True once the caller wants the work to end; the work then returns an error of code Cancelled within 100 ms.
  virtual bool stopRequested() const = 0;
  /// `what` is a few words ("reading symbols"), `done` and `total` have the same unit; `total` 0 means unknown.
  virtual void progress(std::string_view what, uint64_t done, uint64_t total) = 0;
};

/// Never stops, ignores the progress.
class NullMonitor final : public Monitor {
public:
  bool stopRequested() const override { return false; }
  void progress(std::string_view, uint64_t, uint64_t) override {}
};

} // namespace blobscope
