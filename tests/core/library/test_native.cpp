#include "core/library/native.h"

#include "core/base/text.h"
#include "core/library/device_images.h"
#include "core/library/node.h"
#include "core/syntax/disassembler.h"

#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif

#include <QFile>

#include <filesystem>
#include <map>
#include <random>

using namespace blobscope;
using namespace blobscope::test;

namespace {

constexpr uint8_t kGlobalFunction = 1 << 4 | 2, kGlobalObject = 1 << 4 | 1, kLocalObject = 1;
constexpr uint16_t kAbsolute = 0xfff1;

/// Decodes `lea rax, [rip+x]` (7 bytes) and `ret`; every other byte is one instruction.
class LeaDisassembler final : public syntax::Disassembler {
public:
  Result<std::vector<syntax::Instruction>> disassemble(const Bytes& code, uint64_t address,
                                                       const syntax::DisassemblyOptions&, Monitor&) override {
    std::vector<syntax::Instruction> out;
    for (uint64_t at = 0; at < code.size(); at += out.back().size) {
      const std::string_view rest = code.view().substr(at);
      const bool lea = rest.size() >= 7 && rest.starts_with("\x48\x8d\x05");
      out.push_back({address + at, lea ? 7u : 1u, lea ? "lea" : rest[0] == '\xc3' ? "ret" : "do", {}, {}});
      uint32_t offset = 0;
      for (std::size_t i = 7; lea && i-- > 3;) offset = offset << 8 | static_cast<uint8_t>(rest[i]);
      if (lea)
        out.back().memory =
            address + at + 7 + static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(offset)));
    }
    return out;
  }
  syntax::Operation decode(std::string_view, uint64_t) override { return {}; }
  Result<std::vector<syntax::AddressLoad>> addressLoads(const Bytes& code, uint64_t address,
                                                        const syntax::DisassemblyOptions& options,
                                                        Monitor& monitor) override {
    BLOBSCOPE_TRY(instructions, disassemble(code, address, options, monitor));
    std::vector<syntax::AddressLoad> out;
    for (const auto& instruction : instructions)
      if (instruction.memory) out.push_back({instruction.address, *instruction.memory});
    return out;
  }
};

std::unique_ptr<syntax::Disassembler> makeLea(std::string_view arch, unsigned) {
  return arch == "x86_64" ? std::make_unique<LeaDisassembler>() : nullptr;
}

std::string lea(int64_t offset) { return ByteBuilder().raw("\x48\x8d\x05").u32(static_cast<uint32_t>(offset)).take(); }

library::PackagePtr opened(const std::string& file) {
  auto package = openBytes(file);
  if (!package) qFatal("opening a made library failed: %s", package.error().message().c_str());
  return *package;
}

/// "add doc metadata; _hidden".
std::string functionsText(const library::Package& package) {
  std::string out;
  for (const library::NativeFunction& function : nativeFunctions(package))
    out += (out.empty() ? "" : "; ") + escaped(function.name) + (function.hasDoc() ? " doc" : "") +
           (function.hasMetadata ? " metadata" : "");
  return out;
}

/// "one 0x10+20 in .rodata; many +30", places from the start of .rodata.
std::string imagesText(const library::Package& package, uint64_t from) {
  NullMonitor monitor;
  const auto images = computeDeviceImages(package, monitor);
  if (!images) return "error: " + images.error().message();
  std::string out;
  for (const library::DeviceImage& image : *images) {
    out += (out.empty() ? "" : "; ") + (image.name.empty() ? "?" : escaped(image.name));
    out += image.placed() ? " " + hexText(image.extent.offset - from) : std::string(" ");
    out += "+" + std::to_string(image.extent.size);
    if (image.placed() && (image.bytes.size() != image.extent.size ||
                           package.bytes.slice(image.extent.offset, image.extent.size) != image.bytes))
      out += " with other bytes";
    if (!image.section.empty() && image.section != ".rodata") out += " in " + std::string(image.section);
  }
  return out;
}

std::string tableText(const view::Page& page) {
  NullMonitor monitor;
  const auto made = view::resolvePage(page, monitor);
  if (!made) return "error: " + made.error().message();
  const auto* const table = std::get_if<view::TablePage>(&made->content);
  if (!table) return "no table";
  std::string out = made->name + ":";
  for (uint64_t row = 0; row < table->source->rowCount(); ++row) {
    out += "\n";
    for (std::size_t column = 0; column < table->source->columns().size(); ++column)
      out += (column == 0 ? "" : " | ") + table->source->cell(row, column);
    const auto target = table->source->target(row, {});
    out += " -> " + (target ? target->toString() : "nothing");
  }
  return out;
}

