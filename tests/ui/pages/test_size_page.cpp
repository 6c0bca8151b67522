#include "ui/pages/size_page.h"

#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/pages/page_factory.h"
#include "ui/widgets/charts/treemap_view.h"
#include "ui/widgets/segments.h"

#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

using Map = view::TreemapPage;

/// lib.so 100: Blob 60 (cuda 50 (softmax 40, add 10), tables 10), Host code 30, no name 10.
view::TreemapPagePtr sizeExample() {
  auto map = std::make_shared<Map>();
  const auto add = [&](std::string name, uint64_t bytes, uint32_t parent, Map::Kind kind, std::optional<Ref> ref = {}) {
    map->items.push_back({std::move(name), {}, kind, bytes, parent, 0, 0, 0, std::move(ref)});
  };
  const auto below = [&](uint32_t item, uint32_t first, uint32_t count) {
    map->items[item].first = first;
    map->items[item].count = count;
  };
  const Ref cuda = Ref::moduleAt("", 2);
  add("lib.so", 100, 0, Map::Kind::Container, Ref::file());
  add("Blob", 60, 0, Map::Kind::Container, Ref::blob(""));
  add("Host code", 30, 0, Map::Kind::HostCode, Ref::file());
  add("no name", 10, 0, Map::Kind::Unnamed, Ref::bytesAt(90, 10));
  add("cuda", 50, 1, Map::Kind::Kernel, cuda);
  add("tables", 10, 1, Map::Kind::Tables);
  add("softmax", 40, 4, Map::Kind::Kernel, cuda.part(PartKind::Kernel, "softmax"));
  add("add", 10, 4, Map::Kind::Kernel, cuda.part(PartKind::Kernel, "add"));
  below(0, 1, 3);
  below(1, 4, 2);
  below(4, 6, 2);
  map->sentence = "softmax in Blob › cuda takes most: 40 of 100 bytes, 40.0 %.";
  return map;
}

struct ShownSizes {
  explicit ShownSizes(int width = 1000)
      : made(createPage({"Size", sizeExample()}, PageContext{jobs, Ref::file()}, nullptr)),
        page(dynamic_cast<ui::SizePage&>(*made)) {
    page.resize(width, 600);
    page.show();
    QCoreApplication::processEvents();
  }
  /// The names in the table, from the top.
  QStringList names() const {
    QStringList out;
    for (int row = 0; row < page.table().model()->rowCount(); ++row)
      out << page.table().model()->index(row, 0).data().toString();
    return out;
  }
  /// The middle of an item's cell.
  QPoint placeOf(uint32_t item) const {
    const auto& cells = page.map().cells();
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (cells[i].item == item) return page.map().barRect(static_cast<int>(i)).center();
    return {-1, -1};
  }
  Jobs jobs;
  std::unique_ptr<PageWidget> made;
  ui::SizePage& page;
};

} // namespace

class TestSizePage : public QObject {
  Q_OBJECT
  Application m_application;

private Q_SLOTS:
  void tableHasTheLeaves() {
    ShownSizes shown;
    QCOMPARE(shown.names(), QStringList({u"softmax"_s, u"Host code"_s, u"add"_s, u"tables"_s, u"no name"_s}));
    QCOMPARE(shown.page.summary(), u"5 items, 100 bytes"_s);
    QCOMPARE(shown.page.path(), QStringList({u"lib.so"_s}));
    QVERIFY(!drawn(shown.page.map(), 1).isNull());
  }

  void partsSelectTogether() {
    ShownSizes shown;
    QSignalSpy nodes(&shown.page, &PageWidget::nodeChosen), details(&shown.page, &PageWidget::detailsChanged);
    QTest::mouseClick(&shown.page.map(), Qt::LeftButton, {}, shown.placeOf(6));
    QCOMPARE(shown.page.table().currentIndex().data().toString(), u"softmax"_s);
    QCOMPARE(nodes.last()[0].value<Ref>().toString(), std::string("m2/kernel:softmax"));
    QCOMPARE(nodes.last()[1].toBool(), false);
    QTest::keyClick(&shown.page.table(), Qt::Key_Down);
    QCOMPARE(shown.page.map().current().value_or(99), 2U);
    // Host code is no node of its own.
    QCOMPARE(details.last().first().value<view::Details>().front().title, std::string("Host code"));
    QCOMPARE(shown.page.map().currentText(), u"Host code, 30 bytes, 30.0 %"_s);
  }

  void arrowsGoToTheNeighbour() {
    ShownSizes shown;
    TreemapView& map = shown.page.map();
    map.setFocus();
    QTest::keyClick(&map, Qt::Key_Right); // the first cell
    QVERIFY(map.current().has_value());
    map.setCurrent(6);
    QTest::keyClick(&map, Qt::Key_Right);
    QVERIFY(map.current() != 6U);
    QTest::keyClick(&map, Qt::Key_Left);
    QVERIFY(map.current().has_value());
  }

