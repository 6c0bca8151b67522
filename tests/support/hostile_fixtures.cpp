#include "tests/support/hostile_fixtures.h"

#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/vm_builders.h"
#include "tests/support/wasm_builder.h"

#include <algorithm>
#include <cstdlib>

#include <zstd.h>

namespace blobscope::test {
namespace {

std::string repeated(std::string_view text, uint64_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (uint64_t i = 0; i < times; ++i) out += text;
  return out;
}

HostileFile plain(std::string bytes) {
  const uint64_t size = bytes.size();
  return {std::move(bytes), size};
}

/// gzip around `inner`.
HostileFile gzipped(const std::string& inner) {
  std::string bytes = gzipOf(inner);
  const uint64_t unpacked = bytes.size() + inner.size();
  return {std::move(bytes), unpacked};
}

/// A library whose root imports the module `key` with `payload`, `times` times.
std::string importing(const std::string& key, const std::string& payload, uint64_t times = 1) {
  return ffiBlob({{"_lib", ""}, {key, payload}}, {std::vector<uint64_t>(times, 1), {}});
}

// --- blobs ---

HostileFile descendingTreeFile(uint64_t scale) { return plain(descendingTree(400 * scale, 2'000 * scale)); }

/// A classic stream whose tree, with an edge without target, comes first; then a module of an unknown kind, an empty
/// tree, and many places where a record could begin.
HostileFile classicSearchFile(uint64_t scale) {
  const uint64_t edges = 4'000 * scale;
  ByteBuilder stream;
  stream.u64(3)
      .str("_import_tree")
      .u64(3)
      .u64(0)
      .u64(edges)
      .u64(edges)
      .u64(edges)
      .raw(std::string(8 * (edges - 1), '\0'))
      .u64(99);
  stream.str("vendor");
  stream.str("_import_tree").u64(3).u64(0).u64(0).u64(0).u64(0);
  stream.raw(repeated(ByteBuilder().str("_lib").take(), 150 * scale));
  return plain(withHeader(stream.take()));
}

HostileFile jsonGraphFile(uint64_t scale) {
  const std::string graph = R"({"nodes":[)" + repeated("[],", 60'000 * scale) + "[]]}";
  return plain(importing("dnnl_json", ByteBuilder().str("sym").str(graph).u64(0).take()));
}

HostileFile ptxBombFile(uint64_t scale) {
  const uint64_t images = 4 * scale, bytes = 1 << 20;
  std::string file = ptxBombs(images, bytes);
  const uint64_t unpacked = file.size() + images * bytes;
  return {std::move(file), unpacked};
}

HostileFile cudaDagFile(uint64_t scale) {
  std::vector<cuda::Image> images(400 * scale);
  for (std::size_t i = 0; i < images.size(); ++i) images[i].sm = static_cast<uint32_t>(i % 1'000);
  const std::string payload = ByteBuilder().str("fatbin").u64(0).str(cuda::fatbin(images)).take();
  return plain(importing("cuda", payload, 400 * scale));
}

HostileFile longKeyFile(uint64_t scale) { return plain(importing(std::string(100'000 * scale, 'k'), "payload")); }

// --- executables of the Relax virtual machine ---

/// An executable that allocates in each function, so that each one has a memory plan.
RelaxBuilder relaxBuilder() {
  RelaxBuilder out(kTags2025b);
  out.functions = {{0, "vm.builtin.alloc_storage", 0, 0, -2, 0, {}}};
  out.code.clear();
  return out;
}

/// Adds "f0", "f1" and so on. `body`: the instructions before the last one, which returns the parameter.
void addRelaxFunction(RelaxBuilder& vm, std::vector<std::vector<int64_t>> body, int64_t registers = 3) {
  const auto start = static_cast<int64_t>(vm.code.size());
  vm.code.push_back({1, 2, 0, 2, RelaxBuilder::kVm, RelaxBuilder::constant(5)});
  vm.code.insert(vm.code.end(), body.begin(), body.end());
  vm.code.push_back({2, 0});
  const std::string name = "f" + std::to_string(vm.functions.size() - 1);
  vm.functions.push_back({1, name, start, static_cast<int64_t>(vm.code.size()), 1, registers, {"x"}});
}

HostileFile relaxFile(const RelaxBuilder& vm) { return plain(importing("relax.VMExecutable", vm.build())); }

/// Each function calls the one before it.
HostileFile relaxChainFile(uint64_t scale) {
  RelaxBuilder vm = relaxBuilder();
  addRelaxFunction(vm, {});
  for (uint64_t i = 1; i < 1'000 * scale; ++i) addRelaxFunction(vm, {{1, 1, static_cast<int64_t>(i), 1, 0}});
  return relaxFile(vm);
}

/// Each function has a million registers and calls the next one ten times.
HostileFile relaxCallsFile(uint64_t scale) {
  RelaxBuilder vm = relaxBuilder();
  const auto count = static_cast<int64_t>(100 * scale);
  for (int64_t i = 0; i < count; ++i) {
    const std::vector<int64_t> next = {1, 999'999, i + 2, 1, 0};
    addRelaxFunction(vm, std::vector<std::vector<int64_t>>(i + 1 < count ? 10 : 0, next), 1'000'000);
  }
  return relaxFile(vm);
}

/// Functions that share their instructions.
HostileFile relaxSharedFile(uint64_t scale) {
  RelaxBuilder vm = relaxBuilder();
  addRelaxFunction(vm, std::vector<std::vector<int64_t>>(400 * scale, {1, 1, 0, 2, RelaxBuilder::kVm, 0}));
  const RelaxFunction first = vm.functions.back();
  for (uint64_t i = 1; i < 400 * scale; ++i) {
    vm.functions.push_back(first);
    vm.functions.back().name = "f" + std::to_string(i);
  }
  return relaxFile(vm);
}

/// A text with the type of a parameter for each function.
HostileFile relaxTypesFile(uint64_t scale) {
  RelaxBuilder vm = relaxBuilder();
  for (uint64_t i = 0; i < 400 * scale; ++i) {
    addRelaxFunction(vm, {});
    vm.constants.push_back(ByteBuilder()
                               .u32(vm.tags.string)
                               .str("ErrorContext(fn=f" + std::to_string(i) +
                                    ", loc=param[0], param=x, annotation=R.Tensor((2, 3), dtype=\"float32\")) ")
                               .take());
  }
  return relaxFile(vm);
}

// --- archives ---

HostileFile nestedFile(uint64_t scale) {
  const uint64_t bytes = 1 << 20, members = 4 * scale;
  std::string file = nestedMembers(bytes, members);
  return {std::move(file), members * (bytes + 2'048)};
}

HostileFile filtersFile(uint64_t scale) {
  const uint64_t bytes = (4 << 20) * scale;
  return {stackedFilters(bytes), bytes};
}

/// All members share a long name in the table of names.
HostileFile arNamesFile(uint64_t scale) {
  const std::string names = std::string(40'000 * scale, 'n') + "/\n";
  return gzipped("!<arch>\n" + arMember("//", names) + repeated(arMember("/0", ""), 40 * scale));
}

/// Every member has a long name. Its bytes are in the file once per member, so only the number of members grows.
HostileFile tarNamesFile(uint64_t scale) {
  const std::string name(20'000, 'a');
  std::string one = tarHeader("././@LongLink", name.size() + 1, 'L') + name;
  one.resize((one.size() + 1 + 511) / 512 * 512, '\0');
  one += tarHeader(name.substr(0, 99), 0);
  return gzipped(repeated(one, 30 * scale) + std::string(1'024, '\0'));
}

constexpr uint64_t kDistance = 2 << 20;

HostileFile wasmFile(uint64_t scale) { return plain(farSegments(kDistance * scale)); }

HostileFile wasmMembersFile(uint64_t scale) {
  std::vector<ArchiveFile> files;
  for (uint64_t i = 0; i < 4 * scale; ++i) files.push_back({"m" + std::to_string(i) + ".wasm", farSegments(kDistance)});
  return gzipped(tarOf(files));
}

// --- C ---

HostileFile commentsFile(uint64_t scale) { return plain(repeated("__tvm_dev_mblob/*", 2'500 * scale) + '\n'); }
HostileFile lineCommentsFile(uint64_t scale) { return plain(repeated("__tvm_dev_mblob//", 8'000 * scale) + '\n'); }

/// Heads of arrays at the ends of comments. A reader that takes them for code gives all of them the initialiser that
/// follows.
HostileFile arraysFile(uint64_t scale) {
  std::string text;
  for (uint64_t i = 0; i < 100 * scale; ++i) text += "//a" + std::to_string(i) + "__tvm_dev_mblob[]={\n";
  return plain(text + repeated("0,", 8'000 * scale) + "}\n");
}

// --- Model Library Format ---

std::string metadataOf(const std::string& name) {
  return R"({"modules":{")" + name + R"(":{"model_name":")" + name +
         R"(","export_datetime":"2023-11-14 22:13:20Z","target":["c"],"executors":["aot"],"style":"full-model",)"
         R"("memory":{"functions":{"main":[],"operator_functions":[]}},"external_dependencies":[]}},"version":7})";
}

/// A long model name, and headers that are searched for it.
HostileFile mlfHeadersFile(uint64_t scale) {
  std::vector<ArchiveFile> files = {{"./metadata.json", metadataOf(std::string(50'000 * scale, 'A'))}};
  for (uint64_t i = 0; i < 100 * scale; ++i)
    files.push_back({"./codegen/host/include/h" + std::to_string(i) + ".h", ""});
  return gzipped(tarOf(files));
}

/// Raw strings that never end: each could begin at every line.
HostileFile mlfRawFile(uint64_t scale) {
  return gzipped(tarOf(
      {{"./metadata.json", metadataOf("m")}, {"./codegen/host/src/m_lib0.cc", repeated("R\"\n", 60'000 * scale)}}));
}

/// A graph with many nodes that no operator uses.
HostileFile mlfNodesFile(uint64_t scale) {
  std::string nodes, numbers, shapes, types, ids, rows = "0";
  const uint64_t count = 1'000 * scale;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string comma = i > 0 ? "," : "", number = std::to_string(i);
    nodes += comma + R"({"op":"null","name":"x)" + number + R"(","inputs":[]})";
    numbers += comma + number;
    shapes += comma + "[1]";
    types += comma + "\"float32\"";
    ids += comma + number;
    rows += "," + std::to_string(i + 1);
  }
  const std::string graph = R"({"nodes":[)" + nodes + R"(],"arg_nodes":[)" + numbers + R"(],"heads":[[0,0,0]],)" +
                            R"("attrs":{"dltype":["list_str",[)" + types + R"(]],"shape":["list_shape",[)" + shapes +
                            R"(]],"storage_id":["list_int",[)" + ids + R"(]]},"node_row_ptr":[)" + rows + "]}";
  std::string metadata = metadataOf("m");
  metadata.replace(metadata.find("aot"), 3, "graph");
  return plain(tarOf({{"./metadata.json", metadata}, {"./executor-config/graph/m.graph", graph}}));
}

/// Models whose metadata needs the same quick fixes.
HostileFile mlfModelsFile(uint64_t scale) {
  std::string modules;
  for (uint64_t i = 0; i < 40 * scale; ++i)
    modules += (i > 0 ? ",\"m" : "\"m") + std::to_string(i) + R"(":{"model_name":"other)" + std::to_string(i) +
               R"(","export_datetime":"2023-11-14 22:13:20Z","target":"c","executors":["aot"],"unknown":1,)"
               R"("memory":{"functions":{"main":[],"operator_functions":[]}},"external_dependencies":[]})";
  return plain(tarOf({{"./metadata.json", "{\"modules\":{" + modules + "},\"version\":7}"}}));
}

// --- ELF ---

std::string elfHeader(uint16_t type, uint64_t programs, uint64_t sections, uint16_t programCount,
                      uint16_t sectionCount) {
  ByteBuilder out;
  out.raw("\x7f\x45\x4c\x46\x02\x01\x01")
      .raw(std::string(9, '\0'))
      .u16(type)
      .u16(62)
      .u32(1)
      .u64(0)
      .u64(programs)
      .u64(sections);
  return out.u32(0).u16(64).u16(56).u16(programCount).u16(64).u16(sectionCount).u16(0).take();
}

/// Segments that all cover the same bytes, which are searched for a carrier.
HostileFile segmentsFile(uint64_t scale) {
  const auto count = static_cast<uint16_t>(30 * scale);
  const uint64_t size = 40'000 * scale;
  ByteBuilder segment;
  segment.u32(1).u32(4).u64(0).u64(0x400000).u64(0x400000).u64(size).u64(size).u64(0x1000);
  std::string bytes =
      elfHeader(2, 64, 0, count, 0) + repeated(segment.take(), count) + std::string("x__tvm_ffi__library_bin\0", 24);
  bytes.resize(size, 'Z');
  return plain(std::move(bytes));
}

/// Nested sections that end where texts begin; one more surrounds all of them.
HostileFile sectionsFile(uint64_t scale) {
  const uint64_t count = 1'500 * scale;
  const std::string texts = repeated(std::string_view("abcdefg\0", 8), 2'000 * scale);
  const uint64_t end = 64 + count + texts.size(), table = (end + 7) / 8 * 8;
  const auto section = [](uint32_t kind, uint64_t offset, uint64_t size) {
    return ByteBuilder().u32(0).u32(kind).u64(0).u64(0).u64(offset).u64(size).u32(0).u32(0).u64(1).u64(0).take();
  };
  std::string bytes = elfHeader(1, 0, table, 0, static_cast<uint16_t>(count + 2)) + std::string(count, '\0') + texts;
  bytes.resize(table, '\0');
  bytes += section(0, 0, 0) + section(1, 64, end - 64);
  for (uint64_t i = 0; i < count; ++i) bytes += section(1, 64 + i, count - i);
  return plain(std::move(bytes));
}

} // namespace

std::string zstdOf(const std::string& content) {
  std::string out(ZSTD_compressBound(content.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3));
  return out;
}

std::string descendingTree(uint64_t modules, uint64_t edges) {
  ByteBuilder stream;
  stream.u64(modules + 1);
  for (uint64_t i = 0; i <= modules; ++i) stream.u64(i % 2 == 0 ? 0 : edges);
  stream.u64(edges).raw(std::string(8 * edges, '\0')).raw(repeated(ByteBuilder().str("_lib").take(), modules));
  return withHeader(stream.take());
}

std::string nestedMembers(uint64_t bytes, uint64_t members) {
  const std::string member = zstdOf(std::string(bytes, 'A'));
  std::vector<ArchiveFile> files;
  for (uint64_t i = 0; i < members; ++i) files.push_back({"m" + std::to_string(i) + ".zst", member});
  return zstdOf(tarOf(files));
}

std::string stackedFilters(uint64_t bytes) {
  constexpr uint64_t kPiece = 1 << 20;
  const std::string empty("\0\0\0\xff\xff", 5); // a stored block of deflate without bytes
  const std::string header("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  return zstdOf(zstdOf(header) + repeated(zstdOf(repeated(empty, kPiece / empty.size())), bytes / kPiece));
}

std::string farSegments(uint64_t distance) {
  const std::string blob = withHeader(ByteBuilder().u64(2).u64(0).u64(0).u64(0).str("_lib").take());
  return wasm::module(
      {wasm::section(5, wasm::list({wasm::memory(65'536)})),
       wasm::section(11, wasm::list({wasm::dataAt(4, "x"), wasm::dataAt(static_cast<uint32_t>(distance), "x"),
                                     wasm::dataAt(64, blob)}))});
}

std::string ptxBombs(uint64_t images, uint64_t bytes) {
  std::string text = ".version 8.0\n.target sm_80\n";
  text.resize(bytes, '\n');
  cuda::Image image;
  image.kind = 1;
  image.sm = 80;
  image.payload = zstdOf(text);
  // Zeros after the frame keep the ratio of both sizes below the limit that is refused at once.
  image.payload.resize(std::max<std::size_t>(image.payload.size(), bytes / 1'000 + 8), '\0');
  image.flags = 0x8000;
  image.uncompressed = bytes;
  const std::string fatbin = cuda::fatbin(std::vector<cuda::Image>(images, image));
  return importing("cuda", ByteBuilder().str("fatbin").u64(0).str(fatbin).take());
}

std::string harmlessBlob() { return importing("vendor", "payload"); }

const std::vector<HostileFixture>& hostileFixtures() {
  static const std::vector<HostileFixture> kAll = {
      {"descending-tree.blob", descendingTreeFile},
      {"classic-search.blob", classicSearchFile},
      {"json-graph.blob", jsonGraphFile},
      {"ptx-bomb.blob", ptxBombFile},
      {"cuda-dag.blob", cudaDagFile},
      {"long-key.blob", longKeyFile},
      {"relax-chain.blob", relaxChainFile},
      {"relax-calls.blob", relaxCallsFile},
      {"relax-shared.blob", relaxSharedFile},
      {"relax-types.blob", relaxTypesFile},
      {"nested.tar.zst", nestedFile},
      {"filters.zst", filtersFile},
      {"ar-names.a.gz", arNamesFile},
      {"tar-names.tar.gz", tarNamesFile},
      {"far-segments.wasm", wasmFile},
      {"far-segments.tar.gz", wasmMembersFile},
      {"comments.c", commentsFile},
      {"line-comments.c", lineCommentsFile},
      {"arrays.c", arraysFile},
      {"mlf-headers.tar.gz", mlfHeadersFile},
      {"mlf-raw.tar.gz", mlfRawFile},
      {"mlf-nodes.tar", mlfNodesFile},
      {"mlf-models.tar", mlfModelsFile},
      {"segments.elf", segmentsFile},
      {"sections.o", sectionsFile},
  };
  return kAll;
}

const HostileFixture& hostileFixture(const std::string& name) {
  for (const HostileFixture& fixture : hostileFixtures())
    if (name == fixture.name) return fixture;
  std::abort();
}

} // namespace blobscope::test
