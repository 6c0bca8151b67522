#include "core/base/text.h"
#include "core/describe/node.h"
#include "core/sizes/page.h"
#include "core/view/csv.h"
#include "core/view/page_id.h"
#include "core/view/render.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/contracts/container_rows.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <filesystem>

using namespace blobscope;
using namespace blobscope::test;

namespace {

using Map = view::TreemapPage;

Result<view::TreemapPagePtr> sizePage(const library::PackagePtr& package, std::string_view ref, Monitor& monitor) {
  BLOBSCOPE_TRY(pages, describe::pagesOf(package, *Ref::parse(ref), monitor));
  for (const view::Page& page : pages) {
    if (page.name != view::page_id::kSize) continue;
    BLOBSCOPE_TRY(made, view::resolvePage(page, monitor));
    return std::get<view::TreemapPagePtr>(made.content);
  }
  return Error(DiagnosticId::PageNotFound, {{"ref", std::string(ref)}, {"page", "Size"}, {"pages", ""}});
}

view::TreemapPagePtr sizesOf(std::string_view file, std::string_view ref = {}) {
  NullMonitor monitor;
  const auto package = openBytes(file);
  if (!package) qFatal("%s", package.error().message().c_str());
  auto page = sizePage(*package, ref, monitor);
  if (!page) qFatal("%s", page.error().message().c_str());
  return *page;
}

/// Why not every byte belongs to exactly one leaf; empty when it does.
std::string whyNotTiled(const Map& map, uint64_t size) {
  if (map.items.empty() || map.total() != size)
    return "the total is " + std::to_string(map.total()) + " instead of " + std::to_string(size);
  uint64_t leaves = 0, listed = 1;
  for (uint32_t i = 0; i < map.items.size(); ++i) {
    const Map::Item& item = map.items[i];
    if (item.name.empty()) return "item " + std::to_string(i) + " has no name";
    if (item.bytes == 0) return item.name + " has no bytes";
    if (map.isLeaf(i)) {
      leaves += item.bytes;
      continue;
    }
    if (item.first <= i || item.first + item.count > map.items.size()) return item.name + " has children elsewhere";
    listed += item.count;
    uint64_t below = 0;
    for (uint32_t child = item.first; child < item.first + item.count; ++child) {
      if (map.items[child].parent != i) return map.items[child].name + " has another parent";
      if (child > item.first && map.items[child].bytes > map.items[child - 1].bytes) return item.name + ": not sorted";
      below += map.items[child].bytes;
    }
    if (below != item.bytes) return item.name + ": children with " + std::to_string(below) + " bytes";
  }
  if (listed != map.items.size()) return "items without a parent";
  return leaves == size ? "" : "leaves with " + std::to_string(leaves) + " bytes";
}

const Map::Item* find(const Map& map, std::string_view name) {
  const auto found = std::ranges::find(map.items, name, &Map::Item::name);
  return found == map.items.end() ? nullptr : &*found;
}

/// "name bytes kind" of what is directly below an item.
QStringList below(const Map& map, std::string_view name) {
  QStringList out;
  const Map::Item* const item = find(map, name);
  for (uint32_t i = 0; item && i < item->count; ++i) {
    const Map::Item& child = map.items[item->first + i];
    out << QStringLiteral("%1 %2 %3")
               .arg(QString::fromStdString(child.name))
               .arg(child.bytes)
               .arg(QLatin1String(Map::kindName(child.kind).data(), qsizetype(Map::kindName(child.kind).size())));
  }
  return out;
}

std::string libraryWith(const std::string& key, const std::string& device) {
  ElfBuilder elf;
  elf.function("__tvm_ffi_add").data("__tvm_ffi__library_bin", ffiBlob({{"_lib", ""}, {key, device}}, {{1}, {}}));
  return elf.build();
}

const std::vector<Function> kTwo = {{"add_kernel"}, {"relu_kernel"}};

std::string twoKernels() {
  return cuda::CubinFile{.kernels = {cuda::kernel("add_kernel", 512), cuda::kernel("relu_kernel", 128)}}.build();
}

} // namespace

