#include "core/program/parameters.h"

#include "core/base/limits.h"
#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/payloads/params/params.h"
#include "core/payloads/tensor/npy.h"
#include "core/program/tensor_cache.h"

#include <algorithm>
#include <system_error>

namespace blobscope::program {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".npy";

/// The type as stored: code, bits, lanes.
protocol::DataType typeOf(uint32_t stored) {
  return {static_cast<uint8_t>(stored), static_cast<uint8_t>(stored >> 8), static_cast<uint16_t>(stored >> 16)};
}

Result<Parameters::Item> itemOf(std::string_view name, const payloads::Tensor& tensor) {
  if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t extent) { return extent < 0; }))
    return Error(DiagnosticId::RunProgram, {{"reason", "parameter '" + escapedWithin(name, 120) + "' has the shape " +
                                                           escapedWithin(tensor.shapeText(), 200)}});
  return Parameters::Item{std::string(name), typeOf(tensor.dtype), tensor.shape, tensor.data};
}

/// The length of "000-" at the start of a name; 0 when there is no number or nothing after it.
std::size_t numberLength(std::string_view name) {
  constexpr std::size_t kDigits = 3; // write::exportFolder() writes at least this many
  const std::size_t end = name.find_first_not_of("0123456789");
  return end != std::string_view::npos && end >= kDigits && name[end] == '-' && end + 1 < name.size() ? end + 1 : 0;
}

Result<std::vector<fs::path>> listFiles(const fs::path& folder, Monitor& monitor) {
  const auto unreadable = [&](const std::error_code& failure) {
    return Error(DiagnosticId::FileNotReadable, {arg("path", pathText(folder)), {"reason", failure.message()}});
  };
  std::error_code failure;
  std::vector<fs::path> out;
  uint64_t done = 0;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    if (++done % 1024 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    std::error_code ignored;
    if (!pathText(at->path().filename()).ends_with(kEnding) || !at->is_regular_file(ignored)) continue;
    if (out.size() >= limits::kListItems)
      return Error(DiagnosticId::FileLimit,
                   {{"count", "more files"}, {"what", "in the folder"}, arg("limit", limits::kListItems)});
    out.push_back(at->path());
  }
  if (failure) return unreadable(failure);
  std::sort(out.begin(), out.end());
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

Result<Parameters> readParametersAt(const fs::path& path, Monitor& monitor) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    const auto index = tensorCacheIn(path);
    return index ? readTensorCache(*index, monitor) : readParameterFolder(path, monitor);
  }
  if (path.extension() == ".json") return readTensorCache(path, monitor);
  BLOBSCOPE_TRY(source, ByteSource::openFile(path));
  return readParameters(ByteSource::all(source), monitor);
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
  BLOBSCOPE_TRY(files, listFiles(folder, monitor));
  if (files.empty())
    return Error(DiagnosticId::RunProgram,
                 {{"reason", "the folder of parameters '" + shownPath(pathText(folder)) + "' has no file NAME.npy"}});
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
    auto array = payloads::readNpy(ByteSource::all(source));
    if (!array) return array.takeError().within(shownPath(pathText(files[i])));
    out.items.push_back({names[i].substr(numbered ? numberLength(names[i]) : 0), typeOf(array->dtype),
                         std::move(array->shape), std::move(array->data)});
  }
  return out;
}

} // namespace blobscope::program
