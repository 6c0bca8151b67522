#include "core/view/page_id.h"
#include "tests/support/test_main.h"
#include "tests/support/vm_builders.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/page_widget.h"
#include "ui/widgets/banner.h"
#include "ui/window/saving.h"

#include <QDir>
#include <QFileInfo>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

/// Parts of the opened file, saved as separate files.
class TestSaving : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void bytesAreSaved();
  void tensorIsSaved();
  void otherNodesAreNotSavedAsTensors();
  void picturesAreSaved();
  void partsAreSavedAsFolder();
  void existingFolderIsKept();
  void openedFileIsNotOverwritten();

private:
  /// A window with a library that has a VM executable, opened.
  void open(MainWindow& window) {
    const RelaxBuilder builder(kTags2025b);
    m_path = m_files.write(
        QStringLiteral("model.so"),
        elfWith("__tvm_ffi__library_bin", ffiBlob({{"relax.VMExecutable", builder.build()}, {"_lib", ""}}, {{1}, {}})));
    QVERIFY(test::open(window, m_path));
  }
  /// Whether the page of the current node with that name is saved as a picture.
  bool savesPicture(MainWindow& window, const char* name) {
    const QString page = QString::fromLatin1(name), path = m_files.path(page + QStringLiteral(".svg"));
    currentView(window)->showPage(page);
    const QAction* const action = test::action(window, ActionId::SavePicture);
    if (!QTest::qWaitFor([&] { return currentView(window)->current() && action->isEnabled(); }, kWaitMs)) return false;
    part<Saving>(window).savePicture(Ref::file(), currentView(window)->current()->picture(), path);
    if (!QTest::qWaitFor([&] { return QFileInfo::exists(path); }, kWaitMs)) return false;
    const QByteArray text = read(path);
    return text.startsWith("<") && text.contains("<svg") && text.trimmed().endsWith("</svg>");
  }
  static QByteArray read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
  }

  WindowApplication m_application;
  Files m_files;
  QString m_path;
};

void TestSaving::bytesAreSaved() {
  MainWindow window;
  open(window);
  const QString path = m_files.path(QStringLiteral("m0.bin"));
  part<Saving>(window).saveBytes(Ref::moduleAt("", 0), path);
  QTRY_VERIFY_WITH_TIMEOUT(!window.banner().isHidden() && window.banner().kind() == Banner::Kind::Ok, kWaitMs);
  const std::string wanted = RelaxBuilder(kTags2025b).build();
  QCOMPARE(read(path), QByteArray(wanted.data(), static_cast<qsizetype>(wanted.size())));
}

void TestSaving::tensorIsSaved() {
  MainWindow window;
  open(window);
  const QString path = m_files.path(QStringLiteral("c3.npy"));
  part<Saving>(window).saveTensor(Ref::moduleAt("", 0).part(PartKind::Const, "3"), path);
  QTRY_VERIFY_WITH_TIMEOUT(!window.banner().isHidden() && window.banner().kind() == Banner::Kind::Ok, kWaitMs);
  QVERIFY(read(path).startsWith("\x93NUMPY"));
  QVERIFY(read(path).endsWith(QByteArray(24, '\1')));
}

void TestSaving::otherNodesAreNotSavedAsTensors() {
  MainWindow window;
  open(window);
  const QString path = m_files.path(QStringLiteral("m0.npy"));
  part<Saving>(window).saveTensor(Ref::moduleAt("", 0), path);
  QTRY_VERIFY_WITH_TIMEOUT(!window.banner().isHidden() && window.banner().kind() == Banner::Kind::Error, kWaitMs);
  QVERIFY2(window.banner().text().contains(QStringLiteral("it is not a tensor")), qPrintable(window.banner().text()));
  QVERIFY(!QFileInfo::exists(path));
}

/// Pages with a picture have the action, others do not.
void TestSaving::picturesAreSaved() {
  MainWindow window;
  QVERIFY(test::open(window, sample("sample-cuda-a.so")));
  QAction* const action = test::action(window, ActionId::SavePicture);
  currentView(window)->showPage(QString::fromLatin1(view::page_id::kHex));
  QVERIFY(!action->isEnabled());
  currentView(window)->showPage(QString::fromLatin1(view::page_id::kCallGraph));
  QTRY_VERIFY_WITH_TIMEOUT(action->isEnabled(), kWaitMs);
  QVERIFY(savesPicture(window, view::page_id::kKernels));
  open(window);
  QVERIFY(go(window, "m0/const:3"));
  QVERIFY(savesPicture(window, "Values"));
}

void TestSaving::partsAreSavedAsFolder() {
  MainWindow window;
  open(window);
  const QString path = m_files.path(QStringLiteral("parts"));
  part<Saving>(window).saveFolder(path);
  QTRY_VERIFY_WITH_TIMEOUT(!window.banner().isHidden() && window.banner().kind() == Banner::Kind::Ok, kWaitMs);
  QVERIFY(QFileInfo::exists(path + QStringLiteral("/manifest.json")));
}

void TestSaving::existingFolderIsKept() {
  MainWindow window;
  open(window);
  const QString path = m_files.path(QStringLiteral("full"));
  QVERIFY(QDir().mkdir(path));
  m_files.write(QStringLiteral("full/mine"), "kept");
  part<Saving>(window).saveFolder(path);
  QTRY_VERIFY_WITH_TIMEOUT(!window.banner().isHidden() && window.banner().kind() == Banner::Kind::Error, kWaitMs);
  QCOMPARE(QDir(path).entryList(QDir::Files), QStringList(QStringLiteral("mine")));
}

void TestSaving::openedFileIsNotOverwritten() {
  MainWindow window;
  open(window);
  const QByteArray before = read(m_path);
  const QString link = m_files.path(QStringLiteral("link.bin"));
  QVERIFY(QFile::link(m_path, link));
  for (const QString& path : {m_path, link}) {
    window.banner().hide();
    part<Saving>(window).saveBytes(Ref::moduleAt("", 0), path);
    QTRY_VERIFY_WITH_TIMEOUT(!window.banner().isHidden() && window.banner().kind() == Banner::Kind::Error, kWaitMs);
    QVERIFY2(window.banner().text().contains(QStringLiteral("is also an input")), qPrintable(window.banner().text()));
    QCOMPARE(read(m_path), before);
  }
}

BLOBSCOPE_TEST(TestSaving);

#include "test_saving.moc"
