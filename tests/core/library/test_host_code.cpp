#include "core/library/host_code.h"

#include "core/base/text.h"
#include "core/syntax/disassembler.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using container::Image;
using container::Kind;
using container::Symbol;
using container::SymbolType;

namespace {

/// Every byte is an instruction: 1 to 0x7f jumps to 0x1000 + that, 0x80 and above reads data at 0x2000 + that.
class MadeDisassembler final : public syntax::Disassembler {
public:
  Result<std::vector<syntax::Instruction>> disassemble(const Bytes& code, uint64_t address,
                                                       const syntax::DisassemblyOptions&, Monitor& monitor) override {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    std::vector<syntax::Instruction> out;
    for (uint64_t i = 0; i < code.size(); ++i) {
      const uint64_t value = static_cast<uint8_t>(code.view()[i]);
      syntax::Instruction made{address + i, 1, "do", {}, {}};
      if (value >= 0x80)
        made.memory = 0x2000 + value;
      else if (value > 0)
        made.target = 0x1000 + value;
      out.push_back(made);
    }
    return out;
  }
  syntax::Operation decode(std::string_view, uint64_t) override { return {}; }
  Result<std::vector<syntax::AddressLoad>> addressLoads(const Bytes&, uint64_t, const syntax::DisassemblyOptions&,
                                                        Monitor&) override {
    return std::vector<syntax::AddressLoad>();
  }
};

std::unique_ptr<syntax::Disassembler> makeOne(std::string_view arch, unsigned) {
  return arch == "made" || arch == "arm" || arch == "thumb" ? std::make_unique<MadeDisassembler>() : nullptr;
}

/// .text of 16 bytes at 0x1000, .data of 16 at 0x2080, both in the same segment of the file.
Image madeImage(std::string_view text) {
  Image image;
  std::string file(text);
  file.resize(32, '\0');
  image.file = bytes(file);
  image.arch = "made";
  image.kind = Kind::Shared;
  const auto section = [](std::string_view name, uint64_t address, uint64_t offset) {
    return container::Section{
        .name = name, .address = address, .file = {offset, 16}, .size = 16, .type = {}, .allocated = true};
  };
  image.sections = {section(".text", 0x1000, 0), section(".data", 0x2080, 16)};
  image.segments = {{.address = 0x1000, .memorySize = 16, .file = {0, 16}, .executable = true},
                    {.address = 0x2080, .memorySize = 16, .file = {16, 16}, .writable = true}};
  return image;
}

uint32_t add(Image& image, std::string_view name, uint64_t value, uint64_t size = 0,
             SymbolType type = SymbolType::Function, uint32_t section = 0) {
  image.symbols.push_back(
      {.name = name, .value = value, .size = size, .section = section, .type = type, .defined = true});
  return static_cast<uint32_t>(image.symbols.size() - 1);
}

std::string place(const Image& image, uint32_t symbol) {
  const auto code = library::findHostCode(image, symbol);
  return code ? code->arch + " " + hexText(code->address) + "+" + std::to_string(code->bytes.size()) : "nothing";
}

/// The page's text or notice.
std::string show(const Image& image, uint32_t symbol) {
  NullMonitor monitor;
  const auto page = view::resolvePage(library::hostCodePage(std::make_shared<const Image>(image), symbol), monitor);
  if (!page) return "error: " + page.error().message();
  if (const auto* const notice = std::get_if<view::NoticePage>(&page->content)) return "notice: " + notice->text;
  const auto* const text = std::get_if<view::TextPage>(&page->content);
  return text ? std::string(text->text.view()) : "another page";
}

} // namespace

class TestHostCode : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { syntax::setDisassemblerFactory(makeOne); }
  void cleanup() { syntax::setDisassemblerFactory(nullptr); }
  void functionsEndAtTheirSizeOrTheNextSymbol();
  void thumbFunctionsAreRecognised();
  void symbolsWithoutBytesHaveNoCode();
  void addressesAreNamed();
  void objectCodeHasNoNames();
  void missingCodeOrDisassemblerIsExplained();
  void disassemblyCanBeCancelled();
};

