#include "core/diff/compare.h"

#include "core/syntax/disassembler.h"
#include "tests/core/diff/compare_text.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/contracts/codec_rows.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/vm_builders.h"

using namespace blobscope;
using namespace blobscope::test;
using diff::CompareOptions;
using diff::DiffNode;
using diff::DiffTree;
using diff::NumberPair;
using diff::Status;
using diff::Topic;
using namespace std::string_literals;

namespace {

using Imports = std::vector<std::vector<uint64_t>>;
using Codes = std::vector<std::pair<std::string, std::string>>;

std::string libraryOf(const std::vector<Record>& records, const Imports& imports) {
  return elfWith("__tvm_ffi__library_bin", ffiBlob(records, imports));
}
std::string oneModule(const std::string& key, const std::string& payload) {
  return libraryOf({{"_lib", ""}, {key, payload}}, {{1}, {}});
}

/// Kernels with separate code and one argument list each.
std::string metal(const Codes& codes, const std::vector<uint32_t>& types = {0x00014003}) {
  std::vector<Function> functions;
  for (const auto& [name, code] : codes) functions.push_back({name, types});
  ByteBuilder out;
  out.str("metal").raw(functionMap(functions, Info::Four)).u64(codes.size());
  for (const auto& [name, code] : codes) out.str(name).str(code);
  return out.take();
}
std::string metalLibrary(const Codes& codes) { return oneModule("metal", metal(codes)); }

std::string params(const std::vector<std::string>& names, const std::vector<TensorText>& tensors) {
  return ByteBuilder()
      .u64(0xF7E58D4F05049CB7)
      .u64(0)
      .raw(nameList(names))
      .u64(tensors.size())
      .raw(tensorList(tensors))
      .take();
}

/// The results of both directions, which must be mirrored.
std::string differences(const std::string& a, const std::string& b, bool details = false,
                        const CompareOptions& options = contentOnly()) {
  const DiffTree tree = compared(a, b, options), back = compared(b, a, options);
  if (nodeSet(diff::mirrored(back)) != nodeSet(tree))
    return "not symmetric:\n" + nodesText(tree) + "against\n" + nodesText(back);
  if (diff::mirrored(back).counts != tree.counts) return "counts are not symmetric";
  return nodesText(tree, details);
}

/// So that a failure shows both results.
QString q(const std::string& text) { return QString::fromStdString(text); }

} // namespace

class TestCompareFiles : public QObject {
  Q_OBJECT

private Q_SLOTS:
  /// Every kind, layout and form of module is equal to itself, both for the same bytes and for a copy at another place.
  void sameModulesAreEqual_data() {
    QTest::addColumn<int>("number");
    for (std::size_t i = 0; i < codecRows().size(); ++i)
      QTest::addRow("%s", codecRows()[i].name().c_str()) << static_cast<int>(i);
  }
  void sameModulesAreEqual() {
    QFETCH(int, number);
    const CodecRow& row = codecRows()[static_cast<std::size_t>(number)];
    const std::string file =
        row.context.extraTags
            ? oneModule(row.key, row.payload)
            : elfWith("__tvm_dev_mblob", classicBlob({{"_lib", ""}, {row.key, row.payload}}, Imports{{1}, {}}));
    for (const bool full : {false, true}) {
      CompareOptions options;
      options.full = full;
      const DiffTree tree = compared(file, file, options);
      QVERIFY2(tree.equal() && tree.identical, nodesText(tree).c_str());
      QCOMPARE(tree.nodes.empty(), !full);
      QCOMPARE(tree.leftOut, uint64_t{0});
      QCOMPARE(tree.count(Topic::Kernel, Status::Same), uint64_t{row.kernels.size()});
      QCOMPARE(describe::summaryOf(tree).front(), "the files are identical, byte for byte"s);
    }
    // Bytes after the last section move nothing, so only they differ.
    const DiffTree longer = compared(file, file + std::string(64, '\0'));
    QVERIFY(!longer.equal() && !longer.identical);
    QCOMPARE(q(nodesText(longer)), q("changed section bytes outside all nodes\n"));
    QVERIFY(compared(file, file + std::string(64, '\0'), contentOnly()).equal());
  }

