#include "core/base/source.h"

namespace blobscope {
namespace {

class HeapSource final : public ByteSource {
public:
  explicit HeapSource(Buffer buffer) : m_buffer(std::move(buffer)) {}
  std::span<const std::byte> view() const override { return m_buffer; }
  bool isFile() const override { return false; }

private:
  Buffer m_buffer;
};

class GrownSource final : public ByteSource {
public:
  GrownSource(GrowingBuffer buffer, Charge charge) : m_buffer(std::move(buffer)), m_charge(std::move(charge)) {}
  std::span<const std::byte> view() const override { return m_buffer.span(); }
  bool isFile() const override { return false; }
  const Budget* budget() const override { return m_charge.budget(); }

private:
  GrowingBuffer m_buffer;
  Charge m_charge;
};

} // namespace

std::shared_ptr<const ByteSource> ByteSource::fromBuffer(Buffer buffer) {
  return std::make_shared<HeapSource>(std::move(buffer));
}

std::shared_ptr<const ByteSource> ByteSource::fromBuffer(GrowingBuffer buffer, Charge charge) {
  return std::make_shared<GrownSource>(std::move(buffer), std::move(charge));
}

Bytes ByteSource::all(const std::shared_ptr<const ByteSource>& source) {
  return {source, source->view(), source->isFile() ? std::optional<uint64_t>(0) : std::nullopt};
}

PassedBytes::PassedBytes(const Bytes& bytes) {
  constexpr uint64_t kLarge = uint64_t{64} << 20;
  if (bytes.size() < kLarge || !bytes.owner() || !bytes.owner()->isLive()) return;
  m_source = bytes.owner();
  m_begin = static_cast<uint64_t>(bytes.data() - m_source->view().data());
}

void PassedBytes::passTo(uint64_t offset) {
  constexpr uint64_t kStep = uint64_t{8} << 20;
  if (!m_source || offset < m_released + kStep) return;
  m_source->release({m_begin + m_released, offset - m_released});
  m_released = offset;
}

Bytes Bytes::copyOf(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return ByteSource::all(ByteSource::fromBuffer(Buffer(first, first + text.size())));
}

} // namespace blobscope
