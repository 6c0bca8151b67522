#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/library/open.h"
#include "core/write/export_folder.h"
#include "tests/core/base/files.h"
#include "tests/core/library/library_file.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

#include <fstream>
#include <set>

using namespace blobscope;
using namespace blobscope::test;
namespace fs = std::filesystem;

namespace {

uint64_t number(const json::Value& value) {
  if (const auto* big = std::get_if<uint64_t>(&value.data)) return *big;
  const auto* small = std::get_if<int64_t>(&value.data);
  return small ? static_cast<uint64_t>(*small) : UINT64_MAX;
}

std::string text(const json::Value* value) { return value && value->string() ? *value->string() : std::string(); }

/// The blob reconstructed from the manifest and its files, here by the rules of core/formats/blob.md 3.
std::string rebuilt(const fs::path& folder, const json::Value& blob) {
  const bool ffi = text(blob.find("stream")) == "ffi";
  std::map<std::string, std::pair<std::string, std::string>> modules; // record name → key, payload
  for (const json::Value& module : *blob.find("modules")->array()) {
    const std::string file = text(module.find("payload")->find("file"));
    modules["m" + std::to_string(number(*module.find("index")))] = {text(module.find("key")),
                                                                    file.empty() ? "" : readFile(folder / file)};
  }
  ByteBuilder out;
  out.u64(number(*blob.find("declaredSize")));
  const auto vectors = [&] {
    for (const char* name : {"indptr", "child"}) {
      const auto& values = *blob.find("tree")->find(name)->array();
      out.u64(values.size());
      for (const json::Value& value : values) out.u64(number(value));
    }
  };
  if (ffi)
    vectors();
  else
    out.u64(number(*blob.find("count")));
  for (const json::Value& record : *blob.find("records")->array()) {
    if (*record.string() == "tree") {
      out.str("_import_tree");
      vectors();
      continue;
    }
    const auto& [key, payload] = modules[*record.string()];
    out.str(key);
    if (key == "_lib") continue;
    ffi ? out.str(payload) : out.raw(payload);
  }
  const std::string trailing = text(blob.find("trailing")->find("file"));
  if (!trailing.empty()) out.raw(readFile(folder / trailing));
  return out.take();
}

json::Value manifestOf(const fs::path& folder) {
  auto value = json::parse(Bytes::copyOf(readFile(folder / "manifest.json")));
  if (!value) qFatal("the manifest is no JSON");
  return std::move(*value);
}

std::string relax(bool ffi) {
  const RelaxBuilder builder(ffi ? kTags2025b : kTagsClassic);
  return ffi ? builder.build() : builder.sized();
}

} // namespace

class TestExportFolder : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void everyByteIsExported_data();
  void everyByteIsExported();
  void everyPartIsAFile();
  void strangeNamesStayInTheFolder();
  void existingFolderIsKept();
  void cancelledExportLeavesNothing();
  void libraryWithoutBlobIsRefused();
};

void TestExportFolder::everyByteIsExported_data() {
  QTest::addColumn<std::string>("carrier");
  QTest::addColumn<std::string>("blob");
  const std::vector<Function> two = {{"add"}, {"mul"}};
  const std::vector<Record> classic = {{"relax.Executable", relax(false)},
                                       {"_lib", ""},
                                       {"cuda", code3("ptx", two, "// ptx\n.version 7.8\n", Info::Three)}};
  const std::vector<Record> ffi = {{"relax.VMExecutable", relax(true)},
                                   {"_lib", ""},
                                   {"opencl", code3("cl", two, "__kernel void add() {}\n", Info::Four)}};
  const std::vector<std::vector<uint64_t>> imports = {{1}, {2}, {}};
  QTest::newRow("classic stream") << std::string("__tvm_dev_mblob") << classicBlob(classic, imports);
  QTest::newRow("flat stream") << std::string("__tvm_dev_mblob") << classicBlob({classic[2]}, std::nullopt);
  QTest::newRow("ffi stream") << std::string("__tvm_ffi__library_bin") << ffiBlob(ffi, imports);
  QTest::newRow("unknown kind") << std::string("__tvm_ffi__library_bin")
                                << ffiBlob({{"_lib", ""}, {"vendor.npu", std::string(300, '\7')}}, {{1}, {}});
  std::string behind = ffiBlob(ffi, imports) + "left over";
  QTest::newRow("bytes after the last record")
      << std::string("__tvm_ffi__library_bin") << patched(behind, 0, behind.size() - 8);
}

void TestExportFolder::everyByteIsExported() {
  QFETCH(std::string, carrier);
  QFETCH(std::string, blob);
  const auto package = openOnDisk(elfWith(carrier, blob));
  QCOMPARE(package->blobs.size(), std::size_t{1});
  NullMonitor monitor;
  const fs::path folder = newPath("out");
  const auto done = write::exportFolder(package, folder, monitor);
  QVERIFY2(done, done ? "" : done.error().message().c_str());
  const json::Value manifest = manifestOf(folder);
  QVERIFY(rebuilt(folder, manifest.find("blobs")->array()->front()) == blob);
  uint64_t files = 0, bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) {
      ++files;
      bytes += entry.file_size();
    }
  QCOMPARE(done->files, files);
  QCOMPARE(done->bytes, bytes);
}

