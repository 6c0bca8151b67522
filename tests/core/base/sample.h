#pragma once

#include "core/base/wire.h"

#include "tests/support/builders.h"
#include "tests/support/test_support.h"

#include <string>
#include <vector>

/// A made-up structure with every kind of field that wire() knows.
namespace blobscope::test {

enum class SampleMode : uint16_t { First = 1, Second = 0x1234 };

struct SampleEntry {
  Bytes key;
  std::vector<uint32_t> types;
  uint8_t kind = 0;
  uint32_t flag = 0;
  Bytes words;
};

struct Sample {
  Bytes format;
  SampleMode mode = SampleMode::First;
  int32_t delta = 0;
  int64_t wide = 0;
  double scale = 0;
  uint64_t address = 0;
  std::vector<SampleEntry> entries;
  Bytes data;
};

template <class A> void wire(A& ar, wire_ref<A, Sample> v) {
  ar.string("fmt", v.format, FieldRole::TypeKey);
  ar.number("mode", v.mode);
  ar.number("delta", v.delta);
  ar.number("wide", v.wide);
  ar.number("scale", v.scale);
  ar.number("address", v.address, FieldRole::Offset);
  ar.list("entries", v.entries, 37, [](A& a, auto& entry) {
    a.group("", [&](A& group) {
      group.string("key", entry.key);
      group.list("types", entry.types, 4, [](A& item, auto& type) { item.dataType("", type, false); });
      group.number("kind", entry.kind, FieldRole::TypeCode);
      group.sized("shader", [&](A& inner) {
        inner.number("flag", entry.flag);
        inner.words("words", entry.words);
      });
    });
  });
  ar.data("data", v.data);
}

/// The fields of sampleBytes(): path, offset, size, value.
inline constexpr std::string_view kSampleFields = //
    "fmt 0 11 \"ptx\"\n"
    "mode 11 2 4660\n"
    "delta 13 4 -2\n"
    "wide 17 8 -3\n"
    "scale 25 8 -0.15625\n"
    "address 33 8 0x2b30c1\n"
    "entries 41 100 2 items\n"
    "entries[0] 49 55 \n"
    "entries[0].key 49 10 \"k0\"\n"
    "entries[0].types 59 16 2 items\n"
    "entries[0].types[0] 67 4 handle\n"
    "entries[0].types[1] 71 4 float16x4\n"
    "entries[0].kind 75 1 0x7\n"
    "entries[0].shader 76 28 20 bytes\n"
    "entries[0].shader.flag 84 4 1\n"
    "entries[0].shader.words 88 16 2 words\n"
    "entries[1] 104 37 \n"
    "entries[1].key 104 8 \"\"\n"
    "entries[1].types 112 8 0 items\n"
    "entries[1].kind 120 1 0x0\n"
    "entries[1].shader 121 20 12 bytes\n"
    "entries[1].shader.flag 129 4 0\n"
    "entries[1].shader.words 133 8 0 words\n"
    "data 141 13 5 bytes\n";
inline constexpr uint64_t kSampleSize = 154;

/// The same bytes, made by hand without the code under test.
inline std::string sampleBytes() {
  const double scale = -0.15625;
  uint64_t scaleBits = 0;
  std::memcpy(&scaleBits, &scale, sizeof scaleBits);
  ByteBuilder out;
  out.str("ptx").u16(0x1234).u32(0xfffffffe).u64(0xfffffffffffffffd).u64(scaleBits).u64(0x2b30c1);
  out.u64(2);
  out.str("k0").u64(2).u32(0x00014003).u32(0x00041002).u8(7).u64(20).u32(1).u64(2).u32(0x07230203).u32(5);
  out.str("").u64(0).u8(0).u64(12).u32(0).u64(0);
  out.str({"12\0"
           "45",
           5});
  return out.take();
}

inline Sample readSample(Reader& reader) {
  ReadArchive archive(reader, {});
  Sample sample;
  wire(archive, sample);
  return sample;
}

inline FieldTree describeSample(const Sample& sample, Bytes bytes) {
  FieldTreeBuilder builder;
  DescribeArchive archive(builder);
  wire(archive, sample);
  return builder.take(std::move(bytes));
}

} // namespace blobscope::test
