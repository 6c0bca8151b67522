#include "core/payloads/bitcode/bitcode.h"

#include "core/base/text.h"
#include "core/container/number_at.h"

#include <algorithm>

namespace blobscope::payloads {
namespace {

constexpr std::string_view kMagic = "BC\xc0\xde";
// Maximum number of records read; a module has some ten thousand before its functions.
constexpr uint64_t kRecords = 65'536;
constexpr uint64_t kOperands = 65'536;     // maximum kept of one record; the longest text is the data layout
constexpr uint64_t kAbbreviations = 1'024; // maximum in one block
constexpr uint64_t kBlocks = 4'096;        // maximum at the top level

/// Reads bits, the lowest of each byte first, with a sticky failure.
class BitReader {
public:
  explicit BitReader(std::string_view bytes) : m_bytes(bytes) {}

  bool ok() const { return m_ok; }
  uint64_t position() const { return m_at; }
  uint64_t left() const { return m_bytes.size() * 8 - m_at; }
  void fail() { m_ok = false; }

  /// At most 64 bits.
  uint64_t fixed(uint64_t width) {
    if (!m_ok || width > 64 || width > left()) {
      m_ok = false;
      return 0;
    }
    uint64_t value = 0;
    for (uint64_t done = 0; done < width;) {
      const uint64_t shift = m_at % 8, taken = std::min<uint64_t>(8 - shift, width - done);
      const uint64_t byte = static_cast<uint8_t>(m_bytes[m_at / 8]);
      value |= (byte >> shift & ((uint64_t{1} << taken) - 1)) << done;
      m_at += taken;
      done += taken;
    }
    return value;
  }
  /// Chunks of `width` bits, where the highest bit says that another one follows.
  uint64_t variable(uint64_t width) {
    if (width < 2 || width > 32) m_ok = false;
    uint64_t value = 0;
    for (uint64_t shift = 0; m_ok; shift += width - 1) {
      if (shift >= 64) {
        m_ok = false;
        break;
      }
      const uint64_t chunk = fixed(width), more = uint64_t{1} << (width - 1);
      value |= (chunk & (more - 1)) << shift;
      if ((chunk & more) == 0) break;
    }
    return m_ok ? value : 0;
  }
  void alignToWord() {
    const uint64_t aligned = (m_at + 31) / 32 * 32;
    if (aligned > m_bytes.size() * 8)
      m_ok = false;
    else
      m_at = aligned;
  }
  /// Skips `bytes` bytes.
  void skip(uint64_t bytes) {
    if (!m_ok || bytes > left() / 8)
      m_ok = false;
    else
      m_at += bytes * 8;
  }

private:
  std::string_view m_bytes;
  uint64_t m_at = 0; // in bits; a file of 2 EiB would be needed to wrap
  bool m_ok = true;
};

struct Operand {
  enum Kind : uint8_t { Literal = 0, Fixed = 1, Variable = 2, Array = 3, Char6 = 4, Blob = 5 } kind;
  uint64_t value; ///< of a literal, else the width
};
using Abbreviation = std::vector<Operand>;

struct Record {
  uint64_t code = 0;
  std::vector<uint64_t> operands; ///< cut to kOperands

  std::string text() const {
    std::string text;
    for (const uint64_t operand : operands) text += static_cast<char>(operand);
    return text;
  }
};

enum : uint64_t { kEndBlock = 0, kEnterBlock = 1, kDefineAbbreviation = 2, kUnabbreviated = 3 };
enum : uint64_t { kModuleBlock = 8, kIdentificationBlock = 13 };

/// Reads one block from the end of its head to the end of the block. BLOCKINFO, which could define abbreviations for
/// other blocks, is not read: it is inside the module block and applies to blocks inside it, which are skipped.
class BlockReader {
public:
  BlockReader(BitReader& bits, uint64_t abbreviationWidth) : m_bits(bits), m_width(abbreviationWidth) {}

