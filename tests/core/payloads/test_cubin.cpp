#include "core/payloads/cubin/cubin.h"

#include "core/payloads/cubin/occupancy.h"
#include "core/payloads/cubin/occupancy_plots.h"
#include "tests/core/base/compare.h"
#include "tests/core/payloads/cuda_tools.h"
#include "tests/core/payloads/page_text.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <cstring>

using namespace blobscope;
using namespace blobscope::test;
using namespace std::string_literals;
using cuda::CubinFile;
using payloads::Cubin;

namespace {

Cubin read(const std::string& text) { return payloads::readCubin(bytes(text)); }

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

/// One line per kernel with everything that is known about it.
std::string kernelsText(const Cubin& cubin) {
  std::string out;
  const auto number = [&](const char* what, const auto& value) {
    if (value) out += " "s + what + " " + std::to_string(*value);
  };
  const auto block = [&](const char* what, const auto& value) {
    if (value)
      out += " "s + what + " " + std::to_string((*value)[0]) + "," + std::to_string((*value)[1]) + "," +
             std::to_string((*value)[2]);
  };
  for (const payloads::CubinKernel& kernel : cubin.kernels) {
    out += escaped(kernel.name.view()) + ": code " + std::to_string(kernel.code.size());
    number("registers", kernel.registers);
    number("frame", kernel.frame);
    number("min", kernel.minStack);
    number("max", kernel.maxStack);
    out += " shared " + std::to_string(kernel.sharedBytes) + " constants " + std::to_string(kernel.constantBytes);
    number("base", kernel.parameterBase);
    number("bytes", kernel.parameterBytes);
    block("threads", kernel.maxThreads);
    block("required", kernel.requiredBlock);
    block("cluster", kernel.cluster);
    number("rank", kernel.maxClusterRank);
    number("cap", kernel.registerCap);
    number("barriers", kernel.barriers);
    out += kernel.explicitCluster ? " explicit" : "";
    out += kernel.tensorCores ? " tensor" : "";
    out += kernel.shuffles ? " shuffles" : "";
    for (const auto& parameter : kernel.parameters)
      out += " " + std::to_string(parameter.ordinal) + "@" + std::to_string(parameter.offset) + "+" +
             std::to_string(parameter.size);
    out += "\n";
  }
  return out;
}

std::string allRecords() {
  return cuda::record(0x37, {0x7a}) + cuda::parameterRecord(1, 8, 24) + cuda::parameterRecord(0, 0, 8) +
         cuda::shortRecord(0x19, 32) + cuda::record(0x0a, {3, 0x160 | 32 << 16}) + cuda::record(0x05, {16, 8, 2}) +
         cuda::record(0x10, {16, 8, 1}) + cuda::record(0x3d, {2, 1, 1}) + cuda::flagRecord(0x3e) +
         cuda::record(0x3f, {8}) + cuda::shortRecord(0x1b, 128) + cuda::record(0x28, {0x10, 0x20}) +
         cuda::flagRecord(0x2b) + cuda::record(0xee, {1, 2, 3}) + cuda::byteRecord(0xef, 1);
}

CubinFile older() {
  CubinFile file;
  file.kernels = {{.name = "add"},
                  {.name = "all",
                   .registers = 254,
                   .frame = 8,
                   .minStack = 16,
                   .shared = 2048,
                   .info = allRecords(),
                   .barriers = 3}};
  return file;
}
CubinFile newer(uint32_t sm = 90) {
  CubinFile file = older();
  file.abi = 8;
  file.sm = sm;
  file.kernels[1].info += cuda::byteRecord(0x4c, 5) + cuda::record(0x37, {130});
  return file;
}

std::string factsOf(const Cubin& cubin, std::string_view kernel) {
  const auto page = payloads::kernelFacts(cubin, kernel);
  return page ? "[" + page->name + "]\n" + pageText(*page) : "nothing";
}

/// Reads and shows everything.
void touch(const std::string& text) {
  const Bytes held = bytes(text);
  view::PageList pages;
  payloads::addCubinPages(held, pages);
  pagesText(pages);
  payloads::cubinWords(held);
  const Cubin cubin = payloads::readCubin(held);
  kernelsText(cubin);
  for (const auto& kernel : cubin.kernels) factsOf(cubin, kernel.name.view());
}

/// The header of section `index` in a file of CubinFile.
std::size_t sectionHeader(const std::string& file, std::size_t index) {
  uint64_t table = 0;
  std::memcpy(&table, file.data() + 40, 8);
  return table + index * 64;
}
std::string with(std::string file, std::size_t at, std::initializer_list<int> values) {
  for (const int value : values) file[at++] = static_cast<char>(value);
  return file;
}

} // namespace

