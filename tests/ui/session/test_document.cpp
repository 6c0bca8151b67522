#include "core/base/thread_rule.h"
#include "core/edit/edit_json.h"
#include "core/library/node.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "ui/session/document.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

/// _lib → cuda, opencl with the same kernels.
std::string someLibrary(const std::vector<Function>& kernels = {{"add_kernel"}, {"mul_kernel"}},
                        const char* format = "ptx") {
  const Record cuda = {"cuda", code3(format, kernels, ptxText(kernels), Info::Four)};
  const Record opencl = {"opencl", code3("cl", kernels, openclText(kernels), Info::Four)};
  return elfWith("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, cuda, opencl}, {{1, 2}, {}, {}}));
}

edit::Edit setFormat(const char* value) {
  return edit::SetField{{*Ref::parse("m1/field:fmt"), {}}, {std::string(value)}};
}
edit::Edit renameKernel(const char* from, const char* to) {
  return edit::Rename{{Ref::moduleAt({}, 1).part(PartKind::Kernel, from), {}}, to};
}

} // namespace

/// Pending edits of an opened file: made, undone, reverted, kept over a reload and over the end of the program.
class TestDocument : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase();
  void init();
  void editChangesTheState();
  void undoAndRedoRestoreStates();
  void queuedEditsAreAppliedInOrder();
  void editsOfOneFieldAreMerged();
  void shownEditsUseTheEditedNames();
  void refusedEditChangesNothing();
  void singleEditCanBeReverted();
  void refsFollowEdits();
  void reloadKeepsEdits();
  void reloadThatBreaksEditsIsRefused();
  void savingElsewhereClearsTheModifiedState();
  void savingOverTheFileReloadsIt();
  void editsAreRestoredFromTheJournal();
  void journalOfOtherBytesIsIgnored();
  void discardingRemovesTheJournal();

private:
  QString write(const std::string& bytes, const char* name = "model.so") const {
    QFile file(m_folder.filePath(QLatin1String(name)));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes.data(), static_cast<qint64>(bytes.size())) < 0)
      qFatal("not written");
    return file.fileName();
  }
  static bool open(Document& document, const QString& path) {
    const QSignalSpy opened(&document, &Document::opened);
    document.open(path);
    return QTest::qWaitFor([&] { return !opened.isEmpty(); }, kWaitMs);
  }
  /// Waits until all requested work is done.
  static bool settle(Document& document) {
    return QTest::qWaitFor([&] { return !document.isEditing() && !document.isOpening(); }, kWaitMs);
  }
  static QString format(const Document& document) {
    const auto& module = *document.state()->package->blobs[0]->modules[1];
    const auto name = module.body->format();
    return name ? QString::fromStdString(std::string(name->view())) : QString();
  }
  static QStringList kernels(const Document& document, std::size_t module = 1) {
    QStringList names;
    for (const std::string& name : library::functionNames(*document.state()->package->blobs[0]->modules[module]))
      names << QString::fromStdString(name);
    return names;
  }

  int m_count = 1;
  char m_name[5] = "test";
  char* m_arguments[2] = {m_name, nullptr};
  QCoreApplication m_application{m_count, m_arguments};
  QTemporaryDir m_folder;
};

void TestDocument::initTestCase() {
  QStandardPaths::setTestModeEnabled(true);
  QCoreApplication::setOrganizationName(QStringLiteral("BlobscopeTests"));
  QCoreApplication::setApplicationName(QStringLiteral("test_ui_session"));
  forbidLongWork();
}

void TestDocument::init() {
  QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation)).removeRecursively();
}

void TestDocument::editChangesTheState() {
  Document document;
  QVERIFY(open(document, write(someLibrary())));
  QVERIFY(!document.isModified());
  const auto before = document.state();
  const QSignalSpy edited(&document, &Document::edited), modified(&document, &Document::modifiedChanged);
  document.edit(setFormat("cubin"));
  QCOMPARE(document.state(), before); // not before it is done
  QTRY_COMPARE_WITH_TIMEOUT(edited.size(), 1, kWaitMs);
  QVERIFY(document.isModified());
  QVERIFY(modified.last().first().toBool());
  QCOMPARE(format(document), QStringLiteral("cubin"));
  QCOMPARE(document.state()->edits.size(), std::size_t{1});
  QCOMPARE(document.state()->changes.size(), std::size_t{1});
  QCOMPARE(QString::fromStdString(document.state()->changes[0].what), QStringLiteral("Field 'fmt' set"));
  QCOMPARE(document.state()->opened, before->opened);
  QVERIFY(document.state()->package != before->package);
  // Unedited parts are shared.
  QVERIFY(!document.state()->contents.empty());
}

