#include "core/preflight/folder.h"
#include "core/preflight/preflight.h"
#include "core/targets/device.h"
#include "core/targets/facts.h"
#include "tests/core/preflight/fake_runtime.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::preflight;
using namespace std::string_literals;
using blobscope::requirements::DeviceCode;
using blobscope::requirements::HostImage;
using blobscope::requirements::ImageUse;
using blobscope::requirements::Requirements;
using blobscope::test::FakeRuntime;
using Loaded = library::DeviceImage::Loaded;

namespace {

/// A library of tvm-ffi with device images and functions that need them.
class Library {
public:
  Library() {
    needs.path = "kernels.so";
    needs.extension = "so";
    needs.ofTvm = true;
    needs.format = "elf";
    needs.kind = "shared";
    needs.architecture = "x86_64";
    needs.hostAbi = "ffi5";
  }
  /// Adds an image with one entry per target: "sm_80", "ptx 9.0 sm_90".
  uint32_t image(const std::string& name, Loaded loaded, const std::vector<std::string>& targets,
                 const std::vector<std::string>& kernels) {
    const auto number = static_cast<uint32_t>(needs.images.size());
    HostImage image;
    image.ref = Ref::bytesAt(0x1000 * (number + 1), 16);
    image.title = "image '" + name + "'";
    image.named = true;
    image.loaded = loaded;
    needs.images.push_back(image);
    for (const std::string& target : targets) {
      DeviceCode code;
      const bool ptx = target.starts_with("ptx ");
      code.kind = target.starts_with("gfx")   ? DeviceCode::Kind::HsaCo
                  : ptx                       ? DeviceCode::Kind::Ptx
                  : target.starts_with("lto") ? DeviceCode::Kind::LtoIr
                                              : DeviceCode::Kind::Cubin;
      code.moduleKey = target.starts_with("gfx") ? "hip" : "cuda";
      code.target = ptx ? target.substr(8) : target.starts_with("lto ") ? target.substr(4) : target;
      if (ptx) code.version = static_cast<uint32_t>(10 * (target[4] - '0') + (target[6] - '0'));
      code.ref = image.ref;
      code.image = number;
      code.kernels = kernels;
      code.kernelsKnown = true;
      needs.code.push_back(code);
    }
    return number;
  }
  void function(const std::string& name, const std::vector<uint32_t>& images,
                const std::vector<std::string>& kernels = {}) {
    const auto number = static_cast<uint32_t>(needs.imageFunctions.size());
    needs.imageFunctions.push_back(name);
    for (const uint32_t one : images) needs.imageUses.push_back({number, one, {}, 0});
    for (const std::string& kernel : kernels) needs.imageUses.push_back({number, std::nullopt, kernel, 0});
  }
  Outcome on(const char* name) const {
    const auto facts = targets::Facts::load();
    if (!facts) qFatal("no tables");
    const auto device = targets::parseDevice(*facts, name);
    if (!device) qFatal("%s", device.error().message().c_str());
    return judge(needs, FakeRuntime(), &*device);
  }

  Requirements needs;
};

/// "PRE-IMAGE missing [add]: …", one line per item of step 9.
std::string text(const Outcome& outcome) {
  std::string out;
  for (const Missing& item : outcome.missing) {
    if (item.step != Step::Kernels) continue;
    out += std::string(check::row(item.rule).id) + (item.certain ? " missing [" : " not known [");
    for (const std::string& one : item.affected) out += (&one == &item.affected.front() ? "" : " ") + one;
    out += "]: " + item.sentence + "\n";
  }
  return out;
}

std::string summary(const Outcome& outcome) { return outcome.at(Step::Kernels).summary; }

} // namespace

