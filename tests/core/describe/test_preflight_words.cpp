#include "core/describe/preflight.h"
#include "tests/core/preflight/report_example.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using preflight::Missing;
using preflight::Outcome;
using preflight::Step;
using preflight::Verdict;

namespace {

Outcome outcomeIn(Verdict verdict) {
  Outcome outcome = test::goodOutcome("v0.27.0");
  outcome.product = "TVM 0.27";
  outcome.verdict = verdict;
  return outcome;
}

Missing& add(Outcome& outcome, Step step, bool certain, std::string name, std::string sentence) {
  Missing& missing = outcome.missing.emplace_back();
  missing.rule = check::Rule::PreSymbol;
  missing.kind = "symbol";
  missing.step = step;
  missing.certain = certain;
  missing.name = std::move(name);
  missing.sentence = std::move(sentence);
  missing.fix = "load the library that defines it first";
  if (certain && !outcome.step) outcome.step = step;
  return missing;
}

QString shown(const Outcome& outcome) { return QString::fromStdString(describe::outcomeText(outcome)); }

} // namespace

/// The sentences that say whether a library loads.
class TestPreflightWords : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void verdictComesFirst() {
    Outcome good = outcomeIn(Verdict::Loads);
    QCOMPARE(shown(good), QString("Loads in TVM 0.27"));
    good.flags = {"cuda", "opencl"};
    good.device = "sm_90";
    QCOMPARE(shown(good), QString("Loads in TVM 0.27 with cuda, opencl on sm_90"));

    Outcome empty = outcomeIn(Verdict::LoadsWithoutModules);
    add(empty, Step::Carrier, true, "__tvm_dev_mblob", "TVM 0.27 looks for another carrier");
    QCOMPARE(shown(empty), QString("Opens in TVM 0.27, but finds none of its modules"));

    Outcome fails = outcomeIn(Verdict::Fails);
    add(fails, Step::Loaders, true, "cuda", "no loader");
    QCOMPARE(shown(fails), QString("Does not load in TVM 0.27: it fails at step 5, Loaders"));

    Outcome ends = outcomeIn(Verdict::Fails);
    add(ends, Step::Symbols, true, "__cudaRegisterFatBinary", "not defined").crashes = true;
    QCOMPARE(shown(ends), QString("Ends the process that loads it in TVM 0.27: step 2, Undefined symbols"));
  }

  void whatFailsLaterIsNamed() {
    Outcome later = outcomeIn(Verdict::Loads);
    add(later, Step::Calls, true, "vm.builtin.x", "takes 4 arguments").affected = {"main"};
    QCOMPARE(shown(later), QString("Loads in TVM 0.27, but main fails later, at step 8, Calls"));

    Outcome crashes = outcomeIn(Verdict::Loads);
    Missing& slot = add(crashes, Step::Slots, true, "__TVMFuncCall", "not filled");
    slot.crashes = true;
    slot.affected = {"softmax\n"};
    QCOMPARE(shown(crashes), QString("Loads in TVM 0.27, but the first call of softmax\\n ends the process"));
    crashes.missing.back().affected.clear();
    QCOMPARE(shown(crashes), QString("Loads in TVM 0.27, but the first call of a function ends the process"));
  }

  void whatIsNotCertainNamesWhatDecidesIt() {
    Outcome unknown = outcomeIn(Verdict::Unknown);
    add(unknown, Step::File, false, "libfoo.so", "'libfoo.so' must be installed");
    QCOMPARE(shown(unknown), QString("Not certain in TVM 0.27: 'libfoo.so' must be installed"));
    QVERIFY(!shown(outcomeIn(Verdict::Unknown)).contains("TVM 0.27")); // nothing was compared
  }

  /// The same advice once, with the names that it is about.
  void findingsThatDifferInANameAreOne() {
    Outcome outcome = outcomeIn(Verdict::Loads);
    for (const char* const name : {"_a", "_b", "_c", "_d", "_e", "_f"})
      add(outcome, Step::Symbols, false, name, "'" + std::string(name) + "' is not defined by TVM");
    add(outcome, Step::Symbols, false, "_g", "'_g' is a variable that TVM does not define");
    const auto groups = describe::groupsOf(outcome);
    QCOMPARE(groups.size(), std::size_t{2});
    QCOMPARE(groups[0].count, std::size_t{6});
    QCOMPARE(QString::fromStdString(groups[0].sentence),
             QString("'_a' is not defined by TVM; the same for '_b', '_c', '_d' and 2 more"));
    QCOMPARE(groups[0].first, &outcome.missing.front());
    QCOMPARE(groups[1].count, std::size_t{1});
    QCOMPARE(groups[1].sentence, outcome.missing.back().sentence);
  }

  void certainAndUncertainFindingsAreApart() {
    Outcome outcome = outcomeIn(Verdict::Loads);
    add(outcome, Step::Symbols, true, "_a", "'_a' is not defined");
    add(outcome, Step::Symbols, false, "_b", "'_b' is not defined");
    QCOMPARE(describe::groupsOf(outcome).size(), std::size_t{2});
  }
};

BLOBSCOPE_TEST(TestPreflightWords);
#include "test_preflight_words.moc"