void TestHostCode::functionsEndAtTheirSizeOrTheNextSymbol() {
  Image image = madeImage("");
  const uint32_t sized = add(image, "sized", 0x1000, 3);
  const uint32_t unsizedOne = add(image, "unsized", 0x1004);
  add(image, "$x", 0x1005, 0, SymbolType::None);
  add(image, "label", 0x1009, 0, SymbolType::None);
  const uint32_t last = add(image, "last", 0x100a);
  const uint32_t tooLong = add(image, "tooLong", 0x100c, 1000);
  image.arch = "aarch64"; // where $x is a mark
  QCOMPARE(place(image, sized), std::string("aarch64 0x1000+3"));
  QCOMPARE(place(image, unsizedOne), std::string("aarch64 0x1004+5"));
  QCOMPARE(place(image, last), std::string("aarch64 0x100a+2"));
  QCOMPARE(place(image, tooLong), std::string("aarch64 0x100c+4"));
  image.symbols[unsizedOne].value = 0x100e;
  QCOMPARE(place(image, unsizedOne), std::string("aarch64 0x100e+2"));
}

void TestHostCode::thumbFunctionsAreRecognised() {
  Image image = madeImage("");
  const uint32_t symbol = add(image, "t", 0x1003, 4);
  QCOMPARE(place(image, symbol), std::string("made 0x1003+4"));
  image.arch = "arm";
  QCOMPARE(place(image, symbol), std::string("thumb 0x1002+4"));
  image.symbols[symbol].value = 0x1004;
  QCOMPARE(place(image, symbol), std::string("arm 0x1004+4"));
}

void TestHostCode::symbolsWithoutBytesHaveNoCode() {
  Image image = madeImage("");
  const uint32_t outside = add(image, "outside", 0x9000, 4);
  const uint32_t undefined = add(image, "undefined", 0x1000, 4);
  image.symbols[undefined].defined = false;
  QCOMPARE(place(image, outside), std::string("nothing"));
  QCOMPARE(place(image, undefined), std::string("nothing"));
  QCOMPARE(place(image, 77), std::string("nothing"));
}

void TestHostCode::addressesAreNamed() {
  Image image = madeImage(std::string_view("\x08\x0a\x04\x7f\x82\x8f\0\0", 8));
  const uint32_t f = add(image, "f", 0x1000, 7);
  add(image, "callee", 0x1008, 2);
  add(image, "label", 0x1008, 0, SymbolType::None);
  add(image, "slot\n", 0x2080, 8, SymbolType::Object, 1);
  // After the size of the callee and outside every section: the name of the section, then nothing.
  QCOMPARE(show(image, f), std::string("f:\n"
                                       "1000  08  do                                        ; <callee>\n"
                                       "1001  0a  do                                        ; <.text+0xa>\n"
                                       "1002  04  do                                        ; <f+0x4>\n"
                                       "1003  7f  do\n"
                                       "1004  82  do                                        ; 0x2082 <slot\\n+0x2>\n"
                                       "1005  8f  do                                        ; 0x208f <.data+0xf>\n"
                                       "1006  00  do\n"));
}

/// Addresses count from each section, and references to other places are not filled in yet.
void TestHostCode::objectCodeHasNoNames() {
  Image image = madeImage(std::string_view("\x08\x02\x80\0", 4));
  image.kind = Kind::Object;
  for (auto& section : image.sections) section.address = 0;
  image.segments.clear();
  const uint32_t f = add(image, "f", 0, 4);
  add(image, "callee", 0x8, 1);
  add(image, "other", 0x8, 1, SymbolType::Object, 1);
  QCOMPARE(place(image, f), std::string("made 0x0+4"));
  QCOMPARE(show(image, f), std::string("f:\n   0  08  do\n   1  02  do\n   2  80  do\n   3  00  do\n"));
}

void TestHostCode::missingCodeOrDisassemblerIsExplained() {
  Image image = madeImage("");
  const uint32_t f = add(image, "f", 0x1000, 4), outside = add(image, "outside", 0x9000, 4);
  QCOMPARE(show(image, outside), std::string("notice: the file contains no code for this symbol"));
  image.arch = "vax";
  QCOMPARE(show(image, f), std::string("notice: no disassembler for 'vax'"));
  image.arch.clear();
  QCOMPARE(show(image, f), std::string("notice: no disassembler for this machine"));
  syntax::setDisassemblerFactory(nullptr);
  QCOMPARE(show(image, f),
           std::string("notice: this build has no disassembler; the bytes of the function are on the page 'Hex'"));
}

void TestHostCode::disassemblyCanBeCancelled() {
  Image image = madeImage("");
  const uint32_t f = add(image, "f", 0x1000, 4);
  StopAfter monitor(0);
  const view::Page page = library::hostCodePage(std::make_shared<const Image>(image), f);
  QCOMPARE(page.name, std::string("Disassembly"));
  QCOMPARE(view::pageKind(page), std::string_view("text"));
  const auto made = view::resolvePage(page, monitor);
  QVERIFY(!made.hasValue());
  QVERIFY(made.error().code() == ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestHostCode);
#include "test_host_code.moc"