std::string cubin(const std::string& kernel = "k") { return cuda::cubin(89, {cuda::kernel(kernel)}); }
std::string fatbin() { return cuda::fatbin({{.payload = std::string(40, 'c')}}); }

/// A library with one documented function whose getter is `code`, followed by `data`, both in .rodata.
std::string withGetter(const std::string& code, const std::string& data, std::optional<uint64_t> size = std::nullopt,
                       bool sections = true) {
  const auto build = [&](uint64_t address) {
    ElfBuilder elf;
    elf.sectionHeaders = sections;
    elf.function("__tvm_ffi_f").data("code", code).data("text", data);
    elf.symbol("__tvm_ffi__doc_f", address, size.value_or(code.size()), kGlobalFunction, 1);
    return std::pair(elf.build(), elf.base + elf.offsetOf("code"));
  };
  return build(build(0).second).first;
}

std::optional<std::string> docOf(const library::Package& package) {
  NullMonitor monitor;
  auto functions = nativeFunctions(package);
  if (functions.size() != 1 || !functions[0].hasDoc()) return "no getter";
  if (!computeDocs(package, functions, monitor)) return "error";
  return functions[0].doc ? std::optional(std::string(functions[0].doc->view())) : std::nullopt;
}

QString corpusFile(const char* name) {
  const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
  return (set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/../shared/corpus") : set) +
         QStringLiteral("/libraries/") + QLatin1String(name);
}

} // namespace

class TestNativeFunctions : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { syntax::setDisassemblerFactory(makeLea); }
  void cleanup() { syntax::setDisassemblerFactory(nullptr); }
  void functionsAreListedWithDocAndMetadata();
  void classicLibrariesHaveNoNativePages();
  void docsAreReadFromTheirGetter_data();
  void docsAreReadFromTheirGetter();
  void docsNeedADisassembler();
  void docsOfObjectsAreNotRead();
  void imagesAreFoundBySymbols();
  void imagesAreFoundBySize();
  void imagesAreFoundByContent_data();
  void imagesAreFoundByContent();
  void imagesInBlobsAreNotListed();
  void dataIsSearchedOnce();
  void factsComeFromUndefinedSymbols();
  void everyRowLeadsToBytesOrANode();
  void searchCanBeCancelled();
  void mutationsAreSafeUnderSanitizers();
  void imagesInTheCorpusAreFound();
  void functionsInTheCorpusAreFound();
};

/// Only the exact prefixes are removed: the name of a function may begin with '_', or look like that of a getter.
void TestNativeFunctions::functionsAreListedWithDocAndMetadata() {
  ElfBuilder elf;
  for (const char* const name : {"add", "_hidden", "_metadata_add", "_doc_add", "_doc_lonely", "_metadata__hidden",
                                 "main", "_metadata", "_doc", "pre_add"})
    elf.function(std::string("__tvm_ffi_") + name);
  elf.data("__tvm_ffi__library_ctx", std::string(8, '\0')).data("__tvm_ffi_library_ctx", std::string(8, '\0'));
  elf.data("__tvm_ffi__doc_main", "no function")
      .data("__tvm_ffi__cubin_a", "x")
      .function("plain")
      .undefined("__tvm_ffi_needed");
  QCOMPARE(functionsText(*opened(elf.build())),
           std::string("add doc metadata; _hidden metadata; main; _metadata; _doc; pre_add; _doc_lonely"));
}

void TestNativeFunctions::classicLibrariesHaveNoNativePages() {
  ElfBuilder elf;
  elf.function("add").data("__tvm_module_ctx", std::string(8, '\0'));
  const library::PackagePtr package = opened(elf.build());
  view::PageList pages;
  addNativePages(package, pages);
  QCOMPARE(functionsText(*package), std::string());
  QVERIFY(pages.empty());
}

