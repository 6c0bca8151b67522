#include "core/xref/name_loads.h"

#include "core/base/text.h"
#include "core/container/number_at.h"
#include "core/syntax/disassembler.h"
#include "tests/core/base/compare.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <map>

using namespace blobscope;
using namespace blobscope::test;
using container::Image;
using container::SymbolType;

namespace {

/// A made-up instruction set, so that the tests need no library of disassemblers. Every instruction has 9 bytes: 'L'
/// computes an address, 'C' calls one, 'J' jumps to one if what was compared is different; any other letter is an
/// instruction with the text of that letter in kTexts. The code ends at every other byte.
constexpr uint64_t kInstruction = 9;

std::string_view textOf(char kind) {
  switch (kind) {
  case 'L': return "lea rcx, [rip + 0x10]";
  case 'C': return "call 0x0";
  case 'J': return "jne 0x10";
  case 'n': return "mov r9d, 0x100";
  case 'x': return "mov x5, #256";
  case 'r': return "mov r9d, eax";
  case 'o': return "mov r8d, 0x7";
  case 'c': return "cmp eax, 0x10";
  case 'v': return "cmp eax, ebx";
  case 'e': return "je 0x20";
  case 'j': return "jmp 0x30";
  case 'm': return "mov rdi, rsp";
  case 'a': return "add rax, 0x8";
  default: return {};
  }
}

bool isInstruction(const Bytes& code, uint64_t at) {
  return at + kInstruction <= code.size() && !textOf(code.view()[at]).empty();
}

class MadeDisassembler final : public syntax::Disassembler {
public:
  Result<std::vector<syntax::Instruction>> disassemble(const Bytes& code, uint64_t address,
                                                       const syntax::DisassemblyOptions&, Monitor&) override {
    std::vector<syntax::Instruction> out;
    for (uint64_t at = 0; isInstruction(code, at); at += kInstruction) {
      const char kind = code.view()[at];
      syntax::Instruction one{address + at, kInstruction, std::string(textOf(kind)), {}, {}};
      if (kind == 'C' || kind == 'J') one.target = container::numberAt<uint64_t>(code.view(), at + 1);
      out.push_back(one);
    }
    return out;
  }
  syntax::Operation decode(std::string_view, uint64_t) override { return {}; }
  Result<std::vector<syntax::AddressLoad>> addressLoads(const Bytes& code, uint64_t address,
                                                        const syntax::DisassemblyOptions&, Monitor&) override {
    std::vector<syntax::AddressLoad> out;
    for (uint64_t at = 0; isInstruction(code, at); at += kInstruction)
      if (code.view()[at] == 'L') out.push_back({address + at, container::numberAt<uint64_t>(code.view(), at + 1)});
    return out;
  }
};

std::unique_ptr<syntax::Disassembler> makeMade(std::string_view arch, unsigned) {
  return arch == "made" ? std::make_unique<MadeDisassembler>() : nullptr;
}

std::string instruction(char kind, uint64_t address) {
  std::string out(1, kind);
  for (unsigned i = 0; i < 8; ++i) out += static_cast<char>(address >> 8 * i);
  return out;
}
std::string load(uint64_t address) { return instruction('L', address); }
std::string call(uint64_t address) { return instruction('C', address); }
/// One instruction for each letter; 'C' calls address 0.
std::string code(std::string_view letters) {
  std::string out;
  for (const char letter : letters) out += instruction(letter, 0);
  return out;
}

/// A library of two sections: code at kCode, texts at kTexts. In the file, the texts are first.
constexpr uint64_t kCode = 0x10000, kTexts = 0x20000, kPlace = 0x400;

struct Library {
  std::string texts, code;
  std::vector<container::Symbol> symbols;

