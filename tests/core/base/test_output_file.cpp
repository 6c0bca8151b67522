#include "core/base/output_file.h"

#include "core/base/source.h"
#include "tests/core/base/compare.h"
#include "tests/core/base/files.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

unsigned modeOf(const std::filesystem::path& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777u : 0xffffu;
}

/// The mask of new files, for the life of this object.
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
  BLOBSCOPE_TRY(file, OutputFile::create(target, input));
  BLOBSCOPE_CHECK(file.write(bytes(text), monitor));
  return file.commit();
}

} // namespace

class TestOutputFile : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void newFile_data();
  void newFile();
  void manyPieces();
  void noCommitLeavesNothing();
  void notThereBeforeTheCommit();
  void replaces();
  void throughALink();
  void throughALinkToNothing();
  void sameFile_data();
  void sameFile();
  void inputNeedNotExist();
  void refused_data();
  void refused();
  void folderThatMayNotBeWritten();
  void longName();
  void cancelled_data();
  void cancelled();
  void diskFull();
  void targetBecomesAFolder();
  void moved();
  void mappedRanges_data();
  void mappedRanges();
  void mappedFileThatShrank();
  void zeros();
  void backUp();
  void kept();
  void sameFileAllowed();
  void staleFiles();
};

void TestOutputFile::newFile_data() {
  QTest::addColumn<unsigned>("mask");
  QTest::addColumn<unsigned>("mode");
  QTest::newRow("usual mask") << 022u << 0644u;
  QTest::newRow("for the group as well") << 002u << 0664u;
  QTest::newRow("private") << 077u << 0600u;
}

void TestOutputFile::newFile() {
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
  const mode_t now = umask(0); // it is back to what it was
  umask(now);
  QCOMPARE(unsigned{now}, mask);
}

