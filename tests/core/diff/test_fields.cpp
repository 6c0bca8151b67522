#include "core/diff/fields.h"

#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::diff;
using namespace blobscope::test;

namespace {

/// Builds a tree and the bytes it describes.
class Tree {
public:
  Tree& number(std::string_view name, uint64_t value) {
    m_builder.leaf(name, FieldType::U64, FieldRole::Number, 8, value);
    m_bytes.u64(value);
    return *this;
  }
  Tree& string(std::string_view name, std::string_view value) {
    m_builder.leaf(name, FieldType::String, FieldRole::Text, 8 + value.size(), value.size());
    m_bytes.str(value);
    return *this;
  }
  Tree& group(std::string_view name, const std::function<void(Tree&)>& fields) {
    m_builder.open(name, FieldType::Group, FieldRole::Structure, 0, 0);
    fields(*this);
    m_builder.close();
    return *this;
  }
  /// A list of groups.
  Tree& list(std::string_view name, const std::vector<std::function<void(Tree&)>>& items) {
    m_builder.open(name, FieldType::List, FieldRole::Structure, 8, items.size());
    m_bytes.u64(items.size());
    for (uint32_t i = 0; i < items.size(); ++i) {
      m_builder.nextIndex(i);
      group("", items[i]);
    }
    m_builder.close();
    return *this;
  }
  FieldTree take() { return m_builder.take(bytes(m_bytes.take())); }

private:
  FieldTreeBuilder m_builder;
  ByteBuilder m_bytes;
};

std::function<void(Tree&)> item(std::string_view name, uint64_t value) {
  return [=](Tree& tree) { tree.string("name", name).number("value", value); };
}
std::function<void(Tree&)> plain(uint64_t value) {
  return [=](Tree& tree) { tree.number("value", value); };
}

FieldDiff compared(const FieldTree& a, const FieldTree& b, uint64_t most = 1'000) {
  NullMonitor monitor;
  auto found = compareFields(a, b, monitor, most);
  return found ? std::move(*found) : FieldDiff{};
}

/// "~a.b 1→2 +c -d !list[0]".
QString text(const FieldTree& a, const FieldTree& b, uint64_t most = 1'000) {
  QStringList out;
  for (const FieldChange& change : compared(a, b, most).changes) {
    QString one = QLatin1Char("~-+!"[static_cast<int>(change.kind)]) + QString::fromStdString(change.path);
    if (change.kind == FieldChangeKind::Changed)
      one += QStringLiteral(" %1→%2").arg(QString::fromStdString(a.value(*change.a)),
                                          QString::fromStdString(b.value(*change.b)));
    out << one;
    const uint32_t row = change.b ? *change.b : *change.a;
    if ((change.b ? b : a).path(row) != change.path) return QStringLiteral("wrong path of row %1").arg(row);
  }
  return out.join(QLatin1Char(' '));
}

} // namespace

class TestFieldDiff : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void fieldsOfStructuresAreCompared();
  void itemsWithNamesAreMatchedByName();
  void itemsWithoutNamesAreMatchedByIndex();
  void changedTypeIsAChange();
  void numberOfReportedChangesIsLimited();
  void manyItemsAreMatched();
  void comparisonCanBeCancelled();
};

void TestFieldDiff::fieldsOfStructuresAreCompared() {
  const FieldTree a =
      Tree().number("x", 1).string("s", "old").group("g", [](Tree& t) { t.number("y", 5).number("z", 6); }).take();
  QVERIFY(compared(a, a).same());
  QCOMPARE(compared(a, a).equal, uint64_t{4});
  const FieldTree b =
      Tree().number("x", 1).string("s", "newer").group("g", [](Tree& t) { t.number("y", 5).number("z", 7); }).take();
  QCOMPARE(text(a, b), QStringLiteral("~s \"old\"→\"newer\" ~g.z 6→7"));
  QCOMPARE(text(b, a), QStringLiteral("~s \"newer\"→\"old\" ~g.z 7→6"));
  const FieldTree c = Tree().number("x", 1).number("more", 3).group("g", [](Tree& t) { t.number("z", 6); }).take();
  QCOMPARE(text(a, c), QStringLiteral("+more -s -g.y"));
  QCOMPARE(text(c, a), QStringLiteral("+s -more +g.y"));
  // The order of names in a structure does not matter.
  const FieldTree d =
      Tree().group("g", [](Tree& t) { t.number("z", 6).number("y", 5); }).string("s", "old").number("x", 1).take();
  QVERIFY(compared(a, d).same());
  const FieldTree empty = Tree().take();
  QCOMPARE(text(empty, a), QStringLiteral("+x +s +g"));
  QVERIFY(compared(empty, empty).same());
}

