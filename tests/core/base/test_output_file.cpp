#include "core/base/output_file.h"

#include "core/base/private_file.h"
#include "core/base/source.h"
#include "core/base/temporary_name.h"
#include "tests/core/base/compare.h"
#include "tests/core/base/files.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

unsigned modeOf(const std::filesystem::path& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777u : 0xffffu;
}

/// Sets the mask of new files during the lifetime of this object.
class Mask {
public:
  explicit Mask(mode_t mask) : m_old(umask(mask)) {}
  ~Mask() { umask(m_old); }
  Mask(const Mask&) = delete;
  Mask& operator=(const Mask&) = delete;

private:
  mode_t m_old;
};

/// Creates, writes and commits.
Result<Done> save(const std::filesystem::path& target, const std::filesystem::path& input, std::string_view text) {
  NullMonitor monitor;
  BLOBSCOPE_TRY(file, OutputFile::create(target, {{input}}));
  BLOBSCOPE_CHECK(file.write(bytes(text), monitor));
  return file.commit();
}

/// Runs `work` in a child process, which then ends at once: no destructor runs, as when it is killed. Its number is
/// free afterwards. Returns the result of the work.
bool inChild(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The number of a process that has already ended.
uint64_t endedProcess() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  return static_cast<uint64_t>(child);
}

/// Another user; only root can give files to them.
constexpr uid_t kSomebody = 65534;

} // namespace

class TestOutputFile : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void newFileGetsTheUsualPermissions_data();
  void newFileGetsTheUsualPermissions();
  void piecesAreWrittenInOrder();
  void withoutCommitNothingIsLeft();
  void targetAppearsOnlyAtTheCommit();
  void replacedFileKeepsItsPermissions();
  void linkIsKeptAndItsTargetReplaced();
  void danglingLinkCreatesItsTarget();
  void outputEqualToTheInputIsRefused_data();
  void outputEqualToTheInputIsRefused();
  void missingInputIsAllowed();
  void unusableTargetIsRefused_data();
  void unusableTargetIsRefused();
  void readOnlyFolderIsRefused();
  void longestFileNameIsAccepted();
  void cancelledWriteLeavesTheOldFile_data();
  void cancelledWriteLeavesTheOldFile();
  void fullDiskLeavesTheOldFile();
  void fileAboveTheLimitIsReported();
  void privateFileIsNoPipe();
  void targetThatBecameAFolderIsReported();
  void movedOutputFileCommitsOnce();
  void rangesOfAMappedFileAreCopied_data();
  void rangesOfAMappedFileAreCopied();
  void lostBytesOfAMappedFileBecomeZeros();
  void zerosAreWritten();
  void backUpKeepsTheOldFile();
  void keptFileIsNamedRejected();
  void inputCanBeReplacedWhenAllowed();
  void outputEqualToAnyInputIsRefused();
  void outputInsideAnInputFolderIsRefused();
  void backUpNeverReplacesAnInput();
  void keptFileNeverReplacesAnInput();
  void setIdBitsAreNotCopied();
  void filesOfAKilledWriterAreRemoved();
  void onlyStaleTemporaryFilesAreRemoved_data();
  void onlyStaleTemporaryFilesAreRemoved();
  void filesOfRunningWritersAreKept();
  void foreignFilesInASharedFolderAreRefused_data();
  void foreignFilesInASharedFolderAreRefused();
};

void TestOutputFile::newFileGetsTheUsualPermissions_data() {
  QTest::addColumn<unsigned>("mask");
  QTest::addColumn<unsigned>("mode");
  QTest::newRow("usual mask") << 022u << 0644u;
  QTest::newRow("for the group as well") << 002u << 0664u;
  QTest::newRow("private") << 077u << 0600u;
}

void TestOutputFile::newFileGetsTheUsualPermissions() {
  QFETCH(unsigned, mask);
  QFETCH(unsigned, mode);
  const QTemporaryDir folder;
  const Mask rights(mask);
  const auto target = in(folder, "out.bin");
  const auto saved = save(target, in(folder, "input"), "a\0b"s);
  QVERIFY2(saved, saved ? "" : saved.error().message().c_str());
  QCOMPARE(readFile(target), "a\0b"s);
  QCOMPARE(modeOf(target), mode);
  QCOMPARE(listing(folder), "out.bin"s);
  const mode_t now = umask(0); // the mask is restored
  umask(now);
  QCOMPARE(unsigned{now}, mask);
}

void TestOutputFile::piecesAreWrittenInOrder() {
  const QTemporaryDir folder;
  NullMonitor monitor;
  auto file = OutputFile::create(in(folder, "out"), {{in(folder, "input")}});
  QVERIFY(file);
  std::string expected;
  for (const std::size_t size : {0u, 1u, 5000u, 3u << 20, 0u, (1u << 20) + 1}) {
    std::string part(size, '\0');
    for (std::size_t i = 0; i < size; ++i) part[i] = static_cast<char>(i * 31 + (i >> 11) + size);
    expected += part;
    QVERIFY(file->write(bytes(part), monitor));
  }
  QVERIFY(file->commit());
  QVERIFY(readFile(in(folder, "out")) == expected);
}

