#include "core/run/confinement.h"

#include "tests/support/test_main.h"

using namespace blobscope;
using process::Layers;

/// The texts about confinement for systems that support all, some or none of it.
class TestConfinementReport : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void openPartsAreNamed_data();
  void openPartsAreNamed();
  void consentWarnsWithoutLimits();
  void confinementIsSummarised_data();
  void confinementIsSummarised();
};

namespace {

constexpr int kAll = Layers::Limits | Layers::Privileges | Layers::SystemCalls | Layers::Files | Layers::Tasks;

Layers layersOf(int bits) {
  Layers layers;
  layers.bits = static_cast<uint8_t>(bits);
  return layers;
}

QString why(Layers::Bit layer) { return QString::fromStdString(process::missingReason(layer)); }

} // namespace

void TestConfinementReport::openPartsAreNamed_data() {
  QTest::addColumn<int>("bits");
  QTest::addColumn<QString>("open");
  const auto row = [](const char* name, int bits, const char* open) { QTest::newRow(name) << bits << open; };
  row("all", kAll, "");
  row("root", kAll & ~Layers::Tasks, "processes");
  row("no Landlock", kAll & ~Layers::Files, "files tools");
  row("no filter", kAll & ~Layers::SystemCalls, "network system tools");
  row("limits only", Layers::Limits | Layers::Privileges | Layers::Tasks, "network files system tools");
  row("nothing", 0, "network files system privileges resources processes tools");
}

void TestConfinementReport::openPartsAreNamed() {
  QFETCH(int, bits);
  QFETCH(QString, open);
  QStringList found;
  const auto parts = run::confinedParts(layersOf(bits));
  QCOMPARE(parts.size(), std::size_t{7});
  for (const run::ConfinedPart& part : parts) {
    QVERIFY(!part.text.empty());
    if (!part.confined) found << QString::fromStdString(part.what);
  }
  QCOMPARE(found.join(' '), open);
}

/// Only where nothing limits the processes of root.
void TestConfinementReport::consentWarnsWithoutLimits() {
  QCOMPARE(run::consentWarning(layersOf(kAll)), std::string());
  QCOMPARE(run::consentWarning(layersOf(0)), std::string());
  QCOMPARE(
      run::consentWarning(layersOf(kAll & ~Layers::Tasks)),
      std::string("you are root, and this system cannot limit how many processes the code starts: it can stop this "
                  "machine from starting any others until it is ended"));
}

void TestConfinementReport::confinementIsSummarised_data() {
  QTest::addColumn<int>("bits");
  QTest::addColumn<QString>("says");
  const auto row = [](const char* name, int bits, const QString& says) { QTest::newRow(name) << bits << says; };
  const QString trust =
      "\nThis does not make it safe to run a file that you do not trust; 'blobscope-cli devices' lists the details.";
  const QString files =
      "they can write files only in the run's folder, the drivers' cache, devices and, for drivers of "
      "NVIDIA, shared memory";
  row("all", kAll,
      "Test runs are confined: they cannot use the network or trace other processes; they get no new privileges; "
      "their memory, CPU time, files and processes are limited; " +
          files + "." + trust);
  row("no filter and no Landlock", Layers::Limits | Layers::Privileges,
      "Test runs are confined: they get no new privileges; their memory, CPU time, files and processes are limited.\n"
      "Not confined on this system: network, other processes (" +
          why(Layers::SystemCalls) + "), files (" + why(Layers::Files) + ").\nNot limited here: " + why(Layers::Tasks) +
          "." + trust);
  row("root", kAll & ~Layers::Tasks,
      "Test runs are confined: they cannot use the network or trace other processes; they get no new privileges; "
      "their memory, CPU time, files and processes are limited; " +
          files + ".\nNot limited here: " + why(Layers::Tasks) + "." + trust);
  row("nothing", 0, "Test runs are not confined on this system.");
}

void TestConfinementReport::confinementIsSummarised() {
  QFETCH(int, bits);
  QFETCH(QString, says);
  QCOMPARE(QString::fromStdString(run::confinementSummary(layersOf(bits))), says);
}

BLOBSCOPE_TEST(TestConfinementReport);
#include "test_confinement.moc"
