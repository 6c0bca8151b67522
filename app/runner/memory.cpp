#include "app/runner/memory.h"

#include "app/runner/system.h"
#include "core/base/private_file.h"
#include "core/base/source.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace blobscope::runner {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kZone = 4096;
constexpr std::byte kZoneByte{0xcb};
constexpr uint64_t kFakeAlignment = 256;
/// Host code reads this number of extents whatever the rank is (core/formats/host-abi.md 2.5).
constexpr std::size_t kShapeEntries = 16;
constexpr int kCpu = 1, kCudaHost = 3, kRocmHost = 11;

std::optional<uint64_t> roundedUp(uint64_t value, uint64_t step) {
  uint64_t out = 0;
  if (__builtin_add_overflow(value, step - 1, &out)) return std::nullopt;
  return out / step * step;
}

} // namespace

FakeAddresses::FakeAddresses() {
  for (uint64_t size = uint64_t{1} << 40; size >= uint64_t{1} << 30; size /= 4) {
    void* const base = system::reserveAddresses(size);
    if (!base) continue;
    m_base = base;
    m_size = size;
    return;
  }
}

FakeAddresses::~FakeAddresses() {
  if (m_base) system::releasePages(m_base, m_size);
}

std::optional<uint64_t> FakeAddresses::take(uint64_t bytes) {
  // A page between two tensors, so that an address after one does not belong to the next.
  uint64_t end = 0;
  if (__builtin_add_overflow(m_next, bytes, &end) || end >= m_size || m_size - end < kPage + kFakeAlignment)
    return std::nullopt;
  const uint64_t at = m_next;
  m_next = *roundedUp(end + kPage, kFakeAlignment);
  return reinterpret_cast<uint64_t>(m_base) + at;
}

std::optional<HostMemory> HostMemory::allocate(uint64_t bytes) {
  const auto rounded = roundedUp(bytes, kPage);
  uint64_t mapped = 0;
  if (!rounded || __builtin_add_overflow(*rounded, 2 * kZone, &mapped)) return std::nullopt;
  void* const base = system::allocatePages(mapped);
  if (!base) return std::nullopt;
  HostMemory memory;
  memory.m_base = static_cast<std::byte*>(base);
  memory.m_mapped = mapped;
  memory.m_bytes = bytes;
  std::memset(base, std::to_integer<int>(kZoneByte), kZone);
  std::memset(memory.m_base + kZone + bytes, std::to_integer<int>(kZoneByte), mapped - kZone - bytes);
  return memory;
}

HostMemory::HostMemory(HostMemory&& other) noexcept
    : m_base(std::exchange(other.m_base, nullptr)), m_mapped(other.m_mapped), m_bytes(other.m_bytes) {}

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(m_base, other.m_base);
  std::swap(m_mapped, other.m_mapped);
  std::swap(m_bytes, other.m_bytes);
  return *this;
}

HostMemory::~HostMemory() {
  if (m_base) system::releasePages(m_base, m_mapped);
}

std::span<std::byte> HostMemory::bytes() const { return {m_base + kZone, m_bytes}; }

std::pair<uint64_t, uint64_t> HostMemory::overrun() const {
  const auto changed = [](const std::byte* from, const std::byte* to) {
    return static_cast<uint64_t>(std::count_if(from, to, [](std::byte b) { return b != kZoneByte; }));
  };
  return {changed(m_base, m_base + kZone), changed(m_base + kZone + m_bytes, m_base + m_mapped)};
}

bool isHostMemory(int deviceType) { return deviceType == kCpu || deviceType == kCudaHost || deviceType == kRocmHost; }

void Memory::clear() {
  for (LiveTensor& tensor : m_tensors)
    if (tensor.buffer && m_backend) (void)m_backend->release(*tensor.buffer);
  for (Workspace& workspace : m_workspaces)
    if (workspace.buffer && m_backend) (void)m_backend->release(*workspace.buffer);
  m_tensors.clear();
  m_workspaces.clear();
  if (m_fakes) m_fakes->reset();
}

