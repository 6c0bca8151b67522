#include "ui/models/preflight_model.h"

#include "tests/core/preflight/report_example.h"
#include "tests/support/test_main.h"

#include <QAbstractItemModelTester>

using namespace blobscope;
using namespace blobscope::test;
using namespace blobscope::ui;
using namespace Qt::StringLiterals;

namespace {

using State = view::ChecklistPage::State;

FilesCheckPtr someFiles() {
  auto check = std::make_shared<FilesCheck>();
  check->report = filesExample();
  return check;
}

struct PreflightRows {
  PreflightRows() { model.setCheck(someFiles()); }
  /// The first column of all rows.
  QStringList names() const {
    QStringList out;
    for (int row = 0; row < rows.rowCount(); ++row) out << rows.index(row, 0).data().toString();
    return out;
  }
  QString text(int row, int column) const { return model.index(row, column).data().toString(); }

  PreflightModel model;
  PreflightFilter rows{model};
};

} // namespace

/// Files and targets as a table.
class TestPreflightModel : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void cellsAreWords();
  void headersNameTargets();
  void worstIsSortedFirst();
  void rowsAreFiltered();
  void shownRowsAreExported();
};

void TestPreflightModel::cellsAreWords() {
  PreflightRows shown;
  const QAbstractItemModelTester tester(&shown.rows, QAbstractItemModelTester::FailureReportingMode::QtTest);
  const PreflightModel& model = shown.model;
  QCOMPARE(model.columnCount(), 6);
  QCOMPARE(shown.text(0, PreflightModel::Library), u"gemma.so"_s);
  QCOMPARE(shown.text(0, PreflightModel::Era), u"B1"_s);
  QCOMPARE(shown.text(0, PreflightModel::Size), u"2.86 MiB"_s);
  const int first = PreflightModel::FirstTarget;
  QCOMPARE(shown.text(0, first), u"loads, fails later at step 8"_s);
  QCOMPARE(shown.text(0, first + 1), u"loads"_s);
  QCOMPARE(shown.text(0, first + 2), u"fails at step 5"_s);
  QCOMPARE(shown.text(2, first), u"loads without modules"_s);
  QCOMPARE(shown.text(2, first + 1), u"crashes at step 3"_s);
  QCOMPARE(shown.text(2, first + 2), u"not certain"_s);
  QCOMPARE(model.index(0, first + 2).data(Qt::ToolTipRole).toString(),
           u"fails at step 5: no loader for modules of kind 'cuda'"_s);
  QCOMPARE(model.index(0, first + 1).data(Qt::AccessibleTextRole).toString(), u"gemma.so on v0.19.0: loads"_s);
  QCOMPARE(model.index(0, first).data(TargetStateRole).toInt(), static_cast<int>(State::Later));
  QCOMPARE(model.index(0, first).data(TargetStepRole).toInt(), 8);
  // What is not a library of TVM has no states and is not counted.
  QCOMPARE(shown.text(3, PreflightModel::Era), u"not a TVM library"_s);
  QCOMPARE(shown.text(3, first), QString());
  QVERIFY(!model.index(3, first).data(TargetStateRole).isValid());
  QVERIFY(model.index(3, 0).data(NotCountedRole).toBool());
  QVERIFY(!model.index(0, 0).data(NotCountedRole).toBool());
  QCOMPARE(shown.text(4, PreflightModel::Era), u"not readable"_s);
  QCOMPARE(model.index(4, first).data(Qt::ToolTipRole).toString(), u"the file ends after 12 bytes"_s);
  QCOMPARE(model.fitting(first), 1);
  QCOMPARE(model.fitting(first + 1), 2);
  QCOMPARE(model.fitting(first + 2), 1);
}

void TestPreflightModel::headersNameTargets() {
  PreflightRows shown;
  const auto title = [&](int column) {
    return shown.model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  };
  QCOMPARE(title(0), u"Library"_s);
  QCOMPARE(title(PreflightModel::FirstTarget), u"v0.18.0\nno device"_s);
  QCOMPARE(title(PreflightModel::FirstTarget + 2), u"MLCChat.apk\nvulkan"_s);
}

void TestPreflightModel::worstIsSortedFirst() {
  PreflightRows shown;
  const int first = PreflightModel::FirstTarget;
  shown.rows.sort(first + 1, Qt::AscendingOrder);
  QCOMPARE(shown.names(), (QStringList{u"old.wasm"_s, u"gemma.so"_s, u"sub/phi.so"_s, u"zlib.so"_s, u"=cut.so"_s}));
  shown.rows.sort(first, Qt::AscendingOrder);
  QCOMPARE(shown.names(), (QStringList{u"old.wasm"_s, u"gemma.so"_s, u"sub/phi.so"_s, u"zlib.so"_s, u"=cut.so"_s}));
  shown.rows.sort(first + 2, Qt::AscendingOrder);
  QCOMPARE(shown.names().first(), u"gemma.so"_s);
  shown.rows.sort(PreflightModel::Size, Qt::DescendingOrder);
  QCOMPARE(shown.names().first(), u"gemma.so"_s);
  QCOMPARE(shown.names().last(), u"=cut.so"_s);
  shown.rows.sort(PreflightModel::Library, Qt::AscendingOrder);
  QCOMPARE(shown.names().first(), u"=cut.so"_s);
}

void TestPreflightModel::rowsAreFiltered() {
  PreflightRows shown;
  shown.rows.setWords(u" SO "_s);
  QCOMPARE(shown.names().size(), 4);
  shown.rows.setState(State::Fails);
  QCOMPARE(shown.names(), QStringList{u"gemma.so"_s});
  shown.rows.setState(State::Good);
  QCOMPARE(shown.names(), (QStringList{u"gemma.so"_s, u"sub/phi.so"_s}));
  shown.rows.setWords({});
  shown.rows.setState(State::Crashes);
  QCOMPARE(shown.names(), QStringList{u"old.wasm"_s});
  shown.rows.setState(std::nullopt);
  QCOMPARE(shown.names().size(), 5);
}

void TestPreflightModel::shownRowsAreExported() {
  PreflightRows shown;
  shown.rows.setWords(u".so"_s);
  shown.rows.sort(PreflightModel::Library, Qt::DescendingOrder);
  const preflight::FilesReport report = shown.rows.shown();
  QCOMPARE(report.targets, filesExample().targets);
  QCOMPARE(report.files.size(), std::size_t{4});
  QCOMPARE(report.files.front().path, std::string("zlib.so"));
}

BLOBSCOPE_TEST(TestPreflightModel);

#include "test_preflight_model.moc"
