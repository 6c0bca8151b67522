#include "core/base/text.h"
#include "tests/support/test_main.h"
#include "tests/ui/models/model_tester.h"
#include "tests/ui/ui_test.h"
#include "ui/models/contents_model.h"
#include "ui/models/fields_model.h"
#include "ui/models/table_model.h"
#include "ui/text/severity_text.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTreeView>

#include <atomic>
#include <numeric>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using library::ContentsRow;
using library::RowKind;

namespace {

ContentsRow row(uint32_t parent, RowKind kind, Ref ref, std::string name) {
  ContentsRow made;
  made.parent = parent;
  made.kind = kind;
  made.ref = std::move(ref);
  made.name = std::move(name);
  return made;
}

/// library → blob → m0 → m1, m2 → m1; host code.
std::vector<ContentsRow> someRows() {
  std::vector<ContentsRow> rows;
  rows.push_back(row(ContentsRow::kNoParent, RowKind::Library, Ref::file(), "lib.so"));
  rows.push_back(row(0, RowKind::Blob, Ref::blob({}), "Blob"));
  rows.push_back(row(1, RowKind::Module, Ref::moduleAt({}, 0), "_lib"));
  rows.push_back(row(2, RowKind::Module, Ref::moduleAt({}, 1), "cuda"));
  rows.push_back(row(2, RowKind::Module, Ref::moduleAt({}, 2), "opencl"));
  rows.push_back(row(4, RowKind::Module, Ref::moduleAt({}, 1), "cuda"));
  rows.push_back(row(0, RowKind::HostCode, Ref::file(), "Host functions"));
  rows[3].detail = "m1";
  rows[3].moduleKey = "cuda";
  rows[3].size = 2'270'303;
  rows[3].worst = Severity::Error;
  rows[3].shared = rows[5].shared = true;
  rows[4].worst = Severity::Warning;
  rows[6].page = "Host";
  rows[6].detail = "12";
  return rows;
}

/// "a(b c(d))": the rows of the model below an index.
QString treeText(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
  QStringList children;
  for (int at = 0; at < model.rowCount(parent); ++at) {
    const QModelIndex child = model.index(at, 0, parent);
    const QString below = treeText(model, child);
    children << child.data().toString() + (below.isEmpty() ? QString() : QStringLiteral("(%1)").arg(below));
  }
  return children.join(QLatin1Char(' '));
}

/// kind "vulkan"; sizes: 2 numbers; a group with a text; the bytes are at 0x1000 of a file.
std::shared_ptr<const FieldTree> someFields() {
  FieldTreeBuilder builder;
  builder.leaf("magic", FieldType::U32, FieldRole::Number, 4, 0x2b);
  builder.open("sizes", FieldType::List, FieldRole::Length, 8, 2);
  for (uint32_t i = 0; i < 2; ++i) {
    builder.nextIndex(i);
    builder.leaf("", FieldType::U16, FieldRole::Number, 2, 7 + i);
  }
  builder.close();
  builder.open("info", FieldType::Group, FieldRole::Structure, 0, 0);
  builder.leaf("flag", FieldType::U8, FieldRole::Number, 1, 1);
  builder.leaf("name", FieldType::String, FieldRole::Text, 11, 3);
  builder.close();
  const std::string content("\x2b\0\0\0\2\0\0\0\0\0\0\0\7\0\x8\0\1\3\0\0\0\0\0\0\0abc", 28);
  return std::make_shared<const FieldTree>(builder.take(placedBytes(content, 0x1000)));
}

/// Rows that are made on request, and counted.
class CountingTable final : public view::TableSource {
public:
  explicit CountingTable(uint64_t rows) : m_rows(rows) {}
  std::vector<view::Column> columns() const override { return {{"name"}, {"bytes", true, true}, {"kind"}}; }
  uint64_t rowCount() const override { return m_rows; }
  std::string cell(uint64_t row, std::size_t column) const override {
    ++asked;
    if (column > 2 || row >= m_rows) qFatal("there is no such cell");
    return column == 0 ? "r\xff" + std::to_string(row) : column == 1 ? std::to_string(row * 1'000) : "kind";
  }
  mutable std::atomic<int> asked = 0;

private:
  uint64_t m_rows;
};

} // namespace

/// The models of the tree and the tables, by roles and under Qt's model test.
class TestTreeAndTableModels : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void cleanup();
  void contentsFormATree();
  void emptyContentsHaveNoRows();
  void contentsHaveTheirRoles();
  void contentsStateSeverityInText();
  void contentsAreFoundByRef();
  void newContentsResetTheModel();
  void chainsOfModulesShareARow();
  void deepContentsAreShown();
  void severitiesHaveIconAndWord();
  void fieldsFormATree();
  void fieldsHaveTheirRoles();
  void emptyFieldsHaveNoRows();
  void millionFieldsAreShown();
  void tableCellsAreShown();
  void barsShowTheShareOfTheLargestNumber();
  void sectionsOutsideTheHeaderAreEmpty();
  void tableCanBeReordered();
  void emptyTableHasColumns();
  void longTableReadsOnlyVisibleRows();

private:
  Application m_application;
};