Result<LiveTensor*> Memory::place(const protocol::JobTensor& job, std::size_t argument, const std::string& function) {
  const auto bytes = protocol::dataBytes(job.type, job.shape);
  const auto tooLarge = [&](const std::string& size) {
    return Error(DiagnosticId::RunMemory, {{"size", size}, {"limit", sizeText(m_limits.memoryBytes)}});
  };
  if (!bytes) return tooLarge("more than can be addressed");
  uint64_t total = 0;
  if (__builtin_add_overflow(m_total, *bytes, &total)) return tooLarge("more than can be addressed");
  // Unmapped addresses cost nothing.
  const bool fake = isFake() && !isHostMemory(job.deviceType);
  if (!fake && m_limits.memoryBytes != 0 && total > m_limits.memoryBytes) return tooLarge(sizeText(total));

  LiveTensor& tensor = m_tensors.emplace_back();
  tensor.job = &job;
  tensor.argument = argument;
  tensor.bytes = *bytes;
  tensor.shape = job.shape;
  tensor.shape.resize(std::max(tensor.shape.size(), kShapeEntries), 1);
  DlTensor& head = tensor.head;
  head.deviceType = job.deviceType;
  head.rank = static_cast<int32_t>(job.shape.size());
  head.typeCode = job.type.code;
  head.typeBits = job.type.bits;
  head.typeLanes = job.type.lanes;
  head.shape = tensor.shape.data();
  if (isHostMemory(job.deviceType)) {
    tensor.host = HostMemory::allocate(*bytes);
    if (!tensor.host) return tooLarge(sizeText(total));
    head.data = tensor.host->bytes().data();
  } else if (fake) {
    const auto address = m_fakes->take(*bytes);
    if (!address) return tooLarge(sizeText(total));
    head.data = reinterpret_cast<void*>(*address);
  } else if (m_backend && job.deviceType == m_backend->deviceType()) {
    BLOBSCOPE_TRY(buffer, m_backend->allocate(*bytes, job.name));
    head.data = reinterpret_cast<void*>(buffer.data);
    tensor.buffer = std::move(buffer);
  } else {
    return Error(DiagnosticId::RunArgument,
                 {arg("index", uint64_t{argument}),
                  arg("name", function),
                  {"reason", "the tensor is on a device with DLPack type " + std::to_string(job.deviceType) + ", but " +
                                 (m_backend ? "the chosen device has type " + std::to_string(m_backend->deviceType())
                                            : std::string("none was chosen"))}});
  }
  m_total = total;
  BLOBSCOPE_CHECK(fill(tensor));
  return &tensor;
}

Result<Done> Memory::fill(LiveTensor& tensor) {
  const protocol::JobTensor& job = *tensor.job;
  if (!tensor.host && !tensor.buffer) return Done{};
  if (!job.input.empty() && tensor.bytes > 0) {
    const auto wrong = [&](std::string reason) {
      return Error(DiagnosticId::RunInput, {arg("name", job.name), {"reason", std::move(reason)}});
    };
    auto file = ByteSource::openFile(m_folder / job.input);
    if (!file) return wrong(file.error().message());
    const Bytes content = ByteSource::all(*file);
    if (content.size() != tensor.bytes)
      return wrong("its file has " + sizeText(content.size()) + ", but the tensor has " + sizeText(tensor.bytes));
    if (tensor.buffer) return m_backend->write(*tensor.buffer, content.span());
    std::memcpy(tensor.host->bytes().data(), content.data(), content.size());
    return Done{};
  }
  if (tensor.host) {
    // Untouched pages stay unallocated.
    if (job.fill != 0 || !isFake()) std::memset(tensor.host->bytes().data(), job.fill, tensor.bytes);
    return Done{};
  }
  const auto content = HostMemory::allocate(tensor.bytes);
  if (!content)
    return Error(DiagnosticId::RunMemory,
                 {{"size", sizeText(tensor.bytes)}, {"limit", sizeText(m_limits.addressBytes)}});
  std::memset(content->bytes().data(), job.fill, tensor.bytes);
  return m_backend->write(*tensor.buffer, content->bytes());
}

