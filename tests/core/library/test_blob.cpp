#include "core/library/blob.h"

#include "core/base/limits.h"
#include "tests/core/library/blob_text.h"
#include "tests/support/builders.h"
#include "tests/support/test_main.h"

#include <set>

using namespace blobscope;
using namespace blobscope::test;
using container::CarrierName;

namespace {

constexpr CarrierName kDev = CarrierName::DevMblob, kFfi = CarrierName::FfiLibraryBin,
                      kFfi2 = CarrierName::FfiLibraryBin2;

const std::vector<Function> kOne = {{"k"}};

Record lib() { return {"_lib", ""}; }
Record cuda(Info info = Info::Three) { return {"cuda", code3("ptx", kOne, "//", info)}; }
Record opencl(Info info = Info::Three) { return {"opencl", code3("cl", kOne, "// Function: k\n", info)}; }
Record vendor() { return {"Vendor.Kind", std::string(16, '\xa5')}; }

using Imports = std::vector<std::vector<uint64_t>>;

/// A classic stream whose tree record has these vectors.
std::string classicWithTree(const std::vector<Record>& records, const std::vector<uint64_t>& indptr,
                            const std::vector<uint64_t>& child) {
  ByteBuilder stream;
  stream.u64(records.size() + 1);
  for (const Record& record : records) stream.str(record.key).raw(record.payload);
  return withHeader(stream.str("_import_tree").words(indptr).words(child).take());
}

std::string ffiWithTree(const std::vector<Record>& records, const std::vector<uint64_t>& indptr,
                        const std::vector<uint64_t>& child) {
  ByteBuilder stream;
  stream.words(indptr).words(child);
  for (const Record& record : records) {
    stream.str(record.key);
    if (record.key != "_lib") stream.str(record.payload);
  }
  return withHeader(stream.take());
}

struct BlobFixture {
  const char* name;
  std::string bytes; ///< from the carrier to the end of the section
  Placed placed;
  const char* text;
  const char* findings;
};

/// Streams that exporters write, and further ones that loaders accept. Without findings unless stated.
std::vector<BlobFixture> wholeBlobs() {
  const std::string cudaV1 = cudaModuleV1("ptx", kOne, "//");
  return {
      {"era A, one module", classicBlob({cuda()}, std::nullopt), {kDev}, "A: cuda", ""},
      {"era A, two modules", classicBlob({opencl(), cuda()}, std::nullopt), {kDev}, "A: opencl | cuda", ""},
      {"era A, two of a kind", classicBlob({cuda(), cuda()}, std::nullopt), {kDev}, "A: cuda | cuda", ""},
      {"era B1", classicBlob({lib(), cuda()}, {{{1}, {}}}), {kDev}, "B1: _lib > 1 | cuda", ""},
      {"era B1, no host code", classicBlob({cuda(), opencl()}, {{{1}, {}}}), {kDev}, "B1: cuda > 1 | opencl", ""},
      {"era B1, one device module alone", classicBlob({cuda()}, Imports(1)), {kDev}, "B1: cuda", ""},
      {"era B1, child shared by two",
       classicBlob({lib(), cuda(), opencl(), cuda()}, {{{1, 2}, {3}, {3}, {}}}),
       {kDev},
       "B1: _lib > 1 2 | cuda > 3 | opencl > 3 | cuda",
       ""},
      {"era B1, a child twice", classicBlob({lib(), cuda()}, {{{1, 1}, {}}}), {kDev}, "B1: _lib > 1 1 | cuda", ""},
      {"era B1, children in any order",
       classicBlob({lib(), cuda(), opencl()}, {{{2, 1}, {}, {}}}),
       {kDev},
       "B1: _lib > 2 1 | cuda | opencl",
       ""},
      {"era B1, tree not last",
       withHeader(ByteBuilder()
                      .u64(3)
                      .str("_lib")
                      .str("_import_tree")
                      .words({0, 1, 1})
                      .words({1})
                      .str("cuda")
                      .raw(cuda().payload)
                      .take()),
       {kDev},
       "B1: _lib > 1 | cuda",
       ""},
      {"era B1, tree first",
       withHeader(ByteBuilder()
                      .u64(3)
                      .str("_import_tree")
                      .words({0, 1, 1})
                      .words({1})
                      .str("_lib")
                      .str("cuda")
                      .raw(cuda().payload)
                      .take()),
       {kDev},
       "B1: _lib > 1 | cuda",
       ""},
      {"era B2", classicBlob({lib(), cuda(Info::Four)}, {{{1}, {}}}), {kFfi}, "B2: _lib > 1 | cuda", ""},
      {"era B2, builds of June 2025", classicBlob({lib(), cuda()}, {{{1}, {}}}), {kFfi}, "B2: _lib > 1 | cuda", ""},
      {"era C0", ffiBlob({lib(), cuda(Info::Four)}, {{1}, {}}), {kFfi}, "C0: _lib > 1 | cuda", ""},
      {"era C1", ffiBlob({lib(), cuda(Info::Four)}, {{1}, {}}), {kFfi2}, "C1: _lib > 1 | cuda", ""},
      {"era C1, three layouts of v0.24",
       ffiBlob({lib(), cuda(Info::Four), opencl(Info::Four), {"vulkan", vulkan(kOne, Info::Four, true)}},
               {{1, 2, 3}, {}, {}, {}}),
       {kFfi2},
       "C1: _lib > 1 2 3 | cuda | opencl | vulkan",
       ""},
      {"after v0.27",
       ffiBlob({lib(), {"cuda", cudaV1}, opencl(Info::Second), {"vulkan", vulkan(kOne, Info::Second, true)}},
               {{1, 2, 3}, {}, {}, {}}),
       {kFfi2},
       "C1: _lib > 1 2 3 | cuda | opencl | vulkan",
       ""},
      {"after v0.27, old cuda layout",
       ffiBlob({lib(), cuda(Info::Second)}, {{1}, {}}),
       {kFfi2},
       "C1: _lib > 1 | cuda",
       ""},
      {"era C1, both FunctionInfo forms",
       ffiBlob({lib(), cuda(Info::Four), cuda()}, {{1, 2}, {}, {}}),
       {kFfi2},
       "C1: _lib > 1 2 | cuda | cuda",
       ""},
      {"era C1, several host modules",
       ffiBlob({lib(), lib(), cuda(Info::Four)}, {{1}, {2}, {}}),
       {kFfi2},
       "C1: _lib > 1 | _lib > 2 | cuda",
       ""},
      {"era C1, child shared by two",
       ffiBlob({lib(), cuda(Info::Four), opencl(Info::Four), cuda(Info::Four)}, {{1, 2}, {3}, {3}, {}}),
       {kFfi2},
       "C1: _lib > 1 2 | cuda > 3 | opencl > 3 | cuda",
       ""},
      {"smallest classic blob", classicBlob({}, std::nullopt), {kDev}, "B1:", ""},
      {"smallest classic blob of v0.21", classicBlob({}, std::nullopt), {kFfi}, "B2:", ""},
      {"smallest ffi blob", ffiBlob({lib()}, Imports(1)), {kFfi2}, "C1: _lib", ""},
      {"ffi blob without modules", ffiBlob({}, {}), {kFfi2}, "C1:", ""},
      {"symbol size as it should be",
       classicBlob({cuda()}, std::nullopt),
       {kDev, classicBlob({cuda()}, std::nullopt).size()},
       "A: cuda",
       ""},
      {"something else behind it in the section",
       classicBlob({cuda()}, std::nullopt) + "behind",
       {kDev},
       "A: cuda",
       ""},
      {"one record behind a count of 0",
       withHeader(ByteBuilder().u64(0).str("cuda").raw(cuda().payload).take()),
       {kDev},
       "B1: cuda",
       "BLOB-UNCOUNTED m0: the module count at 0x1008 is 0, but one record follows; loaders ignore it"},
      {"one record behind a count of 0, v0.21",
       withHeader(ByteBuilder().u64(0).str("cuda").raw(cuda(Info::Four).payload).take()),
       {kFfi},
       "B2: cuda",
       "BLOB-UNCOUNTED m0: the module count at 0x1008 is 0, but one record follows; loaders ignore it"},
  };
}

/// Streams that only damage, or loaders of one generation, can produce.
std::vector<BlobFixture> damagedBlobs() {
  const std::string b1 = classicBlob({lib(), cuda()}, {{{1}, {}}});     // header, count, 12, 119, 72 bytes
  const std::string c1 = ffiBlob({lib(), cuda(Info::Four)}, {{1}, {}}); // header, 48, 12, 20 + payload
  const std::string a = classicBlob({cuda()}, std::nullopt);
  const uint64_t max = ~uint64_t{0};
  std::vector<BlobFixture> all = {
      // --- kinds ---
      {"a declared format that the bytes contradict",
       classicBlob(
           {lib(),
            {"cuda", code3("cubin", kOne, std::string("\x50\xed\x55\xba\1\0\x10\0\0\0\0\0\0\0\0\0", 16), Info::Three)}},
           {{{1}, {}}}),
       {kDev},
       "B1: _lib > 1 | cuda",
       "BLOB-FORMAT m1: module 1 'cuda' declares the format 'cubin', but contains a fat binary"},
      {"two _lib, classic",
       classicBlob({lib(), lib(), cuda()}, {{{1, 2}, {}, {}}}),
       {kDev},
       "B1: _lib > 1 2 | _lib | cuda",
       "BLOB-TWO-LIBS blob: found 2 '_lib' records; loaders of TVM v0.8 – v0.21 reject more than one"},
      {"unknown kind, ffi",
       ffiBlob({vendor(), lib()}, {{1}, {}}),
       {kFfi2},
       "C1: Vendor.Kind? > 1 | _lib",
       "BLOB-UNKNOWN-KIND m0: no decoder for module kind 'Vendor.Kind'; its payload, 16 bytes, is shown undecoded"},
      {"unknown kind, classic",
       classicBlob({lib(), vendor()}, {{{1}, {}}}),
       {kDev},
       "B1: _lib > 1 | Vendor.Kind?",
       "BLOB-UNKNOWN-KIND m1: no decoder for module kind 'Vendor.Kind'; its payload, 16 bytes, is shown undecoded"},
      {"two unknown kinds side by side, classic",
       classicBlob({lib(), vendor(), {"Other.Kind", "\x01\x02"}}, {{{1, 2}, {}, {}}}),
       {kDev},
       "B1: _lib > 1 2 | Vendor.Kind?~ | Other.Kind?",
       "BLOB-UNKNOWN-KIND m1: no decoder for module kind 'Vendor.Kind'; its payload, 16 bytes, is shown undecoded\n"
       "BLOB-GUESS m1: module 1 'Vendor.Kind' is assumed to end at 0x103f; this is a guess, because the module after "
       "it is not decoded either\n"
       "BLOB-UNKNOWN-KIND m2: no decoder for module kind 'Other.Kind'; its payload, 2 bytes, is shown undecoded"},
      {"damaged module, ffi",
       patched(c1, 8 + 48 + 12 + 20 + 11, 1000),
       {kFfi2},
       "C1: _lib > 1 | cuda!",
       "BLOB-MODULE m1@0x1063: module 1 'cuda' is damaged: fmap count 1,000 at 0x1063 cannot fit into the 104 bytes "
       "left"},
      {"damaged module, classic",
       patched(b1, 16 + 12 + 12 + 11, 1000),
       {kDev},
       "B1: _lib > 1 | cuda!",
       "BLOB-MODULE m1@0x1033: module 1 'cuda' is damaged: fmap count 1,000 at 0x1033 cannot fit into the 88 bytes "
       "left"},
      {"bytes too many in a module, ffi",
       ffiBlob({lib(), {"cuda", cuda(Info::Four).payload + "abc"}}, {{1}, {}}),
       {kFfi2},
       "C1: _lib > 1 | cuda",
       "BLOB-NEWER m1: module 1 'cuda' has a layout newer than this version supports: all known fields are decoded, "
       "and Blobscope keeps 3 bytes after them at 0x10d3 unchanged"},
      {"bytes too many behind the compiler options, ffi",
       ffiBlob({lib(), {"cuda", cuda(Info::Second).payload + ByteBuilder().str("{}").take() + "abc"}}, {{1}, {}}),
       {kFfi2},
       "C1: _lib > 1 | cuda",
       "BLOB-NEWER m1: module 1 'cuda' has a layout newer than this version supports: all known fields are decoded, "
       "and Blobscope keeps 3 bytes after them at 0x114b unchanged"},
      {"bytes too many in a module, classic",
       classicBlob({lib(), {"cuda", cuda().payload + "abc"}, opencl()}, {{{1, 2}, {}, {}}}),
       {kDev},
       "B1: _lib > 1 2 | cuda | opencl",
       "BLOB-NEWER m1: module 1 'cuda' has a layout newer than this version supports: all known fields are decoded, "
       "and Blobscope keeps 3 bytes after them at 0x1093 unchanged"},
      {"length of a record, ffi",
       patched(c1, 8 + 48 + 12 + 12, 5000),
       {kFfi2},
       "C1: _lib > 1 | cuda#",
       "BLOB-REGION m1: the end of module 1 'cuda' cannot be determined, so the 131 bytes from 0x1050 on are shown as "
       "one undecoded region (value length 5,000 at 0x1050 exceeds the 123 bytes left)"},
      {"no tree in sight, classic",
       withHeader(ByteBuilder().u64(3).str("Vendor.Kind").raw(vendor().payload).str("Other.Kind").raw("\x01").take()),
       {kDev},
       "A part: Vendor.Kind#",
       "BLOB-COUNT @0x1008: the module count at 0x1008 is 3, but 1 could be read\n"
       "BLOB-REGION m0: the end of module 0 'Vendor.Kind' cannot be determined, so the 35 bytes from 0x1023 on are "
       "shown as one undecoded region"},

      // --- import tree ---
      {"circle",
       classicBlob({lib(), cuda()}, {{{1}, {0}}}),
       {kDev},
       "B1: _lib > 1 | cuda > 0",
       "BLOB-CYCLE imports: modules import one another in a cycle: m0 → m1 → m0"},
      {"module imports itself",
       ffiBlob({lib(), cuda(Info::Four)}, {{1}, {1}}),
       {kFfi2},
       "C1: _lib > 1 | cuda > 1",
       "BLOB-CYCLE imports: modules import one another in a cycle: m1 → m1"},
      {"circle apart from the root",
       ffiBlob({lib(), cuda(Info::Four), cuda(Info::Four)}, {{}, {2}, {1}}),
       {kFfi2},
       "C1: _lib | cuda > 2 | cuda > 1",
       "BLOB-CYCLE imports: modules import one another in a cycle: m1 → m2 → m1"},
      {"module that nobody imports",
       classicBlob({lib(), cuda(), opencl()}, {{{1}, {}, {}}}),
       {kDev},
       "B1: _lib > 1 | cuda | opencl",
       "BLOB-ORPHAN m2: module 2 'opencl' is not imported by any module and is not the root; loaders drop it"},
      {"child that does not exist, classic",
       classicWithTree({lib(), cuda()}, {0, 2, 2}, {1, 9}),
       {kDev},
       "B1 part: _lib > 1 | cuda",
       "BLOB-TREE imports: the import tree does not match the modules: child[1] = 9, but there are 2 modules; imports "
       "that "
       "exist are shown"},
      {"child that does not exist, ffi",
       ffiWithTree({lib(), cuda(Info::Four)}, {0, 2, 2}, {1, max}),
       {kFfi2},
       "C1 part: _lib > 1 | cuda",
       "BLOB-TREE imports: the import tree does not match the modules: child[1] = 18446744073709551615, but there are "
       "2 "
       "modules; imports that exist are shown"},
      {"indptr one too short, classic",
       classicWithTree({lib(), cuda()}, {0, 1}, {1}),
       {kDev},
       "B1 part: _lib > 1 | cuda",
       "BLOB-TREE imports: the import tree does not match the modules: indptr has 2 entries for 2 modules, 3 are "
       "needed; imports that exist are shown"},
      {"indptr one too long, classic",
       classicWithTree({lib(), cuda()}, {0, 1, 1, 1}, {1}),
       {kDev},
       "B1 part: _lib > 1 | cuda",
       "BLOB-TREE imports: the import tree does not match the modules: indptr has 4 entries for 2 modules, 3 are "
       "needed; imports that exist are shown"},
      {"indptr empty, ffi",
       withHeader(ByteBuilder().u64(0).u64(0).take()),
       {kFfi2},
       "C1 part:",
       "BLOB-TREE imports: the import tree does not match the modules: indptr has 0 entries for 0 modules, 1 are "
       "needed; imports that exist are shown"},
      {"indptr decreasing",
       ffiWithTree({lib(), cuda(Info::Four), lib()}, {0, 2, 1, 2}, {1, 2}),
       {kFfi2},
       "C1 part: _lib | cuda | _lib",
       "BLOB-TREE imports: the import tree does not match the modules: indptr[2] = 1 is less than the 2 before it; no "
       "imports are shown\n"
       "BLOB-ORPHAN m1: module 1 'cuda' is not imported by any module and is not the root; loaders drop it\n"
       "BLOB-ORPHAN m2: module 2 '_lib' is not imported by any module and is not the root; loaders drop it"},
      {"indptr beginning with 1",
       classicWithTree({lib(), cuda()}, {1, 1, 1}, {1}),
       {kDev},
       "B1 part: _lib | cuda",
       "BLOB-TREE imports: the import tree does not match the modules: indptr begins with 1, not 0; imports that exist "
       "are "
       "shown\n"
       "BLOB-ORPHAN m1: module 1 'cuda' is not imported by any module and is not the root; loaders drop it"},
      {"indptr ending too low",
       classicWithTree({lib(), cuda()}, {0, 1, 1}, {1, 1}),
       {kDev},
       "B1 part: _lib > 1 | cuda",
       "BLOB-TREE imports: the import tree does not match the modules: indptr ends with 1 for 2 children; imports that "
       "exist are shown"},
      {"indptr ending too high",
       ffiWithTree({lib(), cuda(Info::Four)}, {0, 1, max}, {1}),
       {kFfi2},
       "C1 part: _lib | cuda",
       "BLOB-TREE imports: the import tree does not match the modules: indptr ends with 18446744073709551615 for 1 "
       "children; no imports are shown\n"
       "BLOB-ORPHAN m1: module 1 'cuda' is not imported by any module and is not the root; loaders drop it"},
      {"_lib without a tree",
       classicBlob({lib(), cuda()}, std::nullopt),
       {kDev},
       "B1 part: _lib | cuda",
       "BLOB-NO-TREE imports: the blob has a '_lib' record but no usable import tree, so the imports of the modules "
       "are unknown"},

      // --- counts ---
      {"count one too high, era A",
       patched(a, 8, 2),
       {kDev},
       "A part: cuda",
       "BLOB-COUNT @0x1008: the module count at 0x1008 is 2, but 1 could be read"},
      {"count one too high, era B1",
       patched(b1, 8, 4),
       {kDev},
       "B1 part: _lib > 1 | cuda",
       "BLOB-COUNT @0x1008: the module count at 0x1008 is 3, but 2 could be read\n"
       "BLOB-TREE imports: the import tree does not match the modules: indptr has 3 entries for 3 modules, 4 are "
       "needed; imports that exist are shown"},
      {"count one too low, era B1",
       patched(b1, 8, 2),
       {kDev},
       "B1 part: _lib | cuda",
       "BLOB-NO-TREE imports: the blob has a '_lib' record but no usable import tree, so the imports of the modules "
       "are unknown\n"
       "BLOB-LEFT-OVER @0x1093: no module contains the 68 bytes at 0x1093 after the last record; loaders ignore this "
       "data"},
      {"count one too low, era A",
       patched(classicBlob({cuda(), opencl()}, std::nullopt), 8, 1),
       {kDev},
       "A part: cuda",
       "BLOB-LEFT-OVER @0x1087: no module contains the 133 bytes at 0x1087 after the last record; loaders ignore this "
       "data"},
      {"count 2^63, era A",
       patched(a, 8, uint64_t{1} << 63),
       {kDev},
       "A part: cuda",
       "BLOB-COUNT @0x1008: the module count at 0x1008 is 9,223,372,036,854,775,808, but 1 could be read"},
      {"count 2^64 - 1, era A",
       patched(a, 8, max),
       {kDev},
       "A part: cuda",
       "BLOB-COUNT @0x1008: the module count at 0x1008 is 18,446,744,073,709,551,615, but 1 could be read"},
      {"count 2^64 - 1, era B1",
       patched(b1, 8, max),
       {kDev},
       "B1 part: _lib > 1 | cuda",
       "BLOB-COUNT @0x1008: the module count at 0x1008 is 18,446,744,073,709,551,614, but 2 could be read\n"
       "BLOB-TREE imports: the import tree does not match the modules: indptr has 3 entries for 18446744073709551614 "
       "modules, 18446744073709551615 are needed; imports that exist are shown"},
      {"count 2^63, ffi",
       patched(c1, 8, uint64_t{1} << 63),
       {kFfi2},
       "C1 part:",
       "BLOB-FIELD-COUNT @0x1008: import tree.indptr count 9,223,372,036,854,775,808 at 0x1008 cannot fit into the 195 "
       "bytes "
       "left\n"
       "BLOB-LEFT-OVER @0x1008: no module contains the 203 bytes at 0x1008 after the last record; loaders ignore this "
       "data"},
      {"number of children 2^64 - 1, ffi",
       patched(c1, 40, max),
       {kFfi2},
       "C1 part:",
       "BLOB-FIELD-COUNT @0x1028: import tree.child count 18,446,744,073,709,551,615 at 0x1028 cannot fit into the 163 "
       "bytes "
       "left\n"
       "BLOB-LEFT-OVER @0x1008: no module contains the 203 bytes at 0x1008 after the last record; loaders ignore this "
       "data"},
      {"one module too many announced, ffi",
       ffiWithTree({lib(), cuda(Info::Four)}, {0, 2, 2, 2}, {1, 2}),
       {kFfi2},
       "C1 part: _lib > 1 | cuda",
       "BLOB-COUNT @0x1008: the module count at 0x1008 is 3, but 2 could be read"},
      {"one module too few announced, ffi",
       ffiWithTree({lib(), cuda(Info::Four)}, {0, 0}, {}),
       {kFfi2},
       "C1 part: _lib",
       "BLOB-LEFT-OVER @0x1034: no module contains the 143 bytes at 0x1034 after the last record; loaders ignore this "
       "data"},

      // --- header and carrier ---
      {"no length header",
       "\x01\x02\x03",
       {kDev},
       "B1 part:",
       "BLOB-HEADER @0x1000: the length header of the blob at 0x1000 needs 8 bytes, but only 3 are left"},
      {"length 0",
       std::string(8, '\0'),
       {kDev},
       "B1 part:",
       "BLOB-NO-COUNT @0x1008: the blob ends before the module count at 0x1008"},
      {"length 3",
       std::string("\3\0\0\0\0\0\0\0abc", 11),
       {kDev},
       "B1 part:",
       "BLOB-NO-COUNT @0x1008: the blob ends before the module count at 0x1008\n"
       "BLOB-LEFT-OVER @0x1008: no module contains the 3 bytes at 0x1008 after the last record; loaders ignore this "
       "data"},
      {"header beyond the section",
       patched(a, 0, 5000),
       {kDev},
       "A: cuda",
       "BLOB-TRUNCATED @0x1000: the blob header at 0x1000 declares 5,000 bytes, but section '.rodata' ends after 127 "
       "bytes; the file is truncated or the header is damaged"},
      {"header beyond the file, no section",
       patched(a, 0, max),
       {kDev, std::nullopt, ""},
       "A: cuda",
       "BLOB-TRUNCATED @0x1000: the blob header at 0x1000 declares 18,446,744,073,709,551,615 bytes, but the mapped "
       "part of "
       "the "
       "file ends after 127 bytes; the file is truncated or the header is damaged"},
      {"header too high, symbol right",
       patched(a, 0, 5000) + std::string(50, '\x33'),
       {kDev, a.size()},
       "A: cuda",
       "BLOB-TRUNCATED @0x1000: the blob header at 0x1000 declares 5,000 bytes, but section '.rodata' ends after 177 "
       "bytes; the file is truncated or the header is damaged"},
      {"header too low, symbol right",
       patched(a, 0, 60),
       {kDev, a.size()},
       "A: cuda",
       "BLOB-SYMBOL-SIZE @0x1000: the blob header at 0x1000 declares 60 bytes, but the symbol size is 135 bytes; 135 "
       "bytes were read"},
      {"header too low, symbol right, era B1",
       patched(b1, 0, 100),
       {kDev, b1.size()},
       "B1: _lib > 1 | cuda",
       "BLOB-SYMBOL-SIZE @0x1000: the blob header at 0x1000 declares 100 bytes, but the symbol size is 215 bytes; 215 "
       "bytes were read"},
      {"symbol too short, header right",
       a,
       {kDev, 20},
       "A: cuda",
       "BLOB-SYMBOL-SIZE @0x1000: the blob header at 0x1000 declares 127 bytes, but the symbol size is 20 bytes; 135 "
       "bytes were read"},
      {"symbol too long, header right",
       a,
       {kDev, max},
       "A: cuda",
       "BLOB-SYMBOL-SIZE @0x1000: the blob header at 0x1000 declares 127 bytes, but the symbol size is "
       "18,446,744,073,709,551,615 bytes; 135 bytes were read"},
      {"left-over bytes, classic",
       withHeader(b1.substr(8) + "abcde"),
       {kDev},
       "B1 part: _lib > 1 | cuda",
       "BLOB-LEFT-OVER @0x10d7: no module contains the 5 bytes at 0x10d7 after the last record; loaders ignore this "
       "data"},
      {"left-over bytes, flat",
       withHeader(a.substr(8) + "abcde"),
       {kDev},
       "A part: cuda",
       "BLOB-LEFT-OVER @0x1087: no module contains the 5 bytes at 0x1087 after the last record; loaders ignore this "
       "data"},
      {"left-over bytes, ffi",
       withHeader(c1.substr(8) + "abcde"),
       {kFfi2},
       "C1 part: _lib > 1 | cuda",
       "BLOB-LEFT-OVER @0x10d3: no module contains the 5 bytes at 0x10d3 after the last record; loaders ignore this "
       "data"},
      {"left-over bytes behind a count of 0",
       withHeader(ByteBuilder().u64(0).raw("abcde").take()),
       {kDev},
       "B1 part:",
       "BLOB-LEFT-OVER @0x1010: no module contains the 5 bytes at 0x1010 after the last record; loaders ignore this "
       "data"},
      {"classic stream under the last carrier",
       classicBlob({lib(), cuda(Info::Four)}, {{{1}, {}}}),
       {kFfi2},
       "B2: _lib > 1 | cuda",
       "BLOB-CARRIER-STREAM blob: carrier '__tvm_ffi__library_bin' contains a classic stream, but runtimes that look "
       "for this name read the other kind of stream"},
      {"ffi stream under the first carrier",
       c1,
       {kDev},
       "C0: _lib > 1 | cuda",
       "BLOB-CARRIER-STREAM blob: carrier '__tvm_dev_mblob' contains a ffi stream, but runtimes that look for this "
       "name read the other kind of stream"},
  };
  return all;
}

/// Small blobs of every era, with and without a kind that has no codec.
std::vector<BlobFixture> smallBlobs() {
  const Function slim{"k", {0x00014003}, {"blockIdx.x"}};
  const auto small = [&](Info info) { return Record{"cuda", code3("ptx", {slim}, "//", info)}; };
  return {
      {"A",
       classicBlob({small(Info::Three), {"opencl", code3("cl", {}, "x", Info::Three)}}, std::nullopt),
       {kDev},
       "",
       ""},
      {"A with an unknown kind", classicBlob({vendor(), small(Info::Three)}, std::nullopt), {kDev}, "", ""},
      {"B1", classicBlob({lib(), small(Info::Three)}, {{{1}, {}}}), {kDev}, "", ""},
      {"B1 with an unknown kind", classicBlob({vendor(), lib(), small(Info::Three)}, {{{1}, {2}, {}}}), {kDev}, "", ""},
      {"B1 with two unknown kinds",
       classicBlob({lib(), vendor(), {"c", ByteBuilder().str("cuda").take()}}, {{{1, 2}, {}, {}}}),
       {kDev},
       "",
       ""},
      {"B2", classicBlob({lib(), small(Info::Four)}, {{{1}, {}}}), {kFfi}, "", ""},
      {"C0", ffiBlob({lib(), small(Info::Four)}, {{1}, {}}), {kFfi}, "", ""},
      {"C1", ffiBlob({vendor(), lib(), small(Info::Four)}, {{1}, {2}, {}}), {kFfi2}, "", ""},
      {"after v0.27", ffiBlob({lib(), {"cuda", cudaModuleV1("ptx", {}, "//")}}, {{1}, {}}), {kFfi2}, "", ""},
      {"count 0", classicBlob({}, std::nullopt), {kDev}, "", ""},
      {"uncounted",
       withHeader(ByteBuilder().u64(0).str("opencl").raw(code3("cl", {}, "x", Info::Three)).take()),
       {kDev},
       "",
       ""},
  };
}

std::vector<BlobFixture> allFixtures() {
  std::vector<BlobFixture> all = wholeBlobs();
  for (BlobFixture& fixture : damagedBlobs()) all.push_back(std::move(fixture));
  return all;
}

} // namespace

