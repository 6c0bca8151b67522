#include "core/library/open.h"

#include "core/base/limits.h"
#include "core/base/thread_rule.h"
#include "core/container/carrier.h"
#include "core/container/container.h"

#include <algorithm>

namespace blobscope::library {
namespace {

/// One word per carrier that tells its refs apart: nothing for an only blob, else the prefix, and the whole symbol
/// name when two carriers share a prefix (libraries made by hand for two generations of loaders).
std::vector<std::string> refPrefixes(const std::vector<container::Carrier>& carriers) {
  std::vector<std::string> prefixes;
  for (const container::Carrier& carrier : carriers) {
    const auto sharing = std::count_if(carriers.begin(), carriers.end(),
                                       [&](const auto& other) { return other.prefix == carrier.prefix; });
    if (carriers.size() == 1)
      prefixes.emplace_back();
    else
      prefixes.push_back(sharing == 1 ? carrier.prefix : carrier.symbol);
  }
  return prefixes;
}

void append(std::vector<Diagnostic>& to, const std::vector<Diagnostic>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

} // namespace

std::optional<Severity> Package::worst() const {
  std::optional<Severity> worst;
  for (const Diagnostic& diagnostic : diagnostics)
    if (!worst || diagnostic.severity() < *worst) worst = diagnostic.severity();
  return worst;
}

Result<PackagePtr> open(const std::filesystem::path& path, Monitor& monitor) {
  longWork("library::open");
  monitor.progress("opening the file", 0, 0);
  BLOBSCOPE_TRY(source, ByteSource::openFile(path));
  return open(std::move(source), path.native(), monitor);
}

Result<PackagePtr> open(std::shared_ptr<const ByteSource> source, std::string name, Monitor& monitor) {
  longWork("library::open");
  auto package = std::make_shared<Package>();
  package->path = std::move(name);
  package->bytes = ByteSource::all(source);

  // --- 1. Container: sections, segments, symbols. ---
  auto image = container::readImage(package->bytes, monitor);
  if (!image) {
    if (const auto changed = source->findChange())
      return Error(DiagnosticId::FileChanged, {hexArg("at", *changed)}, Ref::bytesAt(*changed));
    return image.takeError();
  }
  package->image = std::move(*image);
  append(package->diagnostics, package->image.diagnostics);

  // --- 2. Carriers and what they label. ---
  BLOBSCOPE_TRY(carriers, container::findCarriers(package->image, package->diagnostics, monitor));
  const std::vector<std::string> prefixes = refPrefixes(carriers);
  for (std::size_t i = 0; i < carriers.size(); ++i) {
    BLOBSCOPE_TRY(blob, openBlob(carriers[i], prefixes[i], monitor));
    append(package->diagnostics, blob.diagnostics);
    package->blobs.push_back(std::make_shared<const Blob>(std::move(blob)));
  }

  // --- 3. Host code. ---
  package->host = host::readHost(package->image);
  if (carriers.empty())
    package->diagnostics.push_back(
        {package->host.abi ? DiagnosticId::FileHostOnly : DiagnosticId::FileNotTvm, Ref::file(), {}});

  // --- 4. Whether it still is the file that was opened. ---
  if (const auto changed = source->findChange())
    package->diagnostics.insert(package->diagnostics.begin(),
                                {DiagnosticId::FileChanged, Ref::bytesAt(*changed), {hexArg("at", *changed)}});
  if (package->diagnostics.size() > limits::kDiagnostics) {
    const uint64_t left = package->diagnostics.size() - limits::kDiagnostics;
    package->diagnostics.resize(limits::kDiagnostics, {DiagnosticId::FileMoreDiagnostics, {}, {}});
    package->diagnostics.push_back({DiagnosticId::FileMoreDiagnostics, Ref::file(), {arg("count", left)}});
  }
  return PackagePtr(std::move(package));
}

} // namespace blobscope::library