Result<protocol::TensorWritten> Memory::readBack(LiveTensor& tensor) {
  const protocol::JobTensor& job = *tensor.job;
  protocol::TensorWritten written;
  written.name = job.name;
  written.argument = tensor.argument;
  written.bytes = tensor.bytes;
  if (!tensor.host && !tensor.buffer) return written;
  std::optional<HostMemory> copy;
  std::span<const std::byte> content;
  if (tensor.host) {
    content = tensor.host->bytes();
    std::tie(written.overrunBefore, written.overrunAfter) = tensor.host->overrun();
  } else {
    if (!job.output.empty()) {
      copy = HostMemory::allocate(tensor.bytes);
      if (!copy)
        return Error(DiagnosticId::RunMemory,
                     {{"size", sizeText(tensor.bytes)}, {"limit", sizeText(m_limits.addressBytes)}});
      BLOBSCOPE_CHECK(m_backend->read(*tensor.buffer, copy->bytes()));
      content = copy->bytes();
    }
    BLOBSCOPE_TRY(zones, m_backend->overrun(*tensor.buffer));
    std::tie(written.overrunBefore, written.overrunAfter) = zones;
  }
  if (job.output.empty()) return written;

  const std::filesystem::path path = m_folder / job.output;
  BLOBSCOPE_CHECK(writePrivateFile(path, content));
  written.file = job.output;
  return written;
}

void* Memory::takeWorkspace(int deviceType, uint64_t bytes) {
  const std::lock_guard lock(m_workspaceLock);
  if (m_limits.memoryBytes != 0 && bytes > m_limits.memoryBytes) return nullptr;
  // A loop that repeatedly requests the same size gets the same memory.
  const bool onHost = isHostMemory(deviceType);
  for (Workspace& workspace : m_workspaces)
    if (!workspace.inUse && workspace.bytes >= bytes && workspace.host.has_value() == onHost) {
      workspace.inUse = true;
      return reinterpret_cast<void*>(workspace.address);
    }
  Workspace workspace;
  workspace.bytes = bytes;
  workspace.name = "workspace " + std::to_string(m_workspaces.size());
  if (onHost) {
    workspace.host = HostMemory::allocate(bytes);
    if (!workspace.host) return nullptr;
    workspace.address = reinterpret_cast<uint64_t>(workspace.host->bytes().data());
  } else if (m_backend && m_backend->deviceType() == deviceType) {
    auto buffer = m_backend->allocate(bytes, workspace.name);
    if (!buffer) return nullptr;
    workspace.address = buffer->data;
    workspace.buffer = std::move(*buffer);
  } else if (isFake()) {
    const auto address = m_fakes->take(bytes);
    if (!address) return nullptr;
    workspace.address = *address;
  } else {
    return nullptr;
  }
  m_workspaces.push_back(std::move(workspace));
  return reinterpret_cast<void*>(m_workspaces.back().address);
}

bool Memory::releaseWorkspace(void* pointer) {
  const std::lock_guard lock(m_workspaceLock);
  for (Workspace& workspace : m_workspaces)
    if (workspace.inUse && workspace.address == reinterpret_cast<uint64_t>(pointer)) {
      workspace.inUse = false;
      return true;
    }
  return false;
}

protocol::LaunchArgument Memory::placeOf(uint64_t address) const {
  const auto inside = [&](uint64_t begin, uint64_t bytes) {
    return address >= begin && address - begin < std::max<uint64_t>(bytes, 1);
  };
  protocol::LaunchArgument found;
  for (const LiveTensor& tensor : m_tensors) {
    const auto begin = reinterpret_cast<uint64_t>(tensor.head.data);
    if (!inside(begin, tensor.bytes)) continue;
    found.tensor = tensor.job->name.empty() ? "argument " + std::to_string(tensor.argument) : tensor.job->name;
    found.value = address - begin;
    return found;
  }
  const std::lock_guard lock(m_workspaceLock);
  for (const Workspace& workspace : m_workspaces) {
    if (!inside(workspace.address, workspace.bytes)) continue;
    found.tensor = workspace.name;
    found.value = address - workspace.address;
    return found;
  }
  found.tensor = "";
  found.value = address;
  return found;
}

} // namespace blobscope::runner
