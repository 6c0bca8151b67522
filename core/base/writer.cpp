#include "core/base/writer.h"

#include "core/base/source.h"

#include <algorithm>

namespace blobscope {
namespace {

/// Below this size copying is cheaper than a separate piece.
constexpr uint64_t kCopyBelow = 4096;
constexpr uint64_t kStep = 1 << 20;

} // namespace

void Writer::raw(const Bytes& bytes) {
  m_size += bytes.size();
  if (bytes.size() < kCopyBelow) {
    m_literal.insert(m_literal.end(), bytes.span().begin(), bytes.span().end());
    return;
  }
  flush();
  m_pieces.push_back(bytes);
}

void Writer::append(Writer&& other) {
  for (const Bytes& piece : other.takePieces()) raw(piece);
}

void Writer::flush() {
  if (m_literal.empty()) return;
  m_pieces.push_back(ByteSource::all(ByteSource::fromBuffer(std::move(m_literal))));
  m_literal = {};
}

std::vector<Bytes> Writer::takePieces() {
  flush();
  m_size = 0;
  return std::move(m_pieces);
}

Bytes joined(const std::vector<Bytes>& pieces) {
  if (pieces.size() == 1) return pieces.front();
  Buffer buffer;
  for (const Bytes& piece : pieces) buffer.insert(buffer.end(), piece.span().begin(), piece.span().end());
  return ByteSource::all(ByteSource::fromBuffer(std::move(buffer)));
}

Result<std::optional<uint64_t>> findDifference(const std::vector<Bytes>& pieces, const Bytes& whole, Monitor& monitor) {
  uint64_t position = 0;
  for (const Bytes& piece : pieces) {
    const uint64_t common = std::min(piece.size(), whole.size() - position);
    const std::byte* const expected = whole.data() + position;
    if (piece.data() != expected) {
      for (uint64_t at = 0; at < common; at += kStep) {
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        monitor.progress("comparing bytes", position + at, whole.size());
        const uint64_t step = std::min(kStep, common - at);
        if (std::memcmp(piece.data() + at, expected + at, step) == 0) continue;
        const auto differs = std::mismatch(piece.data() + at, piece.data() + at + step, expected + at);
        return std::optional(position + static_cast<uint64_t>(differs.first - piece.data()));
      }
    }
    position += common;
    if (common < piece.size()) return std::optional(position);
  }
  if (position < whole.size()) return std::optional(position);
  return std::optional<uint64_t>();
}

} // namespace blobscope
