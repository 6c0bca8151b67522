#include "core/diff/host_items.h"

#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using container::Image;
using container::Symbol;
using container::SymbolType;
using diff::Item;

namespace {

/// A shared library of 16 bytes "0123456789abcdef": bytes 2 to 9 are at 0x100, in a section of 8 bytes.
Image sharedLibrary() {
  Image image;
  image.file = bytes("0123456789abcdef");
  image.kind = container::Kind::Shared;
  image.segments.push_back({0x100, 8, {2, 8}, false, true});
  image.sections.push_back({".text", 0x100, {2, 8}, 8, "PROGBITS", true, false, true});
  return image;
}
/// An object with the sections "2345" and "89ab" of the same bytes.
Image object() {
  Image image;
  image.file = bytes("0123456789abcdef");
  image.kind = container::Kind::Object;
  image.sections.push_back({".a", 0, {2, 4}, 4, "PROGBITS", true, false, true});
  image.sections.push_back({".b", 0, {8, 4}, 4, "PROGBITS", true, false, true});
  return image;
}
Symbol symbol(uint64_t value, uint64_t size, SymbolType type = SymbolType::Object, uint32_t section = 0) {
  Symbol out;
  out.name = "s";
  out.value = value;
  out.size = size;
  out.type = type;
  out.section = section;
  out.defined = true;
  return out;
}
Symbol function(uint64_t value, uint64_t size = 0, uint32_t section = 0) {
  return symbol(value, size, SymbolType::Function, section);
}
std::string bytesOf(Image image, std::vector<Symbol> symbols) {
  image.symbols = std::move(symbols);
  return std::string(diff::SymbolBytes(image).of(image.symbols.front()).view());
}

std::string itemsText(const std::vector<Item>& items) {
  std::string out;
  for (const Item& item : items) {
    out += (out.empty() ? "" : "; ") + item.name + ":";
    for (const auto& [label, value] : item.facts) out += " " + label + "=" + value;
    out += " " + std::string(item.content.view());
  }
  return out;
}
std::string namesText(const std::vector<Item>& items) {
  std::string out;
  for (const Item& item : items) out += (out.empty() ? "" : " ") + item.name;
  return out;
}

library::PackagePtr opened(const ElfBuilder& elf) {
  const auto package = openBytes(elf.build());
  if (!package) qFatal("the library of this test cannot be opened");
  return *package;
}
ElfBuilder withData(std::initializer_list<std::pair<const char*, const char*>> data) {
  ElfBuilder elf;
  for (const auto& [name, content] : data) elf.data(name, content);
  return elf;
}

} // namespace

