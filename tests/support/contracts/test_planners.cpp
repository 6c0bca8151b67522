#include "core/write/plan.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/core/container/image_text.h"
#include "tests/core/write/plan_check.h"
#include "tests/support/contracts/damage.h"
#include "tests/support/contracts/planner_rows.h"
#include "tests/support/test_main.h"

#include <set>

using namespace blobscope;
using namespace blobscope::test;
using write::Strategy;

namespace {

constexpr std::size_t kSize = 2'000;                             ///< of the old blob
constexpr std::size_t kDamagedLengths = 30, kDamagedPlaces = 24; ///< of one damaged file

std::string idOf(const Error& error) { return std::string(error.diagnostic().idText()); }

/// In place: every byte that differs is in the old blob's place or in a change of the plan.
std::string whyNotInPlace(const Replaced& made, const std::string& old) {
  const std::size_t room = made.input.find(old);
  if (room == std::string::npos) return {}; // written another way: as text, or compressed
  if (made.output.size() != made.input.size()) return "another size";
  for (std::size_t at = 0; at < made.input.size(); ++at) {
    if (made.input[at] == made.output[at] || (at >= room && at < room + old.size())) continue;
    if (std::none_of(made.plan.changes.begin(), made.plan.changes.end(),
                     [&](const write::Change& change) { return Extent{change.offset, change.size}.contains(at); }))
      return "byte " + std::to_string(at) + " differs and is not in the plan";
  }
  return {};
}

/// Data beside the blob is where its symbol says, whatever moved.
std::string whyOthersLost(const Replaced& made, const std::vector<std::string>& members) {
  const auto *before = Replaced::at(made.before, members), *after = Replaced::at(made.after, members);
  if (!after) return "the member is gone";
  for (const char* const name : {"before", "behind", "_before", "_behind"}) {
    const auto *was = findSymbol(before->image, name), *is = findSymbol(after->image, name);
    if (!was) continue;
    if (!is) return std::string("symbol '") + name + "' is gone";
    const auto a = before->image.findBytesOf(*was), b = after->image.findBytesOf(*is);
    if (!a || !b || a->view().substr(0, 4) != b->view().substr(0, 4)) return std::string("bytes of '") + name + "'";
  }
  return {};
}

/// What is wrong with the plans for a damaged file, empty when nothing is: a plan can be carried out, a refusal has an
/// id of its own.
std::string whyWrong(const std::string& file, const std::string& replacement) {
  NullMonitor monitor;
  const auto package = openBytes(file);
  if (!package) return {};
  std::string found;
  library::forEachPackage(*package, [&](const library::PackagePtr& inner) {
    for (const auto& blob : inner->blobs) {
      const auto plan = write::planBlob({*inner, *blob, newBlob(replacement), {}, monitor});
      if (!plan) {
        if (!idOf(plan.error()).starts_with("REP-")) found = "refused with " + idOf(plan.error());
        continue;
      }
      const auto output = write::assemble(*plan, inner->bytes, monitor);
      if (!output || output->size() != plan->size()) found = "a plan that cannot be carried out";
    }
  });
  return found;
}

} // namespace

/// What every planner promises, on the files of planner_rows.h.
class TestPlanners : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyFormatHasARow();
  void sizes_data();
  void sizes();
  void everyStrategyOccurs();
  void truncations_data() { addRows(); }
  void truncations();
  void changedBytes_data() { addRows(); }
  void changedBytes();

private:
  void addRows() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < plannerRows().size(); ++i)
      QTest::newRow(plannerRows()[i].name.c_str()) << static_cast<int>(i);
  }
  const PlannerRow& row() {
    QFETCH(int, index);
    return plannerRows()[static_cast<std::size_t>(index)];
  }
  std::set<std::string> m_strategies; ///< of the plans that sizes() has made
};

/// Every format of container::Format: Raw is the last one.
void TestPlanners::everyFormatHasARow() {
  std::set<container::Format> there;
  for (const PlannerRow& row : plannerRows()) {
    const auto package = openBytes(row.build(blobOf(kSize)));
    QVERIFY2(package, (row.name + ": " + (package ? "" : package.error().message())).c_str());
    QVERIFY2((*package)->image.format == row.format, row.name.c_str());
    there.insert(row.format);
  }
  for (int format = 0; format <= static_cast<int>(container::Format::Raw); ++format)
    QVERIFY2(there.contains(static_cast<container::Format>(format)),
             std::string(container::formatName(static_cast<container::Format>(format))).c_str());
}