/// The model tester also uses objects that are deleted later.
void TestTreeAndTableModels::cleanup() { QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); }

void TestTreeAndTableModels::contentsFormATree() {
  ContentsModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  model.setRows(someRows());
  QCOMPARE(treeText(model), QStringLiteral("lib.so(Blob(_lib(cuda opencl(cuda))) Host functions)"));
  QCOMPARE(model.columnCount(), 1);
  const QModelIndex library = model.index(0, 0);
  const QModelIndex host = model.index(1, 0, library);
  QCOMPARE(host.parent(), library);
  QCOMPARE(library.parent(), QModelIndex());
  QCOMPARE(model.row(host).name, std::string("Host functions"));
  QVERIFY(!model.index(2, 0, library).isValid());
  QVERIFY(!model.index(-1, 0, library).isValid());
  QVERIFY(!model.index(0, 1, library).isValid());
  QVERIFY(!model.index(1, 0).isValid());
  QVERIFY(!model.hasChildren(host));
}

void TestTreeAndTableModels::emptyContentsHaveNoRows() {
  ContentsModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  QCOMPARE(model.rowCount(), 0); // before the first file
  QVERIFY(!model.index(0, 0).isValid());
  QVERIFY(!model.find(Ref::file()).isValid());
  model.setRows({});
  QCOMPARE(model.rowCount(), 0);
  model.setRows(someRows());
  model.setRows({});
  QCOMPARE(model.rowCount(), 0);
}

void TestTreeAndTableModels::contentsHaveTheirRoles() {
  ContentsModel model;
  model.setRows(someRows());
  const QModelIndex cuda = model.find(Ref::moduleAt({}, 1));
  QCOMPARE(cuda.data(Qt::DisplayRole), QVariant(QStringLiteral("cuda")));
  QCOMPARE(cuda.data(DetailRole), QVariant(QStringLiteral("m1")));
  QCOMPARE(cuda.data(SizeRole), QVariant(qulonglong{2'270'303}));
  QCOMPARE(cuda.data(SeverityRole), QVariant(static_cast<int>(Severity::Error)));
  QCOMPARE(cuda.data(KindRole), QVariant(static_cast<int>(RowKind::Module)));
  QCOMPARE(cuda.data(ModuleKeyRole), QVariant(QStringLiteral("cuda")));
  QCOMPARE(cuda.data(RefRole), QVariant(QStringLiteral("m1")));
  QCOMPARE(cuda.data(PageRole), QVariant(QString()));
  QVERIFY(cuda.data(Qt::ToolTipRole).toString().contains(QLatin1String("more than one module imports it")));
  const QModelIndex library = model.index(0, 0);
  QVERIFY(!library.data(SizeRole).isValid());
  QVERIFY(!library.data(SeverityRole).isValid());
  QCOMPARE(library.data(Qt::ToolTipRole), QVariant(QStringLiteral("lib.so")));
  QVERIFY(!model.data({}, Qt::DisplayRole).isValid());
  QVERIFY(!library.data(Qt::UserRole + 100).isValid());
  const QModelIndex host = model.index(1, 0, library);
  QCOMPARE(host.data(PageRole), QVariant(QStringLiteral("Host")));
  QCOMPARE(host.data(RefRole), QVariant(QString()));
}

