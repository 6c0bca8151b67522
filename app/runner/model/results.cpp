#include "app/runner/model/results.h"

#include "app/runner/channel.h"
#include "app/runner/memory.h"
#include "core/base/private_file.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace blobscope::runner {
namespace {

constexpr std::size_t kResults = protocol::kEventItems;
constexpr int kDepth = 16;
constexpr int32_t kMostDimensions = 64;
constexpr std::size_t kPiece = std::size_t{16} << 20;

class Results {
public:
  Results(const FfiRuntime& runtime, const protocol::JobCall& call, const protocol::JobLimits& limits,
          const std::filesystem::path& folder)
      : m_runtime(runtime), m_call(call), m_limits(limits), m_folder(folder), m_size(runtime.global("ffi.ArraySize")),
        m_item(runtime.global("ffi.ArrayGetItem")) {}

  Result<Done> take(const FfiValue& value, const std::string& name, int depth) {
    const auto number = [&](protocol::DataType type, const auto& content) {
      return keep(name, type, {}, std::as_bytes(std::span(&content, 1)));
    };
    switch (value.type()) {
    case kFfiNone: return Done{};
    case kFfiInt: return number({0, 64, 1}, value.integer());
    case kFfiBool: return number({1, 1, 1}, static_cast<uint8_t>(value.integer() != 0));
    case kFfiFloat: return number({2, 64, 1}, value.real());
    default: break;
    }
    if (value.isObject() && value.type() == kFfiTensorObject)
      return takeTensor(*static_cast<const DlTensor*>(value.body()), name);
    if (value.isObject() && value.type() == kFfiShape) {
      const auto* const shape = static_cast<const FfiBytes*>(value.body()); // `size` numbers
      if (shape->size > kPiece) return refuse("a shape of " + std::to_string(shape->size) + " numbers");
      return keep(name, {0, 64, 1}, {static_cast<int64_t>(shape->size)},
                  {reinterpret_cast<const std::byte*>(shape->data), shape->size * sizeof(int64_t)});
    }
    if (value.isObject() && value.type() == kFfiArray && depth < kDepth) return takeArray(value, name, depth);
    const auto text = value.text();
    sendLog("'" + m_call.function + "' returned for " + name +
            (text ? " the text \"" + escapedWithin(*text, 1'000) + '"'
                  : " an object of type " + std::to_string(value.type()) + ", which is not shown"));
    return Done{};
  }

private:
  Error refuse(std::string reason) const {
    return Error(
        DiagnosticId::RunFailed,
        {arg("name", m_call.function), {"code", "0"}, {"reason", "its result cannot be read: " + std::move(reason)}});
  }

  Result<Done> takeArray(const FfiValue& array, const std::string& name, int depth) {
    std::string reason;
    if (!m_size.isFunction() || !m_item.isFunction()) return refuse("the runtime has no ffi.ArraySize");
    const auto size = m_runtime.call(m_size, {&array.any(), 1}, reason);
    if (!size || size->type() != kFfiInt) return refuse("a tuple: " + reason);
    for (int64_t i = 0; i < size->integer() && m_count < kResults; ++i) {
      const std::array<FfiAny, 2> arguments = {array.any(), ffiInteger(i)};
      const auto item = m_runtime.call(m_item, arguments, reason);
      if (!item) return refuse("a tuple: " + reason);
      BLOBSCOPE_CHECK(take(*item, name + "." + std::to_string(i), depth + 1));
    }
    return Done{};
  }

  Result<Done> takeTensor(const DlTensor& head, const std::string& name) {
    if (head.rank < 0 || head.rank > kMostDimensions || (head.rank > 0 && !head.shape))
      return refuse("a tensor of " + std::to_string(head.rank) + " dimensions");
    if (!isHostMemory(head.deviceType))
      return refuse("a tensor on a device with DLPack type " + std::to_string(head.deviceType));
    const protocol::DataType type{head.typeCode, head.typeBits, head.typeLanes};
    const std::vector<int64_t> shape(head.shape, head.shape + head.rank);
    const auto bytes = protocol::dataBytes(type, shape);
    if (!bytes) return refuse("a tensor whose shape does not fit");
    const auto* const data = static_cast<const std::byte*>(head.data) + head.byteOffset;
    if (*bytes > 0 && !head.data) return refuse("a tensor without data");
    constexpr int64_t kOne[] = {1};
    const uint64_t each = protocol::dataBytes(type, kOne).value_or(0);
    if (*bytes == 0 || isCompact(head)) return keep(name, type, shape, {data, *bytes});
    // Elements that share a byte have no address.
    if ((type.bits * type.lanes) % 8 != 0 || each == 0 || *bytes % each != 0)
      return refuse("a tensor with gaps between packed elements");
    BLOBSCOPE_CHECK(count(*bytes, false));
    const std::unique_ptr<std::byte[]> compact(new (std::nothrow) std::byte[*bytes]);
    if (!compact)
      return Error(DiagnosticId::RunMemory, {{"size", sizeText(*bytes)}, {"limit", sizeText(m_limits.addressBytes)}});
    std::vector<int64_t> at(shape.size(), 0);
    for (uint64_t done = 0; done < *bytes; done += each) {
      int64_t place = 0;
      for (std::size_t i = 0; i < shape.size(); ++i) place += at[i] * head.strides[i];
      std::memcpy(compact.get() + done, data + place * static_cast<int64_t>(each), each);
      for (std::size_t i = shape.size(); i > 0; --i) {
        if (++at[i - 1] < shape[i - 1]) break;
        at[i - 1] = 0;
      }
    }
    return keep(name, type, shape, {compact.get(), *bytes});
  }

  static bool isCompact(const DlTensor& head) {
    if (!head.strides) return true;
    int64_t expected = 1;
    for (int32_t i = head.rank; i-- > 0;) {
      if (head.shape[i] != 1 && head.strides[i] != expected) return false;
      expected *= head.shape[i];
    }
    return true;
  }

  Result<Done> count(uint64_t bytes, bool add) {
    uint64_t total = 0;
    if (__builtin_add_overflow(m_total, bytes, &total) || (m_limits.memoryBytes != 0 && total > m_limits.memoryBytes))
      return Error(DiagnosticId::RunMemory, {{"size", sizeText(total)}, {"limit", sizeText(m_limits.memoryBytes)}});
    if (add) m_total = total;
    return Done{};
  }

  Result<Done> keep(const std::string& name, protocol::DataType type, const std::vector<int64_t>& shape,
                    std::span<const std::byte> content) {
    if (m_count == kResults) return Done{};
    BLOBSCOPE_CHECK(count(content.size(), true));
    protocol::TensorWritten written;
    written.call = currentCall().value_or(0);
    written.name = name;
    written.argument = m_count++;
    written.bytes = content.size();
    written.type = type;
    written.shape = shape;
    if (!m_call.results.empty()) {
      written.file = m_call.results + "." + std::to_string(written.argument);
      BLOBSCOPE_CHECK(writePrivateFile(m_folder / written.file, content));
    }
    sendEvent(written);
    if (m_count == kResults)
      sendLog("'" + m_call.function + "' returned more; only the first " + std::to_string(kResults) +
              " values are kept");
    return Done{};
  }

  const FfiRuntime& m_runtime;
  const protocol::JobCall& m_call;
  const protocol::JobLimits& m_limits;
  const std::filesystem::path& m_folder;
  FfiValue m_size, m_item;
  std::size_t m_count = 0;
  uint64_t m_total = 0;
};

} // namespace

Result<Done> writeResults(const FfiRuntime& runtime, const FfiValue& result, const protocol::JobCall& call,
                          const protocol::JobLimits& limits, const std::filesystem::path& folder) {
  return Results(runtime, call, limits, folder).take(result, "output", 0);
}

} // namespace blobscope::runner
