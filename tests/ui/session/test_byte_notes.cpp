#include "core/base/digest.h"
#include "core/library/open.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/support/wait.h"
#include "ui/session/byte_notes.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

ByteNote bookmark(uint64_t offset, int digit, const char* text, std::vector<std::string> members = {}) {
  ByteNote out;
  out.members = std::move(members);
  out.bytes = {offset, 1};
  out.digit = digit;
  out.text = QString::fromUtf8(text);
  return out;
}
ByteNote note(uint64_t offset, uint64_t size, const char* text) {
  ByteNote out = bookmark(offset, 0, text);
  out.bytes.size = size;
  out.isNote = true;
  return out;
}

/// "1@0x10 start, n@0x20 look".
QString words(const std::vector<ByteNote>& notes) {
  QStringList out;
  for (const ByteNote& one : notes)
    out << QStringLiteral("%1@%2 %3")
               .arg(one.isNote ? QStringLiteral("n") : QString::number(one.digit))
               .arg(one.bytes.offset)
               .arg(one.text);
  return out.join(QStringLiteral(", "));
}

library::PackagePtr file(const std::string& content = "some bytes that are no library") {
  const auto package =
      openBytes(elfWith("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"custom", content}}, {{1}, {}})));
  if (!package) qFatal("not opened");
  return *package;
}

/// Notes of a file, with the jobs that read and write them.
struct Made {
  explicit Made(const library::PackagePtr& package) { set(package); }
  void set(const library::PackagePtr& package, bool keep = false) {
    notes.setFile(package, keep);
    settle();
  }
  void settle() {
    if (!QTest::qWaitFor([&] { return !jobs.isRunning(ByteNotes::tag()); }, kWaitMs)) qFatal("the job does not end");
  }
  Jobs jobs;
  ByteNotes notes{jobs};
};

QStringList stored() { return QDir(ByteNotes::folder()).entryList(QDir::Files); }

} // namespace

/// Bookmarks and notes, kept by the digest of the file.
class TestByteNotes : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void init();
  void equalContentHasTheSameNotes();
  void notesArePutAndRemoved();
  void savedFilesKeepTheirNotes();
  void emptyListsLeaveNoFile();
  void textIsReadAsItWasWritten();
  void damagedTextIsReadAsFarAsPossible();
  void numbersAndLengthsAreLimited();
  void notesOfTheUserSurviveReading();

private:
  int m_count = 1;
  char m_name[16] = "test_byte_notes";
  char* m_arguments[2] = {m_name, nullptr};
  QCoreApplication m_application{m_count, m_arguments};
};

void TestByteNotes::initTestCase() {
  QStandardPaths::setTestModeEnabled(true);
  QCoreApplication::setOrganizationName(QStringLiteral("BlobscopeTests"));
  QCoreApplication::setApplicationName(QStringLiteral("test_byte_notes"));
}

void TestByteNotes::init() {
  QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation)).removeRecursively();
}

void TestByteNotes::equalContentHasTheSameNotes() {
  {
    Made made(file());
    QVERIFY(made.notes.put(bookmark(16, 2, "start")));
    QVERIFY(made.notes.put(note(8, 4, "look")));
    made.settle();
  }
  NullMonitor monitor;
  QCOMPARE(stored(), QStringList(QString::fromStdString(*computeSha256(file()->bytes, monitor)) + ".json"));
  Made again(file()); // opened separately
  QCOMPARE(words(again.notes.all()), QStringLiteral("n@8 look, 2@16 start"));
  again.set(file("other bytes"));
  QVERIFY(again.notes.all().empty());
}

void TestByteNotes::notesArePutAndRemoved() {
  Made made(file());
  QSignalSpy changed(&made.notes, &ByteNotes::changed);
  made.notes.put(bookmark(16, 1, "a"));
  made.notes.put(bookmark(32, 2, "b"));
  made.notes.put(bookmark(16, 1, "other name")); // the same place
  QCOMPARE(words(made.notes.all()), QStringLiteral("1@16 other name, 2@32 b"));
  made.notes.put(bookmark(48, 1, "moved")); // the same key
  QCOMPARE(words(made.notes.all()), QStringLiteral("2@32 b, 1@48 moved"));
  made.notes.put(note(32, 2, "beside the bookmark"));
  QCOMPARE(made.notes.all().size(), std::size_t{3});
  made.notes.remove(bookmark(32, 2, ""));
  QCOMPARE(words(made.notes.all()), QStringLiteral("n@32 beside the bookmark, 1@48 moved"));
  QCOMPARE(changed.count(), 6);
  made.notes.remove(bookmark(7, 0, "")); // there is none
  QCOMPARE(changed.count(), 6);
  // Members have their own offsets.
  made.notes.put(bookmark(48, 3, "inside", {"lib.so"}));
  QCOMPARE(words(made.notes.of({"lib.so"})), QStringLiteral("3@48 inside"));
  QCOMPARE(made.notes.of({}).size(), std::size_t{2});
}