class TestCubin : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void olderAbiIsRead();
  void newerAbiIsRead();
  void reservedSharedMemoryIsSubtracted();
  void suffixOfTheArchitectureIsRead();
  void imagesOfNvrtcAreNamed();
  void registersOfRenumberedSymbolsAreNotKnown();
  void onlyEntryFunctionsAreKernels();
  void cubinIsNamedByArchitecture();
  void damageIsReported_data();
  void damageIsReported();
  void overlappingSectionsAreReported();
  void pagesShowHeaderKernelsAndDamage();
  void kernelFactsShowResources();
  void occupancyIsEstimated_data();
  void occupancyIsEstimated();
  void mostRegistersKeepTheOccupancy();
  void occupancyIsPlotted();
  void occupancyPageNeedsRegistersAndAKnownDevice();
  void mutationsAreSafeUnderSanitizers();
  void compiledCubinIsRead();
};

void TestCubin::olderAbiIsRead() {
  const Cubin cubin = read(older().build());
  QCOMPARE(joined(cubin.damage), ""s);
  QCOMPARE(cubin.architecture(), "sm_89"s);
  QCOMPARE(hexText(cubin.flags), "0x590559"s);
  QCOMPARE(cubin.toolkit, "CUDA 12.2"s);
  QVERIFY(cubin.abi == 7 && cubin.apiVersion == 122U && !cubin.relocatable());
  QCOMPARE(kernelsText(cubin), "add: code 128 registers 32 frame 0 min 0 shared 0 constants 368 barriers 0\n"
                               "all: code 128 registers 254 frame 8 min 16 shared 2048 constants 368 base 352 bytes 32 "
                               "threads 16,8,2 required 16,8,1 "
                               "cluster 2,1,1 rank 8 cap 128 barriers 3 explicit tensor shuffles 0@0+8 1@8+24\n"s);
  QCOMPARE(std::string(cubin.sections[5].name.view()), ".text.add"s);
  QVERIFY(cubin.find("all")->extent == cubin.sections[8].extent);
  QVERIFY(cubin.find("all")->blockThreads() == 128U && !cubin.find("add")->blockThreads());
  QVERIFY(cubin.find("all")->stackBytes() == 16U);
  QVERIFY(!cubin.find("al"));
  QCOMPARE(cubin.symbols.size(), std::size_t{3});
}

void TestCubin::newerAbiIsRead() {
  CubinFile file = newer();
  file.archSpecific = true;
  const Cubin cubin = read(file.build());
  QCOMPARE(joined(cubin.damage), ""s);
  QCOMPARE(cubin.architecture(), "sm_90a"s);
  QCOMPARE(cubin.toolkit, "Cuda compilation tools, release 13.0, V13.0.88"s);
  QCOMPARE(std::string(cubin.build.view()), "Build cuda_13.0"s);
  QCOMPARE(std::string(cubin.commandLine.view()), "-arch sm_90 -m 64 "s);
  QVERIFY(cubin.apiVersion == 130U);
  QCOMPARE(kernelsText(cubin), "add: code 128 registers 32 frame 0 min 0 shared 0 constants 368\n"
                               "all: code 128 registers 254 frame 8 min 16 shared 1024 constants 368 base 352 bytes 32 "
                               "threads 16,8,2 required 16,8,1 "
                               "cluster 2,1,1 rank 8 cap 128 barriers 5 explicit tensor shuffles 0@0+8 1@8+24\n"s);
}