Q_DECLARE_METATYPE(BlobFixture)

/// Blobs of every era, intact and damaged: their findings, and that their bytes always round-trip.
class TestBlob : public QObject {
  Q_OBJECT

private Q_SLOTS:
  void modulesAndFindingsOfEachBlob_data();
  void modulesAndFindingsOfEachBlob();
  void everyFindingHasAFixture();
  void sharedModuleHasSeveralImporters();
  void flatStreamHasNoRootModule();
  void firstModuleIsTheRootOfACycle();
  void refsBeginWithThePrefix();
  void bytesOutsideAFileCountFromTheBlob();
  void countsAboveTheLimitsAreReported_data();
  void countsAboveTheLimitsAreReported();
  void everyTruncationIsSafe_data() { addSmall(); }
  void everyTruncationIsSafe();
  void everyChangedByteIsSafe_data() { addSmall(); }
  void everyChangedByteIsSafe();
  void wrongNumbersAreSafe_data() { addSmall(); }
  void wrongNumbersAreSafe();
  void openingCanBeCancelled();

private:
  void addSmall() {
    QTest::addColumn<BlobFixture>("fixture");
    for (const BlobFixture& fixture : smallBlobs()) QTest::newRow(fixture.name) << fixture;
  }
};

void TestBlob::modulesAndFindingsOfEachBlob_data() {
  QTest::addColumn<BlobFixture>("fixture");
  for (const BlobFixture& fixture : allFixtures()) QTest::newRow(fixture.name) << fixture;
}

