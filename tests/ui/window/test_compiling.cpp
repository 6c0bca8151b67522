#include "tests/core/process/made_tool.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/compile_bar.h"
#include "ui/pages/compile_strip.h"
#include "ui/pages/text_compiling.h"
#include "ui/pages/text_page.h"
#include "ui/window/dialogs/run_dialog.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

/// A script in place of ptxas compiles the PTX of a sample in its page.
class TestCompiling : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init();
  void cleanup() { qunsetenv("BLOBSCOPE_CUDA_TOOLS"); }
  void errorsAreMarkedInTheText();
  void kernelsAreComparedWithTheStoredCode();
  void hangingCompilerIsCancelled();
  void otherTextsHaveNoBar();
  void oldAndNewAreRun();

private:
  void makeCompiler(const std::string& commands) {
    writeScript(in(m_folder, "ptxas"), "[ \"$1\" = --version ] && exit\n" + commands);
  }
  /// The page with the PTX, when its compiler is known.
  static ui::TextPage* sourcePage(MainWindow& window) {
    if (!open(window, QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cuda-a.so")) ||
        !go(window, "m2", QStringLiteral("Source")))
      return nullptr;
    auto* const page = pageOf<ui::TextPage>(window);
    const auto isReady = [&] { return page->isEditable() && page->compiling().isAvailable(); };
    return page && QTest::qWaitFor(isReady, kWaitMs) ? page : nullptr;
  }
  static bool compile(ui::TextPage& page) {
    QSignalSpy done(&page.compiling(), &TextCompiling::compiled);
    page.compiling().bar().button().click();
    return done.wait(kWaitMs) || done.count() > 0;
  }

  WindowApplication m_application;
  QTemporaryDir m_folder;
};

void TestCompiling::init() { qputenv("BLOBSCOPE_CUDA_TOOLS", m_folder.path().toUtf8()); }

void TestCompiling::errorsAreMarkedInTheText() {
  makeCompiler("echo 'ptxas k.ptx, line 12; error   : Unknown symbol' >&2\nexit 255");
  MainWindow window;
  QVERIFY(showActive(window));
  ui::TextPage* const page = sourcePage(window);
  QVERIFY(page);
  QVERIFY(page->compiling().bar().isVisible());
  QCOMPARE(page->compiling().bar().choice().architectures, QStringList{u"sm_75"_s});
  QVERIFY(compile(*page));
  QCOMPARE(page->view().marks().size(), 1);
  const TextMark& mark = page->view().marks()[0];
  QCOMPARE(mark.line, quint64{12});
  QCOMPARE(mark.text + u" · "_s + mark.source, u"Unknown symbol · ptxas"_s);
  QVERIFY(page->compiling().strip().text().startsWith(u"Does not compile: 1 error, line 12."_s));
  // F8 goes there.
  page->view().setFocus();
  QTest::keyClick(&page->view(), Qt::Key_F8);
  QCOMPARE(page->view().currentLine(), quint64{12});
}

void TestCompiling::kernelsAreComparedWithTheStoredCode() {
  std::vector<cuda::CubinKernel> kernels;
  for (const char* const name :
       {"fused_conv2d_relu_kernel", "fused_matmul_add_kernel", "mean_kernel", "softmax_kernel"})
    kernels.push_back(cuda::kernel(name));
  writeFile(in(m_folder, "made.cubin"), cuda::CubinFile{.kernels = kernels}.build());
  makeCompiler("exec cat '" + in(m_folder, "made.cubin").string() + "' > image.out");
  MainWindow window;
  QVERIFY(showActive(window));
  ui::TextPage* const page = sourcePage(window);
  QVERIFY(page);
  page->showPart({PartKind::Kernel, "mean_kernel"});
  QVERIFY(compile(*page));
  QVERIFY(page->view().marks().isEmpty());
  // The made code has kernels without parameters.
  QVERIFY2(
      page->compiling().strip().text().startsWith(u"Compiles, but does not fit the library. the compiled kernel"_s),
      qPrintable(page->compiling().strip().text()));
  QStringList shown;
  for (const ThemeLabel* const label : page->compiling().strip().findChildren<ThemeLabel*>()) shown << label->text();
  QVERIFY2(shown.contains(u"mean_kernel"_s) && shown.contains(u"32 →"_s), qPrintable(shown.join(u'|')));
}

void TestCompiling::hangingCompilerIsCancelled() {
  makeCompiler("exec sleep 600");
  MainWindow window;
  QVERIFY(showActive(window));
  ui::TextPage* const page = sourcePage(window);
  QVERIFY(page);
  finishJobs(window.document().jobs());
  page->compiling().bar().button().click();
  QVERIFY(!page->compiling().bar().canCompile());
  QTRY_VERIFY_WITH_TIMEOUT(progressOf(window).isVisible(), kWaitMs);
  QTest::keyClick(&window, Qt::Key_Escape);
  QTRY_VERIFY_WITH_TIMEOUT(page->compiling().bar().canCompile(), kWaitMs);
  QVERIFY(page->compiling().strip().isHidden());
}

void TestCompiling::otherTextsHaveNoBar() {
  makeCompiler("exit 1");
  MainWindow window;
  QVERIFY(showActive(window));
  QVERIFY(open(window, QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-cuda-a.so")));
  QVERIFY(go(window, "m0/function:main"));
  finishJobs(window.document().jobs());
  for (const CompileBar* const bar : window.findChildren<CompileBar*>()) QVERIFY(bar->isHidden());
}

/// The typed text becomes a change first; then the dialog asks what to run, old against new.
void TestCompiling::oldAndNewAreRun() {
  makeCompiler("exit 1");
  MainWindow window;
  QVERIFY(showActive(window));
  ui::TextPage* const page = sourcePage(window);
  QVERIFY(page);
  page->startEditing();
  QTest::keyClick(&page->view(), Qt::Key_Home, Qt::ControlModifier);
  QTest::keyClicks(&page->view(), QStringLiteral("// edited"));
  QTest::keyClick(&page->view(), Qt::Key_Return);
  Q_EMIT page->compiling().bar().runRequested();
  RunDialog* dialog = nullptr;
  QTRY_VERIFY_WITH_TIMEOUT((dialog = window.findChild<RunDialog*>()) && dialog->isVisible(), kWaitMs);
  QCOMPARE(window.document().state()->edits.size(), std::size_t{1});
  QVERIFY(dialog->request().against == RunRequest::Against::Opened);
  dialog->reject();
}

BLOBSCOPE_TEST(TestCompiling);
#include "test_compiling.moc"
