#include "ui/models/diff_model.h"

#include "core/describe/comparison.h"
#include "tests/support/test_main.h"
#include "tests/ui/compare/compare_test.h"
#include "tests/ui/ui_test.h"
#include "ui/compare/diff_look.h"
#include "ui/models/diff_rows_model.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using diff::Status;
using diff::Topic;

namespace {

/// A comparison made by hand.
struct Made {
  Made() : compared(std::make_shared<Compared>()) {
    compared->tree.a = {"/x/model-old.so", 1'000, "ELF"};
    compared->tree.b = {"/y/model-new.so", 900, "ELF"};
  }
  uint32_t add(Topic topic, Status status, const std::string& name, uint32_t parent = diff::DiffNode::kNoParent,
               const std::string& newName = {}) {
    diff::DiffNode node;
    node.topic = topic;
    node.status = status;
    node.parent = parent;
    node.name = name;
    node.newName = newName;
    const Ref ref = Ref::moduleAt({}, static_cast<uint32_t>(compared->tree.nodes.size()));
    if (status != Status::Added) node.a = ref;
    if (status != Status::Removed) node.b = ref;
    ++compared->tree.counts[static_cast<std::size_t>(topic)][static_cast<std::size_t>(status)];
    compared->tree.nodes.push_back(node);
    compared->nodes.push_back({library::RowKind::Module, "metal", 2'000, 1'000});
    return static_cast<uint32_t>(compared->tree.nodes.size() - 1);
  }
  /// A module with kernels of each status, and constants.
  void fill() {
    const uint32_t module = add(Topic::Module, Status::Changed, "metal");
    add(Topic::Kernel, Status::Same, "add", module);
    add(Topic::Kernel, Status::Changed, "gelu", module, "gelu_tanh");
    add(Topic::Kernel, Status::Renamed, "matmul5", module, "matmul2");
    add(Topic::Kernel, Status::Same, "mul", module);
    add(Topic::Kernel, Status::Added, "extra", module);
    for (int i = 0; i < 6; ++i)
      add(Topic::Constant, i < 5 ? Status::Changed : Status::Same, "const" + std::to_string(i), module);
  }
  std::shared_ptr<Compared> compared;
};

/// The tree as text, one line per row.
QString dump(const DiffModel& model, const QModelIndex& parent = {}, int depth = 0) {
  QString out;
  for (int row = 0; row < model.rowCount(parent); ++row) {
    const QModelIndex index = model.index(row, 0, parent);
    out += QString(depth * 2, QLatin1Char(' ')) + index.data(BadgeRole).toString() + index.data().toString();
    if (const QString renamed = index.data(NewNameRole).toString(); !renamed.isEmpty())
      out += QStringLiteral(">") + renamed;
    out += QLatin1Char('\n') + dump(model, index, depth + 1);
  }
  return out;
}

} // namespace

class TestDiffModel : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void emptyComparisonHasNoRows();
  void equalNodesAreFolded();
  void filterCanShowEveryNode();
  void filterSearchesNames();
  void kindsOfNodesAreListed();
  void nodesAreFoundUnlessFiltered();
  void manyNodesAreFolded();
  void accessibleTextStatesTheChange();
  void sentenceCountsTheChanges_data();
  void sentenceCountsTheChanges();
  void tableRowsShowChanges();
  void factRowsShowChanges();
  void fieldRowsShowChanges();

private:
  Application m_application;
};

void TestDiffModel::emptyComparisonHasNoRows() {
  DiffModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QCOMPARE(model.rowCount(), 0);
  QVERIFY(!model.firstChange().isValid());
  Made made;
  made.compared->tree.identical = true;
  model.setCompared(made.compared);
  QCOMPARE(dump(model), QStringLiteral("model\n"));
  model.setCompared(nullptr);
  QCOMPARE(model.rowCount(), 0);
}

void TestDiffModel::equalNodesAreFolded() {
  Made made;
  made.fill();
  DiffModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  model.setCompared(made.compared);
  QCOMPARE(dump(model), QString::fromUtf8("≠model\n"
                                          "  ≠metal\n"
                                          "    ≠gelu>gelu_tanh\n"
                                          "    ~matmul5>matmul2\n"
                                          "    +extra\n"
                                          "    2 equal kernels\n"
                                          "      add\n"
                                          "      mul\n"
                                          "    ≠Constants\n"
                                          "      ≠const0\n"
                                          "      ≠const1\n"
                                          "      ≠const2\n"
                                          "      ≠const3\n"
                                          "      ≠const4\n"
                                          "      1 equal constant\n"
                                          "        const5\n"));
  const QModelIndex equal = model.index(3, 0, model.index(0, 0, model.index(0, 0)));
  QVERIFY(equal.data(DimRole).toBool());
  QVERIFY(model.isGroup(equal));
  QVERIFY(!model.ref(equal, Side::A));
}