void TestOutputFile::withoutCommitNothingIsLeft() {
  const QTemporaryDir folder;
  writeFile(in(folder, "old"), "before");
  for (const char* const name : {"new", "old"}) {
    NullMonitor monitor;
    auto file = OutputFile::create(in(folder, name), {{in(folder, "input")}});
    QVERIFY(file);
    QVERIFY(file->write(bytes("after"), monitor));
  }
  QCOMPARE(listing(folder), "old"s);
  QCOMPARE(readFile(in(folder, "old")), "before"s);
}

void TestOutputFile::targetAppearsOnlyAtTheCommit() {
  const QTemporaryDir folder;
  NullMonitor monitor;
  const auto target = in(folder, "out");
  auto file = OutputFile::create(target, {{in(folder, "input")}});
  QVERIFY(file);
  QVERIFY(file->write(bytes("text"), monitor));
  QVERIFY(!std::filesystem::exists(target));
  QVERIFY(file->commit());
  QCOMPARE(readFile(target), "text"s);
  QCOMPARE(listing(folder), "out"s);
}

void TestOutputFile::replacedFileKeepsItsPermissions() {
  const QTemporaryDir folder;
  const auto target = in(folder, "out");
  const Mask rights(022); // applies to new files only
  for (const unsigned mode : {0755u, 0600u, 0444u, 0666u}) {
    std::filesystem::remove(target);
    writeFile(target, "a longer text than the one that replaces it");
    QCOMPARE(chmod(target.c_str(), mode), 0);
    const auto saved = save(target, in(folder, "input"), "short");
    QVERIFY2(saved, saved ? "" : saved.error().message().c_str());
    QCOMPARE(readFile(target), "short"s);
    QCOMPARE(modeOf(target), mode);
    QCOMPARE(listing(folder), "out"s);
  }
}

/// The target of a link is replaced, not the link.
void TestOutputFile::linkIsKeptAndItsTargetReplaced() {
  const QTemporaryDir folder, other;
  const auto real = in(other, "real"), link = in(folder, "link");
  writeFile(real, "before");
  std::filesystem::create_symlink(real, link);
  QVERIFY(save(link, in(folder, "input"), "after"));
  QVERIFY(std::filesystem::is_symlink(link));
  QCOMPARE(readFile(real), "after"s);
  QCOMPARE(listing(other), "real"s);
  QCOMPARE(listing(folder), "link"s);
}

void TestOutputFile::danglingLinkCreatesItsTarget() {
  const QTemporaryDir folder, other;
  const auto real = in(other, "real"), link = in(folder, "link");
  std::filesystem::create_symlink(real, link);
  QVERIFY(save(link, in(folder, "input"), "after"));
  QVERIFY(std::filesystem::is_symlink(link));
  QCOMPARE(readFile(real), "after"s);
}

void TestOutputFile::outputEqualToTheInputIsRefused_data() {
  QTest::addColumn<std::string>("target");
  QTest::addColumn<std::string>("input");
  QTest::newRow("the same path") << "a.so"s << "a.so"s;
  QTest::newRow("another spelling") << "folder/../a.so"s << "a.so"s;
  QTest::newRow("target is a symbolic link to it") << "symbolic"s << "a.so"s;
  QTest::newRow("input is a symbolic link to it") << "a.so"s << "symbolic"s;
  QTest::newRow("both are symbolic links") << "symbolic"s << "second"s;
  QTest::newRow("target is a hard link to it") << "hard"s << "a.so"s;
  QTest::newRow("input is a hard link to it") << "a.so"s << "hard"s;
}

void TestOutputFile::outputEqualToTheInputIsRefused() {
  QFETCH(std::string, target);
  QFETCH(std::string, input);
  const QTemporaryDir folder;
  writeFile(in(folder, "a.so"), "precious");
  std::filesystem::create_directory(in(folder, "folder"));
  std::filesystem::create_symlink("a.so", in(folder, "symbolic"));
  std::filesystem::create_symlink("symbolic", in(folder, "second"));
  std::filesystem::create_hard_link(in(folder, "a.so"), in(folder, "hard"));
  const std::string before = listing(folder);

  const auto file = OutputFile::create(in(folder, target), {{in(folder, input)}});
  QVERIFY(!file);
  QVERIFY(file.error().id() == DiagnosticId::FileSame);
  QVERIFY(file.error().code() == ErrorCode::Conflict);
  QCOMPARE(file.error().message(),
           "'" + in(folder, target).native() + "' is also an input; choose another output file");
  QCOMPARE(readFile(in(folder, "a.so")), "precious"s);
  QCOMPARE(listing(folder), before);
}

