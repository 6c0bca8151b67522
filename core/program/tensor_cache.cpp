#include "core/program/tensor_cache.h"

#include "core/base/json.h"
#include "core/base/path_text.h"
#include "core/base/place.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/edit/value.h"
#include "core/program/parameters.h"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

namespace blobscope::program {
namespace {

namespace fs = std::filesystem;

Error wrong(std::string reason) { return {DiagnosticId::RunParams, {{"reason", std::move(reason)}}}; }

std::string_view textOf(const json::Value& object, std::string_view name) {
  const json::Value* const member = object.find(name);
  return member ? std::string_view(member->text()) : std::string_view();
}

Result<uint64_t> numberOf(const json::Value& object, std::string_view name) {
  const json::Value* const member = object.find(name);
  if (member && member->type() == json::Value::Type::Unsigned) return member->number();
  return wrong("'" + std::string(name) + "' is not a number");
}

/// Numbers of 32 bits from their upper halves.
Bytes widened(const Bytes& halves) {
  const std::span<const std::byte> from = halves.span();
  std::string out(from.size() * 2, '\0');
  for (std::size_t i = 0; i + 1 < from.size(); i += 2) std::memcpy(out.data() + 2 * i + 2, from.data() + i, 2);
  return Bytes::copyOf(out);
}

/// A tensor of a file.
Result<Parameters::Item> itemOf(const json::Value& record, const Bytes& file) {
  Parameters::Item item;
  item.name = textOf(record, "name");
  const std::string_view dtype = textOf(record, "dtype"), format = textOf(record, "format");
  const auto type = edit::parseDataType(dtype, true);
  if (!type) return wrong("its type '" + escapedWithin(dtype, 60) + "' is unknown");
  item.type = {static_cast<uint8_t>(*type), static_cast<uint8_t>(*type >> 8), static_cast<uint16_t>(*type >> 16)};
  const json::Value* const shape = record.find("shape");
  if (!shape || !shape->array()) return wrong("it has no shape");
  for (const json::Value& extent : shape->items()) {
    if (extent.type() != json::Value::Type::Unsigned || extent.number() >> 62) return wrong("its shape is wrong");
    item.shape.push_back(static_cast<int64_t>(extent.number()));
  }
  BLOBSCOPE_TRY(offset, numberOf(record, "byteOffset"));
  BLOBSCOPE_TRY(bytes, numberOf(record, "nbytes"));
  if (offset > file.size() || bytes > file.size() - offset)
    return wrong(sizeText(bytes) + " at offset " + std::to_string(offset) + " are not in its file, which has " +
                 sizeText(file.size()));
  const auto wanted = protocol::dataBytes(item.type, item.shape);
  const bool isHalf = format == "f32-to-bf16" && dtype == "float32";
  if (!wanted || (isHalf ? *wanted / 2 : *wanted) != bytes)
    return wrong("it has " + sizeText(bytes) + ", which do not fit its shape and type");
  item.data = file.slice(offset, bytes);
  if (isHalf) item.data = widened(item.data);
  return item;
}

/// The bytes of a tensor in its file.
struct Range {
  uint64_t begin = 0, end = 0;
  std::size_t item = 0;
};

/// Two tensors may be the same bytes, but they may not overlap.
Result<Done> checkRanges(std::vector<Range>& ranges, const Parameters& parameters) {
  std::ranges::sort(ranges, {}, [](const Range& range) { return std::pair(range.begin, range.end); });
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    const Range &before = ranges[i - 1], &range = ranges[i];
    if (range.begin >= before.end || (range.begin == before.begin && range.end == before.end)) continue;
    return wrong("tensors '" + escapedWithin(parameters.items[before.item].name, 120) + "' and '" +
                 escapedWithin(parameters.items[range.item].name, 120) + "' overlap at offset " +
                 std::to_string(range.begin) + " of their file");
  }
  return Done{};
}

} // namespace

std::optional<fs::path> tensorCacheIn(const fs::path& folder) {
  std::error_code failure;
  for (const char* const name : {"tensor-cache.json", "ndarray-cache.json"})
    if (fs::is_regular_file(folder / name, failure)) return folder / name;
  return std::nullopt;
}

Result<Parameters> readTensorCache(const fs::path& index, Monitor& monitor) {
  longWork("program::readTensorCache");
  BLOBSCOPE_TRY(source, ByteSource::openFile(index));
  BLOBSCOPE_TRY(text, json::parse(ByteSource::all(source)));
  const json::Value* const files = text.find("records");
  if (!files || !files->array()) return wrong("'" + shownPath(pathText(index)) + "' is not an index of tensors");
  Parameters out;
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < files->items().size(); ++i) {
    const json::Value& record = files->items()[i];
    monitor.progress("reading parameters", i, files->items().size());
    const json::Value* const tensors = record.find("records");
    if (!tensors || tensors->items().empty()) continue;
    const std::string_view path = textOf(record, "dataPath");
    BLOBSCOPE_TRY(opened, openBeneath(index.parent_path(), pathFrom(std::string(path))));
    BLOBSCOPE_TRY(content, ByteSource::openFile(std::move(opened), index.parent_path() / pathFrom(std::string(path))));
    for (const json::Value& tensor : tensors->items()) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      auto item = itemOf(tensor, ByteSource::all(content));
      if (!item)
        return item.takeError().within("tensor '" + escapedWithin(textOf(tensor, "name"), 120) + "' in '" +
                                       shownPath(pathText(index)) + "'");
      const uint64_t offset = tensor.find("byteOffset")->number();
      ranges.push_back({offset, offset + tensor.find("nbytes")->number(), out.items.size()});
      out.items.push_back(std::move(*item));
    }
    BLOBSCOPE_CHECK(checkRanges(ranges, out));
    ranges.clear();
  }
  BLOBSCOPE_CHECK(checkNames(out));
  return out;
}

} // namespace blobscope::program