void TestCubin::reservedSharedMemoryIsSubtracted() {
  const auto shared = [](uint8_t abi, uint32_t sm, uint64_t size) {
    CubinFile file;
    file.abi = abi;
    file.sm = sm;
    file.kernels = {{.name = "k", .shared = size}};
    return read(file.build()).kernels.at(0).sharedBytes;
  };
  QCOMPARE(shared(7, 89, 2048), uint64_t{2048});
  QCOMPARE(shared(7, 90, 5120), uint64_t{4096}); // ptxas 11.8 to 12.9
  QCOMPARE(shared(8, 89, 2048), uint64_t{2048});
  QCOMPARE(shared(8, 90, 2048), uint64_t{1024});
  QCOMPARE(shared(8, 120, 1024), uint64_t{0});
  QCOMPARE(shared(8, 120, 1000), uint64_t{0}); // less than the reserved size: not below zero
  QCOMPARE(shared(8, 90, UINT64_MAX), UINT64_MAX - 1024);
}

/// The flags that ptxas 12.8.93, 12.9.86 and 13.5.37 write.
void TestCubin::suffixOfTheArchitectureIsRead() {
  const auto architecture = [](uint8_t abi, uint32_t flags) {
    CubinFile file;
    file.abi = abi;
    std::string bytes = file.build();
    for (unsigned i = 0; i < 4; ++i) bytes[48 + i] = static_cast<char>(flags >> 8 * i & 0xff);
    return read(bytes).architecture();
  };
  QCOMPARE(architecture(7, 0x0046055a), "sm_90"s);
  QCOMPARE(architecture(7, 0x005a0d5a), "sm_90a"s);
  QCOMPARE(architecture(8, 0x06006402), "sm_100"s);
  QCOMPARE(architecture(8, 0x0600640a), "sm_100a"s);
  QCOMPARE(architecture(8, 0x06005804), "sm_88"s);
  QCOMPARE(architecture(8, 0x06006b02), "sm_107"s);
}

void TestCubin::imagesOfNvrtcAreNamed() {
  CubinFile file = newer();
  file.toolBuild = "Build system must define TOOLS_VERSION_EXTENDED";
  QCOMPARE(read(file.build()).toolkit, "compiled by NVRTC: Cuda compilation tools, release 13.0, V13.0.88"s);
}

/// llvm-objcopy sorts the symbols: a record may then name another kernel, or a symbol that is no function.
void TestCubin::registersOfRenumberedSymbolsAreNotKnown() {
  CubinFile file = newer();
  file.globalInfo = cuda::record(0x2f, {0, 8}); // the first symbol of ELF is none
  const Cubin cubin = read(file.build());
  for (const auto& kernel : cubin.kernels) QVERIFY(!kernel.registers && !kernel.stackBytes());
  QVERIFY2(joined(cubin.damage).find("so the registers and the stack of kernels are not known") != std::string::npos,
           joined(cubin.damage).c_str());
  file = older();
  const std::vector<payloads::CubinKernel> before = read(file.build()).kernels;
  file.globalInfo = cuda::record(0x2f, {0, 8});
  for (std::size_t i = 0; i < before.size(); ++i)
    QCOMPARE(read(file.build()).kernels.at(i).registers, before[i].registers); // those of ABI 7 have a second place
}

void TestCubin::onlyEntryFunctionsAreKernels() {
  CubinFile file = older();
  file.kernels[0].entry = false; // a device function with a separate section
  QCOMPARE(read(file.build()).kernels.size(), std::size_t{1});
  QVERIFY(!read(file.build()).find("add"));
  // Without symbols every code section counts; its header also has the registers of ABI 7.
  const std::string built = older().build();
  const Cubin stripped = read(with(built, sectionHeader(built, 3) + 4, {1}));
  QVERIFY(stripped.symbols.empty());
  QVERIFY(stripped.kernels.size() == 2 && stripped.find("all")->registers == 254U && !stripped.find("all")->frame);
  file.type = 1;
  QVERIFY(read(file.build()).relocatable());
}

void TestCubin::cubinIsNamedByArchitecture() {
  QCOMPARE(joined(payloads::cubinWords(bytes(older().build()))), "cubin sm_89\n"s);
  QCOMPARE(joined(payloads::cubinWords(bytes(newer(103).build()))), "cubin sm_103\n"s);
  QCOMPARE(joined(payloads::cubinWords(bytes("nothing of the kind"))), "cubin\n"s);
}

