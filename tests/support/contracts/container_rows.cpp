#include "tests/support/contracts/container_rows.h"

#include "tests/core/container/image_text.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/coff_builder.h"
#include "tests/support/macho_builder.h"
#include "tests/support/pe_builder.h"
#include "tests/support/wasm_builder.h"

#include <QtGlobal>

#include <archive.h>
#include <archive_entry.h>

#include <functional>

namespace blobscope::test {
namespace {

using namespace std::string_literals;

std::string elf(bool is64, bool bigEndian, uint16_t type) {
  ElfBuilder file;
  file.is64 = is64;
  file.bigEndian = bigEndian;
  file.type = type;
  file.machine = is64 ? (bigEndian ? 21 : 62) : (bigEndian ? 8 : 40); // ppc64, x86-64, MIPS, ARM
  file.staticSymbols = true;
  file.function("run").data("weights", "\1\2\3\4").undefined("malloc").symbol("answer", 42, 0, 1 << 4, 0xfff1);
  file.symbol("odd", 0x11001, 4, 1 << 4 | 2, 5)
      .symbol("common", 8, 64, 1 << 4 | 1, 0xfff2)
      .symbol("weak", 0, 0, 2 << 4, 0);
  file.symbol("", 0, 0, 3, 1).data("tail", "end");
  return file.build();
}

std::string coff(uint16_t machine, bool big) {
  CoffBuilder file;
  file.machine = machine;
  file.big = big;
  file.sections = {{".text", 0x60000020, "code"},
                   {".rdata$with_a_long_name", 0x40000040, "constants"},
                   {".bss", 0xc0000080, {}, 0, 32}};
  file.symbols = {{".file", 0, -2, 0, 103, {"source.c"}},
                  {"run", 0, 1, 0x20},
                  {"a_name_of_more_than_eight_bytes", 4, 2},
                  {"zeros", 8, 3},
                  {"outside", 0, 0},
                  {"common", 16, 0},
                  {"number", 7, -1},
                  {".text", 0, 1, 0, 3, {std::string(18, '\0')}}};
  return file.build();
}

std::string pe(bool is64) {
  PeBuilder file;
  file.is64 = is64;
  file.machine = is64 ? 0x8664 : 0x14c;
  if (!is64) file.base = 0x400000;
  file.function("run")
      .function("")
      .data("blob", "\1\2\3")
      .forwarder("other", "b.dll.it")
      .exported("", 0)
      .function("last")
      .zeros(0x2345);
  file.import("kernel32.dll", {"ExitProcess", "#7"})
      .import("c.dll", {"malloc"})
      .import("late.dll", {"later", "#9"}, true);
  file.sections = {{".section_with_a_long_name", 0x40000040, "text"}};
  file.symbols = {{"run", 0, 1, 0x20}, {"a_name_of_more_than_eight_bytes", 1, 2}};
  return file.build();
}

std::string macho(bool is64, bool bigEndian, uint32_t type) {
  MachOBuilder file;
  file.is64 = is64;
  file.bigEndian = bigEndian;
  file.cpuType = bigEndian ? (is64 ? 0x01000012 : 0x12) : (is64 ? 0x0100000c : 0xc);
  file.fileType = type;
  file.function("_run")
      .data("_weights", "\1\2\3\4")
      .undefined("_malloc")
      .add("_hidden", MachOBuilder::Data, "data", MachOBuilder::kLocal);
  file.add("_weak", MachOBuilder::Data, "weak", MachOBuilder::kGlobal, 0x80)
      .symbol("_zeros", MachOBuilder::kGlobal, MachOBuilder::Bss, 0, 0);
  file.symbol("_answer", 0x3, 0, 0, 42).symbol("debugging", 0x24, 1, 0, 0x10);
  if (type == 1) return file.symbol("_common", 0x1, 0, 0, 64).build();
  for (const uint32_t command : {0xd, 0xc}) // LC_ID_DYLIB, LC_LOAD_DYLIB
    file.commands.emplace_back(command,
                               OrderedBytes(bigEndian, is64).u32(24).u32(0).u32(0).u32(0).field("a.dylib", 8).bytes);
  file.trie = "here";
  file.trie = trieBytes({{"", {{"_run", 1}, {"_only", 2}, {"_other", 3}}},
                         {exported(file.exportAddress(MachOBuilder::Text, 0)), {}},
                         {exported(file.exportAddress(MachOBuilder::Const, 0)), {}},
                         {reexported(1, "_theirs"), {}}});
  return file.build();
}

std::string wasmObject() {
  const std::string type = "\x60"s + wasm::leb(0) + wasm::leb(0);
  return wasm::module(
      {wasm::section(1, wasm::list({type})),
       wasm::section(2, wasm::list({wasm::importMemory(1), wasm::importFunction("outside")})),
       wasm::section(3, wasm::list({wasm::leb(0)})), wasm::section(12, wasm::leb(2)),
       wasm::section(10, wasm::list({wasm::body("")})),
       wasm::section(11, wasm::list({wasm::dataAt(0, "....blob"), wasm::dataAt(100, "second")})),
       wasm::custom(
           "linking",
           wasm::leb(2) +
               wasm::section(5, wasm::list({wasm::segmentInfo(".rodata.blob"), wasm::segmentInfo(".data.second")})) +
               wasm::section(8, wasm::list({wasm::functionSymbol("", 0x10, 0), wasm::functionSymbol("run", 0, 1),
                                            wasm::dataSymbol("blob", 0, 0, 4, 4), wasm::dataSymbol("inner", 2, 1, 3, 2),
                                            wasm::dataSymbol("elsewhere", 0x10, 0, 0, 0)})))});
}

std::string wasmModule() {
  const std::string type = "\x60"s + wasm::leb(0) + wasm::leb(0);
  return wasm::module(
      {wasm::section(1, wasm::list({type})),
       wasm::section(2, wasm::list({wasm::importFunction("outside"), wasm::importGlobal("base")})),
       wasm::section(3, wasm::list({wasm::leb(0), wasm::leb(0)})), wasm::section(5, wasm::list({wasm::memory(2)})),
       wasm::section(6, wasm::list({wasm::global(1024)})),
       wasm::section(
           7, wasm::list({wasm::exported("run", 0, 2), wasm::exported("memory", 2, 0), wasm::exported("blob", 3, 1)})),
       wasm::section(10, wasm::list({wasm::body(""), wasm::body(wasm::i32(7) + wasm::kDrop)})),
       wasm::section(11, wasm::list({wasm::dataAt(1024, "data")})), wasm::custom("producers", wasm::leb(0))});
}

/// What libarchive writes; `set` chooses the format and how it is packed.
std::string written(const std::function<void(archive*)>& set, const std::vector<ArchiveFile>& files) {
  std::string out(1 << 20, '\0');
  std::size_t used = 0;
  archive* const made = archive_write_new();
  set(made);
  archive_write_open_memory(made, out.data(), out.size(), &used);
  for (const ArchiveFile& file : files) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, file.path.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(file.content.size()));
    archive_write_header(made, entry);
    archive_write_data(made, file.content.data(), file.content.size());
    archive_entry_free(entry);
  }
  archive_write_close(made);
  archive_write_free(made);
  return out.substr(0, used);
}