  /// The next record; nothing at the end of the block or when reading fails.
  std::optional<Record> next() {
    while (m_bits.ok()) {
      const uint64_t id = m_bits.fixed(m_width);
      if (!m_bits.ok()) break;
      if (id == kEndBlock) {
        m_bits.alignToWord();
        break;
      }
      if (id == kEnterBlock) {
        m_bits.variable(8); // its kind
        m_bits.variable(4); // its width
        m_bits.alignToWord();
        m_bits.skip(m_bits.fixed(32) * 4);
      } else if (id == kDefineAbbreviation) {
        define();
      } else {
        Record record = id == kUnabbreviated ? plain() : abbreviated(id - 4);
        if (m_bits.ok()) return record;
      }
    }
    return std::nullopt;
  }

private:
  void define() {
    const uint64_t count = m_bits.variable(5);
    if (count > m_bits.left() || m_abbreviations.size() >= kAbbreviations) m_bits.fail();
    Abbreviation abbreviation;
    for (uint64_t i = 0; i < count && m_bits.ok(); ++i) {
      if (m_bits.fixed(1) == 1) {
        abbreviation.push_back({Operand::Literal, m_bits.variable(8)});
        continue;
      }
      const uint64_t kind = m_bits.fixed(3);
      if (kind == Operand::Fixed || kind == Operand::Variable) {
        const uint64_t width = m_bits.variable(5);
        // A field of width 0 is written like the literal 0.
        if (width == 0)
          abbreviation.push_back({Operand::Literal, 0});
        else
          abbreviation.push_back({static_cast<Operand::Kind>(kind), width});
      } else if (kind == Operand::Array || kind == Operand::Char6 || kind == Operand::Blob) {
        abbreviation.push_back({static_cast<Operand::Kind>(kind), 0});
      } else {
        m_bits.fail();
      }
    }
    m_abbreviations.push_back(std::move(abbreviation));
  }

  static void keep(Record& record, uint64_t value) {
    if (record.operands.size() < kOperands) record.operands.push_back(value);
  }

  Record plain() {
    Record record;
    record.code = m_bits.variable(6);
    const uint64_t count = m_bits.variable(6);
    if (count > m_bits.left() / 6) m_bits.fail();
    for (uint64_t i = 0; i < count && m_bits.ok(); ++i) keep(record, m_bits.variable(6));
    return record;
  }

  uint64_t scalar(const Operand& operand) {
    switch (operand.kind) {
    case Operand::Literal: return operand.value;
    case Operand::Fixed: return m_bits.fixed(operand.value);
    case Operand::Variable: return m_bits.variable(operand.value);
    case Operand::Char6: {
      constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
      return static_cast<uint8_t>(kLetters[m_bits.fixed(6)]);
    }
    default: m_bits.fail(); return 0;
    }
  }

  Record abbreviated(uint64_t index) {
    Record record;
    if (index >= m_abbreviations.size()) {
      m_bits.fail();
      return record;
    }
    const Abbreviation& abbreviation = m_abbreviations[index];
    bool first = true; // the first value is the code
    for (std::size_t i = 0; i < abbreviation.size() && m_bits.ok(); ++i) {
      const Operand& operand = abbreviation[i];
      if (operand.kind == Operand::Array) {
        const uint64_t count = m_bits.variable(6);
        // The items have the form of the last operand. Literal items would take no bits, which no writer produces.
        if (first || i + 2 != abbreviation.size() || abbreviation[i + 1].kind == Operand::Literal ||
            count > m_bits.left())
          m_bits.fail();
        for (uint64_t item = 0; item < count && m_bits.ok(); ++item) keep(record, scalar(abbreviation[i + 1]));
        break;
      }
      if (operand.kind == Operand::Blob) {
        const uint64_t size = m_bits.variable(6);
        m_bits.alignToWord();
        m_bits.skip(size);
        m_bits.alignToWord();
        continue;
      }
      const uint64_t value = scalar(operand);
      if (first)
        record.code = value;
      else
        keep(record, value);
      first = false;
    }
    return record;
  }

