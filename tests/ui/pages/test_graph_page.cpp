#include "ui/pages/graph_page.h"

#include "tests/core/graph/example_graphs.h"
#include "tests/support/test_main.h"
#include "tests/support/wait.h"
#include "tests/ui/ui_test.h"
#include "ui/pages/table_page.h"
#include "ui/widgets/graph/graph_view.h"

#include <QElapsedTimer>
#include <QFile>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

/// An input with a parameter, three equal blocks of two operators, and a last one that opens a host function.
view::GraphPage modelPage() {
  view::GraphPage page =
      pageOf({"x", "p0", "conv", "relu", "conv", "relu", "conv", "relu", "dense"}, "0-2 1-2 2-3 3-4 4-5 5-6 6-7 7-8");
  page.nodes[0].kind = view::GraphPage::Kind::Input;
  page.nodes[1].kind = view::GraphPage::Kind::Constant;
  page.nodes[8].ref = Ref::named(Ref::Kind::Host, "dense");
  page.nodes[8].name = "fused_dense";
  return page;
}

struct ShownGraph {
  explicit ShownGraph(view::GraphPage graph = modelPage(), QSize size = {900, 500})
      : page(std::move(graph), PageContext{jobs, Ref::file()}, nullptr) {
    page.resize(size);
    page.show();
    wait();
  }
  /// Waits until the boxes are at their places.
  void wait() {
    QSignalSpy arranged(&page, &ui::GraphPage::arranged);
    isArranged = arranged.wait(kWaitMs);
    QCoreApplication::processEvents();
  }
  GraphView& view() { return page.view(); }
  std::size_t boxes() { return view().scene()->picture.boxes.size(); }
  void press(Qt::Key key) { QTest::keyClick(&view(), key); }
  int node() { return view().current() ? static_cast<int>(view().scene()->picture.boxes[*view().current()].node) : -1; }

  Jobs jobs;
  ui::GraphPage page;
  bool isArranged = false;
};

} // namespace

/// The page of a graph: what it draws, the keyboard, search, the table, pictures.
class TestGraphPage : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void foldsRepeats();
  void showsParameters();
  void keysFollowEdges();
  void clickSelectsAndDescribes();
  void enterUnfoldsAndOpens();
  void searchGoesToMatches();
  void zoomKeepsThePointUnderTheMouse();
  void mapMovesTheView();
  void tableHasTheSameRows();
  void boxesAreAccessible();
  void savesAPicture();
  void stateIsKept();
  void largeGraphIsDrawnQuickly();

private:
  Application m_application;
};

void TestGraphPage::foldsRepeats() {
  ShownGraph shown;
  QVERIFY(shown.isArranged);
  QCOMPARE(shown.boxes(), std::size_t{3}); // the parameter is hidden
  shown.page.setFolding(false);
  shown.wait();
  QCOMPARE(shown.boxes(), std::size_t{8});
}

void TestGraphPage::showsParameters() {
  ShownGraph shown;
  shown.page.setShowsValues(true);
  shown.wait();
  QCOMPARE(shown.boxes(), std::size_t{4});
}

void TestGraphPage::keysFollowEdges() {
  ShownGraph shown(pageOf({"a", "b", "c", "d"}, "0-1 0-2 1-3 2-3"));
  shown.press(Qt::Key_Down); // the first box
  QCOMPARE(shown.node(), 0);
  shown.press(Qt::Key_Down);
  const int left = shown.node();
  QVERIFY(left == 1 || left == 2);
  shown.press(Qt::Key_Right);
  shown.press(Qt::Key_Left);
  shown.press(Qt::Key_Left);
  QVERIFY(shown.node() == 1 || shown.node() == 2); // not beyond the layer
  shown.press(Qt::Key_Down);
  QCOMPARE(shown.node(), 3);
  shown.press(Qt::Key_Down);
  QCOMPARE(shown.node(), 3);
  shown.press(Qt::Key_Up);
  shown.press(Qt::Key_Up);
  QCOMPARE(shown.node(), 0);
}

