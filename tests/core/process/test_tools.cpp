#include "core/process/tools.h"

#include "tests/core/process/made_tool.h"
#include "tests/support/test_main.h"

using namespace blobscope::process;
using namespace blobscope::test;

class TestToolSearch : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void placesAreSearchedInOrder();
  void namedFolderIsUsed_data();
  void namedFolderIsUsed();
  void newestPackageIsUsed();
  void packagesOfAPythonInPathAreSearched();
  void onlyExecutableFilesAreTools_data();
  void onlyExecutableFilesAreTools();
  void searchedPlacesAreListed();
  void environmentSetsThePlaces();

private:
  std::filesystem::path at(std::string_view path) const { return in(*m_folder, path); }
  void put(std::string_view path) const {
    std::filesystem::create_directories(at(path).parent_path());
    writeScript(at(path), "true");
  }
  /// Its path relative to the folder of the test, "" when not found.
  std::string found() const {
    const FoundTool tool = findTool("nvdisasm", m_search);
    return tool.path ? tool.path->lexically_relative(at("")).native() : std::string();
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  ToolSearch m_search;
};

void TestToolSearch::init() {
  m_folder = std::make_unique<QTemporaryDir>();
  m_search = {.named = at("named"),
              .cudaHome = at("home-of-cuda"),
              .cudaPath = at("path-of-cuda"),
              .path = at("first").native() + ":" + at("second").native(),
              .virtualEnv = at("venv"),
              .home = at("me"),
              .root = at("root")};
}

/// Each place takes precedence over the later ones.
void TestToolSearch::placesAreSearchedInOrder() {
  const std::vector<std::string> places = {"named/nvdisasm",
                                           "home-of-cuda/bin/nvdisasm",
                                           "path-of-cuda/bin/nvdisasm",
                                           "root/usr/local/cuda/bin/nvdisasm",
                                           "first/nvdisasm",
                                           "second/nvdisasm",
                                           "venv/lib/python3.12/site-packages/nvidia/cu13/bin/nvdisasm",
                                           "me/.local/lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/nvdisasm",
                                           "root/usr/lib/python3/dist-packages/nvidia/cu13/bin/nvdisasm",
                                           "root/usr/local/lib/python3.11/dist-packages/nvidia/cu13/bin/nvdisasm"};
  QCOMPARE(found(), std::string());
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    put(*place);
    QCOMPARE(found(), *place);
  }
}

void TestToolSearch::namedFolderIsUsed_data() {
  QTest::addColumn<QString>("place");
  QTest::newRow("the folder itself") << "named/nvdisasm";
  QTest::newRow("the folder of a toolkit") << "named/bin/nvdisasm";
}

void TestToolSearch::namedFolderIsUsed() {
  QFETCH(QString, place);
  put(place.toStdString());
  put("first/nvdisasm");
  QCOMPARE(QString::fromStdString(found()), place);
}

void TestToolSearch::newestPackageIsUsed() {
  put("venv/lib/python3.12/site-packages/nvidia/cuda_nvcc/bin/ptxas");
  put("venv/lib/python3.12/site-packages/nvidia/cu12/bin/nvdisasm");
  put("venv/lib/python3.12/site-packages/nvidia/cu13/bin/nvdisasm");
  QCOMPARE(found(), std::string("venv/lib/python3.12/site-packages/nvidia/cu13/bin/nvdisasm"));
}

void TestToolSearch::packagesOfAPythonInPathAreSearched() {
  m_search.path = at("conda/bin");
  put("conda/lib/python3.10/site-packages/nvidia/cuda_nvdisasm/bin/nvdisasm");
  QCOMPARE(found(), std::string());
  put("conda/bin/python3");
  QCOMPARE(found(), std::string("conda/lib/python3.10/site-packages/nvidia/cuda_nvdisasm/bin/nvdisasm"));
}

void TestToolSearch::onlyExecutableFilesAreTools_data() {
  QTest::addColumn<int>("what");
  QTest::newRow("a folder") << 0;
  QTest::newRow("a file without the right to run") << 1;
  QTest::newRow("a dangling link") << 2;
}

void TestToolSearch::onlyExecutableFilesAreTools() {
  QFETCH(int, what);
  std::filesystem::create_directories(at("named"));
  if (what == 0) std::filesystem::create_directory(at("named/nvdisasm"));
  if (what == 1) writeFile(at("named/nvdisasm"), "text");
  if (what == 2) std::filesystem::create_symlink("nowhere", at("named/nvdisasm"));
  QCOMPARE(found(), std::string());
  put("second/nvdisasm");
  QCOMPARE(found(), std::string("second/nvdisasm"));
}

void TestToolSearch::searchedPlacesAreListed() {
  m_search = {.named = at("named"),
              .path = "relative::" + at("first").native() + ":" + at("first").native(),
              .root = at("root")};
  const FoundTool tool = findTool("ptxas", m_search);
  QVERIFY(!tool.path);
  std::string places;
  for (const std::string& place : tool.places)
    places += std::filesystem::path(place).lexically_relative(at("")).native() + "\n";
  QCOMPARE(places, std::string("named\nnamed/bin\nroot/usr/local/cuda/bin\nfirst\n"
                               "root/usr/lib/python3/dist-packages/nvidia/cu*/bin\n"
                               "root/usr/local/lib/python3*/dist-packages\n"));
}

void TestToolSearch::environmentSetsThePlaces() {
  const QByteArray before = qgetenv("BLOBSCOPE_CUDA_TOOLS");
  put("elsewhere/nvdisasm");
  qputenv("BLOBSCOPE_CUDA_TOOLS", at("elsewhere").c_str());
  m_search = ToolSearch::fromEnvironment();
  qputenv("BLOBSCOPE_CUDA_TOOLS", before);
  QCOMPARE(found(), std::string("elsewhere/nvdisasm"));
  QCOMPARE(m_search.root, std::string("/"));
  QCOMPARE(m_search.path, qgetenv("PATH").toStdString());
}

BLOBSCOPE_TEST(TestToolSearch);
#include "test_tools.moc"