void TestByteNotes::savedFilesKeepTheirNotes() {
  Made made(file());
  made.notes.put(bookmark(16, 1, "a"));
  made.settle();
  made.set(file("saved with a change"), true);
  QCOMPARE(words(made.notes.all()), QStringLiteral("1@16 a"));
  QCOMPARE(stored().size(), 2);
  Made again(file("saved with a change"));
  QCOMPARE(words(again.notes.all()), QStringLiteral("1@16 a"));
  // A content that has its own notes keeps those.
  again.notes.put(bookmark(64, 1, "b"));
  again.settle();
  again.set(file(), true);
  QCOMPARE(words(again.notes.all()), QStringLiteral("1@16 a"));
}

void TestByteNotes::emptyListsLeaveNoFile() {
  Made made(file());
  made.notes.put(bookmark(16, 1, "a"));
  made.settle();
  QCOMPARE(stored().size(), 1);
  made.notes.remove(bookmark(16, 1, "a"));
  made.settle();
  QVERIFY(stored().isEmpty());
}

void TestByteNotes::textIsReadAsItWasWritten() {
  std::vector<ByteNote> notes = {bookmark(0, 9, "first"), bookmark(UINT64_MAX, 0, "last"),
                                 bookmark(5, 1, "in a member", {"dir/a!b", "c"}),
                                 note(5, 7, "two\nlines \"äö\" 100 %")};
  for (ByteNote& one : notes) one.date = QStringLiteral("2026-11-23");
  const auto read = ByteNotes::fromJson(bytes(ByteNotes::toJson("00ff", notes)));
  QVERIFY(read);
  QCOMPARE(words(*read), words(notes));
  QVERIFY(*read == notes);
}

void TestByteNotes::damagedTextIsReadAsFarAsPossible() {
  QVERIFY(!ByteNotes::fromJson(bytes("not JSON")));
  QVERIFY(!ByteNotes::fromJson(bytes("{\"schema\": \"other\"}")));
  const auto read = ByteNotes::fromJson(bytes(R"({"schema": "blobscope.notes/1", "bookmarks": [
    1, {}, {"ref": "m1"}, {"ref": "m1@5"}, {"ref": "@x"}, {"ref": "@5", "key": 12, "text": 7},
    {"ref": "@6+0", "key": 3, "text": "kept"}], "notes": "none"})"));
  QVERIFY(read);
  QCOMPARE(words(*read), QStringLiteral("0@5 , 3@6 kept"));
  QCOMPARE(read->back().bytes.size, uint64_t{1});
  // A stored file that cannot be read does not stop the user.
  Made made(file());
  made.notes.put(bookmark(1, 1, "a"));
  made.settle();
  QFile damaged(ByteNotes::folder() + QLatin1Char('/') + stored().front());
  QVERIFY(damaged.open(QIODevice::WriteOnly) && damaged.write("{") == 1);
  damaged.close();
  Made again(file());
  QVERIFY(again.notes.all().empty());
  again.notes.put(bookmark(2, 1, "b"));
  again.settle();
  Made third(file());
  QCOMPARE(words(third.notes.all()), QStringLiteral("1@2 b"));
}

void TestByteNotes::numbersAndLengthsAreLimited() {
  Made made(file());
  for (uint64_t i = 0; i < ByteNotes::kMost; ++i) QVERIFY(made.notes.put(note(i, 1, "x")));
  QVERIFY(!made.notes.put(note(5'000, 1, "one too many")));
  QVERIFY(made.notes.put(note(7, 1, "replaces")));
  QCOMPARE(made.notes.all().size(), ByteNotes::kMost);
  ByteNote longNote = note(7, 1, "");
  longNote.text = QString(10'000, QLatin1Char('y'));
  QVERIFY(made.notes.put(longNote));
  QCOMPARE(made.notes.all()[7].text.size(), ByteNote::kTextLength);
  made.settle();
  Made again(file());
  QCOMPARE(again.notes.all().size(), ByteNotes::kMost);
}

void TestByteNotes::notesOfTheUserSurviveReading() {
  {
    Made made(file());
    made.notes.put(bookmark(16, 1, "stored"));
    made.settle();
  }
  Made made(file("another file"));
  made.notes.setFile(file());
  made.notes.put(bookmark(32, 2, "typed while reading"));
  made.settle();
  QTRY_COMPARE_WITH_TIMEOUT(words(made.notes.all()), QStringLiteral("1@16 stored, 2@32 typed while reading"), kWaitMs);
  made.settle();
  Made again(file());
  QCOMPARE(words(again.notes.all()), QStringLiteral("1@16 stored, 2@32 typed while reading"));
}

BLOBSCOPE_TEST(TestByteNotes);

#include "test_byte_notes.moc"
