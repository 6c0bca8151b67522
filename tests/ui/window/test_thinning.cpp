#include "tests/core/process/made_tool.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/window/dialogs/grow_dialog.h"
#include "ui/window/dialogs/repack_dialog.h"
#include "ui/window/dialogs/thin_dialog.h"

#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTreeWidget>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

const std::vector<Function> kKernels = {{"add_kernel"}, {"mul_kernel"}};

/// m1 and m2 have machine code for sm_80 and sm_90; m1 also has PTX, m3 is only PTX.
std::string fatLibrary() {
  const cuda::Image old = {.kind = 2, .sm = 80, .payload = std::string(400, '\x80')},
                    newer = {.kind = 2, .sm = 90, .payload = std::string(900, '\x90')},
                    ptx = {.kind = 1, .sm = 80, .payload = ptxText(kKernels), .major = 8, .minor = 0};
  const auto module = [](const std::vector<cuda::Image>& images) -> Record {
    return {"cuda", code3("fatbin", kKernels, cuda::fatbin(images), Info::Four)};
  };
  return someHost()
      .data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""},
                                               module({old, newer, ptx}),
                                               module({old, newer}),
                                               {"cuda", code3("ptx", kKernels, ptxText(kKernels), Info::Four)}},
                                              {{1, 2, 3}, {}, {}, {}}))
      .build();
}

/// The texts of the labels that the user sees.
QString shownText(const QWidget& inside) {
  QStringList out;
  for (const QLabel* const label : inside.findChildren<QLabel*>())
    if (label->isVisible()) out << label->text();
  return out.join(QLatin1Char('\n'));
}

QStringList groupNames(const QTreeWidget& tree) {
  QStringList out;
  for (int i = 0; i < tree.topLevelItemCount(); ++i)
    out << QStringLiteral("%1 (%2)").arg(tree.topLevelItem(i)->text(0)).arg(tree.topLevelItem(i)->childCount());
  return out;
}

} // namespace