void TestCubin::damageIsReported_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<int>("kernels");
  QTest::addColumn<std::string>("expected");
  const std::string good = older().build();
  const std::size_t table = sectionHeader(good, 0), info = sectionHeader(good, 4), text = sectionHeader(good, 5);
  const std::string end = hexText(good.size());
  QTest::newRow("nothing") << ""s << 0 << "the ELF header at 0x0 needs 64 bytes, but only 0 are there\n"s;
  QTest::newRow("header cut off") << good.substr(0, 63) << 0
                                  << "the ELF header at 0x0 needs 64 bytes, but only 63 are there\n"s;
  QTest::newRow("32 bits") << with(good, 4, {1}) << 0
                           << "the header at 0x0 is not that of a little-endian ELF64 of machine 190\n"s;
  QTest::newRow("another machine") << with(good, 18, {62}) << 0
                                   << "the header at 0x0 is not that of a little-endian ELF64 of machine 190\n"s;
  QTest::newRow("ABI 9") << with(good, 8, {9}) << 2
                         << "ABI version 9 at 0x8 is neither 7 nor 8, so the architecture is not known\n"s;
  QTest::newRow("table after the end") << with(good, 40, {-1, -1, -1, -1, -1, -1, -1, -1}) << 0
                                       << "the section table at 0xffffffffffffffff is past the end of the image at " +
                                              end + "\n";
  QTest::newRow("headers of 63 bytes") << with(good, 58, {63}) << 0
                                       << "the section header size of 63 bytes at 0x3a is not 64\n"s;
  QTest::newRow("more sections than fit")
      << with(good, 60, {-1, -1}) << 2 << "65535 sections are declared, but only 12 were read\n"s;
  // The number is then in the first section, whose size is 0.
  QTest::newRow("no number of sections") << with(good, 60, {0, 0}) << 0
                                         << "the section names are declared in section 1 of 0\n"s;
  QTest::newRow("endless number of sections")
      << with(with(good, 60, {0, 0}), table + 32, {-1, -1, -1, -1, -1, -1, -1, -1}) << 2
      << "18446744073709551615 sections are declared, but only 12 were read\n"s;
  QTest::newRow("names in no section") << with(good, 62, {99}) << 0
                                       << "the section names are declared in section 99 of 12\n"s;
  QTest::newRow("code after the end") << with(good, text + 31, {0x7f}) << 2
                                      << "section 5 '.text.add' at " + end + " needs 128 bytes, but only 0 are there\n";
  QTest::newRow("endless code") << with(good, text + 39, {-1}) << 2
                                << "section 5 '.text.add' at 0x" +
                                       QByteArray::number(good.find('\x5a'), 16).toStdString() +
                                       " needs 18374686479671623808 bytes, but only " +
                                       std::to_string(good.size() - good.find('\x5a')) + " are there\n";
  QTest::newRow("symbol names in no section") << with(good, sectionHeader(good, 3) + 40, {77}) << 0
                                              << "the symbol names are declared in section 77, which does not exist\n"s;
  uint64_t records = 0;
  std::memcpy(&records, good.data() + info + 24, 8);
  QTest::newRow("record of format 5") << with(good, records + 12, {5}) << 2
                                      << "record at " + hexText(records + 12) +
                                             " in '.nv.info': format 5 is not 1 to 4\n";
  QTest::newRow("record too long") << with(good, records + 14, {-1, -1}) << 2
                                   << "record at " + hexText(records + 12) + " in '.nv.info': it is truncated\n";
}

void TestCubin::damageIsReported() {
  QFETCH(std::string, text);
  QFETCH(int, kernels);
  QFETCH(std::string, expected);
  const Cubin cubin = read(text);
  QCOMPARE(joined(cubin.damage), expected);
  QCOMPARE(static_cast<int>(cubin.kernels.size()), kernels);
  touch(text);
}

void TestCubin::overlappingSectionsAreReported() {
  // Many record sections over the same bytes would cost quadratic work.
  CubinFile file = older();
  const std::string built = file.build();
  std::string changed = built;
  for (std::size_t i = 1; i < 12; ++i) {
    const std::size_t header = sectionHeader(changed, i);
    if (i == 6 || i == 9) changed = patched(patched(changed, header + 24, 0), header + 32, built.size());
  }
  const std::string damage = joined(read(changed).damage);
  QVERIFY2(damage.find("the sections of records overlap") != std::string::npos, damage.c_str());
}