void TestFieldDiff::itemsWithNamesAreMatchedByName() {
  const FieldTree a = Tree().list("l", {item("p", 1), item("q", 2), item("r", 3)}).take();
  const FieldTree b = Tree().list("l", {item("q", 2), item("r", 4), item("s", 5)}).take();
  QCOMPARE(text(a, b), QStringLiteral("-l[0] ~l[1].value 3→4 +l[2]"));
  const FieldTree moved = Tree().list("l", {item("q", 2), item("r", 3), item("p", 9)}).take();
  QCOMPARE(text(a, moved), QStringLiteral("!l[2] ~l[2].value 1→9"));
  const FieldTree twice = Tree().list("l", {item("p", 1), item("p", 2), item("q", 2), item("r", 3)}).take();
  QCOMPARE(text(a, twice), QStringLiteral("+l[1]"));
  const FieldTree none = Tree().list("l", {}).take();
  QCOMPARE(text(a, none), QStringLiteral("-l[0] -l[1] -l[2]"));
  QCOMPARE(text(none, a), QStringLiteral("+l[0] +l[1] +l[2]"));
}

void TestFieldDiff::itemsWithoutNamesAreMatchedByIndex() {
  const FieldTree a = Tree().list("l", {plain(1), plain(2), plain(3)}).take();
  const FieldTree b = Tree().list("l", {plain(2), plain(2)}).take();
  QCOMPARE(text(a, b), QStringLiteral("~l[0].value 1→2 -l[2]"));
  // One item without a name is enough.
  const FieldTree c = Tree().list("l", {item("p", 1), plain(2)}).take();
  const FieldTree d = Tree().list("l", {plain(1), item("p", 1)}).take();
  QCOMPARE(text(c, d), QStringLiteral("-l[0].name +l[1].name ~l[1].value 2→1"));
}

void TestFieldDiff::changedTypeIsAChange() {
  const FieldTree a = Tree().number("x", 1).take(), b = Tree().string("x", "1").take();
  QCOMPARE(text(a, b), QStringLiteral("~x 1→\"1\""));
  // A list compared with a field, fields compared with items.
  const FieldTree c = Tree().list("x", {plain(1)}).take();
  QCOMPARE(compared(a, c).changed, uint64_t{1});
  const FieldTree d = Tree().group("x", [](Tree& t) { t.number("value", 1); }).take();
  QCOMPARE(compared(c, d).changed, uint64_t{1});
}

void TestFieldDiff::numberOfReportedChangesIsLimited() {
  std::vector<std::function<void(Tree&)>> first, second;
  for (uint64_t i = 0; i < 100; ++i) {
    first.push_back(plain(i));
    second.push_back(plain(i + 1));
  }
  const FieldTree a = Tree().list("l", first).take(), b = Tree().list("l", second).take();
  const FieldDiff found = compared(a, b, 30);
  QCOMPARE(found.changes.size(), std::size_t{30});
  QCOMPARE(found.leftOut, uint64_t{70});
  QCOMPARE(found.changed, uint64_t{100});
}

void TestFieldDiff::manyItemsAreMatched() {
  std::vector<std::function<void(Tree&)>> first, second;
  std::vector<std::string> names;
  for (uint64_t i = 0; i < 50'000; ++i) names.push_back("name" + std::to_string(i));
  for (uint64_t i = 0; i < names.size(); ++i) {
    first.push_back(item(names[i], i));
    second.push_back(item(names[names.size() - 1 - i], names.size() - 1 - i));
  }
  const FieldTree a = Tree().list("l", first).take(), b = Tree().list("l", second).take();
  const FieldDiff found = compared(a, b);
  QCOMPARE(found.moved, uint64_t{49'999});
  QCOMPARE(found.changed, uint64_t{0});
}

void TestFieldDiff::comparisonCanBeCancelled() {
  std::vector<std::function<void(Tree&)>> items;
  for (uint64_t i = 0; i < 10'000; ++i) items.push_back(plain(i));
  const FieldTree a = Tree().list("l", items).take();
  for (const int looks : {0, 1, 2}) {
    StopAfter monitor(looks);
    const auto found = compareFields(a, a, monitor);
    QVERIFY(!found);
    QCOMPARE(found.error().code(), ErrorCode::Cancelled);
  }
}

BLOBSCOPE_TEST(TestFieldDiff);

#include "test_fields.moc"
