#include "core/write/repack.h"

#include "core/base/place.h"
#include "core/edit/edit_json.h"
#include "core/library/open.h"
#include "tests/core/base/files.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QTemporaryDir>

#include <array>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

const std::vector<Function> kTwo = {{"add"}, {"mul"}};

/// A library with a blob whose image is `code`, followed by more data.
std::string madeLibrary(const std::string& code = ptxText(kTwo), std::size_t behind = 3'000) {
  std::string tail(behind, '\0');
  for (std::size_t i = 0; i < behind; ++i) tail[i] = static_cast<char>(i * 7 + i / 251);
  return ElfBuilder()
      .function("run")
      .data("__tvm_ffi__library_bin",
            ffiBlob({{"_lib", ""}, {"cuda", code3("ptx", kTwo, code, Info::Four)}}, {{1}, {}}))
      .data("behind", tail)
      .build();
}

std::vector<edit::Edit> editsOf(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  auto list = edit::readEdits(bytes("{\"schema\": \"blobscope.edits/1\", \"edits\": [" + text + "]}"));
  if (!list) qFatal("the edits of a test cannot be read");
  return std::move(list->edits);
}

const std::string kRename = "{'op': 'rename', 'ref': 'm1/kernel:add', 'name': 'a kernel with a longer name'}",
                  kSmaller = "{'op': 'rename', 'ref': 'm1/kernel:add', 'name': 'a'}";

Result<library::PackagePtr> openFile(const std::filesystem::path& path) {
  NullMonitor monitor;
  return library::open(path, monitor);
}

Result<write::Repack> planOf(const library::PackagePtr& package, const std::string& edits) {
  NullMonitor monitor;
  return write::planRepack(package, editsOf(edits), {}, {}, monitor);
}

/// The plan carried out in memory.
std::string assembled(const write::Repack& repack) {
  NullMonitor monitor;
  const auto made = write::assemble(repack.plan, repack.package->bytes, monitor);
  return made ? std::string(made->view()) : made.error().message();
}

std::string firstKernel(const library::PackagePtr& package) {
  return std::string(package->blobs.front()->modules[1]->body->kernels().front().name.view());
}

/// Does something once, when the work asks the monitor for the given time.
class AtLook final : public Monitor {
public:
  AtLook(int look, std::function<void()> action) : m_look(look), m_action(std::move(action)) {}
  bool stopRequested() const override {
    if (m_looks++ == m_look) m_action();
    return false;
  }
  void progress(std::string_view, uint64_t, uint64_t) override {}
  bool happened() const { return m_looks > m_look; }

private:
  const int m_look;
  const std::function<void()> m_action;
  mutable int m_looks = 0;
};

} // namespace

