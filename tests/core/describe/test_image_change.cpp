#include "core/base/text.h"
#include "core/describe/image_change.h"
#include "core/describe/write_plan.h"
#include "core/edit/edit_json.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QTest>

#include <algorithm>

namespace blobscope::test {
namespace {

using namespace std::string_literals;

const std::vector<Function> kAdd = {{"add"}};

/// m1 has machine code for sm_80 and PTX, m2 machine code for two architectures and PTX, m3 is no code.
std::string fatLibrary() {
  const cuda::Image old = {.kind = 2, .sm = 80, .payload = "machine code"},
                    newer = {.kind = 2, .sm = 90, .payload = "newer machine code"},
                    ptx = {.kind = 1, .sm = 80, .payload = ptxText(kAdd), .major = 8, .minor = 0};
  return elfWith("__tvm_ffi__library_bin",
                 ffiBlob({{"_lib", ""},
                          {"cuda", code3("fatbin", kAdd, cuda::fatbin({old, ptx}), Info::Four)},
                          {"cuda", code3("fatbin", kAdd, cuda::fatbin({old, newer, ptx}), Info::Four)},
                          {"Vendor.Kind", "sixteen bytes ok"}},
                         {{1, 2, 3}, {}, {}, {}}));
}

write::Repack planned(std::string edits) {
  NullMonitor monitor;
  std::replace(edits.begin(), edits.end(), '\'', '"');
  const auto package = openBytes(fatLibrary());
  if (!package) qFatal("a made library cannot be opened: %s", package.error().message().c_str());
  const auto list = edit::readEdits(bytes("{\"schema\": \"blobscope.edits/1\", \"edits\": [" + edits + "]}"));
  if (!list) qFatal("the edits of a test cannot be read: %s", list.error().message().c_str());
  auto repack = write::planRepack(*package, list->edits, {}, {}, monitor);
  if (!repack) qFatal("the edits of a test cannot be planned: %s", repack.error().message().c_str());
  return std::move(*repack);
}

std::string removed(const char* ref) { return "{'op': 'remove', 'ref': '"s + ref + "'}"; }

std::optional<describe::ImageChange> changeOf(const std::string& edits) {
  NullMonitor monitor;
  auto change = describe::imageChangeOf(planned(edits), monitor);
  if (!change) qFatal("the images cannot be compared: %s", change.error().message().c_str());
  return std::move(*change);
}

std::string gpuMessages(const describe::ImageChange& change) {
  std::string out;
  for (const Diagnostic& one : describe::consequencesOf(change.gpus))
    out += std::string(one.idText()) + ": " + one.message() + "\n";
  return out;
}

} // namespace

class TestImageChange : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void otherEditsChangeNoImages() {
    QVERIFY(!changeOf("{'op': 'rename', 'ref': 'm1/kernel:add', 'name': 'sum'}"));
    QVERIFY(!changeOf(removed("m3")));
  }

  /// Every module must run, so a GPU is lost with the first of them.
  void lostGpusAreFound() {
    const auto change = changeOf(removed("m2/entry:0") + "," + removed("m2/entry:2"));
    QVERIFY(change);
    QCOMPARE(change->modules.size(), std::size_t{1});
    QCOMPARE(change->modules[0].module.toString(), "m2"s);
    QCOMPARE(change->modules[0].imagesBefore, uint64_t{3});
    QCOMPARE(change->modules[0].imagesAfter, uint64_t{1});
    const std::string text = gpuMessages(*change);
    QVERIFY2(
        text.starts_with("REP-GPU: these GPUs can no longer run the library: sm_80 (NVIDIA A100), "
                         "sm_86 (GeForce RTX 3090), sm_87 (Jetson AGX Orin), sm_88, sm_89 (GeForce RTX 4090), sm_100 "),
        text.c_str());
    QVERIFY2(text.find("sm_90 ") == std::string::npos, text.c_str()); // m1 has PTX, m2 machine code, as before
  }

  void gpusThatOnlyCompileNowAreFound() {
    const auto change = changeOf(removed("m2/entry:0"));
    QVERIFY(change);
    QCOMPARE(gpuMessages(*change), "REP-GPU-RUNS: these GPUs ran machine code, and now their driver compiles PTX: "
                                   "sm_80 (NVIDIA A100), sm_86 (GeForce RTX 3090), sm_89 (GeForce RTX 4090)\n"s);
    QVERIFY(gpuMessages(*changeOf(removed("m2/entry:1"))).empty()); // sm_90 compiled the PTX of m1 before
  }

  void gpusThatRunItNowAreFound() {
    const cuda::Image ptx = {.kind = 1, .sm = 50, .payload = ptxText(kAdd), .major = 8, .minor = 0};
    const std::string payload = hexDigits(code3("fatbin", kAdd, cuda::fatbin({ptx}), Info::Four));
    const auto change = changeOf("{'op': 'replace', 'ref': 'm1', 'hex': '" + payload +
                                 "'}, {'op': 'replace', 'ref': 'm2', 'hex': '" + payload + "'}");
    QVERIFY(change);
    const std::string text = gpuMessages(*change);
    QVERIFY2(text.starts_with("REP-GPU-RUNS: these GPUs can now run the library: sm_50 (GeForce GTX 750 Ti), sm_52 "),
             text.c_str());
    QVERIFY2(text.find("REP-GPU:") == std::string::npos, text.c_str());
  }

  /// A library without machine code and PTX runs on no GPU of the tables, but it needs none.
  void removedModulesMakeNoGpuUnfit() {
    const auto change = changeOf(removed("m1") + "," + removed("m2"));
    QVERIFY(change);
    QCOMPARE(change->modules.size(), std::size_t{2});
    QCOMPARE(change->modules[0].imagesAfter, uint64_t{0});
    QVERIFY(change->gpus.empty());
  }

  void planSaysWhatChanges() {
    NullMonitor monitor;
    write::Repack repack = planned(removed("m1/entry:1"));
    const auto change = describe::addImageChange(repack, monitor);
    QVERIFY(change && *change);
    std::string text;
    describe::writeText(repack, {{}, {}, {}, *change},
                        {[&](std::string_view part) { text += part; },
                         [](Severity, std::string_view word) { return std::string(word); }});
    const uint64_t before = (*change)->modules[0].bytesBefore, after = (*change)->modules[0].bytesAfter;
    QVERIFY(after < before);
    const std::string line = "\nimages    m1: 2 → 1 image, " + std::to_string(before) + " → " + std::to_string(after) +
                             " bytes, " + std::to_string(before - after) + " freed\n";
    QVERIFY2(text.find(line) != std::string::npos, text.c_str());
    QVERIFY2(text.find("\nwarning REP-GPU: these GPUs can no longer run the library: sm_87 (Jetson AGX Orin), "
                       "sm_88, sm_90 (NVIDIA H100)") != std::string::npos,
             text.c_str());
    QVERIFY(!repack.needsConsent());
  }

  void comparisonCanBeCancelled() {
    const write::Repack repack = planned(removed("m1/entry:1"));
    StopAfter monitor(0);
    const auto change = describe::imageChangeOf(repack, monitor);
    QVERIFY(!change);
    QCOMPARE(change.error().id(), DiagnosticId::Cancelled);
  }
};

BLOBSCOPE_TEST(TestImageChange);

} // namespace blobscope::test

#include "test_image_change.moc"