void TestExportFolder::everyPartIsAFile() {
  const auto package = openOnDisk(
      elfWith("__tvm_ffi__library_bin", ffiBlob({{"relax.VMExecutable", relax(true)}, {"_lib", ""}}, {{1}, {}})));
  NullMonitor monitor;
  const fs::path folder = newPath("out");
  QVERIFY(write::exportFolder(package, folder, monitor));
  const json::Value manifest = manifestOf(folder);
  const json::Value& module = manifest.find("blobs")->array()->front().find("modules")->array()->front();
  std::map<std::string, std::string> files;
  for (const json::Value& part : *module.find("parts")->array()) {
    const std::string file = text(part.find("file"));
    files[text(part.find("ref"))] = file;
    const std::string content = readFile(folder / file);
    QCOMPARE(number(*part.find("size")), uint64_t{content.size()});
    QCOMPARE(text(part.find("sha256")), *computeSha256(Bytes::copyOf(content), monitor));
  }
  QVERIFY2(files["m0/const:3"].ends_with(".npy"), files["m0/const:3"].c_str());
  QVERIFY(readFile(folder / files["m0/const:3"]).starts_with("\x93NUMPY"));
  QVERIFY2(files["m0/const:2"].ends_with(".json"), files["m0/const:2"].c_str());
}

/// Kernel names come from the file: none leads out of the folder, and names that are equal or differ only in case get
/// different files.
void TestExportFolder::strangeNamesStayInTheFolder() {
  const std::vector<std::string> names = {
      "../../evil", "/etc/passwd",          "a\nb", std::string("nul\0l", 5), "con", "x", "X", "x", "",
      "..",         std::string(5'000, 'n')};
  std::vector<Function> functions;
  std::string map = ByteBuilder().u64(names.size()).take();
  for (const std::string& name : names) {
    functions.push_back({name});
    map += ByteBuilder().str(name).str("text of " + name).take();
  }
  const std::string payload = functionMap(functions, Info::Four) + map;
  const auto package =
      openOnDisk(elfWith("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"webgpu", payload}}, {{1}, {}})));
  NullMonitor monitor;
  const fs::path folder = newPath("out");
  const auto done = write::exportFolder(package, folder, monitor);
  QVERIFY2(done, done ? "" : done.error().message().c_str());
  std::set<std::string> seen;
  std::size_t kernels = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::string lower = entry.path().native();
    for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    QVERIFY(seen.insert(lower).second);
    QVERIFY(entry.path().filename().native().size() < 120);
    kernels += entry.path().parent_path().filename() == "kernels";
  }
  QCOMPARE(kernels, names.size());
  QVERIFY(!fs::exists(folder.parent_path() / "evil"));
}

void TestExportFolder::existingFolderIsKept() {
  const auto package = openOnDisk(elfWith("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}}, {{}})));
  NullMonitor monitor;
  const fs::path full = newPath("full");
  fs::create_directory(full);
  std::ofstream(full / "mine") << "kept";
  const auto refused = write::exportFolder(package, full, monitor);
  QVERIFY(!refused);
  QCOMPARE(std::string(refused.error().diagnostic().idText()), std::string("FILE-WRITE"));
  QCOMPARE(readFile(full / "mine"), std::string("kept"));
  const fs::path empty = newPath("empty");
  fs::create_directory(empty);
  QVERIFY(write::exportFolder(package, empty, monitor));
  QVERIFY(fs::exists(empty / "manifest.json"));
  QVERIFY(!write::exportFolder(package, full / "mine", monitor));
}

void TestExportFolder::cancelledExportLeavesNothing() {
  class Stop final : public Monitor {
  public:
    bool stopRequested() const override { return ++m_asked > 3; }
    void progress(std::string_view, uint64_t, uint64_t) override {}

  private:
    mutable int m_asked = 0;
  } stop;
  const auto package = openOnDisk(
      elfWith("__tvm_ffi__library_bin", ffiBlob({{"relax.VMExecutable", relax(true)}, {"_lib", ""}}, {{1}, {}})));
  const fs::path folder = newPath("out");
  const auto done = write::exportFolder(package, folder, stop);
  QVERIFY(!done && done.error().code() == ErrorCode::Cancelled);
  QVERIFY(fs::is_empty(folder.parent_path()));
}

void TestExportFolder::libraryWithoutBlobIsRefused() {
  ElfBuilder elf;
  elf.function("__tvm_ffi_add");
  NullMonitor monitor;
  const auto done = write::exportFolder(openOnDisk(elf.build()), newPath("out"), monitor);
  QVERIFY(!done);
  QCOMPARE(std::string(done.error().diagnostic().idText()), std::string("EXPORT-NOTHING"));
}

BLOBSCOPE_TEST(TestExportFolder);
#include "test_export_folder.moc"