void TestNativeFunctions::docsAreReadFromTheirGetter_data() {
  QTest::addColumn<QByteArray>("file");
  QTest::addColumn<bool>("found");
  QTest::addColumn<QByteArray>("text");
  const auto row = [](const char* name, const std::string& file, const std::optional<std::string>& text) {
    QTest::newRow(name) << QByteArray::fromStdString(file) << text.has_value()
                        << QByteArray::fromStdString(text.value_or(""));
  };
  // The text follows the eight bytes of `lea` and `ret`.
  const std::string code = lea(1) + "\xc3";
  const std::string nul(1, '\0'), most(library::NativeFunction::kDocBytes, 'x');
  row("a line", withGetter(code, "Adds." + nul), "Adds.");
  row("lines, UTF-8",
      withGetter(code, "Adds.\n\tGr\xc3\xbc\xc3\x9f"
                       "e" +
                           nul),
      "Adds.\n\tGr\xc3\xbc\xc3\x9f"
      "e");
  row("empty", withGetter(code, nul), "");
  row("no section headers", withGetter(code, "Adds." + nul, {}, false), "Adds.");
  row("longest", withGetter(code, most + nul), most);
  row("too long", withGetter(code, most + "x" + nul), std::nullopt);
  row("no end", withGetter(code, "Adds."), std::nullopt);
  row("not UTF-8", withGetter(code, "Adds \xff." + nul), std::nullopt);
  row("control character", withGetter(code, "Adds \x1b." + nul), std::nullopt);
  row("outside of the file", withGetter(lea(0x100000) + "\xc3", "Adds." + nul), std::nullopt);
  row("before the file", withGetter(lea(-0x7fffffff) + "\xc3", "Adds." + nul), std::nullopt);
  row("no address", withGetter("\x90\x90\xc3", "Adds." + nul), std::nullopt);
  row("code first, then text", withGetter(lea(-0x1000) + lea(1) + "\xc3", "Adds." + nul), "Adds.");
  row("the first counts", withGetter(lea(8) + lea(1) + "\xc3", "\xff" + nul + "Adds." + nul), std::nullopt);
  row("without a size", withGetter(code, "Adds." + nul, 0), "Adds.");
  row("without a size, of another", withGetter("\xc3" + lea(0), "Adds." + nul, 0), std::nullopt);
  row("after its size", withGetter("\x90" + lea(0), "Adds." + nul, 1), std::nullopt);
}

void TestNativeFunctions::docsAreReadFromTheirGetter() {
  QFETCH(QByteArray, file);
  QFETCH(bool, found);
  QFETCH(QByteArray, text);
  const auto doc = docOf(*opened(file.toStdString()));
  QCOMPARE(doc.has_value(), found);
  QCOMPARE(QByteArray::fromStdString(doc.value_or("")), text);
}

void TestNativeFunctions::docsNeedADisassembler() {
  const library::PackagePtr package = opened(withGetter(lea(1) + "\xc3", std::string("Adds.\0", 6)));
  const auto line = [&] {
    NullMonitor monitor;
    std::vector<library::NativeFunction> functions = library::nativeFunctions(*package);
    if (functions.size() != 1 || !library::computeDocs(*package, functions, monitor)) return std::string("no function");
    return library::docLine(functions[0]);
  };
  QCOMPARE(line(), std::string("Adds."));
  syntax::setDisassemblerFactory(nullptr);
  QCOMPARE(line(), std::string("present; this build has no disassembler to find its text"));
  syntax::setDisassemblerFactory([](std::string_view, unsigned) { return std::unique_ptr<syntax::Disassembler>(); });
  QCOMPARE(line(), std::string("present; its text was not found in the code"));
}

void TestNativeFunctions::docsOfObjectsAreNotRead() {
  ElfBuilder elf;
  elf.type = 1;
  elf.function("__tvm_ffi_f").function("__tvm_ffi__doc_f").data("text", std::string("Adds.\0", 6));
  const library::PackagePtr package = opened(elf.build());
  QCOMPARE(functionsText(*package), std::string("f doc"));
  QVERIFY(!docOf(*package));
}