/// An input may be gone, or may never have been a file.
void TestOutputFile::missingInputIsAllowed() {
  const QTemporaryDir folder;
  writeFile(in(folder, "out"), "before");
  QVERIFY(save(in(folder, "out"), in(folder, "gone"), "after"));
  QVERIFY(save(in(folder, "out"), {}, "after that"));
  QCOMPARE(readFile(in(folder, "out")), "after that"s);
}

void TestOutputFile::unusableTargetIsRefused_data() {
  QTest::addColumn<std::string>("target");
  QTest::addColumn<std::string>("reason");
  QTest::newRow("folder of the target is missing") << "missing/out"s << "the folder 'FOLDER' does not exist"s;
  QTest::newRow("folder of the target is a file") << "file/out"s << "Not a directory"s;
  QTest::newRow("target is a folder") << "folder"s << "it is a folder"s;
  QTest::newRow("target is a folder with a slash") << "folder/"s << "it is a folder"s;
  QTest::newRow("target is a link to a folder") << "link"s << "it is a folder"s;
  QTest::newRow("target is a named pipe") << "pipe"s << "it is a device or pipe; use -o - for standard output"s;
  QTest::newRow("target is a device") << "/dev/null"s << "it is a device or pipe; use -o - for standard output"s;
}

void TestOutputFile::unusableTargetIsRefused() {
  QFETCH(std::string, target);
  QFETCH(std::string, reason);
  const QTemporaryDir folder;
  writeFile(in(folder, "file"), "x");
  std::filesystem::create_directory(in(folder, "folder"));
  std::filesystem::create_symlink("folder", in(folder, "link"));
  QCOMPARE(mkfifo(in(folder, "pipe").c_str(), 0600), 0);
  const std::string before = listing(folder);

  const auto path = in(folder, target);
  const auto file = OutputFile::create(path, {{in(folder, "input")}});
  QVERIFY(!file);
  QVERIFY(file.error().id() == DiagnosticId::FileWrite);
  if (const std::size_t at = reason.find("FOLDER"); at != std::string::npos)
    reason.replace(at, 6, path.parent_path().native());
  QCOMPARE(file.error().message(), "'" + path.native() + "' cannot be written: " + reason);
  QCOMPARE(listing(folder), before);
  QVERIFY(std::filesystem::is_empty(in(folder, "folder")));
}

void TestOutputFile::readOnlyFolderIsRefused() {
  const QTemporaryDir folder;
  QCOMPARE(chmod(folder.path().toLocal8Bit().constData(), 0555), 0);
  const Unprivileged somebody;
  if (!somebody.works()) QSKIP("running as root, who writes everywhere, and no other user can be taken on");
  const auto path = in(folder, "out");
  const auto file = OutputFile::create(path, {{in(folder, "input")}});
  QVERIFY(!file);
  QCOMPARE(file.error().message(), "'" + path.native() + "' cannot be written: Permission denied");
}

/// A name that the file system accepts is not too long for us.
void TestOutputFile::longestFileNameIsAccepted() {
  const QTemporaryDir folder;
  const auto target = in(folder, std::string(255, 'n'));
  const auto saved = save(target, in(folder, "input"), "text");
  QVERIFY2(saved, saved ? "" : saved.error().message().c_str());
  QCOMPARE(readFile(target), "text"s);
}

void TestOutputFile::cancelledWriteLeavesTheOldFile_data() {
  QTest::addColumn<int>("looks");
  QTest::newRow("at once") << 0;
  QTest::newRow("in the middle") << 3;
}

void TestOutputFile::cancelledWriteLeavesTheOldFile() {
  QFETCH(int, looks);
  const QTemporaryDir folder;
  writeFile(in(folder, "old"), "before");
  for (const char* const name : {"new", "old"}) {
    auto file = OutputFile::create(in(folder, name), {{in(folder, "input")}});
    QVERIFY(file);
    StopAfter monitor(looks);
    const auto written = file->write(bytes(std::string(6 << 20, 'x')), monitor);
    QVERIFY(!written);
    QVERIFY(written.error().code() == ErrorCode::Cancelled);
  }
  QCOMPARE(listing(folder), "old"s);
  QCOMPARE(readFile(in(folder, "old")), "before"s);
}

/// A full disk, simulated by a limit on the size of files: the write is short, then fails.
void TestOutputFile::fullDiskLeavesTheOldFile() {
  const QTemporaryDir folder;
  writeFile(in(folder, "out"), "before");
  rlimit old = {};
  QCOMPARE(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto oldHandler = signal(SIGXFSZ, SIG_IGN);
  std::string message;
  ErrorCode code = ErrorCode::Internal;
  {
    NullMonitor monitor;
    auto file = OutputFile::create(in(folder, "out"), {{in(folder, "input")}});
    QVERIFY(file);
    rlimit small = old;
    small.rlim_cur = (2 << 20) + 1000;
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto written = file->write(bytes(std::string(6 << 20, 'x')), monitor);
    if (!written) {
      message = written.error().message();
      code = written.error().code();
    }
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &old), 0);
  }
  signal(SIGXFSZ, oldHandler);
  QVERIFY2(message.starts_with("'" + in(folder, "out").native() +
                               "' cannot be written: the file would be larger than the limit of this process, 2.0 MiB"),
           message.c_str());
  QVERIFY(code == ErrorCode::Io);
  QCOMPARE(listing(folder), "out"s);
  QCOMPARE(readFile(in(folder, "out")), "before"s);
}