/// Device code outside of blobs: which functions run on a GPU.
class TestDeviceCode : public QObject {
  Q_OBJECT
private Q_SLOTS:
  /// One image per GPU, loaded by one function each: the file fits both GPUs.
  void oneImagePerFunction() {
    Library library;
    const uint32_t a = library.image("a", Loaded::ByCode, {"sm_100a"}, {"k"});
    const uint32_t b = library.image("b", Loaded::ByCode, {"sm_103a"}, {"k"});
    library.function("fwd_sm100a", {a});
    library.function("fwd_sm103a", {b});
    const Outcome one = library.on("sm_100");
    QVERIFY(one.verdict == Verdict::Loads && one.step == Step::Kernels);
    QCOMPARE(text(one),
             "PRE-IMAGE missing [fwd_sm103a]: image 'b' has no code for sm_100, only for sm_103a; fwd_sm103a "
             "needs it, so 1 of 2 functions runs on sm_100\n"s);
    QVERIFY(summary(one).starts_with("1 of 2 functions runs on sm_100"));
    QCOMPARE(one.missing[0].printed, "CUDA_ERROR_NO_BINARY_FOR_GPU"s);
    QCOMPARE(one.missing[0].ref->toString(), "@0x2000+16"s);
    QCOMPARE(one.missing[0].name, "image 'b'"s);
    QVERIFY(text(library.on("sm_90")).find("so none of 2 functions runs on sm_90") != std::string::npos);
  }

  /// A function that loads several images with the same kernels chooses the one that fits.
  void functionsChooseAmongEqualImages() {
    Library library;
    const uint32_t a = library.image("a", Loaded::ByCode, {"sm_80"}, {"k"});
    const uint32_t b = library.image("b", Loaded::ByCode, {"sm_90"}, {"k", "more"});
    library.function("fwd", {a, b});
    QCOMPARE(text(library.on("sm_90")), ""s);
    // The other way round a kernel is left.
    QCOMPARE(text(library.on("sm_80")),
             "PRE-IMAGE not known [fwd]: image 'b' has no code for sm_80, only for sm_90; fwd "
             "also uses code for this GPU, so it is not known whether it is needed there\n"s);
  }

  void imagesWithoutKnownUsers() {
    Library library;
    library.image("a", Loaded::ByCode, {"sm_80"}, {"a"});
    library.image("b", Loaded::ByCode, {"sm_90"}, {"b"});
    library.image("tables", Loaded::ByCode, {"sm_75"}, {}); // no kernels
    library.needs.imageFunctions = {"one", "two"};
    QCOMPARE(text(library.on("sm_90")),
             "PRE-IMAGE not known []: image 'a' has no code for sm_90, only for sm_80; which "
             "functions use it is not known\n"s);
    // Nothing runs, whoever uses it.
    QCOMPARE(text(library.on("sm_70")), "PRE-IMAGE missing []: image 'a' has no code for sm_70, only for sm_80\n"
                                        "PRE-IMAGE missing []: image 'b' has no code for sm_70, only for sm_90\n"s);
    // The same kernel for another GPU beside it.
    library.image("a90", Loaded::ByCode, {"sm_90"}, {"a"});
    QCOMPARE(text(library.on("sm_90")), ""s);
  }

  void onlyFunctionNeedsTheOnlyImage() {
    Library library;
    library.image("a", Loaded::ByCode, {"sm_80"}, {"a"});
    library.needs.imageFunctions = {"one"};
    QCOMPARE(text(library.on("sm_90")),
             "PRE-IMAGE missing [one]: image 'a' has no code for sm_90, only for sm_80; one needs it\n"s);
  }

  /// Kernels that are registered: the driver takes the entry that fits, of any image with the kernel.
  void registeredKernels() {
    Library library;
    library.image("a", Loaded::StartUp, {"sm_80"}, {"add", "mul"});
    library.image("b", Loaded::StartUp, {"ptx 8.0 sm_90"}, {"add"});
    library.function("add", {}, {"add"});
    library.function("mul", {}, {"mul"});
    library.function("both", {}, {"add", "mul"});
    const Outcome outcome = library.on("sm_90");
    QCOMPARE(text(outcome),
             "PRE-IMAGE missing [mul]: image 'a' has no code for sm_90, only for sm_80; mul needs it, so 1 "
             "of 3 functions cannot run on sm_90\n"
             "PRE-IMAGE not known [both]: image 'a' has no code for sm_90, only for sm_80; both also uses "
             "code for this GPU, so it is not known whether it is needed there\n"s);
    QCOMPARE(outcome.missing[0].printed, "no kernel image is available for execution on the device"s);
    QCOMPARE(text(library.on("sm_86")), ""s);
  }

  void relocatableCodeOfALinkerIsNotNeeded() {
    Library library;
    library.image("a", Loaded::Never, {"sm_80"}, {"a"});
    library.image("b", Loaded::StartUp, {"sm_90"}, {"b"});
    QCOMPARE(text(library.on("sm_90")), ""s);
  }