class TestRepack : public QObject {
  Q_OBJECT

private Q_SLOTS:
  /// Without edits every file is written byte for byte.
  void unchangedLibraryIsWrittenIdentically_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<std::string>("edits");
    const std::string same = "{'op': 'set', 'ref': 'm1/field:fmt', 'value': 'ptx'}";
    QTest::newRow("no edits") << madeLibrary() << std::string();
    QTest::newRow("an edit that changes nothing") << madeLibrary() << same;
    QTest::newRow("there and back") << madeLibrary() << "{'op': 'set', 'ref': 'm1/field:fmt', 'value': 'x'},"s + same;
    QTest::newRow("in a tar") << tarOf({{"a.so", madeLibrary()}})
                              << "{'op': 'set', 'ref': 'a.so!m1/field:fmt', 'value': 'ptx'}"s;
    QTest::newRow("in a packed tar") << gzipOf(tarOf({{"a.so", madeLibrary()}}))
                                     << "{'op': 'set', 'ref': 'a.so!m1/field:fmt', 'value': 'ptx'}"s;
  }
  void unchangedLibraryIsWrittenIdentically() {
    QFETCH(std::string, file);
    QFETCH(std::string, edits);
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), file);
    const auto package = openFile(in(folder, "a"));
    QVERIFY(package);
    const auto repack = planOf(*package, edits);
    QVERIFY2(repack, repack ? "" : repack.error().message().c_str());
    QCOMPARE(write::strategyName(repack->plan), "identity"s);
    QVERIFY(repack->plan.changes.empty());
    NullMonitor monitor;
    QVERIFY(write::writeRepack(*repack, in(folder, "b"), {}, monitor));
    QVERIFY(readFile(in(folder, "b")) == file);
    QCOMPARE(listing(folder), "a b"s);
  }

  /// A plan writes nothing.
  void planWritesNothing() {
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), madeLibrary());
    const auto package = openFile(in(folder, "a"));
    const auto repack = planOf(*package, kRename);
    QVERIFY(repack);
    QVERIFY(repack->plan.size() > madeLibrary().size());
    QCOMPARE(listing(folder), "a"s);
    QVERIFY(readFile(in(folder, "a")) == madeLibrary());
  }

  void editedLibraryIsWritten_data() {
    QTest::addColumn<std::string>("edits");
    QTest::addColumn<std::string>("name");
    QTest::addColumn<bool>("sampled");
    for (const bool sampled : {false, true}) {
      QTest::addRow("larger, %s", sampled ? "sampled" : "full") << kRename << "a kernel with a longer name"s << sampled;
      QTest::addRow("smaller, %s", sampled ? "sampled" : "full") << kSmaller << "a"s << sampled;
      QTest::addRow("same size, %s", sampled ? "sampled" : "full")
          << "{'op': 'rename', 'ref': 'm1/kernel:add', 'name': 'sum'}"s << "sum"s << sampled;
    }
  }
  void editedLibraryIsWritten() {
    QFETCH(std::string, edits);
    QFETCH(std::string, name);
    QFETCH(bool, sampled);
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), madeLibrary());
    const auto package = openFile(in(folder, "a"));
    const auto repack = planOf(*package, edits);
    QVERIFY2(repack, repack ? "" : repack.error().message().c_str());
    NullMonitor monitor;
    write::WriteOptions options;
    options.verify = sampled ? write::WriteOptions::Verify::Sampled : write::WriteOptions::Verify::Full;
    const auto done = write::writeRepack(*repack, in(folder, "b"), options, monitor);
    QVERIFY2(done, done ? "" : done.error().message().c_str());
    QVERIFY(readFile(in(folder, "b")) == assembled(*repack));
    QVERIFY(readFile(in(folder, "a")) == madeLibrary());
    QCOMPARE(listing(folder), "a b"s);
    const auto again = openFile(in(folder, "b"));
    QVERIFY(again);
    QCOMPARE(firstKernel(*again), name);
  }

  /// The opened file may be the target. The opened bytes stay unchanged; the permissions and the link to the file stay,
  /// too.
  void openedFileCanBeTheTarget() {
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), madeLibrary());
    QCOMPARE(chmod(in(folder, "a").c_str(), 0750), 0);
    std::filesystem::create_symlink("a", in(folder, "link"));
    const auto package = openFile(in(folder, "link"));
    const auto repack = planOf(*package, kRename);
    const std::string expected = assembled(*repack);
    NullMonitor monitor;
    const auto done = write::writeRepack(*repack, in(folder, "link"), {}, monitor);
    QVERIFY2(done, done ? "" : done.error().message().c_str());
    QVERIFY(readFile(in(folder, "a")) == expected);
    QVERIFY(std::filesystem::is_symlink(in(folder, "link")));
    QCOMPARE(std::filesystem::status(in(folder, "a")).permissions(), std::filesystem::perms{0750});
    QVERIFY((*package)->bytes.view() == madeLibrary());
    QCOMPARE(firstKernel(*package), "add"s);
    QCOMPARE(listing(folder), "a link"s);
  }

  void backupKeepsTheOldTarget_data() {
    QTest::addColumn<bool>("exists");
    QTest::newRow("of the opened file") << true;
    QTest::newRow("of nothing") << false;
  }
  void backupKeepsTheOldTarget() {
    QFETCH(bool, exists);
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), madeLibrary());
    writeFile(in(folder, "a.bak"), "an older one");
    const auto package = openFile(in(folder, "a"));
    const auto repack = planOf(*package, kRename);
    const std::string expected = assembled(*repack);
    NullMonitor monitor;
    write::WriteOptions options;
    options.backup = true;
    const auto target = in(folder, exists ? "a" : "b");
    QVERIFY(write::writeRepack(*repack, target, options, monitor));
    QVERIFY(readFile(target) == expected);
    QVERIFY(readFile(in(folder, "a.bak")) == (exists ? madeLibrary() : "an older one"));
    QCOMPARE(listing(folder), exists ? "a a.bak"s : "a a.bak b"s);
  }

  /// Files that edits read are not overwritten, nor are other inputs of the caller; with a backup, neither is the
  /// opened file.
  void targetThatIsAnInputIsRefused_data() {
    QTest::addColumn<std::string>("target");
    QTest::addColumn<bool>("backup");
    QTest::addColumn<bool>("refused");
    const auto row = [](const char* name, const char* target, bool backup, bool refused) {
      QTest::newRow(name) << std::string(target) << backup << refused;
    };
    row("replacement beside the list", "beside", false, true);
    row("replacement by its path", "replacement", false, true);
    row("hard link to a replacement", "hard", false, true);
    row("link to a replacement", "link", false, true);
    row("code of a new module", "module", false, true);
    row("list of edits", "list", false, true);
    row("opened file", "a.so.bak", false, false);
    row("opened file, with a backup", "a.so.bak", true, false);
    row("file whose backup is the opened one", "a.so", true, true);
    row("the same without a backup", "a.so", false, false);
    row("new file", "new", true, false);
  }
  void targetThatIsAnInputIsRefused() {
    QFETCH(std::string, target);
    QFETCH(bool, backup);
    QFETCH(bool, refused);
    const QTemporaryDir folder;
    const std::string payload = code3("ptx", kTwo, "// other", Info::Four);
    for (const char* const name : {"beside", "replacement", "module", "list"}) writeFile(in(folder, name), payload);
    writeFile(in(folder, "a.so"), "somebody's");
    writeFile(in(folder, "a.so.bak"), madeLibrary());
    std::filesystem::create_hard_link(in(folder, "replacement"), in(folder, "hard"));
    std::filesystem::create_symlink("replacement", in(folder, "link"));
    const auto package = openFile(in(folder, "a.so.bak"));
    QVERIFY(package);
    NullMonitor monitor;
    const std::string edits =
        "{'op': 'replace', 'ref': 'm1', 'file': 'beside'}, {'op': 'replace', 'ref': 'm1', 'file': '" +
        in(folder, "replacement").native() +
        "'}, {'op': 'add', 'id': 'new1', 'key': 'cuda', 'file': 'module', 'parents': ['m0']}";
    edit::ApplyOptions apply;
    apply.folder = folder.path().toStdString();
    const auto repack = write::planRepack(*package, editsOf(edits), apply, {}, monitor);
    QVERIFY2(repack, repack ? "" : repack.error().message().c_str());
    const std::string before = listing(folder);
    write::WriteOptions options;
    options.backup = backup;
    options.inputs = {in(folder, "list")};
    const auto done = write::writeRepack(*repack, in(folder, target), options, monitor);
    QVERIFY2(done.hasValue() != refused, done ? "" : done.error().message().c_str());
    if (!refused) return;
    QCOMPARE(done.error().id(), DiagnosticId::FileSame);
    QCOMPARE(listing(folder), before);
    for (const char* const name : {"beside", "replacement", "module", "list"})
      QVERIFY2(readFile(in(folder, name)) == payload, name);
    QVERIFY(readFile(in(folder, "a.so")) == "somebody's" && readFile(in(folder, "a.so.bak")) == madeLibrary());
  }

  void readOnlyFolderIsRefused() {
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), madeLibrary());
    const auto package = openFile(in(folder, "a"));
    const auto repack = planOf(*package, kRename);
    QCOMPARE(chmod(folder.path().toLocal8Bit().constData(), 0555), 0);
    const Unprivileged somebody;
    if (!somebody.works()) QSKIP("running as root, who writes everywhere, and no other user can be taken on");
    NullMonitor monitor;
    const auto done = write::writeRepack(*repack, in(folder, "a"), {}, monitor);
    QVERIFY(!done);
    QCOMPARE(std::string(done.error().diagnostic().idText()), "FILE-WRITE"s);
    QCOMPARE(listing(folder), "a"s);
  }

  /// A file that changed since it was opened is not used as the source of the new one.
  void fileChangedSinceOpeningIsRefused() {
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), madeLibrary());
    const auto package = openFile(in(folder, "a"));
    const auto repack = planOf(*package, kRename);
    std::filesystem::resize_file(in(folder, "a"), madeLibrary().size() - 100);
    NullMonitor monitor;
    const auto done = write::writeRepack(*repack, in(folder, "b"), {}, monitor);
    QVERIFY(!done);
    QCOMPARE(std::string(done.error().diagnostic().idText()), "FILE-CHANGED"s);
    QCOMPARE(listing(folder), "a"s);
  }

  /// Other bytes with the old time; a plan or a result might mix old and new bytes.
  void fileOverwrittenInPlaceIsRefused_data() {
    QTest::addColumn<bool>("planned");
    QTest::newRow("before planning") << false;
    QTest::newRow("before writing") << true;
  }
  void fileOverwrittenInPlaceIsRefused() {
    QFETCH(bool, planned);
    const QTemporaryDir folder;
    const auto path = in(folder, "a");
    writeFile(path, madeLibrary());
    const timespec past[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    QCOMPARE(utimensat(AT_FDCWD, path.c_str(), past, 0), 0);
    const auto package = openFile(path);
    const auto early = planOf(*package, kRename);
    QVERIFY(early);
    // The clock of a file system may tick only every few milliseconds.
    QVERIFY(QTest::qWaitFor(
        [&] {
          std::ofstream(path, std::ios::in | std::ios::binary)
              .seekp(static_cast<std::streamoff>(madeLibrary().size() - 1))
              .put('x');
          return utimensat(AT_FDCWD, path.c_str(), past, 0) == 0 && (*package)->bytes.owner()->findChange();
        },
        30'000));
    NullMonitor monitor;
    const auto late = planned ? Result<write::Repack>(*early) : planOf(*package, kRename);
    const auto done = late ? write::writeRepack(*late, in(folder, "b"), {}, monitor) : Result<Done>(late.error());
    QVERIFY(!done);
    QCOMPARE(bool(late), planned);
    QCOMPARE(std::string(done.error().diagnostic().idText()), "FILE-CHANGED"s);
    QCOMPARE(listing(folder), "a"s);
  }

  /// The bytes of a library in memory are fixed, so another file can be written. The opened file, which others wrote
  /// to, is not overwritten.
  void libraryInMemoryCanBeWritten() {
    const QTemporaryDir folder;
    const auto path = in(folder, "a");
    writeFile(path, madeLibrary());
    const timespec past[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    QCOMPARE(utimensat(AT_FDCWD, path.c_str(), past, 0), 0);
    NullMonitor monitor;
    const auto package = library::openPrivate(path, monitor);
    QVERIFY(package);
    const auto repack = planOf(*package, kRename);
    QVERIFY(repack);
    QVERIFY(write::writeRepack(*repack, in(folder, "before"), {}, monitor));
    std::filesystem::resize_file(path, 10);
    QVERIFY(write::writeRepack(*repack, in(folder, "behind"), {}, monitor));
    QVERIFY(readFile(in(folder, "before")) == readFile(in(folder, "behind")));
    const auto done = write::writeRepack(*repack, path, {}, monitor);
    QVERIFY(!done);
    QCOMPARE(std::string(done.error().diagnostic().idText()), "REP-CHANGED"s);
    QCOMPARE(std::filesystem::file_size(path), uintmax_t{10});
    QVERIFY(readFile(in(folder, "a.rejected")) == readFile(in(folder, "before")));
  }

  /// The opened file is the target, and another program changes it at each point of the work at which it can. It keeps
  /// what the other program wrote.
  void newerFileIsNeverOverwritten_data() {
    QTest::addColumn<std::string>("how");
    QTest::addColumn<bool>("inMemory");
    for (const bool inMemory : {false, true})
      for (const char* how : {"renamed over it", "written to, with the old time", "removed and made again"})
        QTest::newRow((std::string(how) + (inMemory ? ", in memory" : "")).c_str()) << std::string(how) << inMemory;
  }
  void newerFileIsNeverOverwritten() {
    QFETCH(std::string, how);
    QFETCH(bool, inMemory);
    const std::string newer = madeLibrary(ptxText(kTwo), 3'001), sameSize = madeLibrary(ptxText({{"mul"}, {"add"}}));
    QCOMPARE(sameSize.size(), madeLibrary().size());
    for (int look = 0;; ++look) {
      QVERIFY(look < 10'000);
      const QTemporaryDir folder;
      const auto path = in(folder, "a");
      writeFile(path, madeLibrary());
      NullMonitor monitor;
      const auto package = inMemory ? library::openPrivate(path, monitor) : library::open(path, monitor);
      const auto repack = planOf(*package, kRename);
      QVERIFY(repack);
      const std::string& written = how == "written to, with the old time" ? sameSize : newer;
      AtLook other(look, [&] {
        if (how == "renamed over it") {
          writeFile(in(folder, "newer"), newer);
          std::filesystem::rename(in(folder, "newer"), path);
        } else if (how == "removed and made again") {
          std::filesystem::remove(path);
          writeFile(path, newer);
        } else {
          const auto time = std::filesystem::last_write_time(path);
          struct stat before = {}, now = {};
          QCOMPARE(stat(path.c_str(), &before), 0);
          do { // until the system's clock for files has moved on
            std::ofstream(path, std::ios::in | std::ios::binary) << sameSize;
            std::filesystem::last_write_time(path, time);
            QCOMPARE(stat(path.c_str(), &now), 0);
          } while (now.st_ctim.tv_sec == before.st_ctim.tv_sec && now.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
        }
      });
      write::WriteOptions options;
      options.backup = look % 2 == 1;
      const auto done = write::writeRepack(*repack, path, options, other);
      if (!other.happened()) { // all points were tried
        QVERIFY2(done, done ? "" : done.error().message().c_str());
        QVERIFY(look > 5);
        return;
      }
      QVERIFY(!done);
      const std::string id(done.error().diagnostic().idText());
      QVERIFY(readFile(path) == written);
      // Bytes of a mapped file that others wrote to are neither the old nor the new ones, so there is no result.
      if (!inMemory && id == "FILE-CHANGED") {
        QCOMPARE(listing(folder), "a"s);
        continue;
      }
      QCOMPARE(id, "REP-CHANGED"s);
      QCOMPARE(listing(folder), "a a.rejected"s);
      QVERIFY2(done.error().message().find(in(folder, "a.rejected").native()) != std::string::npos,
               done.error().message().c_str());
      QVERIFY(readFile(in(folder, "a.rejected")) == assembled(*repack));
    }
  }

  /// Of writers that opened the same file, one succeeds; the results of the others are kept, each under its own name.
  void oneOfSeveralWritersSucceeds() {
    constexpr int kWriters = 6;
    const QTemporaryDir folder;
    const auto path = in(folder, "a");
    writeFile(path, madeLibrary());
    std::vector<write::Repack> repacks;
    for (int i = 0; i < kWriters; ++i) {
      const auto package = openFile(path);
      auto repack = planOf(*package, "{'op': 'rename', 'ref': 'm1/kernel:add', 'name': 'w" + std::to_string(i) + "'}");
      QVERIFY(repack);
      repacks.push_back(std::move(*repack));
    }
    std::array<std::string, kWriters> results;
    std::vector<std::thread> threads;
    for (int i = 0; i < kWriters; ++i)
      threads.emplace_back([&, i] {
        NullMonitor monitor;
        const auto done = write::writeRepack(repacks[static_cast<std::size_t>(i)], path, {}, monitor);
        results[static_cast<std::size_t>(i)] = done ? "written" : std::string(done.error().diagnostic().idText());
      });
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(std::count(results.begin(), results.end(), "written"s), 1);
    QCOMPARE(std::count(results.begin(), results.end(), "REP-CHANGED"s), kWriters - 1);
    const auto winner =
        static_cast<std::size_t>(std::find(results.begin(), results.end(), "written") - results.begin());
    QVERIFY(readFile(path) == assembled(repacks[winner]));
    QCOMPARE(listing(folder), "a a.rejected a.rejected.2 a.rejected.3 a.rejected.4 a.rejected.5"s);
  }

  /// A program that keeps a lock on the file may be about to write to it.
  void lockedFileIsNotOverwritten() {
    const QTemporaryDir folder;
    const auto path = in(folder, "a");
    writeFile(path, madeLibrary());
    const auto package = openFile(path);
    const auto repack = planOf(*package, kRename);
    QVERIFY(repack);
    const Descriptor locked(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    QCOMPARE(flock(locked.number(), LOCK_EX), 0);
    NullMonitor monitor;
    const auto done = write::writeRepack(*repack, path, {}, monitor);
    QVERIFY(!done);
    QCOMPARE(std::string(done.error().diagnostic().idText()), "REP-CHANGED"s);
    QVERIFY2(done.error().message().find("is locked by another program") != std::string::npos,
             done.error().message().c_str());
    QVERIFY(readFile(path) == madeLibrary());
    QCOMPARE(flock(locked.number(), LOCK_UN), 0);
    QVERIFY(write::writeRepack(*repack, path, {}, monitor));
  }

  /// Cancelled at each check: no new file, no temporary file, the target unchanged.
  void cancelledRepackLeavesTheTarget_data() {
    QTest::addColumn<bool>("exists");
    QTest::newRow("new file") << false;
    QTest::newRow("existing file") << true;
  }
  void cancelledRepackLeavesTheTarget() {
    QFETCH(bool, exists);
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), tarOf({{"x.so", madeLibrary("// x", 200'000)}, {"y.so", madeLibrary()}}));
    if (exists) writeFile(in(folder, "b"), "before");
    const auto package = openFile(in(folder, "a"));
    const std::string edits = "{'op': 'rename', 'ref': 'x.so!m1/kernel:add', 'name': 'a longer name'}, {'op': "
                              "'rename', 'ref': 'y.so!m1/kernel:add', 'name': 'x'}";
    const std::string before = listing(folder);
    for (int looks = 0; looks < 10'000; ++looks) {
      StopAfter stop(looks);
      const auto repack = write::planRepack(*package, editsOf(edits), {}, {}, stop);
      const auto done = repack ? write::writeRepack(*repack, in(folder, "b"), {}, stop)
                               : Result<Done>(Error(DiagnosticId::Cancelled, {}));
      if (!repack) QVERIFY2(repack.error().code() == ErrorCode::Cancelled, repack.error().message().c_str());
      if (done) {
        QVERIFY(looks > 5);
        QCOMPARE(listing(folder), "a b"s);
        return;
      }
      QVERIFY2(done.error().code() == ErrorCode::Cancelled, done.error().message().c_str());
      QCOMPARE(listing(folder), before);
      if (exists) QCOMPARE(readFile(in(folder, "b")), "before"s);
    }
    QFAIL("it never ends");
  }

  // --- reading back ---

  void verificationDetectsDamage_data() {
    QTest::addColumn<std::string>("damage");
    QTest::addColumn<std::string>("expected");
    QTest::newRow("as it is") << std::string() << std::string();
    QTest::newRow("first byte") << "first"s << "the byte at 0x0 differs"s;
    QTest::newRow("a byte of the blob") << "blob"s << "differs"s;
    QTest::newRow("last byte") << "last"s << "differs"s;
    QTest::newRow("one byte less") << "short"s << " instead of "s;
    QTest::newRow("one byte more") << "long"s << " instead of "s;
    QTest::newRow("empty") << "empty"s << "empty"s;
  }
  void verificationDetectsDamage() {
    QFETCH(std::string, damage);
    QFETCH(std::string, expected);
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), madeLibrary());
    const auto package = openFile(in(folder, "a"));
    const auto repack = planOf(*package, kRename);
    std::string made = assembled(*repack);
    const auto flip = [&](std::size_t at) { made[at] = static_cast<char>(made[at] ^ 1); };
    if (damage == "first") flip(0);
    if (damage == "blob") flip(made.find("a kernel with a longer name") + 3);
    if (damage == "last") flip(made.size() - 1);
    if (damage == "short") made.pop_back();
    if (damage == "long") made += 'x';
    if (damage == "empty") made.clear();
    writeFile(in(folder, "b"), made);
    NullMonitor monitor;
    for (const auto how : {write::WriteOptions::Verify::Full, write::WriteOptions::Verify::Sampled}) {
      const auto verified = write::verifyRepack(*repack, in(folder, "b"), how, monitor);
      QCOMPARE(verified.hasValue(), damage.empty());
      if (verified) continue;
      const std::string message = verified.error().message();
      QVERIFY2(message.find(expected) != std::string::npos, message.c_str());
    }
    StopAfter stop(0);
    if (damage.empty())
      QVERIFY(write::verifyRepack(*repack, in(folder, "b"), write::WriteOptions::Verify::Full, stop).error().code() ==
              ErrorCode::Cancelled);
  }

  /// The sampled ranges: a flipped byte far inside a long unchanged range is detected only by the full check, a lost
  /// range by both.
  void sampledVerificationDetectsLostRanges() {
    const QTemporaryDir folder;
    const std::size_t behind = 40 << 20;
    writeFile(in(folder, "a"), madeLibrary("// x", behind));
    const auto package = openFile(in(folder, "a"));
    const auto repack = planOf(*package, kSmaller);
    QVERIFY(repack);
    const std::string good = assembled(*repack);
    NullMonitor monitor;
    const auto seen = [&](const std::string& made, write::WriteOptions::Verify how) {
      writeFile(in(folder, "b"), made);
      return !write::verifyRepack(*repack, in(folder, "b"), how, monitor);
    };
    std::string flipped = good, lost = good;
    const std::size_t at = good.size() - (20u << 20) + 1'000'000;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    std::fill_n(lost.begin() + static_cast<std::ptrdiff_t>(at), 9 << 20, '\0');
    using Verify = write::WriteOptions::Verify;
    QVERIFY(!seen(good, Verify::Full) && !seen(good, Verify::Sampled));
    QVERIFY(seen(flipped, Verify::Full) && !seen(flipped, Verify::Sampled));
    QVERIFY(seen(lost, Verify::Full) && seen(lost, Verify::Sampled));
  }

  /// A wrong plan is detected by reading back: the file is kept under another name, the target stays.
  void fileThatFailsVerificationIsKeptAside() {
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), madeLibrary());
    writeFile(in(folder, "b"), "before");
    const auto package = openFile(in(folder, "a"));
    auto repack = planOf(*package, kRename);
    QVERIFY(repack);
    repack->applied.blobs.front().modules[1].imports = {0};
    NullMonitor monitor;
    const auto done = write::writeRepack(*repack, in(folder, "b"), {}, monitor);
    QVERIFY(!done);
    QCOMPARE(std::string(done.error().diagnostic().idText()), "REP-VERIFY"s);
    QCOMPARE(readFile(in(folder, "b")), "before"s);
    std::string kept;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path().toStdString()))
      if (entry.path().filename() != "a" && entry.path().filename() != "b") kept = entry.path().native();
    QVERIFY2(!kept.empty() && done.error().message().find(kept) != std::string::npos, done.error().message().c_str());
    QVERIFY(readFile(kept) == assembled(*repack));
  }

  /// All other symbols are unchanged.
  void otherSymbolsAreUnchanged() {
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), madeLibrary());
    const auto package = openFile(in(folder, "a"));
    auto repack = planOf(*package, kSmaller);
    NullMonitor monitor;
    QVERIFY(write::writeRepack(*repack, in(folder, "b"), {}, monitor));
    auto other = std::make_shared<library::Package>(**package);
    for (auto& symbol : other->image.symbols)
      if (symbol.name == "behind") symbol.value += 1;
    repack->package = other;
    repack->applied.blobs.front().package = other;
    const auto verified = write::verifyRepack(*repack, in(folder, "b"), write::WriteOptions::Verify::Full, monitor);
    QVERIFY(!verified);
    QVERIFY2(verified.error().message().find("the symbol 'behind' has changed") != std::string::npos,
             verified.error().message().c_str());
  }

  // --- several blobs and members ---

  void severalBlobsAreWritten_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<std::string>("first");
    QTest::addColumn<std::string>("second");
    const std::string blob = ffiBlob({{"_lib", ""}, {"cuda", code3("ptx", kTwo, "// x", Info::Four)}}, {{1}, {}});
    QTest::newRow("in one file")
        << ElfBuilder().data("left___tvm_ffi__library_bin", blob).data("right___tvm_ffi__library_bin", blob).build()
        << "left_:"s << "right_:"s;
    QTest::newRow("in two members") << tarOf({{"a.so", madeLibrary()}, {"b.so", madeLibrary()}}) << "a.so!"s
                                    << "b.so!"s;
    QTest::newRow("in two members of a packed tar")
        << gzipOf(tarOf({{"a.so", madeLibrary()}, {"b.so", madeLibrary()}})) << "a.so!"s << "b.so!"s;
  }
  void severalBlobsAreWritten() {
    QFETCH(std::string, file);
    QFETCH(std::string, first);
    QFETCH(std::string, second);
    const QTemporaryDir folder;
    writeFile(in(folder, "a"), file);
    const auto package = openFile(in(folder, "a"));
    QVERIFY(package);
    const std::string edits = "{'op': 'rename', 'ref': '" + second +
                              "m1/kernel:add', 'name': 'a much longer name than before'}, {'op': 'rename', 'ref': '" +
                              first + "m1/kernel:mul', 'name': 'm'}";
    const auto repack = planOf(*package, edits);
    QVERIFY2(repack, repack ? "" : repack.error().message().c_str());
    NullMonitor monitor;
    const auto done = write::writeRepack(*repack, in(folder, "b"), {}, monitor);
    QVERIFY2(done, done ? "" : done.error().message().c_str());
    const auto after = openFile(in(folder, "b"));
    std::vector<std::string> names;
    library::forEachPackage(*after, [&](const library::PackagePtr& one) {
      for (const auto& made : one->blobs)
        for (const auto& kernel : made->modules[1]->body->kernels()) names.emplace_back(kernel.name.view());
    });
    QCOMPARE(names, (std::vector<std::string>{"add", "m", "a much longer name than before", "mul"}));
  }
};

BLOBSCOPE_TEST(TestRepack);
#include "test_repack.moc"
