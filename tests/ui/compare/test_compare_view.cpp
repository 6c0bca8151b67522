#include "ui/compare/compare_view.h"

#include "core/library/open.h"
#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/compare/compare_test.h"
#include "tests/ui/ui_test.h"
#include "ui/compare/pair_view.h"
#include "ui/compare/text_pair_view.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTreeView>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;

namespace {

library::PackagePtr sample(const char* name) {
  NullMonitor monitor;
  return *library::open(std::string(BLOBSCOPE_SOURCE_DIR "/resources/sample/") + name, monitor);
}

struct Shown {
  explicit Shown(const char* a = "sample-cuda-a.so", const char* b = "sample-cuda-b.so", QSize size = {1'440, 760})
      : view(jobs, sample(a), QLatin1String(a), sample(b), QLatin1String(b)) {
    view.resize(size);
    view.show();
  }
  bool ready() {
    return QTest::qWaitFor(
        [this] {
          return view.comparison().result() && !view.isRunning() && !view.comparison().isPairing() &&
                 view.pair().page();
        },
        kWaitMs);
  }
  /// The first row of a node of that kind that differs.
  QModelIndex differing(diff::Topic topic) {
    const auto& nodes = view.comparison().result()->tree.nodes;
    for (uint32_t node = 0; node < nodes.size(); ++node)
      if (nodes[node].topic == topic && nodes[node].status == diff::Status::Changed) return view.model().find(node);
    return {};
  }
  Jobs jobs;
  CompareView view;
};

} // namespace

class TestCompareView : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void comparisonIsShown();
  void identicalFilesSaySo();
  void keyboardReachesEveryPart();
  void nextChangeContinuesInTheNextNode();
  void sidesCanBeSwapped();
  void filtersHideRows();
  void filterKeepsTheSelectedNode();
  void masksStartANewComparison();
  void escapeCancelsTheComparison();
  void copyingASelectedNodeIsRequested();
  void statusNamesTheDifferenceBriefly();
  void doubleClickOpensTheNode();
  void everyPageOfEveryNodeIsShown();
  void reportsAreWritten();
  void everyControlHasAName();
  void narrowViewComparesInline();
  void viewCanCloseWhileComparing();

private:
  Application m_application;
};

void TestCompareView::comparisonIsShown() {
  Shown shown;
  QSignalSpy finished(&shown.view, &CompareView::finished);
  QVERIFY(shown.ready());
  QCOMPARE(finished.count(), 1);
  QAbstractItemModelTester tester(&shown.view.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
  QVERIFY(shown.view.sentence().endsWith(QLatin1Char('.')));
  QVERIFY(shown.view.model().rowCount(shown.view.model().index(0, 0)) > 0);
  // The first difference is selected.
  QVERIFY(shown.view.tree().currentIndex().isValid());
  QVERIFY(shown.view.comparison().pair().a || shown.view.comparison().pair().b);
  QVERIFY(shown.view.title().contains(QString::fromUtf8(" ↔ ")));
}

void TestCompareView::identicalFilesSaySo() {
  Shown shown("sample-cuda-a.so", "sample-cuda-a.so");
  QVERIFY(shown.ready());
  QCOMPARE(shown.view.sentence(), QStringLiteral("The files are identical, byte for byte."));
  QVERIFY(!shown.view.goToNextChange(false));
  QVERIFY(!shown.view.goToNextChange(true));
}

void TestCompareView::keyboardReachesEveryPart() {
  Shown shown;
  QVERIFY(shown.ready());
  QVERIFY(focus(shown.view.tree()));
  const QModelIndex before = shown.view.tree().currentIndex();
  QTest::keyClick(&shown.view.tree(), Qt::Key_Up);
  QTest::keyClick(&shown.view.tree(), Qt::Key_Down);
  QCOMPARE(shown.view.tree().currentIndex(), before);
  QVERIFY(shown.ready());
  QTest::keyClick(&shown.view.tree(), Qt::Key_Return);
  QVERIFY(QTest::qWaitFor(
      [&] { return shown.view.pair().page() && shown.view.pair().page()->isAncestorOf(QApplication::focusWidget()); }));
}

void TestCompareView::nextChangeContinuesInTheNextNode() {
  Shown shown;
  QVERIFY(shown.ready());
  const QModelIndex first = shown.view.tree().currentIndex();
  // Through the changes of the page, then to the next node, and back.
  for (int steps = 0; steps < 500 && shown.view.tree().currentIndex() == first; ++steps) {
    QVERIFY(shown.view.goToNextChange(false));
    QVERIFY(shown.ready());
  }
  const QModelIndex second = shown.view.tree().currentIndex();
  QVERIFY(second != first);
  QVERIFY(static_cast<diff::Status>(second.data(StatusRole).toInt()) != diff::Status::Same);
  for (int steps = 0; steps < 500 && shown.view.tree().currentIndex() == second; ++steps) {
    QVERIFY(shown.view.goToNextChange(true));
    QVERIFY(shown.ready());
  }
  QCOMPARE(shown.view.tree().currentIndex(), first);
  // F7 works from everywhere in the view.
  QTest::keyClick(&shown.view.tree(), Qt::Key_F7);
}

void TestCompareView::sidesCanBeSwapped() {
  Shown shown;
  QVERIFY(shown.ready());
  shown.view.setDocumentSide(Side::B);
  const auto pair = shown.view.comparison().pair();
  const auto added = shown.view.comparison().result()->tree.count(diff::Status::Added),
             removed = shown.view.comparison().result()->tree.count(diff::Status::Removed);
  QSignalSpy titles(&shown.view, &CompareView::titleChanged);
  const ComparedPtr before = shown.view.comparison().result();
  shown.view.swap();
  QVERIFY(QTest::qWaitFor([&] { return shown.view.comparison().result() != before; }, kWaitMs));
  QVERIFY(shown.ready());
  QCOMPARE(shown.view.comparison().title(Side::A), QStringLiteral("sample-cuda-b.so"));
  QCOMPARE(shown.view.comparison().result()->tree.count(diff::Status::Added), removed);
  QCOMPARE(shown.view.comparison().result()->tree.count(diff::Status::Removed), added);
  QCOMPARE(shown.view.comparison().pair().a, pair.b);
  QCOMPARE(shown.view.comparison().pair().b, pair.a);
  QVERIFY(shown.view.documentSide() == Side::A);
  QCOMPARE(titles.count(), 1);
}

void TestCompareView::filtersHideRows() {
  Shown shown;
  QVERIFY(shown.ready());
  const auto rows = [&] {
    int count = 0;
    const auto walk = [&](const auto& self, const QModelIndex& parent) -> void {
      for (int row = 0; row < shown.view.model().rowCount(parent); ++row, ++count)
        self(self, shown.view.model().index(row, 0, parent));
    };
    walk(walk, {});
    return count;
  };
  const int all = rows();
  shown.view.filter().setText(QStringLiteral("cuda"));
  QVERIFY(QTest::qWaitFor([&] { return rows() < all; }));
  QVERIFY(rows() > 1);
  shown.view.filter().setText(QStringLiteral("nothing is called so"));
  QVERIFY(QTest::qWaitFor([&] { return rows() == 1; }));
  shown.view.filter().clear();
  QVERIFY(QTest::qWaitFor([&] { return rows() == all; }));
  DiffFilter filter;
  filter.kind = diff::NodeKind::Kernel;
  shown.view.setFilter(filter);
  QVERIFY(rows() < all);
}

void TestCompareView::filterKeepsTheSelectedNode() {
  Shown shown;
  QVERIFY(shown.ready());
  const QModelIndex kernel = shown.differing(diff::Topic::Kernel);
  QVERIFY(kernel.isValid());
  const auto a = shown.view.model().ref(kernel, Side::A);
  QVERIFY(shown.view.showNode(a, std::nullopt));
  QVERIFY(shown.ready());
  // The other state of a file: here the same one.
  const ComparedPtr before = shown.view.comparison().result();
  shown.view.setPackage(Side::B, sample("sample-cuda-b.so"), QStringLiteral("sample-cuda-b.so"));
  QVERIFY(QTest::qWaitFor([&] { return shown.view.comparison().result() != before; }, kWaitMs));
  QVERIFY(shown.ready());
  QCOMPARE(shown.view.model().ref(shown.view.tree().currentIndex(), Side::A), a);
  DiffFilter filter;
  filter.changedOnly = false;
  shown.view.setFilter(filter);
  QCOMPARE(shown.view.comparison().pair().a, a);
}

void TestCompareView::masksStartANewComparison() {
  Shown shown;
  QVERIFY(shown.ready());
  const ComparedPtr before = shown.view.comparison().result();
  diff::CompareOptions options = shown.view.comparison().options();
  shown.view.comparison().setOptions(options); // nothing new
  QVERIFY(!shown.view.isRunning());
  options.masks = diff::Masks::all();
  shown.view.comparison().setOptions(options);
  QVERIFY(QTest::qWaitFor([&] { return shown.view.comparison().result() != before; }, kWaitMs));
  QVERIFY(shown.ready());
}

void TestCompareView::escapeCancelsTheComparison() {
  Shown shown;
  QSignalSpy finished(&shown.view, &CompareView::finished);
  QVERIFY(shown.view.isRunning());
  QTest::keyClick(&shown.view, Qt::Key_Escape);
  QVERIFY(!shown.view.isRunning());
  QCOMPARE(finished.count(), 1);
  QVERIFY(!shown.view.comparison().result());
  shown.view.goToNextChange(false);
  shown.view.swap(); // compares again
  QVERIFY(shown.ready());
  // Pairing can be stopped, too, and the existing result stays.
  shown.view.comparison().choose(Ref::file(), Ref::file());
  QVERIFY(shown.view.comparison().isPairing());
  QTest::keyClick(&shown.view, Qt::Key_Escape);
  QVERIFY(!shown.view.comparison().isPairing());
  QVERIFY(shown.view.comparison().result());
}

void TestCompareView::copyingASelectedNodeIsRequested() {
  Shown shown;
  QVERIFY(shown.ready());
  const QModelIndex kernel = shown.differing(diff::Topic::Kernel);
  QVERIFY(shown.view.showNode(shown.view.model().ref(kernel, Side::A), std::nullopt));
  QVERIFY(shown.ready());
  QSignalSpy asked(&shown.view, &CompareView::copyRequested);
  auto buttons = shown.view.pair().findChildren<QPushButton*>();
  const auto copy = [&]() -> QPushButton* {
    for (QPushButton* const button : buttons)
      if (button->text().startsWith(QStringLiteral("Copy to")) && button->isVisible()) return button;
    return nullptr;
  };
  QVERIFY(!copy()); // no side can be edited
  shown.view.setDocumentSide(Side::B);
  QVERIFY(copy());
  QCOMPARE(copy()->text(), QStringLiteral("Copy to B"));
  copy()->click();
  QCOMPARE(asked.count(), 1);
  QCOMPARE(asked[0][0].value<std::optional<Ref>>(), shown.view.model().ref(kernel, Side::A));
}

/// Without the text of the first differing line.
void TestCompareView::statusNamesTheDifferenceBriefly() {
  Shown shown;
  QVERIFY(shown.ready());
  const QModelIndex kernel = shown.differing(diff::Topic::Kernel);
  QVERIFY(kernel.isValid());
  shown.view.tree().setCurrentIndex(shown.view.model().index(0, 0));
  QSignalSpy text(&shown.view, &CompareView::selectionText);
  shown.view.tree().setCurrentIndex(kernel);
  QTRY_VERIFY(text.count() > 0);
  const QString words = text[0][0].toString();
  QVERIFY2(words.endsWith(QStringLiteral("lines removed, 20 added")), qPrintable(words));
}

void TestCompareView::doubleClickOpensTheNode() {
  Shown shown;
  QVERIFY(shown.ready());
  QSignalSpy opened(&shown.view, &CompareView::nodeChosen);
  const QModelIndex kernel = shown.differing(diff::Topic::Kernel);
  const QPoint place = shown.view.tree().visualRect(kernel).center();
  QTest::mouseClick(shown.view.tree().viewport(), Qt::LeftButton, {}, place);
  QTest::mouseDClick(shown.view.tree().viewport(), Qt::LeftButton, {}, place);
  QCOMPARE(opened.count(), 1);
}

void TestCompareView::everyPageOfEveryNodeIsShown() {
  // Each page of each differing node can be shown, and of both files.
  Shown shown;
  QVERIFY(shown.ready());
  std::vector<uint32_t> nodes{DiffModel::kNone};
  const auto& all = shown.view.comparison().result()->tree.nodes;
  for (uint32_t node = 0; node < all.size() && nodes.size() < 30; ++node)
    if (all[node].status != diff::Status::Same) nodes.push_back(node);
  for (const uint32_t node : nodes) {
    const std::optional<Ref> a = node == DiffModel::kNone ? Ref::file() : all[node].a,
                             b = node == DiffModel::kNone ? Ref::file() : all[node].b;
    QVERIFY(shown.view.showNode(a, b) || all[node].parent != diff::DiffNode::kNoParent);
    QVERIFY(shown.ready());
    const auto pages = shown.view.comparison().pair().pages;
    for (std::size_t index = 0; index < pages.size(); ++index) {
      if (pages[index].name == "SASS" || pages[index].name == "Instruction mix") continue; // another program creates it
      shown.view.pair().showPage(static_cast<int>(index));
      QVERIFY2(shown.ready(), pages[index].name.c_str());
      QVERIFY(!shown.view.pair().grab().isNull());
    }
  }
}

void TestCompareView::reportsAreWritten() {
  Shown shown;
  QVERIFY(shown.ready());
  QTemporaryDir folder;
  QSignalSpy written(&shown.view, &CompareView::reportWritten), told(&shown.view, &CompareView::message);
  for (const char* const name : {"/report.html", "/report.md"}) {
    const QString path = folder.path() + QLatin1String(name);
    shown.view.exportReport(path);
    QVERIFY(written.wait(kWaitMs));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains("kernel"));
  }
  shown.view.exportReport(folder.path() + QStringLiteral("/none/report.html"));
  QVERIFY(told.wait(kWaitMs));
  QVERIFY2(told.last().at(0).toString().endsWith(QLatin1String("/none' does not exist")),
           qPrintable(told.last().at(0).toString()));
}

void TestCompareView::everyControlHasAName() {
  Shown shown;
  QVERIFY(shown.ready());
  QVERIFY(shown.view.accessibleName().contains(QStringLiteral("sample-cuda-a.so")));
  // Every button and field has a name.
  for (const QWidget* const widget : shown.view.findChildren<QWidget*>()) {
    if (!(widget->focusPolicy() & Qt::TabFocus) || !widget->isVisible() || widget->focusProxy()) continue;
    QAccessibleInterface* const self = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
    QVERIFY(self);
    const QString place = QString::fromLatin1(widget->metaObject()->className()) + QLatin1String(" in ") +
                          QString::fromLatin1(widget->parentWidget()->metaObject()->className());
    QVERIFY2(!self->text(QAccessible::Name).isEmpty(), qPrintable(place));
  }
}

void TestCompareView::narrowViewComparesInline() {
  Shown shown("sample-cuda-a.so", "sample-cuda-b.so", {740, 420});
  QVERIFY(shown.ready());
  for (const TextPairView* const text : shown.view.findChildren<TextPairView*>()) QVERIFY(text->isInline());
  QVERIFY(shown.view.minimumSizeHint().width() <= 640);
}

void TestCompareView::viewCanCloseWhileComparing() {
  { Shown shown; }
  Jobs jobs;
  auto view = std::make_unique<CompareView>(jobs, sample("sample-cuda-a.so"), QStringLiteral("a"),
                                            sample("sample-cuda-b.so"), QStringLiteral("b"));
  QVERIFY(view->isRunning());
  view.reset();
  finishJobs(jobs);
}

BLOBSCOPE_TEST(TestCompareView);
#include "test_compare_view.moc"