void TestNativeFunctions::imagesAreFoundBySymbols() {
  // Text and arbitrary bytes have no magic; their symbols name them. Addresses come from a first build.
  const std::string one = cubin(), many = fatbin(), text = ".version 8.0\n";
  std::map<std::string, uint64_t> at;
  const auto build = [&] {
    ElfBuilder elf;
    const auto label = [&](const std::string& name, const std::string& place, uint64_t delta) {
      elf.symbol("__tvm_ffi__cubin_" + name, at[place] + delta, 0, kLocalObject, 1);
    };
    elf.data("at_one", one).data("at_many", many).data("at_text", text).data("at_lost", "lost");
    elf.data("__tvm_ffi__cubin_sized", "12345").function("__tvm_ffi_f");
    label("one", "at_one", 0), label("one_end", "at_one", one.size());
    label("many", "at_many", 0), label("many_end", "at_one", 0); // before its start: its headers give its length
    label("text", "at_text", 0), label("text_end", "at_text", text.size());
    label("odd_end", "at_lost", 0), label("odd_end_end", "at_lost", 4); // called "odd_end"
    label("far", "at_lost", 0), label("far_end", "at_lost", 1 << 20);   // no content there
    std::map<std::string, uint64_t> next;
    for (const char* const name : {"at_one", "at_many", "at_text", "at_lost"})
      next[name] = elf.base + elf.offsetOf(name);
    at = next;
    return std::pair(elf.build(), elf.dataOffset());
  };
  build();
  const auto [file, from] = build();
  const uint64_t many0 = one.size(), text0 = many0 + many.size(), lost0 = text0 + text.size();
  const auto piece = [](const std::string& name, uint64_t place, uint64_t size) {
    return name + " " + hexText(place) + "+" + std::to_string(size);
  };
  QCOMPARE(imagesText(*opened(file), from), piece("one", 0, one.size()) + "; " + piece("many", many0, many.size()) +
                                                "; " + piece("text", text0, text.size()) + "; " +
                                                piece("odd_end", lost0, 4) + "; " + piece("sized", lost0 + 4, 5));
}

/// Stripped libraries keep only name and length.
void TestNativeFunctions::imagesAreFoundBySize() {
  const std::string one = cubin(), many = fatbin();
  ElfBuilder elf;
  elf.data("a", one + many + cubin("long") + cubin("side"));
  const auto size = [&](const char* name, uint64_t value, uint16_t section = kAbsolute) {
    elf.symbol(std::string("_binary_embedded_") + name + "_cubin_size", value, 0, kGlobalObject, section);
  };
  size("many", many.size()), size("one", one.size()), size("ptx", 77), size("zero", 0), size("huge", UINT64_MAX);
  size("x", cubin("long").size()), size("y", cubin("long").size()), size("relative", one.size(), 1);
  QCOMPARE(cubin("long").size(), cubin("side").size());
  const auto text = [](uint64_t place, uint64_t bytes) { return " " + hexText(place) + "+" + std::to_string(bytes); };
  const uint64_t third = one.size() + many.size(), length = cubin("long").size();
  QVERIFY(one.size() != length);
  QCOMPARE(imagesText(*opened(elf.build()), elf.dataOffset()),
           "one" + text(0, one.size()) + "; many" + text(one.size(), many.size()) + "; x or y" + text(third, length) +
               "; x or y" + text(third + length, length) + "; ptx +77; huge +18446744073709551615");
}

