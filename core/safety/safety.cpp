#include "core/safety/safety.h"

#include "core/safety/entries.h"
#include "core/safety/import_groups.h"
#include "core/safety/parts.h"
#include "core/safety/pieces.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <system_error>

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

/// Computes the digests in a thread of its own, since they take as long as everything else.
class IdentityInBackground {
public:
  explicit IdentityInBackground(const std::vector<library::PackagePtr>& packages) : m_packages(packages) {
    try {
      m_future = std::async(std::launch::async, [this] { return readIdentity(m_packages, m_ours); });
    } catch (const std::system_error&) { // no more threads; take() computes them
    }
  }
  ~IdentityInBackground() { m_ours.stop = true; } // the future waits
  IdentityInBackground(const IdentityInBackground&) = delete;
  IdentityInBackground& operator=(const IdentityInBackground&) = delete;

  Result<Identity> take(Monitor& monitor) {
    monitor.progress("computing digests", 0, 0);
    if (!m_future.valid()) return readIdentity(m_packages, monitor);
    do {
      if (monitor.stopRequested()) m_ours.stop = true;
    } while (m_future.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready);
    return m_future.get();
  }

private:
  /// The monitor of the caller belongs to its thread.
  struct Stoppable final : Monitor {
    bool stopRequested() const override { return stop; }
    void progress(std::string_view, uint64_t, uint64_t) override {}
    std::atomic<bool> stop = false;
  };

  const std::vector<library::PackagePtr>& m_packages;
  Stoppable m_ours;
  std::future<Result<Identity>> m_future;
};

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
  IdentityInBackground background(packages);
  if (!all) report.notRead.push_back("Only the first members of the archive were read.");
  BLOBSCOPE_CHECK(addImports(packages, report, monitor));
  BLOBSCOPE_CHECK(addPackedCalls(packages, report, monitor));
  for (const library::PackagePtr& one : packages) BLOBSCOPE_CHECK(assessOne(*one, report, monitor));
  BLOBSCOPE_CHECK(addSignaturesBeside(*package, report, monitor));
  BLOBSCOPE_TRY(identity, background.take(monitor));
  identity.users = std::move(report.identity.users);
  report.identity = std::move(identity);
  BLOBSCOPE_CHECK(addFindings(packages, report, monitor));
  return report;
}

} // namespace blobscope::safety
