#include "core/fix/upgrade.h"
#include "tests/core/fix/mending.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace blobscope;
using namespace blobscope::test;

class TestUpgrade : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void versionsAreConverted_data();
  void versionsAreConverted();
  void lossesAreNamed_data();
  void lossesAreNamed();
  void missingFactsAreRefused_data();
  void missingFactsAreRefused();
  void theSameVersionNeedsNothing();
};

/// Between all versions that differ in metadata and names of files alone. Archives of operators and of the graph
/// executor without a registry have no code that depends on the version.
void TestUpgrade::versionsAreConverted_data() {
  QTest::addColumn<std::string>("tar");
  QTest::addColumn<unsigned>("version");
  for (const MlfVariant& variant : mlfVariants())
    for (unsigned version = 2; version <= 7; ++version) {
      if (version == variant.version || variant.version == 1) continue;
      if (variant.style == MlfStyle::Aot || (variant.style == MlfStyle::Operator && version < 4)) continue;
      Mlf mlf = cleanMlf(variant.version, variant.style);
      const MlfNames names(variant.version, variant.style, "default");
      if (variant.style == MlfStyle::Graph) mlf.add("./codegen/host/src/" + names.lib + "0.c", "\n");
      QTest::addRow("%s to %u", variant.title().c_str(), version) << mlf.tar() << version;
    }
  QTest::newRow("two models") << cleanMlfOfTwo().tar() << 7u;
}

void TestUpgrade::versionsAreConverted() {
  QFETCH(std::string, tar);
  QFETCH(unsigned, version);
  NullMonitor monitor;
  const library::PackagePtr package = openArchive(tar);
  const auto plan = fix::planVersion(package, {}, version, {}, monitor);
  QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
  const auto result = fix::withEdits(package, plan->edits, {}, monitor);
  QVERIFY2(result, result ? "" : result.error().message().c_str());
  const auto archive = mlf::readArchive(result->package, monitor);
  QVERIFY(archive && *archive);
  QCOMPARE((*archive)->model.version, version);
  QCOMPARE(linesOf((*archive)->report), QStringList());
}

void TestUpgrade::lossesAreNamed_data() {
  QTest::addColumn<std::string>("tar");
  QTest::addColumn<unsigned>("version");
  QTest::addColumn<QStringList>("losses");
  const auto row = [](const char* title, const Mlf& mlf, unsigned version, const QStringList& losses) {
    QTest::newRow(title) << mlf.tar() << version << losses;
  };
  row("inputs", graph(7), 6, {"names, sizes and types of inputs and outputs are removed from the metadata"});
  row("nothing", graph(5), 4, {});
  row("registry", graph(5), 6,
      {"the function registry in 'codegen/host/src/default_lib0.c' has a count of one byte, and the C runtime of this "
       "version expects two; code is not changed"});
  row("memory", aot(2), 1,
      {"the memory of the model and of its functions is removed; only the storages of the graph stay"});
  row("main", aot(5), 7,
      {"the function that runs the model is not called 'tvmgen_default___tvm_main__', as readers of this version "
       "expect; code is not changed"});
  row("dependencies", aot(7), 4,
      {"the list of external dependencies is removed, so that the C runtime in runtime/ is not listed any more",
       "names, sizes and types of inputs and outputs are removed from the metadata",
       "the function that runs the model is not called 'tvmgen_default_run_model', as readers of this version expect; "
       "code is not changed",
       "readers of this version ignore the interface header 'codegen/host/include/tvmgen_default.h'"});
}

void TestUpgrade::lossesAreNamed() {
  QFETCH(std::string, tar);
  QFETCH(unsigned, version);
  QFETCH(QStringList, losses);
  NullMonitor monitor;
  const auto plan = fix::planVersion(openArchive(tar), {}, version, {}, monitor);
  QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
  const QString start = QStringLiteral("version %1: ").arg(version);
  QStringList found;
  for (const Diagnostic& one : plan->consequences) {
    const QString text = QString::fromStdString(one.message());
    QVERIFY(text.startsWith(start));
    found << text.mid(start.size());
  }
  QCOMPARE(found, losses);
}

void TestUpgrade::missingFactsAreRefused_data() {
  QTest::addColumn<std::string>("tar");
  QTest::addColumn<unsigned>("version");
  QTest::addColumn<QString>("message");
  const auto row = [](const char* title, const Mlf& mlf, unsigned version, const char* reason) {
    QTest::newRow(title) << mlf.tar() << version
                         << QStringLiteral("the archive cannot be written in version %1 of the format: %2")
                                .arg(version)
                                .arg(QString::fromUtf8(reason));
  };
  row("two models", cleanMlfOfTwo(), 6, "it has 2 models, and versions before 7 have one");
  row("operator", op(5), 3, "operators cannot be stored in versions before 4");
  row("version 1", graph(1), 7, "the sizes of workspaces are not in an archive of version 1");
  row("target", graph(6).set("target", R"(["cpp -keys=cpu "])"), 5,
      "the device of target 'cpp -keys=cpu ' is not known");
  row("two targets", graph(6).set("target", R"(["c -keys=cpu ", "llvm -keys=cpu "])"), 5,
      "two targets are for devices of type 1, and versions before 6 have one for each type");
  row("metadata", graph(5).add("./metadata.json", "[]"), 7, "the metadata of the archive cannot be used");
}

void TestUpgrade::missingFactsAreRefused() {
  QFETCH(std::string, tar);
  QFETCH(unsigned, version);
  QFETCH(QString, message);
  NullMonitor monitor;
  const auto plan = fix::planVersion(openArchive(tar), {}, version, {}, monitor);
  QVERIFY(!plan);
  QCOMPARE(plan.error().id(), DiagnosticId::EditVersion);
  QCOMPARE(QString::fromStdString(plan.error().message()), message);
}

void TestUpgrade::theSameVersionNeedsNothing() {
  NullMonitor monitor;
  for (const MlfVariant& variant : mlfVariants()) {
    const auto plan =
        fix::planVersion(openArchive(cleanMlf(variant.version, variant.style).tar()), {}, variant.version, {}, monitor);
    QVERIFY(plan && plan->edits.empty() && plan->consequences.empty());
  }
}

BLOBSCOPE_TEST(TestUpgrade);

#include "test_upgrade.moc"