  /// Headers and padding are compared member by member, so that a longer header does not make all after it differ.
  void headersOfArchivesAreCountedApart() {
    const auto detail = [](const std::string& a, const std::string& b) {
      const DiffTree tree = compared(a, b);
      if (tree.nodes.size() != 1) return QStringLiteral("%1 nodes").arg(tree.nodes.size());
      return q(tree.nodes.front().name + ": " + tree.nodes.front().detail);
    };
    const std::string plain = tarOf({{"a.txt", "first"}, {"b.txt", std::string(2'000, 'x')}});
    const auto seal = [](std::string& header) {
      std::fill(header.begin() + 148, header.begin() + 156, ' ');
      unsigned sum = 0;
      for (const char byte : header) sum += static_cast<unsigned char>(byte);
      header.replace(148, 8, QByteArray::number(sum, 8).rightJustified(6, '0').toStdString() + std::string("\0 ", 2));
    };
    std::string header = plain.substr(1024, 512);
    header[146] = '7'; // the time of the second member, and with it two digits of its checksum
    seal(header);
    std::string touched = plain;
    touched.replace(1024, 512, header);
    QCOMPARE(detail(plain, touched),
             QStringLiteral("headers and padding of the archive: 3 bytes differ, the first at 0x492"));
    // A global header of POSIX before the first member moves all that follows.
    std::string global = plain.substr(0, 512);
    std::fill(global.begin(), global.begin() + 100, '\0');
    global[156] = 'g';
    std::fill(global.begin() + 124, global.begin() + 135, '0');
    seal(global);
    QCOMPARE(detail(plain, global + plain),
             QStringLiteral("headers and padding of the archive: 512 bytes are only in the second file"));
    QCOMPARE(detail(plain + std::string(9'216, '\0'), plain),
             QStringLiteral("headers and padding of the archive: 9,216 bytes are only in the first file"));
  }

  /// An intermediate result is a separate tree and does not change the final result.
  void intermediateResultsAreSeparateTrees() {
    const auto archive = [](const std::string& code) {
      return tarOf({{"a.so", metalLibrary({{"add", "kernel add"}})}, {"b.so", metalLibrary({{"mul", code}})}});
    };
    const library::PackagePtr a = openedFile(archive("kernel mul")), b = openedFile(archive("kernel multiply"));
    NullMonitor monitor;
    std::vector<DiffTree> told;
    int asked = 0;
    const diff::FirstResults first{[&] { return ++asked > 0; },
                                   [&](DiffTree tree) { told.push_back(std::move(tree)); }};
    const auto tree = diff::compare(a, b, {}, monitor, first), alone = diff::compare(a, b, {}, monitor);
    QVERIFY(tree && alone);
    QCOMPARE(q(nodesText(*tree, true)), q(nodesText(*alone, true)));
    QVERIFY(told.size() > 4);
    QCOMPARE(told.size(), static_cast<std::size_t>(asked));
    for (const DiffTree& one : told) {
      QCOMPARE(one.a.size, uint64_t{a->bytes.size()});
      for (std::size_t i = 0; i < one.nodes.size(); ++i)
        QVERIFY(one.nodes[i].parent == diff::DiffNode::kNoParent || one.nodes[i].parent < i);
    }
    QVERIFY(told.front().nodes.size() < tree->nodes.size());
    QVERIFY2(nodesText(told.back()).find("kernel mul") != std::string::npos, nodesText(told.back()).c_str());
  }

  /// Every changed byte of a payload is seen.
  void everyChangedPayloadByteIsSeen() {
    const std::string a = metalLibrary({{"add", "kernel add"}, {"mul", "kernel mul"}});
    for (std::size_t at = 0; at < a.size(); at += 7) {
      std::string b = a;
      b[at] = static_cast<char>(b[at] ^ 0x10);
      if (!openBytes(b)) continue;
      const DiffTree tree = compared(a, b);
      QVERIFY2(!tree.equal(), qPrintable(QString::number(at)));
      QVERIFY(!tree.identical);
    }
  }

  void kernelChangesAreReported_data() {
    QTest::addColumn<std::string>("a");
    QTest::addColumn<std::string>("b");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const Codes& a, const Codes& b, const std::string& expected) {
      QTest::newRow(name) << metalLibrary(a) << metalLibrary(b) << expected;
    };
    const std::string add = "kernel void add() { x + y; }\n";
    row("changed", {{"add", add}, {"mul", "m"}}, {{"add", add + "\n// z"}, {"mul", "m"}},
        "changed module metal: 191 → 196 bytes\n"
        "  changed kernel add: 2 lines added, from line 2: nothing → ''\n");
    row("renamed", {{"fused_matmul1", "kernel void fused_matmul1()"}, {"mul", "m"}},
        {{"fused_matmul2", "kernel void fused_matmul2()"}, {"mul", "m"}},
        "changed module metal: 4 of 207 bytes differ\n"
        "  renamed kernel fused_matmul1 → fused_matmul2\n");
    row("added", {{"mul", "m"}}, {{"mul", "m"}, {"sub", "s s s"}},
        "changed module metal: 102 → 158 bytes\n"
        "  added kernel sub: 5 bytes\n");
    row("removed", {{"mul", "m"}, {"sub", "s s s"}}, {{"mul", "m"}},
        "changed module metal: 158 → 102 bytes\n"
        "  removed kernel sub: 5 bytes\n");
    row("reordered", {{"add", "a"}, {"mul", "m"}}, {{"mul", "m"}, {"add", "a"}},
        "moved module metal: same parts in a different order\n");
    row("duplicated", {{"add", "aaaa"}}, {{"add", "aaaa"}, {"add1", "aaaa"}},
        "changed module metal: 105 → 161 bytes\n"
        "  added kernel add1: 4 bytes\n");
    row("all but one gone", {{"add", "a"}, {"mul", "m"}}, {},
        "changed module metal: 154 → 21 bytes\n"
        "  removed kernel add: 1 byte\n"
        "  removed kernel mul: 1 byte\n");
  }
  void kernelChangesAreReported() {
    QFETCH(std::string, a);
    QFETCH(std::string, b);
    QFETCH(std::string, expected);
    // Sizes depend on the builder; only the rest is compared.
    const auto shortened = [](std::string text) {
      const std::size_t colon = text.find(':'), end = text.find('\n');
      if (colon < end && text.compare(0, 7, "changed") == 0) text.erase(colon, end - colon);
      return text;
    };
    QCOMPARE(q(shortened(differences(a, b, true))), q(shortened(expected)));
  }

  /// Arguments and launch parameters are compared by their meaning.
  void signaturesAreComparedByMeaning() {
    const std::string a = oneModule("metal", metal({{"add", "a"}}, {0x00014003, 0x00012000}));
    const std::string b = oneModule("metal", metal({{"add", "a"}}, {0x00014003, 0x00014000}));
    QVERIFY2(differences(a, b, true).ends_with("  changed kernel add: arguments handle, int32 → handle, int64\n"),
             differences(a, b, true).c_str());
  }

  /// The same kernels under the two generations of FunctionInfo and of the stream.
  void kernelsOfTwoStreamGenerationsAreEqual() {
    const std::vector<Function> functions = {{"add"}, {"mul"}};
    const std::string a =
        elfWith("__tvm_dev_mblob",
                classicBlob({{"_lib", ""}, {"cuda", code3("ptx", functions, ptxText(functions), Info::Three)}},
                            Imports{{1}, {}}));
    const std::string b = oneModule("cuda", code3("ptx", functions, ptxText(functions), Info::Four));
    const DiffTree tree = compared(a, b, contentOnly());
    // Only the older generation lists `run` as a function.
    QCOMPARE(q(nodesText(tree, true)), q("removed host function run: 4 bytes\n"));
    QVERIFY(!tree.identical);
    QCOMPARE(tree.notes.size(), std::size_t{1});
    QVERIFY2(tree.notes.front().starts_with("the blobs have different eras: B"), tree.notes.front().c_str());
    QCOMPARE(tree.count(Topic::Kernel, Status::Same), uint64_t{2});
  }

  /// Registers, shared memory and stack of cubins in a fat binary.
  void cubinResourcesAreCompared() {
    const auto fat = [](uint32_t registers, const std::string& code) {
      cuda::CubinKernel kernel;
      kernel.name = "add";
      kernel.code = code;
      kernel.registers = registers;
      cuda::CubinFile file;
      file.kernels = {kernel};
      return oneModule("cuda",
                       code3("cubin", {{"add"}}, cuda::fatbin({{.kind = 2, .payload = file.build()}}), Info::Four));
    };
    const std::string said = differences(fat(96, std::string(128, 'a')), fat(168, std::string(256, 'b')), true);
    QVERIFY2(said.find("  changed kernel add: registers 96 → 168; 128 → 256 bytes\n") != std::string::npos,
             said.c_str());
  }

  /// PTX whose registers only have other numbers is the same, also for the module that contains it.
  void renumberedPtxIsTheSame() {
    const auto ptx = [](const std::string& head, const std::string& body) {
      const std::string text =
          head + "\n.target sm_90\n.address_size 64\n.visible .entry add(.param .u64 p)\n{\n" + body + "}\n";
      return oneModule("cuda", code3("ptx", {{"add"}}, text, Info::Four));
    };
    const std::string a = ptx(".version 9.0", "mov.u32 %r1, 5;\nst.global.u32 [p], %r1;\nret;\n"),
                      b = ptx(".version 9.0", "mov.u32 %r7, 5;\nst.global.u32 [p], %r7;\nret;\n"),
                      c = ptx(".version 9.0", "mov.u32 %r7, 6;\nst.global.u32 [p], %r7;\nbar.sync 0;\nret;\n");
    QCOMPARE(q(differences(a, b, true)), QString());
    CompareOptions raw = contentOnly();
    raw.rawNumbers = true;
    QVERIFY(q(nodesText(compared(a, b, raw), true)).contains(QStringLiteral("  changed kernel add: 2 lines differ")));
    // What is outside of the kernels still counts.
    QVERIFY(q(differences(a, ptx(".version 8.0", "mov.u32 %r7, 5;\nst.global.u32 [p], %r7;\nret;\n"), true))
                .contains(QStringLiteral("1 line differs")));

    const DiffTree tree = compared(a, c, contentOnly());
    const auto kernel = std::find_if(tree.nodes.begin(), tree.nodes.end(),
                                     [](const DiffNode& node) { return node.topic == Topic::Kernel; });
    QVERIFY(kernel != tree.nodes.end() && kernel->code);
    QCOMPARE(kernel->code->listing, std::string("PTX"));
    QCOMPARE(kernel->code->removed, std::optional<uint64_t>(1));
    QCOMPARE(kernel->code->added, std::optional<uint64_t>(2));
    QVERIFY(kernel->code->find("instructions") &&
            *kernel->code->find("instructions") == (NumberPair{"instructions", 3, 4}));
    QCOMPARE(kernel->code->instructions,
             (std::vector<NumberPair>{
                 {"moves", 1, 1}, {"global memory", 1, 1}, {"control flow", 1, 1}, {"exchange", 0, 1}}));
    const DiffTree swapped = mirrored(tree);
    QCOMPARE(swapped.nodes[static_cast<std::size_t>(kernel - tree.nodes.begin())].code->added,
             std::optional<uint64_t>(1));
  }

  /// Machine code is compared as SASS; the disassembler of this test prints what the code says.
  void machineCodeIsComparedAsSass() {
    static int calls = 0;
    calls = 0;
    const auto before = syntax::sassDisassembler();
    syntax::setSassDisassembler([](const Bytes& cubin, const std::string&, Monitor&) -> Result<std::string> {
      ++calls;
      std::string out = "// made by a test\n";
      for (const char* const name : {"add", "mul"}) {
        out += std::string("//--- .text.") + name + " ---\n\t.section\t.text." + name + ",\"ax\",@progbits\n" + name +
               ":\n        /*0000*/  MOV R" + (cubin.view().find("bbbb") == std::string_view::npos ? "1" : "2") +
               ", 0x1 ;\n";
        if (cubin.view().find("cccc") != std::string_view::npos && name == std::string_view("mul"))
          out += "        /*0010*/  LDG.E R0, [R2.64] ;\n";
      }
      return out;
    });
    const auto fat = [](uint32_t registers, char add, char mul) {
      cuda::CubinKernel one, two;
      one.name = "add";
      one.code = std::string(128, add);
      two.name = "mul";
      two.code = std::string(128, mul);
      for (cuda::CubinKernel* const kernel : {&one, &two}) {
        kernel->registers = registers;
        // EIATTR_MAX_THREADS: 256, 1, 1.
        kernel->info = ByteBuilder().u8(4).u8(5).u16(12).u32(256).u32(1).u32(1).take();
      }
      cuda::CubinFile file;
      file.kernels = {one, two};
      return oneModule(
          "cuda", code3("cubin", {{"add"}, {"mul"}}, cuda::fatbin({{.kind = 2, .payload = file.build()}}), Info::Four));
    };
    const std::string a = fat(32, 'a', 'a'), b = fat(128, 'b', 'c');
    const DiffTree tree = compared(a, b, contentOnly());
    syntax::setSassDisassembler(before);
    QCOMPARE(calls, 2); // each cubin once
    const std::string said = nodesText(tree, true);
    QVERIFY2(
        said.find("kernel add: registers 32 → 128; occupancy 100 % → 33 %; same instructions in other registers") !=
            std::string::npos,
        said.c_str());
    QVERIFY2(said.find("kernel mul: registers 32 → 128; occupancy 100 % → 33 %; 1 instruction added") !=
                 std::string::npos,
             said.c_str());
    QCOMPARE(tree.notes.size(), std::size_t{0});
  }

  /// Without nvdisasm a note says what was not compared.
  void missingDisassemblerIsNoted() {
    const auto before = syntax::sassDisassembler();
    syntax::setSassDisassembler([](const Bytes&, const std::string&, Monitor&) -> Result<std::string> {
      return Error(DiagnosticId::ToolMissing, {{"tool", "nvdisasm"}, {"source", "x"}, arg("places", "y")});
    });
    const auto fat = [](char code) {
      cuda::CubinKernel kernel;
      kernel.name = "add";
      kernel.code = std::string(128, code);
      cuda::CubinFile file;
      file.kernels = {kernel};
      return oneModule("cuda",
                       code3("cubin", {{"add"}}, cuda::fatbin({{.kind = 2, .payload = file.build()}}), Info::Four));
    };
    const DiffTree tree = compared(fat('a'), fat('b'), contentOnly());
    syntax::setSassDisassembler(before);
    QCOMPARE(tree.notes,
             (std::vector<std::string>{"the machine code of kernels was only compared byte by byte, because "
                                       "nvdisasm was not found"}));
  }

  void moduleChangesAreReported_data() {
    QTest::addColumn<std::string>("a");
    QTest::addColumn<std::string>("b");
    QTest::addColumn<std::string>("expected");
    const Record lib = {"_lib", ""}, one = {"metal", metal({{"add", "aaaa"}})},
                 two = {"metal", metal({{"mul", "mmmm"}})}, other = {"Vendor.Kind", "sixteen bytes ok"};
    const auto row = [](const char* name, const std::string& a, const std::string& b, const std::string& expected) {
      QTest::newRow(name) << a << b << expected;
    };
    /// `_lib`, which imports all others.
    const auto flat = [&](std::vector<Record> modules) {
      Imports imports(modules.size() + 1);
      for (uint64_t i = 1; i <= modules.size(); ++i) imports[0].push_back(i);
      modules.insert(modules.begin(), lib);
      return libraryOf(modules, imports);
    };
    row("added", flat({one}), flat({one, other}), "added module Vendor.Kind\n");
    row("added in front", flat({one}), flat({other, one}), "added module Vendor.Kind\n");
    row("removed with its kernels", flat({one, other}), flat({other}),
        "removed module metal\n"
        "  removed kernel add\n");
    row("imported by another", flat({other, one}), libraryOf({lib, other, one}, {{1}, {2}, {}}),
        "moved module metal\n");
    row("reordered", flat({other, one}), flat({one, other}), "moved module Vendor.Kind\n");
    row("other kind, equal content", flat({other}), flat({{"Vendor.Other", other.payload}}),
        "removed module Vendor.Kind\n"
        "added module Vendor.Other\n");
    // Of two modules of the same kind, those with the same kernels are paired.
    row("two of a kind", flat({one, two}), flat({two, {"metal", metal({{"add", "AAAA"}})}}),
        "changed module metal\n"
        "  changed kernel add\n");
    row("a kernel went to another module",
        flat({{"metal", metal({{"add", "aaaa"}, {"mul", "mmmm"}})}, {"metal", metal({{"sub", "ssss"}})}}),
        flat({{"metal", metal({{"add", "aaaa"}})}, {"metal", metal({{"sub", "ssss"}, {"mul", "mmmm"}})}}),
        "changed module metal\n"
        "  moved kernel mul\n"
        "changed module metal\n");
    row("undecoded bytes", flat({other}), flat({{"Vendor.Kind", "sixteen bytes OK"}}), "changed module Vendor.Kind\n");
  }
  void moduleChangesAreReported() {
    QFETCH(std::string, a);
    QFETCH(std::string, b);
    QFETCH(std::string, expected);
    std::string said = differences(a, b);
    // Undecoded bytes are one field.
    const std::size_t field = said.find("  changed field");
    if (field != std::string::npos) said.erase(field, said.find('\n', field) + 1 - field);
    QCOMPARE(q(said), q(expected));
  }

  void tensorChangesAreReported() {
    const auto file = [](const std::vector<float>& values, std::vector<int64_t> shape = {4}) {
      return params({"w", "b"}, {{kFloat32, std::move(shape), floats(values)}, {kFloat32, {1}, floats({7})}});
    };
    const std::string a = file({1, 2, 3, 4});
    DiffTree tree = compared(a, file({1, 2.5, 3, 4}));
    QCOMPARE(q(nodesText(tree, true)),
             q("changed tensor w: 1 of 4 values differs, max difference 0.5 (relative 0.2)\n"));
    QCOMPARE(*tree.largestDifference, 0.5);
    QCOMPARE(describe::summaryOf(tree).front(), "1 tensor same, 1 changed, max difference 0.5"s);
    QCOMPARE(q(nodesText(compared(a, file({1, 2, 3, 4}, {2, 2})), true)),
             q("changed tensor w: type float32 [4] → float32 [2, 2]\n"));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    QVERIFY(nodesText(compared(a, file({1, 2, nan, 4})), true).find("NaN 0 → 1") != std::string::npos);
    QCOMPARE(
        q(differences(a, params({"w", "bias"}, {{kFloat32, {4}, floats({1, 2, 3, 4})}, {kFloat32, {1}, floats({7})}}))),
        q("renamed tensor b → bias\n"));
    QCOMPARE(q(differences(a, params({"w"}, {{kFloat32, {4}, floats({1, 2, 3, 4})}}))), q("removed tensor b\n"));
  }

  void bytecodeAndConstantsAreCompared() {
    RelaxBuilder vm(kTags2025b);
    const std::string a = libraryOf({{"relax.VMExecutable", vm.build()}, {"_lib", ""}}, {{1}, {}});
    RelaxBuilder changed(kTags2025b);
    changed.constants.insert(changed.constants.begin(), ByteBuilder().u32(kTags2025b.integer).u64(42).take());
    for (auto& instruction : changed.code)
      for (int64_t& word : instruction)
        if (word == RelaxBuilder::constant(4)) word = RelaxBuilder::constant(5); // the same constant, one further
    changed.functions[1].registers = 9;
    const std::string said =
        differences(a, libraryOf({{"relax.VMExecutable", changed.build()}, {"_lib", ""}}, {{1}, {}}), true);
    QVERIFY2(said.find("changed VM function main: registers 3 → 9") != std::string::npos, said.c_str());
    QVERIFY2(said.find("added constant 0: 42\n") != std::string::npos, said.c_str());
    QCOMPARE(std::count(said.begin(), said.end(), '\n'), std::ptrdiff_t{3});
    // Numbers of constants are not a difference, unless requested.
    changed.functions[1].registers = vm.functions[1].registers;
    const std::string b = libraryOf({{"relax.VMExecutable", changed.build()}, {"_lib", ""}}, {{1}, {}});
    QCOMPARE(q(differences(a, b)), q("changed module relax.VMExecutable\n  added constant 0\n"));
    diff::CompareOptions options;
    options.rawNumbers = true;
    const std::string raw = nodesText(compared(a, b, options), true);
    QVERIFY2(raw.find("changed VM function main: 1 line differs, from line ") != std::string::npos, raw.c_str());
  }

  void graphNodesAreCompared() {
    const auto graph = [](const std::string& nodes) {
      return oneModule("GraphExecutorFactory", ByteBuilder()
                                                   .str(R"({"nodes": [)" + nodes + R"(], "heads": [[1, 0, 0]]})")
                                                   .raw(aotFactory({"w"}, {{kFloat32, {1}, floats({1})}}, "default"))
                                                   .take());
    };
    const std::string none = graph(R"(
      {"op": "null", "name": "x", "inputs": []},
      {"op": "tvm_op", "name": "relu", "attrs": {"func_name": "relu"}, "inputs": [[0, 0, 0]]})");
    const std::string fused = graph(R"(
      {"op": "null", "name": "x", "inputs": []},
      {"op": "tvm_op", "name": "relu", "attrs": {"func_name": "fused_relu"}, "inputs": [[0, 0, 0]]})");
    const std::string more = graph(R"(
      {"op": "null", "name": "new", "inputs": []},
      {"op": "null", "name": "x", "inputs": []},
      {"op": "tvm_op", "name": "relu", "attrs": {"func_name": "relu"}, "inputs": [[1, 0, 0]]})");
    const std::string changes = differences(none, fused, true);
    QCOMPARE(changes.substr(changes.find('\n') + 1),
             "  changed graph node relu: func_name \"relu\" → \"fused_relu\"\n"s);
    // The inputs of the other nodes are the same nodes with other numbers.
    const std::string said = differences(none, more);
    QVERIFY2(said.ends_with("  added graph node new\n"), said.c_str());
  }

  void hostFunctionsAreCompared() {
    const auto file = [](const std::vector<std::string>& names) {
      ElfBuilder elf;
      for (const std::string& name : names) elf.function("__tvm_ffi_" + name);
      return elf.data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}}, {{}})).build();
    };
    QCOMPARE(differences(file({"add", "mul"}), file({"add", "sub"})).find("not symmetric"), std::string::npos);
    const DiffTree tree = compared(file({"add"}), file({"add", "sub"}), contentOnly());
    QCOMPARE(tree.count(Topic::HostFunction, Status::Same), uint64_t{1});
    QCOMPARE(q(nodesText(tree)), q("added host function sub\n"));
    QCOMPARE(tree.nodes.front().b->toString(), "host:sub"s);
  }

  /// For other machines only names can be compared.
  void hostCodeOfOtherMachinesIsComparedByName() {
    const auto file = [](uint16_t machine) {
      ElfBuilder elf;
      elf.machine = machine;
      return elf.function("__tvm_ffi_add")
          .data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {"Vendor.Kind", "0123456789"}}, {{1}, {}}))
          .build();
    };
    const DiffTree tree = compared(file(62), file(183), contentOnly());
    QVERIFY2(tree.equal(), nodesText(tree).c_str());
    QVERIFY(!tree.notes.empty() && tree.notes.front().find("different systems") != std::string::npos);
  }

  void archiveMembersAreCompared() {
    const std::string object = oneModule("Vendor.Kind", "0123456789"), other = oneModule("Vendor.Kind", "0123456780");
    const ArchiveFile devc = {"x/devc.o", object}, readme = {"readme", "one\n"},
                      list = {"list.json", R"({"a": 1, "b": [1, 2]})"};
    const std::string a = tarOf({devc, readme, list});
    const auto changes = [&](const std::vector<ArchiveFile>& b, bool details = false) {
      return q(differences(a, tarOf(b), details));
    };
    QCOMPARE(q(differences(a, a)), q(""));
    QCOMPARE(changes({{"y/devc.o", object}, readme, list}), q("moved member x/devc.o → y/devc.o\n"));
    QCOMPARE(changes({devc, {"liesmich", "one\n"}, list}), q("renamed member readme → liesmich\n"));
    QCOMPARE(changes({readme, devc, list}), q("moved member readme\n"));
    QCOMPARE(changes({devc, readme, {"list.json", R"({"a": 2, "b": [1, 2]})"}}, true),
             q("changed member list.json: 1 of 21 bytes differs\n"
               "  changed field /a: 1 → 2\n"));
    QVERIFY(changes({{"x/devc.o", other}, readme, list})
                .startsWith("changed member x/devc.o\n"
                            "  changed module Vendor.Kind\n"));
    // The module of an archive compared with that of a library.
    const DiffTree tree = compared(a, object);
    QVERIFY2(tree.equal(), nodesText(tree).c_str());
    QCOMPARE(tree.notes.size(), std::size_t{1});
    QCOMPARE(q(differences(a, other).substr(0, 27)), q("changed module Vendor.Kind\n"));
  }

  void optionsLimitTheComparison() {
    const std::string a = metalLibrary({{"add1", "aaaa"}, {"mul", "mmmm"}}),
                      renamed = metalLibrary({{"add2", "aaaa"}, {"mul", "mmmm"}}),
                      reordered = metalLibrary({{"mul", "mmmm"}, {"add1", "aaaa"}});
    CompareOptions options = contentOnly();
    options.order = false;
    QVERIFY(compared(a, reordered, options).equal());
    QVERIFY(!compared(a, renamed, options).equal());
    options.names = false;
    QVERIFY2(compared(a, renamed, options).equal(), nodesText(compared(a, renamed, options)).c_str());
    options = contentOnly();
    const std::string serial = metalLibrary({{"add1", "int v_12 = 0; // text"}, {"mul", "mmmm"}}),
                      other = metalLibrary({{"add1", "int v_13 = 0; // text"}, {"mul", "mmmm"}});
    QVERIFY(!compared(serial, other, options).equal());
    options.masks = diff::Masks().with(diff::Mask::Serials);
    QVERIFY2(compared(serial, other, options).equal(), nodesText(compared(serial, other, options), true).c_str());
    options = contentOnly();
    options.full = true;
    const DiffTree full = compared(a, renamed, options);
    QCOMPARE(full.count(Status::Same),
             static_cast<uint64_t>(std::count_if(full.nodes.begin(), full.nodes.end(), [](const diff::DiffNode& node) {
               return node.status == Status::Same;
             })));
    const DiffTree kernels = diff::onlyKind(full, diff::NodeKind::Kernel);
    QCOMPARE(q(nodesText(kernels)), q("renamed kernel add1 → add2\nsame kernel mul\n"));
    QCOMPARE(kernels.nodes.size(), std::size_t{2});
    QVERIFY(diff::onlyKind(full, diff::NodeKind::Tensor).equal());
  }

  /// Sections and symbols of libraries that differ in one kernel.
  void sectionsAndSymbolsAreCompared() {
    const DiffTree tree = compared(metalLibrary({{"add", "aaaa"}}), metalLibrary({{"add", "bbbb"}}));
    QCOMPARE(q(nodesText(tree)), q("changed module metal\n  changed kernel add\nchanged section .rodata\n"));
    const DiffTree other = compared(ElfBuilder().function("f").data("d", "1234").build(),
                                    ElfBuilder().function("f").data("d", "1235").data("e", "x").build());
    QVERIFY2(nodesText(other).find("changed symbol d\n") != std::string::npos, nodesText(other).c_str());
    QVERIFY2(nodesText(other).find("added symbol e\n") != std::string::npos, nodesText(other).c_str());
  }

  void comparisonCanBeCancelled() {
    const auto a = openedFile(metalLibrary({{"add", "aaaa"}})), b = openedFile(metalLibrary({{"add", "bbbb"}}));
    for (int looks = 0; looks < 4; ++looks) {
      StopAfter stop(looks);
      const auto tree = diff::compare(a, b, {}, stop);
      QVERIFY(!tree);
      QCOMPARE(tree.error().code(), ErrorCode::Cancelled);
    }
  }

  /// A hundred thousand host functions that all have other names, and members likewise.
  void manyRenamedItemsAreCompared() {
    const auto file = [](const char* prefix) {
      ElfBuilder elf;
      for (int i = 0; i < 20'000; ++i) elf.function("__tvm_ffi_" + std::string(prefix) + std::to_string(i));
      return elf.data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}}, {{}})).build();
    };
    const DiffTree tree = compared(file("left"), file("right"), contentOnly());
    QCOMPARE(tree.count(Topic::HostFunction, Status::Same), uint64_t{0});
    std::vector<ArchiveFile> left, right;
    for (int i = 0; i < 5'000; ++i) {
      left.push_back({"a" + std::to_string(i), "content " + std::to_string(i)});
      right.push_back({"b" + std::to_string(4'999 - i), "content " + std::to_string(i)});
    }
    const DiffTree members = compared(tarOf(left), tarOf(right));
    QCOMPARE(members.count(Topic::Member, Status::Renamed), uint64_t{5'000});
  }
};

BLOBSCOPE_TEST(TestCompareFiles);

#include "test_compare.moc"
