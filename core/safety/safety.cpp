#include "core/safety/safety.h"

#include "core/base/digest.h"
#include "core/base/tasks.h"
#include "core/library/damage.h"
#include "core/safety/entries.h"
#include "core/safety/import_groups.h"
#include "core/safety/parts.h"
#include "core/safety/pieces.h"

#include <algorithm>
#include <set>

namespace blobscope::safety {
namespace {

using container::Format;

constexpr std::size_t kPackages = 1'000; // members that are read

using Packages = std::vector<library::PackagePtr>;

/// pieces, protection, environment, systemCalls, notRead, damage. `delayed` gets the imports that are found at the
/// first call.
Result<Done> addCode(const Packages& packages, Report& report, std::set<std::string>& delayed, Monitor& monitor) {
  for (const library::PackagePtr& package : packages) {
    if (!hasCode(package->image)) {
      constexpr std::string_view kSource = "C source is not examined; compile it and look at the library.";
      if (package->image.format == Format::CSource &&
          std::ranges::find(report.notRead, kSource) == report.notRead.end())
        report.notRead.emplace_back(kSource);
      continue;
    }
    const Diagnostic* const damage = library::containerDamage(*package);
    if (damage && report.damage.empty()) report.damage = damage->message();
    BLOBSCOPE_TRY(space, AddressSpace::read(package->image, monitor));
    delayed.insert(space.delayedImports().begin(), space.delayedImports().end());
    CodeReader reader(space);
    BLOBSCOPE_CHECK(addPieces(*package, space, reader, report, monitor));
    BLOBSCOPE_CHECK(addProtection(*package, space, report, monitor));
    monitor.progress("searching system calls", 0, 0);
    BLOBSCOPE_CHECK(addSystemCalls(*package, space, reader, report, monitor));
  }
  return Done{};
}

bool isMostlyCode(const container::Image& image) {
  uint64_t bytes = 0;
  for (const std::size_t section : codeSections(image)) bytes += image.sections[section].file.size;
  return bytes >= image.file.size() / 3;
}

/// Calls one of the units for each package with code.
Task forEachWithCode(const Packages& packages, Report& report, std::string_view step,
                     Result<Done> (*add)(const library::Package&, Report&, Monitor&)) {
  return [&packages, &report, step, add](Monitor& monitor) -> Result<Done> {
    for (const library::PackagePtr& package : packages) {
      if (!hasCode(package->image)) continue;
      monitor.progress(step, 0, 0);
      BLOBSCOPE_CHECK(add(*package, report, monitor));
    }
    return Done{};
  };
}

} // namespace

bool hasCode(const container::Image& image) {
  return image.format == Format::Elf || image.format == Format::Pe || image.format == Format::Coff ||
         image.format == Format::MachO || image.format == Format::Wasm;
}

Result<Report> assess(const library::PackagePtr& package, Monitor& monitor) {
  Packages packages;
  bool all = true;
  library::forEachPackage(package, [&](const library::PackagePtr& one) {
    if (packages.size() < kPackages)
      packages.push_back(one);
    else
      all = false;
  });
  Report report;
  if (!all) report.notRead.push_back("Only the first members of the archive were read.");
  std::set<std::string> delayed;
  std::vector<std::string> contents;
  // Each adds fields of its own.
  const Task code = [&](Monitor& own) { return addCode(packages, report, delayed, own); };
  std::vector<Task> tasks = {
      [&](Monitor& own) -> Result<Done> {
        BLOBSCOPE_TRY(digest, computeSha256(package->bytes, own));
        report.identity.file = std::move(digest);
        return Done{};
      },
      [&](Monitor& own) { return readContents(packages, contents, own); },
      [&](Monitor& own) { return addIdentity(packages, report.identity, own); },
      forEachWithCode(packages, report, "searching texts", addTexts),
      forEachWithCode(packages, report, "searching bytes that nothing owns", addUnowned),
      [&](Monitor& own) { return addImports(packages, report, own); },
      [&](Monitor& own) { return addPackedCalls(packages, report, own); },
      [&](Monitor& own) -> Result<Done> {
        BLOBSCOPE_CHECK(forEachWithCode(packages, report, "reading signatures", addSignatures)(own));
        return addSignaturesBeside(*package, report, own);
      },
  };
  // Following code takes longest where there is much of it, and digests elsewhere.
  tasks.insert(isMostlyCode(package->image) ? tasks.begin() : tasks.begin() + 3, code);
  BLOBSCOPE_CHECK(runTasks(tasks, monitor));
  BLOBSCOPE_CHECK(setContents(report.identity, std::move(contents), monitor));
  for (Import& one : report.imports) one.delayed = one.delayed || delayed.contains(one.name);
  BLOBSCOPE_CHECK(addFindings(packages, report, monitor));
  return report;
}

} // namespace blobscope::safety