  /// Adds a text and returns its address.
  uint64_t text(const std::string& text) {
    const uint64_t at = kTexts + texts.size();
    texts += text + '\0';
    return at;
  }
  /// Adds a function whose symbol states its size, and returns its address.
  uint64_t function(const std::string& body, std::string_view name = "function") {
    const uint64_t at = hidden(body);
    container::Symbol symbol;
    symbol.name = name;
    symbol.value = at;
    symbol.size = body.size();
    symbol.section = 0;
    symbol.type = SymbolType::Function;
    symbol.defined = true;
    symbols.push_back(symbol);
    return at;
  }
  /// Adds code without a symbol.
  uint64_t hidden(const std::string& body) {
    const uint64_t at = kCode + code.size();
    code += body;
    return at;
  }
  /// The address of the next function.
  uint64_t next() const { return kCode + code.size(); }

  Image image() const {
    Image image;
    std::string file = texts;
    file.resize(kPlace, '\0');
    image.file = bytes(file + code);
    image.kind = container::Kind::Shared;
    image.arch = "made";
    image.sections.resize(2);
    image.sections[0] = {".text", kCode, {kPlace, code.size()}, code.size(), "PROGBITS", true, false, true};
    image.sections[1] = {".rodata", kTexts, {0, texts.size()}, texts.size(), "PROGBITS", true, false, false};
    image.symbols = symbols;
    return image;
  }
};

/// "0:name 1:other", in the order of the visits.
std::string loadsOf(const Image& image, const std::vector<uint32_t>& symbols) {
  std::string out;
  NullMonitor monitor;
  const auto result = xref::forEachNameLoad(
      image, symbols,
      [&](std::size_t function, std::string_view name) {
        out += (out.empty() ? "" : " ") + std::to_string(function) + ":" + escapedWithin(name, 64);
      },
      monitor);
  return result ? out : "failed";
}

/// "text=16 …", in the order of the visits, for texts that begin with "check".
std::string numbersOf(const Image& image) {
  std::string out;
  NullMonitor monitor;
  const auto result = xref::forEachCheckedNumber(
      image, {0}, [](std::string_view text) { return text.starts_with("check"); },
      [&](std::string_view text, uint64_t number) {
        out += (out.empty() ? "" : " ") + std::string(text) + "=" + std::to_string(number);
      },
      monitor);
  return result ? out : "failed";
}

} // namespace