void TestBlob::modulesAndFindingsOfEachBlob() {
  QFETCH(BlobFixture, fixture);
  const library::Blob blob = openMade(fixture.bytes, fixture.placed);
  QCOMPARE(QString::fromStdString(textOf(blob)), QString::fromUtf8(fixture.text));
  QCOMPARE(QString::fromStdString(findingsOf(blob.diagnostics)), QString::fromUtf8(fixture.findings));
  QCOMPARE(whyUnsound(blob), QString());
}

/// The wording is part of the behaviour: each finding that a blob can have is in a row above.
void TestBlob::everyFindingHasAFixture() {
  // Findings of the carrier, of values inside a module, of calls across modules, and of our own mistakes are tested
  // with their code.
  const std::set<std::string_view> elsewhere = {"BLOB-CARRIER-TYPE",    "BLOB-CARRIER-BYTES", "BLOB-SEARCH-LIMIT",
                                                "BLOB-FIELD-TRUNCATED", "BLOB-FIELD-LENGTH",  "BLOB-FIELD-LIMIT",
                                                "BLOB-FIELD-LEFT-OVER", "BLOB-FIELD-VALUE",   "BLOB-NOT-IDENTICAL",
                                                "BLOB-PAYLOAD",         "BLOB-CALL"};
  std::string all;
  for (const BlobFixture& fixture : allFixtures()) all += std::string("\n") + fixture.findings;
  for (const DiagnosticRow& row : diagnosticRows()) {
    if (!row.id.starts_with("BLOB-") || elsewhere.contains(row.id)) continue;
    QVERIFY2(all.find("\n" + std::string(row.id) + " ") != std::string::npos, std::string(row.id).c_str());
  }
}

