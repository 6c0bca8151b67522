#pragma once

#include "app/runner/backends/backend.h"
#include "app/runner/host_abi.h"
#include "core/protocol/protocol.h"

#include <cstdint>
#include <filesystem>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Where tensors lie: real memory of this process, addresses that nothing lies at, or a device.
namespace blobscope::runner {

/// Addresses of tensors on devices that are not there: reserved, not readable, so that host code that touches one ends
/// the process at an address that tells which.
class FakeAddresses {
public:
  /// Takes as much as the system grants, at most a terabyte. Call before limits are set.
  FakeAddresses();
  FakeAddresses(const FakeAddresses&) = delete;
  FakeAddresses& operator=(const FakeAddresses&) = delete;
  ~FakeAddresses();
  /// 256-aligned, apart from all others since the last reset. Nothing when there is no room.
  std::optional<uint64_t> take(uint64_t bytes);
  void reset() { m_next = 0; }
  uint64_t size() const { return m_size; }

private:
  void* m_base = nullptr;
  uint64_t m_size = 0;
  uint64_t m_next = 0;
};

/// Zeroed memory with a red zone in front and behind, 4096-aligned.
class HostMemory {
public:
  static std::optional<HostMemory> allocate(uint64_t bytes);
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;
  ~HostMemory();
  std::span<std::byte> bytes() const;
  /// Bytes of the zones that were changed, in front and behind.
  std::pair<uint64_t, uint64_t> overrun() const;

private:
  HostMemory() = default;
  std::byte* m_base = nullptr;
  uint64_t m_mapped = 0;
  uint64_t m_bytes = 0;
};

/// A tensor argument while its call lasts. Its address is kept by host code.
struct LiveTensor {
  const protocol::JobTensor* job = nullptr;
  std::size_t argument = 0;
  uint64_t bytes = 0;
  std::vector<int64_t> shape; ///< at least 16 entries, ones behind the rank: old host code loads before it checks
  DlTensor head;
  std::optional<HostMemory> host;
  std::optional<Buffer> buffer; ///< on the device
};

/// The tensors and workspaces of one call.
class Memory {
public:
  /// `backend` null: device tensors get fake addresses when there are some, else RUN-NO-DEVICE.
  Memory(const protocol::JobLimits& limits, Backend* backend, FakeAddresses* fakes, std::filesystem::path folder)
      : m_limits(limits), m_backend(backend), m_fakes(fakes), m_folder(std::move(folder)) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { clear(); }

  /// Places a tensor and gives it its first content. RUN-MEMORY, RUN-INPUT, RUN-ARGUMENT, and what the back end says.
  Result<LiveTensor*> place(const protocol::JobTensor& tensor, std::size_t argument, const std::string& function);
  /// Writes the first content again.
  Result<Done> fill(LiveTensor& tensor);
  /// Writes the content to the file that the job names and tells what was written outside.
  Result<protocol::TensorWritten> readBack(LiveTensor& tensor);
  std::list<LiveTensor>& tensors() { return m_tensors; }

  /// For host code; null when there is none to be had. Any thread may ask for memory of this process.
  void* takeWorkspace(int deviceType, uint64_t bytes);
  bool releaseWorkspace(void* pointer);
  /// "tensor + offset" of an address that host code used; the tensor is "" when it lies in none.
  protocol::LaunchArgument placeOf(uint64_t address) const;
  /// Whether device tensors are placed at addresses that nothing lies at.
  bool isFake() const { return m_backend == nullptr && m_fakes != nullptr; }

private:
  struct Workspace {
    uint64_t address = 0, bytes = 0;
    std::string name;
    std::optional<HostMemory> host;
    std::optional<Buffer> buffer;
    bool inUse = true;
  };
  bool isHostMemory(int deviceType) const;
  void clear();

  const protocol::JobLimits& m_limits;
  Backend* m_backend;
  FakeAddresses* m_fakes;
  std::filesystem::path m_folder;
  std::list<LiveTensor> m_tensors;
  std::list<Workspace> m_workspaces;
  mutable std::mutex m_workspaceLock; ///< the threads of a parallel launch ask too
  uint64_t m_total = 0;
};

} // namespace blobscope::runner