class TestThinning : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void init() { WindowApplication::reset(); }

  void groupOfImagesIsRemovedAsOneChange() {
    MainWindow window;
    QVERIFY(openFat(window));
    ThinDialog* const box = ask(window, "");
    QVERIFY(box);
    auto& tree = *box->findChild<QTreeWidget*>();
    QCOMPARE(groupNames(tree),
             QStringList({QStringLiteral("sm_80 (2)"), QStringLiteral("sm_90 (2)"), QStringLiteral("compute_80 (0)")}));
    QAbstractButton* const accept = button(*box, QStringLiteral("Remove images"));
    QVERIFY(accept && !accept->isEnabled());
    tree.topLevelItem(0)->setCheckState(0, Qt::Unchecked);
    QTRY_VERIFY_WITH_TIMEOUT(accept->isEnabled(), kWaitMs);
    const QString text = shownText(*box);
    QVERIFY2(text.contains(QStringLiteral("2 images are removed; that saves 928 of ")), qPrintable(text));
    // m2 has no PTX; m1 still runs on these GPUs.
    QVERIFY2(text.contains(QStringLiteral("No longer runs on: sm_80 (NVIDIA A100), sm_86 (GeForce RTX 3090), sm_89 ")),
             qPrintable(text));
    QVERIFY2(!text.contains(QStringLiteral("sm_90 (NVIDIA H100)")), qPrintable(text));
    accept->click();
    QTRY_COMPARE_WITH_TIMEOUT(imagesOf(window), QStringLiteral("m1: cubin sm_90 ptx sm_80, m2: cubin sm_90"), kWaitMs);
    QCOMPARE(window.document().state()->edits.size(), std::size_t{2});
    QCOMPARE(window.document().undoStack().count(), 1);
    QCOMPARE(window.document().undoStack().undoText(), QStringLiteral("Remove 2 images"));
    window.document().undo();
    QTRY_COMPARE_WITH_TIMEOUT(imagesOf(window),
                              QStringLiteral("m1: cubin sm_80 cubin sm_90 ptx sm_80, m2: cubin sm_80 cubin sm_90"),
                              kWaitMs);
  }

  /// Images are numbered without those that are already removed.
  void imagesOfOneModuleAreRemovedTwice() {
    MainWindow window;
    QVERIFY(openFat(window));
    for (const char* const expected :
         {"m1: cubin sm_90 ptx sm_80, m2: cubin sm_80 cubin sm_90", "m1: ptx sm_80, m2: cubin sm_80 cubin sm_90"}) {
      ThinDialog* const box = ask(window, "m1/kernel:add_kernel");
      QVERIFY(box);
      auto& tree = *box->findChild<QTreeWidget*>();
      QVERIFY(!groupNames(tree).contains(QStringLiteral("sm_90 (2)")));
      tree.topLevelItem(0)->setCheckState(0, Qt::Unchecked);
      QAbstractButton* const accept = button(*box, QStringLiteral("Remove images"));
      QTRY_VERIFY_WITH_TIMEOUT(accept->isEnabled(), kWaitMs);
      accept->click();
      QTRY_COMPARE_WITH_TIMEOUT(imagesOf(window), QString::fromLatin1(expected), kWaitMs);
    }
    QCOMPARE(window.document().undoStack().count(), 2);
    window.document().revertAll();
    QTRY_COMPARE_WITH_TIMEOUT(imagesOf(window),
                              QStringLiteral("m1: cubin sm_80 cubin sm_90 ptx sm_80, m2: cubin sm_80 cubin sm_90"),
                              kWaitMs);
  }

  void gpusThatCompileFromNowOnAreNamed() {
    MainWindow window;
    QVERIFY(openFat(window));
    ThinDialog* const box = ask(window, "m1");
    QVERIFY(box);
    box->findChild<QTreeWidget*>()->topLevelItem(1)->setCheckState(0, Qt::Unchecked);
    // m3 is PTX, so that no GPU runs machine code only.
    QTRY_VERIFY_WITH_TIMEOUT(shownText(*box).contains(QStringLiteral("It still runs on the same GPUs.")), kWaitMs);
    QVERIFY2(!shownText(*box).contains(QStringLiteral("compiles PTX on")), qPrintable(shownText(*box)));
    box->reject();
    QVERIFY(window.document().state()->edits.empty());
  }

  void lastImageOfAModuleStays() {
    MainWindow window;
    QVERIFY(openFat(window));
    ThinDialog* const box = ask(window, "m2");
    QVERIFY(box);
    auto& tree = *box->findChild<QTreeWidget*>();
    QAbstractButton* const accept = button(*box, QStringLiteral("Remove images"));
    tree.topLevelItem(0)->setCheckState(0, Qt::Unchecked);
    QTRY_VERIFY_WITH_TIMEOUT(accept->isEnabled(), kWaitMs);
    tree.topLevelItem(1)->setCheckState(0, Qt::Unchecked);
    QTRY_VERIFY_WITH_TIMEOUT(!accept->isEnabled(), kWaitMs);
    QVERIFY2(shownText(*box).contains(QStringLiteral("Cannot edit 'm2': its fat binary would have no machine code")),
             qPrintable(shownText(*box)));
    box->reject();
  }

  /// A script in place of ptxas compiles the PTX of m1, also after one of its images was removed.
  void machineCodeIsAdded() {
    const QTemporaryDir tools;
    cuda::CubinFile made;
    for (const Function& one : kKernels) made.kernels.push_back(cuda::kernel(one.key));
    writeFile(in(tools, "made.cubin"), made.build());
    writeScript(in(tools, "ptxas"),
                "[ \"$1\" = --version ] && exit\nexec cat '" + in(tools, "made.cubin").string() + "' > image.out");
    qputenv("BLOBSCOPE_CUDA_TOOLS", tools.path().toUtf8());
    const auto restore = qScopeGuard([] { qunsetenv("BLOBSCOPE_CUDA_TOOLS"); });
    MainWindow window;
    QVERIFY(openFat(window));
    part<Editing>(window).removeImages({*Ref::parse("m1/entry:0")});
    QTRY_COMPARE_WITH_TIMEOUT(imagesOf(window),
                              QStringLiteral("m1: cubin sm_90 ptx sm_80, m2: cubin sm_80 cubin sm_90"), kWaitMs);
    auto* const box = qobject_cast<GrowDialog*>(openDialog(window, ActionId::Grow, QStringLiteral("m1")));
    QVERIFY(box);
    auto& tree = *box->findChild<QTreeWidget*>();
    QAbstractButton* const accept = button(*box, QStringLiteral("Compile"));
    QVERIFY(accept && !accept->isEnabled());
    QStringList offered;
    for (int i = 0; i < tree.topLevelItemCount(); ++i) offered << tree.topLevelItem(i)->text(0);
    QVERIFY2(offered.contains(QStringLiteral("sm_80")) && offered.contains(QStringLiteral("sm_120")) &&
                 !offered.contains(QStringLiteral("sm_75")) && !offered.contains(QStringLiteral("sm_90")),
             qPrintable(offered.join(QLatin1Char(' '))));
    for (const char* const name : {"sm_80", "sm_120"})
      tree.topLevelItem(static_cast<int>(offered.indexOf(QLatin1String(name))))->setCheckState(0, Qt::Checked);
    QVERIFY(accept->isEnabled());
    accept->click();
    // The script returns the same code for both.
    QTRY_COMPARE_WITH_TIMEOUT(
        imagesOf(window),
        QStringLiteral("m1: cubin sm_90 ptx sm_80 cubin sm_89 cubin sm_89, m2: cubin sm_80 cubin sm_90"), kWaitMs);
    QCOMPARE(window.document().undoStack().undoText(), QStringLiteral("Add 2 images"));
    window.document().undo();
    QTRY_COMPARE_WITH_TIMEOUT(imagesOf(window),
                              QStringLiteral("m1: cubin sm_90 ptx sm_80, m2: cubin sm_80 cubin sm_90"), kWaitMs);
  }

  void planNamesTheGpus() {
    MainWindow window;
    QVERIFY(openFat(window));
    part<Editing>(window).removeImages({*Ref::parse("m2/entry:0")});
    QTRY_COMPARE_WITH_TIMEOUT(window.document().state()->edits.size(), std::size_t{1}, kWaitMs);
    action(window, ActionId::Repack)->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(qobject_cast<RepackDialog*>(QApplication::activeModalWidget()), kWaitMs);
    auto* const box = qobject_cast<RepackDialog*>(QApplication::activeModalWidget());
    QTRY_VERIFY_WITH_TIMEOUT(shownText(*box).contains(QStringLiteral(
                                 "These GPUs can no longer run the library: sm_80 (NVIDIA A100), sm_86 ")),
                             kWaitMs);
    box->reject();
  }

  void actionNeedsAFatBinary() {
    MainWindow window;
    QVERIFY(showActive(window));
    QVERIFY(open(window, m_files.write(QStringLiteral("made.so"), someLibrary())));
    QVERIFY(go(window, "m1"));
    QVERIFY(!action(window, ActionId::Thin)->isEnabled());
    QCOMPARE(action(window, ActionId::Thin)->toolTip(), QStringLiteral("No CUDA module has a fat binary."));
    MainWindow other;
    QVERIFY(openFat(other));
    for (const char* const ref : {"", "m0", "m1", "m3", "host:add"}) {
      QVERIFY(go(other, ref));
      QVERIFY2(action(other, ActionId::Thin)->isEnabled(), ref);
    }
  }

  void contextMenusOfferIt() {
    MainWindow window;
    QVERIFY(openFat(window));
    const auto offered = [&](const char* ref) {
      const QList<QAction*> fitting = part<Editing>(window).fitting(*Ref::parse(ref));
      return fitting.contains(action(window, ActionId::Thin));
    };
    for (const char* const ref : {"", "blob", "m1", "m2", "m1/entry:0"}) QVERIFY2(offered(ref), ref);
    for (const char* const ref : {"m0", "m3", "m1/kernel:add_kernel", "host:add"}) QVERIFY2(!offered(ref), ref);
    QTreeView& tree = contentsTree(window);
    tree.expandAll();
    const QModelIndex images = rowNamed(tree, QStringLiteral("Images"));
    QVERIFY(images.isValid());
    tree.scrollTo(images);
    askMenu(tree, images);
    QCOMPARE(takeMenu(),
             QStringList({QStringLiteral("Open"), QStringLiteral("Open in new tab"), QStringLiteral("Thin to…"),
                          QStringLiteral("Build for more GPUs…"), QStringLiteral("Copy name")}));
    const QModelIndex kernels = rowNamed(tree, QStringLiteral("Kernels"));
    tree.scrollTo(kernels);
    askMenu(tree, kernels);
    QVERIFY(!takeMenu().contains(QStringLiteral("Thin to…")));
  }

private:
  bool openFat(MainWindow& window) {
    return showActive(window) && open(window, m_files.write(QStringLiteral("fat.so"), fatLibrary()));
  }
  static ThinDialog* ask(MainWindow& window, const char* ref) {
    return qobject_cast<ThinDialog*>(openDialog(window, ActionId::Thin, QString::fromLatin1(ref)));
  }
  /// The images of the library with all changes.
  static QString imagesOf(MainWindow& window) {
    QString out;
    const library::Blob& blob = *window.document().state()->package->blobs.front();
    for (const library::ModulePtr& module : blob.modules)
      for (const modules::PartGroup& group : module->body->parts()) {
        out += (out.isEmpty() ? "" : ", ") + QStringLiteral("m%1:").arg(module->index);
        for (const modules::Part& part : group.parts) out += " " + QString::fromStdString(part.detail);
      }
    return out;
  }

  WindowApplication m_application;
  Files m_files;
};

BLOBSCOPE_TEST(TestThinning);
#include "test_thinning.moc"
