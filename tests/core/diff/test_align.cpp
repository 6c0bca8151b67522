#include "core/diff/align.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QElapsedTimer>

#include <algorithm>

using namespace blobscope;
using namespace blobscope::test;
using namespace diff;

namespace {

/// Items written as "name=content name=content"; without "=" an item has no content.
std::vector<Item> itemsOf(const std::string& text, Item::Naming naming = Item::Naming::None) {
  std::vector<Item> out;
  for (const QString& word : QString::fromStdString(text).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    Item item;
    item.name = word.section(QLatin1Char('='), 0, 0).toStdString();
    const std::string content = word.section(QLatin1Char('='), 1).toStdString();
    if (!content.empty()) item.content = bytes(content);
    item.naming = naming;
    out.push_back(std::move(item));
  }
  return out;
}

Result<Alignment> aligned(const std::vector<Item>& a, const std::vector<Item>& b, const AlignRules& rules,
                          Monitor& monitor) {
  auto same = SameBytes::of(bytes("a"), bytes("b"), monitor);
  if (!same) return same.takeError();
  return align(a, b, rules, *same, monitor);
}

/// "a=a" the same, "a~a" other content, "a>b" other name, with "!" after items that are out of order; "-a", "+b" alone.
/// Sorted.
QStringList pairsText(const std::vector<Item>& a, const std::vector<Item>& b, const Alignment& alignment,
                      bool mirrored = false) {
  QStringList out;
  for (const Pair& pair : alignment.pairs) {
    QString left = QString::fromStdString(a[pair.a].name), right = QString::fromStdString(b[pair.b].name);
    if (mirrored) std::swap(left, right);
    out << left +
               QLatin1Char(!pair.sameContent ? '~'
                           : pair.sameName   ? '='
                                             : '>') +
               right + (pair.outOfOrder ? QStringLiteral("!") : QString());
  }
  for (const uint32_t index : alignment.onlyA)
    out << QLatin1Char(mirrored ? '+' : '-') + QString::fromStdString(a[index].name);
  for (const uint32_t index : alignment.onlyB)
    out << QLatin1Char(mirrored ? '-' : '+') + QString::fromStdString(b[index].name);
  out.sort();
  return out;
}

/// Requests a stop after that number of checks.
QString alignedText(const std::vector<Item>& a, const std::vector<Item>& b, const AlignRules& rules,
                    bool mirrored = false) {
  NullMonitor monitor;
  const auto alignment = mirrored ? aligned(b, a, rules, monitor) : aligned(a, b, rules, monitor);
  if (!alignment) return QStringLiteral("error");
  return (mirrored ? pairsText(b, a, *alignment, true) : pairsText(a, b, *alignment)).join(QLatin1Char(' '));
}

} // namespace

