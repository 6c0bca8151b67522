#include "core/program/safetensors.h"

#include "core/base/json.h"
#include "core/base/path_text.h"
#include "core/base/place.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/edit/value.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace blobscope::program {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLengthBytes = 8;
/// Of the header; readers of Hugging Face accept no longer one.
constexpr uint64_t kHeaderBytes = 100'000'000;
/// Files that an index names.
constexpr std::size_t kFiles = 10'000;
/// A member of the header that is not a tensor.
constexpr std::string_view kMetadata = "__metadata__";

Error wrong(std::string reason) { return {DiagnosticId::RunParams, {{"reason", std::move(reason)}}}; }
std::string nameText(std::string_view name) { return "'" + escapedWithin(name, 120) + "'"; }

/// Source: huggingface/safetensors 45c8c2c safetensors/src/tensor.rs, enum Dtype; the names on the right are TVM's. The
/// 8-bit floats without a suffix are those of PyTorch: float8_e4m3fn and float8_e5m2.
constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kTypes = {{
    {"BOOL", "bool"},
    {"F4", "float4_e2m1fn"},
    {"F6_E2M3", "float6_e2m3fn"},
    {"F6_E3M2", "float6_e3m2fn"},
    {"U8", "uint8"},
    {"I8", "int8"},
    {"F8_E5M2", "float8_e5m2"},
    {"F8_E4M3", "float8_e4m3fn"},
    {"F8_E8M0", "float8_e8m0fnu"},
    {"F8_E4M3FNUZ", "float8_e4m3fnuz"},
    {"F8_E5M2FNUZ", "float8_e5m2fnuz"},
    {"I16", "int16"},
    {"U16", "uint16"},
    {"F16", "float16"},
    {"BF16", "bfloat16"},
    {"I32", "int32"},
    {"U32", "uint32"},
    {"F32", "float32"},
    {"C64", "complex64"},
    {"F64", "float64"},
    {"I64", "int64"},
    {"U64", "uint64"},
}};

std::optional<protocol::DataType> typeOf(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &std::pair<std::string_view, std::string_view>::first);
  const auto raw = found == kTypes.end() ? std::nullopt : edit::parseDataType(found->second, true);
  if (!raw) return std::nullopt;
  return protocol::DataType{static_cast<uint8_t>(*raw), static_cast<uint8_t>(*raw >> 8),
                            static_cast<uint16_t>(*raw >> 16)};
}

uint64_t lengthOf(const Bytes& file) {
  uint64_t length = 0;
  if (file.size() >= kLengthBytes) std::memcpy(&length, file.data(), sizeof length);
  return length; // little-endian, as every machine that this program is built for
}

struct Range {
  uint64_t begin = 0, end = 0; ///< in the bytes after the header
  std::size_t item = 0;
};

/// A tensor without its bytes.
Result<std::pair<Parameters::Item, Range>> tensorOf(const std::string& name, const json::Value& value, uint64_t size) {
  Parameters::Item item;
  item.name = name;
  const json::Value *const dtype = value.find("dtype"), *const shape = value.find("shape"),
                           *const offsets = value.find("data_offsets");
  if (!dtype || !dtype->isString() || !shape || !shape->isArray() || !offsets || offsets->items().size() != 2)
    return wrong("it has no dtype, shape or data_offsets");
  const auto type = typeOf(dtype->text());
  if (!type) return wrong("its type '" + escapedWithin(dtype->text(), 60) + "' is unknown");
  item.type = *type;
  for (const json::Value& extent : shape->items()) {
    if (extent.type() != json::Value::Type::Unsigned || extent.number() >> 62) return wrong("its shape is wrong");
    item.shape.push_back(static_cast<int64_t>(extent.number()));
  }
  for (const json::Value& offset : offsets->items())
    if (offset.type() != json::Value::Type::Unsigned) return wrong("its data_offsets are not numbers");
  const Range range{offsets->items()[0].number(), offsets->items()[1].number(), 0};
  if (range.begin > range.end || range.end > size)
    return wrong("its bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
                 " are not in the file, which has " + sizeText(size) + " after its header");
  const auto wanted = protocol::dataBytes(item.type, item.shape);
  if (wanted != range.end - range.begin)
    return wrong("it has " + sizeText(range.end - range.begin) + ", which do not fit its shape and type");
  return std::pair(std::move(item), range);
}

} // namespace

bool looksLikeSafetensors(const Bytes& file) {
  const uint64_t length = lengthOf(file);
  // Lengths above 2^40 are other bytes, such as text.
  return file.size() > kLengthBytes && length >= 2 && length >> 40 == 0 && file.view()[kLengthBytes] == '{';
}