/// What takes how many bytes.
class TestSizes : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyByteHasOneOwner_data() {
    QTest::addColumn<QByteArray>("file");
    for (const ContainerRow& row : containerRows())
      QTest::newRow(row.name.c_str()) << QByteArray::fromStdString(row.file);
  }
  /// Also of a file that ends early, and of one with another byte.
  void everyByteHasOneOwner() {
    QFETCH(QByteArray, file);
    NullMonitor monitor;
    const std::string whole = file.toStdString();
    int opened = 0;
    const auto check = [&](const std::string& bytes) -> std::string {
      const auto package = openBytes(bytes);
      if (!package) return {};
      ++opened;
      const auto page = sizePage(*package, "", monitor);
      if (!page) return page.error().message();
      const bool isUnpacked = !(*page)->notes.empty() && (*package)->image.kind == container::Kind::Archive;
      const std::string why = whyNotTiled(**page, isUnpacked ? (*page)->total() : bytes.size());
      if (!why.empty() || isUnpacked) return why;
      return (*page)->total() == bytes.size() ? "" : "another total";
    };
    const std::string why = check(whole);
    QVERIFY2(why.empty(), why.c_str());
    QCOMPARE(opened, 1);
    constexpr std::size_t kPlaces = 24;
    for (std::size_t i = 1; i < kPlaces; ++i) {
      const std::size_t at = whole.size() * i / kPlaces;
      const std::string cut = check(whole.substr(0, at));
      QVERIFY2(cut.empty(), (std::to_string(at) + ": " + cut).c_str());
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0xff);
      const std::string damaged = check(changed);
      QVERIFY2(damaged.empty(), ("byte " + std::to_string(at) + ": " + damaged).c_str());
    }
  }

  void corpusIsTiled() {
    const QString set = qEnvironmentVariable("BLOBSCOPE_CORPUS");
    const QString folder = set.isEmpty() ? QStringLiteral(BLOBSCOPE_SOURCE_DIR "/resources/sample") : set;
    int files = 0;
    for (QDirIterator it(folder, QDir::Files, QDirIterator::Subdirectories); it.hasNext();) {
      const QString path = it.next();
      NullMonitor monitor;
      const auto package = library::open(std::filesystem::path(path.toStdString()), monitor);
      if (!package) continue; // texts beside the libraries
      ++files;
      const auto page = sizePage(*package, "", monitor);
      QVERIFY2(page, qPrintable(path));
      const uint64_t unpacked = (*package)->image.unpackedSize;
      const std::string why = whyNotTiled(**page, unpacked > 0 ? unpacked : (*package)->bytes.size());
      QVERIFY2(why.empty(), qPrintable(path + QStringLiteral(": ") + QString::fromStdString(why)));
    }
    QVERIFY(files >= 6);
  }

  void kernelsOfACubinHaveTheirSections() {
    const view::TreemapPagePtr map = sizesOf(libraryWith("cuda", code3("cubin", kTwo, twoKernels(), Info::Four)));
    const Map::Item* const add = find(*map, "add_kernel");
    const Map::Item* const relu = find(*map, "relu_kernel");
    QVERIFY(add && relu);
    QVERIFY(add->kind == Map::Kind::Kernel);
    QCOMPARE(add->bytes - relu->bytes, uint64_t{512 - 128}); // the other sections are the same
    QVERIFY(relu->bytes > 128);
    QCOMPARE(add->ref->toString(), std::string("m1/kernel:add_kernel"));
    QCOMPARE(map->items[add->parent].name, std::string("cuda"));
    QCOMPARE(map->pathAbove(static_cast<uint32_t>(add - map->items.data())), std::string("Blob › cuda"));
  }

  void imagesOfAFatBinaryAreListed() {
    cuda::Image stored;
    stored.payload = twoKernels();
    cuda::Image packed;
    packed.sm = 90;
    packed.payload = std::string(100, 'x');
    packed.flags |= 0x2000; // LZ4
    packed.uncompressed = 4000;
    const std::string fatbin = cuda::fatbin({stored, packed});
    const view::TreemapPagePtr map = sizesOf(libraryWith("cuda", code3("fatbin", kTwo, fatbin, Info::Four)));
    const Map::Item *const image = find(*map, "sm_89"), *const other = find(*map, "sm_90");
    QVERIFY(image && other);
    QVERIFY(image->count > 2 && other->count == 0);
    QCOMPARE(QString::fromStdString(other->note), QStringLiteral("cubin, compressed"));
    QCOMPARE(image->ref->toString(), std::string("m1/entry:0"));
    const Map::Item* const add = find(*map, "add_kernel");
    QVERIFY(add && map->items[add->parent].name == "sm_89");
  }

  void kernelsInSourceHaveTheirLines() {
    const std::string source = "#define N 4\n"
                               "__kernel void add_kernel(__global float* a) {\n  a[0] = 1;\n}\n"
                               "__kernel void relu_kernel(__global float* a) {\n}\n";
    const view::TreemapPagePtr map = sizesOf(libraryWith("opencl", code3("cl", kTwo, source, Info::Four)));
    QCOMPARE(find(*map, "add_kernel")->bytes, uint64_t{46 + 12 + 2});
    QCOMPARE(find(*map, "relu_kernel")->bytes, uint64_t{47 + 2});
    QCOMPARE(find(*map, "source outside functions")->bytes, uint64_t{12});
  }

  void kernelsWithCodeOfTheirOwn() {
    const view::TreemapPagePtr map = sizesOf(libraryWith("vulkan", vulkan(kTwo, Info::Four, true)), "m1");
    QCOMPARE(map->items.front().name, std::string("vulkan"));
    const Map::Item* const add = find(*map, "add_kernel");
    QVERIFY(add && add->parent == 0);
    QVERIFY(find(*map, "relu_kernel"));
  }

  void hostFunctionsAndTables() {
    const std::string file = libraryWith("cuda", code3("ptx", kTwo, ptxText(kTwo), Info::Four));
    const view::TreemapPagePtr map = sizesOf(file);
    const Map::Item* const add = find(*map, "add");
    QVERIFY2(add && add->kind == Map::Kind::HostCode, qPrintable(below(*map, "Host code").join(QLatin1Char('\n'))));
    QCOMPARE(add->ref->toString(), std::string("host:add"));
    const QStringList tables = below(*map, "Symbols, tables, headers");
    QVERIFY2(tables.contains(QStringLiteral("file header 64 tables")), qPrintable(tables.join(QLatin1Char('\n'))));
    QVERIFY(find(*map, ".dynsym"));
    QCOMPARE(map->itemText(0), "made.so, " + std::to_string(file.size() / 1000) + "," +
                                   std::to_string(1000 + file.size() % 1000).substr(1) + " bytes, 100.0 %");
  }

  void bytesWithoutAName() {
    const std::string file = libraryWith("opencl", code3("cl", kTwo, "x", Info::Four));
    const view::TreemapPagePtr map = sizesOf(file + std::string(1000, '\0') + "something");
    // One range: its last bytes are no padding.
    const Map::Item* const none = find(*map, "no name");
    QVERIFY(none && none->kind == Map::Kind::Unnamed);
    QCOMPARE(none->bytes, uint64_t{1009});
    QCOMPARE(none->ref->toString(), "@" + hexText(file.size()) + "+1009");
    const view::TreemapPagePtr padded = sizesOf(file + std::string(1000, '\0'));
    QVERIFY(find(*padded, "padding") && !find(*padded, "no name"));
  }

  void membersAreInTheirFolders() {
    const std::string file = libraryWith("opencl", code3("cl", kTwo, "x", Info::Four));
    const std::string tar = tarOf({{"lib/a/one.so", file}, {"lib/a/text.txt", "0123456789"}, {"top.txt", "abc"}});
    const view::TreemapPagePtr map = sizesOf(tar);
    QCOMPARE(map->total(), uint64_t{tar.size()});
    const Map::Item* const folder = find(*map, "lib/a");
    QVERIFY(folder && folder->parent == 0);
    QCOMPARE(folder->bytes, uint64_t{file.size() + 10});
    const Map::Item* const one = find(*map, "one.so");
    QVERIFY(one && find(*map, "Blob"));
    QCOMPARE(one->bytes, uint64_t{file.size()});
    QCOMPARE(one->ref->toString(), std::string("lib/a/one.so!"));
    QCOMPARE(find(*map, "headers, padding")->bytes, uint64_t{tar.size() - file.size() - 13});
  }

  void compressedArchivesHaveTheirUnpackedSizes() {
    const std::string tar = tarOf({{"one.txt", std::string(5000, 'x')}}) + std::string(4096, '\0');
    const std::string file = gzipOf(tar);
    const view::TreemapPagePtr map = sizesOf(file);
    QCOMPARE(map->total(), uint64_t{tar.size()});
    QCOMPARE(find(*map, "one.txt")->bytes, uint64_t{5000});
    QCOMPARE(map->notes.size(), std::size_t{1});
    QCOMPARE(map->notes.front(), "The sizes are those of the uncompressed archive; the file has " +
                                     std::to_string(file.size()) + " bytes, compressed with gzip.");
    // Inside another archive it is whole.
    const view::TreemapPagePtr outer = sizesOf(tarOf({{"in.tar.gz", file}}));
    const Map::Item* const inner = find(*outer, "in.tar.gz");
    QVERIFY(inner && inner->count == 0);
    QCOMPARE(inner->bytes, uint64_t{file.size()});
  }

  void sentenceAndTable() {
    const view::TreemapPagePtr map = sizesOf(libraryWith("cuda", code3("cubin", kTwo, twoKernels(), Info::Four)), "m1");
    const auto table = view::rowsOf({"Size", map});
    QVERIFY(table);
    QCOMPARE(table->rowCount(), uint64_t{map->leavesBelow(0).size()});
    uint64_t bytes = 0;
    for (uint64_t row = 0; row < table->rowCount(); ++row) bytes += table->number(row, 3);
    QCOMPARE(bytes, map->total());
    QVERIFY2(map->sentence.starts_with(table->cell(0, 0)), map->sentence.c_str());
  }

  void textAndJsonHaveAllItems() {
    const view::TreemapPagePtr map = sizesOf(libraryWith("opencl", code3("cl", kTwo, "x", Info::Four)));
    NullMonitor monitor;
    std::string text, json;
    QVERIFY(view::renderText({"Size", map}, [&](std::string_view part) { text += part; }, monitor));
    QCOMPARE(static_cast<std::size_t>(std::ranges::count(text, '\n')), map->items.size() + 2);
    QVERIFY(text.find("100.0 %  made.so\n") != std::string::npos);
    json::Writer writer([&](std::string_view part) { json += part; }, json::Layout::OneLine);
    writer.beginObject();
    QVERIFY(view::renderJson({"Size", map}, writer, monitor));
    writer.endObject();
    writer.finish();
    QVERIFY(json.starts_with("{\"name\":\"Size\",\"kind\":\"treemap\",\"total\":" + std::to_string(map->total())));
    std::size_t items = 0;
    for (std::size_t at = json.find("\"depth\":"); at != std::string::npos; at = json.find("\"depth\":", at + 1))
      ++items;
    QCOMPARE(items, map->items.size());
  }

  void workIsCancelled() {
    const auto package = openBytes(libraryWith("cuda", code3("cubin", kTwo, twoKernels(), Info::Four)));
    QVERIFY(package);
    NullMonitor monitor;
    const auto pages = describe::pagesOf(*package, Ref::file(), monitor);
    const auto page = std::ranges::find(*pages, std::string_view(view::page_id::kSize), &view::Page::name);
    QVERIFY(page != pages->end());
    StopAfter stopped(0);
    const auto made = view::resolvePage(*page, stopped);
    QVERIFY(!made);
    QVERIFY(made.error().code() == ErrorCode::Cancelled);
  }

  void foldersHaveTheSizesOfTheirFiles() {
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("a/b")));
    const std::string library = libraryWith("cuda", code3("cubin", kTwo, twoKernels(), Info::Four));
    const std::string packed = gzipOf(tarOf({{"one.so", library}}));
    const auto write = [&](const char* name, const std::string& bytes) {
      QFile file(folder.filePath(QString::fromUtf8(name)));
      return file.open(QIODevice::WriteOnly) && file.write(bytes.data(), qint64(bytes.size())) == qint64(bytes.size());
    };
    QVERIFY(write("a/b/one.so", library) && write("two.tar.gz", packed) && write("text", "12345") &&
            write("empty", ""));
    NullMonitor monitor;
    const auto page = sizes::folderSizes(folder.path().toStdString(), monitor);
    QVERIFY(page);
    const std::string why = whyNotTiled(*page, library.size() + packed.size() + 5);
    QVERIFY2(why.empty(), why.c_str());
    const Map::Item* const add = find(*page, "add_kernel");
    QVERIFY(add);
    const auto item = static_cast<uint32_t>(add - page->items.data());
    QCOMPARE(page->fileOf(item), std::string("a/b/one.so"));
    QCOMPARE(page->pathAbove(item), std::string("a/b › one.so › Blob › cuda"));
    QCOMPARE(add->ref->toString(), std::string("m1/kernel:add_kernel"));
    QCOMPARE(find(*page, "two.tar.gz")->count, 0U);
    QCOMPARE(page->notes.front(), std::string("4 files, 1 of them in no format that is opened."));
    StopAfter stopped(0);
    QVERIFY(!sizes::folderSizes(folder.path().toStdString(), stopped));
    QVERIFY(!sizes::folderSizes(folder.filePath(QStringLiteral("missing")).toStdString(), monitor) ||
            sizes::folderSizes(folder.filePath(QStringLiteral("missing")).toStdString(), monitor)->total() == 0);
  }

  void manyItemsAreLimited() {
    sizes::Node root = sizes::Node::leaf("root", sizes::Kind::Container, 0);
    std::vector<sizes::Node> children;
    for (uint64_t i = 1; i <= 20'000; ++i) {
      children.push_back(sizes::Node::leaf("item " + std::to_string(i), sizes::Kind::Kernel, i));
      root.bytes += i;
    }
    NullMonitor monitor;
    sizes::addChildren(root, std::move(children), sizes::Work(monitor));
    QVERIFY(root.children.size() < 10'000);
    const Map map = sizes::pageOf(root, {});
    const std::string why = whyNotTiled(map, root.bytes);
    QVERIFY2(why.empty(), why.c_str());
    const auto rest = std::ranges::find_if(map.items, [](const Map::Item& item) { return item.merged > 0; });
    QVERIFY(rest != map.items.end());
    QCOMPARE(rest->merged + root.children.size() - 1, uint64_t{20'000});
    QVERIFY(map.sentence.starts_with("item 20000 takes most: 20,000 of "));
  }
};

BLOBSCOPE_TEST(TestSizes);
#include "test_sizes.moc"