void TestBlob::sharedModuleHasSeveralImporters() {
  const library::Blob blob = openMade(classicBlob({lib(), cuda(), opencl(), cuda()}, {{{1, 2}, {3}, {3}, {}}}));
  QCOMPARE(blob.importerCounts(), (std::vector<uint32_t>{0, 1, 1, 2}));
  QCOMPARE(blob.roots(), (std::vector<uint32_t>{0}));
  QVERIFY(blob.hasRootModule());
}

void TestBlob::flatStreamHasNoRootModule() {
  const library::Blob flat = openMade(classicBlob({cuda(), opencl()}, std::nullopt));
  QVERIFY(!flat.hasRootModule());
  QCOMPARE(flat.roots(), (std::vector<uint32_t>{0, 1}));
  const library::Blob empty = openMade(classicBlob({}, std::nullopt));
  QVERIFY(!empty.hasRootModule());
  QVERIFY(empty.roots().empty());
}

/// Index 0 is the root even when a module imports it; modules without importer are shown beside it.
void TestBlob::firstModuleIsTheRootOfACycle() {
  const library::Blob blob = openMade(ffiBlob({lib(), cuda(Info::Four), cuda(Info::Four)}, {{1}, {0}, {}}), {kFfi2});
  QCOMPARE(blob.roots(), (std::vector<uint32_t>{0, 2}));
  QCOMPARE(blob.importerCounts(), (std::vector<uint32_t>{1, 1, 0}));
}