void TestGraphPage::clickSelectsAndDescribes() {
  ShownGraph shown;
  QSignalSpy details(&shown.page, &ui::GraphPage::detailsChanged);
  const uint32_t box = shown.view().scene()->picture.boxOf[8];
  QTest::mouseClick(&shown.view(), Qt::LeftButton, {}, shown.view().barRect(static_cast<int>(box)).center());
  QCOMPARE(shown.node(), 8);
  QCOMPARE(details.size(), 1);
  const auto groups = details[0][0].value<view::Details>();
  QCOMPARE(groups[0].title, std::string("Node 8"));
  QVERIFY(groups[0].rows[1].link == Ref::named(Ref::Kind::Host, "dense"));
  // A click beside the boxes selects none.
  QTest::mouseClick(&shown.view(), Qt::LeftButton, {}, QPoint(3, shown.view().height() - 3));
  QCOMPARE(shown.node(), -1);
}

void TestGraphPage::enterUnfoldsAndOpens() {
  ShownGraph shown;
  QSignalSpy chosen(&shown.page, &ui::GraphPage::nodeChosen);
  QVERIFY(shown.view().setCurrentNode(2));
  shown.press(Qt::Key_Return);
  shown.wait();
  QCOMPARE(shown.boxes(), std::size_t{8});
  QCOMPARE(chosen.size(), 0);
  QVERIFY(shown.view().setCurrentNode(5));
  shown.press(Qt::Key_Backspace);
  shown.wait();
  QCOMPARE(shown.boxes(), std::size_t{3});
  QVERIFY(shown.view().setCurrentNode(8));
  shown.press(Qt::Key_Return);
  QCOMPARE(chosen.size(), 1);
  QCOMPARE(chosen[0][0].value<Ref>(), Ref::named(Ref::Kind::Host, "dense"));
  QVERIFY(chosen[0][1].toBool());
}

void TestGraphPage::searchGoesToMatches() {
  ShownGraph shown;
  shown.page.findField().setText(u"FUSED_D"_s);
  QTest::keyClick(&shown.page.findField(), Qt::Key_Return);
  QCOMPARE(shown.view().foundCount(), std::size_t{1});
  QCOMPARE(shown.node(), 8);
  // Names in a stack are found, too.
  shown.page.findField().setText(u"relu"_s);
  QTest::keyClick(&shown.page.findField(), Qt::Key_Return);
  QCOMPARE(shown.node(), 7); // the stack, by its last node
  shown.page.findField().setText(u"nothing"_s);
  QTest::keyClick(&shown.page.findField(), Qt::Key_Return);
  QCOMPARE(shown.view().foundCount(), std::size_t{0});
  QVERIFY(!shown.view().goToFound(false));
}

void TestGraphPage::zoomKeepsThePointUnderTheMouse() {
  ShownGraph shown;
  const QPointF place(300, 200);
  const auto point = [&] { return shown.view().visiblePart().topLeft() + place / shown.view().zoom(); };
  const QPointF before = point();
  shown.view().setZoom(1.5, place);
  QVERIFY((point() - before).manhattanLength() < 0.01);
  QCOMPARE(shown.view().zoom(), 1.5);
  shown.view().setZoom(1e9, place);
  QCOMPARE(shown.view().zoom(), GraphView::kMaximumZoom);
  shown.press(Qt::Key_Home);
  QVERIFY(shown.view().visiblePart().contains(
      QRectF(0, 0, shown.view().scene()->layout.width, shown.view().scene()->layout.height)));
}

/// Of a graph that does not fit, the map at the lower right shows all; a click there goes to that part.
void TestGraphPage::mapMovesTheView() {
  std::vector<std::string> titles;
  for (int i = 0; i < 200; ++i) titles.push_back("n" + std::to_string(i));
  ShownGraph shown(chainOf(titles));
  QVERIFY(shown.view().visiblePart().top() < 20);
  const QSize size = shown.view().size();
  QTest::mouseClick(&shown.view(), Qt::LeftButton, {}, QPoint(size.width() - 90, size.height() - 20));
  QVERIFY(shown.view().visiblePart().bottom() > shown.view().scene()->layout.height * 0.8);
  QCOMPARE(shown.node(), -1);
}