void TestNativeFunctions::imagesAreFoundByContent_data() {
  QTest::addColumn<QByteArray>("data");
  QTest::addColumn<QString>("text");
  const auto row = [](const char* name, const std::string& data, const std::string& text) {
    QTest::newRow(name) << QByteArray::fromStdString(data) << QString::fromStdString(text);
  };
  const std::string one = cubin(), many = fatbin(), gap(13, 'g');
  const std::string n1 = std::to_string(one.size()), n2 = std::to_string(many.size());
  row("none",
      "\x7f"
      "ELF and no more",
      "");
  row("a cubin", gap + one + gap, "? 0xd+" + n1);
  row("a fatbin", gap + many + gap, "? 0xd+" + n2);
  row("back to back", one + many + one,
      "? 0x0+" + n1 + "; ? " + hexText(one.size()) + "+" + n2 + "; ? " + hexText(one.size() + many.size()) + "+" + n1);
  const std::string outer = cuda::fatbin({{.payload = one}, {.payload = one}});
  row("one in another", outer + one,
      "? 0x0+" + std::to_string(outer.size()) + "; ? " + hexText(outer.size()) + "+" + n1);
  std::string other = one;
  other[18] = 62;
  row("another machine", other, "");
  row("big endian", one.substr(0, 5) + "\x02" + one.substr(6), "");
  // Wrong lengths: an image longer than the data is not an image, and later ones are found all the same.
  row("sections after the end", patched(one, 40, one.size()) + many, "? " + hexText(one.size()) + "+" + n2);
  row("sections far away", patched(one, 40, UINT64_MAX - 8) + many, "? " + hexText(one.size()) + "+" + n2);
  row("no tables", patched(one, 40, 0).substr(0, 60) + std::string(4, '\0'), "");
  row("fatbin beyond the data", patched(many, 8, many.size() + one.size()) + one,
      "? " + hexText(many.size()) + "+" + n1);
  row("fatbin of any length", patched(many, 8, UINT64_MAX) + one, "? " + hexText(many.size()) + "+" + n1);
  row("empty fatbin", patched(many, 8, 0) + one, "? " + hexText(many.size()) + "+" + n1);
  row("the magic alone", "\x50\xed\x55\xba" + std::string(200, '\0') + one, "? " + hexText(204) + "+" + n1);
  row("entry beyond its container", patched(many, 24, 4096) + one, "? " + hexText(many.size()) + "+" + n1);
  row("cut cubin", one.substr(0, one.size() - 1), "");
  row("cut fatbin", many.substr(0, many.size() - 1), "");
  std::string dense;
  for (int i = 0; i < 50'000; ++i) dense += "\x50\xed\x55\xba\x7f\x45\x4c\x46\x02\x01";
  row("many magic numbers", dense + one, "? " + hexText(dense.size()) + "+" + n1);
  // Search steps end at each MiB.
  for (const uint64_t at : {(1u << 20) - 5, (1u << 20) - 1, 1u << 20})
    row(qPrintable(QStringLiteral("at %1").arg(at)), std::string(at, 'g') + one, "? " + hexText(at) + "+" + n1);
}

void TestNativeFunctions::imagesAreFoundByContent() {
  QFETCH(QByteArray, data);
  QFETCH(QString, text);
  for (const bool sections : {true, false}) {
    ElfBuilder elf;
    elf.sectionHeaders = sections;
    elf.data("a", data.toStdString()).function("__tvm_ffi_f");
    QCOMPARE(QString::fromStdString(imagesText(*opened(elf.build()), elf.dataOffset())), text);
  }
}

/// An image in a module of a blob is shown with that module.
void TestNativeFunctions::imagesInBlobsAreNotListed() {
  const std::string blob =
      withHeader(ffiBlob({{"cuda", code3("cubin", {{.key = "k"}}, cubin(), Info::Three)}}, {{}}).substr(8));
  ElfBuilder elf;
  elf.data("front", fatbin()).data("__tvm_ffi__library_bin", blob).data("behind", fatbin());
  const library::PackagePtr package = opened(elf.build());
  QCOMPARE(package->blobs.size(), std::size_t{1});
  const std::string size = "+" + std::to_string(fatbin().size());
  QCOMPARE(imagesText(*package, elf.dataOffset()),
           "? 0x0" + size + "; ? " + hexText(elf.offsetOf("behind") - elf.dataOffset()) + size);
}

/// Writable or not; overlapping sections are searched once, code and what is not loaded not at all.
void TestNativeFunctions::dataIsSearchedOnce() {
  const std::string many = fatbin();
  auto package = std::make_shared<library::Package>();
  package->bytes = bytes(std::string(16, '\0') + many + many);
  package->image.file = package->bytes;
  const Extent all{16, 2 * many.size()};
  const auto section = [&](std::string_view name, bool writable, bool executable = false, bool allocated = true) {
    return container::Section{.name = name,
                              .address = 0x1000,
                              .file = all,
                              .size = all.size,
                              .type = {},
                              .allocated = allocated,
                              .writable = writable,
                              .executable = executable};
  };
  package->image.sections = {section(".text", false, true), section(".comment", false, false, false)};
  QCOMPARE(imagesText(*package, 16), std::string());
  const std::string size = "+" + std::to_string(many.size()), data = size + " in .data",
                    device = size + " in .nv_fatbin";
  package->image.sections = {section(".data", true)};
  QCOMPARE(imagesText(*package, 16), "? 0x0" + data + "; ? " + hexText(many.size()) + data);
  package->image.sections = {section(".nv_fatbin", true), section(".nv_fatbin", true, false, false)};
  QCOMPARE(imagesText(*package, 16), "? 0x0" + device + "; ? " + hexText(many.size()) + device);
  package->image.sections[0].file = {16, UINT64_MAX}; // outside the file: not read
  QCOMPARE(imagesText(*package, 16), "? 0x0" + device + "; ? " + hexText(many.size()) + device);
}

void TestNativeFunctions::factsComeFromUndefinedSymbols() {
  using Rows = std::vector<std::vector<std::string>>;
  ElfBuilder elf;
  elf.undefined("TVMFFITypeGetOrAllocIndex")
      .undefined("TVMFFITypeRegisterField")
      .undefined("TVMFFIFunctionSetGlobalFromMethodInfo");
  library::PackagePtr package = opened(elf.build());
  Rows rows;
  addNativeFacts(*package, rows);
  QVERIFY((rows == Rows{{"registers",
                         "classes, fields, global functions, when it is loaded; only its code knows which ones; the "
                         "page 'Registered names' has the texts that may be names"}}));

  const std::string file = withGetter(lea(1) + "\xc3", std::string("\n  Adds. \nMore.\0", 16));
  package = opened(file);
  rows.clear();
  addNativeFacts(*package, rows);
  QVERIFY(rows.empty());
  view::PageList pages;
  for (uint32_t i = 0; i < package->image.symbols.size() + 2; ++i) addFunctionFacts(*package, i, rows, pages);
  QVERIFY((rows == Rows{{"documentation", "Adds."}}));
  QCOMPARE(pages.size(), std::size_t{1});
  QCOMPARE(pages[0].name, std::string("Documentation"));
  QCOMPARE(std::get<view::TextPage>(pages[0].content).text.view(), std::string_view("\n  Adds. \nMore."));

  ElfBuilder both;
  both.function("__tvm_ffi_f").function("__tvm_ffi__metadata_f").function("__tvm_ffi_g");
  package = opened(both.build());
  rows.clear();
  addNativeFacts(*package, rows);
  addFunctionFacts(*package, nativeFunctions(*package)[0].symbol, rows, pages);
  addFunctionFacts(*package, nativeFunctions(*package)[1].symbol, rows, pages);
  QVERIFY((rows ==
           Rows{{"signatures", "metadata of 1 of 2 functions; Run → Read signatures… runs the code that returns it"},
                {"metadata", "present; Run → Read signatures… runs the code that returns it"}}));
}

/// Every row leads to existing bytes or an existing node.
void TestNativeFunctions::everyRowLeadsToBytesOrANode() {
  ElfBuilder elf;
  elf.function("__tvm_ffi_f").function("__tvm_ffi__metadata_f").data("a", fatbin());
  elf.symbol("_binary_embedded_p!\n_cubin_size", 77, 0, kGlobalObject, kAbsolute);
  const library::PackagePtr package = opened(elf.build());
  view::PageList pages;
  addNativePages(package, pages);
  QCOMPARE(pages.size(), std::size_t{1});
  const std::string size = std::to_string(fatbin().size()), place = hexText(elf.dataOffset());
  QCOMPARE(
      tableText(pages[0]),
      "Embedded images:\n– | " + place + " in .rodata | " + size + " | fatbin, cubin sm_89 | loaded by host code -> @" +
          place + "+" + size +
          "\np!\\n | not found: only its size is recorded | 77 | – | – -> symbol:_binary_embedded_p%21%0A_cubin_size");
  NullMonitor monitor;
  for (const view::Page& page : pages) {
    QCOMPARE(view::pageKind(page), std::string_view("table"));
    const auto made = view::resolvePage(page, monitor);
    QVERIFY(made.hasValue());
    const auto& table = *std::get<view::TablePage>(made->content).source;
    for (uint64_t row = 0; row < table.rowCount(); ++row) {
      const Ref ref = table.target(row, {}).value();
      QVERIFY2(Ref::parse(ref.toString()) == ref, ref.toString().c_str());
      QVERIFY2(findNode(*package, ref).hasValue(), ref.toString().c_str());
    }
  }
}

void TestNativeFunctions::searchCanBeCancelled() {
  ElfBuilder elf;
  elf.function("__tvm_ffi_f").function("__tvm_ffi__doc_f").data("a", fatbin());
  const library::PackagePtr package = opened(elf.build());
  auto functions = nativeFunctions(*package);
  for (const int looks : {0, 1}) {
    StopAfter images(looks);
    const auto found = computeDeviceImages(*package, images);
    QVERIFY(!found && found.error().code() == ErrorCode::Cancelled);
  }
  StopAfter docs(0);
  const auto done = computeDocs(*package, functions, docs);
  QVERIFY(!done && done.error().code() == ErrorCode::Cancelled);
  StopAfter pages(0);
  view::PageList list;
  addNativePages(package, list, pages);
  QVERIFY(list.empty());
}

/// Arbitrary bytes: the work is limited, and nothing outside the bytes is read.
void TestNativeFunctions::mutationsAreSafeUnderSanitizers() {
  ElfBuilder elf;
  elf.function("__tvm_ffi_f")
      .function("__tvm_ffi__doc_f")
      .data("__tvm_ffi__cubin_a", fatbin())
      .data("__tvm_ffi__cubin_a_end", cubin());
  elf.symbol("_binary_embedded_a_cubin_size", 77, 0, kGlobalObject, kAbsolute);
  const std::string good = elf.build();
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::string file = good;
    if (i % 4 == 0) file.resize(random() % file.size());
    for (int k = 0; !file.empty() && k < i % 6; ++k) file[random() % file.size()] = static_cast<char>(random());
    const auto package = openBytes(file);
    if (!package) continue;
    view::PageList pages;
    addNativePages(*package, pages);
    for (const view::Page& page : pages) tableText(page);
    std::vector<std::vector<std::string>> rows;
    addNativeFacts(**package, rows);
    for (uint32_t s = 0; s < (*package)->image.symbols.size(); ++s) addFunctionFacts(**package, s, rows, pages);
  }
}