void TestDiffModel::filterCanShowEveryNode() {
  Made made;
  made.fill();
  DiffModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  model.setCompared(made.compared);
  DiffFilter filter;
  filter.changedOnly = false;
  filter.kind = diff::NodeKind::Kernel;
  model.setFilter(filter);
  QCOMPARE(
      dump(model),
      QString::fromUtf8("≠model\n  ≠metal\n    add\n    ≠gelu>gelu_tanh\n    ~matmul5>matmul2\n    mul\n    +extra\n"));
}

void TestDiffModel::filterSearchesNames() {
  Made made;
  made.fill();
  DiffModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  model.setCompared(made.compared);
  DiffFilter filter;
  filter.words = QStringList{QStringLiteral("MATMUL2")};
  model.setFilter(filter);
  QCOMPARE(dump(model), QString::fromUtf8("≠model\n  ≠metal\n    ~matmul5>matmul2\n"));
  filter.words = QStringList{QStringLiteral("nowhere")};
  model.setFilter(filter);
  QCOMPARE(dump(model), QString::fromUtf8("≠model\n"));
}

void TestDiffModel::kindsOfNodesAreListed() {
  Made made;
  made.fill();
  DiffModel model;
  model.setCompared(made.compared);
  QCOMPARE(model.kinds(),
           (std::vector<diff::NodeKind>{diff::NodeKind::Module, diff::NodeKind::Kernel, diff::NodeKind::Field}));
}

void TestDiffModel::nodesAreFoundUnlessFiltered() {
  Made made;
  made.fill();
  DiffModel model;
  model.setCompared(made.compared);
  const QModelIndex first = model.firstChange();
  QCOMPARE(first.data().toString(), QStringLiteral("gelu"));
  QCOMPARE(model.find(model.node(first)), first);
  QCOMPARE(model.find(model.ref(first, Side::A), std::nullopt), first);
  QCOMPARE(model.find(Ref::file(), Ref::file()), model.index(0, 0));
  QCOMPARE(model.ref(model.index(0, 0), Side::B), std::optional(Ref::file()));
  // A node that the filter hides is not found.
  DiffFilter filter;
  filter.words = QStringList{QStringLiteral("matmul")};
  model.setFilter(filter);
  QVERIFY(!model.find(2).isValid());
}

