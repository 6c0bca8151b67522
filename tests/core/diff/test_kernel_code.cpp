#include "core/diff/kernel_code.h"

#include "tests/core/base/compare.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <map>

using namespace blobscope;
using namespace blobscope::test;
using cuda::cubin;
using cuda::image;
using cuda::kernel;
using diff::ImageKernels;

namespace {

ImageKernels read(const std::string& image, std::string_view language = {}) {
  NullMonitor monitor;
  auto found = diff::readImageKernels(bytes(image), language, Budget::forFile(1'000'000), monitor);
  if (!found) qFatal("reading was cancelled");
  return std::move(*found);
}

std::string factsText(const diff::Item::Facts& facts) {
  std::string out;
  for (const auto& [label, value] : facts) out += " " + label + "=" + value + ";";
  return out;
}
/// "NAME (BYTES bytes) label=value; …" per kernel, by name.
std::string kernelsText(const ImageKernels& found) {
  std::map<std::string, const diff::KernelCode*> sorted;
  for (const auto& [name, code] : found.kernels) sorted[name] = &code;
  std::string out;
  for (const auto& [name, code] : sorted)
    out += (out.empty() ? "" : "\n") + name + " (" + std::to_string(code->code.size()) + ")" + factsText(code->facts);
  return out;
}
std::string imagesText(const ImageKernels& found) {
  std::string out;
  for (const diff::Item& item : found.images) out += (out.empty() ? "" : "\n") + item.name + factsText(item.facts);
  return out;
}

const std::string kPtx = ".version 9.0\n.target sm_90\n.address_size 64\n"
                         ".visible .entry p(.param .u64 a, .param .f32 b)\n.maxntid 128, 2, 1\n"
                         "{ .shared .b8 s[2000]; ret; }\n"
                         ".visible .entry q() { ret; }\n";
const char* const kPtxKernels = "p (29) parameters=u64, f32; shared memory=2,000; .maxntid=128, 2, 1;\n"
                                "q (8) parameters=; shared memory=0;";

} // namespace