// Values: core/formats/blob.md 11.1 and the notes of the corpus; names and sizes also from `nm -D -S`.

void TestNativeFunctions::imagesInTheCorpusAreFound() {
  const QString path = corpusFile("ffi-cubin.so");
  if (!QFile::exists(path)) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + path));
  NullMonitor monitor;
  const auto package = library::open(std::filesystem::path(path.toStdString()), monitor);
  QVERIFY(package.hasValue());
  QCOMPARE(functionsText(**package), std::string("scale doc metadata; scale_many metadata"));
  view::PageList pages;
  addNativePages(*package, pages);
  QCOMPARE(pages.size(), std::size_t{1});
  QCOMPARE(tableText(pages[0]),
           std::string(
               "Embedded images:\n"
               "one | 0xb000 in .rodata | 6192 | cubin sm_90 | loaded by host code -> @0xb000+6192\n"
               "many | 0xc830 in .rodata | 12128 | fatbin, cubin sm_80, ptx sm_90, cubin sm_90 | loaded by host code "
               "-> @0xc830+12128"));
  QCOMPARE(registrationWords(**package), std::string());
}

void TestNativeFunctions::functionsInTheCorpusAreFound() {
  const QString path = corpusFile("ffi-signatures.so");
  if (!QFile::exists(path)) QSKIP(qPrintable(QStringLiteral("corpus absent: ") + path));
  NullMonitor monitor;
  const auto package = library::open(std::filesystem::path(path.toStdString()), monitor);
  QVERIFY(package.hasValue());
  auto functions = nativeFunctions(**package);
  QCOMPARE(functions.size(), std::size_t{23});
  QVERIFY(std::all_of(functions.begin(), functions.end(),
                      [](const library::NativeFunction& function) { return function.hasMetadata; }));
  QVERIFY(std::any_of(functions.begin(), functions.end(),
                      [](const library::NativeFunction& function) { return function.name == "_hidden"; }));
  QCOMPARE(std::count_if(functions.begin(), functions.end(),
                         [](const library::NativeFunction& function) { return function.hasDoc(); }),
           5);
  QCOMPARE(registrationWords(**package),
           std::string("classes, fields, methods, metadata of classes, attributes of classes, global functions"));
#ifdef BLOBSCOPE_DISASM
  syntax::setDisassemblerFactory(disasm::makeDisassembler);
  QVERIFY(computeDocs(**package, functions, monitor).hasValue());
  std::map<std::string, std::string> docs;
  for (const library::NativeFunction& function : functions)
    if (function.doc) docs[std::string(function.name)] = std::string(function.doc->view());
  const std::map<std::string, std::string> expected = {
      {"add", "Add two integers."},
      {"axpb", "Compute a * x + b.\n\nParameters\n----------\na, x, b : float\n"
               "    The \"three\" numbers; a backslash \\ and a tab\ttoo. Gr\xc3\xbc\xc3\x9f"
               "e."},
      {"hello", "hi"},
      {"nothing", ""},
      {"scale", "y = a * x, both float32 on the CPU and of one size."}};
  QVERIFY(docs == expected);
#endif
}

BLOBSCOPE_TEST(TestNativeFunctions);
#include "test_native.moc"