void TestDiffModel::manyNodesAreFolded() {
  Made made;
  const uint32_t module = made.add(Topic::Module, Status::Changed, "llvm");
  for (int i = 0; i < 40'000; ++i)
    made.add(Topic::Symbol, i % 2 == 0 ? Status::Same : Status::Changed, "symbol_of_a_library_" + std::to_string(i),
             module);
  DiffModel model;
  QElapsedTimer clock;
  clock.start();
  model.setCompared(made.compared);
  const qint64 shown = clock.restart();
  DiffFilter filter;
  filter.words = QStringList{QStringLiteral("LIBRARY_3999")};
  model.setFilter(filter);
  qInfo("40,000 nodes: shown in %lld ms, filtered in %lld ms", shown, clock.elapsed());
  const QModelIndex group = model.index(0, 0, model.index(0, 0, model.index(0, 0)));
  QCOMPARE(model.rowCount(group), 7); // six that differ and a row for the equal ones
}

void TestDiffModel::accessibleTextStatesTheChange() {
  Made made;
  made.fill();
  made.compared->tree.nodes[2].detail = "registers 96 → 168";
  DiffModel model;
  model.setCompared(made.compared);
  QCOMPARE(model.firstChange().data(Qt::AccessibleTextRole).toString(),
           QString::fromUtf8("gelu → gelu_tanh, changed: registers 96 → 168, 2,000 → 1,000 bytes"));
  QCOMPARE(model.firstChange().data(DifferenceRole).toString(), QString::fromUtf8("−1,000 B"));
  QCOMPARE(model.index(0, 0).data(DifferenceRole).toString(), QString::fromUtf8("−10.0 %"));
}

void TestDiffModel::sentenceCountsTheChanges_data() {
  QTest::addColumn<int>("same");
  QTest::addColumn<int>("renamed");
  QTest::addColumn<int>("changed");
  QTest::addColumn<int>("added");
  QTest::addColumn<QString>("sentence");
  QTest::newRow("all kinds") << 35 << 13 << 2 << 1
                             << "48 of 51 kernels are the same, 13 of them under another name; 2 changed, 1 only in B.";
  QTest::newRow("one left") << 1 << 0 << 4 << 0 << "1 of 5 kernels is the same; 4 changed.";
  QTest::newRow("none left") << 0 << 0 << 3 << 0 << "None of 3 kernels is the same; 3 changed.";
  QTest::newRow("renamed only") << 0 << 4 << 0 << 0 << "All 4 kernels are the same except for the name.";
  QTest::newRow("equal") << 4 << 0 << 0 << 0 << "There are no differences in the compared parts.";
}

void TestDiffModel::sentenceCountsTheChanges() {
  QFETCH(int, same);
  QFETCH(int, renamed);
  QFETCH(int, changed);
  QFETCH(int, added);
  QFETCH(QString, sentence);
  Made made;
  for (int i = 0; i < same; ++i) made.add(Topic::Kernel, Status::Same, "k");
  for (int i = 0; i < renamed; ++i) made.add(Topic::Kernel, Status::Renamed, "k");
  for (int i = 0; i < changed; ++i) made.add(Topic::Kernel, Status::Changed, "k");
  for (int i = 0; i < added; ++i) made.add(Topic::Kernel, Status::Added, "k");
  QCOMPARE(QString::fromStdString(describe::sentenceOf(made.compared->tree)), sentence);
}

void TestDiffModel::tableRowsShowChanges() {
  const std::vector<view::Column> columns = {{"name"}, {"bytes", true}};
  DiffRowsModel model(comparedPage(view::tablePage("T", columns, {{"a", "1"}, {"b", "2000"}, {"c", "3"}}),
                                   view::tablePage("T", columns, {{"a", "1"}, {"b", "2500"}, {"d", "4"}})));
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QVERIFY(!model.isBySide());
  QCOMPARE(model.rowCount(), 4);
  QCOMPARE(model.changeCount(), 3);
  int row = model.nextChange(-1, false);
  QCOMPARE(model.status(row), Status::Changed);
  QCOMPARE(model.index(row, 1).data().toString(), QString::fromUtf8("2,000 → 2,500"));
  QVERIFY(model.index(row, 1).data(CellChangedRole).toBool());
  QVERIFY(!model.index(row, 0).data(CellChangedRole).toBool());
  QCOMPARE(model.index(row, 0).data(Qt::AccessibleTextRole).toString(), QStringLiteral("b, changed"));
  QCOMPARE(model.changesUpTo(row), 1);
  model.setChangedOnly(true);
  QCOMPARE(model.rowCount(), 3);
  row = model.nextChange(2, false);
  QCOMPARE(row, -1);
  QCOMPARE(model.nextChange(1, true), 0);
}

void TestDiffModel::factRowsShowChanges() {
  DiffRowsModel model(comparedPage(view::factsPage("F", {{"key", "cuda"}, {"registers", "96"}}),
                                   view::factsPage("F", {{"key", "cuda"}, {"registers", "168"}, {"stack", "16"}})));
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QVERIFY(model.isBySide());
  QCOMPARE(model.columnCount(), 3);
  const int row = model.nextChange(-1, false);
  QCOMPARE(model.index(row, 1).data().toString(), QStringLiteral("96"));
  QCOMPARE(model.index(row, 2).data().toString(), QStringLiteral("168"));
  const int added = model.nextChange(row, false);
  QCOMPARE(model.index(added, 1).data().toString(), QString::fromUtf8("–"));
  QCOMPARE(model.index(added, 2).data().toString(), QStringLiteral("16"));
}

void TestDiffModel::fieldRowsShowChanges() {
  const auto tree = [](std::string_view bytes) {
    FieldTreeBuilder builder;
    builder.open("head", FieldType::Group, FieldRole::Structure, 0, 0);
    builder.leaf("count", FieldType::U8, FieldRole::Number, 1, static_cast<uint8_t>(bytes[0]));
    builder.leaf("kind", FieldType::U8, FieldRole::Number, 1, static_cast<uint8_t>(bytes[1]));
    builder.close();
    return std::make_shared<const FieldTree>(builder.take(Bytes::copyOf(bytes)));
  };
  DiffRowsModel model(
      comparedPage({"Fields", view::FieldsPage{tree("\1\2")}}, {"Fields", view::FieldsPage{tree("\1\3")}}));
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
  QCOMPARE(model.rowCount(), 1);
  QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("head.kind"));
  QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("2"));
  QCOMPARE(model.index(0, 2).data().toString(), QStringLiteral("3"));
}

BLOBSCOPE_TEST(TestDiffModel);
#include "test_diff_model.moc"