void TestBlob::refsBeginWithThePrefix() {
  NullMonitor monitor;
  const auto blob = library::openBlob(carrierOf(ffiBlob({vendor()}, Imports(1)), {kFfi2}), "my.lib_", monitor);
  QVERIFY(blob);
  QCOMPARE(blob->ref().toString(), std::string("my.lib_:blob"));
  QCOMPARE(blob->moduleRef(0).toString(), std::string("my.lib_:m0"));
  QCOMPARE(blob->diagnostics.front().place.toString(), std::string("my.lib_:m0"));
}

/// Bytes that are not in a file as they are: offsets of findings count from the first byte of the blob, and places name
/// the blob.
void TestBlob::bytesOutsideAFileCountFromTheBlob() {
  container::Carrier carrier = carrierOf(withHeader(classicBlob({cuda()}, std::nullopt).substr(8) + "x"));
  carrier.available = Bytes::copyOf(carrier.available.view());
  NullMonitor monitor;
  const auto blob = library::openBlob(carrier, {}, monitor);
  QVERIFY(blob);
  QCOMPARE(QString::fromStdString(findingsOf(blob->diagnostics)),
           QStringLiteral("BLOB-LEFT-OVER blob: no module contains the 1 byte at 0x87 after the last record; loaders "
                          "ignore this data"));
  QCOMPARE(whyUnsound(*blob), QString());
}