std::vector<ContainerRow> makeRows() {
  std::vector<ContainerRow> rows;
  const auto row = [&](const char* kind, const std::string& name, const std::string& file, std::size_t containers = 1) {
    rows.push_back({kind, name, file, containers});
  };
  for (const bool is64 : {false, true})
    for (const bool bigEndian : {false, true}) {
      const std::string how = std::string(is64 ? "64" : "32") + (bigEndian ? " big" : " little");
      row("elf", "ELF library " + how, elf(is64, bigEndian, 3));
      row("elf", "ELF object " + how, elf(is64, bigEndian, 1));
      row("macho", "Mach-O library " + how, macho(is64, bigEndian, 6));
      row("macho", "Mach-O object " + how, macho(is64, bigEndian, 1));
    }
  row("coff", "COFF object", coff(0x8664, false));
  row("coff", "COFF object, i386", coff(0x14c, false));
  row("coff", "COFF object, /bigobj", coff(0x8664, true));
  row("pe", "PE 64", pe(true));
  row("pe", "PE 32", pe(false));
  row("universal", "universal", universalFile({{0x0100000c, macho(true, false, 6)}, {0x12, macho(false, true, 6)}}), 3);
  row("universal", "universal 64",
      universalFile({{0x0100000c, macho(true, false, 6)}, {0x12, macho(false, true, 6)}}, true), 3);
  row("wasm", "wasm object", wasmObject());
  row("wasm", "wasm module", wasmModule());

  const std::string import = importMember(0x8664, "TVMFuncCall", "tvm_runtime.dll"),
                    decorated = importMember(0x14c, "_run@8", "tvm_runtime.dll");
  row("ar", "import library",
      "!<arch>\n" + arMember("tvm_runtime.dll/", import) +
          arMember("tvm_runtime.dll/", withNumber(decorated, 18, 2 << 2, 2)) +
          arMember("tvm_runtime.dll/", withNumber(decorated, 18, 3 << 2, 2)),
      4);
  const std::vector<ArchiveFile> files = {{"lib0.o", elf(true, false, 1)},
                                          {"a/long/" + std::string(90, 'p') + "/name.obj", coff(0x8664, false)},
                                          {"empty", ""},
                                          {"text.txt", "only text"}};
  row("archive", "tar by hand", tarOf({files[0], files[2], files[3]}), 2);
  row("archive", "tar, ustar", written([](archive* a) { archive_write_set_format_ustar(a); }, files), 3);
  row("archive", "tar, pax", written([](archive* a) { archive_write_set_format_pax(a); }, files), 3);
  row("archive", "tar, GNU", written([](archive* a) { archive_write_set_format_gnutar(a); }, files), 3);
  row("archive", "tar, gzip", gzipOf(tarOf({files[0], files[2], files[3]})), 2);
  row("archive", "tar, zstd",
      written([](archive* a) { archive_write_set_format_ustar(a), archive_write_add_filter_zstd(a); }, files), 3);
  row("archive", "zip", written([](archive* a) { archive_write_set_format_zip(a); }, files), 3);
  row("archive", "zip, stored",
      written([](archive* a) { archive_write_set_format_zip(a), archive_write_zip_set_compression_store(a); }, files),
      3);
  const std::vector<ArchiveFile> flat = {files[0], {"a_long_name_of_a_member.obj", files[1].content}, files[3]};
  row("ar", "ar, BSD", written([](archive* a) { archive_write_set_format_ar_bsd(a); }, flat), 3);
  row("ar", "ar, GNU",
      "!<arch>\n" + arMember("/", std::string(4, '\0')) + arMember("//", "a_long_name_of_a_member.obj/\n") +
          arMember("/0", flat[1].content) + arMember("lib0.o/", flat[0].content) + arMember("odd/", "123"),
      3);

  // With a blob, so that carriers are looked for.
  const std::string blob =
      classicBlob({{"_lib", ""}, {"metal", code3("metal", {{"add"}}, "text", Info::Three)}}, {{{1}, {}}});
  row("elf", "ELF library with a blob", elfWith("__tvm_dev_mblob", blob));
  row("pe", "PE with a blob", PeBuilder().function("run").data("__tvm_dev_mblob", blob).build());
  CoffBuilder object;
  object.sections = {{".rdata", 0x40000040, blob}};
  object.symbols = {{"__tvm_dev_mblob", 0, 1}};
  row("coff", "COFF object with a blob", object.build());
  MachOBuilder library;
  library.commands.emplace_back(0xd, OrderedBytes(false, true).u32(24).u32(0).u32(0).u32(0).field("a.dylib", 8).bytes);
  library.function("_run").data("___tvm_dev_mblob", blob);
  row("macho", "Mach-O library with a blob", library.build());
  row("wasm", "wasm module with a blob",
      wasm::module({wasm::section(5, wasm::list({wasm::memory(1)})), wasm::section(6, wasm::list({wasm::global(1024)})),
                    wasm::section(7, wasm::list({wasm::exported("__tvm_dev_mblob", 3, 0)})),
                    wasm::section(11, wasm::list({wasm::dataAt(1024, blob)}))}));
  std::string source = "const unsigned char __tvm_dev_mblob[" + std::to_string(blob.size()) + "] = {";
  for (const char c : blob) source += std::to_string(static_cast<unsigned>(static_cast<unsigned char>(c))) + ",";
  row("c-source", "C source", source + "};\nTVM_DLL int run(void) { return 0; }\n", 0);
  row("raw", "a blob alone", blob, 0);
  return rows;
}

} // namespace

const std::vector<ContainerRow>& containerRows() {
  static const std::vector<ContainerRow> rows = makeRows();
  return rows;
}

const std::string& containerFile(std::string_view name) {
  for (const ContainerRow& row : containerRows())
    if (row.name == name) return row.file;
  qFatal("no container row '%s'", std::string(name).c_str());
}

} // namespace blobscope::test