void TestCubin::pagesShowHeaderKernelsAndDamage() {
  view::PageList list;
  payloads::addCubinPages(bytes(older().build()), list);
  const std::string text = pagesText(list);
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  QVERIFY2(text.starts_with(
               "[Image]\narchitecture|sm_89\nlinkage|linked\nABI|7\nflags|0x590559\nCUDA API "
               "version|12.2\ntoolkit|CUDA 12.2\n"
               "kernels|2\ncode|256 bytes\nsections|12\nsymbols|3\n[Kernels]\n"
               "name|code bytes|registers|shared bytes|stack bytes|max block threads|parameters|parameter bytes|uses\n"
               "add|128|32|0|0||0||\nall|128|254|2048|16|128|2|32|tensor cores, warp-synchronous code, "
               "clusters\n[Sections]\n"),
           text.c_str());
  QVERIFY2(has("\n11|.nv.shared.all|nobits|") && has("\n5|.text.add|progbits|"), text.c_str());
  QVERIFY2(has("\nall|function|global|0x0|128|kernel|.text.all\n"), text.c_str());
  QCOMPARE(list.size(), std::size_t{4});
  list.clear();
  payloads::addCubinPages(bytes("\x7f\x45\x4c\x46"), list);
  QCOMPARE(list.back().name, "Damage"s);
}

void TestCubin::kernelFactsShowResources() {
  const Cubin cubin = read(newer().build());
  QCOMPARE(factsOf(cubin, "all"),
           "[Resources]\narchitecture|sm_90\ncode|128 bytes\nregisters per thread|254 of 255\nregister cap|128\n"
           "block|16 × 8 × 1 required, 128 threads\nstatic shared memory per block|1.0 KiB (1,024 bytes)\nstack per "
           "thread|16 bytes\n"
           "barriers|5 of 16\ncluster|2 × 1 × 1 blocks\nlargest cluster|8 blocks\nlaunch constants|368 bytes\n"
           "uses|tensor cores, warp-synchronous code, clusters\n"
           "blocks per multiprocessor|2 blocks of 128 threads, 8 of 64 warps (13 %), limited by registers; an estimate "
           "without dynamic shared memory\n"
           "parameters|2 in 32 bytes\nparameter 0|8 bytes at 0x0\nparameter 1|24 bytes at 0x8\n"s);
  QCOMPARE(factsOf(cubin, "none"), "nothing"s);
  CubinFile unknown = older();
  unknown.sm = 99;
  QVERIFY(factsOf(read(unknown.build()), "add").find("multiprocessor") == std::string::npos);
}

void TestCubin::occupancyIsEstimated_data() {
  QTest::addColumn<unsigned>("sm");
  QTest::addColumn<unsigned>("registers");
  QTest::addColumn<unsigned>("shared");
  QTest::addColumn<unsigned>("threads");
  QTest::addColumn<unsigned>("blocks");
  QTest::addColumn<QString>("limit");
  // Expected numbers: cuda_occupancy.h of CUDA 13.0, which agrees with the estimate for 176,364 combinations.
  const auto row = [](unsigned sm, unsigned registers, unsigned shared, unsigned threads, unsigned blocks,
                      const char* limit) {
    QTest::addRow("sm_%u, %u registers, %u bytes, %u threads", sm, registers, shared, threads)
        << sm << registers << shared << threads << blocks << limit;
  };
  row(80, 32, 0, 256, 8, "threads");
  row(80, 32, 0, 32, 32, "blocks");
  row(86, 16, 0, 32, 16, "blocks");
  row(89, 96, 0, 512, 1, "registers");
  row(90, 128, 0, 128, 4, "registers");
  row(90, 64, 49152, 128, 4, "shared memory");
  row(90, 255, 0, 512, 0, "registers");
  row(75, 40, 32768, 64, 2, "shared memory");
  row(120, 24, 6144, 96, 14, "shared memory");
}