  BitReader& m_bits;
  uint64_t m_width;
  std::vector<Abbreviation> m_abbreviations;
};

void readIdentification(BlockReader& block, Bitcode& bitcode, uint64_t& records) {
  while (const auto record = block.next()) {
    if (++records > kRecords) return;
    if (record->code == 1) bitcode.producer = record->text();
    if (record->code == 2 && !record->operands.empty()) bitcode.epoch = record->operands.front();
  }
}

void readModule(BlockReader& block, Bitcode& bitcode, uint64_t& records) {
  while (const auto record = block.next()) {
    if (++records > kRecords) return;
    switch (record->code) {
    case 1:
      if (!record->operands.empty()) bitcode.moduleVersion = record->operands.front();
      break;
    case 2: bitcode.triple = record->text(); break;
    case 3: bitcode.dataLayout = record->text(); break;
    case 16: bitcode.sourceFile = record->text(); break;
    default: break;
    }
  }
}

void bitcodePages(const Bytes& bytes, view::PageList& list) {
  const Bitcode bitcode = readBitcode(bytes);
  std::vector<std::vector<std::string>> facts;
  const auto add = [&](const char* label, std::string value) {
    if (!value.empty()) facts.push_back({label, std::move(value)});
  };
  add("form", bitcode.wrapper ? "in a wrapper" : "bare");
  add("size", sizeText(bytes.size()));
  if (bitcode.wrapper) {
    add("bitcode at", hexText(bitcode.wrapper->bitcode.offset));
    add("bitcode size", sizeText(bitcode.wrapper->bitcode.size));
    add("CPU type", hexText(bitcode.wrapper->cpuType));
  }
  const auto addText = [&](const char* label, const std::string& text) { add(label, escapedWithin(text, 4'096)); };
  addText("producer", bitcode.producer);
  if (bitcode.epoch) add("epoch", std::to_string(*bitcode.epoch));
  if (bitcode.moduleVersion) add("module version", std::to_string(*bitcode.moduleVersion));
  addText("target triple", bitcode.triple);
  addText("data layout", bitcode.dataLayout);
  addText("source file", bitcode.sourceFile);
  if (bitcode.modules > 1) add("modules", std::to_string(bitcode.modules) + "; the first one is described");
  list.push_back(view::factsPage("LLVM bitcode", std::move(facts)));
  if (!bitcode.damage.empty()) list.push_back({"Damage", view::NoticePage{bitcode.damage}});
}

} // namespace

Bitcode readBitcode(const Bytes& bytes) {
  Bitcode bitcode;
  Bytes stream = bytes;
  uint64_t base = 0;
  if (bytes.view().starts_with("\xde\xc0\x17\x0b")) {
    const auto word = [&](uint64_t index) { return container::numberAt<uint32_t>(bytes.view(), index * 4); };
    bitcode.wrapper = {word(1), {word(2), word(3)}, word(4)};
    base = word(2);
    if (!Extent{0, bytes.size()}.contains(bitcode.wrapper->bitcode)) {
      bitcode.damage = "the wrapper places " + sizeText(word(3)) + " of bitcode at " + hexText(base) +
                       ", but there are " + sizeText(bytes.size());
    }
    stream = bytes.slice(base, word(3));
  }
  if (!stream.view().starts_with(kMagic)) {
    if (bitcode.damage.empty()) bitcode.damage = "no bitcode magic at " + hexText(base);
    return bitcode;
  }

  BitReader bits(stream.view());
  bits.fixed(32);
  uint64_t records = 0;
  // A block has at least two words; fewer after the last one are padding.
  for (uint64_t blocks = 0; bits.ok() && bits.left() >= 64 && blocks < kBlocks; ++blocks) {
    const uint64_t start = bits.position();
    if (stream.view().substr(start / 8).starts_with(kMagic)) { // of another file that was appended
      bits.skip(4);
      continue;
    }
    if (bits.fixed(2) != kEnterBlock) {
      bits.fail();
    } else {
      const uint64_t kind = bits.variable(8), width = bits.variable(4);
      bits.alignToWord();
      const uint64_t size = bits.fixed(32) * 4;
      if (size > bits.left() / 8 || width < 2 || width > 32) bits.fail();
      if (!bits.ok()) continue;
      const uint64_t body = bits.position() / 8;
      BitReader inside(stream.view().substr(0, body + size));
      inside.skip(body);
      BlockReader block(inside, width);
      if (kind == kIdentificationBlock && bitcode.modules == 0) readIdentification(block, bitcode, records);
      if (kind == kModuleBlock && bitcode.modules++ == 0) readModule(block, bitcode, records);
      if (!inside.ok() && bitcode.damage.empty())
        bitcode.damage = "the block at " + hexText(base + start / 8) + " cannot be read after " +
                         hexText(base + inside.position() / 8);
      bits.skip(size);
    }
  }
  if (!bits.ok() && bitcode.damage.empty())
    bitcode.damage = "the bitcode cannot be read after " + hexText(base + bits.position() / 8);
  return bitcode;
}

const PayloadFormat kBitcode = {"llvm-bitcode", bitcodePages};

} // namespace blobscope::payloads
