#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/ui/ui_test.h"
#include "ui/pages/compile_bar.h"
#include "ui/pages/compile_strip.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;
using compile::Language;

namespace {

constexpr compile::Compiler kPtxas = {"ptxas", "ptxas", "compiling PTX", "the toolkit"},
                            kJitLink = {"nvjitlink", "nvJitLink", "compiling PTX", "the toolkit"};

CompilePlace placeOf(Language language, std::vector<std::string> architectures,
                     std::vector<compile::CompilerHere> here) {
  CompilePlace out;
  out.language = language;
  out.target.architectures = std::move(architectures);
  out.compilers = std::move(here);
  return out;
}

compile::CompilerHere here(const compile::Compiler& compiler, bool found) { return {&compiler, {}, found, {}}; }

compile::KernelUse use(const char* name, uint64_t registers, uint64_t occupancy) {
  compile::KernelUse out;
  out.name = name;
  out.registers = registers;
  out.shared = 6'912;
  out.occupancy = occupancy;
  return out;
}

QStringList texts(const QWidget& widget) {
  QStringList out;
  for (const ThemeLabel* const label : widget.findChildren<ThemeLabel*>())
    if (!label->isHidden() && !label->text().isEmpty()) out << label->text();
  return out;
}

} // namespace

class TestCompileWidgets : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void barOffersWhatIsFound() {
    CompileBar bar;
    bar.setPlace(placeOf(Language::Ptx, {"compute_75"}, {here(kPtxas, false), here(kJitLink, true)}));
    QVERIFY(bar.canCompile());
    QCOMPARE(bar.compilers().count(), 1);
    const CompileChoice choice = bar.choice();
    QCOMPARE(choice.compiler, u"nvjitlink"_s);
    QCOMPARE(choice.architectures, QStringList{u"sm_75"_s}); // PTX becomes machine code
    bar.architectures().setEditText(u"sm_80, sm_90"_s);
    bar.flags().setText(u"-O1  -v"_s);
    QCOMPARE(bar.choice().architectures, (QStringList{u"sm_80"_s, u"sm_90"_s}));
    QCOMPARE(bar.choice().flags, u"-O1  -v"_s);
    QSignalSpy requests(&bar, &CompileBar::compileRequested);
    bar.button().click();
    QCOMPARE(requests.count(), 1);
    bar.setRunning(true);
    QVERIFY(!bar.canCompile());
  }

  void barNamesTheMissingCompiler() {
    CompileBar bar;
    bar.setPlace(placeOf(Language::Ptx, {"compute_75"}, {here(kPtxas, false)}));
    QVERIFY(!bar.canCompile());
    QVERIFY(texts(bar).contains(u"ptxas was not found; it comes with the toolkit."_s));
    QVERIFY(bar.button().isHidden() && bar.architectures().isHidden() && bar.flags().isHidden());
    bar.setPlace(placeOf(Language::Metal, {}, {}));
    QVERIFY(texts(bar).contains(u"Blobscope knows no compiler for Metal."_s));
  }

  void otherLanguagesHaveNoArchitecture() {
    CompileBar bar;
    bar.setPlace(placeOf(Language::OpenClC, {}, {here(kJitLink, true)}));
    QVERIFY(bar.canCompile() && bar.architectures().isHidden() && !bar.flags().isHidden());
    QVERIFY(bar.choice().architectures.isEmpty());
  }

  void stripShowsWhatChanged() {
    CompileStrip strip;
    auto report = std::make_shared<CompileReport>();
    report->compiled.ok = true;
    report->compiled.compiler = "ptxas";
    report->compiled.architectures = {"sm_90"};
    report->compiled.kernels = {use("same", 10, 100), use("conv", 32, 100)};
    report->before = {use("same", 10, 100), use("conv", 48, 63)};
    strip.showReport(report, {});
    const QStringList shown = texts(strip);
    QVERIFY(strip.text().startsWith(u"Compiles: no errors. ptxas for sm_90, "_s));
    for (const QString& text : {u"conv"_s, u"48 →"_s, u"32"_s, u"63 % →"_s, u"100 %"_s, u"6,912 →"_s, u"6,912"_s})
      QVERIFY2(shown.contains(text), qPrintable(text + u" in "_s + shown.join(u'|')));
    strip.showReport(report, "same");
    QVERIFY(texts(strip).contains(u"same"_s) && texts(strip).contains(u"10 →"_s));
    // Errors keep the numbers of the last text that compiled.
    auto wrong = std::make_shared<CompileReport>();
    wrong->compiled.messages = {{Severity::Warning, 1, 1, "w"}, {Severity::Error, 57, 0, "Unknown symbol"}};
    strip.showReport(wrong, {});
    QVERIFY2(strip.text().startsWith(u"Does not compile: 1 error, line 57. Below: the last text that did, "_s),
             qPrintable(strip.text()));
    QVERIFY(texts(strip).contains(u"10 →"_s));
    auto unfit = std::make_shared<CompileReport>(*report);
    unfit->misfits = {"the kernel is missing"};
    strip.showReport(unfit, {});
    QCOMPARE(strip.text(), u"Compiles, but does not fit the library. the kernel is missing"_s);
    strip.showFailure(u"no compiler"_s);
    QCOMPARE(strip.text(), u"The text was not compiled. no compiler"_s);
  }

private:
  test::Application m_application;
};

BLOBSCOPE_TEST(TestCompileWidgets);
#include "test_compile_widgets.moc"