void TestDocument::undoAndRedoRestoreStates() {
  Document document;
  QVERIFY(open(document, write(someLibrary())));
  const auto first = document.state();
  document.edit(setFormat("cubin"));
  QVERIFY(settle(document));
  const auto second = document.state();
  QCOMPARE(document.undoStack().undoText(), QStringLiteral("Field 'fmt' set"));
  const QSignalSpy edited(&document, &Document::edited);
  document.undo();
  QCOMPARE(document.state(), first); // at once
  QVERIFY(!document.isModified());
  document.redo();
  QCOMPARE(document.state(), second);
  QVERIFY(document.isModified());
  QCOMPARE(edited.size(), 2);
  document.redo();
  document.undo();
  document.undo();
  QCOMPARE(document.state(), first);
}

void TestDocument::queuedEditsAreAppliedInOrder() {
  Document document;
  QVERIFY(open(document, write(someLibrary())));
  const auto first = document.state();
  document.edit(setFormat("cubin"));
  document.edit(renameKernel("add_kernel", "sum"));
  document.edit(renameKernel("mul_kernel", "product"));
  QVERIFY(settle(document));
  QCOMPARE(document.state()->edits.size(), std::size_t{3});
  QCOMPARE(kernels(document), QStringList({QStringLiteral("sum"), QStringLiteral("product")}));
  QCOMPARE(document.undoStack().count(), 3);
  // An undo during an edit undoes that edit.
  document.edit(renameKernel("mul_kernel", "twice"));
  document.undo();
  QVERIFY(settle(document));
  QCOMPARE(kernels(document), QStringList({QStringLiteral("sum"), QStringLiteral("product")}));
  for (int i = 0; i < 3; ++i) document.undo();
  QCOMPARE(document.state(), first);
}

void TestDocument::editsOfOneFieldAreMerged() {
  Document document;
  QVERIFY(open(document, write(someLibrary())));
  document.edit(setFormat("cubin"));
  document.edit(setFormat("fatbin"));
  QVERIFY(settle(document));
  QCOMPARE(document.state()->edits.size(), std::size_t{1});
  QCOMPARE(format(document), QStringLiteral("fatbin"));
  document.undo();
  QCOMPARE(format(document), QStringLiteral("cubin"));
}

void TestDocument::shownEditsUseTheEditedNames() {
  Document document;
  QVERIFY(open(document, write(someLibrary())));
  const auto rename = [&](const char* from, const char* to) {
    document.editShown(Ref::moduleAt({}, 1).part(PartKind::Kernel, from),
                       [to](edit::Target target) -> edit::Edit { return edit::Rename{std::move(target), to}; });
  };
  rename("add_kernel", "sum");
  rename("sum", "total"); // under its current name
  QVERIFY(settle(document));
  QCOMPARE(document.state()->edits.size(), std::size_t{1});
  QCOMPARE(QString::fromStdString(document.state()->changes[0].target), QStringLiteral("m1/kernel:add_kernel"));
  QCOMPARE(kernels(document), QStringList({QStringLiteral("total"), QStringLiteral("mul_kernel")}));
  // The module after a removed one has another number.
  document.edit(edit::Remove{{Ref::moduleAt({}, 1), {}}});
  document.editShown(Ref::moduleAt({}, 1).part(PartKind::Kernel, "add_kernel"),
                     [](edit::Target target) -> edit::Edit { return edit::Rename{std::move(target), "other"}; });
  QVERIFY(settle(document));
  QCOMPARE(document.state()->package->blobs[0]->modules.size(), std::size_t{2});
  QCOMPARE(QString::fromStdString(document.state()->changes.back().target), QStringLiteral("m2/kernel:add_kernel"));
  QCOMPARE(kernels(document).first(), QStringLiteral("other"));
}

void TestDocument::refusedEditChangesNothing() {
  Document document;
  QVERIFY(open(document, write(someLibrary())));
  document.edit(setFormat("cubin"));
  QVERIFY(settle(document));
  const auto before = document.state();
  const QSignalSpy edited(&document, &Document::edited), failed(&document, &Document::editFailed);
  document.edit(renameKernel("no such kernel", "x"));
  QVERIFY(settle(document));
  QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kWaitMs);
  QVERIFY(failed[0][0].toString().contains(QStringLiteral("no such kernel")) ||
          failed[0][0].toString().contains(QStringLiteral("kernel:no%20such")));
  QCOMPARE(document.state(), before);
  QCOMPARE(edited.size(), 0);
  QCOMPARE(document.undoStack().count(), 1);
  // Requests after it are done all the same.
  document.edit(renameKernel("no such kernel", "x"));
  document.edit(renameKernel("add_kernel", "sum"));
  QTRY_COMPARE_WITH_TIMEOUT(edited.size(), 1, kWaitMs);
  QCOMPARE(failed.size(), 2);
}