void TestBlob::countsAboveTheLimitsAreReported_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QString>("finding");
  const auto add = [](const char* name, const std::string& stream, const char* finding) {
    QTest::newRow(name) << QByteArray::fromStdString(withHeader(stream)) << finding;
  };
  add("modules", ByteBuilder().words(std::vector<uint64_t>(limits::kModules + 2)).words({}).take(),
      "BLOB-FIELD-LIMIT @0x1008: import tree.indptr count 65,538 at 0x1008 exceeds the limit of 65,537 items");
  add("imports",
      ByteBuilder()
          .words({0, limits::kImportEdges + 1})
          .words(std::vector<uint64_t>(limits::kImportEdges + 1))
          .str("_lib")
          .take(),
      "BLOB-FIELD-LIMIT @0x1020: import tree.child count 1,048,577 at 0x1020 exceeds the limit of 1,048,576 items");
}

void TestBlob::countsAboveTheLimitsAreReported() {
  QFETCH(QByteArray, bytes);
  QFETCH(QString, finding);
  const library::Blob blob = openMade({bytes.constData(), static_cast<std::size_t>(bytes.size())}, {kFfi2});
  QCOMPARE(QString::fromStdString(findingsOf(blob.diagnostics)).section(QLatin1Char('\n'), 0, 0), finding);
  QCOMPARE(whyUnsound(blob), QString());
}

