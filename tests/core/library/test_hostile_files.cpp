#include "core/diff/compare.h"
#include "core/library/open.h"
#include "core/library/verify.h"
#include "core/mlf/check.h"
#include "core/search/search.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/counting_monitor.h"
#include "tests/support/hostile_fixtures.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <algorithm>

using namespace blobscope;
using namespace blobscope::test;
using library::PackagePtr;

namespace {

/// Work on an opened file; returns the error of work that did not complete.
struct Work {
  const char* name;
  std::optional<Error> (*run)(const PackagePtr& package, Monitor& monitor);
};

template <class T> std::optional<Error> errorOf(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error());
}

PackagePtr harmless() {
  static const PackagePtr kPackage = *openBytes(harmlessBlob());
  return kPackage;
}

const Work kWorks[] = {
    {"verify",
     [](const PackagePtr& package, Monitor& monitor) {
       std::optional<Error> error;
       library::forEachPackage(package, [&](const PackagePtr& inner) {
         for (const auto& blob : inner->blobs)
           if (!error) error = errorOf(library::computeVerification(*blob, monitor));
       });
       return error;
     }},
    {"check", [](const PackagePtr& package, Monitor& monitor) { return errorOf(mlf::check(package, monitor)); }},
    {"compare", [](const PackagePtr& package,
                   Monitor& monitor) { return errorOf(diff::compare(harmless(), package, {}, monitor)); }},
    {"strings",
     [](const PackagePtr& package, Monitor& monitor) {
       return errorOf(search::strings(*package, 6, monitor, [](const search::Hit&) { return true; }));
     }},
    {"find",
     [](const PackagePtr& package, Monitor& monitor) {
       return errorOf(search::find(*package, {"abcdefg"}, monitor, [](const search::Hit&) { return true; }));
     }},
};

std::shared_ptr<const ByteSource> sourceOf(const char* fixture, uint64_t scale) {
  return source(hostileFixture(fixture).make(scale).bytes);
}

/// Allowance for the end of a stage, its callers and the message: two steps of 1 MiB.
constexpr uint64_t kLooksAfterStop = 32;
constexpr uint64_t kBytesAfterStop = 2 << 20;

} // namespace

/// Each entry that reads a hostile file checks its monitor, and ends soon after the request to stop.
class TestHostileFiles : public QObject {
  Q_OBJECT

private Q_SLOTS:
  /// Each finding in the archive of a project has a reference to its place. Finding it must not read all members of the
  /// project again.
  void workOfCheckGrowsWithMembersAndFindingsNotWithTheirProduct() {
    constexpr int kMembers = 3'000, kFindings = 200;
    const auto allocationsFor = [&](int findings) {
      Mlf model = cleanMlf(7, MlfStyle::Graph);
      for (int i = 0; i < kFindings; ++i)
        model.members.push_back(
            {"./codegen/host/src/file" + std::to_string(i), "x", '0', {}, i < findings ? 04'644U : 0'644U});
      Mlf project;
      project.add("./microtvm_api_server.py").add("./model.tar", model.tar());
      for (int i = 0; i < kMembers; ++i) project.members.push_back({"./a/long/name/of/file" + std::to_string(i), "x"});
      const auto package = openBytes(project.tar());
      if (!package) qFatal("the project cannot be opened");
      NullMonitor monitor;
      const AllocationCounter counter;
      const auto report = mlf::check(*package, monitor);
      if (!report) qFatal("the project cannot be checked");
      const auto found = std::count_if(report->issues.begin(), report->issues.end(), [](const check::Issue& issue) {
        return issue.rule == "MLF-012" && issue.ref && issue.ref->members.size() == 1;
      });
      if (found != findings) qFatal("%d findings", static_cast<int>(found));
      return counter.allocations();
    };
    const uint64_t none = allocationsFor(0), all = allocationsFor(kFindings);
    QVERIFY2(all - std::min(all, none) < uint64_t{kFindings} * kMembers / 20,
             qPrintable(QStringLiteral("%1, %2").arg(none).arg(all)));
  }