class TestNameLoads : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { syntax::setDisassemblerFactory(makeMade); }
  void cleanup() { syntax::setDisassemblerFactory(nullptr); }

  void namesAreFoundInTheOrderOfTheCode() {
    Library library;
    const uint64_t add = library.text("add_kernel"), mul = library.text("mul_kernel");
    library.function(load(mul) + load(add) + load(mul));
    library.function(load(add));
    QCOMPARE(loadsOf(library.image(), {0, 1}), std::string("0:mul_kernel 0:add_kernel 0:mul_kernel 1:add_kernel"));
    // The number is that of the request, not that of the symbol.
    QCOMPARE(loadsOf(library.image(), {1}), std::string("0:add_kernel"));
    QCOMPARE(loadsOf(library.image(), {}), std::string());
  }

  void onlyTextsInDataCount_data() {
    QTest::addColumn<qulonglong>("address");
    QTest::addColumn<std::string>("found");
    const auto row = [](const char* name, qulonglong address, const char* found) {
      QTest::newRow(name) << address << std::string(found);
    };
    row("start of a text", kTexts, "0:name");
    row("middle of a text", kTexts + 2, "0:me");
    row("empty text", kTexts + 4, "");
    row("text without an end", kTexts + 5, "");
    row("end of the section", kTexts + 9, "");
    row("before the section", kTexts - 1, "");
    row("code", kCode, "");
    row("zero", 0, "");
    row("the largest address", ~0ull, "");
  }
  void onlyTextsInDataCount() {
    QFETCH(qulonglong, address);
    QFETCH(std::string, found);
    Library library;
    library.text("name");
    library.texts += "open";
    library.function(load(address));
    QCOMPARE(loadsOf(library.image(), {0}), found);
  }

  void textsHaveALimit_data() {
    QTest::addColumn<int>("size");
    QTest::addColumn<bool>("found");
    QTest::newRow("1,022 bytes") << 1'022 << true;
    QTest::newRow("1,023 bytes, 1,024 with the end") << 1'023 << true;
    QTest::newRow("1,024 bytes") << 1'024 << false;
    QTest::newRow("100,000 bytes") << 100'000 << false;
  }
  void textsHaveALimit() {
    QFETCH(int, size);
    QFETCH(bool, found);
    Library library;
    library.function(load(kTexts));
    Image image = library.image();
    const std::string text(static_cast<std::size_t>(size), 'n');
    image.sections[1].file = {image.file.size(), text.size() + 1};
    image.file = bytes(std::string(image.file.view()) + text + '\0');
    QCOMPARE(!loadsOf(image, {0}).empty(), found);
  }

  void onlyMappedDataCounts_data() {
    QTest::addColumn<std::function<void(container::Section&)>>("change");
    QTest::addColumn<bool>("found");
    using Change = std::function<void(container::Section&)>;
    const auto row = [](const char* name, bool found, const Change& change) { QTest::newRow(name) << change << found; };
    row("read-only data", true, [](auto&) {});
    row("writable data", true, [](auto& section) { section.writable = true; });
    row("not mapped", false, [](auto& section) { section.allocated = false; });
    row("executable", false, [](auto& section) { section.executable = true; });
    row("without bytes in the file", false, [](auto& section) { section.file = {}; });
    row("outside the file", false, [](auto& section) { section.file.offset = uint64_t{1} << 40; });
    row("at the largest offset", false, [](auto& section) { section.file.offset = UINT64_MAX - 2; });
    row("larger than the file", true, [](auto& section) { section.file.size = UINT64_MAX; });
  }
  void onlyMappedDataCounts() {
    QFETCH(std::function<void(container::Section&)>, change);
    QFETCH(bool, found);
    Library library;
    library.function(load(library.text("name")));
    Image image = library.image();
    change(image.sections[1]);
    QCOMPARE(loadsOf(image, {0}), std::string(found ? "0:name" : ""));
  }

  void codeOfOneHostFunctionIsPartOfIt_data() {
    QTest::addColumn<int>("steps");
    QTest::addColumn<bool>("byPointer");
    QTest::addColumn<bool>("found");
    QTest::newRow("called directly") << 1 << false << true;
    QTest::newRow("called by what it calls") << 2 << false << true;
    QTest::newRow("three calls away") << 3 << false << false;
    QTest::newRow("passed as a pointer") << 1 << true << true;
    QTest::newRow("two pointers away") << 2 << true << true;
    QTest::newRow("three pointers away") << 3 << true << false;
  }
  void codeOfOneHostFunctionIsPartOfIt() {
    QFETCH(int, steps);
    QFETCH(bool, byPointer);
    QFETCH(bool, found);
    Library library;
    uint64_t at = library.hidden(load(library.text("name")));
    for (int i = 1; i < steps; ++i) at = library.hidden(byPointer ? load(at) : call(at));
    library.function(byPointer ? load(at) : call(at));
    QCOMPARE(loadsOf(library.image(), {0}), std::string(found ? "0:name" : ""));
  }

  void sharedCodeIsPartOfNone() {
    Library library;
    const uint64_t own = library.hidden(load(library.text("own")));
    const uint64_t shared = library.hidden(load(library.text("shared")));
    library.function(call(shared) + call(own) + call(own));
    library.function(call(shared));
    QCOMPARE(loadsOf(library.image(), {0, 1}), std::string("0:own"));
    // Only host functions that were asked for count.
    QCOMPARE(loadsOf(library.image(), {1}), std::string("0:shared"));
  }

  void callsOfOtherHostFunctionsAreNotFollowed() {
    Library library;
    const uint64_t other = library.function(load(library.text("name")));
    library.function(call(other));
    QCOMPARE(loadsOf(library.image(), {0, 1}), std::string("0:name"));
  }

  void calledCodeEndsAtTheNextFunction() {
    Library library;
    const uint64_t name = library.text("name"), other = library.text("other");
    const uint64_t part = library.hidden(load(name));
    library.function(load(other), "neighbour");
    library.function(call(part));
    QCOMPARE(loadsOf(library.image(), {1}), std::string("0:name"));
  }

  void callsIntoNothingAreIgnored_data() {
    QTest::addColumn<qulonglong>("address");
    for (const qulonglong address : {0ull, kTexts + 1ull, kCode - 1ull, kCode + 18ull, kCode + 1'000ull, ~0ull})
      QTest::newRow(hexText(address).c_str()) << address;
  }
  void callsIntoNothingAreIgnored() {
    QFETCH(qulonglong, address);
    Library library;
    library.function(call(address) + load(library.text("name")));
    QCOMPARE(loadsOf(library.image(), {0}), std::string("0:name"));
  }

  void functionsThatCallThemselvesEnd() {
    Library library;
    const uint64_t name = library.text("name");
    library.function(load(name) + call(library.next()));
    const uint64_t first = library.next(), second = first + 2 * kInstruction;
    library.hidden(call(second) + load(name));
    library.hidden(call(first) + load(name));
    library.function(call(first), "caller");
    QCOMPARE(loadsOf(library.image(), {0, 1}), std::string("0:name 1:name 1:name"));
  }

  void damagedSymbolsFindNothing_data() {
    QTest::addColumn<std::function<void(container::Symbol&)>>("change");
    using Change = std::function<void(container::Symbol&)>;
    const auto row = [](const char* name, const Change& change) { QTest::newRow(name) << change; };
    row("undefined", [](auto& symbol) { symbol.defined = false; });
    row("absolute", [](auto& symbol) { symbol.absolute = true; });
    row("outside all sections", [](auto& symbol) { symbol.value = 0x90000; });
    row("the largest address", [](auto& symbol) { symbol.value = UINT64_MAX; });
  }
  void damagedSymbolsFindNothing() {
    QFETCH(std::function<void(container::Symbol&)>, change);
    Library library;
    library.function(load(library.text("name")));
    library.function(load(library.text("other")));
    change(library.symbols[0]);
    QCOMPARE(loadsOf(library.image(), {0, 1}), std::string("1:other"));
  }

  void sizesAreCutToTheSection() {
    Library library;
    library.function(load(library.text("name")));
    library.symbols[0].size = UINT64_MAX;
    QCOMPARE(loadsOf(library.image(), {0}), std::string("0:name"));
  }

  void unknownSymbolsFindNothing() {
    Library library;
    library.function(load(library.text("name")));
    QCOMPARE(loadsOf(library.image(), {1, UINT32_MAX, 0}), std::string("2:name"));
  }

  void someFilesHaveNoLoads_data() {
    QTest::addColumn<std::function<void(Image&)>>("change");
    using Change = std::function<void(Image&)>;
    QTest::newRow("object file") << Change([](Image& image) { image.kind = container::Kind::Object; });
    QTest::newRow("other machine") << Change([](Image& image) { image.arch = "other"; });
    QTest::newRow("empty file") << Change([](Image& image) { image.file = {}; });
    QTest::newRow("no sections") << Change([](Image& image) { image.sections.clear(); });
    QTest::newRow("no symbols") << Change([](Image& image) { image.symbols.clear(); });
  }
  void someFilesHaveNoLoads() {
    QFETCH(std::function<void(Image&)>, change);
    Library library;
    library.function(load(library.text("name")));
    Image image = library.image();
    change(image);
    QCOMPARE(loadsOf(image, {0}), std::string());
  }

  void programsWithoutADisassemblerFindNothing() {
    syntax::setDisassemblerFactory(nullptr);
    Library library;
    library.function(load(library.text("name")));
    QCOMPARE(loadsOf(library.image(), {0}), std::string());
  }

  void codeHasALimit() {
    Library library;
    const uint64_t name = library.text("name");
    library.function(load(name));
    library.function(std::string((32 << 20) - 2 * kInstruction, 'n'), "large");
    library.function(load(name));
    library.function(load(name)); // beyond 32 MiB
    QCOMPARE(loadsOf(library.image(), {0, 1, 2, 3}), std::string("0:name 2:name"));
  }

  void readingCanBeCancelled() {
    Library library;
    library.function(call(library.hidden(load(library.text("name")))));
    for (const int looks : {0, 1}) {
      StopAfter monitor(looks);
      const auto result = xref::forEachNameLoad(library.image(), {0}, [](std::size_t, std::string_view) {}, monitor);
      QVERIFY(!result && result.error().id() == DiagnosticId::Cancelled);
    }
  }

  void checkedNumbersAreFound_data() {
    QTest::addColumn<std::string>("before");
    QTest::addColumn<std::string>("after");
    QTest::addColumn<std::string>("found");
    const auto row = [](const char* name, const char* before, const char* after, const char* found) {
      QTest::newRow(name) << std::string(before) << std::string(after) << std::string(found);
    };
    row("an argument before the text", "cemn", "mC", "check=256");
    row("an argument after the text", "ce", "mxmC", "check=256");
    row("an argument that is not a number", "cve", "rC", "");
    row("an argument of another call", "nC", "mCn", "");
    row("another address in between", "ceL", "C", "check=16");
    row("a comparison in front", "ce", "mC", "check=16");
    row("moves between comparison and jump", "cmme", "C", "check=16");
    row("something else between comparison and jump", "cae", "C", "");
    row("a comparison with a register", "ve", "C", "");
    row("nothing in front", "", "C", "");
    row("after a jump that is always taken", "cj", "C", "");
    row("far away", "nmmmmmmmmmmmmmmmmmmm", "C", "");
  }
  void checkedNumbersAreFound() {
    QFETCH(std::string, before);
    QFETCH(std::string, after);
    QFETCH(std::string, found);
    Library library;
    library.text("other");
    const uint64_t check = library.text("check");
    library.function(code(before) + load(check) + code(after));
    // Other texts beside it change nothing: only their addresses are computed.
    QCOMPARE(numbersOf(library.image()), found);
  }

  /// Compilers move the code of failed checks to the end of a function.
  void checkedNumbersAreFoundByTheJump() {
    const auto library = [](const std::string& middle, int jumps) {
      Library made;
      const uint64_t check = made.text("check");
      std::string body;
      const std::size_t size = (static_cast<std::size_t>(jumps) * 2 + 1 + middle.size()) * kInstruction;
      for (int i = 0; i < jumps; ++i) body += code("c") + instruction('J', kCode + size);
      body += code(middle) + code("j") + load(check) + code("mC");
      made.function(body);
      return made.image();
    };
    QCOMPARE(numbersOf(library("m", 1)), std::string("check=16"));
    // Which of two comparisons the text is about is not known.
    QCOMPARE(numbersOf(library("m", 2)), std::string());
    QCOMPARE(numbersOf(library("m", 0)), std::string());
  }

  void functionsWithoutSizeAreSearchedOnlyWhenThatIsFast_data() {
    QTest::addColumn<int>("symbols");
    QTest::addColumn<qulonglong>("size");
    QTest::addColumn<qulonglong>("functions");
    QTest::addColumn<bool>("fast");
    QTest::newRow("with a size") << 1'000 << 1ull << ~0ull << true;
    QTest::newRow("without a size, the last fast one") << 1'000 << 0ull << 100'000ull << true;
    QTest::newRow("without a size, one function more") << 1'000 << 0ull << 100'001ull << false;
    QTest::newRow("one symbol") << 1 << 0ull << 100'000'000ull << true;
    QTest::newRow("the largest number of functions") << 1 << 0ull << ~0ull << false;
    QTest::newRow("no function") << 1 << 0ull << 0ull << true;
  }
  void functionsWithoutSizeAreSearchedOnlyWhenThatIsFast() {
    QFETCH(int, symbols);
    QFETCH(qulonglong, size);
    QFETCH(qulonglong, functions);
    QFETCH(bool, fast);
    Image image;
    image.symbols.resize(static_cast<std::size_t>(symbols));
    image.symbols[0].size = size;
    QCOMPARE(xref::canFindCode(image, 0, functions), fast);
    QVERIFY(!xref::canFindCode(image, static_cast<uint32_t>(symbols), functions));
    QVERIFY(!xref::canFindCode({}, 0, functions));
  }
};

BLOBSCOPE_TEST(TestNameLoads);
#include "test_name_loads.moc"