void TestDocument::singleEditCanBeReverted() {
  Document document;
  QVERIFY(open(document, write(someLibrary())));
  document.edit(setFormat("cubin"));
  document.edit(renameKernel("add_kernel", "sum"));
  QVERIFY(settle(document));
  document.revert(0);
  QVERIFY(settle(document));
  QCOMPARE(document.state()->edits.size(), std::size_t{1});
  QCOMPARE(format(document), QStringLiteral("ptx"));
  QCOMPARE(kernels(document).first(), QStringLiteral("sum"));
  QCOMPARE(document.undoStack().undoText(), QStringLiteral("Revert: Field 'fmt' set"));
  document.undo();
  QCOMPARE(format(document), QStringLiteral("cubin"));
  document.revert(7);
  document.revertAll();
  QVERIFY(settle(document));
  QVERIFY(document.state()->edits.empty());
  QCOMPARE(document.state()->package, document.state()->opened);
  // An edit that another one needs cannot be reverted alone.
  const QString payload = m_folder.filePath(QStringLiteral("payload.bin"));
  QFile file(payload);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(QByteArray::fromStdString(code3("ptx", {{"k"}}, ptxText({{"k"}}), Info::Four)));
  file.close();
  document.edit(edit::AddModule{"new1", "cuda", {payload.toStdString(), {}}, {"m0"}, {}});
  document.edit(edit::Relink{{Ref::moduleAt({}, 0), {}}, {"new1", "m1", "m2"}});
  QVERIFY(settle(document));
  QCOMPARE(document.state()->edits.size(), std::size_t{2});
  const QSignalSpy failed(&document, &Document::editFailed);
  document.revert(0);
  QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kWaitMs);
  QCOMPARE(document.state()->edits.size(), std::size_t{2});
}

void TestDocument::refsFollowEdits() {
  Document document;
  QVERIFY(open(document, write(someLibrary())));
  const auto first = document.state();
  document.edit(renameKernel("add_kernel", "sum"));
  QVERIFY(settle(document));
  const auto second = document.state();
  const auto text = [&](const Document::State& before, const char* ref) {
    const auto now = document.follow(before, *Ref::parse(ref));
    return now ? QString::fromStdString(now->toString()) : QStringLiteral("gone");
  };
  QCOMPARE(text(*first, "m1/kernel:add_kernel"), QStringLiteral("m1/kernel:sum"));
  QCOMPARE(text(*first, "m2/kernel:add_kernel"), QStringLiteral("m2/kernel:add_kernel"));
  document.edit(edit::Remove{{Ref::moduleAt({}, 1), {}}});
  QVERIFY(settle(document));
  QCOMPARE(text(*second, "m1"), QStringLiteral("gone"));
  QCOMPARE(text(*second, "m2"), QStringLiteral("m1"));
  QCOMPARE(text(*second, "symbol:x"), QStringLiteral("symbol:x"));
  const auto third = document.state();
  document.undo();
  QCOMPARE(text(*third, "m1/kernel:add_kernel"), QStringLiteral("m2/kernel:add_kernel"));
  document.undo();
  QCOMPARE(text(*second, "m1/kernel:sum"), QStringLiteral("m1/kernel:add_kernel"));
  document.edit(edit::Remove{{Ref::moduleAt({}, 1).part(PartKind::Kernel, "mul_kernel"), {}}});
  QVERIFY(settle(document));
  QCOMPARE(text(*first, "m1/kernel:mul_kernel"), QStringLiteral("gone"));
}

void TestDocument::reloadKeepsEdits() {
  Document document;
  const QString path = write(someLibrary());
  QVERIFY(open(document, path));
  document.edit(setFormat("cubin"));
  QVERIFY(settle(document));
  write(someLibrary({{"add_kernel"}, {"mul_kernel"}, {"third"}}));
  QVERIFY(open(document, path));
  QVERIFY(document.isReloaded());
  QCOMPARE(document.state()->edits.size(), std::size_t{1});
  QCOMPARE(format(document), QStringLiteral("cubin"));
  QCOMPARE(kernels(document).size(), 3);
  QVERIFY(document.isModified());
  document.revert(0);
  QVERIFY(settle(document));
  QCOMPARE(format(document), QStringLiteral("ptx"));
}

void TestDocument::reloadThatBreaksEditsIsRefused() {
  Document document;
  const QString path = write(someLibrary());
  QVERIFY(open(document, path));
  document.edit(renameKernel("mul_kernel", "product"));
  QVERIFY(settle(document));
  const auto before = document.state();
  write(someLibrary({{"add_kernel"}}));
  const QSignalSpy refused(&document, &Document::refused);
  document.reload();
  QTRY_COMPARE_WITH_TIMEOUT(refused.size(), 1, kWaitMs);
  QVERIFY2(refused[0][0].toString().contains(QStringLiteral("mul_kernel")), qPrintable(refused[0][0].toString()));
  QCOMPARE(document.state(), before);
  document.reloadWithoutEdits();
  QTRY_VERIFY_WITH_TIMEOUT(document.state() != before, kWaitMs);
  QVERIFY(document.state()->edits.empty());
  QVERIFY(!document.isModified());
}

