#include "core/safety/safety.h"

#include "core/safety/entries.h"
#include "core/safety/import_groups.h"
#include "core/safety/parts.h"
#include "core/safety/pieces.h"

#include <algorithm>

namespace blobscope::safety {
namespace {

using container::Format;

constexpr std::size_t kPackages = 1'000; // members that are read

Result<Done> assessOne(const library::Package& package, Report& report, Monitor& monitor) {
  if (!hasCode(package.image)) {
    constexpr std::string_view kSource = "C source is not examined; compile it and look at the library.";
    if (package.image.format == Format::CSource && std::ranges::find(report.notRead, kSource) == report.notRead.end())
      report.notRead.emplace_back(kSource);
    return Done{};
  }
  BLOBSCOPE_TRY(space, AddressSpace::read(package.image, monitor));
  for (Import& one : report.imports) one.delayed = one.delayed || space.delayedImports().contains(one.name);
  CodeReader reader(space);
  BLOBSCOPE_CHECK(addPieces(package, space, reader, report, monitor));
  BLOBSCOPE_CHECK(addProtection(package, space, report, monitor));
  monitor.progress("searching system calls", 0, 0);
  BLOBSCOPE_CHECK(addSystemCalls(package, space, reader, report, monitor));
  monitor.progress("searching bytes that nothing owns", 0, 0);
  BLOBSCOPE_CHECK(addUnowned(package, report, monitor));
  monitor.progress("searching texts", 0, 0);
  BLOBSCOPE_CHECK(addTexts(package, report, monitor));
  monitor.progress("reading signatures", 0, 0);
  return addSignatures(package, report, monitor);
}

} // namespace

bool hasCode(const container::Image& image) {
  return image.format == Format::Elf || image.format == Format::Pe || image.format == Format::Coff ||
         image.format == Format::MachO || image.format == Format::Wasm;
}

Result<Report> assess(const library::PackagePtr& package, Monitor& monitor) {
  std::vector<library::PackagePtr> packages;
  bool all = true;
  library::forEachPackage(package, [&](const library::PackagePtr& one) {
    if (packages.size() < kPackages)
      packages.push_back(one);
    else
      all = false;
  });
  Report report;
  if (!all) report.notRead.push_back("Only the first members of the archive were read.");
  BLOBSCOPE_CHECK(addImports(packages, report, monitor));
  BLOBSCOPE_CHECK(addPackedCalls(packages, report, monitor));
  for (const library::PackagePtr& one : packages) BLOBSCOPE_CHECK(assessOne(*one, report, monitor));
  BLOBSCOPE_CHECK(addSignaturesBeside(*package, report, monitor));
  monitor.progress("computing digests", 0, 0);
  BLOBSCOPE_CHECK(addIdentity(packages, report, monitor));
  BLOBSCOPE_CHECK(addFindings(packages, report, monitor));
  return report;
}

} // namespace blobscope::safety