void TestPlanners::sizes_data() {
  QTest::addColumn<int>("index");
  QTest::addColumn<std::size_t>("size");
  QTest::addColumn<char>("letter");
  for (std::size_t i = 0; i < plannerRows().size(); ++i) {
    const std::string& name = plannerRows()[i].name;
    QTest::addRow("%s, the same", name.c_str()) << static_cast<int>(i) << kSize << 'a';
    QTest::addRow("%s, the same size", name.c_str()) << static_cast<int>(i) << kSize << 'z';
    for (const std::size_t size : {std::size_t{300}, kSize - 1, kSize + 1, std::size_t{40'000}})
      QTest::addRow("%s, %zu bytes", name.c_str(), size) << static_cast<int>(i) << size << 'z';
  }
}

void TestPlanners::sizes() {
  QFETCH(std::size_t, size);
  QFETCH(char, letter);
  const std::vector<std::string>& members = row().members;
  const std::string old = blobOf(kSize), file = row().build(old), replacement = blobOf(size, letter);
  const auto made = replaceBlob(file, members, replacement);
  if (!made) {
    QVERIFY2(size > kSize, made.error().message().c_str());
    QCOMPARE(QString::fromStdString(idOf(made.error())), QString::fromStdString(row().larger));
    return;
  }
  NOTHING_WRONG(problemsOf(*made, members, replacement));
  NOTHING_WRONG(whyOthersLost(*made, members));
  const std::string strategy = write::strategyName(made->plan);
  m_strategies.insert(strategy);
  if (letter == 'a') {
    QCOMPARE(strategy, std::string("identity"));
    QVERIFY(made->output == file);
    return;
  }
  if (strategy == "in-place") NOTHING_WRONG(whyNotInPlace(*made, old));
  if (size > kSize) QCOMPARE(QString::fromStdString(strategy), QString::fromStdString(row().larger));
  // The same again changes nothing.
  const auto again = replaceBlob(made->output, members, replacement);
  QVERIFY2(again, again ? "" : again.error().message().c_str());
  QCOMPARE(write::strategyName(again->plan), std::string("identity"));
  // And back: the old blob, and where nothing else was written, the old file.
  const auto back = replaceBlob(made->output, members, old);
  if (!back && size < kSize) { // a smaller blob keeps no place free
    QCOMPARE(QString::fromStdString(idOf(back.error())), QString::fromStdString(row().larger));
    return;
  }
  QVERIFY2(back, back ? "" : back.error().message().c_str());
  NOTHING_WRONG(problemsOf(*back, members, old));
  NOTHING_WRONG(whyOthersLost(*back, members));
  if (row().reversible) QVERIFY(back->output == file);
}

/// AppendMemory is the last one.
void TestPlanners::everyStrategyOccurs() {
  if (m_strategies.empty()) QSKIP("sizes() was not run: no plans to look at");
  for (int strategy = 0; strategy <= static_cast<int>(Strategy::AppendMemory); ++strategy) {
    const std::string name(write::strategyName(static_cast<Strategy>(strategy)));
    QVERIFY2(m_strategies.contains(name), ("no plan is " + name).c_str());
  }
}

void TestPlanners::truncations() {
  const std::string file = row().build(blobOf(600)), replacement = blobOf(3'000, 'z');
  NOTHING_WRONG(
      wrongWithTruncations(file, kDamagedLengths, [&](const std::string& cut) { return whyWrong(cut, replacement); }));
}

void TestPlanners::changedBytes() {
  const std::string file = row().build(blobOf(600)), replacement = blobOf(3'000, 'z');
  NOTHING_WRONG(wrongWithChangedBytes(file, kDamagedPlaces,
                                      [&](const std::string& changed) { return whyWrong(changed, replacement); }));
}

BLOBSCOPE_TEST(TestPlanners);
#include "test_planners.moc"