void TestDocument::savingElsewhereClearsTheModifiedState() {
  Document document;
  QVERIFY(open(document, write(someLibrary())));
  document.edit(setFormat("cubin"));
  QVERIFY(settle(document));
  document.markSaved(m_folder.filePath(QStringLiteral("other.so")));
  QVERIFY(!document.isModified());
  QCOMPARE(document.state()->edits.size(), std::size_t{1});
  document.undo();
  QVERIFY(document.isModified());
  document.redo();
  QVERIFY(!document.isModified());
}

void TestDocument::savingOverTheFileReloadsIt() {
  Document document;
  const QString path = write(someLibrary());
  QVERIFY(open(document, path));
  const QSignalSpy changed(&document, &Document::changedOnDisk);
  document.edit(setFormat("fat"));
  QVERIFY(settle(document));
  // As in repacking: another file gets the name.
  const QString next = write(someLibrary({{"add_kernel"}, {"mul_kernel"}}, "fat"), "next.so");
  QVERIFY(QFile::remove(path) && QFile::rename(next, path));
  const auto edited = document.state();
  document.markSaved(path);
  QTRY_VERIFY_WITH_TIMEOUT(document.state() != edited, kWaitMs);
  QVERIFY(!document.isModified());
  QVERIFY(document.state()->edits.empty());
  QCOMPARE(format(document), QStringLiteral("fat"));
  // The history continues across it.
  document.undo();
  QCOMPARE(format(document), QStringLiteral("ptx"));
  QVERIFY(document.isModified());
  document.redo();
  QCOMPARE(format(document), QStringLiteral("fat"));
  QVERIFY(!document.isModified());
  document.edit(renameKernel("add_kernel", "sum"));
  QVERIFY(settle(document));
  QCOMPARE(document.state()->edits.size(), std::size_t{1});
}

void TestDocument::editsAreRestoredFromTheJournal() {
  const QString path = write(someLibrary());
  const QString kept = Journal::pathOf(path);
  {
    Document document;
    QVERIFY(open(document, path));
    document.edit(setFormat("cubin"));
    document.edit(renameKernel("add_kernel", "sum"));
    QVERIFY(settle(document));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(kept), kWaitMs);
    QTRY_VERIFY_WITH_TIMEOUT(!document.jobs().isRunning(Journal::tag()), kWaitMs);
  }
  // The program ended; the next one finds them.
  Document document;
  const QSignalSpy found(&document, &Document::journalFound);
  QVERIFY(open(document, path));
  QTRY_COMPARE_WITH_TIMEOUT(found.size(), 1, kWaitMs);
  const auto edits = found[0][0].value<std::vector<edit::Edit>>();
  QCOMPARE(edits.size(), std::size_t{2});
  document.setEdits(edits, QStringLiteral("Restore"));
  QVERIFY(settle(document));
  QCOMPARE(format(document), QStringLiteral("cubin"));
  QCOMPARE(kernels(document).first(), QStringLiteral("sum"));
  QCOMPARE(document.undoStack().undoText(), QStringLiteral("Restore"));
  QVERIFY(QFile::exists(kept));
  // Nothing pending, nothing saved.
  document.revertAll();
  QVERIFY(settle(document));
  QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(kept), kWaitMs);
  document.undo();
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(kept), kWaitMs);
  document.markSaved(m_folder.filePath(QStringLiteral("other.so")));
  QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(kept), kWaitMs);
}

void TestDocument::journalOfOtherBytesIsIgnored() {
  const QString path = write(someLibrary());
  {
    Document document;
    QVERIFY(open(document, path));
    document.edit(setFormat("cubin"));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(Journal::pathOf(path)), kWaitMs);
    QTRY_VERIFY_WITH_TIMEOUT(!document.jobs().isRunning(Journal::tag()), kWaitMs);
  }
  write(someLibrary({{"another"}}));
  Document document;
  const QSignalSpy found(&document, &Document::journalFound);
  QVERIFY(open(document, path));
  QTRY_VERIFY_WITH_TIMEOUT(!document.jobs().isRunning(Journal::tag()), kWaitMs);
  QCOMPARE(found.size(), 0);
}

void TestDocument::discardingRemovesTheJournal() {
  const QString path = write(someLibrary());
  {
    Document document;
    QVERIFY(open(document, path));
    document.edit(setFormat("cubin"));
    QVERIFY(settle(document));
    document.discard(); // maybe while it is being written
  }
  QVERIFY(!QFile::exists(Journal::pathOf(path)));
}

BLOBSCOPE_TEST(TestDocument);

#include "test_document.moc"
