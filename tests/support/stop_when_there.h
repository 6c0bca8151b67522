#pragma once

#include "core/base/monitor.h"

#include <filesystem>
#include <utility>

namespace blobscope::test {

/// Requests a stop when a file exists.
class StopWhenThere final : public Monitor {
public:
  explicit StopWhenThere(std::filesystem::path path) : m_path(std::move(path)) {}
  bool stopRequested() const override { return std::filesystem::exists(m_path); }
  void progress(std::string_view, uint64_t, uint64_t) override {}

private:
  std::filesystem::path m_path;
};

} // namespace blobscope::test