  void levelsAreEnteredAndLeft() {
    ShownSizes shown;
    TreemapView& map = shown.page.map();
    QSignalSpy opened(&shown.page, &PageWidget::nodeChosen);
    map.setFocus();
    map.setCurrent(6);
    QTest::keyClick(&map, Qt::Key_Return);
    QCOMPARE(map.level(), 1U);
    QCOMPARE(shown.names(), QStringList({u"softmax"_s, u"add"_s, u"tables"_s}));
    QCOMPARE(shown.page.summary(), u"3 items, 60 bytes"_s);
    QTest::mouseDClick(&map, Qt::LeftButton, {}, shown.placeOf(6));
    QCOMPARE(map.level(), 4U);
    QCOMPARE(shown.page.path(), QStringList({u"lib.so"_s, u"› Blob"_s, u"› cuda"_s}));
    QTest::keyClick(&map, Qt::Key_Return); // the kernel itself
    QCOMPARE(map.level(), 4U);
    QCOMPARE(opened.last()[0].value<Ref>().toString(), std::string("m2/kernel:softmax"));
    QCOMPARE(opened.last()[1].toBool(), true);
    QTest::keyClick(&map, Qt::Key_Backspace);
    QCOMPARE(map.level(), 1U);
    QTest::keyClick(&map, Qt::Key_Home);
    QCOMPARE(map.level(), 0U);
    QCOMPARE(shown.page.path(), QStringList({u"lib.so"_s}));
  }

  void rowsOpenTheirNode() {
    ShownSizes shown;
    QSignalSpy opened(&shown.page, &PageWidget::nodeChosen);
    shown.page.table().setCurrentIndex(shown.page.table().model()->index(4, 0));
    Q_EMIT shown.page.table().activated(shown.page.table().currentIndex());
    QCOMPARE(opened.last()[0].value<Ref>().toString(), std::string("@0x5a+10"));
  }

  void filterAndKindsChooseItems() {
    ShownSizes shown;
    shown.page.filter().setText(u"CUDA"_s);
    QCOMPARE(shown.names(), QStringList({u"softmax"_s, u"add"_s})); // what is in the module
    QCOMPARE(shown.page.summary(), u"2 of 5 items, 50.0 % of lib.so"_s);
    shown.page.filter().clear();
    QVERIFY(!shown.page.kindButton(Map::Kind::Vm)); // there is none
    shown.page.kindButton(Map::Kind::Kernel)->click();
    QCOMPARE(shown.names(), QStringList({u"Host code"_s, u"tables"_s, u"no name"_s}));
    shown.page.filter().setText(u"nothing of that name"_s);
    QCOMPARE(shown.page.summary(), u"0 of 5 items, 0.0 % of lib.so"_s);
    shown.page.filter().clear();
    shown.page.kindButton(Map::Kind::Kernel)->click();
    QCOMPARE(shown.names().size(), 5);
  }

  void narrowPagesShowTheTable() {
    ShownSizes shown(700);
    QVERIFY(shown.page.showsTable());
    shown.page.resize(1000, 600);
    QCoreApplication::processEvents();
    QVERIFY(!shown.page.showsTable());
    QTest::keyClick(&shown.page.map(), Qt::Key_T, Qt::ControlModifier);
    QVERIFY(shown.page.showsTable());
    QCOMPARE(shown.page.modes().current(), 1);
    QTest::keyClick(&shown.page.table(), Qt::Key_T, Qt::ControlModifier);
    QVERIFY(!shown.page.showsTable());
  }

  void stateIsKept() {
    ShownSizes shown, other;
    shown.page.map().setLevel(4);
    shown.page.filter().setText(u"add"_s);
    shown.page.setShowsTable(true);
    const auto state = shown.page.saveState();
    other.page.restoreState(*state);
    QCOMPARE(other.page.map().level(), 4U);
    QCOMPARE(other.names(), QStringList({u"add"_s}));
    QVERIFY(other.page.showsTable());
  }

  void cellsAreReadAloud() {
    ShownSizes shown;
    TreemapView& map = shown.page.map();
    QCOMPARE(map.barCount(), static_cast<int>(map.cells().size()));
    QStringList texts;
    for (int i = 0; i < map.barCount(); ++i) texts << map.barText(i);
    QVERIFY(texts.contains(u"softmax, 40 bytes, 40.0 %"_s));
    QVERIFY(map.accessibleDescription().contains(u"no name, 10 bytes, 10.0 %"_s));
  }

  void picturesAndRowsAreSaved_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("begin");
    QTest::newRow("SVG") << u"map.svg"_s << QByteArray("<svg ");
    QTest::newRow("PNG") << u"map.png"_s << QByteArray("\x89PNG");
    QTest::newRow("CSV") << u"map.csv"_s << QByteArray("name,in,what,bytes,share in %\r\nsoftmax,");
  }
  void picturesAndRowsAreSaved() {
    QFETCH(QString, name);
    QFETCH(QByteArray, begin);
    ShownSizes shown;
    const QTemporaryDir folder;
    QSignalSpy message(&shown.page, &PageWidget::message);
    const QString path = folder.filePath(name);
    shown.page.exportTo(path);
    QTRY_COMPARE(message.count(), 1);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray content = file.readAll();
    QVERIFY2(content.startsWith(begin), content.left(80).constData());
  }

  void bothThemesAreDrawn() {
    ShownSizes shown;
    const QImage light = drawn(shown.page.map(), 1), large = drawn(shown.page.map(), 1.5);
    QVERIFY(light != QImage() && large.width() > light.width());
    setTheme(Theme::dark());
    const QImage dark = drawn(shown.page.map(), 1);
    setTheme(Theme::light());
    QVERIFY(dark != light);
    QCOMPARE(drawn(shown.page.map(), 1), light);
  }
};

BLOBSCOPE_TEST(TestSizePage);
#include "test_size_page.moc"
