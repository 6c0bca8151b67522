#include "core/modules/cuda/images.h"

#include "tests/core/base/compare.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;
using cuda::cubin;
using cuda::image;
using cuda::kernel;
using modules::CudaImages;

namespace {

const std::string kPtx = ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry p() { ret; }\n";

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// The cells of a row, separated by " | ".
std::string rowText(const view::TableSource& table, uint64_t row) {
  std::string out;
  for (std::size_t i = 0; i < table.columns().size(); ++i) out += (i > 0 ? " | " : "") + table.cell(row, i);
  return out;
}

} // namespace

class TestCudaImages : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void architecturesRunOnGpus_data() {
    QTest::addColumn<std::string>("machineCode"); // separated by blanks
    QTest::addColumn<std::string>("ptx");
    QTest::addColumn<std::string>("text");
    const auto row = [](const char* name, const char* machineCode, const char* ptx, const std::string& text) {
      QTest::newRow(name) << std::string(machineCode) << std::string(ptx) << text;
    };
    const std::string gpus = "GPUs of compute capability ", noPtx = ", since there is machine code but no PTX",
                      byPtx = ", by PTX that the driver compiles";
    row("nothing", "", "", "");
    row("machine code", "sm_89", "", "only " + gpus + "8.9 and later 8.x" + noPtx);
    row("machine code for exactly one", "sm_90a", "", "only " + gpus + "exactly 9.0" + noPtx);
    row("machine code for a family", "sm_100f", "", "only " + gpus + "10.0 and later 10.x" + noPtx);
    row("PTX", "", "sm_80", gpus + "8.0 and later" + byPtx);
    row("PTX for exactly one", "", "sm_90a", gpus + "exactly 9.0" + byPtx);
    row("PTX for a family", "", "sm_120f", gpus + "12.0 and later 12.x" + byPtx);
    row("both", "sm_80", "sm_90", gpus + "8.0 and later 8.x; 9.0 and later by PTX that the driver compiles");
    row("an architecture twice", "sm_80 sm_80", "", "only " + gpus + "8.0 and later 8.x" + noPtx);
    row("stored order", "sm_90 sm_80", "", "only " + gpus + "9.0 and later 9.x, 8.0 and later 8.x" + noPtx);
    row("eight architectures", "", "sm_50 sm_52 sm_60 sm_61 sm_70 sm_75 sm_80 sm_86",
        gpus +
            "5.0 and later, 5.2 and later, 6.0 and later, 6.1 and later, 7.0 and later, 7.5 and later, "
            "8.0 and later, 8.6 and later" +
            byPtx);
    row("nine architectures", "", "sm_50a sm_52a sm_60a sm_61a sm_70a sm_75a sm_80a sm_86a sm_90a",
        gpus +
            "exactly 5.0, exactly 5.2, exactly 6.0, exactly 6.1, exactly 7.0, exactly 7.5, exactly 8.0, "
            "exactly 8.6 and 1 more" +
            byPtx);
    row("the shortest number", "sm_10", "", "only " + gpus + "1.0 and later 1.x" + noPtx);
    row("the longest number", "sm_9999", "", "only " + gpus + "999.9 and later 999.x" + noPtx);
    row("one digit", "sm_9", "", "");
    row("five digits", "sm_99999", "", "");
    row("no digits", "sm_", "", "");
    row("only a letter", "sm_a", "", "");
    row("another letter", "sm_90b", "", "");
    row("two letters", "sm_90aa", "", "");
    row("a sign", "sm_-90", "", "");
    row("another prefix", "compute_90", "", "");
    row("upper case", "SM_90", "", "");
    row("an unknown one among others", "sm_x sm_80", "sm_y", "only " + gpus + "8.0 and later 8.x" + noPtx);
  }
  void architecturesRunOnGpus() {
    QFETCH(std::string, machineCode);
    QFETCH(std::string, ptx);
    QFETCH(std::string, text);
    QCOMPARE(modules::runsOnText(words(machineCode), words(ptx)), text);
  }

  void imagesAreRead_data() {
    QTest::addColumn<std::string>("code");
    QTest::addColumn<int>("entries");
    QTest::addColumn<std::string>("kernels"); // of each image
    QTest::addColumn<std::string>("runsOn");
    const auto row = [](const char* name, const std::string& code, int entries, const char* kernels,
                        const char* runsOn) {
      QTest::newRow(name) << code << entries << std::string(kernels) << std::string(runsOn);
    };
    const std::string one = cubin(89, {kernel("a"), kernel("b")}), other = cubin(90, {kernel("b", 64), kernel("c")});
    const char* const on89 =
        "only GPUs of compute capability 8.9 and later 8.x, since there is machine code but no PTX";
    row("nothing", "", 0, "", "");
    row("text", "hello", 0, "", "");
    row("a cubin", one, 0, "a b;", on89);
    row("PTX", kPtx, 0, "", "GPUs of compute capability exactly 9.0, by PTX that the driver compiles");
    row("a fat binary without images", cuda::fatbin({}), 0, "", "");
    row("a fat binary with a cubin", cuda::fatbin({image(89, one)}), 1, "a b;", on89);
    row("a fat binary with two cubins and PTX", cuda::fatbin({image(89, one), image(90, other), image(75, kPtx, 1)}), 3,
        "a b; b c;",
        "GPUs of compute capability 8.9 and later 8.x, 9.0 and later 9.x; 7.5 and later by PTX that the driver "
        "compiles");
    row("LTO-IR counts for nothing", cuda::fatbin({image(89, one), image(90, "abc", 8)}), 2, "a b;", on89);
    row("a cubin without kernels", cubin(89, {}), 0, ";", on89);
    row("a cubin that is no cubin", cuda::fatbin({image(89, "no cubin")}), 1, ";", on89);
    cuda::Image packed = image(89, "compressed");
    packed.uncompressed = 1000;
    packed.flags |= 0x2000;
    row("a compressed cubin is not read", cuda::fatbin({packed}), 1, "", on89);
    row("a fat binary that ends early", cuda::fatbin({image(89, one), image(90, other)}).substr(0, one.size() + 100), 1,
        "a b;", on89);
    row("a fat binary of an absurd size", cuda::fatbin({image(89, one)}, UINT64_MAX), 1, "a b;", on89);
  }
  void imagesAreRead() {
    QFETCH(std::string, code);
    QFETCH(int, entries);
    QFETCH(std::string, kernels);
    QFETCH(std::string, runsOn);
    const CudaImages images = modules::readCudaImages(bytes(code));
    QCOMPARE(images.entries.size(), static_cast<std::size_t>(entries));
    std::string found;
    for (const modules::CudaImage& one : images.cubins) {
      found += found.empty() ? "" : " ";
      for (const payloads::CubinKernel& k : one.cubin.kernels)
        found += (&k == &one.cubin.kernels.front() ? "" : " ") + std::string(k.name.view());
      found += ";";
    }
    QCOMPARE(found, kernels);
    QCOMPARE(modules::runsOnText(bytes(code), images), runsOn);
  }

  void kernelsAreFoundInTheirFirstImage() {
    const std::string one = cubin(89, {kernel("a"), kernel("b")}), other = cubin(90, {kernel("b", 64), kernel("c")});
    const CudaImages images = modules::readCudaImages(bytes(cuda::fatbin({image(89, one), image(90, other)})));
    const auto found = [&](std::string_view name) { return images.findKernel(name); };
    QCOMPARE(found("a")->image, &images.cubins[0]);
    QCOMPARE(found("b")->image, &images.cubins[0]);
    QCOMPARE(found("b")->kernel->code.size(), uint64_t{128});
    QCOMPARE(found("c")->image, &images.cubins[1]);
    QCOMPARE(found("c")->kernel, &images.cubins[1].cubin.kernels[1]);
    for (const std::string_view name : {"", "d", "A", "a ", ".text.a"}) QVERIFY(!found(name));
    QVERIFY(!CudaImages().findKernel("a"));
  }

  void truncatedImagesAreSafe() {
    const std::string whole = cuda::fatbin({image(89, cubin(89, {kernel("a")})), image(80, kPtx, 1)});
    for (std::size_t size = 0; size < whole.size(); size += 7) {
      const CudaImages images = modules::readCudaImages(bytes(whole.substr(0, size)));
      for (const auto& [name, place] : images.places) {
        const auto found = images.findKernel(name);
        QVERIFY(found && found->kernel->code.size() <= size);
      }
      QVERIFY(images.entries.size() <= 2);
    }
  }

  void tablesShowEachKernel() {
    cuda::CubinKernel full = kernel("full", 256);
    full.registers = 40;
    full.shared = 1'000;
    cuda::CubinKernel bare = kernel("bare");
    std::vector<modules::NamedFunction> functions(4);
    const char* const names[] = {"full", "bare", "missing", "full"};
    for (std::size_t i = 0; i < 4; ++i) functions[i].key = bytes(names[i]);
    functions[1].info.launchParamTags = {bytes("blockIdx.x"), bytes("tir.use_dyn_shared_memory")};
    functions[3].info.launchParamTags = {bytes("tir.use_dyn_shared_memory")};
    const auto table = modules::kernelTableOf(functions, modules::readCudaImages(bytes(cubin(89, {full, bare}))));
    std::string head;
    for (const view::Column& column : table.source->columns()) head += column.title + "; ";
    QCOMPARE(head, std::string("name; code bytes; registers; shared; max block; uses; arguments; launch parameters; "));
    QCOMPARE(table.arguments, std::size_t{6});
    QCOMPARE(table.launch, std::size_t{7});
    QCOMPARE(table.source->rowCount(), uint64_t{4});
    QCOMPARE(rowText(*table.source, 0), std::string("full | 256 | 40 | 1000 | – |  |  | "));
    QCOMPARE(rowText(*table.source, 1),
             std::string("bare | 128 | 32 | dynamic | – |  |  | blockIdx.x, tir.use_dyn_shared_memory"));
    QCOMPARE(rowText(*table.source, 2), std::string("missing | – | – | – | – |  |  | "));
    QCOMPARE(rowText(*table.source, 3),
             std::string("full | 256 | 40 | 1000 + dynamic | – |  |  | tir.use_dyn_shared_memory"));
  }

  void theStackIsShownWhenAKernelUsesIt() {
    cuda::CubinKernel stack = kernel("s");
    stack.frame = 48;
    std::vector<modules::NamedFunction> functions(1);
    functions[0].key = bytes("s");
    const auto images = modules::readCudaImages(bytes(cubin(89, {stack})));
    const auto table = modules::kernelTableOf(functions, images);
    QCOMPARE(table.source->columns().size(), std::size_t{9});
    QCOMPARE(table.source->columns()[4].title, std::string("stack"));
    QCOMPARE(table.source->cell(0, 4), std::string("48"));
    QCOMPARE(table.arguments, std::size_t{7});
    functions[0].key = bytes("other");
    QCOMPARE(modules::kernelTableOf(functions, images).source->columns().size(), std::size_t{8});
  }

  void tablesWithoutKernelsAreEmpty() {
    const auto table = modules::kernelTableOf({}, {});
    QCOMPARE(table.source->rowCount(), uint64_t{0});
    QCOMPARE(table.launch, table.source->columns().size() - 1);
  }
};

BLOBSCOPE_TEST(TestCudaImages);

#include "test_cuda_images.moc"
