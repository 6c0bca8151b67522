#include "core/library/archive_kind.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"

#include <vector>

using namespace blobscope;
using library::ArchiveKind;

class TestArchiveKind : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void namesShowTheKind_data() {
    QTest::addColumn<QStringList>("paths");
    QTest::addColumn<int>("kind");
    const auto row = [](const char* name, const QStringList& paths, ArchiveKind kind) {
      QTest::newRow(name) << paths << static_cast<int>(kind);
    };
    row("nothing", {}, ArchiveKind::Unknown);
    row("model library", {"metadata.json", "codegen/host/src/lib0.c"}, ArchiveKind::Mlf);
    row("classic package", {"mod.so", "mod.json", "mod.params"}, ArchiveKind::ClassicTvmc);
    row("classic package with objects", {"mod.tar", "mod.json", "mod.params"}, ArchiveKind::ClassicTvmc);
    row("classic package without parameters", {"mod.so", "mod.json"}, ArchiveKind::Unknown);
    row("package for the VM", {"lib.so"}, ArchiveKind::VmTvmc);
    row("a library and more", {"lib.so", "notes.txt"}, ArchiveKind::Unknown);
    row("saved model", {"model.json", "model.params"}, ArchiveKind::TvmcModel);
    row("compile units", {"lib0.o", "devc.c", "lib12.cc"}, ArchiveKind::ExportLibrary);
    row("a unit without a number", {"lib.o"}, ArchiveKind::Unknown);
    row("a unit in a folder", {"a/lib0.o"}, ArchiveKind::Unknown);
    row("a unit of another language", {"lib0.rs"}, ArchiveKind::Unknown);
    row("project", {"microtvm_api_server.py", "src/main.c"}, ArchiveKind::MicroTvmProject);
    row("project in a folder", {"project/microtvm_api_server.py"}, ArchiveKind::MicroTvmProject);
    row("model library in a folder", {"a/metadata.json", "a/codegen/host/src/lib0.c"}, ArchiveKind::WrappedMlf);
    row("beside a folder", {"a/metadata.json", "b/lib0.c"}, ArchiveKind::Unknown);
    row("two folders around it", {"a/b/metadata.json"}, ArchiveKind::Unknown);
    row("without metadata", {"codegen/host/src/lib0.c", "parameters/default.params"}, ArchiveKind::DamagedMlf);
  }
  void namesShowTheKind() {
    QFETCH(QStringList, paths);
    QFETCH(int, kind);
    std::vector<std::string> names;
    for (const QString& path : paths) names.push_back(path.toStdString());
    QCOMPARE(static_cast<int>(library::recogniseArchive(names)), kind);
  }

  void pathsAreNormalised_data() {
    QTest::addColumn<std::string>("stored");
    QTest::addColumn<std::string>("path");
    const auto row = [](const char* stored, const char* path) {
      QTest::newRow(stored) << std::string(stored) << std::string(path);
    };
    row("", "");
    row(".", "");
    row("./", "");
    row("a", "a");
    row("./a//b/", "a/b");
    row("/a/./b", "a/b");
    row("a/../b", "a/../b"); // not resolved: a link may be in between
    row(".a/b.", ".a/b.");
  }
  void pathsAreNormalised() {
    QFETCH(std::string, stored);
    QFETCH(std::string, path);
    QCOMPARE(library::normalisedPath(stored), path);
  }

  void filesHaveRoles_data() {
    QTest::addColumn<std::string>("path");
    QTest::addColumn<std::string>("role");
    const auto row = [](const char* path, const char* role) {
      QTest::newRow(path) << std::string(path) << std::string(role);
    };
    row("metadata.json", "metadata");
    row("a/metadata.json", "");
    row("executor-config/graph/default.graph", "graph");
    row("runtime-config/graph/graph.json", "graph");
    row("parameters/default.params", "params");
    row("parameters/readme.txt", "");
    row("codegen/host/include/tvmgen_default.h", "header");
    row("codegen/host/lib/lib0.o", "object");
    row("codegen/host/src/lib0.c", "source");
    row("codegen/host/src/lib0.cc", "source");
    row("codegen/host/src/lib0.s", "");
    row("runtime/CMakeLists.txt", "runtime");
    row("templates/crt_config.h", "runtime");
    row("relay.txt", "relay");
    row("src/relay.txt", "relay");
    row("src/default.relay", "relay");
    row("src/tir-1.txt", "tir");
    row("src/notes.txt", "");
  }
  void filesHaveRoles() {
    QFETCH(std::string, path);
    QFETCH(std::string, role);
    QCOMPARE(std::string(library::roleInMlf(path)), role);
  }
};

BLOBSCOPE_TEST(TestArchiveKind);

#include "test_archive_kind.moc"
