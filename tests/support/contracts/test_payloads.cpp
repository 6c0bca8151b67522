#include "core/payloads/payload.h"

#include "core/payloads/sniff.h"
#include "core/view/render.h"
#include "tests/core/base/compare.h"
#include "tests/core/payloads/payload_check.h"
#include "tests/support/contracts/damage.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/payload_builders.h"
#include "tests/support/test_main.h"

#include <set>

using namespace blobscope;
using namespace blobscope::test;
using payloads::PayloadFormat;

namespace {

constexpr std::size_t kMost = 2'000; ///< lengths and places of one image; nearly all of them are smaller

struct PayloadRow {
  std::string content; ///< word of sniff()
  std::string name;
  std::string bytes;
};

std::vector<PayloadRow> makeRows() {
  const std::vector<Function> one = {{"add_kernel"}};
  std::vector<PayloadRow> rows;
  for (const uint8_t abi : {7, 8}) {
    cuda::CubinFile cubin;
    cubin.abi = abi;
    cubin.sm = abi == 7 ? 89 : 90;
    cubin.kernels = {{.name = "add_kernel", .code = std::string(8, 'c'), .shared = 64}};
    rows.push_back({"cubin", "cubin of ABI " + std::to_string(abi), cubin.build()});
  }
  rows.push_back(
      {"fatbin", "fat binary",
       cuda::fatbin({{.payload = rows[0].bytes.substr(0, 64)}, {.kind = 1, .sm = 80, .payload = ptxText(one)}})});
  rows.push_back({"ptx", "PTX", ptxText({{"add_kernel"}, {"mul_kernel"}})});
  rows.push_back({"spirv", "SPIR-V", spirv_builder::shader()});
  rows.push_back({"metallib", "Metal library", metallib_builder::metallib()});
  rows.push_back({"hsaco", "AMD code object", hsaco_builder::whole()});
  rows.push_back({"bundle", "offload bundle",
                  bundle_builder::plain(
                      {{"host-x86_64-unknown-linux-gnu-", ""}, {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "code"}})});
  for (const bool is64 : {true, false})
    for (const bool bigEndian : {false, true})
      rows.push_back({"hexagon-elf", std::string("Hexagon, ") + (is64 ? "64" : "32") + (bigEndian ? " big" : " little"),
                      hexagon_builder::withDynamic(is64, bigEndian)});
  for (const bool is64 : {true, false}) {
    ElfBuilder elf;
    elf.function("add").data("table", "0123").undefined("printf");
    elf.is64 = is64;
    elf.staticSymbols = true;
    rows.push_back({"elf", is64 ? "ELF, 64 bit" : "ELF, 32 bit", elf.build()});
  }
  rows.push_back({"llvm-bitcode", "bitcode", bitcode_builder::bitcode()});
  rows.push_back({"llvm-bitcode", "bitcode in a wrapper", bitcode_builder::wrapped(bitcode_builder::bitcode())});
  return rows;
}

const std::vector<PayloadRow>& payloadRows() {
  static const std::vector<PayloadRow> rows = makeRows();
  return rows;
}

const PayloadFormat* findFormat(const std::string& content) {
  for (const PayloadFormat* format : payloads::payloadFormats())
    if (format->content == content) return format;
  return nullptr;
}

/// Why pages cannot be shown, empty when they can: names that are not unique, a page that cannot be made.
std::string whyWrong(const view::PageList& pages) {
  std::set<std::string> names;
  for (const view::Page& page : pages) {
    if (page.name.empty() || !names.insert(page.name).second) return "two pages '" + page.name + "'";
    const auto* const notice = std::get_if<view::NoticePage>(&page.content);
    if (notice && notice->text.empty()) return "page '" + page.name + "' says nothing";
    if (notice && notice->text.starts_with("error: ")) return "page '" + page.name + "': " + notice->text;
  }
  return {};
}

/// Reads everything that is shown of the bytes; the sanitizers see what is outside of them.
std::string whyWrong(const PayloadFormat& format, const std::string& damaged) {
  const Bytes content = bytes("?" + damaged).slice(1); // at an odd address
  const view::PageList pages = resolvePages(format, content);
  (void)pagesText(pages);
  if (format.words)
    for (const std::string& word : format.words(content))
      if (word.empty()) return "an empty word";
  return whyWrong(pages);
}

} // namespace

/// What every format of code and data inside modules promises.
class TestPayloads : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyFormatHasARow();
  void recognised_data() { addRows(); }
  void recognised();
  void pages_data() { addRows(); }
  void pages();
  void truncations_data() { addRows(); }
  void truncations();
  void changedBytes_data() { addRows(); }
  void changedBytes();

private:
  void addRows() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < payloadRows().size(); ++i)
      QTest::newRow(payloadRows()[i].name.c_str()) << static_cast<int>(i);
  }
  const PayloadRow& row() {
    QFETCH(int, index);
    return payloadRows()[static_cast<std::size_t>(index)];
  }
};

void TestPayloads::everyFormatHasARow() {
  std::set<std::string> wanted, there;
  for (const PayloadFormat* format : payloads::payloadFormats())
    QVERIFY2(wanted.insert(std::string(format->content)).second, std::string(format->content).c_str());
  for (const PayloadRow& row : payloadRows()) there.insert(row.content);
  for (const std::string& content : wanted) QVERIFY2(there.contains(content), ("no row for " + content).c_str());
  for (const std::string& content : there) QVERIFY2(wanted.contains(content), ("no format for " + content).c_str());
}

void TestPayloads::recognised() {
  const Bytes content = bytes(row().bytes);
  QCOMPARE(std::string(payloads::sniff(content)), row().content);
  const std::vector<std::string> words = payloads::contentWords(content);
  QVERIFY(!words.empty());
  for (const std::string& word : words) QVERIFY(!word.empty());
}

void TestPayloads::pages() {
  const Bytes content = bytes(row().bytes);
  view::PageList list;
  payloads::addPayloadPages(content, "", list);
  const std::size_t own = resolvePages(*findFormat(row().content), content).size();
  QVERIFY(own > 0);
  QVERIFY(list.size() >= own);
  NOTHING_WRONG(whyWrong(list));
  NullMonitor monitor;
  for (const view::Page& page : list) {
    std::string text;
    QVERIFY2(view::renderText(page, [&](std::string_view part) { text += part; }, monitor), page.name.c_str());
    QVERIFY2(!text.empty(), page.name.c_str());
  }
  QCOMPARE(pagesText(resolvePages(*findFormat(row().content), content)),
           pagesText(resolvePages(*findFormat(row().content), content)));
}

void TestPayloads::truncations() {
  const PayloadFormat& format = *findFormat(row().content);
  NOTHING_WRONG(
      wrongWithTruncations(row().bytes, kMost, [&](const std::string& cut) { return whyWrong(format, cut); }));
}

void TestPayloads::changedBytes() {
  const PayloadFormat& format = *findFormat(row().content);
  NOTHING_WRONG(
      wrongWithChangedBytes(row().bytes, kMost, [&](const std::string& changed) { return whyWrong(format, changed); }));
}

BLOBSCOPE_TEST(TestPayloads);
#include "test_payloads.moc"