/// Nothing is shown only by colour or icon.
void TestTreeAndTableModels::contentsStateSeverityInText() {
  ContentsModel model;
  model.setRows(someRows());
  const auto text = [&](const QModelIndex& index) { return index.data(Qt::AccessibleTextRole).toString(); };
  QCOMPARE(text(model.find(Ref::moduleAt({}, 1))), QStringLiteral("cuda, m1, 2.2 MiB (2,270,303 bytes), error"));
  QCOMPARE(text(model.find(Ref::moduleAt({}, 2))), QStringLiteral("opencl, warning"));
  QCOMPARE(text(model.find(Ref::file(), "Host")), QStringLiteral("Host functions, 12"));
  QCOMPARE(text(model.index(0, 0)), QStringLiteral("lib.so"));
}

void TestTreeAndTableModels::contentsAreFoundByRef() {
  ContentsModel model;
  model.setRows(someRows());
  const QModelIndex cuda = model.find(Ref::moduleAt({}, 1));
  QVERIFY(cuda.isValid());
  QCOMPARE(cuda.parent(), model.find(Ref::moduleAt({}, 0))); // the first of two
  QCOMPARE(model.find(Ref::file()), model.index(0, 0));
  QCOMPARE(model.find(Ref::file(), "Host").data(), QVariant(QStringLiteral("Host functions")));
  QVERIFY(!model.find(Ref::file(), "Sections").isValid());
  QVERIFY(!model.find(Ref::moduleAt({}, 3)).isValid());
  QVERIFY(!model.find(Ref::moduleAt("x_", 1)).isValid());
  // Every row can be found again, as itself or as one that looks the same.
  const std::vector<ContentsRow> rows = someRows();
  for (const ContentsRow& wanted : rows) {
    const QModelIndex found = model.find(wanted.ref, wanted.page);
    QVERIFY2(found.isValid() && model.row(found).name == wanted.name, wanted.name.c_str());
    QCOMPARE(model.index(found.row(), 0, found.parent()), found);
  }
}

void TestTreeAndTableModels::newContentsResetTheModel() {
  ContentsModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  QTreeView view;
  view.setModel(&model);
  QSignalSpy before(&model, &QAbstractItemModel::modelAboutToBeReset);
  QSignalSpy after(&model, &QAbstractItemModel::modelReset);
  model.setRows(someRows());
  view.expandAll();
  const QPersistentModelIndex kept = model.find(Ref::moduleAt({}, 1));
  QVERIFY(kept.isValid());
  auto rows = someRows();
  rows.resize(3);
  model.setRows(std::move(rows));
  QCOMPARE(before.size(), 2);
  QCOMPARE(after.size(), 2);
  QVERIFY(!kept.isValid()); // of the old snapshot
  QCOMPARE(treeText(model), QStringLiteral("lib.so(Blob(_lib))"));
}