class TestHostItems : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void symbolsOfLibrariesHaveBytes() {
    QCOMPARE(bytesOf(sharedLibrary(), {symbol(0x100, 3)}), std::string("234"));
    QCOMPARE(bytesOf(sharedLibrary(), {symbol(0x103, 2)}), std::string("56"));
    QCOMPARE(bytesOf(sharedLibrary(), {symbol(0x107, 1)}), std::string("9"));
    QCOMPARE(bytesOf(sharedLibrary(), {symbol(0x106, 100)}), std::string("89")); // cut at the end of the segment
    QCOMPARE(bytesOf(sharedLibrary(), {symbol(0x100, UINT64_MAX)}), std::string("23456789"));
    QCOMPARE(bytesOf(sharedLibrary(), {symbol(0x100, 0)}), std::string());
  }

  void symbolsOutsideTheFileHaveNoBytes() {
    for (const uint64_t value : {uint64_t{0}, uint64_t{0xff}, uint64_t{0x108}, UINT64_MAX})
      QCOMPARE(bytesOf(sharedLibrary(), {symbol(value, 4)}), std::string());
    Symbol undefined = symbol(0x100, 4), absolute = symbol(0x100, 4);
    undefined.defined = false;
    absolute.absolute = true;
    QCOMPARE(bytesOf(sharedLibrary(), {undefined}), std::string());
    QCOMPARE(bytesOf(sharedLibrary(), {absolute}), std::string());
    Image cut = sharedLibrary();
    cut.file = bytes("0123");
    QCOMPARE(bytesOf(cut, {symbol(0x100, 8)}), std::string("23"));
    QCOMPARE(bytesOf(Image(), {symbol(0, 8)}), std::string());
  }

  void functionsWithoutASizeEndAtTheNextOne() {
    QCOMPARE(bytesOf(sharedLibrary(), {function(0x101), function(0x104)}), std::string("345"));
    QCOMPARE(bytesOf(sharedLibrary(), {function(0x104), function(0x101)}),
             std::string("6789")); // the last one: its section
    QCOMPARE(bytesOf(sharedLibrary(), {function(0x101), function(0x101), function(0x103)}), std::string("34"));
    QCOMPARE(bytesOf(sharedLibrary(), {function(0x101), symbol(0x102, 1), function(0x104)}), std::string("345"));
    QCOMPARE(bytesOf(sharedLibrary(), {function(0x101, 2), function(0x104)}), std::string("34")); // a size comes first
    Symbol undefined = function(0x102);
    undefined.defined = false;
    QCOMPARE(bytesOf(sharedLibrary(), {function(0x101), undefined, function(0x104)}), std::string("345"));
  }

  void thumbFunctionsHaveEvenAddresses() {
    Image arm = sharedLibrary();
    arm.arch = "arm";
    QCOMPARE(bytesOf(arm, {function(0x103, 2)}), std::string("45"));
    QCOMPARE(bytesOf(arm, {function(0x101), function(0x105)}), std::string("2345"));
    QCOMPARE(bytesOf(arm, {symbol(0x103, 2)}), std::string("56")); // data keeps its address
  }

  void symbolsOfObjectsCountFromTheirSection() {
    QCOMPARE(bytesOf(object(), {symbol(1, 2, SymbolType::Object, 0)}), std::string("34"));
    QCOMPARE(bytesOf(object(), {symbol(1, 2, SymbolType::Object, 1)}), std::string("9a"));
    QCOMPARE(bytesOf(object(), {symbol(1, 100, SymbolType::Object, 1)}), std::string("9ab"));
    QCOMPARE(bytesOf(object(), {symbol(4, 1)}), std::string());
    QCOMPARE(bytesOf(object(), {symbol(0, 1, SymbolType::Object, 2)}), std::string());
    QCOMPARE(bytesOf(object(), {symbol(0, 1, SymbolType::Object, Symbol::kNoSection)}), std::string());
    // A function of another section is not the next one.
    QCOMPARE(bytesOf(object(), {function(1, 0, 0), function(2, 0, 1), function(3, 0, 0)}), std::string("34"));
    QCOMPARE(bytesOf(object(), {function(1, 0, 0), function(2, 0, 1)}), std::string("345"));
  }

  void overlappingSymbolsEndAtFourTimesTheFile() {
    const Image image = sharedLibrary();
    diff::SymbolBytes reader(image);
    for (int i = 0; i < 8; ++i) QCOMPARE(reader.of(symbol(0x100, 8)).size(), uint64_t{8});
    QCOMPARE(reader.of(symbol(0x100, 1)).size(), uint64_t{0});
  }

  void lastSegmentBelowTheAddressCounts() {
    Image image = sharedLibrary();
    image.segments.insert(image.segments.begin(), {0x200, 4, {12, 4}, false, false});
    image.segments.push_back({0x150, 64, {0, 0}, true, false}); // without bytes
    QCOMPARE(bytesOf(image, {symbol(0x200, 4)}), std::string("cdef"));
    QCOMPARE(bytesOf(image, {symbol(0x100, 2)}), std::string("23"));
    QCOMPARE(bytesOf(image, {symbol(0x150, 2)}), std::string());
  }

  void sectionsHaveTypeAccessAndBytes() {
    library::Package package;
    package.image = object();
    package.bytes = package.image.file;
    package.image.sections[1].writable = true;
    package.image.sections[1].executable = false;
    package.image.sections.push_back({"", 0, {0, 4}, 4, "NULL", false, false, false});
    package.image.sections.push_back({".bss", 0, {}, 5'000, "NOBITS", true, true, false});
    package.image.sections.push_back({".far", 0, {100, 4}, 4, "PROGBITS", false, false, false});
    NullMonitor monitor;
    const auto items = diff::readSections(package, monitor);
    QVERIFY(items);
    QCOMPARE(itemsText(*items), std::string(".a: type=PROGBITS access=r-x 2345; .b: type=PROGBITS access=rw- 89ab; "
                                            ".bss: type=NOBITS access=rw- size=5,000 ; "
                                            ".far: type=PROGBITS access=--- "));
    QCOMPARE((*items)[2].index, 3U);
  }

  void overlappingSectionsLoseTheirBytes() {
    library::Package package;
    package.image.file = package.bytes = bytes("0123456789abcdef");
    for (int i = 0; i < 6; ++i)
      package.image.sections.push_back({".x", 0, {0, 16}, 16, "PROGBITS", true, false, false});
    NullMonitor monitor;
    const auto items = diff::readSections(package, monitor);
    QVERIFY(items);
    for (std::size_t i = 0; i < 6; ++i) QCOMPARE((*items)[i].content.size(), uint64_t{i < 4 ? 16U : 0U});
  }

  void equalEndsOfTablesAreOnlyNumbers_data() {
    QTest::addColumn<QStringList>("a");
    QTest::addColumn<QStringList>("b");
    QTest::addColumn<int>("same");
    QTest::addColumn<std::string>("onlyA");
    QTest::addColumn<std::string>("onlyB");
    const auto row = [](const char* name, const char* a, const char* b, int same, const char* onlyA,
                        const char* onlyB) {
      const auto list = [](const char* text) { return QString::fromLatin1(text).split(' ', Qt::SkipEmptyParts); };
      QTest::newRow(name) << list(a) << list(b) << same << std::string(onlyA) << std::string(onlyB);
    };
    row("nothing", "", "", 0, "", "");
    row("all equal", "x=1 y=2 z=3", "x=1 y=2 z=3", 3, "", "");
    row("one side empty", "x=1", "", 0, "x", "");
    row("one more at the end", "x=1", "x=1 y=2", 1, "", "y");
    row("one more at the start", "x=1", "y=2 x=1", 1, "", "y");
    row("other bytes in the middle", "x=1 y=2 z=3", "x=1 y=4 z=3", 2, "y", "y");
    row("another name", "x=1 y=2", "x=1 w=2", 1, "y", "w");
    row("another size", "x=1 y=2", "x=1 y=22", 1, "y", "y");
    row("the other order", "x=1 y=2", "y=2 x=1", 0, "x y", "y x");
    row("a row is no end twice", "x=1 x=1", "x=1 x=1 x=1", 2, "", "x");
  }
  void equalEndsOfTablesAreOnlyNumbers() {
    QFETCH(QStringList, a);
    QFETCH(QStringList, b);
    QFETCH(int, same);
    QFETCH(std::string, onlyA);
    QFETCH(std::string, onlyB);
    const auto package = [](const QStringList& list) {
      ElfBuilder elf;
      for (const QString& one : list) elf.data(one.section('=', 0, 0).toStdString(), one.section('=', 1).toStdString());
      return opened(elf);
    };
    const auto first = package(a), second = package(b);
    NullMonitor monitor;
    const auto equal = diff::SameBytes::of(first->bytes, second->bytes, monitor);
    QVERIFY(equal);
    const diff::CompareOptions options;
    const auto found = diff::readSymbols(*first, *second, {options, *equal, false}, monitor);
    QVERIFY(found);
    QCOMPARE(found->same.size(), static_cast<std::size_t>(same));
    QCOMPARE(namesText(found->a), onlyA);
    QCOMPARE(namesText(found->b), onlyB);
  }

  void symbolsHaveTypeBindingAndSize() {
    ElfBuilder elf = withData({{"d", "1234"}});
    elf.undefined("u").symbol("number", 0x77, 0, 0x11, 0xfff1);
    const auto one = opened(elf), none = opened(ElfBuilder());
    NullMonitor monitor;
    const auto equal = diff::SameBytes::of(one->bytes, none->bytes, monitor);
    QVERIFY(equal);
    const diff::CompareOptions options;
    const auto found = diff::readSymbols(*one, *none, {options, *equal, false}, monitor);
    QVERIFY(found);
    QCOMPARE(itemsText(found->a), std::string("d: type=object binding=global defined=yes size=4 1234; "
                                              "u: type=function binding=global defined=no ; "
                                              "number: type=object binding=global defined=yes value=0x77 "));
  }

  void stopEndsTheReading() {
    library::Package package;
    package.image = object();
    StopAfter stop(0);
    const auto items = diff::readSections(package, stop);
    QVERIFY(!items);
    QCOMPARE(items.error().code(), ErrorCode::Cancelled);
  }
};

BLOBSCOPE_TEST(TestHostItems);

#include "test_host_items.moc"
