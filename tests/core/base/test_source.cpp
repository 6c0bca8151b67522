#include "core/base/source.h"

#include "core/base/reader.h"
#include "core/library/open.h"
#include "tests/core/base/compare.h"
#include "tests/core/base/files.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

uint64_t pageSize() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }
uint64_t wholePages(uint64_t size) { return (size + pageSize() - 1) / pageSize() * pageSize(); }

uint64_t sumOf(const ByteSource& source) {
  uint64_t sum = 0;
  for (const std::byte byte : source.view()) sum += static_cast<uint64_t>(byte);
  return sum;
}

bool shrink(const std::filesystem::path& path, uint64_t size) {
  return truncate(path.c_str(), static_cast<off_t>(size)) == 0;
}

bool hasDiagnostic(const library::Package& package, DiagnosticId id) {
  for (const Diagnostic& diagnostic : package.diagnostics)
    if (diagnostic.id == id) return true;
  return false;
}

/// A library whose symbols are in its first page and whose blob takes several more.
std::string libraryOfPages(uint64_t pages) {
  const std::string code(pages * pageSize(), 'c');
  const Function kernel{.key = "k"};
  const std::string payload = code3("ptx", {kernel}, code, Info::Three);
  return elfWith("__tvm_dev_mblob", classicBlob({{"_lib", ""}, {"cuda", payload}}, {{{1}, {}}}));
}

/// A library whose symbols take many pages, so that reading it calls the monitor often.
std::string libraryOfSymbols() {
  ElfBuilder elf;
  for (int i = 0; i < 9'000; ++i) elf.function("f" + std::to_string(i));
  elf.data("__tvm_dev_mblob", classicBlob({{"_lib", ""}}, std::vector<std::vector<uint64_t>>(1)));
  return elf.build();
}

/// Truncates the file at the n-th call of the monitor.
class ShrinkAfter final : public Monitor {
public:
  ShrinkAfter(std::filesystem::path path, uint64_t size, int signs)
      : m_path(std::move(path)), m_size(size), m_left(signs) {}
  bool stopRequested() const override {
    count();
    return false;
  }
  void progress(std::string_view, uint64_t, uint64_t) override { count(); }
  bool done() const { return m_left < 0; }

private:
  void count() const {
    if (m_left-- == 0 && !shrink(m_path, m_size)) std::abort();
  }
  std::filesystem::path m_path;
  uint64_t m_size;
  mutable int m_left;
};

} // namespace

class TestSource : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void regularFileIsMapped();
  void unusableFileIsRefused_data();
  void unusableFileIsRefused();
  void fileWithoutReadPermissionIsRefused();
  void linkOpensItsTarget();
  void bufferIsNotAFile();
  void unchangedBytesReportNoChange_data();
  void unchangedBytesReportNoChange();
  void changedFileIsReported_data();
  void changedFileIsReported();
  void changeWithTheOldTimeIsReported();
  void privateBytesNeverChange_data();
  void privateBytesNeverChange();
  void largeFilesAreMappedInsteadOfCopied();
  void openPrivateReportsTheSameErrors();
  void bytesLostByShrinkingReadAsZeros_data();
  void bytesLostByShrinkingReadAsZeros();
  void fileCanShrinkWhileThreadsRead();
  void readerReportsLostBytes();
  void lostPageStaysZero();
  void closedSourcesReleaseTheirSlots();
  void moreFilesThanSlotsCanBeOpen();
  void faultOutsideOurMappingsEndsTheProcess();
  void libraryThatShrankBeforeReadingIsReported_data();
  void libraryThatShrankBeforeReadingIsReported();
  void libraryThatShrinksWhileOpeningIsReported_data();
  void libraryThatShrinksWhileOpeningIsReported();
  void libraryThatGrewStillOpens();
};