/// Modules that each import only the next one share a row.
void TestTreeAndTableModels::chainsOfModulesShareARow() {
  std::vector<ContentsRow> rows;
  rows.push_back(row(ContentsRow::kNoParent, RowKind::Library, Ref::file(), "lib.so"));
  rows.push_back(row(0, RowKind::Module, Ref::moduleAt({}, 0), "vm"));
  rows.push_back(row(1, RowKind::Functions, Ref::moduleAt({}, 0), "VM functions"));
  rows.push_back(row(1, RowKind::Module, Ref::moduleAt({}, 1), "_lib"));
  rows.push_back(row(3, RowKind::Module, Ref::moduleAt({}, 2), "cuda"));
  rows.push_back(row(4, RowKind::Kernels, Ref::moduleAt({}, 2), "Kernels"));
  rows.push_back(row(5, RowKind::Kernel, Ref::moduleAt({}, 2).part(PartKind::Kernel, "k"), "k"));
  rows.push_back(row(4, RowKind::Module, Ref::moduleAt({}, 3), "a"));
  rows.push_back(row(4, RowKind::Module, Ref::moduleAt({}, 4), "b"));
  rows[2].page = rows[5].page = "Functions";
  rows[5].detail = "1";
  rows[1].worst = rows[4].worst = Severity::Warning;
  ContentsModel model;
  const QAbstractItemModelTester tester(&model, kFatal);
  model.setRows(rows);
  QCOMPARE(treeText(model), QStringLiteral("lib.so(vm › _lib › cuda(Kernels(k) VM functions a b))"));
  const QModelIndex chain = model.index(0, 0, model.index(0, 0));
  for (unsigned module = 0; module < 3; ++module) QCOMPARE(model.find(Ref::moduleAt({}, module)), chain);
  QCOMPARE(model.find(Ref::moduleAt({}, 3)).parent(), chain);
  QCOMPARE(model.index(0, 0, chain).data(DetailRole).toString(), QStringLiteral("1 in cuda"));
  QCOMPARE(model.row(chain).ref, Ref::moduleAt({}, 0));
  QCOMPARE(chain.data(ChainRole).toStringList().size(), 3);
  QVERIFY(model.setData(chain, 1, PartRole));
  QCOMPARE(model.row(chain).ref, Ref::moduleAt({}, 1));
  QCOMPARE(model.rowOf(Ref::moduleAt({}, 2))->name, std::string("cuda")); // whatever is chosen
  QVERIFY(!model.setData(chain, 3, PartRole) && !model.setData(chain, -1, PartRole));
  model.choose(Ref::moduleAt({}, 2));
  QCOMPARE(chain.data(PartRole).toInt(), 2);
  QCOMPARE(chain.data(Qt::AccessibleTextRole).toString(),
           QStringLiteral("vm › _lib › cuda, cuda is selected, warning"));
  QVERIFY(!model.index(0, 0).data(ChainRole).isValid());
}