void TestCubin::occupancyIsEstimated() {
  QFETCH(unsigned, sm);
  QFETCH(unsigned, registers);
  QFETCH(unsigned, shared);
  QFETCH(unsigned, threads);
  QFETCH(unsigned, blocks);
  QFETCH(QString, limit);
  const auto estimate = payloads::estimateOccupancy(sm, registers, shared, threads);
  QVERIFY(estimate);
  QCOMPARE(estimate->blocks, blocks);
  QCOMPARE(QString::fromStdString(std::string(estimate->limitedBy)), limit);
  QVERIFY(estimate->warps <= estimate->warpLimit);
  QVERIFY(!payloads::estimateOccupancy(sm, registers, shared, 0) &&
          !payloads::estimateOccupancy(sm, registers, shared, 1025));
  QVERIFY(!payloads::estimateOccupancy(61, registers, shared, threads));
  QCOMPARE(payloads::estimateOccupancy(sm, registers, UINT64_MAX, threads)->blocks, 0U);
  payloads::estimateOccupancy(sm, UINT32_MAX, shared, threads);
}

/// The number itself keeps the share of warps, the next larger one does not.
void TestCubin::mostRegistersKeepTheOccupancy() {
  const std::vector<uint32_t> devices = payloads::multiprocessors();
  QVERIFY(devices.size() >= 12 && std::ranges::is_sorted(devices));
  for (const uint32_t sm : devices) {
    for (const uint32_t percent : {25U, 50U, 75U, 100U}) {
      const auto most = payloads::mostRegisters(sm, percent);
      QVERIFY2(most, std::to_string(sm).c_str());
      // A block of one warp, so that the registers are the limit, unless the device has too few slots for blocks.
      const auto warpsOf = [&](uint32_t registers) {
        const auto estimate = payloads::estimateOccupancy(sm, registers, 0, 128);
        return estimate ? estimate->warps * 100 / estimate->warpLimit : 0;
      };
      QVERIFY2(warpsOf(*most) + 8 >= percent, (std::to_string(sm) + " " + std::to_string(percent)).c_str());
      if (*most < payloads::kMaxRegisters) QVERIFY(warpsOf(*most + 1) < percent);
    }
  }
  // CUDA C++ Programming Guide: 65,536 registers for 64 warps of 32 threads.
  QCOMPARE(payloads::mostRegisters(90, 100), std::optional(32U));
  QCOMPARE(payloads::mostRegisters(90, 50), std::optional(64U));
  QCOMPARE(payloads::mostRegisters(90, 25), std::optional(128U));
  QVERIFY(!payloads::mostRegisters(61, 50));
}

void TestCubin::occupancyIsPlotted() {
  using view::PlotPage;
  const PlotPage page = payloads::occupancyPlots(90, {"k", 94, 1024, 512});
  QCOMPARE(page.plots.size(), std::size_t{3});
  for (const PlotPage::Plot& plot : page.plots) {
    QCOMPARE(plot.subject, std::string("k"));
    QCOMPARE(plot.lines.size(), std::size_t{1});
    QVERIFY(plot.lines[0].vertical && plot.lines[0].strong);
    for (const PlotPage::Series& series : plot.series)
      for (const PlotPage::Point& point : series.points) QVERIFY(point.y > 0 && point.y <= 100);
  }
  const PlotPage::Plot& blocks = page.plots[0];
  QCOMPARE(blocks.note, std::string("Best: 31 %, first at 32 threads. Above 640 threads, a block does not start: "
                                    "not enough registers."));
  QCOMPARE(blocks.lines[0].label, std::string("now 512: 25 %, 1 block per SM"));
  // Every point is the estimate for its block.
  std::size_t points = 0;
  for (const PlotPage::Series& series : blocks.series) {
    for (const PlotPage::Point& point : series.points) {
      const auto estimate = payloads::estimateOccupancy(90, 94, 1024, static_cast<uint32_t>(point.x));
      QCOMPARE(point.y, static_cast<double>(payloads::percentOf(*estimate)));
      QCOMPARE(series.name, std::string(estimate->limitedBy));
      ++points;
    }
  }
  QCOMPARE(points, std::size_t{20}); // 32 to 640 threads
  QCOMPARE(page.plots[1].x.title, std::string("registers per thread"));
  QCOMPARE(page.plots[2].x.unit, std::string("KiB"));

  QVERIFY(payloads::occupancyPlots(61, {"k", 94, 0, 512}).plots.empty());
  const PlotPage unknown = payloads::occupancyPlots(90, {"", 32, 0, std::nullopt});
  QVERIFY(unknown.plots[0].lines.empty());
  QCOMPARE(unknown.plots[1].note, std::string("For blocks of 256 threads."));
  QCOMPARE(payloads::occupancyPlots(90, {"", 32, 1 << 20, 64}).plots[0].note,
           std::string("No block of this kernel starts: not enough shared memory."));
}

