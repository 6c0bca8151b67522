#include "ui/pages/text_page.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"
#include "tests/ui/ui_test.h"

#include <QListWidget>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

const std::string kTwoKernels = ".visible .entry add()\n{\n$L_1:\n\tbra $L_1;\n\tret;\n}\n"
                                ".visible .entry mul()\n{\n\tret;\n}\n";

/// A page with a text, after its outline is known.
struct ShownPage {
  explicit ShownPage(const std::string& text, const char* language)
      : page(view::TextPage{Bytes::copyOf(text), language}, PageContext{jobs, Ref::moduleAt("", 1)}, nullptr) {
    QSignalSpy outlined(&page, &TextPage::outlined);
    page.resize(900, 500);
    page.show();
    if (outlined.isEmpty()) outlined.wait();
  }
  QListWidget& outline() {
    for (QListWidget* const list : page.findChildren<QListWidget*>())
      if (list->accessibleName() == QLatin1String("Outline")) return *list;
    qFatal("the page has no outline");
  }
  QStringList rows() {
    QStringList out;
    for (int row = 0; row < outline().count(); ++row)
      out << outline().item(row)->data(Qt::AccessibleTextRole).toString();
    return out;
  }
  Jobs jobs;
  TextPage page;
};

} // namespace

class TestTextPage : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void outlineHasTheFunctions() {
    ShownPage shown(kTwoKernels, "ptx");
    QCOMPARE(shown.rows(), QStringList({QStringLiteral("add, line 1"), QStringLiteral("mul, line 7")}));
    QVERIFY(shown.outline().isVisible());
    QVERIFY(shown.page.view().structure());
    QVERIFY(shown.page.view().canFold(7));
    // A row leads to its line, and the cursor leads to its row.
    shown.outline().setCurrentRow(1);
    QCOMPARE(shown.page.view().currentLine(), quint64{7});
    shown.page.view().goToLine(3);
    QCOMPARE(shown.outline().currentRow(), 0);
    QVERIFY(shown.page.showPart({PartKind::Kernel, "mul"}));
    QCOMPARE(shown.page.view().currentLine(), quint64{7});
  }

  void labelsOfASingleFunctionAreItsOutline() {
    ShownPage shown(".entry add()\n{\n$L_1:\n\tbra $L_2;\n$L_2:\n\tret;\n}\n", "ptx");
    QCOMPARE(shown.rows(), QStringList({QStringLiteral("add, line 1"), QStringLiteral("$L_1, line 3"),
                                        QStringLiteral("$L_2, line 5")}));
    QVERIFY(!shown.page.showPart({PartKind::Kernel, "$L_1"})); // no kernel
  }

  void listingsOfOneFunctionHaveNoOutline() {
    ShownPage shown("@main(%0), 1 registers:\n     0  goto  1\n     1  ret   %0\n", "vm");
    QVERIFY(!shown.outline().isVisible());
    QCOMPARE(shown.page.view().structure()->jumps.size(), std::size_t{1});
  }

  void typingReadsTheStructureAgain() {
    ShownPage shown(kTwoKernels, "ptx");
    shown.page.view().setEditable(true);
    QSignalSpy outlined(&shown.page, &TextPage::outlined);
    shown.page.view().goToLine(7);
    shown.page.view().insert("\n.visible .entry sub()\n{\n}\n");
    QTRY_VERIFY(!outlined.isEmpty());
    QCOMPARE(shown.rows().size(), 3);
    QVERIFY(shown.page.view().structure()->findFunction("sub"));
  }

  void buttonWrapsLines() {
    ShownPage shown(std::string(5'000, 'a') + "\n", "json");
    QToolButton* wrap = nullptr;
    for (QToolButton* const button : shown.page.tools()->findChildren<QToolButton*>())
      if (button->accessibleName() == QLatin1String("Wrap long lines (Alt+Z)")) wrap = button;
    QVERIFY(wrap && !wrap->isChecked());
    wrap->click();
    QVERIFY(shown.page.view().isWrapping() && wrap->isChecked());
    // The page that takes the place of this one wraps, too.
    const auto kept = shown.page.saveState();
    ShownPage next(std::string(5'000, 'a') + "\n", "json");
    next.page.restoreState(*kept);
    QVERIFY(next.page.view().isWrapping());
    shown.page.view().setWrapping(false);
    QVERIFY(!wrap->isChecked());
  }

  void wrappingIsKept() {
    QTemporaryDir folder;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
    QCoreApplication::setOrganizationName(QStringLiteral("BlobscopeTests"));
    QCoreApplication::setApplicationName(QStringLiteral("test_ui_pages"));
    ShownPage shown("a\n", "json");
    QVERIFY(!shown.page.view().isWrapping());
    shown.page.view().setWrapping(true);
    QVERIFY(ShownPage("b\n", "json").page.view().isWrapping());
    shown.page.view().setWrapping(false);
    QVERIFY(!ShownPage("c\n", "json").page.view().isWrapping());
    QCoreApplication::setOrganizationName({});
  }

private:
  Application m_application;
};

BLOBSCOPE_TEST(TestTextPage);

#include "test_text_page.moc"