void TestTreeAndTableModels::deepContentsAreShown() {
  std::vector<ContentsRow> rows = {row(ContentsRow::kNoParent, RowKind::Library, Ref::file(), "lib.so")};
  for (uint32_t i = 0; i < 50'000; ++i) rows.push_back(row(i, RowKind::Module, Ref::moduleAt({}, i), "deep"));
  for (uint32_t i = 0; i < 50'000; ++i) rows.push_back(row(0, RowKind::Module, Ref::moduleAt("x", i), "wide"));
  ContentsModel model;
  model.setRows(std::move(rows));
  QCOMPARE(model.rowCount(model.index(0, 0)), 50'001);
  QModelIndex at = model.find(Ref::moduleAt({}, 49'999));
  int depth = 0;
  for (; at.isValid(); at = at.parent()) ++depth;
  QCOMPARE(depth, 8'335); // six modules in a row
  QCOMPARE(model.find(Ref::moduleAt("x", 49'999)).row(), 50'000);
}

void TestTreeAndTableModels::severitiesHaveIconAndWord() {
  QCOMPARE(severityIcon(Severity::Error), QStringLiteral("error"));
  QCOMPARE(severityIcon(Severity::Warning), QStringLiteral("warning"));
  QCOMPARE(severityIcon(Severity::Note), QStringLiteral("note"));
  QCOMPARE(severityWord(Severity::Error), QStringLiteral("error"));
  QCOMPARE(severityWord(Severity::Warning), QStringLiteral("warning"));
  QCOMPARE(severityWord(Severity::Note), QStringLiteral("note"));
}

void TestTreeAndTableModels::fieldsFormATree() {
  const auto tree = someFields();
  FieldsModel model(tree);
  const QAbstractItemModelTester tester(&model, kFatal);
  QCOMPARE(treeText(model), QStringLiteral("magic sizes([0] [1]) info(flag name)"));
  QCOMPARE(model.columnCount(), 4);
  for (uint32_t field = 0; field < tree->rows.size(); ++field) {
    const QModelIndex index = model.indexOf(field);
    QCOMPARE(FieldsModel::row(index), field);
    QCOMPARE(model.index(index.row(), 0, index.parent()), index);
    QCOMPARE(index.parent().isValid(), tree->rows[field].depth > 0);
  }
  QVERIFY(!model.index(0, 4).isValid());
  QVERIFY(!model.index(3, 0).isValid());
  QVERIFY(!model.index(0, 0, model.index(0, 0)).isValid());
}

void TestTreeAndTableModels::fieldsHaveTheirRoles() {
  FieldsModel model(someFields());
  const auto cells = [&](uint32_t field, int role) {
    const QModelIndex first = model.indexOf(field);
    QStringList texts;
    for (int column = 0; column < 4; ++column) texts << first.siblingAtColumn(column).data(role).toString();
    return texts.join(QLatin1Char('|'));
  };
  for (const int role : {int{Qt::DisplayRole}, int{Qt::AccessibleTextRole}}) {
    QCOMPARE(cells(0, role), QStringLiteral("magic|43|0x1000|4"));
    QCOMPARE(cells(1, role), QStringLiteral("sizes|2 items|0x1004|12"));
    QCOMPARE(cells(3, role), QStringLiteral("[1]|8|0x100e|2"));
    QCOMPARE(cells(6, role), QStringLiteral("name|\"abc\"|0x1011|11"));
  }
  QStringList titles;
  for (int column = 0; column < 4; ++column)
    titles << model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  QCOMPARE(titles, (QStringList{"Field", "Value", "Offset in file", "Bytes"}));
  QVERIFY(!model.headerData(0, Qt::Vertical, Qt::DisplayRole).isValid());
  const QModelIndex bytes = model.indexOf(0).siblingAtColumn(3);
  QVERIFY(Qt::Alignment(bytes.data(Qt::TextAlignmentRole).toInt()) & Qt::AlignRight);
  QCOMPARE(model.indexOf(6).siblingAtColumn(1).data(Qt::ToolTipRole), QVariant(QStringLiteral("\"abc\"")));
  QVERIFY(!model.data({}, Qt::DisplayRole).isValid());
}

void TestTreeAndTableModels::emptyFieldsHaveNoRows() {
  FieldsModel model(std::make_shared<const FieldTree>());
  const QAbstractItemModelTester tester(&model, kFatal);
  QCOMPARE(model.rowCount(), 0);
  QVERIFY(!model.index(0, 0).isValid());
}

void TestTreeAndTableModels::millionFieldsAreShown() {
  FieldTreeBuilder builder;
  builder.open("list", FieldType::List, FieldRole::Length, 8, 1'000'000);
  for (uint32_t i = 0; i < 1'000'000; ++i) {
    builder.nextIndex(i);
    builder.leaf("", FieldType::U8, FieldRole::Number, 1, i % 256);
  }
  builder.close();
  const FieldsModel model(std::make_shared<const FieldTree>(builder.take(Bytes::copyOf(std::string(1'000'008, 'x')))));
  QCOMPARE(model.rowCount(), 1);
  QCOMPARE(model.rowCount(model.index(0, 0)), 1'000'000);
  const QModelIndex last = model.index(999'999, 0, model.index(0, 0));
  QCOMPARE(last.data(), QVariant(QStringLiteral("[999999]")));
  QCOMPARE(model.indexOf(1'000'000), last);
}

void TestTreeAndTableModels::tableCellsAreShown() {
  const auto source = std::make_shared<CountingTable>(20);
  TableModel model(source);
  const QAbstractItemModelTester tester(&model, kFatal);
  QCOMPARE(model.rowCount(), 20);
  QCOMPARE(model.columnCount(), 3);
  QCOMPARE(model.rowCount(model.index(0, 0)), 0);
  QCOMPARE(model.columnCount(model.index(0, 0)), 0);
  const QModelIndex bytes = model.index(7, 1);
  for (const int role : {int{Qt::DisplayRole}, int{Qt::AccessibleTextRole}, int{Qt::ToolTipRole}})
    QCOMPARE(bytes.data(role), QVariant(QStringLiteral("7,000")));
  QCOMPARE(model.index(7, 0).data(), QVariant(QStringLiteral("r\\xff7"))); // bytes that are not UTF-8
  QVERIFY(Qt::Alignment(bytes.data(Qt::TextAlignmentRole).toInt()) & Qt::AlignRight);
  QVERIFY(!model.index(7, 0).data(Qt::TextAlignmentRole).isValid());
  QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole), QVariant(QStringLiteral("Bytes")));
  QVERIFY(Qt::Alignment(model.headerData(1, Qt::Horizontal, Qt::TextAlignmentRole).toInt()) & Qt::AlignRight);
  QVERIFY(Qt::Alignment(model.headerData(0, Qt::Horizontal, Qt::TextAlignmentRole).toInt()) & Qt::AlignLeft);
  QVERIFY(!model.data({}, Qt::DisplayRole).isValid());
}

/// A bar shows the share of the largest number; a long table has no bars, because the largest number would have to be
/// searched.
void TestTreeAndTableModels::barsShowTheShareOfTheLargestNumber() {
  const TableModel model(std::make_shared<CountingTable>(21));
  QCOMPARE(model.index(20, 1).data(BarRole), QVariant(1.0));
  QCOMPARE(model.index(5, 1).data(BarRole), QVariant(0.25));
  QCOMPARE(model.index(0, 1).data(BarRole), QVariant(0.0));
  QVERIFY(!model.index(5, 0).data(BarRole).isValid());
  const auto source = std::make_shared<CountingTable>(100'000);
  const TableModel large(source);
  QVERIFY(!large.index(5, 1).data(BarRole).isValid());
  QCOMPARE(source->asked.load(), 0);
  const TableModel none(std::make_shared<CountingTable>(1)); // the largest is 0
  QVERIFY(!none.index(0, 1).data(BarRole).isValid());
}

/// Views and the accessibility bridge ask for any section.
void TestTreeAndTableModels::sectionsOutsideTheHeaderAreEmpty() {
  const TableModel model(std::make_shared<CountingTable>(2));
  for (const int section : {-1, 3, 999'999})
    for (const int role : {int{Qt::DisplayRole}, int{Qt::TextAlignmentRole}})
      QVERIFY(!model.headerData(section, Qt::Horizontal, role).isValid());
}

void TestTreeAndTableModels::tableCanBeReordered() {
  const auto source = std::make_shared<CountingTable>(20);
  TableModel model(source);
  const QAbstractItemModelTester tester(&model, kFatal);
  QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
  const auto numbers = [&] {
    QStringList cells;
    for (int at = 0; at < model.rowCount(); ++at) cells << model.index(at, 1).data().toString();
    return cells.join(QLatin1Char(' '));
  };
  model.setOrder(std::vector<uint32_t>{5, 0, 19});
  QCOMPARE(numbers(), QStringLiteral("5,000 0 19,000"));
  QCOMPARE(model.sourceRow(2), uint64_t{19});
  model.setOrder(std::vector<uint32_t>{});
  QCOMPARE(model.rowCount(), 0);
  model.setOrder(std::nullopt);
  QCOMPARE(model.rowCount(), 20);
  QCOMPARE(model.sourceRow(2), uint64_t{2});
  QCOMPARE(resets.size(), 3);
}

void TestTreeAndTableModels::emptyTableHasColumns() {
  TableModel model(std::make_shared<CountingTable>(0));
  const QAbstractItemModelTester tester(&model, kFatal);
  QCOMPARE(model.rowCount(), 0);
  QCOMPARE(model.columnCount(), 3);
}

/// Only visible rows are requested, wherever the view is and whatever the order is.
void TestTreeAndTableModels::longTableReadsOnlyVisibleRows() {
  constexpr int kRows = 500'000;
  const auto source = std::make_shared<CountingTable>(kRows);
  TableModel model(source);
  QTableView view;
  view.setModel(&model);
  view.verticalHeader()->hide();
  view.resize(800, 600);
  view.show();
  QVERIFY(QTest::qWaitForWindowExposed(&view));
  drawn(view, 1);
  QVERIFY(source->asked > 0);
  view.scrollToBottom();
  drawn(view, 1);
  QCOMPARE(view.indexAt(view.viewport()->rect().bottomLeft() - QPoint(0, 4)).row(), kRows - 1);
  std::vector<uint32_t> order(kRows);
  std::iota(order.rbegin(), order.rend(), 0u);
  model.setOrder(std::move(order));
  view.scrollTo(model.index(kRows / 2, 0));
  drawn(view, 1);
  view.sortByColumn(1, Qt::DescendingOrder); // the model leaves sorting to its page
  view.selectAll();
  drawn(view, 1);
  QVERIFY2(source->asked < 5'000, std::to_string(source->asked).c_str());
  QCOMPARE(model.index(0, 1).data(), QVariant(QStringLiteral("499,999,000")));
}

BLOBSCOPE_TEST(TestTreeAndTableModels);
#include "test_models.moc"