void TestOutputFile::manyPieces() {
  const QTemporaryDir folder;
  NullMonitor monitor;
  auto file = OutputFile::create(in(folder, "out"), in(folder, "input"));
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

void TestOutputFile::noCommitLeavesNothing() {
  const QTemporaryDir folder;
  writeFile(in(folder, "old"), "before");
  for (const char* const name : {"new", "old"}) {
    NullMonitor monitor;
    auto file = OutputFile::create(in(folder, name), in(folder, "input"));
    QVERIFY(file);
    QVERIFY(file->write(bytes("after"), monitor));
  }
  QCOMPARE(listing(folder), "old"s);
  QCOMPARE(readFile(in(folder, "old")), "before"s);
}

void TestOutputFile::notThereBeforeTheCommit() {
  const QTemporaryDir folder;
  NullMonitor monitor;
  const auto target = in(folder, "out");
  auto file = OutputFile::create(target, in(folder, "input"));
  QVERIFY(file);
  QVERIFY(file->write(bytes("text"), monitor));
  QVERIFY(!std::filesystem::exists(target));
  QVERIFY(file->commit());
  QCOMPARE(readFile(target), "text"s);
  QCOMPARE(listing(folder), "out"s);
}

void TestOutputFile::replaces() {
  const QTemporaryDir folder;
  const auto target = in(folder, "out");
  const Mask rights(022); // binds new files only
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

/// The file that a link names is replaced, not the link.
void TestOutputFile::throughALink() {
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

void TestOutputFile::throughALinkToNothing() {
  const QTemporaryDir folder, other;
  const auto real = in(other, "real"), link = in(folder, "link");
  std::filesystem::create_symlink(real, link);
  QVERIFY(save(link, in(folder, "input"), "after"));
  QVERIFY(std::filesystem::is_symlink(link));
  QCOMPARE(readFile(real), "after"s);
}

void TestOutputFile::sameFile_data() {
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

void TestOutputFile::sameFile() {
  QFETCH(std::string, target);
  QFETCH(std::string, input);
  const QTemporaryDir folder;
  writeFile(in(folder, "a.so"), "precious");
  std::filesystem::create_directory(in(folder, "folder"));
  std::filesystem::create_symlink("a.so", in(folder, "symbolic"));
  std::filesystem::create_symlink("symbolic", in(folder, "second"));
  std::filesystem::create_hard_link(in(folder, "a.so"), in(folder, "hard"));
  const std::string before = listing(folder);

  const auto file = OutputFile::create(in(folder, target), in(folder, input));
  QVERIFY(!file);
  QVERIFY(file.error().id() == DiagnosticId::FileSame);
  QVERIFY(file.error().code() == ErrorCode::Conflict);
  QCOMPARE(file.error().message(), "'" + in(folder, target).native() +
                                       "' is the file that is being read; name another file for the output");
  QCOMPARE(readFile(in(folder, "a.so")), "precious"s);
  QCOMPARE(listing(folder), before);
}

/// What was read may be gone, or never have been a file.
void TestOutputFile::inputNeedNotExist() {
  const QTemporaryDir folder;
  writeFile(in(folder, "out"), "before");
  QVERIFY(save(in(folder, "out"), in(folder, "gone"), "after"));
  QVERIFY(save(in(folder, "out"), {}, "after that"));
  QCOMPARE(readFile(in(folder, "out")), "after that"s);
}

void TestOutputFile::refused_data() {
  QTest::addColumn<std::string>("target");
  QTest::addColumn<std::string>("reason");
  QTest::newRow("folder of the target is missing") << "missing/out"s << "No such file or directory"s;
  QTest::newRow("folder of the target is a file") << "file/out"s << "Not a directory"s;
  QTest::newRow("target is a folder") << "folder"s << "it is a folder"s;
  QTest::newRow("target is a folder with a slash") << "folder/"s << "it is a folder"s;
  QTest::newRow("target is a link to a folder") << "link"s << "it is a folder"s;
  QTest::newRow("target is a named pipe") << "pipe"s << "it is a device or pipe; use -o - for standard output"s;
  QTest::newRow("target is a device") << "/dev/null"s << "it is a device or pipe; use -o - for standard output"s;
}

void TestOutputFile::refused() {
  QFETCH(std::string, target);
  QFETCH(std::string, reason);
  const QTemporaryDir folder;
  writeFile(in(folder, "file"), "x");
  std::filesystem::create_directory(in(folder, "folder"));
  std::filesystem::create_symlink("folder", in(folder, "link"));
  QCOMPARE(mkfifo(in(folder, "pipe").c_str(), 0600), 0);
  const std::string before = listing(folder);

  const auto path = in(folder, target);
  const auto file = OutputFile::create(path, in(folder, "input"));
  QVERIFY(!file);
  QVERIFY(file.error().id() == DiagnosticId::FileWrite);
  QCOMPARE(file.error().message(), "'" + path.native() + "' cannot be written: " + reason);
  QCOMPARE(listing(folder), before);
  QVERIFY(std::filesystem::is_empty(in(folder, "folder")));
}

void TestOutputFile::folderThatMayNotBeWritten() {
  const QTemporaryDir folder;
  QCOMPARE(chmod(folder.path().toLocal8Bit().constData(), 0555), 0);
  const Unprivileged somebody;
  if (!somebody.works()) QSKIP("running as root, who writes everywhere, and no other user can be taken on");
  const auto path = in(folder, "out");
  const auto file = OutputFile::create(path, in(folder, "input"));
  QVERIFY(!file);
  QCOMPARE(file.error().message(), "'" + path.native() + "' cannot be written: Permission denied");
}

/// A name that the file system takes is not too long for us.
void TestOutputFile::longName() {
  const QTemporaryDir folder;
  const auto target = in(folder, std::string(255, 'n'));
  const auto saved = save(target, in(folder, "input"), "text");
  QVERIFY2(saved, saved ? "" : saved.error().message().c_str());
  QCOMPARE(readFile(target), "text"s);
}

void TestOutputFile::cancelled_data() {
  QTest::addColumn<int>("looks");
  QTest::newRow("at once") << 0;
  QTest::newRow("in the middle") << 3;
}

void TestOutputFile::cancelled() {
  QFETCH(int, looks);
  const QTemporaryDir folder;
  writeFile(in(folder, "old"), "before");
  for (const char* const name : {"new", "old"}) {
    auto file = OutputFile::create(in(folder, name), in(folder, "input"));
    QVERIFY(file);
    StopAfter monitor(looks);
    const auto written = file->write(bytes(std::string(6 << 20, 'x')), monitor);
    QVERIFY(!written);
    QVERIFY(written.error().code() == ErrorCode::Cancelled);
  }
  QCOMPARE(listing(folder), "old"s);
  QCOMPARE(readFile(in(folder, "old")), "before"s);
}

/// A full disk, acted by a limit on the size of files: the write stops short, then fails.
void TestOutputFile::diskFull() {
  const QTemporaryDir folder;
  writeFile(in(folder, "out"), "before");
  rlimit old = {};
  QCOMPARE(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto oldHandler = signal(SIGXFSZ, SIG_IGN);
  std::string message;
  ErrorCode code = ErrorCode::Internal;
  {
    NullMonitor monitor;
    auto file = OutputFile::create(in(folder, "out"), in(folder, "input"));
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
  QCOMPARE(message, "'" + in(folder, "out").native() + "' cannot be written: File too large");
  QVERIFY(code == ErrorCode::Io);
  QCOMPARE(listing(folder), "out"s);
  QCOMPARE(readFile(in(folder, "out")), "before"s);
}

void TestOutputFile::targetBecomesAFolder() {
  const QTemporaryDir folder;
  const auto target = in(folder, "out");
  {
    NullMonitor monitor;
    auto file = OutputFile::create(target, in(folder, "input"));
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

void TestOutputFile::moved() {
  const QTemporaryDir folder;
  NullMonitor monitor;
  auto first = OutputFile::create(in(folder, "out"), in(folder, "input"));
  QVERIFY(first);
  {
    OutputFile second(std::move(*first));
    QVERIFY(second.write(bytes("text"), monitor));
    QVERIFY(second.commit());
  }
  QCOMPARE(readFile(in(folder, "out")), "text"s);
  QCOMPARE(listing(folder), "out"s);
}

/// Ranges of a mapped file, which the system copies, and what lies on the heap, in any order.
void TestOutputFile::mappedRanges_data() {
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

void TestOutputFile::mappedRanges() {
  QFETCH(std::vector<uint64_t>, ranges);
  const QTemporaryDir folder;
  // More than one step of copying.
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
  auto file = OutputFile::create(in(folder, "out"), in(folder, "input"));
  QVERIFY(file);
  std::string expected;
  for (std::size_t i = 0; i < ranges.size(); i += 2) {
    // A slice of a slice knows its place in the mapping as well.
    QVERIFY(file->write(all.slice(ranges[i] / 2).slice(ranges[i] - ranges[i] / 2, ranges[i + 1]), monitor));
    QVERIFY(file->write(bytes("between"), monitor));
    expected += text.substr(ranges[i], ranges[i + 1]) + "between";
  }
  QVERIFY(file->commit());
  QVERIFY(readFile(in(folder, "out")) == expected);
}

/// What a mapped file lost since reads as zeros; the copy has the size that was asked for.
void TestOutputFile::mappedFileThatShrank() {
  const QTemporaryDir folder;
  writeFile(in(folder, "input"), std::string(6 << 20, 'x'));
  const auto source = ByteSource::openFile(in(folder, "input"));
  QVERIFY(source);
  std::filesystem::resize_file(in(folder, "input"), 3 << 20);
  NullMonitor monitor;
  auto file = OutputFile::create(in(folder, "out"), in(folder, "input"));
  QVERIFY(file);
  QVERIFY(file->write(ByteSource::all(*source), monitor));
  QVERIFY(file->commit());
  QVERIFY(readFile(in(folder, "out")) == std::string(3 << 20, 'x') + std::string(3 << 20, '\0'));
  QVERIFY((*source)->findChange());
}

void TestOutputFile::zeros() {
  const QTemporaryDir folder;
  NullMonitor monitor;
  auto file = OutputFile::create(in(folder, "out"), in(folder, "input"));
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

void TestOutputFile::backUp() {
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
  // A folder of that name is in the way; the target stays.
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

void TestOutputFile::kept() {
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

/// Where it is allowed the file that is being read is replaced; what is mapped stays what it was.
void TestOutputFile::sameFileAllowed() {
  const QTemporaryDir folder;
  const std::string text(2 << 20, 'x');
  writeFile(in(folder, "a"), text);
  const auto source = ByteSource::openFile(in(folder, "a"));
  QVERIFY(source);
  NullMonitor monitor;
  auto file = OutputFile::create(in(folder, "a"), in(folder, "a"), OutputFile::Same::Allow);
  QVERIFY(file);
  QVERIFY(file->write(bytes("new "), monitor) && file->write(ByteSource::all(*source), monitor));
  QVERIFY(file->commit());
  QVERIFY(readFile(in(folder, "a")) == "new " + text);
  QVERIFY(ByteSource::all(*source).view() == text);
  QCOMPARE(listing(folder), "a"s);
}

/// What a killed writer left is removed, what a living one holds stays, and what only looks like it as well.
void TestOutputFile::staleFiles() {
  const QTemporaryDir folder;
  NullMonitor monitor;
  auto living = OutputFile::create(in(folder, "other"), {});
  QVERIFY(living && living->write(bytes("mine"), monitor));
  writeFile(in(folder, ".blobscope-kept12"), "stale");
  writeFile(in(folder, ".blobscope-kept12-bak"), "the old file's second name");
  writeFile(in(folder, ".blobscope-alone1-bak"), "the same, of a writer that was killed later");
  const std::filesystem::path used = living->temporary().native() + "-bak";
  writeFile(used, "in use");
  writeFile(in(folder, ".blobscope-longer-name"), "somebody's");
  writeFile(in(folder, "x.blobscope-abcdef"), "somebody's");
  std::filesystem::create_directory(in(folder, ".blobscope-folder"));
  std::filesystem::create_symlink("other", in(folder, ".blobscope-link12"));
  QCOMPARE(mkfifo(in(folder, ".blobscope-pipe12").c_str(), 0600), 0);
  {
    const auto file = OutputFile::create(in(folder, "out"), {});
    QVERIFY(file);
    QVERIFY(!std::filesystem::exists(in(folder, ".blobscope-kept12")));
    QVERIFY(!std::filesystem::exists(in(folder, ".blobscope-kept12-bak")));
    QVERIFY(!std::filesystem::exists(in(folder, ".blobscope-alone1-bak")));
    QVERIFY(std::filesystem::exists(living->temporary()));
    QVERIFY(std::filesystem::exists(used));
  }
  std::filesystem::remove(used);
  QVERIFY(living->commit());
  QCOMPARE(readFile(in(folder, "other")), "mine"s);
  QCOMPARE(listing(folder), ".blobscope-folder .blobscope-link12 .blobscope-longer-name .blobscope-pipe12 other x.blobscope-abcdef"s);
}

BLOBSCOPE_TEST(TestOutputFile);
#include "test_output_file.moc"