void TestSource::regularFileIsMapped() {
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  const std::string content = std::string(3 * pageSize(), 'x') + "end\0"s;
  writeFile(path, content);
  const auto source = ByteSource::openFile(path);
  QVERIFY(source);
  QVERIFY((*source)->isFile());
  const Bytes all = ByteSource::all(*source);
  QVERIFY(all.view() == content);
  QCOMPARE(all.offset(), std::optional<uint64_t>(0));
  QVERIFY(all.owner() == *source);
  QCOMPARE((*source)->identity().size, uint64_t{content.size()});
  struct stat status = {};
  QCOMPARE(stat(path.c_str(), &status), 0);
  QCOMPARE((*source)->identity().changedNs, int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec);
  QVERIFY(!(*source)->damage());
  QVERIFY(!(*source)->findChange());
}

void TestSource::unusableFileIsRefused_data() {
  QTest::addColumn<std::string>("name");
  QTest::addColumn<std::string>("id");
  QTest::addColumn<std::string>("message");
  const auto row = [](const char* name, std::string file, const char* id, const char* message) {
    QTest::newRow(name) << std::move(file) << std::string(id) << std::string(message);
  };
  row("missing", "missing.so", "FILE-NOT-FOUND", "'{}' does not exist");
  row("missing folder", "missing/a.so", "FILE-NOT-FOUND", "'{}' does not exist");
  row("below a file", "file/a.so", "FILE-NOT-FOUND", "'{}' does not exist");
  row("dangling link", "dangling", "FILE-NOT-FOUND", "'{}' does not exist");
  row("no name", "", "FILE-NOT-FOUND", "'' does not exist");
  row("link to itself", "loop", "FILE-NOT-READABLE", "'{}' cannot be read: Too many levels of symbolic links");
  row("name too long", std::string(300, 'n'), "FILE-NOT-READABLE", "'{}' cannot be read: File name too long");
  row("folder", "folder", "FILE-NOT-REGULAR", "'{}' is a folder, not a file");
  row("named pipe, without waiting for a writer", "pipe", "FILE-NOT-REGULAR", "'{}' is a named pipe, not a file");
  row("device", "/dev/null", "FILE-NOT-REGULAR", "'{}' is a device or socket, not a file");
  row("empty file", "empty", "FILE-EMPTY", "'{}' is empty");
  row("name of two lines", "a\nb", "FILE-NOT-FOUND", "'{}' does not exist");
  row("name that is not UTF-8", "a\xff", "FILE-NOT-FOUND", "'{}' does not exist");
}

void TestSource::unusableFileIsRefused() {
  QFETCH(std::string, name);
  QFETCH(std::string, id);
  QFETCH(std::string, message);
  const QTemporaryDir folder;
  writeFile(in(folder, "file"), "x");
  writeFile(in(folder, "empty"), "");
  std::filesystem::create_directory(in(folder, "folder"));
  std::filesystem::create_symlink("nowhere", in(folder, "dangling"));
  std::filesystem::create_symlink("loop", in(folder, "loop"));
  QCOMPARE(mkfifo(in(folder, "pipe").c_str(), 0600), 0);

  const std::filesystem::path path = name.empty() ? std::filesystem::path() : in(folder, name);
  const auto source = ByteSource::openFile(path);
  QVERIFY(!source);
  QCOMPARE(std::string(source.error().diagnostic().idText()), id);
  if (const auto at = message.find("{}"); at != std::string::npos) message.replace(at, 2, escaped(path.native()));
  QCOMPARE(source.error().message(), message);
}

void TestSource::fileWithoutReadPermissionIsRefused() {
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  writeFile(path, "x");
  QCOMPARE(chmod(folder.path().toLocal8Bit().constData(), 0755), 0);
  QCOMPARE(chmod(path.c_str(), 0), 0);
  const Unprivileged somebody;
  if (!somebody.works()) QSKIP("running as root, who reads every file, and no other user can be taken on");
  const auto source = ByteSource::openFile(path);
  QVERIFY(!source);
  QCOMPARE(source.error().message(), "'" + path.native() + "' cannot be read: Permission denied");
  QVERIFY(source.error().id() == DiagnosticId::FileNotReadable);
}

void TestSource::linkOpensItsTarget() {
  const QTemporaryDir folder;
  writeFile(in(folder, "a.so"), "content");
  std::filesystem::create_symlink("a.so", in(folder, "link"));
  const auto source = ByteSource::openFile(in(folder, "link"));
  QVERIFY(source);
  QVERIFY(ByteSource::all(*source).view() == "content");
}

