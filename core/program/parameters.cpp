#include "core/program/parameters.h"

#include "core/base/budget.h"
#include "core/base/json.h"
#include "core/base/limits.h"
#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/container/archive/archive.h"
#include "core/payloads/params/params.h"
#include "core/payloads/tensor/npy.h"
#include "core/program/safetensors.h"
#include "core/program/tensor_cache.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <system_error>
#include <unordered_set>

namespace blobscope::program {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".npy", kSafetensors = ".safetensors";

/// The type as stored: code, bits, lanes.
protocol::DataType typeOf(uint32_t stored) {
  return {static_cast<uint8_t>(stored), static_cast<uint8_t>(stored >> 8), static_cast<uint16_t>(stored >> 16)};
}

Error wrong(std::string reason) { return {DiagnosticId::RunParams, {{"reason", std::move(reason)}}}; }

Result<Parameters::Item> itemOf(std::string_view name, const payloads::Tensor& tensor) {
  if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t extent) { return extent < 0; }))
    return wrong("parameter '" + escapedWithin(name, 120) + "' has the shape " +
                 escapedWithin(tensor.shapeText(), 200));
  return Parameters::Item{std::string(name), typeOf(tensor.dtype), tensor.shape, tensor.data};
}

/// The length of "000-" at the start of a name; 0 when there is no number or nothing after it.
std::size_t numberLength(std::string_view name) {
  constexpr std::size_t kDigits = 3; // write::exportFolder() writes at least this many
  const std::size_t end = name.find_first_not_of("0123456789");
  return end != std::string_view::npos && end >= kDigits && name[end] == '-' && end + 1 < name.size() ? end + 1 : 0;
}

/// The files of a folder whose names end like that, sorted.
Result<std::vector<fs::path>> listFiles(const fs::path& folder, std::string_view ending, Monitor& monitor) {
  const auto unreadable = [&](const std::error_code& failure) {
    return Error(DiagnosticId::FileNotReadable, {arg("path", pathText(folder)), {"reason", failure.message()}});
  };
  std::error_code failure;
  std::vector<fs::path> out;
  uint64_t done = 0;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    if (++done % 1024 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    std::error_code ignored;
    if (!pathText(at->path().filename()).ends_with(ending) || !at->is_regular_file(ignored)) continue;
    if (out.size() >= limits::kListItems)
      return Error(DiagnosticId::FileLimit,
                   {{"count", "more files"}, {"what", "in the folder"}, arg("limit", limits::kListItems)});
    out.push_back(at->path());
  }
  if (failure) return unreadable(failure);
  std::sort(out.begin(), out.end());
  return out;
}

Result<Parameters::Item> npyItem(std::string name, const Bytes& file) {
  BLOBSCOPE_TRY(array, payloads::readNpy(file));
  return Parameters::Item{std::move(name), typeOf(array.dtype), std::move(array.shape), std::move(array.data)};
}

Result<Parameters> readFolder(const fs::path& folder, Monitor& monitor) {
  if (const auto index = tensorCacheIn(folder)) return readTensorCache(*index, monitor);
  BLOBSCOPE_TRY(indexes, listFiles(folder, std::string(kSafetensors) + ".index.json", monitor));
  if (indexes.size() == 1) return readSafetensorsIndex(indexes.front(), monitor);
  if (indexes.size() > 1)
    return wrong("the folder '" + shownPath(pathText(folder)) +
                 "' has several indexes of safetensors; name one of them");
  BLOBSCOPE_TRY(files, listFiles(folder, kSafetensors, monitor));
  if (files.empty()) return readParameterFolder(folder, monitor);
  Parameters out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    monitor.progress("reading parameters", i, files.size());
    BLOBSCOPE_TRY(source, ByteSource::openFile(files[i]));
    auto read = readSafetensors(ByteSource::all(source), monitor);
    if (!read) return read.takeError().within(shownPath(pathText(files[i])));
    std::ranges::move(read->items, std::back_inserter(out.items));
  }
  BLOBSCOPE_CHECK(checkNames(out));
  return out;
}

} // namespace

