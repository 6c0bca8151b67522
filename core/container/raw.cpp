#include "core/container/raw.h"

#include "core/base/limits.h"
#include "core/base/reader.h"

#include <algorithm>

namespace blobscope::container {
namespace {

constexpr uint64_t kHeader = 8;

/// The second word of the payload is 0 in the ffi stream (indptr[0]) and the length of the first key in the classic
/// one. Source: core/formats/blob.md 3.1.
bool isFfi(const Bytes& file) {
  Reader reader(file.slice(kHeader + 8, 8));
  return file.size() >= kHeader + 16 && reader.number<uint64_t>("indptr") == 0;
}

} // namespace

bool looksLikeBlob(const Bytes& file) {
  Reader reader(file);
  const auto size = reader.number<uint64_t>("nbytes");
  if (!reader.ok() || size != file.size() - kHeader || size < 8) return false;
  const auto first = reader.number<uint64_t>("count");
  if (size < 16) return first == 0;
  const auto second = reader.number<uint64_t>("key");
  if (second == 0) return first >= 2 && first <= limits::kModules + 1; // ffi: number of words of indptr
  if (first == 0 || first > limits::kModules + 1 || second > limits::kKeyLength) return false;
  const std::string_view key = file.slice(kHeader + 16, second).view();
  return key.size() == second && std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool looksLikeParams(std::string_view head) {
  // kTVMNDArrayListMagic 0xF7E58D4F05049CB7, apache/tvm src/runtime/file_utils.h.
  return head.starts_with("\xb7\x9c\x04\x05\x4f\x8d\xe5\xf7");
}

Result<Image> readRaw(const Bytes& file, Monitor&) {
  Image image;
  image.file = file;
  image.format = Format::Raw;
  image.kind = Kind::Other;
  image.bits = 0;
  return image;
}

std::vector<Carrier> findRawCarriers(const Image& image) {
  Carrier carrier;
  carrier.name = isFfi(image.file) ? CarrierName::FfiLibraryBin2 : CarrierName::DevMblob;
  carrier.symbol = carrierText(carrier.name);
  carrier.available = image.file;
  return {carrier};
}

} // namespace blobscope::container
