#include "core/library/node.h"
#include "tests/core/process/made_tool.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/ui/window/window_test.h"
#include "ui/pages/compile_bar.h"
#include "ui/pages/compile_strip.h"
#include "ui/pages/run_result.h"
#include "ui/pages/text_compiling.h"
#include "ui/pages/text_page.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/charts/time_histogram.h"
#include "ui/window/dialogs/run_dialog.h"
#include "ui/window/running.h"

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
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
  void compiledCodeIsStored();
  void machineCodeIsReplacedWithSource();
  void hangingCompilerIsCancelled();
  void otherTextsHaveNoBar();
  void oldAndNewAreRun();
  void resultIsShownOnThePage();

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

void TestCompiling::init() {
  qputenv("BLOBSCOPE_CUDA_TOOLS", m_folder.path().toUtf8());
  qputenv("BLOBSCOPE_RUNNER", BLOBSCOPE_TEST_RUNNER);
  qApp->setProperty("runConsents", QVariant());
}

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

/// The cubin takes the place of the PTX in one step that can be undone; what was typed is no change of its own.
void TestCompiling::compiledCodeIsStored() {
  std::vector<cuda::CubinKernel> kernels;
  for (const auto& [name, count] : {std::pair{"fused_conv2d_relu_kernel", 3}, std::pair{"fused_matmul_add_kernel", 4},
                                    std::pair{"mean_kernel", 2}, std::pair{"softmax_kernel", 2}}) {
    kernels.push_back(cuda::kernel(name));
    kernels.back().info.clear();
    for (int i = 0; i < count; ++i)
      kernels.back().info += cuda::parameterRecord(static_cast<uint16_t>(i), static_cast<uint16_t>(i * 8), 8);
  }
  const std::string cubin = cuda::CubinFile{.kernels = kernels}.build();
  writeFile(in(m_folder, "made.cubin"), cubin);
  makeCompiler("exec cat '" + in(m_folder, "made.cubin").string() + "' > image.out");
  MainWindow window;
  QVERIFY(showActive(window));
  ui::TextPage* const page = sourcePage(window);
  QVERIFY(page);
  page->startEditing();
  QTest::keyClick(&page->view(), Qt::Key_Home, Qt::ControlModifier);
  QTest::keyClicks(&page->view(), u"// typed"_s);
  QTest::keyClick(&page->view(), Qt::Key_Return);
  QVERIFY(compile(*page));
  const auto store = [&]() -> QAbstractButton* {
    for (QAbstractButton* const button : page->compiling().strip().findChildren<QAbstractButton*>())
      if (button->isVisible() && button->text() == u"Store as cubin"_s) return button;
    return nullptr;
  };
  QVERIFY2(store(), qPrintable(page->compiling().strip().text()));
  QTest::keyClicks(&page->view(), u"x"_s); // not the text that was compiled
  QVERIFY(!store());
  page->view().undo();
  QVERIFY(store());
  store()->click();
  const auto code = [&] {
    const auto tree = library::treeOf(*window.document().state()->package->blobs[0]->modules[2]);
    return std::string(tree->content(*tree->find("data")).view());
  };
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state()->edits.size(), std::size_t{2}, kWaitMs);
  QCOMPARE(code(), cubin);
  const auto format = [&] {
    const auto name = window.document().state()->package->blobs[0]->modules[2]->body->format();
    return name ? std::string(name->view()) : std::string();
  };
  QCOMPARE(format(), std::string("cubin"));
  QTRY_VERIFY_WITH_TIMEOUT(!currentView(window)->isTyping(), kWaitMs);
  action(window, ActionId::Undo)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state()->edits.size(), std::size_t{0}, kWaitMs);
  QCOMPARE(format(), std::string("ptx"));
}

