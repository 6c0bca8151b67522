#include "core/library/device_images.h"

#include "core/base/text.h"
#include "tests/core/base/compare.h"
#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <random>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using container::Symbol;
using container::SymbolType;
using library::DeviceImage;

namespace {

/// The address of the first byte of a made file.
constexpr uint64_t kBase = 0x10000;

/// A file of sections one after the other, without a format: what the reader of a container would give.
class Made {
public:
  uint64_t section(std::string_view name, const std::string& content, bool executable = false) {
    m_bytes.resize((m_bytes.size() + 15) / 16 * 16, '\0');
    const uint64_t at = m_bytes.size();
    m_bytes += content;
    m_sections.push_back({.name = name,
                          .address = kBase + at,
                          .file = {at, content.size()},
                          .size = content.size(),
                          .type = "PROGBITS",
                          .allocated = true,
                          .writable = name.starts_with(".data"),
                          .executable = executable});
    return at;
  }
  void symbol(std::string_view name, uint64_t offset, uint64_t size = 0, SymbolType type = SymbolType::Object) {
    Symbol symbol;
    symbol.name = name;
    symbol.value = kBase + offset;
    symbol.size = size;
    symbol.type = type;
    symbol.defined = true;
    m_symbols.push_back(symbol);
  }
  /// `place`: the number of its section.
  void symbolInSection(std::string_view name, uint32_t place, uint64_t offset) {
    symbol(name, offset);
    m_symbols.back().value = offset;
    m_symbols.back().section = place;
  }
  std::shared_ptr<library::Package> open(container::Kind kind = container::Kind::Shared) const {
    auto package = std::make_shared<library::Package>();
    package->bytes = bytes(m_bytes);
    package->image.file = package->bytes;
    package->image.kind = kind;
    package->image.format = container::Format::Pe; // no table of relocations
    package->image.sections = m_sections;
    if (kind != container::Kind::Object) package->image.segments = {{kBase, m_bytes.size(), {0, m_bytes.size()}}};
    package->image.symbols = m_symbols;
    package->host.groups.resize(m_symbols.size(), host::Group::Other);
    for (std::size_t i = 0; i < m_symbols.size(); ++i)
      if (m_symbols[i].name.starts_with("__tvm_ffi__cubin_")) package->host.groups[i] = host::Group::Image;
    return package;
  }

private:
  std::string m_bytes = std::string(64, '\0');
  std::vector<container::Section> m_sections;
  std::vector<Symbol> m_symbols;
};

/// A registration record: 24 bytes.
std::string record(uint64_t address, uint32_t version = 1, uint32_t magic = 0x466243B1) {
  return ByteBuilder().u32(magic).u32(version).u64(address).u64(0).take();
}
constexpr uint32_t kHip = 0x48495046;

library::DeviceImages imagesOf(const library::Package& package) {
  NullMonitor monitor;
  auto images = computeDeviceImages(package, monitor);
  if (!images) qFatal("%s", images.error().message().c_str());
  return std::move(*images);
}

/// "fatbin .nv_fatbin start-up [cubin sm_89] fatbinData", one line each.
std::string text(const library::DeviceImages& images) {
  std::string out;
  for (const DeviceImage& image : images) {
    out += std::string(image.kindName()) + " " + std::string(image.section) + " " + std::string(image.loadedName());
    if (image.relocatable) out += " relocatable";
    out += " [";
    for (const library::ImageEntry& entry : image.entries)
      out += (&entry == &image.entries.front() ? "" : ", ") + entry.kind + (entry.arch.empty() ? "" : " ") + entry.arch;
    out += "] " + std::string(image.symbol) + "\n";
  }
  return out;
}

std::string cubin(uint32_t sm = 89, const std::string& kernel = "k") { return cuda::cubin(sm, {cuda::kernel(kernel)}); }
std::string fatbin(uint32_t sm = 89) { return cuda::fatbin({cuda::image(sm, cubin(sm))}); }
const std::string kPtx = "// Compiler\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry add()\n"
                         ".reqntid 64, 2\n{\nret;\n}\n";
std::string bundle() {
  return bundle_builder::plain({{"host-x86_64-unknown-linux-gnu-", ""},
                                {"hipv4-amdgcn-amd-amdhsa--gfx1030", hsaco_builder::whole()},
                                {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", hsaco_builder::whole()}});
}

} // namespace

class TestDeviceImages : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void allKindsAreFoundInAllData() {
    Made file;
    file.section(".text", fatbin(), true); // code is not searched
    file.section(".rodata", "x" + fatbin() + "yy" + cubin(80) + "z");
    file.section(".data", kPtx + "\0"s + hsaco_builder::whole());
    file.section(".lrodata", bundle());
    QCOMPARE(text(imagesOf(*file.open())),
             "fatbin .rodata by-code [cubin sm_89] \n"
             "cubin .rodata by-code [cubin sm_80] \n"
             "ptx .data by-code [ptx sm_80] \n"
             "code-object .data by-code [code-object gfx90a:xnack-] \n"
             "bundle .lrodata by-code [code-object gfx1030, code-object gfx90a:xnack-] \n"s);
  }

  void recordsSayWhatIsRegistered() {
    Made file;
    const uint64_t first = file.section(".nv_fatbin", fatbin(80));
    file.section(".rodata", fatbin(90));
    const uint64_t amd = file.section(".hip_fatbin", bundle());
    const uint64_t records = file.section(".data", record(kBase + first) + record(kBase + amd, 1, kHip));
    file.symbol("fatbinData", first, 0, SymbolType::None);
    file.symbol("__hip_fatbin_wrapper", records + 24, 24);
    QCOMPARE(text(imagesOf(*file.open())), "fatbin .nv_fatbin start-up [cubin sm_80] fatbinData\n"
                                           "fatbin .rodata by-code [cubin sm_90] \n"
                                           "bundle .hip_fatbin start-up [code-object gfx1030, code-object "
                                           "gfx90a:xnack-] __hip_fatbin_wrapper\n"s);
  }

  /// What device code was linked from is registered with the linked code, and is only for a linker without it.
  void relocatableCode() {
    for (const bool linked : {false, true}) {
      Made file;
      const uint64_t whole = file.section(".nv_fatbin", fatbin(80));
      const uint64_t part = file.section("__nv_relfatbin", fatbin(90));
      file.section(".nvFatBinSegment", record(kBase + whole, linked ? 2 : 1) + record(kBase + part));
      QCOMPARE(text(imagesOf(*file.open())), "fatbin .nv_fatbin start-up [cubin sm_80] \nfatbin __nv_relfatbin "s +
                                                 (linked ? "start-up" : "never") + " relocatable [cubin sm_90] \n");
    }
  }

  /// The pointers of an object file are relocations; the names of its sections say what they are for.
  void objectFiles() {
    Made file;
    file.section(".nv_fatbin", fatbin(80));
    file.section(".lrodata", "12345678" + fatbin(90));
    file.section(".nvFatBinSegment", record(0));
    file.symbolInSection("kernels_binary", 1, 8);
    file.symbolInSection("other", 0, 8);
    QCOMPARE(text(imagesOf(*file.open(container::Kind::Object))),
             "fatbin .nv_fatbin start-up [cubin sm_80] \nfatbin .lrodata by-code [cubin sm_90] kernels_binary\n"s);
  }

  void symbolsNameImages() {
    Made file;
    const std::string image = fatbin();
    const uint64_t at = file.section(".data", image + image + image + "padding.");
    const uint64_t size = image.size();
    file.symbol("$d", at, 0, SymbolType::None);
    file.symbol("code", at, 8, SymbolType::Function);
    file.symbol("first", at, 0, SymbolType::None);
    file.symbol("first_object", at, size);
    file.symbol("first_end", at + size, 0, SymbolType::None);
    file.symbol("second", at + size, 0, SymbolType::None);
    file.symbol("around", at + 2 * size - 8, size);
    library::DeviceImages images = imagesOf(*file.open());
    QCOMPARE(images.size(), std::size_t{3});
    QCOMPARE(std::string(images[0].symbol), "first_object"s);
    QCOMPARE(std::string(images[1].symbol), "second"s);
    QCOMPARE(std::string(images[2].symbol), "around"s);
    QCOMPARE(images[0].title(), "the image at " + hexText(at) + " in .data");
  }

  /// `ld -r -b binary`: any file can be in the data, so only device code counts.
  void filesThatTheLinkerAdded() {
    Made file;
    const std::string image = cubin();
    const uint64_t at = file.section(".data", image + "text of any file");
    file.symbol("_binary_k_cubin_start", at, 0, SymbolType::None);
    file.symbol("_binary_k_cubin_end", at + image.size(), 0, SymbolType::None);
    file.symbol("_binary_a_txt_start", at + image.size(), 0, SymbolType::None);
    file.symbol("_binary_a_txt_end", at + image.size() + 16, 0, SymbolType::None);
    const library::DeviceImages images = imagesOf(*file.open());
    QCOMPARE(text(images), "cubin .data by-code [cubin sm_89] _binary_k_cubin_start\n"s);
    QCOMPARE(images[0].title(), "image 'k_cubin'"s);
  }

  void sizesAreThoseOfTheEntries() {
    Made file;
    file.section(".rodata", cuda::fatbin({cuda::image(80, cubin(80)), cuda::image(90, kPtx, 1)}));
    const DeviceImage image = imagesOf(*file.open())[0];
    QCOMPARE(image.entries.size(), std::size_t{2});
    QCOMPARE(image.entries[0].size, uint64_t{cubin(80).size()});
    QCOMPARE(image.entries[0].extent.offset, uint64_t{80});
    QCOMPARE(image.entries[1].unpacked, (kPtx.size() + 7) / 8 * 8);
    NullMonitor monitor;
    const auto ptx = computeEntry(image, 1, Budget::forFile(1 << 20), monitor);
    QVERIFY(ptx && ptx->view() == kPtx);
  }

  void kernelsAreRead() {
    Made file;
    cuda::CubinKernel kernel = cuda::kernel("add");
    kernel.registers = 40;
    kernel.shared = 512;
    const cuda::Image lto = cuda::image(90, "opaque", 8);
    cuda::Image packed = cuda::image(80, "no stream");
    packed.flags = 0x8011;
    packed.uncompressed = 64;
    file.section(".rodata",
                 cuda::fatbin({cuda::image(80, cuda::cubin(80, {kernel})), cuda::image(80, kPtx, 1), lto, packed}) +
                     bundle());
    const library::DeviceImages images = imagesOf(*file.open());
    QCOMPARE(images.size(), std::size_t{2});
    NullMonitor monitor;
    const auto code = computeCode(images[0], Budget::forFile(1 << 20), monitor);
    QVERIFY(code && code->size() == 4);
    const auto& cubins = (*code)[0].kernels;
    QVERIFY(cubins && cubins->size() == 1 && (*cubins)[0].name == "add" && (*cubins)[0].registers == 40u);
    QCOMPARE((*cubins)[0].sharedBytes.value_or(0), uint64_t{512});
    QVERIFY(!(*code)[0].toolkit.empty());
    const auto& texts = (*code)[1].kernels;
    QVERIFY(texts && texts->size() == 1 && (*texts)[0].threads == uint64_t{128});
    QVERIFY(!(*code)[2].kernels && !(*code)[3].kernels); // LTO-IR; cannot be unpacked
    const auto amd = computeCode(images[1], Budget::forFile(1 << 20), monitor);
    QVERIFY(amd && amd->size() == 2 && (*amd)[1].kernels);
    QCOMPARE((*amd)[1].kernels->at(0).name, "add_kernel"s);
    QCOMPARE((*amd)[1].kernels->at(0).sharedBytes.value_or(0), uint64_t{4096});
    StopAfter stop(0);
    QVERIFY(!computeCode(images[0], Budget::forFile(1 << 20), stop));
  }

  void bytesThatOnlyBeginLikeImages_data() {
    QTest::addColumn<QByteArray>("content");
    const auto row = [](const char* name, const std::string& content) {
      QTest::newRow(name) << QByteArray::fromStdString(content);
    };
    const std::string two = cuda::fatbin({cuda::image(80, "abc"), cuda::image(90, "def")});
    row("second entry too long", patched(two, 16 + 72 + 8, 4096));
    row("entries end too early", patched(two, 16 + 8, 0));
    row("bundle that is cut", bundle().substr(0, 4'096)); // before its first code object
    row("compressed bundle of another version", bundle_builder::packed(4, 1, "stream", 100));
    row("PTX in a sentence", "the directive .target sm_80 needs a .version");
    row("format of PTX", ".version %d.%d\n.target sm_%d\n"s);
    row("PTX without code", ".version 8.0\n.target sm_80\n.address_size 64\n"s);
    row("record of an unknown version", record(kBase, 7));
  }
  void bytesThatOnlyBeginLikeImages() {
    QFETCH(QByteArray, content);
    Made file;
    file.section(".rodata", content.toStdString() + std::string(64, '\0'));
    QCOMPARE(text(imagesOf(*file.open())), ""s);
  }

  /// Beginnings of images without images cost a limited amount of work, whatever they are.
  void crowdedFilesAreLimited() {
    std::string crowd;
    for (int i = 0; i < 40'000; ++i) crowd += ByteBuilder().raw("__CLANG_OFFLOAD_BUNDLE__").u64(4'000).take();
    Made file;
    file.section(".rodata", crowd);
    QCOMPARE(imagesOf(*file.open()).size(), std::size_t{0});
  }

  void lines() {
    Made file;
    const uint64_t at =
        file.section(".nv_fatbin", cuda::fatbin({cuda::image(80, cubin(80)), cuda::image(90, kPtx, 1)}));
    file.section(".rodata", cubin());
    file.section(".data", record(kBase + at));
    file.symbol("fatbinData", at, 0, SymbolType::None);
    const library::DeviceImages images = imagesOf(*file.open());
    QCOMPARE(library::imageLine(images[0], 0), "image:0 fatbinData: fatbin in .nv_fatbin at " + hexText(at) + ", " +
                                                   sizeText(images[0].extent.size) +
                                                   ": cubin sm_80, ptx sm_90; registered at start-up");
    QVERIFY(library::imageLine(images[1], 1).ends_with(": sm_89; loaded by host code"));
    QCOMPARE(library::imagesSummary(images), "2 images, " + sizeText(images[0].extent.size + images[1].extent.size) +
                                                 ": cubin sm_80, sm_89, ptx sm_90");
    QCOMPARE(library::imagesSummary({}), ""s);
    QCOMPARE(library::imageRef(*file.open(), 1).toString(), "image:1"s);
  }

  void mutationsAreSafeUnderSanitizers() {
    Made file;
    const uint64_t at = file.section(".nv_fatbin", fatbin() + cubin());
    file.section(".data", record(kBase + at) + kPtx + "\0"s);
    file.section(".hip_fatbin", bundle());
    const auto good = file.open();
    std::mt19937 random(7);
    NullMonitor monitor;
    for (int i = 0; i < 2'000; ++i) {
      std::string content(good->bytes.view());
      for (int k = 0; k < 1 + i % 6; ++k) content[random() % content.size()] = static_cast<char>(random());
      if (i % 4 == 0) content.resize(random() % content.size());
      const auto package = file.open();
      package->bytes = bytes(content);
      package->image.file = package->bytes;
      for (const DeviceImage& image : imagesOf(*package)) {
        (void)library::imageLine(image, 0);
        (void)computeCode(image, Budget::forFile(content.size()), monitor);
      }
    }
  }
};

BLOBSCOPE_TEST(TestDeviceImages);
#include "test_device_images.moc"