void TestOutputFile::targetThatBecameAFolderIsReported() {
  const QTemporaryDir folder;
  const auto target = in(folder, "out");
  {
    NullMonitor monitor;
    auto file = OutputFile::create(target, {{in(folder, "input")}});
    QVERIFY(file);
    QVERIFY(file->write(bytes("text"), monitor));
    std::filesystem::create_directory(target);
    const auto committed = file->commit();
    QVERIFY(!committed);
    QCOMPARE(committed.error().message(), "'" + target.native() + "' cannot be written: Is a directory");
  }
  QCOMPARE(listing(folder), "out"s);
  QVERIFY(std::filesystem::is_empty(target));
}

void TestOutputFile::movedOutputFileCommitsOnce() {
  const QTemporaryDir folder;
  NullMonitor monitor;
  auto first = OutputFile::create(in(folder, "out"), {{in(folder, "input")}});
  QVERIFY(first);
  {
    OutputFile second(std::move(*first));
    QVERIFY(second.write(bytes("text"), monitor));
    QVERIFY(second.commit());
  }
  QCOMPARE(readFile(in(folder, "out")), "text"s);
  QCOMPARE(listing(folder), "out"s);
}

/// Ranges of a mapped file, which the system copies, and bytes on the heap, in any order.
void TestOutputFile::rangesOfAMappedFileAreCopied_data() {
  QTest::addColumn<std::vector<uint64_t>>("ranges"); // offset and size of each
  const uint64_t mega = 1 << 20;
  const auto row = [](const char* name, const std::vector<uint64_t>& ranges) { QTest::newRow(name) << ranges; };
  row("all of it", {0, 17 * mega + 77});
  row("all of it in two parts", {0, 9 * mega + 5, 9 * mega + 5, 8 * mega + 72});
  row("parts in another order", {10 * mega + 3, 3 * mega, 1, 2 * mega, 0, 1});
  row("small ones", {0, 1, 5, 4096, 12345, 3});
  row("just under and over what is copied", {7, mega - 1, 7, mega, 7, mega + 1});
  row("the end", {17 * mega + 70, 7});
  row("nothing", {100, 0});
  row("twice the same", {5, 2 * mega, 5, 2 * mega});
}

void TestOutputFile::rangesOfAMappedFileAreCopied() {
  QFETCH(std::vector<uint64_t>, ranges);
  const QTemporaryDir folder;
  // More than one copy step.
  static const std::string text = [] {
    std::string made((17 << 20) + 77, '\0');
    for (std::size_t i = 0; i < made.size(); i += 61) made[i] = static_cast<char>(i * 31 + (i >> 11));
    return made;
  }();
  writeFile(in(folder, "input"), text);
  const auto source = ByteSource::openFile(in(folder, "input"));
  QVERIFY(source);
  const Bytes all = ByteSource::all(*source);
  NullMonitor monitor;
  auto file = OutputFile::create(in(folder, "out"), {{in(folder, "input")}});
  QVERIFY(file);
  std::string expected;
  for (std::size_t i = 0; i < ranges.size(); i += 2) {
    // A slice of a slice also knows its place in the mapping.
    QVERIFY(file->write(all.slice(ranges[i] / 2).slice(ranges[i] - ranges[i] / 2, ranges[i + 1]), monitor));
    QVERIFY(file->write(bytes("between"), monitor));
    expected += text.substr(ranges[i], ranges[i + 1]) + "between";
  }
  QVERIFY(file->commit());
  QVERIFY(readFile(in(folder, "out")) == expected);
}

/// Lost bytes of a mapped file read as zeros; the copy has the requested size.
void TestOutputFile::lostBytesOfAMappedFileBecomeZeros() {
  const QTemporaryDir folder;
  writeFile(in(folder, "input"), std::string(6 << 20, 'x'));
  const auto source = ByteSource::openFile(in(folder, "input"));
  QVERIFY(source);
  std::filesystem::resize_file(in(folder, "input"), 3 << 20);
  NullMonitor monitor;
  auto file = OutputFile::create(in(folder, "out"), {{in(folder, "input")}});
  QVERIFY(file);
  QVERIFY(file->write(ByteSource::all(*source), monitor));
  QVERIFY(file->commit());
  QVERIFY(readFile(in(folder, "out")) == std::string(3 << 20, 'x') + std::string(3 << 20, '\0'));
  QVERIFY((*source)->findChange());
}