void TestSource::bufferIsNotAFile() {
  const auto buffer = source("abc");
  QVERIFY(!buffer->isFile());
  QVERIFY(ByteSource::all(buffer).view() == "abc");
  QVERIFY(!ByteSource::all(buffer).offset());
  QVERIFY(buffer->identity() == FileIdentity{});
  QVERIFY(!buffer->damage());
  QVERIFY(!buffer->findChange());
  QVERIFY(ByteSource::all(ByteSource::fromBuffer({})).empty());
}

void TestSource::unchangedBytesReportNoChange_data() {
  QTest::addColumn<int>("what");
  QTest::newRow("nothing happens") << 0;
  QTest::newRow("removed") << 1;
  QTest::newRow("another file gets its name") << 2;
}

/// Events that do not change the opened bytes are not reported as a change.
void TestSource::unchangedBytesReportNoChange() {
  QFETCH(int, what);
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  writeFile(path, "content");
  const auto source = ByteSource::openFile(path);
  QVERIFY(source);
  switch (what) {
  case 1: QVERIFY(std::filesystem::remove(path)); break;
  case 2:
    writeFile(in(folder, "new"), "longer content");
    std::filesystem::rename(in(folder, "new"), path);
    break;
  default: break;
  }
  QVERIFY(!(*source)->findChange());
  QVERIFY(!(*source)->findDiskChange());
  QVERIFY(!(*source)->damage());
  QVERIFY(ByteSource::all(*source).view() == "content");
}

