#include "core/library/locator.h"

#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <random>

using namespace blobscope;
using namespace blobscope::test;
using library::Locator;
using library::Package;

namespace {

container::Section section(std::string_view name, uint64_t offset, uint64_t size) {
  container::Section out;
  out.name = name;
  out.file = {offset, size};
  out.size = size;
  return out;
}

std::string at(const Locator& locator, uint64_t offset) { return locator.at(offset).toString(); }

} // namespace

/// Which range is the innermost one; with all parts of a library TestNode asks for every byte.
class TestLocator : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void innermostSectionIsFound_data();
  void innermostSectionIsFound();
  void locatorEqualsALoopOverAllSections();
  void compressedCodeHasNoPlace();
  void refsCarryTheMemberPath();
};

void TestLocator::innermostSectionIsFound_data() {
  QTest::addColumn<std::vector<container::Section>>("sections");
  QTest::addColumn<std::string>("expected"); ///< the first letter of the section at each place, '.' for none
  const auto row = [](const char* name, std::vector<container::Section> sections, std::string expected) {
    QTest::newRow(name) << std::move(sections) << std::move(expected);
  };
  row("none", {}, "............");
  row("one", {section("a", 2, 4)}, "..aaaa......");
  row("from the first to the last byte", {section("a", 0, 12)}, "aaaaaaaaaaaa");
  row("one byte", {section("a", 3, 1)}, "...a........");
  row("without bytes", {section("a", 3, 0)}, "............");
  row("side by side", {section("a", 2, 4), section("b", 6, 2)}, "..aaaabb....");
  row("in any order", {section("b", 6, 2), section("a", 2, 4)}, "..aaaabb....");
  row("with a gap", {section("a", 0, 2), section("b", 4, 2)}, "aa..bb......");
  row("one inside of another", {section("a", 1, 10), section("b", 4, 3)}, ".aaabbbaaaa.");
  row("three deep", {section("a", 0, 12), section("b", 2, 8), section("c", 4, 2)}, "aabbccbbbbaa");
  row("the smaller one of two that begin together", {section("b", 2, 3), section("a", 2, 6)}, "..bbbaaa....");
  row("of two that end together the later one", {section("a", 2, 6), section("b", 5, 3)}, "..aaabbb....");
  row("the later one of two for the same bytes", {section("a", 2, 4), section("b", 2, 4)}, "..bbbb......");
  row("two that overlap", {section("a", 1, 5), section("b", 4, 5)}, ".aaabbbbb...");
  row("an outer one that ends first", {section("a", 0, 5), section("b", 2, 8), section("c", 4, 2)}, "aabbccbbbb..");
  row("past the end of the file", {section("a", 8, 100)}, "........aaaa");
  row("a size that wraps", {section("a", 8, UINT64_MAX)}, "........aaaa");
}

void TestLocator::innermostSectionIsFound() {
  QFETCH(std::vector<container::Section>, sections);
  QFETCH(std::string, expected);
  Package package;
  package.bytes = bytes(expected);
  package.image.sections = sections;
  const Locator locator(package);
  std::string found;
  for (uint64_t offset = 0; offset < expected.size(); ++offset) {
    const Ref ref = locator.at(offset);
    found += ref.kind == Ref::Kind::File ? '.' : ref.name.at(0);
  }
  QCOMPARE(found, expected);
  QVERIFY(sections.empty() || sections[0].file.end() == UINT64_MAX || at(locator, UINT64_MAX).empty());
}

/// A loop over all sections says the same: of those that hold the place the one that begins last, of several the
/// smallest, of equal ones the last.
void TestLocator::locatorEqualsALoopOverAllSections() {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Package package;
    package.bytes = bytes(std::string(64, 'x'));
    std::vector<std::string> names;
    for (int i = 0; i < 12; ++i) names.push_back("s" + std::to_string(i));
    for (const std::string& name : names) package.image.sections.push_back(section(name, random() % 60, random() % 24));
    const Locator locator(package);
    for (uint64_t offset = 0; offset < 100; ++offset) {
      const container::Section* inner = nullptr;
      for (const container::Section& one : package.image.sections) {
        if (!one.file.contains(offset)) continue;
        const bool better = !inner || one.file.offset > inner->file.offset ||
                            (one.file.offset == inner->file.offset && one.file.size <= inner->file.size);
        if (better) inner = &one;
      }
      QCOMPARE(at(locator, offset), inner ? "section:" + std::string(inner->name) : std::string());
    }
  }
}

/// What was unpacked is in memory, not in the file.
void TestLocator::compressedCodeHasNoPlace() {
  Package package;
  package.bytes = bytes("file");
  auto blob = std::make_shared<library::Blob>();
  blob->bytes = Bytes::copyOf("unpacked");
  package.blobs.push_back(blob);
  QCOMPARE(at(Locator(package), 0), std::string());
}

void TestLocator::refsCarryTheMemberPath() {
  Package package;
  package.bytes = bytes("member");
  package.memberPath = {"outer.tar", "lib.o"};
  package.image.sections = {section("text", 1, 2)};
  const Locator locator(package);
  QCOMPARE(at(locator, 0), std::string("outer.tar!lib.o!"));
  QCOMPARE(at(locator, 1), std::string("outer.tar!lib.o!section:text"));
}

BLOBSCOPE_TEST(TestLocator);
#include "test_locator.moc"