  void manyImagesAreNamedOnce() {
    Library library;
    for (int i = 0; i < 9; ++i) library.image(std::to_string(i), Loaded::ByCode, {"sm_80"}, {"k" + std::to_string(i)});
    library.image("good", Loaded::ByCode, {"sm_90"}, {"g"});
    QCOMPARE(text(library.on("sm_90")),
             "PRE-IMAGE not known []: image '0', image '1', image '2' and 6 more have no code "
             "for sm_90, only for sm_80; which functions use them is not known\n"s);
    for (HostImage& image : library.needs.images) image.named = false;
    QVERIFY(text(library.on("sm_90")).find("9 images (such as image '0') have no code") != std::string::npos);
  }

  void driversOfImages() {
    Library library;
    const uint32_t a = library.image("a", Loaded::ByCode, {"sm_80", "ptx 9.0 sm_90"}, {"k"});
    library.function("run", {a});
    QCOMPARE(text(library.on("sm_90,driver=580")), ""s);
    const Outcome old = library.on("sm_90,driver=550");
    QCOMPARE(text(old),
             "PRE-DRIVER missing [run]: driver 550 is too old for PTX 9.0 for sm_90 of image 'a'; driver 580 or "
             "later is needed; run needs it\n"s);
    QCOMPARE(old.missing[0].printed, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"s);
    // A driver that does not know the GPU is said once, without images.
    QCOMPARE(text(library.on("sm_90,driver=470")),
             "PRE-DRIVER missing []: driver 470 does not support sm_90; the first one that does is driver 520\n"s);
    Library lto;
    lto.image("l", Loaded::ByCode, {"lto sm_80"}, {"k"});
    QCOMPARE(text(lto.on("sm_90")),
             "PRE-IMAGE not known []: image 'l' has code for LTO-IR for sm_80; whether sm_90 runs it "
             "depends on the driver\n"s);
  }

  /// The runtime of CUDA and functions of the driver that the file requests from the system.
  void driversOfLibraries_data() {
    QTest::addColumn<QString>("library");
    QTest::addColumn<QString>("symbol");
    QTest::addColumn<QString>("words");
    QTest::newRow("CUDA 13") << "libcudart.so.13" << "" << "driver 530 is too old for libcudart.so.13; driver 580";
    QTest::newRow("CUDA 12") << "libcudart.so.12" << "" << "";
    QTest::newRow("CUDA 11, Windows") << "cudart64_110.dll" << "" << "";
    QTest::newRow("CUDA 13, Windows") << "cudart64_13.dll" << ""
                                      << "driver 530 is too old for cudart64_13.dll; driver 580";
    QTest::newRow("no version") << "libcudart.so" << "" << "";
    QTest::newRow("CUDA of the future") << "libcudart.so.99" << "" << "";
    QTest::newRow("new function") << "" << "cuMulticastCreate" << "";
    QTest::newRow("old function") << "" << "cuLaunchKernel" << "";
  }
  void driversOfLibraries() {
    QFETCH(QString, library);
    QFETCH(QString, symbol);
    QFETCH(QString, words);
    Library one; // without device code
    if (!library.isEmpty()) one.needs.libraries = {library.toStdString()};
    if (!symbol.isEmpty()) {
      one.needs.symbols.emplace_back();
      one.needs.symbols[0].name = symbol.toStdString();
    }
    const QString said = QString::fromStdString(text(one.on("sm_90,driver=530")));
    QVERIFY2(words.isEmpty() ? said.isEmpty() : said.contains(words), qPrintable(said));
    QCOMPARE(text(one.on("sm_90")), ""s);
    if (symbol == QLatin1String("cuMulticastCreate"))
      QVERIFY(QString::fromStdString(text(one.on("sm_90,driver=525")))
                  .contains("driver 525 is too old for cuMulticastCreate of libcuda; driver 530"));
  }

  void targetsOfAmdGpus_data() {
    QTest::addColumn<QString>("device");
    QTest::addColumn<QStringList>("images");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* device, const QStringList& images, const char* words) {
      QTest::addRow("%s: %s", device, qPrintable(images.join(' '))) << device << images << words;
    };
    row("gfx942", {"gfx90a", "gfx1030"},
        "missing [run]: image 'a' has no code for gfx942, only for gfx90a and gfx1030");
    row("gfx90a", {"gfx1030", "gfx90a"}, "");
    row("gfx90a", {"gfx90a:xnack-"}, "not known [run]: image 'a' has code for gfx90a:xnack-; whether gfx90a runs it");
    row("gfx90a:xnack-", {"gfx90a:xnack-"}, "");
    row("gfx90a:xnack+", {"gfx90a:xnack-"}, "missing [run]: image 'a' has no code for gfx90a");
    row("gfx90a:xnack+", {"gfx90a:xnack-", "gfx90a:xnack+"}, "");
    row("gfx90a:xnack-:sramecc+", {"gfx90a:sramecc+:xnack-"}, "");
    row("gfx1101", {"gfx11-generic"}, "");
    row("gfx1030", {"gfx11-generic"}, "missing [run]");
  }
  void targetsOfAmdGpus() {
    QFETCH(QString, device);
    QFETCH(QStringList, images);
    QFETCH(QString, words);
    Library library;
    std::vector<std::string> targets;
    for (const QString& one : images) targets.push_back(one.toStdString());
    library.function("run", {library.image("a", Loaded::StartUp, targets, {"k"})});
    library.needs.imageUses = {{0, std::nullopt, "k", 0}};
    const QString said = QString::fromStdString(text(library.on(qPrintable(device))));
    QVERIFY2(words.isEmpty() ? said.isEmpty() : said.startsWith("PRE-IMAGE " + words), qPrintable(said));
  }

