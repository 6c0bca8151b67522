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

/// The memory of tensors: real memory of this process, unmapped addresses, or a device.
namespace blobscope::runner {

/// Returns whether tensors of a DLPack device type are in memory that the processor can use.
bool isHostMemory(int deviceType);

/// Addresses of tensors on missing devices: reserved and unreadable, so that host code that accesses one ends the
/// process at an address that identifies the tensor.
class FakeAddresses {
public:
  /// Reserves as much as the system allows, at most a terabyte. Call it before limits are set.
  FakeAddresses();
  FakeAddresses(const FakeAddresses&) = delete;
  FakeAddresses& operator=(const FakeAddresses&) = delete;
  ~FakeAddresses();
  /// Returns a 256-aligned address that is separate from all others since the last reset. Nothing if there is no space.
  std::optional<uint64_t> take(uint64_t bytes);
  void reset() { m_next = 0; }
  uint64_t size() const { return m_size; }

private:
  void* m_base = nullptr;
  uint64_t m_size = 0;
  uint64_t m_next = 0;
};

/// Zeroed memory with a red zone before and after it, 4096-aligned.
class HostMemory {
public:
  static std::optional<HostMemory> allocate(uint64_t bytes);
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;
  ~HostMemory();
  std::span<std::byte> bytes() const;
  /// Returns the number of changed bytes in the zone before and in the zone after the memory.
  std::pair<uint64_t, uint64_t> overrun() const;

private:
  HostMemory() = default;
  std::byte* m_base = nullptr;
  uint64_t m_mapped = 0;
  uint64_t m_bytes = 0;
};

/// A tensor argument during its call. Host code keeps its address.
struct LiveTensor {
  const protocol::JobTensor* job = nullptr;
  std::size_t argument = 0;
  uint64_t bytes = 0;
  std::vector<int64_t> shape; ///< at least 16 entries, with ones after the rank: old host code loads before it checks
  DlTensor head;
  std::optional<HostMemory> host;
  std::optional<Buffer> buffer; ///< on the device
};

/// The tensors and workspaces of one call.
class Memory {
public:
  /// If `backend` is null, device tensors get fake addresses if available, otherwise RUN-NO-DEVICE.
  Memory(const protocol::JobLimits& limits, Backend* backend, FakeAddresses* fakes, std::filesystem::path folder)
      : m_limits(limits), m_backend(backend), m_fakes(fakes), m_folder(std::move(folder)) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { clear(); }

  /// Allocates a tensor and sets its initial content. Errors: RUN-MEMORY, RUN-INPUT, RUN-ARGUMENT, and those of the
  /// back end.
  Result<LiveTensor*> place(const protocol::JobTensor& tensor, std::size_t argument, const std::string& function);
  /// Writes the initial content again.
  Result<Done> fill(LiveTensor& tensor);
  /// Writes the content to the file that the job names and reports bytes written outside of the tensor.
  Result<protocol::TensorWritten> readBack(LiveTensor& tensor);
  std::list<LiveTensor>& tensors() { return m_tensors; }

  /// Called for host code; returns null if there is no memory. Any thread may request memory of this process.
  void* takeWorkspace(int deviceType, uint64_t bytes);
  bool releaseWorkspace(void* pointer);
  /// Returns the tensor and offset of an address that host code used; the tensor is "" if the address is in none.
  protocol::LaunchArgument placeOf(uint64_t address) const;
  /// Returns whether device tensors have unmapped addresses.
  bool isFake() const { return m_backend == nullptr && m_fakes != nullptr; }

private:
  struct Workspace {
    uint64_t address = 0, bytes = 0;
    std::string name;
    std::optional<HostMemory> host;
    std::optional<Buffer> buffer;
    bool inUse = true;
  };
  void clear();

  const protocol::JobLimits& m_limits;
  Backend* m_backend;
  FakeAddresses* m_fakes;
  std::filesystem::path m_folder;
  std::list<LiveTensor> m_tensors;
  std::list<Workspace> m_workspaces;
  mutable std::mutex m_workspaceLock; ///< threads of a parallel launch use it too
  uint64_t m_total = 0;
};

} // namespace blobscope::runner
