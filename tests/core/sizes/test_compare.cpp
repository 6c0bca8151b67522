#include "core/sizes/compare.h"

#include "core/describe/size_changes.h"
#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/mlf_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

using namespace blobscope;
using namespace blobscope::test;

namespace {

std::string libraryWith(std::size_t addBytes, bool hasRelu) {
  cuda::CubinFile file;
  file.kernels = {cuda::kernel("add_kernel", addBytes), cuda::kernel("old_kernel", 256)};
  if (hasRelu) file.kernels[1] = cuda::kernel("relu_kernel", 384);
  const std::vector<Function> functions = {{"add_kernel"}, {hasRelu ? "relu_kernel" : "old_kernel"}};
  ElfBuilder elf;
  elf.data("__tvm_ffi__library_bin",
           ffiBlob({{"_lib", ""}, {"cuda", code3("cubin", functions, file.build(), Info::Four)}}, {{1}, {}}));
  return elf.build();
}

sizes::SizeComparison compared(const std::string& a, const std::string& b) {
  NullMonitor monitor;
  const auto before = openBytes(a), after = openBytes(b);
  if (!before || !after) qFatal("a library was not opened");
  auto found = sizes::compareSizes(*before, *after, monitor);
  if (!found) qFatal("%s", found.error().message().c_str());
  return *found;
}

const sizes::SizeChange* find(const sizes::SizeComparison& sizes, std::string_view name) {
  const auto found = std::ranges::find(sizes.changes, name, &sizes::SizeChange::name);
  return found == sizes.changes.end() ? nullptr : &*found;
}

} // namespace