  /// A GPU counts for the table of GPUs when some functions have code for it.
  void tableOfGpus() {
    const auto facts = targets::Facts::load();
    QVERIFY(facts);
    Library library;
    library.image("a", Loaded::ByCode, {"sm_80"}, {"a"});
    library.image("b", Loaded::ByCode, {"sm_90", "sm_80"}, {"b"});
    for (const GpuRow& row : gpuRows(library.needs.code, *facts)) {
      if (row.gpu->name == "sm_80") QVERIFY(row.runs == GpuRow::Runs::Natively && !row.partly);
      if (row.gpu->name == "sm_90") QVERIFY(row.runs == GpuRow::Runs::Natively && row.partly);
      if (row.gpu->name == "sm_75") QVERIFY(row.runs == GpuRow::Runs::No);
    }
  }

  /// Loaders for Metal and WebGPU are in no build with those for CUDA.
  void noBuildHasEverything_data() {
    QTest::addColumn<QString>("format");
    QTest::addColumn<QStringList>("modules");
    QTest::addColumn<QString>("flags");
    const auto row = [](const char* format, const QStringList& modules, const char* flags) {
      QTest::addRow("%s: %s", format, qPrintable(modules.join(' '))) << format << modules << flags;
    };
    row("elf", {"cuda", "opencl"}, "cuda,opencl");
    row("elf", {"cuda", "metal", "opencl", "webgpu"}, "cuda,opencl");
    row("elf", {"metal"}, "");
    row("macho", {"metal", "opencl"}, "metal,opencl");
    row("macho", {"cuda", "metal"}, "metal");
    row("tar", {"metal"}, "metal");
    row("tar", {"webgpu"}, "webgpu");
    row("tar", {"webgpu", "cuda", "opencl"}, "cuda,opencl");
    row("wasm", {"opencl", "webgpu"}, "opencl,webgpu");
  }
  void noBuildHasEverything() {
    QFETCH(QString, format);
    QFETCH(QStringList, modules);
    QFETCH(QString, flags);
    const auto facts = targets::Facts::load();
    QVERIFY(facts);
    Requirements needs;
    needs.format = format.toStdString();
    for (const QString& module : modules) {
      needs.modules.emplace_back();
      needs.modules.back().key = module.toStdString();
    }
    const auto targets = releaseTargets(needs, *facts);
    QVERIFY(targets);
    QString got;
    for (const std::string& flag : targets->front().runtime->flags())
      got += (got.isEmpty() ? "" : ",") + QString::fromStdString(flag);
    QCOMPARE(got, flags);
  }
};

BLOBSCOPE_TEST(TestDeviceCode);
#include "test_device_code.moc"