void TestOutputFile::zerosAreWritten() {
  const QTemporaryDir folder;
  NullMonitor monitor;
  auto file = OutputFile::create(in(folder, "out"), {{in(folder, "input")}});
  QVERIFY(file);
  QVERIFY(file->writeZeros(3));
  QVERIFY(file->write(bytes("a"), monitor));
  QVERIFY(file->writeZeros(0));
  QVERIFY(file->writeZeros(5'000'000));
  QVERIFY(file->write(bytes("b"), monitor));
  QVERIFY(file->writeZeros(2));
  QVERIFY(file->commit());
  QVERIFY(readFile(in(folder, "out")) == "\0\0\0a"s + std::string(5'000'000, '\0') + "b\0\0"s);
}

void TestOutputFile::backUpKeepsTheOldFile() {
  const QTemporaryDir folder;
  const auto target = in(folder, "out");
  for (const char* const before : {"first", "second"}) {
    writeFile(target, before);
    auto file = OutputFile::create(target, {});
    NullMonitor monitor;
    QVERIFY(file && file->write(bytes("new"), monitor));
    QVERIFY(file->backUp());
    QCOMPARE(readFile(target), std::string(before));
    QVERIFY(file->commit());
    QCOMPARE(readFile(target), "new"s);
    QCOMPARE(readFile(in(folder, "out.bak")), std::string(before));
    QCOMPARE(listing(folder), "out out.bak"s);
    std::filesystem::remove(target);
  }
  // Nothing is there to be kept.
  std::filesystem::remove(in(folder, "out.bak"));
  auto file = OutputFile::create(target, {});
  QVERIFY(file && file->backUp() && file->commit());
  QCOMPARE(listing(folder), "out"s);
  // A folder with that name is in the way; the target stays.
  std::filesystem::create_directory(in(folder, "out.bak"));
  {
    auto other = OutputFile::create(target, {});
    QVERIFY(other);
    const auto done = other->backUp();
    QVERIFY(!done);
    QCOMPARE(done.error().message(), "'" + in(folder, "out.bak").native() + "' cannot be written: Is a directory");
  }
  QCOMPARE(listing(folder), "out out.bak"s);
}

void TestOutputFile::keptFileIsNamedRejected() {
  const QTemporaryDir folder;
  {
    NullMonitor monitor;
    auto file = OutputFile::create(in(folder, "out"), {});
    QVERIFY(file && file->write(bytes("text"), monitor) && file->sync());
    QCOMPARE(readFile(file->temporary()), "text"s);
    QCOMPARE(file->keep(), in(folder, "out.rejected"));
  }
  QCOMPARE(readFile(in(folder, "out.rejected")), "text"s);
  QCOMPARE(listing(folder), "out.rejected"s);
}

/// When allowed, the file that is being read is replaced; the mapped bytes stay.
void TestOutputFile::inputCanBeReplacedWhenAllowed() {
  const QTemporaryDir folder;
  const std::string text(2 << 20, 'x');
  writeFile(in(folder, "a"), text);
  const auto source = ByteSource::openFile(in(folder, "a"));
  QVERIFY(source);
  NullMonitor monitor;
  auto file = OutputFile::create(in(folder, "a"), {{}, in(folder, "a")});
  QVERIFY(file);
  QVERIFY(file->write(bytes("new "), monitor) && file->write(ByteSource::all(*source), monitor));
  QVERIFY(file->commit());
  QVERIFY(readFile(in(folder, "a")) == "new " + text);
  QVERIFY(ByteSource::all(*source).view() == text);
  QCOMPARE(listing(folder), "a"s);
}

void TestOutputFile::outputEqualToAnyInputIsRefused() {
  const QTemporaryDir folder;
  for (const char* const name : {"a", "b", "c"}) writeFile(in(folder, name), name);
  std::filesystem::create_hard_link(in(folder, "b"), in(folder, "hard"));
  std::filesystem::create_symlink(in(folder, "c"), in(folder, "symbolic"));
  const Inputs inputs{{in(folder, "a"), in(folder, "b"), in(folder, "c"), {}}};
  std::filesystem::create_directory(in(folder, "folder"));
  for (const char* const name : {"a", "b", "c", "hard", "symbolic", "folder/../a"}) {
    const auto file = OutputFile::create(in(folder, name), inputs);
    QVERIFY2(!file, name);
    QCOMPARE(file.error().id(), DiagnosticId::FileSame);
  }
  QVERIFY(OutputFile::create(in(folder, "d"), inputs));
  // Named twice, once as a file that may be replaced.
  const auto file = OutputFile::create(in(folder, "a"), {{in(folder, "a")}, in(folder, "a")});
  QVERIFY(!file);
  QCOMPARE(file.error().id(), DiagnosticId::FileSame);
  // A removed file is still recognised by its path.
  std::filesystem::remove(in(folder, "a"));
  QVERIFY(!OutputFile::create(in(folder, "a"), inputs));
  QCOMPARE(readFile(in(folder, "b")) + readFile(in(folder, "c")), "bc"s);
}