void TestSource::changedFileIsReported_data() {
  QTest::addColumn<int>("what");
  QTest::addColumn<uint64_t>("at");
  QTest::newRow("grown") << 0 << uint64_t{0};
  QTest::newRow("touched") << 1 << uint64_t{0};
  QTest::newRow("older than before") << 2 << uint64_t{0};
  QTest::newRow("one byte shorter") << 3 << uint64_t{9'999};
  QTest::newRow("emptied") << 4 << uint64_t{0};
  QTest::newRow("emptied and as long as before") << 5 << uint64_t{0};
}

void TestSource::changedFileIsReported() {
  QFETCH(int, what);
  QFETCH(uint64_t, at);
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  writeFile(path, std::string(10'000, 'x'));
  // A time in the past, so that any later change has a different time.
  timespec times[2] = {{1'000'000'000, 7}, {1'000'000'000, 7}};
  QCOMPARE(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const auto source = ByteSource::openFile(path);
  QVERIFY(source);
  QVERIFY(!(*source)->findChange());
  switch (what) {
  case 0: std::ofstream(path, std::ios::app) << "more"; break;
  case 1:
    times[1].tv_nsec = 8;
    QCOMPARE(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    break;
  case 2:
    times[1].tv_sec -= 1;
    QCOMPARE(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    break;
  case 3: QVERIFY(shrink(path, 9'999)); break;
  case 4: QVERIFY(shrink(path, 0)); break;
  default:
    QVERIFY(shrink(path, 0));
    QVERIFY(shrink(path, 10'000));
    break;
  }
  QCOMPARE((*source)->findChange(), std::optional(at));
  QCOMPARE((*source)->findDiskChange(), std::optional(at));
  QVERIFY(!(*source)->damage()); // nothing was touched
}

/// Other bytes with the same size and the old time: the mapping shows them, so the change must be reported.
void TestSource::changeWithTheOldTimeIsReported() {
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  writeFile(path, std::string(10'000, 'x'));
  const timespec times[2] = {{1'000'000'000, 7}, {1'000'000'000, 7}};
  QCOMPARE(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const auto source = ByteSource::openFile(path);
  QVERIFY(source);
  QVERIFY((*source)->isLive());
  // The clock of a file system may tick only every few milliseconds.
  struct stat status = {};
  QVERIFY(QTest::qWaitFor(
      [&] {
        std::fstream(path, std::ios::in | std::ios::out) << std::string(10'000, 'y');
        if (utimensat(AT_FDCWD, path.c_str(), times, 0) != 0 || stat(path.c_str(), &status) != 0) return false;
        return int64_t{status.st_ctim.tv_sec} * 1'000'000'000 + status.st_ctim.tv_nsec !=
               (*source)->identity().statusNs;
      },
      30'000));
  QCOMPARE(int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec, (*source)->identity().changedNs);
  QCOMPARE((*source)->findChange(), std::optional<uint64_t>(0));
}

void TestSource::privateBytesNeverChange_data() {
  QTest::addColumn<int>("what");
  QTest::addColumn<bool>("written");
  QTest::newRow("nothing happens") << 0 << false;
  QTest::newRow("overwritten in place") << 1 << true;
  QTest::newRow("cut off") << 2 << true;
  QTest::newRow("grown") << 3 << true;
  QTest::newRow("removed") << 4 << false;
  QTest::newRow("another file gets its name") << 5 << false;
  QTest::newRow("other rights") << 6 << false;
}

/// Bytes in memory never change. A change of the file on disk can be queried all the same.
void TestSource::privateBytesNeverChange() {
  QFETCH(int, what);
  QFETCH(bool, written);
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  const std::string content = std::string(3 * pageSize(), 'x') + "end";
  writeFile(path, content);
  const timespec times[2] = {{1'000'000'000, 7}, {1'000'000'000, 7}};
  QCOMPARE(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const auto source = ByteSource::openPrivate(path, content.size());
  QVERIFY(source);
  QVERIFY(!(*source)->isLive() && (*source)->isFile());
  switch (what) {
  case 1: std::fstream(path, std::ios::in | std::ios::out) << std::string(content.size(), 'y'); break;
  case 2: QVERIFY(shrink(path, 10)); break;
  case 3: std::ofstream(path, std::ios::app) << "more"; break;
  case 4: QVERIFY(std::filesystem::remove(path)); break;
  case 5:
    writeFile(in(folder, "new"), "other content");
    std::filesystem::rename(in(folder, "new"), path);
    break;
  case 6: QCOMPARE(chmod(path.c_str(), 0600), 0); break;
  default: break;
  }
  const Bytes all = ByteSource::all(*source);
  QVERIFY(all.view() == content);
  QCOMPARE(all.offset(), std::optional<uint64_t>(0));
  QVERIFY(!(*source)->findChange() && !(*source)->damage());
  QCOMPARE((*source)->findDiskChange().has_value(), written);
}

void TestSource::largeFilesAreMappedInsteadOfCopied() {
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  writeFile(path, std::string(100, 'x'));
  const auto small = ByteSource::openPrivate(path, 100), large = ByteSource::openPrivate(path, 99);
  QVERIFY(small && large);
  QVERIFY(!(*small)->isLive());
  QVERIFY((*large)->isLive());
  QVERIFY((*small)->identity() == (*large)->identity());
  QVERIFY(ByteSource::all(*small).view() == ByteSource::all(*large).view());
}

void TestSource::openPrivateReportsTheSameErrors() {
  const QTemporaryDir folder;
  writeFile(in(folder, "empty"), "");
  const std::pair<std::filesystem::path, DiagnosticId> rows[] = {{in(folder, "missing"), DiagnosticId::FileNotFound},
                                                                 {in(folder, "empty"), DiagnosticId::FileEmpty},
                                                                 {in(folder, "."), DiagnosticId::FileNotRegular}};
  for (const auto& [path, id] : rows) {
    const auto source = ByteSource::openPrivate(path, 100);
    QVERIFY(!source);
    QVERIFY(source.error().id() == id);
  }
}

void TestSource::bytesLostByShrinkingReadAsZeros_data() {
  QTest::addColumn<uint64_t>("size");
  const uint64_t page = pageSize();
  QTest::newRow("to nothing") << uint64_t{0};
  QTest::newRow("to one byte") << uint64_t{1};
  QTest::newRow("to one page") << page;
  QTest::newRow("to one page and a bit") << page + 100;
  QTest::newRow("within the last page") << 8 * page + 10;
}

/// The remaining bytes are kept, lost bytes read as zeros, and the lowest lost page that was touched is reported.
void TestSource::bytesLostByShrinkingReadAsZeros() {
  QFETCH(uint64_t, size);
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  const uint64_t whole = 8 * pageSize() + 50;
  writeFile(path, std::string(whole, '\1'));
  const auto opened = ByteSource::openFile(path);
  QVERIFY(opened);
  const ByteSource& source = **opened;
  QCOMPARE(sumOf(source), whole);
  QVERIFY(shrink(path, size));
  QVERIFY(!source.damage());
  QCOMPARE(source.findChange(), std::optional(size));

  // From the end, so that the lowest lost page is touched last.
  const auto view = source.view();
  QCOMPARE(view.size(), std::size_t{whole});
  for (std::size_t i = view.size(); i-- > 0;)
    if (view[i] != std::byte{i < size ? uint8_t{1} : uint8_t{0}}) QFAIL(std::to_string(i).c_str());
  const bool pageLost = wholePages(size) < whole;
  QCOMPARE(source.damage(), pageLost ? std::optional(wholePages(size)) : std::nullopt);
  QCOMPARE(source.findChange(), std::optional(pageLost ? wholePages(size) : size));
}

void TestSource::fileCanShrinkWhileThreadsRead() {
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  const uint64_t whole = 6 << 20;
  writeFile(path, std::string(whole, '\1'));
  const auto opened = ByteSource::openFile(path);
  QVERIFY(opened);
  const ByteSource& source = **opened;

  constexpr int kThreads = 4;
  std::array<std::atomic<int>, kThreads> passes = {};
  std::array<std::atomic<uint64_t>, kThreads> sums = {};
  std::atomic<bool> stop = false;
  std::vector<std::thread> readers;
  for (std::size_t i = 0; i < kThreads; ++i)
    readers.emplace_back([&, i] {
      while (!stop) {
        sums[i] = sumOf(source);
        ++passes[i];
      }
    });
  // Waits until every thread has read the whole file `more` times from now on.
  const auto waitForPasses = [&](int more) {
    std::array<int, kThreads> seen;
    for (std::size_t i = 0; i < kThreads; ++i) seen[i] = passes[i];
    return QTest::qWaitFor(
        [&] {
          for (std::size_t i = 0; i < kThreads; ++i)
            if (passes[i] < seen[i] + more) return false;
          return true;
        },
        60'000);
  };
  const bool before = waitForPasses(1);
  const uint64_t sumBefore = sums[0];
  const bool cut = shrink(path, pageSize());
  // The current pass may have read both states; the next one is completely after the change.
  const bool after = waitForPasses(2);
  stop = true;
  for (std::thread& reader : readers) reader.join();

  QVERIFY(before && cut && after);
  QCOMPARE(sumBefore, whole);
  for (const auto& sum : sums) QCOMPARE(sum.load(), pageSize());
  QVERIFY(source.damage());
  QCOMPARE(*source.damage(), pageSize());
  QCOMPARE(source.findChange(), std::optional(pageSize()));
}

void TestSource::readerReportsLostBytes() {
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  writeFile(path, std::string(4 * pageSize(), '\1'));
  const auto opened = ByteSource::openFile(path);
  QVERIFY(opened);
  Reader reader(ByteSource::all(*opened).slice(0, 3 * pageSize()));
  QVERIFY(shrink(path, pageSize()));
  QCOMPARE(int{reader.number<uint8_t>("first")}, 1);
  reader.seek(2 * pageSize() + 8);
  QCOMPARE(reader.number<uint64_t>("lost"), uint64_t{0});
  QVERIFY(reader.ok());
  // The first inconsistency is attributed to the change, not to the original file.
  (void)reader.raw("code", 4 * pageSize());
  QVERIFY(!reader.ok());
  const Error error = reader.error();
  const std::string at = hexText(2 * pageSize());
  QVERIFY(error.id() == DiagnosticId::FileChanged);
  QVERIFY(error.code() == ErrorCode::Io);
  QVERIFY2(error.message().starts_with("the file changed at " + at), error.message().c_str());
  QCOMPARE(error.message(),
           "the file changed at " + at + " while it was open; the bytes that were read from there are out of date");
  QCOMPARE(error.place().at, std::optional(2 * pageSize()));
}

/// A lost page stays zero when the file grows back, so that two reads never disagree; another source of the same file
/// is not affected.
void TestSource::lostPageStaysZero() {
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  writeFile(path, std::string(4 * pageSize(), '\1'));
  const auto first = ByteSource::openFile(path);
  QVERIFY(first);
  QVERIFY(shrink(path, pageSize()));
  QCOMPARE(sumOf(**first), pageSize());
  writeFile(path, std::string(4 * pageSize(), '\2'));
  const auto second = ByteSource::openFile(path);
  QVERIFY(second);
  QCOMPARE((*first)->view()[2 * pageSize()], std::byte{0});
  QCOMPARE(sumOf(**second), 8 * pageSize());
  QVERIFY((*first)->damage());
  QVERIFY(!(*second)->damage());
  QVERIFY(!(*second)->findChange());
}

/// The guard has 1,024 slots; a closed source releases its slot, without the damage that it saw.
void TestSource::closedSourcesReleaseTheirSlots() {
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  writeFile(path, std::string(2 * pageSize(), '\1'));
  {
    const auto source = ByteSource::openFile(path);
    QVERIFY(source);
    QVERIFY(shrink(path, 1));
    QCOMPARE(sumOf(**source), uint64_t{1});
    QVERIFY((*source)->damage());
  }
  writeFile(path, std::string(2 * pageSize(), '\1'));
  for (int i = 0; i < 1'500; ++i) {
    const auto source = ByteSource::openFile(path);
    QVERIFY2(source, std::to_string(i).c_str());
    QVERIFY(!(*source)->damage());
  }
}

void TestSource::moreFilesThanSlotsCanBeOpen() {
  constexpr rlim_t kMany = 1'200;
  rlimit old = {};
  QCOMPARE(getrlimit(RLIMIT_NOFILE, &old), 0);
  rlimit wanted = old;
  wanted.rlim_cur = std::max(old.rlim_cur, kMany);
  if (setrlimit(RLIMIT_NOFILE, &wanted) != 0) QSKIP("1,200 files cannot be open at once: the hard limit is lower");
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  writeFile(path, std::string(2 * pageSize(), '\1'));
  std::vector<std::shared_ptr<const ByteSource>> sources;
  std::optional<Error> refusal;
  while (!refusal && sources.size() < 1'100) {
    auto source = ByteSource::openFile(path);
    if (source)
      sources.push_back(*source);
    else
      refusal = source.takeError();
  }
  QCOMPARE(sources.size(), std::size_t{1024});
  QVERIFY(refusal && refusal->id() == DiagnosticId::FileNotReadable);
  sources.erase(sources.begin() + 500);
  const auto another = ByteSource::openFile(path);
  QVERIFY(another);
  QVERIFY(shrink(path, 0));
  QCOMPARE(sumOf(**another), uint64_t{0});
  QCOMPARE(sumOf(*sources.back()), uint64_t{0});
  QVERIFY((*another)->damage() && sources.back()->damage() && !sources.front()->damage());
  sources.clear();
  QCOMPARE(setrlimit(RLIMIT_NOFILE, &old), 0);
}

/// A lost page of a foreign mapping must not be hidden. The handlers that were installed before ours are still called:
/// that of the sanitizer, or that of Qt Test, which is meant to run once.
void TestSource::faultOutsideOurMappingsEndsTheProcess() {
  const QTemporaryDir folder;
  const auto guarded = in(folder, "guarded"), foreign = in(folder, "foreign");
  writeFile(guarded, "x");
  writeFile(foreign, std::string(2 * pageSize(), '\1'));
  const auto source = ByteSource::openFile(guarded);
  QVERIFY(source);
  const pid_t child = fork();
  QVERIFY(child >= 0);
  if (child == 0) {
    alarm(30);                                  // must not fault forever
    setenv("QTEST_DISABLE_STACK_DUMP", "1", 1); // nor wait for a debugger
    const int silence = open("/dev/null", O_WRONLY);
    dup2(silence, 2);
    const int descriptor = open(foreign.c_str(), O_RDWR);
    void* const address = mmap(nullptr, 2 * pageSize(), PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (descriptor < 0 || address == MAP_FAILED || ftruncate(descriptor, 0) != 0) _exit(0);
    const volatile char lost = static_cast<const volatile char*>(address)[pageSize()];
    (void)lost;
    _exit(0);
  }
  int status = 0;
  QCOMPARE(waitpid(child, &status, 0), child);
  QVERIFY2(!WIFEXITED(status) || WEXITSTATUS(status) != 0, "the child went on");
  QVERIFY2(!WIFSIGNALED(status) || WTERMSIG(status) != SIGALRM, "the child hung");
}

void TestSource::libraryThatShrankBeforeReadingIsReported_data() {
  QTest::addColumn<uint64_t>("size");
  QTest::addColumn<bool>("opens");
  const uint64_t page = pageSize();
  QTest::newRow("nothing is left") << uint64_t{0} << false;
  QTest::newRow("half of the ELF header is left") << uint64_t{32} << true;
  QTest::newRow("the ELF header is left") << uint64_t{64} << true;
  QTest::newRow("the first page is left") << page << true;
  QTest::newRow("half of the blob is left") << 3 * page << true;
  QTest::newRow("one byte is lost") << uint64_t{UINT64_MAX} << true;
}

/// The file shrinks between mapping and reading.
void TestSource::libraryThatShrankBeforeReadingIsReported() {
  QFETCH(uint64_t, size);
  QFETCH(bool, opens);
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  const std::string file = libraryOfPages(6);
  writeFile(path, file);
  auto source = ByteSource::openFile(path);
  QVERIFY(source);
  NullMonitor monitor;
  {
    const auto intact = library::open(*source, "a.so", monitor);
    QVERIFY(intact);
    QVERIFY(!hasDiagnostic(**intact, DiagnosticId::FileChanged));
    QCOMPARE((*intact)->blobs.size(), std::size_t{1});
    QCOMPARE((*intact)->blobs[0]->modules.size(), std::size_t{2});
  }
  QVERIFY(shrink(path, std::min<uint64_t>(size, file.size() - 1)));
  const auto package = library::open(*source, "a.so", monitor);
  if (opens) {
    QVERIFY2(package, package ? "" : package.error().message().c_str());
    QVERIFY(hasDiagnostic(**package, DiagnosticId::FileChanged));
  } else {
    QVERIFY(!package);
    QVERIFY2(package.error().id() == DiagnosticId::FileChanged, package.error().message().c_str());
  }
}

void TestSource::libraryThatShrinksWhileOpeningIsReported_data() {
  QTest::addColumn<uint64_t>("size");
  QTest::newRow("to nothing") << uint64_t{0};
  QTest::newRow("to one page") << pageSize();
  QTest::newRow("to three pages") << 3 * pageSize();
}

void TestSource::libraryThatShrinksWhileOpeningIsReported() {
  QFETCH(uint64_t, size);
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  const std::string file = libraryOfSymbols();
  int signs = 0;
  for (;; ++signs) {
    writeFile(path, file);
    auto source = ByteSource::openFile(path);
    QVERIFY(source);
    ShrinkAfter monitor(path, size, signs);
    const auto package = library::open(*source, "a.so", monitor);
    if (!monitor.done()) break; // opening needed fewer calls than that
    const bool told = package ? hasDiagnostic(**package, DiagnosticId::FileChanged)
                              : package.error().id() == DiagnosticId::FileChanged;
    QVERIFY2(told, std::to_string(signs).c_str());
  }
  QVERIFY2(signs > 8, std::to_string(signs).c_str());
}

void TestSource::libraryThatGrewStillOpens() {
  const QTemporaryDir folder;
  const auto path = in(folder, "a.so");
  writeFile(path, libraryOfPages(1));
  auto source = ByteSource::openFile(path);
  QVERIFY(source);
  std::ofstream(path, std::ios::app) << "more";
  NullMonitor monitor;
  const auto package = library::open(*source, "a.so", monitor);
  QVERIFY(package);
  QVERIFY(!(*package)->diagnostics.empty());
  QVERIFY((*package)->diagnostics[0].id == DiagnosticId::FileChanged);
  QVERIFY((*package)->diagnostics[0].message().starts_with("the file changed at 0x0"));
}

BLOBSCOPE_TEST(TestSource);
#include "test_source.moc"