Result<Parameters> parametersOf(std::span<const payloads::NamedTensor> tensors, Monitor& monitor) {
  Parameters out;
  out.items.reserve(tensors.size());
  for (const payloads::NamedTensor& tensor : tensors) {
    if (out.items.size() % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    BLOBSCOPE_TRY(item, itemOf(tensor.name.view(), tensor.tensor));
    out.items.push_back(std::move(item));
  }
  return out;
}

Result<Done> checkNames(const Parameters& parameters) {
  std::unordered_set<std::string_view> seen;
  for (const Parameters::Item& item : parameters.items)
    if (!seen.insert(item.name).second)
      return wrong("two tensors have the name '" + escapedWithin(item.name, 120) + "'");
  return Done{};
}

Result<Parameters> readParametersAt(const fs::path& path, Monitor& monitor) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return readFolder(path, monitor);
  BLOBSCOPE_TRY(source, ByteSource::openFile(path));
  const Bytes file = ByteSource::all(source);
  const std::string_view head = file.view().substr(0, 8);
  uint64_t magic = 0;
  std::memcpy(&magic, head.data(), std::min(head.size(), sizeof magic));
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) return readNumpyArchive(file, monitor);
  if (head.starts_with("\x93NUMPY")) {
    Parameters out;
    BLOBSCOPE_TRY(item, npyItem(pathText(path.stem()), file));
    out.items.push_back(std::move(item));
    return out;
  }
  if (magic != payloads::Params::kMagic && path.extension() == ".json") {
    BLOBSCOPE_TRY(text, json::parse(file));
    return text.find("weight_map") ? readSafetensorsIndex(path, monitor) : readTensorCache(path, monitor);
  }
  if (magic != payloads::Params::kMagic && (looksLikeSafetensors(file) || path.extension() == kSafetensors))
    return readSafetensors(file, monitor);
  return readParameters(file, monitor);
}

Result<Parameters> readNumpyArchive(const Bytes& file, Monitor& monitor) {
  longWork("program::readNumpyArchive");
  BLOBSCOPE_TRY(archive, container::readArchive(file, Budget::forFile(file.size()), monitor));
  Parameters out;
  for (const container::Member& member : archive.members) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (member.type != container::Member::Type::File || !member.path.ends_with(kEnding)) continue;
    auto item = npyItem(member.path.substr(0, member.path.size() - kEnding.size()), member.bytes);
    if (!item) return item.takeError().within("member '" + escapedWithin(member.path, 200) + "'");
    out.items.push_back(std::move(*item));
  }
  for (const Diagnostic& diagnostic : archive.diagnostics)
    if (diagnostic.severity() == Severity::Error) return wrong(diagnostic.message());
  if (out.items.empty()) return wrong("the archive has no member NAME.npy");
  BLOBSCOPE_CHECK(checkNames(out));
  return out;
}

Result<Parameters> readParameters(const Bytes& file, Monitor& monitor) {
  longWork("program::readParameters");
  BLOBSCOPE_TRY(stored, payloads::readParams(file));
  Parameters out;
  out.items.reserve(stored->tensors.size());
  for (std::size_t i = 0; i < stored->tensors.size(); ++i) {
    if (i % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    BLOBSCOPE_TRY(item, itemOf(stored->names[i].view(), stored->tensors[i]));
    out.items.push_back(std::move(item));
  }
  return out;
}

Result<Parameters> readParameterFolder(const fs::path& folder, Monitor& monitor) {
  longWork("program::readParameterFolder");
  BLOBSCOPE_TRY(files, listFiles(folder, kEnding, monitor));
  if (files.empty())
    return wrong("the folder '" + shownPath(pathText(folder)) +
                 "' has no tensor-cache.json, no .safetensors and no .npy");
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const fs::path& file : files) {
    names.push_back(pathText(file.filename()));
    names.back().resize(names.back().size() - kEnding.size());
  }
  const bool numbered =
      std::all_of(names.begin(), names.end(), [](const std::string& name) { return numberLength(name) > 0; });

  Parameters out;
  out.items.reserve(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("reading parameters", i, files.size());
    BLOBSCOPE_TRY(source, ByteSource::openFile(files[i]));
    auto item = npyItem(names[i].substr(numbered ? numberLength(names[i]) : 0), ByteSource::all(source));
    if (!item) return item.takeError().within(shownPath(pathText(files[i])));
    out.items.push_back(std::move(*item));
  }
  return out;
}

} // namespace blobscope::program
