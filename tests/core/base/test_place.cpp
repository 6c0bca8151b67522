#include "core/base/place.h"

#include "tests/core/base/files.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;

namespace {

/// A path relative to the folder.
std::string below(const QTemporaryDir& folder, const std::filesystem::path& path) {
  const std::string whole = std::filesystem::canonical(folder.path().toStdString()).native(), text = path.native();
  return text == whole ? "."s : text.starts_with(whole + "/") ? text.substr(whole.size() + 1) : text;
}

std::string contentOf(const Descriptor& file) {
  std::string text(100, '\0');
  const ssize_t size = read(file.number(), text.data(), text.size());
  return size < 0 ? "cannot be read"s : text.substr(0, static_cast<std::size_t>(size));
}

} // namespace

class TestPathResolution : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void pathIsResolvedThroughLinks_data() {
    QTest::addColumn<std::string>("target");
    QTest::addColumn<std::string>("expected"); // "PATH NAME", or the reason of the refusal
    const auto row = [](const char* target, const char* expected) {
      QTest::newRow(target) << std::string(target) << std::string(expected);
    };
    row("file", "file file");
    row("new", "new new");
    row("a/b/file", "a/b/file file");
    row("a/./b//file", "a/b/file file");
    row("a/b/../../file", "file file");
    row("a", "a ");
    row("a/", "a ");
    row("a/b/..", "a ");
    row("toFile", "a/b/file file");
    row("toNothing", "a/new new");
    row("toFolder/file", "a/b/file file");
    row("toFolder/../new", "a/new new"); // above the target of the link, as the system resolves it
    row("chain", "a/b/file file");
    row("loop", "Too many levels of symbolic links");
    row("missing/file", "the folder 'FOLDER' does not exist");
    row("missing/", "No such file or directory");
    row("file/x", "Not a directory");
  }
  void pathIsResolvedThroughLinks() {
    QFETCH(std::string, target);
    QFETCH(std::string, expected);
    const QTemporaryDir folder;
    std::filesystem::create_directories(in(folder, "a/b"));
    for (const char* const name : {"file", "a/b/file"}) writeFile(in(folder, name), name);
    std::filesystem::create_symlink("a/b/file", in(folder, "toFile"));
    std::filesystem::create_symlink("a/new", in(folder, "toNothing"));
    std::filesystem::create_symlink(in(folder, "a/b"), in(folder, "toFolder"));
    std::filesystem::create_symlink("toFolder/../../toFile", in(folder, "chain"));
    std::filesystem::create_symlink("loop", in(folder, "loop"));
    const auto path = std::filesystem::path(folder.path().toStdString()) / target;
    const auto place = findPlace(path);
    if (!place) {
      if (const std::size_t at = expected.find("FOLDER"); at != std::string::npos)
        expected.replace(at, 6, path.parent_path().native());
      QCOMPARE(place.error().message(), "'" + path.native() + "' cannot be written: " + expected);
      return;
    }
    QCOMPARE(below(folder, place->path) + " " + place->name, expected);
    // The folder is the one named by the path.
    struct stat named = {}, held = {};
    QCOMPARE(stat((place->name.empty() ? place->path : place->path.parent_path()).c_str(), &named), 0);
    QCOMPARE(fstat(place->folder.number(), &held), 0);
    QVERIFY(named.st_ino == held.st_ino && named.st_dev == held.st_dev);
  }
  /// Later changes of the path lead to no other folder.
  void folderStaysOpenWhenItsPathChanges() {
    const QTemporaryDir folder;
    std::filesystem::create_directories(in(folder, "a"));
    std::filesystem::create_directories(in(folder, "other"));
    const auto place = findPlace(in(folder, "a/file"));
    QVERIFY(place);
    std::filesystem::rename(in(folder, "a"), in(folder, "moved"));
    std::filesystem::create_symlink("other", in(folder, "a"));
    QCOMPARE(mkdirat(place->folder.number(), place->name.c_str(), 0700), 0);
    QVERIFY(std::filesystem::exists(in(folder, "moved/file")));
    QVERIFY(std::filesystem::is_empty(in(folder, "other")));
  }

  void readsNeverLeaveTheFolder_data() {
    QTest::addColumn<std::string>("inside");
    QTest::addColumn<std::string>("expected"); // the content, or the id and reason of the refusal
    const auto row = [](const char* inside, const char* expected) {
      QTest::newRow(inside) << std::string(inside) << std::string(expected);
    };
    row("file", "file");
    row("a/b/file", "a/b/file");
    row("a//./b/file", "a/b/file");
    row("toFile", "FILE-NOT-READABLE: 'toFile' is a link, which is not followed; put the file itself there");
    row("toOutside", "FILE-NOT-READABLE: 'toOutside' is a link, which is not followed; put the file itself there");
    row("toNothing", "FILE-NOT-READABLE: 'toNothing' is a link, which is not followed; put the file itself there");
    row("toFolder/file", "FILE-NOT-READABLE: 'toFolder' is a link, which is not followed; put the file itself there");
    row("a/up/secret", "FILE-NOT-READABLE: 'up' is a link, which is not followed; put the file itself there");
    row("../secret", "FILE-NOT-READABLE: it is not in that folder");
    row("a/../../secret", "FILE-NOT-READABLE: it is not in that folder");
    row("/etc/passwd", "FILE-NOT-READABLE: it is not in that folder");
    row("missing", "FILE-NOT-FOUND");
    row("file/x", "FILE-NOT-FOUND");
    row("a", "FILE-NOT-REGULAR");
    row("", "FILE-NOT-REGULAR");
    row("pipe", "FILE-NOT-REGULAR");
  }
  void readsNeverLeaveTheFolder() {
    QFETCH(std::string, inside);
    QFETCH(std::string, expected);
    const QTemporaryDir folder;
    std::filesystem::create_directories(in(folder, "top/a/b"));
    writeFile(in(folder, "secret"), "secret");
    for (const char* const name : {"file", "a/b/file"}) writeFile(in(folder, "top") / name, name);
    std::filesystem::create_symlink("file", in(folder, "top/toFile"));
    std::filesystem::create_symlink("../secret", in(folder, "top/toOutside"));
    std::filesystem::create_symlink("nowhere", in(folder, "top/toNothing"));
    std::filesystem::create_symlink("a/b", in(folder, "top/toFolder"));
    std::filesystem::create_symlink("../..", in(folder, "top/a/up"));
    std::filesystem::create_symlink("top", in(folder, "link"));
    QCOMPARE(mkfifo(in(folder, "top/pipe").c_str(), 0600), 0);
    for (const char* const top : {"top", "link"}) { // the folder itself may be a link
      const auto file = openBeneath(in(folder, top), inside);
      std::string found = file ? contentOf(*file) : std::string(file.error().diagnostic().idText());
      if (!file && file.error().id() == DiagnosticId::FileNotReadable) {
        const std::string message = file.error().message();
        found += message.substr(message.find(" cannot be read") + 15);
      }
      QCOMPARE(found, expected);
    }
  }
};

BLOBSCOPE_TEST(TestPathResolution);
#include "test_place.moc"
