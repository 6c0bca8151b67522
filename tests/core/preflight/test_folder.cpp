#include "core/preflight/folder.h"

#include "tests/core/base/files.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using library::FileKind;
using preflight::FilesReport;

namespace {

std::string elfOf(std::initializer_list<const char*> functions) {
  ElfBuilder elf;
  for (const char* const function : functions) elf.function(function);
  return elf.build();
}

FilesReport reportOf(const std::vector<std::filesystem::path>& paths) {
  NullMonitor monitor;
  const auto facts = targets::Facts::load({});
  if (!facts) qFatal("%s", facts.error().message().c_str());
  preflight::FilesOptions options;
  options.releases = {(*facts)->newestRelease()};
  auto report = preflight::checkFiles(paths, options, *facts, monitor);
  if (!report) qFatal("%s", report.error().message().c_str());
  return std::move(*report);
}

/// "path kind targets error" per file.
QStringList linesOf(const FilesReport& report) {
  QStringList out;
  for (const preflight::FileOutcomes& file : report.files)
    out << QString::fromStdString(file.path + " " + std::string(fileKindName(file.kind)) + " " +
                                  std::to_string(file.outcomes.size()) + (file.error.empty() ? "" : " error") +
                                  (file.what.empty() ? "" : ": " + file.what));
  return out;
}

const std::string kPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";

} // namespace

/// What is judged in folders, and what is only counted.
class TestPreflightFolder : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void onlyLibrariesAreJudged();
  void leftoversAreNamed();
  void givenFilesAreNamed();
};

void TestPreflightFolder::onlyLibrariesAreJudged() {
  const QTemporaryDir folder;
  writeFile(in(folder, "a.so"), elfOf({"__tvm_ffi_f"}));
  writeFile(in(folder, "core.so"), elfOf({"PyInit_core"}));
  writeFile(in(folder, "libtvm.so"),
            elfOf({"TVMFuncCall", "TVMFuncFree", "TVMModLoadFromFile", "TVMArrayAlloc", "TVMGetLastError"}));
  writeFile(in(folder, "libz.so"), elfOf({"inflate"}));
  writeFile(in(folder, "main.cpp"), "int main() {}\n");
  writeFile(in(folder, "api.h"), "TVM_DLL int TVMFuncCall(void*);\n");
  writeFile(in(folder, "README.md"), "text\n");
  writeFile(in(folder, "empty.txt"), "");
  const FilesReport report = reportOf({folder.path().toStdString()});
  QCOMPARE(linesOf(report),
           (QStringList{"a.so library 1", "api.h source 0: source text that defines no function for a runtime",
                        "core.so python-extension 0: a Python extension: Python loads it, not a runtime of TVM",
                        "libtvm.so runtime 0: a TVM runtime: it exports 5 functions of TVM's C interface",
                        "libz.so other 0: nothing in it is for a runtime of TVM"}));
  QCOMPARE(report.libraries(), uint64_t{1});
  QCOMPARE(report.notJudgedText(),
           std::string("not judged: 1 runtime, 1 Python extension, 2 source files, 3 other files"));
}

void TestPreflightFolder::leftoversAreNamed() {
  const QTemporaryDir folder;
  writeFile(in(folder, "a.so"), kPointer);
  writeFile(in(folder, "b.so.1"), "");
  writeFile(in(folder, "photo.png"), kPointer);
  const FilesReport report = reportOf({folder.path().toStdString()});
  QCOMPARE(linesOf(report), (QStringList{"a.so library 0 error", "b.so.1 library 0 error"}));
  QVERIFY(report.files[0].error.find("Git LFS") != std::string::npos);
  QCOMPARE(report.notJudgedText(), std::string("not judged: 1 other file"));
}

/// A file that is named is judged as far as possible, and never only counted.
void TestPreflightFolder::givenFilesAreNamed() {
  const QTemporaryDir folder;
  writeFile(in(folder, "libz.so"), elfOf({"inflate"}));
  writeFile(in(folder, "text"), "text\n");
  const FilesReport report = reportOf({in(folder, "libz.so"), in(folder, "text")});
  QCOMPARE(report.files.size(), std::size_t{2});
  QCOMPARE(report.files[0].outcomes.size(), std::size_t{1});
  QVERIFY(!report.files[1].error.empty());
  QVERIFY(report.notJudgedText().empty());
}

BLOBSCOPE_TEST(TestPreflightFolder);
#include "test_folder.moc"