  void openingAHostileFileStopsSoon_data() {
    QTest::addColumn<QByteArray>("fixture");
    for (const HostileFixture& fixture : hostileFixtures()) QTest::newRow(fixture.name) << QByteArray(fixture.name);
  }
  void openingAHostileFileStopsSoon() {
    QFETCH(QByteArray, fixture);
    const auto file = sourceOf(fixture.constData(), 1);
    stopsSoon("open", [&](Monitor& monitor) { return errorOf(library::open(file, fixture.toStdString(), monitor)); });
  }

  void workOnAHostileFileStopsSoon_data() { openingAHostileFileStopsSoon_data(); }
  void workOnAHostileFileStopsSoon() {
    QFETCH(QByteArray, fixture);
    NullMonitor monitor;
    const auto package = library::open(sourceOf(fixture.constData(), 1), fixture.toStdString(), monitor);
    if (!package) return; // refused: openingAHostileFileStopsSoon() covers it
    for (const Work& work : kWorks) stopsSoon(work.name, [&](Monitor& asked) { return work.run(*package, asked); });
  }

  void numberOfCancellationChecksGrowsWithTheFile_data() { openingAHostileFileStopsSoon_data(); }
  /// The number of checks grows with the file: twice the content gives about twice the checks.
  void numberOfCancellationChecksGrowsWithTheFile() {
    QFETCH(QByteArray, fixture);
    const auto looksAt = [&](uint64_t scale) {
      CountingMonitor monitor;
      if (const auto package = library::open(sourceOf(fixture.constData(), scale), fixture.toStdString(), monitor))
        for (const Work& work : kWorks) (void)work.run(*package, monitor);
      return monitor.looks();
    };
    const uint64_t one = looksAt(1), two = looksAt(2);
    QVERIFY2(5 * two <= 13 * one + 40, qPrintable(QStringLiteral("%1 questions, then %2").arg(one).arg(two)));
  }

  /// A filter that consumes input without producing output also checks its monitor: twelve times as much input gives
  /// more checks, at least one for each step of 1 MiB.
  void filtersWithoutOutputCheckForCancellation() {
    const auto looksAt = [](unsigned scale) {
      CountingMonitor monitor;
      (void)library::open(sourceOf("filters.zst", scale), "filters.zst", monitor);
      return monitor.looks();
    };
    const uint64_t one = looksAt(1), twelve = looksAt(12),
                   steps = hostileFixture("filters.zst").make(12).unpacked >> 20;
    QVERIFY2(twelve >= one + steps / 2,
             qPrintable(QStringLiteral("%1 questions, then %2 for %3 MiB").arg(one).arg(twelve).arg(steps)));
    QVERIFY2(steps > 4, qPrintable(QString::number(steps)));
  }

private:
  static void stopsSoon(const char* what, const std::function<std::optional<Error>(Monitor&)>& run) {
    CountingMonitor never;
    const auto failed = run(never);
    QVERIFY2(!failed || failed->code() != ErrorCode::Cancelled, what);
    const uint64_t looks = never.looks();
    for (const uint64_t stopAt : {uint64_t{0}, looks / 2, looks - std::min<uint64_t>(looks, 1)}) {
      if (stopAt >= looks) continue;
      CountingMonitor monitor(stopAt);
      uint64_t bytesAtStop = 0;
      const AllocationCounter counter;
      monitor.watch([&] {
        if (monitor.looks() == stopAt) bytesAtStop = counter.totalBytes();
        return counter.totalBytes();
      });
      const auto error = run(monitor);
      const QByteArray where = QByteArray(what) + " stopped at question " + QByteArray::number(qulonglong(stopAt)) +
                               " of " + QByteArray::number(qulonglong(looks)) + ": ";
      QVERIFY2(error && error->code() == ErrorCode::Cancelled,
               where + (error ? QByteArray::fromStdString(error->message()) : QByteArray("went on to the end")));
      QVERIFY2(monitor.looksAfterStop() <= kLooksAfterStop,
               where + QByteArray::number(qulonglong(monitor.looksAfterStop())) + " more questions");
      const uint64_t after = counter.totalBytes() - bytesAtStop;
      QVERIFY2(after <= kBytesAfterStop, where + QByteArray::number(qulonglong(after)) + " more bytes allocated");
    }
  }
};

BLOBSCOPE_TEST(TestHostileFiles);
#include "test_hostile_files.moc"