/// An input folder stands for all files in it; a new file may be put there.
void TestOutputFile::outputInsideAnInputFolderIsRefused() {
  const QTemporaryDir folder;
  std::filesystem::create_directories(in(folder, "read/deep"));
  writeFile(in(folder, "read/deep/a"), "a");
  writeFile(in(folder, "other"), "other");
  std::filesystem::create_hard_link(in(folder, "read/deep/a"), in(folder, "hard"));
  std::filesystem::create_symlink("read", in(folder, "link"));
  for (const char* const input : {"read", "link", "read/", "link/../read"})
    for (const char* const target : {"read/deep/a", "link/deep/a", "hard"}) {
      const auto file = OutputFile::create(in(folder, target), {{in(folder, input)}});
      QVERIFY2(!file, target);
      QCOMPARE(file.error().id(), DiagnosticId::FileSame);
    }
  QVERIFY(OutputFile::create(in(folder, "read/deep/new"), {{in(folder, "read")}}));
  QVERIFY(OutputFile::create(in(folder, "other"), {{in(folder, "read")}}));
  QVERIFY(OutputFile::create(in(folder, "readable"), {{in(folder, "read")}}));
}

/// "out.bak" is read and "out" written: the backup would replace the input.
void TestOutputFile::backUpNeverReplacesAnInput() {
  const QTemporaryDir folder;
  writeFile(in(folder, "out"), "before");
  writeFile(in(folder, "out.bak"), "older");
  for (const Inputs& inputs : {Inputs{{}, in(folder, "out.bak")}, Inputs{{in(folder, "out.bak")}}}) {
    auto file = OutputFile::create(in(folder, "out"), inputs);
    QVERIFY(file);
    const auto done = file->backUp();
    QVERIFY(!done);
    QCOMPARE(done.error().message(),
             "'" + in(folder, "out.bak").native() + "' is also an input; choose another output file");
  }
  QCOMPARE(readFile(in(folder, "out")) + readFile(in(folder, "out.bak")), "beforeolder"s);
  QCOMPARE(listing(folder), "out out.bak"s);
  // Both names are already the same file.
  std::filesystem::remove(in(folder, "out.bak"));
  std::filesystem::create_hard_link(in(folder, "out"), in(folder, "out.bak"));
  auto file = OutputFile::create(in(folder, "out"), {{}, in(folder, "out")});
  QVERIFY(file && file->backUp() && file->commit());
  QCOMPARE(readFile(in(folder, "out.bak")), "before"s);
}

void TestOutputFile::keptFileNeverReplacesAnInput() {
  const QTemporaryDir folder;
  writeFile(in(folder, "out.rejected"), "read");
  NullMonitor monitor;
  auto file = OutputFile::create(in(folder, "out"), {{in(folder, "out.rejected")}});
  QVERIFY(file && file->write(bytes("text"), monitor));
  const std::filesystem::path kept = file->keep();
  QCOMPARE(kept, in(folder, "out.rejected.2"));
  QCOMPARE(readFile(kept), "text"s);
  QCOMPARE(readFile(in(folder, "out.rejected")), "read"s);
}

/// Set-id bits belong to the program that was replaced, so they are not copied.
void TestOutputFile::setIdBitsAreNotCopied() {
  const QTemporaryDir folder;
  const auto target = in(folder, "out");
  for (const unsigned mode : {04755u, 02755u, 06711u, 01644u, 07777u}) {
    std::filesystem::remove(target);
    writeFile(target, "before");
    QCOMPARE(chmod(target.c_str(), mode), 0);
    QCOMPARE(modeOf(target), mode);
    QVERIFY(save(target, {}, "after"));
    QCOMPARE(readFile(target), "after"s);
    QCOMPARE(modeOf(target), mode & 0777u);
  }
}

/// The temporary files of a killed writer are removed by the next write to that folder.
void TestOutputFile::filesOfAKilledWriterAreRemoved() {
  const QTemporaryDir folder;
  writeFile(in(folder, "out"), "before");
  QVERIFY(inChild([&] {
    NullMonitor monitor;
    auto file = OutputFile::create(in(folder, "out"));
    if (!file || !file->write(bytes("half"), monitor)) return false;
    // The second name of an unfinished backup.
    std::filesystem::create_hard_link(in(folder, "out"), file->temporary().native() + "-bak");
    _exit(0);
  }));
  QVERIFY(listing(folder).starts_with(".blobscope-"));
  QCOMPARE(std::distance(std::filesystem::directory_iterator(folder.path().toStdString()), {}), 3);
  QVERIFY(save(in(folder, "other"), {}, "text"));
  QCOMPARE(listing(folder), "other out"s);
  QCOMPARE(readFile(in(folder, "out")), "before"s);
}