void TestBlob::everyTruncationIsSafe() {
  QFETCH(BlobFixture, fixture);
  const std::string_view whole = fixture.bytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    for (const bool symbol : {false, true}) {
      Placed placed = fixture.placed;
      if (symbol) placed.symbolSize = whole.size();
      const library::Blob blob = openMade(whole.substr(0, size), placed);
      const QString why = whyUnsound(blob);
      QVERIFY2(why.isEmpty(), qPrintable(QStringLiteral("first %1 bytes: ").arg(size) + why));
      QVERIFY2(hasFinding(blob.diagnostics, size < 8 ? DiagnosticId::BlobHeader : DiagnosticId::BlobTruncated),
               qPrintable(QStringLiteral("first %1 bytes: ").arg(size) + shown(findingsOf(blob.diagnostics))));
    }
  }
}

void TestBlob::everyChangedByteIsSafe() {
  QFETCH(BlobFixture, fixture);
  std::string bytes = fixture.bytes;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const char was = bytes[at];
    for (const int value : {0, 1, 9, 0x7f, 0xff, was ^ 0x01, was ^ 0x80, was + 1}) {
      if (static_cast<char>(value) == was) continue;
      bytes[at] = static_cast<char>(value);
      const QString why = whyUnsound(openMade(bytes, fixture.placed));
      QVERIFY2(why.isEmpty(), qPrintable(QStringLiteral("byte %1 = %2: ").arg(at).arg(value & 0xff) + why));
    }
    bytes[at] = was;
  }
}

void TestBlob::wrongNumbersAreSafe() {
  QFETCH(BlobFixture, fixture);
  for (std::size_t at = 0; at + 8 <= fixture.bytes.size(); ++at) {
    for (const uint64_t value : {uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{0} - 7, uint64_t{1} << 32,
                                 ~uint64_t{0} / 8 + 1, uint64_t{fixture.bytes.size()}}) {
      const QString why = whyUnsound(openMade(patched(fixture.bytes, at, value), fixture.placed));
      QVERIFY2(why.isEmpty(), qPrintable(QStringLiteral("u64 at %1 = %2: ").arg(at).arg(value) + why));
    }
  }
}

void TestBlob::openingCanBeCancelled() {
  StopAfter monitor(0);
  const auto blob = library::openBlob(carrierOf(ffiBlob({lib()}, Imports(1)), {kFfi2}), {}, monitor);
  QVERIFY(!blob);
  QCOMPARE(blob.error().code(), ErrorCode::Cancelled);
}

BLOBSCOPE_TEST(TestBlob);
#include "test_blob.moc"
