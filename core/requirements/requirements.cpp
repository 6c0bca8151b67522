#include "core/requirements/requirements.h"

#include "core/base/thread_rule.h"
#include "core/library/host_abi.h"
#include "core/requirements/parts.h"

#include <algorithm>

namespace blobscope::requirements {
namespace {

/// The extension by which a runtime chooses the loader: "so" of "dir/lib.so"; empty when there is none.
std::string extensionOf(const std::string& path) {
  const std::size_t slash = path.find_last_of("/\\");
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? std::string() : name.substr(dot + 1);
}

void addFile(const Packages& packages, Requirements& out) {
  const library::Package& file = *packages.front();
  out.path = file.path;
  out.size = file.bytes.size();
  out.extension = extensionOf(file.path);
  out.format = container::formatName(file.image.format);
  out.formatTitle = container::formatTitle(file.image.format);
  out.kind = container::kindName(file.image.kind);
  for (const library::PackagePtr& package : packages) {
    out.ofTvm = out.ofTvm || !package->blobs.empty() || package->host.abi ||
                (package->producer && package->producer->ofTvm); // functions and classes that it registers
    if (out.architecture.empty()) out.architecture = package->image.arch;
    if (out.hostAbi.empty() && package->host.abi) out.hostAbi = host::abiName(*package->host.abi);
    constexpr std::string_view kBecause = "because ";
    if (const std::string_view why = library::whyHostUnknown(*package); why.starts_with(kBecause))
      out.hiddenFunctions = why.substr(kBecause.size());
  }
}

Packages packagesIn(const library::PackagePtr& package) {
  Packages packages;
  library::forEachPackage(package, [&](const library::PackagePtr& inner) { packages.push_back(inner); });
  return packages;
}

} // namespace

Result<Requirements> requirementsOf(const library::PackagePtr& package, Monitor& monitor) {
  longWork("requirements::requirementsOf");
  const Packages packages = packagesIn(package);
  Requirements out;
  addFile(packages, out);
  BLOBSCOPE_TRY(defined, addDefined(packages, out, monitor));
  BLOBSCOPE_CHECK(addModules(packages, defined, out, monitor));
  BLOBSCOPE_CHECK(addCalls(packages, defined, out, monitor));
  BLOBSCOPE_TRY(facts, readLoaderFacts(packages, monitor));
  BLOBSCOPE_CHECK(addSymbols(packages, facts, out, monitor));
  BLOBSCOPE_CHECK(addHostCode(packages, facts, defined, out, monitor));
  BLOBSCOPE_CHECK(addDeviceCode(packages, out, monitor));
  BLOBSCOPE_CHECK(addImageUses(packages, facts, out, monitor));
  return out;
}

Result<std::vector<DeviceCode>> deviceCodeOf(const library::PackagePtr& package, Monitor& monitor) {
  longWork("requirements::deviceCodeOf");
  Requirements out;
  BLOBSCOPE_CHECK(addDeviceCode(packagesIn(package), out, monitor));
  return std::move(out.code);
}

Result<std::vector<DeviceCode>> deviceCodeOf(const library::Module& module, const Ref& ref, Monitor& monitor) {
  longWork("requirements::deviceCodeOf");
  Requirements out;
  BLOBSCOPE_CHECK(addDeviceCode(module, ref, out, monitor));
  return std::move(out.code);
}

} // namespace blobscope::requirements
