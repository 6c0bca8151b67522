#include "core/targets/python_packages.h"
#include "tests/core/base/files.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

/// Versions of Python packages, and packages that exclude each other.
class TestPythonPackages : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void versionsAreOrdered() {
    // From the oldest. Source: packaging.python.org, "Version specifiers", "Summary of permitted suffixes and relative
    // ordering".
    const char* const ordered[] = {"0.1.dev3",  "0.1a1.dev1", "0.1a1",       "0.1b2",  "0.1rc1",       "0.1",
                                   "0.1.post0", "0.1.5",      "0.1.13.dev0", "0.1.13", "0.1.13.post0", "0.1.13.post2",
                                   "0.1.14",    "0.10",       "1.0",         "2026.1", "1!0.5"};
    for (std::size_t i = 0; i < std::size(ordered); ++i)
      for (std::size_t j = 0; j < std::size(ordered); ++j) {
        const auto order = targets::comparePythonVersions(ordered[i], ordered[j]);
        QVERIFY2(order.has_value(), ordered[i]);
        QVERIFY2(*order == (i <=> j), (std::string(ordered[i]) + " and " + ordered[j]).c_str());
      }
    for (const auto& [a, b] : {std::pair("1.0", "1.0.0"),
                               {"v1.2", "1.2"},
                               {"1.0-rc.1", "1.0rc1"},
                               {"1.0-1", "1.0.post1"},
                               {"1.0+cu130", "1.0"},
                               {"1.0ALPHA", "1.0a0"},
                               {"1.0_rev2", "1.0.post2"}})
      QVERIFY2(targets::comparePythonVersions(a, b) == std::strong_ordering::equal, a);
    for (const char* const bad : {"", "x", "1.x", "1..2", "1.0 beta", "99999999999999999999", ".1", "1.0rc1rc2"})
      QVERIFY2(!targets::comparePythonVersions(bad, "1"), bad);
  }

  void specifiersAreCompared() {
    const auto met = [](const char* version, const char* specifiers) {
      const auto result = targets::satisfies(version, specifiers);
      return !result ? QStringLiteral("unreadable") : *result ? QStringLiteral("yes") : QStringLiteral("no");
    };
    const char* const rows[][3] = {
        {"0.1.12", "<0.1.13,>=0.1.11", "yes"},
        {"0.1.13", "<0.1.13,>=0.1.11", "no"},
        {"0.1.15.post2", "<0.1.13,>=0.1.11", "no"},
        {"0.1.15.post2", ">=0.1.14.post0", "yes"},
        {"0.1.14", ">=0.1.14.post0", "no"},
        {"0.1.13rc1", "<0.1.13", "no"},
        {"0.1.13.post1", ">0.1.13", "no"},
        {"0.1.14", ">0.1.13", "yes"},
        {"1.4.5", "==1.4.*", "yes"},
        {"1.5", "==1.4.*", "no"},
        {"1.5", "!=1.4.*", "yes"},
        {"1.4.5", "~=1.4", "yes"},
        {"2.0", "~=1.4", "no"},
        {"1.4.9", "~=1.4.2", "yes"},
        {"1.5", "~=1.4.2", "no"},
        {"1.0", "===1.0", "yes"},
        {"1.0", "", "yes"},
        {"1.0", "==1.0.0", "yes"},
        {"1.0", "=>1", "unreadable"},
        {"nightly", ">=1", "unreadable"},
    };
    for (const auto& [version, specifiers, expected] : rows)
      QCOMPARE(QString(version) + " " + specifiers + ": " + met(version, specifiers),
               QString(version) + " " + specifiers + ": " + expected);
  }

  void conflictsAreFound() {
    const QTemporaryDir folder;
    const auto write = [&](const char* name, const std::string& text) {
      std::filesystem::create_directories(in(folder, name));
      writeFile(in(folder, name) / "METADATA", text);
    };
    write("tilelang-0.1.15.dist-info", "Metadata-Version: 2.4\nName: tilelang\nVersion: 0.1.15\n"
                                       "Requires-Dist: apache-tvm-ffi<0.1.13,>=0.1.11\n"
                                       "Requires-Dist: torch>=99; platform_system == \"Darwin\"\n"
                                       "Requires-Dist: numpy[all] (>=1.23.5)\n\nRequires-Dist: numpy<1\n");
    write("apache_tvm_ffi-0.1.15.post2.dist-info", "Name: apache-tvm-ffi\r\nVersion: 0.1.15.post2\r\n\r\n");
    write("Torch-2.9.0.dist-info", "Name: Torch\nVersion: 2.9.0\n");
    write("numpy-2.4.6.dist-info", "Name: numpy\nVersion: 2.4.6\n");
    std::filesystem::create_directories(in(folder, "without_text-1.0.dist-info"));
    NullMonitor monitor;
    const auto packages = targets::readPackages(in(folder, ""), monitor);
    QVERIFY(packages.hasValue());
    QStringList names;
    for (const auto& package : *packages) names << QString::fromStdString(package.name + " " + package.version);
    QCOMPARE(names.join(", "), QStringLiteral("apache-tvm-ffi 0.1.15.post2, numpy 2.4.6, tilelang 0.1.15, torch 2.9.0, "
                                              "without-text 1.0"));
    const auto conflicts = targets::findConflicts(*packages);
    QCOMPARE(conflicts.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(conflicts[0].sentence()),
             QStringLiteral("tilelang 0.1.15 asks for apache-tvm-ffi <0.1.13,>=0.1.11, and 0.1.15.post2 is installed"));
    QVERIFY(targets::findPackage(*packages, "torch") && !targets::findPackage(*packages, "jax"));
  }

  void damagedDescriptionsAreLeftOut() {
    const QTemporaryDir folder;
    std::filesystem::create_directories(in(folder, "x-1.dist-info"));
    const std::string text = "\0\xff:\n:::\nName\nRequires-Dist: ;\nRequires-Dist: [[[\nRequires-Dist: a[\nVersion: "s;
    writeFile(in(folder, "x-1.dist-info") / "METADATA", text + std::string(100'000, 'a'));
    NullMonitor monitor;
    const auto packages = targets::readPackages(in(folder, ""), monitor);
    QVERIFY(packages.hasValue() && packages->empty());
    QVERIFY(targets::readPackages(in(folder, "nowhere"), monitor)->empty());
    StopAfter stop(0);
    QVERIFY(!targets::readPackages(in(folder, ""), stop));
  }
};

BLOBSCOPE_TEST(TestPythonPackages);
#include "test_python_packages.moc"
