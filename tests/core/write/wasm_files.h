#pragma once

#include "tests/core/write/plan_check.h"
#include "tests/support/wasm_builder.h"

#include <string>
#include <vector>

/// Linked modules and objects of WebAssembly with a blob.
namespace blobscope::test::wasm_files {

using namespace std::string_literals;

constexpr uint32_t kBase = 1024, kName = kBase, kWord = kBase + 32, kBlob = kBase + 64;

inline std::string word(uint64_t value) { return ByteBuilder().u32(static_cast<uint32_t>(value)).take(); }

/// A linked module: a constructor that registers the blob, an allocator's word, data behind the blob, the stack.
struct Linked {
  bool padded = false; ///< numbers in the code, as linkers leave them
  bool inCode = true, byGlobal = false, exported = false, counted = false, named = false, twice = false, other = false;
  int words = 1;       ///< that hold the heap's start
  bool cut = false;    ///< the last bytes of the word are left out as zeros
  bool packed = false; ///< the blob's zeros, too
  uint32_t stack = 100'000, pages = 3;
  bool stackMutable = true;
  uint32_t most = 0; ///< pages, 0: no limit
  bool heapBase = false, heapEnd = false, heapInCode = false;
  std::vector<std::string> more = {};   ///< data segments
  std::vector<std::string> behind = {}; ///< sections at the end

  std::string build(const std::string& blob) const {
    const std::size_t width = padded ? 5 : 0;
    const auto heapStart = (stack + 15) / 16 * 16;
    std::vector<std::string> globals = {wasm::global(stack, stackMutable),
                                        wasm::global(7),
                                        wasm::global(exported || byGlobal ? kBlob : 9),
                                        wasm::global(heapStart),
                                        wasm::global(pages * 65536),
                                        wasm::global(kBlob)};
    std::vector<std::string> exports = {wasm::exported("memory", 2, 0), wasm::exported("run", 0, 1),
                                        wasm::exported("another", 3, 5)};
    if (exported) exports.push_back(wasm::exported(kCarrier, 3, 2));
    if (heapBase) exports.push_back(wasm::exported("__heap_base", 3, 3));
    if (heapEnd) exports.push_back(wasm::exported("__heap_end", 3, 4));
    const std::string pair = wasm::i32(kName, width) + wasm::i32(kBlob, width) + wasm::call(0);
    std::string code = wasm::i32(3) + wasm::kDrop;
    if (inCode) code += pair;
    if (byGlobal) code += wasm::i32(kName, width) + wasm::globalGet(2) + wasm::call(0);
    if (twice) code += pair;
    if (other) code += wasm::i32(kBlob, width) + wasm::kDrop;
    if (heapInCode) code += wasm::i32((stack + 15) / 16 * 16) + wasm::kDrop;

    // Memory up to the blob, then the blob and what is behind it.
    const std::string heap = word((stack + 15) / 16 * 16);
    std::vector<std::string> data;
    const std::string front = filledUp(kCarrier, 32);
    if (words == 0) {
      data.push_back(wasm::dataAt(kBase, front + "front..."));
    } else {
      data.push_back(wasm::dataAt(kBase, front + heap.substr(0, cut ? 3 : 4) + (cut ? ""s : "front..."s)));
    }
    const std::string after = "behind.." + (words > 1 ? heap : "nothing!"s) + (named ? word(kBlob) : "word"s);
    if (packed) {
      const std::string all = blob + after, run(9, '\0');
      for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = std::min(all.find(run, at), all.size());
        data.push_back(wasm::dataAt(kBlob + static_cast<uint32_t>(at), all.substr(at, end - at)));
        at = std::min(all.find_first_not_of('\0', end), all.size());
      }
    } else {
      data.push_back(wasm::dataAt(kBlob, blob + std::string(-blob.size() % 4, '.') + after));
    }
    data.insert(data.end(), more.begin(), more.end());
    std::vector<std::string> sections = {wasm::section(1, wasm::list({"\x60\x02\x7f\x7f\x00"s, "\x60\x00\x00"s})),
                                         wasm::section(2, wasm::list({wasm::importFunction("Register")})),
                                         wasm::section(3, wasm::list({"\1"s, "\1"s, "\1"s}))};
    sections.push_back(
        wasm::section(5, wasm::list({most > 0 ? "\1"s + wasm::leb(pages) + wasm::leb(most) : wasm::memory(pages)})));
    sections.push_back(wasm::section(6, wasm::list(globals)));
    sections.push_back(wasm::section(7, wasm::list(exports)));
    if (counted) sections.push_back(wasm::section(12, wasm::leb(data.size())));
    sections.push_back(
        wasm::section(10, wasm::list({wasm::body(wasm::i32(5) + wasm::kDrop), wasm::body(code), wasm::body("")})));
    sections.push_back(wasm::section(11, wasm::list(data)));
    sections.push_back(wasm::custom("producers", "behind"));
    sections.insert(sections.end(), behind.begin(), behind.end());
    return wasm::module(sections);
  }

  static std::string filledUp(std::string text, std::size_t size) {
    text.resize(size);
    return text;
  }
};

/// An object with the blob in the second of three segments. Source: tool conventions, Linking.md.
struct Object {
  std::string afterBlob; ///< in its segment, with a symbol
  std::size_t inner = 0; ///< a relocation in the blob, when not 0
  bool counted = true, info = true;

  std::string build(const std::string& blob) const {
    const std::string first = "first segment: pointers", second = "1234" + blob + afterBlob,
                      third = "third segment: pointers";
    const std::vector<std::string> data = {wasm::dataAt(0, first), wasm::dataAt(32, second),
                                           wasm::dataAt(1'000'000, third)};
    const std::string section = wasm::list(data);
    std::vector<std::string> symbols = {wasm::functionSymbol("run", 0x10, 0), wasm::dataSymbol("front", 0, 1, 0, 4),
                                        wasm::dataSymbol(kCarrier, 0, 1, 4, blob.size()),
                                        wasm::dataSymbol("third", 0, 2, 0, 8)};
    if (!afterBlob.empty()) symbols.push_back(wasm::dataSymbol("behind", 0, 1, 4 + blob.size(), afterBlob.size()));
    // R_WASM_MEMORY_ADDR_I32 (5) of the blob's symbol in the first and the third segment.
    std::vector<std::string> relocations = {"\5"s + wasm::leb(section.find("pointers")) + wasm::leb(2) + wasm::sleb(-3),
                                            "\5"s + wasm::leb(section.rfind("pointers")) + wasm::leb(2) +
                                                wasm::sleb(8)};
    if (inner > 0)
      relocations.push_back("\5"s + wasm::leb(section.find(second) + inner) + wasm::leb(1) + wasm::sleb(0));
    std::vector<std::string> sections = {wasm::section(2, wasm::list({wasm::importMemory(1)}))};
    if (counted) sections.push_back(wasm::section(12, wasm::leb(data.size())));
    sections.push_back(wasm::section(11, section));
    const std::string names = wasm::section(
        5, wasm::list({wasm::segmentInfo(".rodata.a"), wasm::segmentInfo(".rodata.b"), wasm::segmentInfo(".data.c")}));
    sections.push_back(
        wasm::custom("linking", wasm::leb(2) + (info ? names : "") + wasm::section(8, wasm::list(symbols))));
    sections.push_back(wasm::custom("reloc.DATA", wasm::leb(counted ? 2 : 1) + wasm::list(relocations)));
    sections.push_back(wasm::custom("producers", "behind"));
    return wasm::module(sections);
  }
};

} // namespace blobscope::test::wasm_files