void TestCubin::occupancyPageNeedsRegistersAndAKnownDevice() {
  const Cubin cubin = read(older().build());
  const auto page = payloads::kernelOccupancy(cubin, "all");
  QVERIFY(page);
  QCOMPARE(page->name, std::string("Occupancy"));
  QCOMPARE(view::pageKind(*page), std::string_view("plot"));
  QVERIFY(!payloads::kernelOccupancy(cubin, "nothing"));
  Cubin other = cubin;
  other.sm = 61;
  QVERIFY(!payloads::kernelOccupancy(other, "all"));
  other.sm = 89;
  other.kernels[1].registers.reset();
  QVERIFY(!payloads::kernelOccupancy(other, "all"));
}

void TestCubin::mutationsAreSafeUnderSanitizers() {
  // Small files, so that every byte is changed: one kernel, hardly any code.
  const auto small = [](CubinFile file) {
    file.kernels.erase(file.kernels.begin());
    file.kernels[0].code = std::string(8, 'c');
    file.kernels[0].constantBytes = 8;
    return file.build();
  };
  for (const std::string& whole : {small(older()), small(newer())}) {
    for (std::size_t size = 0; size <= whole.size(); ++size) touch(whole.substr(0, size));
    for (std::size_t at = 0; at < whole.size(); at += 3)
      for (const int value : {0x00, 0x01, 0x7f, 0xff}) touch(with(whole, at, {value}));
    QCOMPARE(read(whole).kernels.size(), std::size_t{1});
  }
}

void TestCubin::compiledCubinIsRead() {
  // Both spellings of the same code, and the output of a compiler if one is installed.
  constexpr const char* kSource =
      R"(extern "C" __global__ void __launch_bounds__(256) add(const float* a, float* b, int n) {
  __shared__ float s[256];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = s[255 - threadIdx.x] + n;
})";
  struct Case {
    const char* option;
    const char* architecture;
    CubinFile file;
  };
  Case cases[] = {{"-arch=sm_80", "sm_80", {}}, {"-arch=sm_90a", "sm_90a", {}}};
  for (Case& made : cases) {
    const uint32_t sm = made.architecture[3] == '8' ? 80 : 90;
    made.file.abi = 8;
    made.file.sm = sm;
    made.file.archSpecific = sm == 90;
    const std::string info = cuda::record(0x05, {256, 1, 1}) + cuda::shortRecord(0x19, 20) +
                             cuda::parameterRecord(2, 16, 4) + cuda::parameterRecord(1, 8, 8) +
                             cuda::parameterRecord(0, 0, 8);
    made.file.kernels = {{.name = "add", .registers = 10, .shared = sm == 90 ? 2048U : 1024U, .info = info}};
    std::vector<std::string> images = {made.file.build()};
    if (const auto real = compileCuda(kSource, {QStringLiteral("-cubin"), QLatin1String(made.option)}))
      images.push_back(*real);
    for (const std::string& image : images) {
      const Cubin cubin = read(image);
      QCOMPARE(joined(cubin.damage), ""s);
      QCOMPARE(cubin.architecture(), std::string(made.architecture));
      const payloads::CubinKernel* const kernel = cubin.find("add");
      QVERIFY(kernel && cubin.kernels.size() == 1);
      QVERIFY(kernel->registers && *kernel->registers >= 4 && *kernel->registers < 64);
      QCOMPARE(kernel->sharedBytes, uint64_t{1024});
      QVERIFY(kernel->blockThreads() == 256U && kernel->parameterBytes == 20U && kernel->parameters.size() == 3);
      QVERIFY(kernel->parameters[1].offset == 8 && kernel->parameters[1].size == 8 && kernel->parameters[2].size == 4);
    }
  }
}

BLOBSCOPE_TEST(TestCubin);
#include "test_cubin.moc"