class TestKernelCode : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void imagesWithoutKernelsAreEmpty_data() {
    QTest::addColumn<std::string>("image");
    QTest::addColumn<std::string>("language");
    const auto row = [](const char* name, const std::string& bytesOfImage, const char* language) {
      QTest::newRow(name) << bytesOfImage << std::string(language);
    };
    row("nothing", "", "");
    row("nothing in a language", "", "cuda");
    row("a text without a language", "__global__ void f() {}\n", "");
    row("a text in an unknown language", "__global__ void f() {}\n", "cobol");
    row("zeros", std::string(100, '\0'), "");
    row("a cubin without kernels", cubin(89, {}), "");
    row("a cubin that ends in its header", cubin(89, {kernel("a")}).substr(0, 63), "");
    row("an ELF file that ends in its header", elfWith("x", "y").substr(0, 40), "");
    row("a fat binary that ends in its header", cuda::fatbin({image(89, cubin(89, {kernel("a")}))}).substr(0, 10), "");
    row("PTX without kernels", ".version 9.0\n.target sm_90\n.address_size 64\n", "");
  }
  void imagesWithoutKernelsAreEmpty() {
    QFETCH(std::string, image);
    QFETCH(std::string, language);
    const ImageKernels found = read(image, language);
    QCOMPARE(kernelsText(found), std::string());
    QCOMPARE(imagesText(found), std::string());
    QCOMPARE(found.limit, std::string());
  }

  void cubinsHaveCodeAndResources() {
    cuda::CubinKernel full = kernel("full", 2'048);
    full.registers = 40;
    full.frame = 1'024;
    full.shared = 3'000;
    const ImageKernels found = read(cubin(89, {full, kernel("bare", 128, 'x')}));
    QVERIFY(found.images.empty());
    const std::string text = kernelsText(found);
    QVERIFY2(text.starts_with("bare (128) registers=32; stack=0; shared memory=0;"), text.c_str());
    QVERIFY2(text.find("\nfull (2048) registers=40; stack=1,024; shared memory=3,000;") != std::string::npos,
             text.c_str());
    QCOMPARE(std::string(found.kernels.at("bare").code.view()), std::string(128, 'x'));
  }

  void ptxHasParametersAndDirectives() {
    const ImageKernels found = read(kPtx);
    QCOMPARE(kernelsText(found), std::string(kPtxKernels));
    QVERIFY(found.kernels.at("p").code.view().starts_with("{ .shared"));
    QVERIFY(found.images.empty());
  }

  void fatBinariesListTheirImages() {
    const ImageKernels found =
        read(cuda::fatbin({image(89, cubin(89, {kernel("a")})), image(75, kPtx, 1), image(90, "abc", 8)}));
    const std::string text = imagesText(found);
    QVERIFY2(text.starts_with("0 image=cubin sm_89; unpacked bytes="), text.c_str());
    QVERIFY2(text.find("\n1 image=ptx sm_75; unpacked bytes=") != std::string::npos, text.c_str());
    QVERIFY2(text.ends_with("\n2 image=lto-ir sm_90; unpacked bytes=8;"), text.c_str());
    QCOMPARE(found.kernels.size(), std::size_t{1}); // machine code hides the kernels of PTX
    QVERIFY(found.kernels.contains("a"));
  }

  void ptxCountsWithoutMachineCode() {
    QCOMPARE(kernelsText(read(cuda::fatbin({image(75, kPtx, 1), image(90, "abc", 8)}))), std::string(kPtxKernels));
    // A cubin that cannot be unpacked is no machine code.
    cuda::Image broken = image(89, "damaged bytes");
    broken.uncompressed = 1'000;
    broken.flags |= 0x2000;
    const ImageKernels found = read(cuda::fatbin({broken, image(75, kPtx, 1)}));
    QCOMPARE(kernelsText(found), std::string(kPtxKernels));
    QCOMPARE(found.images.size(), std::size_t{2});
    QCOMPARE(found.limit, std::string());
  }

  void furtherImagesOfAKernelAreFacts() {
    const auto both = [](char fill) {
      return read(cuda::fatbin({image(89, cubin(89, {kernel("a")})), image(90, cubin(90, {kernel("a", 64, fill)}))}));
    };
    const ImageKernels found = both('y');
    QCOMPARE(found.kernels.size(), std::size_t{1});
    QCOMPARE(found.kernels.at("a").code.size(), uint64_t{128}); // the first image has the code
    const std::string text = factsText(found.kernels.at("a").facts);
    QVERIFY2(text.find(" code for sm_90=64 bytes #") != std::string::npos, text.c_str());
    QVERIFY2(text.find(" registers for sm_90=32;") != std::string::npos, text.c_str());
    QCOMPARE(factsText(both('y').kernels.at("a").facts), text); // the same each time
    QVERIFY(factsText(both('z').kernels.at("a").facts) != text);
  }

  void elfFilesHaveTheirFunctions() {
    ElfBuilder elf;
    elf.function("f").data("d", "1234").undefined("u");
    const ImageKernels found = read(elf.build());
    QVERIFY(found.kernels.contains("f") && found.kernels.at("f").code.size() > 0);
    QCOMPARE(found.kernels.size(), std::size_t{1});
  }

  void sourcesAreCutAtTheNextKernel_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("kernels"); // "NAME=TEXT|", by name
    const auto row = [](const char* name, const char* text, const char* kernels) {
      QTest::newRow(name) << std::string(text) << std::string(kernels);
    };
    const char* const f = "extern \"C\" __global__ void f(int* a) {\n  a[0] = 1;\n}\n";
    row("one kernel", f, "f=extern \"C\" __global__ void f(int* a) {\n  a[0] = 1;\n}\n|");
    row("a line before it", "#define A 1\n__global__ void f() {\n}\n", "f=__global__ void f() {\n}\n|");
    row("two kernels", "__global__ void f() {\n}\n__global__ void g() {\n}",
        "f=__global__ void f() {\n}\n|g=__global__ void g() {\n}|");
    row("a declaration and its definition", "__global__ void f();\n__global__ void f() {\n}\n",
        "f=__global__ void f() {\n}\n|");
    row("no line break at the end", "__global__ void f() {}", "f=__global__ void f() {}|");
  }
  void sourcesAreCutAtTheNextKernel() {
    QFETCH(std::string, text);
    QFETCH(std::string, kernels);
    const ImageKernels found = read(text, "cuda");
    std::map<std::string, std::string> sorted;
    for (const auto& [name, code] : found.kernels) sorted[name] = std::string(code.code.view());
    std::string out;
    for (const auto& [name, code] : sorted) out += name + "=" + code + "|";
    QCOMPARE(out, kernels);
  }

  void truncatedImagesAreSafe() {
    const std::string whole = cuda::fatbin({image(89, cubin(89, {kernel("a")})), image(80, kPtx, 1)});
    for (std::size_t size = 0; size < whole.size(); size += 13) {
      const ImageKernels found = read(whole.substr(0, size));
      QVERIFY(found.images.size() <= 2);
      for (const auto& [name, code] : found.kernels) QVERIFY(code.code.size() <= size);
    }
  }

  void stopEndsTheReading() {
    StopAfter stop(0);
    const auto found = diff::readImageKernels(bytes(cuda::fatbin({image(89, cubin(89, {kernel("a")}))})), {},
                                              Budget::forFile(1'000'000), stop);
    QVERIFY(!found);
    QCOMPARE(found.error().code(), ErrorCode::Cancelled);
  }
};

BLOBSCOPE_TEST(TestKernelCode);

#include "test_kernel_code.moc"