void TestOutputFile::onlyStaleTemporaryFilesAreRemoved_data() {
  QTest::addColumn<std::string>("name");
  QTest::addColumn<std::string>("kind");
  QTest::addColumn<bool>("stays");
  const TemporaryName gone{endedProcess(), 17, 0x123456789abcdef0};
  TemporaryName own = TemporaryName::make(), reused = own, unknown = own;
  reused.started += 1;
  unknown.started = 0;
  std::string forged = gone.text();
  forged.back() = forged.back() == '0' ? '1' : '0';
  const auto row = [](const char* title, const std::string& name, const char* kind, bool stays) {
    QTest::newRow(title) << name << std::string(kind) << stays;
  };
  row("of a process that has ended", gone.text(), "file", false);
  row("second name of such a file", gone.text() + "-bak", "file", false);
  row("of a process whose number is reused", reused.text(), "file", false);
  row("of a process that runs", own.text(), "file", true);
  row("of a process that runs, start not known", unknown.text(), "file", true);
  row("wrong check", forged, "file", true);
  row("no check", gone.text().substr(0, gone.text().rfind('-')), "file", true);
  row("file of another program", ".blobscope-abcdef", "file", true);
  row("backup of another program", ".blobscope-abcdef-bak", "file", true);
  row("not hidden", gone.text().substr(1), "file", true);
  row("with an end", gone.text() + ".txt", "file", true);
  row("folder", gone.text(), "folder", true);
  row("link", gone.text(), "link", true);
  row("named pipe", gone.text(), "pipe", true);
  row("locked", gone.text(), "locked", true);
  row("another user's", gone.text(), "other user", true);
}

void TestOutputFile::onlyStaleTemporaryFilesAreRemoved() {
  QFETCH(std::string, name);
  QFETCH(std::string, kind);
  QFETCH(bool, stays);
  const QTemporaryDir folder;
  const auto path = in(folder, name);
  writeFile(in(folder, "precious"), "precious");
  if (kind == "folder")
    std::filesystem::create_directory(path);
  else if (kind == "link")
    std::filesystem::create_symlink("precious", path);
  else if (kind == "pipe")
    QCOMPARE(mkfifo(path.c_str(), 0600), 0);
  else
    writeFile(path, "stale");
  if (kind == "other user" && chown(path.c_str(), kSomebody, kSomebody) != 0)
    QSKIP("only root can give a file to another user");
  const int locked = kind == "locked" ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (locked >= 0) QCOMPARE(flock(locked, LOCK_EX), 0);

  QVERIFY(save(in(folder, "out"), {}, "text"));
  if (locked >= 0) close(locked);
  const bool there = std::filesystem::exists(std::filesystem::symlink_status(path));
  QCOMPARE(there, stays);
  QCOMPARE(readFile(in(folder, "precious")), "precious"s);
}

/// A file that is being written is kept, whether this process or another one writes it.
void TestOutputFile::filesOfRunningWritersAreKept() {
  const QTemporaryDir folder;
  NullMonitor monitor;
  auto mine = OutputFile::create(in(folder, "mine"));
  QVERIFY(mine && mine->write(bytes("mine"), monitor));
  const std::filesystem::path second = mine->temporary().native() + "-bak";
  writeFile(second, "second name in use");
  std::array<int, 2> ready{}, go{};
  QVERIFY(pipe(ready.data()) == 0 && pipe(go.data()) == 0);
  const pid_t child = fork();
  QVERIFY(child >= 0);
  if (child == 0) {
    char byte = 'x';
    auto theirs = OutputFile::create(in(folder, "theirs"));
    const bool made = theirs && theirs->write(bytes("theirs"), monitor) && ::write(ready[1], &byte, 1) == 1 &&
                      read(go[0], &byte, 1) == 1;
    _exit(made && theirs->commit() ? 0 : 1);
  }
  char byte = 0;
  QCOMPARE(read(ready[0], &byte, 1), 1);
  QVERIFY(save(in(folder, "out"), {}, "text"));
  QVERIFY(std::filesystem::exists(mine->temporary()));
  QVERIFY(std::filesystem::exists(second));
  QCOMPARE(::write(go[1], &byte, 1), 1);
  int status = 0;
  QCOMPARE(waitpid(child, &status, 0), child);
  QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  for (const int end : {ready[0], ready[1], go[0], go[1]}) close(end);
  std::filesystem::remove(second);
  QVERIFY(mine->commit());
  QCOMPARE(readFile(in(folder, "mine")) + readFile(in(folder, "theirs")), "minetheirs"s);
  QCOMPARE(listing(folder), "mine out theirs"s);
}