/// The sizes of two files.
class TestCompareSizes : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void equalFilesHaveNoChanges() {
    const std::string file = libraryWith(512, false);
    const sizes::SizeComparison sizes = compared(file, file);
    QVERIFY(sizes.changes.empty());
    QVERIFY(sizes.equal > 5);
    QCOMPARE(sizes.before, uint64_t{file.size()});
    QVERIFY(sizes.sentence().find("(0); 0 items differ, ") != std::string::npos);
  }

  void differencesAddUp() {
    const std::string a = libraryWith(4096, false), b = libraryWith(512, true);
    const sizes::SizeComparison sizes = compared(a, b);
    int64_t sum = 0;
    for (const sizes::SizeChange& change : sizes.changes)
      sum += static_cast<int64_t>(change.after) - static_cast<int64_t>(change.before);
    QCOMPARE(sum, static_cast<int64_t>(b.size()) - static_cast<int64_t>(a.size()));
    for (std::size_t i = 1; i < sizes.changes.size(); ++i)
      QVERIFY(sizes.changes[i].difference() <= sizes.changes[i - 1].difference());
    const sizes::SizeChange& first = sizes.changes.front();
    QCOMPARE(first.name, std::string("add_kernel"));
    QCOMPARE(first.in, std::string("Blob › cuda"));
    QCOMPARE(first.differenceText(), std::string("−3,584"));
    QVERIFY(!first.grows());
    QCOMPARE(first.b->toString(), std::string("m1/kernel:add_kernel"));
    const sizes::SizeChange *const added = find(sizes, "relu_kernel"), *const removed = find(sizes, "old_kernel");
    QVERIFY(added && added->before == 0 && !added->a && added->after > 384);
    QVERIFY(removed && removed->after == 0 && !removed->b);
    QVERIFY(added->differenceText().starts_with('+'));
  }

  void renumberedItemsAreTheSame() {
    const auto page = [](std::vector<std::pair<std::string, uint64_t>> items) {
      view::TreemapPage map;
      uint64_t sum = 0;
      map.items.push_back(
          {"lib.so", {}, view::TreemapPage::Kind::Container, 0, 0, 1, uint32_t(items.size()), 0, {}, {}});
      for (auto& [name, bytes] : items) {
        map.items.push_back({std::move(name), {}, view::TreemapPage::Kind::Kernel, bytes, 0, 0, 0, 0, {}, {}});
        sum += bytes;
      }
      map.items.front().bytes = sum;
      return map;
    };
    const auto sizes = sizes::compareSizes(page({{"norm_kernel", 100}, {"norm_kernel_1", 50}, {"c1", 7}, {"same", 9}}),
                                           page({{"norm_kernel0", 100}, {"norm_kernel1", 80}, {"c2", 8}, {"same", 9}}));
    QStringList rows;
    for (const sizes::SizeChange& change : sizes.changes)
      rows << QString::fromStdString(change.name + " " + change.differenceText());
    QCOMPARE(rows, QStringList({QStringLiteral("norm_kernel_1 → norm_kernel1 +30"), QStringLiteral("c2 +8"),
                                QStringLiteral("c1 −7")}));
    QCOMPARE(sizes.equal, uint64_t{2});
  }

  void textHasSignedBars() {
    const sizes::SizeComparison sizes = compared(libraryWith(4096, false), libraryWith(512, true));
    std::string text;
    describe::writeText(sizes, {[&](std::string_view part) { text += part; },
                                [](Severity, std::string_view word) { return std::string(word); }});
    QVERIFY2(text.starts_with("sizes: " + sizes.sentence() + "\n"), text.c_str());
    QVERIFY(text.find("−3,584  --------------------  ") != std::string::npos);
    QVERIFY(text.find("  Blob › cuda › add_kernel\n") != std::string::npos);
    std::string html;
    describe::writeHtml(sizes, [&](std::string_view part) { html += part; });
    QVERIFY(html.find("<h2>Sizes</h2>") != std::string::npos);
    QVERIFY(html.find("<svg class=\"added\"") != std::string::npos);
    QVERIFY(html.find("<svg class=\"warning\"") != std::string::npos);
    html.clear();
    describe::writeHtml({}, [&](std::string_view part) { html += part; });
    QVERIFY(html.empty());
  }

  void memoryOfArchivesIsCompared() {
    view::MemoryFit a, b;
    a.groups = {{"RAM", {{"workspace", "metadata.json", 64}, {"inputs and outputs", "metadata.json", 32}}, {}, {}},
                {"Flash", {{"constants", "metadata.json", 48}}, 100, {}}};
    b.groups = {{"RAM", {{"workspace", "metadata.json", 128}, {"inputs and outputs", "metadata.json", 32}}, {}, {}},
                {"Flash", {{"graph", "graph file", 8}}, 200, {}}};
    const sizes::SizeComparison memory = sizes::compareMemory(a, b);
    QStringList rows;
    for (const sizes::SizeChange& change : memory.changes)
      rows << QString::fromStdString(change.in + "/" + change.name + " " + change.differenceText());
    QCOMPARE(rows, QStringList({QStringLiteral("/RAM +64"), QStringLiteral("RAM/workspace +64"),
                                QStringLiteral("Flash/constants −48"), QStringLiteral("/Flash −40"),
                                QStringLiteral("Flash/graph +8")}));
    QCOMPARE(memory.sentence(), std::string("RAM 96 → 160 bytes (+64), Flash 48 → 8 bytes (−40); 5 items differ, 1 has "
                                            "the same size."));
    QVERIFY(sizes::compareMemory(a, a).changes.empty());
    QCOMPARE(sizes::compareMemory(a, a).equal, uint64_t{5});
  }

  void archivesHaveMemory() {
    NullMonitor monitor;
    const auto a = openBytes(cleanMlf(7, MlfStyle::Aot).tar());
    const auto b = openBytes(cleanMlf(7, MlfStyle::Aot).set("workspace_size_bytes", "80").tar());
    const auto library = openBytes(libraryWith(512, false));
    QVERIFY(a && b && library);
    const auto memory = describe::memoryChanges(*a, *b, monitor);
    QVERIFY(memory && *memory);
    QCOMPARE((*memory)->changes.size(), std::size_t{2}); // RAM, and the workspace in it
    QCOMPARE((*memory)->changes.front().name + (*memory)->changes.front().differenceText(), std::string("RAM+16"));
    const auto none = describe::memoryChanges(*a, *library, monitor);
    QVERIFY(none && !*none);
    std::string text, html;
    describe::writeText(**memory,
                        {[&](std::string_view part) { text += part; },
                         [](Severity, std::string_view word) { return std::string(word); }},
                        "memory");
    QVERIFY2(text.starts_with("memory: RAM 96 → 112 bytes (+16), Flash 0 → 0 bytes (0); "), text.c_str());
    describe::writeHtml(**memory, [&](std::string_view part) { html += part; }, "Memory");
    QVERIFY(html.starts_with("<h2>Memory</h2>"));
  }

  void workIsCancelled() {
    const auto package = openBytes(libraryWith(512, false));
    QVERIFY(package);
    StopAfter stopped(0);
    const auto found = sizes::compareSizes(*package, *package, stopped);
    QVERIFY(!found && found.error().code() == ErrorCode::Cancelled);
  }
};

BLOBSCOPE_TEST(TestCompareSizes);
#include "test_compare.moc"
