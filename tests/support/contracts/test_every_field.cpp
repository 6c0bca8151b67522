#include "core/edit/value.h"
#include "core/modules/registry.h"
#include "tests/core/edit/fixtures.h"
#include "tests/support/contracts/codec_rows.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

constexpr std::size_t kFields = 60; ///< of one fixture; lists repeat themselves

/// A library whose module 1, after `_lib`, is that of the row.
library::PackagePtr libraryOf(const CodecRow& row) {
  if (row.key == "_lib") return opened(ffiLibrary({{"_lib", ""}}, {{}}));
  const std::vector<Record> records = {{"_lib", ""}, {row.key, row.payload}};
  return opened(row.context.extraTags ? ffiLibrary(records, {{1}, {}}) : classicLibrary(records, Imports{{1}, {}}));
}

/// The value of a leaf, in the form of an edit.
json::Value valueOf(const FieldTree& tree, uint32_t row) {
  const Field& field = tree.rows[row];
  json::Value value;
  switch (field.type) {
  case FieldType::I32: value.data = int64_t{static_cast<int32_t>(field.number)}; break;
  case FieldType::I64: value.data = static_cast<int64_t>(field.number); break;
  case FieldType::F64: {
    double number = 0;
    std::memcpy(&number, &field.number, 8);
    value.data = number;
    break;
  }
  case FieldType::DataType: value.data = tree.value(row); break;
  case FieldType::String:
  case FieldType::Data:
  case FieldType::Words:
  case FieldType::Words64:
    value.data = json::Value::Object{{"hex", json::Value{hexDigits(tree.content(row).view())}}};
    break;
  default: value.data = field.number; break;
  }
  return value;
}

bool isLeaf(const FieldTree& tree, uint32_t row) {
  const FieldType type = tree.rows[row].type;
  return type != FieldType::List && type != FieldType::Items && type != FieldType::Group && type != FieldType::Sized &&
         type != FieldType::Unknown;
}

} // namespace

/// Values that every field of every kind, layout and generation must accept.
class TestEveryField : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void everyFieldCanBeSet_data() {
    QTest::addColumn<int>("number");
    for (std::size_t i = 0; i < codecRows().size(); ++i)
      QTest::addRow("%zu %s", i, codecRows()[i].name().c_str()) << static_cast<int>(i);
  }
  void everyFieldCanBeSet() {
    QFETCH(int, number);
    const CodecRow& row = codecRows()[static_cast<std::size_t>(number)];
    const auto package = libraryOf(row);
    const library::Blob& blob = *package->blobs.front();
    if (row.key == "_lib") return;
    QCOMPARE(blob.modules.size(), std::size_t{2});
    const library::Module& module = *blob.modules[1];
    QCOMPARE(std::string(module.payload.view()), row.payload);
    const auto tree = library::treeOf(module);
    NullMonitor monitor;
    std::size_t count = 0;
    for (uint32_t i = 0; i < tree->rows.size() && count < kFields; ++i) {
      if (!isLeaf(*tree, i)) continue;
      ++count;
      const std::string path = tree->path(i);
      const Ref ref = blob.moduleRef(1).part(PartKind::Field, path);
      // Setting the current value changes nothing.
      std::vector<edit::Edit> edits = {edit::SetField{{ref, {}}, valueOf(*tree, i)}};
      const auto same = edit::apply(package, edits, {}, monitor);
      QVERIFY2(same, (path + ": " + (same ? "" : same.error().message())).c_str());
      QVERIFY2(bytesOf(same->blobs.front()) == blob.bytes.view(), path.c_str());

      // A longer text is either stored or refused with a reason. Nothing else changes.
      const FieldType type = tree->rows[i].type;
      if (type != FieldType::String && type != FieldType::Data) continue;
      const std::string longer = std::string(tree->content(i).view()) + " and a longer text";
      edits = {edit::SetField{{ref, {}}, json::Value{json::Value::Object{{"hex", json::Value{hexDigits(longer)}}}}}};
      const auto made = edit::apply(package, edits, {}, monitor);
      if (!made) {
        const std::string_view id = made.error().diagnostic().idText();
        QVERIFY2(id == "REP-LAYOUT" || id == "REP-VALUE" || id == "REP-JSON" || id == "REP-ENUM",
                 (path + ": " + made.error().message()).c_str());
        continue;
      }
      const Edited edited{package, *edit::preview(package, *made, monitor), edits, *made};
      QVERIFY2(problemsOf(edited).empty(), (path + ": " + problemsOf(edited)).c_str());
      const library::Module& now = *edited.after->blobs.front()->modules[1];
      const auto after = library::treeOf(now);
      const auto found = after->find(path);
      QVERIFY2(found && after->content(*found).view() == longer, path.c_str());
      QCOMPARE(after->rows.size(), tree->rows.size());
      for (uint32_t other = 0; other < tree->rows.size(); ++other)
        if (isLeaf(*tree, other) && other != i)
          QVERIFY2(after->content(other) == tree->content(other), tree->path(other).c_str());
    }
  }

  /// Lists of simple items accept their own items, none, and one more.
  void everyListCanBeSet_data() { everyFieldCanBeSet_data(); }
  void everyListCanBeSet() {
    QFETCH(int, number);
    const CodecRow& row = codecRows()[static_cast<std::size_t>(number)];
    if (row.key == "_lib") return;
    const auto package = libraryOf(row);
    const library::Blob& blob = *package->blobs.front();
    const auto tree = library::treeOf(*blob.modules[1]);
    NullMonitor monitor;
    std::size_t count = 0;
    for (uint32_t i = 0; i < tree->rows.size() && count < kFields; ++i) {
      if (tree->rows[i].type != FieldType::List) continue;
      ++count;
      const std::string path = tree->path(i);
      json::Value::Array own;
      bool simple = true;
      for (uint32_t item = i + 1; item < tree->rows[i].after; item = tree->rows[item].after) {
        simple = simple && isLeaf(*tree, item);
        own.push_back(valueOf(*tree, item));
      }
      const Ref ref = blob.moduleRef(1).part(PartKind::Field, path);
      const std::vector<edit::Edit> edits = {edit::SetField{{ref, {}}, json::Value{own}}};
      const auto same = edit::apply(package, edits, {}, monitor);
      if (!simple || own.empty()) {
        if (!same) QVERIFY2(same.error().id() == DiagnosticId::EditValue, same.error().message().c_str());
        continue;
      }
      QVERIFY2(same, (path + ": " + (same ? "" : same.error().message())).c_str());
      QVERIFY2(bytesOf(same->blobs.front()) == blob.bytes.view(), path.c_str());
      own.push_back(own.front());
      const auto more =
          edit::apply(package, std::vector<edit::Edit>{edit::SetField{{ref, {}}, json::Value{own}}}, {}, monitor);
      if (!more) {
        QVERIFY2(more.error().id() == DiagnosticId::EditLayout, (path + ": " + more.error().message()).c_str());
        continue;
      }
      const auto after = library::treeOf(*(*edit::preview(package, *more, monitor))->blobs.front()->modules[1]);
      const auto found = after->find(path);
      QVERIFY2(found && after->rows[*found].number == own.size(), path.c_str());
    }
  }
};

BLOBSCOPE_TEST(TestEveryField);
#include "test_every_field.moc"
