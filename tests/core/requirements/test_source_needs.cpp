#include "core/requirements/source_needs.h"

#include "tests/core/base/compare.h"
#include "tests/core/requirements/needs.h"
#include "tests/support/test_main.h"

using namespace blobscope;
using namespace blobscope::test;
using requirements::openClExtensions;
using requirements::wgslNeeds;

class TestSourceNeeds : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void extensionsOfOpenCl_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("extensions");
    const auto row = [](const char* name, const char* text, const char* extensions) {
      QTest::newRow(name) << QByteArray(text) << QByteArray(extensions);
    };
    row("none", "__kernel void add() {}", "");
    row("one", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n", "cl_khr_fp16");
    row("twice", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL EXTENSION cl_khr_fp16: enable",
        "cl_khr_fp16");
    row("disabled", "#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n", "");
    row("alternative",
        "#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#elif defined(cl_amd_fp16)\n"
        "#pragma OPENCL EXTENSION cl_amd_fp16 : enable\n#else\n#error \"no half\"\n#endif\n"
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
        "cl_khr_fp16 cl_khr_fp64");
    row("cut", "#pragma OPENCL EXTENSION", "");
    row("cut at the colon", "#pragma OPENCL EXTENSION cl_khr_fp16 :", "");
    row("only the sign", "#", "");
  }
  void extensionsOfOpenCl() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, extensions);
    QCOMPARE(joined(openClExtensions(text.toStdString())), extensions.toStdString());
  }

  void needsOfWgsl() {
    const auto needs = wgslNeeds("enable f16;\nenable subgroups, other;\n"
                                 "@group(0) @binding(0) var<storage, read_write> a : array<f16>;\n"
                                 "@group(0) @binding(1) var<storage, read> b : array<f32>;\n"
                                 "@group(0) @binding(2) var<uniform> podArgs : PODArgs;\n"
                                 "var<workgroup> s : array<f32, 256>;\nvar<workgroup> t : array<vec4<f16>, 8>;\n"
                                 "@compute @workgroup_size(8, 4, 2)\nfn main() { let enabled = 1; }\n");
    QCOMPARE(joined(needs.features), "f16 subgroups other");
    QCOMPARE(needs.storageBuffers, uint64_t{2});
    QCOMPARE(needs.threads, std::optional<uint64_t>(64));
    QCOMPARE(needs.sharedBytes, std::optional<uint64_t>(1024 + 64));
  }

  void unknownSizesOfWgslAreNotGuessed() {
    QCOMPARE(wgslNeeds("var<workgroup> s : array<Pair, 4>;").sharedBytes, std::optional<uint64_t>());
    QCOMPARE(wgslNeeds("var<workgroup> s : array<f32, 99999999999999999>; var<workgroup> t : "
                       "array<vec4<f32>, 18446744073709551615>;")
                 .sharedBytes,
             std::optional<uint64_t>());
    QCOMPARE(wgslNeeds("@workgroup_size(x, 1, 1)").threads, std::optional<uint64_t>());
    QCOMPARE(wgslNeeds("@workgroup_size(8").threads, std::optional<uint64_t>());
    QCOMPARE(wgslNeeds("").sharedBytes, std::optional<uint64_t>(0));
  }
};

BLOBSCOPE_TEST(TestSourceNeeds);
#include "test_source_needs.moc"