void TestGraphPage::tableHasTheSameRows() {
  ShownGraph shown;
  shown.view().setFocus();
  QTest::keyClick(&shown.view(), Qt::Key_T, Qt::ControlModifier);
  QVERIFY(shown.page.showsTable());
  auto* const table = shown.page.findChild<TablePage*>();
  QCOMPARE(table->model().rowCount(), 9);
  QSignalSpy ordered(table, &TablePage::ordered);
  shown.page.findField().setText(u"dense"_s);
  QVERIFY(ordered.wait(kWaitMs));
  QCOMPARE(table->model().rowCount(), 1);
  shown.page.setShowsTable(false);
  QVERIFY(!shown.page.showsTable());
}

void TestGraphPage::boxesAreAccessible() {
  ShownGraph shown;
  QAccessibleInterface* const list = QAccessible::queryAccessibleInterface(&shown.view());
  QVERIFY(list);
  QCOMPARE(list->childCount(), 3);
  QCOMPARE(list->child(1)->text(QAccessible::Name), u"conv, relu × 3, 1 in, 1 out"_s);
  QVERIFY(list->child(0)->rect().intersects(list->rect()));
  shown.view().setCurrentNode(8);
  QCOMPARE(list->text(QAccessible::Value), u"dense, 1 in, 0 out"_s);
}

void TestGraphPage::savesAPicture() {
  ShownGraph shown;
  QTemporaryDir folder;
  const QString path = folder.filePath(u"graph.svg"_s);
  QSignalSpy message(&shown.page, &ui::GraphPage::message);
  shown.page.saveSvg(path);
  QVERIFY(message.wait(kWaitMs));
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray text = file.readAll();
  QVERIFY(text.startsWith("<svg"));
  QCOMPARE(text.count("<g class="), 3);
  shown.page.saveSvg(folder.path() + u"/missing/graph.svg"_s);
  QVERIFY(message.wait(kWaitMs));
  QVERIFY2(message.last()[0].toString().contains(u"graph.svg"_s), qPrintable(message.last()[0].toString()));
}

void TestGraphPage::stateIsKept() {
  ShownGraph shown;
  shown.page.setFolding(false);
  shown.wait();
  shown.view().setCurrentNode(4);
  shown.page.setColouring(graph::Colouring::Bytes);
  const auto state = shown.page.saveState();
  ShownGraph other;
  other.page.restoreState(*state);
  other.wait();
  QCOMPARE(other.boxes(), std::size_t{8});
  QCOMPARE(other.node(), 4);
  QCOMPARE(other.view().colouring(), graph::Colouring::Bytes);
}

/// A graph of 10,000 nodes as a whole and at its beginning.
void TestGraphPage::largeGraphIsDrawnQuickly() {
  const PlainGraph plain = networkGraph(10'000);
  view::GraphPage page;
  for (std::size_t i = 0; i < plain.boxes.size(); ++i) {
    view::GraphPage::Node node;
    node.title = node.name = "operator " + std::to_string(i);
    node.note = "1×16×20";
    page.nodes.push_back(std::move(node));
  }
  for (const graph::Edge& edge : plain.edges) page.edges.push_back({edge.from, edge.to, {}});
  ShownGraph shown(std::move(page), {1200, 700});
  QVERIFY(shown.isArranged);
  QCOMPARE(shown.boxes(), std::size_t{10'000});
  const auto frame = [&] {
    QPixmap pixmap(shown.view().size());
    shown.view().render(&pixmap); // what is prepared once
    QElapsedTimer clock;
    clock.start();
    for (int i = 0; i < 10; ++i) {
      shown.press(Qt::Key_PageDown);
      shown.view().render(&pixmap);
    }
    return clock.nsecsElapsed() / 1e7;
  };
  const double near = frame();
  shown.press(Qt::Key_Home);
  const double whole = frame();
  qInfo("10,000 boxes: %.1f ms per frame at 100 %%, %.1f ms as a whole", near, whole);
  QVERIFY(near < 160 && whole < 160); // ten times what an optimized build needs
}

BLOBSCOPE_TEST(TestGraphPage);
#include "test_graph_page.moc"