/// A module with machine code only: the page "New source" has an empty kernel, whose compiled code is stored.
void TestCompiling::machineCodeIsReplacedWithSource() {
  const auto made = [](char fill) {
    cuda::CubinKernel add = cuda::kernel("add_kernel", 128, fill);
    add.info = cuda::parameterRecord(0, 0, 8) + cuda::parameterRecord(1, 8, 4);
    return cuda::CubinFile{.kernels = {add}}.build();
  };
  const std::string before = made('\x11'), after = made('\x22');
  writeFile(in(m_folder, "made.cubin"), after);
  writeScript(in(m_folder, "nvcc"),
              "[ \"$1\" = --version ] && exit\nexec cat '" + in(m_folder, "made.cubin").string() + "' > image.out");
  const Function add{"add_kernel"};
  const std::string library =
      someHost()
          .data("__tvm_ffi__library_bin",
                ffiBlob({{"_lib", ""}, {"cuda", code3("cubin", {add}, before, Info::Four)}}, {{1}, {}}))
          .build();
  MainWindow window;
  QVERIFY(showActive(window));
  Files files;
  QVERIFY(open(window, files.write(u"made.so"_s, library)));
  QVERIFY(go(window, "m1", QStringLiteral("New source")));
  auto* const page = pageOf<ui::TextPage>(window);
  QVERIFY(page && page->isEditable());
  QTRY_VERIFY_WITH_TIMEOUT(page->compiling().isAvailable(), kWaitMs);
  const QByteArray text(page->view().text().view().data(), static_cast<qsizetype>(page->view().text().size()));
  QVERIFY2(text.contains("extern \"C\" __global__ void add_kernel(void* __restrict__ argument0, int argument1) {"),
           text.constData());
  QTest::keyClicks(&page->view(), u"// typed"_s);
  QVERIFY(!page->isTyping()); // the file is not changed
  QVERIFY(page->isRefused()); // but closing would lose the text
  QComboBox& compilers = page->compiling().bar().compilers();
  compilers.setCurrentIndex(compilers.findData(u"nvcc"_s));
  QVERIFY(compile(*page));
  const auto store = [&]() -> QAbstractButton* {
    for (QAbstractButton* const button : page->compiling().strip().findChildren<QAbstractButton*>())
      if (button->isVisible() && button->text() == u"Store as cubin"_s) return button;
    return nullptr;
  };
  QVERIFY2(store(), qPrintable(page->compiling().strip().text()));
  store()->click();
  const auto code = [&] {
    const auto tree = library::treeOf(*window.document().state()->package->blobs[0]->modules[1]);
    return std::string(tree->content(*tree->find("data")).view());
  };
  QTRY_VERIFY_WITH_TIMEOUT(code() == after, kWaitMs);
  // The page of the changed module goes on with the typed text.
  QTRY_VERIFY_WITH_TIMEOUT(pageOf<ui::TextPage>(window) && !pageOf<ui::TextPage>(window)->isRefused(), kWaitMs);
  const Bytes shown = pageOf<ui::TextPage>(window)->view().text();
  QVERIFY(shown.view().starts_with("// typed"));
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

/// On an OpenCL device: the result of the edited kernel stands below its text, and Revert brings the old text back.
void TestCompiling::resultIsShownOnThePage() {
  MainWindow window;
  QVERIFY(showActive(window));
  window.resize(1366, 768);
  const Files files; // unsaved edits would be offered again with the sample
  const QString path = files.path(u"model.so"_s);
  QVERIFY(QFile::copy(sample("sample-opencl.so"), path));
  QVERIFY(open(window, path));
  QVERIFY(go(window, "m2", u"Source"_s));
  QPointer<ui::TextPage> page = pageOf<ui::TextPage>(window);
  QVERIFY(page);
  QTRY_VERIFY_WITH_TIMEOUT(page->isEditable() && page->compiling().isAvailable(), kWaitMs);
  QVERIFY(page->showPart({PartKind::Kernel, "mean_kernel"})); // as soon as there is an outline
  QTRY_COMPARE_WITH_TIMEOUT(page->compiling().kernel(), std::string("mean_kernel"), kWaitMs);
  page->startEditing();
  QTest::keyClicks(&page->view(), u"/* edited */ "_s);
  Q_EMIT page->compiling().bar().runRequested();
  RunDialog* dialog = nullptr;
  QTRY_VERIFY_WITH_TIMEOUT((dialog = window.findChild<RunDialog*>()) && dialog->isVisible(), kWaitMs);
  QVERIFY(dialog->request().options.kernel);
  QCOMPARE(dialog->request().options.kernel->kernel.parts.back().name, std::string("mean_kernel"));
  const auto isAgreed = [&] { // reading the devices can untick the box
    auto* const agree = dialog->findChild<QCheckBox*>(u"consent"_s);
    agree->setChecked(true);
    return dialog->findChild<QPushButton*>(u"run"_s)->isEnabled();
  };
  QVERIFY(QTest::qWaitFor(isAgreed, kWaitMs));
  dialog->accept();
  auto& runs = part<Running>(window).runs();
  QTRY_COMPARE_WITH_TIMEOUT(runs.history().size(), std::size_t{1}, kWaitMs);
  const RunEntryPtr entry = runs.history().front();
  page = pageOf<ui::TextPage>(window);
  QVERIFY(page && page->result().isVisible());
  if (!entry->report || !entry->report->functions.front().comparison)
    QSKIP(qPrintable(u"no opencl device: "_s + page->result().banner().text()));
  QCOMPARE(page->result().banner().kind(), Banner::Kind::Ok);
  QVERIFY2(page->result().banner().text().contains(u"the same, bit for bit"_s),
           qPrintable(page->result().banner().text()));
  QVERIFY(page->result().outputs().rowCount() > 0);
  QVERIFY(!page->result().times().bins(true).isEmpty());
  for (QAbstractButton* const button : page->result().banner().findChildren<QAbstractButton*>())
    if (button->isVisible() && button->text() == u"Revert"_s) {
      button->click();
      break;
    }
  QTRY_COMPARE_WITH_TIMEOUT(window.document().state()->edits.size(), std::size_t{0}, kWaitMs);
}

BLOBSCOPE_TEST(TestCompiling);
#include "test_compiling.moc"