Result<Parameters> readSafetensors(const Bytes& file, Monitor& monitor) {
  longWork("program::readSafetensors");
  // --- 1. The header. ---
  if (file.size() < kLengthBytes) return wrong("the file has " + sizeText(file.size()) + ", too few for safetensors");
  const uint64_t length = lengthOf(file);
  if (length > file.size() - kLengthBytes)
    return wrong("its header should have " + sizeText(length) + ", but the file has only " +
                 sizeText(file.size() - kLengthBytes) + " after the length");
  if (length > kHeaderBytes)
    return wrong("its header has " + sizeText(length) + "; readers accept at most " + sizeText(kHeaderBytes));
  if (length == 0 || file.view()[kLengthBytes] != '{') return wrong("its header does not begin with '{'");
  BLOBSCOPE_TRY(header, json::parseLocated(file.slice(kLengthBytes, length)));
  if (!header.root.isObject()) return wrong("its header is not a JSON object");
  if (!header.duplicates.empty())
    return wrong("member " + nameText(header.duplicates.front().pointer) + " of its header occurs more than once");

  // --- 2. The tensors. ---
  const uint64_t size = file.size() - kLengthBytes - length;
  Parameters out;
  std::vector<Range> ranges;
  for (const auto& [name, value] : header.root.members()) {
    if (out.items.size() % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (name == kMetadata) continue;
    auto tensor = tensorOf(name, value, size);
    if (!tensor) return tensor.takeError().within("tensor " + nameText(name));
    tensor->second.item = out.items.size();
    tensor->first.data =
        file.slice(kLengthBytes + length + tensor->second.begin, tensor->second.end - tensor->second.begin);
    ranges.push_back(tensor->second);
    out.items.push_back(std::move(tensor->first));
  }

  // --- 3. They tile the rest of the file. ---
  std::ranges::sort(ranges, {}, [](const Range& range) { return std::pair(range.begin, range.end); });
  uint64_t at = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Range& range = ranges[i];
    const std::string name = nameText(out.items[range.item].name);
    if (range.begin < at)
      return wrong("tensors " + nameText(out.items[ranges[i - 1].item].name) + " and " + name + " overlap at byte " +
                   std::to_string(range.begin) + " after the header");
    if (range.begin > at)
      return wrong(sizeText(range.begin - at) + " before tensor " + name +
                   " belong to no tensor; readers of safetensors refuse that");
    at = range.end;
  }
  if (at != size)
    return wrong(sizeText(size - at) + " at the end belong to no tensor; readers of safetensors refuse that");
  return out;
}

Result<Parameters> readSafetensorsIndex(const fs::path& index, Monitor& monitor) {
  longWork("program::readSafetensorsIndex");
  BLOBSCOPE_TRY(source, ByteSource::openFile(index));
  BLOBSCOPE_TRY(text, json::parseLocated(ByteSource::all(source)));
  const json::Value* const map = text.root.find("weight_map");
  const std::string shown = "'" + shownPath(pathText(index)) + "'";
  if (!map || !map->isObject()) return wrong(shown + " is not an index of safetensors");
  if (!text.duplicates.empty())
    return wrong("member " + nameText(text.duplicates.front().pointer) + " of " + shown + " occurs more than once");
  std::vector<std::string> files;
  std::unordered_map<std::string_view, std::string_view> fileOf; // tensor → file
  std::unordered_map<std::string_view, std::size_t> wanted;      // file → its tensors in the index
  for (const auto& [name, file] : map->members()) {
    if (fileOf.size() % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (!file.isString()) return wrong(shown + " names no file for tensor " + nameText(name));
    fileOf.try_emplace(name, file.text());
    if (wanted[file.text()]++ == 0) files.push_back(file.text());
    if (files.size() > kFiles)
      return Error(DiagnosticId::FileLimit,
                   {{"count", "more files"}, {"what", "in the index"}, arg("limit", uint64_t{kFiles})});
  }
  Parameters out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    monitor.progress("reading parameters", i, files.size());
    const fs::path path = pathFrom(files[i]);
    BLOBSCOPE_TRY(opened, openBeneath(index.parent_path(), path));
    BLOBSCOPE_TRY(content, ByteSource::openFile(std::move(opened), index.parent_path() / path));
    auto read = readSafetensors(ByteSource::all(content), monitor);
    if (!read) return read.takeError().within(shownPath(pathText(index.parent_path() / path)));
    std::size_t found = 0;
    for (Parameters::Item& item : read->items) {
      const auto listed = fileOf.find(item.name);
      if (listed == fileOf.end() || listed->second != files[i]) continue;
      ++found;
      out.items.push_back(std::move(item));
    }
    if (found != wanted[files[i]])
      return wrong(countText(wanted[files[i]] - found, "tensor") + " that " + shown + " lists for '" +
                   escapedWithin(files[i], 200) + "' " + (wanted[files[i]] - found == 1 ? "is" : "are") + " not in it");
  }
  return out;
}

} // namespace blobscope::program