class TestAlignment : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void itemsArePairedByNameAndContent_data() {
    QTest::addColumn<std::string>("a");
    QTest::addColumn<std::string>("b");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* a, const char* b, const char* expected) {
      QTest::newRow(name) << std::string(a) << std::string(b) << QString::fromLatin1(expected);
    };
    row("nothing", "", "", "");
    row("same", "a=1 b=2", "a=1 b=2", "a=a b=b");
    row("changed", "a=1 b=2", "a=1 b=3", "a=a b~b");
    row("added", "a=1", "a=1 b=2", "+b a=a");
    row("removed", "a=1 b=2", "b=2", "-a b=b");
    row("removed from the middle", "a=1 b=2 c=3", "a=1 c=3", "-b a=a c=c");
    row("against nothing", "a=1", "", "-a");
    row("renamed", "a=one c=3", "b=one c=3", "a>b c=c");
    row("renamed by a counter", "matmul1_kernel=xy", "matmul2_kernel=xy", "matmul1_kernel>matmul2_kernel");
    // A counter that another item took: equal content wins.
    row("counters shifted", "f=0 f1=X", "f=0 f1=Z f2=X", "+f1 f1>f2 f=f");
    // A name without a counter that is on both sides wins over equal content elsewhere.
    row("same name, content elsewhere", "a=X b=Q", "a=Y b=Q c=X", "+c a~a b=b");
    row("a counter and other content", "f1=X", "f2=Y", "f1~f2");
    row("two counters and other content", "f1=X f2=Y", "f3=XX f4=YYY", "f1~f3 f2~f4");
    row("other names, other content", "a=1", "b=2", "+b -a");
    row("without content nothing is renamed", "a", "b", "+b -a");
    row("moved to the front", "a=1 b=2 c=3", "c=3 a=1 b=2", "a=a b=b c=c!");
    row("moved to the end", "a=1 b=2 c=3", "b=2 c=3 a=1", "a=a! b=b c=c");
    row("swapped", "a=1 b=2", "b=2 a=1", "a=a! b=b");
    row("moved and changed", "a=1 b=2 c=3", "c=4 a=1 b=2", "a=a b=b c~c!");
    row("duplicated", "a=1", "a=1 a=1", "+a a=a");
    row("duplicates of one name", "a=1 a=2", "a=2 a=1", "a=a a=a!");
    row("duplicates, one changed", "a=1 a=2", "a=2 a=3", "a=a a~a!");
    row("duplicates of one content", "a=1 b=1", "c=1 d=1", "a>c b>d");
    row("empty names", "=1 =2", "=2", "- =");
  }
  void itemsArePairedByNameAndContent() {
    QFETCH(std::string, a);
    QFETCH(std::string, b);
    QFETCH(QString, expected);
    QCOMPARE(alignedText(itemsOf(a), itemsOf(b), {}), expected);
    QCOMPARE(alignedText(itemsOf(a), itemsOf(b), {}, true), expected);
    QCOMPARE(alignedText(itemsOf(a), itemsOf(a), {}).count(QLatin1Char('=')),
             static_cast<qsizetype>(itemsOf(a).size()));
  }

  void rulesChangeThePairing_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<std::string>("a");
    QTest::addColumn<std::string>("b");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* rule, const char* a, const char* b, const char* expected) {
      QTest::addRow("%s: %s, %s", rule, a, b)
          << QString::fromLatin1(rule) << std::string(a) << std::string(b) << QString::fromLatin1(expected);
    };
    row("unordered", "a=1 b=2", "b=2 a=1", "a=a b=b");
    row("unordered", "f1=X f2=Y", "f1=Y f2=X", "f1>f2 f2>f1");
    row("not similar", "f1=X", "f2=Y", "+f2 -f1");
    row("no other names", "a=one", "b=one", "+b -a");
    row("only equal", "a=1 b=2", "a=3 c=2", "+a -a b>c");
    row("by content", "0=x 1=y 2=x", "0=y 1=x 2=x", "0=1 1=0 2=2");
    row("by content", "0=x 1=y", "0=x 1=z 2=y", "+1 0=0 1=2");
  }
  void rulesChangeThePairing() {
    QFETCH(QString, rule);
    QFETCH(std::string, a);
    QFETCH(std::string, b);
    QFETCH(QString, expected);
    AlignRules rules;
    if (rule == QLatin1String("unordered")) rules.ordered = false;
    if (rule == QLatin1String("not similar")) rules.similar = false;
    if (rule == QLatin1String("no other names")) rules.renamed = rules.similar = false;
    if (rule == QLatin1String("only equal")) rules.onlyEqual = true;
    if (rule == QLatin1String("by content")) rules.byContent = true, rules.similar = false;
    QCOMPARE(alignedText(itemsOf(a), itemsOf(b), rules), expected);
    QCOMPARE(alignedText(itemsOf(a), itemsOf(b), rules, true), expected);
  }

  /// Text that names itself.
  void ownNameInTextIsIgnored() {
    const auto kernel = [](const std::string& name, const std::string& rest) {
      Item item;
      item.name = name;
      item.naming = Item::Naming::Text;
      item.content = bytes("kernel void " + name + "(device float* p) { // " + name + "0 stays\n  " + rest + " " +
                           name + "_param_0; }");
      return item;
    };
    QCOMPARE(alignedText({kernel("add1", "p[0]")}, {kernel("plus", "p[0]")}, {}),
             QStringLiteral("+plus -add1")); // "add10" is another word
    const auto plain = [](const std::string& name) {
      Item item;
      item.name = name;
      item.naming = Item::Naming::Text;
      item.content = bytes("void " + name + "() { use(" + name + "_param_0); }");
      return item;
    };
    QCOMPARE(alignedText({plain("fused_add1_kernel")}, {plain("fused_add12_kernel")}, {}),
             QStringLiteral("fused_add1_kernel>fused_add12_kernel"));
    QCOMPARE(alignedText({plain("first")}, {plain("another")}, {}), QStringLiteral("first>another"));
  }

  void ownNameInSpirvIsIgnored() {
    const auto shader = [](const std::string& name, uint32_t last) {
      std::string text = name;
      text.resize(text.size() / 4 * 4 + 4, '\0');
      const auto word = [](uint32_t value) { return std::string(reinterpret_cast<const char*>(&value), 4); };
      std::string words = word(0x07230203) + word(0x00010300) + word(0) + word(8) + word(0);
      words += word(static_cast<uint32_t>((3 + text.size() / 4 + 1) << 16 | 15)) + word(5) + word(4) + text + word(7);
      words += word(2 << 16 | 17) + word(last);
      Item item;
      item.name = name;
      item.naming = Item::Naming::Spirv;
      item.content = bytes(words);
      return item;
    };
    // The longer name takes one word more.
    QCOMPARE(alignedText({shader("add9", 1)}, {shader("addition10", 1)}, {}), QStringLiteral("add9>addition10"));
    QCOMPARE(alignedText({shader("add9", 1)}, {shader("addition10", 2)}, {}), QStringLiteral("+addition10 -add9"));
  }

  void differentFactsAreAChange() {
    Item a, b;
    a.name = b.name = "k";
    a.content = b.content = bytes("same");
    a.facts = {{"registers", "96"}};
    b.facts = {{"registers", "168"}};
    QCOMPARE(alignedText({a}, {b}, {}), QStringLiteral("k~k"));
  }

  /// 200,000 unrelated names, all in one bucket, or all the same.
  void manyItemsArePairedAndCancellable_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("unrelated names") << 0;
    QTest::newRow("names that differ in a counter") << 1;
    QTest::newRow("one name") << 2;
    QTest::newRow("one name, one content") << 3;
    QTest::newRow("reversed") << 4;
  }
  void manyItemsArePairedAndCancellable() {
    QFETCH(int, kind);
    constexpr int kCount = 60'000;
    std::vector<Item> a, b;
    for (const bool second : {false, true})
      for (int i = 0; i < kCount; ++i) {
        Item item;
        const int number = kind == 4 && second ? kCount - 1 - i : i;
        std::string letters;
        for (int rest = number + 1; rest > 0; rest /= 26) letters += static_cast<char>('a' + rest % 26);
        item.name = kind == 0   ? (second ? "B" : "A") + letters
                    : kind == 1 ? "f" + std::to_string(2 * i + second)
                    : kind == 4 ? letters
                                : "f";
        if (kind != 4) item.content = bytes(kind == 3 ? "x" : (second ? "y" : "x") + std::to_string(i));
        (second ? b : a).push_back(std::move(item));
      }
    NullMonitor monitor;
    const auto alignment = aligned(a, b, {}, monitor);
    QVERIFY(alignment);
    QCOMPARE(alignment->pairs.size() + alignment->onlyA.size(), static_cast<std::size_t>(kCount));
    QCOMPARE(alignment->pairs.size(), kind == 0 ? std::size_t{0} : static_cast<std::size_t>(kCount));
    // The monitor is checked during the work, which ends soon after the request to stop.
    StopAfter stop(3);
    const auto stopped = aligned(a, b, {}, stop);
    QVERIFY(!stopped);
    QCOMPARE(stopped.error().code(), ErrorCode::Cancelled);
  }

  void countersAreRemovedFromNames() {
    QCOMPARE(withoutCounters("fused_matmul12_add3_kernel_1"), std::string("fused_matmul_add_kernel_"));
    QCOMPARE(withoutCounters("123"), std::string());
  }
};

BLOBSCOPE_TEST(TestAlignment);

#include "test_align.moc"