/// In a folder where everybody can create files, links and files of others are not trusted.
void TestOutputFile::foreignFilesInASharedFolderAreRefused_data() {
  QTest::addColumn<unsigned>("mode");
  QTest::addColumn<bool>("ours"); // the folder
  QTest::addColumn<std::string>("entry");
  QTest::addColumn<std::string>("reason"); // empty: the file is written
  const std::string link = "the link 'FOLDER/entry' belongs to another user, in a folder that everybody can write to";
  const auto row = [](const char* name, unsigned mode, bool ours, const char* entry, const std::string& reason) {
    QTest::newRow(name) << mode << ours << std::string(entry) << reason;
  };
  row("another user's link in /tmp", 01777, true, "link of another", link);
  row("another user's dangling link in /tmp", 01777, true, "dangling link of another", link);
  row("another user's link to a folder in /tmp", 01777, true, "link to a folder of another", link);
  row("own link in /tmp", 01777, true, "own link", "");
  row("own link in another user's /tmp", 01777, false, "own link", "");
  row("link of the folder's owner", 01777, false, "link of another", "");
  row("folder that only its owner can write to", 0755, true, "link of another", "");
  row("folder that is not sticky", 0777, true, "link of another", "");
  row("another user's file in /tmp", 01777, true, "file of another",
      "the file belongs to another user, in a folder that everybody can write to");
  row("own file in /tmp", 01777, true, "own file", "");
  row("another user's file elsewhere", 0755, true, "file of another", "");
}

void TestOutputFile::foreignFilesInASharedFolderAreRefused() {
  QFETCH(unsigned, mode);
  QFETCH(bool, ours);
  QFETCH(std::string, entry);
  QFETCH(std::string, reason);
  const QTemporaryDir folder, other;
  const auto shared = in(folder, "shared"), path = shared / "entry";
  std::filesystem::create_directory(shared);
  const bool linked = entry.find("link") != std::string::npos, dangling = entry.starts_with("dangling"),
             deep = entry.find("folder") != std::string::npos;
  if (!dangling) writeFile(in(other, "real"), "before");
  if (linked)
    std::filesystem::create_symlink(deep ? in(other, ".") : in(other, "real"), path);
  else
    writeFile(path, "before");
  QCOMPARE(chmod(shared.c_str(), mode), 0);
  if ((!ours && chown(shared.c_str(), kSomebody, kSomebody) != 0) ||
      (entry.ends_with("of another") && lchown(path.c_str(), kSomebody, kSomebody) != 0))
    QSKIP("only root can give a file to another user");

  const auto saved = save(deep ? path / "real" : path, {}, "after");
  const std::string now = readFile(linked ? in(other, "real") : path);
  if (reason.empty()) {
    QVERIFY2(saved, saved ? "" : saved.error().message().c_str());
    QCOMPARE(now, "after"s);
    return;
  }
  QVERIFY(!saved);
  if (const std::size_t at = reason.find("FOLDER"); at != std::string::npos) reason.replace(at, 6, shared.native());
  QCOMPARE(saved.error().message(), "'" + (deep ? path / "real" : path).native() + "' cannot be written: " + reason);
  QCOMPARE(now, dangling ? ""s : "before"s);
}

/// The limit of 'ulimit -f'; its signal is ignored, as programs do.
void TestOutputFile::fileAboveTheLimitIsReported() {
  const QTemporaryDir folder;
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  QCOMPARE(getrlimit(RLIMIT_FSIZE, &usual), 0);
  rlimit small = usual;
  small.rlim_cur = 1'024;
  QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string text(4'096, 'x');
  const auto saved = save(in(folder, "out"), {}, text);
  const auto written = writePrivateFile(in(folder, "other"), std::as_bytes(std::span(text)));
  setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, before);
  const std::string reason = "the file would be larger than the limit of this process, 1.0 KiB (1,024 bytes); "
                             "'ulimit -f' shows and changes it";
  QVERIFY(!saved && !written);
  QCOMPARE(saved.error().message(), "'" + in(folder, "out").native() + "' cannot be written: " + reason);
  QCOMPARE(written.error().message(), "'" + in(folder, "other").native() + "' cannot be written: " + reason);
}

/// Nobody reads from it, so it must not be waited for.
void TestOutputFile::privateFileIsNoPipe() {
  const QTemporaryDir folder;
  QCOMPARE(mkfifo(in(folder, "pipe").c_str(), 0600), 0);
  const auto write = [&] { return writePrivateFile(in(folder, "pipe"), std::as_bytes(std::span("text"))); };
  const std::string expected =
      "'" + in(folder, "pipe").native() + "' cannot be written: a named pipe or device is in its place";
  const auto alone = write();
  QVERIFY(!alone);
  QCOMPARE(alone.error().message(), expected);
  const int reader = open(in(folder, "pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const auto read = write();
  close(reader);
  QVERIFY(!read);
  QCOMPARE(read.error().message(), expected);
}

BLOBSCOPE_TEST(TestOutputFile);
#include "test_output_file.moc"
